// SPDX-License-Identifier: GPL-2.0-only
/*
 * The encoders of all that the target sends, except data.  They are pure, like
 * the checks in proto.c: any context may call them.
 */
#include <linux/types.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <asm/byteorder.h>
#include "proto.h"

/* linux/ioprio.h */
#define PRIO_SHIFT		13
#define PRIO_LEVEL		7
#define PRIO_REALTIME		1
#define PRIO_BEST_EFFORT	2

/**
 * rblkt_proto_rep - encode the private data of an acceptance
 * @rep: filled in, but for the nonce, which is zero
 * @grant: the limits granted
 *
 * Context: any.
 */
void rblkt_proto_rep(struct rblk_wire_cm_rep *rep,
		     const struct rblkt_grant *grant)
{
	*rep = (struct rblk_wire_cm_rep){
		.magic = cpu_to_le32(RBLK_WIRE_MAGIC),
		.size = cpu_to_le16(sizeof(*rep)),
		.version = RBLK_WIRE_VERSION,
		.nr_queues = cpu_to_le16(grant->nr_queues),
		.depth = cpu_to_le16(grant->depth),
		.max_batch = cpu_to_le16(grant->max_batch),
		.features = cpu_to_le32(grant->features),
		.max_io = cpu_to_le32(grant->max_io),
		.inline_read = cpu_to_le32(grant->inline_read),
		.inline_write = cpu_to_le32(grant->inline_write),
	};
}

/**
 * rblkt_proto_rej - encode the private data of a refusal
 * @rej: filled in
 * @reason: the reason of the refusal
 * @away_ms: with RBLK_REJ_PAUSED: milliseconds left of the pause, 0 if unknown
 *
 * Context: any.
 */
void rblkt_proto_rej(struct rblk_wire_cm_rej *rej, enum rblk_wire_reject reason,
		     u32 away_ms)
{
	*rej = (struct rblk_wire_cm_rej){
		.magic = cpu_to_le32(RBLK_WIRE_MAGIC),
		.size = cpu_to_le16(sizeof(*rej)),
		.version_min = RBLK_WIRE_VERSION,
		.version_max = RBLK_WIRE_VERSION,
		.reason = cpu_to_le16(reason),
		.away_ms = cpu_to_le32(reason == RBLK_REJ_PAUSED ? away_ms : 0),
	};
}

/**
 * rblkt_proto_prio - translate a host's I/O priority into one on this machine
 * @prio: of a checked command
 * @realtime: the export lets hosts have the real-time class
 *
 * A host's real-time I/O would outrank all else on the device, other hosts'
 * too.  It becomes best effort of the same level.  Hints that newer kernels put
 * between class and level are about the host's device, and are dropped.
 *
 * Context: any.
 * Return: the priority for the backing device.
 */
u16 rblkt_proto_prio(u16 prio, bool realtime)
{
	u16 class = prio >> PRIO_SHIFT;

	if (class == PRIO_REALTIME && !realtime)
		class = PRIO_BEST_EFFORT;
	return class << PRIO_SHIFT | (prio & PRIO_LEVEL);
}

/**
 * rblkt_proto_status - translate a block status for the wire
 * @sts: the status of a bio
 *
 * Context: any.
 * Return: enum rblk_wire_status.
 */
u16 rblkt_proto_status(blk_status_t sts)
{
	static const struct {
		u16 wire;
		blk_status_t blk;
	} table[] = {
#define RBLKT_STATUS_ROW(name, value, blk) { name, blk },
		RBLK_STATUS_TABLE(RBLKT_STATUS_ROW)
#undef RBLKT_STATUS_ROW
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(table); i++)
		if (table[i].blk == sts)
			return table[i].wire;
	return RBLK_STATUS_IOERR;
}

static __le32 ns_saturate(u64 ns)
{
	return cpu_to_le32(ns > U32_MAX ? U32_MAX : (u32)ns);
}

static void encode_rsp(struct rblk_wire_rsp *rsp, const struct rblk_wire_cmd *cmd,
		       u16 status, u64 target_ns, u64 device_ns)
{
	rsp->tag = cmd->tag;
	rsp->gen = cmd->gen;
	rsp->status = cpu_to_le16(status);
	rsp->flags = 0;
	rsp->length = status == RBLK_STATUS_OK ? cmd->length : 0;
	rsp->digest = 0;
	rsp->target_ns = ns_saturate(target_ns);
	rsp->device_ns = ns_saturate(device_ns);
	rsp->reserved = 0;
}

/**
 * rblkt_proto_next_rsp - add a response without data to a message of several
 * @msg: the message; if @nr is 0, its content does not matter
 * @nr: responses in it so far, less than RBLK_WIRE_MAX_BATCH
 * @cmd: the command to answer
 * @status: enum rblk_wire_status
 * @target_ns: nanoseconds from the command's arrival to its end
 * @device_ns: the backing device's share of @target_ns
 *
 * Context: any.
 * Return: length of the message in bytes.
 */
u32 rblkt_proto_next_rsp(void *msg, u32 nr, const struct rblk_wire_cmd *cmd,
			 u16 status, u64 target_ns, u64 device_ns)
{
	struct rblk_wire_hdr *hdr = msg;
	struct rblk_wire_rsp *rsp = msg + sizeof(*hdr);
	u32 len = sizeof(*hdr) + (nr + 1) * sizeof(*rsp);

	hdr->type = RBLK_MSG_RESPONSE;
	hdr->count = nr + 1;
	hdr->flags = 0;
	hdr->length = cpu_to_le32(len);
	encode_rsp(&rsp[nr], cmd, status, target_ns, device_ns);
	return len;
}

