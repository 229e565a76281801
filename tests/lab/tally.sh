# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Counting what passes and fails. Sourced after common.sh.

tally_passed=0 tally_failed=0

# tally NAME COMMAND...: one line for it, and its output if it fails. COMMAND
# runs under errexit, as nobody asks for its status in a condition.
tally()
{
	local name=$1 log start=$SECONDS rc=0
	shift

	mkdir -p "$cache/logs"
	log=$(mktemp "$cache/logs/XXXXXX.log")
	set -m
	( set -e; "$@" ) >"$log" 2>&1 </dev/null &
	tally_pid=$!
	set +m
	# shellcheck disable=SC2064 # the pid as it is now
	trap "kill -TERM -- -$tally_pid 2>/dev/null; exit 130" INT TERM
	wait "$tally_pid" || rc=$?
	trap - INT TERM
	if [ "$rc" -eq 0 ]; then
		tally_passed=$((tally_passed + 1))
		printf 'ok      %s (%d s)\n' "$name" $((SECONDS - start))
	else
		tally_failed=$((tally_failed + 1))
		tail -n "${TALLY_LINES:-60}" "$log"
		printf 'FAILED  %s (%d s)\n' "$name" $((SECONDS - start))
	fi
	rm -f "$log"
	return "$rc"
}

# tally_end: the last line; non-zero if anything failed.
tally_end()
{
	echo "$tally_passed passed, $tally_failed failed"
	[ "$tally_failed" -eq 0 ] && [ "$tally_passed" -gt 0 ]
}
