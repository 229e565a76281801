// SPDX-License-Identifier: GPL-2.0-only
/* The verbs "export set", "allow", "deny": what the module is asked for. */
#include "tool.h"

#define UUID1 "6b2c2e6c-52a4-4b43-93c3-51c2a5ab7a4f"
#define UUID2 "7b2c2e6c-52a4-4b43-93c3-51c2a5ab7a4f"

/* The module is asked for WHAT alone, of export "data" and with host UUID1. */
static void wants_uuid1(uint32_t what)
{
	assert_string_equal(fake.set.name, "data");
	assert_int_equal(fake.set.what, what);
	assert_int_equal(fake.set.flags, 0);
	assert_int_equal(fake.set.nr_hosts, 1);
	assert_int_equal(fake.add_hosts[0][0], 0x6b);
}

static void hosts(void **state)
{
	(void)state;
	run_ok("export set data --allow " UUID1);
	wants_uuid1(RBLKT_SET_HOSTS);
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
	run_ok("export allow data " UUID1);
	wants_uuid1(RBLKT_SET_ALLOW);
	run_ok("export deny data " UUID1 " " UUID2 " --json");
	assert_int_equal(fake.set.what, RBLKT_SET_DENY);
	assert_int_equal(fake.set.nr_hosts, 2);
	assert_int_equal(fake.add_hosts[1][0], 0x7b);
	top = result_json();
	assert_string_equal(json_member(top, "/name"), "data");
	json_object_put(top);
	run_ok("export deny data " UUID1 " --force");
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

#define TEST(name) cmocka_unit_test_setup_teardown(name, fake_setup, fake_teardown)

static const struct CMUnitTest tests[] = {
	TEST(hosts),
	TEST(one_more_one_less),
	TEST(access_and_name),
};

SUITE(rights, tests);
