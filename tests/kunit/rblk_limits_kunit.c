// SPDX-License-Identifier: GPL-2.0-only
/*
 * The limit arithmetic at its edges: devices that can hardly do it and devices
 * that can do anything, small and large pages, odd exports.
 */
#include "../../driver/proto/limits.c"
#include "../../compat/mr.h"
#include <kunit/test.h>

#define K	1024u
#define M	(1024u * 1024u)

/* What check_caps() is about to refuse if any of it is one less. */
static const struct rblk_caps least = {
	.mr_pages = 17, .send_sge = 2, .qp_wr = 25, .cqe = 25,
	.page_size = 4 * K, .mr_page = 4 * K, .dma_max = U32_MAX,
};

static const struct rblk_caps rxe = {
	.mr_pages = 512, .send_sge = 32, .qp_wr = 1u << 20, .cqe = 32767,
	.page_size = 4 * K, .mr_page = 4 * K, .dma_max = U32_MAX,
};

static const struct rblk_caps imm = {
	.mr_pages = 512, .send_sge = 32, .qp_wr = 1u << 20, .cqe = 32767,
	.page_size = 4 * K, .mr_page = 4 * K, .dma_max = U32_MAX, .immediate = true,
};

static const struct rblk_caps siw = {
	.mr_pages = 256, .send_sge = 6, .qp_wr = 32768, .cqe = 1600000,
	.page_size = 4 * K, .mr_page = 4 * K, .dma_max = U32_MAX, .iwarp = true,
	.window = true,
};

static const struct rblk_caps all = {
	.mr_pages = U32_MAX, .send_sge = U32_MAX, .qp_wr = U32_MAX,
	.cqe = U32_MAX, .page_size = 64 * K, .mr_page = 64 * K, .dma_max = U32_MAX,
};

static void queue_sizes(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, rblk_limits_sq_size(4, false), 24);
	KUNIT_EXPECT_EQ(test, rblk_limits_sq_size(128, false), 520);
	KUNIT_EXPECT_EQ(test, rblk_limits_sq_size(1024, false), 4104);
	KUNIT_EXPECT_EQ(test, rblk_limits_sq_size(4, true), 28);
	KUNIT_EXPECT_EQ(test, rblk_limits_sq_size(1024, true), 5128);
	/* What commands may use is the same; an invalidation of each tag more. */
	KUNIT_EXPECT_EQ(test, rblk_limits_sq_reserve(1024, false), 0);
	KUNIT_EXPECT_EQ(test, rblk_limits_sq_size(1024, true) -
			      rblk_limits_sq_reserve(1024, true), 4104);
	KUNIT_EXPECT_EQ(test, rblk_limits_rq_size(4), 8);
	KUNIT_EXPECT_EQ(test, rblk_limits_rq_size(1024), 1028);
}

struct caps_case {
	const char *what;
	struct rblk_caps caps;
	bool good;
};

#define CAPS(text, mr, sge, wr, cq, page, verdict)			\
	{ text, { mr, sge, wr, cq, page, .mr_page = page,		\
		  .dma_max = U32_MAX }, verdict }

static const struct caps_case caps_cases[] = {
	CAPS("the least", 17, 2, 25, 25, 4 * K, true),
	CAPS("a page less", 16, 2, 25, 25, 4 * K, false),
	CAPS("no registration", 0, 2, 25, 25, 4 * K, false),
	CAPS("an element less", 17, 1, 25, 25, 4 * K, false),
	CAPS("no element", 17, 0, 25, 25, 4 * K, false),
	/* Besides what is counted there must be room for a drain. */
	CAPS("a work request less", 17, 2, 24, 25, 4 * K, false),
	CAPS("no work request", 17, 2, 0, 25, 4 * K, false),
	CAPS("a completion less", 17, 2, 25, 24, 4 * K, false),
	CAPS("no completion", 17, 2, 25, 0, 4 * K, false),
	CAPS("the least, 64K pages", 2, 2, 25, 25, 64 * K, true),
	CAPS("a page less, 64K pages", 1, 2, 25, 25, 64 * K, false),
	CAPS("the least, 16K pages", 5, 2, 25, 25, 16 * K, true),
	CAPS("a page less, 16K pages", 4, 2, 25, 25, 16 * K, false),
	CAPS("everything", U32_MAX, U32_MAX, U32_MAX, U32_MAX, 4 * K, true),
	CAPS("nothing", 0, 0, 0, 0, 4 * K, false),
};

