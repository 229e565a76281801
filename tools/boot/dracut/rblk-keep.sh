#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Sourced by dracut before it goes over to root: tells systemd-networkd to leave alone
# what root comes by.

# shellcheck source=tools/boot/functions.sh
. /usr/share/rblk/boot/functions.sh

[ ! -e "$rblk_run/root" ] || rblk_keep_interface
