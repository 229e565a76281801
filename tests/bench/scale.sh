# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What rblk takes on either side as sessions, queues and volumes grow; the rest
# of memory-guest. A host has one session with each of a target's addresses.

# scale_address I
scale_address()
{
	echo "10.77.0.$((100 + $1))"
}

# scale_serve COUNT: so many addresses and exports, on the target, which by
# itself would let no host have so much of its memory.
scale_serve()
{
	local dev i

	dev=$(ip -o -4 address show to "$target_ip" | awk '{ print $2 }')
	lab_insmod "$RBLK_BUILD/rblk_target.ko" max_memory_mb=1500 \
		max_host_memory_mb=1500 && rblkctl portal add any || return 1
	for ((i = 0; i < $1; i++)); do
		ip address add "$(scale_address "$i")/24" dev "$dev" &&
			rblk_export "$i" || return 1
	done
}

scale_end()
{
	local i

	for ((i = 0; i < $1; i++)); do
		rblkctl export remove "d$i" || return 1
	done
	rblkctl portal remove any && rmmod rblk_target
}

# scale_line SESSIONS QUEUES VOLUMES: since here and target were taken.
scale_line()
{
	sleep 2
	jq -cn --argjson sessions "$1" --argjson queues "$2" \
		--argjson volumes "$3" --argjson host $((here - $(free_kib))) \
		--argjson target $((target - $(there free_kib))) \
		'{sessions: $sessions, queues: $queues, volumes: $volumes,
		  host: $host, target: $target}' >>"$RBLK_OUT/scale.jsonl"
}

# scale_attach QUEUES FIRST LAST [ADDRESS]: volumes, each from its own address.
scale_attach()
{
	local i

	for ((i = $2; i <= $3; i++)); do
		rblkctl attach "${4:-$(scale_address "$i")}/d$i" \
			--queues "$1" ${rblk_proof[@]+"${rblk_proof[@]}"} >/dev/null || return 1
	done
}

scale_reset()
{
	rblk_leave && rblk_load && sleep 5 || return 1
	here=$(free_kib) && target=$(there free_kib)
}

scale()
{
	local here target n last=0

	: >"$RBLK_OUT/scale.jsonl"
	there scale_serve 64 && rblk_load || return 1
	# What the first session leaves in caches is not the others'.
	scale_attach 4 0 0 && scale_reset || return 1
	scale_attach 1 0 0 && scale_line 1 1 1 &&
		scale_attach 1 1 15 "$(scale_address 0)" &&
		scale_line 1 1 16 && scale_reset || return 1
	for n in 1 4 16 64; do
		scale_attach 4 "$last" $((n - 1)) &&
			scale_line "$n" 4 "$n" || return 1
		last=$n
	done
	rblk_leave && there scale_end 64
}
