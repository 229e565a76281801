// SPDX-License-Identifier: GPL-2.0-only
/* What goes wrong: a sentence, a stage, a hint, an exit status, nothing left open. */
#include <errno.h>
#include <signal.h>

#include "tool.h"

/* Every verb that goes to a module, and the command at its heart. */
static const struct {
	const char *line;
	unsigned long command;
	enum rblk_side side;
} verbs[] = {
	{ "attach --insecure 10.0.0.1/data", RBLK_IOC_ATTACH, RBLK_INITIATOR },
	{ "detach rblk0", RBLK_IOC_DETACH, RBLK_INITIATOR },
	{ "list", RBLK_IOC_SHOW, RBLK_INITIATOR },
	{ "show rblk0", RBLK_IOC_SHOW, RBLK_INITIATOR },
	{ "set rblk0 --queue-timeout 1", RBLK_IOC_POLICY, RBLK_INITIATOR },
	{ "discover --insecure 10.0.0.1", RBLK_IOC_DISCOVER, RBLK_INITIATOR },
	{ "export add data /dev/sda", RBLKT_IOC_EXPORT_ADD, RBLK_TARGET },
	{ "export remove data", RBLKT_IOC_EXPORT_REMOVE, RBLK_TARGET },
	{ "export set data --read-only", RBLKT_IOC_EXPORT_SET, RBLK_TARGET },
	{ "export list", RBLKT_IOC_EXPORT_SHOW, RBLK_TARGET },
	{ "export show data", RBLKT_IOC_EXPORT_SHOW, RBLK_TARGET },
	{ "portal add any", RBLKT_IOC_PORTAL_ADD, RBLK_TARGET },
	{ "portal remove any", RBLKT_IOC_PORTAL_REMOVE, RBLK_TARGET },
	{ "portal list", RBLKT_IOC_PORTAL_LIST, RBLK_TARGET },
	{ "session list", RBLKT_IOC_SESSION_LIST, RBLK_TARGET },
	{ "session remove 00000000-0000-0000-0000-000000000001",
	  RBLKT_IOC_SESSION_REMOVE, RBLK_TARGET },
	{ "host fence 00000000-0000-0000-0000-000000000001", RBLKT_IOC_HOST_FENCE, RBLK_TARGET },
	{ "host unfence 00000000-0000-0000-0000-000000000001", RBLKT_IOC_HOST_FENCE, RBLK_TARGET },
	{ "host list", RBLKT_IOC_FENCED, RBLK_TARGET },
	{ "target pause --for 30s", RBLKT_IOC_PAUSE, RBLK_TARGET },
	{ "target resume", RBLKT_IOC_RESUME, RBLK_TARGET },
	{ "target show", RBLKT_IOC_PAUSE_SHOW, RBLK_TARGET },
};

static void failed(const char *line, const char *part)
{
	run_tool(line);
	assert_int_equal(result.status, EXIT_FAILED);
	assert_string_equal(result.out, "");
	assert_has(result.err, part);
	assert_int_equal(fake.open, 0);
}

static void not_loaded(void **state)
{
	size_t i;

	(void)state;
	fake.open_error[RBLK_INITIATOR] = ENOENT;
	fake.open_error[RBLK_TARGET] = ENXIO;
	for (i = 0; i < ARRAY_SIZE(verbs); i++) {
		failed(verbs[i].line, "module is not loaded: there is no /dev/rblk-");
		assert_has(result.err, verbs[i].side == RBLK_TARGET ?
			   "try: modprobe rblk_target\n" : "try: modprobe rblk\n");
	}
}

