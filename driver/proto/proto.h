/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Encoding and checking of messages on the initiator's side.
 *
 * Pure: no RDMA, no block layer, no allocation, no locks.  The module, the
 * KUnit suite and user-space fuzzers compile it.  Every checker returns NULL if
 * the caller may use the message, and otherwise a sentence that says what is
 * wrong; the caller uses nothing of such a message.
 */
#ifndef RBLK_PROTO_H
#define RBLK_PROTO_H

#include <linux/types.h>
#include <linux/blk_types.h>	/* only for the BLK_STS_ numbers */
#include "rblk_wire.h"

/**
 * struct rblk_offer - what the initiator asks of a connection
 * @session: the session's UUID, as on the wire
 * @epoch: the session's generation, not 0
 * @qid: 0 for control, else the I/O connection's number
 * @nr_queues: I/O connections wanted
 * @depth: outstanding commands wanted
 * @features: RBLK_FEAT_* offered
 * @max_io: bytes
 * @inline_read: bytes
 * @inline_write: bytes
 * @poll_queues: of @nr_queues, those that this side polls; the target isn't told
 */
struct rblk_offer {
	u8 session[RBLK_WIRE_UUID_LEN];
	u32 epoch;
	u16 qid;
	u16 nr_queues;
	u16 depth;
	u32 features;
	u32 max_io;
	u32 inline_read;
	u32 inline_write;
	u16 poll_queues;
};

/**
 * struct rblk_grant - what the target grants, never more than the offer
 * @nr_queues: I/O connections
 * @depth: outstanding commands
 * @max_batch: commands in one message
 * @features: RBLK_FEAT_* in force
 * @max_io: bytes
 * @inline_read: bytes
 * @inline_write: bytes
 */
struct rblk_grant {
	u16 nr_queues;
	u16 depth;
	u16 max_batch;
	u32 features;
	u32 max_io;
	u32 inline_read;
	u32 inline_write;
};

/**
 * struct rblk_command - an I/O command in host byte order
 * @op: enum rblk_wire_op
 * @stable: the backing device needs data that does not change: do not push it, and
 *          send only little of it to the window
 * @flags: RBLK_CMDF_*
 * @tag: slot
 * @gen: the slot's generation
 * @prio: I/O priority
 * @volume: the target's handle
 * @length: bytes
 * @lba: first logical block
 * @addr: RDMA address of @rkey; with RBLK_CMDF_WINDOW offset in the window; else 0
 * @rkey: key granted to the target, or 0
 * @digest: with RBLK_CMDF_DIGEST on a WRITE, CRC32C of the data; else 0
 */
struct rblk_command {
	u8 op;
	bool stable;
	u16 flags;
	u16 tag;
	u16 gen;
	u16 prio;
	u32 volume;
	u32 length;
	u64 lba;
	u64 addr;
	u32 rkey;
	u32 digest;
};

/**
 * struct rblk_arrival - a received message as the work completion describes it
 * @data: the receive buffer
 * @bytes: length of the message
 * @invalidated: the message invalidated an rkey of this host
 * @rkey: the rkey that it invalidated
 */
struct rblk_arrival {
	const void *data;
	u32 bytes;
	bool invalidated;
	u32 rkey;
};

/**
 * struct rblk_awaited - what the answer to an outstanding command must match
 * @gen: the slot's generation
 * @length: length of the command
 * @rkey: granted with the command; 0: the answer must not invalidate any
 * @inline_data: a successful answer carries its data in the message
 * @immediate: an immediate may report success; then this host invalidates @rkey
 * @may_hold: the answer may be HELD
 * @held: it was, so this one has to free the tag
 * @digest_sent: the command had a digest; the answer may say that it was wrong
 * @digest_wanted: a successful answer has one
 */
struct rblk_awaited {
	u16 gen;
	u32 length;
	u32 rkey;
	bool inline_data;
	bool immediate;
	bool may_hold;
	bool held;
	bool digest_sent;
	bool digest_wanted;
};

/**
 * struct rblk_geometry - an export's properties, from a checked ATTACH reply
 * @uuid: identity, as on the wire
 * @capacity: bytes
 * @volume: the target's handle in this epoch
 * @flags: RBLK_EXPF_*
 * @logical_block: bytes
 * @physical_block: bytes
 * @io_min: bytes, or 0
 * @io_opt: bytes, or 0
 * @max_discard: bytes, 0 for no discard
 * @discard_granularity: bytes
 * @discard_alignment: bytes
 * @max_write_zeroes: bytes, 0 for no write-zeroes
 * @tenure: tenure for a later ATTACH that continues this one
 * @right: right for it
 */
struct rblk_geometry {
	u8 uuid[RBLK_WIRE_UUID_LEN];
	u64 capacity;
	u32 volume;
	u32 flags;
	u32 logical_block;
	u32 physical_block;
	u32 io_min;
	u32 io_opt;
	u32 max_discard;
	u32 discard_granularity;
	u32 discard_alignment;
	u32 max_write_zeroes;
	u64 tenure;
	u64 right;
};

void rblk_proto_encode_cm_req(struct rblk_wire_cm_req *req,
			      const struct rblk_offer *offer);
const char *rblk_proto_check_cm_rep(const void *data, size_t bytes,
				    const struct rblk_offer *offer,
				    struct rblk_grant *grant);
const char *rblk_proto_check_cm_rej(const void *data, size_t bytes,
				    struct rblk_wire_cm_rej *rej);
const char *rblk_proto_reject_text(u16 reason);
const char *rblk_proto_ctl_text(u16 status);
blk_status_t rblk_proto_status(u16 status);

u32 rblk_proto_command_message(struct rblk_wire_hdr *hdr, u8 count,
			       u32 inline_bytes);
void rblk_proto_encode_command(struct rblk_wire_cmd *cmd,
			       const struct rblk_command *c);
const char *rblk_proto_check_response_message(const struct rblk_arrival *msg);
const char *rblk_proto_check_response(const struct rblk_wire_rsp *rsp,
				      const struct rblk_arrival *msg,
				      const struct rblk_awaited *want);
const char *rblk_proto_check_immediate(u16 gen, u32 bytes,
				       const struct rblk_awaited *want);

u32 rblk_proto_encode_ctl(struct rblk_wire_ctl *ctl, u8 type, u32 bytes, u32 xid);
const char *rblk_proto_check_ctl(const struct rblk_arrival *msg);
const char *rblk_proto_check_ctl_reply(const struct rblk_arrival *msg, u8 request,
				       u32 xid, u32 bytes);
const char *rblk_proto_check_login_reply(const struct rblk_arrival *msg, u32 xid);
const char *rblk_proto_check_list_reply(const struct rblk_arrival *msg, u32 xid,
					u32 start);
const char *rblk_proto_check_attach_reply(const struct rblk_arrival *msg, u32 xid,
					  struct rblk_geometry *geo);
const char *rblk_proto_check_bind_reply(const struct rblk_arrival *msg, u32 xid,
					const struct rblk_grant *grant);
const char *rblk_proto_check_portals_reply(const struct rblk_arrival *msg, u32 xid);
const char *rblk_proto_check_reservation_reply(const struct rblk_arrival *msg, u32 xid,
					       u32 start);
bool rblk_proto_holders_fit(u32 type, const struct rblk_wire_registrant *entry, u32 nr);
const char *rblk_proto_check_event(const struct rblk_arrival *msg);

#endif /* RBLK_PROTO_H */
