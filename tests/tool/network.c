// SPDX-License-Identifier: GPL-2.0-only
/* What iproute2 says to the verb "doctor": programs that fail, and InfiniBand. */
#include <errno.h>

#include "doctor.h"

/*
 * A program that fails says nothing of the host: the finding says how it failed, is
 * none of a missing device or route, and keeps nothing else from being looked at.
 */
static const struct {
	struct ended ended;
	const char *out;
	const char *what;
	const char *remedy;
} failures[] = {
	{ { .error = ENOENT }, "", "there is no program %s", "apt-get install iproute2" },
	{ { .error = EACCES }, "", "'%s' cannot be run: Permission denied", "as root" },
	{ { .error = ETIMEDOUT }, "", "'%s' gave no answer within 10 s", "by hand, and dmesg" },
	{ { .signal = 9 }, "", "'%s' was ended by signal 9 (Killed)", "by hand, and dmesg" },
	{ { .status = 1, .said = "Cannot open netlink socket: Operation not permitted" }, "",
	  "'%s' ended with status 1: Cannot open netlink socket: Operation not permitted",
	  "by hand, as root" },
	{ { .status = 255 }, "", "'%s' ended with status 255, so", "by hand" },
	{ { .error = 0 }, "nonsense", "'%s' does not print a list as JSON", "newer iproute2" },
	{ { .error = 0 }, "{\"a\":1}", "'%s' does not print a list as JSON", "newer iproute2" },
	{ { .error = 0 }, "", "'%s' does not print a list as JSON", "newer iproute2" },
};

/* @line fails in each way, at @check, where other things say that it is well. */
static void fails_at(const char *line, const char *good, const char *check, const char *so,
		     const char *well)
{
	char what[256], want[400], name[8];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(failures); i++) {
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(line, " "), line);
		program_ends(line, failures[i].out, failures[i].ended);
		snprintf(what, sizeof(what), failures[i].what,
			 failures[i].ended.error == ENOENT ? name : line);
		doctor_note("doctor 10.0.0.1", check, what);
		snprintf(want, sizeof(want), "%s\n", so);
		assert_has(strstr(result.out, what), want);
		assert_has(strstr(result.out, so), failures[i].remedy);
		assert_null(strstr(result.out, "no route"));
		assert_null(strstr(result.out, "no RDMA device"));
		assert_has(result.out, well);
	}
	program_prints(line, good);
}

static void programs_fail(void **state)
{
	static const char ports[] = "[{\"ifname\":\"mlx5_0\",\"port\":1,\"state\":\"ACTIVE\","
				    "\"netdev\":\"eth1\"}]";

	(void)state;
	fails_at(PORTS, ports, "device", ", so RDMA devices are not checked", "ok       route ");
	fails_at(ROUTE, "[{\"dev\":\"eth1\",\"prefsrc\":\"10.0.0.2\"}]", "route",
		 ", so the way to 10.0.0.1 is not checked", "ok       login ");
	fails_at(OWNER, "[{\"ifname\":\"eth1\"}]", "route",
		 ", so the way to 10.0.0.1 is not checked", "ok       login ");
	fails_at(LINK, "[{\"flags\":[\"UP\",\"LOWER_UP\"],\"mtu\":9000}]", "link",
		 ", so eth1 is not checked", "ok       gid ");
	run_tool("doctor 10.0.0.1");
	assert_has(result.out, "\n0 bad, 0 to note\n");
	/* What the kernel answers is about the route, in whatever words. */
	program_ends(ROUTE, "", (struct ended){ .status = 2,
	     .said = "RTNETLINK answers: Network is unreachable" });
	doctor_bad("doctor 10.0.0.1", "route", "this host has no route to 10.0.0.1\n",
	    "ip route get 10.0.0.1; an address");
	program_ends(ROUTE, "", (struct ended){ .status = 2,
	     .said = "RTNETLINK answers: Permission denied" });
	doctor_bad("doctor 10.0.0.1", "route",
	    "no route to 10.0.0.1 that can be used: Permission denied\n", "ip rule");
	program_ends(ROUTE, "", (struct ended){ .status = 2,
		     .said = "Error: Nexthop id does not exist." });
	doctor_bad("doctor 10.0.0.1", "route", "that can be used: Nexthop id does not exist.\n", "ip rule");
	program_prints(ROUTE, "[{\"dst\":\"10.0.0.1\"}]");
	doctor_bad("doctor 10.0.0.1", "route", "is over no network device", "ip route get 10.0.0.1");
	/* Whatever stands in it. */
	program_prints(ROUTE, "[{\"dev\":null,\"prefsrc\":7}]");
	doctor_bad("doctor 10.0.0.1", "route", "is over no network device", "");
	program_prints(ROUTE, "[{\"dev\":\"eth1\",\"prefsrc\":\"10.0.0.2\"}]");
	program_prints(LINK, "[{\"flags\":[null,7,\"UP\",\"LOWER_UP\"],\"mtu\":\"x\"}]");
	run_tool("doctor 10.0.0.1");
	assert_int_equal(result.status, EXIT_OK);
}