static void not_root(void **state)
{
	size_t i;

	(void)state;
	fake.open_error[RBLK_INITIATOR] = EACCES;
	fake.open_error[RBLK_TARGET] = EACCES;
	for (i = 0; i < ARRAY_SIZE(verbs); i++) {
		/* tests/tool/sysfs.c has what these two do. */
		if (verbs[i].command == RBLK_IOC_SHOW && strncmp(verbs[i].line, "detach", 6) &&
		    strncmp(verbs[i].line, "set", 3))
			continue;
		failed(verbs[i].line, "is only for root\n");
		assert_has(result.err, "try: sudo rblkctl");
	}
	fake.open_error[RBLK_INITIATOR] = 0;
	fake.info_error = EPERM;	/* root without the capability */
	failed("set data --queue-timeout 5", "is only for root");
	fake.open_error[RBLK_INITIATOR] = EMFILE;
	failed("list", "cannot open /dev/rblk-control: Too many open files");
}

static void other_abi(void **state)
{
	size_t i;

	(void)state;
	fake.abi = RBLK_ABI + 1;
	for (i = 0; i < ARRAY_SIZE(verbs); i++) {
		failed(verbs[i].line, "librblk speaks control ABI 1, the module rblk");
		assert_has(result.err, "try: install rblkctl and librblk of the module's release");
	}
	assert_has(result.err, "rblk_target 2\n");
	assert_int_equal(fake.calls, 0);
	fake.abi = 0;
	failed("list", "ABI 1, the module rblk 0\n");
	assert_has(result.err, "try: install the module of librblk's release");
	fake.abi = RBLK_ABI;
	fake.info_error = ENOTTY;
	failed("list", "/dev/rblk-control does not answer as an rblk module does");
}

/* The module's sentence, stage and errno reach the user, from every verb. */
static void every_stage(void **state)
{
	unsigned int stage;
	char expect[64];
	size_t i;

	static const char * const names[] = {
#define STAGE_NAME(name, value, text)	\
	[name] = text,
		RBLK_STAGE_TABLE(STAGE_NAME)
#undef STAGE_NAME
	};

	(void)state;
	fake_volume(0, "10.0.0.1", "data");
	for (i = 0; i < ARRAY_SIZE(verbs); i++) {
		for (stage = 1; stage < ARRAY_SIZE(names); stage++) {
			fake_fail(verbs[i].command, stage, EIO, 0, "it just broke");
			snprintf(expect, sizeof(expect), "it just broke (stage %s)\n",
				 names[stage]);
			failed(verbs[i].line, expect);
		}
	}
}

static void subjects(void **state)
{
	(void)state;
	fake_volume(0, "10.0.0.1", "data");
	fake_fail(RBLK_IOC_ATTACH, RBLK_STAGE_CONNECT, ECONNREFUSED, 0, "nobody");
	failed("attach --insecure 10.0.0.1:99/data",
	       "rblkctl: attach 10.0.0.1:99/data: nobody (stage connect)");
	fake_fail(RBLK_IOC_DISCOVER, RBLK_STAGE_CONNECT, ECONNREFUSED, 0, "nobody");
	failed("discover --insecure 10.0.0.1", "rblkctl: discover 10.0.0.1: nobody (stage connect)");
	fake_fail(RBLK_IOC_DETACH, RBLK_STAGE_DETACH, ETIMEDOUT, 0, "slow");
	failed("detach data", "rblkctl: detach data: slow (stage detach)");
	fake_fail(RBLKT_IOC_EXPORT_ADD, RBLK_STAGE_BACKING, ENOENT, 0, "gone");
	failed("export add a /dev/x", "rblkctl: export add a: gone (stage backing)");
	assert_has(result.err, "ls -l /dev/x");
	fake_fail(RBLKT_IOC_PORTAL_ADD, RBLK_STAGE_LISTEN, EADDRINUSE, 0, "taken");
	failed("portal add any:5", "rblkctl: portal add 0.0.0.0:5: taken (stage listen)");
}

