# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What every host-side script of the lab shares: where things are, how to
# talk, how to lock the cache. Sourced, never run.

set -euo pipefail

lab_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
top=$(cd "$lab_dir/../.." && pwd -P)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/rblk
jobs=$(nproc)
export LC_ALL=C.UTF-8

say()
{
	printf '%s\n' "lab: $*" >&2
}

die()
{
	say "$*"
	exit 1
}

# follow PID LOG WHAT: now and then a line that shows LOG still growing.
follow()
{
	local n=0

	while kill -0 "$1" 2>/dev/null; do
		sleep 1
		n=$((n + 1))
		[ $((n % 20)) -ne 0 ] ||
			say "$3: $n s: $(tail -n 1 "$2" | cut -c 1-60)"
	done
}

# step WHAT COMMAND...: run COMMAND with its output in a log in the cache, and
# say when it starts, is under way and ends; on failure show the log's end.
# COMMAND gets a process group of its own, so that Ctrl-C ends all of it, and
# runs in the background, as errexit is off inside any condition.
step()
{
	local what=$1 log start=$SECONDS pid rc=0
	shift

	mkdir -p "$cache/logs"
	log=$(mktemp "$cache/logs/XXXXXX.log")
	say "$what ..."
	set -m
	"$@" >"$log" 2>&1 </dev/null &
	pid=$!
	set +m
	# shellcheck disable=SC2064 # the pid as it is now
	trap "kill -TERM -- -$pid 2>/dev/null; exit 130" INT TERM
	follow "$pid" "$log" "$what" &
	wait "$pid" || rc=$?
	trap - INT TERM
	wait
	if [ "$rc" -ne 0 ]; then
		tail -n 40 "$log" >&2
		die "$what: failed; the whole log is $log"
	fi
	rm -f "$log"
	say "$what: $((SECONDS - start)) s"
}

# with_lock NAME COMMAND...: one at a time among all that share the cache.
with_lock()
{
	local name=$1
	shift

	mkdir -p "$cache/locks"
	(
		if ! flock -w 3 9; then
			say "waiting for another run that prepares $name"
			flock 9
		fi
		"$@" 9>&-
	) 9>"$cache/locks/$name"
}

# use_kernel NAME: prepare it and set the k_ variables (see kernel).
use_kernel()
{
	local assignments

	k_release='' k_image='' k_build='' k_root='' k_layer='' k_arch='' \
		k_cross='' k_append='' k_siw=''
	assignments=$("$lab_dir/kernel" "$1")
	eval "$assignments"
}
