// SPDX-License-Identifier: GPL-2.0-only
/*
 * The initiator's check of what a target says about its exports: the replies
 * to LIST and ATTACH; and about its portals.
 */
#include "../../driver/proto/proto.c"
#include "../../driver/proto/encoder.c"
#include "../../driver/proto/portals.c"
#include "message.h"

#define XID	0x01020304

static struct rblk_wire_ctl good_ctl(u8 type, u32 bytes)
{
	return (struct rblk_wire_ctl){
		.hdr.type = type,
		.hdr.count = 1,
		.hdr.length = cpu_to_le32(bytes),
		.xid = cpu_to_le32(XID),
	};
}

/* A LIST reply with @nr entries in an allocation of exactly its size. */
static struct rblk_wire_list_reply *listing(struct kunit *test, u32 nr, u32 next)
{
	u32 bytes = sizeof(struct rblk_wire_list_reply) +
		    nr * sizeof(struct rblk_wire_list_entry);
	struct rblk_wire_list_reply *r = kunit_kzalloc(test, bytes, GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, r);
	r->ctl = good_ctl(RBLK_MSG_LIST_REPLY, bytes);
	r->nr = cpu_to_le32(nr);
	r->next = cpu_to_le32(next);
	for (i = 0; i < nr; i++) {
		strscpy(r->entry[i].name, "disk", sizeof(r->entry[i].name));
		r->entry[i].uuid[0] = i + 1;
		r->entry[i].capacity = cpu_to_le64(1 << 20);
		r->entry[i].block_size = cpu_to_le32(512);
	}
	return r;
}

static const char *check_list(const struct rblk_wire_list_reply *r, u32 bytes,
			      u32 start)
{
	const struct rblk_arrival msg = { .data = r, .bytes = bytes };

	return rblk_proto_check_list_reply(&msg, XID, start);
}

#define LIST(member, value, verdict)					\
	SET(struct rblk_wire_list_reply, member, value, verdict)

/* Of a reply with two entries to a LIST from 10, 216 bytes. */
static const struct change list_changes[] = {
	LIST(ctl.hdr.type, RBLK_MSG_LIST, BAD),
	LIST(ctl.hdr.type, RBLK_MSG_ATTACH_REPLY, BAD),
	LIST(ctl.hdr.count, 2, BAD), LIST(ctl.hdr.flags, 1, BAD),
	LIST(ctl.hdr.length, 215, BAD), LIST(ctl.hdr.length, 24, BAD),
	LIST(ctl.xid, 0, BAD), LIST(ctl.reserved, 1, BAD),
	LIST(ctl.status, RBLK_CTL_NO_RESOURCES, GOOD),
	LIST(nr, 0, BAD), LIST(nr, 1, BAD), LIST(nr, 2, GOOD), LIST(nr, 3, BAD),
	LIST(nr, RBLK_WIRE_LIST_MAX, BAD), LIST(nr, 0xffffffff, BAD),
	/* Times 96 and plus 24 these are 216 again, modulo 2^32. */
	LIST(nr, 2 + (1u << 27), BAD), LIST(nr, 2 + (1u << 31), BAD),
	LIST(next, 0, GOOD), LIST(next, 12, GOOD), LIST(next, 11, GOOD),
	LIST(next, 10, BAD), LIST(next, 9, BAD), LIST(next, 1, BAD),
	LIST(next, 0xffffffff, GOOD),
};

KUNIT_ARRAY_PARAM_DESC(list, list_changes, what);

static void list_field(struct kunit *test)
{
	const struct change *c = test->param_value;
	struct rblk_wire_list_reply *r = listing(test, 2, 12);

	change(r, c);
	expect(test, check_list(r, 216, 10), c->want, c->what);
}

#define ENTRY(member, value, verdict)					\
	SET(struct rblk_wire_list_entry, member, value, verdict)

static const struct change entry_changes[] = {
	ENTRY(flags, 0, GOOD), ENTRY(flags, RBLK_EXPF_ALL, GOOD),
	ENTRY(flags, RBLK_EXPF_ALL + 1, BAD), ENTRY(flags, 1u << 31, BAD),
	ENTRY(flags, 0xffffffff, BAD),
	ENTRY(name[0], 0, BAD), ENTRY(name[0], 'x', GOOD),
	ENTRY(name[4], 's', GOOD), ENTRY(name[5], 's', BAD),
	ENTRY(name[63], 's', BAD),
};

