// SPDX-License-Identifier: GPL-2.0-only
/*
 * A message of commands as it arrives at the target, each command by itself
 * and against a volume.  Whatever is accepted is answered, and an initiator
 * that had sent the command takes the answer.
 */
#include "fuzz.h"
#include "../../target/proto/proto.c"
#include "../../target/proto/encoder.c"
#define all_zero	initiator_all_zero
#include "../../driver/proto/proto.c"
#undef all_zero

static void message_accepted(const u8 *msg, size_t size,
			     const struct rblkt_grant *grant)
{
	MUST(size >= 56 && msg[0] == RBLK_MSG_COMMAND);
	MUST(get(msg + 4, 4) == size);
	MUST(msg[1] >= 1 && msg[1] <= grant->max_batch);
	MUST(!(get(msg + 2, 2) & ~RBLK_HDRF_DATA));
	if (!(msg[2] & RBLK_HDRF_DATA)) {
		MUST(size == 8 + msg[1] * 48u);
		return;
	}
	MUST(msg[1] == 1 && size > 64 && size - 64 <= grant->inline_write);
	MUST(zeroes(msg + 56, 8));
}

static void memory(const u8 *msg, size_t size, const u8 *cmd, u32 window)
{
	bool data = *cmd == RBLK_OP_READ || *cmd == RBLK_OP_WRITE;
	u16 flags = FIELD(cmd, rblk_wire_cmd, flags);
	bool inl = flags & RBLK_CMDF_INLINE;
	bool pushed = flags & RBLK_CMDF_PUSHED;
	u64 addr = FIELD(cmd, rblk_wire_cmd, addr);
	u64 length = FIELD(cmd, rblk_wire_cmd, length);

	MUST(data || !inl);
	if (flags & RBLK_CMDF_WINDOW)
		MUST(!FIELD(cmd, rblk_wire_cmd, rkey) && addr % 4096 == 0 &&
		     addr <= window && length <= window - addr);
	else if (data && !inl && !pushed)
		MUST(FIELD(cmd, rblk_wire_cmd, rkey) && addr + length >= addr);
	else
		MUST(zeroes(cmd + 24, 12));
	/* Data comes with inline writes alone, and all of it. */
	if (*cmd == RBLK_OP_WRITE && inl)
		MUST(msg[2] & RBLK_HDRF_DATA && size == 64 + length);
	else
		MUST(!(msg[2] & RBLK_HDRF_DATA));
}

static void command_accepted(const u8 *msg, size_t size, const u8 *cmd,
			     const struct rblkt_grant *grant)
{
	static const u16 allowed[] = {
		[RBLK_OP_READ] = 0x1c4, [RBLK_OP_WRITE] = 0x1c5,
		[RBLK_OP_FLUSH] = 0x1c0, [RBLK_OP_DISCARD] = 0x1c0,
		[RBLK_OP_WRITE_ZEROES] = 0x1c3,
	};

	u16 flags = FIELD(cmd, rblk_wire_cmd, flags);
	u16 imm = flags & RBLK_CMDF_IMM;
	u16 pushed = flags & RBLK_CMDF_PUSHED;
	u16 window = flags & RBLK_CMDF_WINDOW;
	u16 digest = flags & RBLK_CMDF_DIGEST;

	MUST(*cmd >= RBLK_OP_READ && *cmd <= RBLK_OP_WRITE_ZEROES);
	MUST(!(flags & ~imm & ~pushed & ~window & ~digest & ~allowed[*cmd]));
	if (imm)
		MUST(grant->features && *cmd == RBLK_OP_READ &&
		     !(flags & RBLK_CMDF_INLINE));
	if (pushed)
		MUST(grant->features && *cmd == RBLK_OP_WRITE &&
		     !(flags & RBLK_CMDF_INLINE) &&
		     FIELD(cmd, rblk_wire_cmd, length) <= grant->slot_size &&
		     FIELD(cmd, rblk_wire_cmd, tag) < grant->slots);
	if (window)
		MUST(grant->features && *cmd == RBLK_OP_WRITE && !pushed &&
		     !(flags & RBLK_CMDF_INLINE));
	if (digest)
		MUST(grant->features && *cmd <= RBLK_OP_WRITE && !imm);
	if (!digest || *cmd != RBLK_OP_WRITE)
		MUST(zeroes(cmd + 36, 4));
	MUST(!cmd[1] && zeroes(cmd + 42, 6));
	MUST(FIELD(cmd, rblk_wire_cmd, tag) < grant->depth);
	MUST(FIELD(cmd, rblk_wire_cmd, prio) < 4 << 13);
	memory(msg, size, cmd, grant->window);
}

