// SPDX-License-Identifier: GPL-2.0-only
/*
 * The initiator's check of what comes on the control connection: the frame of
 * every message, LOGIN, BIND and plain replies, events.
 */
#include "../../driver/proto/proto.c"
#include "../../driver/proto/bind.c"
#include "../../driver/proto/encoder.c"
#include "message.h"

#define XID	0x00c0ffee

static struct rblk_wire_ctl good_ctl(u8 type, u32 bytes, u32 xid)
{
	return (struct rblk_wire_ctl){
		.hdr.type = type,
		.hdr.count = 1,
		.hdr.length = cpu_to_le32(bytes),
		.xid = cpu_to_le32(xid),
	};
}

static struct rblk_arrival arrived(struct kunit *test, const void *data, u32 n)
{
	return (struct rblk_arrival){
		.data = exact(test, data, n), .bytes = n,
	};
}

static void encode_ctl(struct kunit *test)
{
	static const u8 want[16] = {
		0x22, 1, 0, 0, 24, 0, 0, 0, 1, 2, 3, 4, 0, 0, 0, 0,
	};
	struct rblk_wire_ctl ctl;

	memset(&ctl, 0xff, sizeof(ctl));
	KUNIT_EXPECT_EQ(test, rblk_proto_encode_ctl(&ctl, RBLK_MSG_LIST, 24,
						    0x04030201), 24);
	KUNIT_EXPECT_MEMEQ(test, &ctl, want, sizeof(want));
}

#define CTL(member, value, verdict)					\
	SET(struct rblk_wire_ctl, member, value, verdict)

/* Of a KEEPALIVE_REPLY. */
static const struct change ctl_changes[] = {
	CTL(hdr.type, RBLK_MSG_KEEPALIVE, BAD), CTL(hdr.type, 0, BAD),
	CTL(hdr.type, RBLK_MSG_DETACH_REPLY, BAD),
	CTL(hdr.type, RBLK_MSG_EVENT, BAD), CTL(hdr.type, 0xff, BAD),
	CTL(hdr.count, 0, BAD), CTL(hdr.count, 2, BAD), CTL(hdr.count, 255, BAD),
	CTL(hdr.flags, RBLK_HDRF_DATA, BAD), CTL(hdr.flags, 0x8000, BAD),
	CTL(hdr.length, 0, BAD), CTL(hdr.length, 15, BAD),
	CTL(hdr.length, 17, BAD), CTL(hdr.length, 0x10000000, BAD),
	CTL(xid, XID, GOOD), CTL(xid, XID + 1, BAD), CTL(xid, 0, BAD),
	CTL(xid, 0xeeffc000, BAD),
	CTL(status, RBLK_CTL_GOING_AWAY, GOOD), CTL(status, 0xffff, GOOD),
	CTL(reserved, 1, BAD), CTL(reserved, 0x8000, BAD),
};

KUNIT_ARRAY_PARAM_DESC(ctl, ctl_changes, what);

static void ctl_field(struct kunit *test)
{
	const struct change *c = test->param_value;
	struct rblk_wire_ctl ctl = good_ctl(RBLK_MSG_KEEPALIVE_REPLY, 16, XID);
	struct rblk_arrival msg;

	change(&ctl, c);
	msg = arrived(test, &ctl, sizeof(ctl));
	expect(test, rblk_proto_check_ctl_reply(&msg, RBLK_MSG_KEEPALIVE, XID,
						sizeof(ctl)),
	       c->want, c->what);
}

static void ctl_invalidate(struct kunit *test)
{
	struct rblk_wire_ctl ctl = good_ctl(RBLK_MSG_KEEPALIVE_REPLY, 16, XID);
	struct rblk_arrival msg = arrived(test, &ctl, sizeof(ctl));

	expect(test, rblk_proto_check_ctl(&msg), GOOD, "plain");
	msg.invalidated = true;
	expect(test, rblk_proto_check_ctl(&msg), BAD, "invalidates 0");
	msg.rkey = 5;
	expect(test, rblk_proto_check_ctl(&msg), BAD, "invalidates 5");
}

