# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# One cell in a guest: the load on a mode's volumes, and its line of JSON.

load=$RBLK_BUILD/tests/bench/load/load
volumes=()

# wait_for DEVICE: udev, where there is none, is not waited for.
wait_for()
{
	for _ in {1..100}; do
		[ ! -b "$1" ] || return 0
		sleep 0.1
	done
	lab_fail "$1 does not come"
}

# quiet_queue DEVICE: the same queue settings for everybody. Some drivers get a
# scheduler by their number of queues, which is one here and rarely elsewhere;
# it would merge what waits. NVMe's multipath device has another one below it,
# which in the mode nvme-default stays as it comes up.
quiet_queue()
{
	local queue name=${1##*/}
	local queues=("/sys/block/$name/queue")

	[ "$mode" = nvme-default ] ||
		queues+=(/sys/block/"${name%n+([0-9])}"c*"n${name##*n}/queue")
	for queue in "${queues[@]}"; do
		[ ! -w "$queue/scheduler" ] || echo none >"$queue/scheduler"
		[ ! -w "$queue/nomerges" ] || echo 2 >"$queue/nomerges"
		[ ! -w "$queue/add_random" ] || echo 0 >"$queue/add_random"
	done
}

# need_volumes PEER COUNT: fills up volumes.
need_volumes()
{
	local dev

	while [ "${#volumes[@]}" -lt "$2" ]; do
		dev=$(peer_volume "$1" "${#volumes[@]}") || return 1
		quiet_queue "$dev" || return 1
		volumes+=("$dev")
	done
}

# How many I/Os: about as many instructions whatever the size.
io_count()
{
	case $1 in
	4k)	echo 1000 ;;
	16k)	echo 640 ;;
	128k)	echo 160 ;;
	1m)	echo 24 ;;
	*)	lab_fail "no count for $1" ;;
	esac
}

bytes_of()
{
	case $1 in
	*k)	echo $((${1%k} << 10)) ;;
	*m)	echo $((${1%m} << 20)) ;;
	esac
}

# load_arguments RW BS QD VOLS ENGINE BATCH
load_arguments()
{
	local bytes n width=$(($3 * $4)) warm rounds=4

	n=$(io_count "$2") && bytes=$(bytes_of "$2") || return 1
	[ "$bytes" -lt 131072 ] || rounds=2
	# Some rounds at the depth, and every slot has once been used before.
	[ "$n" -ge $((width * rounds)) ] || n=$((width * rounds))
	warm=$((n / 4))
	[ "$warm" -ge "$width" ] || warm=$width
	echo "-e $5 -b $bytes -d $3 -B $6 -n $n -w $warm -s $((1 << 30))"
	case $1 in
	read)		echo "-S -r 100" ;;
	write)		echo "-S -r 0" ;;
	randread)	echo "-r 100" ;;
	randwrite)	echo "-r 0" ;;
	mix)		echo "-r 70" ;;
	*)		lab_fail "no workload '$1'" ;;
	esac
}

# load_as ENGINE: sets command. Who polls has the lowest priority, so that whoever has
# work to do runs at once: on the one processor that there is the load would
# otherwise spin until the next tick, while the target or the model waits for it.
load_as()
{
	command=("$load")
	[ "$1" != iopoll ] || command=(chrt --idle 0 "$load")
}

# measure_cell PEER NAME RW BS QD VOLS ENGINE BATCH
measure_cell()
{
	local peer=$1 name=$2 line arguments command
	shift 2

	[ "$peer" = floor ] || need_volumes "$peer" "$4" || return 1
	# For what still goes on after a mode's start or a volume's: in a
	# deterministic guest idle time takes none.
	sleep 3
	if [ "$peer" = floor ]; then
		line=$(floor_run "$@") || return 1
		[ -n "$line" ] || return 0
	else
		arguments=$(load_arguments "$@") || return 1
		load_as "$5"
		# shellcheck disable=SC2086 # its words
		line=$("${command[@]}" $arguments $adapter_counts \
			"${volumes[@]:0:$4}") || return 1
	fi
	printf '{"mode": "%s", "cell": "%s", %s\n' "$mode" "$name" \
		"${line#\{}" >>"$results"
}