/* It stays within the volume and within what may be asked at once. */
static void geometry_accepted(const u8 *cmd, const struct rblkt_grant *grant,
			      const struct rblkt_geo *geo)
{
	u64 length = FIELD(cmd, rblk_wire_cmd, length);
	u64 lba = FIELD(cmd, rblk_wire_cmd, lba);
	__uint128_t end = lba;

	if (*cmd == RBLK_OP_FLUSH) {
		MUST(!length && !lba);
		return;
	}
	end = (end << geo->block_shift) + length;
	MUST(length && length % (1u << geo->block_shift) == 0);
	MUST(end <= (__uint128_t)geo->blocks << geo->block_shift);
	MUST(geo->writable || *cmd == RBLK_OP_READ);
	if (*cmd == RBLK_OP_READ || *cmd == RBLK_OP_WRITE)
		MUST(geo->digest == !!(FIELD(cmd, rblk_wire_cmd, flags) & RBLK_CMDF_DIGEST));
	if (*cmd == RBLK_OP_READ || *cmd == RBLK_OP_WRITE)
		MUST(length <= grant->max_io);
	if (*cmd == RBLK_OP_DISCARD && geo->max_discard)
		MUST(length <= geo->max_discard);
	if (*cmd == RBLK_OP_WRITE_ZEROES && geo->max_write_zeroes)
		MUST(length <= geo->max_write_zeroes);
}

static bool has_digest(const u8 *cmd)
{
	return FIELD(cmd, rblk_wire_cmd, flags) & RBLK_CMDF_DIGEST;
}

static void answered(const u8 *cmd, u16 status, size_t room)
{
	const struct rblk_awaited want = {
		.gen = FIELD(cmd, rblk_wire_cmd, gen),
		.length = FIELD(cmd, rblk_wire_cmd, length),
		.rkey = FIELD(cmd, rblk_wire_cmd, rkey),
		.inline_data = *cmd == RBLK_OP_READ &&
			       FIELD(cmd, rblk_wire_cmd, flags) & RBLK_CMDF_INLINE,
		.may_hold = true,
		.digest_sent = *cmd == RBLK_OP_WRITE && has_digest(cmd),
		.digest_wanted = *cmd == RBLK_OP_READ && has_digest(cmd),
	};
	bool data = want.inline_data && !status;
	struct rblk_arrival in = {
		.bytes = data ? 64 + want.length : 40,
		.invalidated = want.rkey, .rkey = want.rkey,
	};
	u8 *msg;

	MUST(!data || want.length <= room);
	msg = calloc(1, in.bytes < 64 ? 64 : in.bytes);
	MUST(msg);
	rblkt_proto_rsp(msg, (const void *)cmd, status, data, 3, 2, 1);
	in.data = msg;
	MUST(!rblk_proto_check_response_message(&in));
	MUST(!rblk_proto_check_response((const void *)(msg + 8), &in, &want));
	free(msg);
}

