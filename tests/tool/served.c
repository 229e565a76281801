// SPDX-License-Identifier: GPL-2.0-only
/* The verbs "export stat" and "session stat": what the target did for whom. */
#include <errno.h>

#include "tool.h"

/* The target knows neither the host's time nor the wire's. */
static const unsigned int us[] = { 80, 0, 0, 20, 60 };

static void serve(void)
{
	fake_times(&fake.served[0].op[RBLK_LATENCY_READ], 100, 4096, us);
	fake_times(&fake.served[2].op[RBLK_LATENCY_READ], 10, 4096, us);
	fake_times(&fake.served[2].op[RBLK_LATENCY_WRITE], 1, 8192, us);
}

static void add_host(unsigned int i, const char *name, __u8 uuid, unsigned int attached)
{
	struct rblkt_ioc_host_stat *host = &fake.served[i];

	memset(host, 0, sizeof(*host));
	memset(host->host, uuid, UUID_BYTES);
	snprintf(host->name, sizeof(host->name), "%s", name);
	host->attached = attached;
}

static void three_hosts(void)
{
	static const char * const name[] = { "data", "more" };
	unsigned int i;

	fake.nr_exports = ARRAY_SIZE(name);
	for (i = 0; i < ARRAY_SIZE(name); i++)
		snprintf(fake.exports[i].name, RBLK_NAME_LEN, "%s", name[i]);
	fake.nr_served = 3;
	add_host(0, "web", 1, 1);
	add_host(1, "db", 2, 0);
	add_host(2, "web", 3, 1);
	fake.moments = 1;
	fake.meanwhile = serve;
}

static void by_export(void **state)
{
	(void)state;
	three_hosts();
	run_tool("export stat data");
	assert_int_equal(result.status, EXIT_OK);
	assert_has(result.out, "EXPORT  HOST   ATTACHED  OP     IO/S  BYTES/S  P50     P99     "
		   "P99.9   TARGET  BACKING\n"
		   "data    (all)  2         read   110   440K     ");
	assert_has(result.out, "\ndata    (all)  2         write  1.00  8K ");
	assert_has(result.out, "\ndata    db     0         -      0     0B       0  ");
	assert_has(result.out, "\ndata    web    1         read   100   400K ");
	assert_has(result.out, "\ndata    web    1         read   10.0  40K ");
	assert_has(result.out, "20.0us  60.0us\n");
	assert_null(strstr(result.out, "more"));
	three_hosts();
	run_tool("export stat");
	assert_has(result.out, "\nmore    (all)  2  ");
}

static void by_host(void **state)
{
	struct json_object *top;

	(void)state;
	three_hosts();
	run_tool("session stat");
	assert_int_equal(result.status, EXIT_OK);
	assert_has(result.out, "HOST  ATTACHED  OP     IO/S");
	/* Both exports together. */
	assert_has(result.out, "\nweb   2         read   200   800K ");
	assert_null(strstr(result.out, "(all)"));
	three_hosts();
	run_tool("session stat 03030303-0303-0303-0303-030303030303 --json");
	top = result_json();
	assert_string_equal(json_member(top, "/hosts/0/host"), "web");
	assert_string_equal(json_member(top, "/hosts/0/read/per_second"), "20.000");
	assert_string_equal(json_member(top, "/hosts/0/write/latency/device/mean_us"), "60.000");
	assert_string_equal(json_member(top, "/hosts/0/write/latency/host/mean_us"), "0.000");
	assert_string_equal(json_member(top, "/hosts/1/host"), "");
	json_object_put(top);
	run_tool("session stat nobody");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_has(result.err, "no host nobody has had an export attached");
}

static void refuses(void **state)
{
	(void)state;
	three_hosts();
	run_tool("export stat nope");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_has(result.err, "export stat nope: nothing of that kind");
	fake.nr_exports = 0;
	run_tool("export stat");
	assert_int_equal(result.status, EXIT_OK);
	fake.open_error[RBLK_TARGET] = ENOENT;
	run_tool("export stat");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_has(result.err, "module is not loaded");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fake_setup, fake_teardown)

static const struct CMUnitTest tests[] = {
	TEST(by_export),
	TEST(by_host),
	TEST(refuses),
};

SUITE(served, tests);
