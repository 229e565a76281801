// SPDX-License-Identifier: GPL-2.0-only
/*
 * The target's check of control messages and BIND, its names and its words, and what
 * becomes of a tenure.
 */
#include "../../target/proto/proto.c"
#include "../../target/proto/tenure.c"
#include "message.h"

#define XID	0x0badcafe

static struct rblk_wire_ctl good_ctl(u8 type, u32 bytes)
{
	return (struct rblk_wire_ctl){
		.hdr.type = type,
		.hdr.count = 1,
		.hdr.length = cpu_to_le32(bytes),
		.xid = cpu_to_le32(XID),
	};
}

struct kind {
	const char *what;
	u8 type;
	u32 bytes;
};

static const struct kind kinds[] = {
	{ "BIND", RBLK_MSG_BIND, 24 }, { "LOGIN", RBLK_MSG_LOGIN, 248 },
	{ "LIST", RBLK_MSG_LIST, 24 }, { "ATTACH", RBLK_MSG_ATTACH, 128 },
	{ "DETACH", RBLK_MSG_DETACH, 24 }, { "FENCE", RBLK_MSG_FENCE, 56 },
	{ "KEEPALIVE", RBLK_MSG_KEEPALIVE, 16 },
	{ "PORTALS", RBLK_MSG_PORTALS, 16 },
	{ "RESERVE", RBLK_MSG_RESERVE, 56 },
	{ "RESERVATION", RBLK_MSG_RESERVATION, 24 },
};

KUNIT_ARRAY_PARAM_DESC(kind, kinds, what);

/* A good message of its kind, with room behind it. */
static void *good(struct kunit *test, const struct kind *k)
{
	struct rblk_wire_login *msg = kunit_kzalloc(test, 512, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, msg);
	msg->ctl = good_ctl(k->type, k->bytes);
	if (k->type == RBLK_MSG_LOGIN) {
		msg->host[15] = 1;
		msg->instance[0] = 1;
		strscpy(msg->host_name, "web-7", sizeof(msg->host_name));
	} else if (k->type == RBLK_MSG_ATTACH) {
		struct rblk_wire_attach *att = (void *)msg;

		strscpy(att->name, "disk", sizeof(att->name));
		att->access = cpu_to_le32(RBLK_ACCESS_WRITE);
	} else if (k->type == RBLK_MSG_FENCE) {
		struct rblk_wire_fence *fence = (void *)msg;

		fence->session[15] = 1;
		fence->uuid[0] = 1;
		fence->epoch = cpu_to_le32(1);
	} else if (k->type == RBLK_MSG_RESERVE) {
		struct rblk_wire_reserve *resv = (void *)msg;

		resv->action = RBLK_RESV_REGISTER;
		resv->source = cpu_to_le64(1);
		resv->number = cpu_to_le64(1);
	}
	return msg;
}

static const struct kind *kind_of(u8 type)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		if (kinds[i].type == type)
			return &kinds[i];
	return NULL;
}

static void length(struct kunit *test)
{
	const struct kind *k = test->param_value;
	void *msg = good(test, k);
	struct rblk_wire_hdr *hdr = msg;
	u32 n;

	KUNIT_EXPECT_EQ(test, RBLKT_BAD_NONE,
			rblkt_proto_check_ctl(exact(test, msg, k->bytes),
					      k->bytes));
	for (n = 0; n <= 300; n++) {
		enum rblkt_bad want = n < 16 ? RBLKT_BAD_SHORT :
						RBLKT_BAD_LENGTH;

		if (n == k->bytes)
			continue;
		hdr->length = cpu_to_le32(k->bytes);
		KUNIT_EXPECT_EQ(test, want,
				rblkt_proto_check_ctl(exact(test, msg, n), n));
		hdr->length = cpu_to_le32(n);
		KUNIT_EXPECT_EQ(test, want,
				rblkt_proto_check_ctl(exact(test, msg, n), n));
	}
}