KUNIT_ARRAY_PARAM_DESC(caps, caps_cases, what);

static void check_caps(struct kunit *test)
{
	const struct caps_case *c = test->param_value;
	const char *lacks = rblk_limits_check_caps(&c->caps);

	KUNIT_EXPECT_TRUE_MSG(test, !lacks == c->good, "%s", lacks ?: "fine");
}

struct depth_case {
	const char *what;
	u32 depth;
	u32 wr;
	u32 cqe;
	u16 want;
};

static const struct depth_case depth_cases[] = {
	{ "default", 0, 32768, 32768, 128 }, { "1", 1, 32768, 32768, 4 },
	{ "4", 4, 32768, 32768, 4 }, { "5", 5, 32768, 32768, 5 },
	{ "1024", 1024, 32768, 32768, 1024 },
	{ "1025", 1025, 32768, 32768, 1024 },
	{ "2^32 - 1", U32_MAX, U32_MAX, U32_MAX, 1024 },
	{ "2^16 + 4", 65540, 32768, 32768, 1024 },
	{ "least device", 128, 25, 25, 4 }, { "28 requests", 128, 28, 99, 4 },
	{ "29 requests", 128, 29, 99, 5 }, { "28 completions", 128, 99, 28, 4 },
	{ "29 completions", 128, 99, 29, 5 },
	{ "just enough requests", 128, 521, 521, 128 },
	{ "one request short", 128, 520, 521, 127 },
	{ "one completion short", 128, 521, 520, 127 },
};

KUNIT_ARRAY_PARAM_DESC(depth, depth_cases, what);

static void offer_depth(struct kunit *test)
{
	const struct depth_case *c = test->param_value;
	struct rblk_offer offer = {};
	struct rblk_caps caps = rxe;

	caps.qp_wr = c->wr;
	caps.cqe = c->cqe;
	rblk_limits_offer(&caps, 1, c->depth, 1, &offer);
	KUNIT_EXPECT_EQ(test, offer.depth, c->want);
	KUNIT_EXPECT_LT(test, rblk_limits_sq_size(offer.depth, false), c->wr);
	KUNIT_EXPECT_LT(test, rblk_limits_sq_size(offer.depth, false), c->cqe);
	/* Immediates take a fifth more. */
	caps.immediate = true;
	if (rblk_limits_check_caps(&caps))
		return;
	rblk_limits_offer(&caps, 1, c->depth, 1, &offer);
	KUNIT_EXPECT_GE(test, offer.depth, RBLK_WIRE_MIN_DEPTH);
	KUNIT_EXPECT_LE(test, offer.depth, c->want);
	KUNIT_EXPECT_LT(test, rblk_limits_sq_size(offer.depth, true), c->wr);
	KUNIT_EXPECT_LT(test, rblk_limits_sq_size(offer.depth, true), c->cqe);
}

struct pages_case {
	const char *what;
	u32 mr_pages;
	u32 page_size;
	u32 max_io;
	u32 large;
	u16 segments;
	u32 mr_page;		/* 0: the same as page_size */
};

/* An unaligned buffer has one page more than its size says. */
static const struct pages_case pages_cases[] = {
	{ "17 pages", 17, 4 * K, 64 * K, 17, 17 },
	{ "32 pages", 32, 4 * K, 64 * K, 17, 17 },
	{ "33 pages", 33, 4 * K, 128 * K, 33, 33 },
	{ "256 pages", 256, 4 * K, 960 * K, 241, 241 },
	{ "257 pages", 257, 4 * K, M, 257, 256 },
	{ "512 pages", 512, 4 * K, M, 257, 256 },
	{ "2^32 - 1 pages", U32_MAX, 4 * K, M, 257, 256 },
	{ "2 pages of 64K", 2, 64 * K, 64 * K, 2, 2 },
	{ "16 pages of 64K", 16, 64 * K, 960 * K, 16, 16 },
	{ "17 pages of 64K", 17, 64 * K, M, 17, 17 },
	{ "512 pages of 64K", 512, 64 * K, M, 17, 17 },
	{ "2^32 - 1 pages of 64K", U32_MAX, 64 * K, M, 17, 17 },
	{ "6 pages of 16K", 6, 16 * K, 64 * K, 5, 5 },
	{ "17 pages of 4K of 64K", 17, 64 * K, 64 * K, 17, 17, 4 * K },
	{ "512 pages of 4K of 64K", 512, 64 * K, M, 257, 256, 4 * K },
};

