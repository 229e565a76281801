// SPDX-License-Identifier: GPL-2.0-only
/* The verb "stat": what volumes did between two looks. */
#include <errno.h>

#include "tool.h"

static const unsigned int read_us[] = { 100, 5, 60, 10, 25 };
static const unsigned int write_us[] = { 1000, 100, 300, 200, 400 };

static void second_passes(void)
{
	fake_times(&fake.done[0][RBLK_LATENCY_READ], 1000, 4096, read_us);
	fake_times(&fake.done[0][RBLK_LATENCY_WRITE], 50, 65536, write_us);
	fake_stat(0, 3, 1500);
}

static void one_volume(void)
{
	fake.nr_volumes = 0;
	memset(fake.done, 0, sizeof(fake.done));
	fake_volume(0, "10.0.0.1", "data");
	fake_times(&fake.done[0][RBLK_LATENCY_READ], 200, 4096, write_us);
	fake_stat(0, 0, 1000);
	fake.moments = 1;
	fake.meanwhile = second_passes;
}

static void rates(void **state)
{
	(void)state;
	one_volume();
	run_tool("stat");
	assert_int_equal(result.status, EXIT_OK);
	assert_string_equal(result.err, "");
	assert_has(result.out, "DEVICE      STATE  OP     IO/S  BYTES/S  P50    P99     P99.9   "
		   "HOST    WIRE    TARGET  BACKING  FLYING  BUSY\n");
	assert_has(result.out, "/dev/rblk0  live   read   1000  3.9M     ");
	assert_has(result.out, "5.00us  60.0us  10.0us  25.0us   3       50%\n");
	assert_has(result.out, "/dev/rblk0  live   write  50.0  3.1M     ");
	assert_has(result.out, "100us   300us   200us   400us    3       50%\n");
	/* What was not done has no row. */
	assert_null(strstr(result.out, "flush"));
}

/* 100 us lies in the bucket from 98.3 to 131 us, 1 ms in that from 786 to 1049. */
static void json(void **state)
{
	struct json_object *top;

	(void)state;
	one_volume();
	run_tool("stat data --interval 10 --json");
	top = result_json();
	assert_string_equal(json_member(top, "/volumes/0/device"), "/dev/rblk0");
	assert_string_equal(json_member(top, "/volumes/0/read/per_second"), "100.000");
	assert_string_equal(json_member(top, "/volumes/0/read/bytes_per_second"), "409600.000");
	assert_string_equal(json_member(top, "/volumes/0/read/total"), "1200");
	assert_string_equal(json_member(top, "/volumes/0/read/total_bytes"), "4915200");
	assert_string_equal(json_member(top, "/volumes/0/read/total_ms"), "300");
	assert_string_equal(json_member(top, "/volumes/0/read/mean_ms"), "0.100");
	assert_string_equal(json_member(top, "/volumes/0/read/latency/total/p50_us"), "114.688");
	assert_string_equal(json_member(top, "/volumes/0/read/latency/wire/mean_us"), "60.000");
	assert_string_equal(json_member(top, "/volumes/0/read/latency/device/count"), "1000");
	assert_string_equal(json_member(top, "/volumes/0/write/mean_ms"), "1.000");
	assert_string_equal(json_member(top, "/volumes/0/discard/per_second"), "0.000");
	assert_string_equal(json_member(top, "/volumes/0/busy_percent"), "5.000");
	json_object_put(top);
}

/* Each route carries 1 MiB/s more than the one before. */
static void routes_pass(void)
{
	unsigned int i;

	second_passes();
	for (i = 0; i < 2; i++)
		fake.routes[i].session.counter[RBLK_CNT_READ_BYTES] += (i + 1) << 20;
	fake.routes[1].losses = 1;
}

static void two_routes(void)
{
	unsigned int i;

	one_volume();
	fake.nr_routes = 2;
	for (i = 0; i < 2; i++) {
		memset(&fake.routes[i], 0, sizeof(fake.routes[i]));
		snprintf(fake.routes[i].target_text, RBLK_PATH_LEN, "10.%u.0.1", i);
		fake.routes[i].state = i ? RBLK_VOL_WAITING : RBLK_VOL_LIVE;
		fake.routes[i].inflight = 3 - i;
		fake.routes[i].session.counter[RBLK_CNT_READ_BYTES] = 5000;
		fake.routes[i].session.uuid[0] = i + 1;
	}
	fake.volumes[0].volume.routes = 2;
	fake.volumes[0].volume.live_routes = 1;
	fake.meanwhile = routes_pass;
}

