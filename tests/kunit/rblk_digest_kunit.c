// SPDX-License-Identifier: GPL-2.0-only
/*
 * Data digests on both sides: which commands and responses may have one, when they
 * must, and how it gets from one side to the other.
 */
#define all_zero	initiator_all_zero
#include "../../driver/proto/proto.c"
#include "../../driver/proto/encoder.c"
#undef all_zero
#include "../../target/proto/proto.c"
#include "../../target/proto/encoder.c"
#include "message.h"

#define CRC	0xe3069283u

static const struct rblk_wire_hdr alone = {
	.type = RBLK_MSG_COMMAND, .count = 1, .length = cpu_to_le32(56),
};

static const struct rblkt_grant granted = {
	.features = RBLK_FEAT_DIGEST | RBLK_FEAT_READ_IMM, .depth = 64, .max_batch = 16,
	.max_io = 1 << 20, .inline_write = 4096,
};

static struct rblk_wire_cmd encoded(u8 op, u16 flags, u32 digest)
{
	bool data = op == RBLK_OP_READ || op == RBLK_OP_WRITE;
	const struct rblk_command c = {
		.op = op, .flags = flags, .digest = digest, .addr = data ? 0x1000 : 0,
		.rkey = data ? 7 : 0, .length = op == RBLK_OP_FLUSH ? 0 : 4096, .gen = 5,
	};
	struct rblk_wire_cmd cmd;

	rblk_proto_encode_command(&cmd, &c);
	return cmd;
}

static void encoders(struct kunit *test)
{
	struct rblk_wire_cmd cmd = encoded(RBLK_OP_WRITE, RBLK_CMDF_DIGEST, 0x01020304);
	static const u8 want[] = { 4, 3, 2, 1 };
	struct rblk_wire_rsp *rsp;
	u8 msg[64] __aligned(8) = {};

	KUNIT_EXPECT_MEMEQ(test, (u8 *)&cmd + 36, want, 4);
	cmd = encoded(RBLK_OP_READ, RBLK_CMDF_DIGEST, 0);
	rblkt_proto_rsp(msg, &cmd, RBLK_STATUS_OK, false, 0x01020304, 2, 1);
	rsp = (void *)(msg + 8);
	KUNIT_EXPECT_EQ(test, le16_to_cpu(rsp->flags), RBLK_RSPF_DIGEST);
	KUNIT_EXPECT_MEMEQ(test, msg + 8 + 12, want, 4);
	/* Whatever the last read of this tag had is gone. */
	rblkt_proto_rsp(msg, &cmd, RBLK_STATUS_MEDIUM, false, CRC, 2, 1);
	KUNIT_EXPECT_EQ(test, le16_to_cpu(rsp->flags), 0);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(rsp->digest), 0);
	cmd = encoded(RBLK_OP_READ, 0, 0);
	rblkt_proto_rsp(msg, &cmd, RBLK_STATUS_OK, false, CRC, 2, 1);
	KUNIT_EXPECT_EQ(test, le16_to_cpu(rsp->flags), 0);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(rsp->digest), 0);
}

/* The flag needs the feature, and is for reads and writes. */
static void command_flag(struct kunit *test)
{
	struct rblkt_grant without = granted;
	struct rblk_wire_cmd cmd;
	u32 op;

	without.features = ~RBLK_FEAT_DIGEST;
	for (op = RBLK_OP_READ; op <= RBLK_OP_WRITE_ZEROES; op++) {
		cmd = encoded(op, RBLK_CMDF_DIGEST, 0);
		KUNIT_EXPECT_EQ_MSG(test, op <= RBLK_OP_WRITE ? RBLKT_BAD_NONE : RBLKT_BAD_FLAGS,
				    rblkt_proto_check_cmd(&alone, &cmd, &granted), "op %u", op);
		KUNIT_EXPECT_EQ_MSG(test, RBLKT_BAD_FLAGS,
				    rblkt_proto_check_cmd(&alone, &cmd, &without), "op %u", op);
	}
	cmd = encoded(RBLK_OP_READ, RBLK_CMDF_IMM, 0);
	KUNIT_EXPECT_EQ(test, RBLKT_BAD_NONE, rblkt_proto_check_cmd(&alone, &cmd, &granted));
	cmd = encoded(RBLK_OP_READ, RBLK_CMDF_IMM | RBLK_CMDF_DIGEST, 0);
	KUNIT_EXPECT_EQ(test, RBLKT_BAD_FLAGS, rblkt_proto_check_cmd(&alone, &cmd, &granted));
}

/* Only a write with the flag may have a value: any. */
static void command_value(struct kunit *test)
{
	struct rblk_wire_cmd cmd;
	u32 op;

	for (op = RBLK_OP_READ; op <= RBLK_OP_WRITE_ZEROES; op++) {
		cmd = encoded(op, 0, CRC);
		KUNIT_EXPECT_EQ_MSG(test, RBLKT_BAD_DIGEST,
				    rblkt_proto_check_cmd(&alone, &cmd, &granted), "op %u", op);
	}
	cmd = encoded(RBLK_OP_READ, RBLK_CMDF_DIGEST, 1);
	KUNIT_EXPECT_EQ(test, RBLKT_BAD_DIGEST, rblkt_proto_check_cmd(&alone, &cmd, &granted));
	cmd = encoded(RBLK_OP_WRITE, RBLK_CMDF_DIGEST, 0xffffffff);
	KUNIT_EXPECT_EQ(test, RBLKT_BAD_NONE, rblkt_proto_check_cmd(&alone, &cmd, &granted));
}

