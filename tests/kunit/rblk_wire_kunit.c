// SPDX-License-Identifier: GPL-2.0-only
/*
 * Both sides against each other: what one encodes the other accepts and
 * understands the same, and statuses mean the same on both.
 */
#define all_zero	initiator_all_zero
#include "../../driver/proto/proto.c"
#include "../../driver/proto/encoder.c"
#undef all_zero
#include "../../target/proto/proto.c"
#include "../../target/proto/encoder.c"
#include "message.h"

#define XID	0x11223344

static const struct rblk_offer offer = {
	.session = { 1, 2, 3 }, .epoch = 9, .qid = 2, .nr_queues = 6,
	.depth = 128, .max_io = 1 << 20, .inline_write = 4096,
};

static const struct rblkt_limits limits = {
	.max_queues = 4, .max_depth = 64, .max_io = 512 << 10,
	.inline_read = 0, .inline_write = 8192,
};

/* A whole connection: request, what the target makes of it, and its answer. */
static const char *connect(struct kunit *test, const struct rblk_offer *o,
			   struct rblk_grant *grant)
{
	struct rblk_wire_cm_req wire;
	struct rblk_wire_cm_rep rep;
	struct rblkt_grant granted;
	struct rblkt_req req;

	rblk_proto_encode_cm_req(&wire, o);
	KUNIT_EXPECT_EQ(test, RBLK_REJ_NONE,
			rblkt_proto_check_req(exact(test, &wire, sizeof(wire)),
					      sizeof(wire), &req));
	KUNIT_EXPECT_MEMEQ(test, req.session, o->session, 16);
	KUNIT_EXPECT_EQ(test, req.epoch, o->epoch);
	KUNIT_EXPECT_EQ(test, req.qid, o->qid);
	KUNIT_EXPECT_EQ(test, RBLK_REJ_NONE,
			rblkt_proto_grant(&req, &limits, &granted));
	rblkt_proto_rep(&rep, &granted);
	return rblk_proto_check_cm_rep(exact(test, &rep, sizeof(rep)),
				       sizeof(rep), o, grant);
}

static void connection(struct kunit *test)
{
	struct rblk_grant grant;

	expect(test, connect(test, &offer, &grant), GOOD, "connection");
	KUNIT_EXPECT_EQ(test, grant.nr_queues, 4);
	KUNIT_EXPECT_EQ(test, grant.depth, 64);
	KUNIT_EXPECT_EQ(test, grant.max_batch, RBLK_WIRE_MAX_BATCH);
	KUNIT_EXPECT_EQ(test, grant.features, 0);
	KUNIT_EXPECT_EQ(test, grant.max_io, 512 << 10);
	KUNIT_EXPECT_EQ(test, grant.inline_read, 0);
	KUNIT_EXPECT_EQ(test, grant.inline_write, 4096);
}

/* "rblkctl discover" wants no I/O connection at all. */
static void connection_without_queues(struct kunit *test)
{
	struct rblk_offer none = offer;
	struct rblk_grant grant;

	none.qid = 0;
	none.nr_queues = 0;
	expect(test, connect(test, &none, &grant), GOOD, "control only");
	KUNIT_EXPECT_EQ(test, grant.nr_queues, 0);
}

static void refusal(struct kunit *test)
{
	struct rblk_wire_cm_rej rej, out;
	u16 reason;

	for (reason = RBLK_REJ_MALFORMED; reason <= RBLK_REJ_LAST;
	     reason++) {
		rblkt_proto_rej(&rej, reason, 1);
		expect(test, rblk_proto_check_cm_rej(&rej, sizeof(rej), &out),
		       GOOD, "refusal");
		KUNIT_EXPECT_EQ(test, le16_to_cpu(out.reason), reason);
	}
}

static const struct rblkt_grant granted = {
	.depth = 64, .max_batch = 16, .max_io = 1 << 20, .inline_read = 2048,
	.inline_write = 4096,
};

static const struct rblkt_geo geo = {
	.blocks = 1 << 20, .block_shift = 9, .max_discard = 1 << 20,
	.max_write_zeroes = 1 << 20, .writable = true,
};

static const struct rblk_command commands[] = {
	{ .op = RBLK_OP_READ, .tag = 63, .gen = 0xffff, .prio = 0x2000,
	  .volume = 1, .length = 1 << 20, .lba = 8, .addr = 1ull << 63,
	  .rkey = 0xffffffff, .flags = RBLK_CMDF_SYNC | RBLK_CMDF_META },
	{ .op = RBLK_OP_WRITE, .length = 512, .lba = (1 << 20) - 1,
	  .addr = 0x1000, .rkey = 1, .flags = RBLK_CMDF_FUA },
	{ .op = RBLK_OP_READ, .length = 2048, .flags = RBLK_CMDF_INLINE },
	{ .op = RBLK_OP_FLUSH, .tag = 1 },
	{ .op = RBLK_OP_DISCARD, .length = 1 << 20 },
	{ .op = RBLK_OP_WRITE_ZEROES, .length = 512,
	  .flags = RBLK_CMDF_NOUNMAP | RBLK_CMDF_FUA | RBLK_CMDF_BACKGROUND },
};

