// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ranges of the target's window: none twice, none beyond it, and all come back.
 */
#include "../../driver/proto/range.c"
#include <kunit/test.h>

#define UNIT	RBLK_RANGE_UNIT

/* In two turns from the beginning to the end: what is full, what is free. */
static void edges(struct kunit *test)
{
	struct rblk_range_map *map = kunit_kzalloc(test, sizeof(*map), GFP_KERNEL);
	u32 at = 7;

	KUNIT_ASSERT_NOT_NULL(test, map);
	rblk_range_init(map, 0);
	KUNIT_EXPECT_FALSE(test, rblk_range_take(map, 1, &at));
	KUNIT_EXPECT_EQ(test, at, 7);
	rblk_range_init(map, 4 * UNIT);
	KUNIT_EXPECT_FALSE(test, rblk_range_take(map, 4 * UNIT + 1, &at));
	KUNIT_EXPECT_FALSE(test, rblk_range_take(map, U32_MAX, &at));
	KUNIT_EXPECT_TRUE(test, rblk_range_take(map, 4 * UNIT, &at));
	KUNIT_EXPECT_EQ(test, at, 0);
	KUNIT_EXPECT_EQ(test, map->nr_free, 0);
	KUNIT_EXPECT_FALSE(test, rblk_range_take(map, 512, &at));
	rblk_range_give(map, 0, 4 * UNIT);
	KUNIT_EXPECT_EQ(test, map->nr_free, 4);
	/* A unit is not shared. */
	KUNIT_EXPECT_TRUE(test, rblk_range_take(map, 512, &at));
	KUNIT_EXPECT_EQ(test, at, 0);
	KUNIT_EXPECT_TRUE(test, rblk_range_take(map, UNIT + 512, &at));
	KUNIT_EXPECT_EQ(test, at, UNIT);
	KUNIT_EXPECT_FALSE(test, rblk_range_take(map, 2 * UNIT, &at));
	KUNIT_EXPECT_TRUE(test, rblk_range_take(map, UNIT, &at));
	KUNIT_EXPECT_EQ(test, at, 3 * UNIT);
	KUNIT_EXPECT_EQ(test, map->nr_free, 0);
	/* The first that fits. */
	rblk_range_give(map, UNIT, UNIT + 512);
	KUNIT_EXPECT_TRUE(test, rblk_range_take(map, 2 * UNIT, &at));
	KUNIT_EXPECT_EQ(test, at, UNIT);
	rblk_range_init(map, U32_MAX);
	KUNIT_EXPECT_EQ(test, map->units, RBLK_RANGE_UNITS);
}

#define HELD	16

/* Any order of sizes: each is in the window, and no two overlap. */
static void any_order(struct kunit *test)
{
	struct rblk_range_map *map = kunit_kzalloc(test, sizeof(*map), GFP_KERNEL);
	u32 at[HELD] = {}, bytes[HELD] = {};
	u32 i, j, turn, seed = 1;

	KUNIT_ASSERT_NOT_NULL(test, map);
	rblk_range_init(map, 128 * UNIT);
	for (turn = 0; turn < 10000; turn++) {
		seed = seed * 1664525 + 1013904223;
		i = seed >> 16 & (HELD - 1);
		if (bytes[i]) {
			rblk_range_give(map, at[i], bytes[i]);
			bytes[i] = 0;
			continue;
		}
		bytes[i] = 512 * (1 + (seed >> 20) % 256);
		if (!rblk_range_take(map, bytes[i], &at[i])) {
			bytes[i] = 0;
			continue;
		}
		KUNIT_ASSERT_EQ(test, at[i] % UNIT, 0);
		KUNIT_ASSERT_LE(test, at[i] + bytes[i], 128 * UNIT);
		for (j = 0; j < HELD; j++)
			if (j != i && bytes[j])
				KUNIT_ASSERT_TRUE(test, at[i] + bytes[i] <= at[j] ||
						  at[j] + bytes[j] <= at[i]);
	}
	for (i = 0; i < HELD; i++)
		if (bytes[i])
			rblk_range_give(map, at[i], bytes[i]);
	KUNIT_EXPECT_TRUE(test, rblk_range_take(map, 128 * UNIT, &at[0]));
}

static struct kunit_case cases[] = {
	KUNIT_CASE(edges),
	KUNIT_CASE(any_order),
	{}
};

static struct kunit_suite suite = {
	.name = "rblk_range",
	.test_cases = cases,
};

kunit_test_suite(suite);

MODULE_DESCRIPTION("KUnit: ranges of the target's window");
MODULE_LICENSE("GPL");
