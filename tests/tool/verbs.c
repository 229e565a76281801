// SPDX-License-Identifier: GPL-2.0-only
/* Every verb against modules that answer well. */
#include <arpa/inet.h>
#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "tool.h"

#define UUID1 "6b2c2e6c-52a4-4b43-93c3-51c2a5ab7a4f"

static void attaches(void **state)
{
	struct json_object *top;

	(void)state;
	run_ok("attach --insecure 10.0.0.1/data");
	assert_string_equal(result.out, "/dev/rblk3\n");
	assert_int_equal(fake.attach.flags, RBLK_ATTACH_INSECURE);
	assert_int_equal(fake.attach.index, -1);
	assert_int_equal(fake.attach.queue_timeout, 30);
	assert_string_equal(fake.attach.export_name, "data");
	assert_true(fake.attach.host_name[0]);
	run_ok("attach --insecure 10.0.0.1/data --read-only --shared --queues 2 --depth 8 --index 3 "
	   "--inline-read 4k --queue-timeout forever --uuid " UUID1 " --host-uuid " UUID1
	   " --host-name me --poll-queues 1 --digest --json");
	assert_int_equal(fake.attach.flags, RBLK_ATTACH_ALL & ~RBLK_ATTACH_TRUST_FIRST);
	assert_int_equal(fake.attach.queues, 2);
	assert_int_equal(fake.attach.poll_queues, 1);
	assert_int_equal(fake.attach.depth, 8);
	assert_int_equal(fake.attach.inline_read, 4096);
	assert_int_equal(fake.attach.index, 3);
	assert_int_equal(fake.attach.queue_timeout, -1);
	assert_int_equal(fake.attach.uuid[0], 0x6b);
	assert_int_equal(fake.attach.host[0], 0x6b);
	assert_string_equal(fake.attach.host_name, "me");
	top = result_json();
	assert_string_equal(json_member(top, "/device"), "/dev/rblk3");
	assert_string_equal(json_member(top, "/capacity"), "1048576");
	assert_string_equal(json_member(top, "/uuid"),
			    "abababab-abab-abab-abab-abababababab");
	json_object_put(top);
}

/* A node that never comes is said, but the device is attached. */
static void attach_without_node(void **state)
{
	(void)state;
	run_tool("attach --insecure 10.0.0.1/data --index 4");
	assert_int_equal(result.status, EXIT_OK);
	assert_string_equal(result.out, "/dev/rblk4\n");
	assert_has(result.err, "there is no /dev/rblk4 yet");
}

/* Where udev runs, attach gives it two seconds to make its links. */
static void attach_and_udev(void **state)
{
	time_t start;

	(void)state;
	fake_file("/run/udev/control", "");
	fake_file("/run/udev/data/b0:0", "");
	start = time(NULL);
	run_ok("attach --insecure 10.0.0.1/data");
	assert_true(time(NULL) - start <= 1);
	fake_remove("/run/udev/data/b0:0");
	run_ok("attach --insecure 10.0.0.1/data");
	assert_true(time(NULL) - start >= 2);
	assert_string_equal(result.out, "/dev/rblk3\n");
}

static void identity(void **state)
{
	struct json_object *top;
	char from_machine[UUID_TEXT];

	(void)state;
	run_ok("host");
	assert_int_equal(result.out[36], ' ');
	snprintf(from_machine, sizeof(from_machine), "%.36s", result.out);
	/* Version 5, and the same each time; other hosts know it by this. */
	assert_string_equal(from_machine, "b39b1449-808c-52e2-ae6d-5f276c1cc175");
	fake_file("/etc/rblk/host-uuid", UUID1 "\n");
	run_ok("host --json");
	top = result_json();
	assert_string_equal(json_member(top, "/uuid"), UUID1);
	assert_string_equal(json_member(top, "/origin"), "/etc/rblk/host-uuid");
	json_object_put(top);
	fake_file("/etc/rblk/host-uuid", "nonsense\n");
	run_tool("host");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_has(result.err, "/etc/rblk/host-uuid does not hold a UUID");
	fake_file("/etc/rblk/host-uuid", "");
	run_tool("attach --insecure 10.0.0.1/data");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_int_equal(fake.calls, 0);
}

