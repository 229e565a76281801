# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# User Mode Linux kernels, built from Debian's 7.2 source and the fragments
# beside this file. Sourced by kernel.

# Every line of the fragment must have survived Kconfig: an option that was
# renamed or lost a dependency would silently test nothing.
check_config()
{
	local line lost=0

	while read -r line; do
		case $line in
		CONFIG_*=n)
			! grep -q "^${line%=n}=" "$2" || lost=1 ;;
		CONFIG_*)
			grep -qxF "$line" "$2" || lost=1 ;;
		*)
			continue ;;
		esac
		[ "$lost" -eq 0 ] || { echo "Kconfig dropped $line"; return 1; }
	done <"$1"
}

# What building modules does not need is four fifths of the tree.
prune_uml()
{
	find "$1" -path "$1/scripts" -prune -o -path "$1/tools" -prune -o \
		-type f \( -name '*.o' -o -name '*.a' -o -name '.*.cmd' \
		-o -name '*.mod' -o -name '*.order' \) -exec rm -f {} +
	rm -f "$1"/vmlinux "$1"/.tmp_vmlinux*
}

build_uml()
{
	local dir=$1 tmp=$1.new src=$2
	local kmake=(make -C "$src" ARCH=um O="$tmp" -j"$jobs")

	rm -rf "$tmp"
	mkdir -p "$tmp"
	cp "$3" "$tmp/fragment"
	"${kmake[@]}" KCONFIG_ALLCONFIG="$tmp/fragment" allnoconfig
	check_config "$tmp/fragment" "$tmp/.config"
	"${kmake[@]}" all
	"${kmake[@]}" INSTALL_MOD_PATH="$tmp/layer/usr" modules_install
	"${kmake[@]}" -s kernelrelease >"$tmp/release"
	prune_uml "$tmp"
	# The tree holds its own path: point it at where it is going.
	grep -rlIF --exclude-dir=layer "$tmp" "$tmp" | while read -r f; do
		sed -i "s|$tmp|$dir|g" "$f"
	done
	mv "$tmp" "$dir"
}

prepare_uml()
{
	local dir=$1

	[ -d "$dir" ] || with_lock kernel-build \
		step "User Mode Linux $k_version for ${dir##*/} (minutes)" \
		build_uml "$dir" "$2" "$3"
}

kernel_uml()
{
	local name=$1 key fragment dir
	local patches=("$lab_dir"/patches/{uml,rxe}-*.patch)

	"$lab_dir/need" uml guest
	kernel_source 7.2
	mended_source "${patches[@]}"
	fragment=$(mktemp "$cache/fragment.XXXXXX")
	# shellcheck disable=SC2064 # the name as it is now
	trap "rm -f '$fragment'" EXIT
	# The kernel's own fragment may say of an option what all do not.
	cat "$lab_dir/uml-common.config" "$lab_dir/$name.config" | tac |
		awk -F = '!/^CONFIG_/ || !seen[$1]++' | tac >"$fragment"
	key=$(gcc -dumpfullversion | cat - "$fragment" "${patches[@]}" | sha256sum)
	dir=$cache/uml/$k_version-${key:0:12}/$name
	mkdir -p "${dir%/*}"
	with_lock "$name" prepare_uml "$dir" "$k_source" "$fragment"
	k_release=$(cat "$dir/release")
	k_image=$dir/linux
	k_build=$dir
	k_root=/
	k_layer=$dir/layer
	k_arch=um
}
