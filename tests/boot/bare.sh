# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A machine that has no disk: its firmware, which is QEMU here, loads a kernel and an
# initial RAM disk, and root is a volume. Sourced by run.
# shellcheck disable=SC2016,SC2154 # commands for machines; run has the rest

# The other kernel comes last: it may have what the newest one mends, see machine-root.sh.
bare_cases='bare_first bare_gives_up bare_named bare_is_root bare_network bare_target_gone
	bare_target_long_gone bare_reboots bare_lost_at_boot bare_lost_at_shutdown bare_lost_before_shutdown bare_dracut bare_72
	bare_golden bare_update'

# What it is told to boot from.
bare_export=root

# Some of what a boot server has takes minutes to make: only for who wants it.
bare_prepare()
{
	local with=()

	! wants bare_dracut || with+=(dracut)
	! wants bare_72 || with+=(7.2)
	step "a Debian 12 system without a disk" machine_copy "$out" "$top/tests/boot/bare-system" \
		"$out/root" "$out" "$m_other" ${with[@]+"${with[@]}"}
	bare_key=$(cat "$out/bare.key")
}

# bare_on [IMAGE [KERNEL]]: what a boot server tells the machine's firmware. A case may have
# another RDMA device in bare_rdma, and more words in bare_more. While the target is away,
# root waits for longer than the kernel thinks right, and nothing can be set then.
bare_on()
{
	# shellcheck disable=SC2034 # machine_start has these
	local machine_kernel=$out/firmware/${2:-vmlinuz} machine_initrd=$out/firmware/${1:-initrd}
	# shellcheck disable=SC2034
	local machine_params="root=LABEL=bare ip=10.77.1.2:::255.255.255.0:bare:eth0:off \
rblk.root=10.77.1.1/$bare_export rblk.target-key=$target_key rblk.rdma=${bare_rdma:-rxe} \
rblk.options=queues=1,depth=8 sysctl.kernel.hung_task_timeout_secs=0 ${bare_more:-}"

	begun=$SECONDS
	switch_on bare
}

# console SECONDS WORDS: until the machine's console shows them.
console()
{
	local end=$((SECONDS + $1)) log

	log=$(dir_of bare)/kernel.log
	until grep -qa -e "$2" "$log" 2>/dev/null; do
		[ "$SECONDS" -lt "$end" ] || fail "bare: no '$2' on its console after $1 s"
		kill -0 "${guest[bare]}" 2>/dev/null || fail "bare has died"
		sleep 0.5
	done
}

# With a login on its console, and with all data that was written.
bare_ready()
{
	ready bare
	console "$boot_limit" 'bare login:'
	note "login $((SECONDS - begun)) s after the power came"
	tell bare '[ "$(findmnt -no SOURCE /)" = /dev/rblk0 ]
[ "$(cat /sys/block/rblk0/rblk/queue_timeout)" = -1 ]
[ -z "$(ls /sys/block | grep -vE "^(rblk0|loop[0-9]+|ram[0-9]+)$")" ]
cd /srv; [ ! -e sums ] || sha256sum --quiet -c sums'
}

bare_write()
{
	bare_files=$((${bare_files:-0} + 1))
	tell bare "cd /srv; dd if=/dev/urandom of=$bare_files bs=16k count=16 status=none
sha256sum $bare_files >>sums; sync -f ."
}

# What a case needs that is run by itself.
bare_up()
{
	bare_on
	bare_ready
}

# Its target does not answer: it says so, tries on, and boots when it does.
bare_first()
{
	tell target 'systemctl stop rblk-target'
	bare_on
	console "$boot_limit" 'rblk: attempt 2 at 10.77.1.1/root failed; again in 5 s'
	tell target 'systemctl start rblk-target'
	console "$boot_limit" 'rblk: root is /dev/rblk0, 10.77.1.1/root'
	bare_ready
	bare_write
}

# Its target does not answer for as long as it is told to try: it gives up, and there is the
# shell that Debian gives, unless the kernel is told to panic.
bare_gives_up()
{
	local bare_more=rblk.wait=8 machine_panic=

	down bare
	tell target 'systemctl stop rblk-target'
	bare_on
	console "$boot_limit" 'rblk: no root after [1-9] attempts: giving up (rblk.wait=8)'
	console "$boot_limit" '^(initramfs) '
	killed bare
	tell target 'systemctl start rblk-target'
	bare_more='' machine_panic=panic=-1
	bare_up
}