KUNIT_ARRAY_PARAM_DESC(pages, pages_cases, what);

static const struct rblk_geometry plain = {
	.capacity = 1ull << 30, .logical_block = 512, .physical_block = 512,
};

static void offer_pages(struct kunit *test)
{
	const struct pages_case *c = test->param_value;
	struct rblk_offer offer = {};
	struct rblk_caps caps = rxe;
	struct rblk_limits lim;

	caps.mr_pages = c->mr_pages;
	caps.page_size = c->page_size;
	caps.mr_page = c->mr_page ?: c->page_size;
	KUNIT_ASSERT_NULL(test, rblk_limits_check_caps(&caps));
	rblk_limits_offer(&caps, 1, 0, 1, &offer);
	KUNIT_EXPECT_EQ(test, offer.max_io, c->max_io);
	KUNIT_EXPECT_EQ(test, rblk_limits_large_pages(&caps, offer.max_io),
			c->large);
	rblk_limits_volume(&plain, &caps, offer.max_io, &lim);
	KUNIT_EXPECT_EQ(test, lim.max_segments, c->segments);
	KUNIT_EXPECT_EQ(test, lim.max_sectors, c->max_io / 512);
	/* Whatever the block layer sends fits one registration. */
	KUNIT_EXPECT_LE(test, c->max_io + caps.mr_page,
			(u64)c->mr_pages * caps.mr_page);
	KUNIT_EXPECT_EQ(test, lim.virt_boundary, caps.mr_page - 1);
	/* So does what a tag's own registration has to hold. */
	KUNIT_EXPECT_GE(test, (u64)rblk_limits_small_pages(&caps, c->max_io) *
			caps.mr_page,
			min((u64)c->max_io, (RBLK_SMALL_PAGES - 1) *
			    (u64)c->page_size) + caps.mr_page);
}

struct page_case {
	const char *what;
	u64 sizes;
	u32 page_size;
	u32 want;
};

static const struct page_case page_cases[] = {
	{ "any", ~0ull, 4 * K, 4 * K },
	{ "any, 64K", ~0ull, 64 * K, 64 * K },
	{ "from 4K", 0xfffff000, 64 * K, 64 * K },
	{ "4K, 2M, 1G", SZ_4K | SZ_2M | SZ_1G, 4 * K, 4 * K },
	{ "4K, 2M, 1G of 64K", SZ_4K | SZ_2M | SZ_1G, 64 * K, 4 * K },
	{ "8K and 16K of 64K", SZ_8K | SZ_16K, 64 * K, 8 * K },
	{ "2K of 4K", 2 * K, 4 * K, 0 },
	{ "2K and 16K of 64K", 2 * K | 16 * K, 64 * K, 16 * K },
	{ "64K of 4K", 64 * K, 4 * K, 0 },
	{ "none", 0, 4 * K, 0 },
};

KUNIT_ARRAY_PARAM_DESC(page, page_cases, what);

/* A registration's page: the kernel's, or the smallest from 4 KiB up. */
static void mr_page(struct kunit *test)
{
	const struct page_case *c = test->param_value;
	struct rblk_caps caps = rxe;

	KUNIT_EXPECT_EQ(test, compat_mr_page(c->sizes, c->page_size), c->want);
	caps.mr_page = c->want;
	if (!c->want)
		KUNIT_EXPECT_STREQ(test, rblk_limits_check_caps(&caps),
				   "a page size for registrations, from 4 KiB to that of the kernel");
}

struct dma_case {
	const char *what;
	u32 dma_max;
	u32 max_io;
};

static const struct dma_case dma_cases[] = {
	{ "no limit", U32_MAX, M },
	{ "1M", M, M },
	{ "256K less a slot", 254 * K, 192 * K },
	{ "64K", 64 * K, 64 * K },
};

KUNIT_ARRAY_PARAM_DESC(dma, dma_cases, what);

