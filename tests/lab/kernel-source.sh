# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Debian's kernel source packages, unpacked in the cache. Sourced by kernel.

unpack_source()
{
	local series=$1 suite=$2 dir=$3 tmp=$3.new.$$

	rm -rf "$tmp"
	mkdir -p "$tmp/deb"
	apt_fetch "$suite" "linux-source-$series" "$tmp/deb"
	tar -C "$tmp" --strip-components=1 \
		-xf "$tmp/deb/usr/src/linux-source-$series.tar.xz"
	rm -rf "$tmp/deb"
	mv "$tmp" "$dir"
}

prepare_source()
{
	local series=$1 suite=$2 dir=$3

	[ -d "$dir" ] || step "Linux $series source" \
		unpack_source "$series" "$suite" "$dir"
}

# kernel_source SERIES: sets k_source and k_version, the package's version.
kernel_source()
{
	local suite

	case $1 in
	6.1)	suite=bookworm ;;
	*)	suite=sid ;;
	esac
	"$lab_dir/need" source
	with_lock "apt-$suite" apt_update "$suite"
	k_version=$(apt_version "$suite" "linux-source-$1")
	k_source=$cache/source/$k_version
	mkdir -p "$cache/source"
	with_lock "source-$1" prepare_source "$1" "$suite" "$k_source"
}
