# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Debian 12's headers for arm64, to build against with a cross compiler. What they
# share with those of the machine's own architecture, the machine has. Sourced by
# kernel.

unpack_arm64()
{
	local release=$1 dir=$2 tmp=$2.new.$$ d

	rm -rf "$tmp"
	mkdir -p "$tmp"
	apt_fetch bookworm-arm64 "linux-headers-$release:arm64" "$tmp"
	for d in scripts tools; do
		ln -sfn "/usr/lib/linux-kbuild-6.1/$d" \
			"$tmp/usr/src/linux-headers-$release/$d"
	done
	mv "$tmp" "$dir"
}

prepare_arm64()
{
	[ -d "$2" ] || step "headers of $1" unpack_arm64 "$1" "$2"
}

# kernel_arm64: to build against, not to boot.
kernel_arm64()
{
	"$lab_dir/need" arm64
	kernel_stock
	k_release=${k_release%-amd64}-arm64
	k_arch=arm64
	k_cross=aarch64-linux-gnu-
	k_build=$cache/arm64/$k_release/usr/src/linux-headers-$k_release
	if [ ! -d "$k_build" ]; then
		mkdir -p "$cache/arm64"
		with_lock apt-bookworm-arm64 apt_update bookworm-arm64
		with_lock arm64 prepare_arm64 "$k_release" \
			"$cache/arm64/$k_release"
	fi
}