/* No request is larger than what can be mapped for the device. */
static void offer_dma(struct kunit *test)
{
	const struct dma_case *c = test->param_value;
	struct rblk_offer offer = {};
	struct rblk_caps caps = rxe;

	caps.dma_max = c->dma_max;
	KUNIT_ASSERT_NULL(test, rblk_limits_check_caps(&caps));
	rblk_limits_offer(&caps, 1, 0, 1, &offer);
	KUNIT_EXPECT_EQ(test, offer.max_io, c->max_io);
	/* Where offsets are lost, two elements need not meet any more. */
	KUNIT_EXPECT_GT(test, rblk_limits_segments(&caps, offer.max_io), 1);
	caps.one_segment = true;
	KUNIT_EXPECT_EQ(test, rblk_limits_segments(&caps, offer.max_io), 1);
	caps.dma_max = 64 * K - 1;
	KUNIT_EXPECT_STREQ(test, rblk_limits_check_caps(&caps),
			   "DMA mappings of at least 64 KiB");
}

/* A grant below the offer lowers everything with it. */
static void granted_less(struct kunit *test)
{
	struct rblk_limits lim;

	KUNIT_EXPECT_EQ(test, rblk_limits_large_pages(&rxe, 64 * K), 17);
	KUNIT_EXPECT_EQ(test, rblk_limits_large_pages(&siw, M), 256);
	rblk_limits_volume(&plain, &rxe, 64 * K, &lim);
	KUNIT_EXPECT_EQ(test, lim.max_sectors, 128);
	KUNIT_EXPECT_EQ(test, lim.max_segments, 17);
}

/* Inline data is copied next to the command: two elements always do. */
/* Reads come in responses only if the user says so, of whatever device. */
static void offer_inline(struct kunit *test)
{
	static const u32 wanted[] = { 0, 1, 512, 4096, 32 * K };
	struct rblk_offer offer = {};
	struct rblk_caps caps = rxe;
	unsigned int i;

	for (caps.send_sge = 2; caps.send_sge < 8; caps.send_sge++)
		for (i = 0; i < ARRAY_SIZE(wanted); i++) {
			offer.inline_read = wanted[i];
			rblk_limits_offer(&caps, 1, 0, 1, &offer);
			KUNIT_EXPECT_EQ(test, offer.inline_write, 4096);
			KUNIT_EXPECT_EQ(test, offer.inline_read, wanted[i]);
		}
	offer.inline_read = U32_MAX - 1;
	rblk_limits_offer(&caps, 1, 0, 1, &offer);
	KUNIT_EXPECT_EQ(test, offer.inline_read, 32 * K);

	/* What is best is the device's to say. */
	for (i = 0; i < ARRAY_SIZE(wanted); i++) {
		caps.inline_read = wanted[i];
		offer.inline_read = RBLK_BEST_INLINE_READ;
		rblk_limits_offer(&caps, 1, 0, 1, &offer);
		KUNIT_EXPECT_EQ(test, offer.inline_read, wanted[i]);
	}
}

/* What goes through the window, and in how many elements. */
static void window_writes(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, rblk_limits_window_sges(&least), 2);
	KUNIT_EXPECT_EQ(test, rblk_limits_window_sges(&siw), 6);
	KUNIT_EXPECT_EQ(test, rblk_limits_window_sges(&rxe), RBLK_WINDOW_SGES);
	KUNIT_EXPECT_EQ(test, rblk_limits_window_sges(&all), RBLK_WINDOW_SGES);
	/* A unit has room for one RDMA WRITE and four elements. */
	KUNIT_EXPECT_EQ(test, rblk_limits_window_pieces(&rxe, 1), 4);
	KUNIT_EXPECT_EQ(test, rblk_limits_window_pieces(&least, 1), 2);
	KUNIT_EXPECT_EQ(test, rblk_limits_window_pieces(&rxe, 5), 20);
	KUNIT_EXPECT_EQ(test, rblk_limits_window_pieces(&least, 16), 12);
	KUNIT_EXPECT_EQ(test, rblk_limits_window_pieces(&siw, 8), 32);
	KUNIT_EXPECT_EQ(test, rblk_limits_window_pieces(&all, U32_MAX), RBLK_WINDOW_PIECES);
	/* An idle queue of the least depth has room for one such write. */
	KUNIT_EXPECT_LE(test, RBLK_WINDOW_WRS + 1,
			rblk_limits_sq_size(4, false) * 3 / 4);
	KUNIT_EXPECT_TRUE(test, rblk_limits_window_fits(512 * K, 512 * K, false));
	KUNIT_EXPECT_FALSE(test, rblk_limits_window_fits(512 * K, 512 * K + 512,
							 false));
	KUNIT_EXPECT_FALSE(test, rblk_limits_window_fits(0, 512, false));
	KUNIT_EXPECT_FALSE(test, rblk_limits_window_fits(0, 512, true));
	KUNIT_EXPECT_TRUE(test, rblk_limits_window_fits(512 * K, 16 * K, true));
	KUNIT_EXPECT_FALSE(test, rblk_limits_window_fits(512 * K, 16 * K + 512,
							 true));
	KUNIT_EXPECT_FALSE(test, rblk_limits_window_fits(8 * K, 12 * K, true));
}

