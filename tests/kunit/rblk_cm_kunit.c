// SPDX-License-Identifier: GPL-2.0-only
/*
 * The initiator's share of connection establishment: its request, and its
 * check of the target's acceptance and refusal.
 */
#include "../../driver/proto/proto.c"
#include "../../driver/proto/encoder.c"
#include "message.h"

static const struct rblk_offer offer = {
	.session = { 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17,
		     0x18, 0x19, 0x1a, 0x1b, 0x1c, 0x1d, 0x1e, 0x1f },
	.epoch = 0x04030201,
	.qid = 3,
	.nr_queues = 4,
	.depth = 128,
	.features = RBLK_FEAT_READ_IMM,
	.max_io = 1u << 20,
	.inline_read = 4096,
	.inline_write = 8192,
};

static void encode_request(struct kunit *test)
{
	static const u8 want[] = {
		'r', 'b', 'l', 'k', 56, 0, 1, 1,
		0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17,
		0x18, 0x19, 0x1a, 0x1b, 0x1c, 0x1d, 0x1e, 0x1f,
		1, 2, 3, 4, 3, 0, 4, 0,
		128, 0, 0, 0, 1, 0, 0, 0,
		0, 0, 0x10, 0, 0, 0x10, 0, 0,
		0, 0x20, 0, 0, 0, 0, 0, 0,
	};
	struct rblk_wire_cm_req req;

	memset(&req, 0xff, sizeof(req));
	rblk_proto_encode_cm_req(&req, &offer);
	KUNIT_EXPECT_EQ(test, sizeof(want), sizeof(req));
	KUNIT_EXPECT_MEMEQ(test, &req, want, sizeof(want));
}

static struct rblk_wire_cm_rep good_rep(void)
{
	return (struct rblk_wire_cm_rep){
		.magic = cpu_to_le32(RBLK_WIRE_MAGIC),
		.size = cpu_to_le16(64),
		.version = 1,
		.nr_queues = cpu_to_le16(2),
		.depth = cpu_to_le16(64),
		.max_batch = cpu_to_le16(8),
		.features = cpu_to_le32(RBLK_FEAT_READ_IMM),
		.max_io = cpu_to_le32(512 << 10),
		.inline_read = cpu_to_le32(1024),
		.inline_write = cpu_to_le32(2048),
	};
}

#define REP(member, value, verdict)					\
	SET(struct rblk_wire_cm_rep, member, value, verdict)

static const struct change rep_changes[] = {
	REP(magic, 0, BAD), REP(magic, RBLK_WIRE_MAGIC + 1, BAD),
	REP(magic, 0x72626c6b, BAD),
	REP(size, 0, BAD), REP(size, 63, BAD), REP(size, 65, BAD),
	REP(size, 0x4000, BAD), REP(size, 0xffff, BAD),
	REP(version, 0, BAD), REP(version, 2, BAD), REP(version, 255, BAD),
	REP(reserved, 1, BAD), REP(reserved, 0x80, BAD),
	REP(nr_queues, 0, BAD), REP(nr_queues, 1, GOOD),
	REP(nr_queues, 4, GOOD), REP(nr_queues, 5, BAD),
	REP(nr_queues, 0xffff, BAD),
	REP(depth, 0, BAD), REP(depth, 3, BAD), REP(depth, 4, GOOD),
	REP(depth, 128, GOOD), REP(depth, 129, BAD), REP(depth, 0xffff, BAD),
	REP(max_batch, 0, BAD), REP(max_batch, 1, GOOD),
	REP(max_batch, 16, GOOD), REP(max_batch, 17, BAD),
	REP(max_batch, 0x100, BAD),
	REP(reserved2, 1, BAD), REP(reserved2, 0x8000, BAD),
	REP(features, 0, GOOD), REP(features, RBLK_FEAT_WRITE_PUSH, BAD),
	REP(features, RBLK_FEAT_DIGEST, BAD), REP(features, 1u << 31, BAD),
	REP(features, RBLK_FEAT_READ_IMM | RBLK_FEAT_DIGEST, BAD),
	REP(max_io, 0, BAD), REP(max_io, 4096, BAD),
	REP(max_io, (64 << 10) - 1, BAD), REP(max_io, 64 << 10, GOOD),
	REP(max_io, (64 << 10) + 512, BAD), REP(max_io, 128 << 10, GOOD),
	REP(max_io, 1 << 20, GOOD), REP(max_io, (1 << 20) + (64 << 10), BAD),
	REP(max_io, 0xffff0000, BAD),
	REP(inline_read, 0, GOOD), REP(inline_read, 4096, GOOD),
	REP(inline_read, 4097, BAD), REP(inline_read, 0xffffffff, BAD),
	REP(inline_write, 0, GOOD), REP(inline_write, 8192, GOOD),
	REP(inline_write, 8193, BAD), REP(inline_write, 0xffffffff, BAD),
};

