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

# ready KERNEL: wait until all kernels are prepared, as deadlines mean little
# beside a compiler on every processor; non-zero if this one cannot be.
ready()
{
	while [ ! -e "$dir/prepared" ]; do
		sleep 0.5
	done
	[ "$(cat "$dir/ready.$1" 2>/dev/null)" = ok ]
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

	"$lab_dir/need" tool unit
	begin=$(now)
	if make -C "$top/tests/tool" check T= O="$top/build/tool-tests" \
		>"$log" 2>&1; then
		result passed tool "$(since "$begin")"
	else
		grep -E 'FAILED|rror|passed' "$log" | tail -n 20 | sed 's/^/    /'
		result failed tool "$(since "$begin")" "see ${log#"$top/"}"
	fi
}

run_auth()
{
	local begin log=$dir/auth.log

	begin=$(now)
	if "$top/tests/auth/run" >"$log" 2>&1; then
		result passed auth "$(since "$begin")"
	else
		tail -n 20 "$log" | sed 's/^/    /'
		result failed auth "$(since "$begin")" "see ${log#"$top/"}"
	fi
}

# The benchmark's arithmetic; measuring is not testing.
run_bench()
{
	local begin log=$dir/bench.log

	begin=$(now)
	if "$top/tests/bench/test" >"$log" 2>&1; then
		result passed bench "$(since "$begin")"
	else
		tail -n 20 "$log" | sed 's/^/    /'
		result failed bench "$(since "$begin")" "see ${log#"$top/"}"
	fi
}

# The patches only: "make mutants" puts the faults in and looks for them.
run_mutants()
{
	local begin log=$dir/mutants.log

	begin=$(now)
	if "$top/tests/adapter/mutants/run" -a >"$log" 2>&1; then
		result passed mutants "$(since "$begin")" "$(tail -n 1 "$log")"
	else
		tail -n 20 "$log" | sed 's/^/    /'
		result failed mutants "$(since "$begin")" \
			"$(grep -m 1 '^not ok' "$log" || tail -n 1 "$log")"
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

	seconds=${RBLK_FUZZ_SECONDS:-20}
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

# The model's searches say how many states they saw and how long they took. Here and
# below, a run fails if one of its tests does; the lane goes on.
run_model()
{
	local line name what

	"$top/tests/model/run" "$(chosen model. | sed 's/^/^/; s/$/$/' |
		paste -sd "|")" 2>&1 | tee "$dir/model.log" |
		while read -r line; do
			name=${line#*ok } name=${name%%[ :]*}
			what=${line#*"$name"}
			case $line in
			"ok model."*)
				what=${what# (} what=${what%)}
				result passed "$name" "$(model_time "$what")" \
					"$what"
				;;
			"not ok model."*)
				result failed "$name" 0.0 "${what#: }"
				;;
			"# "*)
				printf '    %s\n' "${line#\# }"
				;;
			esac
		done || :
}

# run_lines KIND: tests/KIND/run tells of its tests in the same way, without figures.
run_lines()
{
	local line which kind=$1

	"$top/tests/$kind/run" "$(chosen "$kind." | sed 's/^/[.]/; s/$/$/' |
		paste -sd "|")" 2>&1 | tee "$dir/$kind.log" |
		while read -r line; do
			which=${line#*ok } which=${which%%[ :]*}
			case $line in
			"ok $kind."*)
				line=${line##*\(}
				result passed "$which" "$(model_time "${line%\)}")"
				;;
			"not ok $kind."*)
				result failed "$which" 0.0 "${line#*: }"
				;;
			"# "*)
				printf '    %s\n' "${line#\# }"
				;;
			esac
		done || :
}

model_time()
{
	[[ $1 =~ ([0-9]+\.[0-9])\ s(:|$) ]] && echo "${BASH_REMATCH[1]}" || echo 0.0
}

# part_names SUITE KERNEL PROVIDER PART PARTS: its tests.
part_names()
{
	chosen "$1.$2.$3." | awk -v part="$4" -v parts="$5" '(NR - part) % parts == 0'
}

# run_guest SUITE KERNEL[@SIZE] PROVIDER PART PARTS: boot, and boot again where a
# test took the guest down, until every wanted test of the part has its result.
run_guest()
{
	local suite=$1 kernel=${2%@*} provider=$3 prefix=$1.$2.$3 part=$4
	local left round=0 before size=${2#"${2%@*}"}

	case $size in
	*cpus)	size=(-c "${size//[!0-9]/}") ;;
	@pci)	size=(-x "$("$top/tests/adapter/pci-machine")") ;;
	# With a second processor, programs read memory that was taken from them: testing.md.
	@*)	size=(-c 1 -m "${size#@}") ;;
	*)	size=() ;;
	esac
	if ! ready "$kernel"; then
		for name in $(chosen "$prefix."); do
			result failed "$prefix.$name" 0.0 "nothing to boot"
		done
		return
	fi
	mapfile -t left < <(part_names "$@")
	while [ ${#left[@]} -gt 0 ]; do
		before=${#left[@]}
		round=$((round + 1))
		boot_round "$dir/$prefix.$part.$round" "${left[@]}"
		mapfile -t left < <(comm -23 \
			<(printf '%s\n' "${left[@]}" | sort) \
			<(sed -n "s/^[a-z]*\t${prefix//./\\.}\.\([^\t]*\)\t.*/\1/p" \
				"$results" | sort))
		# A guest that ends without a word about any of them.
		if [ ${#left[@]} -eq "$before" ]; then
			for name in "${left[@]}"; do
				result failed "$prefix.$name" 0.0 \
					"no result; see ${dir#"$top/"}/$prefix.$part.$round"
			done
			return
		fi
	done
}

# run_machines faults.6.1.PROVIDER.ROW: a row that boots machines of its own.
run_machines()
{
	local name=$1 row=${1##*.} provider begin out=$dir/$1

	ready 6.1 || { result failed "$name" 0.0 "nothing to boot"; return; }
	provider=${name%."$row"} provider=${provider##*.}
	begin=$(now)
	if "$top/tests/faults/hosts/$row" "$provider" "$out" >"$out.log" 2>&1; then
		result passed "$name" "$(since "$begin")"
	else
		sed 's/^/    /' "$out.log"
		result failed "$name" "$(since "$begin")" \
			"$(sed -n 's/^not ok: //p' "$out.log" | head -n 1)"
	fi
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
	case $provider in
	adapter-*) export RBLK_T_SEED=$seed ;;
	esac
	RBLK_T_SUITE=$suite RBLK_T_FORM=$form "$lab_dir/run" \
		-t "$guest_time" ${size[@]+"${size[@]}"} -o "$out" "$kernel" \
		tests/e2e/guest "$provider" "$@" \
		>"$out/output" 2>"$out/errors" &
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
		"the guest died (status $rc): $(last_words "$out")"
}

# last_words OUTDIR: of a guest, in a line: what its kernel complained of first
# since it began a test, or else what it or the lab said last.
last_words()
{
	local said

	said=$(sed '1,/lab: mark /d' "$1/kernel.log" | grep -m 1 -aoE \
		'(BUG|WARNING|Kernel panic|Oops|KASAN|UBSAN|general protection|Kernel mode fault)\b.*')
	[ -n "$said" ] || said=$(tail -qn 1 "$1/kernel.log" "$1/kernel.log.uml" \
		"$1/errors" 2>/dev/null | tr -s '\n\t' '| ')
	printf '%.300s\n' "$said"
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
