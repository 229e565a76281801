# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The machine's own Debian 12 kernel package, unpacked and not installed, with
# the machine's files as the guest's root. Sourced by kernel.

# fetch_image RELEASE DIR: the image package's kernel and modules into DIR.
fetch_image()
{
	local tmp=$2.new.$$

	rm -rf "$tmp"
	mkdir -p "$tmp/get" "$tmp/usr"
	(
		cd "$tmp/get"
		apt-get -q -o APT::Sandbox::User="$(id -un)" \
			download "linux-image-$1"
		dpkg-deb -x ./*.deb .
	)
	mv "$tmp/get/lib" "$tmp/usr/lib"
	mv "$tmp/get/boot/vmlinuz-$1" "$tmp/vmlinuz"
	rm -rf "$tmp/get"
	depmod -b "$tmp/usr" "$1"
	mv "$tmp" "$2"
}

prepare_stock()
{
	[ -d "$1" ] || step "kernel image $2" fetch_image "$2" "$1"
}

kernel_stock()
{
	local dir

	"$lab_dir/need" build qemu guest
	k_release=$(dpkg-query -W -f '${Package}\n' 'linux-headers-6.1.*-amd64' \
		2>/dev/null | sed 's/^linux-headers-//' | sort -V | tail -n 1)
	[ -n "$k_release" ] || die "no linux-headers of Debian 12's 6.1 here"
	dir=$cache/stock/$k_release
	with_lock stock prepare_stock "$dir" "$k_release"
	k_image=$dir/vmlinuz
	k_build=/usr/src/linux-headers-$k_release
	k_root=/
	k_layer=$dir
}

# build_rnbd DIR: RTRS first, as RNBD links to it and includes its headers.
build_rnbd()
{
	local dir=$1 tmp=$1.new.$$ d

	rm -rf "$tmp"
	mkdir -p "$tmp/rtrs" "$tmp/rnbd"
	cp -r "$k_source/drivers/infiniband/ulp/rtrs/." "$tmp/rtrs"
	cp -r "$k_source/drivers/block/rnbd/." "$tmp/rnbd"
	make -C "$k_build" M="$tmp/rtrs" CONFIG_INFINIBAND_RTRS=m \
		CONFIG_INFINIBAND_RTRS_CLIENT=m \
		CONFIG_INFINIBAND_RTRS_SERVER=m -j"$jobs" modules
	# Where its Makefile looks, Debian's headers have no file.
	sed -i "s|^ccflags-y := .*|ccflags-y := -I$tmp/rtrs|" \
		"$tmp/rnbd/Makefile"
	make -C "$k_build" M="$tmp/rnbd" CONFIG_BLK_DEV_RNBD_CLIENT=m \
		CONFIG_BLK_DEV_RNBD_SERVER=m \
		KBUILD_EXTRA_SYMBOLS="$tmp/rtrs/Module.symvers" \
		-j"$jobs" modules
	for d in rtrs rnbd; do
		mv "$tmp/$d"/*.ko "$tmp"
		rm -rf "${tmp:?}/$d"
	done
	mv "$tmp" "$dir"
}

prepare_rnbd()
{
	[ -d "$1" ] || step "RNBD for $k_release" build_rnbd "$1"
}

kernel_rnbd()
{
	kernel_stock
	kernel_source 6.1
	k_rnbd=$cache/rnbd/$k_release
	mkdir -p "${k_rnbd%/*}"
	with_lock rnbd prepare_rnbd "$k_rnbd"
}
