# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# bash completion of rblkctl. Verbs and options come from --help, so they are those
# of the rblkctl that is installed; names of what there is come from sysfs and from
# the target. tests/tool/usage and tests/tool/bash look at what is offered.
#
# Other hosts choose some of the names. So no word goes to compgen -W, which
# expands what it is given: words are compared here, as plain text.

# What --help says, by the words before it; a shell asks once.
declare -gA _rblkctl_help

# Also for those who have none of root's directories in PATH.
_rblkctl_run()
{
	PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin command rblkctl "$@" 2>/dev/null </dev/null
}

# _rblkctl_learn [VERB]: have its --help, or the tool's, in _rblkctl_help.
_rblkctl_learn()
{
	# shellcheck disable=SC2086 # a verb is one word or two
	[ -n "${_rblkctl_help["help $1"]-}" ] ||
		_rblkctl_help["help $1"]=$(_rblkctl_run $1 --help)
}

# Verbs, a line each: "attach", "export add".
_rblkctl_verbs()
{
	sed -nE 's/^  ([a-z]+( [a-z]+)?) .*/\1/p' <<<"${_rblkctl_help["help "]-}"
}

# Options of a verb that was learnt, a line each: "--json", "--depth N".
_rblkctl_options()
{
	sed -nE 's/^  (--[a-z-]+( [A-Z][^ ]*)?) .*/\1/p' <<<"${_rblkctl_help["help $1"]-}"
}

# Of the lines that come in, those that may be names: see uapi/rblk_name.h.
_rblkctl_names()
{
	LC_ALL=C sed -n '/^[A-Za-z0-9_:+][A-Za-z0-9._:+-]*$/p'
}

# The same for addresses, with port, brackets and interface.
_rblkctl_addresses()
{
	LC_ALL=C sed -n '/^[[A-Za-z0-9:][][A-Za-z0-9.:%_-]*$/p'
}

# Attached devices and their exports, from sysfs: nothing waits, nobody asks.
_rblkctl_volumes()
{
	local dir name

	for dir in "${RBLKCTL_SYSFS:-/sys}"/block/rblk*; do
		[ -r "$dir/rblk/export" ] || continue
		echo "/dev/${dir##*/}"
		name=$(<"$dir/rblk/export")
		[[ $name == *$'\n'* ]] || _rblkctl_names <<<"$name"
	done
}

# First column of a list of the target's; empty for those who may not ask.
_rblkctl_first()
{
	_rblkctl_run "$@" | sed -n '2,$s/  .*//p'
}

# Volume groups that LVM has a backup of, for those who may read that: LVM itself would
# look at all disks.
_rblkctl_groups()
{
	local file

	for file in "${RBLKCTL_LVM:-/etc/lvm}"/backup/*; do
		[ ! -f "$file" ] || echo "${file##*/}"
	done | _rblkctl_names
}

_rblkctl_local()
{
	ip -o addr show scope global 2>/dev/null |
		sed -n 's,.* inet6* \([^/ ]*\).*,\1,p' | _rblkctl_addresses
}

# What the next argument of a verb may be, a line each.
_rblkctl_args()
{
	case $1-$2 in
	detach-0 | show-0 | set-0 | stat-0 | "route add-0" | "route remove-0" | "route list-0")
		_rblkctl_volumes ;;
	"export remove-0" | "export set-0" | "export allow-0" | "export deny-0" | \
		"export show-0" | "export stat-0")
		_rblkctl_first export list | _rblkctl_names ;;
	"portal remove-0")	_rblkctl_first portal list | _rblkctl_addresses ;;
	"session remove-0" | "session stat-0")
		_rblkctl_first session list | _rblkctl_names ;;
	"host fence-0" | "host unfence-0")
		_rblkctl_first host list | _rblkctl_names ;;
	reservation-0)
		_rblkctl_volumes
		_rblkctl_first export list | _rblkctl_names ;;
	"portal add-0")
		echo any
		_rblkctl_local ;;
	esac
}