/* Whatever the buffer had room for, there is a longest. */
static void ctl_longest(struct kunit *test)
{
	u8 *data = kunit_kzalloc(test, RBLK_WIRE_CTRL_MAX + 1, GFP_KERNEL);
	struct rblk_wire_ctl *ctl = (void *)data;
	struct rblk_arrival msg;

	KUNIT_ASSERT_NOT_NULL(test, data);
	*ctl = good_ctl(RBLK_MSG_BIND_REPLY, 16, XID);
	ctl->hdr.length = cpu_to_le32(RBLK_WIRE_CTRL_MAX);
	msg = arrived(test, data, RBLK_WIRE_CTRL_MAX);
	expect(test, rblk_proto_check_ctl(&msg), GOOD, "longest");
	ctl->hdr.length = cpu_to_le32(RBLK_WIRE_CTRL_MAX + 1);
	msg = arrived(test, data, RBLK_WIRE_CTRL_MAX + 1);
	expect(test, rblk_proto_check_ctl(&msg), BAD, "longer");
}

typedef const char *(*checker)(const struct rblk_arrival *msg);

static const char *login_reply(const struct rblk_arrival *msg)
{
	return rblk_proto_check_login_reply(msg, XID);
}

static const char *bind_reply(const struct rblk_arrival *msg)
{
	static const struct rblk_grant grant = { .depth = 16 };

	return rblk_proto_check_bind_reply(msg, XID, &grant);
}

static const char *plain_reply(const struct rblk_arrival *msg)
{
	return rblk_proto_check_ctl_reply(msg, RBLK_MSG_DETACH, XID,
					  sizeof(struct rblk_wire_ctl));
}

/* Neither shorter nor longer than its kind, whatever the header says. */
static void lengths(struct kunit *test, checker check, void *good, u32 bytes)
{
	u8 *data = kunit_kzalloc(test, bytes + 16, GFP_KERNEL);
	struct rblk_wire_hdr *hdr = (void *)data;
	struct rblk_arrival msg;
	u32 n;

	KUNIT_ASSERT_NOT_NULL(test, data);
	memcpy(data, good, bytes);
	msg = arrived(test, data, bytes);
	expect(test, check(&msg), GOOD, "whole");
	for (n = 0; n <= bytes + 16; n++) {
		if (n == bytes)
			continue;
		hdr->length = cpu_to_le32(bytes);
		msg = arrived(test, data, n);
		expect(test, check(&msg), BAD, "length of another");
		hdr->length = cpu_to_le32(n);
		msg = arrived(test, data, n);
		expect(test, check(&msg), BAD, "another length");
	}
}

static struct rblk_wire_login_reply good_login(void)
{
	struct rblk_wire_login_reply r = {
		.ctl = good_ctl(RBLK_MSG_LOGIN_REPLY, sizeof(r), XID),
		.key = cpu_to_le64(0x123456789abcdef0ull),
		.target = { 1, 2, 3 },
		.target_name = "store-1",
		.keepalive_ms = cpu_to_le32(5000),
	};

	return r;
}

#define LOGIN(member, value, verdict)					\
	SET(struct rblk_wire_login_reply, member, value, verdict)

static const struct change login_changes[] = {
	LOGIN(ctl.hdr.type, RBLK_MSG_LOGIN, BAD),
	LOGIN(ctl.hdr.type, RBLK_MSG_LIST_REPLY, BAD),
	LOGIN(ctl.xid, XID - 1, BAD), LOGIN(ctl.reserved, 1, BAD),
	LOGIN(ctl.status, RBLK_CTL_AUTH, GOOD),
	LOGIN(keepalive_ms, 0, BAD), LOGIN(keepalive_ms, 99, BAD),
	LOGIN(keepalive_ms, 100, GOOD), LOGIN(keepalive_ms, 3600000, GOOD),
	LOGIN(keepalive_ms, 3600001, BAD), LOGIN(keepalive_ms, 0xffffffff, BAD),
	LOGIN(auth_len, 128, GOOD), LOGIN(auth_len, 129, BAD),
	LOGIN(auth_len, 0xffff, BAD),
	LOGIN(reserved, 1, BAD), LOGIN(reserved, 0x8000, BAD),
};

KUNIT_ARRAY_PARAM_DESC(login, login_changes, what);

static void login_field(struct kunit *test)
{
	const struct change *c = test->param_value;
	struct rblk_wire_login_reply r = good_login();
	struct rblk_arrival msg;

	change(&r, c);
	msg = arrived(test, &r, sizeof(r));
	expect(test, login_reply(&msg), c->want, c->what);
}

static void login_length(struct kunit *test)
{
	struct rblk_wire_login_reply r = good_login();

	lengths(test, login_reply, &r, sizeof(r));
}

