// SPDX-License-Identifier: GPL-2.0-only
/* The verbs "export set", "allow", "deny": what the module is asked for. */
#include "tool.h"

#define UUID1 "6b2c2e6c-52a4-4b43-93c3-51c2a5ab7a4f"

/* The module is asked for WHAT alone, of export "data" and with host KEY1. */
static void wants_key1(uint32_t what)
{
	assert_string_equal(fake.set.name, "data");
	assert_int_equal(fake.set.what, what);
	assert_int_equal(fake.set.flags, 0);
	assert_int_equal(fake.set.nr_hosts, 1);
	assert_int_equal(fake.add_hosts[0].key[0], 0x77);
	assert_int_equal(fake.add_hosts[0].uuid[0], 0);
}

static void hosts(void **state)
{
	(void)state;
	run_ok("export set data --allow " KEY1);
	wants_key1(RBLKT_SET_HOSTS);
	assert_string_equal(fake.set.new_name, "");
	run_ok("export set data --allow none --force");
	assert_int_equal(fake.set.what, RBLKT_SET_HOSTS | RBLKT_SET_FORCE);
	assert_int_equal(fake.set.nr_hosts, 0);
	assert_true(!fake.set.hosts);
}

/* The list is the module's: only what changes is sent. */
static void one_more_one_less(void **state)
{
	struct json_object *top;

	(void)state;
	run_ok("export allow data " KEY1);
	wants_key1(RBLKT_SET_ALLOW);
	run_ok("export deny data " KEY1 " " UUID1 " --json");
	assert_int_equal(fake.set.what, RBLKT_SET_DENY);
	assert_int_equal(fake.set.nr_hosts, 2);
	assert_int_equal(fake.add_hosts[1].uuid[0], 0x6b);
	top = result_json();
	assert_string_equal(json_member(top, "/name"), "data");
	json_object_put(top);
	run_ok("export deny data " KEY1 " --force");
	assert_int_equal(fake.set.what, RBLKT_SET_DENY | RBLKT_SET_FORCE);
}

static void access_and_name(void **state)
{
	struct json_object *top;

	(void)state;
	run_ok("export set data --allow-any --read-only --shared");
	assert_int_equal(fake.set.what, RBLKT_SET_HOSTS | RBLKT_SET_READ_ONLY |
			 RBLKT_SET_SHARED);
	assert_int_equal(fake.set.flags, RBLKT_EXPORT_READ_ONLY | RBLKT_EXPORT_SHARED |
			 RBLKT_EXPORT_ALLOW_ANY);
	run_ok("export set data --read-write --exclusive");
	assert_int_equal(fake.set.what, RBLKT_SET_READ_ONLY | RBLKT_SET_SHARED);
	assert_int_equal(fake.set.flags, 0);
	run_ok("export set data --realtime");
	assert_int_equal(fake.set.what, RBLKT_SET_REALTIME);
	assert_int_equal(fake.set.flags, RBLKT_EXPORT_REALTIME);
	run_ok("export set data --no-realtime");
	assert_int_equal(fake.set.what, RBLKT_SET_REALTIME);
	assert_int_equal(fake.set.flags, 0);
	run_ok("export set data --rename other --json");
	assert_int_equal(fake.set.what, RBLKT_SET_NAME);
	assert_string_equal(fake.set.new_name, "other");
	top = result_json();
	assert_string_equal(json_member(top, "/name"), "other");
	json_object_put(top);
}

/* It must have been refused, and the module not been asked for it. */
static void refused(const char *line, const char *why)
{
	memset(&fake.set, 0, sizeof(fake.set));
	run_tool(line);
	if (result.status != EXIT_FAILED)
		fail_msg("%s: %d", line, result.status);
	assert_has(result.err, why);
	assert_int_equal(fake.set.what, 0);
}

/* A UUID is for exports that are insecure, and those that become it. */
static void uuids(void **state)
{
	(void)state;
	fake.nr_exports = 1;
	snprintf(fake.exports[0].name, RBLK_NAME_LEN, "data");
	refused("export allow data " UUID1,
		"export allow data: a UUID proves nothing: allow the key that 'rblkctl key' prints there, or add --insecure (stage arguments)");
	refused("export set data --allow " UUID1, "a UUID proves nothing");
	refused("export set data --allow " UUID1 " --secure", "a UUID proves nothing");
	refused("export allow none " UUID1, "nothing of that kind");
	run_ok("export allow data " UUID1 " --insecure");
	assert_int_equal(fake.set.what, RBLKT_SET_ALLOW | RBLKT_SET_INSECURE);
	assert_int_equal(fake.set.flags, RBLKT_EXPORT_INSECURE);
	assert_int_equal(fake.add_hosts[0].uuid[0], 0x6b);
	run_ok("export set data --insecure");
	assert_int_equal(fake.set.what, RBLKT_SET_INSECURE);
	fake.exports[0].export_flags = RBLKT_EXPORT_INSECURE;
	run_ok("export allow data " UUID1);
	assert_int_equal(fake.set.what, RBLKT_SET_ALLOW);
	fake.exports[0].nr_hosts = 2;
	fake.hosts[0].key[0] = 1;
	fake.hosts[1].uuid[0] = 1;
	refused("export set data --secure", "hosts in its list have only a UUID");
	assert_has(result.err, "try: rblkctl export set data --secure --allow KEY");
	run_ok("export set data --secure --allow " KEY1);
	assert_int_equal(fake.set.what, RBLKT_SET_HOSTS | RBLKT_SET_INSECURE);
	assert_int_equal(fake.set.flags, 0);
	fake.exports[0].nr_hosts = 1;
	run_ok("export set data --secure");
	assert_int_equal(fake.set.what, RBLKT_SET_INSECURE);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fake_setup, fake_teardown)

static const struct CMUnitTest tests[] = {
	TEST(hosts),
	TEST(one_more_one_less),
	TEST(access_and_name),
	TEST(uuids),
};

SUITE(rights, tests);
