// SPDX-License-Identifier: GPL-2.0-only
/*
 * The initiator's share of I/O messages: its commands, and its check of what
 * answers them.
 */
#include "../../driver/proto/proto.c"
#include "../../driver/proto/encoder.c"
#include "message.h"

#define RSP_AT		sizeof(struct rblk_wire_hdr)
#define RSP_BYTES	sizeof(struct rblk_wire_rsp)

static void encode_command(struct kunit *test)
{
	static const struct rblk_command c = {
		.op = RBLK_OP_WRITE, .flags = 0x8041, .tag = 0x0201,
		.gen = 0x0403, .prio = 0x6007, .volume = 0x08070605,
		.length = 0x0c0b0a09, .lba = 0x1817161514131211ull,
		.addr = 0x2827262524232221ull, .rkey = 0x34333231,
	};
	static const u8 want[48] = {
		2, 0, 0x41, 0x80, 1, 2, 3, 4,
		5, 6, 7, 8, 9, 0x0a, 0x0b, 0x0c,
		0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18,
		0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x28,
		0x31, 0x32, 0x33, 0x34, 0, 0, 0, 0,
		0x07, 0x60, 0, 0, 0, 0, 0, 0,
	};
	struct rblk_wire_cmd cmd;

	memset(&cmd, 0xff, sizeof(cmd));
	rblk_proto_encode_command(&cmd, &c);
	KUNIT_EXPECT_MEMEQ(test, &cmd, want, sizeof(want));
}

static void command_message(struct kunit *test)
{
	struct rblk_wire_hdr hdr;
	u8 n;

	for (n = 1; n <= RBLK_WIRE_MAX_BATCH; n++) {
		memset(&hdr, 0xff, sizeof(hdr));
		KUNIT_EXPECT_EQ(test, rblk_proto_command_message(&hdr, n, 0),
				8 + 48 * n);
		KUNIT_EXPECT_EQ(test, hdr.type, RBLK_MSG_COMMAND);
		KUNIT_EXPECT_EQ(test, hdr.count, n);
		KUNIT_EXPECT_EQ(test, le16_to_cpu(hdr.flags), 0);
		KUNIT_EXPECT_EQ(test, le32_to_cpu(hdr.length), 8 + 48 * n);
	}
	memset(&hdr, 0xff, sizeof(hdr));
	KUNIT_EXPECT_EQ(test, rblk_proto_command_message(&hdr, 1, 4096), 64);
	KUNIT_EXPECT_EQ(test, hdr.count, 1);
	KUNIT_EXPECT_EQ(test, le16_to_cpu(hdr.flags), RBLK_HDRF_DATA);
	KUNIT_EXPECT_EQ(test, le32_to_cpu(hdr.length), 64 + 4096);
}

/* A message of @count responses, or of one and data up to @bytes. */
static u8 *message(struct kunit *test, u8 count, u16 flags, u32 bytes)
{
	u8 *msg = kunit_kzalloc(test, bytes, GFP_KERNEL);
	struct rblk_wire_hdr *hdr = (void *)msg;

	KUNIT_ASSERT_NOT_NULL(test, msg);
	hdr->type = RBLK_MSG_RESPONSE;
	hdr->count = count;
	hdr->flags = cpu_to_le16(flags);
	hdr->length = cpu_to_le32(bytes);
	return msg;
}

static const char *check_message(const void *data, u32 bytes)
{
	const struct rblk_arrival msg = { .data = data, .bytes = bytes };

	return rblk_proto_check_response_message(&msg);
}

#define HDR(member, value, verdict)					\
	SET(struct rblk_wire_hdr, member, value, verdict)

/* Of a message with one response, 40 bytes. */
static const struct change hdr_changes[] = {
	HDR(type, RBLK_MSG_RESPONSE, GOOD),
	HDR(type, 0, BAD), HDR(type, RBLK_MSG_COMMAND, BAD),
	HDR(type, RBLK_MSG_BIND_REPLY, BAD), HDR(type, RBLK_MSG_EVENT, BAD),
	HDR(type, 0xff, BAD),
	HDR(count, 0, BAD), HDR(count, 2, BAD), HDR(count, 17, BAD),
	HDR(count, 255, BAD),
	HDR(flags, RBLK_HDRF_DATA, BAD), HDR(flags, 2, BAD),
	HDR(flags, 0x8000, BAD), HDR(flags, 0xffff, BAD),
	HDR(length, 0, BAD), HDR(length, 39, BAD), HDR(length, 41, BAD),
	HDR(length, 0x28000000, BAD), HDR(length, 0xffffffff, BAD),
};

