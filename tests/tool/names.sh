# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC1003,SC2016,SC2034 # what is not to expand; for those who source it
#
# A machine whose peers have hostile names, for the tests of both completions.

# What is to be offered of it, sorted.
GOOD=$'a.b_c:d+e-f\ndata'
VOLUMES=$'/dev/rblk1\n/dev/rblk2\n/dev/rblk3\n/dev/rblk4\n/dev/rblk7\nbackup'
BOTH=$(printf '%s\n' "$VOLUMES" "$GOOD" | LC_ALL=C sort -u)
PORTALS=$'10.0.0.1:4421\n[fd00::1]:4421\nany:4421'
ADDRESSES=$'192.0.2.9\nfd00::9'
VOLUME_GROUPS=$'vg.1\nvg0'
GROUPS_HERE=$'$(touch RAN-group)\na.slice\na.slice/b\\x2dc.slice\nsome group'

# Each would do something, or mislead, somewhere on its way through a shell. They
# come one by one: an odd quote would keep the shell from expanding the others.
hostile_names()
{
	printf '%s\n' 'x$(touch${IFS}RAN-1)' '$(touch RAN-2)' '`touch RAN-3`' \
		'x;touch RAN-4' 'x&touch RAN-5' 'x|touch RAN-6' 'x>RAN-7' \
		'${x:=`touch RAN-8`}' '<(touch RAN-9)' '*' '?' '[a-z]*' '{a,b}' '~root' \
		"x'y" 'x"y' 'x\y' 'x\' 'x y' 'x!y' '#x' 'x=(y)' '-f' '--force' '.x' '..' \
		$'\e[2Jx' $'x\ty' $'x\ry' $'x\x7fy' $'x\xff' 'größe' 'a/../b' '$x' \
		'data$(touch RAN-10)' ':$(touch RAN-11)'
}

# use_name DIR NAME: what the lists have beside good names.
use_name()
{
	printf '%s\n' "$2" >"$1/name"
}

# make_hostile DIR RBLKCTL: a tool, sysfs, ip and uname in DIR; --help is the tool's own.
make_hostile()
{
	local dir=$1 nr=0 name group

	mkdir -p "$dir/bin" "$dir/here" "$dir/sys/block/sda"
	touch "$dir/here/one file" "$dir/here/two"
	ln -s "$2" "$dir/real"
	: >"$dir/name"
	cat >"$dir/bin/rblkctl" <<-END
		#!/bin/sh
		echo "\$*" >>"$dir/asked"
		case "\$*" in
		*--help | *"--output help")	exec "$dir/real" "\$@" ;;
		"export list" | "session list" | "host list")
			printf 'NAME  SIZE\ndata  1G\n'
			sed 's/\$/  1G  yes/' "$dir/name"
			printf 'a.b_c:d+e-f  2G\n' ;;
		"portal list")
			printf 'ADDRESS  MORE\n10.0.0.1:4421  yes\n[fd00::1]:4421  yes\nany:4421  no\n'
			sed 's/\$/  yes/' "$dir/name" ;;
		*)	exit 1 ;;
		esac
	END
	cat >"$dir/bin/ip" <<-'END'
		#!/bin/sh
		echo '2: eth0    inet 192.0.2.9/24 scope global eth0'
		echo '2: eth0    inet6 fd00::9/64 scope global'
		echo '2: eth0    inet $(touch${IFS}RAN-ip)/24 scope global eth0'
	END
	cat >"$dir/bin/uname" <<-'END'
		#!/bin/sh
		echo '$(touch RAN-uname)'
	END
	chmod +x "$dir"/bin/*
	for name in backup '$(touch RAN-sys)' $'x\n$(touch RAN-sys)' '-f' '`touch RAN-sys`'; do
		nr=$((nr + 1))
		[ "$name" != backup ] || nr=7
		mkdir -p "$dir/sys/block/rblk$nr/rblk"
		printf '%s\n' "$name" >"$dir/sys/block/rblk$nr/rblk/export"
		[ "$nr" -ne 7 ] || nr=0
	done
	mkdir -p "$dir/lvm/backup/dir"
	for name in vg0 vg.1 '$(touch RAN-vg)' '-f' 'a b'; do
		touch "$dir/lvm/backup/$name"
	done
	while IFS= read -r group; do
		mkdir -p "$dir/sys/fs/cgroup/$group"
	done <<<"$GROUPS_HERE"
}