static void no_identity(void **state)
{
	(void)state;
	fake_file("/etc/machine-id", "uninitialized\n");
	run_tool("attach --insecure 10.0.0.1/data");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_has(result.err, "this host has no identity");
	assert_has(result.err, "try: systemd-machine-id-setup");
	run_ok("attach --insecure 10.0.0.1/data --host-uuid " UUID1);
}

static void lists(void **state)
{
	struct json_object *top;

	(void)state;
	run_ok("list");
	assert_string_equal(result.out,
			    "DEVICE  TARGET  EXPORT  SIZE  ACCESS  STATE  REASON\n");
	run_ok("list --json");
	top = result_json();
	assert_string_equal(json_member(top, "/volumes"), "[ ]");
	json_object_put(top);
	fake_volume(0, "10.0.0.1", "data");
	fake_volume(5, "store:99", "scratch")->volume.state = RBLK_VOL_WAITING;
	snprintf(fake.volumes[1].volume.reason, RBLK_ERROR_LEN, "the \033 link is down");
	fake_volume(2147483647, "fd00::1", "last")->volume.access = RBLK_ATTACH_READ_ONLY;
	run_ok("list");
	assert_string_equal(result.out,
		"DEVICE               TARGET    EXPORT   SIZE  ACCESS  STATE    REASON\n"
		"/dev/rblk0           10.0.0.1  data     3G    rw      live\n"
		"/dev/rblk5           store:99  scratch  3G    rw      waiting  the ? link is down\n"
		"/dev/rblk2147483647  fd00::1   last     3G    ro      live\n");
	run_ok("list --json");
	top = result_json();
	assert_string_equal(json_member(top, "/volumes/1/state"), "waiting");
	assert_string_equal(json_member(top, "/volumes/2/index"), "2147483647");
	assert_string_equal(json_member(top, "/volumes/0/capacity"), "3221225472");
	json_object_put(top);
}

static void shows(void **state)
{
	struct rblk_ioc_show *v = fake_volume(2, "10.0.0.1", "data");
	struct json_object *top;

	(void)state;
	v->volume.flags = RBLK_EXPF_WRITE_CACHE | RBLK_EXPF_FUA;
	v->volume.state = 77;	/* of a newer module */
	v->session.counter[RBLK_CNT_REMOTE_INVALIDATES] = ~0ULL;
	v->session.features = RBLK_FEAT_READ_IMM;
	memset(v->session.peer_name, 'x', RBLK_NAME_LEN);	/* no NUL */
	run_ok("show rblk2");
	assert_has(result.out, "device                /dev/rblk2\n");
	assert_has(result.out, "write cache           volatile, FUA\n");
	assert_has(result.out, "state                 unknown\n");
	assert_has(result.out, "remote_invalidates  18446744073709551615\n");
	run_ok("show data --json");
	top = result_json();
	assert_string_equal(json_member(top, "/session/counters/remote_invalidates"),
			    "18446744073709551615");
	assert_string_equal(json_member(top, "/session/features/0"), "read_imm");
	assert_string_equal(json_member(top, "/session/target/address"), "-");
	assert_int_equal(strlen(json_member(top, "/session/target/name")), RBLK_NAME_LEN);
	json_object_put(top);
}

static void detaches(void **state)
{
	(void)state;
	fake_volume(0, "10.0.0.1", "data");
	fake_volume(1, "10.0.0.1", "logs");
	fake_volume(7, "10.0.0.2", "data");
	fake_file("/dev/rblk1", "");
	fake_link("/dev/disk/by-label/logs", "../../rblk1");
	run_ok("detach /dev/rblk7");
	assert_string_equal(result.out, "");
	assert_int_equal(fake.detach.index, 7);
	assert_int_equal(fake.detach.flags, 0);
	run_ok("detach logs --force");
	assert_int_equal(fake.detach.index, 1);
	assert_int_equal(fake.detach.flags, RBLK_DETACH_FORCE);
	run_ok("detach 10.0.0.2/data");
	assert_int_equal(fake.detach.index, 7);
	run_ok("detach 10.0.0.1:4421/data");
	assert_int_equal(fake.detach.index, 0);
	run_ok("detach /dev/rblk/10.0.0.2/data");
	assert_int_equal(fake.detach.index, 7);
	run_ok("detach 11111111-1111-1111-1111-111111111111");
	assert_int_equal(fake.detach.index, 1);
	run_ok("detach /dev/disk/by-id/rblk-17171717-1717-1717-1717-171717171717");
	assert_int_equal(fake.detach.index, 7);
	run_ok("detach /dev/disk/by-label/logs --json");
	assert_int_equal(fake.detach.index, 1);
	json_object_put(result_json());
}

