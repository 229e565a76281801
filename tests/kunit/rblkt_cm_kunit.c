// SPDX-License-Identifier: GPL-2.0-only
/*
 * The target's share of connection establishment: its check of the request,
 * what it grants, and its acceptance and refusal.
 */
#include "../../target/proto/proto.c"
#include "../../target/proto/encoder.c"
#include "message.h"

static struct rblk_wire_cm_req good_req(void)
{
	return (struct rblk_wire_cm_req){
		.magic = cpu_to_le32(RBLK_WIRE_MAGIC),
		.size = cpu_to_le16(56),
		.version_min = 1,
		.version_max = 1,
		.session = { 1, 2, 3, 4, 5, 6, 7, 8, 9 },
		.epoch = cpu_to_le32(0x04030201),
		.qid = cpu_to_le16(3),
		.nr_queues = cpu_to_le16(4),
		.depth = cpu_to_le16(128),
		.features = cpu_to_le32(0x80000001),
		.max_io = cpu_to_le32(1 << 20),
		.inline_read = cpu_to_le32(1024),
		.inline_write = cpu_to_le32(4096),
	};
}

#define REQ(member, value, verdict)					\
	SET(struct rblk_wire_cm_req, member, value, RBLK_REJ_##verdict)

static const struct change req_changes[] = {
	REQ(magic, 0, MALFORMED), REQ(magic, RBLK_WIRE_MAGIC ^ 1, MALFORMED),
	REQ(size, 0, MALFORMED), REQ(size, 55, MALFORMED),
	REQ(size, 57, MALFORMED), REQ(size, 0xffff, MALFORMED),
	REQ(version_min, 0, NONE), REQ(version_min, 2, MALFORMED),
	REQ(version_max, 0, MALFORMED), REQ(version_max, 255, NONE),
	REQ(session[0], 0, NONE),
	REQ(epoch, 0, MALFORMED), REQ(epoch, 1, NONE),
	REQ(epoch, 0xffffffff, NONE),
	REQ(reserved, 1, MALFORMED), REQ(reserved, 0x8000, MALFORMED),
	REQ(reserved2, 1, MALFORMED), REQ(reserved2, 0x80000000, MALFORMED),
	/* What it may have the grant decides; unknown features are not it. */
	REQ(qid, 0xffff, NONE), REQ(features, 0xffffffff, NONE),
	REQ(max_io, 0, NONE), REQ(depth, 0, NONE),
};

KUNIT_ARRAY_PARAM_DESC(req, req_changes, what);

static void req_field(struct kunit *test)
{
	const struct change *c = test->param_value;
	struct rblk_wire_cm_req wire = good_req();
	struct rblkt_req req;

	change(&wire, c);
	KUNIT_EXPECT_EQ(test, c->want,
			rblkt_proto_check_req(exact(test, &wire, sizeof(wire)),
					      sizeof(wire), &req));
}

struct version_case {
	const char *what;
	u8 min;
	u8 max;
	int want;
};

static const struct version_case version_cases[] = {
	{ "1 to 1", 1, 1, RBLK_REJ_NONE }, { "0 to 0", 0, 0, RBLK_REJ_VERSION },
	{ "0 to 1", 0, 1, RBLK_REJ_NONE }, { "1 to 9", 1, 9, RBLK_REJ_NONE },
	{ "2 to 2", 2, 2, RBLK_REJ_VERSION },
	{ "2 to 255", 2, 255, RBLK_REJ_VERSION },
	{ "2 to 1", 2, 1, RBLK_REJ_MALFORMED },
	{ "1 to 0", 1, 0, RBLK_REJ_MALFORMED },
};

KUNIT_ARRAY_PARAM_DESC(version, version_cases, what);

/* Without a common version nothing else of the request counts. */
static void req_version(struct kunit *test)
{
	const struct version_case *c = test->param_value;
	struct rblk_wire_cm_req wire = good_req();
	struct rblkt_req req;

	wire.version_min = c->min;
	wire.version_max = c->max;
	KUNIT_EXPECT_EQ(test, c->want,
			rblkt_proto_check_req(&wire, sizeof(wire), &req));
	if (c->want != RBLK_REJ_VERSION)
		return;
	wire.reserved2 = cpu_to_le32(1);
	KUNIT_EXPECT_EQ(test, c->want,
			rblkt_proto_check_req(&wire, sizeof(wire), &req));
}

static void req_decoded(struct kunit *test)
{
	struct rblk_wire_cm_req wire = good_req();
	struct rblkt_req req;

	memset(&req, 0xff, sizeof(req));
	KUNIT_EXPECT_EQ(test, RBLK_REJ_NONE,
			rblkt_proto_check_req(&wire, sizeof(wire), &req));
	KUNIT_EXPECT_MEMEQ(test, req.session, wire.session, 16);
	KUNIT_EXPECT_EQ(test, req.epoch, 0x04030201);
	KUNIT_EXPECT_EQ(test, req.qid, 3);
	KUNIT_EXPECT_EQ(test, req.nr_queues, 4);
	KUNIT_EXPECT_EQ(test, req.depth, 128);
	KUNIT_EXPECT_EQ(test, req.features, 0x80000001);
	KUNIT_EXPECT_EQ(test, req.max_io, 1 << 20);
	KUNIT_EXPECT_EQ(test, req.inline_read, 1024);
	KUNIT_EXPECT_EQ(test, req.inline_write, 4096);
}

static void req_no_session(struct kunit *test)
{
	struct rblk_wire_cm_req wire = good_req();
	struct rblkt_req req;

	memset(wire.session, 0, sizeof(wire.session));
	KUNIT_EXPECT_EQ(test, RBLK_REJ_MALFORMED,
			rblkt_proto_check_req(&wire, sizeof(wire), &req));
	wire.session[15] = 1;
	KUNIT_EXPECT_EQ(test, RBLK_REJ_NONE,
			rblkt_proto_check_req(&wire, sizeof(wire), &req));
}

/* Of any alignment: rdma_cm puts IP addresses in front of it. */
static void req_length(struct kunit *test)
{
	struct rblk_wire_cm_req wire = good_req();
	u8 padded[196 + 1] = {};
	struct rblkt_req req;
	u8 *odd;
	size_t n;

	for (n = 0; n < sizeof(wire); n++)
		KUNIT_EXPECT_EQ(test, RBLK_REJ_MALFORMED,
				rblkt_proto_check_req(exact(test, &wire, n), n,
						      &req));
	KUNIT_EXPECT_EQ(test, RBLK_REJ_MALFORMED,
			rblkt_proto_check_req(NULL, 0, &req));
	memcpy(padded + 1, &wire, sizeof(wire));
	for (n = sizeof(wire); n < sizeof(padded); n++) {
		odd = exact(test, padded, n + 1);
		KUNIT_EXPECT_EQ(test, RBLK_REJ_NONE,
				rblkt_proto_check_req(odd + 1, n, &req));
	}
}

static const struct rblkt_limits limits = {
	.max_queues = 8, .max_depth = 256, .max_io = 512 << 10,
	.inline_read = 0, .inline_write = 4096, .features = 0x8000000d,
};

struct grant_case {
	const char *what;
	struct rblkt_req req;
	int want;
	struct rblkt_grant grant;
};

#define K64	(64u << 10)
#define ASK(text, q, nr, d, io, ir, iw, verdict, ...)			\
	{ .what = text, .want = RBLK_REJ_##verdict,			\
	  .req = { .qid = q, .nr_queues = nr, .depth = d, .max_io = io,	\
		   .inline_read = ir, .inline_write = iw, .features = 7 }, \
	  .grant = { __VA_ARGS__ } }

static const struct grant_case grant_cases[] = {
	ASK("least", 0, 1, 4, K64, 0, 0, NONE, 1, 4, 16, 0, K64, 0, 0),
	ASK("all there is", 8, 8, 256, 512 << 10, 0, 4096, NONE,
	    8, 256, 16, 0, 512 << 10, 0, 4096),
	ASK("more than there is", 8, 64, 1024, 1 << 20, 32768, 32768, NONE,
	    8, 256, 16, 0, 512 << 10, 0, 4096),
	ASK("the last but one queue", 7, 8, 64, K64, 0, 4095, NONE,
	    8, 64, 16, 0, K64, 0, 4095),
	/* A session that only asks has a control connection alone. */
	ASK("no queues", 0, 0, 4, K64, 0, 0, NONE, 0, 4, 16, 0, K64, 0, 0),
	ASK("a queue of none", 1, 0, 4, K64, 0, 0, LIMITS),
	ASK("65 queues", 0, 65, 4, K64, 0, 0, LIMITS),
	ASK("65535 queues", 0, 65535, 4, K64, 0, 0, LIMITS),
	ASK("beyond its own queues", 5, 4, 4, K64, 0, 0, LIMITS),
	ASK("beyond the granted queues", 9, 64, 4, K64, 0, 0, LIMITS),
	ASK("queue 65535", 65535, 64, 4, K64, 0, 0, LIMITS),
	ASK("depth 0", 0, 1, 0, K64, 0, 0, LIMITS),
	ASK("depth 3", 0, 1, 3, K64, 0, 0, LIMITS),
	ASK("depth 1025", 0, 1, 1025, K64, 0, 0, LIMITS),
	ASK("depth 65535", 0, 1, 65535, K64, 0, 0, LIMITS),
	ASK("no I/O", 0, 1, 4, 0, 0, 0, LIMITS),
	ASK("I/O too small", 0, 1, 4, K64 - 1, 0, 0, LIMITS),
	ASK("I/O too large", 0, 1, 4, (1 << 20) + 1, 0, 0, LIMITS),
	ASK("I/O of 4 GiB", 0, 1, 4, U32_MAX, 0, 0, LIMITS),
	ASK("inline read too large", 0, 1, 4, K64, 32769, 0, LIMITS),
	ASK("inline read of 4 GiB", 0, 1, 4, K64, U32_MAX, 0, LIMITS),
	ASK("inline write too large", 0, 1, 4, K64, 0, 32769, LIMITS),
	ASK("inline write of 4 GiB", 0, 1, 4, K64, 0, U32_MAX, LIMITS),
};

KUNIT_ARRAY_PARAM_DESC(grant, grant_cases, what);

static void grants(struct kunit *test)
{
	const struct grant_case *c = test->param_value;
	struct rblkt_grant g = {};

	KUNIT_ASSERT_EQ(test, c->want, rblkt_proto_grant(&c->req, &limits, &g));
	if (c->want)
		return;
	KUNIT_EXPECT_EQ(test, g.nr_queues, c->grant.nr_queues);
	KUNIT_EXPECT_EQ(test, g.depth, c->grant.depth);
	KUNIT_EXPECT_EQ(test, g.max_batch, c->grant.max_batch);
	KUNIT_EXPECT_EQ(test, g.features, 5);
	KUNIT_EXPECT_EQ(test, g.max_io, c->grant.max_io);
	KUNIT_EXPECT_EQ(test, g.inline_read, c->grant.inline_read);
	KUNIT_EXPECT_EQ(test, g.inline_write, c->grant.inline_write);
}

#define GRANT(q, d, f, io, ir, iw) { .nr_queues = q, .depth = d,	\
	.features = f, .max_batch = 16, .max_io = io, .inline_read = ir, \
	.inline_write = iw }
