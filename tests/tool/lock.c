// SPDX-License-Identifier: GPL-2.0-only
/* Who may change what runs while somebody else does, and volumes whose number moves. */
#include <errno.h>
#include <unistd.h>

#include "config/config.h"
#include "tool.h"

static int held = -1;

static void hold(void)
{
	struct rblk_failure fail;

	held = running_lock(0, &fail);
	assert_true(held >= 0);
}

static void hold_share(void)
{
	struct rblk_failure fail;

	held = running_share(&fail);
	assert_true(held >= 0);
}

static void let_go(void)
{
	close(held);
	held = -1;
}

static void refused(const char *line, const char *why)
{
	run_tool(line);
	assert_int_equal(result.status, EXIT_FAILED);
	assert_has(result.err, why);
}

static void one_at_a_time(void **state)
{
	static const char busy[] = "another rblkctl is applying a configuration";

	(void)state;
	fake_config("portals = ( \"any\" );\n");
	hold();
	refused("apply", busy);
	refused("save", busy);
	refused("stop", busy);
	refused("restore", busy);
	assert_string_equal(fake.log, "");
	let_go();
	run_ok("apply");
	run_ok("save");
	run_ok("stop");
	run_ok("restore");
}

/* A shutdown waits for an "apply" that is under way, and leaves nothing behind. */
static void stop_waits(void **state)
{
	(void)state;
	fake_volume(0, "10.0.0.1", "data");
	hold();
	fake.moments = 3;
	fake.meanwhile = let_go;
	run_ok("stop");
	assert_int_equal(fake.nr_volumes, 0);
	assert_int_equal(held, -1);
}

/* Attempts don't wait for each other; a transaction waits for them, and they for it. */
static void attempts(void **state)
{
	struct rblk_failure fail;
	int second, alone;

	(void)state;
	hold_share();
	second = running_share(&fail);
	assert_true(second >= 0);
	close(second);
	alone = running_lock(0, &fail);
	assert_int_equal(alone, -1);
	assert_int_equal(fail.error, EBUSY);
	fake.moments = 3;
	fake.meanwhile = let_go;
	alone = running_lock(0, &fail);
	assert_true(alone >= 0);
	assert_int_equal(held, -1);
	assert_int_equal(running_share(&fail), -1);
	assert_int_equal(fail.error, EBUSY);
	close(alone);
	hold_share();
	let_go();
}

/* While a transaction waits for an attempt, no further one is begun. */
static int further;

static void try_another(void)
{
	struct rblk_failure fail;

	further = running_share(&fail);
	let_go();
}

static void transactions_come_first(void **state)
{
	struct rblk_failure fail;
	int alone;

	(void)state;
	hold_share();
	further = 0;
	fake.moments = 1;
	fake.meanwhile = try_another;
	alone = running_lock(0, &fail);
	assert_int_equal(further, -1);
	assert_true(alone >= 0);
	close(alone);
}

/* Between looking it up and changing it, its number becomes another volume's. */
static void numbers_move(void **state)
{
	(void)state;
	fake_volume(0, "10.0.0.1", "data");
	fake.number_moves = true;
	refused("detach data", "/dev/rblk0 is another volume now");
	assert_has(result.err, "try: rblkctl list");
	refused("set data --queue-timeout 5", "/dev/rblk0 is another volume now");
	refused("stop", "/dev/rblk0 is another volume now");
	fake_config("volumes = ();\n");
	refused("apply", "/dev/rblk0 is another volume now");
	assert_int_equal(fake.nr_volumes, 1);
	assert_string_equal(fake.log, "");
	fake.number_moves = false;
	run_ok("detach data");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fake_setup_keeping, fake_teardown)

static const struct CMUnitTest tests[] = {
	TEST(one_at_a_time),
	TEST(stop_waits),
	TEST(attempts),
	TEST(transactions_come_first),
	TEST(numbers_move),
};

SUITE(lock, tests);
