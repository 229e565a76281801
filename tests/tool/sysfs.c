// SPDX-License-Identifier: GPL-2.0-only
/* "list", "show" and "version" of somebody who may not ask the modules. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

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
	attribute(index, "rblk/poll_queues", "1\n");
	attribute(index, "rblk/depth", "64\n");
	attribute(index, "rblk/inline_read", "4096\n");
	attribute(index, "rblk/digest", "1\n");
	attribute(index, "rblk/digest_mended", "5\n");
	attribute(index, "rblk/digest_failed", "2\n");
	attribute(index, "rblk/queue_timeout", "-1\n");
	attribute(index, "rblk/counters", "connects 12\nlosses 3\n");
	attribute(index, "size", "2048\n");
	attribute(index, "queue/logical_block_size", "512\n");
	attribute(index, "queue/physical_block_size", "4096\n");
	attribute(index, "queue/write_cache", "write back\n");
	attribute(index, "queue/fua", "1\n");
	attribute(index, "queue/rotational", "1\n");
	attribute(index, "queue/stable_writes", "1\n");
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
	assert_has(result.out, "write cache           -\n");
	assert_has(result.out, "queue timeout         forever\n");
	assert_has(result.out, "digest                CRC32C, 5 mismatches mended, 2 not\n");
	assert_has(result.out, "openers               -\n");
	assert_has(result.out, "  queues              2 of depth 64\n");
	assert_has(result.out, "  poll queues         1\n");
	assert_has(result.out, "  local               -\n");
	assert_has(result.out, "  inline              4096 read, - write\n");
	assert_has(result.out, "12\n");
	assert_has(result.err, "try: sudo rblkctl\n");
	run_tool("list -o digest --no-headings");
	assert_string_equal(result.out, "yes\nyes\n");
	attribute(10, "rblk/digest", "0\n");
	run_tool("show data");
	assert_has(result.out, "digest                none\n");
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
	assert_string_equal(json_member(top, "/digest"), "true");
	assert_string_equal(json_member(top, "/digest_mended"), "5");
	assert_string_equal(json_member(top, "/digest_failed"), "2");
	assert_has(result.out, "\"access\": null");
	assert_has(result.out, "\"openers\": null");
	assert_has(result.out, "\"target\": null");
	/* sysfs has the queue's, which driver and root may have made other than the export's. */
	assert_has(result.out, "\"write_cache\": null");
	assert_has(result.out, "\"fua\": null");
	assert_has(result.out, "\"rotational\": null");
	assert_has(result.out, "\"stable_writes\": null");
	json_object_put(top);
}

/* While the state of rblk2 is read, its UUID becomes @uuid. */
static pid_t changes(const char *uuid)
{
	char path[128];
	pid_t child;
	int fd;

	snprintf(path, sizeof(path), "%s/sys/block/rblk2/rblk/state", fake.root);
	fake_remove("/sys/block/rblk2/rblk/state");
	assert_int_equal(mkfifo(path, 0600), 0);
	fflush(stdout);
	child = fork();
	if (child)
		return child;
	/* It opens as soon as the tool has opened it, which may never be. */
	alarm(10);
	fd = open(path, O_WRONLY);
	attribute(2, "rblk/uuid", uuid);
	_exit(fd < 0 || write(fd, "live\n", 5) != 5);
}

static void ended_well(pid_t child)
{
	int status;

	assert_true(child > 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

/* A volume that is detached while it is read is not there, and no row of nothing. */
static void detached_meanwhile(void **state)
{
	pid_t child;

	(void)state;
	/* Its directory is still there, its attributes are not. */
	attribute(2, "rblk/uuid", "");
	run_tool("list");
	assert_int_equal(result.status, EXIT_OK);
	assert_null(strstr(result.out, "rblk2"));
	assert_has(result.out, "/dev/rblk10  10.0.0.1  data");
	run_tool("show rblk2");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_has(result.err, "rblk2 is not attached");
	attribute(2, "rblk/uuid", UUID1 "\n");
	child = changes("");
	run_tool("list");
	ended_well(child);
	assert_null(strstr(result.out, "rblk2"));
	assert_has(result.out, "/dev/rblk10  10.0.0.1  data");
	/* Another one has taken its number. */
	attribute(2, "rblk/uuid", UUID1 "\n");
	child = changes(UUID2 "\n");
	run_tool("show rblk2");
	ended_well(child);
	assert_int_equal(result.status, EXIT_FAILED);
	assert_has(result.err, "rblk2 is not attached");
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
	TEST(detached_meanwhile),
	TEST(others),
	TEST(version),
};

SUITE(sysfs, tests);
