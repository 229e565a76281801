// SPDX-License-Identifier: GPL-2.0-only
/* The verb "doctor": hosts that are well, and hosts that are not. */
#include <errno.h>
#include <signal.h>
#include <sys/stat.h>

#include "doctor.h"

void program_ends(const char *line, const char *out, struct ended ended)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(fake.programs); i++) {
		if (fake.programs[i].line && strcmp(fake.programs[i].line, line))
			continue;
		fake.programs[i].line = line;
		fake.programs[i].out = out;
		fake.programs[i].ended = ended;
		return;
	}
	fail_msg("no room for %s", line);
}

void program_prints(const char *line, const char *out)
{
	program_ends(line, out, (struct ended){ .error = 0 });
}

static const char *at(const char *path)
{
	static char full[2][128];
	static int turn;

	turn = !turn;
	snprintf(full[turn], sizeof(full[turn]), "%s%s", fake.root, path);
	return full[turn];
}

/* A host with a key and a RoCE device on eth1, 10.0.0.2, and a target at 10.0.0.1. */
int doctor_healthy(void **state)
{
	if (fake_setup(state))
		return -1;
	fake.release = "test";
	fake_file("/proc/sys/kernel/osrelease", "6.1.0-56-amd64\n");
	fake_file("/lib/modules/6.1.0-56-amd64/modules.dep",
		  "updates/dkms/rblk.ko.xz: kernel/x.ko\nupdates/dkms/rblk_target.ko:\n");
	fake_file("/proc/meminfo", "MemTotal: 9\nMemAvailable:    2048000 kB\n");
	fake_file("/etc/rblk/key", "AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA=\n");
	if (chmod(at("/etc/rblk/key"), 0600))
		return -1;
	fake_file("/sys/class/infiniband/mlx5_0/node_type", "1: CA\n");
	fake_file("/sys/class/infiniband/mlx5_0/ports/1/gids/0",
		  "fe80:0000:0000:0000:0000:00ff:fe00:0001\n");
	fake_file("/sys/class/infiniband/mlx5_0/ports/1/gids/1",
		  "0000:0000:0000:0000:0000:ffff:0a00:0002\n");
	program_prints(PORTS, "[{\"ifname\":\"mlx5_0\",\"port\":1,\"state\":\"ACTIVE\",\"netdev\":\"eth1\"},"
		"{\"ifname\":\"other_ns\",\"port\":1,\"state\":\"DOWN\"}]");
	program_prints(ROUTE, "[{\"dst\":\"10.0.0.1\",\"dev\":\"eth1\",\"prefsrc\":\"10.0.0.2\"}]");
	program_prints(OWNER, "[{\"ifname\":\"eth1\"}]");
	program_prints(LINK, "[{\"flags\":[\"UP\",\"LOWER_UP\"],\"mtu\":9000}]");
	fake.open_error[RBLK_TARGET] = ENOENT;
	fake.nr_offers = 1;
	snprintf(fake.offers[0].name, RBLK_NAME_LEN, "data");
	return 0;
}

/* A bad finding of @check that says @what and tells to try @remedy. */
void doctor_bad(const char *line, const char *check, const char *what, const char *remedy)
{
	char want[128];

	run_tool(line);
	assert_int_equal(result.status, EXIT_FAILED);
	snprintf(want, sizeof(want), "bad      %-8s  ", check);
	assert_has(result.out, want);
	assert_has(result.out, what);
	assert_has(strstr(result.out, what), remedy);
}

void doctor_note(const char *line, const char *check, const char *what)
{
	char want[128];

	run_tool(line);
	assert_int_equal(result.status, EXIT_OK);
	snprintf(want, sizeof(want), "note     %-8s  ", check);
	assert_has(result.out, want);
	assert_has(result.out, what);
}

