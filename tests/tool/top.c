// SPDX-License-Identifier: GPL-2.0-only
/* The verb "top": the busiest volume first. */
#include "tool.h"

static const unsigned int quick[] = { 100, 5, 60, 10, 25 };
static const unsigned int slow[] = { 9000, 100, 300, 200, 8400 };

/* rblk0 has most operations, rblk1 most bytes, rblk5 the longest of both. */
static void work(void)
{
	fake_times(&fake.done[0][RBLK_LATENCY_READ], 900, 512, quick);
	fake_times(&fake.done[0][RBLK_LATENCY_FLUSH], 100, 0, quick);
	fake_times(&fake.done[1][RBLK_LATENCY_WRITE], 500, 65536, quick);
	fake_times(&fake.done[2][RBLK_LATENCY_READ], 2, 512, slow);
	fake_stat(0, 3, 100);
	fake_stat(1, 1, 300);
	fake_stat(5, 1, 200);
}

static void three_volumes(void)
{
	static const int index[] = { 0, 1, 5 };
	unsigned int i;

	memset(fake.done, 0, sizeof(fake.done));
	fake.nr_volumes = 0;
	for (i = 0; i < ARRAY_SIZE(index); i++) {
		fake_volume(index[i], "10.0.0.1", "data");
		fake_stat(index[i], 0, 0);
	}
	fake.volumes[2].volume.state = RBLK_VOL_WAITING;
	fake.moments = 1;
	fake.meanwhile = work;
}

/* The devices in the order in which they are shown. */
static void check_order(const char *line, const char *want)
{
	char got[64] = "", *at, *save, copy[sizeof(result.out)];

	three_volumes();
	run_tool(line);
	assert_int_equal(result.status, EXIT_OK);
	strcpy(copy, result.out);
	for (at = strtok_r(copy, "\n", &save); at; at = strtok_r(NULL, "\n", &save))
		if (!strncmp(at, "rblk", 4))
			strncat(got, at, 5);
	assert_string_equal(got, want);
}

static void sorts(void **state)
{
	(void)state;
	check_order("top -n 1", "rblk0rblk1rblk5");
	assert_has(result.out, "3 volumes, 1 not live; 1502 IO/s, 451K/s read, 31.2M/s written\n");
	assert_has(result.out, "rblk0   live     1000  900     450K     0        0B  ");
	assert_has(result.out, "10.0.0.1/data\n");
	/* Nothing of a terminal in a pipe. */
	assert_null(strchr(result.out, '\033'));
	check_order("top --count=1 --sort bytes", "rblk1rblk0rblk5");
}

static void sorts_by(void **state)
{
	(void)state;
	check_order("top -n 1 --sort latency", "rblk5rblk0rblk1");
	check_order("top -n 1 --sort busy", "rblk1rblk5rblk0");
	check_order("top -n 1 --sort device", "rblk0rblk1rblk5");
}

/* The same, by the verb that it is. */
static void of_stat(void **state)
{
	(void)state;
	check_order("stat --sort bytes", "rblk1rblk0rblk5");
	check_order("stat --watch --sort latency --count 1", "rblk5rblk0rblk1");
	three_volumes();
	fake.moments = 9;
	run_tool("stat --count 2");
	assert_int_equal(result.status, EXIT_OK);
	assert_int_equal(fake.moments, 7);
	run_tool("stat rblk0 --sort io");
	assert_int_equal(result.status, EXIT_USAGE);
	assert_has(result.err, "--sort is for all volumes");
	run_tool("stat --prometheus --sort io");
	assert_int_equal(result.status, EXIT_USAGE);
}

static void rounds(void **state)
{
	unsigned int n = 0;
	const char *at;

	(void)state;
	three_volumes();
	fake.moments = 9;
	run_tool("top -n 3");
	for (at = result.out; (at = strstr(at, "3 volumes,")); at++)
		n++;
	assert_int_equal(n, 3);
	assert_int_equal(fake.moments, 6);
	three_volumes();
	fake.moments = 4;
	run_tool("top");
	assert_int_equal(result.status, EXIT_OK);
	assert_int_equal(fake.moments, 0);
}

static void json(void **state)
{
	struct json_object *top;

	(void)state;
	three_volumes();
	run_tool("top -n 1 --sort latency --json");
	top = result_json();
	assert_string_equal(json_member(top, "/volumes/0/device"), "/dev/rblk5");
	assert_string_equal(json_member(top, "/volumes/0/read/latency/device/mean_us"),
			    "8400.000");
	json_object_put(top);
}

/* Two rounds on a terminal. */
static void on_terminal(const char *line)
{
	three_volumes();
	fake.moments = 2;
	fake.terminal = true;
	run_tool(line);
	assert_int_equal(result.status, EXIT_OK);
}

/* Looks that take each other's place are not apart, all others are. */
static void terminals(void **state)
{
	(void)state;
	on_terminal("top -n 2 --color never");
	assert_has(result.out, "\033[H\033[J3 volumes");
	assert_null(strstr(result.out, "\n\n"));
	on_terminal("stat --watch --sort io -n 2 --color never");
	assert_has(result.out, "\033[H\033[J3 volumes");
	assert_null(strstr(result.out, "\n\n"));
	on_terminal("stat --sort io -n 2 --color never");
	assert_null(strstr(result.out, "\033[H"));
	assert_has(result.out, "\n\n3 volumes");
	on_terminal("stat --watch -n 2 --color never");
	assert_null(strstr(result.out, "\033[H"));
	assert_has(result.out, "\n\nDEVICE");
}

static void words(void **state)
{
	(void)state;
	run_tool("top --sort name");
	assert_int_equal(result.status, EXIT_USAGE);
	assert_has(result.err, "not io, bytes, latency, busy or device");
	run_tool("top -n 0");
	assert_int_equal(result.status, EXIT_USAGE);
	run_tool("top rblk0");
	assert_int_equal(result.status, EXIT_USAGE);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fake_setup, fake_teardown)

static const struct CMUnitTest tests[] = {
	TEST(sorts),
	TEST(sorts_by),
	TEST(of_stat),
	TEST(rounds),
	TEST(json),
	TEST(terminals),
	TEST(words),
};

SUITE(top, tests);
