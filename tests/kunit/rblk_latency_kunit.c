// SPDX-License-Identifier: GPL-2.0-only
/*
 * The buckets of latencies: they cover all durations, in order, without a gap,
 * and no bucket but the first and last is wider than half of its floor.
 */
#include "rblk_latency.h"
#include <kunit/test.h>

#define LAST	(RBLK_LATENCY_BUCKETS - 1)

static void edges(struct kunit *test)
{
	static const struct {
		u64 ns;
		u32 bucket;
	} known[] = {
		{ 0, 0 }, { 255, 0 }, { 256, 1 }, { 383, 1 }, { 384, 2 }, { 511, 2 },
		{ 512, 3 }, { 1023, 4 }, { 1024, 5 }, { 1000000, 24 },
		{ U32_MAX, 48 }, { 1ULL << 39, LAST }, { U64_MAX, LAST },
		{ (1ULL << 39) - 1, LAST - 1 },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(known); i++)
		KUNIT_EXPECT_EQ_MSG(test, rblk_latency_bucket(known[i].ns),
				    known[i].bucket, "%llu ns", known[i].ns);
}

static void floors(struct kunit *test)
{
	u32 i;

	KUNIT_EXPECT_EQ(test, rblk_latency_floor(0), 0ULL);
	for (i = 1; i <= LAST; i++) {
		u64 floor = rblk_latency_floor(i);

		KUNIT_EXPECT_EQ(test, rblk_latency_bucket(floor), i);
		KUNIT_EXPECT_EQ(test, rblk_latency_bucket(floor - 1), i - 1);
		if (i < LAST)
			KUNIT_EXPECT_LE(test, rblk_latency_floor(i + 1) - floor,
					floor / 2);
	}
}

/* What is added up word by word must consist of them. */
static void layout(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, sizeof(struct rblk_ioc_latency),
			8 * (2 + RBLK_LATENCY_PARTS * (1 + RBLK_LATENCY_BUCKETS)));
}

static struct kunit_case cases[] = {
	KUNIT_CASE(edges),
	KUNIT_CASE(floors),
	KUNIT_CASE(layout),
	{}
};

static struct kunit_suite suite = {
	.name = "rblk_latency",
	.test_cases = cases,
};

kunit_test_suite(suite);

MODULE_DESCRIPTION("The buckets of latencies");
MODULE_LICENSE("GPL");
