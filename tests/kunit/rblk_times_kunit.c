// SPDX-License-Identifier: GPL-2.0-only
/* KUnit: when the initiator tries again, and which reads tell the times. */
#include "../../driver/proto/limits.c"
#include <kunit/test.h>

/* The first read tells the times, and one in so many. */
static void times_asked(struct kunit *test)
{
	u32 read, nr = 0;

	KUNIT_EXPECT_TRUE(test, rblk_limits_asks_times(1));
	for (read = 0; read <= U16_MAX; read++)
		nr += rblk_limits_asks_times(read);
	KUNIT_EXPECT_EQ(test, nr, 2048);
}

static void jitter(struct kunit *test)
{
	static const u32 most[] = { 200, 400, 800, 1600, 3200, 4000, 4000 };
	u32 attempt, r;

	for (attempt = 0; attempt < ARRAY_SIZE(most); attempt++) {
		u32 half = most[attempt] / 2;

		KUNIT_EXPECT_EQ(test, rblk_limits_jitter_ms(attempt, 0), half);
		KUNIT_EXPECT_EQ(test, rblk_limits_jitter_ms(attempt, half),
				most[attempt]);
		KUNIT_EXPECT_EQ(test, rblk_limits_jitter_ms(attempt, half + 1),
				half);
		for (r = U32_MAX; r > 1000; r -= r / 8) {
			KUNIT_EXPECT_GE(test, rblk_limits_jitter_ms(attempt, r),
					half);
			KUNIT_EXPECT_LE(test, rblk_limits_jitter_ms(attempt, r),
					most[attempt]);
		}
	}
	/* Days later it is still the longest, not a shift beyond the type. */
	KUNIT_EXPECT_EQ(test, rblk_limits_jitter_ms(32, 0), 2000);
	KUNIT_EXPECT_EQ(test, rblk_limits_jitter_ms(U32_MAX, 2000), 4000);
}

/* No attempt outlasts the longest delay to the next, but for the shortest. */
static void pause_ms(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, rblk_limits_pause_ms(0), 0);
	KUNIT_EXPECT_EQ(test, rblk_limits_pause_ms(1), 1);
	KUNIT_EXPECT_EQ(test, rblk_limits_pause_ms(3600000), 3600000);
	KUNIT_EXPECT_EQ(test, rblk_limits_pause_ms(3600001), 3600000);
	KUNIT_EXPECT_EQ(test, rblk_limits_pause_ms(U32_MAX), 3600000);
}

/* Each second, at the latest, and not all hosts at the same moment. */
static void away_retry_ms(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, rblk_limits_pause_retry_ms(0), 500);
	KUNIT_EXPECT_EQ(test, rblk_limits_pause_retry_ms(500), 1000);
	KUNIT_EXPECT_EQ(test, rblk_limits_pause_retry_ms(501), 500);
	KUNIT_EXPECT_LE(test, rblk_limits_pause_retry_ms(U32_MAX), 1000);
}

static void connect_ms(struct kunit *test)
{
	static const u32 ms[] = { 8000, 1800, 1800, 1800, 3800, 3800, 3800 };
	u32 attempt;

	for (attempt = 0; attempt < ARRAY_SIZE(ms); attempt++)
		KUNIT_EXPECT_EQ(test, rblk_limits_connect_ms(attempt),
				ms[attempt]);
	KUNIT_EXPECT_EQ(test, rblk_limits_connect_ms(32), 3800);
	KUNIT_EXPECT_EQ(test, rblk_limits_connect_ms(U32_MAX), 3800);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(times_asked),
	KUNIT_CASE(jitter),
	KUNIT_CASE(pause_ms),
	KUNIT_CASE(away_retry_ms),
	KUNIT_CASE(connect_ms),
	{}
};

static struct kunit_suite suite = {
	.name = "rblk_times",
	.test_cases = cases,
};

kunit_test_suite(suite);

MODULE_DESCRIPTION("KUnit: rblk times");
MODULE_LICENSE("GPL");