/* A batch of responses always fits, data only where it was asked for. */
static void receive_sizes(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, rblk_limits_recv_bytes(0), 528);
	KUNIT_EXPECT_EQ(test, rblk_limits_recv_bytes(1), 528);
	KUNIT_EXPECT_EQ(test, rblk_limits_recv_bytes(464), 528);
	KUNIT_EXPECT_EQ(test, rblk_limits_recv_bytes(465), 529);
	KUNIT_EXPECT_EQ(test, rblk_limits_recv_bytes(4096), 4160);
	KUNIT_EXPECT_EQ(test, rblk_limits_recv_bytes(32 * K), 32 * K + 64);
}

/* Whatever may come out of a device is an offer that the protocol allows. */
static void offer_in_range(struct kunit *test)
{
	static const struct rblk_caps * const caps[] = {
		&least, &rxe, &siw, &all, &imm,
	};
	static const u32 values[] = { 0, 1, 3, 4, 64, 1024, 65536, U32_MAX - 1 };
	struct rblk_offer o = {};
	unsigned int i, q, d;

	for (i = 0; i < ARRAY_SIZE(caps); i++)
		for (q = 0; q < ARRAY_SIZE(values); q++)
			for (d = 0; d < ARRAY_SIZE(values); d++) {
				rblk_limits_offer(caps[i], values[q], values[d],
						  2, &o);
				KUNIT_EXPECT_GE(test, o.nr_queues, 1);
				KUNIT_EXPECT_LE(test, o.nr_queues, 64);
				KUNIT_EXPECT_GE(test, o.depth, 4);
				KUNIT_EXPECT_LE(test, o.depth, 1024);
				KUNIT_EXPECT_GE(test, o.max_io, 64 * K);
				KUNIT_EXPECT_LE(test, o.max_io, M);
				KUNIT_EXPECT_EQ(test, o.max_io % (64 * K), 0);
				KUNIT_EXPECT_EQ(test, o.features, RBLK_FEAT_HELD |
						RBLK_FEAT_DIGEST | RBLK_FEAT_RESERVATION |
						(caps[i]->immediate ?
						 RBLK_FEAT_READ_IMM : 0) |
						(caps[i]->push ?
						 RBLK_FEAT_WRITE_PUSH : 0) |
						(caps[i]->window ?
						 RBLK_FEAT_WRITE_WINDOW : 0));
				KUNIT_EXPECT_LE(test, o.inline_read, 32 * K);
				KUNIT_EXPECT_LE(test, o.inline_write, 32 * K);
			}
}

struct volume_case {
	const char *what;
	struct rblk_geometry geo;
	struct rblk_limits want;
};

