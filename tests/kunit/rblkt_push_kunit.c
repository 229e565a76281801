// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes whose data a host has put into a slot or the window: who is granted
 * these, and which commands may say so.
 */
#include "../../target/proto/proto.c"
#include "message.h"

static const struct rblkt_grant grant = {
	.nr_queues = 4, .depth = 128, .max_batch = 16, .max_io = 1 << 20,
	.inline_read = 2048, .inline_write = 4096,
	.features = RBLK_FEAT_WRITE_PUSH, .slot_size = 4096, .slots = 32,
};

/* Slots for the first tags, and none without the feature. */
static void grants_slots(struct kunit *test)
{
	static const struct {
		u32 asked, features, slots, depth;
		u32 gets, nr;
	} rows[] = {
		{ 7, 7, 64, 64, 7, 64 }, { 2, 2, 1024, 4, 2, 4 },
		{ 7, 7, 63, 64, 7, 63 }, { 7, 7, 1, 4, 7, 1 },
		{ 5, 7, 64, 64, 5, 0 }, { 7, 5, 64, 64, 5, 0 },
		/* It is the depth granted that counts. */
		{ 7, 7, 512, 1024, 7, 256 }, { 7, 7, 255, 1024, 7, 255 },
	};
	struct rblkt_limits l = {
		.max_queues = 8, .max_depth = 256, .max_io = 1 << 20,
		.slot_size = 4096,
	};
	struct rblkt_grant g, bound;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct rblkt_req req = {
			.nr_queues = 1, .depth = rows[i].depth, .max_io = 1 << 20,
			.features = rows[i].asked,
		};

		l.features = rows[i].features;
		l.slots = rows[i].slots;
		KUNIT_EXPECT_EQ(test, RBLK_REJ_NONE,
				rblkt_proto_grant(&req, &l, &g));
		KUNIT_EXPECT_EQ(test, g.features, rows[i].gets);
		KUNIT_EXPECT_EQ(test, g.slot_size, rows[i].nr ? 4096 : 0);
		KUNIT_EXPECT_EQ(test, g.slots, rows[i].nr);
		/* An I/O connection whose session has none gets none. */
		bound = g;
		rblkt_proto_narrow(&g, &bound);
		KUNIT_EXPECT_EQ(test, g.slots, rows[i].nr);
		/* Nor more of them than its session, or than it has tags. */
		bound.depth = 2;
		rblkt_proto_narrow(&g, &bound);
		KUNIT_EXPECT_EQ(test, g.slots, min(rows[i].nr, 2u));
		bound.features &= ~RBLK_FEAT_WRITE_PUSH;
		bound.slot_size = 0;
		bound.slots = 0;
		rblkt_proto_narrow(&g, &bound);
		KUNIT_EXPECT_EQ(test, g.features, rows[i].gets & 5);
		KUNIT_EXPECT_EQ(test, g.slot_size, 0);
		KUNIT_EXPECT_EQ(test, g.slots, 0);
	}
}

struct push_case {
	const char *what;
	struct rblk_wire_cmd cmd;	/* all but its tag and volume */
	int want;
};

#define PUSH(text, o, f, len, verdict, ...)				\
	{ .what = text, .want = RBLKT_BAD_##verdict,			\
	  .cmd = { .op = RBLK_OP_##o, .flags = cpu_to_le16(f),		\
		   .length = cpu_to_le32(len), __VA_ARGS__ } }
#define PUSHED	RBLK_CMDF_PUSHED

