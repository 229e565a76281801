# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What scripts inside a guest share: . "$LAB". Every function returns non-zero
# and says why on failure. See README for what each gives.

PATH=$RBLK_BUILD/tools:$PATH

lab_fail()
{
	echo "lab: $*" >&2
	return 1
}

# lab_built NAME: the file of that module, if it was built with ours.
lab_built()
{
	find "$RBLK_BUILD/$1.ko" "$RBLK_BUILD/tests/x25519/$1.ko" 2>/dev/null
}

# lab_insmod MODULE.ko [PARAM...]: what it depends on first, then itself.
lab_insmod()
{
	local ko=$1 name dep built
	shift

	name=$(basename "$ko" .ko)
	[ ! -d "/sys/module/${name//-/_}" ] || return 0
	[ -f "$ko" ] || { lab_fail "$ko is not built"; return 1; }
	for dep in $(modinfo -F depends "$ko" | tr , ' '); do
		built=$(lab_built "$dep") || :
		if [ -n "$built" ]; then
			lab_insmod "$built" || return 1
		else
			[ -d "/sys/module/$dep" ] || modprobe "$dep" || return 1
		fi
	done
	insmod "$ko" "$@"
}

# lab_modules: all three of ours, and nothing else of ours.
lab_modules()
{
	lab_insmod "$RBLK_BUILD/rblk_auth.ko" &&
		lab_insmod "$RBLK_BUILD/rblk_target.ko" &&
		lab_insmod "$RBLK_BUILD/rblk.ko"
}

# lab_siw: the lab's soft iWARP where it has one, else the kernel's.
lab_siw()
{
	if [ -n "$LAB_SIW" ]; then
		lab_insmod "$LAB_SIW"
	else
		modprobe -q siw
	fi
}

# lab_adapter PROFILE: the model adapter, slow to acknowledge and out of order, as
# RBLK_T_SEED has it, unless RBLK_T_ADAPTER has other parameters for it.
lab_adapter()
{
	local ko=$RBLK_TOP/build/$RBLK_KERNEL/tests/adapter/rblk_adapter.ko

	# shellcheck disable=SC2086 # several parameters
	lab_insmod "$ko" profile="$1" \
		${RBLK_T_ADAPTER-delay_us=100 shuffle=1 seed=${RBLK_T_SEED:-1}}
}

# lab_provider PROVIDER: the RDMA driver itself.
lab_provider()
{
	# Without these two RXE sums 4 KiB bytewise.
	modprobe -q crc32_pclmul
	modprobe -q crc32c_intel
	case $1 in
	rxe)	modprobe rdma_rxe ;;
	adapter-*) lab_adapter "${1#adapter-}" ;;
	siw)	lab_siw || lab_fail "run tests/lab/kernel siw-$RBLK_KERNEL first" ;;
	*)	lab_fail "no RDMA provider '$1'" ;;
	esac
}

# lab_link TYPE DEVICE NETDEV: an RDMA device on a network device, active.
lab_link()
{
	rdma link add "$2" type "${1%%-*}" netdev "$3" || return 1
	for _ in {1..50}; do
		! rdma link show "$2/1" | grep -q 'state ACTIVE' || return 0
		sleep 0.1
	done
	lab_fail "RDMA device $2 did not become active"
}

# lab_rdma rxe|siw [NETDEV]: one device on NETDEV, or on a dummy interface
# with 10.77.0.1 and fd77::1, which talks to itself.
lab_rdma()
{
	local dev=${2:-}

	lab_provider "$1" || return 1
	if [ -z "$dev" ]; then
		dev=lab0
		modprobe -q dummy numdummies=0
		ip link add "$dev" mtu 9000 type dummy &&
			ip address add 10.77.0.1/24 dev "$dev" &&
			ip address add fd77::1/64 dev "$dev" nodad &&
			ip link set "$dev" up || return 1
	fi
	lab_link "$1" "${1}0" "$dev"
}

