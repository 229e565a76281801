/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks of messages from the wire (proto.c), what they mean for a tenure
 * (tenure.c), and encoders of the answers (encoder.c); reservation.h has a door of its
 * own.  They are pure: they work on
 * plain memory and use no RDMA, no block layer, no allocation and no locks.  So any
 * context may call them.
 */
#ifndef RBLKT_PROTO_H
#define RBLKT_PROTO_H

#include <linux/types.h>
#include <linux/blk_types.h>	/* only for the BLK_STS_ numbers */
#include "rblk_wire.h"

/* Why a message is a protocol violation; each ends its connection. */
#define RBLKT_BAD_TABLE(X)						\
	X(RBLKT_BAD_NONE,	"nothing")				\
	X(RBLKT_BAD_SHORT,	"message shorter than its header")	\
	X(RBLKT_BAD_LENGTH,	"length does not match the bytes received") \
	X(RBLKT_BAD_TYPE,	"message type not allowed here")	\
	X(RBLKT_BAD_COUNT,	"bad number of commands")		\
	X(RBLKT_BAD_HDR_FLAGS,	"unknown or forbidden header flags")	\
	X(RBLKT_BAD_RESERVED,	"reserved field not zero")		\
	X(RBLKT_BAD_STATUS,	"status in a request")			\
	X(RBLKT_BAD_NAME,	"malformed name")			\
	X(RBLKT_BAD_UUID,	"UUID is all zeroes")			\
	X(RBLKT_BAD_EPOCH,	"epoch is 0")				\
	X(RBLKT_BAD_AUTH,	"bad authentication method or length")	\
	X(RBLKT_BAD_ACCESS,	"unknown access flags")			\
	X(RBLKT_BAD_TENURE,	"tenure or right in an attach that continues nothing") \
	X(RBLKT_BAD_RESV,	"action, type or keys of a reservation do not fit") \
	X(RBLKT_BAD_OP,		"unknown operation")			\
	X(RBLKT_BAD_FLAGS,	"command flags not allowed here")	\
	X(RBLKT_BAD_TAG,	"tag above the granted depth")		\
	X(RBLKT_BAD_TAG_BUSY,	"tag already in use")			\
	X(RBLKT_BAD_VOLUME,	"unknown volume handle")		\
	X(RBLKT_BAD_SIZE,	"data length out of range or unaligned") \
	X(RBLKT_BAD_RANGE,	"beyond the end of the volume")		\
	X(RBLKT_BAD_RKEY,	"rkey or address missing, stray or wrapping") \
	X(RBLKT_BAD_DIGEST,	"digest missing or stray")		\
	X(RBLKT_BAD_PRIO,	"bad I/O priority")			\
	X(RBLKT_BAD_READ_ONLY,	"change to a volume attached read-only") \
	X(RBLKT_BAD_INLINE,	"inline data missing, stray or too long") \
	X(RBLKT_BAD_PUSHED,	"pushed data that its tag has no slot for")	\
	X(RBLKT_BAD_WINDOW,	"data beyond its window, or unaligned in it") \
	X(RBLKT_BAD_INVALIDATE,	"receive carries an invalidate")	\
	X(RBLKT_BAD_IMMEDIATE,	"receive carries immediate data")	\
	X(RBLKT_BAD_CREDIT,	"more requests outstanding than granted") \
	X(RBLKT_BAD_ORDER,	"message out of order")			\
	X(RBLKT_BAD_KEY,	"wrong session key")			\
	X(RBLKT_BAD_MAC,	"message that its host has not sent as its next one")

enum rblkt_bad {
#define RBLKT_BAD_ENUM(name, text) name,
	RBLKT_BAD_TABLE(RBLKT_BAD_ENUM)
#undef RBLKT_BAD_ENUM
	RBLKT_BAD_NR
};

/* A connection request in host order. */
struct rblkt_req {
	u8 session[RBLK_WIRE_UUID_LEN];
	u32 epoch;
	u16 qid;
	u16 nr_queues;
	u16 depth;
	u32 features;
	u32 max_io;
	u32 inline_read;
	u32 inline_write;
};

