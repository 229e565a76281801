# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Counting what passes and fails. Sourced after common.sh.

tally_passed=0 tally_failed=0 tally_rc=0

# tally NAME COMMAND...: one line for it, and its output if it fails. tally_rc has
# COMMAND's status. COMMAND runs under errexit. Bash turns that off in all that a
# condition calls, so tally itself never fails: nobody needs to write "tally ... || :".
tally()
{
	local name=$1 log start=$SECONDS
	shift

	mkdir -p "$cache/logs"
	log=$(mktemp "$cache/logs/XXXXXX.log")
	set -m
	( set -e; "$@" ) >"$log" 2>&1 </dev/null &
	tally_pid=$!
	set +m
	# shellcheck disable=SC2064 # the pid as it is now
	trap "kill -TERM -- -$tally_pid 2>/dev/null; exit 130" INT TERM
	tally_rc=0
	wait "$tally_pid" || tally_rc=$?
	trap - INT TERM
	if [ "$tally_rc" -eq 0 ]; then
		tally_passed=$((tally_passed + 1))
		printf 'ok      %s (%d s)\n' "$name" $((SECONDS - start))
	else
		tally_failed=$((tally_failed + 1))
		tail -n "${TALLY_LINES:-60}" "$log"
		printf 'FAILED  %s (%d s)\n' "$name" $((SECONDS - start))
	fi
	rm -f "$log"
}

# tally_end: the last line; non-zero if anything failed.
tally_end()
{
	echo "$tally_passed passed, $tally_failed failed"
	[ "$tally_failed" -eq 0 ] && [ "$tally_passed" -gt 0 ]
}