#define SESSION		GRANT(4, 64, 6, 4 * K64, 512, 1024)

/* An I/O connection gets the least of what it asked for and the session has. */
static void narrowed(struct kunit *test)
{
	static const struct rblkt_grant sess = SESSION;
	static const struct {
		struct rblkt_grant asked, gets;
	} rows[] = {
		{ SESSION, SESSION },
		{ GRANT(64, 1024, 7, 16 * K64, 4096, 4096), SESSION },
		{ GRANT(2, 4, 0, K64, 0, 0), GRANT(2, 4, 0, K64, 0, 0) },
		{ GRANT(4, 65, 3, K64, 512, 1025), GRANT(4, 64, 2, K64, 512, 1024) },
		{ GRANT(4, 63, 9, 5 * K64, 513, 0), GRANT(4, 63, 0, 4 * K64, 512, 0) },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct rblkt_grant g = rows[i].asked;

		rblkt_proto_narrow(&g, &sess);
		KUNIT_EXPECT_EQ(test, g.nr_queues, rows[i].gets.nr_queues);
		KUNIT_EXPECT_EQ(test, g.depth, rows[i].gets.depth);
		KUNIT_EXPECT_EQ(test, g.features, rows[i].gets.features);
		KUNIT_EXPECT_EQ(test, g.max_batch, 16);
		KUNIT_EXPECT_EQ(test, g.max_io, rows[i].gets.max_io);
		KUNIT_EXPECT_EQ(test, g.inline_read, rows[i].gets.inline_read);
		KUNIT_EXPECT_EQ(test, g.inline_write, rows[i].gets.inline_write);
	}
}

