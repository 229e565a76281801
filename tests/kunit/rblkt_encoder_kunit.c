// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the target sends, except data: control messages, responses, events, portals.
 * And the priority that it gives a host's I/O.
 */
#include "../../target/proto/encoder.c"
#include "message.h"

static void encode(struct kunit *test)
{
	static const u8 want[16] = {
		0x25, 1, 0, 0, 0x90, 0, 0, 0, 1, 2, 3, 4, 5, 0, 0, 0,
	};
	u8 msg[16];

	memset(msg, 0xff, sizeof(msg));
	rblkt_proto_ctl(msg, 144, RBLK_MSG_ATTACH_REPLY,
			cpu_to_le32(0x04030201), RBLK_CTL_BUSY);
	KUNIT_EXPECT_MEMEQ(test, msg, want, sizeof(want));
}

/* Up to 16 of them, of whatever was there before nothing is left. */
static void encode_responses(struct kunit *test)
{
	static const u8 third[32] = {
		2, 0, 0x34, 0x12, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		0xff, 0xff, 0xff, 0xff, 5, 0, 0, 0,
	};
	static const u8 head[8] = { 2, 16, 0, 0, 8, 2, 0, 0 };
	struct rblk_wire_cmd cmd = {
		.gen = cpu_to_le16(0x1234), .length = cpu_to_le32(4096),
	};
	u8 msg[8 + 16 * 32 + 1];
	u32 i;

	memset(msg, 0xff, sizeof(msg));
	for (i = 0; i < 16; i++) {
		cmd.tag = cpu_to_le16(i);
		KUNIT_EXPECT_EQ(test, 8 + (i + 1) * 32,
				rblkt_proto_next_rsp(msg, i, &cmd, i == 2 ?
						     RBLK_STATUS_MEDIUM :
						     RBLK_STATUS_OK,
						     1ull << 32, 5));
		KUNIT_EXPECT_EQ(test, msg[1], i + 1);
	}
	KUNIT_EXPECT_MEMEQ(test, msg, head, sizeof(head));
	KUNIT_EXPECT_MEMEQ(test, msg + 8 + 2 * 32, third, sizeof(third));
	KUNIT_EXPECT_EQ(test, msg[8 + 15 * 32], 15);
	KUNIT_EXPECT_EQ(test, msg[8 + 15 * 32 + 9], 0x10);
	KUNIT_EXPECT_EQ(test, msg[8 + 16 * 32], 0xff);
}

static void encode_event(struct kunit *test)
{
	static const u8 size[40] = {
		0x30, 1, 0, 0, 40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		1, 0, 0, 0, 4, 3, 2, 1, 0, 0x10, 0, 0, 0, 0, 0, 0x80,
	};
	static const u8 gone[40] = {
		0x30, 1, 0, 0, 40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		2, 0, 0, 0, 4, 3, 2, 1,
	};
	static const u8 away[40] = {
		0x30, 1, 0, 0, 40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x30, 0x75,
	};
	static const u8 reserved[40] = {
		0x30, 1, 0, 0, 40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		4, 0, 0, 0, 4, 3, 2, 1, [36] = 9,
	};
	struct rblk_wire_event event;

	memset(&event, 0xff, sizeof(event));
	rblkt_proto_event(&event, RBLK_EVENT_RESERVATION, 0x01020304,
			  RBLK_RESV_PREEMPTED | RBLK_RESV_CHANGED);
	KUNIT_EXPECT_MEMEQ(test, &event, reserved, sizeof(reserved));
	memset(&event, 0xff, sizeof(event));
	rblkt_proto_event(&event, RBLK_EVENT_CAPACITY, 0x01020304,
			  0x8000000000001000);
	KUNIT_EXPECT_MEMEQ(test, &event, size, sizeof(size));
	memset(&event, 0xff, sizeof(event));
	rblkt_proto_event(&event, RBLK_EVENT_REMOVED, 0x01020304, 4096);
	KUNIT_EXPECT_MEMEQ(test, &event, gone, sizeof(gone));
	memset(&event, 0xff, sizeof(event));
	rblkt_proto_event(&event, RBLK_EVENT_GOING_AWAY, 0, 30000);
	KUNIT_EXPECT_MEMEQ(test, &event, away, sizeof(away));
}