/* The most that the target grants. */
struct rblkt_limits {
	u16 max_queues;
	u16 max_depth;
	u32 features;
	u32 max_io;
	u32 inline_read;
	u32 inline_write;
	u16 slot_size;		/* with RBLK_FEAT_WRITE_PUSH, bytes */
	u16 slots;		/* likewise: of so many tags */
	u32 window;		/* with RBLK_FEAT_WRITE_WINDOW, bytes */
};

/* The limits granted to one connection. */
struct rblkt_grant {
	u16 nr_queues;
	u16 depth;
	u16 max_batch;
	u32 features;
	u32 max_io;
	u32 inline_read;
	u32 inline_write;
	u16 slot_size;		/* 0 without RBLK_FEAT_WRITE_PUSH */
	u16 slots;		/* of the first tags, likewise */
	u32 window;		/* 0 without RBLK_FEAT_WRITE_WINDOW */
};

/* The properties of an attached export that bound its commands. */
struct rblkt_geo {
	u64 blocks;		/* logical; may grow during a check */
	u32 block_shift;
	u32 max_discard;	/* bytes, 0 for none */
	u32 max_write_zeroes;	/* bytes, 0 for none */
	bool writable;
	bool digest;		/* in force */
};

const char *rblkt_proto_bad_text(enum rblkt_bad bad);

enum rblk_wire_reject rblkt_proto_check_req(const void *data, size_t len,
					    struct rblkt_req *req);
enum rblk_wire_reject rblkt_proto_grant(const struct rblkt_req *req,
					const struct rblkt_limits *limits,
					struct rblkt_grant *grant);
void rblkt_proto_narrow(struct rblkt_grant *grant,
			const struct rblkt_grant *bound);
void rblkt_proto_drop_window(struct rblkt_grant *grant);
void rblkt_proto_rep(struct rblk_wire_cm_rep *rep,
		     const struct rblkt_grant *grant);
void rblkt_proto_rej(struct rblk_wire_cm_rej *rej,
		     enum rblk_wire_reject reason, u32 away_ms);

enum rblkt_bad rblkt_proto_check_io(const void *msg, size_t len,
				    const struct rblkt_grant *grant);
enum rblkt_bad rblkt_proto_check_cmd(const struct rblk_wire_hdr *hdr,
				     const struct rblk_wire_cmd *cmd,
				     const struct rblkt_grant *grant);
enum rblkt_bad rblkt_proto_check_geo(const struct rblk_wire_cmd *cmd,
				     const struct rblkt_grant *grant,
				     const struct rblkt_geo *geo);
enum rblkt_bad rblkt_proto_check_ctl(const void *msg, size_t len);

bool rblkt_proto_revoked(u64 right, const struct rblk_wire_attach *msg);
bool rblkt_proto_superseded(u64 tenure, const struct rblk_wire_attach *msg);
u64 rblkt_proto_tenure(u64 tenure, const struct rblk_wire_attach *msg,
		       bool writes, u64 fresh);
u16 rblkt_proto_prio(u16 prio, bool realtime);
u16 rblkt_proto_status(blk_status_t sts);
u32 rblkt_proto_next_rsp(void *msg, u32 nr, const struct rblk_wire_cmd *cmd,
			 u16 status, u64 target_ns, u64 device_ns);
void rblkt_proto_rsp(void *msg, const struct rblk_wire_cmd *cmd, u16 status,
		     bool data, u32 digest, u64 target_ns, u64 device_ns);
__be32 rblkt_proto_imm(const struct rblk_wire_cmd *cmd);
void rblkt_proto_ctl(void *msg, u32 len, u8 type, __le32 xid, u16 status);
bool rblkt_proto_portal(struct rblk_wire_portal *portal, u16 family, u16 port,
			const u8 *addr);
void rblkt_proto_event(struct rblk_wire_event *event,
		       enum rblk_wire_event_kind kind, u32 volume, u64 value);

#endif /* RBLKT_PROTO_H */
