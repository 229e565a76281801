# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The patch for lsblk, on the util-linux that it was made for: it applies, lsblk builds,
# and shows the transport of a volume with the patch and none without. No volume is
# there: lsblk takes files for /sys. Sourced by run.
# shellcheck disable=SC2154 # run has the rest

# lsblk_source: a copy to patch, in $work.
lsblk_source()
{
	with_lock util-linux util_linux_unpack
	rm -rf "$work/util-linux"
	cp -a "$util_linux_source" "$work/util-linux"
}

# lsblk_build NAME: as $work/lsblk-NAME, with no library of the machine's but libc.
lsblk_build()
{
	local dir=$work/util-linux

	[ -e "$dir/Makefile" ] || (cd "$dir" && util_linux_configure --disable-all-programs \
		--enable-lsblk --enable-libblkid --enable-libmount --enable-libsmartcols)
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
