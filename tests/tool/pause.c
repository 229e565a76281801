// SPDX-License-Identifier: GPL-2.0-only
/* A target that is paused, and one whose I/O does not end. */
#include <errno.h>

#include "tool.h"

static void pauses(void **state)
{
	struct json_object *top;

	(void)state;
	run_ok("target show");
	assert_has(result.out, "serving\n");
	assert_null(strstr(result.out, "not ended"));
	run_ok("target pause --for 2m");
	assert_string_equal(result.out, "");
	assert_int_equal(fake.pause.ms, 120000);
	fake.pause.ms = 28001;
	fake.pause.inflight = 3;
	run_ok("target show");
	assert_has(result.out, "paused, for another 29 s\n");
	assert_has(result.out, "3 I/Os of former sessions\n");
	run_ok("target show --json");
	top = result_json();
	assert_string_equal(json_member(top, "/paused"), "true");
	assert_string_equal(json_member(top, "/left_ms"), "28001");
	assert_string_equal(json_member(top, "/sessions"), "2");
	assert_string_equal(json_member(top, "/inflight"), "3");
	json_object_put(top);
	run_ok("target resume --json");
	top = result_json();
	assert_string_equal(json_member(top, "/paused"), "false");
	assert_string_equal(json_member(top, "/left_ms"), "0");
	json_object_put(top);
	run_ok("target pause --for 1 --json");
	top = result_json();
	assert_string_equal(json_member(top, "/left_ms"), "1000");
	json_object_put(top);
}

static void hangs(void **state)
{
	(void)state;
	fake_fail(RBLKT_IOC_PAUSE, RBLK_STAGE_BACKING, ETIMEDOUT, 0,
		  "hosts are sent away, but I/O of export a does not end");
	run_tool("target pause --for 1");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_has(result.err, "does not end (stage backing)\n");
	assert_has(result.err, "does its device answer?");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fake_setup, fake_teardown)

static const struct CMUnitTest tests[] = {
	TEST(pauses),
	TEST(hangs),
};

SUITE(pause, tests);
