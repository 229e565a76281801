// SPDX-License-Identifier: GPL-2.0-only
/*
 * How many I/O connections are asked for, and how many of these are polled.
 */
#include "../../driver/proto/limits.c"
#include <kunit/test.h>

static const struct rblk_caps caps = {
	.mr_pages = 512, .send_sge = 32, .qp_wr = 32768, .cqe = 32768,
	.page_size = 4096, .mr_page = 4096, .dma_max = U32_MAX,
};

struct queues_case {
	const char *what;
	u32 queues;
	u32 cpus;
	u16 want;
};

static const struct queues_case queues_cases[] = {
	{ "default, 1 CPU", 0, 1, 1 }, { "default, 2 CPUs", 0, 2, 2 },
	{ "default, 4 CPUs", 0, 4, 4 }, { "default, 5 CPUs", 0, 5, 4 },
	{ "default, 512 CPUs", 0, 512, 4 }, { "1", 1, 8, 1 },
	{ "more than CPUs", 16, 2, 16 }, { "64", 64, 8, 64 },
	{ "65", 65, 8, 64 }, { "2^31", 1u << 31, 8, 64 },
	{ "2^32 - 2", U32_MAX - 1, 8, 64 }, { "none", RBLK_NO_QUEUES, 8, 0 },
};

KUNIT_ARRAY_PARAM_DESC(queues, queues_cases, what);

static void offer_queues(struct kunit *test)
{
	const struct queues_case *c = test->param_value;
	struct rblk_offer offer = {};

	rblk_limits_offer(&caps, c->queues, 0, c->cpus, &offer);
	KUNIT_EXPECT_EQ(test, offer.nr_queues, c->want);
}

struct poll_case {
	const char *what;
	u32 queues;
	u16 polled;
	u16 want;
	u16 want_polled;
};

/* On a host with two CPUs. */
static const struct poll_case poll_cases[] = {
	{ "none", 4, 0, 4, 0 }, { "1 of the default", 0, 1, 3, 1 },
	{ "2", 4, 2, 6, 2 }, { "60", 4, 60, 64, 60 }, { "61", 4, 61, 64, 60 },
	{ "2^16 - 1", 1, U16_MAX, 64, 63 }, { "no room", 64, 1, 64, 0 },
	{ "of none", RBLK_NO_QUEUES, 1, 0, 0 },
};

KUNIT_ARRAY_PARAM_DESC(poll, poll_cases, what);

static void offer_poll_queues(struct kunit *test)
{
	const struct poll_case *c = test->param_value;
	struct rblk_offer offer = { .poll_queues = c->polled };

	rblk_limits_offer(&caps, c->queues, 0, 2, &offer);
	KUNIT_EXPECT_EQ(test, offer.nr_queues, c->want);
	KUNIT_EXPECT_EQ(test, offer.poll_queues, c->want_polled);
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(offer_queues, queues_gen_params),
	KUNIT_CASE_PARAM(offer_poll_queues, poll_gen_params),
	{}
};

static struct kunit_suite suite = {
	.name = "rblk_queues",
	.test_cases = cases,
};

kunit_test_suite(suite);

MODULE_DESCRIPTION("KUnit: how many queues are asked for");
MODULE_LICENSE("GPL");