static void detach_what(void **state)
{
	(void)state;
	fake_volume(0, "10.0.0.1", "data");
	fake_volume(7, "10.0.0.2", "data");
	fake_file("/dev/sda", "");
	run_tool("detach data");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_has(result.err, "attached more than once: rblk0 of 10.0.0.1, rblk7 of 10.0.0.2");
	run_tool("detach rblk4");
	assert_has(result.err, "rblk4 is not attached (stage lookup)");
	assert_has(result.err, "try: rblkctl list");
	run_tool("detach 10.0.0.3/data");
	assert_has(result.err, "10.0.0.3/data is not attached");
	run_tool("detach /dev/sda");
	assert_has(result.err, "/dev/sda is not a device of rblk");
	run_tool("detach /dev/nothing");
	assert_has(result.err, "/dev/nothing is not a device of rblk");
	assert_int_equal(fake.detach.size, 0);
}

static void sets(void **state)
{
	struct json_object *top;

	(void)state;
	fake_volume(2, "10.0.0.1", "data");
	run_ok("set data --queue-timeout 120");
	assert_int_equal(fake.policy.index, 2);
	assert_int_equal(fake.policy.queue_timeout, 120);
	run_ok("set rblk2 --queue-timeout -1 --json");
	assert_int_equal(fake.policy.queue_timeout, -1);
	top = result_json();
	assert_string_equal(json_member(top, "/queue_timeout"), "-1");
	json_object_put(top);
}

static void discovers(void **state)
{
	struct json_object *top;

	(void)state;
	run_tool("discover --insecure 10.0.0.1");
	assert_int_equal(result.status, EXIT_OK);
	assert_string_equal(result.out, "EXPORT  SIZE  BLOCK  ACCESS  USE  UUID\n");
	assert_has(result.err, "10.0.0.1 offers this host nothing\n  try: on the target:");
	assert_has(result.err, "rblkctl export allow NAME b39b1449-");
	fake.nr_offers = 1;
	snprintf(fake.offers[0].name, RBLK_NAME_LEN, "data");
	fake.offers[0].capacity = 1 << 30;
	fake.offers[0].block_size = 512;
	fake.offers[0].flags = RBLK_EXPF_IN_USE | RBLK_EXPF_READ_ONLY;
	run_ok("discover --insecure 10.0.0.1 --host-name me");
	assert_string_equal(fake.discover.host_name, "me");
	assert_has(result.out, "data    1G    512    ro      in use  00000000-");
	run_ok("discover --insecure 10.0.0.1 --json");
	top = result_json();
	assert_string_equal(json_member(top, "/name"), "store");
	assert_string_equal(json_member(top, "/exports/0/in_use"), "true");
	json_object_put(top);
}

static void export_add(void **state)
{
	struct json_object *top;
	char here[512];

	(void)state;
	run_tool("export add data /dev/sda");
	assert_int_equal(result.status, EXIT_OK);
	assert_int_equal(strlen(result.out), UUID_TEXT);
	assert_string_equal(fake.add.path, "/dev/sda");
	assert_int_equal(fake.add.flags, 0);
	assert_int_equal(fake.add.uuid[6] >> 4, 4);	/* a random one */
	/* One line says that it is nobody's so far, to people. */
	assert_has(result.err, "rblkctl: no host may attach data yet; try: rblkctl export allow data ");
	assert_ptr_equal(strchr(result.err, '\n') + 1, result.err + strlen(result.err));
	run_ok("export add data /dev/sda --json");
	run_ok("export add data /dev/sda --allow-any");
	fake_file("/sys/fs/cgroup/a/io.max", "");
	run_ok("export add data sda --read-only --shared --allow-any --cgroup a --forget "
	   "--insecure --realtime --uuid " UUID1 " --json");
	assert_int_equal(fake.add.flags, RBLKT_EXPORT_ALL);
	assert_int_equal(fake.add.uuid[0], 0x6b);
	assert_non_null(getcwd(here, sizeof(here) - 5));
	strcat(here, "/sda");
	assert_string_equal(fake.add.path, here);
	top = result_json();
	assert_string_equal(json_member(top, "/uuid"), UUID1);
	json_object_put(top);
	run_ok("export add data /dev/sda --insecure --allow " UUID1);
	assert_int_equal(fake.add.nr_hosts, 1);
	assert_int_equal(fake.add_hosts[0].uuid[0], 0x6b);
	run_ok("export remove data --force");
	assert_string_equal(fake.remove.name, "data");
	assert_int_equal(fake.remove.flags, RBLKT_REMOVE_FORCE);
}