KUNIT_ARRAY_PARAM_DESC(entry, entry_changes, what);

/* Each entry is looked at, the last like the first. */
static void list_entry_field(struct kunit *test)
{
	const struct change *c = test->param_value;
	struct rblk_wire_list_reply *r;
	u32 i;

	for (i = 0; i < RBLK_WIRE_LIST_MAX; i++) {
		r = listing(test, RBLK_WIRE_LIST_MAX, 0);
		change(&r->entry[i], c);
		expect(test, check_list(r, le32_to_cpu(r->ctl.hdr.length), 0),
		       c->want, c->what);
	}
}

static void list_name_unterminated(struct kunit *test)
{
	struct rblk_wire_list_reply *r = listing(test, 3, 0);
	u32 bytes = le32_to_cpu(r->ctl.hdr.length);

	memset(r->entry[2].name, 'x', 64);
	expect(test, check_list(r, bytes, 0), BAD, "64 bytes");
	r->entry[2].name[63] = 0;
	expect(test, check_list(r, bytes, 0), GOOD, "63 bytes");
}

static void list_count(struct kunit *test)
{
	struct rblk_wire_list_reply *r;
	u32 nr;

	for (nr = 0; nr <= RBLK_WIRE_LIST_MAX + 2; nr++) {
		r = listing(test, nr, 0);
		expect(test, check_list(r, le32_to_cpu(r->ctl.hdr.length), 0),
		       nr <= RBLK_WIRE_LIST_MAX ? GOOD : BAD, "count");
	}
	/* An empty part that promises more would be asked for again and again. */
	r = listing(test, 0, 5);
	expect(test, check_list(r, 24, 0), BAD, "nothing, but more to come");
}

static void list_truncated(struct kunit *test)
{
	struct rblk_wire_list_reply *r = listing(test, 2, 0);
	u32 n;

	for (n = 0; n < 216; n++) {
		r->ctl.hdr.length = cpu_to_le32(216);
		expect(test, check_list(exact(test, r, n), n, 0), BAD, "cut");
		r->ctl.hdr.length = cpu_to_le32(n);
		expect(test, check_list(exact(test, r, n), n, 0), BAD, "short");
	}
}

static struct rblk_wire_attach_reply good_attach(void)
{
	struct rblk_wire_attach_reply r = {
		.ctl = good_ctl(RBLK_MSG_ATTACH_REPLY, sizeof(r)),
		.uuid = { 0xa, 0xb, 0xc },
		.capacity = cpu_to_le64(1ull << 30),
		.volume = cpu_to_le32(7),
		.flags = cpu_to_le32(RBLK_EXPF_WRITE_CACHE),
		.logical_block = cpu_to_le32(1024),
		.physical_block = cpu_to_le32(4096),
		.io_min = cpu_to_le32(8192),
		.io_opt = cpu_to_le32(65536),
		.max_discard = cpu_to_le32(1 << 20),
		.discard_granularity = cpu_to_le32(16384),
		.discard_alignment = cpu_to_le32(2048),
		.max_write_zeroes = cpu_to_le32(2 << 20),
		.tenure = cpu_to_le64(0x123456789abcdefull),
		.right = cpu_to_le64(0xfedcba987654321ull),
	};

	return r;
}

static const char *check_attach(struct kunit *test,
				const struct rblk_wire_attach_reply *r,
				struct rblk_geometry *geo)
{
	const struct rblk_arrival msg = {
		.data = exact(test, r, sizeof(*r)), .bytes = sizeof(*r),
	};

	return rblk_proto_check_attach_reply(&msg, XID, geo);
}

#define ATT(member, value, verdict)					\
	SET(struct rblk_wire_attach_reply, member, value, verdict)

