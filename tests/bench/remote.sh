# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The target's side of hosts: $remote runs a command there; both functions that
# bring a mode up set dev.

# on_target COMMAND...
on_target()
{
	if [ -n "$remote" ]; then
		# shellcheck disable=SC2086 # its words
		$remote "$(printf '%q ' "$@")"
	else
		"$@"
	fi
}

# cpu_time RUNNER: ns that all its CPUs have worked since boot.
cpu_time()
{
	# shellcheck disable=SC2016 # awk's fields
	"$1" awk '$1 == "cpu" { printf "%.0f\n",
		($2 + $3 + $4 + $7 + $8) * 10000000 }' /proc/stat
}

# need_module RUNNER MODULE: loaded from wherever, or loaded now.
need_module()
{
	"$1" test -d "/sys/module/$2" || "$1" modprobe "$2"
}

# rblk_up [ATTACH-OPTION...]: a portal that is there already is left alone.
rblk_up()
{
	need_module here rblk
	need_module on_target rblk_target
	portal_before=$(on_target rblkctl portal list | grep -cwF "$address" ||
		:)
	[ "$portal_before" -gt 0 ] || on_target rblkctl portal add "$address"
	# Without keys, as the other protocols, unless asked for.
	[[ " $* " =~ \ --(target-key|trust-first|insecure)\  ]] || set -- "$@" --insecure
	if [[ " $* " == *" --insecure "* ]]; then
		on_target rblkctl export add rblk-bench "$device" --allow-any --insecure >/dev/null
	else
		on_target rblkctl export add rblk-bench "$device" --allow "$(rblkctl key)" >/dev/null
	fi
	dev=$(rblkctl attach "$address/rblk-bench" "$@")
}

# The downs are for what the ups did, however far they came.
rblk_down()
{
	[ -z "${dev#"$device"}" ] || rblkctl detach "$dev"
	on_target rblkctl export remove rblk-bench
	[ "$portal_before" -gt 0 ] || on_target rblkctl portal remove "$address"
}

# nvme_script: what the target does, with transport, address, family, device.
nvme_script()
{
	cat <<-'END'
	set -e
	modprobe "nvmet-$1"
	mountpoint -q /sys/kernel/config ||
		mount -t configfs configfs /sys/kernel/config
	cd /sys/kernel/config/nvmet
	mkdir subsystems/rblk-bench ports/4499
	echo 1 >subsystems/rblk-bench/attr_allow_any_host
	mkdir subsystems/rblk-bench/namespaces/1
	echo "$4" >subsystems/rblk-bench/namespaces/1/device_path
	echo 1 >subsystems/rblk-bench/namespaces/1/enable
	echo "$1" >ports/4499/addr_trtype
	echo "$3" >ports/4499/addr_adrfam
	echo "$2" >ports/4499/addr_traddr
	echo 4499 >ports/4499/addr_trsvcid
	ln -s /sys/kernel/config/nvmet/subsystems/rblk-bench \
		ports/4499/subsystems/rblk-bench
	END
}

# nvme_up rdma|tcp
nvme_up()
{
	local family=ipv4 name

	[[ $address != *:* ]] || family=ipv6
	modprobe "nvme-$1"
	on_target bash -c "$(nvme_script)" bench "$1" "$address" "$family" \
		"$device"
	echo "transport=$1,traddr=$address,trsvcid=4499,nqn=rblk-bench" \
		>/dev/nvme-fabrics
	# Its namespaces are found later.
	for _ in {1..100}; do
		name=$(nvme_disk)
		[ -z "$name" ] || [ ! -b "/dev/$name" ] || break
		sleep 0.1
	done
	dev=/dev/$name
	[ -b "$dev" ] || { echo "hosts: no nvme device comes" >&2; return 1; }
}

# nvme_controller: the one of ours.
nvme_controller()
{
	local dir

	for dir in /sys/class/nvme/nvme*; do
		[ "$(cat "$dir/subsysnqn" 2>/dev/null)" != rblk-bench ] ||
			echo "$dir"
	done
}

# nvme_disk: its namespace, which is the subsystem's when multipath is on, and
# has then another device for each path.
nvme_disk()
{
	local dir name

	for dir in "$(nvme_controller)"/nvme* /sys/class/nvme-subsystem/*/nvme*; do
		name=${dir##*/}
		[[ ! $name =~ ^nvme[0-9]+n[0-9]+$ ]] ||
			[ "$(cat "${dir%/*}/subsysnqn")" != rblk-bench ] ||
			echo "$name"
	done | sort -u | head -n 1
}

nvme_down()
{
	local dir

	dir=$(nvme_controller)
	[ -z "$dir" ] || echo 1 >"$dir/delete_controller"
	on_target bash -c 'cd /sys/kernel/config/nvmet &&
		rm -f ports/4499/subsystems/rblk-bench &&
		rmdir ports/4499 subsystems/rblk-bench/namespaces/1 \
			subsystems/rblk-bench'
}
