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
		echo "$all $connecting --depth --index --queues --queue-timeout" \
			"--read-only --shared --uuid" ;;
	discover)	echo "$all $connecting" ;;
	set)		echo "$all --queue-timeout" ;;
	export-add)
		echo "$all --allow --allow-any --read-only --shared --uuid" ;;
	detach | export-remove | portal-remove)
		echo "$all --force" ;;
	*)		echo "$all" ;;
	esac
}

_rblkctl_args()
{
	case $1-$2 in
	detach-0 | show-0 | set-0)	_rblkctl_volumes ;;
	export-remove-0 | export-show-0) _rblkctl_first export list ;;
	portal-remove-0)	_rblkctl_first portal list ;;
	portal-add-0)
		echo any
		ip -o addr show scope global 2>/dev/null |
			sed -n 's,.* inet6* \([^/ ]*\).*,\1,p' ;;
	esac
}

_rblkctl_values()
{
	case $1 in
	--queue-timeout)	echo "30 forever" ;;
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

_rblkctl()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	local words=("${COMP_WORDS[@]}") cword=$COMP_CWORD
	local nouns="export portal session" verb="" args=0 i

	# With bash-completion at hand, addresses with colons stay one word.
	type _get_comp_words_by_ref >/dev/null 2>&1 &&
		_get_comp_words_by_ref -n : cur prev words cword

	for ((i = 1; i < cword; i++)); do
		case ${words[i]} in
		--allow | --depth | --host-name | --host-uuid | --index | --queues | \
			--queue-timeout | --source | --uuid)
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
	--allow | --depth | --host-uuid | --index | --queues | --uuid | \
		--host-name | --queue-timeout | --source)
		_rblkctl_reply "$(_rblkctl_values "$prev")" "$cur"
		return ;;
	esac
	if [[ $cur == -* ]]; then
		_rblkctl_reply "$(_rblkctl_options "$verb")" "$cur"
		return
	fi
	case $verb in
	"")	_rblkctl_reply "attach detach list show set discover $nouns host version" "$cur" ;;
	export)	_rblkctl_reply "add remove list show" "$cur" ;;
	portal)	_rblkctl_reply "add remove list" "$cur" ;;
	session) _rblkctl_reply "list" "$cur" ;;
	export-add)
		COMPREPLY=()
		if [ "$args" -eq 1 ]; then
			mapfile -t COMPREPLY < <(compgen -f -- "$cur")
			compopt -o filenames 2>/dev/null || :
		fi ;;
	*)	_rblkctl_reply "$(_rblkctl_args "$verb" "$args")" "$cur" ;;
	esac
}

complete -F _rblkctl rblkctl