KUNIT_ARRAY_PARAM_DESC(hdr, hdr_changes, what);

static void message_field(struct kunit *test)
{
	const struct change *c = test->param_value;
	u8 *msg = message(test, 1, 0, RSP_AT + RSP_BYTES);

	change(msg, c);
	expect(test, check_message(msg, RSP_AT + RSP_BYTES), c->want, c->what);
}

static void message_truncated(struct kunit *test)
{
	u8 *msg = message(test, 1, 0, RSP_AT + RSP_BYTES);
	struct rblk_wire_hdr *hdr = (void *)msg;
	u32 n;

	for (n = 0; n < RSP_AT + RSP_BYTES; n++) {
		expect(test, check_message(exact(test, msg, n), n), BAD,
		       "cut short");
		hdr->length = cpu_to_le32(n);
		expect(test, check_message(exact(test, msg, n), n), BAD,
		       "too short");
		hdr->length = cpu_to_le32(RSP_AT + RSP_BYTES);
	}
}

static void message_batch(struct kunit *test)
{
	u32 count, bytes;
	u8 *msg;

	for (count = 1; count <= 32; count++) {
		bytes = RSP_AT + count * RSP_BYTES;
		msg = message(test, count, 0, bytes);
		expect(test, check_message(msg, bytes),
		       count <= RBLK_WIRE_MAX_BATCH ? GOOD : BAD, "batch");
		msg = message(test, count, 0, bytes + 1);
		expect(test, check_message(msg, bytes + 1), BAD, "odd byte");
		msg = message(test, count, 0, bytes - 1);
		expect(test, check_message(msg, bytes - 1), BAD, "byte less");
	}
}

static void message_data(struct kunit *test)
{
	u32 n;
	u8 *msg;

	for (n = RSP_AT + RSP_BYTES; n <= RBLK_WIRE_DATA_OFFSET; n++) {
		msg = message(test, 1, RBLK_HDRF_DATA, n);
		expect(test, check_message(msg, n), BAD, "flag without data");
	}
	msg = message(test, 1, RBLK_HDRF_DATA, 65);
	expect(test, check_message(msg, 65), GOOD, "a byte of data");
	msg = message(test, 1, RBLK_HDRF_DATA, 64 + 4096);
	expect(test, check_message(msg, 64 + 4096), GOOD, "a page of data");
	msg = message(test, 1, 0, 64 + 4096);
	expect(test, check_message(msg, 64 + 4096), BAD, "data without flag");
	msg = message(test, 2, RBLK_HDRF_DATA, 64 + 4096);
	expect(test, check_message(msg, 64 + 4096), BAD, "two with data");
	msg = message(test, 1, RBLK_HDRF_DATA | 2, 64 + 4096);
	expect(test, check_message(msg, 64 + 4096), BAD, "unknown flag");
	msg = message(test, 1, RBLK_HDRF_DATA, 64 + 4096);
	for (n = 40; n < 64; n++) {
		msg[n] = 1;
		expect(test, check_message(msg, 64 + 4096), BAD, "gap");
		msg[n] = 0;
	}
}

#define GEN	0x1234
#define LENGTH	8192

static struct rblk_wire_rsp good_rsp(void)
{
	return (struct rblk_wire_rsp){
		.tag = cpu_to_le16(5),
		.gen = cpu_to_le16(GEN),
		.length = cpu_to_le32(LENGTH),
		.target_ns = cpu_to_le32(2),
		.device_ns = cpu_to_le32(1),
	};
}

#define RSP(member, value, verdict)					\
	SET(struct rblk_wire_rsp, member, value, verdict)

static const struct change rsp_changes[] = {
	RSP(gen, GEN, GOOD), RSP(gen, GEN + 1, BAD), RSP(gen, GEN - 1, BAD),
	RSP(gen, 0, BAD), RSP(gen, 0x3412, BAD),
	RSP(status, RBLK_STATUS_IOERR, BAD), RSP(status, 13, BAD),
	RSP(status, 0x100, BAD), RSP(status, 0xffff, BAD),
	RSP(flags, RBLK_RSPF_DIGEST, BAD), RSP(flags, 2, BAD),
	RSP(flags, 0x8000, BAD),
	RSP(length, 0, BAD), RSP(length, LENGTH - 1, BAD),
	RSP(length, LENGTH + 1, BAD), RSP(length, LENGTH - 512, BAD),
	RSP(length, 0xffffffff, BAD),
	RSP(digest, 1, BAD), RSP(digest, 0x80000000, BAD),
	RSP(target_ns, 0xffffffff, GOOD),
	RSP(reserved, 1, BAD), RSP(reserved, 1ull << 63, BAD),
	RSP(reserved, 1ull << 32, BAD),
};