KUNIT_ARRAY_PARAM_DESC(rep, rep_changes, what);

static void rep_field(struct kunit *test)
{
	const struct change *c = test->param_value;
	struct rblk_wire_cm_rep rep = good_rep();
	struct rblk_grant grant;

	change(&rep, c);
	expect(test, rblk_proto_check_cm_rep(exact(test, &rep, sizeof(rep)),
					     sizeof(rep), &offer, &grant),
	       c->want, c->what);
}

static void rep_decoded(struct kunit *test)
{
	struct rblk_wire_cm_rep rep = good_rep();
	struct rblk_grant grant;
	const char *wrong;

	memset(&grant, 0xff, sizeof(grant));
	wrong = rblk_proto_check_cm_rep(&rep, sizeof(rep), &offer, &grant);
	KUNIT_EXPECT_TRUE_MSG(test, !wrong, "%s", wrong);
	KUNIT_EXPECT_EQ(test, grant.nr_queues, 2);
	KUNIT_EXPECT_EQ(test, grant.depth, 64);
	KUNIT_EXPECT_EQ(test, grant.max_batch, 8);
	KUNIT_EXPECT_EQ(test, grant.features, RBLK_FEAT_READ_IMM);
	KUNIT_EXPECT_EQ(test, grant.max_io, 512 << 10);
	KUNIT_EXPECT_EQ(test, grant.inline_read, 1024);
	KUNIT_EXPECT_EQ(test, grant.inline_write, 2048);
}

static void rep_reserved(struct kunit *test)
{
	struct rblk_wire_cm_rep rep = good_rep();
	struct rblk_grant grant;
	size_t i;

	for (i = 0; i < sizeof(rep.reserved3); i++) {
		rep.reserved3[i] = 1;
		expect(test, rblk_proto_check_cm_rep(&rep, sizeof(rep), &offer,
						     &grant),
		       BAD, "reserved3");
		rep.reserved3[i] = 0;
	}
}

/* Any nonce will do: it only has to be the connection's own. */
static void rep_nonce(struct kunit *test)
{
	struct rblk_wire_cm_rep rep = good_rep();
	struct rblk_grant grant;
	size_t i;

	for (i = 0; i < sizeof(rep.nonce); i++) {
		rep.nonce[i] = 0xff;
		expect(test, rblk_proto_check_cm_rep(&rep, sizeof(rep), &offer,
						     &grant),
		       GOOD, "nonce");
	}
}

/* rdma_cm delivers 196 bytes over IB, fewer or nothing from strangers. */
static void rep_length(struct kunit *test)
{
	struct rblk_wire_cm_rep rep = good_rep();
	struct rblk_grant grant;
	u8 padded[196] = {};
	size_t n;

	for (n = 0; n < sizeof(rep); n++)
		expect(test, rblk_proto_check_cm_rep(exact(test, &rep, n), n,
						     &offer, &grant),
		       BAD, "truncated");
	expect(test, rblk_proto_check_cm_rep(NULL, 0, &offer, &grant), BAD,
	       "nothing");
	memcpy(padded, &rep, sizeof(rep));
	for (n = sizeof(rep); n <= sizeof(padded); n++)
		expect(test, rblk_proto_check_cm_rep(exact(test, padded, n), n,
						     &offer, &grant),
		       GOOD, "padded");
}

/* A session that only asks wants no I/O connection and gets none. */
static void rep_no_queues(struct kunit *test)
{
	struct rblk_wire_cm_rep rep = good_rep();
	struct rblk_offer none = offer;
	struct rblk_grant grant;

	none.nr_queues = 0;
	rep.nr_queues = 0;
	expect(test, rblk_proto_check_cm_rep(&rep, sizeof(rep), &none, &grant),
	       GOOD, "none of none");
	rep.nr_queues = cpu_to_le16(1);
	expect(test, rblk_proto_check_cm_rep(&rep, sizeof(rep), &none, &grant),
	       BAD, "one of none");
}

static struct rblk_wire_cm_rej good_rej(void)
{
	return (struct rblk_wire_cm_rej){
		.magic = cpu_to_le32(RBLK_WIRE_MAGIC),
		.size = cpu_to_le16(16),
		.version_min = 1,
		.version_max = 1,
		.reason = cpu_to_le16(RBLK_REJ_STALE_EPOCH),
	};
}

#define REJ(member, value, verdict)					\
	SET(struct rblk_wire_cm_rej, member, value, verdict)

static const struct change rej_changes[] = {
	REJ(magic, 0, BAD), REJ(magic, RBLK_WIRE_MAGIC - 1, BAD),
	REJ(size, 0, BAD), REJ(size, 15, BAD), REJ(size, 17, BAD),
	REJ(size, 0xffff, BAD),
	REJ(version_min, 0, GOOD), REJ(version_min, 2, BAD),
	REJ(version_max, 0, BAD), REJ(version_max, 9, GOOD),
	REJ(reason, RBLK_REJ_MALFORMED, GOOD), REJ(reason, 0xffff, GOOD),
	REJ(reserved, 1, BAD), REJ(reserved, 0x8000, BAD),
	REJ(away_ms, 1, BAD), REJ(away_ms, 0x80000000, BAD),
};