#define CTL(member, value, verdict)					\
	SET(struct rblk_wire_ctl, member, value, RBLKT_BAD_##verdict)

static const struct change ctl_changes[] = {
	CTL(hdr.count, 0, COUNT), CTL(hdr.count, 2, COUNT),
	CTL(hdr.count, 255, COUNT),
	CTL(hdr.flags, RBLK_HDRF_DATA, HDR_FLAGS), CTL(hdr.flags, 2, HDR_FLAGS),
	CTL(hdr.flags, 0x8000, HDR_FLAGS),
	CTL(hdr.length, 0, LENGTH), CTL(hdr.length, 0xffffffff, LENGTH),
	CTL(xid, 0, NONE), CTL(xid, 0xffffffff, NONE),
	CTL(status, 1, STATUS), CTL(status, 0xffff, STATUS),
	CTL(reserved, 1, RESERVED), CTL(reserved, 0x8000, RESERVED),
};

/* What every kind must obey. */
static void frame(struct kunit *test)
{
	const struct kind *k = test->param_value;
	void *msg;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ctl_changes); i++) {
		msg = good(test, k);
		change(msg, &ctl_changes[i]);
		KUNIT_EXPECT_EQ_MSG(test, ctl_changes[i].want,
				    rblkt_proto_check_ctl(msg, k->bytes),
				    "%s", ctl_changes[i].what);
	}
}

/* All 256 types in a message of every kind's length. */
static void types(struct kunit *test)
{
	const struct kind *k = test->param_value;
	struct rblk_wire_hdr *hdr = good(test, k);
	const struct kind *other;
	unsigned int type;

	for (type = 0; type < 256; type++) {
		hdr->type = type;
		other = kind_of(type);
		if (other && other->bytes == k->bytes)
			continue;
		KUNIT_EXPECT_EQ_MSG(test, other ? RBLKT_BAD_LENGTH :
					  RBLKT_BAD_TYPE,
				    rblkt_proto_check_ctl(hdr, k->bytes),
				    "type %u", type);
	}
}

struct field {
	struct change change;
	u8 type;
};

