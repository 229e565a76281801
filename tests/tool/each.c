// SPDX-License-Identifier: GPL-2.0-only
/* The verb "apply" with --each: what can be done is, and the rest is named. */
#include <errno.h>
#include <signal.h>

#include "tool.h"

#define UUID1 "6b2c2e6c-52a4-4b43-93c3-51c2a5ab7a4f"
#define UUID2 "dd18b89e-2457-455c-945b-f2f2954336a5"
#define EXPORT(name, uuid) \
	"{ name = \"" name "\"; device = \"/dev/" name "\"; uuid = \"" uuid "\"; }"
#define VOLUME(name, more) "{ export = \"10.0.0.1/" name "\"; insecure = true; " more "}"

static const char first[] =
	"portals = ( \"any\" );\n"
	"exports = ( " EXPORT("a", UUID1) " );\n"
	"volumes = ( " VOLUME("x", "") ", " VOLUME("y", "") " );\n";

static int setup(void **state)
{
	if (fake_setup_keeping(state) || fake_share())
		return -1;
	fake_config(first);
	run_ok("apply --each");
	return 0;
}

/* Attaching @export fails, so often. */
static void away(const char *export, unsigned int times)
{
	fake_fail(RBLK_IOC_ATTACH, RBLK_STAGE_CONNECT, EHOSTUNREACH, 0, "nobody is there");
	fake.fail_export = export;
	fake.fail_times = times;
	fake.log[0] = '\0';
}

static const struct rblk_ioc_volume *volume(const char *export)
{
	unsigned int i;

	for (i = 0; i < fake.nr_volumes; i++)
		if (!strcmp(fake.volumes[i].volume.export_name, export))
			return &fake.volumes[i].volume;
	fail_msg("%s is not attached", export);
	return NULL;
}

static void does_all(void **state)
{
	(void)state;
	assert_int_equal(fake.nr_portals + fake.nr_exports + fake.nr_volumes, 4);
	assert_has(result.out, "added   portal  0.0.0.0:4421\n");
	assert_has(result.out, "added   volume  10.0.0.1/x    /dev/rblk");
	run_ok("apply --each");
	assert_string_equal(fake.log, "");
	fake_config("volumes = ( " VOLUME("x", "queue-timeout = 5; ") " );");
	run_ok("apply --each --dry-run");
	assert_string_equal(fake.log, "");
	assert_has(result.out, "remove  volume  10.0.0.1/y");
	run_ok("apply --each");
	assert_string_equal(fake.log, "-:y =:x");
	assert_int_equal(volume("x")->queue_timeout, 5);
}

/* What changes beside a volume whose target is away does so. */
static void names_what_waits(void **state)
{
	struct json_object *top;

	(void)state;
	fake_config("portals = ( \"any\", \"10.0.0.2\" );\n"
		    "exports = ( " EXPORT("b", UUID2) " );\n"
		    "volumes = ( " VOLUME("new", "") ", " VOLUME("x", "queue-timeout = 5; ") " );\n");
	away("new", -1);
	run_tool("apply --each");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_string_equal(fake.log, "-:y -:a +:portal +:b =:x");
	assert_has(result.out, "failed     volume  10.0.0.1/new   nobody is there\n");
	assert_has(result.out, "removed    volume  10.0.0.1/y\n");
	assert_has(result.out, "added      export  b\n");
	assert_has(result.err, "rblkctl: attach 10.0.0.1/new: nobody is there (stage connect)\n  try: ");
	assert_has(result.err, "apply: all other items are as the configuration has them\n");
	assert_null(strstr(result.err, "nothing has been changed"));
	/* By hand it is all or nothing. */
	fake_config("portals = ( \"any\" );\n"
		    "volumes = ( " VOLUME("new", "") ", " VOLUME("x", "") " );\n");
	fake.log[0] = '\0';
	run_tool("apply");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_string_equal(fake.log, "-:portal +:portal");
	run_tool("apply --each --json");
	assert_int_equal(result.status, EXIT_FAILED);
	top = result_json();
	assert_string_equal(json_member(top, "/items/0/result"), "done");
	assert_string_equal(json_member(top, "/items/2/error/stage"), "connect");
	assert_string_equal(json_member(top, "/items/3/result"), "done");
	json_object_put(top);
	/* And once it is there. */
	fake.fail = 0;
	run_ok("apply --each");
	assert_string_equal(fake.log, "+:new");
}

pid_t __wrap_fork(void);
pid_t __real_fork(void);

static bool no_processes;

pid_t __wrap_fork(void)
{
	if (!no_processes)
		return __real_fork();
	errno = EAGAIN;
	return -1;
}