#define IB0_ADDRESS "80:00:00:48:fe:80:00:00:00:00:00:00:f4:52:14:03:00:7b:cb:a1"
#define OTHER_ADDRESS "80:00:00:48:fe:80:00:00:00:00:00:00:f4:52:14:03:00:7b:cb:a2"
#define IB0(address, flags) "[{\"ifname\":\"ib0\",\"flags\":[" flags "],\"mtu\":2044," \
	"\"operstate\":\"UP\",\"link_type\":\"infiniband\",\"address\":\"" address "\"," \
	"\"broadcast\":\"00:ff:ff:ff:ff:12:40:1b:ff:ff:00:00:00:00:00:00:ff:ff:ff:ff\"}]"

/* As mlx5 prints its ports on InfiniBand: none of them names a network device. */
#define IB_PORT(name, state, physical) \
	"{\"ifindex\":1,\"ifname\":\"" name "\",\"port\":1,\"subnet_prefix\":" \
	"\"fe80:0000:0000:0000\",\"lid\":3,\"sm_lid\":1,\"lmc\":0,\"state\":\"" state "\"," \
	"\"physical_state\":\"" physical "\"}"

static void infiniband(void **state)
{
	static const char ports[] = "[" IB_PORT("mlx5_0", "DOWN", "DISABLED") ","
				    IB_PORT("mlx5_1", "ACTIVE", "LINK_UP") "]";

	(void)state;
	fake_file("/sys/class/infiniband/mlx5_0/ports/1/link_layer", "InfiniBand\n");
	fake_file("/sys/class/infiniband/mlx5_1/node_type", "1: CA\n");
	fake_file("/sys/class/infiniband/mlx5_1/ports/1/link_layer", "InfiniBand\n");
	fake_file("/sys/class/infiniband/mlx5_1/ports/1/gids/0",
		  "fe80:0000:0000:0000:f452:1403:007b:cba1\n");
	program_prints(PORTS, ports);
	program_prints(ROUTE, "[{\"dst\":\"10.0.0.1\",\"dev\":\"ib0\",\"prefsrc\":\"10.0.0.2\"}]");
	program_prints(OWNER, "[{\"ifname\":\"ib0\"}]");
	program_prints("ip -j link show dev ib0", IB0(IB0_ADDRESS, "\"UP\",\"LOWER_UP\""));
	fake.echo_most = 1;
	run_tool("doctor 10.0.0.1");
	assert_int_equal(result.status, EXIT_OK);
	assert_has(result.out, "ok       device    mlx5_1 is active\n");
	assert_has(result.out, "ok       gid       mlx5_1 serves ib0\n");
	assert_has(result.out, "ok       login ");
	/* Its packets are not those of IP. */
	assert_null(strstr(result.out, " mtu "));
	/* To its own address, which is over lo. */
	program_prints(ROUTE, "[{\"type\":\"local\",\"dev\":\"lo\",\"prefsrc\":\"10.0.0.2\"}]");
	program_prints("ip -j link show dev lo", "[{\"flags\":[\"UP\",\"LOWER_UP\"],\"mtu\":65536}]");
	run_tool("doctor 10.0.0.1");
	assert_has(result.out, "ok       gid       mlx5_1 serves ib0\n");
	program_prints(ROUTE, "[{\"dst\":\"10.0.0.1\",\"dev\":\"ib0\",\"prefsrc\":\"10.0.0.2\"}]");
	/* The port of another namespace, or none. */
	program_prints("ip -j link show dev ib0", IB0(OTHER_ADDRESS, "\"UP\",\"LOWER_UP\""));
	doctor_bad("doctor 10.0.0.1", "gid", "no RDMA device here has the GID of ib0, "
	    "fe80:0000:0000:0000:f452:1403:007b:cba2\n", "ip link show ib0");
	program_prints("ip -j link show dev ib0", IB0(IB0_ADDRESS, ""));
	doctor_bad("doctor 10.0.0.1", "link", "ib0 is down", "ip link set ib0 up");
	program_prints(PORTS, "[" IB_PORT("mlx5_1", "INIT", "LINK_UP") "]");
	doctor_bad("doctor 10.0.0.1", "link", "port 1 of mlx5_1 is not active", "subnet manager");
	program_prints(PORTS, "[" IB_PORT("mlx5_1", "DOWN", "POLLING") "]");
	doctor_bad("doctor 10.0.0.1", "link", "port 1 of mlx5_1 is not active", "its cable");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, doctor_healthy, fake_teardown)

static const struct CMUnitTest tests[] = {
	TEST(programs_fail),
	TEST(infiniband),
};

SUITE(network, tests);