static void is_well(void **state)
{
	struct json_object *top;

	(void)state;
	run_tool("doctor 10.0.0.1");
	assert_int_equal(result.status, EXIT_OK);
	assert_string_equal(result.err, "");
	assert_has(result.out, "ok       kernel    Linux 6.1.0-56-amd64\n");
	assert_has(result.out, "ok       device    mlx5_0 on eth1 is active\n");
	assert_has(result.out, "ok       gid       mlx5_0 serves 10.0.0.2\n");
	assert_has(result.out, "ok       mtu       packets of 4156 bytes come back\n");
	assert_has(result.out, "it offers this host 1;");
	assert_has(result.out, "\n0 bad, 0 to note\n");
	assert_null(strstr(result.out, "other_ns"));
	run_tool("doctor 10.0.0.1 --json");
	top = result_json();
	assert_string_equal(json_member(top, "/bad"), "0");
	assert_string_equal(json_member(top, "/findings/0/check"), "kernel");
	assert_string_equal(json_member(top, "/findings/0/result"), "ok");
	json_object_put(top);
	/* Without a target only this host is looked at. */
	run_tool("doctor");
	assert_int_equal(result.status, EXIT_OK);
	assert_null(strstr(result.out, "route"));
}

static void reads(void **state)
{
	static char block[4097];

	(void)state;
	memset(block, 'x', sizeof(block) - 1);
	fake_file("/dev/rblk3", block);
	run_tool("doctor 10.0.0.1/data");
	assert_int_equal(result.status, EXIT_OK);
	assert_has(result.out, "ok       export    this host may attach data\n");
	assert_has(result.out, "ok       read      4096 bytes in ");
	/* Only for reading, and it did not stay. */
	assert_int_equal(fake.attach.flags, RBLK_ATTACH_READ_ONLY);
	assert_int_equal(fake.detach.index, 3);
	/* One that is attached is read from as it is. */
	memset(&fake.detach, 0, sizeof(fake.detach));
	fake.nr_attach = 0;
	fake_volume(3, "10.0.0.1", "data");
	run_tool("doctor 10.0.0.1/data");
	assert_int_equal(result.status, EXIT_OK);
	assert_has(result.out, "of data as it is attached\n");
	assert_int_equal(fake.nr_attach + fake.detach.size, 0);
	fake_file("/dev/rblk3", "");
	doctor_bad("doctor 10.0.0.1/data", "read", "the first 4096 bytes of data cannot be read",
	    "on the target: dmesg");
}

/* Nor does a read that hangs keep the volume that was attached for it. */
static void read_hangs(void **state)
{
	(void)state;
	fake.reads_hang = true;
	doctor_bad("doctor 10.0.0.1/data", "read",
		   "reading the first 4096 bytes of data takes longer than 10 s",
		   "on the target: its device behind data");
	assert_int_equal(fake.detach.flags, RBLK_DETACH_FORCE);
	memset(&fake.detach, 0, sizeof(fake.detach));
	fake_volume(3, "10.0.0.1", "data");
	doctor_bad("doctor 10.0.0.1/data", "read",
		   "reading the first 4096 bytes of data takes longer than 10 s", "");
	assert_int_equal(fake.detach.size, 0);
}

static void modules(void **state)
{
	(void)state;
	fake.release = "9.8.7";
	doctor_note("doctor 10.0.0.1", "module", "rblk is release 9.8.7, rblkctl test");
	fake.release = "test";
	fake.abi = RBLK_ABI + 1;
	doctor_bad("doctor 10.0.0.1", "module", "the module rblk 2", "install rblkctl and");
	assert_has(result.out, "skipped  target");
	fake.abi = RBLK_ABI;
	fake.open_error[RBLK_INITIATOR] = ENOENT;
	doctor_bad("doctor 10.0.0.1", "module", "is not loaded", "modprobe rblk");
	fake_file("/lib/modules/6.1.0-56-amd64/modules.dep", "kernel/rblk_other.ko:\n");
	doctor_bad("doctor", "module", "rblk is not built for Linux 6.1.0-56-amd64", "dkms status");
	fake_file("/proc/sys/kernel/osrelease", "5.10.0\n");
	doctor_bad("doctor", "kernel", "Linux 5.10.0 is older than 6.1", "Debian 12");
	fake.open_error[RBLK_INITIATOR] = EACCES;
	doctor_bad("doctor", "module", "only for root", "sudo");
}

