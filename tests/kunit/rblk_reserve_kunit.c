// SPDX-License-Identifier: GPL-2.0-only
/*
 * The initiator's check of what a target says about an export's registrations.
 */
#include "../../driver/proto/proto.c"
#include "../../driver/proto/encoder.c"
#include "../../driver/proto/reserve.c"
#include "message.h"

#define XID	0x01020304
#define HEAD	sizeof(struct rblk_wire_reservation_reply)
#define EACH	sizeof(struct rblk_wire_registrant)

/* A reply with @nr registrants in an allocation of exactly its size. */
static struct rblk_wire_reservation_reply *good_reply(struct kunit *test, u32 nr)
{
	u32 bytes = HEAD + nr * EACH, i;
	struct rblk_wire_reservation_reply *r = kunit_kzalloc(test, bytes, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, r);
	r->ctl.hdr.type = RBLK_MSG_RESERVATION_REPLY;
	r->ctl.hdr.count = 1;
	r->ctl.hdr.length = cpu_to_le32(bytes);
	r->ctl.xid = cpu_to_le32(XID);
	r->nr = cpu_to_le32(nr);
	r->total = cpu_to_le32(nr);
	r->generation = cpu_to_le32(7);
	r->type = nr ? RBLK_RESV_WRITE_REGISTRANTS : RBLK_RESV_NONE;
	for (i = 0; i < nr; i++) {
		r->entry[i].key = cpu_to_le64(0x1234 + i);
		r->entry[i].host[0] = i + 1;
		strscpy(r->entry[i].name, "host", sizeof(r->entry[i].name));
		r->entry[i].flags = cpu_to_le32(i ? 0 : RBLK_REGF_ALL);
	}
	return r;
}

static const char *check_reply(const struct rblk_wire_reservation_reply *r, u32 bytes, u32 start)
{
	const struct rblk_arrival msg = { .data = r, .bytes = bytes };

	return rblk_proto_check_reservation_reply(&msg, XID, start);
}

#define REPLY(member, value, verdict)						\
	SET(struct rblk_wire_reservation_reply, member, value, verdict)
#define REGISTRANT(member, val, verdict) {					\
	.what = #member " = " #val,						\
	.at = HEAD + offsetof(struct rblk_wire_registrant, member),		\
	.size = sizeof_field(struct rblk_wire_registrant, member),		\
	.value = (val), .want = (verdict),					\
}

/* Of a reply with two registrants to a RESERVATION from 0. */
static const struct change reply_changes[] = {
	REPLY(ctl.hdr.type, RBLK_MSG_RESERVE_REPLY, BAD),
	REPLY(ctl.hdr.count, 2, BAD), REPLY(ctl.hdr.flags, 1, BAD),
	REPLY(ctl.hdr.length, HEAD, BAD), REPLY(ctl.xid, 0, BAD),
	REPLY(ctl.reserved, 1, BAD), REPLY(ctl.status, RBLK_CTL_NO_VOLUME, BAD),
	REPLY(nr, 0, BAD), REPLY(nr, 1, BAD), REPLY(nr, 2, GOOD), REPLY(nr, 3, BAD),
	REPLY(nr, RBLK_WIRE_REGISTRANTS_MAX + 1, BAD), REPLY(nr, U32_MAX, BAD),
	/* Times 96 and plus 40 these are the same length, modulo 2^32. */
	REPLY(nr, 2 + (1u << 27), BAD), REPLY(nr, 2 + (1u << 31), BAD),
	REPLY(next, 1, BAD), REPLY(next, 2, BAD), REPLY(next, 3, BAD), REPLY(next, U32_MAX, BAD),
	REPLY(total, 0, BAD), REPLY(total, 1, BAD), REPLY(total, 3, BAD),
	REPLY(total, RBLK_WIRE_MAX_REGISTRANTS + 1, BAD), REPLY(total, U32_MAX, BAD),
	REPLY(generation, 0, GOOD), REPLY(generation, U32_MAX, GOOD),
	REPLY(type, RBLK_RESV_NONE, GOOD), REPLY(type, RBLK_RESV_TYPE_LAST, GOOD),
	REPLY(type, RBLK_RESV_TYPE_LAST + 1, BAD), REPLY(type, 0xff, BAD),
	REPLY(reserved[0], 1, BAD), REPLY(reserved[6], 1, BAD),
	REGISTRANT(key, 0, BAD), REGISTRANT(key, U64_MAX, GOOD),
	REGISTRANT(host[15], 1, GOOD), REGISTRANT(name[0], 0, BAD),
	REGISTRANT(name[0], ' ', BAD), REGISTRANT(name[5], 'x', BAD),
	REGISTRANT(flags, 0, GOOD), REGISTRANT(flags, RBLK_REGF_ALL + 1, BAD),
	REGISTRANT(flags, 0x80000000, BAD), REGISTRANT(reserved, 1, BAD),
};

