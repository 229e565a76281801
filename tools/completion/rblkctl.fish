# SPDX-License-Identifier: GPL-2.0-only
#
# fish completion of rblkctl. Verbs and options, with what they are for, come from
# --help, so they are those of the rblkctl that is installed; names of what there is
# come from sysfs and from the target. tests/tool/fish looks at what is offered.
# Other hosts choose some of the names. fish takes what a command prints as plain text,
# so nothing here may eval it.

# Also for those who have none of root's directories in PATH.
function __rblkctl_run
	set -lx PATH $PATH /usr/local/sbin /usr/sbin /sbin
	command rblkctl $argv 2>/dev/null </dev/null
end

# Verbs, a line each: "attach", "export add", a tab, and what it is for.
function __rblkctl_verbs
	__rblkctl_run --help |
		string replace -rf '^  ([a-z]+(?: [a-z]+)?)(?: .*?)?  +([a-z].*)$' '$1\t$2'
end

# Options of a verb, a line each: "--depth", a tab, "N" or nothing, a tab, what it is for.
function __rblkctl_options
	__rblkctl_run $argv --help |
		string replace -rf '^  (--[a-z-]+)(?: ([A-Z]\\S*))?  +(.*)$' '$1\t$2\t$3'
end

# Whether an option of a verb takes a value; all else is the verb.
function __rblkctl_takes
	__rblkctl_options $argv[2..] | string match -qr -- "^$argv[1]\t[^\t]"
end

# Of some lines, those that may be names: see uapi/rblk_name.h.
function __rblkctl_names
	string match -r '^[A-Za-z0-9_:+][A-Za-z0-9._:+-]*$' -- $argv
end

# The same for addresses, with port, brackets and interface.
function __rblkctl_addresses
	string match -r '^[[A-Za-z0-9:][][A-Za-z0-9.:%_-]*$' -- $argv
end

# A directory for what the machine has, or another one for tests.
function __rblkctl_place
	set -q $argv[1] && echo $$argv[1] || echo $argv[2]
end

# Attached devices and their exports, from sysfs: nothing waits, nobody asks.
function __rblkctl_volumes
	for dir in (__rblkctl_place RBLKCTL_SYSFS /sys)/block/rblk*
		test -r $dir/rblk/export || continue
		set -l name (cat $dir/rblk/export)
		echo /dev/(path basename $dir)
		test (count $name) -ne 1 || __rblkctl_names $name
	end
end

# First column of a list of the target's; empty for those who may not ask.
function __rblkctl_first
	set -l lines (__rblkctl_run $argv)
	string replace -r '  .*' '' -- $lines[2..]
end

# Volume groups that LVM has a backup of, for those who may read that: LVM itself would
# look at all disks.
function __rblkctl_groups
	for file in (__rblkctl_place RBLKCTL_LVM /etc/lvm)/backup/*
		test ! -f $file || __rblkctl_names (path basename $file)
	end
end

function __rblkctl_local
	__rblkctl_addresses (ip -o addr show scope global 2>/dev/null |
		string replace -rf '.* inet6? ([^/ ]*).*' '$1')
end

# What the next argument of a verb may be: how many it has, and the verb.
function __rblkctl_arguments
	switch "$argv"
		case '0 detach' '0 show' '0 set' '0 stat' '0 route add' '0 route remove' '0 route list'
			__rblkctl_volumes
		case '0 export remove' '0 export set' '0 export allow' '0 export deny' \
			'0 export show' '0 export stat'
			__rblkctl_names (__rblkctl_first export list)
		case '0 portal remove'
			__rblkctl_addresses (__rblkctl_first portal list)
		case '0 session remove' '0 session stat'
			__rblkctl_names (__rblkctl_first session list)
		case '0 host fence' '0 host unfence'
			__rblkctl_names (__rblkctl_first host list)
		case '0 reservation'
			__rblkctl_volumes
			__rblkctl_names (__rblkctl_first export list)
		case '0 portal add'
			echo any
			__rblkctl_local
		case '1 export add'
			__fish_complete_path (commandline -ct)
	end
end

# What the value of an option may be: the option, what is typed of it, and the verb.
function __rblkctl_values
	switch $argv[1]
		case --color
			printf '%s\n' auto always never
		case --output
			set -l before (string replace -rf '(.*,).*' '$1' -- $argv[2])
			for line in (__rblkctl_run $argv[3..] --output help)
				echo "$before"(string replace -r '^ *([^ ]*).*' '$1' -- $line)
			end
		case --file
			__fish_complete_path $argv[2]
		case --queue-timeout
			printf '%s\n' 30s 5m forever
		case --wait
			printf '%s\n' 1m forever
		case --for
			printf '%s\n' 30s 5m
		case --interval
			printf '%s\n' 1s 10s 1m
		case --count
			printf '%s\n' 1 10
		case --only
			printf '%s\n' target volumes
		case --cgroup
			find (__rblkctl_place RBLKCTL_SYSFS /sys)/fs/cgroup -mindepth 1 -maxdepth 2 \
				-type d -printf '%P\n' 2>/dev/null
		case --size
			echo 10G
		case --pool
			__rblkctl_groups
		case --clone-of
			__rblkctl_names (__rblkctl_first export list)
		case --sort
			printf '%s\n' io bytes latency busy device
		case --inline-read
			printf '%s\n' 0 512 4k
		case --poll-queues
			printf '%s\n' 0 1 2 4
		# As rblk_name_make() does it.
		case --host-name
			uname -n | string replace -ra '[^A-Za-z0-9._:+-]' '-' |
				string replace -r '^[.-]' '_'
		case --source
			__rblkctl_local
	end
end

function __rblkctl_nouns
	__rblkctl_verbs | string replace -rf '^([a-z]+) .*' '$1' | uniq
end

# The verb before the cursor, and behind it how many arguments and which option it has.
function __rblkctl_parse
	set -l verb
	set -l option
	set -l arguments 0
	set -l nouns (__rblkctl_nouns)

	for word in (commandline -opc)[2..]
		test $word != -o || set word --output
		if test -n "$option"
			set option
		else if string match -qr '^--[a-z-]+$' -- $word
			! __rblkctl_takes $word $verb || set option $word
		else if string match -q -- '-*' $word
			continue
		else if test -z "$verb"
			test $word = help || set verb $word
		else if test (count $verb) -eq 1 && contains -- $verb $nouns
			set -a verb $word
		else
			set arguments (math $arguments + 1)
		end
	end
	printf '%s\n' "$option" $arguments $verb
end

function __rblkctl
	set -l typed (commandline -ct)
	set -l parsed (__rblkctl_parse)
	set -l verb $parsed[3..]

	if test -n "$parsed[1]"
		__rblkctl_values $parsed[1] "$typed" $verb
	else if string match -q -- '-*' "$typed"
		__rblkctl_options $verb | string replace -r '\t.*\t' '\t'
	else if test -z "$verb"
		__rblkctl_verbs | string match -rv '^[a-z]+ '
		for noun in (__rblkctl_nouns)
			printf '%s\t%s\n' $noun "verbs of "$noun"s"
		end
	else if test (count $verb) -eq 1 && contains -- $verb (__rblkctl_nouns)
		__rblkctl_verbs | string replace -rf "^$verb ([a-z]+\t)" '$1'
	else
		__rblkctl_arguments $parsed[2] $verb
	end
end

complete -c rblkctl -f -a '(__rblkctl)'