# second_image: what the firmware loads behind the first one. It has the machine's key in a
# file of its own, one that opens nothing where the key usually is, and an RDMA device that
# is there with the network interface, as an adapter's is.
second_image()
{
	local dir=$out/second

	mkdir -p "$dir"/{keys,etc/rblk,etc/udev/rules.d}
	cp "$out/bare.secret" "$dir/keys/bare"
	(umask 077 && head -c "$(stat -c %s "$out/bare.secret")" /dev/zero | tr '\0' A \
		>"$dir/etc/rblk/key")
	cat >"$dir/etc/udev/rules.d/98-named.rules" <<-'EOC'
		ACTION=="add", SUBSYSTEM=="net", KERNEL=="eth0", RUN+="/bin/sh -c 'PATH=/usr/sbin:/usr/bin:/sbin:/bin; modprobe rdma_rxe; rdma link add rdma0 type rxe netdev eth0'"
	EOC
	(cd "$dir" && find . | cpio --quiet -o -H newc | gzip) |
		cat "$out/firmware/initrd" - >"$out/firmware/initrd-named"
}

# The key is in a file that it is told of, and the RDMA device has a name.
bare_named()
{
	local bare_rdma=rdma0 bare_more=rblk.key=/keys/bare

	down bare
	second_image
	bare_on initrd-named
	bare_ready
	tell bare 'rblkctl show rblk0 | grep "local  *10.77.1.2:.* on rdma0"'
	bare_write
}

# Nothing takes root away.
bare_is_root()
{
	local verb

	for verb in "detach rblk0" "detach rblk0 --force" "down --only volumes"; do
		try bare "rblkctl $verb"
		[ "$verb" = "down --only volumes" ] || [ "$rc" -eq 1 ] ||
			fail "'$verb' ended with $rc: $said"
		[[ $said == *"root file system"* ]] || fail "'$verb' says: $said"
	done
	tell bare 'echo "volumes = ( );" >/etc/rblk/rblk.conf
rblkctl apply --only volumes
systemctl start rblk-volumes
systemctl stop rblk-volumes
[ "$(cat /sys/block/rblk0/rblk/state)" = live ]'
	bare_write
}

# What root comes by is not taken away either.
bare_network()
{
	tell bare 'systemctl restart systemd-networkd; sleep 3
systemctl stop systemd-networkd; sleep 3
ip -4 -o address show dev eth0 | grep "10.77.1.2/24"
echo 3 >/proc/sys/vm/drop_caches
[ "$(cat /sys/block/rblk0/rblk/state)" = live ]
systemctl start systemd-networkd'
	bare_write
}

# bare_gone SECONDS: a target that is killed, and comes back: who reads and writes waits.
bare_gone()
{
	tell bare 'cat >/run/writer <<EOC
cd /srv
for i in {1..30}; do
	dd if=/dev/urandom of=meanwhile bs=16k count=4 conv=fsync status=none || {
		: >/run/failed
		exit 1
	}
	sleep 0.5
done
: >/run/wrote
EOC
rm -f /run/wrote /run/failed
systemd-run --unit=lab-writer bash /run/writer'
	killed target
	sleep "$1"
	switch_on target
	ready target
	# Without root, systemctl has no answer from systemd, which needs root itself.
	until_true "$boot_limit" bare '[ -e /run/wrote ] || [ -e /run/failed ]'
	tell bare '[ -e /run/wrote ]
[ "$(cat /sys/block/rblk0/rblk/state)" = live ]
! journalctl -k -b -o cat | grep -E "I/O error|EXT4-fs error|remounting"'
	bare_write
}

bare_target_gone()
{
	bare_gone 10
}

# For longer than the 3 min after which systemd ends services that say nothing, as they wait
# for root: it starts them again.
bare_target_long_gone()
{
	bare_gone 240
	until_true "$boot_limit" bare 'for name in udevd journald logind networkd; do
systemctl -q is-active systemd-$name || exit 1
done
[ -z "$(systemctl --failed --plain --no-legend)" ]'
	tell bare 'journalctl -b -o cat | grep -c "Watchdog timeout" || :'
	note "after 240 s of loss, services whose watchdog was over: $said"
}

