#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# dracut's module for root on a volume: rblk-boot(7). dracut calls the functions.

# Whether root is on a volume, where the image is for this machine only.
check()
{
	require_binaries rblkctl rdma || return 1
	# shellcheck disable=SC2154 # dracut's
	[[ $hostonly ]] || [[ $mount_needs ]] || return 0
	[[ -e /run/rblk/root ]] || return 255
}

depends()
{
	echo network rootfs-block
}

installkernel()
{
	instmods rblk rdma_ucm rdma_rxe siw crc32_generic crc32_pclmul crc32c_generic \
		crc32c_intel libcrc32c
	hostonly='' instmods "=drivers/infiniband/hw"
}

install()
{
	local file

	inst_multiple rblkctl rdma ip cat mkdir sleep modprobe
	inst_simple /usr/share/rblk/boot/functions.sh
	inst_rules 60-rblk.rules
	# shellcheck disable=SC2154 # dracut's
	inst_hook cmdline 90 "$moddir/parse-rblk.sh"
	inst_hook initqueue/settled 50 "$moddir/rblk-attach.sh"
	inst_hook pre-pivot 50 "$moddir/rblk-keep.sh"
	# Images may be made for many machines, each of which brings its own.
	for file in key psk host-uuid; do
		[[ ! -e /etc/rblk/$file ]] || inst_simple "/etc/rblk/$file"
	done
	# Without keys a machine is its UUID; an image for this machine only has its own.
	if [[ -s /etc/machine-id ]] && [[ $hostonly || -e /etc/rblk/key ]]; then
		inst_simple /etc/machine-id
	elif [[ ! -e /etc/rblk/key && ! -e /etc/rblk/host-uuid ]]; then
		dwarn "rblk: there is neither /etc/rblk/key nor /etc/rblk/host-uuid: rblk.insecure will not work with this image"
	fi
	dracut_need_initqueue
}
