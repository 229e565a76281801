# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What an initial RAM disk does for root on a volume, rblk-boot(7): sourced in there by
# initramfs-tools' script and by dracut's hooks, which have the network up before they
# attach. Nothing here needs more than the shell, cat, mkdir, modprobe, sleep and what
# the hooks copy.

rblk_run=/run/rblk
rblk_devices=/sys/class/infiniband

rblk_say()
{
	echo "rblk: $*" >/dev/console
}

# rblk_take WORD: what one word of the kernel's command line says.
rblk_take()
{
	case $1 in
	rblk.root=*)		rblk_root=${1#*=} ;;
	rblk.target-key=*)	rblk_keys="$rblk_keys --target-key ${1#*=}" ;;
	rblk.insecure)		rblk_keys="$rblk_keys --insecure" ;;
	rblk.key=*)		rblk_key=${1#*=} ;;
	rblk.rdma=*)		rblk_rdma=${1#*=} ;;
	rblk.options=*)		rblk_options=${1#*=} ;;
	rblk.wait=*)		rblk_wait=${1#*=} ;;
	esac
}

# rblk_cmdline [FILE]: all of them. Fails where no root is on a volume. An address in
# brackets must not become the name of a file.
rblk_cmdline()
{
	rblk_root='' rblk_keys='' rblk_key=/etc/rblk/key rblk_rdma='' rblk_options=''
	rblk_wait=forever
	set -f
	# shellcheck disable=SC2013 # words are what is wanted
	for rblk_word in $(cat "${1:-/proc/cmdline}"); do
		rblk_take "$rblk_word"
	done
	set +f
	[ -n "$rblk_root" ] && mkdir -p "$rblk_run"
}

# Whether the hook has found the module for this kernel: without it, it copies no rblkctl.
rblk_here()
{
	! command -v rblkctl >/dev/null || return 0
	read -r rblk_kernel </proc/sys/kernel/osrelease
	rblk_say "this initial RAM disk has no rblk for kernel $rblk_kernel: no root on $rblk_root"
	return 1
}

# rblk_seconds TIME: in seconds, -1 for ever; 60 for what is no time.
rblk_seconds()
{
	case $1 in
	forever)		echo -1; return ;;
	*h)			rblk_n=${1%h} rblk_unit=3600 ;;
	*m)			rblk_n=${1%m} rblk_unit=60 ;;
	*)			rblk_n=${1%s} rblk_unit=1 ;;
	esac
	case $rblk_n in
	'' | *[!0-9]*)		echo 60; return ;;
	esac
	# A number that begins with 0 is octal to the shell, or none.
	while [ "${#rblk_n}" -gt 1 ] && [ "${rblk_n#0}" != "$rblk_n" ]; do
		rblk_n=${rblk_n#0}
	done
	echo $((rblk_n * rblk_unit))
}

# Whether rblk.rdma asks for a link of the kernel's software providers.
rblk_is_soft()
{
	case $rblk_rdma in
	rxe | rxe:* | siw | siw:*)	return 0 ;;
	esac
	return 1
}

# The interface that initramfs-tools has set up, or that dracut's ip= has brought up.
rblk_interface()
{
	for rblk_file in /run/net-*.conf; do
		[ -e "$rblk_file" ] || continue
		rblk_file=${rblk_file#/run/net-}
		echo "${rblk_file%.conf}"
		return
	done
	for rblk_dir in /sys/class/net/*; do
		read -r rblk_state <"$rblk_dir/operstate" || continue
		[ "$rblk_state" = up ] || continue
		echo "${rblk_dir##*/}"
		return
	done
}

# rblk_interface_of DEVICE: the network interface of an RDMA device.
rblk_interface_of()
{
	for rblk_dir in "$rblk_devices/$1/device/net"/*; do
		[ -e "$rblk_dir" ] || break
		echo "${rblk_dir##*/}"
		return
	done
	cat "$rblk_devices/$1/ports/1/gid_attrs/ndevs/0" 2>/dev/null || :
}

# Whether there is the RDMA device that rblk.rdma names. If not, says which ones there are.
rblk_has_device()
{
	[ ! -e "$rblk_devices/$rblk_rdma" ] || return 0
	rblk_list=''
	for rblk_dir in "$rblk_devices"/*; do
		[ ! -e "$rblk_dir" ] || rblk_list="$rblk_list ${rblk_dir##*/}"
	done
	echo "there is no RDMA device $rblk_rdma yet, ${rblk_list:+only}${rblk_list:-nor any other}"
	return 1
}

