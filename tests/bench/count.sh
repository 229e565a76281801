# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What an I/O asks of the device and of the machine, in a pass of its own: the
# probes of tests/bench/count would be in the times.

count_ko=$RBLK_BUILD/tests/bench/count/count.ko
counters=/sys/module/count/parameters
packets=/sys/class/infiniband/${provider}0/ports/1/hw_counters/sent_pkts

# others: what is in no file of its own: TCP's segments, and what rblk's two
# sides say that they copied.
others()
{
	local name value

	while read -r name _ _ _ _ _ _ _ _ _ _ value _; do
		[[ $name != Tcp: || $value != [0-9]* ]] || echo "$value"
	done </proc/net/snmp
	case ${volumes[0]} in
	/dev/rblk*)
		{
			rblkctl show "${volumes[0]}" --json
			rblkctl session list --json
		} | awk -F '[ :,]+' '/"copied_bytes"/ { n += $3 }
			END { print n + 0 }'
		;;
	esac
}

# count_cell NAME RW BS QD VOLS ENGINE BATCH: on the volumes that are there.
count_cell()
{
	local name=$1 arguments file counted n before after
	shift

	arguments=$(load_arguments "$@") || return 1
	n=$(($(io_count "$2") / 2))
	arguments=${arguments/-n +([0-9])/-n $n}
	arguments=${arguments/-w +([0-9])/-w $((n / 4))}
	for file in "$counters"/* "$packets"; do
		[ "${file##*/}" = device ] || [ ! -r "$file" ] ||
			arguments+=" -c $file"
	done
	mapfile -t before < <(others)
	# shellcheck disable=SC2086 # its words
	counted=$("$load" $arguments "${volumes[@]:0:$4}") || return 1
	mapfile -t after < <(others)
	counted="\"tcp\": $(((after[0] - before[0]) * 4 / 5)), ${counted#\{}"
	# Of all its I/Os, those of the warm-up included.
	[ "${#after[@]}" = 1 ] ||
		counted="\"copied\": $(((after[1] - before[1]) * 4 / 5)), $counted"
	echo "{\"mode\": \"$mode\", \"cell\": \"$name\", $counted" \
		>>"$RBLK_OUT/counts.jsonl"
}

# count_mode PEER: the cells of the quick form with one volume, but not for the form keys,
# whose modes differ in nothing that is counted.
count_mode()
{
	local line rc=0

	case $1/$provider/$form in
	# The model counts by itself, and what it says is in the cells.
	local/* | floor/* | */adapter-* | */keys)	return 0 ;;
	esac
	insmod "$count_ko" device="${provider}0" || return 1
	while read -r line; do
		# shellcheck disable=SC2086 # its fields
		count_cell $line || rc=1
	done < <(wanted_cells quick "$cells" | awk '$5 == 1')
	rmmod count || rc=1
	return "$rc"
}
