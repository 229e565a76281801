# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Several virtual machines on a Debian kernel that are driven from the machine:
# powered on, told commands, frozen, killed. Sourced after common.sh by who has
# set out, provider and guest_script, which is what they run, and has a function
# "arguments ROLE" that prints what QEMU is told of a machine's links and disks;
# and links, a directory with a short name, when it uses socket_link.
# shellcheck disable=SC2154 # those have the rest

declare -A guest=() boots=() asked=()
started=$SECONDS

fail()
{
	echo "not ok: $*"
	exit 1
}

note()
{
	printf '[%3d s] %s\n' $((SECONDS - started)) "$*"
}

# power_on ROLE: boot it, with $out/ROLE.files laid over its root. is_up ROLE: and
# wait until it can be told something.
power_on()
{
	local role=$1 dir

	boots[$role]=$((${boots[$role]:-0} + 1))
	asked[$role]=0
	dir=$out/$role.${boots[$role]}
	mkdir -p "$dir"
	mkfifo "$dir"/monitor.{in,out}
	[ ! -d "$out/$role.files" ] || cp -r "$out/$role.files" "$dir/files"
	"$lab_dir/run" -t "${machine_seconds:-900}" -m "${machine_memory:-640M}" -c 1 -x "$(arguments "$role" | xargs) \
-chardev pipe,id=monitor,path=$dir/monitor -mon chardev=monitor" \
		-o "$dir" 6.1 "$guest_script" "$role" "$provider" \
		>"$dir/output" 2>&1 &
	guest[$role]=$!
}

# socket_link NAME MAC FROM TO: arguments for QEMU. A datagram that the other side has
# no room for waits, and one to nobody is lost.
socket_link()
{
	echo "-netdev dgram,id=$1,local.type=unix,local.path=$links/$1.$3,remote.type=unix,remote.path=$links/$1.$4" \
		"-device virtio-net-pci,netdev=$1,mac=52:54:00:77:00:$2"
}

dir_of()
{
	echo "$out/$1.${boots[$1]}"
}

# wait_file SECONDS ROLE NAME: until that file is there.
wait_file()
{
	local end=$((SECONDS + $1)) file

	file=$(dir_of "$2")/$3
	while [ ! -e "$file" ]; do
		[ "$SECONDS" -lt "$end" ] || fail "$2: no $3 after $1 s"
		kill -0 "${guest[$2]}" 2>/dev/null || fail "$2 has died"
		sleep 0.1
	done
}

is_up()
{
	wait_file 300 "$1" up
	note "$1 is up"
}

# killed ROLE: its power fails. frozen ROLE, thawed ROLE: it stops and goes on.
killed()
{
	kill -KILL -- "-$(cat "$(dir_of "$1")/.guest")"
	wait "${guest[$1]}" 2>/dev/null || :
	guest[$1]=''
	note "$1 is dead"
}

# without having noticed, as its clock stands still too.
frozen()
{
	echo stop >"$(dir_of "$1")/monitor.in"
	note "$1 is frozen"
}

thawed()
{
	echo cont >"$(dir_of "$1")/monitor.in"
	note "$1 goes on"
}

# try ROLE COMMANDS: run them there; what they say is in $said, their status in
# $rc. tell: the same, and they must succeed.
try()
{
	local dir n

	dir=$(dir_of "$1")
	n=$((asked[$1] + 1))
	asked[$1]=$n
	echo "$1: $2" >>"$out/commands"
	printf '%s\n' "$2" >"$dir/do.new"
	mv "$dir/do.new" "$dir/do.$n"
	wait_file "${limit:-120}" "$1" "status.$n"
	said=$(<"$dir/said.$n")
	rc=$(<"$dir/status.$n")
}

tell()
{
	try "$@"
	[ "$rc" -eq 0 ] || fail "$1: '$2' ended with $rc: $said"
}

# until_true SECONDS ROLE COMMAND: how long it took is in $waited, in ms. Between
# attempts there are $between seconds.
until_true()
{
	local begin=$EPOCHREALTIME

	while :; do
		try "$2" "$3"
		waited=$(((${EPOCHREALTIME/./} - ${begin/./}) / 1000))
		[ "$rc" -ne 0 ] || return 0
		[ "$waited" -lt $(($1 * 1000)) ] ||
			fail "$2: '$3' not after $1 s: $said"
		sleep "${between:-0.2}"
	done
}

# log_clean ROLE: nothing bad in its kernel's log. A warning at a place that matches
# $known is not ours.
log_clean()
{
	local log

	log=$(dir_of "$1")/kernel.log
	! awk -v known="${known-}" '
		/-\[ cut here \]-/ { if (held) printf "%s", report; held = 1; report = "" }
		held { report = report $0 "\n" }
		!held
		held && /-\[ end trace / {
			if (known == "" || report !~ "WARNING: [^\n]* at " known)
				printf "%s", report
			held = 0
		}
		END { if (held) printf "%s", report }' "$log" |
		grep -E 'WARNING:|BUG:|Oops|Kernel panic|Call Trace|blocked for|refcount_t|rcu.*stall' ||
		fail "the kernel log of $1 has something"
}

off()
{
	local role

	for role in "${!guest[@]}"; do
		[ -n "${guest[$role]}" ] || continue
		kill -TERM "${guest[$role]}" 2>/dev/null || :
		wait "${guest[$role]}" 2>/dev/null || :
		guest[$role]=''
	done
}
