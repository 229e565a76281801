// SPDX-License-Identifier: GPL-2.0-only
/*
 * What comes to the initiator on a control connection, or before an I/O
 * connection is bound: every checker looks at every message.  An accepted
 * geometry goes on into the limits of a volume.
 */
#include "fuzz.h"
#include "../../driver/proto/proto.c"
#include "../../driver/proto/bind.c"
#include "../../driver/proto/portals.c"
#include "../../driver/proto/reserve.c"
#include "../../driver/proto/limits.c"

static void reply(const u8 *msg, size_t size, unsigned int type, u32 xid)
{
	must_be_ctl(msg, size);
	MUST(msg[0] == type);
	MUST(get(msg + 8, 4) == xid);
}

static bool refused(const u8 *msg)
{
	return get(msg + 12, 2);
}

static void login(const u8 *msg, size_t size, u32 xid)
{
	reply(msg, size, RBLK_MSG_LOGIN_REPLY, xid);
	MUST(size == 240);
	MUST(name(msg + 40) && zeroes(msg + 110, 2));
	MUST(FIELD(msg, rblk_wire_login_reply, auth_len) <= RBLK_WIRE_AUTH_LEN);
	if (refused(msg))
		return;
	/* Twice this must be a time, and somebody waits for it. */
	MUST(FIELD(msg, rblk_wire_login_reply, keepalive_ms) >= 100);
	MUST(FIELD(msg, rblk_wire_login_reply, keepalive_ms) <= 3600000);
}

static void list(const u8 *msg, size_t size, u32 xid, u32 start)
{
	u64 nr = FIELD(msg, rblk_wire_list_reply, nr);
	u64 next = FIELD(msg, rblk_wire_list_reply, next);
	u64 i;

	reply(msg, size, RBLK_MSG_LIST_REPLY, xid);
	MUST(size == 24 + nr * 96 && size <= RBLK_WIRE_CTRL_MAX);
	if (refused(msg))
		return;
	MUST(!next || (next > start && nr));
	for (i = 0; i < nr; i++) {
		const u8 *entry = msg + 24 + i * 96;

		MUST(entry[0] && name(entry));
		MUST(!(FIELD(entry, rblk_wire_list_entry, flags) &
		       ~(u64)RBLK_EXPF_ALL));
	}
}

/* Each entry is an address that a socket takes. */
static void portals(const u8 *msg, size_t size, u32 xid)
{
	u64 nr = FIELD(msg, rblk_wire_portals_reply, nr);
	u64 i, b;

	reply(msg, size, RBLK_MSG_PORTALS_REPLY, xid);
	MUST(size == 24 + nr * 24 && nr <= RBLK_WIRE_MAX_PORTALS);
	MUST(!FIELD(msg, rblk_wire_portals_reply, reserved));
	MUST(!nr || !refused(msg));
	for (i = 0; i < nr; i++) {
		const u8 *entry = msg + 24 + i * 24;
		u64 family = FIELD(entry, rblk_wire_portal, family);

		MUST(family == 4 || family == 6);
		MUST(FIELD(entry, rblk_wire_portal, port));
		MUST(!FIELD(entry, rblk_wire_portal, reserved));
		for (b = 4; family == 4 && b < 16; b++)
			MUST(!entry[8 + b]);
	}
}

/* A caller has room for 64 registrants, and begins a page where the last one ended. */
static void reservation(const u8 *msg, size_t size, u32 xid, u32 start)
{
	u64 nr = FIELD(msg, rblk_wire_reservation_reply, nr);
	u64 next = FIELD(msg, rblk_wire_reservation_reply, next);
	u64 total = FIELD(msg, rblk_wire_reservation_reply, total);
	u64 i;

	reply(msg, size, RBLK_MSG_RESERVATION_REPLY, xid);
	MUST(size == 40 + nr * 96 && size <= RBLK_WIRE_CTRL_MAX);
	MUST(zeroes(msg + 33, 7));
	if (refused(msg)) {
		MUST(zeroes(msg + 16, 24));
		return;
	}
	MUST(total <= 64 && msg[32] <= 6);
	MUST(!nr || start + nr <= total);
	MUST(next ? nr && next == start + nr && next < total : start + nr >= total);
	for (i = 0; i < nr; i++) {
		const u8 *entry = msg + 40 + i * 96;

		MUST(!zeroes(entry, 8) && entry[24] && name(entry + 24));
		MUST(FIELD(entry, rblk_wire_registrant, flags) <= RBLK_REGF_ALL);
		MUST(zeroes(entry + 92, 4));
	}
}

