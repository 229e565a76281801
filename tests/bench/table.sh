# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Reads the tables modes, cells and goals, which stand beside this file.

bench_dir=$(dirname "${BASH_SOURCE[0]}")

# rows FILE: its lines without comments and empty ones, one space between
# fields.
rows()
{
	sed -e 's/#.*//' -e 's/[[:space:]]\+/ /g' -e 's/ $//' "$bench_dir/$1" |
		grep .
}

# provider_of COLUMN: a column is a provider and an MTU, or an adapter's profile.
provider_of()
{
	case $1 in
	adapter-*)	echo "$1" ;;
	*)		echo "${1%-*}" ;;
	esac
}

# in_form ROW-FORMS FORM: the full form has what the quick one has, too.
in_form()
{
	[[ ,$1, == *,$2,* ]] || [[ $2 == full && ,$1, == *,quick,* ]]
}

# wanted_modes FORM PROVIDER PATTERN [polled]: "NAME PEER REST" of each, for plain
# cells or polled ones.
wanted_modes()
{
	local name peer on row_form cells rest kind=${2%%-*}

	while read -r name peer on row_form cells rest; do
		if in_form "$row_form" "$1" && [[ ,$on, == *,$kind,* ]] &&
			[ "$cells" = "${4:-plain}" ] &&
			[[ $name =~ ^($3)$ || $3 = . ]]; then
			echo "$name $peer $rest"
		fi
	done < <(rows modes)
}

# cell_name RW BS QD VOLS ENGINE BATCH: as in 4k-randread-qd32-vol4-uring-b16.
cell_name()
{
	local name=$2-$1-qd$3

	[ "$4" = 1 ] || name+=-vol$4
	case $5 in
	libaio)		;;
	io_uring)	name+=-uring ;;
	*)		name+=-$5 ;;
	esac
	[ "$6" = 1 ] || name+=-b$6
	echo "$name"
}

# kind_of ENGINE: of the cells that it is for.
kind_of()
{
	case $1 in
	iopoll)	echo polled ;;
	*)	echo plain ;;
	esac
}

# wanted_cells FORM PATTERN [polled]: "NAME RW BS QD VOLS ENGINE BATCH" of each, the
# plain ones or the polled.
wanted_cells()
{
	local row_form rw bs qd vols engine batch name

	while read -r row_form rw bs qd vols engine batch; do
		[ "$(kind_of "$engine")" = "${3:-plain}" ] || continue
		name=$(cell_name "$rw" "$bs" "$qd" "$vols" "$engine" "$batch")
		if in_form "$row_form" "$1" && [[ $name =~ ^($2)$ || $2 = . ]]; then
			echo "$name $rw $bs $qd $vols $engine $batch"
		fi
	done < <(rows cells)
}

# goals: the table of goals, as derive.jq wants it.
goals()
{
	rows goals | jq -Rn '[inputs | split(" ")
		| {column: .[0], mode: .[1], cell: .[2],
		   goals: ([["instructions", .[3]], ["latency", .[4]],
			["doorbells", .[5]], ["interrupts", .[6]]]
			| map(select(.[1] != null and .[1] != "-")
				| {of: .[0], wanted: (.[1] | tonumber)}))}]'
}