/* A volume's reads and writes all have it, or none. */
static void command_volume(struct kunit *test)
{
	struct rblkt_geo geo = {
		.blocks = 64, .block_shift = 9, .writable = true,
		.max_discard = 1 << 20, .max_write_zeroes = 1 << 20,
	};
	struct rblk_wire_cmd cmd;
	u32 op, in_force, has;

	for (op = RBLK_OP_READ; op <= RBLK_OP_WRITE_ZEROES; op++)
		for (in_force = 0; in_force < 2; in_force++)
			for (has = 0; has < 2; has++) {
				bool data = op <= RBLK_OP_WRITE;

				if (has && !data)
					continue;
				geo.digest = in_force;
				cmd = encoded(op, has ? RBLK_CMDF_DIGEST : 0, 0);
				KUNIT_EXPECT_EQ_MSG(test, data && in_force != has ?
						    RBLKT_BAD_DIGEST : RBLKT_BAD_NONE,
						    rblkt_proto_check_geo(&cmd, &granted, &geo),
						    "op %u %u %u", op, in_force, has);
			}
}

static const char *answer(struct kunit *test, const struct rblk_wire_cmd *cmd, u16 status,
			  bool sent, bool wanted, u16 flags, u32 digest)
{
	const struct rblk_awaited want = {
		.gen = 5, .length = 4096, .rkey = 7, .digest_sent = sent,
		.digest_wanted = wanted,
	};
	u8 *msg = kunit_kzalloc(test, 64, GFP_KERNEL);
	struct rblk_wire_rsp *rsp = (void *)(msg + 8);
	struct rblk_arrival in = {
		.data = msg, .bytes = 40, .invalidated = true, .rkey = 7,
	};

	KUNIT_ASSERT_NOT_NULL(test, msg);
	rblkt_proto_rsp(msg, cmd, status, false, digest, 2, 1);
	rsp->flags = cpu_to_le16(flags);
	rsp->digest = cpu_to_le32(digest);
	return rblk_proto_check_response(rsp, &in, &want);
}

/* A successful read that was to have a digest has one, and nothing else has. */
static void response_digest(struct kunit *test)
{
	struct rblk_wire_cmd cmd = encoded(RBLK_OP_READ, 0, 0);
	u32 status, wanted, flags;

	for (status = 0; status <= RBLK_STATUS_OFFLINE; status++)
		for (wanted = 0; wanted < 2; wanted++)
			for (flags = 0; flags < 4; flags++) {
				bool due = wanted && !status;

				expect(test, answer(test, &cmd, status, false, wanted, flags,
						    due ? CRC : 0),
				       flags == due ? GOOD : BAD, "flag");
				expect(test, answer(test, &cmd, status, false, wanted, flags, 1),
				       flags && due && flags == 1 ? GOOD : BAD, "value");
			}
}

/* Only a write that had a digest can have had a wrong one. */
static void response_refused(struct kunit *test)
{
	struct rblk_wire_cmd cmd = encoded(RBLK_OP_WRITE, RBLK_CMDF_DIGEST, CRC);

	expect(test, answer(test, &cmd, RBLK_STATUS_DIGEST, true, false, 0, 0), GOOD, "write");
	expect(test, answer(test, &cmd, RBLK_STATUS_DIGEST, false, false, 0, 0), BAD, "no digest");
	expect(test, answer(test, &cmd, RBLK_STATUS_DIGEST, false, true, 0, 0), BAD, "read");
	expect(test, answer(test, &cmd, RBLK_STATUS_OK, true, false, 0, 0), GOOD, "good");
	expect(test, answer(test, &cmd, RBLK_STATUS_OK, true, false, 1, CRC), BAD, "echo");
	KUNIT_EXPECT_TRUE(test, rblk_proto_status(RBLK_STATUS_DIGEST) == BLK_STS_PROTECTION);
	/* The device's own has another number. */
	KUNIT_EXPECT_EQ(test, RBLK_STATUS_PROTECTION, rblkt_proto_status(BLK_STS_PROTECTION));
}

/* The flag of ATTACH is known, and continues nothing by itself. */
static void attach_flag(struct kunit *test)
{
	struct rblk_wire_attach msg = { .name = "disk0" };

	rblk_proto_encode_ctl(&msg.ctl, RBLK_MSG_ATTACH, sizeof(msg), 1);
	msg.flags = cpu_to_le32(RBLK_ATTACHF_DIGEST);
	KUNIT_EXPECT_EQ(test, RBLKT_BAD_NONE, rblkt_proto_check_ctl(&msg, sizeof(msg)));
	msg.tenure = cpu_to_le64(1);
	KUNIT_EXPECT_EQ(test, RBLKT_BAD_TENURE, rblkt_proto_check_ctl(&msg, sizeof(msg)));
	msg.flags = cpu_to_le32(RBLK_ATTACHF_DIGEST | RBLK_ATTACHF_CONTINUE);
	KUNIT_EXPECT_EQ(test, RBLKT_BAD_NONE, rblkt_proto_check_ctl(&msg, sizeof(msg)));
	msg.flags = cpu_to_le32(RBLK_ATTACHF_ALL + 1);
	KUNIT_EXPECT_EQ(test, RBLKT_BAD_ACCESS, rblkt_proto_check_ctl(&msg, sizeof(msg)));
}

static struct kunit_case cases[] = {
	KUNIT_CASE(encoders),
	KUNIT_CASE(command_flag),
	KUNIT_CASE(command_value),
	KUNIT_CASE(command_volume),
	KUNIT_CASE(response_digest),
	KUNIT_CASE(response_refused),
	KUNIT_CASE(attach_flag),
	{}
};

static struct kunit_suite suite = {
	.name = "rblk_digest",
	.test_cases = cases,
};

kunit_test_suite(suite);

MODULE_DESCRIPTION("KUnit: rblk data digests on the wire");
MODULE_LICENSE("GPL");