KUNIT_ARRAY_PARAM_DESC(reply, reply_changes, what);

static void reply_field(struct kunit *test)
{
	const struct change *c = test->param_value;
	struct rblk_wire_reservation_reply *r = good_reply(test, 2);

	expect(test, check_reply(r, HEAD + 2 * EACH, 0), GOOD, "unchanged");
	change(r, c);
	expect(test, check_reply(r, HEAD + 2 * EACH, 0), c->want, c->what);
}

/* Each page leads to the next one, and none is beyond the end. */
static void reply_pages(struct kunit *test)
{
	struct rblk_wire_reservation_reply *r = good_reply(test, 2);
	u32 bytes = HEAD + 2 * EACH;

	r->total = cpu_to_le32(5);
	r->next = cpu_to_le32(2);
	expect(test, check_reply(r, bytes, 0), GOOD, "the first page");
	expect(test, check_reply(r, bytes, 1), BAD, "a page of another start");
	r->next = cpu_to_le32(5);
	expect(test, check_reply(r, bytes, 3), BAD, "a page behind the end");
	r->next = 0;
	expect(test, check_reply(r, bytes, 3), GOOD, "the last page");
	expect(test, check_reply(r, bytes, 2), BAD, "a last page that is none");
	expect(test, check_reply(r, bytes, 4), BAD, "more than there are");
	r = good_reply(test, 0);
	expect(test, check_reply(r, HEAD, 0), GOOD, "no registrants");
	expect(test, check_reply(r, HEAD, 3), GOOD, "none any more");
	r->next = cpu_to_le32(1);
	r->total = cpu_to_le32(2);
	expect(test, check_reply(r, HEAD, 1), BAD, "an empty page that leads on");
}

static void reply_refused(struct kunit *test)
{
	struct rblk_wire_reservation_reply *r = good_reply(test, 0);

	r->ctl.status = cpu_to_le16(RBLK_CTL_NO_VOLUME);
	expect(test, check_reply(r, HEAD, 0), BAD, "a refusal with a generation");
	r->generation = 0;
	expect(test, check_reply(r, HEAD, 0), GOOD, "a refusal");
	r->type = RBLK_RESV_WRITE_EXCLUSIVE;
	expect(test, check_reply(r, HEAD, 0), BAD, "a refusal with a type");
}

static void reply_length(struct kunit *test)
{
	struct rblk_wire_reservation_reply *r = good_reply(test, 2);
	struct rblk_wire_hdr *hdr;
	u32 n;

	for (n = 0; n < HEAD + 2 * EACH; n++) {
		hdr = exact(test, r, n);
		if (n >= sizeof(*hdr))
			hdr->length = cpu_to_le32(n);
		expect(test, check_reply((void *)hdr, n, 0), BAD, "truncated");
	}
}

/* Of each type with none of two registrants, one and both as its holders. */
static void holders_fit(struct kunit *test)
{
	static const char fits[][4] = {
		[RBLK_RESV_NONE] = "100",
		[RBLK_RESV_WRITE_EXCLUSIVE] = "010",
		[RBLK_RESV_EXCLUSIVE_ACCESS] = "010",
		[RBLK_RESV_WRITE_REGISTRANTS] = "010",
		[RBLK_RESV_ACCESS_REGISTRANTS] = "010",
		[RBLK_RESV_WRITE_ALL_HOLD] = "001",
		[RBLK_RESV_ACCESS_ALL_HOLD] = "001",
	};
	struct rblk_wire_registrant entry[2] = {};
	u32 type, nr;

	for (nr = 0; nr <= 2; nr++) {
		entry[0].flags = cpu_to_le32(RBLK_REGF_SELF | (nr == 2 ? RBLK_REGF_HOLDER : 0));
		entry[1].flags = cpu_to_le32(nr ? RBLK_REGF_HOLDER : 0);
		for (type = 0; type <= RBLK_RESV_TYPE_LAST; type++)
			KUNIT_EXPECT_EQ_MSG(test, rblk_proto_holders_fit(type, entry, 2),
					    fits[type][nr] == '1', "type %u, %u holders",
					    type, nr);
	}
	KUNIT_EXPECT_TRUE(test, rblk_proto_holders_fit(RBLK_RESV_NONE, entry, 0));
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(reply_field, reply_gen_params),
	KUNIT_CASE(reply_pages),
	KUNIT_CASE(reply_refused),
	KUNIT_CASE(reply_length),
	KUNIT_CASE(holders_fit),
	{}
};

static struct kunit_suite suite = {
	.name = "rblk_reserve",
	.test_cases = cases,
};

kunit_test_suite(suite);

MODULE_DESCRIPTION("KUnit: rblk RESERVATION replies");
MODULE_LICENSE("GPL");