/* With siw's capabilities and 128 KiB: 256 sectors and 33 segments. */
static const struct volume_case volume_cases[] = {
	{ "512", { .capacity = 512, .logical_block = 512, .physical_block = 512 },
	  { .capacity = 1, .logical_block = 512, .physical_block = 512,
	    .io_min = 512 } },
	{ "512e", { .capacity = M, .logical_block = 512, .physical_block = 4 * K,
		    .io_min = 512, .io_opt = 64 * K },
	  { .capacity = 2048, .logical_block = 512, .physical_block = 4 * K,
	    .io_min = 4 * K, .io_opt = 64 * K } },
	{ "4096", { .capacity = 1ull << 62, .logical_block = 4 * K,
		    .physical_block = 4 * K, .io_min = 8 * K },
	  { .capacity = 1ull << 53, .logical_block = 4 * K,
	    .physical_block = 4 * K, .io_min = 8 * K } },
	{ "physical block beyond the page",
	  { .capacity = M, .logical_block = 512, .physical_block = 1u << 31 },
	  { .capacity = 2048, .logical_block = 512, .physical_block = 4 * K,
	    .io_min = 4 * K } },
	{ "discard and write-zeroes",
	  { .capacity = M, .logical_block = 512, .physical_block = 512,
	    .max_discard = 0xfffffe00, .discard_granularity = 4 * K,
	    .discard_alignment = 9 * K, .max_write_zeroes = 512 },
	  { .capacity = 2048, .logical_block = 512, .physical_block = 512,
	    .io_min = 512, .max_discard = 0x7fffff, .max_write_zeroes = 1,
	    .discard_granularity = 4 * K, .discard_alignment = K } },
	{ "not whole blocks",
	  { .capacity = M, .logical_block = 4 * K, .physical_block = 4 * K,
	    .max_discard = U32_MAX, .max_write_zeroes = 4 * K - 1 },
	  { .capacity = 2048, .logical_block = 4 * K, .physical_block = 4 * K,
	    .io_min = 4 * K, .max_discard = 0x7ffff8,
	    .discard_granularity = 4 * K } },
	{ "granularity for nothing",
	  { .capacity = M, .logical_block = 512, .physical_block = 512,
	    .discard_granularity = 4 * K, .discard_alignment = K },
	  { .capacity = 2048, .logical_block = 512, .physical_block = 512,
	    .io_min = 512 } },
	/* The block layer would not split these, and the target refuse them. */
	{ "less than a granule",
	  { .capacity = M, .logical_block = 512, .physical_block = 512,
	    .max_discard = 8 * K, .discard_granularity = 16 * K },
	  { .capacity = 2048, .logical_block = 512, .physical_block = 512,
	    .io_min = 512 } },
	{ "less than a physical block",
	  { .capacity = M, .logical_block = 512, .physical_block = 4 * K,
	    .max_discard = 2 * K, .discard_granularity = 512 },
	  { .capacity = 2048, .logical_block = 512, .physical_block = 4 * K,
	    .io_min = 4 * K } },
	{ "exactly a granule",
	  { .capacity = M, .logical_block = 512, .physical_block = 4 * K,
	    .max_discard = 16 * K, .discard_granularity = 16 * K },
	  { .capacity = 2048, .logical_block = 512, .physical_block = 4 * K,
	    .io_min = 4 * K, .max_discard = 32,
	    .discard_granularity = 16 * K } },
};

KUNIT_ARRAY_PARAM_DESC(volume, volume_cases, what);

static void volume_limits(struct kunit *test)
{
	const struct volume_case *c = test->param_value;
	const struct rblk_limits *want = &c->want;
	struct rblk_limits lim;

	memset(&lim, 0xff, sizeof(lim));
	rblk_limits_volume(&c->geo, &siw, 128 * K, &lim);
	KUNIT_EXPECT_EQ(test, lim.capacity, want->capacity);
	KUNIT_EXPECT_EQ(test, lim.logical_block, want->logical_block);
	KUNIT_EXPECT_EQ(test, lim.physical_block, want->physical_block);
	KUNIT_EXPECT_EQ(test, lim.io_min, want->io_min);
	KUNIT_EXPECT_EQ(test, lim.io_opt, want->io_opt);
	KUNIT_EXPECT_EQ(test, lim.max_sectors, 256);
	KUNIT_EXPECT_EQ(test, lim.max_segments, 33);
	KUNIT_EXPECT_EQ(test, lim.max_discard, want->max_discard);
	KUNIT_EXPECT_EQ(test, lim.discard_granularity, want->discard_granularity);
	KUNIT_EXPECT_EQ(test, lim.discard_alignment, want->discard_alignment);
	KUNIT_EXPECT_EQ(test, lim.max_write_zeroes, want->max_write_zeroes);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(queue_sizes),
	KUNIT_CASE_PARAM(check_caps, caps_gen_params),
	KUNIT_CASE_PARAM(offer_depth, depth_gen_params),
	KUNIT_CASE_PARAM(mr_page, page_gen_params),
	KUNIT_CASE_PARAM(offer_dma, dma_gen_params),
	KUNIT_CASE_PARAM(offer_pages, pages_gen_params),
	KUNIT_CASE(granted_less),
	KUNIT_CASE(offer_inline),
	KUNIT_CASE(window_writes),
	KUNIT_CASE(receive_sizes),
	KUNIT_CASE(offer_in_range),
	KUNIT_CASE_PARAM(volume_limits, volume_gen_params),
	{}
};

static struct kunit_suite suite = {
	.name = "rblk_limits",
	.test_cases = cases,
};

kunit_test_suite(suite);

MODULE_DESCRIPTION("KUnit: rblk limit arithmetic");
MODULE_LICENSE("GPL");