static void commands_together(struct kunit *test)
{
	u32 n = ARRAY_SIZE(commands), i, bytes;
	struct rblk_wire_cmd *cmd;
	struct rblk_wire_hdr *hdr;
	u8 *msg;

	bytes = sizeof(*hdr) + n * sizeof(*cmd);
	msg = kunit_kzalloc(test, bytes, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, msg);
	hdr = (void *)msg;
	cmd = (void *)(msg + sizeof(*hdr));
	KUNIT_EXPECT_EQ(test, bytes, rblk_proto_command_message(hdr, n, 0));
	for (i = 0; i < n; i++)
		rblk_proto_encode_command(&cmd[i], &commands[i]);
	KUNIT_EXPECT_EQ(test, RBLKT_BAD_NONE,
			rblkt_proto_check_io(msg, bytes, &granted));
	for (i = 0; i < n; i++) {
		KUNIT_EXPECT_EQ_MSG(test, RBLKT_BAD_NONE,
				    rblkt_proto_check_cmd(hdr, &cmd[i], &granted),
				    "command %u", i);
		KUNIT_EXPECT_EQ_MSG(test, RBLKT_BAD_NONE,
				    rblkt_proto_check_geo(&cmd[i], &granted, &geo),
				    "command %u", i);
	}
}

static void command_with_data(struct kunit *test)
{
	static const struct rblk_command write = {
		.op = RBLK_OP_WRITE, .length = 4096, .flags = RBLK_CMDF_INLINE,
	};
	u32 bytes = RBLK_WIRE_DATA_OFFSET + 4096;
	u8 *msg = kunit_kzalloc(test, bytes, GFP_KERNEL);
	struct rblk_wire_cmd *cmd;

	KUNIT_ASSERT_NOT_NULL(test, msg);
	memset(msg + RBLK_WIRE_DATA_OFFSET, 0xa5, 4096);
	cmd = (void *)(msg + sizeof(struct rblk_wire_hdr));
	rblk_proto_command_message((void *)msg, 1, 4096);
	rblk_proto_encode_command(cmd, &write);
	KUNIT_EXPECT_EQ(test, RBLKT_BAD_NONE,
			rblkt_proto_check_io(msg, bytes, &granted));
	KUNIT_EXPECT_EQ(test, RBLKT_BAD_NONE,
			rblkt_proto_check_cmd((void *)msg, cmd, &granted));
	KUNIT_EXPECT_EQ(test, RBLKT_BAD_NONE,
			rblkt_proto_check_geo(cmd, &granted, &geo));
}

/* The answer to each command with each status, data or none. */
static void responses(struct kunit *test)
{
	struct rblk_wire_cmd cmd;
	struct rblk_awaited want;
	struct rblk_arrival msg;
	u32 i, status, bytes;
	bool data;
	u8 *buf;

	for (i = 0; i < ARRAY_SIZE(commands); i++)
		for (status = 0; status < RBLK_STATUS_NR; status++) {
			rblk_proto_encode_command(&cmd, &commands[i]);
			want = (struct rblk_awaited){
				.gen = commands[i].gen,
				.length = commands[i].length,
				.rkey = commands[i].rkey,
				.inline_data = commands[i].flags &
					       RBLK_CMDF_INLINE,
				.may_hold = true,
				.digest_sent = true,
			};
			data = want.inline_data && !status;
			bytes = data ? 64 + want.length : 40;
			buf = kunit_kzalloc(test, bytes < 64 ? 64 : bytes,
					    GFP_KERNEL);
			KUNIT_ASSERT_NOT_NULL(test, buf);
			rblkt_proto_rsp(buf, &cmd, status, data, 0, 2, 1);
			msg = (struct rblk_arrival){
				.data = exact(test, buf, bytes), .bytes = bytes,
				.invalidated = want.rkey, .rkey = want.rkey,
			};
			expect(test, rblk_proto_check_response_message(&msg),
			       GOOD, "message");
			expect(test, rblk_proto_check_response(msg.data + 8,
							       &msg, &want),
			       GOOD, "response");
		}
}

struct status_case {
	const char *what;
	blk_status_t blk;
	u16 wire;
};

#define STATUS(name, number)	{ #name, BLK_STS_##name, number }

/* The numbers are the protocol: they never change. */
static const struct status_case status_cases[] = {
	STATUS(OK, 0), STATUS(NOTSUPP, 1), STATUS(TIMEOUT, 2), STATUS(NOSPC, 3),
	STATUS(TRANSPORT, 4), STATUS(TARGET, 5), STATUS(RESV_CONFLICT, 6),
	STATUS(MEDIUM, 7), STATUS(PROTECTION, 8), STATUS(RESOURCE, 9),
	STATUS(IOERR, 10), STATUS(OFFLINE, 11), STATUS(INVAL, 13),
	STATUS(DURATION_LIMIT, 14),
};

