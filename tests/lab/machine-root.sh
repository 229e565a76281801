# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# How a whole Debian 12 machine's system is made. A change here makes it again.
# Sourced by machine.sh.

# What a machine has before rblk's packages come: what they depend on, so that
# nothing has to be fetched in a test, and what a test looks at.
machine_packages='systemd systemd-sysv udev dbus kmod iproute2 initramfs-tools
	dkms openssl gcc make libjson-c5 libconfig9 libsmartcols1 libsodium23 rdma-core e2fsprogs procps
	util-linux'

# machine_releases: Debian 12's kernels, the newest last. One that is new has headers
# before it has a signed image.
machine_releases()
{
	in_dir "$1" apt-cache search --names-only \
		'^linux-(headers|image)-6\.1\.0-[0-9]+-amd64$' |
		sed -n 's/^linux-[a-z]*-\(6\.1\.0-[0-9]*-amd64\) .*/\1/p' |
		sort -V | uniq -d
}

# leave_out_drivers ROOT: those of what no virtual machine has. Each depmod and each
# initial RAM disk, which are slow in emulation, would read them.
leave_out_drivers()
{
	local what

	for what in sound drivers/{gpu,media,iio,hwmon,comedi,staging,hid} \
		drivers/net/{ethernet,wireless} drivers/{usb,mtd,input,platform} \
		drivers/cpufreq arch/x86/kvm net/{wireless,mac80211}; do
		echo "path-exclude=/lib/modules/*/kernel/$what/*"
	done >>"$1/etc/dpkg/dpkg.cfg.d/lab"
}

# Those of a machine's disk only, and no ciphers for the sake of the processor, each
# of which tests itself when it is loaded.
load_little()
{
	local name conf=$1/usr/share/initramfs-tools

	mkdir -p "$conf"/{conf,modules}.d "$1/etc/modprobe.d"
	printf '%s\n' MODULES=list COMPRESS=gzip >"$conf/conf.d/lab"
	printf '%s\n' virtio_pci virtio_blk ext4 crc32c_intel crc32c_generic \
		>"$conf/modules.d/lab"
	for name in aesni_intel ghash_clmulni_intel sha{1,256,512}_ssse3; do
		echo "blacklist $name"
	done >"$1/etc/modprobe.d/lab.conf"
}

# The newest kernel is installed, and not the one before, which may have what it
# mends (6.1.0-55: an oops in ext4 after its caches were dropped). That one is there
# as packages, as another kernel to be installed.
fill_machine()
{
	local root=$1 newest older

	printf 'deb %s bookworm-security main\n' "$mirror-security" \
		>>"$root/etc/apt/sources.list"
	in_dir "$root" apt-get -q update
	{ read -r older; read -r newest; } < <(machine_releases "$root" |
		tail -n 2)
	[ -n "$newest" ] || { echo "no two kernels to be had"; return 1; }
	# shellcheck disable=SC2086 # one word per package
	in_dir "$root" apt-get -q install -y --no-install-recommends \
		$machine_packages "linux-image-$newest" "linux-headers-$newest"
	# What fence-agents-rblk and librblk-dev depend on: to be installed in a test.
	mkdir -p "$root/var/cache/needed/partial"
	in_dir "$root" apt-get -q install -y --no-install-recommends --download-only \
		-o Dir::Cache::archives=/var/cache/needed \
		fence-agents libjson-c-dev libsodium-dev uuid-dev
	mkdir -p "$root/var/cache/lab"
	in_dir "$root" sh -c "cd /var/cache/lab && apt-get -q download \
		linux-image-$older linux-headers-$older \
		linux-headers-${older%-amd64}-common"
	echo "$newest" >"$root/etc/lab-kernel"
	echo "$older" >"$root/etc/lab-other"
}

build_machine()
{
	local dir=$1 tmp=$1.new

	rm -rf "$cache"/roots/machine-*
	debootstrap --variant=minbase bookworm "$tmp" "$mirror"
	tune_root "$tmp"
	# Those of rblk are looked for.
	echo "path-include=/usr/share/*/*rblk*" \
		>>"$tmp/etc/dpkg/dpkg.cfg.d/lab"
	leave_out_drivers "$tmp"
	load_little "$tmp"
	fill_machine "$tmp"
	# What is removed later is to be stopped by the rules.
	rm "$tmp/usr/sbin/policy-rc.d"
	rm -rf "$tmp"/var/cache/apt/archives/*.deb "$tmp"/var/lib/apt/lists/*
	mv "$tmp" "$dir"
}