/* What the block layer is told about it must make sense, on any device. */
static void volume(const struct rblk_geometry *geo, u32 page_size, u32 max_io)
{
	const struct rblk_caps caps = {
		.mr_pages = 256, .send_sge = 6, .qp_wr = 4096, .cqe = 4096,
		.page_size = page_size, .mr_page = page_size,
		.dma_max = ~0u,
	};
	struct rblk_limits lim;
	u32 sectors = geo->logical_block >> 9;

	memset(&lim, 0xff, sizeof(lim));
	rblk_limits_volume(geo, &caps, max_io, &lim);
	MUST(lim.capacity && lim.capacity << 9 == geo->capacity);
	MUST(lim.capacity % sectors == 0);
	MUST(lim.physical_block >= lim.logical_block);
	MUST(lim.physical_block <= page_size);
	MUST(lim.io_min >= lim.physical_block);
	MUST(lim.max_sectors >= page_size >> 9);
	MUST(lim.max_segments >= 1 && lim.max_segments <= 256);
	MUST(lim.max_discard % sectors == 0);
	MUST(lim.max_write_zeroes % sectors == 0);
	if (!lim.max_discard)
		return;
	/* Wherever the block layer splits a discard, it is between blocks. */
	MUST(lim.max_discard >= lim.discard_granularity >> 9);
	MUST(lim.discard_granularity >= lim.physical_block);
	MUST(lim.discard_granularity % lim.logical_block == 0);
	MUST(lim.discard_alignment % lim.logical_block == 0);
	MUST(lim.discard_alignment < lim.discard_granularity);
}

static void attach(const u8 *msg, size_t size, u32 xid,
		   const struct rblk_geometry *geo)
{
	u32 block = geo->logical_block;

	reply(msg, size, RBLK_MSG_ATTACH_REPLY, xid);
	MUST(size == 160 && name(msg + 80));
	if (refused(msg)) {
		MUST(zeroes(msg + 16, 64) && zeroes(msg + 144, 8));
		MUST(!msg[80] || get(msg + 12, 2) == RBLK_CTL_BUSY);
		return;
	}
	MUST(!zeroes(msg + 16, 16) && !memcmp(geo->uuid, msg + 16, 16));
	MUST(!msg[80]);
	MUST(geo->capacity == FIELD(msg, rblk_wire_attach_reply, capacity));
	MUST(geo->volume == FIELD(msg, rblk_wire_attach_reply, volume));
	MUST(block == 512 || block == 1024 || block == 2048 || block == 4096);
	MUST(!(geo->physical_block & (geo->physical_block - 1)));
	MUST(geo->capacity >= block && geo->capacity % block == 0);
	MUST(geo->capacity < 1ull << 63);
	MUST(!(geo->flags & ~RBLK_EXPF_ALL));
	volume(geo, 4096, RBLK_WIRE_MAX_IO);
	volume(geo, 4096, RBLK_WIRE_MIN_IO);
	volume(geo, 65536, RBLK_WIRE_MIN_IO);
}

static void event(const u8 *msg, size_t size)
{
	u64 kind = FIELD(msg, rblk_wire_event, kind);
	u64 capacity = FIELD(msg, rblk_wire_event, capacity);

	must_be_ctl(msg, size);
	MUST(size == 40 && msg[0] == RBLK_MSG_EVENT);
	MUST(zeroes(msg + 8, 6) && zeroes(msg + 18, 2));
	MUST(kind >= RBLK_EVENT_CAPACITY && kind <= RBLK_EVENT_RESERVATION);
	MUST((kind == RBLK_EVENT_RESERVATION) == !zeroes(msg + 36, 4));
	MUST(get(msg + 36, 4) <= RBLK_RESV_ALL);
	if (kind == RBLK_EVENT_CAPACITY)
		MUST(capacity && capacity < 1ull << 63);
	else
		MUST(!capacity);
	MUST(kind == RBLK_EVENT_GOING_AWAY || zeroes(msg + 32, 4));
	MUST(kind != RBLK_EVENT_GOING_AWAY || zeroes(msg + 20, 4));
}

