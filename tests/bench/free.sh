# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# How much memory a guest has left, to the page.

# lists_kib: free, too, but waiting in a CPU's own lists, several MiB of it.
lists_kib()
{
	local name value pages=0

	while read -r name value; do
		[ "$name" != count: ] || pages=$((pages + value))
	done </proc/zoneinfo
	echo $((pages * 4))
}

# free_kib: when all that can be dropped is, and modules' code is there again,
# which is nobody's session. The most of some tries, as slabs also wait for their
# last object. No programs in between, which would fill caches again.
free_kib()
{
	local name value rest code=0 best=0 lists

	while read -r name value rest; do
		code=$((code + value / 1024))
	done </proc/modules
	sync
	for _ in 1 2 3; do
		echo 3 >/proc/sys/vm/drop_caches
		sleep 0.5
		lists=$(lists_kib)
		while read -r name value rest; do
			[ "$name" != MemFree: ] ||
				[ $((value + lists)) -le "$best" ] ||
				best=$((value + lists))
		done </proc/meminfo
	done
	echo $((best + code))
}