static void by_route(void **state)
{
	struct json_object *top;

	(void)state;
	two_routes();
	run_tool("stat rblk0");
	assert_int_equal(result.status, EXIT_OK);
	assert_has(result.out, "\nroutes\n  10.0.0.1                 live     1M/s read, "
		   "0B/s written, 3 in flight, lost 0 times\n"
		   "  10.1.0.1                 waiting  2M/s read, ");
	assert_has(result.out, "2 in flight, lost 1 times\n");
	two_routes();
	run_tool("stat --json");
	top = result_json();
	assert_string_equal(json_member(top, "/volumes/0/each_route/1/target"), "10.1.0.1");
	assert_string_equal(json_member(top, "/volumes/0/each_route/1/state"), "waiting");
	assert_string_equal(json_member(top, "/volumes/0/each_route/1/read_bytes_per_second"),
			    "2097152.000");
	assert_string_equal(json_member(top, "/volumes/0/each_route/0/inflight"), "3");
	json_object_put(top);
	/* Who asks for columns gets these, and no more. */
	two_routes();
	run_tool("stat rblk0 -o part,mean");
	assert_null(strstr(result.out, "routes"));
	two_routes();
	run_tool("top -n 1");
	assert_has(result.out, "1 volumes, 0 not live, 1 with a lost route; ");
	/* Of one route there is nothing to say. */
	one_volume();
	fake.nr_routes = 0;
	run_tool("stat rblk0");
	assert_null(strstr(result.out, "routes"));
}

static void parts(void **state)
{
	(void)state;
	one_volume();
	run_tool("stat rblk0");
	assert_has(result.out, "OP     IO/S  BYTES/S  PART    MEAN    P50");
	assert_has(result.out, "read   1000  3.9M     total   100us   115us   131us   131us\n");
	assert_has(result.out, "read   1000  3.9M     wire    60.0us");
	assert_has(result.out, "write  50.0  3.1M     device  400us");
	assert_null(strstr(result.out, "flush"));
}

static void failures(void)
{
	fake.done[0][RBLK_LATENCY_FLUSH].failed = 7;
}

/* Only failures are something, too. */
static void failed(void **state)
{
	struct json_object *top;

	(void)state;
	one_volume();
	fake.meanwhile = failures;
	run_tool("stat");
	assert_has(result.out, "/dev/rblk0  live   flush  0");
	one_volume();
	fake.meanwhile = failures;
	run_tool("stat --json");
	top = result_json();
	assert_string_equal(json_member(top, "/volumes/0/flush/failed"), "7");
	json_object_put(top);
}

/* A device that is new, or another one, has done what it shows since. */
static void fresh_device(void)
{
	memset(fake.done[0], 0, sizeof(fake.done[0]));
	fake_times(&fake.done[0][RBLK_LATENCY_READ], 10, 512, read_us);
	fake_volume(1, "10.0.0.1", "late");
	fake_times(&fake.done[1][RBLK_LATENCY_READ], 50, 512, read_us);
	fake_stat(1, 0, 0);
}

static void is_detached(void)
{
	fake.nr_volumes = 0;
}

static void is_gone(void)
{
	fake.no_stat = true;
}

static void comes_and_goes(void **state)
{
	(void)state;
	one_volume();
	fake.meanwhile = fresh_device;
	run_tool("stat");
	assert_has(result.out, "/dev/rblk0  live   read  10.0");
	assert_has(result.out, "/dev/rblk1  live   read  50.0");
	one_volume();
	fake.meanwhile = is_gone;
	run_tool("stat");
	assert_int_equal(result.status, EXIT_OK);
	assert_null(strstr(result.out, "rblk0"));
	fake.no_stat = false;
}

static void watches(void **state)
{
	const char *second;

	(void)state;
	one_volume();
	fake.moments = 2;
	run_tool("stat --watch");
	assert_int_equal(result.status, EXIT_OK);
	second = strstr(result.out, "\n\nDEVICE");
	assert_non_null(second);
	assert_has(second, "/dev/rblk0  live   read   1000");
	one_volume();
	fake.moments = 5;
	fake.meanwhile = is_detached;
	run_tool("stat rblk0 --watch");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_has(result.err, "stat rblk0: rblk0 has been detached");
	run_tool("stat rblk7");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_has(result.err, "rblk7 is not attached");
	one_volume();
	fake_fail(RBLK_IOC_STAT, RBLK_STAGE_LOOKUP, ENOMEM, 0, "out of memory");
	run_tool("stat");
	assert_int_equal(result.status, EXIT_FAILED);
	assert_has(result.err, "out of memory");
}

static void idle(void **state)
{
	(void)state;
	one_volume();
	fake.meanwhile = NULL;
	run_tool("stat");
	assert_has(result.out, "/dev/rblk0  live   -   0     0B       0    0    0      0     0");
}

static void words(void **state)
{
	(void)state;
	run_tool("stat rblk0 rblk1");
	assert_int_equal(result.status, EXIT_USAGE);
	run_tool("stat --interval 0");
	assert_int_equal(result.status, EXIT_USAGE);
	run_tool("stat -n 0");
	assert_int_equal(result.status, EXIT_USAGE);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fake_setup, fake_teardown)

static const struct CMUnitTest tests[] = {
	TEST(rates),
	TEST(json),
	TEST(by_route),
	TEST(parts),
	TEST(failed),
	TEST(comes_and_goes),
	TEST(watches),
	TEST(idle),
	TEST(words),
};

SUITE(stat, tests);
