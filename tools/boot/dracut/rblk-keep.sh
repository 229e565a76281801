#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Sourced by dracut before it goes over to root: tells systemd-networkd to leave alone
# what root comes by. Its emergency shell does not lead back to the queue: root may have
# been attached there.

# shellcheck source=tools/boot/functions.sh
. /usr/share/rblk/boot/functions.sh

if rblk_cmdline && { [ -e "$rblk_run/root" ] || rblk_attached; }; then
	rblk_keep_interface
fi