# rblk_module NAME: loads a module. initramfs-tools has modprobe keep its reasons to itself.
rblk_module()
{
	MODPROBE_OPTIONS='' modprobe "$1" 2>>"$rblk_run/said"
}

# A software link on the interface that rblk.rdma names, or on the one that is up.
rblk_soft_link()
{
	rblk_type=${rblk_rdma%%:*} rblk_dev=${rblk_rdma#*:}
	[ "$rblk_dev" != "$rblk_rdma" ] || rblk_dev=$(rblk_interface)
	[ ! -e "$rblk_devices/${rblk_type}_root" ] || return 0
	case $rblk_type in
	rxe)	rblk_module rdma_rxe ;;
	siw)	rblk_module siw ;;
	esac
	rdma link add "${rblk_type}_root" type "$rblk_type" netdev "$rblk_dev" \
		2>>"$rblk_run/said"
}

# The local address of the RDMA device that rblk.rdma names, which the volume is to be
# attached from. It is known where ip= has set it.
rblk_source()
{
	rblk_dev=$(rblk_interface_of "$rblk_rdma")
	IPV4ADDR=''
	# shellcheck disable=SC1090 # made by ipconfig
	[ ! -e "/run/net-$rblk_dev.conf" ] || . "/run/net-$rblk_dev.conf"
	if [ -z "$IPV4ADDR" ] && command -v ip >/dev/null; then
		# shellcheck disable=SC2046 # words: index, name, "inet", address
		set -- $(ip -o -4 address show dev "$rblk_dev" 2>/dev/null)
		IPV4ADDR=${4:-}
	fi
	echo "${IPV4ADDR%%/*}"
}

# Where rblkctl looks for the machine's key, and who it is. Each machine has a key of its
# own, so that what follows from it is only a name: a random one will do.
rblk_identity()
{
	[ -e "$rblk_key" ] || {
		echo "there is no key in $rblk_key of the initial RAM disk" >"$rblk_run/said"
		return 1
	}
	[ "$rblk_key" = /etc/rblk/key ] || {
		mkdir -p /etc/rblk
		(umask 077 && cat "$rblk_key" >/etc/rblk/key)
	}
	[ -s /etc/rblk/host-uuid ] || [ -s /etc/machine-id ] ||
		cat /proc/sys/kernel/random/uuid >/etc/rblk/host-uuid
}

# rblk_arguments: of "rblkctl attach", in rblk_args. A target may be away for as long as
# it likes: where root fails, all fails.
rblk_arguments()
{
	rblk_args="$rblk_root --queue-timeout forever $rblk_keys"
	rblk_rest=$rblk_options
	while [ -n "$rblk_rest" ]; do
		rblk_args="$rblk_args --${rblk_rest%%,*}"
		case $rblk_rest in
		*,*)	rblk_rest=${rblk_rest#*,} ;;
		*)	rblk_rest='' ;;
		esac
	done
	[ -n "$rblk_rdma" ] && ! rblk_is_soft || return 0
	rblk_has_device >"$rblk_run/said" || return 1
	rblk_from=$(rblk_source)
	[ -n "$rblk_from" ] || {
		echo "RDMA device $rblk_rdma has no IPv4 address yet; ip= sets one" \
			>"$rblk_run/said"
		return 1
	}
	rblk_args="$rblk_args --source $rblk_from"
}

# rblk_attached: the root volume is attached already, by hand in the shell that comes when
# the time is over. Another attach of it fails, or is another device.
rblk_attached()
{
	rblkctl show "$rblk_root" >"$rblk_run/show" 2>/dev/null || return 1
	while read -r rblk_name rblk_value; do
		[ "$rblk_name" = device ] || continue
		echo "$rblk_value" >"$rblk_run/root"
		return 0
	done <"$rblk_run/show"
	return 1
}

# rblk_try: attach once. The device is then in /run/rblk/root; why not, in /run/rblk/said.
rblk_try()
{
	: >"$rblk_run/said"
	! rblk_attached || return 0
	if rblk_is_soft; then
		rblk_soft_link || return 1
	fi
	case $rblk_keys in
	*--target-key*)	rblk_identity || return 1 ;;
	esac
	rblk_arguments || return 1
	rblk_module rblk || return 1
	set -f
	# shellcheck disable=SC2086 # one word per argument
	rblkctl attach $rblk_args >"$rblk_run/root.new" 2>"$rblk_run/said"
	rblk_status=$?
	set +f
	[ "$rblk_status" -eq 0 ] && cat "$rblk_run/root.new" >"$rblk_run/root"
}

