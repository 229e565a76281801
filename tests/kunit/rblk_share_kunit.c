// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who may have how much of a connection, and how its scatter lists grow: lists of all
 * lengths, and commands that need many blocks among others that need few.
 */
#include "../../driver/proto/limits.c"
#include "../../driver/transport/scatter.c"
#include "../../driver/transport/share.c"
#include <kunit/test.h>

#define DEPTH	128
#define SEGMENTS RBLK_MAX_SEGMENTS
/* Segments that take one block, and the most. */
#define FEW	(RBLK_SLOT_SGS + 1)
#define MANY	SEGMENTS

/* There is no window here. */
void rblk_window_give(struct rblk_slot *slot)
{
}

void rblk_window_disown(struct rblk_slot *slot)
{
}

struct fixture {
	struct rblk_conn conn;
	struct rblk_slot slots[DEPTH];
	struct rblk_large large[RBLK_LARGE_PER_CONN];
	struct rblk_share users[DEPTH];
	struct rblk_slot *taken[DEPTH];
	u32 blocks;
	int bounce;
};

static int share_init(struct kunit *test)
{
	struct fixture *f = vzalloc(sizeof(*f));
	struct rblk_conn *conn;
	u32 i;

	if (!f)
		return -ENOMEM;
	conn = &f->conn;
	spin_lock_init(&conn->lend.lock);
	conn->offer.depth = DEPTH;
	conn->offer.max_io = 1 << 20;
	conn->grant.inline_write = 4096;
	conn->caps.mr_pages = 512;
	conn->caps.page_size = 4096;
	conn->caps.mr_page = 4096;
	for (i = 0; i < DEPTH; i++) {
		f->slots[i].conn = conn;
		f->slots[i].tag = i;
		f->slots[i].bounce = i < RBLK_BOUNCES ? &f->bounce : NULL;
		sg_init_table(f->slots[i].sgl, RBLK_SLOT_SGS);
		rblk_share_add_slot(&f->slots[i]);
	}
	for (i = 0; i < RBLK_LARGE_PER_CONN; i++)
		rblk_share_add_large(conn, &f->large[i]);
	test->priv = f;
	if (rblk_scatter_alloc(conn))
		return -ENOMEM;
	f->blocks = conn->lend.nr_blocks;
	return 0;
}

static void share_exit(struct kunit *test)
{
	struct fixture *f = test->priv;

	if (!f)
		return;
	rblk_scatter_free(&f->conn);
	vfree(f);
	test->priv = NULL;
}

static struct rblk_slot *take(struct fixture *f, struct rblk_share *user, u32 segments,
			      bool alone, const void *owner)
{
	struct rblk_need need = { .pages = segments, .segments = segments };

	return rblk_share_take(&f->conn, user, &need, alone, owner);
}

/* A list has its slot's elements and what its blocks add; all may have some. */
static void sg_blocks(struct kunit *test)
{
	u32 nr, blocks;

	for (nr = 0; nr <= RBLK_SLOT_SGS; nr++)
		KUNIT_EXPECT_EQ(test, rblk_limits_sg_blocks(nr), 0);
	for (; nr <= SEGMENTS; nr++) {
		blocks = rblk_limits_sg_blocks(nr);
		KUNIT_EXPECT_GE(test, RBLK_SLOT_SGS + blocks * (RBLK_BLOCK_SGS - 1), nr);
		KUNIT_EXPECT_LT(test, RBLK_SLOT_SGS + (blocks - 1) * (RBLK_BLOCK_SGS - 1), nr);
	}
	KUNIT_EXPECT_EQ(test, rblk_limits_sg_blocks(17), 1);
	KUNIT_EXPECT_EQ(test, rblk_limits_sg_blocks(RBLK_SMALL_PAGES), 2);
	KUNIT_EXPECT_EQ(test, rblk_limits_sg_blocks(SEGMENTS), 17);
	KUNIT_EXPECT_EQ(test, rblk_limits_sg_total(128, SEGMENTS), 145);
	KUNIT_EXPECT_EQ(test, rblk_limits_sg_total(16, 17), 16);
	KUNIT_EXPECT_EQ(test, rblk_limits_sg_total(4, 33), 10);
	KUNIT_EXPECT_EQ(test, rblk_limits_sg_total(1024, SEGMENTS), 1024);
	KUNIT_EXPECT_EQ(test, rblk_limits_sg_total(1024, 1), 0);
}