# What the value of an option may be, a line each; with its verb and what is typed of it.
_rblkctl_values()
{
	local name

	case $1 in
	--color)		printf '%s\n' auto always never ;;
	--output)
		# shellcheck disable=SC2086 # a verb is one word or two
		while read -r name _; do
			printf '%s%s\n' "${3%"${3##*,}"}" "$name"
		done < <(_rblkctl_run $2 --output help) ;;
	--queue-timeout)	printf '%s\n' 30s 5m forever ;;
	--wait)			printf '%s\n' 1m forever ;;
	--for)			printf '%s\n' 30s 5m ;;
	--interval)		printf '%s\n' 1s 10s 1m ;;
	--count)		printf '%s\n' 1 10 ;;
	--cgroup)
		find "${RBLKCTL_SYSFS:-/sys}/fs/cgroup" -mindepth 1 -maxdepth 2 -type d \
			-printf '%P\n' 2>/dev/null ;;
	--size)			echo 10G ;;
	--pool)			_rblkctl_groups ;;
	--clone-of)		_rblkctl_first export list | _rblkctl_names ;;
	--sort)			printf '%s\n' io bytes latency busy device ;;
	--only)			printf '%s\n' target volumes ;;
	--inline-read)		printf '%s\n' 0 512 4k ;;
	--poll-queues)		printf '%s\n' 0 1 2 4 ;;
	# As rblk_name_make() does it.
	--host-name)
		uname -n | LC_ALL=C sed 's/[^A-Za-z0-9._:+-]/-/g; s/^[.-]/_/' ;;
	--source)		_rblkctl_local ;;
	esac
}

# _rblkctl_reply WORD: offer those lines that begin with it, as a shell takes them.
_rblkctl_reply()
{
	local line LC_ALL=C

	COMPREPLY=()
	while IFS= read -r line; do
		# Only this machine's own names may have others, such as those of cgroups.
		case $line in
		*[!][A-Za-z0-9._:+%,/-]*)	printf -v line %q "$line" ;;
		esac
		[[ -z $line || $line != "$1"* ]] || COMPREPLY+=("$line")
	done
	! type __ltrim_colon_completions >/dev/null 2>&1 ||
		__ltrim_colon_completions "$1"
}

_rblkctl_files()
{
	mapfile -t COMPREPLY < <(compgen -f -- "$1")
	compopt -o filenames 2>/dev/null || :
}

# Whether an option of a verb, both as typed, takes a value.
_rblkctl_takes()
{
	_rblkctl_verbs | grep -qxF -e "$1" || return
	_rblkctl_learn "$1"
	_rblkctl_options "$1" | grep -q "^$2 "
}

# Offer an option of a verb, or what --help has for all where there is none yet.
_rblkctl_reply_option()
{
	if _rblkctl_verbs | grep -qxF -e "$1"; then
		_rblkctl_learn "$1"
		_rblkctl_reply "$2" < <(_rblkctl_options "$1" | sed 's/ .*//')
	elif [ -z "$1" ]; then
		_rblkctl_reply "$2" < <(printf '%s\n' --help --json)
	fi
}

_rblkctl()
{
	local cur=${COMP_WORDS[COMP_CWORD]} words=("${COMP_WORDS[@]}") cword=$COMP_CWORD
	local verb="" option="" args=0 i

	# With bash-completion at hand, addresses with colons stay one word.
	! type _get_comp_words_by_ref >/dev/null 2>&1 ||
		_get_comp_words_by_ref -n : cur words cword

	COMPREPLY=()
	_rblkctl_learn ""
	for ((i = 1; i < cword; i++)); do
		option=""
		[ "${words[i]}" != -o ] || words[i]=--output
		if [[ ${words[i]} =~ ^--[a-z-]+$ ]] && _rblkctl_takes "$verb" "${words[i]}"; then
			option=${words[i]}
			i=$((i + 1))
		elif [[ ${words[i]} == -* ]]; then
			:
		elif [ -z "$verb" ]; then
			[ "${words[i]}" = help ] || verb=${words[i]}
		elif _rblkctl_verbs | grep -qxF -e "$verb ${words[i]}"; then
			verb+=" ${words[i]}"
		else
			args=$((args + 1))
		fi
	done

	if [ "$i" -gt "$cword" ] && [ "$option" = --file ]; then
		_rblkctl_files "$cur"
	elif [ "$i" -gt "$cword" ]; then
		_rblkctl_reply "$cur" < <(_rblkctl_values "$option" "$verb" "$cur")
	elif [[ $cur == -* ]]; then
		_rblkctl_reply_option "$verb" "$cur"
	elif [ -z "$verb" ]; then
		_rblkctl_reply "$cur" < <(_rblkctl_verbs | sed 's/ .*//' | sort -u)
	elif [[ "$verb $args" == "export add 1" ]]; then
		_rblkctl_files "$cur"
	# "key" is a verb, too.
	elif [ "$args" -eq 0 ] && _rblkctl_verbs | grep -q "^$verb "; then
		_rblkctl_reply "$cur" < <(_rblkctl_verbs | awk -v noun="$verb" '$1 == noun { print $2 }')
	elif _rblkctl_verbs | grep -qxF -e "$verb"; then
		_rblkctl_reply "$cur" < <(_rblkctl_args "$verb" "$args")
	fi
}

complete -F _rblkctl rblkctl
