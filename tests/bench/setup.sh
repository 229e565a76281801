# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What every guest of the benchmark begins with: its tables, its peers, the
# RDMA device and the backing devices.

# shellcheck source=tests/bench/table.sh
. "$bench/table.sh"
# shellcheck source=tests/bench/measure.sh
. "$bench/measure.sh"
for file in "$bench"/peer/*; do
	# shellcheck source=/dev/null
	. "$file"
done

# prepare: for $column, on $provider.
prepare()
{
	# No random delays or orders, which the lab's tests want.
	export RBLK_T_ADAPTER="clock=1 ${RBLK_T_ADAPTER:-}"
	lab_rdma "$provider" && adapter_ready || return 1
	case $column in
	*-1500)	ip link set lab0 mtu 1500 ;;
	esac
	prepare_disks
}

# adapter_ready: the model's account must be in instructions.
adapter_counts=''
adapter_ready()
{
	local dir=/sys/kernel/debug/rblk_adapter

	[[ $provider == adapter-* ]] || return 0
	if [ "$(cat "$dir/clock_exact")" != Y ]; then
		lab_fail "the model's clock does not count instructions"
		return 1
	fi
	adapter_counts=" -c $dir/clock_ns$(printf ' -c %s' \
		"$dir/${provider}0"/count/*)"
}

prepare_disks()
{
	modprobe configfs
	mountpoint -q /sys/kernel/config ||
		mount -t configfs configfs /sys/kernel/config || return 1
	# What completes nothing late and keeps nothing costs least itself.
	modprobe null_blk nr_devices=64 queue_mode=2 submit_queues=1 irqmode=0 \
		completion_nsec=0 hw_queue_depth=256 gb=16 \
		poll_queues="$((${poll_queues:-0} > 0))"
}

# backing I: the device behind volume I. Those of prepare keep nothing; file
# systems want one that does, and set where they begin.
backing_first=0
backing()
{
	echo "/dev/nullb$((backing_first + $1))"
}

# The target's address and this side's own: in one guest they are the same.
target_ip=10.77.0.1 own_ip=10.77.0.1

# A peer is a file in peer/ with functions for its two sides, each named after
# it and given the mode's arguments or a volume's number:
#
#	target	PEER_serve ARGUMENTS	modules and what hosts connect to
#		PEER_export I		volume I can be had
#		PEER_end		nothing of it is left
#	host	PEER_load ARGUMENTS	modules
#		PEER_join ARGUMENTS	the session, where it is made by itself
#		PEER_volume I		attaches it; prints its device
#		PEER_leave		nothing of it is left
#
# One that has PEER_lacks ARGUMENTS says with it why it cannot be measured.

# lacks PEER ARGUMENTS...: nothing if it can.
lacks()
{
	[ "$(type -t "$1_lacks")" != function ] || "$1_lacks" "${@:2}"
}

# peer_start PEER ARGUMENTS...: both sides in one guest.
peer_start()
{
	local peer=$1
	shift

	"${peer}_serve" "$@" && "${peer}_load" "$@" && "${peer}_join" "$@"
}

# peer_volume PEER I
peer_volume()
{
	"$1_export" "$2" && "$1_volume" "$2"
}

# peer_stop PEER
peer_stop()
{
	"$1_leave" && "$1_end"
}