# lab_netns rxe|siw: two hosts in one kernel. Namespace tgt has interface
# vtgt, 10.77.0.1 and fd77::1; host has vhost, 10.77.0.2 and fd77::2; each has
# the RDMA device named after it (rxe_tgt, rxe_host).
lab_netns()
{
	local ns

	lab_provider "$1" || return 1
	for ns in tgt host; do
		ip netns add $ns && ip -n $ns link set lo up || return 1
	done
	lab_wire "$1"
}

# lab_wire rxe|siw: what is between the two namespaces, and on its ends.
lab_wire()
{
	ip link add vtgt mtu 9000 netns tgt type veth \
		peer name vhost mtu 9000 netns host &&
		lab_address tgt && lab_address host &&
		lab_in tgt lab_link "$1" "${1}_tgt" vtgt &&
		lab_in host lab_link "$1" "${1}_host" vhost
}

# lab_address tgt|host: that end is up and has its addresses.
lab_address()
{
	local n=1

	[ "$1" = tgt ] || n=2
	ip -n "$1" address add 10.77.0.$n/24 dev "v$1" &&
		ip -n "$1" address add fd77::$n/64 dev "v$1" nodad &&
		ip -n "$1" link set "v$1" up
}

# lab_in NAMESPACE COMMAND...: also a function. Not "ip netns exec", which
# mounts another /sys without debugfs in it.
lab_in()
{
	local ns=$1
	shift

	if [ "$(type -t "$1")" = function ]; then
		# shellcheck disable=SC2016 # expands in there
		nsenter --net="/run/netns/$ns" \
			bash -c '. "$LAB"; "$@"' lab "$@"
	else
		nsenter --net="/run/netns/$ns" "$@"
	fi
}

# lab_hosts rxe|siw: two hosts where the kernel can have them, else one that
# talks to itself; on_host and on_tgt do the right thing in both.
lab_hosts()
{
	case $RBLK_KERNEL in
	uml-*)	lab_netns "$1" ;;
	*)	lab_rdma "$1" ;;
	esac
}

on_host()
{
	if [ -e /run/netns/host ]; then
		lab_in host "$@"
	else
		"$@"
	fi
}

on_tgt()
{
	if [ -e /run/netns/tgt ]; then
		lab_in tgt "$@"
	else
		"$@"
	fi
}

# lab_disk SIZE_MB [BLOCKSIZE [ATTRIBUTE=VALUE...]]: a memory-backed null_blk
# device; prints its path. Attributes are null_blk's (discard=1 cache_size=16).
lab_disk()
{
	local size=$1 bs=${2:-512} n=0 dir item
	shift
	[ $# -eq 0 ] || shift

	if [ ! -d /sys/module/null_blk ]; then
		modprobe null_blk nr_devices=0 || return 1
	fi
	mountpoint -q /sys/kernel/config ||
		mount -t configfs configfs /sys/kernel/config || return 1
	while [ -e "/sys/kernel/config/nullb/nullb$n" ]; do
		n=$((n + 1))
	done
	dir=/sys/kernel/config/nullb/nullb$n
	mkdir "$dir" || return 1
	for item in memory_backed=1 "size=$size" "blocksize=$bs" "$@" power=1; do
		echo "${item#*=}" >"$dir/${item%%=*}" || return 1
	done
	echo "/dev/nullb$(cat "$dir/index")"
}

# lab_udev: a udevd with the rules of the checkout, for links by id.
lab_udev()
{
	mkdir -p /run/udev/rules.d
	cp "$RBLK_TOP"/tools/udev/*.rules /run/udev/rules.d/ &&
		/lib/systemd/systemd-udevd --daemon &&
		udevadm trigger --action=add && udevadm settle
}

# shellcheck source=tests/lab/log.sh
. "$RBLK_TOP/tests/lab/log.sh"
