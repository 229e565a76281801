# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# How machines of the boot tests are switched on, told and ended. Sourced by run after
# machine.sh and machines.sh.
# shellcheck disable=SC2004,SC2154 # run and those have the rest, such as what is an array of words

# switch_on ROLE: it boots; ready ROLE: and can be told something.
switch_on()
{
	local role=$1 dir disk

	boots[$role]=$((${boots[$role]:-0} + 1))
	asked[$role]=0
	dir=$out/$role.${boots[$role]}
	disk=$out/$role.raw
	[ "$role" != bare ] || disk=
	# shellcheck disable=SC2046 # one word per argument
	machine_start "$disk" "$dir" "$role" \
		"$(printf '%032x' "0x7700${#role}")" $(arguments "$role")
	guest[$role]=$machine_pid
	echo "$machine_pid" >"$dir/.guest"
	note "$role is switched on"
}

ready()
{
	wait_file "$boot_limit" "$1" up
	note "$1 takes commands"
}

# ask ROLE COMMAND: without waiting for its end.
ask()
{
	local dir n

	dir=$(dir_of "$1")
	n=$((asked[$1] + 1))
	asked[$1]=$n
	printf '%s\n' "$2" >"$dir/do.new"
	mv "$dir/do.new" "$dir/do.$n"
}

# ended ROLE: how long its shutdown took is in $waited, in seconds.
ended()
{
	local begin=$SECONDS

	while kill -0 "${guest[$1]}" 2>/dev/null; do
		waited=$((SECONDS - begin))
		[ "$waited" -lt "$shutdown_limit" ] ||
			fail "$1 is still going down after $waited s"
		sleep 0.5
	done
	wait "${guest[$1]}" 2>/dev/null || :
	guest[$1]=''
	waited=$((SECONDS - begin))
	log_clean "$1"
	note "$1 went down in $waited s"
}

# down ROLE [VERB]
down()
{
	ask "$1" "systemctl --no-block ${2:-reboot}"
	ended "$1"
}

# one CASE: each goes on from where the one before has ended.
one()
{
	local begin=$SECONDS

	note "== $1"
	"$1"
	echo "ok boot.$1 ($((SECONDS - begin)) s)"
	passed=$((passed + 1))
}

# journal ROLE: what our units said there, if it still answers.
journal()
{
	local dir last n

	kill -0 "${guest[$1]:-none}" 2>/dev/null || return 0
	ask "$1" 'journalctl -b -o cat -n 40 -u "rblk*" -u "srv-*"
systemctl --failed --plain --no-legend'
	dir=$(dir_of "$1") last=${asked[$1]}
	for ((n = 0; n < 30; n++)); do
		[ ! -e "$dir/status.$last" ] || break
		sleep 1
	done
	echo "--- $1's journal"
	cat "$dir/said.$last" || :
}

why()
{
	local log

	for log in "$out"/{target,host,bare}.*/kernel.log; do
		[ -e "$log" ] || continue
		echo "--- $log"
		tail -n 15 "$log"
	done
	journal target
	journal host
	journal bare
}
