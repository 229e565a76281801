# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Twenty hosts without a disk from one golden image, as docs/recipes.md makes them: what
# they take in time and space. Sourced by run.
# shellcheck disable=SC2016,SC2154 # commands for machines; run has the rest

# golden_pool: the root of the other cases becomes the golden image of a thin pool. It is
# copied, not made anew; blocks of zeros are left out.
golden_pool()
{
	tell target 'disk=/dev/disk/by-id/virtio-pool
vgcreate -q disks $disk
lvcreate -q -y --type thin-pool -L 7G -n pool disks
lvcreate -q -y -V 3G --thinpool pool -n golden disks
rblkctl export remove root
dd if=/dev/disk/by-id/virtio-root of=/dev/disks/golden bs=1M conv=sparse,fsync status=none
e2fsck -fn /dev/disks/golden >/dev/null'
}

# golden_used: what of the pool is used, in MiB, and of its metadata, in KiB.
golden_used()
{
	tell target 'used() { lvs --noheadings --nosuffix --units b -o "$1" disks/pool; }
percent=$(used data_percent) size=$(used lv_size)
metadata=$(used metadata_percent) lv=$(used lv_metadata_size)
awk "BEGIN { printf \"%.1f %.0f\", $size * $percent / 100 / 1048576, $lv * $metadata / 100 / 1024 }"'
	read -r used_data used_metadata <<<"$said"
}

golden_note()
{
	golden_used
	note "$1: $used_data MiB of the pool and $used_metadata KiB of its metadata are used"
}

# golden_clones: how long each takes, as the machine's own clock says. LVM warns that the
# pool is smaller than all of them.
golden_clones()
{
	tell target 'for n in {1..20}; do
begin=${EPOCHREALTIME/./}
lvcreate -q -kn -s -n web$n disks/golden >/dev/null
echo $(((${EPOCHREALTIME/./} - begin) / 1000))
done | xargs'
	said=${said##*$'\n'}
	note "20 clones took, in ms, one after another: $said"
	[ "$(wc -w <<<"$said")" -eq 20 ] || fail "there are not 20 clones"
}

# golden_boot: web7 boots; what it has written is in its clone and nowhere else.
golden_boot()
{
	local before

	tell target "rblkctl export add web7 /dev/disks/web7 --allow '$bare_key' >/dev/null
awk '{ print \$7 }' /sys/block/\$(basename \$(realpath /dev/disks/web7))/stat"
	before=$said
	bare_on
	bare_ready
	tell bare 'sync -f /'
	tell target "awk '{ print \$7 }' /sys/block/\$(basename \$(realpath /dev/disks/web7))/stat
lvs --noheadings --units m -o lv_name,lv_size,data_percent disks"
	note "a boot to the login wrote $(((${said%%$'\n'*} - before) / 2)) KiB to its clone"
	note "${said#*$'\n'}"
}

bare_golden()
{
	local begin bare_export=web7

	[ -z "${guest[bare]:-}" ] || down bare poweroff
	golden_pool
	golden_note "the golden image"
	begin=$used_data
	golden_clones
	golden_note "with 20 clones"
	[ "$used_data" = "$begin" ] || fail "clones take data: $used_data, not $begin MiB"
	golden_boot
	golden_note "after a boot of one"
	[ "$used_data" != "$begin" ] || fail "a boot has written nothing"
	down bare poweroff
	golden_note "after its power off"
	# Powered off as it is, the host is a lost one for 15 s.
	tell target 'rblkctl export remove web7 --force; systemctl reload rblk-target'
}
