# SPDX-License-Identifier: GPL-2.0-only
#
# From the rows of tests/bench/groups and perf's "SAMPLES [k] FUNCTION" to
# "INSTRUCTIONS FUNCTION MODULE GROUP", with tabs between. n is the number of
# I/Os, p the period of a sample, symbols the kernel's list of them.

BEGIN {
	while ((getline line < symbols) > 0)
		if (split(line, word, /[ \t]+/) == 4)
			module[word[3]] = word[4]
}

# The last field of a group is its expression, and names have spaces.
NR == FNR {
	expression[++groups] = $NF
	sub(/ [^ ]+$/, "")
	name[groups] = $0
	next
}

function group(f, i)
{
	for (i = 1; i <= groups; i++)
		if (f ~ expression[i])
			return name[i]
	return "other"
}

$1 ~ /^[0-9]+$/ && $1 > 0 {
	m = $2 == "[k]" ? module[$3] : "[user]"
	gsub(/[][]/, "", m)
	if (m == "")
		g = group($3)
	else
		g = m
	printf "%.0f\t%s\t%s\t%s\n", $1 * p / n, $3, m == "" ? "kernel" : m, g
}
