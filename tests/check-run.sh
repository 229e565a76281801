# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# How each kind of test is run and its results are told apart. Sourced by
# check.
# shellcheck disable=SC2154 # which sets them

# result STATUS NAME SECONDS [WHY]: passed, failed or skipped.
result()
{
	local n

	(
		flock 9
		printf '%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "${4:-}" >>"$results"
		n=$(wc -l <"$results")
		printf '[%d/%d] %-7s %s (%s s)%s\n' "$n" "$total" "$1" "$2" \
			"$3" "${4:+: $4}"
	) 9>"$dir/results.lock"
}

# ready KERNEL: wait until it is prepared; non-zero if it cannot be.
ready()
{
	while [ ! -s "$dir/ready.$1" ]; do
		sleep 0.5
	done
	[ "$(cat "$dir/ready.$1")" = ok ]
}

now()
{
	printf '%s\n' "${EPOCHREALTIME/./}"
}

# since MICROSECONDS: seconds with one digit.
since()
{
	local t=$((($(now) - $1) / 100000))

	echo "$((t / 10)).$((t % 10))"
}

run_tool()
{
	local begin log=$dir/tool.log

	begin=$(now)
	if make -C "$top/tests/tool" check O="$top/build/tool-tests" \
		>"$log" 2>&1; then
		result passed tool "$(since "$begin")"
	else
		grep -E 'FAILED|rror|passed' "$log" | tail -n 20 | sed 's/^/    /'
		result failed tool "$(since "$begin")" "see ${log#"$top/"}"
	fi
}

# KUnit suites are one result each; a failed case is named. All of them take
# one boot.
run_kunit()
{
	local wanted log=$dir/kunit.log begin suite cases bad

	ready uml-kasan || return 0
	begin=$(now)
	mapfile -t wanted < <(chosen kunit.)
	if [ ${#wanted[@]} -eq "$(find "$top/tests/kunit" -name '*_kunit.c' |
		wc -l)" ]; then
		"$top/tests/kunit/run" >"$log" 2>&1 || :
	else
		for suite in "${wanted[@]}"; do
			"$top/tests/kunit/run" "$suite" || :
		done >"$log" 2>&1
	fi
	for suite in "${wanted[@]}"; do
		cases=$(grep -c "^ok $suite\." "$log" || :)
		bad=$(sed -n "s/^not ok \(${suite}[.: ].*\)/\1/p" "$log" | head -n 1)
		if [ "$cases" -gt 0 ] && [ -z "$bad" ]; then
			result passed "kunit.$suite" "$(since "$begin")" \
				"$cases cases"
		else
			tail -n 20 "$log" | sed 's/^/    /'
			result failed "kunit.$suite" "$(since "$begin")" \
				"${bad:-no result}"
		fi
		begin=$(now)
	done
}

# tell_fuzz SECONDS: pass on what tests/fuzz/run says.
tell_fuzz()
{
	local line name

	while read -r line; do
		name=${line#*ok } name=${name%% *}
		case $line in
		"ok fuzz."*)
			result passed "$name" "$1" "${line#* "$name" }"
			;;
		"not ok fuzz."*)
			result failed "$name" "$1" "${line#* "$name" }"
			;;
		"# "*)
			printf '    %s\n' "${line#\# }"
			;;
		esac
	done
}

# Fuzzers stand behind the guests, whose tests wait for each other much of the
# time.
run_fuzz()
{
	local log=$dir/fuzz.log wanted one seconds

	seconds=${RBLK_FUZZ_SECONDS:-60}
	wanted=$(chosen fuzz.)
	if [ "$wanted" = "$(make -s -C "$top/tests/fuzz" list | tr ' ' '\n')" ]; then
		wanted=''
	fi
	for one in ${wanted:-''}; do
		nice -n 10 "$top/tests/fuzz/run" -t "$seconds" \
			${one:+"$one"} 2>&1 || :
	done | tee "$log" | tell_fuzz "$seconds"
	grep -q 'ok fuzz' "$log" || tail -n 20 "$log"
}

# run_e2e KERNEL PROVIDER: boot, and boot again where a test took the guest
# down, until every wanted test has its result.
run_e2e()
{
	local kernel=$1 provider=$2 prefix=e2e.$1.$2 left round=0 before
	shift 2

	if ! ready "$kernel"; then
		for name in $(chosen "$prefix."); do
			result failed "$prefix.$name" 0.0 "nothing to boot"
		done
		return
	fi
	mapfile -t left < <(chosen "$prefix.")
	while [ ${#left[@]} -gt 0 ]; do
		before=${#left[@]}
		round=$((round + 1))
		boot_round "$dir/$prefix.$round" "${left[@]}"
		mapfile -t left < <(comm -23 \
			<(printf '%s\n' "${left[@]}" | sort) \
			<(sed -n "s/^[a-z]*\t${prefix//./\\.}\.\([^\t]*\)\t.*/\1/p" \
				"$results" | sort))
		# A guest that ends without a word about any of them.
		if [ ${#left[@]} -eq "$before" ]; then
			for name in "${left[@]}"; do
				result failed "$prefix.$name" 0.0 \
					"no result; see ${dir#"$top/"}/$prefix.$round"
			done
			return
		fi
	done
}

# boot_round DIRECTORY TEST...: one boot; the test that was under way when the
# guest died failed.
boot_round()
{
	local out=$1 rc=0 begin last guest
	shift

	mkdir -p "$out"
	: >"$out/output"
	begin=$(now)
	"$lab_dir/run" -t 1500 -o "$out" "$kernel" tests/e2e/guest \
		"$provider" "$@" >"$out/output" 2>"$out/errors" &
	guest=$!
	tell "$out/output" "$guest"
	wait "$guest" || rc=$?
	case $rc in
	0 | 1 | 3)	return ;;
	esac
	last=$(sed -n 's/^run //p' "$out/output" | tail -n 1)
	[ -n "$last" ] || last=$1
	! grep -qP "\t\Q$prefix.$last\E\t" "$results" || return 0
	tail -n 30 "$out/kernel.log" | sed 's/^/    /'
	result failed "$prefix.$last" "$(since "$begin")" \
		"the guest died (status $rc)"
}

# tell FILE PID: pass on what the guest run PID writes to FILE as it comes.
tell()
{
	local line name rest

	while IFS= read -r line; do
		case $line in
		"ok "*)
			name=${line#ok } name=${name%% *}
			rest=${line##*\(}
			result passed "$prefix.$name" "${rest%\)}"
			;;
		"skip "*)
			name=${line#skip } name=${name%%:*}
			result skipped "$prefix.$name" 0.0 "${line#*: }"
			;;
		"not ok "*)
			name=${line#not ok } name=${name%%:*}
			result failed "$prefix.$name" 0.0 "${line#*: }"
			;;
		"    "*)
			printf '%s\n' "$line"
			;;
		esac
	done < <(tail -n +1 -s 0.2 -f --pid="$2" "$1")
}
