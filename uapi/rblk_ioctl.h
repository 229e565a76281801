/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * rblk control ABI: the ioctls of /dev/rblk-control and /dev/rblk-target.
 *
 * Both nodes have mode 0600 and require CAP_SYS_ADMIN.  Every command takes one
 * fixed-size structure whose first member is its size.  Reserved members and
 * unknown flags must be zero, else the command fails with EINVAL.  A program
 * starts with RBLK_IOC_INFO (RBLKT_IOC_INFO) and compares @abi.
 *
 * A command that fails returns -1 with errno *and* fills in the structure's
 * @error: the stage it had reached, the same errno and one sentence.  EFAULT,
 * ENOTTY and a wrong @size are exceptions.  A signal interrupts every wait
 * (EINTR).  Every wait ends by itself within the time given at the command.
 */
#ifndef RBLK_IOCTL_H
#define RBLK_IOCTL_H

#include <linux/ioctl.h>
#include <linux/types.h>
#include "rblk_latency.h"
#include "rblk_name.h"

#define RBLK_ABI		1
#define RBLK_CONTROL_PATH	"/dev/rblk-control"
#define RBLK_TARGET_PATH	"/dev/rblk-target"

#define RBLK_UUID_LEN		16
#define RBLK_PATH_LEN		256	/* with its NUL */
#define RBLK_ERROR_LEN		232
#define RBLK_MAX_HOSTS		64	/* in one export's access list */
#define RBLK_KEY_LEN		32	/* X25519, public or private */
#define RBLK_TARGET_KEYS	2	/* that a target may have: the old and the new one */

/* Whoever compiles this checks a layout, if the language can: since C11 and C++11. */
#if defined(__cplusplus) && __cplusplus >= 201103L
#define RBLK_IOC_ASSERT(condition, text)	static_assert(condition, text)
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define RBLK_IOC_ASSERT(condition, text)	_Static_assert(condition, text)
#else
#define RBLK_IOC_ASSERT(condition, text)
#endif