static void login_name(struct kunit *test)
{
	struct rblk_wire_login_reply r = good_login();
	struct rblk_arrival msg = { .data = &r, .bytes = sizeof(r) };

	memset(r.target_name, 'x', sizeof(r.target_name));
	expect(test, login_reply(&msg), BAD, "unterminated");
	r.target_name[63] = 0;
	expect(test, login_reply(&msg), GOOD, "63 bytes");
	r.target_name[40] = 0;
	expect(test, login_reply(&msg), BAD, "more after the end");
	memset(r.target_name, 0, sizeof(r.target_name));
	expect(test, login_reply(&msg), GOOD, "nameless");
	r.target_name[63] = 'x';
	expect(test, login_reply(&msg), BAD, "nameless with a tail");
}

static struct rblk_wire_bind_reply good_bind(void)
{
	struct rblk_wire_bind_reply r = {
		.ctl = good_ctl(RBLK_MSG_BIND_REPLY, sizeof(r), XID),
	};

	return r;
}

#define BIND(member, value, verdict)					\
	SET(struct rblk_wire_bind_reply, member, value, verdict)

static const struct change bind_changes[] = {
	BIND(ctl.hdr.type, RBLK_MSG_BIND, BAD),
	BIND(ctl.hdr.type, RBLK_MSG_RESPONSE, BAD),
	BIND(ctl.xid, XID ^ 1, BAD), BIND(ctl.status, RBLK_CTL_BAD_KEY, GOOD),
	BIND(slot_addr, 1, BAD), BIND(slot_addr, 1ull << 63, BAD),
	BIND(slot_rkey, 1, BAD), BIND(slot_rkey, 0x80000000, BAD),
	BIND(slot_size, 4096, BAD), BIND(slot_size, 1, BAD),
	BIND(slots, 32, BAD), BIND(slots, 1, BAD),
	BIND(window_addr, 1, BAD), BIND(window_addr, 1ull << 63, BAD),
	BIND(window_rkey, 1, BAD), BIND(window_rkey, 0x80000000, BAD),
	BIND(window_bytes, 4096, BAD), BIND(window_bytes, 1, BAD),
};

KUNIT_ARRAY_PARAM_DESC(bind, bind_changes, what);

static void bind_field(struct kunit *test)
{
	const struct change *c = test->param_value;
	struct rblk_wire_bind_reply r = good_bind();
	struct rblk_arrival msg;

	change(&r, c);
	msg = arrived(test, &r, sizeof(r));
	expect(test, bind_reply(&msg), c->want, c->what);
}

static void bind_length(struct kunit *test)
{
	struct rblk_wire_bind_reply r = good_bind();

	lengths(test, bind_reply, &r, sizeof(r));
}

/* With the feature in force slots are what it is about. */
static void bind_slots(struct kunit *test)
{
	const struct rblk_grant grant = {
		.features = RBLK_FEAT_WRITE_PUSH, .depth = 128,
	};
	static const struct {
		u64 addr;
		u32 rkey, size;
		u16 nr;
		int want;
	} cases[] = {
		{ 0x1000, 9, 4096, 128, GOOD },
		{ 0x1000, 9, 4096, 1, GOOD },
		{ 0, 1, 1, 128, GOOD },
		{ 0, U32_MAX, RBLK_WIRE_MAX_INLINE, 128, GOOD },
		{ -128ull * 4096 - 1, 9, 4096, 128, GOOD },
		{ -128ull * 4096 + 1, 9, 4096, 128, BAD },
		{ -128ull * 4096 + 1, 9, 4096, 127, GOOD },
		{ U64_MAX, 9, 1, 128, BAD },
		{ 0x1000, 0, 4096, 128, BAD },
		{ 0x1000, 9, 0, 128, BAD },
		{ 0x1000, 9, 4096, 0, BAD },
		{ 0x1000, 9, 4096, 129, BAD },
		{ 0x1000, 9, 4096, U16_MAX, BAD },
		{ 0x1000, 9, RBLK_WIRE_MAX_INLINE + 1, 128, BAD },
		{ 0x1000, 9, U16_MAX, 128, BAD },
		{ 0, 0, 0, 0, BAD },
	};
	struct rblk_wire_bind_reply r = good_bind();
	struct rblk_arrival msg = { .data = &r, .bytes = sizeof(r) };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		r.slot_addr = cpu_to_le64(cases[i].addr);
		r.slot_rkey = cpu_to_le32(cases[i].rkey);
		r.slot_size = cpu_to_le16(cases[i].size);
		r.slots = cpu_to_le16(cases[i].nr);
		expect(test, rblk_proto_check_bind_reply(&msg, XID, &grant),
		       cases[i].want, "granted");
	}
	r = good_bind();
	r.slot_size = cpu_to_le16(4096);
	expect(test, bind_reply(&msg), BAD, "not granted");
	/* Who refuses grants nothing. */
	r = good_bind();
	r.ctl.status = cpu_to_le16(RBLK_CTL_BAD_KEY);
	expect(test, rblk_proto_check_bind_reply(&msg, XID, &grant), GOOD,
	       "refused");
	r.slot_rkey = cpu_to_le32(1);
	expect(test, rblk_proto_check_bind_reply(&msg, XID, &grant), BAD,
	       "refused and granted");
}