/* A target is one by its configuration, or by the module. */
static void target(void **state)
{
	(void)state;
	fake_file("/etc/rblk/rblk.conf", "portals = ( { address = \"10.0.0.1\" } );\n");
	doctor_bad("doctor", "module", "the target's module is not loaded", "modprobe rblk_target");
	fake.open_error[RBLK_TARGET] = 0;
	fake.nr_portals = 1;
	fake.portals[0].addr.family = 2;
	fake.portals[0].last_error = EADDRNOTAVAIL;
	doctor_bad("doctor", "listen", "portal 0.0.0.0:0 does not listen: Cannot assign",
	    "ip address; rdma link");
	fake.portals[0].listening = 1;
	run_tool("doctor");
	assert_int_equal(result.status, EXIT_OK);
	assert_has(result.out, "ok       listen    portal 0.0.0.0:0 listens\n");
	fake.pause.ms = 28001;
	doctor_note("doctor", "pause", "this target is paused by plan for another 29 s");
	assert_has(result.out, "try: rblkctl target resume");
	fake.pause.ms = 0;
	fake.nr_portals = 0;
	doctor_note("doctor", "listen", "this target has no portal");
	assert_null(strstr(result.out, "paused"));
	fake_fail(RBLKT_IOC_PAUSE_SHOW, RBLK_STAGE_ARGUMENTS, EINVAL, 0, "it won't say");
	doctor_bad("doctor", "pause", "it won't say", "");
}

static void host(void **state)
{
	(void)state;
	fake_file("/proc/meminfo", "MemAvailable: 30000 kB\n");
	doctor_note("doctor", "memory", "29 MiB of memory are available");
	fake_volume(0, "10.0.0.9", "gone")->volume.state = RBLK_VOL_WAITING;
	snprintf(fake.volumes[0].volume.reason, RBLK_ERROR_LEN, "the link is down");
	doctor_bad("doctor", "volume", "rblk0 (10.0.0.9/gone) is waiting for 0 s: the link is down",
	    "rblkctl doctor");
	fake.volumes[0].volume.paused_ms = 4200;
	doctor_note("doctor", "volume",
	     "rblk0 (10.0.0.9/gone) waits by plan: its target has paused, for another 5 s");
	assert_has(result.out, "on the target: rblkctl target show");
	assert_null(strstr(result.out, "the link is down"));
	fake.nr_volumes = 0;
	fake.no_programs = true;
	doctor_note("doctor 10.0.0.1", "device", "there is no program rdma");
	assert_has(result.out, "note     route ");
	assert_has(result.out, "ok       login ");
}

/* What is to be sent by another path, this one has to give back. */
static void paths(void **state)
{
	struct rblk_ioc_show *show;

	(void)state;
	show = fake_volume(4, "10.0.0.1", "twice");
	show->volume.queue_timeout = RBLK_QUEUE_TIMEOUT_FOREVER;
	fake_file("/sys/block/rblk4/holders/dm-7/dm/name", "mpath-by-name-only\n");
	fake_file("/sys/block/rblk4/holders/dm-7/dm/uuid", "LVM-mpath-not\n");
	run_tool("doctor");
	assert_int_equal(result.status, EXIT_OK);
	assert_null(strstr(result.out, "paths"));
	fake_file("/sys/block/rblk4/holders/dm-8/dm/uuid", "mpath-rblk-0a9c1c8e\n");
	doctor_bad("doctor", "paths", "rblk4 (10.0.0.1/twice), a path of multipath, holds its I/O for ever",
	    "rblkctl set rblk4 --queue-timeout 5");
	/* No time is too short. */
	show->volume.queue_timeout = 0;
	run_tool("doctor");
	assert_int_equal(result.status, EXIT_OK);
	assert_null(strstr(result.out, "paths"));
	show->volume.queue_timeout = RBLK_QUEUE_TIMEOUT_FOREVER;
	fake_remove("/sys/block/rblk4/holders/dm-8/dm/uuid");
	run_tool("doctor");
	assert_int_equal(result.status, EXIT_OK);
	assert_null(strstr(result.out, "paths"));
}