/* Fill a list as the block layer does, and look whether it holds what was put there. */
static void fill(struct kunit *test, struct rblk_slot *slot, u32 nr)
{
	struct scatterlist *sg = NULL;
	u32 i;

	for (i = 0; i < nr; i++) {
		if (!sg) {
			sg = slot->sgl;
		} else {
			sg_unmark_end(sg);
			sg = sg_next(sg);
		}
		KUNIT_ASSERT_NOT_NULL(test, sg);
		KUNIT_ASSERT_FALSE(test, sg_is_chain(sg));
		sg_set_page(sg, ZERO_PAGE(0), 1 + i, 0);
	}
	sg_mark_end(sg);
	for_each_sg(slot->sgl, sg, nr, i)
		KUNIT_ASSERT_EQ(test, sg->length, 1 + i);
	KUNIT_EXPECT_NULL(test, sg);
	KUNIT_EXPECT_EQ(test, sg_nents(slot->sgl), (int)nr);
}

/* Lists of all lengths, in blocks that others have used in another order. */
static void lists(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct rblk_slot *slot, *other = NULL;
	u32 i, nr, seed = 1;

	for (i = 0; i < 2000; i++) {
		seed = seed * 1664525 + 1013904223;
		nr = i < SEGMENTS ? i + 1 : 1 + (seed >> 16) % SEGMENTS;
		slot = take(f, &f->users[0], nr, true, f);
		KUNIT_ASSERT_NOT_NULL(test, slot);
		KUNIT_EXPECT_EQ(test, slot->blocks, rblk_limits_sg_blocks(nr));
		fill(test, slot, nr);
		if (other)
			rblk_share_give(other);
		other = slot;
	}
	rblk_share_give(other);
	KUNIT_EXPECT_EQ(test, f->conn.lend.nr_blocks, f->blocks);
	KUNIT_EXPECT_EQ(test, f->conn.lend.nr_slots, DEPTH);
	KUNIT_EXPECT_EQ(test, f->conn.lend.nr_large, RBLK_LARGE_PER_CONN);
	KUNIT_EXPECT_EQ(test, f->users[0].blocks, 0);
	KUNIT_EXPECT_EQ(test, f->users[0].large, 0);
	for (i = 1; i < f->blocks; i++)
		f->conn.lend.blocks = sg_chain_ptr(block_link(f->conn.lend.blocks));
	KUNIT_EXPECT_NULL(test, sg_chain_ptr(block_link(f->conn.lend.blocks)));
}

static u32 fill_up(struct fixture *f, u32 user, u32 segments, bool alone)
{
	u32 nr = 0;

	/* Nobody waits who came before. */
	f->users[user].claim.owner = NULL;
	f->conn.lend.claim.owner = NULL;
	while (nr < DEPTH) {
		f->taken[nr] = take(f, &f->users[user], segments, alone, &f->taken[nr]);
		if (!f->taken[nr])
			break;
		nr++;
	}
	return nr;
}

/* As many large ones at a time as there are large registrations. */
static void many_large(struct kunit *test)
{
	struct fixture *f = test->priv;

	KUNIT_EXPECT_EQ(test, fill_up(f, 0, MANY, true), RBLK_LARGE_PER_CONN);
}

/* However two sick users fill up, the third one gets its largest request. */
static void sick(struct kunit *test)
{
	static const u32 segments[] = { FEW, 33, 65, MANY };
	u32 first, second, i;

	for (first = 0; first < ARRAY_SIZE(segments); first++) {
		for (second = 0; second < ARRAY_SIZE(segments); second++) {
			struct fixture *f = test->priv;

			fill_up(f, 0, segments[first], false);
			for (i = 0; i < ARRAY_SIZE(segments); i++)
				fill_up(f, 0, segments[i], false);
			fill_up(f, 1, segments[second], false);
			for (i = 0; i < ARRAY_SIZE(segments); i++)
				fill_up(f, 1, segments[i], false);
			f->conn.lend.claim.owner = NULL;
			KUNIT_EXPECT_NOT_NULL(test, take(f, &f->users[2], MANY, false, f));
			share_exit(test);
			KUNIT_ASSERT_EQ(test, share_init(test), 0);
		}
	}
}