static const struct push_case push_cases[] = {
	PUSH("write", WRITE, PUSHED, 512, NONE),
	PUSH("with FUA and a hint", WRITE,
	     PUSHED | RBLK_CMDF_FUA | RBLK_CMDF_SYNC, 512, NONE),
	PUSH("a whole slot", WRITE, PUSHED, 4096, NONE),
	PUSH("a byte beyond", WRITE, PUSHED, 4097, PUSHED),
	PUSH("the last slot", WRITE, PUSHED, 512, NONE, .tag = cpu_to_le16(31)),
	PUSH("a tag beyond", WRITE, PUSHED, 512, PUSHED, .tag = cpu_to_le16(32)),
	PUSH("the last tag", WRITE, PUSHED, 512, PUSHED, .tag = cpu_to_le16(127)),
	PUSH("max I/O", WRITE, PUSHED, 1 << 20, PUSHED),
	PUSH("4 GiB", WRITE, PUSHED, U32_MAX, PUSHED),
	PUSH("with an rkey", WRITE, PUSHED, 512, RKEY,
	     .rkey = cpu_to_le32(1)),
	PUSH("with an address", WRITE, PUSHED, 512, RKEY,
	     .addr = cpu_to_le64(1ull << 63)),
	PUSH("and inline", WRITE, PUSHED | RBLK_CMDF_INLINE, 512, FLAGS),
	PUSH("read", READ, PUSHED, 512, FLAGS),
	PUSH("inline read", READ, PUSHED | RBLK_CMDF_INLINE, 512, FLAGS),
	PUSH("flush", FLUSH, PUSHED, 0, FLAGS),
	PUSH("discard", DISCARD, PUSHED, 512, FLAGS),
	PUSH("zeroes", WRITE_ZEROES, PUSHED, 512, FLAGS),
};

KUNIT_ARRAY_PARAM_DESC(push, push_cases, what);

static const struct rblk_wire_hdr alone = {
	.type = RBLK_MSG_COMMAND, .count = 1, .length = cpu_to_le32(56),
};

static void command_pushed(struct kunit *test)
{
	const struct push_case *p = test->param_value;
	struct rblkt_grant granted = grant;

	KUNIT_EXPECT_EQ(test, p->want,
			rblkt_proto_check_cmd(&alone, &p->cmd, &granted));
	/* Other features don't matter; without this one it is a stray flag. */
	granted.features = ~0u;
	KUNIT_EXPECT_EQ(test, p->want,
			rblkt_proto_check_cmd(&alone, &p->cmd, &granted));
	granted.features = ~RBLK_FEAT_WRITE_PUSH;
	granted.slot_size = 0;
	KUNIT_EXPECT_EQ(test, RBLKT_BAD_FLAGS,
			rblkt_proto_check_cmd(&alone, &p->cmd, &granted));
}

/* In a message with others; but where there is data it is no pushed write's. */
static void message_pushed(struct kunit *test)
{
	struct rblk_wire_cmd pushed = {
		.op = RBLK_OP_WRITE, .flags = cpu_to_le16(PUSHED),
		.length = cpu_to_le32(512),
	};
	u32 bytes = 8 + 16 * 48;
	struct rblk_wire_hdr *hdr = kunit_kzalloc(test, bytes, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, hdr);
	hdr->type = RBLK_MSG_COMMAND;
	hdr->count = 16;
	hdr->length = cpu_to_le32(bytes);
	KUNIT_EXPECT_EQ(test, RBLKT_BAD_NONE,
			rblkt_proto_check_io(hdr, bytes, &grant));
	KUNIT_EXPECT_EQ(test, RBLKT_BAD_NONE,
			rblkt_proto_check_cmd(hdr, &pushed, &grant));
	hdr->count = 1;
	hdr->flags = cpu_to_le16(RBLK_HDRF_DATA);
	hdr->length = cpu_to_le32(64 + 512);
	KUNIT_EXPECT_EQ(test, RBLKT_BAD_NONE,
			rblkt_proto_check_io(hdr, 64 + 512, &grant));
	KUNIT_EXPECT_EQ(test, RBLKT_BAD_INLINE,
			rblkt_proto_check_cmd(hdr, &pushed, &grant));
}

/* A window only with the feature, and no larger than the session's. */
static void grants_window(struct kunit *test)
{
	static const struct {
		u32 asked, features, window, gets, bytes;
	} rows[] = {
		{ 8, 8, 512 << 10, 8, 512 << 10 }, { 15, 8, 4096, 8, 4096 },
		{ 8, 15, 4096, 8, 4096 }, { 7, 8, 4096, 0, 0 },
		{ 8, 5, 0, 0, 0 },
	};
	const struct rblkt_grant none = { .features = 5 };
	struct rblkt_limits l = {
		.max_queues = 8, .max_depth = 256, .max_io = 1 << 20,
	};
	struct rblkt_grant g;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct rblkt_req req = {
			.nr_queues = 1, .depth = 128, .max_io = 1 << 20,
			.features = rows[i].asked,
		};

		l.features = rows[i].features;
		l.window = rows[i].window;
		KUNIT_EXPECT_EQ(test, RBLK_REJ_NONE,
				rblkt_proto_grant(&req, &l, &g));
		KUNIT_EXPECT_EQ(test, g.features, rows[i].gets);
		KUNIT_EXPECT_EQ(test, g.window, rows[i].bytes);
		rblkt_proto_narrow(&g, &none);
		KUNIT_EXPECT_EQ(test, g.features, 0);
		KUNIT_EXPECT_EQ(test, g.window, 0);
	}
}

