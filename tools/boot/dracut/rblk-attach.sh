#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Sourced by dracut's queue again and again while root is missing: one attempt each time
# that some seconds have passed.

# shellcheck source=tools/boot/functions.sh
. /usr/share/rblk/boot/functions.sh

rblk_attempt()
{
	rblk_cmdline && [ ! -e "$rblk_run/root" ] && [ -n "$(rblk_interface)" ] || return 0
	rblk_next=0
	[ ! -e "$rblk_run/next" ] || read -r rblk_next <"$rblk_run/next"
	[ "$(rblk_now)" -ge "$rblk_next" ] || return 0
	if rblk_try; then
		rblk_say "root is $(cat "$rblk_run/root"), $rblk_root"
		return 0
	fi
	while IFS= read -r rblk_line; do
		rblk_say "$rblk_line"
	done <"$rblk_run/said"
	rblk_say "an attempt at $rblk_root failed; again in 5 s"
	echo $(($(rblk_now) + 5)) >"$rblk_run/next"
}
rblk_attempt