# rblk_now: seconds since the kernel started.
rblk_now()
{
	read -r rblk_up rblk_rest </proc/uptime
	echo "${rblk_up%.*}"
}

# rblk_start: the time of rblk.wait begins.
rblk_start()
{
	rblk_limit=$(rblk_seconds "$rblk_wait") rblk_begin=$(rblk_now)
}

# Whether it is over.
rblk_over()
{
	[ "$rblk_limit" -ge 0 ] && [ $(($(rblk_now) - rblk_begin)) -ge "$rblk_limit" ]
}

# rblk_again WHY: before one more look for what an attempt needs first. When the time is
# over there is initramfs-tools' shell, and when that is left the time begins anew.
rblk_again()
{
	if rblk_over; then
		panic "rblk: $1: giving up (rblk.wait=$rblk_wait)"
		rblk_start
		return
	fi
	rblk_say "$1; again in 5 s"
	sleep 5
}

# rblk_attach: until it succeeds, or the time is over. Says each time why not.
rblk_attach()
{
	rblk_n=0
	until rblk_try; do
		rblk_n=$((rblk_n + 1))
		while IFS= read -r rblk_line; do
			rblk_say "$rblk_line"
		done <"$rblk_run/said"
		if rblk_over; then
			rblk_say "no root after $rblk_n attempts: giving up (rblk.wait=$rblk_wait)"
			return 1
		fi
		rblk_say "attempt $rblk_n at $rblk_root failed; again in 5 s"
		sleep 5
	done
	rblk_say "root is $(cat "$rblk_run/root"), $rblk_root"
}

# rblk_bits MASK: how long a netmask is.
rblk_bits()
{
	rblk_n=0 rblk_rest=$1.
	while [ -n "$rblk_rest" ]; do
		case ${rblk_rest%%.*} in
		255)	rblk_n=$((rblk_n + 8)) ;;
		254)	rblk_n=$((rblk_n + 7)) ;;
		252)	rblk_n=$((rblk_n + 6)) ;;
		248)	rblk_n=$((rblk_n + 5)) ;;
		240)	rblk_n=$((rblk_n + 4)) ;;
		224)	rblk_n=$((rblk_n + 3)) ;;
		192)	rblk_n=$((rblk_n + 2)) ;;
		128)	rblk_n=$((rblk_n + 1)) ;;
		esac
		rblk_rest=${rblk_rest#*.}
	done
	echo "$rblk_n"
}

# rblk_network_lines: what systemd-networkd is to know of an interface that ipconfig has
# set up. Its address must not be taken away, neither when networkd starts nor when it
# stops; what came from a server by DHCP is renewed.
rblk_network_lines()
{
	echo "[Match]"
	echo "Name=$DEVICE"
	echo "[Network]"
	echo "Description=The root volume's way, kept up by rblk-boot"
	echo "KeepConfiguration=yes"
	if [ "$IPV4PROTO" = dhcp ]; then
		echo "DHCP=ipv4"
		return
	fi
	echo "Address=$IPV4ADDR/$(rblk_bits "$IPV4NETMASK")"
	[ "${IPV4GATEWAY:-0.0.0.0}" = 0.0.0.0 ] || echo "Gateway=$IPV4GATEWAY"
	for rblk_dns in "${IPV4DNS0:-0.0.0.0}" "${IPV4DNS1:-0.0.0.0}"; do
		[ "$rblk_dns" = 0.0.0.0 ] || echo "DNS=$rblk_dns"
	done
}

# rblk_keep_interface: for systemd-networkd, before any file of the root's own that
# matches the interface. What dracut has made networkd's files for needs a word only.
rblk_keep_interface()
{
	mkdir -p /run/systemd/network
	for rblk_file in /run/systemd/network/*.network; do
		[ -e "$rblk_file" ] || continue
		mkdir -p "$rblk_file.d"
		printf '[Network]\nKeepConfiguration=yes\n' >"$rblk_file.d/rblk.conf"
	done
	for rblk_file in /run/net-*.conf; do
		[ -e "$rblk_file" ] || continue
		DEVICE='' IPV4PROTO='' IPV4ADDR='' IPV4NETMASK='' IPV4GATEWAY=''
		# shellcheck disable=SC1090 # made by ipconfig
		. "$rblk_file"
		rblk_network_lines >"/run/systemd/network/05-rblk-root-$DEVICE.network"
	done
}
