# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Soft iWARP as a module of its own: for Debian 12's kernel, which is built
# without it, and mended (patches/) for the kernels of User Mode Linux: its
# listener does not outlive what the tests do to it, and it knows only the
# initial network namespace. Sourced by kernel.

# build_siw DIR [PATCH...]
build_siw()
{
	local dir=$1 tmp=$1.new.$$ patch

	rm -rf "$tmp"
	mkdir -p "$tmp"
	cp -r "$k_source/drivers/infiniband/sw/siw/." "$tmp"
	shift
	for patch; do
		patch -d "$tmp" -p5 <"$patch"
	done
	make -C "$k_build" ${k_arch:+"ARCH=$k_arch"} M="$tmp" \
		CONFIG_RDMA_SIW=m -j"$jobs" modules
	mv "$tmp" "$dir"
}

# prepare_siw DIR [PATCH...]
prepare_siw()
{
	[ -f "$1/siw.ko" ] || step "soft iWARP for $k_release" build_siw "$@"
}

# siw_stock: k_siw is where Debian 12's has it or, asked for, will.
siw_stock()
{
	k_siw=$cache/siw/$k_release/siw.ko
}

# siw_uml NAME: keyed by the kernel it is for and by the patches.
siw_uml()
{
	local key dir patches=("$lab_dir"/patches/siw-*.patch)

	key=$(cat "${patches[@]}" | sha256sum)
	dir=$cache/siw/$(basename "$(dirname "$k_build")")-${key:0:12}/$1
	mkdir -p "${dir%/*}"
	with_lock "siw-$1" prepare_siw "$dir" "${patches[@]}"
	k_siw=$dir/siw.ko
}

kernel_siw()
{
	kernel_stock
	kernel_source 6.1
	siw_stock
	with_lock siw prepare_siw "${k_siw%/*}"
}
