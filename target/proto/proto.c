// SPDX-License-Identifier: GPL-2.0-only
/*
 * Checks of everything that arrives at the target.  A checker never reads past
 * the given length and changes nothing but its result.  So tests and fuzzers
 * can run it on its own.
 *
 * All functions here are pure: any context may call them.
 */
#include <linux/types.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <asm/byteorder.h>
#include "proto.h"
#include "reservation.h"

#define RBLKT_CMDF_HINTS						\
	(RBLK_CMDF_SYNC | RBLK_CMDF_META | RBLK_CMDF_BACKGROUND)

/* linux/ioprio.h: the class is in the top three bits, 0 to 3 are defined. */
#define RBLKT_PRIO_CLASS(prio)	((prio) >> 13)
#define RBLKT_PRIO_MAX_CLASS	3

static bool all_zero(const void *data, size_t len)
{
	return !memchr_inv(data, 0, len);
}

/**
 * rblkt_proto_bad_text - describe a violation
 * @bad: the result of a checker
 *
 * Context: any.
 * Return: a constant string.
 */
const char *rblkt_proto_bad_text(enum rblkt_bad bad)
{
	static const char * const text[] = {
#define RBLKT_BAD_TEXT(name, words) words,
		RBLKT_BAD_TABLE(RBLKT_BAD_TEXT)
#undef RBLKT_BAD_TEXT
	};

	return (unsigned int)bad < RBLKT_BAD_NR ? text[bad] : "?";
}

/**
 * rblkt_proto_check_req - check and decode a connection request
 * @data: private data of the request, of any alignment
 * @len: its length in bytes; transports may pad it
 * @req: filled in on success
 *
 * Context: any.
 * Return: RBLK_REJ_NONE or why the request is refused.
 */
enum rblk_wire_reject rblkt_proto_check_req(const void *data, size_t len,
					    struct rblkt_req *req)
{
	struct rblk_wire_cm_req wire;

	if (!data || len < sizeof(wire))
		return RBLK_REJ_MALFORMED;
	memcpy(&wire, data, sizeof(wire));
	if (wire.magic != cpu_to_le32(RBLK_WIRE_MAGIC) ||
	    wire.version_min > wire.version_max)
		return RBLK_REJ_MALFORMED;
	/* From here on later versions may have another layout. */
	if (wire.version_min > RBLK_WIRE_VERSION ||
	    wire.version_max < RBLK_WIRE_VERSION)
		return RBLK_REJ_VERSION;
	if (le16_to_cpu(wire.size) < sizeof(wire) ||
	    le16_to_cpu(wire.size) > len || wire.reserved ||
	    wire.reserved2 || !wire.epoch ||
	    all_zero(wire.session, sizeof(wire.session)))
		return RBLK_REJ_MALFORMED;

	memcpy(req->session, wire.session, sizeof(req->session));
	req->epoch = le32_to_cpu(wire.epoch);
	req->qid = le16_to_cpu(wire.qid);
	req->nr_queues = le16_to_cpu(wire.nr_queues);
	req->depth = le16_to_cpu(wire.depth);
	req->features = le32_to_cpu(wire.features);
	req->max_io = le32_to_cpu(wire.max_io);
	req->inline_read = le32_to_cpu(wire.inline_read);
	req->inline_write = le32_to_cpu(wire.inline_write);
	return RBLK_REJ_NONE;
}

/**
 * rblkt_proto_grant - settle the limits of a connection
 * @req: the host's request
 * @limits: the most that the target grants
 * @grant: filled in on success
 *
 * Context: any.
 * Return: RBLK_REJ_NONE, or RBLK_REJ_LIMITS if no grant can satisfy @req.
 */
enum rblk_wire_reject rblkt_proto_grant(const struct rblkt_req *req,
					const struct rblkt_limits *limits,
					struct rblkt_grant *grant)
{
	/* No I/O connections are fine: such a session only asks. */
	if (req->nr_queues > RBLK_WIRE_MAX_QUEUES ||
	    req->qid > req->nr_queues || req->qid > limits->max_queues ||
	    req->depth < RBLK_WIRE_MIN_DEPTH ||
	    req->depth > RBLK_WIRE_MAX_DEPTH ||
	    req->max_io < RBLK_WIRE_MIN_IO || req->max_io > RBLK_WIRE_MAX_IO ||
	    req->inline_read > RBLK_WIRE_MAX_INLINE ||
	    req->inline_write > RBLK_WIRE_MAX_INLINE)
		return RBLK_REJ_LIMITS;