static const struct change attach_changes[] = {
	ATT(ctl.hdr.type, RBLK_MSG_ATTACH, BAD), ATT(ctl.xid, 1, BAD),
	ATT(ctl.hdr.type, RBLK_MSG_DETACH_REPLY, BAD),
	ATT(ctl.hdr.count, 0, BAD), ATT(ctl.hdr.flags, 1, BAD),
	ATT(ctl.reserved, 1, BAD),
	ATT(uuid[0], 0, GOOD),
	ATT(capacity, 0, BAD), ATT(capacity, 512, BAD), ATT(capacity, 1024, GOOD),
	ATT(capacity, 1536, BAD), ATT(capacity, (1ull << 63) - 1024, GOOD),
	ATT(capacity, 1ull << 63, BAD), ATT(capacity, U64_MAX - 1023, BAD),
	ATT(volume, 0, GOOD), ATT(volume, 0xffffffff, GOOD),
	ATT(flags, 0, GOOD), ATT(flags, RBLK_EXPF_ALL, GOOD),
	ATT(flags, 0x100, BAD), ATT(flags, 1u << 31, BAD),
	ATT(logical_block, 0, BAD), ATT(logical_block, 1, BAD),
	ATT(logical_block, 256, BAD), ATT(logical_block, 511, BAD),
	ATT(logical_block, 512, GOOD), ATT(logical_block, 513, BAD),
	ATT(logical_block, 1536, BAD), ATT(logical_block, 2048, GOOD),
	ATT(logical_block, 4096, BAD), /* the discard alignment is 2048 */
	ATT(logical_block, 8192, BAD), ATT(logical_block, 1u << 31, BAD),
	ATT(physical_block, 0, BAD), ATT(physical_block, 512, BAD),
	ATT(physical_block, 1024, GOOD), ATT(physical_block, 3072, BAD),
	ATT(physical_block, 1u << 31, GOOD), ATT(physical_block, 0xffffffff, BAD),
	ATT(io_min, 0, GOOD), ATT(io_min, 1024, GOOD), ATT(io_min, 512, BAD),
	ATT(io_min, 1, BAD), ATT(io_opt, 0, GOOD), ATT(io_opt, 1025, BAD),
	ATT(io_opt, 0xfffffc00, GOOD), ATT(io_opt, 0xffffffff, BAD),
	ATT(max_discard, 0, GOOD), ATT(max_discard, 1024, GOOD),
	ATT(max_discard, 512, BAD), ATT(max_discard, 0xfffffc00, GOOD),
	ATT(max_discard, 0xfffffe00, BAD),
	ATT(discard_granularity, 0, GOOD), ATT(discard_granularity, 512, BAD),
	ATT(discard_granularity, 3072, GOOD), ATT(discard_granularity, 1, BAD),
	ATT(discard_alignment, 0, GOOD), ATT(discard_alignment, 512, BAD),
	ATT(discard_alignment, 1024, GOOD), ATT(discard_alignment, 1, BAD),
	ATT(discard_alignment, 0xffffffff, BAD),
	ATT(max_write_zeroes, 0, GOOD), ATT(max_write_zeroes, 512, BAD),
	ATT(max_write_zeroes, 1024, GOOD), ATT(max_write_zeroes, 0xffffffff, BAD),
	ATT(holder[0], 'h', BAD), ATT(holder[63], 'h', BAD),
	ATT(tenure, 0, GOOD), ATT(tenure, 1, GOOD), ATT(tenure, U64_MAX, GOOD),
	ATT(right, 0, GOOD), ATT(right, 1, GOOD), ATT(right, U64_MAX, GOOD),
};

KUNIT_ARRAY_PARAM_DESC(attach, attach_changes, what);

static void attach_field(struct kunit *test)
{
	const struct change *c = test->param_value;
	struct rblk_wire_attach_reply r = good_attach();
	struct rblk_geometry geo;

	expect(test, check_attach(test, &r, &geo), GOOD, "unchanged");
	change(&r, c);
	expect(test, check_attach(test, &r, &geo), c->want, c->what);
}