/* With the feature in force a window is; slots are another matter. */
static void bind_window(struct kunit *test)
{
	const struct rblk_grant grant = {
		.features = RBLK_FEAT_WRITE_WINDOW, .depth = 128,
	};
	static const struct {
		u64 addr;
		u32 rkey, bytes;
		int want;
	} cases[] = {
		{ 0x1000, 9, 512 << 10, GOOD },
		{ 0, 1, RBLK_WIRE_WINDOW_UNIT, GOOD },
		{ 0, U32_MAX, RBLK_WIRE_MAX_WINDOW, GOOD },
		{ -4096ull - 1, 9, 4096, GOOD },
		{ -4096ull + 1, 9, 4096, BAD },
		{ 0x1000, 0, 4096, BAD },
		{ 0x1000, 9, 0, BAD },
		{ 0x1000, 9, 512, BAD },
		{ 0x1000, 9, 4096 + 512, BAD },
		{ 0x1000, 9, RBLK_WIRE_MAX_WINDOW + 4096, BAD },
		{ 0x1000, 9, 0xfffff000, BAD },
		{ 0x1000, 9, U32_MAX, BAD },
		{ 0, 0, 0, BAD },
	};
	struct rblk_wire_bind_reply r = good_bind();
	struct rblk_arrival msg = { .data = &r, .bytes = sizeof(r) };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		r.window_addr = cpu_to_le64(cases[i].addr);
		r.window_rkey = cpu_to_le32(cases[i].rkey);
		r.window_bytes = cpu_to_le32(cases[i].bytes);
		expect(test, rblk_proto_check_bind_reply(&msg, XID, &grant),
		       cases[i].want, "granted");
	}
	r.window_addr = 0;
	r.window_rkey = cpu_to_le32(1);
	r.window_bytes = cpu_to_le32(4096);
	expect(test, rblk_proto_check_bind_reply(&msg, XID, &grant), GOOD,
	       "no slots");
	r.ctl.status = cpu_to_le16(RBLK_CTL_BAD_KEY);
	expect(test, rblk_proto_check_bind_reply(&msg, XID, &grant), BAD,
	       "refused and granted");
	r.ctl.status = 0;
	r.slot_rkey = cpu_to_le32(1);
	expect(test, rblk_proto_check_bind_reply(&msg, XID, &grant), BAD,
	       "slots nobody asked for");
}

static void plain_length(struct kunit *test)
{
	struct rblk_wire_ctl ctl = good_ctl(RBLK_MSG_DETACH_REPLY, 16, XID);

	lengths(test, plain_reply, &ctl, sizeof(ctl));
}

static struct rblk_wire_event good_event(u16 kind)
{
	struct rblk_wire_event e = {
		.ctl = good_ctl(RBLK_MSG_EVENT, sizeof(e), 0),
		.kind = cpu_to_le16(kind),
	};

	if (kind == RBLK_EVENT_GOING_AWAY) {
		e.duration_ms = cpu_to_le32(30000);
		return e;
	}
	e.volume = cpu_to_le32(1);
	if (kind == RBLK_EVENT_RESERVATION)
		e.why = cpu_to_le32(RBLK_RESV_CHANGED);
	if (kind == RBLK_EVENT_CAPACITY)
		e.capacity = cpu_to_le64(1 << 20);
	return e;
}

struct event_change {
	struct change change;
	u16 kind;
};

