// SPDX-License-Identifier: GPL-2.0-only
/* "list", "show" and "version" of somebody who may not ask the modules. */
#include <errno.h>

#include "tool.h"

#define UUID1 "6b2c2e6c-52a4-4b43-93c3-51c2a5ab7a4f"
#define UUID2 "dd18b89e-2457-455c-945b-f2f2954336a5"

static void attribute(int index, const char *name, const char *value)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/block/rblk%d/%s", index, name);
	fake_file(path, value);
}

static void volume(int index, const char *export, const char *state, const char *reason)
{
	attribute(index, "rblk/target", "10.0.0.1\n");
	attribute(index, "rblk/export", export);
	attribute(index, "rblk/uuid", UUID1 "\n");
	attribute(index, "rblk/state", state);
	attribute(index, "rblk/reason", reason);
	attribute(index, "rblk/session", UUID2 "\n");
	attribute(index, "rblk/session_state", "live\n");
	attribute(index, "rblk/epoch", "7\n");
	attribute(index, "rblk/queues", "2\n");
	attribute(index, "rblk/depth", "64\n");
	attribute(index, "rblk/inline_read", "4096\n");
	attribute(index, "rblk/queue_timeout", "-1\n");
	attribute(index, "rblk/counters", "connects 12\nlosses 3\n");
	attribute(index, "size", "2048\n");
	attribute(index, "queue/logical_block_size", "512\n");
	attribute(index, "queue/physical_block_size", "4096\n");
	attribute(index, "queue/write_cache", "write back\n");
	attribute(index, "queue/fua", "1\n");
}

static int setup(void **state)
{
	fake_setup(state);
	fake.open_error[RBLK_INITIATOR] = EACCES;
	fake.open_error[RBLK_TARGET] = EACCES;
	volume(10, "data\n", "live\n", "\n");
	volume(2, "more\n", "waiting\n", "the target is gone\n");
	fake_file("/sys/block/rblk3p1/size", "1\n");
	fake_file("/sys/block/sda/size", "1\n");
	return 0;
}

static void list(void **state)
{
	(void)state;
	run_tool("list");
	assert_int_equal(result.status, EXIT_OK);
	assert_string_equal(result.out,
		"DEVICE       TARGET    EXPORT  SIZE  ACCESS  STATE    REASON\n"
		"/dev/rblk2   10.0.0.1  more    1M    -       waiting  the target is gone\n"
		"/dev/rblk10  10.0.0.1  data    1M    -       live\n");
	assert_has(result.err, "what has '-', or null, needs root\n  try: sudo rblkctl\n");
	/* As the one node says, so does the other: root without the capability. */
	fake.open_error[RBLK_INITIATOR] = 0;
	fake.info_error = EPERM;
	run_tool("list");
	assert_has(result.out, "/dev/rblk10");
	/* Any other reason is one. */
	fake.open_error[RBLK_INITIATOR] = ENOENT;
	run_tool("list");
	assert_int_equal(result.status, EXIT_FAILED);
}

static void show(void **state)
{
	(void)state;
	run_tool("show data");
	assert_int_equal(result.status, EXIT_OK);
	assert_has(result.out, "uuid                  " UUID1 "\n");
	assert_has(result.out, "access                -\n");
	assert_has(result.out, "write cache           volatile, FUA\n");
	assert_has(result.out, "queue timeout         forever\n");
	assert_has(result.out, "openers               -\n");
	assert_has(result.out, "  queues              2 of depth 64\n");
	assert_has(result.out, "  local               -\n");
	assert_has(result.out, "  inline              4096 read, - write\n");
	assert_has(result.out, "12\n");
	assert_has(result.err, "try: sudo rblkctl\n");
	run_tool("show rblk3");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_has(result.err, "rblk3 is not attached");
}

static void json(void **state)
{
	struct json_object *top;

	(void)state;
	run_tool("show rblk2 --json");
	top = result_json();
	assert_string_equal(json_member(top, "/reason"), "the target is gone");
	assert_string_equal(json_member(top, "/session/epoch"), "7");
	assert_string_equal(json_member(top, "/capacity"), "1048576");
	assert_has(result.out, "\"access\": null");
	assert_has(result.out, "\"openers\": null");
	assert_has(result.out, "\"target\": null");
	json_object_put(top);
}

/* What is half known must be neither counted, told nor changed. */
static void others(void **state)
{
	static const char * const lines[] = {
		"stat", "stat data", "events", "detach data", "set data --queue-timeout 5"
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(lines); i++) {
		run_tool(lines[i]);
		assert_int_equal(result.status, EXIT_FAILED);
		assert_has(result.err, "/dev/rblk-control is only for root");
	}
}

static void version(void **state)
{
	struct json_object *top;

	(void)state;
	fake_file("/sys/module/rblk/version", "9.8\n");
	run_tool("version");
	assert_int_equal(result.status, EXIT_OK);
	assert_has(result.out,
		   "rblk                  9.8, control ABI -, wire -: /dev/rblk-control is only for root\n");
	assert_has(result.out, "rblk_target           /dev/rblk-target is only for root\n");
	run_tool("version --json");
	top = result_json();
	assert_string_equal(json_member(top, "/rblk/version"), "9.8");
	assert_string_equal(json_member(top, "/rblk/usable"), "false");
	json_object_put(top);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, fake_teardown)

static const struct CMUnitTest tests[] = {
	TEST(list),
	TEST(show),
	TEST(json),
	TEST(others),
	TEST(version),
};

SUITE(sysfs, tests);
