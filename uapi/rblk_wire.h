/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * rblk wire protocol, version 1: everything that crosses the network.
 *
 * All integers are little-endian and naturally aligned.  The sender sets
 * reserved fields to zero, and the receiver refuses anything else: so a later
 * version can give them a meaning, and no old peer silently ignores it.  The
 * length in a message's header is always the number of bytes received.
 *
 * A session is one control connection (qid 0) and up to RBLK_WIRE_MAX_QUEUES
 * I/O connections (qid 1..N).  Each connection is one reliable-connected queue
 * pair.  docs/protocol.md describes the protocol in prose.
 */
#ifndef RBLK_WIRE_H
#define RBLK_WIRE_H

#include <linux/types.h>

#include "rblk_name.h"

/* Whoever compiles this checks each layout, if the language can: since C11 and C++11. */
#if defined(__cplusplus) && __cplusplus >= 201103L
#define RBLK_WIRE_ASSERT(condition, text)	static_assert(condition, text)
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define RBLK_WIRE_ASSERT(condition, text)	_Static_assert(condition, text)
#else
#define RBLK_WIRE_ASSERT(condition, text)
#endif

#define RBLK_WIRE_ASSERT_SIZE(type, bytes)				\
	RBLK_WIRE_ASSERT(sizeof(type) == (bytes), #type " changed its size")
#define RBLK_WIRE_ASSERT_AT(type, member, bytes)			\
	RBLK_WIRE_ASSERT(__builtin_offsetof(type, member) == (bytes), #type "." #member " moved")

#define RBLK_WIRE_MAGIC		0x6b6c6272u	/* "rblk" in memory order */
#define RBLK_WIRE_VERSION	1
#define RBLK_DEFAULT_PORT	4421

#define RBLK_WIRE_UUID_LEN	16
#define RBLK_WIRE_NAME_LEN	RBLK_NAME_LEN	/* see rblk_name.h */
#define RBLK_WIRE_AUTH_LEN	128
#define RBLK_WIRE_NONCE_LEN	16
#define RBLK_WIRE_KEY_LEN	32	/* a public key: a point of X25519 */
#define RBLK_WIRE_TAG_LEN	16	/* proof in a LOGIN or its reply */
#define RBLK_WIRE_MAC_LEN	8	/* at the end of an authenticated message */

#define RBLK_WIRE_MAX_QUEUES	64
#define RBLK_WIRE_MIN_DEPTH	4
#define RBLK_WIRE_MAX_DEPTH	1024
#define RBLK_WIRE_MAX_BATCH	16	/* commands or responses in one SEND */
#define RBLK_WIRE_MIN_IO	(64u << 10)
#define RBLK_WIRE_MAX_IO	(1u << 20)
#define RBLK_WIRE_MAX_INLINE	(32u << 10)

/*
 * Inline data starts at this offset of a message of any kind.  If a receiver
 * posts its buffers at 64 bytes before a page boundary, the data arrives
 * page-aligned with a single scatter element.
 */
#define RBLK_WIRE_DATA_OFFSET	64
#define RBLK_WIRE_CTRL_MAX	4096	/* longest message on qid 0, and BIND */

/* Data in a window begins at a multiple of this, and a window consists of these. */
#define RBLK_WIRE_WINDOW_UNIT	4096
#define RBLK_WIRE_MAX_WINDOW	(16u << 20)

/* Optional features: the request offers them, the reply puts some in force. */
#define RBLK_FEAT_READ_IMM	(1u << 0)	/* RDMA WRITE with immediate as the answer */
#define RBLK_FEAT_WRITE_PUSH	(1u << 1)	/* RDMA WRITE of write data into granted slots */
#define RBLK_FEAT_DIGEST	(1u << 2)	/* volumes with RBLK_ATTACHF_DIGEST */
#define RBLK_FEAT_WRITE_WINDOW	(1u << 3)	/* RDMA WRITE of write data into a granted window */
#define RBLK_FEAT_HELD		(1u << 4)	/* commands may end before their tags are free */
#define RBLK_FEAT_RESERVATION	(1u << 5)	/* RESERVE, RESERVATION and their event */

/* ---- Connection establishment: rdma_cm private data ---- */

/**
 * struct rblk_wire_cm_req - private data of a connection request
 * @magic: RBLK_WIRE_MAGIC
 * @size: bytes of this structure that the sender filled in
 * @version_min: oldest protocol version the initiator speaks
 * @version_max: newest protocol version the initiator speaks
 * @session: UUID; the initiator chooses it for the life of the session
 * @epoch: the session's generation; each reconnect raises it; never 0
 * @qid: 0 for the control connection, 1..@nr_queues for I/O
 * @nr_queues: I/O connections the session wants to have
 * @depth: commands the initiator may have outstanding on this connection
 * @reserved: zero
 * @features: RBLK_FEAT_* the initiator can use
 * @max_io: largest data length of one command the initiator will send, bytes
 * @inline_read: largest read to be answered in the response message, 0 for none
 * @inline_write: largest write the initiator would send with the command
 * @reserved2: zero
 *
 * rdma_cm leaves 56 of IB's 92 bytes.  IB delivers them zero-padded.
 */
struct rblk_wire_cm_req {
	__le32 magic;
	__le16 size;
	__u8 version_min;
	__u8 version_max;
	__u8 session[RBLK_WIRE_UUID_LEN];
	__le32 epoch;
	__le16 qid;
	__le16 nr_queues;
	__le16 depth;
	__le16 reserved;
	__le32 features;
	__le32 max_io;
	__le32 inline_read;
	__le32 inline_write;
	__le32 reserved2;
};
RBLK_WIRE_ASSERT_SIZE(struct rblk_wire_cm_req, 56);
RBLK_WIRE_ASSERT_AT(struct rblk_wire_cm_req, session, 8);
RBLK_WIRE_ASSERT_AT(struct rblk_wire_cm_req, epoch, 24);
RBLK_WIRE_ASSERT_AT(struct rblk_wire_cm_req, features, 36);

/**
 * struct rblk_wire_cm_rep - private data of the target's acceptance
 * @magic: RBLK_WIRE_MAGIC
 * @size: bytes of this structure that the sender filled in
 * @version: the version in force, within the initiator's range
 * @reserved: zero
 * @nr_queues: I/O connections the target grants, at most as many as requested
 * @depth: commands that may be outstanding here, at most as many as requested
 * @max_batch: commands the target takes in one message, 1..RBLK_WIRE_MAX_BATCH
 * @reserved2: zero
 * @features: RBLK_FEAT_* in force, a subset of those offered
 * @max_io: largest data length of one command, at most as requested
 * @inline_read: largest inline read in force, at most as requested
 * @inline_write: largest inline write in force, at most as requested
 * @nonce: random, new for each connection, so that no key of it can come again
 * @reserved3: zero
 */
struct rblk_wire_cm_rep {
	__le32 magic;
	__le16 size;
	__u8 version;
	__u8 reserved;
	__le16 nr_queues;
	__le16 depth;
	__le16 max_batch;
	__le16 reserved2;
	__le32 features;
	__le32 max_io;
	__le32 inline_read;
	__le32 inline_write;
	__u8 nonce[RBLK_WIRE_NONCE_LEN];
	__u8 reserved3[16];
};
RBLK_WIRE_ASSERT_SIZE(struct rblk_wire_cm_rep, 64);
RBLK_WIRE_ASSERT_AT(struct rblk_wire_cm_rep, features, 16);
RBLK_WIRE_ASSERT_AT(struct rblk_wire_cm_rep, nonce, 32);

/* The longest announced absence that an initiator believes: an hour. */
#define RBLK_WIRE_MAX_AWAY_MS	3600000u

/* Why a target refuses a connection.  The tool turns it into words. */
enum rblk_wire_reject {
	RBLK_REJ_NONE		= 0,
	RBLK_REJ_MALFORMED	= 1,	/* request not understood */
	RBLK_REJ_VERSION	= 2,	/* no common version; see the range */
	RBLK_REJ_LIMITS		= 3,	/* qid, queues, depth or sizes out of range */
	RBLK_REJ_NO_SESSION	= 4,	/* I/O connection for a session that is not logged in */
	RBLK_REJ_STALE_EPOCH	= 5,	/* the target knows a newer epoch of this session */
	RBLK_REJ_DUPLICATE	= 6,	/* this qid is already connected */
	RBLK_REJ_NO_RESOURCES	= 7,	/* the system is out of memory or queue pairs */
	RBLK_REJ_DEVICE		= 8,	/* another RDMA device of the target, or too small queues */
	RBLK_REJ_GOING_AWAY	= 9,	/* the portal or the module is being removed */
	RBLK_REJ_HALF_OPEN	= 10,	/* too many connections without LOGIN or BIND */
	RBLK_REJ_MEMORY		= 11,	/* over the memory limit for all hosts, or for one */
	RBLK_REJ_PAUSED		= 12,	/* planned pause, for about @away_ms */
	/* What the target's RDMA device lacks. */
	RBLK_REJ_NO_MR		= 13,	/* fast memory registration, invalidation */
	RBLK_REJ_NO_MR_PAGE	= 14,	/* registrations by pages of 4 KiB */
	RBLK_REJ_NO_READ	= 15,	/* RDMA READ */
	RBLK_REJ_LAST		= RBLK_REJ_NO_READ
};

/**
 * struct rblk_wire_cm_rej - private data of a refusal
 * @magic: RBLK_WIRE_MAGIC
 * @size: bytes of this structure that the sender filled in
 * @version_min: oldest version the target speaks
 * @version_max: newest version the target speaks
 * @reason: enum rblk_wire_reject
 * @reserved: zero
 * @away_ms: with RBLK_REJ_PAUSED, time left of the pause, 0 for unknown; else 0
 */
struct rblk_wire_cm_rej {
	__le32 magic;
	__le16 size;
	__u8 version_min;
	__u8 version_max;
	__le16 reason;
	__le16 reserved;
	__le32 away_ms;
};
RBLK_WIRE_ASSERT_SIZE(struct rblk_wire_cm_rej, 16);

/* ---- Messages ---- */

enum rblk_wire_msg {
	/* I/O connections, after BIND */
	RBLK_MSG_COMMAND	= 0x01,	/* count commands */
	RBLK_MSG_RESPONSE	= 0x02,	/* count responses */
	/* first message of an I/O connection, and its answer */
	RBLK_MSG_BIND		= 0x10,
	RBLK_MSG_BIND_REPLY	= 0x11,
	/* control connection; a reply's type is the request's type plus one */
	RBLK_MSG_LOGIN		= 0x20,
	RBLK_MSG_LOGIN_REPLY	= 0x21,
	RBLK_MSG_LIST		= 0x22,
	RBLK_MSG_LIST_REPLY	= 0x23,
	RBLK_MSG_ATTACH		= 0x24,
	RBLK_MSG_ATTACH_REPLY	= 0x25,
	RBLK_MSG_DETACH		= 0x26,
	RBLK_MSG_DETACH_REPLY	= 0x27,
	RBLK_MSG_KEEPALIVE	= 0x28,
	RBLK_MSG_KEEPALIVE_REPLY = 0x29,
	RBLK_MSG_FENCE		= 0x2a,
	RBLK_MSG_FENCE_REPLY	= 0x2b,
	RBLK_MSG_PORTALS	= 0x2c,
	RBLK_MSG_PORTALS_REPLY	= 0x2d,
	RBLK_MSG_RESERVE	= 0x2e,
	RBLK_MSG_RESERVE_REPLY	= 0x2f,
	RBLK_MSG_EVENT		= 0x30,	/* target to initiator, unasked and unanswered */
	RBLK_MSG_RESERVATION	= 0x32,
	RBLK_MSG_RESERVATION_REPLY = 0x33,
};

/**
 * struct rblk_wire_hdr - start of every message
 * @type: enum rblk_wire_msg
 * @count: commands or responses that follow; 1 for all other messages
 * @flags: RBLK_HDRF_*
 * @length: bytes of the whole message, with this header and inline data
 */
struct rblk_wire_hdr {
	__u8 type;
	__u8 count;
	__le16 flags;
	__le32 length;
};
RBLK_WIRE_ASSERT_SIZE(struct rblk_wire_hdr, 8);

/* Data follows at RBLK_WIRE_DATA_OFFSET; @count is 1. */
#define RBLK_HDRF_DATA		(1u << 0)

/* ---- I/O ---- */

enum rblk_wire_op {
	RBLK_OP_READ		= 1,
	RBLK_OP_WRITE		= 2,
	RBLK_OP_FLUSH		= 3,
	RBLK_OP_DISCARD		= 4,
	RBLK_OP_WRITE_ZEROES	= 5,
};

#define RBLK_CMDF_FUA		(1u << 0)	/* WRITE, WRITE_ZEROES: stable when answered */
#define RBLK_CMDF_NOUNMAP	(1u << 1)	/* WRITE_ZEROES: keep the blocks allocated */
#define RBLK_CMDF_INLINE	(1u << 2)	/* the data travels in the message, no rkey */
#define RBLK_CMDF_IMM		(1u << 3)	/* READ: answer as in RBLK_FEAT_READ_IMM */
#define RBLK_CMDF_PUSHED	(1u << 4)	/* WRITE: the data is in the tag's slot */
#define RBLK_CMDF_DIGEST	(1u << 5)	/* READ, WRITE: with RBLK_EXPF_DIGEST */
#define RBLK_CMDF_SYNC		(1u << 6)	/* hint: a task waits for it */
#define RBLK_CMDF_META		(1u << 7)	/* hint: file-system metadata */
#define RBLK_CMDF_BACKGROUND	(1u << 8)	/* hint: idle or read-ahead work */
#define RBLK_CMDF_WINDOW	(1u << 9)	/* WRITE: the data is in the window, at @addr */

/**
 * struct rblk_wire_cmd - one I/O command
 * @op: enum rblk_wire_op
 * @reserved: zero
 * @flags: RBLK_CMDF_*
 * @tag: the slot, below the granted depth; not outstanding on this connection
 * @gen: the slot's generation; the response repeats it
 * @volume: handle from the ATTACH reply of this epoch
 * @length: bytes affected, a multiple of the logical block; 0 for FLUSH
 * @lba: first logical block; 0 for FLUSH
 * @addr: RDMA address of the initiator's memory under @rkey; with
 *        RBLK_CMDF_WINDOW, offset of the data in the window; else 0
 * @rkey: grants access to exactly @length bytes at @addr, else 0
 * @digest: with RBLK_CMDF_DIGEST on a WRITE, CRC32C of the data (RFC 3720: seed and
 *          final XOR are all ones); else 0
 * @prio: I/O priority as in linux/ioprio.h, 0 for none
 * @reserved2: zero
 */
struct rblk_wire_cmd {
	__u8 op;
	__u8 reserved;
	__le16 flags;
	__le16 tag;
	__le16 gen;
	__le32 volume;
	__le32 length;
	__le64 lba;
	__le64 addr;
	__le32 rkey;
	__le32 digest;
	__le16 prio;
	__u8 reserved2[6];
};
RBLK_WIRE_ASSERT_SIZE(struct rblk_wire_cmd, 48);
RBLK_WIRE_ASSERT_AT(struct rblk_wire_cmd, lba, 16);
RBLK_WIRE_ASSERT_AT(struct rblk_wire_cmd, rkey, 32);

/*
 * The status of an I/O and the blk_status_t it stands for.  One table serves
 * both sides: the target maps from the block layer's value, the initiator back
 * to it.  An unlisted wire value is a protocol violation.  An unlisted block
 * status travels as IOERR.  If two rows have the same block status, the target
 * uses the first.
 *
 * Only the target itself raises GONE: the volume's export was taken away.  The
 * initiator does not end the request with it.  It holds the request, as after
 * the loss of a connection, and asks for the export again.  HELD says the same,
 * but the target still needs what belongs to the tag: a second response, GONE,
 * frees it.
 *
 * DIGEST answers a WRITE with RBLK_CMDF_DIGEST: the data that arrived has another
 * digest, and the target has written nothing.
 *
 * RESV_CONFLICT: a reservation keeps the export from this host.  The target has not
 * given the command to its device.
 */
#define RBLK_STATUS_TABLE(X)						\
	X(RBLK_STATUS_OK,		0,	BLK_STS_OK)		\
	X(RBLK_STATUS_NOTSUPP,		1,	BLK_STS_NOTSUPP)	\
	X(RBLK_STATUS_TIMEOUT,		2,	BLK_STS_TIMEOUT)	\
	X(RBLK_STATUS_NOSPC,		3,	BLK_STS_NOSPC)		\
	X(RBLK_STATUS_TRANSPORT,	4,	BLK_STS_TRANSPORT)	\
	X(RBLK_STATUS_TARGET,		5,	BLK_STS_TARGET)		\
	X(RBLK_STATUS_RESV_CONFLICT,	6,	BLK_STS_RESV_CONFLICT)	\
	X(RBLK_STATUS_MEDIUM,		7,	BLK_STS_MEDIUM)		\
	X(RBLK_STATUS_PROTECTION,	8,	BLK_STS_PROTECTION)	\
	X(RBLK_STATUS_RESOURCE,		9,	BLK_STS_RESOURCE)	\
	X(RBLK_STATUS_IOERR,		10,	BLK_STS_IOERR)		\
	X(RBLK_STATUS_OFFLINE,		11,	BLK_STS_OFFLINE)	\
	X(RBLK_STATUS_GONE,		12,	BLK_STS_OFFLINE)	\
	X(RBLK_STATUS_INVAL,		13,	BLK_STS_INVAL)		\
	X(RBLK_STATUS_DURATION_LIMIT,	14,	BLK_STS_DURATION_LIMIT)	\
	X(RBLK_STATUS_HELD,		15,	BLK_STS_OFFLINE)	\
	X(RBLK_STATUS_DIGEST,		16,	BLK_STS_PROTECTION)

enum rblk_wire_status {
#define RBLK_STATUS_ENUM(name, value, blk) name = value,
	RBLK_STATUS_TABLE(RBLK_STATUS_ENUM)
#undef RBLK_STATUS_ENUM
	RBLK_STATUS_NR
};

#define RBLK_RSPF_DIGEST	(1u << 0)	/* READ with RBLK_CMDF_DIGEST, OK */

/**
 * struct rblk_wire_rsp - one I/O response
 * @tag: from the command
 * @gen: from the command
 * @status: enum rblk_wire_status
 * @flags: RBLK_RSPF_*
 * @length: bytes transferred: the command's length, or 0 on any error
 * @digest: with RBLK_RSPF_DIGEST, CRC32C of the data as it was at the target; else 0
 * @target_ns: from the command's arrival to this reply, saturating
 * @device_ns: the part of @target_ns in the backing device, saturating
 * @reserved: zero
 *
 * If the command carried an rkey, the response invalidates that rkey and no
 * other (SEND with invalidate).  If it carried none, the response invalidates
 * nothing.  The initiator accepts no other response.
 */
struct rblk_wire_rsp {
	__le16 tag;
	__le16 gen;
	__le16 status;
	__le16 flags;
	__le32 length;
	__le32 digest;
	__le32 target_ns;
	__le32 device_ns;
	__le64 reserved;
};
RBLK_WIRE_ASSERT_SIZE(struct rblk_wire_rsp, 32);
RBLK_WIRE_ASSERT_AT(struct rblk_wire_rsp, target_ns, 16);

/* The immediate of RBLK_FEAT_READ_IMM, in host order: (tag, gen) succeeded. */
#define RBLK_IMM_TAG_SHIFT	16
#define RBLK_IMM_GEN_MASK	0xffffu

/* ---- Control ---- */

/* The outcome of a control request. */
enum rblk_wire_ctl_status {
	RBLK_CTL_OK		= 0,
	RBLK_CTL_AGAIN		= 1,	/* I/O of an earlier holder or epoch has not ended yet */
	RBLK_CTL_MALFORMED	= 2,
	RBLK_CTL_NO_EXPORT	= 3,
	RBLK_CTL_DENIED		= 4,	/* this host is not in the export's list */
	RBLK_CTL_BUSY		= 5,	/* held exclusively; @holder names the host */
	RBLK_CTL_NOT_SHARED	= 6,	/* --shared on one side only */
	RBLK_CTL_READ_ONLY	= 7,	/* write access to a read-only export */
	RBLK_CTL_NO_RESOURCES	= 8,
	RBLK_CTL_AUTH		= 9,	/* authentication missing or failed */
	RBLK_CTL_AUTH_CONTINUE	= 10,	/* @auth has the target's proof: LOGIN again */
	RBLK_CTL_BAD_KEY	= 11,
	RBLK_CTL_NO_VOLUME	= 12,
	RBLK_CTL_ATTACHED	= 13,	/* this session holds that export already */
	RBLK_CTL_WRONG_UUID	= 14,	/* the export has another identity now */
	RBLK_CTL_GOING_AWAY	= 15,
	RBLK_CTL_FENCED		= 16,	/* another writer since @tenure, or lost since @right */
	RBLK_CTL_SESSIONS	= 17,	/* one address already has its maximum of sessions */
	RBLK_CTL_MEMORY		= 18,	/* over the memory limit for all hosts, or for one */
	RBLK_CTL_OTHER_HOST	= 19,	/* another machine is logged in under this host's UUID */
	RBLK_CTL_NOTHING	= 20,	/* no export is for this host */
	RBLK_CTL_NOT_KEPT	= 21,	/* the target can't record the new writer or reservation */
	RBLK_CTL_KEY_UNKNOWN	= 22,	/* no export allows this host's key */
	RBLK_CTL_NO_KEY		= 23,	/* the target has no key, and so can't prove one */
	RBLK_CTL_STALE_EPOCH	= 24,	/* the target knows this epoch or a newer one */
	RBLK_CTL_CONFLICT	= 25,	/* registrations or the reservation forbid it */
	RBLK_CTL_WRONG_TYPE	= 26,	/* the reservation has another type than that needs */
	RBLK_CTL_OLD_CHANGE	= 27,	/* its source has gone on to a later change */
	RBLK_CTL_LAST		= RBLK_CTL_OLD_CHANGE
};

/**
 * struct rblk_wire_ctl - header and start of every control message
 * @hdr: its count is 1
 * @xid: chosen by the initiator, repeated in the reply; 0 in an EVENT
 * @status: enum rblk_wire_ctl_status in replies, else 0
 * @reserved: zero
 */
struct rblk_wire_ctl {
	struct rblk_wire_hdr hdr;
	__le32 xid;
	__le16 status;
	__le16 reserved;
};
RBLK_WIRE_ASSERT_SIZE(struct rblk_wire_ctl, 16);

#define RBLK_AUTH_NONE		0
#define RBLK_AUTH_X25519	1	/* docs/protocol.md, section 12 */

/*
 * What is in @auth of LOGIN and LOGIN_REPLY with RBLK_AUTH_X25519; the rest of the
 * field is zero.
 */

/**
 * struct rblk_wire_auth_hello - @auth of the first LOGIN
 * @ephemeral: the host's public key for this LOGIN only
 * @key: the host's static public key, which access lists name
 */
struct rblk_wire_auth_hello {
	__u8 ephemeral[RBLK_WIRE_KEY_LEN];
	__u8 key[RBLK_WIRE_KEY_LEN];
};
RBLK_WIRE_ASSERT_SIZE(struct rblk_wire_auth_hello, 64);

/**
 * struct rblk_wire_auth_answer - @auth of the LOGIN_REPLY with RBLK_CTL_AUTH_CONTINUE
 * @ephemeral: the target's public key for this LOGIN only
 * @key: the target's static public key, which the host knows beforehand
 * @tag: proves that the target has the private keys to both
 */
struct rblk_wire_auth_answer {
	__u8 ephemeral[RBLK_WIRE_KEY_LEN];
	__u8 key[RBLK_WIRE_KEY_LEN];
	__u8 tag[RBLK_WIRE_TAG_LEN];
};
RBLK_WIRE_ASSERT_SIZE(struct rblk_wire_auth_answer, 80);
RBLK_WIRE_ASSERT_AT(struct rblk_wire_auth_answer, tag, 64);

/**
 * struct rblk_wire_auth_proof - @auth of the second LOGIN
 * @tag: proves that the host has the private keys to those of its first LOGIN
 */
struct rblk_wire_auth_proof {
	__u8 tag[RBLK_WIRE_TAG_LEN];
};
RBLK_WIRE_ASSERT_SIZE(struct rblk_wire_auth_proof, 16);

/**
 * struct rblk_wire_login - LOGIN, the first message of a control connection
 * @ctl: type RBLK_MSG_LOGIN
 * @host: the host's UUID, which exports' access lists name
 * @instance: UUID made at each load of the initiator, thus at each boot.  A
 *            LOGIN with the same @host and another @instance ends that host's
 *            older sessions
 * @host_name: for people; a name as in rblk_name.h
 * @auth_method: RBLK_AUTH_*
 * @auth_len: bytes used in @auth
 * @reserved: zero
 * @auth: struct rblk_wire_auth_hello or struct rblk_wire_auth_proof
 */
struct rblk_wire_login {
	struct rblk_wire_ctl ctl;
	__u8 host[RBLK_WIRE_UUID_LEN];
	__u8 instance[RBLK_WIRE_UUID_LEN];
	char host_name[RBLK_WIRE_NAME_LEN];
	__le16 auth_method;
	__le16 auth_len;
	__le32 reserved;
	__u8 auth[RBLK_WIRE_AUTH_LEN];
};
RBLK_WIRE_ASSERT_SIZE(struct rblk_wire_login, 248);
RBLK_WIRE_ASSERT_AT(struct rblk_wire_login, auth, 120);

/**
 * struct rblk_wire_login_reply - LOGIN_REPLY
 * @ctl: type RBLK_MSG_LOGIN_REPLY
 * @key: secret that binds this session's I/O connections
 * @target: the target's UUID, made at each start of the target
 * @target_name: for people
 * @keepalive_ms: the target tolerates a silence of three times this
 * @auth_len: bytes used in @auth
 * @reserved: zero
 * @auth: with RBLK_CTL_AUTH_CONTINUE, struct rblk_wire_auth_answer
 */
struct rblk_wire_login_reply {
	struct rblk_wire_ctl ctl;
	__le64 key;
	__u8 target[RBLK_WIRE_UUID_LEN];
	char target_name[RBLK_WIRE_NAME_LEN];
	__le32 keepalive_ms;
	__le16 auth_len;
	__le16 reserved;
	__u8 auth[RBLK_WIRE_AUTH_LEN];
};
RBLK_WIRE_ASSERT_SIZE(struct rblk_wire_login_reply, 240);
RBLK_WIRE_ASSERT_AT(struct rblk_wire_login_reply, auth, 112);

/**
 * struct rblk_wire_list - LIST: ask which exports this host may see
 * @ctl: type RBLK_MSG_LIST
 * @start: index of the first entry wanted
 * @reserved: zero
 */
struct rblk_wire_list {
	struct rblk_wire_ctl ctl;
	__le32 start;
	__le32 reserved;
};
RBLK_WIRE_ASSERT_SIZE(struct rblk_wire_list, 24);

/* Flags of an export, in LIST and ATTACH replies. */
#define RBLK_EXPF_READ_ONLY	(1u << 0)
#define RBLK_EXPF_SHARED	(1u << 1)	/* may admit several writers */
#define RBLK_EXPF_WRITE_CACHE	(1u << 2)	/* volatile cache: FLUSH is needed */
#define RBLK_EXPF_FUA		(1u << 3)	/* FUA costs less than a FLUSH */
#define RBLK_EXPF_ROTATIONAL	(1u << 4)
#define RBLK_EXPF_IN_USE	(1u << 5)	/* LIST: a host has it attached */
#define RBLK_EXPF_STABLE_WRITES	(1u << 6)	/* data must not change under I/O */
#define RBLK_EXPF_DIGEST	(1u << 7)	/* ATTACH_REPLY: RBLK_ATTACHF_DIGEST is in force */
#define RBLK_EXPF_ALL		0xffu

/**
 * struct rblk_wire_list_entry - one export in a LIST reply
 * @name: the export's name
 * @uuid: its identity
 * @capacity: bytes
 * @block_size: logical block, bytes
 * @flags: RBLK_EXPF_*
 */
struct rblk_wire_list_entry {
	char name[RBLK_WIRE_NAME_LEN];
	__u8 uuid[RBLK_WIRE_UUID_LEN];
	__le64 capacity;
	__le32 block_size;
	__le32 flags;
};
RBLK_WIRE_ASSERT_SIZE(struct rblk_wire_list_entry, 96);

/**
 * struct rblk_wire_list_reply - LIST_REPLY
 * @ctl: type RBLK_MSG_LIST_REPLY
 * @nr: entries that follow
 * @next: @start of a LIST for the rest, 0 if there is no rest
 * @entry: the entries
 */
struct rblk_wire_list_reply {
	struct rblk_wire_ctl ctl;
	__le32 nr;
	__le32 next;
	struct rblk_wire_list_entry entry[];
};
RBLK_WIRE_ASSERT_SIZE(struct rblk_wire_list_reply, 24);
#define RBLK_WIRE_LIST_MAX						\
	((RBLK_WIRE_CTRL_MAX - RBLK_WIRE_MAC_LEN -			\
	  sizeof(struct rblk_wire_list_reply)) / sizeof(struct rblk_wire_list_entry))

#define RBLK_ACCESS_WRITE	(1u << 0)	/* else read-only */
#define RBLK_ACCESS_SHARED	(1u << 1)	/* other writers may attach, too */
#define RBLK_ACCESS_ALL		0x3u

#define RBLK_ATTACHF_CONTINUE	(1u << 0)	/* the host had it before a loss */
#define RBLK_ATTACHF_DIGEST	(1u << 1)	/* with RBLK_FEAT_DIGEST: RBLK_CMDF_DIGEST */
#define RBLK_ATTACHF_ALL	0x3u

/**
 * struct rblk_wire_attach - ATTACH
 * @ctl: type RBLK_MSG_ATTACH
 * @name: the export's name
 * @uuid: the identity it must have, or all zeroes for any
 * @access: RBLK_ACCESS_*
 * @flags: RBLK_ATTACHF_*
 * @tenure: with RBLK_ATTACHF_CONTINUE, tenure of the last ATTACH_REPLY; else 0
 * @device: names the host's device that has the export, perhaps by several sessions;
 *          0 for none.  Sessions of one host that name the same device don't compete,
 *          and the host fences them itself: see struct rblk_wire_fence
 * @right: with RBLK_ATTACHF_CONTINUE, right of the last ATTACH_REPLY; else 0
 */
struct rblk_wire_attach {
	struct rblk_wire_ctl ctl;
	char name[RBLK_WIRE_NAME_LEN];
	__u8 uuid[RBLK_WIRE_UUID_LEN];
	__le32 access;
	__le32 flags;
	__le64 tenure;
	__le64 device;
	__le64 right;
};
RBLK_WIRE_ASSERT_SIZE(struct rblk_wire_attach, 128);

/**
 * struct rblk_wire_attach_reply - ATTACH_REPLY
 * @ctl: type RBLK_MSG_ATTACH_REPLY.  Unless its status is OK, all the rest is
 *       zero except @holder with RBLK_CTL_BUSY
 * @uuid: the export's identity
 * @capacity: bytes, a multiple of @logical_block
 * @volume: handle for commands and DETACH in this epoch; no other volume of the
 *          session has it
 * @flags: RBLK_EXPF_*
 * @logical_block: bytes, a power of two, 512..4096
 * @physical_block: bytes, a power of two, at least @logical_block
 * @io_min: preferred granularity, bytes, 0 for unknown
 * @io_opt: preferred I/O size, bytes, 0 for unknown
 * @max_discard: largest DISCARD, bytes, 0 if there is none
 * @discard_granularity: bytes
 * @discard_alignment: bytes
 * @max_write_zeroes: largest WRITE_ZEROES, bytes, 0 if there is none
 * @holder: with RBLK_CTL_BUSY, the name of the host that holds the export
 * @tenure: changes with each new writer; 0 while the target knows of no writer
 *          and the ATTACH named none
 * @right: changes each time that the host has lost its right to the export; 0 before
 */
struct rblk_wire_attach_reply {
	struct rblk_wire_ctl ctl;
	__u8 uuid[RBLK_WIRE_UUID_LEN];
	__le64 capacity;
	__le32 volume;
	__le32 flags;
	__le32 logical_block;
	__le32 physical_block;
	__le32 io_min;
	__le32 io_opt;
	__le32 max_discard;
	__le32 discard_granularity;
	__le32 discard_alignment;
	__le32 max_write_zeroes;
	char holder[RBLK_WIRE_NAME_LEN];
	__le64 tenure;
	__le64 right;
};
RBLK_WIRE_ASSERT_SIZE(struct rblk_wire_attach_reply, 160);

/**
 * struct rblk_wire_detach - DETACH; the reply is only a struct rblk_wire_ctl
 * @ctl: type RBLK_MSG_DETACH
 * @volume: handle from ATTACH_REPLY
 * @reserved: zero
 */
struct rblk_wire_detach {
	struct rblk_wire_ctl ctl;
	__le32 volume;
	__le32 reserved;
};
RBLK_WIRE_ASSERT_SIZE(struct rblk_wire_detach, 24);

/* KEEPALIVE and its reply are only a struct rblk_wire_ctl. */

enum rblk_wire_event_kind {
	RBLK_EVENT_CAPACITY	= 1,	/* @capacity is the volume's new size */
	RBLK_EVENT_REMOVED	= 2,	/* the volume's export is gone */
	RBLK_EVENT_GOING_AWAY	= 3,	/* the target stops, for about @duration_ms */
	RBLK_EVENT_RESERVATION	= 4,	/* the volume's, or a registration: see @why */
};

/**
 * struct rblk_wire_fence - FENCE
 * @ctl: type RBLK_MSG_FENCE; answered by a FENCE_REPLY, which is a struct
 *       rblk_wire_ctl
 * @session: another session of the same host
 * @uuid: the identity of an export
 * @epoch: the last epoch to end; the host has drained all of its connections
 * @reserved: zero
 *
 * The target ends @session if its epoch is not above @epoch.  RBLK_CTL_OK: no I/O of
 * these epochs to the export is in the target, nor will be.  RBLK_CTL_AGAIN: some is.
 * RBLK_CTL_NO_EXPORT: there is no such export, and so nobody knows.  In these cases no
 * such epoch is left.  RBLK_CTL_DENIED: the session is another host's.
 * RBLK_CTL_MALFORMED: it is the session that the message came by.
 */
struct rblk_wire_fence {
	struct rblk_wire_ctl ctl;
	__u8 session[RBLK_WIRE_UUID_LEN];
	__u8 uuid[RBLK_WIRE_UUID_LEN];
	__le32 epoch;
	__le32 reserved;
};
RBLK_WIRE_ASSERT_SIZE(struct rblk_wire_fence, 56);

#define RBLK_WIRE_FAMILY_IPV4	4
#define RBLK_WIRE_FAMILY_IPV6	6
#define RBLK_WIRE_MAX_PORTALS	64

/**
 * struct rblk_wire_portal - an address at which the target listens
 * @family: RBLK_WIRE_FAMILY_*
 * @port: TCP port number
 * @reserved: zero
 * @addr: in network byte order; IPv4 in the first four bytes, the rest zero
 */
struct rblk_wire_portal {
	__le16 family;
	__le16 port;
	__le32 reserved;
	__u8 addr[16];
};
RBLK_WIRE_ASSERT_SIZE(struct rblk_wire_portal, 24);

/**
 * struct rblk_wire_portals_reply - PORTALS_REPLY, the answer to PORTALS, which is a
 * struct rblk_wire_ctl
 * @ctl: type RBLK_MSG_PORTALS_REPLY
 * @nr: portals that follow, at most RBLK_WIRE_MAX_PORTALS
 * @reserved: zero
 * @portal: where the target listens in the network namespace that the session came
 *          to; without any-addresses, loopback and link-local addresses
 */
struct rblk_wire_portals_reply {
	struct rblk_wire_ctl ctl;
	__le32 nr;
	__le32 reserved;
	struct rblk_wire_portal portal[];
};
RBLK_WIRE_ASSERT_SIZE(struct rblk_wire_portals_reply, 24);

/**
 * struct rblk_wire_event - EVENT
 * @ctl: type RBLK_MSG_EVENT
 * @kind: enum rblk_wire_event_kind
 * @reserved: zero
 * @volume: handle of the volume, 0 with GOING_AWAY
 * @capacity: bytes with CAPACITY, else 0
 * @duration_ms: with GOING_AWAY, 0 for unknown; else 0
 * @why: with RESERVATION, RBLK_RESV_*, at least one; else 0
 */
struct rblk_wire_event {
	struct rblk_wire_ctl ctl;
	__le16 kind;
	__le16 reserved;
	__le32 volume;
	__le64 capacity;
	__le32 duration_ms;
	__le32 why;
};
RBLK_WIRE_ASSERT_SIZE(struct rblk_wire_event, 40);

/* ---- Persistent reservations: docs/protocol.md, section 13 ---- */

/*
 * What has happened to an export's reservation since the last such event.  The
 * target gathers them while the host can take no event.
 */
#define RBLK_RESV_PREEMPTED	(1u << 0)	/* somebody else has ended its registration */
#define RBLK_RESV_RELEASED	(1u << 1)	/* its holder has given the reservation up */
#define RBLK_RESV_CLEARED	(1u << 2)	/* reservation and all registrations have ended */
#define RBLK_RESV_CHANGED	(1u << 3)	/* anything else: see RESERVATION */
#define RBLK_RESV_ALL		0xfu

/* Types of reservations, numbered as in linux/pr.h.  Registrants are hosts with a key. */
enum rblk_wire_resv_type {
	RBLK_RESV_NONE			= 0,
	RBLK_RESV_WRITE_EXCLUSIVE	= 1,	/* only the holder writes */
	RBLK_RESV_EXCLUSIVE_ACCESS	= 2,	/* only the holder reads and writes */
	RBLK_RESV_WRITE_REGISTRANTS	= 3,	/* only registrants write */
	RBLK_RESV_ACCESS_REGISTRANTS	= 4,	/* only registrants read and write */
	RBLK_RESV_WRITE_ALL_HOLD	= 5,	/* as 3, and each registrant holds it */
	RBLK_RESV_ACCESS_ALL_HOLD	= 6,	/* as 4, and each registrant holds it */
	RBLK_RESV_TYPE_LAST		= RBLK_RESV_ACCESS_ALL_HOLD
};

enum rblk_wire_resv_action {
	RBLK_RESV_REGISTER	= 1,	/* @key to @new_key; 0: no registration */
	RBLK_RESV_REGISTER_IGNORE = 2,	/* whatever key there was; @key is 0 */
	RBLK_RESV_RESERVE	= 3,	/* with @type */
	RBLK_RESV_RELEASE	= 4,	/* what has @type */
	RBLK_RESV_PREEMPT	= 5,	/* whoever has @new_key; with @type */
	RBLK_RESV_PREEMPT_ABORT	= 6,	/* and wait for their last I/O */
	RBLK_RESV_CLEAR		= 7,	/* everything */
	RBLK_RESV_ACTION_LAST	= RBLK_RESV_CLEAR
};

#define RBLK_WIRE_MAX_REGISTRANTS	64	/* of one export */

/**
 * struct rblk_wire_reserve - RESERVE: change an export's registrations or reservation
 * @ctl: type RBLK_MSG_RESERVE; answered by a RESERVE_REPLY, which is a struct
 *       rblk_wire_ctl
 * @volume: handle from ATTACH_REPLY
 * @action: enum rblk_wire_resv_action
 * @type: enum rblk_wire_resv_type, not NONE, with RESERVE, RELEASE, PREEMPT and
 *        PREEMPT_ABORT; else 0
 * @reserved: zero
 * @source: random, not 0: whatever makes one change after the other, that is a device
 * @number: of the change: not 0, and more than that of its source's last one; the same
 *          whenever it is asked for again
 * @key: the host's key; 0: it has none, and with REGISTER_IGNORE
 * @new_key: with REGISTER and REGISTER_IGNORE the host's key from now on, 0 for none;
 *           with PREEMPT and PREEMPT_ABORT the key of those to lose theirs, 0 for all
 *           who hold a reservation that all hold; else 0
 *
 * The target makes the whole change or none, and has recorded it before it answers.
 * It remembers the last change of each source, with its answer, and decides none twice:
 * so a host repeats what it has no answer to, by any session.  A message that a lost
 * route delivers late finds that its source has gone on: RBLK_CTL_OLD_CHANGE.
 *
 * RBLK_CTL_OK: it is done.  With PREEMPT_ABORT, no I/O that hosts sent with the key is
 * in the target, nor will be.  RBLK_CTL_AGAIN: some is; ask again with the same @number.
 * All else means that nothing has changed.  RBLK_CTL_CONFLICT: @key is not the host's,
 * nobody has @new_key, or RESERVE finds a reservation that is another host's or has
 * another type.  If nobody has the @new_key of a PREEMPT_ABORT any more, as another one
 * came first, it is AGAIN while the other one has I/O to wait for.  RBLK_CTL_WRONG_TYPE:
 * RELEASE finds another type than @type, or with @new_key 0 not all hold the reservation.
 * RBLK_CTL_READ_ONLY: a host that may not write may only register.
 * RBLK_CTL_NO_RESOURCES: there are RBLK_WIRE_MAX_REGISTRANTS already, or memory is short.
 * RBLK_CTL_NO_VOLUME: the host has no such volume, or has lost it: ATTACH first.
 * RBLK_CTL_NOT_KEPT: the target can't record the change.
 */
struct rblk_wire_reserve {
	struct rblk_wire_ctl ctl;
	__le32 volume;
	__u8 action;
	__u8 type;
	__le16 reserved;
	__le64 source;
	__le64 number;
	__le64 key;
	__le64 new_key;
};
RBLK_WIRE_ASSERT_SIZE(struct rblk_wire_reserve, 56);
RBLK_WIRE_ASSERT_AT(struct rblk_wire_reserve, source, 24);

/**
 * struct rblk_wire_reservation - RESERVATION: ask for an export's registrations
 * @ctl: type RBLK_MSG_RESERVATION
 * @volume: handle from ATTACH_REPLY
 * @start: index of the first registrant wanted
 */
struct rblk_wire_reservation {
	struct rblk_wire_ctl ctl;
	__le32 volume;
	__le32 start;
};
RBLK_WIRE_ASSERT_SIZE(struct rblk_wire_reservation, 24);

#define RBLK_REGF_HOLDER	(1u << 0)	/* it holds the reservation */
#define RBLK_REGF_SELF		(1u << 1)	/* it is the host that asks */
#define RBLK_REGF_ALL		0x3u

/**
 * struct rblk_wire_registrant - one registrant in a RESERVATION_REPLY
 * @key: its key, not 0
 * @host: tells hosts apart: a UUID, or where keys prove hosts, a digest of the public key
 * @name: the host's, when it registered
 * @flags: RBLK_REGF_*
 * @reserved: zero
 */
struct rblk_wire_registrant {
	__le64 key;
	__u8 host[RBLK_WIRE_UUID_LEN];
	char name[RBLK_WIRE_NAME_LEN];
	__le32 flags;
	__le32 reserved;
};
RBLK_WIRE_ASSERT_SIZE(struct rblk_wire_registrant, 96);

/**
 * struct rblk_wire_reservation_reply - RESERVATION_REPLY
 * @ctl: type RBLK_MSG_RESERVATION_REPLY; RBLK_CTL_OK or RBLK_CTL_NO_VOLUME, and then all
 *       the rest is zero and there are no entries
 * @nr: entries that follow
 * @next: @start of a RESERVATION for the rest, 0 if there is no rest
 * @generation: changes with each registration made or ended, but not with RESERVE or
 *              RELEASE.  Where it differs from that of the page before, begin anew
 * @total: all registrants, at most RBLK_WIRE_MAX_REGISTRANTS
 * @type: enum rblk_wire_resv_type; NONE: there is no reservation
 * @reserved: zero
 * @entry: the registrants, in the order in which they registered
 */
struct rblk_wire_reservation_reply {
	struct rblk_wire_ctl ctl;
	__le32 nr;
	__le32 next;
	__le32 generation;
	__le32 total;
	__u8 type;
	__u8 reserved[7];
	struct rblk_wire_registrant entry[];
};
RBLK_WIRE_ASSERT_SIZE(struct rblk_wire_reservation_reply, 40);
#define RBLK_WIRE_REGISTRANTS_MAX					\
	((RBLK_WIRE_CTRL_MAX - RBLK_WIRE_MAC_LEN -			\
	  sizeof(struct rblk_wire_reservation_reply)) / sizeof(struct rblk_wire_registrant))

/**
 * struct rblk_wire_bind - BIND, the first message of an I/O connection
 * @ctl: type RBLK_MSG_BIND
 * @key: from LOGIN_REPLY
 */
struct rblk_wire_bind {
	struct rblk_wire_ctl ctl;
	__le64 key;
};
RBLK_WIRE_ASSERT_SIZE(struct rblk_wire_bind, 24);

/**
 * struct rblk_wire_bind_reply - BIND_REPLY; the initiator may now send commands
 * @ctl: type RBLK_MSG_BIND_REPLY
 * @slot_addr: with RBLK_FEAT_WRITE_PUSH, RDMA address of the slots; else 0
 * @slot_rkey: grants RDMA WRITE to them, else 0
 * @slot_size: bytes of each slot, else 0; tag t's slot starts at t times this
 * @slots: how many there are, of the first tags, else 0
 * @window_addr: with RBLK_FEAT_WRITE_WINDOW, RDMA address of the window; else 0
 * @window_rkey: grants RDMA WRITE to it, else 0
 * @window_bytes: its size, a multiple of RBLK_WIRE_WINDOW_UNIT, else 0
 */
struct rblk_wire_bind_reply {
	struct rblk_wire_ctl ctl;
	__le64 slot_addr;
	__le32 slot_rkey;
	__le16 slot_size;
	__le16 slots;
	__le64 window_addr;
	__le32 window_rkey;
	__le32 window_bytes;
};
RBLK_WIRE_ASSERT_SIZE(struct rblk_wire_bind_reply, 48);

#endif /* RBLK_WIRE_H */