KUNIT_ARRAY_PARAM_DESC(rsp, rsp_changes, what);

static const char *check(struct kunit *test, const struct rblk_wire_rsp *rsp,
			 const struct rblk_awaited *want, bool invalidated,
			 u32 rkey)
{
	u8 *data = message(test, 1, 0, RSP_AT + RSP_BYTES);
	struct rblk_arrival msg = {
		.data = data, .bytes = RSP_AT + RSP_BYTES,
		.invalidated = invalidated, .rkey = rkey,
	};

	memcpy(data + RSP_AT, rsp, RSP_BYTES);
	return rblk_proto_check_response((void *)(data + RSP_AT), &msg, want);
}

static void response_field(struct kunit *test)
{
	const struct rblk_awaited want = { .gen = GEN, .length = LENGTH };
	const struct change *c = test->param_value;
	struct rblk_wire_rsp rsp = good_rsp();

	change(&rsp, c);
	expect(test, check(test, &rsp, &want, false, 0), c->want, c->what);
}

/* An error transfers nothing, success everything; 0..14 are known, and 15 to some. */
static void response_status(struct kunit *test)
{
	const struct rblk_awaited want = { .gen = GEN, .length = LENGTH };
	struct rblk_wire_rsp rsp = good_rsp();
	u32 status;

	for (status = 0; status <= 0xffff; status += status < 32 ? 1 : 251) {
		rsp.status = cpu_to_le16(status);
		rsp.length = 0;
		expect(test, check(test, &rsp, &want, false, 0),
		       status >= 1 && status <= RBLK_STATUS_DURATION_LIMIT ? GOOD : BAD,
		       "no length");
		rsp.length = cpu_to_le32(LENGTH);
		expect(test, check(test, &rsp, &want, false, 0),
		       status ? BAD : GOOD, "whole length");
	}
}

/* HELD needs the feature, comes first, and only GONE comes after it. */
static void response_held(struct kunit *test)
{
	struct rblk_awaited want = { .gen = GEN, .length = LENGTH, .may_hold = true };
	const struct rblk_awaited second = { .gen = GEN, .held = true };
	struct rblk_wire_rsp rsp = good_rsp();
	u32 status;

	rsp.status = cpu_to_le16(RBLK_STATUS_HELD);
	expect(test, check(test, &rsp, &want, false, 0), BAD, "with a length");
	rsp.length = 0;
	expect(test, check(test, &rsp, &want, false, 0), GOOD, "held");
	want.rkey = 7;
	expect(test, check(test, &rsp, &want, false, 0), BAD, "with a valid rkey");
	expect(test, check(test, &rsp, &want, true, 7), GOOD, "with a dead rkey");
	for (status = 0; status < RBLK_STATUS_NR; status++) {
		rsp.status = cpu_to_le16(status);
		expect(test, check(test, &rsp, &second, false, 0),
		       status == RBLK_STATUS_GONE ? GOOD : BAD, "second");
		expect(test, check(test, &rsp, &second, true, 7), BAD,
		       "second that invalidates");
	}
	rsp.status = cpu_to_le16(RBLK_STATUS_GONE);
	rsp.gen = cpu_to_le16(GEN + 1);
	expect(test, check(test, &rsp, &second, false, 0), BAD, "another generation");
}

struct invalidation {
	const char *what;
	u32 granted;
	bool invalidated;
	u32 rkey;
	int want;
};

/* A command ends when its rkey is dead, by its own answer and no other's. */
static const struct invalidation invalidations[] = {
	{ "nothing granted or invalidated", 0, false, 0, GOOD },
	{ "stray invalidate", 0, true, 7, BAD },
	{ "stray invalidate of 0", 0, true, 0, BAD },
	{ "its own", 7, true, 7, GOOD },
	{ "none", 7, false, 0, BAD },
	{ "none, though the number is right", 7, false, 7, BAD },
	{ "another", 7, true, 8, BAD },
	{ "another key of the same region", 0x700, true, 0x701, BAD },
	{ "zero", 7, true, 0, BAD },
};

KUNIT_ARRAY_PARAM_DESC(invalidation, invalidations, what);