/* A volume is live as long as one route is, so nothing else tells of the others. */
static void routes(void **state)
{
	unsigned int i;

	(void)state;
	fake_volume(4, "10.0.0.1", "data")->volume.routes = 2;
	fake.volumes[0].volume.live_routes = 2;
	fake.nr_routes = 2;
	for (i = 0; i < 2; i++) {
		snprintf(fake.routes[i].target_text, RBLK_PATH_LEN, "10.%u.0.1", i);
		snprintf(fake.routes[i].session.device, RBLK_NAME_LEN, "mlx5_%u", i);
		fake.routes[i].state = RBLK_VOL_LIVE;
	}
	run_tool("doctor");
	assert_int_equal(result.status, EXIT_OK);
	assert_has(result.out, "ok       routes    rblk4 (10.0.0.1/data) has 2, and all are live");
	fake.volumes[0].volume.live_routes = 1;
	fake.routes[1].state = RBLK_VOL_WAITING;
	fake.routes[1].down_seconds = 12;
	snprintf(fake.routes[1].reason, RBLK_ERROR_LEN, "the link is down");
	doctor_bad("doctor", "routes", "rblk4 (10.0.0.1/data) has 1 of 2 routes: the one by 10.1.0.1 is "
	    "waiting for 12 s: the link is down", "rblkctl doctor 10.1.0.1");
	fake.routes[1].state = RBLK_VOL_NEW;
	fake.routes[1].reason[0] = '\0';
	doctor_bad("doctor", "routes", "is new for 12 s: it was never live", "10.1.0.1");
	/* One adapter is one thing that breaks. */
	fake.routes[1].state = RBLK_VOL_LIVE;
	fake.volumes[0].volume.live_routes = 2;
	snprintf(fake.routes[1].session.device, RBLK_NAME_LEN, "mlx5_0");
	doctor_note("doctor", "routes", "all 2 routes of rblk4 (10.0.0.1/data) use mlx5_0, and are lost with it");
	/* Of a volume that is lost the reason is said, once. */
	fake.volumes[0].volume.state = RBLK_VOL_WAITING;
	fake.volumes[0].volume.live_routes = 0;
	fake.routes[1].state = RBLK_VOL_WAITING;
	run_tool("doctor");
	assert_null(strstr(result.out, "routes"));
	fake.volumes[0].volume.state = RBLK_VOL_LIVE;
	fake.volumes[0].volume.routes = 1;
	run_tool("doctor");
	assert_null(strstr(result.out, "routes"));
}

static void devices(void **state)
{
	(void)state;
	program_prints(PORTS, "[]");
	doctor_bad("doctor 10.0.0.1", "device", "this host has no RDMA device", "rdma link add rxe0");
	assert_has(result.out, "skipped  target");
	program_prints(PORTS, "[{\"ifname\":\"mlx5_0\",\"port\":1,\"state\":\"DOWN\",\"netdev\":\"eth1\"}]");
	program_prints(LINK, "[{\"flags\":[],\"mtu\":9000}]");
	doctor_bad("doctor 10.0.0.1", "link", "port 1 of mlx5_0 on eth1 is not active",
	    "ip link set eth1 up");
	program_prints(LINK, "[{\"flags\":[\"UP\"],\"mtu\":9000}]");
	doctor_bad("doctor", "link", "is not active", "the cable of eth1");
	/* Without the kernel's RDMA core rdma fails; that is no failure to ask. */
	program_ends(PORTS, "", (struct ended){ .status = 1,
	     .said = "Failed to open NETLINK_RDMA socket" });
	assert_int_equal(rename(at("/sys/class/infiniband"), at("/sys/class/other")), 0);
	doctor_bad("doctor", "device", "no RDMA device", "driver");
}

/* What rblk takes of a device is known by its driver and what it speaks. */
static void families(void **state)
{
	(void)state;
	run_tool("doctor");
	assert_null(strstr(result.out, " adapter "));
	fake_link("/sys/class/infiniband/mlx5_0/device/driver", "../../bus/pci/drivers/mlx5_core");
	program_prints(PORTS, "[{\"ifname\":\"mlx5_0\",\"port\":1,\"state\":\"ACTIVE\",\"netdev\":\"eth1\"},"
		"{\"ifname\":\"mlx5_0\",\"port\":2,\"state\":\"ACTIVE\",\"netdev\":\"eth2\"}]");
	run_tool("doctor");
	assert_int_equal(result.status, EXIT_OK);
	assert_has(result.out, "ok       adapter   mlx5_0 is as mlx5 in docs/adapters.md: depth ");
	assert_null(strstr(strstr(result.out, " adapter ") + 1, " adapter "));
	/* There is no model of such a device that speaks this. */
	fake_file("/sys/class/infiniband/mlx5_0/node_type", "4: RNIC\n");
	run_tool("doctor");
	assert_null(strstr(result.out, " adapter "));
	fake_remove("/sys/class/infiniband/mlx5_0/device/driver");
	fake_link("/sys/class/infiniband/mlx5_0/device/driver", "i40e");
	run_tool("doctor");
	assert_has(result.out, "ok       adapter   mlx5_0 is as irdma-x722 in docs/adapters.md: depth ");
	fake_remove("/sys/class/infiniband/mlx5_0/device/driver");
	/* Software has no hardware, but a name. */
	fake_file("/sys/class/infiniband/mlx5_0/node_desc", "Software iWARP stack\n");
	run_tool("doctor");
	assert_has(result.out, "ok       adapter   mlx5_0 is as siw in docs/adapters.md: depth ");
	fake_link("/sys/class/infiniband/mlx5_0/device/driver", "../drivers/mana");
	doctor_note("doctor", "adapter", "rblk cannot use mlx5_0: its driver, mana, has no reliable connections");
	assert_has(result.out, "try: another RDMA device; or rdma link add rxe0 type rxe netdev eth1");
}

