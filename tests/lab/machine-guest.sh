# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What machines of machines.sh share inside. Sourced after guest.sh by who has
# set provider, begins with identity and ends with serve.
# shellcheck disable=SC2154 # those have the rest

# interface N ADDRESS: the one with that MAC, its address and its RDMA device.
interface()
{
	local dir dev=

	for dir in /sys/class/net/*; do
		[ "$(<"$dir/address")" != "52:54:00:77:00:$1" ] ||
			dev=${dir##*/}
	done
	[ -n "$dev" ] || lab_fail "no interface $1" || return 1
	ip address add "$2/24" dev "$dev" && ip link set "$dev" mtu 4500 up &&
		lab_link "$provider" "rdma$1" "$dev"
}

# background NAME COMMAND...: its status goes to RBLK_OUT/NAME.status.
background()
{
	local name=$1
	shift

	rm -f "$RBLK_OUT/$name.status"
	(
		rc=0
		"$@" >"$RBLK_OUT/$name.said" 2>&1 || rc=$?
		echo "$rc" >"$RBLK_OUT/$name.new"
		mv "$RBLK_OUT/$name.new" "$RBLK_OUT/$name.status"
	) </dev/null &
}

# identity ROLE: files of its own, and not one id for all, as the machine's is.
identity()
{
	[ ! -d "$RBLK_OUT/files" ] || cp -rT "$RBLK_OUT/files" /
	printf '%032x\n' "0x77$((${#1} + 1))$(printf '%d' "'$1")" >/etc/machine-id
	hostname "$1"
}

# serve: say that we are up, and run what we are told. To wait takes no process: the
# start of one would keep an emulated machine busy for as long as it sleeps.
serve()
{
	local n=1 rc never

	exec {never}<> <(:)
	echo up >"$RBLK_OUT/up.new"
	mv "$RBLK_OUT/up.new" "$RBLK_OUT/up"

	while :; do
		[ -e "$RBLK_OUT/do.$n" ] || { read -rt 0.2 -u "$never"; continue; }
		# No "||" behind it: that would keep set -e from working.
		# shellcheck disable=SC1090
		(set -e; . "$RBLK_OUT/do.$n") >"$RBLK_OUT/said.$n" 2>&1
		rc=$?
		echo "$rc" >"$RBLK_OUT/status.new"
		mv "$RBLK_OUT/status.new" "$RBLK_OUT/status.$n"
		n=$((n + 1))
	done
}
