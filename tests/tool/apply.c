// SPDX-License-Identifier: GPL-2.0-only
/* The verb "apply": what it changes, what it leaves, and the way back. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "tool.h"

#define UUID1 "6b2c2e6c-52a4-4b43-93c3-51c2a5ab7a4f"
#define UUID2 "dd18b89e-2457-455c-945b-f2f2954336a5"
#define UUID3 "00112233-4455-6677-8899-aabbccddeeff"
#define EXPORT(name, uuid, more) \
	"{ name = \"" name "\"; device = \"/dev/" name "\"; uuid = \"" uuid "\"; " more "}"
#define VOLUME(name, more) "{ export = \"10.0.0.1/" name "\"; insecure = true; " more "}"

static const char first[] =
	"portals = ( \"any\" );\n"
	"exports = ( " EXPORT("a", UUID1, "") ", " EXPORT("b", UUID2, "allow-any = true; ") " );\n"
	"volumes = ( " VOLUME("x", "") ", " VOLUME("y", "queue-timeout = \"1m\"; ") " );\n";

/* Run it on @config with @command failing, after it worked @skip times. */
static void broken(const char *config, unsigned long command, unsigned int skip, int status)
{
	fake_config(config);
	fake_fail(command, RBLK_STAGE_NONE, EBUSY, 0, "it does not work");
	fake.fail_skip = skip;
	fake.fail_times = 1;
	fake.log[0] = '\0';
	run_tool("apply");
	if (result.status != status)
		fail_msg("%d: %s%s", result.status, result.out, result.err);
	fake.fail = 0;
}

static void applies(void **state)
{
	(void)state;
	fake_config(first);
	run_ok("apply");
	assert_string_equal(fake.log, "+:portal +:a +:b +:x +:y");
	assert_has(result.out, "added   portal  0.0.0.0:4421\n");
	assert_has(result.out, "added   volume  10.0.0.1/x    /dev/rblk0\n");
	assert_int_equal(fake.volumes[1].volume.queue_timeout, 60);
	run_ok("apply");
	assert_string_equal(fake.log, "");
	assert_has(result.out, "unchanged  volume  10.0.0.1/y    /dev/rblk1\n");
}

/* Each kind of change, and nothing is done to the others. */
static void changes(void **state)
{
	(void)state;
	fake_config(first);
	run_ok("apply");
	fake_config("portals = ( \"any\" );\n"
		    "exports = ( " EXPORT("a", UUID1, "") ", "
		    EXPORT("b", UUID2, "allow = \"" KEY1 "\"; ") " );\n"
		    "volumes = ( " VOLUME("x", "queue-timeout = \"forever\"; ") ", "
		    VOLUME("y", "queue-timeout = 60; read-only = true; ") " );\n");
	run_ok("apply --dry-run");
	assert_string_equal(fake.log, "");
	assert_has(result.out, "unchanged  export  a\n");
	assert_has(result.out, "set        volume  10.0.0.1/x    "
		   "/dev/rblk0: queue timeout 30s -> forever\n");
	assert_has(result.out, "set        export  b             allowed hosts\n");
	assert_has(result.out, "replace    volume  10.0.0.1/y    "
		   "/dev/rblk1: access rw -> ro\n");
	run_ok("apply");
	assert_string_equal(fake.log, "-:y =:b =:x +:y");
	assert_int_equal(fake.exports[1].export_flags, 0);
	assert_int_equal(fake.exports[1].nr_hosts, 1);
	assert_int_equal(fake.volumes[0].volume.queue_timeout, -1);
	run_ok("apply");
	assert_string_equal(fake.log, "");
}

/* Lists that the file does not have are left alone; empty ones mean none. */
static void scope(void **state)
{
	(void)state;
	fake_config(first);
	run_ok("apply --only volumes");
	assert_string_equal(fake.log, "+:x +:y");
	run_ok("apply --only target");
	assert_string_equal(fake.log, "+:portal +:a +:b");
	fake_config("");
	run_ok("apply");
	assert_string_equal(fake.log, "");
	fake_config("exports = ();");
	run_ok("apply");
	assert_string_equal(fake.log, "-:a -:b");
	fake_config("portals = ();\nvolumes = ();");
	run_ok("apply");
	assert_string_equal(fake.log, "-:x -:y -:portal");
}

/* What was asked of a session is no difference to what it was granted. */
static void session_is_kept(void **state)
{
	(void)state;
	fake_config("volumes = ( " VOLUME("x", "queues = 2; ") " );\n");
	run_ok("apply");
	fake_config("volumes = ( " VOLUME("x", "queues = 8; depth = 64; inline-read = 512; "
					      "poll-queues = 1; ") " );\n");
	run_ok("apply");
	assert_string_equal(fake.log, "");
	assert_has(result.out, "has 2 queues, has 0 poll queues, has depth 128, has inline reads of 0 bytes");
}