static void way(void **state)
{
	(void)state;
	program_prints(LINK, "[{\"flags\":[],\"mtu\":9000}]");
	doctor_bad("doctor 10.0.0.1", "link", "eth1 is down", "ip link set eth1 up");
	program_prints(LINK, "[{\"flags\":[\"UP\"],\"mtu\":9000}]");
	doctor_bad("doctor 10.0.0.1", "link", "eth1 has no link", "its cable");
	program_prints(LINK, "[{\"flags\":[\"UP\",\"LOWER_UP\"],\"mtu\":9000}]");
	doctor_bad("doctor 10.0.0.7", "route", "no route to 10.0.0.7", "ip route get 10.0.0.7");
	doctor_bad("doctor no-such-host.invalid", "address", "", "getent ahosts");
	program_prints(ROUTE, "[{\"dev\":\"eth0\",\"prefsrc\":\"10.9.0.2\"}]");
	program_prints("ip -j address show to 10.9.0.2", "[{\"ifname\":\"eth0\"}]");
	program_prints("ip -j link show dev eth0", "[{\"flags\":[\"UP\",\"LOWER_UP\"]}]");
	doctor_bad("doctor 10.0.0.1", "device", "over eth0, which has no RDMA device",
	    "netdev eth0");
	/* The address of another interface than the way's. */
	program_prints(ROUTE, "[{\"dev\":\"eth1\",\"prefsrc\":\"10.9.0.2\"}]");
	program_prints("ip -j address show to 10.9.0.2", "[{},{\"ifname\":\"lo\"}]");
	doctor_bad("doctor 10.0.0.1", "gid", "mlx5_0 has no GID for 10.9.0.2, which is an address of lo",
	    "on eth1 itself");
	program_prints("ip -j address show to 10.9.0.2", "[{\"ifname\":\"eth1\"}]");
	doctor_bad("doctor 10.0.0.1", "gid", "mlx5_0 has no GID for 10.9.0.2\n", "the device missed it");
}

static void sizes(void **state)
{
	(void)state;
	fake.echo_most = 1500;
	doctor_bad("doctor 10.0.0.1", "mtu", "packets of 4156 bytes do not come back from 10.0.0.1",
	    "here it is 9000");
	/* It goes on. */
	assert_has(result.out, "ok       login ");
	fake.echo_most = 1;
	run_tool("doctor 10.0.0.1");
	assert_int_equal(result.status, EXIT_OK);
	assert_has(result.out, "skipped  mtu       10.0.0.1 answers no pings");
	program_prints(LINK, "[{\"flags\":[\"UP\",\"LOWER_UP\"],\"mtu\":1500}]");
	fake.echo_most = 1084;
	run_tool("doctor 10.0.0.1");
	assert_has(result.out, "ok       mtu       packets of 1084 bytes");
	/* TCP finds out by itself, and has GIDs of its own. */
	fake.echo_most = 1;
	fake_file("/sys/class/infiniband/mlx5_0/node_type", "4: RNIC\n");
	fake_remove("/sys/class/infiniband/mlx5_0/ports/1/gids/1");
	run_tool("doctor 10.0.0.1");
	assert_int_equal(result.status, EXIT_OK);
	assert_null(strstr(result.out, " mtu "));
}