static void fill_exports(void)
{
	static const char * const name[] = { "alpha", "beta" };
	unsigned int i;

	for (i = 0; i < 2; i++) {
		snprintf(fake.exports[i].name, RBLK_NAME_LEN, "%s", name[i]);
		snprintf(fake.exports[i].path, RBLK_PATH_LEN, "/dev/vg/%s", name[i]);
		fake.exports[i].capacity = 1ULL << (30 + i);
		fake.exports[i].nr_hosts = ARRAY_SIZE(fake.hosts);
	}
	fake.exports[1].export_flags = RBLKT_EXPORT_ALLOW_ANY | RBLKT_EXPORT_SHARED;
	fake.nr_exports = 2;
	memset(fake.hosts[0].uuid, 0x11, UUID_BYTES);
	memset(fake.hosts[1].key, 0x77, KEY_BYTES);
	snprintf(fake.users[0].name, RBLK_NAME_LEN, "web1");
	fake.users[0].access = RBLK_ACCESS_WRITE;
	fake.users[0].draining = 1;
	fake.users[0].peer.family = AF_INET;
	fake.users[0].peer.port = htons(1234);
	fake.nr_users = 1;
}

static void export_list(void **state)
{
	struct json_object *top;

	(void)state;
	fill_exports();
	run_ok("export list");
	assert_has(result.out, "NAME   SIZE  ACCESS     ALLOWED  USERS  UUID");
	assert_has(result.out, "alpha  1G    rw         2        1      0000");
	assert_has(result.out, "beta   2G    rw,shared  any      1      0000");
	run_ok("export list --json");
	top = result_json();
	assert_string_equal(json_member(top, "/exports/1/name"), "beta");
	assert_string_equal(json_member(top, "/exports/1/allow_any"), "true");
	json_object_put(top);
}

static void export_show(void **state)
{
	struct json_object *top;

	(void)state;
	fill_exports();
	run_ok("export show alpha");
	assert_has(result.out, "allowed               11111111-1111-1111-1111-111111111111, which proves nothing, so it may not\n");
	assert_has(result.out, "allowed               " KEY1 "\n");
	assert_has(result.out, "used by               web1 ");
	assert_has(result.out, "at 0.0.0.0:1234, rw, 0 in flight, draining\n");
	run_ok("export show beta");
	assert_has(result.out, "allowed               any host that proves a key\n");
	run_ok("export show alpha --json");
	top = result_json();
	assert_string_equal(json_member(top, "/allowed/0"),
			    "11111111-1111-1111-1111-111111111111");
	assert_string_equal(json_member(top, "/users/0/name"), "web1");
	json_object_put(top);
	/* More users than the first look has room for, and they grow. */
	fake.nr_users = 100;
	fake.grow = 30;
	run_ok("export show alpha --json");
	top = result_json();
	assert_string_equal(json_member(top, "/nr_users"), "130");
	assert_true(json_member(top, "/users/129")[0]);
	json_object_put(top);
	run_tool("export show gamma");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_has(result.err, "try: rblkctl export list");
}

static void portals(void **state)
{
	struct json_object *top;
	unsigned int i;

	(void)state;
	run_ok("portal add any");
	assert_int_equal(fake.portal.family, AF_INET);
	assert_int_equal(ntohs(fake.portal.port), 4421);
	run_ok("portal add [::]:99 --json");
	assert_int_equal(fake.portal.family, AF_INET6);
	top = result_json();
	assert_string_equal(json_member(top, "/address"), "[::]:99");
	json_object_put(top);
	run_ok("portal remove 10.0.0.1 --force");
	assert_int_equal(fake.portal.addr[0], 10);
	assert_int_equal(fake.portal_flags, RBLKT_REMOVE_FORCE);
	for (i = 0; i < 40; i++) {
		fake.portals[i].addr.family = AF_INET;
		fake.portals[i].addr.port = htons(100 + i);
	}
	fake.portals[0].listening = 1;
	fake.portals[1].last_error = EADDRNOTAVAIL;
	fake.nr_portals = 40;
	fake.grow = 3;
	run_ok("portal list");
	assert_has(result.out, "0.0.0.0:100  listening  0\n");
	assert_has(result.out, "0.0.0.0:101  waiting    0         Cannot assign requested address\n");
	assert_has(result.out, "0.0.0.0:139  waiting    0\n");
	run_ok("portal list --json");
	top = result_json();
	assert_string_equal(json_member(top, "/portals/0/listening"), "true");
	assert_string_equal(json_member(top, "/portals/1/errno"), "99");
	json_object_put(top);
}

