# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# File-system work: ext4 on a mode's volume, or NFS over RDMA from an ext4 that
# the target has mounted, each on the same memory-backed device.

files_mount=/run/bench-mnt
files_tree=/run/bench-tree

# instant: sets elapsed and idle, in us since boot. Without a program, whose
# start would be in the next one's time.
instant()
{
	local user nice system waiting

	read -r _ user nice system idle waiting _ </proc/stat
	idle=$(((idle + waiting) * 10000))
	elapsed=${EPOCHREALTIME/./}
}

# timed WORK COMMAND...: a line of JSON. Idle time is no work, and has no length
# of its own here: while the guest waits for the machine that holds its files,
# its clock runs from timer to timer.
timed()
{
	local work=$1 elapsed idle before
	shift

	sleep 3
	instant
	before=$((elapsed - idle))
	"$@" || return 1
	instant
	jq -cn --arg mode "$mode" --arg cell "$work" \
		--argjson us $((elapsed - idle - before)) \
		'{mode: $mode, cell: $cell, ms: ($us / 1000)}' \
		>>"$RBLK_OUT/files.jsonl"
}

# make_tree: 20 directories of 20 files of 1 to 20 KiB.
make_tree()
{
	local d f

	for d in {1..20}; do
		mkdir -p "$files_tree/$d"
		for f in {1..20}; do
			head -c $((f * 1024)) /dev/zero >"$files_tree/$d/$f"
		done
	done
}

# The programs are in memory, too, but for dd, which starts once.
box()
{
	/run/busybox-bench "$@"
}

small_fsyncs()
{
	dd if=/dev/zero of="$files_mount/log" bs=4k count=200 oflag=dsync \
		2>/dev/null
}

write_tree()
{
	box cp -r "$files_tree" "$files_mount/tree" &&
		box sync -f "$files_mount"
}

read_tree()
{
	box find "$files_mount/tree" -type f -exec /run/busybox-bench cat {} + \
		>/dev/null
}

# work_on: what is mounted. The last one wants an empty cache.
work_on()
{
	timed fsync-4k-200 small_fsyncs && timed tree-write-400 write_tree &&
		transactions 20 && timed pgbench-200 transactions 200 &&
		echo 3 >/proc/sys/vm/drop_caches &&
		box ls "$files_mount" >/dev/null &&
		timed tree-read-400 read_tree
}

# transactions COUNT
transactions()
{
	runuser -u postgres -- "$pg_bin/pgbench" -h /run/bench-pg -n -t "$1" \
		-c 1 postgres >/run/pgbench.log 2>&1
}

pg_bin=$(find /usr/lib/postgresql -mindepth 2 -maxdepth 2 -name bin \
	2>/dev/null | sort -V | tail -n 1)

# database_start: a cluster that is made once, in memory, and copied.
database_start()
{
	local template=/dev/shm/bench-pg data=$files_mount/pg

	mkdir -p /run/bench-pg && chown postgres /run/bench-pg || return 1
	if [ ! -d "$template" ]; then
		install -d -o postgres -m 700 "$template" &&
			runuser -u postgres -- "$pg_bin/initdb" -A trust -N \
				-D "$template" >/run/initdb.log 2>&1 || return 1
		printf '%s\n' "listen_addresses = ''" 'autovacuum = off' \
			"unix_socket_directories = '/run/bench-pg'" \
			'max_wal_size = 64MB' 'shared_buffers = 16MB' \
			>>"$template/postgresql.conf"
	fi
	cp -a "$template" "$data" && database_ctl start &&
		runuser -u postgres -- "$pg_bin/pgbench" -h /run/bench-pg -i -q \
			-s 1 postgres >/run/pgbench.log 2>&1 && sync -f "$data"
}

database_ctl()
{
	runuser -u postgres -- "$pg_bin/pg_ctl" -D "$files_mount/pg" -s -w \
		-l /run/bench-pg/log -t 600 "$1"
}

files_on()
{
	database_start && work_on
	database_ctl stop -m fast
	umount "$files_mount"
}

# files_mode NAME PEER ARGUMENTS...
files_mode()
{
	local peer=$2 dev
	mode=$1
	shift 2

	peer_start "$peer" "$@" && dev=$(peer_volume "$peer" 0) || return 1
	mkfs.ext4 -q -F "$dev" && mount "$dev" "$files_mount" && files_on ||
		return 1
	peer_stop "$peer"
}

files_nfs()
{
	local export=/run/bench-export rc=0

	mode=nfs-rdma
	mkdir -p "$export" /run/rpc_pipefs /var/lib/nfs/v4recovery
	modprobe nfsd && modprobe rpcrdma || return 1
	mkfs.ext4 -q -F "$(backing 0)" && mount "$(backing 0)" "$export" ||
		return 1
	mountpoint -q /proc/fs/nfsd ||
		mount -t nfsd nfsd /proc/fs/nfsd || return 1
	echo 10 >/proc/fs/nfsd/nfsv4gracetime
	pgrep -x rpcbind >/dev/null || rpcbind || return 1
	rpc.mountd -N 3 && exportfs -o rw,fsid=0,no_root_squash,sync,insecure \
		"10.77.0.1:$export" && rpc.nfsd -N 3 --rdma=20049 8 || return 1
	mount -t nfs -o vers=4.2,proto=rdma,port=20049,nconnect=1 \
		10.77.0.1:/ "$files_mount" && files_on || rc=1
	rpc.nfsd 0
	exportfs -ua
	pkill -x rpc.mountd
	umount "$export"
	return "$rc"
}

# files_disk: a memory-backed device beside those of prepare; sets backing_first.
files_disk()
{
	local dir=/sys/kernel/config/nullb/nullb64

	mkdir "$dir" && echo 600 >"$dir/size" && echo 4096 >"$dir/blocksize" &&
		echo 1 >"$dir/memory_backed" && echo 1 >"$dir/power" &&
		wait_for /dev/nullb64 && backing_first=64
}

# files: on rblk, nvme-rdma and NFS, when the form and the pattern want it.
files()
{
	local volumes_wanted=1

	files_disk || return 1
	mkdir -p "$files_mount"
	cp /bin/busybox /run/busybox-bench
	make_tree
	files_mode local local && files_mode rblk rblk attach:--queues=1 &&
		files_mode nvme-rdma nvme rdma && files_nfs
	backing_first=0
}