#define RBLK_IOC_ASSERT_SIZE(type, bytes)				\
	RBLK_IOC_ASSERT(sizeof(type) == (bytes), #type " changed its size")
#define RBLK_IOC_ASSERT_AT(type, member, bytes)				\
	RBLK_IOC_ASSERT(__builtin_offsetof(type, member) == (bytes), #type "." #member " moved")

/* The stage a command had reached when it failed. */
#define RBLK_STAGE_TABLE(X)			\
	X(RBLK_STAGE_NONE,	0, "none")	\
	X(RBLK_STAGE_ARGUMENTS,	1, "arguments")	\
	X(RBLK_STAGE_LOOKUP,	2, "lookup")	\
	X(RBLK_STAGE_RESOLVE,	3, "resolve")	\
	X(RBLK_STAGE_ROUTE,	4, "route")	\
	X(RBLK_STAGE_DEVICE,	5, "device")	\
	X(RBLK_STAGE_CONNECT,	6, "connect")	\
	X(RBLK_STAGE_LOGIN,	7, "login")	\
	X(RBLK_STAGE_QUEUES,	8, "queues")	\
	X(RBLK_STAGE_ATTACH,	9, "attach")	\
	X(RBLK_STAGE_DISK,	10, "disk")	\
	X(RBLK_STAGE_BUSY,	11, "busy")	\
	X(RBLK_STAGE_DETACH,	12, "detach")	\
	X(RBLK_STAGE_BACKING,	13, "backing")	\
	X(RBLK_STAGE_LISTEN,	14, "listen")	\
	X(RBLK_STAGE_REMOVE,	15, "remove")

enum rblk_stage {
#define RBLK_STAGE_ENUM(name, value, text) name = value,
	RBLK_STAGE_TABLE(RBLK_STAGE_ENUM)
#undef RBLK_STAGE_ENUM
};

/**
 * struct rblk_ioc_error - what went wrong
 * @stage: enum rblk_stage
 * @error: positive errno, the one the ioctl returns
 * @reason: the peer's reason code if the peer refused: at RBLK_STAGE_CONNECT
 *          enum rblk_wire_reject, from LOGIN on enum rblk_wire_ctl_status;
 *          else 0
 * @reserved: zero
 * @text: one sentence without a full stop, NUL-terminated
 * @reserved2: zero
 */
struct rblk_ioc_error {
	__u32 stage;
	__s32 error;
	__u32 reason;
	__u32 reserved;
	char text[RBLK_ERROR_LEN];
	__u64 reserved2;
};

/**
 * struct rblk_ioc_addr - an IPv4 or IPv6 address and port
 * @family: AF_INET or AF_INET6
 * @port: network byte order
 * @scope_id: interface index of a link-local IPv6 address, else 0
 * @addr: network byte order; IPv4 in the first four bytes, the rest zero
 */
struct rblk_ioc_addr {
	__u16 family;
	__be16 port;
	__u32 scope_id;
	__u8 addr[16];
};

/**
 * struct rblk_ioc_psk - a secret that two machines share, beside their keys
 * @key: the other machine's public key, not all zeroes
 * @psk: the secret, not all zeroes
 */
struct rblk_ioc_psk {
	__u8 key[RBLK_KEY_LEN];
	__u8 psk[RBLK_KEY_LEN];
};
RBLK_IOC_ASSERT_SIZE(struct rblk_ioc_psk, 64);

/**
 * struct rblk_ioc_key_set - give the module this machine's key, or take it away
 * @size: sizeof(struct rblk_ioc_key_set)
 * @nr_psks: entries at @psks, at most RBLK_MAX_HOSTS, each with another key
 * @private_key: X25519; all zeroes: forget the key and all PSKs, with @nr_psks 0
 * @psks: pointer to struct rblk_ioc_psk
 * @reserved: zero
 * @error: out
 *
 * Key and PSKs replace those that the module had, at once or not at all.
 * Connections that are there stay; each uses the new ones from its next handshake
 * on.  The module never gives the private key or a PSK back.
 */
struct rblk_ioc_key_set {
	__u32 size;
	__u32 nr_psks;
	__u8 private_key[RBLK_KEY_LEN];
	__u64 psks;
	__u64 reserved[4];
	struct rblk_ioc_error error;
};
RBLK_IOC_ASSERT_AT(struct rblk_ioc_key_set, psks, 40);
RBLK_IOC_ASSERT_SIZE(struct rblk_ioc_key_set, 336);

/**
 * struct rblk_ioc_key_show - show which key the module has
 * @size: sizeof(struct rblk_ioc_key_show)
 * @nr_psks: out: PSKs that it has
 * @public_key: out: all zeroes if it has no key
 * @reserved: zero
 * @error: out
 */
struct rblk_ioc_key_show {
	__u32 size;
	__u32 nr_psks;
	__u8 public_key[RBLK_KEY_LEN];
	__u64 reserved[4];
	struct rblk_ioc_error error;
};
RBLK_IOC_ASSERT_SIZE(struct rblk_ioc_key_show, 328);

/*
 * Counters per session.  Both sides use the same names.  "sends" are messages
 * (SEND of any kind).  "send_wrs" are all work requests on send queues.
 * "completions" are all work completions seen, "armed_completions" those from a
 * completion queue that was armed to interrupt.  "window_writes" are those of
 * "writes" whose data the host put into the target's window ahead.
 * "digest_errors" are data whose digest was wrong where they arrived: on the
 * initiator those of reads, on the target those of writes.
 */
#define RBLK_COUNTER_TABLE(X)					\
	X(RBLK_CNT_READS,		"reads")		\
	X(RBLK_CNT_WRITES,		"writes")		\
	X(RBLK_CNT_FLUSHES,		"flushes")		\
	X(RBLK_CNT_DISCARDS,		"discards")		\
	X(RBLK_CNT_WRITE_ZEROES,	"write_zeroes")		\
	X(RBLK_CNT_READ_BYTES,		"read_bytes")		\
	X(RBLK_CNT_WRITE_BYTES,		"write_bytes")		\
	X(RBLK_CNT_DISCARD_BYTES,	"discard_bytes")	\
	X(RBLK_CNT_WRITE_ZEROES_BYTES,	"write_zeroes_bytes")	\
	X(RBLK_CNT_IO_ERRORS,		"io_errors")		\
	X(RBLK_CNT_SENDS,		"sends")		\
	X(RBLK_CNT_RECVS,		"receives")		\
	X(RBLK_CNT_SEND_WRS,		"send_wrs")		\
	X(RBLK_CNT_RDMA_WRITES,		"rdma_writes")		\
	X(RBLK_CNT_RDMA_READS,		"rdma_reads")		\
	X(RBLK_CNT_REGISTRATIONS,	"registrations")	\
	X(RBLK_CNT_LOCAL_INVALIDATES,	"local_invalidates")	\
	X(RBLK_CNT_REMOTE_INVALIDATES,	"remote_invalidates")	\
	X(RBLK_CNT_COPIED_BYTES,	"copied_bytes")		\
	X(RBLK_CNT_COMPLETIONS,		"completions")		\
	X(RBLK_CNT_ARMED_COMPLETIONS,	"armed_completions")	\
	X(RBLK_CNT_WAITS,		"resource_waits")	\
	X(RBLK_CNT_TIMEOUTS,		"timeouts")		\
	X(RBLK_CNT_REQUEUES,		"requeues")		\
	X(RBLK_CNT_RECONNECTS,		"reconnects")		\
	X(RBLK_CNT_VIOLATIONS,		"violations")		\
	X(RBLK_CNT_WINDOW_WRITES,	"window_writes")	\
	X(RBLK_CNT_DIGEST_ERRORS,	"digest_errors")

enum rblk_counter {
#define RBLK_COUNTER_ENUM(name, text) name,
	RBLK_COUNTER_TABLE(RBLK_COUNTER_ENUM)
#undef RBLK_COUNTER_ENUM
	RBLK_CNT_NR
};

#define RBLK_COUNTER_ROOM	64	/* room for future counters, zero */

/* A session's state, on both sides. */
#define RBLK_SESSION_STATE_TABLE(X)			\
	X(RBLK_SESS_NEW,	0, "new")		\
	X(RBLK_SESS_CONNECTING,	1, "connecting")	\
	X(RBLK_SESS_LIVE,	2, "live")		\
	X(RBLK_SESS_RECOVERING,	3, "recovering")	\
	X(RBLK_SESS_DELETING,	4, "deleting")

enum rblk_session_state {
#define RBLK_SESSION_STATE_ENUM(name, value, text) name = value,
	RBLK_SESSION_STATE_TABLE(RBLK_SESSION_STATE_ENUM)
#undef RBLK_SESSION_STATE_ENUM
	RBLK_SESS_NR_STATES
};

/* A volume's state on the initiator. */
#define RBLK_VOLUME_STATE_TABLE(X)			\
	X(RBLK_VOL_NEW,		0, "new")		\
	X(RBLK_VOL_LIVE,	1, "live")		\
	X(RBLK_VOL_WAITING,	2, "waiting")		\
	X(RBLK_VOL_FAILED,	3, "failed")		\
	X(RBLK_VOL_DELETING,	4, "deleting")

enum rblk_volume_state {
#define RBLK_VOLUME_STATE_ENUM(name, value, text) name = value,
	RBLK_VOLUME_STATE_TABLE(RBLK_VOLUME_STATE_ENUM)
#undef RBLK_VOLUME_STATE_ENUM
	RBLK_VOL_NR_STATES
};

/**
 * struct rblk_ioc_info - what the module is; the first command of a program
 * @size: sizeof(struct rblk_ioc_info)
 * @abi: out: RBLK_ABI of the module
 * @wire_min: out: oldest protocol version spoken
 * @wire_max: out: newest protocol version spoken
 * @reserved: zero
 * @version: out: the module's version
 *
 * This structure and its command number stay the same in every ABI.
 */
struct rblk_ioc_info {
	__u32 size;
	__u32 abi;
	__u32 wire_min;
	__u32 wire_max;
	__u32 reserved[4];
	char version[32];
};

/**
 * struct rblk_ioc_session - a session, as either side sees it
 * @uuid: the session's identity
 * @peer_uuid: initiator: the target's UUID; target: the host's UUID
 * @peer_name: initiator: the target's name; target: the host's name
 * @peer: the peer's address
 * @local: this side's address
 * @device: RDMA device, such as "rxe0"
 * @state: enum rblk_session_state
 * @epoch: generation
 * @queues: I/O connections in use; initiator: without @poll_queues
 * @depth: outstanding commands per I/O connection
 * @max_io: bytes
 * @inline_read: bytes
 * @inline_write: bytes
 * @features: RBLK_FEAT_* granted; a connection without the memory for one does without
 * @volumes: volumes attached through it
 * @silence_ms: the target ends the session when the host is silent for so long;
 *              0: unknown, as there has been no login
 * @poll_queues: initiator: I/O connections that are polled; target: 0
 * @reserved: zero
 * @peer_key: the public key that the other side has proved; all zeroes without keys,
 *            and before the first login
 * @counter: enum rblk_counter, since the session was made; the rest is zero
 */
struct rblk_ioc_session {
	__u8 uuid[RBLK_UUID_LEN];
	__u8 peer_uuid[RBLK_UUID_LEN];
	char peer_name[RBLK_NAME_LEN];
	struct rblk_ioc_addr peer;
	struct rblk_ioc_addr local;
	char device[RBLK_NAME_LEN];
	__u32 state;
	__u32 epoch;
	__u32 queues;
	__u32 depth;
	__u32 max_io;
	__u32 inline_read;
	__u32 inline_write;
	__u32 features;
	__u32 volumes;
	__u32 silence_ms;
	__u32 poll_queues;
	__u32 reserved[5];
	__u8 peer_key[RBLK_KEY_LEN];
	__u64 counter[RBLK_COUNTER_ROOM];
};
RBLK_IOC_ASSERT_AT(struct rblk_ioc_session, peer_key, 272);
RBLK_IOC_ASSERT_SIZE(struct rblk_ioc_session, 816);

/* ---- /dev/rblk-control: the initiator ---- */

#define RBLK_ATTACH_READ_ONLY	(1u << 0)
#define RBLK_ATTACH_SHARED	(1u << 1)
/* The user chose these.  They change nothing; SHOW reports them. */
#define RBLK_ATTACH_INDEX	(1u << 2)
#define RBLK_ATTACH_HOST_UUID	(1u << 3)
#define RBLK_ATTACH_HOST_NAME	(1u << 4)
/* The user chose @inline_read; SHOW reports that, too. */
#define RBLK_ATTACH_INLINE_READ	(1u << 5)
/*
 * How the target proves who it is, exactly one of: by one of @target_key; by any key, which
 * is the one that it must have from then on; not at all, and this host proves nothing either.
 */
#define RBLK_ATTACH_TRUST_FIRST	(1u << 6)
#define RBLK_ATTACH_INSECURE	(1u << 7)
#define RBLK_ATTACH_PROOF	(RBLK_ATTACH_TRUST_FIRST | RBLK_ATTACH_INSECURE)
/* With a data digest, or not at all: EOPNOTSUPP if the target offers none. */
#define RBLK_ATTACH_DIGEST	(1u << 8)
#define RBLK_ATTACH_ALL		0x1ffu

#define RBLK_QUEUE_TIMEOUT_DEFAULT	30
#define RBLK_QUEUE_TIMEOUT_FOREVER	(-1)
#define RBLK_QUEUE_TIMEOUT_MAX		86400

/**
 * struct rblk_ioc_attach - attach an export as /dev/rblkN
 * @size: sizeof(struct rblk_ioc_attach)
 * @flags: RBLK_ATTACH_*
 * @target: where the target listens
 * @source: local address to connect from, or all zeroes
 * @target_text: the target as the user wrote it, for messages and sysfs
 * @export_name: the export's name
 * @host: this host's UUID, not all zeroes
 * @host_name: this host's name
 * @queues: I/O connections, 0 for the default
 * @depth: commands per connection, 0 for the default
 * @queue_timeout: seconds to hold I/O while disconnected, -1 for ever
 * @index: N of /dev/rblkN, -1 for the first free; out: the one in use
 * @uuid: the identity the export must have, or zeroes; out: the one it has
 * @capacity: out: bytes
 * @inline_read: with RBLK_ATTACH_INLINE_READ: bytes of the largest read that shall
 *               come in the response, at most 32 KiB, 0 for none; the target may
 *               grant less.  Without: what is cheapest on the RDMA device
 * @poll_queues: I/O connections more, for I/O whose submitter polls for its end;
 *               0 for none.  There are as many as CPUs at most, and 64 with @queues
 * @reserved: zero
 * @target_key: public keys, of which the target must prove one; zeroes where there is
 *              none, and with RBLK_ATTACH_PROOF
 * @peer_key: out: the key that it has proved; all zeroes with RBLK_ATTACH_INSECURE
 * @error: out; ENOKEY if keys are asked for and the module has none
 *
 * Ends within 30 s.  Attachments to the same target address share a session if
 * they have the same network namespace, @source and host UUID, and the target has
 * to prove the same.  Then @queues, @poll_queues, @depth and @inline_read, where
 * given, must be what the session has, or what it was made with.
 */
struct rblk_ioc_attach {
	__u32 size;
	__u32 flags;
	struct rblk_ioc_addr target;
	struct rblk_ioc_addr source;
	char target_text[RBLK_PATH_LEN];
	char export_name[RBLK_NAME_LEN];
	__u8 host[RBLK_UUID_LEN];
	char host_name[RBLK_NAME_LEN];
	__u32 queues;
	__u32 depth;
	__s32 queue_timeout;
	__s32 index;
	__u8 uuid[RBLK_UUID_LEN];
	__u64 capacity;
	__u32 inline_read;
	__u32 poll_queues;
	__u32 reserved[6];
	__u8 target_key[RBLK_TARGET_KEYS][RBLK_KEY_LEN];
	__u8 peer_key[RBLK_KEY_LEN];
	struct rblk_ioc_error error;
};
RBLK_IOC_ASSERT_AT(struct rblk_ioc_attach, target_key, 528);
RBLK_IOC_ASSERT_SIZE(struct rblk_ioc_attach, 880);

#define RBLK_DETACH_FORCE	(1u << 0)

/**
 * struct rblk_ioc_detach - detach /dev/rblkN
 * @size: sizeof(struct rblk_ioc_detach)
 * @flags: RBLK_DETACH_FORCE: detach although it is open; outstanding I/O fails
 * @index: N
 * @uuid: the volume's UUID: ESTALE if /dev/rblkN is another volume by now. All
 *        zeroes: any volume
 * @reserved: zero
 * @error: out
 *
 * Ends within 10 s, even if the target is gone.  EBUSY while the device is
 * open.
 */
struct rblk_ioc_detach {
	__u32 size;
	__u32 flags;
	__s32 index;
	__u8 uuid[RBLK_UUID_LEN];
	__u32 reserved;
	struct rblk_ioc_error error;
};

/**
 * struct rblk_ioc_volume - a volume
 * @index: N of /dev/rblkN
 * @state: enum rblk_volume_state
 * @flags: RBLK_EXPF_* of rblk_wire.h, as the target reported them; RBLK_EXPF_DIGEST: each
 *         read and write has a digest
 * @access: RBLK_ATTACH_READ_ONLY and RBLK_ATTACH_SHARED, as asked for
 * @export_name: name at the target
 * @uuid: identity
 * @target_text: the target as the user wrote it
 * @capacity: bytes
 * @logical_block: bytes
 * @physical_block: bytes
 * @queue_timeout: seconds, -1 for ever
 * @openers: how many times it is open
 * @inflight: requests started and not ended
 * @down_seconds: how long it has been WAITING or FAILED
 * @paused_ms: time left of the pause that its target announced, if it is
 *             WAITING for that reason; else 0
 * @routes: routes that it has: see struct rblk_ioc_route
 * @live_routes: of these, how many are LIVE
 * @reserved: zero
 * @digest_mended: reads and writes whose digest was wrong, but right when the data was
 *                 moved once more; since the volume was attached
 * @digest_failed: those that ended with EILSEQ, as it was wrong again
 * @reason: why it is not live, one sentence, or empty
 *
 * With each of @digest_failed comes a uevent of the disk (change) with RBLK_DIGEST=read or
 * RBLK_DIGEST=write, RBLK_LBA=, the first of its logical blocks, and RBLK_BYTES=, its length.
 * Where they come faster than the kernel sends them, some are left out.
 */
struct rblk_ioc_volume {
	__s32 index;
	__u32 state;
	__u32 flags;
	__u32 access;
	char export_name[RBLK_NAME_LEN];
	__u8 uuid[RBLK_UUID_LEN];
	char target_text[RBLK_PATH_LEN];
	__u64 capacity;
	__u32 logical_block;
	__u32 physical_block;
	__s32 queue_timeout;
	__u32 openers;
	__u32 inflight;
	__u32 down_seconds;
	__u32 paused_ms;
	__u32 routes;
	__u32 live_routes;
	__u32 reserved;
	__u64 digest_mended;
	__u64 digest_failed;
	char reason[RBLK_ERROR_LEN];
};

/**
 * struct rblk_ioc_asked - what a volume was asked to be, to attach it again so
 * @flags: RBLK_ATTACH_*; those of the host and of inline reads are the session's
 * @queues: as in the struct rblk_ioc_attach that made the session; 0: default
 * @depth: likewise
 * @inline_read: likewise, with RBLK_ATTACH_INLINE_READ
 * @source: likewise, or all zeroes
 * @host: the session's host UUID
 * @host_name: the session's host name
 * @poll_queues: as @queues
 * @reserved: zero
 * @reserved2: zero
 * @target_key: the session's: what the target must prove now; with RBLK_ATTACH_TRUST_FIRST
 *              it is the key that the target showed
 *
 * struct rblk_ioc_volume and struct rblk_ioc_session hold the result.  These
 * values are the session's, so all its volumes can be attached again in any
 * order.
 */
struct rblk_ioc_asked {
	__u32 flags;
	__u32 queues;
	__u32 depth;
	__u32 inline_read;
	struct rblk_ioc_addr source;
	__u8 host[RBLK_UUID_LEN];
	char host_name[RBLK_NAME_LEN];
	__u32 poll_queues;
	__u32 reserved;
	__u64 reserved2[3];
	__u8 target_key[RBLK_TARGET_KEYS][RBLK_KEY_LEN];
};
RBLK_IOC_ASSERT_SIZE(struct rblk_ioc_asked, 216);

/**
 * struct rblk_ioc_show - show one volume with its session
 * @size: sizeof(struct rblk_ioc_show)
 * @index: N; with RBLK_SHOW_NEXT the first volume with an index >= N
 * @flags: RBLK_SHOW_NEXT
 * @reserved: zero
 * @volume: out
 * @session: out: that of the first LIVE route, or of the first
 * @asked: out
 * @error: out; ENOENT if there is no such volume
 *
 * Never waits for the peer.
 */
struct rblk_ioc_show {
	__u32 size;
	__s32 index;
	__u32 flags;
	__u32 reserved[5];
	struct rblk_ioc_volume volume;
	struct rblk_ioc_session session;
	struct rblk_ioc_asked asked;
	struct rblk_ioc_error error;
};

#define RBLK_SHOW_NEXT		(1u << 0)

/**
 * struct rblk_ioc_policy - change the loss policy, also while disconnected
 * @size: sizeof(struct rblk_ioc_policy)
 * @index: N
 * @queue_timeout: seconds, -1 for ever, 0 to fail at once
 * @uuid: as in struct rblk_ioc_detach
 * @reserved: zero
 * @error: out
 */
struct rblk_ioc_policy {
	__u32 size;
	__s32 index;
	__s32 queue_timeout;
	__u8 uuid[RBLK_UUID_LEN];
	__u32 reserved;
	struct rblk_ioc_error error;
};

/**
 * struct rblk_ioc_pin - change which keys a volume's target may prove, also while disconnected
 * @size: sizeof(struct rblk_ioc_pin)
 * @index: N
 * @uuid: as in struct rblk_ioc_detach
 * @target_key: as in struct rblk_ioc_attach, but not all zeroes
 * @reserved: zero
 * @error: out; EINVAL if the volume is attached with RBLK_ATTACH_INSECURE on any route
 *
 * It holds for each session of the volume, and so for all volumes of these sessions, from
 * the next handshake on.  A session that has RBLK_ATTACH_TRUST_FIRST loses it.
 */
struct rblk_ioc_pin {
	__u32 size;
	__s32 index;
	__u8 uuid[RBLK_UUID_LEN];
	__u8 target_key[RBLK_TARGET_KEYS][RBLK_KEY_LEN];
	__u64 reserved[4];
	struct rblk_ioc_error error;
};
RBLK_IOC_ASSERT_AT(struct rblk_ioc_pin, target_key, 24);
RBLK_IOC_ASSERT_SIZE(struct rblk_ioc_pin, 376);

#define RBLK_REGISTRANT_HOLDER	(1u << 0)	/* it holds the reservation */
#define RBLK_REGISTRANT_SELF	(1u << 1)	/* initiator: it is this host */
#define RBLK_REGISTRANT_ATTACHED (1u << 2)	/* target: it has the export attached */

/**
 * struct rblk_ioc_registrant - a host with a registration
 * @registration: the key that it has registered, not 0
 * @host: tells hosts apart, as in struct rblkt_ioc_user
 * @name: its name, when it registered
 * @public_key: target: the key that it has proved; all zeroes without, and on the initiator
 * @flags: RBLK_REGISTRANT_*
 * @reserved: zero
 */
struct rblk_ioc_registrant {
	__u64 registration;
	__u8 host[RBLK_UUID_LEN];
	char name[RBLK_NAME_LEN];
	__u8 public_key[RBLK_KEY_LEN];
	__u32 flags;
	__u32 reserved;
};
RBLK_IOC_ASSERT_SIZE(struct rblk_ioc_registrant, 128);

/**
 * struct rblk_ioc_reservation - ask the target for a volume's reservation
 * @size: sizeof(struct rblk_ioc_reservation)
 * @index: N
 * @uuid: as in struct rblk_ioc_detach; out: the volume's
 * @generation: out: changes with each registration made or ended
 * @type: out: enum rblk_wire_resv_type of rblk_wire.h, 0 without a reservation
 * @room: entries that @registrants has room for
 * @nr: out: registrants that exist, at most RBLK_WIRE_MAX_REGISTRANTS
 * @registrants: pointer to struct rblk_ioc_registrant, may be 0 with @room 0
 * @reserved: zero
 * @error: out; ENOENT if there is no such volume; EOPNOTSUPP if its target has no
 *         reservations; ENOTCONN while no route is LIVE
 *
 * Ends within 10 s.  The block device's own ioctls (linux/pr.h) change registrations.
 */
struct rblk_ioc_reservation {
	__u32 size;
	__s32 index;
	__u8 uuid[RBLK_UUID_LEN];
	__u32 generation;
	__u32 type;
	__u32 room;
	__u32 nr;
	__u64 registrants;
	__u64 reserved[4];
	struct rblk_ioc_error error;
};
RBLK_IOC_ASSERT_AT(struct rblk_ioc_reservation, registrants, 40);
RBLK_IOC_ASSERT_SIZE(struct rblk_ioc_reservation, 336);

/**
 * struct rblk_ioc_offer - an export, as DISCOVER sees it
 * @name: name
 * @uuid: identity
 * @capacity: bytes
 * @block_size: logical block, bytes
 * @flags: RBLK_EXPF_*
 */
struct rblk_ioc_offer {
	char name[RBLK_NAME_LEN];
	__u8 uuid[RBLK_UUID_LEN];
	__u64 capacity;
	__u32 block_size;
	__u32 flags;
};

/**
 * struct rblk_ioc_discover - ask a target which exports this host may attach
 * @size: sizeof(struct rblk_ioc_discover)
 * @flags: RBLK_ATTACH_PROOF alone
 * @target: where it listens
 * @source: local address to connect from, or all zeroes
 * @host: this host's UUID
 * @host_name: this host's name
 * @offers: pointer to an array of struct rblk_ioc_offer
 * @room: entries the array has room for; at most 4096 are filled in
 * @nr: out: entries the target has, perhaps more than are filled in
 * @target_uuid: out
 * @target_name: out
 * @portals: pointer to an array of struct rblk_ioc_addr
 * @portal_room: entries that the array has room for
 * @nr_portals: out: addresses at which the target says it listens, perhaps more than
 *              are filled in
 * @reserved: zero
 * @target_key: as in struct rblk_ioc_attach
 * @peer_key: out: likewise
 * @error: out; ENOKEY likewise
 *
 * Ends within 20 s and leaves no session behind.
 */
struct rblk_ioc_discover {
	__u32 size;
	__u32 flags;
	struct rblk_ioc_addr target;
	struct rblk_ioc_addr source;
	__u8 host[RBLK_UUID_LEN];
	char host_name[RBLK_NAME_LEN];
	__u64 offers;
	__u32 room;
	__u32 nr;
	__u8 target_uuid[RBLK_UUID_LEN];
	char target_name[RBLK_NAME_LEN];
	__u64 portals;
	__u32 portal_room;
	__u32 nr_portals;
	__u64 reserved[2];
	__u8 target_key[RBLK_TARGET_KEYS][RBLK_KEY_LEN];
	__u8 peer_key[RBLK_KEY_LEN];
	struct rblk_ioc_error error;
};
RBLK_IOC_ASSERT_AT(struct rblk_ioc_discover, target_key, 264);
RBLK_IOC_ASSERT_SIZE(struct rblk_ioc_discover, 616);

#define RBLK_MAX_ROUTES		8	/* of a volume */
#define RBLK_ROUTE_WAIT_MAX	17000	/* ms */

/**
 * struct rblk_ioc_route_change - add a route to a volume, or remove one
 * @size: sizeof(struct rblk_ioc_route_change)
 * @index: N of /dev/rblkN
 * @uuid: as in struct rblk_ioc_detach
 * @target: another address of the volume's target
 * @source: local address to connect from, or all zeroes
 * @target_text: ADD: that address as the user wrote it, with the source if there is
 *               one; else zeroes
 * @wait_ms: ADD: how long to wait until the route is LIVE or the target refuses it, at
 *           most RBLK_ROUTE_WAIT_MAX; else zero
 * @state: ADD: out: enum rblk_volume_state of the route.  A route that is not LIVE yet
 *         stays, and the module goes on trying
 * @reason: ADD: out: why it is not LIVE, or empty
 * @flags: ADD: one flag of RBLK_ATTACH_PROOF, or none with @target_key; with neither the
 *         target proves here what it proves on the volume's first route.  REMOVE: zero
 * @reserved2: zero
 * @target_key: ADD: as in struct rblk_ioc_attach; REMOVE: zeroes
 * @peer_key: ADD: out: likewise, all zeroes also if it is not LIVE
 * @reserved: zero
 * @error: out; ADD: EEXIST: it has that route, ENOSPC: it has RBLK_MAX_ROUTES;
 *         REMOVE: ENOENT: it has no such route, EBUSY: it is the last one, or its
 *         requests have not ended
 *
 * A volume's I/O goes over all routes that are LIVE.  Each is a session of its own,
 * with the parameters of the first.  REMOVE ends within 10 s.
 */
struct rblk_ioc_route_change {
	__u32 size;
	__s32 index;
	__u8 uuid[RBLK_UUID_LEN];
	struct rblk_ioc_addr target;
	struct rblk_ioc_addr source;
	char target_text[RBLK_PATH_LEN];
	__u32 wait_ms;
	__u32 state;
	char reason[RBLK_ERROR_LEN];
	__u32 flags;
	__u32 reserved2;
	__u8 target_key[RBLK_TARGET_KEYS][RBLK_KEY_LEN];
	__u8 peer_key[RBLK_KEY_LEN];
	__u64 reserved[4];
	struct rblk_ioc_error error;
};
RBLK_IOC_ASSERT_AT(struct rblk_ioc_route_change, target_key, 576);
RBLK_IOC_ASSERT_SIZE(struct rblk_ioc_route_change, 960);

/**
 * struct rblk_ioc_route - one way to a volume's target
 * @target_text: the address as the user wrote it
 * @source: local address that it was asked to connect from, or all zeroes
 * @state: enum rblk_volume_state of the volume on this route; NEW: never LIVE yet
 * @down_seconds: how long it has not been LIVE
 * @inflight: requests that it carries now
 * @reserved: zero
 * @losses: how often it was lost
 * @reserved2: zero
 * @reason: why it is not LIVE, one sentence, or empty
 * @session: its session; counters are those of all volumes on it
 */
struct rblk_ioc_route {
	char target_text[RBLK_PATH_LEN];
	struct rblk_ioc_addr source;
	__u32 state;
	__u32 down_seconds;
	__u32 inflight;
	__u32 reserved;
	__u64 losses;
	__u64 reserved2[3];
	char reason[RBLK_ERROR_LEN];
	struct rblk_ioc_session session;
};

/**
 * struct rblk_ioc_route_list - list a volume's routes
 * @size: sizeof(struct rblk_ioc_route_list)
 * @index: N of /dev/rblkN
 * @room: entries that @routes has room for
 * @nr: out: routes that the volume has
 * @routes: pointer to struct rblk_ioc_route, in the order in which they were added
 * @reserved: zero
 * @error: out; ENOENT if there is no such volume
 *
 * Never waits for the peer.
 */
struct rblk_ioc_route_list {
	__u32 size;
	__s32 index;
	__u32 room;
	__u32 nr;
	__u64 routes;
	__u64 reserved[4];
	struct rblk_ioc_error error;
};

/**
 * struct rblk_ioc_stat - how long a volume's operations took (rblk_latency.h)
 * @size: sizeof(struct rblk_ioc_stat)
 * @index: N
 * @room: entries that @ops has room for
 * @nr: out: entries that exist: RBLK_LATENCY_OPS
 * @ops: pointer to struct rblk_ioc_latency, in the order of enum
 *       rblk_latency_op, since the volume was attached
 * @reserved: zero
 * @error: out; ENOENT if there is no such volume
 */
struct rblk_ioc_stat {
	__u32 size;
	__s32 index;
	__u32 room;
	__u32 nr;
	__u64 ops;
	__u64 reserved[4];
	struct rblk_ioc_error error;
};

#define RBLK_IOC_MAGIC		0xbb
#define RBLK_IOC_INFO		_IOWR(RBLK_IOC_MAGIC, 0x00, struct rblk_ioc_info)
#define RBLK_IOC_ATTACH		_IOWR(RBLK_IOC_MAGIC, 0x01, struct rblk_ioc_attach)
#define RBLK_IOC_DETACH		_IOWR(RBLK_IOC_MAGIC, 0x02, struct rblk_ioc_detach)
#define RBLK_IOC_SHOW		_IOWR(RBLK_IOC_MAGIC, 0x03, struct rblk_ioc_show)
#define RBLK_IOC_POLICY		_IOWR(RBLK_IOC_MAGIC, 0x04, struct rblk_ioc_policy)
#define RBLK_IOC_DISCOVER	_IOWR(RBLK_IOC_MAGIC, 0x05, struct rblk_ioc_discover)
#define RBLK_IOC_ROUTE_ADD	_IOWR(RBLK_IOC_MAGIC, 0x06, struct rblk_ioc_route_change)
#define RBLK_IOC_ROUTE_REMOVE	_IOWR(RBLK_IOC_MAGIC, 0x07, struct rblk_ioc_route_change)
#define RBLK_IOC_ROUTE_LIST	_IOWR(RBLK_IOC_MAGIC, 0x08, struct rblk_ioc_route_list)
#define RBLK_IOC_PIN		_IOWR(RBLK_IOC_MAGIC, 0x09, struct rblk_ioc_pin)
#define RBLK_IOC_KEY_SET	_IOWR(RBLK_IOC_MAGIC, 0x0a, struct rblk_ioc_key_set)
#define RBLK_IOC_KEY_SHOW	_IOWR(RBLK_IOC_MAGIC, 0x0b, struct rblk_ioc_key_show)
#define RBLK_IOC_STAT		_IOWR(RBLK_IOC_MAGIC, 0x10, struct rblk_ioc_stat)
#define RBLK_IOC_RESERVATION	_IOWR(RBLK_IOC_MAGIC, 0x11, struct rblk_ioc_reservation)

/* ---- /dev/rblk-target: the target ---- */

#define RBLKT_EXPORT_READ_ONLY	(1u << 0)
#define RBLKT_EXPORT_SHARED	(1u << 1)
#define RBLKT_EXPORT_ALLOW_ANY	(1u << 2)
#define RBLKT_EXPORT_CGROUP	(1u << 3)	/* I/O control group in @cgroup_fd */
#define RBLKT_EXPORT_REALTIME	(1u << 4)	/* hosts may use real-time I/O priorities */
#define RBLKT_EXPORT_FORGET	(1u << 5)	/* who wrote last; only when adding */
#define RBLKT_EXPORT_INSECURE	(1u << 6)	/* also for hosts that prove no key */
#define RBLKT_EXPORT_ALL	0x7fu

/**
 * struct rblk_ioc_host - a host in an export's list: exactly one of the two is not zeroes
 * @uuid: what the host calls itself, which proves nothing: it may be in the list only of an
 *        export with RBLKT_EXPORT_INSECURE (else EINVAL), and is let in only without a key
 * @key: the public key that it proves
 *
 * RBLKT_EXPORT_ALLOW_ANY stands for every host that proves any key, and with
 * RBLKT_EXPORT_INSECURE for every host.
 */
struct rblk_ioc_host {
	__u8 uuid[RBLK_UUID_LEN];
	__u8 key[RBLK_KEY_LEN];
};
RBLK_IOC_ASSERT_SIZE(struct rblk_ioc_host, 48);

/**
 * struct rblkt_ioc_export_add - offer a block device
 * @size: sizeof(struct rblkt_ioc_export_add)
 * @flags: RBLKT_EXPORT_*
 * @name: name of the export, as in rblk_name.h
 * @path: path of the backing block device
 * @uuid: identity, not all zeroes; the same UUID means the same data
 * @nr_hosts: entries at @hosts, at most RBLK_MAX_HOSTS
 * @cgroup_fd: with RBLKT_EXPORT_CGROUP the open directory of a cgroup v2
 *             control group, to which the export's I/O is charged; else zero
 * @hosts: pointer to struct rblk_ioc_host, none of them twice
 * @reserved2: zero
 * @error: out
 */
struct rblkt_ioc_export_add {
	__u32 size;
	__u32 flags;
	char name[RBLK_NAME_LEN];
	char path[RBLK_PATH_LEN];
	__u8 uuid[RBLK_UUID_LEN];
	__u32 nr_hosts;
	__s32 cgroup_fd;
	__u64 hosts;
	__u64 reserved2[4];
	struct rblk_ioc_error error;
};

#define RBLKT_REMOVE_FORCE	(1u << 0)

/**
 * struct rblkt_ioc_export_remove - remove an export
 * @size: sizeof(struct rblkt_ioc_export_remove)
 * @flags: RBLKT_REMOVE_FORCE: remove it although hosts have it attached, or have I/O in it
 * @name: name of the export
 * @reserved: zero
 * @error: out; with EBUSY it names a host that has it attached, or the device in which
 *         I/O has not ended
 *
 * Ends within 10 s.  The target closes the backing device after its last I/O,
 * which may be later if the device hangs.
 */
struct rblkt_ioc_export_remove {
	__u32 size;
	__u32 flags;
	char name[RBLK_NAME_LEN];
	__u64 reserved[4];
	struct rblk_ioc_error error;
};

#define RBLKT_SET_HOSTS		(1u << 0)	/* @nr_hosts, @hosts, ALLOW_ANY */
#define RBLKT_SET_READ_ONLY	(1u << 1)	/* RBLKT_EXPORT_READ_ONLY */
#define RBLKT_SET_SHARED	(1u << 2)	/* RBLKT_EXPORT_SHARED */
#define RBLKT_SET_NAME		(1u << 3)	/* @new_name */
#define RBLKT_SET_FORCE		(1u << 4)	/* even if hosts that use it lose a right */
#define RBLKT_SET_ALLOW		(1u << 5)	/* @nr_hosts, @hosts: add them */
#define RBLKT_SET_DENY		(1u << 6)	/* @nr_hosts, @hosts: remove them */
#define RBLKT_SET_REALTIME	(1u << 7)	/* RBLKT_EXPORT_REALTIME */
#define RBLKT_SET_INSECURE	(1u << 8)	/* RBLKT_EXPORT_INSECURE */
#define RBLKT_SET_ALL		0x1ffu

/**
 * struct rblkt_ioc_export_set - change an export, which hosts may have attached
 * @size: sizeof(struct rblkt_ioc_export_set)
 * @what: RBLKT_SET_*
 * @name: name of the export
 * @new_name: with RBLKT_SET_NAME, a name as in rblk_name.h; else zeroes
 * @flags: RBLKT_EXPORT_* that @what changes, else zero
 * @nr_hosts: with RBLKT_SET_HOSTS, ALLOW or DENY, entries at @hosts, at most
 *            RBLK_MAX_HOSTS
 * @hosts: pointer to struct rblk_ioc_host, none of them twice
 * @reserved: zero
 * @error: out; EBUSY names a host that would lose something
 *
 * RBLKT_SET_HOSTS replaces the export's list.  RBLKT_SET_ALLOW and
 * RBLKT_SET_DENY change it: a host that is in the list already may be added,
 * but removing one that is not in it fails (ENOENT).  An export for any host
 * has no list (EINVAL).
 *
 * Either all changes happen or none.  Hosts that lose nothing notice nothing.
 * A host without any right left loses the export, as in a removal by force.  A
 * host that may no longer write, or may write again, holds its I/O until its
 * last I/O has ended.
 *
 * Ends within 10 s.  By then the I/O of hosts that lost a right has ended,
 * unless the backing device hangs.
 */
struct rblkt_ioc_export_set {
	__u32 size;
	__u32 what;
	char name[RBLK_NAME_LEN];
	char new_name[RBLK_NAME_LEN];
	__u32 flags;
	__u32 nr_hosts;
	__u64 hosts;
	__u64 reserved[4];
	struct rblk_ioc_error error;
};

/**
 * struct rblkt_ioc_user - a host that has an export attached
 * @host: its UUID
 * @name: its name
 * @session: the session
 * @peer: its address
 * @access: RBLK_ACCESS_* of rblk_wire.h
 * @draining: 1: it only waits for its last I/O to end
 * @inflight: its I/Os at the backing device
 * @reserved: zero
 * @key: the public key that it has proved, or all zeroes
 */
struct rblkt_ioc_user {
	__u8 host[RBLK_UUID_LEN];
	char name[RBLK_NAME_LEN];
	__u8 session[RBLK_UUID_LEN];
	struct rblk_ioc_addr peer;
	__u32 access;
	__u32 draining;
	__u32 inflight;
	__u32 reserved;
	__u8 key[RBLK_KEY_LEN];
};
RBLK_IOC_ASSERT_SIZE(struct rblkt_ioc_user, 168);

/**
 * struct rblkt_ioc_export_show - show an export, its permitted hosts, its users
 * @size: sizeof(struct rblkt_ioc_export_show)
 * @flags: RBLKT_SHOW_NEXT: the first export whose name sorts after @name
 * @name: in: name of the export; out: name of the one shown
 * @path: out: backing device
 * @cgroup: out: control group, from the hierarchy's root, or ""
 * @uuid: out
 * @export_flags: out: RBLKT_EXPORT_*
 * @wire_flags: out: RBLK_EXPF_* of rblk_wire.h
 * @capacity: out: bytes
 * @logical_block: out: bytes
 * @physical_block: out: bytes
 * @max_discard: out: bytes
 * @max_write_zeroes: out: bytes
 * @host_room: entries that @hosts has room for
 * @nr_hosts: out: hosts in the list
 * @user_room: entries that @users has room for
 * @nr_users: out: users that exist
 * @hosts: pointer to struct rblk_ioc_host, may be 0 with @host_room 0
 * @users: pointer to struct rblkt_ioc_user, may be 0 with @user_room 0
 * @reserved: zero
 * @error: out; ENOENT if there is no such export
 */
struct rblkt_ioc_export_show {
	__u32 size;
	__u32 flags;
	char name[RBLK_NAME_LEN];
	char path[RBLK_PATH_LEN];
	char cgroup[RBLK_PATH_LEN];
	__u8 uuid[RBLK_UUID_LEN];
	__u32 export_flags;
	__u32 wire_flags;
	__u64 capacity;
	__u32 logical_block;
	__u32 physical_block;
	__u32 max_discard;
	__u32 max_write_zeroes;
	__u32 host_room;
	__u32 nr_hosts;
	__u32 user_room;
	__u32 nr_users;
	__u64 hosts;
	__u64 users;
	__u64 reserved[4];
	struct rblk_ioc_error error;
};

#define RBLKT_SHOW_NEXT		(1u << 0)

/**
 * struct rblkt_ioc_portal_add - listen on an address in the caller's namespace
 * @size: sizeof(struct rblkt_ioc_portal_add)
 * @flags: zero
 * @addr: address and port; the any-address listens on every RDMA device
 * @reserved: zero
 * @error: out
 */
struct rblkt_ioc_portal_add {
	__u32 size;
	__u32 flags;
	struct rblk_ioc_addr addr;
	__u64 reserved[4];
	struct rblk_ioc_error error;
};

/**
 * struct rblkt_ioc_portal_remove - stop listening
 * @size: sizeof(struct rblkt_ioc_portal_remove)
 * @flags: RBLKT_REMOVE_FORCE: end the sessions that came through the portal
 * @addr: as in struct rblkt_ioc_portal_add
 * @reserved: zero
 * @error: out; EBUSY names a host
 */
struct rblkt_ioc_portal_remove {
	__u32 size;
	__u32 flags;
	struct rblk_ioc_addr addr;
	__u64 reserved[4];
	struct rblk_ioc_error error;
};

/**
 * struct rblkt_ioc_portal - a portal
 * @addr: address and port
 * @listening: 0 while its address or device is away
 * @sessions: sessions that came through it
 * @last_error: positive errno of the last attempt to listen, 0 for none
 * @reserved: zero
 */
struct rblkt_ioc_portal {
	struct rblk_ioc_addr addr;
	__u32 listening;
	__u32 sessions;
	__s32 last_error;
	__u32 reserved;
};

/**
 * struct rblkt_ioc_list - list portals or sessions
 * @size: sizeof(struct rblkt_ioc_list)
 * @room: entries that @entries has room for
 * @nr: out: entries that exist, perhaps more than @room
 * @reserved: zero
 * @entries: pointer to struct rblkt_ioc_portal (RBLKT_IOC_PORTAL_LIST) or to
 *           struct rblk_ioc_session (RBLKT_IOC_SESSION_LIST)
 * @error: out
 */
struct rblkt_ioc_list {
	__u32 size;
	__u32 room;
	__u32 nr;
	__u32 reserved[5];
	__u64 entries;
	struct rblk_ioc_error error;
};

/**
 * struct rblkt_ioc_session_remove - end all sessions of a host
 * @size: sizeof(struct rblkt_ioc_session_remove)
 * @flags: RBLKT_REMOVE_FORCE: end them although volumes are attached
 * @host: its UUID
 * @nr: out: sessions that were ended
 * @reserved: zero
 * @reserved2: zero
 * @error: out; ENOENT if the host has no session
 *
 * Meant for a dead host: a living one comes back at once.  Other hosts can
 * attach the host's exports when its last I/O has ended.
 */
struct rblkt_ioc_session_remove {
	__u32 size;
	__u32 flags;
	__u8 host[RBLK_UUID_LEN];
	__u32 nr;
	__u32 reserved;
	__u64 reserved2[4];
	struct rblk_ioc_error error;
};

/**
 * struct rblkt_ioc_host_fence - take all rights of a host, or give them back
 * @size: sizeof(struct rblkt_ioc_host_fence)
 * @flags: RBLKT_FENCE_DOWN: give them back
 * @host: its key; or its UUID, which is also what the target calls a host with a key
 * @name: what people call it, as in rblk_name.h, or "" for what it has called itself
 * @sessions: out: sessions that were ended
 * @left: out: volumes whose last I/O has not ended in the device
 * @reserved: zero
 * @error: out; ENOENT of RBLK_STAGE_LOOKUP if the target knows no such host, of
 *         RBLK_STAGE_BACKING if it has no directory to keep a fence in
 *
 * A fence outlives the target: until it is taken down, the host attaches no export.  It
 * may be put up again, to see whether the host's I/O has ended.
 *
 * Ends within 10 s.  By then the I/O of the host has ended, or @left says that it has not.
 */
struct rblkt_ioc_host_fence {
	__u32 size;
	__u32 flags;
	struct rblk_ioc_host host;
	char name[RBLK_NAME_LEN];
	__u32 sessions;
	__u32 left;
	__u64 reserved[4];
	struct rblk_ioc_error error;
};

#define RBLKT_FENCE_DOWN	(1u << 0)

/**
 * struct rblkt_ioc_fenced - a host that is fenced
 * @host: what the target calls it
 * @key: its key, or all zeroes if it was not fenced by that
 * @name: its name, or ""
 * @left: volumes whose last I/O has not ended in the device
 * @reserved: zero
 */
struct rblkt_ioc_fenced {
	__u8 host[RBLK_UUID_LEN];
	__u8 key[RBLK_KEY_LEN];
	char name[RBLK_NAME_LEN];
	__u32 left;
	__u32 reserved[3];
};
RBLK_IOC_ASSERT_SIZE(struct rblkt_ioc_fenced, 128);

/**
 * struct rblkt_ioc_host_stat - what a host did with an export
 * @host: its UUID
 * @name: its name when it last attached the export
 * @attached: how many times it has the export attached now
 * @reserved: zero
 * @op: enum rblk_latency_op, since the host first attached the export
 */
struct rblkt_ioc_host_stat {
	__u8 host[RBLK_UUID_LEN];
	char name[RBLK_NAME_LEN];
	__u32 attached;
	__u32 reserved[3];
	struct rblk_ioc_latency op[RBLK_LATENCY_OPS];
};

#define RBLKT_STAT_HOSTS	64

/**
 * struct rblkt_ioc_stat - how long an export's operations took, by host
 * @size: sizeof(struct rblkt_ioc_stat)
 * @skip: hosts to leave out at the start
 * @room: entries that @hosts has room for; at most RBLKT_STAT_HOSTS are filled
 * @nr: out: all hosts, with those left out
 * @name: name of the export
 * @hosts: pointer to struct rblkt_ioc_host_stat
 * @reserved: zero
 * @error: out; ENOENT if there is no such export
 *
 * The target forgets the hosts with the export.  When there are
 * RBLKT_STAT_HOSTS, each new one makes it forget the oldest that no longer has
 * the export attached.
 */
struct rblkt_ioc_stat {
	__u32 size;
	__u32 skip;
	__u32 room;
	__u32 nr;
	char name[RBLK_NAME_LEN];
	__u64 hosts;
	__u64 reserved[4];
	struct rblk_ioc_error error;
};

/**
 * struct rblkt_ioc_reservation_show - show an export's registrations and reservation
 * @size: sizeof(struct rblkt_ioc_reservation_show)
 * @flags: zero
 * @name: name of the export
 * @generation: out: changes with each registration made or ended
 * @type: out: enum rblk_wire_resv_type of rblk_wire.h, 0 without a reservation
 * @kept: out: 1: it is in a file, and a restart of the target does not lose it
 * @aborting: out: former attachments of preempted hosts whose I/O has not ended
 * @room: entries that @registrants has room for
 * @nr: out: registrants that exist, at most RBLK_WIRE_MAX_REGISTRANTS
 * @registrants: pointer to struct rblk_ioc_registrant, may be 0 with @room 0
 * @reserved: zero
 * @error: out; ENOENT if there is no such export
 */
struct rblkt_ioc_reservation_show {
	__u32 size;
	__u32 flags;
	char name[RBLK_NAME_LEN];
	__u32 generation;
	__u32 type;
	__u32 kept;
	__u32 aborting;
	__u32 room;
	__u32 nr;
	__u64 registrants;
	__u64 reserved[4];
	struct rblk_ioc_error error;
};
RBLK_IOC_ASSERT_AT(struct rblkt_ioc_reservation_show, registrants, 96);
RBLK_IOC_ASSERT_SIZE(struct rblkt_ioc_reservation_show, 392);

/* What becomes of an export's registrations: exactly one of these. */
#define RBLKT_RESV_CLEAR	1	/* no reservation, no registrations */
#define RBLKT_RESV_REMOVE	2	/* the registration of @host ends */
#define RBLKT_RESV_MOVE		3	/* that of @host is @new_host's from now on */

/**
 * struct rblkt_ioc_reservation_set - change an export's registrations by force
 * @size: sizeof(struct rblkt_ioc_reservation_set)
 * @what: RBLKT_RESV_*
 * @name: name of the export
 * @host: with REMOVE and MOVE, a registrant: by key if it has proved one; else zeroes
 * @new_host: with MOVE, the same host by its new key; else zeroes
 * @reserved: zero
 * @error: out; ENOENT if there is no such export or registrant; EEXIST if @new_host has a
 *         registration; EIO and others if the change can't be recorded
 *
 * Hosts hear of it by event.  It waits for no I/O: to keep a host out and have its last
 * I/O end, RBLKT_SET_DENY with RBLKT_SET_FORCE.
 */
struct rblkt_ioc_reservation_set {
	__u32 size;
	__u32 what;
	char name[RBLK_NAME_LEN];
	struct rblk_ioc_host host;
	struct rblk_ioc_host new_host;
	__u64 reserved[4];
	struct rblk_ioc_error error;
};
RBLK_IOC_ASSERT_AT(struct rblkt_ioc_reservation_set, reserved, 168);
RBLK_IOC_ASSERT_SIZE(struct rblkt_ioc_reservation_set, 456);

/**
 * struct rblkt_ioc_pause - start, end or show a planned pause of the target
 * @size: sizeof(struct rblkt_ioc_pause)
 * @ms: PAUSE: duration, 1 to 3600000 milliseconds; else zero.  Out: time left,
 *      or for RESUME time that was left; 0: not paused
 * @sessions: out: PAUSE: sessions that were told; else sessions that exist
 * @inflight: out: I/Os of ended sessions that have not ended at their devices
 * @reserved: zero
 * @error: out
 *
 * PAUSE tells the hosts the duration, completes the I/O in progress, ends all
 * sessions and refuses new ones until RESUME, or until the time is over.  It
 * ends within 10 s.  ETIMEDOUT means that I/O has not ended; the target is
 * paused nevertheless.  Another PAUSE sets another time.  RESUME also succeeds
 * without a pause.
 */
struct rblkt_ioc_pause {
	__u32 size;
	__u32 ms;
	__u32 sessions;
	__u32 inflight;
	__u64 reserved[4];
	struct rblk_ioc_error error;
};

#define RBLKT_IOC_MAGIC		0xbc
#define RBLKT_IOC_INFO		_IOWR(RBLKT_IOC_MAGIC, 0x00, struct rblk_ioc_info)
#define RBLKT_IOC_EXPORT_ADD	_IOWR(RBLKT_IOC_MAGIC, 0x01, struct rblkt_ioc_export_add)
#define RBLKT_IOC_EXPORT_REMOVE	_IOWR(RBLKT_IOC_MAGIC, 0x02, struct rblkt_ioc_export_remove)
#define RBLKT_IOC_EXPORT_SHOW	_IOWR(RBLKT_IOC_MAGIC, 0x03, struct rblkt_ioc_export_show)
#define RBLKT_IOC_PORTAL_ADD	_IOWR(RBLKT_IOC_MAGIC, 0x04, struct rblkt_ioc_portal_add)
#define RBLKT_IOC_PORTAL_REMOVE	_IOWR(RBLKT_IOC_MAGIC, 0x05, struct rblkt_ioc_portal_remove)
#define RBLKT_IOC_PORTAL_LIST	_IOWR(RBLKT_IOC_MAGIC, 0x06, struct rblkt_ioc_list)
#define RBLKT_IOC_SESSION_LIST	_IOWR(RBLKT_IOC_MAGIC, 0x07, struct rblkt_ioc_list)
#define RBLKT_IOC_SESSION_REMOVE _IOWR(RBLKT_IOC_MAGIC, 0x08, struct rblkt_ioc_session_remove)
#define RBLKT_IOC_EXPORT_SET	_IOWR(RBLKT_IOC_MAGIC, 0x09, struct rblkt_ioc_export_set)
#define RBLKT_IOC_PAUSE		_IOWR(RBLKT_IOC_MAGIC, 0x0a, struct rblkt_ioc_pause)
#define RBLKT_IOC_RESUME	_IOWR(RBLKT_IOC_MAGIC, 0x0b, struct rblkt_ioc_pause)
#define RBLKT_IOC_PAUSE_SHOW	_IOWR(RBLKT_IOC_MAGIC, 0x0c, struct rblkt_ioc_pause)
#define RBLKT_IOC_KEY_SET	_IOWR(RBLKT_IOC_MAGIC, 0x0d, struct rblk_ioc_key_set)
#define RBLKT_IOC_KEY_SHOW	_IOWR(RBLKT_IOC_MAGIC, 0x0e, struct rblk_ioc_key_show)
#define RBLKT_IOC_STAT		_IOWR(RBLKT_IOC_MAGIC, 0x10, struct rblkt_ioc_stat)
#define RBLKT_IOC_RESERVATION_SHOW _IOWR(RBLKT_IOC_MAGIC, 0x11, struct rblkt_ioc_reservation_show)
#define RBLKT_IOC_RESERVATION_SET _IOWR(RBLKT_IOC_MAGIC, 0x12, struct rblkt_ioc_reservation_set)
#define RBLKT_IOC_HOST_FENCE	_IOWR(RBLKT_IOC_MAGIC, 0x13, struct rblkt_ioc_host_fence)
#define RBLKT_IOC_FENCED	_IOWR(RBLKT_IOC_MAGIC, 0x14, struct rblkt_ioc_list)

#endif /* RBLK_IOCTL_H */
