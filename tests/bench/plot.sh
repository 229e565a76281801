# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The plots, as SVG in docs/bench, from what derived prints.
# shellcheck disable=SC2016 # the variables in filters are jq's

# gnuplot_with FILE MODES TITLE: what is common; more commands on stdin.
gnuplot_with()
{
	gnuplot <<-EOF
		set terminal svg size 960,420 font "sans,11" background "white"
		set output "$docs/bench/$1.svg"
		set datafile separator "\t"
		set datafile missing "?"
		set title "$3"
		set yrange [0:*]
		set grid ytics
		set key outside right top
		modes = $2
		data = "$data"
		$(cat)
	EOF
}

# modes_of FILE: how many columns its head line has.
modes_of()
{
	awk -F '\t' 'NR == 1 { print NF }' "$1"
}

# plot_main COLUMN: docs/bench/COLUMN.svg, the added cost of every mode in the
# main cells, nvme-rdma being 1.
plot_main()
{
	local data

	data=$(mktemp)
	derived '[.cells[] | select(.column == $column and .ratio != null and
			.mode != "local" and (.mode | startswith("floor-") | not))] as $all
		| ($all | map(.mode) | in_order) as $modes
		| (["cell"] + $modes), ($main[] as $cell
		| [$cell] + ($modes | map(. as $mode | [$all[] |
			select(.cell == $cell and .mode == $mode) | .ratio][0] //
			"?")))
		| @tsv' "$1" >"$data"
	gnuplot_with "$1" "$(modes_of "$data")" \
		"$1: added instructions per I/O, nvme-rdma = 1" <<-'EOF'
		set style data histogram
		set style histogram clustered gap 1
		set style fill solid 0.8 border -1
		set xtics rotate by -25 font ",9"
		plot for [i=2:modes] data using i:xtic(1) title columnheader(i)
	EOF
	rm -f "$data"
}

# plot_depth COLUMN: docs/bench/COLUMN-depth.svg, what a random read of 4 KiB
# adds, by depth.
plot_depth()
{
	local data

	data=$(mktemp)
	derived '[.cells[] | select(.column == $column and .added != null and
			.mode != "local" and
			(.cell | test("^4k-randread-qd[0-9]+$")))
			| . + {depth: (.cell | split("qd")[1] | tonumber)}]
			as $all
		| ($all | map(.mode) | in_order) as $modes
		| (["depth"] + $modes), ($all | map(.depth) | unique[] as $depth
		| [$depth] + ($modes | map(. as $mode | [$all[] |
			select(.depth == $depth and .mode == $mode) |
			.added / 1000][0] // "?")))
		| @tsv' "$1" >"$data"
	gnuplot_with "$1-depth" "$(modes_of "$data")" \
		"$1: 4 KiB random read, thousand instructions added, by depth" \
		<<-'EOF'
		set style data linespoints
		set logscale x 2
		set xtics (1, 8, 32, 128)
		set xrange [0.9:140]
		set xlabel "depth"
		plot for [i=2:modes] data using 1:i title columnheader(i)
	EOF
	rm -f "$data"
}