static void response_invalidation(struct kunit *test)
{
	const struct invalidation *i = test->param_value;
	const struct rblk_awaited want = {
		.gen = GEN, .length = LENGTH, .rkey = i->granted,
	};
	struct rblk_wire_rsp rsp = good_rsp();

	expect(test, check(test, &rsp, &want, i->invalidated, i->rkey),
	       i->want, "success");
	/* An error lets nothing go either. */
	rsp.status = cpu_to_le16(RBLK_STATUS_MEDIUM);
	rsp.length = 0;
	expect(test, check(test, &rsp, &want, i->invalidated, i->rkey),
	       i->want, "error");
}

struct inlined {
	const char *what;
	bool wanted;
	u16 status;
	u32 data;
	int want;
};

static const struct inlined inlines[] = {
	{ "wanted and there", true, RBLK_STATUS_OK, LENGTH, GOOD },
	{ "wanted but missing", true, RBLK_STATUS_OK, 0, BAD },
	{ "a byte short", true, RBLK_STATUS_OK, LENGTH - 1, BAD },
	{ "a byte long", true, RBLK_STATUS_OK, LENGTH + 1, BAD },
	{ "error without data", true, RBLK_STATUS_IOERR, 0, GOOD },
	{ "error with data", true, RBLK_STATUS_IOERR, LENGTH, BAD },
	{ "stray", false, RBLK_STATUS_OK, LENGTH, BAD },
	{ "stray with an error", false, RBLK_STATUS_IOERR, 1, BAD },
	{ "neither wanted nor there", false, RBLK_STATUS_OK, 0, GOOD },
};

KUNIT_ARRAY_PARAM_DESC(inlined, inlines, what);

static void response_inline(struct kunit *test)
{
	const struct inlined *i = test->param_value;
	const struct rblk_awaited want = {
		.gen = GEN, .length = LENGTH, .inline_data = i->wanted,
	};
	u32 bytes = i->data ? RBLK_WIRE_DATA_OFFSET + i->data :
		    RSP_AT + RSP_BYTES;
	u8 *data = message(test, 1, i->data ? RBLK_HDRF_DATA : 0, bytes);
	struct rblk_arrival msg = { .data = data, .bytes = bytes };
	struct rblk_wire_rsp rsp = good_rsp();

	rsp.status = cpu_to_le16(i->status);
	if (i->status)
		rsp.length = 0;
	memcpy(data + RSP_AT, &rsp, sizeof(rsp));
	expect(test, rblk_proto_check_response_message(&msg), GOOD, i->what);
	expect(test, rblk_proto_check_response((void *)(data + RSP_AT), &msg,
					       &want),
	       i->want, i->what);
}

/* All of the data, of the command that is out, and only where it was asked for. */
static void immediates(struct kunit *test)
{
	struct rblk_awaited want = {
		.gen = GEN, .length = LENGTH, .rkey = 7, .immediate = true,
	};

	expect(test, rblk_proto_check_immediate(GEN, LENGTH, &want), GOOD, "its own");
	expect(test, rblk_proto_check_immediate(GEN - 1, LENGTH, &want), BAD, "old");
	expect(test, rblk_proto_check_immediate(GEN + 1, LENGTH, &want), BAD, "new");
	expect(test, rblk_proto_check_immediate(GEN, LENGTH - 1, &want), BAD, "short");
	expect(test, rblk_proto_check_immediate(GEN, LENGTH + 1, &want), BAD, "long");
	expect(test, rblk_proto_check_immediate(GEN, 0, &want), BAD, "no data");
	want.immediate = false;
	expect(test, rblk_proto_check_immediate(GEN, LENGTH, &want), BAD, "unasked");
	want.rkey = 0;
	want.inline_data = true;
	expect(test, rblk_proto_check_immediate(GEN, LENGTH, &want), BAD, "inline");
}

static struct kunit_case cases[] = {
	KUNIT_CASE(immediates),
	KUNIT_CASE(encode_command),
	KUNIT_CASE(command_message),
	KUNIT_CASE_PARAM(message_field, hdr_gen_params),
	KUNIT_CASE(message_truncated),
	KUNIT_CASE(message_batch),
	KUNIT_CASE(message_data),
	KUNIT_CASE_PARAM(response_field, rsp_gen_params),
	KUNIT_CASE(response_status),
	KUNIT_CASE(response_held),
	KUNIT_CASE_PARAM(response_invalidation, invalidation_gen_params),
	KUNIT_CASE_PARAM(response_inline, inlined_gen_params),
	{}
};

static struct kunit_suite suite = {
	.name = "rblk_io",
	.test_cases = cases,
};

kunit_test_suite(suite);

MODULE_DESCRIPTION("KUnit: rblk commands and responses, initiator");
MODULE_LICENSE("GPL");
