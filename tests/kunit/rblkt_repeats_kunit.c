// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the target remembers of each source's last change of a reservation.
 */
#include "../../target/proto/reservation.c"
#include <kunit/test.h>

enum { A, B };

static const u8 *host(unsigned int who)
{
	static u8 id[256][RBLK_WIRE_UUID_LEN];

	id[who][7] = who;
	id[who][8] = 0xa5;
	return id[who];
}

static void remember(struct rblkt_resv *resv, unsigned int who, u64 source, u64 number,
		     u16 status)
{
	struct rblkt_resv_ask ask = { .source = source, .number = number };

	memcpy(ask.who.host, host(who), sizeof(ask.who.host));
	rblkt_resv_remember(resv, &ask, status);
}

/* The last number of a source, 0 if it is not known. */
static u64 last(struct rblkt_resv *resv, unsigned int who, u64 source)
{
	struct rblkt_resv_ask ask = { .source = source };
	struct rblkt_resv_last *at;

	memcpy(ask.who.host, host(who), sizeof(ask.who.host));
	at = rblkt_resv_last(resv, &ask);
	return at ? at->number : 0;
}

/* Each source has one place; whoever has many forgets his own. */
static void repeats(struct kunit *test)
{
	struct rblkt_resv *resv = kunit_kzalloc(test, sizeof(*resv), GFP_KERNEL);
	u64 i;

	KUNIT_ASSERT_NOT_NULL(test, resv);
	KUNIT_EXPECT_EQ(test, last(resv, A, 7), 0);
	remember(resv, A, 7, 5, RBLK_CTL_OK);
	KUNIT_EXPECT_EQ(test, last(resv, A, 7), 5);
	KUNIT_EXPECT_EQ(test, last(resv, B, 7), 0);
	KUNIT_EXPECT_EQ(test, last(resv, A, 8), 0);
	remember(resv, B, 7, 2, RBLK_CTL_OK);
	remember(resv, A, 7, 6, RBLK_CTL_CONFLICT);
	KUNIT_EXPECT_EQ(test, last(resv, A, 7), 6);
	KUNIT_EXPECT_EQ(test, last(resv, B, 7), 2);
	KUNIT_EXPECT_EQ(test, resv->last[0].status, RBLK_CTL_CONFLICT);
	KUNIT_EXPECT_EQ(test, resv->last[2].number, 0);
	for (i = 1; i <= 1000; i++)
		remember(resv, B, 100 + i, i, RBLK_CTL_OK);
	KUNIT_EXPECT_EQ(test, last(resv, A, 7), 6);
	for (i = 1000; i > 1000 - RBLKT_RESV_LAST_EACH; i--)
		KUNIT_EXPECT_EQ(test, last(resv, B, 100 + i), i);
	KUNIT_EXPECT_EQ(test, last(resv, B, 100 + i), 0);
	/* In the end, the oldest goes. */
	for (i = 1; i <= RBLKT_RESV_LAST - 1; i++)
		remember(resv, 100 + i, 1, 1, RBLK_CTL_OK);
	KUNIT_EXPECT_EQ(test, last(resv, A, 7), 0);
	KUNIT_EXPECT_EQ(test, last(resv, B, 1100), 1000);
	remember(resv, B, 1100, 1001, RBLK_CTL_OK);
	KUNIT_EXPECT_EQ(test, last(resv, 101, 1), 1);
	KUNIT_EXPECT_TRUE(test, rblkt_resv_sound(resv));
}

static struct kunit_case cases[] = {
	KUNIT_CASE(repeats),
	{}
};

static struct kunit_suite suite = {
	.name = "rblkt_repeats",
	.test_cases = cases,
};

kunit_test_suite(suite);

MODULE_DESCRIPTION("KUnit: rblk repeats of changes of reservations, target");
MODULE_LICENSE("GPL");
