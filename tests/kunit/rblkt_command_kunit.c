// SPDX-License-Identifier: GPL-2.0-only
/*
 * The target's check of commands: the message they come in, each by itself,
 * and each against the volume it names.
 */
#include "../../target/proto/proto.c"
#include "message.h"

#define HDR_BYTES	sizeof(struct rblk_wire_hdr)
#define CMD_BYTES	sizeof(struct rblk_wire_cmd)

static const struct rblkt_grant grant = {
	.nr_queues = 4, .depth = 128, .max_batch = 16, .max_io = 1 << 20,
	.inline_read = 2048, .inline_write = 4096,
};

/* A message of @count commands, or of one and data up to @bytes. */
static u8 *message(struct kunit *test, u8 count, u16 flags, u32 bytes)
{
	u8 *msg = kunit_kzalloc(test, bytes, GFP_KERNEL);
	struct rblk_wire_hdr *hdr = (void *)msg;

	KUNIT_ASSERT_NOT_NULL(test, msg);
	hdr->type = RBLK_MSG_COMMAND;
	hdr->count = count;
	hdr->flags = cpu_to_le16(flags);
	hdr->length = cpu_to_le32(bytes);
	return msg;
}

#define HDR(member, value, verdict)					\
	SET(struct rblk_wire_hdr, member, value, RBLKT_BAD_##verdict)

/* Of a message with one command, 56 bytes. */
static const struct change hdr_changes[] = {
	HDR(type, 0, TYPE), HDR(type, RBLK_MSG_RESPONSE, TYPE),
	HDR(type, RBLK_MSG_BIND, TYPE), HDR(type, RBLK_MSG_KEEPALIVE, TYPE),
	HDR(type, 0xff, TYPE),
	HDR(count, 0, COUNT), HDR(count, 2, LENGTH), HDR(count, 16, LENGTH),
	HDR(count, 17, COUNT), HDR(count, 255, COUNT),
	HDR(flags, RBLK_HDRF_DATA, INLINE), HDR(flags, 2, HDR_FLAGS),
	HDR(flags, 3, HDR_FLAGS), HDR(flags, 0x8000, HDR_FLAGS),
	HDR(flags, 0x100, HDR_FLAGS),
	HDR(length, 0, LENGTH), HDR(length, 55, LENGTH), HDR(length, 57, LENGTH),
	HDR(length, 0x38000000, LENGTH), HDR(length, 0xffffffff, LENGTH),
};

KUNIT_ARRAY_PARAM_DESC(hdr, hdr_changes, what);

static void message_field(struct kunit *test)
{
	const struct change *c = test->param_value;
	u8 *msg = message(test, 1, 0, 56);

	KUNIT_EXPECT_EQ(test, RBLKT_BAD_NONE,
			rblkt_proto_check_io(msg, 56, &grant));
	change(msg, c);
	KUNIT_EXPECT_EQ(test, c->want, rblkt_proto_check_io(msg, 56, &grant));
}

static void message_truncated(struct kunit *test)
{
	u8 *msg = message(test, 1, 0, 56);
	struct rblk_wire_hdr *hdr = (void *)msg;
	u32 n;

	for (n = 0; n < 56; n++) {
		enum rblkt_bad want = n < 8 ? RBLKT_BAD_SHORT : RBLKT_BAD_LENGTH;

		hdr->length = cpu_to_le32(56);
		KUNIT_EXPECT_EQ(test, want,
				rblkt_proto_check_io(exact(test, msg, n), n,
						     &grant));
		hdr->length = cpu_to_le32(n);
		KUNIT_EXPECT_EQ(test, want,
				rblkt_proto_check_io(exact(test, msg, n), n,
						     &grant));
	}
}

static void message_batch(struct kunit *test)
{
	struct rblkt_grant four = grant;
	u32 n, bytes;
	u8 *msg;

	four.max_batch = 4;
	for (n = 1; n <= 32; n++) {
		bytes = HDR_BYTES + n * CMD_BYTES;
		msg = message(test, n, 0, bytes);
		KUNIT_EXPECT_EQ(test, n <= 16 ? RBLKT_BAD_NONE : RBLKT_BAD_COUNT,
				rblkt_proto_check_io(msg, bytes, &grant));
		KUNIT_EXPECT_EQ(test, n <= 4 ? RBLKT_BAD_NONE : RBLKT_BAD_COUNT,
				rblkt_proto_check_io(msg, bytes, &four));
		msg = message(test, n, 0, bytes + 1);
		KUNIT_EXPECT_NE(test, RBLKT_BAD_NONE,
				rblkt_proto_check_io(msg, bytes + 1, &grant));
		msg = message(test, n, 0, bytes - 1);
		KUNIT_EXPECT_NE(test, RBLKT_BAD_NONE,
				rblkt_proto_check_io(msg, bytes - 1, &grant));
	}
}

struct data_case {
	const char *what;
	u8 count;
	u16 flags;
	u32 bytes;
	int want;
};

static const struct data_case data_cases[] = {
	{ "no room", 1, RBLK_HDRF_DATA, 56, RBLKT_BAD_INLINE },
	{ "none", 1, RBLK_HDRF_DATA, 64, RBLKT_BAD_INLINE },
	{ "a byte", 1, RBLK_HDRF_DATA, 65, RBLKT_BAD_NONE },
	{ "as granted", 1, RBLK_HDRF_DATA, 64 + 4096, RBLKT_BAD_NONE },
	{ "more than granted", 1, RBLK_HDRF_DATA, 64 + 4097, RBLKT_BAD_INLINE },
	{ "without its flag", 1, 0, 64 + 512, RBLKT_BAD_LENGTH },
	{ "with two commands", 2, RBLK_HDRF_DATA, 104 + 512, RBLKT_BAD_COUNT },
	{ "with another flag", 1, 3, 64 + 512, RBLKT_BAD_HDR_FLAGS },
	{ "another flag instead", 1, 2, 56, RBLKT_BAD_HDR_FLAGS },
};

KUNIT_ARRAY_PARAM_DESC(data, data_cases, what);

static void message_data(struct kunit *test)
{
	const struct data_case *d = test->param_value;
	u8 *msg = message(test, d->count, d->flags, d->bytes);

	KUNIT_EXPECT_EQ(test, d->want,
			rblkt_proto_check_io(msg, d->bytes, &grant));
}

static void message_gap(struct kunit *test)
{
	u8 *msg = message(test, 1, RBLK_HDRF_DATA, 64 + 512);
	u32 n;

	for (n = 56; n < 64; n++) {
		msg[n] = 1;
		KUNIT_EXPECT_EQ(test, RBLKT_BAD_RESERVED,
				rblkt_proto_check_io(msg, 64 + 512, &grant));
		msg[n] = 0;
	}
}

/* A good command of each operation, as KUNIT_EXPECT in each test proves. */
static struct rblk_wire_cmd good(u8 op)
{
	struct rblk_wire_cmd cmd = {
		.op = op,
		.tag = cpu_to_le16(1),
		.volume = cpu_to_le32(1),
	};

	if (op != RBLK_OP_FLUSH)
		cmd.length = cpu_to_le32(4096);
	if (op == RBLK_OP_READ || op == RBLK_OP_WRITE) {
		cmd.addr = cpu_to_le64(0x1000);
		cmd.rkey = cpu_to_le32(0x77);
	}
	return cmd;
}

static const struct rblk_wire_hdr alone = {
	.type = RBLK_MSG_COMMAND, .count = 1, .length = cpu_to_le32(56),
};

struct field {
	struct change change;
	u8 op;
};

#define F(o, member, value, verdict)					\
	{ SET(struct rblk_wire_cmd, member, value, RBLKT_BAD_##verdict), \
	  RBLK_OP_##o }

static const struct field fields[] = {
	F(FLUSH, op, 0, OP), F(FLUSH, op, 6, OP), F(FLUSH, op, 0xff, OP),
	F(READ, reserved, 1, RESERVED), F(READ, reserved, 0x80, RESERVED),
	F(READ, reserved2[0], 1, RESERVED), F(READ, reserved2[5], 1, RESERVED),
	F(WRITE, reserved2[2], 0x80, RESERVED),
	F(READ, tag, 0, NONE), F(READ, tag, 127, NONE), F(READ, tag, 128, TAG),
	F(FLUSH, tag, 0x100, TAG), F(WRITE, tag, 0xffff, TAG),
	F(READ, gen, 0xffff, NONE), F(READ, volume, 0xffffffff, NONE),
	F(READ, digest, 1, DIGEST), F(WRITE, digest, 0x80000000, DIGEST),
	F(FLUSH, digest, 1, DIGEST),
	F(READ, prio, 0x7fff, NONE), F(READ, prio, 0x2004, NONE),
	F(READ, prio, 0x8000, PRIO), F(READ, prio, 0xffff, PRIO),
	F(READ, rkey, 0, RKEY), F(WRITE, rkey, 0, RKEY),
	F(READ, rkey, 0xffffffff, NONE), F(READ, addr, 0, NONE),
	F(READ, addr, -8192ull, NONE), F(READ, addr, -4097ull, NONE),
	F(READ, addr, -4095ull, RKEY), F(WRITE, addr, U64_MAX, RKEY),
	F(FLUSH, rkey, 1, RKEY), F(FLUSH, addr, 1, RKEY),
	F(DISCARD, rkey, 1, RKEY), F(DISCARD, addr, 1ull << 63, RKEY),
	F(WRITE_ZEROES, rkey, 0x80000000, RKEY), F(WRITE_ZEROES, addr, 1, RKEY),
	/* Inline without data, or with memory besides. */
	F(WRITE, flags, RBLK_CMDF_INLINE, RKEY),
	F(READ, flags, RBLK_CMDF_INLINE, RKEY),
};

KUNIT_ARRAY_PARAM_DESC(field, fields, change.what);

static void command_field(struct kunit *test)
{
	const struct field *f = test->param_value;
	struct rblk_wire_cmd cmd = good(f->op);

	KUNIT_EXPECT_EQ(test, RBLKT_BAD_NONE,
			rblkt_proto_check_cmd(&alone, &cmd, &grant));
	change(&cmd, &f->change);
	KUNIT_EXPECT_EQ(test, f->change.want,
			rblkt_proto_check_cmd(&alone, &cmd, &grant));
}

/* One letter per flag bit from 0 up: allowed, refused. */
static const char * const flags_by_op[] = {
	/*		    FUA NOUNMAP INLINE IMM PUSHED DIGEST 3 hints WINDOW, 6 none */
	[RBLK_OP_READ]		= "..-...xxx.......",
	[RBLK_OP_WRITE]		= "x.-...xxx.......",
	[RBLK_OP_FLUSH]		= "......xxx.......",
	[RBLK_OP_DISCARD]	= "......xxx.......",
	[RBLK_OP_WRITE_ZEROES]	= "xx....xxx.......",
};

static void command_flags(struct kunit *test)
{
	struct rblk_wire_cmd cmd;
	unsigned int op, bit;

	for (op = RBLK_OP_READ; op <= RBLK_OP_WRITE_ZEROES; op++)
		for (bit = 0; bit < 16; bit++) {
			/* Inline is a matter of more than the flag. */
			if (flags_by_op[op][bit] == '-')
				continue;
			cmd = good(op);
			cmd.flags = cpu_to_le16(1u << bit);
			KUNIT_EXPECT_EQ_MSG(test, flags_by_op[op][bit] == 'x' ?
					    RBLKT_BAD_NONE : RBLKT_BAD_FLAGS,
					    rblkt_proto_check_cmd(&alone, &cmd,
								  &grant),
					    "op %u bit %u", op, bit);
		}
}

/* An immediate where that is granted, for a read whose data does not come along. */
static void command_immediate(struct kunit *test)
{
	struct rblkt_grant imm = grant;
	struct rblk_wire_cmd cmd;
	unsigned int op;

	imm.features = RBLK_FEAT_READ_IMM;
	for (op = RBLK_OP_READ; op <= RBLK_OP_WRITE_ZEROES; op++) {
		cmd = good(op);
		cmd.flags = cpu_to_le16(RBLK_CMDF_IMM);
		KUNIT_EXPECT_EQ(test, op == RBLK_OP_READ ? RBLKT_BAD_NONE :
				      RBLKT_BAD_FLAGS,
				rblkt_proto_check_cmd(&alone, &cmd, &imm));
	}
	cmd = good(RBLK_OP_READ);
	cmd.flags = cpu_to_le16(RBLK_CMDF_IMM | RBLK_CMDF_INLINE);
	cmd.rkey = 0;
	cmd.addr = 0;
	KUNIT_EXPECT_EQ(test, RBLKT_BAD_FLAGS,
			rblkt_proto_check_cmd(&alone, &cmd, &imm));
	cmd.flags = cpu_to_le16(RBLK_CMDF_IMM);
	KUNIT_EXPECT_EQ(test, RBLKT_BAD_RKEY,
			rblkt_proto_check_cmd(&alone, &cmd, &imm));
	imm.features = ~RBLK_FEAT_READ_IMM;
	cmd = good(RBLK_OP_READ);
	cmd.flags = cpu_to_le16(RBLK_CMDF_IMM);
	KUNIT_EXPECT_EQ(test, RBLKT_BAD_FLAGS,
			rblkt_proto_check_cmd(&alone, &cmd, &imm));
}

struct inline_case {
	const char *what;
	u8 op;
	u16 flags;
	u32 length;
	u32 data;
	int want;
};

static const struct inline_case inline_cases[] = {
	{ "write", RBLK_OP_WRITE, RBLK_CMDF_INLINE, 512, 512, RBLKT_BAD_NONE },
	{ "write with FUA", RBLK_OP_WRITE, RBLK_CMDF_INLINE | RBLK_CMDF_FUA,
	  4096, 4096, RBLKT_BAD_NONE },
	{ "write without data", RBLK_OP_WRITE, RBLK_CMDF_INLINE, 512, 0,
	  RBLKT_BAD_INLINE },
	{ "data a byte short", RBLK_OP_WRITE, RBLK_CMDF_INLINE, 512, 511,
	  RBLKT_BAD_INLINE },
	{ "data a byte long", RBLK_OP_WRITE, RBLK_CMDF_INLINE, 512, 513,
	  RBLKT_BAD_INLINE },
	{ "data for length 0", RBLK_OP_WRITE, RBLK_CMDF_INLINE, 0, 512,
	  RBLKT_BAD_INLINE },
	{ "length 4 GiB", RBLK_OP_WRITE, RBLK_CMDF_INLINE, U32_MAX, 512,
	  RBLKT_BAD_INLINE },
	{ "read with data", RBLK_OP_READ, RBLK_CMDF_INLINE, 512, 512,
	  RBLKT_BAD_INLINE },
	{ "flush with data", RBLK_OP_FLUSH, 0, 0, 512, RBLKT_BAD_INLINE },
	{ "discard with data", RBLK_OP_DISCARD, 0, 512, 512, RBLKT_BAD_INLINE },
	{ "read", RBLK_OP_READ, RBLK_CMDF_INLINE, 2048, 0, RBLKT_BAD_NONE },
	{ "read too long", RBLK_OP_READ, RBLK_CMDF_INLINE, 2049, 0,
	  RBLKT_BAD_INLINE },
	{ "read of 4 GiB", RBLK_OP_READ, RBLK_CMDF_INLINE, U32_MAX, 0,
	  RBLKT_BAD_INLINE },
};

KUNIT_ARRAY_PARAM_DESC(inl, inline_cases, what);

static void command_inline(struct kunit *test)
{
	const struct inline_case *i = test->param_value;
	u32 bytes = i->data ? RBLK_WIRE_DATA_OFFSET + i->data : 56;
	u8 *msg = message(test, 1, i->data ? RBLK_HDRF_DATA : 0, bytes);
	struct rblk_wire_cmd *cmd = (void *)(msg + HDR_BYTES);

	cmd->op = i->op;
	cmd->flags = cpu_to_le16(i->flags);
	cmd->length = cpu_to_le32(i->length);
	KUNIT_EXPECT_EQ(test, RBLKT_BAD_NONE,
			rblkt_proto_check_io(msg, bytes, &grant));
	KUNIT_EXPECT_EQ(test, i->want,
			rblkt_proto_check_cmd((void *)msg, cmd, &grant));
}

/* A write in a message with data must be inline. */
static void command_inline_stray(struct kunit *test)
{
	u8 *msg = message(test, 1, RBLK_HDRF_DATA, 64 + 4096);
	struct rblk_wire_cmd cmd = good(RBLK_OP_WRITE);

	KUNIT_EXPECT_EQ(test, RBLKT_BAD_INLINE,
			rblkt_proto_check_cmd((void *)msg, &cmd, &grant));
}

/* 1000 blocks of 4096 bytes: blocks 0 to 999. */
static const struct rblkt_geo geo = {
	.blocks = 1000, .block_shift = 12, .max_discard = 512 << 10,
	.max_write_zeroes = 2 << 20, .writable = true,
};

/* As many 512-byte blocks as a capacity can have. */
static const struct rblkt_geo huge = {
	.blocks = 1ull << 54, .block_shift = 9, .max_discard = 0xfffffe00,
	.writable = true,
};

struct geo_case {
	const char *what;
	const struct rblkt_geo *geo;
	u8 op;
	u64 lba;
	u32 length;
	int want;
};

#define GEO(text, g, op, lba, length, verdict)				\
	{ text, &(g), RBLK_OP_##op, lba, length, RBLKT_BAD_##verdict }

static const struct geo_case geo_cases[] = {
	GEO("first block", geo, READ, 0, 4096, NONE),
	GEO("last block", geo, READ, 999, 4096, NONE),
	GEO("one beyond", geo, READ, 1000, 4096, RANGE),
	GEO("across the end", geo, WRITE, 999, 8192, RANGE),
	GEO("up to the end", geo, WRITE, 998, 8192, NONE),
	GEO("far beyond", geo, READ, 1ull << 40, 4096, RANGE),
	GEO("last number", geo, READ, U64_MAX, 4096, RANGE),
	GEO("sum wraps", geo, WRITE, U64_MAX - 1, 8192, RANGE),
	GEO("bytes wrap", geo, READ, 1ull << 52, 4096, RANGE),
	GEO("nothing", geo, READ, 0, 0, SIZE),
	GEO("nothing at the end", geo, WRITE, 1000, 0, SIZE),
	GEO("half a block", geo, READ, 0, 2048, SIZE),
	GEO("a sector", geo, READ, 0, 512, SIZE),
	GEO("block and a byte", geo, WRITE, 0, 4097, SIZE),
	GEO("max I/O", geo, READ, 0, 1 << 20, NONE),
	GEO("beyond max I/O", geo, READ, 0, (1 << 20) + 4096, SIZE),
	GEO("almost 4 GiB", geo, WRITE, 0, 0xfffff000, SIZE),
	GEO("4 GiB", geo, WRITE, 0, U32_MAX, SIZE),
	GEO("max discard", geo, DISCARD, 0, 512 << 10, NONE),
	GEO("beyond max discard", geo, DISCARD, 0, (512 << 10) + 4096, SIZE),
	GEO("discard beyond the end", geo, DISCARD, 1000, 4096, RANGE),
	GEO("discard of nothing", geo, DISCARD, 0, 0, SIZE),
	GEO("max zeroes", geo, WRITE_ZEROES, 0, 2 << 20, NONE),
	GEO("beyond max zeroes", geo, WRITE_ZEROES, 0, (2 << 20) + 4096, SIZE),
	GEO("zeroes across the end", geo, WRITE_ZEROES, 999, 8192, RANGE),
	GEO("flush", geo, FLUSH, 0, 0, NONE),
	GEO("flush with a length", geo, FLUSH, 0, 4096, SIZE),
	GEO("flush with a block", geo, FLUSH, 1, 0, SIZE),
	GEO("huge: last block", huge, READ, (1ull << 54) - 1, 512, NONE),
	GEO("huge: one beyond", huge, READ, 1ull << 54, 512, RANGE),
	GEO("huge: across", huge, WRITE, (1ull << 54) - 1, 1024, RANGE),
	GEO("huge: discard", huge, DISCARD, 0, 0xfffffe00, NONE),
	/* What a volume has not got is answered as such, within its bounds. */
	GEO("huge: no zeroes", huge, WRITE_ZEROES, 0, 512, NONE),
	GEO("huge: no zeroes beyond", huge, WRITE_ZEROES, 1ull << 54, 512, RANGE),
};

KUNIT_ARRAY_PARAM_DESC(geo, geo_cases, what);

static void geometry(struct kunit *test)
{
	const struct geo_case *g = test->param_value;
	struct rblk_wire_cmd cmd = good(g->op);
	struct rblkt_geo read_only = *g->geo;

	cmd.lba = cpu_to_le64(g->lba);
	cmd.length = cpu_to_le32(g->length);
	KUNIT_EXPECT_EQ(test, g->want, rblkt_proto_check_geo(&cmd, &grant,
							     g->geo));
	/* Attached read-only, reads and flushes are judged no differently. */
	read_only.writable = false;
	KUNIT_EXPECT_EQ(test, g->op == RBLK_OP_READ || g->op == RBLK_OP_FLUSH ?
			g->want : RBLKT_BAD_READ_ONLY,
			rblkt_proto_check_geo(&cmd, &grant, &read_only));
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(message_field, hdr_gen_params),
	KUNIT_CASE(message_truncated),
	KUNIT_CASE(message_batch),
	KUNIT_CASE_PARAM(message_data, data_gen_params),
	KUNIT_CASE(message_gap),
	KUNIT_CASE_PARAM(command_field, field_gen_params),
	KUNIT_CASE(command_flags),
	KUNIT_CASE(command_immediate),
	KUNIT_CASE_PARAM(command_inline, inl_gen_params),
	KUNIT_CASE(command_inline_stray),
	KUNIT_CASE_PARAM(geometry, geo_gen_params),
	{}
};

static struct kunit_suite suite = {
	.name = "rblkt_command",
	.test_cases = cases,
};

kunit_test_suite(suite);

MODULE_DESCRIPTION("KUnit: rblk commands at the target");
MODULE_LICENSE("GPL");
