# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The guest's kernel log as a judge: lab_log_mark before a test, lab_log_check
# after it. Sourced by guest.sh.

lab_bad='WARNING:|BUG:|BUG |Oops|Call Trace|KASAN|UBSAN|DEADLOCK|ODEBUG'
lab_bad+='|suspicious RCU|locking dependency|held lock freed|inconsistent lock'
lab_bad+='|recursive locking|lock held when returning|INFO: task|blocked for'
lab_bad+='|refcount_t|leaked|list_(add|del) corruption|use-after-free'
lab_bad+='|general protection|nable to handle|rcu.*stall|soft lockup'
lab_bad+='|Bad page state|workqueue lockup|hogged CPU|sleeping function'
lab_bad+='|page allocation failure'
lab_bad+='|Unknown symbol|disagrees about version|cannot create duplicate'
lab_bad+='|invalid opcode|Kernel panic|fortify|scheduling while atomic'
# Of rblk: a drain that had to be given up.
lab_bad+='|has fallen silent'

# lab_log_mark: what is in the log until now is not this test's.
lab_log_mark()
{
	lab_mark="lab: mark $$-${RANDOM}-$EPOCHREALTIME"
	echo "$lab_mark" >/dev/kmsg
}

# lab_log: the log since the mark.
lab_log()
{
	dmesg | awk -v mark="$lab_mark" 'seen { print }
		index($0, mark) { seen = 1 }
		END { if (!seen) print "BUG: lab: the log overran its mark" }'
}

# lab_leaks: non-zero if kmemleak has something but what process 1 allocated
# while the kernel booted (the root's mount option, for one).
lab_leaks()
{
	local f=/sys/kernel/debug/kmemleak found

	[ -w "$f" ] && ! grep -q kmemleak=off /proc/cmdline || return 0
	[ "${LAB_LEAKS:-1}" = 1 ] || return 0
	# An object counts once it is older than five seconds.
	sleep 6
	echo scan >"$f"
	found=$(awk '/^unreferenced object/ { head = $0; next }
		head != "" { show = !/"swapper\/0", pid 1,/
			if (show) print head
			head = "" }
		show { print }' "$f")
	[ -n "$found" ] || return 0
	echo "$found" >&2
	echo clear >"$f"
	lab_fail "kmemleak found the above"
}

# lab_unexpected: the log without what a test expects, each with its stack: with
# LAB_FAILING=1 reports of failed allocations; warnings at places that match
# LAB_KNOWN, of others' code.
lab_unexpected()
{
	local drop=()

	[ "${LAB_FAILING:-0}" = 0 ] ||
		drop+=(-e '/(page allocation failure|vmalloc error)/,/Mem-Info:/d')
	[ -z "${LAB_KNOWN:-}" ] ||
		drop+=(-e "/WARNING: .*$LAB_KNOWN/,/end trace/d")
	lab_log | sed -E "${drop[@]}" -e ''
}

# lab_log_check: non-zero, and the lines, if the log since the mark has
# anything bad that the regular expression LAB_ALLOW does not match.
lab_log_check()
{
	local bad rc=0

	lab_leaks || rc=1
	bad=$(lab_unexpected | grep -E "$lab_bad" |
		grep -vE "${LAB_ALLOW:-^\$}" || :)
	if [ -n "$bad" ]; then
		echo "lab: the kernel log has:" >&2
		lab_unexpected | grep -E -A 30 "$lab_bad" | head -n 60 >&2
		rc=1
	fi
	if grep -q 'debug_locks: *0' /proc/lockdep_stats 2>/dev/null; then
		lab_fail "lockdep has turned itself off" || rc=1
	fi
	return $rc
}
