# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# bash completion of rblkctl. tests/tool/usage compares the verbs and
# options named here with those of --help.

# Attached devices and their exports, from sysfs: nothing waits, nobody asks.
_rblkctl_volumes()
{
	local dir

	for dir in /sys/block/rblk*/rblk; do
		[ -r "$dir/export" ] || continue
		echo "/dev/$(basename "${dir%/rblk}")"
		cat "$dir/export"
	done
}

# First column of a list of the target's; empty for those who may not ask.
_rblkctl_first()
{
	rblkctl "$@" 2>/dev/null | sed -n '2,$s/ .*//p'
}

_rblkctl_options()
{
	local all="--help --json"
	local connecting="--host-name --host-uuid --source"

	case $1 in
	attach)
		echo "$all $connecting --depth --index --inline-read --queues" \
			"--queue-timeout --read-only --shared --uuid" ;;
	discover | doctor)	echo "$all $connecting" ;;
	set)		echo "$all --queue-timeout" ;;
	export-add)
		echo "$all --allow --allow-any --cgroup --file --read-only" \
			"--shared --size --uuid" ;;
	export-set)
		echo "$all --allow --allow-any --exclusive --force --read-only" \
			"--read-write --rename --shared" ;;
	detach | export-deny | export-remove | portal-remove | session-remove)
		echo "$all --force" ;;
	stat)	echo "$all --interval --prometheus --watch" ;;
	export-stat | session-stat)	echo "$all --interval --watch" ;;
	top)	echo "$all --count --interval --sort" ;;
	apply)	echo "$all --dry-run --each --file --only" ;;
	restore) echo "$all --file --only --wait" ;;
	stop)	echo "$all --force --only" ;;
	save)	echo "$all --file" ;;
	target-pause)	echo "$all --for" ;;
	*)		echo "$all" ;;
	esac
}

_rblkctl_args()
{
	case $1-$2 in
	detach-0 | show-0 | set-0 | stat-0)	_rblkctl_volumes ;;
	export-remove-0 | export-set-0 | export-allow-0 | export-deny-0 | export-show-0 | export-stat-0) _rblkctl_first export list ;;
	portal-remove-0)	_rblkctl_first portal list ;;
	session-remove-0 | session-stat-0)	_rblkctl_first session list ;;
	portal-add-0)
		echo any
		ip -o addr show scope global 2>/dev/null |
			sed -n 's,.* inet6* \([^/ ]*\).*,\1,p' ;;
	esac
}

_rblkctl_values()
{
	case $1 in
	--queue-timeout)	echo "30s 5m forever" ;;
	--wait)			echo "1m forever" ;;
	--for)			echo "30s 5m" ;;
	--interval)		echo "1s 10s 1m" ;;
	--count)		echo "1 10" ;;
	--cgroup)
		find /sys/fs/cgroup -mindepth 1 -maxdepth 2 -type d -printf '%P\n' \
			2>/dev/null ;;
	--size)			echo "10G" ;;
	--sort)			echo "io bytes latency busy device" ;;
	--only)			echo "target volumes" ;;
	--inline-read)		echo "0 512 4k" ;;
	--host-name)		uname -n ;;
	--source)
		ip -o addr show scope global 2>/dev/null |
			sed -n 's,.* inet6* \([^/ ]*\).*,\1,p' ;;
	esac
}

_rblkctl_reply()
{
	mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2")
	type __ltrim_colon_completions >/dev/null 2>&1 &&
		__ltrim_colon_completions "$2"
	return 0
}

_rblkctl_files()
{
	mapfile -t COMPREPLY < <(compgen -f -- "$1")
	compopt -o filenames 2>/dev/null || :
}

_rblkctl()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	local words=("${COMP_WORDS[@]}") cword=$COMP_CWORD
	local nouns="export portal session target" verb="" args=0 i

	# With bash-completion at hand, addresses with colons stay one word.
	type _get_comp_words_by_ref >/dev/null 2>&1 &&
		_get_comp_words_by_ref -n : cur prev words cword

	for ((i = 1; i < cword; i++)); do
		case ${words[i]} in
		--allow | --cgroup | --count | --depth | --file | --for | --host-name | --host-uuid | \
			--index | --inline-read | --interval | --only | --queues | \
			--queue-timeout | --rename | --size | --sort | --source | --uuid | \
			--wait | -n)
			i=$((i + 1)) ;;
		-*)	;;
		*)
			if [ -z "$verb" ]; then
				verb=${words[i]}
			elif [[ " $nouns " == *" $verb "* ]]; then
				verb=$verb-${words[i]}
			else
				args=$((args + 1))
			fi ;;
		esac
	done

	case $prev in
	--file)
		_rblkctl_files "$cur"
		return ;;
	--allow | --cgroup | --count | --depth | --for | --host-uuid | --index | --inline-read | \
		--interval | --only | --queues | --uuid | --host-name | \
		--queue-timeout | --rename | --size | --sort | --source | --wait)
		_rblkctl_reply "$(_rblkctl_values "$prev")" "$cur"
		return ;;
	esac
	if [[ $cur == -* ]]; then
		_rblkctl_reply "$(_rblkctl_options "$verb")" "$cur"
		return
	fi
	case $verb in
	"")
		_rblkctl_reply "attach detach list show set stat top doctor events discover $nouns \
			apply restore stop save host version" "$cur" ;;
	export)	_rblkctl_reply "add remove set allow deny list show stat" "$cur" ;;
	portal)	_rblkctl_reply "add remove list" "$cur" ;;
	session) _rblkctl_reply "list remove stat" "$cur" ;;
	target)	_rblkctl_reply "pause resume show" "$cur" ;;
	export-add)
		COMPREPLY=()
		[ "$args" -ne 1 ] || _rblkctl_files "$cur" ;;
	*)	_rblkctl_reply "$(_rblkctl_args "$verb" "$args")" "$cur" ;;
	esac
}

complete -F _rblkctl rblkctl