/* Does a successful response to this command have a digest? */
static bool rsp_has_digest(const struct rblk_wire_cmd *cmd, u16 status)
{
	return status == RBLK_STATUS_OK && cmd->op == RBLK_OP_READ &&
	       cmd->flags & cpu_to_le16(RBLK_CMDF_DIGEST);
}

/**
 * rblkt_proto_rsp - encode a message with one response
 * @msg: a buffer of RBLK_WIRE_DATA_OFFSET bytes, zero before its first use
 * @cmd: the command to answer
 * @status: enum rblk_wire_status
 * @data: the command's data follows in this message
 * @digest: of the data of a READ that asks for it; else it does not matter
 * @target_ns: nanoseconds from the command's arrival to its end
 * @device_ns: the backing device's share of @target_ns
 *
 * Context: any.
 */
void rblkt_proto_rsp(void *msg, const struct rblk_wire_cmd *cmd, u16 status,
		     bool data, u32 digest, u64 target_ns, u64 device_ns)
{
	struct rblk_wire_hdr *hdr = msg;
	struct rblk_wire_rsp *rsp = msg + sizeof(*hdr);
	u32 len = sizeof(*hdr) + sizeof(*rsp);

	if (data)
		len = RBLK_WIRE_DATA_OFFSET + le32_to_cpu(cmd->length);
	hdr->type = RBLK_MSG_RESPONSE;
	hdr->count = 1;
	hdr->flags = data ? cpu_to_le16(RBLK_HDRF_DATA) : 0;
	hdr->length = cpu_to_le32(len);
	encode_rsp(rsp, cmd, status, target_ns, device_ns);
	if (rsp_has_digest(cmd, status)) {
		rsp->flags = cpu_to_le16(RBLK_RSPF_DIGEST);
		rsp->digest = cpu_to_le32(digest);
	}
}

/**
 * rblkt_proto_imm - encode the immediate that reports a read's success
 * @cmd: the command as received
 *
 * Context: any.
 * Return: the immediate in the byte order of work requests.
 */
__be32 rblkt_proto_imm(const struct rblk_wire_cmd *cmd)
{
	return cpu_to_be32((u32)le16_to_cpu(cmd->tag) << RBLK_IMM_TAG_SHIFT |
			   le16_to_cpu(cmd->gen));
}

/**
 * rblkt_proto_ctl - encode the start of a control message
 * @msg: the message, of which only the start is filled in
 * @len: length of the whole message in bytes
 * @type: enum rblk_wire_msg
 * @xid: the request's, as received
 * @status: enum rblk_wire_ctl_status
 *
 * Context: any.
 */
void rblkt_proto_ctl(void *msg, u32 len, u8 type, __le32 xid, u16 status)
{
	struct rblk_wire_ctl *ctl = msg;

	ctl->hdr.type = type;
	ctl->hdr.count = 1;
	ctl->hdr.flags = 0;
	ctl->hdr.length = cpu_to_le32(len);
	ctl->xid = xid;
	ctl->status = cpu_to_le16(status);
	ctl->reserved = 0;
}

/**
 * rblkt_proto_event - encode an event
 * @event: filled in
 * @kind: the kind of event
 * @volume: handle of the volume, 0 with GOING_AWAY
 * @value: bytes with CAPACITY, milliseconds with GOING_AWAY, RBLK_RESV_* with
 *         RESERVATION, else unused
 *
 * Context: any.
 */
void rblkt_proto_event(struct rblk_wire_event *event,
		       enum rblk_wire_event_kind kind, u32 volume, u64 value)
{
	memset(event, 0, sizeof(*event));
	rblkt_proto_ctl(event, sizeof(*event), RBLK_MSG_EVENT, 0, RBLK_CTL_OK);
	event->kind = cpu_to_le16(kind);
	event->volume = cpu_to_le32(volume);
	if (kind == RBLK_EVENT_CAPACITY)
		event->capacity = cpu_to_le64(value);
	else if (kind == RBLK_EVENT_GOING_AWAY)
		event->duration_ms = cpu_to_le32(value);
	else if (kind == RBLK_EVENT_RESERVATION)
		event->why = cpu_to_le32(value);
}

static bool portal_is_remote(u16 family, const u8 *addr)
{
	static const u8 zeroes[15];

	/* 0.0.0.0, 127.0.0.0/8, 169.254.0.0/16 */
	if (family == RBLK_WIRE_FAMILY_IPV4)
		return memcmp(addr, zeroes, 4) && addr[0] != 127 &&
		       !(addr[0] == 169 && addr[1] == 254);
	/* ::, ::1, fe80::/10 */
	return (memcmp(addr, zeroes, 15) || addr[15] > 1) &&
	       !(addr[0] == 0xfe && (addr[1] & 0xc0) == 0x80);
}

/**
 * rblkt_proto_portal - encode an address at which the target listens
 * @portal: filled in, if hosts elsewhere can use the address
 * @family: RBLK_WIRE_FAMILY_*
 * @port: TCP port number
 * @addr: 16 bytes in network byte order, of an IPv4 address only the first four
 *
 * Context: any.
 * Return: false for the any-address, and for one that is link-local or of this
 * machine alone.
 */
bool rblkt_proto_portal(struct rblk_wire_portal *portal, u16 family, u16 port,
			const u8 *addr)
{
	if (!portal_is_remote(family, addr))
		return false;
	memset(portal, 0, sizeof(*portal));
	portal->family = cpu_to_le16(family);
	portal->port = cpu_to_le16(port);
	memcpy(portal->addr, addr, family == RBLK_WIRE_FAMILY_IPV4 ? 4 : 16);
	return true;
}