KUNIT_ARRAY_PARAM_DESC(status, status_cases, what);

static void statuses(struct kunit *test)
{
	const struct status_case *s = test->param_value;

	KUNIT_EXPECT_EQ(test, s->wire, rblkt_proto_status(s->blk));
	KUNIT_EXPECT_TRUE(test, s->blk == rblk_proto_status(s->wire));
}

/* What has no number of its own is an I/O error, on either side. */
static void statuses_unlisted(struct kunit *test)
{
	static const blk_status_t blk[] = {
		BLK_STS_DM_REQUEUE, BLK_STS_AGAIN, BLK_STS_DEV_RESOURCE,
		BLK_STS_ZONE_OPEN_RESOURCE, BLK_STS_ZONE_ACTIVE_RESOURCE,
		(__force blk_status_t)0x7f, (__force blk_status_t)0xff,
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(blk); i++)
		KUNIT_EXPECT_EQ(test, 10, rblkt_proto_status(blk[i]));
	KUNIT_EXPECT_TRUE(test, rblk_proto_status(RBLK_STATUS_GONE) ==
				BLK_STS_OFFLINE);
	for (i = RBLK_STATUS_NR; i <= 0xffff; i++)
		KUNIT_EXPECT_TRUE(test, rblk_proto_status(i) == BLK_STS_IOERR);
}

static void response_times(struct kunit *test)
{
	struct rblk_wire_cmd cmd = {};
	struct rblk_wire_rsp *rsp;
	u8 msg[64] __aligned(8) = {};

	rsp = (void *)(msg + sizeof(struct rblk_wire_hdr));
	rblkt_proto_rsp(msg, &cmd, 0, false, 0, U32_MAX, U32_MAX - 1ull);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(rsp->target_ns), U32_MAX);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(rsp->device_ns), U32_MAX - 1);
	rblkt_proto_rsp(msg, &cmd, 0, false, 0, 1ull << 32, U64_MAX);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(rsp->target_ns), U32_MAX);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(rsp->device_ns), U32_MAX);
	rblkt_proto_rsp(msg, &cmd, 0, false, 0, 0, 0);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(rsp->target_ns), 0);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(rsp->device_ns), 0);
}

/* The initiator's requests, by the encoder they share. */
static void control_requests(struct kunit *test)
{
	static const struct { u8 type; u32 bytes; } kinds[] = {
		{ RBLK_MSG_BIND, sizeof(struct rblk_wire_bind) },
		{ RBLK_MSG_LIST, sizeof(struct rblk_wire_list) },
		{ RBLK_MSG_DETACH, sizeof(struct rblk_wire_detach) },
		{ RBLK_MSG_KEEPALIVE, sizeof(struct rblk_wire_ctl) },
	};
	u8 msg[64] __aligned(8);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		memset(msg, 0, sizeof(msg));
		rblk_proto_encode_ctl((void *)msg, kinds[i].type,
				      kinds[i].bytes, XID);
		KUNIT_EXPECT_EQ(test, RBLKT_BAD_NONE,
				rblkt_proto_check_ctl(msg, kinds[i].bytes));
	}
}

/* The target's replies with every status, by the encoder they share. */
static void control_replies(struct kunit *test)
{
	struct rblk_arrival msg = { .bytes = sizeof(struct rblk_wire_ctl) };
	struct rblk_wire_ctl ctl;
	u32 type, status;

	for (type = RBLK_MSG_LOGIN; type <= RBLK_MSG_KEEPALIVE; type += 2)
		for (status = 0; status <= RBLK_CTL_LAST; status++) {
			rblkt_proto_ctl(&ctl, sizeof(ctl), type + 1,
					cpu_to_le32(XID), status);
			msg.data = &ctl;
			expect(test, rblk_proto_check_ctl_reply(&msg, type, XID,
								sizeof(ctl)),
			       GOOD, "reply");
			KUNIT_EXPECT_EQ(test, le16_to_cpu(ctl.status), status);
		}
}

static struct kunit_case cases[] = {
	KUNIT_CASE(connection),
	KUNIT_CASE(connection_without_queues),
	KUNIT_CASE(refusal),
	KUNIT_CASE(commands_together),
	KUNIT_CASE(command_with_data),
	KUNIT_CASE(responses),
	KUNIT_CASE_PARAM(statuses, status_gen_params),
	KUNIT_CASE(statuses_unlisted),
	KUNIT_CASE(response_times),
	KUNIT_CASE(control_requests),
	KUNIT_CASE(control_replies),
	{}
};

static struct kunit_suite suite = {
	.name = "rblk_wire",
	.test_cases = cases,
};

kunit_test_suite(suite);

MODULE_DESCRIPTION("KUnit: rblk initiator and target against each other");
MODULE_LICENSE("GPL");