	grant->nr_queues = min(req->nr_queues, limits->max_queues);
	grant->depth = min(req->depth, limits->max_depth);
	grant->max_batch = RBLK_WIRE_MAX_BATCH;
	grant->features = req->features & limits->features;
	grant->max_io = min(req->max_io, limits->max_io);
	grant->max_io -= grant->max_io % RBLK_WIRE_MIN_IO;
	grant->inline_read = min(req->inline_read, limits->inline_read);
	grant->inline_write = min(req->inline_write, limits->inline_write);
	grant->slot_size = grant->features & RBLK_FEAT_WRITE_PUSH ?
			   limits->slot_size : 0;
	grant->slots = grant->slot_size ? min(limits->slots, grant->depth) : 0;
	grant->window = grant->features & RBLK_FEAT_WRITE_WINDOW ?
			limits->window : 0;
	return RBLK_REJ_NONE;
}

/**
 * rblkt_proto_narrow - keep an I/O connection within its session's limits
 * @grant: the connection's own grant, made smaller where necessary
 * @bound: the session's limits, as granted to the control connection
 *
 * Context: any.
 */
void rblkt_proto_narrow(struct rblkt_grant *grant,
			const struct rblkt_grant *bound)
{
	grant->nr_queues = min(grant->nr_queues, bound->nr_queues);
	grant->depth = min(grant->depth, bound->depth);
	grant->max_io = min(grant->max_io, bound->max_io);
	grant->inline_read = min(grant->inline_read, bound->inline_read);
	grant->inline_write = min(grant->inline_write, bound->inline_write);
	grant->features &= bound->features;
	grant->slot_size = min(grant->slot_size, bound->slot_size);
	grant->slots = min3(grant->slots, bound->slots, grant->depth);
	grant->window = min(grant->window, bound->window);
}

/**
 * rblkt_proto_drop_window - grant no window
 * @grant: of a session or connection
 *
 * Context: any.
 */
void rblkt_proto_drop_window(struct rblkt_grant *grant)
{
	grant->features &= ~RBLK_FEAT_WRITE_WINDOW;
	grant->window = 0;
}

/**
 * rblkt_proto_check_io - check the frame of a message on a bound I/O connection
 * @msg: the message, aligned to 8 bytes
 * @len: bytes received
 * @grant: the connection's grant
 *
 * After success the header's count of commands lies within @len.
 *
 * Context: any.
 * Return: RBLKT_BAD_NONE or the violation.
 */
enum rblkt_bad rblkt_proto_check_io(const void *msg, size_t len,
				    const struct rblkt_grant *grant)
{
	const struct rblk_wire_hdr *hdr = msg;
	u16 flags;
	size_t cmds;

	if (len < sizeof(*hdr))
		return RBLKT_BAD_SHORT;
	if (le32_to_cpu(hdr->length) != len)
		return RBLKT_BAD_LENGTH;
	if (hdr->type != RBLK_MSG_COMMAND)
		return RBLKT_BAD_TYPE;
	if (!hdr->count || hdr->count > grant->max_batch)
		return RBLKT_BAD_COUNT;
	cmds = sizeof(*hdr) + hdr->count * sizeof(struct rblk_wire_cmd);
	flags = le16_to_cpu(hdr->flags);
	if (flags & ~RBLK_HDRF_DATA)
		return RBLKT_BAD_HDR_FLAGS;
	if (flags && hdr->count != 1)
		return RBLKT_BAD_COUNT;
	if (!(flags & RBLK_HDRF_DATA))
		return len == cmds ? RBLKT_BAD_NONE : RBLKT_BAD_LENGTH;
	if (len <= RBLK_WIRE_DATA_OFFSET ||
	    len - RBLK_WIRE_DATA_OFFSET > grant->inline_write)
		return RBLKT_BAD_INLINE;
	/* The gap between the command and its data is reserved, too. */
	if (!all_zero(msg + cmds, RBLK_WIRE_DATA_OFFSET - cmds))
		return RBLKT_BAD_RESERVED;
	return RBLKT_BAD_NONE;
}