# Root goes last, and whole: its journal has nothing to bring back.
bare_reboots()
{
	down bare
	bare_on
	bare_ready
	# The log of ext4 had nothing that was not in its place yet: root came off before.
	tell bare 'dmesg | grep "EXT4-fs (rblk0): mounted filesystem"
if dmesg | grep -E "EXT4-fs.*(recovery|orphan|error|unclean)"; then exit 1; fi'
	tell bare 'systemctl is-system-running --wait || :
systemd-analyze | grep "^Startup finished in"
systemd-analyze critical-chain | grep -q "^multi-user.target\|^graphical.target"'
	note "${said##*$'\n'}"
}

# Its target is lost when root is there, and before there is a login.
bare_lost_at_boot()
{
	down bare
	bare_on
	console "$boot_limit" 'rblk: root is /dev/rblk0, 10.77.1.1/root'
	killed target
	sleep 10
	switch_on target
	ready target
	bare_ready
	bare_write
}

# The same system, by an initial RAM disk that dracut has made.
bare_dracut()
{
	down bare
	tell target 'systemctl stop rblk-target'
	bare_on initrd-dracut
	console "$boot_limit" 'rblk: an attempt at 10.77.1.1/root failed; again in 5 s'
	tell target 'systemctl start rblk-target'
	console "$boot_limit" 'rblk: root is /dev/rblk0, 10.77.1.1/root'
	bare_ready
	tell bare 'grep -q KeepConfiguration=yes /run/systemd/network/*.network.d/rblk.conf'
	bare_network
}

# Linux 7.2 under the same system, by an initial RAM disk that Debian 12 has made.
bare_72()
{
	down bare
	bare_on initrd-7.2 vmlinuz-7.2
	console "$boot_limit" 'rblk: root is /dev/rblk0, 10.77.1.1/root'
	bare_ready
	tell bare 'uname -r | grep "^7\.2\."; modinfo -n rblk'
	note "${said//$'\n'/ }"
	bare_network
	bare_gone 10
	log_clean bare
	down bare
	bare_on initrd-7.2 vmlinuz-7.2
	bare_ready
}

# apt-get brings another kernel, DKMS its modules, the hook its initial RAM disk; who
# runs the boot server fetches both.
bare_update()
{
	local limit=3600

	tell bare "uname -r; export DEBIAN_FRONTEND=noninteractive
apt-get -q update
apt-get -q -y install linux-image-$m_other linux-headers-$m_other
dkms status rblk -k $m_other | grep installed
cp /boot/vmlinuz-$m_other /run/lab/vmlinuz
cp /boot/initrd.img-$m_other /run/lab/initrd"
	cp "$(dir_of bare)"/{vmlinuz,initrd} "$out/firmware/"
	down bare
	bare_on
	bare_ready
	tell bare "[ \$(uname -r) = $m_other ]"
}

# lost_shutdown COMMAND: what asks for it, after the target was lost. Until rblk-hold has
# heard of it, I/O is held for ever, then for 30 s; the rest is systemd's. Each look-up that
# fails puts several lines onto the console, which takes minutes where emulation is slow.
lost_shutdown()
{
	local shutdown_limit=400

	ask bare "$1"
	ended bare
	grep -qa 'rblk: 10.77.1.1: connection lost' "$(dir_of bare)/kernel.log" ||
		fail "bare has not noticed that its target was lost"
	# A panic would end the machine as well.
	grep -qa 'reboot: Power down' "$(dir_of bare)/kernel.log" ||
		fail "bare did not power off"
	switch_on target
	ready target
	bare_on
	bare_ready
}

# Its target is lost as it begins to go down, with data that is not written yet.
bare_lost_at_shutdown()
{
	bare_write
	tell bare 'systemctl is-system-running --wait || :
echo lost >/srv/unwritten'
	killed target
	lost_shutdown 'systemctl --no-block poweroff'
}

# Its target was lost before, and nothing that is not held can be read: no program can be
# started to ask for it, but the shell can ask systemd itself.
bare_lost_before_shutdown()
{
	bare_write
	tell bare 'journalctl -b -o cat -u rblk-root | grep held; grep Mlocked /proc/meminfo
echo lost >/srv/unwritten'
	note "${said//$'\n'/; }"
	killed target
	lost_shutdown 'for i in {1..20}; do echo 3 >/proc/sys/vm/drop_caches
read -t 1 <>/run/lab-wait || :; done; kill -s RTMIN+4 1'
}