static void answers(void **state)
{
	(void)state;
	fake_fail(RBLK_IOC_DISCOVER, RBLK_STAGE_CONNECT, ECONNREFUSED, 0, "nobody listens there");
	doctor_bad("doctor 10.0.0.1:99", "portal", "nobody listens there",
	    "on the target: rblkctl portal list; does it have port 99?");
	fake_fail(RBLK_IOC_DISCOVER, RBLK_STAGE_CONNECT, EPROTO, RBLK_REJ_VERSION, "too old");
	doctor_bad("doctor 10.0.0.1", "portal", "too old", "the same release of rblk");
	/* By plan, so nothing is bad. */
	fake_fail(RBLK_IOC_DISCOVER, RBLK_STAGE_CONNECT, ECONNREFUSED, RBLK_REJ_PAUSED,
		  "paused, for another 7 s");
	doctor_note("doctor 10.0.0.1", "portal", "paused, for another 7 s");
	assert_has(result.out, "on the target: rblkctl target show");
	fake_fail(RBLK_IOC_DISCOVER, RBLK_STAGE_LOGIN, EACCES, RBLK_CTL_OTHER_HOST, "not you");
	doctor_bad("doctor 10.0.0.1", "login", "not you", "/etc/machine-id");
	fake_fail(RBLK_IOC_DISCOVER, RBLK_STAGE_ROUTE, ETIMEDOUT, 0, "no way");
	doctor_bad("doctor 10.0.0.1", "route", "no way", "ip route get");
	fake.fail = 0;
	fake.nr_offers = 0;
	doctor_note("doctor 10.0.0.1", "export", "it offers this host nothing");
	assert_has(result.out, "; its key is " KEY1 "\n");
	doctor_note("doctor --insecure 10.0.0.1", "export", "it offers this host nothing");
	assert_has(result.out, "--allow b39b1449-");
	assert_has(result.out, " --insecure (this host)");
}

static void exports(void **state)
{
	(void)state;
	fake_fail(RBLK_IOC_ATTACH, RBLK_STAGE_ATTACH, ENOENT, RBLK_CTL_NO_EXPORT,
		  "there is no export data");
	doctor_bad("doctor 10.0.0.1/data", "export", "there is no export data", "rblkctl discover");
	fake_fail(RBLK_IOC_ATTACH, RBLK_STAGE_ATTACH, EACCES, RBLK_CTL_DENIED, "not for you");
	doctor_bad("doctor --insecure 10.0.0.1/data", "export", "not for you",
		   "rblkctl export allow data b39b1449-");
	fake_fail(RBLK_IOC_ATTACH, RBLK_STAGE_ATTACH, EBUSY, RBLK_CTL_BUSY, "db has it");
	doctor_note("doctor 10.0.0.1/data", "export", "db has it, so nothing was read");
	fake_fail(RBLK_IOC_ATTACH, RBLK_STAGE_DISK, ETIMEDOUT, 0, "it hangs");
	doctor_bad("doctor 10.0.0.1/data", "read", "it hangs", "");
	fake_fail(RBLK_IOC_DETACH, RBLK_STAGE_DETACH, EIO, 0, "it stays");
	doctor_bad("doctor 10.0.0.1/data", "detach", "it stays", "");
}

/* A volume that is only attached to be read from does not stay. */
static void interrupted(void **state)
{
	(void)state;
	fake.interrupt = SIGINT;
	fake.interrupt_after = RBLK_IOC_ATTACH;
	run_tool("doctor 10.0.0.1/data");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_int_equal(fake.died, SIGINT);
	assert_int_equal(fake.nr_attach, 1);
	assert_int_equal(fake.detach.size, sizeof(fake.detach));
	assert_has(result.err, "doctor: interrupted, so this is not all");
	assert_has(result.out, "lets this host in");
	assert_has(result.out, "\n0 bad, 0 to note\n");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, doctor_healthy, fake_teardown)

static const struct CMUnitTest tests[] = {
	TEST(is_well),
	TEST(reads),
	TEST(read_hangs),
	TEST(modules),
	TEST(target),
	TEST(host),
	TEST(paths),
	TEST(routes),
	TEST(devices),
	TEST(families),
	TEST(way),
	TEST(sizes),
	TEST(answers),
	TEST(exports),
	TEST(interrupted),
};

SUITE(doctor, tests);
