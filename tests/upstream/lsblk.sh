# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The patch for lsblk, on the util-linux that it was made for: it applies, lsblk builds,
# and shows the transport of a volume with the patch and none without. No volume is
# there: lsblk takes files for /sys. Sourced by run.
# shellcheck disable=SC2154 # run has the rest

# The release, as Debian's pool has it as long as a suite does, and its checksum.
lsblk_release=util-linux-2.42.4
lsblk_sum=fbd62a100ab7bb8746ba0661255c3c48185b1e9021507c624da01fbc696330ec

lsblk_unpack()
{
	local dir=$1 tmp=$1.new

	# shellcheck source=tests/lab/apt.sh
	. "$lab_dir/apt.sh"
	rm -rf "$tmp"
	mkdir -p "$tmp"
	/usr/lib/apt/apt-helper -o APT::Sandbox::User="$(id -un)" download-file \
		"$mirror/pool/main/u/util-linux/${lsblk_release/linux-/linux_}.orig.tar.xz" \
		"$tmp.tar.xz" "SHA256:$lsblk_sum" || {
		echo "has Debian a newer release than $lsblk_release? Does the patch fit that?"
		return 1
	}
	tar -C "$tmp" --strip-components=1 -xf "$tmp.tar.xz"
	rm "$tmp.tar.xz"
	mv "$tmp" "$dir"
}

# lsblk_source: a copy to patch, in $work.
lsblk_source()
{
	local dir=$cache/source/$lsblk_release

	[ -d "$dir" ] || with_lock source-util-linux lsblk_unpack "$dir"
	rm -rf "$work/util-linux"
	cp -a "$dir" "$work/util-linux"
}

# lsblk_build NAME: as $work/lsblk-NAME, with no library of the machine's but libc.
lsblk_build()
{
	local dir=$work/util-linux

	[ -e "$dir/Makefile" ] || (cd "$dir" && ./configure --disable-all-programs \
		--enable-lsblk --enable-libblkid --enable-libmount --enable-libsmartcols \
		--disable-shared --disable-nls --disable-asciidoc --without-python \
		--without-udev --without-systemd)
	make -C "$dir" -j"$jobs" lsblk >"$work/said" 2>&1 ||
		{ tail -n 30 "$work/said"; return 1; }
	if grep -A 3 '/lsblk\.c.*warning:' "$work/said"; then
		return 1
	fi
	cp "$dir/lsblk" "$work/lsblk-$1"
}

lsblk_apply()
{
	patch -d "$work/util-linux" -p1 --fuzz=0 --no-backup-if-mismatch \
		<"$(echo "$patches"/util-linux/0001-*.patch)" | tee "$work/said"
	! grep -E 'offset|fuzz' "$work/said"
}

# lsblk_disk NAME MAJOR:MINOR: in the /sys of a machine of files.
lsblk_disk()
{
	local sys=$work/machine/sys

	mkdir -p "$sys/block/$1/queue" "$sys/dev/block"
	echo "$2" >"$sys/block/$1/dev"
	echo 2097152 >"$sys/block/$1/size"
	ln -sfn "../../block/$1" "$sys/dev/block/$2"
}

# lsblk_shows NAME TRANSPORT: of a volume, and that of others beside it.
lsblk_shows()
{
	lsblk_disk rblk0 251:0
	lsblk_disk vda 252:0
	lsblk_disk rbd0 253:0
	mkdir -p "$work/machine/dev" "$work/machine/proc"
	"$work/lsblk-$1" --sysroot "$work/machine" -o NAME,TRAN | tee "$work/said"
	"$work/lsblk-$1" --sysroot "$work/machine" -rno NAME,TRAN | sort |
		diff - <(printf '%s\n' "rbd0 " "rblk0 $2" "vda virtio") &&
		echo "lsblk $1: rblk0 has ${2:-no transport}" >>"$work/prints"
}

lsblk_all()
{
	tally lsblk.source lsblk_source
	tally lsblk.without.builds lsblk_build without
	tally lsblk.without lsblk_shows without ''
	tally lsblk.applies lsblk_apply
	tally lsblk.builds lsblk_build with
	tally lsblk.with lsblk_shows with rblk
}
