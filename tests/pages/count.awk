# SPDX-License-Identifier: GPL-2.0-only
#
# Does the table of docs/comparison.md say how many commands there are? Its columns
# are named as the parts of a section, "### NAME", its rows as the sections; words may
# follow a number.

/^## / {
	section = substr($0, 4)
	part = ""
}
/^### / {
	part = substr($0, 5)
}
/^```/ {
	inside = !inside
}
inside && /^[a-z0-9]+# / {
	typed[section, part]++
}
/^\| task \|/ {
	columns = split($0, name, / *\| */) - 1
}
columns && /^\| \[/ {
	split($0, cell, / *\| */)
	row = cell[2]
	gsub(/^\[|\].*/, "", row)
	for (i = 3; i <= columns; i++)
		said[row, name[i]] = cell[i] + 0
}
/^$/ {
	columns = 0
}
END {
	for (key in said) {
		if (said[key] == typed[key] + 0)
			continue
		split(key, where, SUBSEP)
		printf "%s, %s: %d commands, not %d\n", where[1], where[2],
			typed[key] + 0, said[key]
		bad = 1
	}
	exit bad
}