static void bind(const u8 *msg, size_t size, u32 features)
{
	u64 addr = get(msg + 16, 8), bytes = get(msg + 28, 2), slots = get(msg + 30, 2);

	MUST(size == 48);
	if (!features || get(msg + 12, 2)) {
		MUST(zeroes(msg + 16, 32));
		return;
	}
	MUST(!zeroes(msg + 24, 4) && bytes && bytes <= 32768);
	MUST(slots && slots <= 128 && addr + slots * bytes >= addr);
	addr = get(msg + 32, 8);
	bytes = get(msg + 44, 4);
	MUST(!zeroes(msg + 40, 4) && bytes && bytes <= 16 << 20);
	MUST(bytes % 4096 == 0 && addr + bytes >= addr);
}

static void look(const struct rblk_arrival *in, const struct control_knobs *k)
{
	const struct rblk_grant grant = {
		.features = k->knobs & KNOB_FEATURES ?
			    RBLK_FEAT_WRITE_PUSH | RBLK_FEAT_WRITE_WINDOW : 0,
		.depth = 128,
	};
	const u8 *msg = in->data;
	struct rblk_geometry geo;
	bool good = false;

	if (!rblk_proto_check_login_reply(in, k->xid)) {
		login(msg, in->bytes, k->xid);
		good = true;
	}
	if (!rblk_proto_check_list_reply(in, k->xid, k->start)) {
		list(msg, in->bytes, k->xid, k->start);
		good = true;
	}
	memset(&geo, 0xff, sizeof(geo));
	if (!rblk_proto_check_attach_reply(in, k->xid, &geo)) {
		attach(msg, in->bytes, k->xid, &geo);
		good = true;
	}
	if (!rblk_proto_check_bind_reply(in, k->xid, &grant)) {
		reply(msg, in->bytes, RBLK_MSG_BIND_REPLY, k->xid);
		bind(msg, in->bytes, grant.features);
		good = true;
	}
	if (!rblk_proto_check_ctl_reply(in, RBLK_MSG_DETACH, k->xid, 16)) {
		reply(msg, in->bytes, RBLK_MSG_DETACH_REPLY, k->xid);
		good = true;
	}
	if (!rblk_proto_check_portals_reply(in, k->xid)) {
		portals(msg, in->bytes, k->xid);
		good = true;
	}
	if (k->start <= RBLK_WIRE_MAX_REGISTRANTS &&
	    !rblk_proto_check_reservation_reply(in, k->xid, k->start)) {
		reservation(msg, in->bytes, k->xid, k->start);
		good = true;
	}
	if (!rblk_proto_check_ctl_reply(in, RBLK_MSG_RESERVE, k->xid, 16)) {
		reply(msg, in->bytes, RBLK_MSG_RESERVE_REPLY, k->xid);
		good = true;
	}
	if (!rblk_proto_check_ctl_reply(in, RBLK_MSG_FENCE, k->xid, 16)) {
		reply(msg, in->bytes, RBLK_MSG_FENCE_REPLY, k->xid);
		good = true;
	}
	if (!rblk_proto_check_event(in)) {
		event(msg, in->bytes);
		good = true;
	}
	/* What one of them takes is a control message to begin with. */
	if (!rblk_proto_check_ctl(in))
		must_be_ctl(msg, in->bytes);
	else
		MUST(!good);
	MUST(!good || !in->invalidated);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct rblk_arrival in = {};
	struct control_knobs k;
	u8 *msg;

	if (size < sizeof(k))
		return 0;
	memcpy(&k, data, sizeof(k));
	size -= sizeof(k);
	if (k.knobs & KNOB_COUNT)
		size -= odd(size, 24, 96);
	msg = message(data + sizeof(k), size);
	if (k.knobs & KNOB_COUNT && size >= 24)
		put(msg + 16, 4, (size - 24) / 96);
	if (k.knobs & KNOB_LENGTH && size >= 8)
		put(msg + 4, 4, size);
	if (k.knobs & KNOB_XID && size >= 12)
		put(msg + 8, 4, k.xid);
	in.data = msg;
	in.bytes = size;
	in.invalidated = k.knobs & KNOB_INVALIDATED;
	look(&in, &k);
	free(msg);
	return 0;
}
