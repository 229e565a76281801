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

# newest_source SERIES: the newest that is unpacked here.
newest_source()
{
	find "$cache/source" -mindepth 1 -maxdepth 1 -name "$1.*" \
		! -name '*.new*' ! -name '*+*' -printf '%f\n' 2>/dev/null | sort -V | tail -n 1
}

# kernel_source SERIES: sets k_source and k_version, the package's version.
# Without a network, or once the series has left the archive, what is here
# still serves.
kernel_source()
{
	local suite

	case $1 in
	6.1)	suite=bookworm ;;
	*)	suite=sid ;;
	esac
	"$lab_dir/need" source
	mkdir -p "$cache/source"
	with_lock "apt-$suite" apt_update "$suite" ||
		say "no fresh package lists; going on with what is here"
	k_version=$(apt_version "$suite" "linux-source-$1") ||
		k_version=$(newest_source "$1")
	[ -n "$k_version" ] || die "there is no Linux $1 source to be had"
	k_source=$cache/source/$k_version
	with_lock "source-$1" prepare_source "$1" "$suite" "$k_source"
}

# mend_source DIR PATCH...: links to the tree, but for what is patched.
mend_source()
{
	local dir=$1 tmp=$1.new
	shift

	[ ! -d "$dir" ] || return 0
	rm -rf "$tmp"
	cp -al "$k_source" "$tmp"
	cat "$@" | patch -d "$tmp" -p1
	mv "$tmp" "$dir"
}

# mended_source PATCH...: sets k_source to one that has the patches.
mended_source()
{
	local key dir

	key=$(cat "$@" | sha256sum)
	dir=$k_source+${key:0:12}
	with_lock source-mended mend_source "$dir" "$@" >&2
	k_source=$dir
}

# configure_clang DIR: Debian's configuration, as clang takes it. A kernel's
# headers remember which flags gcc took, so clang cannot use Debian's own.
configure_clang()
{
	local dir=$1 tmp=$1.new
	local kmake=(make -C "$k_source" O="$tmp" CC=clang -j"$jobs")

	rm -rf "$tmp"
	mkdir -p "$tmp"
	cp "$k_build/.config" "$tmp/.config"
	# What would want keys, pahole or a patched tree.
	"$k_source/scripts/config" --file "$tmp/.config" \
		-d MODULE_SIG -d SYSTEM_TRUSTED_KEYRING -d DEBUG_INFO_BTF \
		-e DEBUG_INFO_NONE
	"${kmake[@]}" olddefconfig
	"${kmake[@]}" modules_prepare
	cp "$k_build/Module.symvers" "$tmp"
	grep -rlIF "$tmp" "$tmp" | while read -r f; do
		sed -i "s|$tmp|$dir|g" "$f"
	done
	mv "$tmp" "$dir"
}

prepare_clang()
{
	[ -d "$1" ] || step "Linux 6.1 configured for clang" configure_clang "$1"
}

# kernel_clang: to build against with CC=clang, not to boot.
kernel_clang()
{
	local dir

	"$lab_dir/need" style uml
	kernel_stock
	kernel_source 6.1
	dir=$cache/clang/$k_release-$k_version
	mkdir -p "${dir%/*}"
	with_lock clang prepare_clang "$dir"
	k_build=$dir
}