/* Only what hosts on other machines can use, and byte by byte. */
static void portals(struct kunit *test)
{
	static const struct {
		u16 family;
		u8 addr[16];
		bool told;
	} cases[] = {
		{ 4, { 0 }, false }, { 4, { 127, 0, 0, 1 }, false },
		{ 4, { 127, 255, 255, 255 }, false }, { 4, { 169, 254, 1, 2 }, false },
		{ 4, { 169, 253, 1, 2 }, true }, { 4, { 126, 0, 0, 1 }, true },
		{ 4, { 128, 0, 0, 1 }, true }, { 4, { 0, 0, 0, 1 }, true },
		{ 4, { 254, 169, 0, 0 }, true }, { 6, { 0 }, false },
		{ 6, { [15] = 1 }, false }, { 6, { [15] = 2 }, true },
		{ 6, { [14] = 1 }, true }, { 6, { 1 }, true },
		{ 6, { 0xfe, 0x80, [15] = 1 }, false }, { 6, { 0xfe, 0xbf, [15] = 1 }, false },
		{ 6, { 0xfe, 0xc0, [15] = 1 }, true }, { 6, { 0xfe, 0x7f, [15] = 1 }, true },
		{ 6, { 0xfd, 0x80, [15] = 1 }, true }, { 6, { 127, 0, 0, 1 }, true },
		{ 6, { 169, 254, 1, 2 }, true },
	};
	struct rblk_wire_portal portal;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		KUNIT_EXPECT_EQ_MSG(test, cases[i].told,
				    rblkt_proto_portal(&portal, cases[i].family, 4421,
						       cases[i].addr), "case %zu", i);
}

static void encode_portal(struct kunit *test)
{
	static const u8 addr[16] = {
		0x20, 1, 0x0d, 0xb8, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
	};
	static const u8 four[24] = { 4, 0, 0x45, 0x11, 0, 0, 0, 0, 0x20, 1, 0x0d, 0xb8 };
	static const u8 six[24] = {
		6, 0, 0xff, 0xff, 0, 0, 0, 0,
		0x20, 1, 0x0d, 0xb8, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
	};
	struct rblk_wire_portal portal;

	memset(&portal, 0xff, sizeof(portal));
	KUNIT_EXPECT_TRUE(test, rblkt_proto_portal(&portal, 4, 0x1145, addr));
	KUNIT_EXPECT_MEMEQ(test, &portal, four, sizeof(four));
	memset(&portal, 0xff, sizeof(portal));
	KUNIT_EXPECT_TRUE(test, rblkt_proto_portal(&portal, 6, 0xffff, addr));
	KUNIT_EXPECT_MEMEQ(test, &portal, six, sizeof(six));
}

/* Class and level stay, hints between them go, real time only where it is allowed. */
static void priority(struct kunit *test)
{
	int level;

	KUNIT_EXPECT_EQ(test, rblkt_proto_prio(0, false), 0);
	KUNIT_EXPECT_EQ(test, rblkt_proto_prio(0, true), 0);
	for (level = 0; level < 8; level++) {
		KUNIT_EXPECT_EQ(test, rblkt_proto_prio(0x2000 | level, false), 0x4000 | level);
		KUNIT_EXPECT_EQ(test, rblkt_proto_prio(0x2000 | level, true), 0x2000 | level);
		KUNIT_EXPECT_EQ(test, rblkt_proto_prio(0x4000 | level, false), 0x4000 | level);
		KUNIT_EXPECT_EQ(test, rblkt_proto_prio(0x6000 | level, true), 0x6000 | level);
		KUNIT_EXPECT_EQ(test, rblkt_proto_prio(0x3ff8 | level, false), 0x4000 | level);
		KUNIT_EXPECT_EQ(test, rblkt_proto_prio(0x5ff8 | level, true), 0x4000 | level);
	}
}

static struct kunit_case cases[] = {
	KUNIT_CASE(encode),
	KUNIT_CASE(encode_responses),
	KUNIT_CASE(encode_event),
	KUNIT_CASE(portals),
	KUNIT_CASE(encode_portal),
	KUNIT_CASE(priority),
	{}
};

static struct kunit_suite suite = {
	.name = "rblkt_encoder",
	.test_cases = cases,
};

kunit_test_suite(suite);

MODULE_DESCRIPTION("KUnit: rblk messages of the target");
MODULE_LICENSE("GPL");