/* The other answer that a read may have asked for. */
static void answered_at_once(const u8 *cmd)
{
	const struct rblk_awaited want = {
		.gen = FIELD(cmd, rblk_wire_cmd, gen),
		.length = FIELD(cmd, rblk_wire_cmd, length),
		.rkey = FIELD(cmd, rblk_wire_cmd, rkey),
		.immediate = true,
	};
	u32 imm = be32_to_cpu(rblkt_proto_imm((const void *)cmd));

	MUST(imm >> RBLK_IMM_TAG_SHIFT == FIELD(cmd, rblk_wire_cmd, tag));
	MUST(!rblk_proto_check_immediate(imm & RBLK_IMM_GEN_MASK, want.length,
					 &want));
}

static void look(const u8 *msg, size_t size, const struct rblkt_grant *grant,
		 const struct rblkt_geo *geo)
{
	unsigned int i;

	if (rblkt_proto_check_io(msg, size, grant))
		return;
	message_accepted(msg, size, grant);
	for (i = 0; i < msg[1]; i++) {
		const u8 *cmd = msg + 8 + i * 48;

		if (rblkt_proto_check_cmd((const void *)msg, (const void *)cmd,
					  grant))
			continue;
		command_accepted(msg, size, cmd, grant);
		if (rblkt_proto_check_geo((const void *)cmd, grant, geo))
			continue;
		geometry_accepted(cmd, grant, geo);
		if (FIELD(cmd, rblk_wire_cmd, flags) & RBLK_CMDF_IMM)
			answered_at_once(cmd);
		answered(cmd, RBLK_STATUS_OK, grant->inline_read);
		answered(cmd, RBLK_STATUS_MEDIUM, grant->inline_read);
		if (*cmd == RBLK_OP_WRITE && has_digest(cmd))
			answered(cmd, RBLK_STATUS_DIGEST, grant->inline_read);
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct rblkt_grant grant = {};
	struct rblkt_geo geo = {};
	struct command_knobs k;
	u8 *msg;

	if (size < sizeof(k))
		return 0;
	memcpy(&k, data, sizeof(k));
	size -= sizeof(k);
	if (k.knobs & KNOB_COUNT)
		size -= odd(size, 8, 48);
	msg = message(data + sizeof(k), size);
	if (k.knobs & KNOB_COUNT && size >= 8)
		msg[1] = (size - 8) / 48;
	if (k.knobs & KNOB_LENGTH && size >= 8)
		put(msg + 4, 4, size);
	/* Anything that a target may have granted, and any volume. */
	grant.depth = clamp_t(u16, k.depth, RBLK_WIRE_MIN_DEPTH,
			      RBLK_WIRE_MAX_DEPTH);
	grant.max_batch = 1 + k.max_batch % RBLK_WIRE_MAX_BATCH;
	if (k.knobs & KNOB_FEATURES) {
		grant.features = RBLK_FEAT_READ_IMM | RBLK_FEAT_WRITE_PUSH |
				 RBLK_FEAT_WRITE_WINDOW | RBLK_FEAT_DIGEST;
		grant.slot_size = k.slot_size % (RBLK_WIRE_MAX_INLINE + 1);
		grant.slots = k.slot_size >> 16;
		grant.window = (1 + k.slot_size % 4096) * RBLK_WIRE_WINDOW_UNIT;
	}
	grant.max_io = (1 + k.max_io % 16) * RBLK_WIRE_MIN_IO;
	grant.inline_read = k.inline_read % (RBLK_WIRE_MAX_INLINE + 1);
	grant.inline_write = k.inline_write % (RBLK_WIRE_MAX_INLINE + 1);
	geo.block_shift = 9 + k.block_shift % 4;
	geo.blocks = 1 + k.blocks % (1ull << (63 - geo.block_shift));
	geo.max_discard = k.max_discard & ~((1u << geo.block_shift) - 1);
	geo.max_write_zeroes = k.max_write_zeroes & ~((1u << geo.block_shift) - 1);
	geo.writable = k.knobs & KNOB_WRITABLE;
	geo.digest = k.knobs & KNOB_DIGEST;
	look(msg, size, &grant, &geo);
	free(msg);
	return 0;
}