/* A host has no more poll queues than CPUs; more were asked for, and that is known. */
static void fewer_poll_queues(void **state)
{
	(void)state;
	fake_config("volumes = ( " VOLUME("x", "queues = 1; poll-queues = 8; ") " );\n");
	run_ok("apply");
	fake.volumes[0].session.poll_queues = 1;
	run_ok("apply --dry-run");
	assert_null(strstr(result.out, "poll queue"));
	fake_config("volumes = ( " VOLUME("x", "queues = 2; poll-queues = 7; ") " );\n");
	run_ok("apply");
	assert_string_equal(fake.log, "");
	assert_has(result.out, "has 1 queue, has 1 poll queue");
}

static void rolls_back(void **state)
{
	struct fake before;

	(void)state;
	fake_config(first);
	run_ok("apply");
	before = fake;
	broken("portals = ( \"any\", \"10.0.0.2\" );\n"
	       "exports = ( " EXPORT("b", UUID2, "") ", " EXPORT("c", UUID3, "") " );\n"
	       "volumes = ( " VOLUME("x", "queue-timeout = 5; ") ", " VOLUME("z", "") " );\n",
	       RBLK_IOC_ATTACH, 0, EXIT_FAILED);
	assert_string_equal(fake.log, "-:y -:a +:portal =:b +:c =:x =:x -:c =:b -:portal "
			    "+:a +:y");
	assert_memory_equal(fake.volumes, before.volumes, sizeof(fake.volumes));
	assert_memory_equal(fake.portals, before.portals, sizeof(fake.portals[0]));
	assert_int_equal(fake.nr_exports, 2);
	assert_memory_equal(fake.exports, before.exports, 2 * sizeof(fake.exports[0]));
	assert_has(result.out, "failed     volume  10.0.0.1/z     it does not work\n");
	assert_has(result.out, "undone     export  b");
	assert_has(result.err, "rblkctl: attach 10.0.0.1/z: it does not work");
	assert_has(result.err, "rblkctl: apply: nothing has been changed\n");
}

/* An export of another name but the same identity is that one. */
static void renames(void **state)
{
	(void)state;
	fake_config("exports = ( " EXPORT("a", UUID1, "") ", " EXPORT("b", UUID2, "") " );");
	run_ok("apply");
	fake_config("exports = ( " EXPORT("a", UUID1, "") ", "
		    "{ name = \"c\"; device = \"/dev/b\"; uuid = \"" UUID2 "\"; "
		    "read-only = true; realtime = true; shared = true; } );");
	run_ok("apply --dry-run");
	assert_has(result.out, "set        export  c     "
		   "name was b, access rw -> ro,shared, real-time I/O\n");
	run_ok("apply");
	assert_string_equal(fake.log, "=:c");
	assert_int_equal(fake.set.what, RBLKT_SET_NAME | RBLKT_SET_READ_ONLY |
			 RBLKT_SET_SHARED | RBLKT_SET_REALTIME);
	assert_int_equal(fake.set.flags, RBLKT_EXPORT_READ_ONLY | RBLKT_EXPORT_SHARED |
			 RBLKT_EXPORT_REALTIME);
	run_ok("apply");
	assert_string_equal(fake.log, "");
}

/* A right that cannot be taken away; names that change hands are no renaming. */
static void rights(void **state)
{
	(void)state;
	fake_config("exports = ( " EXPORT("a", UUID1, "") ", " EXPORT("b", UUID2, "") " );");
	run_ok("apply");
	broken("exports = ( " EXPORT("a", UUID1, "allow-any = true; ") ", "
	       EXPORT("b", UUID2, "read-only = true; ") " );",
	       RBLKT_IOC_EXPORT_SET, 1, EXIT_FAILED);
	assert_string_equal(fake.log, "=:a =:a");
	assert_int_equal(fake.exports[0].export_flags, 0);
	assert_has(result.err, "rblkctl: export set b: it does not work");
	fake_config("exports = ( " EXPORT("a", UUID2, "") ", " EXPORT("b", UUID1, "") " );");
	run_ok("apply");
	assert_string_equal(fake.log, "-:a -:b +:a +:b");
}

/* What is in use is refused, by the module, and said as its verb would. */
static void in_use(void **state)
{
	(void)state;
	fake_config(first);
	run_ok("apply");
	broken("exports = ();", RBLKT_IOC_EXPORT_REMOVE, 1, EXIT_FAILED);
	assert_string_equal(fake.log, "-:a +:a");
	assert_has(result.err, "rblkctl: export remove b: it does not work");
	broken("volumes = ( " VOLUME("x", "read-only = true; ") ", " VOLUME("y", "") " );\n",
	       RBLK_IOC_DETACH, 0, EXIT_FAILED);
	assert_string_equal(fake.log, "");
	assert_has(result.out, "not done  volume  10.0.0.1/y");
	assert_has(result.err, "rblkctl: detach 10.0.0.1/x: it does not work");
}

