# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Whole Debian 12 machines: systemd, Debian's own kernel and initial RAM disk, a
# disk that outlives a boot. One system is prepared in the cache; a test changes a
# copy of it, makes a disk of that and boots the disk. Sourced after common.sh.

# shellcheck source=tests/lab/apt.sh
. "$lab_dir/apt.sh"
# shellcheck source=tests/lab/kernel-root.sh
. "$lab_dir/kernel-root.sh"
# shellcheck source=tests/lab/machine-root.sh
. "$lab_dir/machine-root.sh"

prepare_machine()
{
	[ -d "$1" ] ||
		step "a Debian 12 system with its kernel (minutes)" \
			build_machine "$1"
}

# machine_root: sets m_root; m_release, its kernel's; m_other, that of the kernel
# whose packages are in its /var/cache/lab.
machine_root()
{
	local key

	"$lab_dir/need" roots qemu machine
	[ "$(id -u)" -eq 0 ] || die "only root can make a Debian root"
	key=$(cat "$lab_dir"/{kernel,machine}-root.sh | sha256sum)
	m_root=$cache/roots/machine-${key:0:12}
	mkdir -p "$cache/roots"
	with_lock root-machine prepare_machine "$m_root"
	m_release=$(cat "$m_root/etc/lab-kernel")
	m_other=$(cat "$m_root/etc/lab-other")
}

# machine_copy DIR COMMAND...: run COMMAND with DIR/root being a writable copy of
# the prepared system, which is there as long as COMMAND runs; its changes stay in
# DIR.
machine_copy()
{
	mkdir -p "$1"/{root,changes,work}
	# shellcheck disable=SC2016 # expands inside
	unshare -m bash -c 'mount -t overlay overlay -o \
		"lowerdir=$1,upperdir=$2/changes,workdir=$2/work" "$2/root" &&
		shift 2 && exec "$@"' machine "$m_root" "$@"
}

# machine_agent ROOT: what makes it do what a test tells it, see lab-agent.
machine_agent()
{
	install -m 755 "$lab_dir/agent" "$1/usr/local/sbin/lab-agent"
	cat >"$1/etc/systemd/system/lab-agent.service" <<-EOF
		[Unit]
		Description=Commands from the test

		[Service]
		ExecStart=/usr/local/sbin/lab-agent
		PrivateMounts=yes
		TimeoutStopSec=3

		[Install]
		WantedBy=sysinit.target
	EOF
	in_dir "$1" systemctl -q enable lab-agent.service
	# Nothing that would use the time of a test, as protocols do that none of
	# ours asks for, and one identity for each.
	in_dir "$1" systemctl -q mask apt-daily.timer apt-daily-upgrade.timer \
		dpkg-db-backup.timer e2scrub_all.timer e2scrub_reap.service \
		fstrim.timer getty.target systemd-binfmt.service \
		rdma-load-modules@rdma.service \
		rdma-load-modules@infiniband.service rdma-ndd.service
	: >"$1/etc/machine-id"
	# On a busy machine a start takes longer than systemd gives it.
	echo "LABEL=machine / ext4 errors=remount-ro,x-systemd.device-timeout=600 0 1" \
		>"$1/etc/fstab"
	mkdir -p "$1/etc/systemd/system.conf.d"
	printf '[Manager]\nDefaultTimeoutStartSec=600\n' \
		>"$1/etc/systemd/system.conf.d/lab.conf"
}

# machine_disk ROOT FILE [LABEL [LAZY]]: a disk of it. The machine itself initializes the
# tables of inodes while it runs, unless LAZY is 0.
machine_disk()
{
	rm -f "$2"
	mke2fs -q -t ext4 -L "${3:-machine}" -E root_owner=0:0,lazy_itable_init="${4:-1}" -d "$1" \
		"$2" 3G
}

# machine_accel: KVM where a lab kernel boots with it.
machine_accel()
{
	(
		use_kernel 6.1
		# shellcheck source=tests/lab/run-qemu.sh
		. "$lab_dir/run-qemu.sh"
		with_lock "initrd-$k_release" build_initrd
		if with_lock kvm kvm_works; then
			echo "-accel kvm -cpu host"
		else
			echo "-accel tcg,thread=multi -cpu max"
		fi
	)
}

# machine_start DISK SHARE NAME ID [ARGUMENT...]: boot it, in a session of its
# own; sets machine_pid. Its console's output is SHARE/kernel.log; it has
# $machine_cpus processors, 1 unless told. A flush has nothing to do (unsafe): what
# is written to a file is not lost when QEMU is killed. Without DISK it has none;
# $machine_kernel, $machine_initrd and $machine_params, which name its root, are
# then not those of a disk.
machine_start()
{
	local disk=$1 share=$2 name=$3 id=$4 drive=()
	shift 4

	[ -n "${machine_cpu:-}" ] || machine_cpu=$(machine_accel)
	mkdir -p "$share"
	[ -z "$disk" ] ||
		drive=(-drive "file=$disk,if=virtio,cache=unsafe,format=raw")
	# shellcheck disable=SC2086 # one word per argument
	setsid qemu-system-x86_64 $machine_cpu -smp "${machine_cpus:-1}" -m 768M -nodefaults \
		-no-reboot -display none \
		-kernel "${machine_kernel:-$m_root/boot/vmlinuz-$m_release}" \
		-initrd "${machine_initrd:-$m_root/boot/initrd.img-$m_release}" \
		-append "${machine_params:-root=LABEL=machine} rw console=ttyS0 loglevel=6 ${machine_panic-panic=-1} \
oops=panic tsc=unstable clocksource=hpet no_timer_check net.ifnames=0 \
mitigations=off cryptomgr.notests audit=0 \
systemd.hostname=$name systemd.machine_id=$id" \
		-serial "file:$share/kernel.log" "${drive[@]}" \
		-virtfs "local,path=$share,mount_tag=lab,security_model=none" \
		-device virtio-rng-pci "$@" </dev/null >"$share/qemu.log" 2>&1 &
	machine_pid=$!
}
