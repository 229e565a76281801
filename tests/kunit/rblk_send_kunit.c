// SPDX-License-Identifier: GPL-2.0-only
/*
 * What leaves together, what is signalled.
 */
#include "../../driver/proto/limits.c"
#include <kunit/test.h>

#define K	1024u

/* A header of 8 bytes, as much for a MAC, commands of 48; one to 16, whatever the target says. */
static void batches(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, rblk_limits_batch(16, 4 * K), 16);
	KUNIT_EXPECT_EQ(test, rblk_limits_batch(3, 4 * K), 3);
	KUNIT_EXPECT_EQ(test, rblk_limits_batch(1, 4 * K), 1);
	KUNIT_EXPECT_EQ(test, rblk_limits_batch(16, 16 + 16 * 48), 16);
	KUNIT_EXPECT_EQ(test, rblk_limits_batch(16, 16 + 16 * 48 - 1), 15);
	KUNIT_EXPECT_EQ(test, rblk_limits_batch(16, 512), 10);
	KUNIT_EXPECT_EQ(test, rblk_limits_batch(16, 16 + 48), 1);
	KUNIT_EXPECT_EQ(test, rblk_limits_batch(16, 16 + 47), 1);
	KUNIT_EXPECT_EQ(test, rblk_limits_batch(16, 7), 1);
	KUNIT_EXPECT_EQ(test, rblk_limits_batch(16, 0), 1);
	KUNIT_EXPECT_EQ(test, rblk_limits_batch(U32_MAX, U32_MAX), 16);
}

/* Only iWARP, and only what it would send page by page. */
static void signalled_sends(struct kunit *test)
{
	struct rblk_caps caps = { .page_size = 4 * K };

	KUNIT_EXPECT_EQ(test, rblk_limits_signal_from(&caps), U32_MAX);
	caps.iwarp = true;
	KUNIT_EXPECT_EQ(test, rblk_limits_signal_from(&caps), 4 * K);
	caps.page_size = 64 * K;
	KUNIT_EXPECT_EQ(test, rblk_limits_signal_from(&caps), 64 * K);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(batches),
	KUNIT_CASE(signalled_sends),
	{}
};

static struct kunit_suite suite = {
	.name = "rblk_send",
	.test_cases = cases,
};

kunit_test_suite(suite);

MODULE_DESCRIPTION("KUnit: what leaves together");
MODULE_LICENSE("GPL");