static void attach_decoded(struct kunit *test)
{
	struct rblk_wire_attach_reply r = good_attach();
	struct rblk_geometry geo;

	memset(&geo, 0xff, sizeof(geo));
	expect(test, check_attach(test, &r, &geo), GOOD, "unchanged");
	KUNIT_EXPECT_MEMEQ(test, geo.uuid, r.uuid, sizeof(r.uuid));
	KUNIT_EXPECT_EQ(test, geo.capacity, 1ull << 30);
	KUNIT_EXPECT_EQ(test, geo.volume, 7);
	KUNIT_EXPECT_EQ(test, geo.flags, RBLK_EXPF_WRITE_CACHE);
	KUNIT_EXPECT_EQ(test, geo.logical_block, 1024);
	KUNIT_EXPECT_EQ(test, geo.physical_block, 4096);
	KUNIT_EXPECT_EQ(test, geo.io_min, 8192);
	KUNIT_EXPECT_EQ(test, geo.io_opt, 65536);
	KUNIT_EXPECT_EQ(test, geo.max_discard, 1 << 20);
	KUNIT_EXPECT_EQ(test, geo.discard_granularity, 16384);
	KUNIT_EXPECT_EQ(test, geo.discard_alignment, 2048);
	KUNIT_EXPECT_EQ(test, geo.max_write_zeroes, 2 << 20);
	KUNIT_EXPECT_EQ(test, geo.tenure, 0x123456789abcdefull);
	KUNIT_EXPECT_EQ(test, geo.right, 0xfedcba987654321ull);
}

/* All zeroes would mean "any" when the volume is attached again. */
static void attach_no_identity(struct kunit *test)
{
	struct rblk_wire_attach_reply r = good_attach();
	struct rblk_geometry geo;

	memset(r.uuid, 0, sizeof(r.uuid));
	expect(test, check_attach(test, &r, &geo), BAD, "no UUID");
	r.uuid[15] = 1;
	expect(test, check_attach(test, &r, &geo), GOOD, "some UUID");
}

/* A refusal is all zeroes, but for the holder where there is one. */
static void attach_refused(struct kunit *test)
{
	struct rblk_wire_attach_reply r = {
		.ctl = good_ctl(RBLK_MSG_ATTACH_REPLY, sizeof(r)),
	};
	size_t holder = offsetof(struct rblk_wire_attach_reply, holder), i;
	struct rblk_geometry geo;
	u16 status;

	for (status = RBLK_CTL_AGAIN; status <= RBLK_CTL_LAST; status++) {
		r.ctl.status = cpu_to_le16(status);
		expect(test, check_attach(test, &r, &geo), GOOD, "bare");
		strscpy(r.holder, "web-7", sizeof(r.holder));
		expect(test, check_attach(test, &r, &geo),
		       status == RBLK_CTL_BUSY ? GOOD : BAD, "with a holder");
		memset(r.holder, 'x', sizeof(r.holder));
		expect(test, check_attach(test, &r, &geo), BAD, "unterminated");
		memset(r.holder, 0, sizeof(r.holder));
		r.tenure = cpu_to_le64(1);
		expect(test, check_attach(test, &r, &geo), BAD, "with a tenure");
		r.tenure = 0;
		r.right = cpu_to_le64(1);
		expect(test, check_attach(test, &r, &geo), BAD, "with a right");
		r.right = 0;
		for (i = sizeof(r.ctl); i < holder; i++) {
			((u8 *)&r)[i] = 1;
			expect(test, check_attach(test, &r, &geo), BAD, "stray");
			((u8 *)&r)[i] = 0;
		}
	}
}

static void attach_length(struct kunit *test)
{
	struct rblk_wire_attach_reply r = good_attach();
	struct rblk_geometry geo;
	struct rblk_arrival msg;
	u8 longer[160] = {};
	u32 n;

	memcpy(longer, &r, sizeof(r));
	for (n = 0; n <= sizeof(longer); n++) {
		if (n == sizeof(r))
			continue;
		((struct rblk_wire_hdr *)longer)->length = cpu_to_le32(n);
		msg.data = exact(test, longer, n);
		msg.bytes = n;
		msg.invalidated = false;
		expect(test, rblk_proto_check_attach_reply(&msg, XID, &geo),
		       BAD, "another length");
	}
}

#define PORTALS_BYTES	(sizeof(struct rblk_wire_portals_reply) +	\
			 2 * sizeof(struct rblk_wire_portal))

/* A PORTALS reply with one portal of each family. */
static struct rblk_wire_portals_reply *good_portals(struct kunit *test)
{
	struct rblk_wire_portals_reply *r = kunit_kzalloc(test, PORTALS_BYTES, GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, r);
	r->ctl = good_ctl(RBLK_MSG_PORTALS_REPLY, PORTALS_BYTES);
	r->nr = cpu_to_le32(2);
	for (i = 0; i < 2; i++) {
		r->portal[i].family = cpu_to_le16(i ? RBLK_WIRE_FAMILY_IPV6 :
						      RBLK_WIRE_FAMILY_IPV4);
		r->portal[i].port = cpu_to_le16(4421);
		memset(r->portal[i].addr, 0x0a, i ? 16 : 4);
	}
	return r;
}