static u16 flags_allowed(u8 op, u32 features)
{
	u16 digest = features & RBLK_FEAT_DIGEST ? RBLK_CMDF_DIGEST : 0;

	switch (op) {
	case RBLK_OP_READ:
		return RBLKT_CMDF_HINTS | RBLK_CMDF_INLINE | digest |
		       (features & RBLK_FEAT_READ_IMM ? RBLK_CMDF_IMM : 0);
	case RBLK_OP_WRITE:
		return RBLKT_CMDF_HINTS | RBLK_CMDF_INLINE | RBLK_CMDF_FUA | digest |
		       (features & RBLK_FEAT_WRITE_PUSH ? RBLK_CMDF_PUSHED : 0) |
		       (features & RBLK_FEAT_WRITE_WINDOW ? RBLK_CMDF_WINDOW : 0);
	case RBLK_OP_WRITE_ZEROES:
		return RBLKT_CMDF_HINTS | RBLK_CMDF_FUA | RBLK_CMDF_NOUNMAP;
	default:
		return RBLKT_CMDF_HINTS;
	}
}

/* Data in the window lies there as a whole; its address is an offset. */
static enum rblkt_bad check_window(const struct rblk_wire_cmd *cmd,
				   const struct rblkt_grant *grant)
{
	u64 offset = le64_to_cpu(cmd->addr);
	u32 length = le32_to_cpu(cmd->length);

	if (cmd->rkey)
		return RBLKT_BAD_RKEY;
	return offset & (RBLK_WIRE_WINDOW_UNIT - 1) || length > grant->window ||
	       offset > grant->window - length ? RBLKT_BAD_WINDOW :
						 RBLKT_BAD_NONE;
}

/* A command must name memory, or must not, by its operation and flags. */
static enum rblkt_bad check_memory(const struct rblk_wire_cmd *cmd)
{
	bool data = cmd->op == RBLK_OP_READ || cmd->op == RBLK_OP_WRITE;
	u64 addr = le64_to_cpu(cmd->addr);

	if (!data || cmd->flags & cpu_to_le16(RBLK_CMDF_INLINE |
					      RBLK_CMDF_PUSHED))
		return cmd->rkey || cmd->addr ? RBLKT_BAD_RKEY : RBLKT_BAD_NONE;
	if (!cmd->rkey || addr + le32_to_cpu(cmd->length) < addr)
		return RBLKT_BAD_RKEY;
	return RBLKT_BAD_NONE;
}

/* Data in the message must have the length that the command says. */
static enum rblkt_bad check_inline(const struct rblk_wire_hdr *hdr,
				   const struct rblk_wire_cmd *cmd,
				   const struct rblkt_grant *grant)
{
	bool inl = cmd->flags & cpu_to_le16(RBLK_CMDF_INLINE);
	u32 length = le32_to_cpu(cmd->length);

	if (hdr->flags & cpu_to_le16(RBLK_HDRF_DATA)) {
		if (!inl || cmd->op != RBLK_OP_WRITE ||
		    le32_to_cpu(hdr->length) - RBLK_WIRE_DATA_OFFSET != length)
			return RBLKT_BAD_INLINE;
		return RBLKT_BAD_NONE;
	}
	if (inl && (cmd->op == RBLK_OP_WRITE || length > grant->inline_read))
		return RBLKT_BAD_INLINE;
	return RBLKT_BAD_NONE;
}

/**
 * rblkt_proto_check_cmd - check a command by itself
 * @hdr: its message, already checked
 * @cmd: the command
 * @grant: the connection's grant
 *
 * The caller must check that the tag is free and that the volume exists.
 *
 * Context: any.
 * Return: RBLKT_BAD_NONE or the violation.
 */