#define EV(k, member, value, verdict)					\
	{ SET(struct rblk_wire_event, member, value, verdict),		\
	  RBLK_EVENT_##k }

static const struct event_change event_changes[] = {
	EV(CAPACITY, capacity, 0, BAD), EV(CAPACITY, capacity, 512, GOOD),
	EV(CAPACITY, capacity, 1ull << 62, GOOD),
	EV(CAPACITY, capacity, 1ull << 63, BAD),
	EV(CAPACITY, capacity, U64_MAX, BAD),
	EV(CAPACITY, duration_ms, 1, BAD), EV(CAPACITY, volume, 77, GOOD),
	EV(REMOVED, volume, 77, GOOD), EV(REMOVED, capacity, 1, BAD),
	EV(REMOVED, capacity, 1ull << 63, BAD), EV(REMOVED, duration_ms, 1, BAD),
	EV(GOING_AWAY, duration_ms, 0, GOOD), EV(GOING_AWAY, duration_ms, 1, GOOD),
	EV(GOING_AWAY, volume, 1, BAD), EV(GOING_AWAY, capacity, 512, BAD),
	EV(REMOVED, kind, 0, BAD), EV(REMOVED, kind, RBLK_EVENT_RESERVATION, BAD),
	EV(REMOVED, kind, 5, BAD),
	EV(REMOVED, kind, 0xffff, BAD), EV(REMOVED, kind, 0x100, BAD),
	EV(REMOVED, ctl.hdr.type, RBLK_MSG_LIST_REPLY, BAD),
	EV(REMOVED, ctl.xid, 1, BAD), EV(REMOVED, ctl.status, 1, BAD),
	EV(REMOVED, ctl.reserved, 1, BAD), EV(REMOVED, ctl.hdr.count, 2, BAD),
	EV(REMOVED, ctl.hdr.flags, 1, BAD),
	EV(REMOVED, reserved, 1, BAD), EV(REMOVED, reserved, 0x8000, BAD),
	EV(REMOVED, why, 1, BAD), EV(REMOVED, why, 0x80000000, BAD),
	EV(CAPACITY, why, RBLK_RESV_CHANGED, BAD), EV(GOING_AWAY, why, 1, BAD),
	EV(RESERVATION, why, RBLK_RESV_PREEMPTED, GOOD),
	EV(RESERVATION, why, RBLK_RESV_ALL, GOOD), EV(RESERVATION, volume, 77, GOOD),
	EV(RESERVATION, why, 0, BAD), EV(RESERVATION, why, RBLK_RESV_ALL + 1, BAD),
	EV(RESERVATION, why, 0x80000001, BAD), EV(RESERVATION, capacity, 512, BAD),
	EV(RESERVATION, duration_ms, 1, BAD), EV(RESERVATION, kind, 1, BAD),
};

KUNIT_ARRAY_PARAM_DESC(event, event_changes, change.what);

static void event_field(struct kunit *test)
{
	const struct event_change *c = test->param_value;
	struct rblk_wire_event e = good_event(c->kind);
	struct rblk_arrival msg = arrived(test, &e, sizeof(e));

	expect(test, rblk_proto_check_event(&msg), GOOD, "unchanged");
	change(&e, &c->change);
	msg = arrived(test, &e, sizeof(e));
	expect(test, rblk_proto_check_event(&msg), c->change.want,
	       c->change.what);
}

static void event_length(struct kunit *test)
{
	struct rblk_wire_event e = good_event(RBLK_EVENT_CAPACITY);

	lengths(test, rblk_proto_check_event, &e, sizeof(e));
}

static void status_words(struct kunit *test)
{
	const char *unknown = rblk_proto_ctl_text(0xffff);
	u16 a, b;

	KUNIT_EXPECT_STREQ(test, rblk_proto_ctl_text(RBLK_CTL_LAST + 1), unknown);
	for (a = 0; a <= RBLK_CTL_LAST; a++) {
		KUNIT_ASSERT_NOT_NULL(test, rblk_proto_ctl_text(a));
		KUNIT_EXPECT_STRNEQ(test, rblk_proto_ctl_text(a), unknown);
		for (b = 0; b < a; b++)
			KUNIT_EXPECT_PTR_NE(test, rblk_proto_ctl_text(a),
					    rblk_proto_ctl_text(b));
	}
}

static struct kunit_case cases[] = {
	KUNIT_CASE(encode_ctl),
	KUNIT_CASE_PARAM(ctl_field, ctl_gen_params),
	KUNIT_CASE(ctl_invalidate),
	KUNIT_CASE(ctl_longest),
	KUNIT_CASE_PARAM(login_field, login_gen_params),
	KUNIT_CASE(login_length),
	KUNIT_CASE(login_name),
	KUNIT_CASE_PARAM(bind_field, bind_gen_params),
	KUNIT_CASE(bind_length),
	KUNIT_CASE(bind_slots),
	KUNIT_CASE(bind_window),
	KUNIT_CASE(plain_length),
	KUNIT_CASE_PARAM(event_field, event_gen_params),
	KUNIT_CASE(event_length),
	KUNIT_CASE(status_words),
	{}
};

static struct kunit_suite suite = {
	.name = "rblk_control",
	.test_cases = cases,
};

kunit_test_suite(suite);

MODULE_DESCRIPTION("KUnit: rblk control messages, initiator");
MODULE_LICENSE("GPL");