/* Items that get no process are named by the devices that they have. */
static void without_processes(void **state)
{
	struct json_object *top;
	char *first_device;

	(void)state;
	fake_config("portals = ( \"any\" );\nexports = ( " EXPORT("a", UUID1) " );\n"
		    "volumes = ( " VOLUME("x", "queue-timeout = 5; ") ", "
		    VOLUME("y", "queue-timeout = 5; ") " );\n");
	no_processes = true;
	run_tool("apply --each --json");
	no_processes = false;
	assert_int_equal(result.status, EXIT_FAILED);
	assert_has(result.err, "no process for it: Resource temporarily unavailable");
	top = result_json();
	first_device = strdup(json_member(top, "/items/2/device"));
	assert_string_not_equal(first_device, json_member(top, "/items/3/device"));
	free(first_device);
	json_object_put(top);
}

/* What is in use stays, and keeps nothing else from going. */
static void in_use(void **state)
{
	(void)state;
	fake_config("exports = ( " EXPORT("b", UUID2) " );\nvolumes = ();\n");
	fake_fail(RBLK_IOC_DETACH, RBLK_STAGE_BUSY, EBUSY, 0, "it is mounted");
	fake.fail_times = 1;
	fake.log[0] = '\0';
	run_tool("apply --each");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_int_equal(fake.nr_volumes, 1);
	assert_string_equal(fake.log + 3, " -:a +:b");
	assert_has(result.err, ": it is mounted (stage ");
	assert_has(result.out, "failed   volume");
}

/* A replacement that does not come is no reason to lose what there was. */
static void puts_back(void **state)
{
	(void)state;
	fake_config("volumes = ( " VOLUME("x", "read-only = true; ") ", "
		    VOLUME("y", "read-only = true; ") " );\n");
	away("x", 1);
	run_tool("apply --each");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_int_equal(fake.nr_volumes, 2);
	assert_int_equal(volume("x")->access, 0);
	assert_int_equal(volume("y")->access, RBLK_ATTACH_READ_ONLY);
	assert_has(result.err, "rblkctl: attach 10.0.0.1/x: nobody is there (stage connect)");
	assert_has(result.out, "failed    volume  10.0.0.1/x  /dev/rblk");
	/* Nor if that fails, too, is the other one kept waiting. */
	fake_config("volumes = ( " VOLUME("x", "read-only = true; ") ", " VOLUME("y", "") " );\n");
	away("x", 2);
	run_tool("apply --each");
	assert_int_equal(result.status, EXIT_PARTLY);
	assert_int_equal(fake.nr_volumes, 1);
	assert_int_equal(volume("y")->access, 0);
	assert_has(result.err, "attach 10.0.0.1/x: nobody is there; to put it back: nobody is there");
	assert_has(result.err, "not all of it could be undone");
}

/* A volume that waits for its target is not given up for a form that cannot come. */
static void waits_itself(void **state)
{
	(void)state;
	((struct rblk_ioc_volume *)volume("x"))->state = RBLK_VOL_WAITING;
	snprintf(((struct rblk_ioc_volume *)volume("x"))->reason, RBLK_ERROR_LEN, "the link is down");
	fake_config("volumes = ( " VOLUME("x", "read-only = true; ") ", "
		    VOLUME("y", "queue-timeout = 5; ") " );\n");
	fake.log[0] = '\0';
	run_tool("apply --each");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_string_equal(fake.log, "=:y");
	assert_has(result.err, "rblkctl: detach 10.0.0.1/x: rblk");
	assert_has(result.err, " is waiting and stays as it is: the link is down\n"
		   "  try: once more when 10.0.0.1 is back\n");
	/* Not wanted any more it goes, as nothing else is to come. */
	fake_config("volumes = ( " VOLUME("y", "queue-timeout = 5; ") " );\n");
	run_ok("apply --each");
	assert_string_equal(fake.log, "-:x");
}

/* What a process of its own has found out about this host is in its hint. */
static void names_this_host(void **state)
{
	(void)state;
	fake_file("/etc/machine-id", "0123456789abcdef0123456789abcdef\n");
	fake_config("volumes = ( " VOLUME("x", "") ", " VOLUME("y", "") ", " VOLUME("z", "") " );\n");
	fake_fail(RBLK_IOC_ATTACH, RBLK_STAGE_ATTACH, EACCES, RBLK_CTL_DENIED, "not allowed");
	run_tool("apply --each");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_has(result.err, "try: on the target: rblkctl export allow z ");
	assert_null(strstr(result.err, "00000000-0000-0000"));
}

/* An interrupt ends what has not begun, and takes back what it interrupts. */
static void interrupted(void **state)
{
	(void)state;
	fake_config("exports = ( " EXPORT("b", UUID2) " );\n"
		    "volumes = ( " VOLUME("x", "read-only = true; ") ", " VOLUME("y", "") " );\n");
	away("x", 1);
	fake.fail_with.error = EINTR;
	fake.interrupt = SIGINT;
	run_tool("apply --each");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_int_equal(volume("x")->access, 0);
	assert_has(result.err, "attach 10.0.0.1/x: interrupted");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, fake_teardown)

static const struct CMUnitTest tests[] = {
	TEST(does_all),
	TEST(names_what_waits),
	TEST(without_processes),
	TEST(in_use),
	TEST(puts_back),
	TEST(waits_itself),
	TEST(names_this_host),
	TEST(interrupted),
};

SUITE(each, tests);