enum rblkt_bad rblkt_proto_check_cmd(const struct rblk_wire_hdr *hdr,
				     const struct rblk_wire_cmd *cmd,
				     const struct rblkt_grant *grant)
{
	u16 ways, flags = le16_to_cpu(cmd->flags);
	enum rblkt_bad bad;

	if (cmd->op < RBLK_OP_READ || cmd->op > RBLK_OP_WRITE_ZEROES)
		return RBLKT_BAD_OP;
	if (cmd->reserved || !all_zero(cmd->reserved2, sizeof(cmd->reserved2)))
		return RBLKT_BAD_RESERVED;
	if (flags & ~flags_allowed(cmd->op, grant->features))
		return RBLKT_BAD_FLAGS;
	/* Data goes one way only. */
	ways = flags & (RBLK_CMDF_INLINE | RBLK_CMDF_IMM | RBLK_CMDF_PUSHED |
			RBLK_CMDF_WINDOW);
	if (ways & (ways - 1))
		return RBLKT_BAD_FLAGS;
	/* An immediate has no room for a digest. */
	if (flags & RBLK_CMDF_IMM && flags & RBLK_CMDF_DIGEST)
		return RBLKT_BAD_FLAGS;
	if (le16_to_cpu(cmd->tag) >= grant->depth)
		return RBLKT_BAD_TAG;
	if (cmd->digest && !(flags & RBLK_CMDF_DIGEST && cmd->op == RBLK_OP_WRITE))
		return RBLKT_BAD_DIGEST;
	if (RBLKT_PRIO_CLASS(le16_to_cpu(cmd->prio)) > RBLKT_PRIO_MAX_CLASS)
		return RBLKT_BAD_PRIO;
	if (flags & RBLK_CMDF_PUSHED &&
	    (le32_to_cpu(cmd->length) > grant->slot_size ||
	     le16_to_cpu(cmd->tag) >= grant->slots))
		return RBLKT_BAD_PUSHED;
	bad = flags & RBLK_CMDF_WINDOW ? check_window(cmd, grant) :
					 check_memory(cmd);
	if (bad)
		return bad;
	return check_inline(hdr, cmd, grant);
}

/* An operation that the volume does not have may have any length. */
static u32 max_length(const struct rblk_wire_cmd *cmd,
		      const struct rblkt_grant *grant,
		      const struct rblkt_geo *geo)
{
	if (cmd->op == RBLK_OP_DISCARD)
		return geo->max_discard ?: U32_MAX;
	if (cmd->op == RBLK_OP_WRITE_ZEROES)
		return geo->max_write_zeroes ?: U32_MAX;
	return grant->max_io;
}

/**
 * rblkt_proto_check_geo - check a command against the volume it names
 * @cmd: the command, already checked by itself
 * @grant: the connection's grant
 * @geo: the volume as attached
 *
 * A DISCARD or WRITE_ZEROES passes even if the volume does not have it: io/bio.c
 * answers with RBLK_STATUS_NOTSUPP.
 *
 * Context: any.
 * Return: RBLKT_BAD_NONE or the violation.
 */
enum rblkt_bad rblkt_proto_check_geo(const struct rblk_wire_cmd *cmd,
				     const struct rblkt_grant *grant,
				     const struct rblkt_geo *geo)
{
	u32 length = le32_to_cpu(cmd->length);
	u64 lba = le64_to_cpu(cmd->lba);
	u64 blocks = READ_ONCE(geo->blocks);

	if (cmd->op == RBLK_OP_FLUSH)
		return length || lba ? RBLKT_BAD_SIZE : RBLKT_BAD_NONE;
	if ((cmd->op == RBLK_OP_READ || cmd->op == RBLK_OP_WRITE) &&
	    geo->digest != !!(cmd->flags & cpu_to_le16(RBLK_CMDF_DIGEST)))
		return RBLKT_BAD_DIGEST;
	if (cmd->op != RBLK_OP_READ && !geo->writable)
		return RBLKT_BAD_READ_ONLY;
	if (!length || length & ((1u << geo->block_shift) - 1) ||
	    length > max_length(cmd, grant, geo))
		return RBLKT_BAD_SIZE;
	if (lba > blocks || length >> geo->block_shift > blocks - lba)
		return RBLKT_BAD_RANGE;
	return RBLKT_BAD_NONE;
}

/* How many bytes of the field have a meaning: in the first LOGIN, and in the second. */
static bool auth_is_sound(const struct rblk_wire_login *msg)
{
	u32 used = le16_to_cpu(msg->auth_len);

	if (msg->auth_method == cpu_to_le16(RBLK_AUTH_NONE) && used)
		return false;
	if (msg->auth_method == cpu_to_le16(RBLK_AUTH_X25519) &&
	    used != sizeof(struct rblk_wire_auth_hello) &&
	    used != sizeof(struct rblk_wire_auth_proof))
		return false;
	return le16_to_cpu(msg->auth_method) <= RBLK_AUTH_X25519 &&
	       all_zero(msg->auth + used, sizeof(msg->auth) - used);
}

static enum rblkt_bad check_login(const struct rblk_wire_login *msg)
{
	if (all_zero(msg->host, sizeof(msg->host)) ||
	    all_zero(msg->instance, sizeof(msg->instance)))
		return RBLKT_BAD_UUID;
	if (!rblk_name_ok(msg->host_name))
		return RBLKT_BAD_NAME;
	if (msg->reserved)
		return RBLKT_BAD_RESERVED;
	return auth_is_sound(msg) ? RBLKT_BAD_NONE : RBLKT_BAD_AUTH;
}

