# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The source of util-linux, for a patch of its lsblk and for blkpr, which Debian does not
# package. Sourced after common.sh.
# shellcheck disable=SC2034,SC2154 # common.sh has the rest

# The release, as Debian's pool has it as long as a suite does, and its checksum.
util_linux=util-linux-2.42.4
util_linux_sum=fbd62a100ab7bb8746ba0661255c3c48185b1e9021507c624da01fbc696330ec
util_linux_source=$cache/source/$util_linux

util_linux_unpack()
{
	local dir=$util_linux_source tmp=$util_linux_source.new

	[ ! -d "$dir" ] || return 0
	# shellcheck source=tests/lab/apt.sh
	. "$lab_dir/apt.sh"
	rm -rf "$tmp"
	mkdir -p "$tmp"
	/usr/lib/apt/apt-helper -o APT::Sandbox::User="$(id -un)" download-file \
		"$mirror/pool/main/u/util-linux/${util_linux/linux-/linux_}.orig.tar.xz" \
		"$tmp.tar.xz" "SHA256:$util_linux_sum" || {
		echo "has Debian a newer release than $util_linux? Does lsblk's patch fit that?"
		return 1
	}
	tar -C "$tmp" --strip-components=1 -xf "$tmp.tar.xz"
	rm "$tmp.tar.xz"
	mv "$tmp" "$dir"
}

# util_linux_configure OPTION...: here, for programs with no library but libc.
util_linux_configure()
{
	./configure --disable-shared --disable-nls --disable-asciidoc --without-python \
		--without-udev --without-systemd "$@"
}