KUNIT_ARRAY_PARAM_DESC(rej, rej_changes, what);

static void rej_field(struct kunit *test)
{
	const struct change *c = test->param_value;
	struct rblk_wire_cm_rej rej = good_rej();
	struct rblk_wire_cm_rej out;

	change(&rej, c);
	expect(test, rblk_proto_check_cm_rej(exact(test, &rej, sizeof(rej)),
					     sizeof(rej), &out),
	       c->want, c->what);
	if (c->want == GOOD)
		KUNIT_EXPECT_MEMEQ(test, &out, &rej, sizeof(rej));
}

static void rej_length(struct kunit *test)
{
	struct rblk_wire_cm_rej rej = good_rej();
	struct rblk_wire_cm_rej out;
	u8 padded[148] = {};
	size_t n;

	for (n = 0; n < sizeof(rej); n++)
		expect(test, rblk_proto_check_cm_rej(exact(test, &rej, n), n,
						     &out),
		       BAD, "truncated");
	expect(test, rblk_proto_check_cm_rej(NULL, 0, &out), BAD, "nothing");
	memcpy(padded, &rej, sizeof(rej));
	for (n = sizeof(rej); n <= sizeof(padded); n++)
		expect(test, rblk_proto_check_cm_rej(exact(test, padded, n), n,
						     &out),
		       GOOD, "padded");
}

/* A target of the future says which versions it speaks, and perhaps more. */
static void rej_newer(struct kunit *test)
{
	struct rblk_wire_cm_rej rej = good_rej();
	struct rblk_wire_cm_rej out;

	rej.version_min = 2;
	rej.version_max = 3;
	rej.reason = cpu_to_le16(RBLK_REJ_VERSION);
	rej.away_ms = cpu_to_le32(1);
	expect(test, rblk_proto_check_cm_rej(&rej, sizeof(rej), &out), GOOD,
	       "newer");
	KUNIT_EXPECT_EQ(test, out.version_min, 2);
	KUNIT_EXPECT_EQ(test, out.version_max, 3);
}

/* How long it takes says only who is paused. */
static void rej_paused(struct kunit *test)
{
	struct rblk_wire_cm_rej rej = good_rej();
	struct rblk_wire_cm_rej out;

	rej.reason = cpu_to_le16(RBLK_REJ_PAUSED);
	expect(test, rblk_proto_check_cm_rej(&rej, sizeof(rej), &out), GOOD,
	       "for an unknown time");
	rej.away_ms = cpu_to_le32(0xffffffff);
	expect(test, rblk_proto_check_cm_rej(&rej, sizeof(rej), &out), GOOD,
	       "for a long time");
	KUNIT_EXPECT_EQ(test, le32_to_cpu(out.away_ms), 0xffffffff);
	rej.reserved = cpu_to_le16(1);
	expect(test, rblk_proto_check_cm_rej(&rej, sizeof(rej), &out), BAD,
	       "with a reserved field");
}

static void reject_words(struct kunit *test)
{
	const char *unknown = rblk_proto_reject_text(0xffff);
	u16 a, b;

	KUNIT_EXPECT_STREQ(test, rblk_proto_reject_text(RBLK_REJ_NONE), unknown);
	KUNIT_EXPECT_STREQ(test, rblk_proto_reject_text(RBLK_REJ_LAST + 1), unknown);
	for (a = RBLK_REJ_MALFORMED; a <= RBLK_REJ_LAST; a++) {
		KUNIT_EXPECT_STRNEQ(test, rblk_proto_reject_text(a), unknown);
		for (b = a + 1; b <= RBLK_REJ_LAST; b++)
			KUNIT_EXPECT_STRNEQ(test, rblk_proto_reject_text(a),
					    rblk_proto_reject_text(b));
	}
}

static struct kunit_case cases[] = {
	KUNIT_CASE(encode_request),
	KUNIT_CASE_PARAM(rep_field, rep_gen_params),
	KUNIT_CASE(rep_decoded),
	KUNIT_CASE(rep_reserved),
	KUNIT_CASE(rep_nonce),
	KUNIT_CASE(rep_length),
	KUNIT_CASE(rep_no_queues),
	KUNIT_CASE_PARAM(rej_field, rej_gen_params),
	KUNIT_CASE(rej_length),
	KUNIT_CASE(rej_newer),
	KUNIT_CASE(rej_paused),
	KUNIT_CASE(reject_words),
	{}
};

static struct kunit_suite suite = {
	.name = "rblk_cm",
	.test_cases = cases,
};

kunit_test_suite(suite);

MODULE_DESCRIPTION("KUnit: rblk connection requests, acceptances, refusals");
MODULE_LICENSE("GPL");