/* Others give back one block at a time, and would take it again at once. */
static void claims(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 most = rblk_limits_sg_blocks(MANY), i;
	struct rblk_slot *slot;

	/* Each user has one command out, but for the last, which has none. */
	for (i = 0; i < DEPTH - 1; i++) {
		f->taken[i] = take(f, &f->users[i], i < 9 ? 33 : FEW, false, &f->taken[i]);
		KUNIT_ASSERT_NOT_NULL(test, f->taken[i]);
	}
	KUNIT_ASSERT_GT(test, most, f->conn.lend.nr_blocks);
	KUNIT_EXPECT_NULL(test, take(f, &f->users[i], MANY, false, f));
	for (i = 0; f->conn.lend.nr_blocks < most; i++) {
		rblk_share_give(f->taken[i]);
		KUNIT_EXPECT_NULL(test, take(f, &f->users[i], FEW, false, &f->taken[i]));
		/* Who needs no block is not concerned. */
		slot = take(f, &f->users[i], RBLK_SLOT_SGS, false, &f->taken[i]);
		KUNIT_ASSERT_NOT_NULL(test, slot);
		rblk_share_give(slot);
	}
	slot = take(f, &f->users[DEPTH - 1], MANY, false, f);
	KUNIT_ASSERT_NOT_NULL(test, slot);
	rblk_share_give(slot);
	KUNIT_EXPECT_NOT_NULL(test, take(f, &f->users[0], FEW, false, &f->taken[0]));
}

/* The same among the commands of one user, which has many out. */
static void own_claims(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct rblk_share *user = &f->users[0];
	struct rblk_slot *slot = NULL;
	u32 nr = fill_up(f, 0, FEW, false);

	user->claim.owner = NULL;
	KUNIT_EXPECT_NULL(test, take(f, user, MANY, false, f));
	while (nr) {
		rblk_share_give(f->taken[--nr]);
		slot = take(f, user, MANY, false, f);
		if (slot)
			break;
		KUNIT_ASSERT_NULL(test, take(f, user, FEW, false, &f->taken[nr]));
	}
	KUNIT_EXPECT_NOT_NULL(test, slot);
}

/* A command that does not come back holds nobody up for long, nor one in vain. */
static void lapses(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct rblk_claim *claim = &f->conn.lend.claim;
	const void *a = &f->users[0], *b = &f->users[1];

	claim_begin(claim, a, 1);
	KUNIT_EXPECT_TRUE(test, claim_stands(claim, b));
	KUNIT_EXPECT_FALSE(test, claim_stands(claim, a));
	claim->seen = jiffies - CLAIM_SEEN;
	KUNIT_EXPECT_FALSE(test, claim_stands(claim, b));
	claim_begin(claim, b, 1);
	KUNIT_EXPECT_TRUE(test, claim_stands(claim, a));
	claim->since = jiffies - CLAIM_TIME;
	KUNIT_EXPECT_FALSE(test, claim_stands(claim, a));
	claim_begin(claim, a, 1);
	claim_begin(claim, b, 1);
	KUNIT_EXPECT_PTR_EQ(test, claim->owner, b);
	KUNIT_EXPECT_FALSE(test, claim_stands(claim, a));
	claim->since = jiffies - 2 * CLAIM_TIME - 1;
	claim_begin(claim, a, 1);
	KUNIT_EXPECT_TRUE(test, claim_stands(claim, b));
	claim_end(claim, b);
	KUNIT_EXPECT_TRUE(test, claim_stands(claim, b));
	claim_end(claim, a);
	KUNIT_EXPECT_FALSE(test, claim_stands(claim, b));
}

/* Small writes get the bounce buffers, others leave them those. */
static void bounces(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct rblk_need need[] = { { 1, 1, 4096 }, { 1, 1, 4097 }, { 1, 1 } };
	u32 i, turn, with[3] = {};

	for (i = 0; i < DEPTH; i++) {
		turn = i < 3 * RBLK_BOUNCES ? i % 3 : 0;
		f->taken[i] = rblk_share_take(&f->conn, &f->users[0], &need[turn], true, f);
		KUNIT_ASSERT_NOT_NULL(test, f->taken[i]);
		with[turn] += !!f->taken[i]->bounce;
	}
	KUNIT_EXPECT_EQ(test, with[0], RBLK_BOUNCES);
	KUNIT_EXPECT_EQ(test, with[1] + with[2], 0);
	/* But they do take one if there is no other. */
	rblk_share_give(f->taken[0]);
	f->taken[0] = rblk_share_take(&f->conn, &f->users[0], &need[2], true, f);
	KUNIT_ASSERT_NOT_NULL(test, f->taken[0]);
	KUNIT_EXPECT_NOT_NULL(test, f->taken[0]->bounce);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(sg_blocks),
	KUNIT_CASE(lists),
	KUNIT_CASE(many_large),
	KUNIT_CASE(sick),
	KUNIT_CASE(claims),
	KUNIT_CASE(own_claims),
	KUNIT_CASE(lapses),
	KUNIT_CASE(bounces),
	{}
};

static struct kunit_suite suite = {
	.name = "rblk_share",
	.init = share_init,
	.exit = share_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);

MODULE_DESCRIPTION("KUnit: who may have how much of a connection");
MODULE_LICENSE("GPL");