static enum rblkt_bad check_attach(const struct rblk_wire_attach *msg)
{
	u32 flags = le32_to_cpu(msg->flags);

	if (!rblk_name_ok(msg->name))
		return RBLKT_BAD_NAME;
	if (le32_to_cpu(msg->access) & ~RBLK_ACCESS_ALL ||
	    flags & ~RBLK_ATTACHF_ALL)
		return RBLKT_BAD_ACCESS;
	if (flags & RBLK_ATTACHF_CONTINUE)
		return RBLKT_BAD_NONE;
	return msg->tenure || msg->right ? RBLKT_BAD_TENURE : RBLKT_BAD_NONE;
}

static enum rblkt_bad check_fence(const struct rblk_wire_fence *msg)
{
	if (all_zero(msg->session, sizeof(msg->session)) ||
	    all_zero(msg->uuid, sizeof(msg->uuid)))
		return RBLKT_BAD_UUID;
	if (!msg->epoch)
		return RBLKT_BAD_EPOCH;
	return msg->reserved ? RBLKT_BAD_RESERVED : RBLKT_BAD_NONE;
}

static enum rblkt_bad check_body(const void *msg, u8 type)
{
	const struct rblk_wire_detach *detach = msg;
	const struct rblk_wire_list *list = msg;
	bool reserved = false;

	if (type == RBLK_MSG_LOGIN)
		return check_login(msg);
	if (type == RBLK_MSG_ATTACH)
		return check_attach(msg);
	if (type == RBLK_MSG_FENCE)
		return check_fence(msg);
	if (type == RBLK_MSG_RESERVE)
		return rblkt_resv_check(msg);
	if (type == RBLK_MSG_LIST)
		reserved = list->reserved;
	if (type == RBLK_MSG_DETACH)
		reserved = detach->reserved;
	return reserved ? RBLKT_BAD_RESERVED : RBLKT_BAD_NONE;
}

/* The length of a message other than commands; 0 if hosts can't send it. */
static size_t ctl_size(u8 type)
{
	switch (type) {
	case RBLK_MSG_BIND:
		return sizeof(struct rblk_wire_bind);
	case RBLK_MSG_LOGIN:
		return sizeof(struct rblk_wire_login);
	case RBLK_MSG_LIST:
		return sizeof(struct rblk_wire_list);
	case RBLK_MSG_ATTACH:
		return sizeof(struct rblk_wire_attach);
	case RBLK_MSG_DETACH:
		return sizeof(struct rblk_wire_detach);
	case RBLK_MSG_FENCE:
		return sizeof(struct rblk_wire_fence);
	case RBLK_MSG_RESERVE:
		return sizeof(struct rblk_wire_reserve);
	case RBLK_MSG_RESERVATION:
		return sizeof(struct rblk_wire_reservation);
	case RBLK_MSG_KEEPALIVE:
	case RBLK_MSG_PORTALS:
		return sizeof(struct rblk_wire_ctl);
	default:
		return 0;
	}
}

/**
 * rblkt_proto_check_ctl - check a control message or a BIND
 * @msg: the message, aligned to 8 bytes
 * @len: bytes received
 *
 * The caller must check that this connection may carry this type now.
 *
 * Context: any.
 * Return: RBLKT_BAD_NONE or the violation.
 */
enum rblkt_bad rblkt_proto_check_ctl(const void *msg, size_t len)
{
	const struct rblk_wire_ctl *ctl = msg;

	if (len < sizeof(*ctl))
		return RBLKT_BAD_SHORT;
	if (le32_to_cpu(ctl->hdr.length) != len)
		return RBLKT_BAD_LENGTH;
	if (!ctl_size(ctl->hdr.type))
		return RBLKT_BAD_TYPE;
	if (ctl_size(ctl->hdr.type) != len)
		return RBLKT_BAD_LENGTH;
	if (ctl->hdr.count != 1)
		return RBLKT_BAD_COUNT;
	if (ctl->hdr.flags)
		return RBLKT_BAD_HDR_FLAGS;
	if (ctl->status)
		return RBLKT_BAD_STATUS;
	if (ctl->reserved)
		return RBLKT_BAD_RESERVED;

	return check_body(msg, ctl->hdr.type);
}
