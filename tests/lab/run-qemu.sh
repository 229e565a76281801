# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Boots a Debian kernel in QEMU. Sourced by run.

initrd=$cache/qemu/$k_release-$(cat "$lab_dir/initramfs" \
	"$lab_dir/run-qemu.sh" | sha256sum | cut -c 1-12).cpio

# The modules the root needs, in the order insmod wants them.
boot_modules()
{
	local base=$1 m

	for m in virtio_pci 9pnet_virtio 9p overlay virtio_console; do
		modprobe -d "$base" -S "$k_release" --show-depends "$m" |
			sed -n 's/^insmod //p'
	done | awk '!seen[$1]++ { print $1 }'
}

# Debian compresses its modules since 13 and busybox insmod cannot read that.
copy_module()
{
	case $1 in
	*.xz)	xz -dc "$1" ;;
	*.zst)	zstd -dc "$1" ;;
	*)	cat "$1" ;;
	esac
}

build_initrd()
{
	local tmp m base=${k_layer:-$k_root}/usr name

	[ ! -e "$initrd" ] || return 0
	mkdir -p "${initrd%/*}"
	tmp=$(mktemp -d "$cache/qemu/new.XXXXXX")
	mkdir -p "$tmp"/{bin,proc,dev,lib}
	cp /bin/busybox "$tmp/bin"
	cp "$lab_dir/initramfs" "$tmp/init"
	for m in $(boot_modules "$base"); do
		name=${m##*/}
		name=/lib/${name%%.ko*}.ko
		copy_module "$m" >"$tmp$name"
		echo "$name" >>"$tmp/modules"
	done
	(cd "$tmp" && find . | cpio -o -H newc --quiet) >"$initrd.new"
	rm -rf "$tmp"
	mv "$initrd.new" "$initrd"
}

# kvm_works: a device node that opens proves nothing (nested machines give a
# guest that never leaves its decompressor): boot and see, once per machine
# boot and user.
kvm_works()
{
	local mark

	[ -w /dev/kvm ] || return 1
	mark=$cache/qemu/kvm-$(id -u)-$(cat /proc/sys/kernel/random/boot_id)
	if [ ! -e "$mark" ]; then
		if timeout -k 1 15 qemu-system-x86_64 -accel kvm -cpu host \
			-m 512 -nographic -no-reboot -kernel "$k_image" \
			-initrd "$initrd" \
			-append "console=ttyS0 panic=-1 lab.probe" \
			</dev/null 2>&1 | grep -q "lab: probe reached init"
		then
			echo yes >"$mark"
		else
			echo no >"$mark"
		fi
	fi
	[ "$(cat "$mark")" = yes ]
}

# The guest's clock is the emulated HPET: on a busy machine the calibration of
# an emulated TSC has been off by a factor of a hundred, and all timeouts were.
#
# boot: starts the guest in a session of its own and sets guest.
boot()
{
	local share="security_model=none,multidevs=remap" accel args more

	with_lock "initrd-$k_release" build_initrd
	accel=(-accel "tcg,thread=multi" -cpu max)
	! with_lock kvm kvm_works || accel=(-accel kvm -cpu host)
	# erms and fsrm: "rep movsb" would count an instruction per byte.
	[ "$deterministic" = 0 ] || accel=(-accel tcg
		-icount "shift=0,sleep=off" -cpu "max,-erms,-fsrm")
	args=("${accel[@]}" -smp "$cpus" -m "$mem" -nodefaults
		-no-reboot -display none
		-kernel "$k_image" -initrd "$initrd"
		-append "console=ttyS0 loglevel=8 panic=-1 oops=panic \
tsc=unstable clocksource=hpet no_timer_check ${k_layer:+lab.layer} ${RBLK_APPEND:-}"
		-serial "file:$log"
		-virtfs "local,path=$k_root,mount_tag=root,readonly=on,$share"
		-virtfs "local,path=$top,mount_tag=top,readonly=on,$share"
		-virtfs "local,path=$out,mount_tag=out,$share"
		-device virtio-rng-pci -device virtio-serial-pci)
	[ -z "$k_layer" ] || args+=(-virtfs \
		"local,path=$k_layer,mount_tag=layer,readonly=on,$share")
	read -ra more <<<"$extra"
	args+=(${more[@]+"${more[@]}"})
	if [ "$interactive" = 1 ]; then
		setsid qemu-system-x86_64 "${args[@]}" \
			-chardev stdio,id=io,signal=off \
			-device virtconsole,chardev=io <&0 &
	else
		# Not in the guest's process group: what it said last must
		# not die with it.
		exec 4> >(exec cat)
		drains+=($!)
		setsid qemu-system-x86_64 "${args[@]}" \
			-chardev file,id=io,path=/dev/stdout \
			-device virtserialport,chardev=io </dev/null >&4 &
	fi
	guest=$!
	exec 4>&-
}