/* An undoing that fails keeps nobody from the rest of it, and is another status. */
static void stuck(void **state)
{
	struct json_object *top;

	(void)state;
	fake_config(first);
	run_ok("apply");
	fake_config("exports = ( " EXPORT("c", UUID3, "") " );\nvolumes = ();\n");
	fake_fail(RBLKT_IOC_EXPORT_ADD, RBLK_STAGE_BACKING, ENOENT, 0, "no such device");
	fake.fail_times = 2;
	fake.log[0] = '\0';
	run_tool("apply --json");
	assert_int_equal(result.status, EXIT_PARTLY);
	assert_string_equal(fake.log, "-:x -:y -:a -:b +:a +:y +:x");
	assert_has(result.err, "not all of it could be undone");
	top = result_json();
	assert_string_equal(json_member(top, "/items/0/result"), "undone");
	assert_string_equal(json_member(top, "/items/1/result"), "not_undone");
	assert_string_equal(json_member(top, "/items/1/error/what"), "export add b");
	assert_string_equal(json_member(top, "/items/2/result"), "failed");
	assert_string_equal(json_member(top, "/items/2/error/stage"), "backing");
	assert_string_equal(json_member(top, "/items/3/device"), "/dev/rblk0");
	json_object_put(top);
}

/* A replacement that fails, and the former one does not come back either. */
static void stuck_replacement(void **state)
{
	(void)state;
	fake_config(first);
	run_ok("apply");
	fake_config("exports = ( " EXPORT("a", UUID3, "") ", "
		    EXPORT("b", UUID2, "allow-any = true; ") " );\n");
	fake_fail(RBLKT_IOC_EXPORT_ADD, RBLK_STAGE_BACKING, ENOENT, 0, "no such device");
	run_tool("apply");
	assert_int_equal(result.status, EXIT_PARTLY);
	assert_has(result.err, "export add a: no such device; to put it back: no such device");
}

/* An export takes the device of another: on the way back the latter must wait. */
static void device_moves(void **state)
{
	(void)state;
	fake_config("exports = ( " EXPORT("m", UUID1, "") " );");
	run_ok("apply");
	broken("exports = ( " EXPORT("a", UUID1, "") ", " EXPORT("m", UUID2, "") " );\n"
	       "volumes = ( " VOLUME("x", "") " );", RBLK_IOC_ATTACH, 0, EXIT_FAILED);
	assert_string_equal(fake.log, "-:m +:a +:m -:m -:a +:m");
}

static void interrupts(void **state)
{
	(void)state;
	fake_config(first);
	fake_fail(RBLKT_IOC_EXPORT_ADD, 0, EINTR, 0, "");
	fake.fail_skip = 1;
	fake.interrupt = SIGINT;
	fake.log[0] = '\0';
	run_tool("apply");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_string_equal(fake.log, "+:portal +:a -:a -:portal");
	assert_has(result.err, "export add b: interrupted");
}

static void without_module(void **state)
{
	(void)state;
	fake.open_error[RBLK_TARGET] = ENOENT;
	fake_config(first);
	run_tool("apply");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_has(result.err, "apply: the target's module is not loaded");
	assert_has(result.err, "try: modprobe rblk_target");
	assert_int_equal(fake.nr_volumes, 0);
	run_ok("apply --only volumes");
	fake_config("exports = ();\nportals = ();\n");
	run_ok("apply");
}

static void bad_file(void **state)
{
	(void)state;
	fake_config("exports = (\n\"data\" );");
	run_tool("apply --json");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_has(result.err, "rblkctl: apply: /etc/rblk/rblk.conf:2: exports: { ... }");
	assert_has(result.err, "try: man 5 rblk.conf");
	assert_has(result.out, "\"error\"");
	run_tool("apply --file /etc/none");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_has(result.err, "cannot read /etc/none");
	fake_file("/etc/other", first);
	run_ok("apply --file /etc/other");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fake_setup_keeping, fake_teardown)

static const struct CMUnitTest tests[] = {
	TEST(applies),
	TEST(changes),
	TEST(scope),
	TEST(session_is_kept),
	TEST(fewer_poll_queues),
	TEST(renames),
	TEST(rights),
	TEST(rolls_back),
	TEST(in_use),
	TEST(stuck),
	TEST(stuck_replacement),
	TEST(device_moves),
	TEST(interrupts),
	TEST(without_module),
	TEST(bad_file),
};

SUITE(apply, tests);
