# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A Debian release of its own in a directory, with its kernel, headers and
# compiler: built against and booted as a user of that release would. Sourced
# by kernel.

# in_dir ROOT COMMAND...: chroot, with mounts that end with it.
in_dir()
{
	# shellcheck disable=SC2016 # expands inside
	unshare -m bash -c 'mount -t proc proc "$1/proc" &&
		mount --bind /dev "$1/dev" && exec chroot "$@"' lab "$1" \
		/usr/bin/env -i HOME=/root LC_ALL=C.UTF-8 \
		DEBIAN_FRONTEND=noninteractive \
		PATH=/usr/sbin:/usr/bin:/sbin:/bin "${@:2}"
}

# Nobody reads manuals or starts services in there, and a crash only means
# that it is made again.
tune_root()
{
	printf '#!/bin/sh\nexit 101\n' >"$1/usr/sbin/policy-rc.d"
	chmod +x "$1/usr/sbin/policy-rc.d"
	cat >"$1/etc/dpkg/dpkg.cfg.d/lab" <<-EOF
		force-unsafe-io
		path-exclude=/usr/share/doc/*
		path-exclude=/usr/share/man/*
		path-exclude=/usr/share/locale/*
	EOF
	cp /etc/resolv.conf "$1/etc/resolv.conf"
	# Lists are signed; that a mirror is some weeks behind does not matter.
	cat >"$1/etc/apt/apt.conf.d/lab" <<-EOF
		APT::Sandbox::User "root";
		Acquire::Check-Valid-Until "false";
	EOF
}

# Unpacked, not installed: installing would generate an initial RAM disk. The
# kernel moved from linux-image into linux-binary and linux-modules after 13.
unpack_image()
{
	local root=$1 release=$2 package

	mkdir -p "$root/var/cache/lab"
	for package in linux-image linux-binary linux-modules; do
		in_dir "$root" sh -c "cd /var/cache/lab &&
			apt-get -q download $package-$release" || :
	done
	for package in "$root"/var/cache/lab/*.deb; do
		dpkg-deb --fsys-tarfile "$package" |
			tar -C "$root" -x --keep-directory-symlink
	done
	rm -rf "$root/var/cache/lab"
	if [ ! -e "$root/boot/vmlinuz-$release" ]; then
		cp "$root/usr/lib/modules/$release/vmlinuz" \
			"$root/boot/vmlinuz-$release"
	fi
	in_dir "$root" depmod "$release"
}

build_root()
{
	local suite=$1 series=$2 dir=$3 tmp=$3.new release packages

	# Those of another recipe are of no use any more.
	rm -rf "$cache/roots/$suite"-*
	debootstrap --variant=minbase "$suite" "$tmp" "$mirror"
	tune_root "$tmp"
	in_dir "$tmp" apt-get -q update
	release=$(in_dir "$tmp" apt-cache pkgnames "linux-headers-$series" |
		sed -n 's/^linux-headers-\([^-]*-amd64\)$/\1/p' |
		sort -V | tail -n 1)
	[ -n "$release" ] || { echo "$suite has no Linux $series"; return 1; }
	packages=$("$lab_dir/need" -l build tool guest |
		grep -v '^linux-headers-')
	# shellcheck disable=SC2086 # one word per package
	in_dir "$tmp" apt-get -q install -y --no-install-recommends \
		"linux-headers-$release" busybox $packages
	unpack_image "$tmp" "$release"
	rm -rf "$tmp"/var/cache/apt/archives/*.deb "$tmp"/var/lib/apt/lists/*
	echo "$release" >"$tmp/etc/lab-kernel"
	mv "$tmp" "$dir"
}

prepare_root()
{
	[ -d "$3" ] || step "Debian $1 with Linux $2 (minutes)" build_root "$@"
}

# kernel_root SUITE SERIES
kernel_root()
{
	local key

	"$lab_dir/need" roots qemu
	[ "$(id -u)" -eq 0 ] ||
		die "kernel $2 lives in a Debian $1 root, which only root can make"
	key=$({ cat "$lab_dir/kernel-root.sh"; "$lab_dir/need" -l build tool \
		guest; } | sha256sum)
	k_root=$cache/roots/$1-${key:0:12}
	mkdir -p "$cache/roots"
	with_lock "root-$1" prepare_root "$1" "$2" "$k_root"
	k_release=$(cat "$k_root/etc/lab-kernel")
	k_image=$k_root/boot/vmlinuz-$k_release
	k_build=/usr/src/linux-headers-$k_release
	k_layer=''
}
