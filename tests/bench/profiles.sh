# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Profiles of the cells that took more instructions than a goal lets them, for the
# result of a run.
# shellcheck disable=SC2016 # the variables in filters are jq's

# missed COLUMN: "MODE:CELL" of each, and of nvme-rdma in the same cells.
missed()
{
	jq -r -L "$bench" --argjson goals "$(goals)" --arg column "$1" '
		include "derive"; derive($goals)
		| [.cells[] | select(.column == $column and any(.goals[];
			.met == false and (.of | IN("instructions", "latency"))))]
		| (.[] | "\(.mode):\(.cell)"),
		  (map(.cell) | unique[] | "nvme-rdma:\(.)")' "$out" |
		sort
}

# profile_column COLUMN ITEM...
profile_column()
{
	local dir=$work/$1-profile

	rm -rf "$dir"
	mkdir -p "$dir"
	"$lab_dir/run" -d -m 3G -t "$limit" -o "$dir" 6.1 \
		tests/bench/profile-guest 0 "$@"
}

# profile_all: as many guests at once as there are CPUs.
profile_all()
{
	local column items rc=0

	for column in ${columns//,/ }; do
		mapfile -t items < <(missed "$column")
		[ "${#items[@]}" -gt 0 ] || continue
		while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do
			wait -n || rc=1
		done
		profile_column "$column" "${items[@]}" </dev/null &
	done
	while [ -n "$(jobs -rp)" ]; do
		wait -n || rc=1
	done
	return "$rc"
}

# profile_json COLUMN MODE CELL FILE: one profile of the result, scaled to what
# the cell took without perf, whose samples are instructions too.
profile_json()
{
	jq -Rn -L "$bench" --arg column "$1" --arg mode "$2" --arg cell "$3" \
		--slurpfile run "$out" '
		include "derive";
		def sums(f): group_by(f) | map({name: (.[0] | f),
				"module": .[0].module, value: (map(.value) | add)})
			| sort_by(-.value);
		([$run[0].cells[] | select(.column == $column and .mode == $mode
			and .cell == $cell) | .ns / .ios][0]) as $all
		| [inputs | split("\t") | {value: (.[0] | tonumber),
			name: .[1], "module": .[2], group: .[3]}]
		| running
		| (map(.value) | add) as $sum
		| map(.value *= $all / $sum)
		| {column: $column, mode: $mode, cell: $cell,
		   all: ($all | round),
		   groups: (sums(.group) | map({name, value: (.value | round)})),
		   functions: (sums(.name)[:40]
			| map({name, "module": .module, value: (.value | round)}))}' "$4"
}

# profiles: adds them to the result.
profiles()
{
	local column file name rc=0

	profile_all || rc=1
	for column in ${columns//,/ }; do
		for file in "$work/$column-profile/"*.tsv; do
			[ -s "$file" ] || continue
			name=$(basename "$file" .tsv)
			profile_json "$column" "${name%%.*}" "${name#*.}" "$file"
		done
	done | jq -s . >"$work/profiles"
	jq --slurpfile profile "$work/profiles" '.profile = $profile[0]' \
		"$out" >"$work/result" && cp "$work/result" "$out"
	return "$rc"
}