static void sessions(void **state)
{
	struct json_object *top;

	(void)state;
	fake.nr_sessions = 1;
	snprintf(fake.sessions[0].peer_name, RBLK_NAME_LEN, "web1");
	fake.sessions[0].state = RBLK_SESS_LIVE;
	fake.sessions[0].queues = 4;
	fake.sessions[0].depth = 128;
	fake.sessions[0].epoch = 2;
	run_ok("session list");
	assert_has(result.out, "web1  -        live   2      0        4x128");
	run_ok("session list --json");
	top = result_json();
	assert_string_equal(json_member(top, "/sessions/0/host/name"), "web1");
	assert_string_equal(json_member(top, "/sessions/0/counters/reads"), "0");
	json_object_put(top);
}

/* By name or UUID; a name must be one host's. */
static void session_removed(void **state)
{
	static const __u8 none[UUID_BYTES];
	struct json_object *top;

	(void)state;
	fake.nr_sessions = 3;
	snprintf(fake.sessions[0].peer_name, RBLK_NAME_LEN, "web1");
	memset(fake.sessions[0].peer_uuid, 1, UUID_BYTES);
	fake.sessions[1] = fake.sessions[0];
	snprintf(fake.sessions[2].peer_name, RBLK_NAME_LEN, "web2");
	memset(fake.sessions[2].peer_uuid, 2, UUID_BYTES);
	run_ok("session remove web1");
	assert_memory_equal(fake.evict.host, fake.sessions[0].peer_uuid, UUID_BYTES);
	assert_int_equal(fake.evict.flags, 0);
	run_ok("session remove 02020202-0202-0202-0202-020202020202 --force --json");
	assert_memory_equal(fake.evict.host, fake.sessions[2].peer_uuid, UUID_BYTES);
	assert_int_equal(fake.evict.flags, RBLKT_REMOVE_FORCE);
	top = result_json();
	assert_string_equal(json_member(top, "/sessions"), "2");
	json_object_put(top);

	memset(&fake.evict, 0, sizeof(fake.evict));
	run_tool("session remove web3");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_has(result.err, "session remove web3: no host web3 is connected");
	snprintf(fake.sessions[2].peer_name, RBLK_NAME_LEN, "web1");
	run_tool("session remove web1");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_has(result.err, "several hosts call themselves web1");
	assert_memory_equal(fake.evict.host, none, UUID_BYTES);
}

static void versions(void **state)
{
	struct json_object *top;

	(void)state;
	fake.open_error[RBLK_TARGET] = ENOENT;
	run_ok("version");
	assert_has(result.out, "rblk                  9.8.7, control ABI 1, wire 1 to 1\n");
	assert_has(result.out, "rblk_target           the target's module is not loaded");
	run_ok("version --json");
	top = result_json();
	assert_string_equal(json_member(top, "/rblk/usable"), "true");
	assert_string_equal(json_member(top, "/rblk_target/usable"), "false");
	json_object_put(top);
	fake.abi = 7;
	run_ok("version");
	assert_has(result.out, "control ABI 7, wire 1 to 1: not usable with this rblkctl");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fake_setup, fake_teardown)

static const struct CMUnitTest tests[] = {
	TEST(attaches),
	TEST(attach_without_node),
	TEST(attach_and_udev),
	TEST(identity),
	TEST(no_identity),
	TEST(lists),
	TEST(shows),
	TEST(detaches),
	TEST(detach_what),
	TEST(sets),
	TEST(discovers),
	TEST(export_add),
	TEST(export_list),
	TEST(export_show),
	TEST(portals),
	TEST(sessions),
	TEST(session_removed),
	TEST(versions),
};

SUITE(verbs, tests);