static void encode_reply(struct kunit *test)
{
	static const struct rblkt_grant g = {
		.nr_queues = 0x0102, .depth = 0x0304, .max_batch = 0x0506,
		.features = 0x0708090a, .max_io = 0x0b0c0d0e,
		.inline_read = 0x0f101112, .inline_write = 0x13141516,
	};
	static const u8 want[64] = {
		'r', 'b', 'l', 'k', 64, 0, 1, 0, 2, 1, 4, 3, 6, 5, 0, 0,
		0x0a, 9, 8, 7, 0x0e, 0x0d, 0x0c, 0x0b,
		0x12, 0x11, 0x10, 0x0f, 0x16, 0x15, 0x14, 0x13,
	};
	struct rblk_wire_cm_rep rep;

	memset(&rep, 0xff, sizeof(rep));
	rblkt_proto_rep(&rep, &g);
	KUNIT_EXPECT_MEMEQ(test, &rep, want, sizeof(want));
}

static void encode_refusal(struct kunit *test)
{
	static const u8 want[16] = {
		'r', 'b', 'l', 'k', 16, 0, 1, 1, 5, 0, 0, 0, 0, 0, 0, 0,
	};
	static const u8 paused[16] = {
		'r', 'b', 'l', 'k', 16, 0, 1, 1, 12, 0, 0, 0, 0x30, 0x75, 0, 0,
	};
	struct rblk_wire_cm_rej rej;

	memset(&rej, 0xff, sizeof(rej));
	rblkt_proto_rej(&rej, RBLK_REJ_STALE_EPOCH, 30000);
	KUNIT_EXPECT_MEMEQ(test, &rej, want, sizeof(want));
	memset(&rej, 0xff, sizeof(rej));
	rblkt_proto_rej(&rej, RBLK_REJ_PAUSED, 30000);
	KUNIT_EXPECT_MEMEQ(test, &rej, paused, sizeof(paused));
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(req_field, req_gen_params),
	KUNIT_CASE_PARAM(req_version, version_gen_params),
	KUNIT_CASE(req_decoded),
	KUNIT_CASE(req_no_session),
	KUNIT_CASE(req_length),
	KUNIT_CASE_PARAM(grants, grant_gen_params),
	KUNIT_CASE(narrowed),
	KUNIT_CASE(encode_reply),
	KUNIT_CASE(encode_refusal),
	{}
};

static struct kunit_suite suite = {
	.name = "rblkt_cm",
	.test_cases = cases,
};

kunit_test_suite(suite);

MODULE_DESCRIPTION("KUnit: rblk connection requests at the target");
MODULE_LICENSE("GPL");
