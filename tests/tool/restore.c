// SPDX-License-Identifier: GPL-2.0-only
/*
 * The verbs "restore" and "stop". What restore brings up it does in processes of
 * its own: its effects are seen in what it says, and end to end in guests.
 */
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tool.h"

#define UUID1 "6b2c2e6c-52a4-4b43-93c3-51c2a5ab7a4f"

static const char config[] =
	"portals = ( \"any\" );\n"
	"exports = ( { name = \"a\"; device = \"/dev/a\"; uuid = \"" UUID1 "\"; } );\n"
	"volumes = ( { export = \"10.0.0.1/x\"; insecure = true; },\n"
	"            { export = \"10.0.0.1/y\"; insecure = true; } );\n";

static void restores(void **state)
{
	struct json_object *top;

	(void)state;
	fake_config(config);
	run_tool("restore");
	assert_int_equal(result.status, EXIT_OK);
	assert_string_equal(result.err, "");
	assert_has(result.out, "added   portal  0.0.0.0:4421\n");
	assert_has(result.out, "added   volume  10.0.0.1/y\n");
	run_tool("restore --only volumes --json");
	top = result_json();
	assert_string_equal(json_member(top, "/items/0/result"), "done");
	assert_string_equal(json_member(top, "/items/1/name"), "10.0.0.1/y");
	assert_string_equal(json_member(top, "/items/2/name"), "");
	json_object_put(top);
}

/* What is there stays as it is, wanted or not. */
static void leaves_alone(void **state)
{
	(void)state;
	fake_config(config);
	run_tool("apply");
	assert_int_equal(result.status, EXIT_OK);
	fake_config("portals = ();\nvolumes = ( { export = \"10.0.0.1/x\"; insecure = true; "
		    "read-only = true; } );\n");
	fake.log[0] = '\0';
	run_tool("restore");
	assert_int_equal(result.status, EXIT_OK);
	assert_string_equal(fake.log, "");
	assert_has(result.out, "unchanged  volume  10.0.0.1/x  /dev/rblk0: access rw -> ro\n");
	assert_null(strstr(result.out, "portal"));
	assert_null(strstr(result.out, "10.0.0.1/y"));
}

/* Each for itself: one that fails takes nobody along. */
static void fails(void **state)
{
	(void)state;
	fake_config(config);
	fake_fail(RBLKT_IOC_EXPORT_ADD, RBLK_STAGE_BACKING, ENOENT, 0, "no such device");
	run_tool("restore");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_has(result.out, "failed  export  a             no such device\n");
	assert_has(result.out, "added   volume  10.0.0.1/x");
	assert_has(result.err, "rblkctl: export add a: no such device (stage backing)\n  try: ");
	assert_null(strstr(result.err, "tried again"));
}

/* Again and again, and told once. */
static void waits(void **state)
{
	(void)state;
	fake_config(config);
	fake_fail(RBLKT_IOC_EXPORT_ADD, RBLK_STAGE_BACKING, ENOENT, 0, "no such device");
	fake.fail_times = 1;
	fake.sleeps = true;
	run_tool("restore --only target --wait forever");
	assert_int_equal(result.status, EXIT_OK);
	assert_has(result.err, "no such device (stage backing)\n");
	assert_has(result.err, "  it is tried again\n");
	assert_has(result.err, "rblkctl: export a: done after ");
	assert_has(result.out, "added   export  a\n");
	fake.fail_times = 100;
	run_tool("restore --only target --wait 3");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_has(result.out, "failed  export  a             no such device\n");
	assert_null(strstr(strstr(result.err, "no such device") + 1, "no such device"));
}

/* Children that are not the tool's own are not waited for. */
static void other_children(void **state)
{
	pid_t other = fork();

	(void)state;
	if (!other) {
		sleep(60);
		_exit(0);
	}
	fake_config(config);
	run_tool("restore");
	assert_int_equal(result.status, EXIT_OK);
	assert_int_equal(waitpid(other, NULL, WNOHANG), 0);
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
}

static void stops(void **state)
{
	(void)state;
	fake_config(config);
	run_tool("apply");
	fake.log[0] = '\0';
	run_tool("stop --only volumes");
	assert_int_equal(result.status, EXIT_OK);
	assert_string_equal(fake.log, "-:x -:y");
	assert_has(result.out, "removed  volume  10.0.0.1/x\n");
	run_tool("apply");
	fake.log[0] = '\0';
	fake_fail(RBLK_IOC_DETACH, RBLK_STAGE_BUSY, EBUSY, 0, "rblk0 is in use");
	fake.fail_times = 1;
	run_tool("stop --force");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_string_equal(fake.log, "-:y -:portal -:a");
	assert_int_equal(fake.detach.flags, RBLK_DETACH_FORCE);
	assert_int_equal(fake.remove.flags, RBLKT_REMOVE_FORCE);
	assert_int_equal(fake.portal_flags, RBLKT_REMOVE_FORCE);
	assert_has(result.err, "rblkctl: detach 10.0.0.1/x: rblk0 is in use");
	assert_has(result.err, "try: unmount or close it first");
	fake.open_error[RBLK_TARGET] = ENOENT;
	run_tool("stop");
	assert_int_equal(result.status, EXIT_OK);
	fake.open_error[RBLK_INITIATOR] = EACCES;
	run_tool("stop");
	assert_int_equal(result.status, EXIT_FAILED);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fake_setup_keeping, fake_teardown)

static const struct CMUnitTest tests[] = {
	TEST(restores),
	TEST(leaves_alone),
	TEST(fails),
	TEST(waits),
	TEST(other_children),
	TEST(stops),
};

SUITE(restore, tests);
