#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Sourced by dracut before udev starts: root on a volume needs the network. Until the
# volume is there, dracut tries; rd.retry= says how long, and rd.shell what then.

# shellcheck source=tools/boot/functions.sh
. /usr/share/rblk/boot/functions.sh

if rblk_cmdline; then
	[ -n "$(getarg ip=)" ] || echo "ip=dhcp" >/etc/cmdline.d/95-rblk.conf
	echo "rd.neednet=1" >>/etc/cmdline.d/95-rblk.conf
	# shellcheck disable=SC2154 # dracut's
	echo "[ -e $rblk_run/root ]" >"$hookdir/initqueue/finished/rblk.sh"
fi
