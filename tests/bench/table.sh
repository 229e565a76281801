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

# in_form ROW-FORM FORM: the full form has all.
in_form()
{
	[ "$2" = full ] || [ "$1" = quick ]
}

# wanted_modes FORM PROVIDER PATTERN: "NAME PEER REST" of each.
wanted_modes()
{
	local name peer on row_form rest kind=${2%%-*}

	while read -r name peer on row_form rest; do
		if in_form "$row_form" "$1" && [[ ,$on, == *,$kind,* ]] &&
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
	[ "$5" = libaio ] || name+=-uring
	[ "$6" = 1 ] || name+=-b$6
	echo "$name"
}

# wanted_cells FORM PATTERN: "NAME RW BS QD VOLS ENGINE BATCH" of each.
wanted_cells()
{
	local row_form rw bs qd vols engine batch name

	while read -r row_form rw bs qd vols engine batch; do
		name=$(cell_name "$rw" "$bs" "$qd" "$vols" "$engine" "$batch")
		if in_form "$row_form" "$1" && [[ $name =~ ^($2)$ || $2 = . ]]; then
			echo "$name $rw $bs $qd $vols $engine $batch"
		fi
	done < <(rows cells)
}

# goals: the table of goals, as derive.jq wants it.
goals()
{
	rows goals | jq -Rn '[inputs | split(" ") | {column: .[0], mode: .[1],
		cell: .[2], goal: (.[3] | tonumber)}]'
}