#define FIELD(kind, message, member, value, verdict)			\
	{ SET(struct rblk_wire_##message, member, value,		\
	      RBLKT_BAD_##verdict), RBLK_MSG_##kind }
#define LOGIN(...)	FIELD(LOGIN, login, __VA_ARGS__)
#define ATTACH(...)	FIELD(ATTACH, attach, __VA_ARGS__)

static const struct field fields[] = {
	LOGIN(host[15], 0, UUID), LOGIN(host[0], 1, NONE),
	LOGIN(instance[0], 0, UUID), LOGIN(instance[15], 1, NONE),
	LOGIN(host_name[0], 0, NAME), LOGIN(host_name[0], ' ', NAME),
	LOGIN(host_name[0], '~', NAME), LOGIN(host_name[1], '\n', NAME),
	LOGIN(host_name[1], 0x1b, NAME), LOGIN(host_name[1], 0x1f, NAME),
	LOGIN(host_name[1], 0x7f, NAME), LOGIN(host_name[1], 0x80, NAME),
	LOGIN(host_name[1], 0xff, NAME), LOGIN(host_name[1], 0, NAME),
	LOGIN(host_name[1], '$', NAME), LOGIN(host_name[1], '`', NAME),
	LOGIN(host_name[1], '/', NAME), LOGIN(host_name[0], '-', NAME),
	LOGIN(host_name[0], '.', NAME), LOGIN(host_name[1], '.', NONE),
	LOGIN(host_name[6], 'x', NAME), LOGIN(host_name[63], 'x', NAME),
	LOGIN(auth_method, 1, AUTH), LOGIN(auth_method, 0x100, AUTH),
	LOGIN(auth_len, 1, AUTH), LOGIN(auth_len, 128, AUTH),
	LOGIN(auth_len, 0xffff, AUTH),
	LOGIN(auth[0], 1, AUTH), LOGIN(auth[127], 0x80, AUTH),
	LOGIN(reserved, 1, RESERVED), LOGIN(reserved, 0x80000000, RESERVED),
	ATTACH(name[0], 0, NAME), ATTACH(name[1], '\t', NAME),
	ATTACH(name[1], ';', NAME), ATTACH(name[0], '-', NAME),
	ATTACH(name[1], 0xe4, NAME), ATTACH(name[5], 'x', NAME),
	ATTACH(name[63], 'x', NAME), ATTACH(name[4], 's', NONE),
	ATTACH(uuid[0], 1, NONE), ATTACH(uuid[15], 0xff, NONE),
	ATTACH(access, 0, NONE), ATTACH(access, RBLK_ACCESS_ALL, NONE),
	ATTACH(access, RBLK_ACCESS_SHARED, NONE), ATTACH(access, 4, ACCESS),
	ATTACH(access, 0x80000000, ACCESS), ATTACH(access, 0xffffffff, ACCESS),
	ATTACH(flags, RBLK_ATTACHF_CONTINUE, NONE),
	ATTACH(flags, RBLK_ATTACHF_DIGEST, NONE), ATTACH(flags, 4, ACCESS),
	ATTACH(flags, 0x80000000, ACCESS), ATTACH(flags, 0xffffffff, ACCESS),
	ATTACH(tenure, 1, TENURE), ATTACH(tenure, 0xffffffffffffffffull, TENURE),
	ATTACH(right, 1, TENURE), ATTACH(right, 0xffffffffffffffffull, TENURE),
	ATTACH(device, 1, NONE), ATTACH(device, 0xffffffffffffffffull, NONE),
	FIELD(LIST, list, start, 0xffffffff, NONE),
	FIELD(LIST, list, reserved, 1, RESERVED),
	FIELD(LIST, list, reserved, 0x80000000, RESERVED),
	FIELD(DETACH, detach, volume, 0xffffffff, NONE),
	FIELD(DETACH, detach, reserved, 1, RESERVED),
	FIELD(DETACH, detach, reserved, 0x80000000, RESERVED),
	FIELD(FENCE, fence, session[15], 0, UUID), FIELD(FENCE, fence, uuid[0], 0, UUID),
	FIELD(FENCE, fence, session[0], 1, NONE), FIELD(FENCE, fence, uuid[15], 1, NONE),
	FIELD(FENCE, fence, epoch, 0, EPOCH), FIELD(FENCE, fence, epoch, 0xffffffff, NONE),
	FIELD(FENCE, fence, reserved, 1, RESERVED),
	FIELD(FENCE, fence, reserved, 0x80000000, RESERVED),
	FIELD(RESERVE, reserve, volume, 0xffffffff, NONE),
	FIELD(RESERVE, reserve, reserved, 1, RESERVED),
	FIELD(RESERVE, reserve, reserved, 0x8000, RESERVED),
	FIELD(RESERVE, reserve, source, 0, RESV), FIELD(RESERVE, reserve, number, 0, RESV),
	FIELD(RESERVE, reserve, source, 0xffffffffffffffffull, NONE),
	FIELD(RESERVE, reserve, number, 0xffffffffffffffffull, NONE),
	FIELD(RESERVE, reserve, action, 0, RESV), FIELD(RESERVE, reserve, action, 8, RESV),
	FIELD(RESERVE, reserve, action, 0xff, RESV),
	FIELD(RESERVE, reserve, type, 1, RESV), FIELD(RESERVE, reserve, type, 7, RESV),
	FIELD(RESERVE, reserve, key, 1, NONE), FIELD(RESERVE, reserve, new_key, 1, NONE),
	FIELD(RESERVATION, reservation, volume, 0xffffffff, NONE),
	FIELD(RESERVATION, reservation, start, 0xffffffff, NONE),
	FIELD(BIND, bind, key, 0xffffffffffffffffull, NONE),
};

KUNIT_ARRAY_PARAM_DESC(field, fields, change.what);

static void field(struct kunit *test)
{
	const struct field *f = test->param_value;
	const struct kind *k = kind_of(f->type);
	void *msg = good(test, k);

	change(msg, &f->change);
	KUNIT_EXPECT_EQ(test, f->change.want,
			rblkt_proto_check_ctl(exact(test, msg, k->bytes),
					      k->bytes));
}

/* Which actions need a type, and which must not name one key or the other. */
static void reserve_fields(struct kunit *test)
{
	static const struct {
		bool typed, no_key, no_new_key;
	} rule[RBLK_RESV_ACTION_LAST + 1] = {
		[RBLK_RESV_REGISTER_IGNORE] = { .no_key = true },
		[RBLK_RESV_RESERVE] = { .typed = true, .no_new_key = true },
		[RBLK_RESV_RELEASE] = { .typed = true, .no_new_key = true },
		[RBLK_RESV_PREEMPT] = { .typed = true },
		[RBLK_RESV_PREEMPT_ABORT] = { .typed = true },
		[RBLK_RESV_CLEAR] = { .no_new_key = true },
	};
	struct rblk_wire_reserve *msg = good(test, kind_of(RBLK_MSG_RESERVE));
	unsigned int type, keys;

	for (msg->action = 1; msg->action <= RBLK_RESV_ACTION_LAST; msg->action++)
		for (type = 0; type < 256; type++)
			for (keys = 0; keys < 4; keys++) {
				bool fine = rule[msg->action].typed ? type >= 1 && type <= 6 :
								      !type;

				fine = fine && !(keys & 1 && rule[msg->action].no_key) &&
				       !(keys & 2 && rule[msg->action].no_new_key);
				msg->type = type;
				msg->key = cpu_to_le64(keys & 1);
				msg->new_key = cpu_to_le64(keys & 2);
				KUNIT_EXPECT_EQ_MSG(test, rblkt_proto_check_ctl(msg, sizeof(*msg)),
						    fine ? RBLKT_BAD_NONE : RBLKT_BAD_RESV,
						    "action %u, type %u, keys %u", msg->action,
						    type, keys);
			}
}

static void unterminated(struct kunit *test)
{
	struct rblk_wire_login *login = good(test, kind_of(RBLK_MSG_LOGIN));
	struct rblk_wire_attach *att = good(test, kind_of(RBLK_MSG_ATTACH));

	memset(login->host_name, 'x', 64);
	memset(att->name, 'x', 64);
	KUNIT_EXPECT_EQ(test, RBLKT_BAD_NAME, rblkt_proto_check_ctl(login, sizeof(*login)));
	KUNIT_EXPECT_EQ(test, RBLKT_BAD_NAME, rblkt_proto_check_ctl(att, sizeof(*att)));
	login->host_name[63] = 0;
	att->name[63] = 0;
	KUNIT_EXPECT_EQ(test, RBLKT_BAD_NONE, rblkt_proto_check_ctl(login, sizeof(*login)));
	KUNIT_EXPECT_EQ(test, RBLKT_BAD_NONE, rblkt_proto_check_ctl(att, sizeof(*att)));
}

/* Any of the 256 bytes at the start and inside of a name. */
static void names(struct kunit *test)
{
	static const char inside[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._:+-";
	char name[RBLK_NAME_LEN] = "a?b";
	char first[RBLK_NAME_LEN] = "?a";
	char longest[RBLK_NAME_LEN];
	unsigned int c;

	for (c = 1; c < 256; c++) {
		bool good = strchr(inside, c);

		name[1] = c;
		first[0] = c;
		KUNIT_EXPECT_EQ_MSG(test, rblk_name_ok(name), good, "%u inside", c);
		KUNIT_EXPECT_EQ_MSG(test, rblk_name_ok(first),
				    good && c != '.' && c != '-', "%u first", c);
	}
	name[1] = 0;
	KUNIT_EXPECT_FALSE(test, rblk_name_ok(name));
	memset(longest, 0, sizeof(longest));
	KUNIT_EXPECT_FALSE(test, rblk_name_ok(longest));
	memset(longest, 'x', sizeof(longest));
	KUNIT_EXPECT_FALSE(test, rblk_name_ok(longest));
	longest[RBLK_NAME_LEN - 1] = 0;
	KUNIT_EXPECT_TRUE(test, rblk_name_ok(longest));
}

static void made_names(struct kunit *test)
{
	static const struct {
		const char *text;
		const char *name;
	} made[] = {
		{ "store-1.example", "store-1.example" }, { "(none)", "_none-" },
		{ "$(id)", "_-id-" }, { "", "_" }, { "-x", "_x" }, { ".x", "_x" },
		{ "a b\n", "a-b-" },
	};
	char name[RBLK_NAME_LEN], text[100];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(made); i++) {
		memset(name, 0xff, sizeof(name));
		rblk_name_make(name, made[i].text);
		KUNIT_EXPECT_STREQ(test, name, made[i].name);
		KUNIT_EXPECT_TRUE(test, rblk_name_ok(name));
	}
	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = 0;
	rblk_name_make(name, text);
	KUNIT_EXPECT_EQ(test, strlen(name), RBLK_NAME_LEN - 1);
	KUNIT_EXPECT_TRUE(test, rblk_name_ok(name));
}

static void words(struct kunit *test)
{
	unsigned int a, b;

	for (a = 0; a < RBLKT_BAD_NR; a++) {
		KUNIT_ASSERT_NOT_NULL(test, rblkt_proto_bad_text(a));
		KUNIT_EXPECT_STRNEQ(test, rblkt_proto_bad_text(a), "?");
		for (b = 0; b < a; b++)
			KUNIT_EXPECT_STRNEQ(test, rblkt_proto_bad_text(a),
					    rblkt_proto_bad_text(b));
	}
	KUNIT_EXPECT_STREQ(test, rblkt_proto_bad_text(RBLKT_BAD_NR), "?");
	KUNIT_EXPECT_STREQ(test, rblkt_proto_bad_text(-1), "?");
}

/*
 * What becomes of an export's tenure: all that an ATTACH can ask for, against an
 * export without a tenure, with the host's, and with another one.
 */
#define OURS	5
#define THEIRS	7
#define FRESH	9

struct tenure {
	const char *what;
	u64 now;		/* the export's */
	u32 flags;
	u32 access;
	u64 asked;
	bool refused;
	bool writes;
	u64 then;		/* the export's, if it is granted */
};

#define GO	RBLK_ATTACHF_CONTINUE
#define WRITER	RBLK_ACCESS_WRITE
#define SHARE	RBLK_ACCESS_SHARED

static const struct tenure tenures[] = {
	{ "first writer", 0, 0, WRITER, 0, false, true, FRESH },
	{ "next writer", THEIRS, 0, WRITER, 0, false, true, FRESH },
	{ "next sharing writer", THEIRS, 0, WRITER | SHARE, 0, false, true, FRESH },
	{ "first reader", 0, 0, 0, 0, false, false, 0 },
	{ "next reader", THEIRS, 0, 0, 0, false, false, THEIRS },
	{ "next sharing reader", THEIRS, 0, SHARE, 0, false, false, THEIRS },
	{ "writer goes on", OURS, GO, WRITER, OURS, false, true, OURS },
	{ "writer goes on, forgotten", 0, GO, WRITER, OURS, false, true, OURS },
	{ "writer goes on, superseded", THEIRS, GO, WRITER, OURS, true, true, 0 },
	{ "writer goes on, read-only now", OURS, GO, WRITER, OURS, false, false, OURS },
	{ "the same, forgotten", 0, GO, WRITER, OURS, false, false, OURS },
	{ "the same, superseded", THEIRS, GO, WRITER, OURS, true, false, 0 },
	{ "writer goes on with none", OURS, GO, WRITER, 0, true, true, 0 },
	{ "the same, forgotten", 0, GO, WRITER, 0, false, true, FRESH },
	{ "reader goes on", OURS, GO, 0, OURS, false, false, OURS },
	{ "reader goes on, forgotten", 0, GO, 0, OURS, false, false, 0 },
	{ "reader goes on, superseded", THEIRS, GO, 0, OURS, true, false, 0 },
	{ "reader of none goes on", 0, GO, 0, 0, false, false, 0 },
	{ "reader of none, superseded", THEIRS, GO, 0, 0, true, false, 0 },
	{ "sharer goes on", OURS, GO, WRITER | SHARE, OURS, false, true, OURS },
	{ "sharer goes on, forgotten", 0, GO, WRITER | SHARE, OURS, false, true, OURS },
	{ "sharer goes on after others", THEIRS, GO, WRITER | SHARE, OURS, false, true,
	  FRESH },
	{ "sharing reader after others", THEIRS, GO, SHARE, OURS, false, false, THEIRS },
};

KUNIT_ARRAY_PARAM_DESC(tenure, tenures, what);

static void tenure(struct kunit *test)
{
	const struct tenure *t = test->param_value;
	struct rblk_wire_attach msg = {
		.access = cpu_to_le32(t->access),
		.flags = cpu_to_le32(t->flags),
		.tenure = cpu_to_le64(t->asked),
	};

	KUNIT_EXPECT_EQ(test, rblkt_proto_superseded(t->now, &msg), t->refused);
	if (!t->refused)
		KUNIT_EXPECT_EQ(test, rblkt_proto_tenure(t->now, &msg, t->writes,
							 FRESH), t->then);
}

/* What becomes of a host that goes on, by the right that it has and the one it names. */
static void right(struct kunit *test)
{
	static const u64 rights[] = { 0, OURS, THEIRS };
	u32 flags, access, i, j;

	for (flags = 0; flags <= GO; flags += GO)
		for (access = 0; access <= RBLK_ACCESS_ALL; access++)
			for (i = 0; i < 3; i++)
				for (j = 0; j < 3; j++) {
					struct rblk_wire_attach msg = {
						.access = cpu_to_le32(access),
						.flags = cpu_to_le32(flags),
						.right = cpu_to_le64(rights[j]),
					};

					KUNIT_EXPECT_EQ(test, rblkt_proto_revoked(rights[i], &msg),
							flags && access & SHARE && i && i != j);
				}
}

static struct kunit_case cases[] = {
	KUNIT_CASE(right),
	KUNIT_CASE_PARAM(tenure, tenure_gen_params),
	KUNIT_CASE_PARAM(length, kind_gen_params),
	KUNIT_CASE_PARAM(frame, kind_gen_params),
	KUNIT_CASE_PARAM(types, kind_gen_params),
	KUNIT_CASE_PARAM(field, field_gen_params),
	KUNIT_CASE(reserve_fields),
	KUNIT_CASE(unterminated),
	KUNIT_CASE(names),
	KUNIT_CASE(made_names),
	KUNIT_CASE(words),
	{}
};

static struct kunit_suite suite = {
	.name = "rblkt_control",
	.test_cases = cases,
};

kunit_test_suite(suite);

MODULE_DESCRIPTION("KUnit: rblk control messages at the target");
MODULE_LICENSE("GPL");