#define REPLY(member, value, verdict)						\
	SET(struct rblk_wire_portals_reply, member, value, verdict)
#define PORTAL(member, val, verdict) {						\
	.what = #member " = " #val,						\
	.at = sizeof(struct rblk_wire_portals_reply) +				\
	      offsetof(struct rblk_wire_portal, member),			\
	.size = sizeof_field(struct rblk_wire_portal, member),			\
	.value = (val), .want = (verdict),					\
}

static const struct change portals_changes[] = {
	REPLY(ctl.hdr.type, RBLK_MSG_LIST_REPLY, BAD),
	REPLY(ctl.xid, XID + 1, BAD),
	REPLY(ctl.status, RBLK_CTL_MALFORMED, BAD),
	REPLY(nr, 1, BAD),
	REPLY(nr, 3, BAD),
	REPLY(nr, RBLK_WIRE_MAX_PORTALS + 1, BAD),
	REPLY(nr, U32_MAX, BAD),
	REPLY(reserved, 1, BAD),
	PORTAL(family, 0, BAD),
	PORTAL(family, 5, BAD),
	/* Any sixteen bytes are an IPv6 address. */
	PORTAL(family, RBLK_WIRE_FAMILY_IPV6, GOOD),
	PORTAL(port, 0, BAD),
	PORTAL(port, 65535, GOOD),
	PORTAL(reserved, 1, BAD),
};

static void portals_field(struct kunit *test)
{
	const struct rblk_arrival good = { .data = good_portals(test), .bytes = PORTALS_BYTES };
	struct rblk_wire_portals_reply *r;
	struct rblk_arrival msg;
	u32 i;

	expect(test, rblk_proto_check_portals_reply(&good, XID), GOOD, "nothing");
	for (i = 0; i < ARRAY_SIZE(portals_changes); i++) {
		r = good_portals(test);
		change(r, &portals_changes[i]);
		msg = (struct rblk_arrival){ .data = r, .bytes = PORTALS_BYTES };
		expect(test, rblk_proto_check_portals_reply(&msg, XID),
		       portals_changes[i].want, portals_changes[i].what);
	}
	/* Behind the four bytes of an IPv4 address. */
	r = good_portals(test);
	r->portal[0].addr[4] = 1;
	msg = (struct rblk_arrival){ .data = r, .bytes = PORTALS_BYTES };
	expect(test, rblk_proto_check_portals_reply(&msg, XID), BAD, "a long IPv4 address");
}

static void portals_length(struct kunit *test)
{
	struct rblk_wire_portals_reply *r = good_portals(test);
	struct rblk_arrival msg = {};
	u32 n;

	for (n = 0; n < PORTALS_BYTES; n++) {
		msg.data = exact(test, r, n);
		msg.bytes = n;
		if (n >= sizeof(r->ctl.hdr))
			((struct rblk_wire_hdr *)msg.data)->length = cpu_to_le32(n);
		expect(test, rblk_proto_check_portals_reply(&msg, XID), BAD, "truncated");
	}
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(list_field, list_gen_params),
	KUNIT_CASE_PARAM(list_entry_field, entry_gen_params),
	KUNIT_CASE(list_name_unterminated),
	KUNIT_CASE(list_count),
	KUNIT_CASE(list_truncated),
	KUNIT_CASE_PARAM(attach_field, attach_gen_params),
	KUNIT_CASE(attach_decoded),
	KUNIT_CASE(attach_no_identity),
	KUNIT_CASE(attach_refused),
	KUNIT_CASE(attach_length),
	KUNIT_CASE(portals_field),
	KUNIT_CASE(portals_length),
	{}
};

static struct kunit_suite suite = {
	.name = "rblk_export",
	.test_cases = cases,
};

kunit_test_suite(suite);

MODULE_DESCRIPTION("KUnit: rblk LIST, ATTACH and PORTALS replies");
MODULE_LICENSE("GPL");