static void every_json_error(void **state)
{
	struct json_object *top;
	char line[128];
	size_t i;

	(void)state;
	fake_volume(0, "10.0.0.1", "data");
	for (i = 0; i < ARRAY_SIZE(verbs); i++) {
		fake_fail(verbs[i].command, RBLK_STAGE_LOGIN, EIO, 5, "\"quoted\" \033 \xff");
		snprintf(line, sizeof(line), "%s --json", verbs[i].line);
		run_tool(line);
		assert_int_equal(result.status, EXIT_FAILED);
		assert_has(result.err, "\"quoted\" ? ? (stage login)\n");
		top = result_json();
		assert_string_equal(json_member(top, "/error/why"), "\"quoted\" ? ?");
		assert_string_equal(json_member(top, "/error/stage"), "login");
		assert_string_equal(json_member(top, "/error/errno"), "5");
		assert_string_equal(json_member(top, "/error/reason"), "5");
		json_object_put(top);
	}
}

/* EFAULT and ENOTTY come without a sentence. */
static void without_words(void **state)
{
	(void)state;
	fake_fail(RBLK_IOC_ATTACH, 0, EFAULT, 0, "");
	fake.fail_with.error = EFAULT;
	failed("attach --insecure 10.0.0.1/data", "attach 10.0.0.1/data: Bad address\n");
	fake_fail(RBLK_IOC_ATTACH, 99, EIO, 0, "from a newer module");
	failed("attach --insecure 10.0.0.1/data", "from a newer module (stage unknown)");
}

static void interrupted(void **state)
{
	static const int signals[] = { SIGINT, SIGTERM };
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(signals); i++) {
		fake_fail(RBLK_IOC_ATTACH, RBLK_STAGE_CONNECT, EINTR, 0, "never mind");
		fake.interrupt = signals[i];
		failed("attach --insecure 10.0.0.1/data",
		       "attach 10.0.0.1/data: interrupted (stage connect)\n");
		assert_null(strstr(result.err, "try:"));
		assert_int_equal(fake.died, signals[i]);
	}
	/* Being stopped and continued is no reason to give up. */
	fake_fail(RBLK_IOC_ATTACH, RBLK_STAGE_NONE, EINTR, 0, "");
	fake.interrupt = 0;
	fake.fail_times = 2;
	fake.nr_attach = 0;
	run_tool("attach --insecure 10.0.0.1/data");
	assert_int_equal(result.status, EXIT_OK);
	assert_int_equal(fake.nr_attach, 3);
}

static void busy(void **state)
{
	(void)state;
	fake_volume(0, "10.0.0.1", "data");
	fake_file("/sys/block/rblk0/dev", "259:0\n");
	fake_file("/proc/self/mountinfo",
		  "40 22 259:0 / /srv rw - ext4 /dev/rblk0 rw\n");
	fake_fail(RBLK_IOC_DETACH, RBLK_STAGE_BUSY, EBUSY, 0, "it is open");
	failed("detach rblk0", "detach rblk0: it is open: mounted on /srv (stage busy)\n");
	assert_has(result.err, "try: unmount or close it first; --force");
}

static void wrong_usage(void **state)
{
	(void)state;
	run_tool("attach --insecure 10.0.0.1/data --bogus");
	assert_int_equal(result.status, EXIT_USAGE);
	assert_string_equal(result.err, "rblkctl: attach: unknown option '--bogus'\n"
			    "  try: rblkctl attach --help\n");
	run_tool("export bogus");
	assert_int_equal(result.status, EXIT_USAGE);
	assert_has(result.err, "  try: rblkctl export --help\n");
	run_tool("bogus");
	assert_int_equal(result.status, EXIT_USAGE);
	assert_has(result.err, "  try: rblkctl --help\n");
	assert_int_equal(fake.calls, 0);
	run_tool("attach --insecure --help");
	assert_int_equal(result.status, EXIT_OK);
	assert_has(result.out, "usage: rblkctl attach TARGET[:PORT][,...]/EXPORT [OPTION]...\n");
	assert_string_equal(result.err, "");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fake_setup, fake_teardown)

static const struct CMUnitTest tests[] = {
	TEST(not_loaded),
	TEST(not_root),
	TEST(other_abi),
	TEST(every_stage),
	TEST(subjects),
	TEST(every_json_error),
	TEST(without_words),
	TEST(interrupted),
	TEST(busy),
	TEST(wrong_usage),
};

SUITE(errors, tests);