static const struct rblkt_grant windowed = {
	.nr_queues = 4, .depth = 128, .max_batch = 16, .max_io = 1 << 20,
	.inline_read = 2048, .inline_write = 4096,
	.features = RBLK_FEAT_WRITE_WINDOW, .window = 64 << 10,
};

#define WINDOW	RBLK_CMDF_WINDOW
#define AT(offset)	.addr = cpu_to_le64(offset)

static const struct push_case window_cases[] = {
	PUSH("write", WRITE, WINDOW, 8192, NONE),
	PUSH("with FUA and a hint", WRITE,
	     WINDOW | RBLK_CMDF_FUA | RBLK_CMDF_SYNC, 512, NONE, AT(4096)),
	PUSH("all of it", WRITE, WINDOW, 64 << 10, NONE),
	PUSH("its end", WRITE, WINDOW, 4096, NONE, AT(60 << 10)),
	PUSH("more than all", WRITE, WINDOW, (64 << 10) + 512, WINDOW),
	PUSH("across its end", WRITE, WINDOW, 4096 + 512, WINDOW, AT(60 << 10)),
	PUSH("behind its end", WRITE, WINDOW, 512, WINDOW, AT(64 << 10)),
	PUSH("far away", WRITE, WINDOW, 512, WINDOW, AT(1ull << 32)),
	PUSH("wraps", WRITE, WINDOW, 8192, WINDOW, AT(-4096ull)),
	PUSH("unaligned", WRITE, WINDOW, 512, WINDOW, AT(512)),
	PUSH("odd", WRITE, WINDOW, 512, WINDOW, AT(1)),
	PUSH("4 GiB", WRITE, WINDOW, U32_MAX, WINDOW),
	PUSH("with an rkey", WRITE, WINDOW, 512, RKEY, .rkey = cpu_to_le32(1)),
	PUSH("and inline", WRITE, WINDOW | RBLK_CMDF_INLINE, 512, FLAGS),
	PUSH("and pushed", WRITE, WINDOW | RBLK_CMDF_PUSHED, 512, FLAGS),
	PUSH("read", READ, WINDOW, 512, FLAGS),
	PUSH("flush", FLUSH, WINDOW, 0, FLAGS),
	PUSH("discard", DISCARD, WINDOW, 512, FLAGS),
	PUSH("zeroes", WRITE_ZEROES, WINDOW, 512, FLAGS),
};

KUNIT_ARRAY_PARAM_DESC(window, window_cases, what);

static void command_window(struct kunit *test)
{
	const struct push_case *p = test->param_value;
	struct rblkt_grant granted = windowed;

	KUNIT_EXPECT_EQ(test, p->want,
			rblkt_proto_check_cmd(&alone, &p->cmd, &granted));
	granted.features = ~0u;
	granted.slot_size = 4096;
	granted.slots = 128;
	KUNIT_EXPECT_EQ(test, p->want,
			rblkt_proto_check_cmd(&alone, &p->cmd, &granted));
	granted.features = ~RBLK_FEAT_WRITE_WINDOW;
	granted.window = 0;
	KUNIT_EXPECT_EQ(test, RBLKT_BAD_FLAGS,
			rblkt_proto_check_cmd(&alone, &p->cmd, &granted));
}

static struct kunit_case cases[] = {
	KUNIT_CASE(grants_window),
	KUNIT_CASE_PARAM(command_window, window_gen_params),
	KUNIT_CASE(grants_slots),
	KUNIT_CASE_PARAM(command_pushed, push_gen_params),
	KUNIT_CASE(message_pushed),
	{}
};

static struct kunit_suite suite = {
	.name = "rblkt_push",
	.test_cases = cases,
};

kunit_test_suite(suite);

MODULE_DESCRIPTION("KUnit: rblk pushed writes at the target");
MODULE_LICENSE("GPL");
