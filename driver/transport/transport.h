/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The initiator's transport: connections, their queues and buffers, commands
 * and responses.  It knows nothing of sessions, requests or disks.  It reports
 * events to its user through struct rblk_conn_ops, and names a command by the
 * rblk_slot.owner that the user gave it.
 *
 * Locks: any context may take conn->lock.  conn->sq_lock and conn->window.lock are
 * innermost, conn->lend.lock just outside of the latter; conn->poll.lock is outside
 * of them all.
 */
#ifndef RBLK_TRANSPORT_H
#define RBLK_TRANSPORT_H

#include <linux/completion.h>
#include <linux/interrupt.h>
#include <linux/scatterlist.h>
#include <linux/socket.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <rdma/rdma_cm.h>

#include "rblk_ioctl.h"
#include "rblk_wire.h"
#include "../../compat/drain.h"
#include "../proto/proto.h"
#include "../proto/state.h"
#include "../proto/limits.h"
#include "count.h"
#include "message.h"
#include "poll.h"
#include "pool.h"
#include "push.h"
#include "share.h"
#include "sign.h"

#define RBLK_SEND_SGES		2	/* a command, and its inline data */

/* Runs every work item of the module; I/O depends on it: WQ_MEM_RECLAIM. */
extern struct workqueue_struct *rblk_wq;

/* ---- error.c: how a failure becomes a sentence ---- */

__printf(4, 5)
int rblk_fail(struct rblk_ioc_error *error, u32 stage, int err,
	      const char *fmt, ...);

/* ---- mr.c: memory registrations ---- */

/**
 * struct rblk_large - what a request beyond RBLK_SMALL_PAGES borrows
 * @next: in conn->lend.large while no slot has borrowed it
 * @mr: registration as large as the connection's largest request
 * @stale: it may still be valid
 *
 * The connection owns it, from rblk_mr_pool_init() to rblk_mr_pool_exit().
 */
struct rblk_large {
	struct rblk_large *next;
	struct ib_mr *mr;
	bool stale;
};

/**
 * struct rblk_slot - everything a tag needs, allocated before the first I/O
 * @conn: the connection it belongs to
 * @owner: the user's request, for the upcalls; valid while @busy
 * @next: in conn->lend.slots while it is free
 * @share: what its user has of the connection
 * @uses: who needs the slot: the command, and the target while @held
 * @held: answered by HELD: the target has not freed the tag yet
 * @tag: its index in conn->slots
 * @gen: raised for each new command
 * @busy: a command is posted or being posted; set (release) once the fields
 *        below describe that command, cleared when it ends
 * @answered: its answer has arrived and passed all checks
 * @inline_read: the response carries the data
 * @immediate: the command asks for RDMA WRITE with immediate as its answer
 * @digested: the command has a digest, or a successful answer to it
 * @pushed: RDMA WRITE sends the data ahead; valid while the batch gathers it
 * @buffer: 1 + index of the message buffer whose message starts with this command,
 *          0 for none
 * @ahead: what sends its data into the target's window, or NULL
 * @status: wire status from the answer
 * @digest: likewise, of a read's data
 * @op: enum rblk_wire_op
 * @volume: volume handle in the command
 * @length: bytes of data or range
 * @rkey: granted to the target with this command, or 0
 * @dir: direction of the DMA mapping, DMA_NONE when nothing is mapped
 * @mapped: scatter list entries passed to the DMA mapping
 * @nents: entries the mapping returned; inline read: entries of the list
 * @mr: the slot's own registration of RBLK_SMALL_PAGES
 * @stale: it may still be valid; set when its command is cancelled
 * @large: borrowed for a large request, or NULL
 * @target_ns: from the response
 * @device_ns: from the response
 * @bounce: buffer of conn->offer.inline_write bytes; sends inline data, or the
 *          message of a batch that starts with this command.  The first RBLK_BOUNCES
 *          tags have one, others NULL
 * @bounce_dma: DMA address of @bounce
 * @inv_cqe: completion of the local invalidation after an immediate
 * @inv_seq: position of that invalidation in the send queue
 * @reg: registration request
 * @rdma: RDMA WRITE request that pushes the data
 * @send: SEND request of the command
 * @sge: elements of @send: message, then @bounce; only the lengths change
 * @sgl: the scatter list; blocks of the connection may make it longer, so it must be
 *       followed by sg_next(), see scatter.c
 * @last_block: the last of these blocks, while there are any
 * @blocks: how many
 *
 * The submitter owns it from rblk_io_take() until it posts the command, then the
 * completion handlers do, or after a drain the task that cancels it, until
 * rblk_share_give().  A slot that is @held stays lent until the target frees the
 * tag, however its command ended.  The connection allocates and frees all slots in buffer.c.
 */
struct rblk_slot {
	struct rblk_conn *conn;
	void *owner;
	struct rblk_slot *next;
	struct rblk_share *share;
	u8 uses;
	bool held;
	u16 tag;
	u16 gen;
	bool busy;
	bool answered;
	bool inline_read;
	bool immediate;
	bool digested;
	bool pushed;
	u8 buffer;
	struct rblk_ahead *ahead;
	u8 op;
	u16 status;
	u32 digest;
	u32 volume;
	u32 length;
	u32 rkey;
	enum dma_data_direction dir;
	int mapped;
	int nents;
	struct ib_mr *mr;
	bool stale;
	struct rblk_large *large;
	u32 target_ns;
	u32 device_ns;
	void *bounce;
	u64 bounce_dma;
	struct ib_cqe inv_cqe;
	u32 inv_seq;
	struct ib_reg_wr reg;
	struct ib_rdma_wr rdma;
	struct ib_send_wr send;
	struct ib_sge sge[RBLK_SEND_SGES];
	struct scatterlist sgl[RBLK_SLOT_SGS];
	struct scatterlist *last_block;
	u32 blocks;
};

/* ---- mr.c, as above ---- */

struct rblk_pool_shape rblk_mr_shape(const struct rblk_conn *conn);
int rblk_mr_pool_init(struct rblk_conn *conn);
void rblk_mr_pool_exit(struct rblk_conn *conn);
void rblk_mr_doubt(struct rblk_slot *slot);
int rblk_mr_map(struct rblk_slot *slot, int access);

/* ---- batch.c: commands that leave together ---- */

/**
 * struct rblk_batch - commands that are gathered and not posted yet
 * @first: first work request of the chain; the message's SEND is not in it yet
 * @last: last work request of the chain
 * @message: slot of the message's first command, NULL without a message
 * @at: where the message is built
 * @sge: scatter element of the message
 * @commands: commands in the message
 * @pushes: commands in the message whose data RDMA WRITE sends ahead
 * @wrs: send queue entries that the whole batch needs
 * @most: most commands the batch may hold
 * @nr: commands it holds
 * @tags: tags of the gathered commands
 *
 * Part of its connection; conn->sq_lock guards it.
 */
struct rblk_batch {
	struct ib_send_wr *first;
	struct ib_send_wr *last;
	struct rblk_slot *message;
	void *at;
	struct ib_sge sge;
	u32 commands;
	u32 pushes;
	u32 wrs;
	u32 most;
	u32 nr;
	u16 tags[RBLK_WIRE_MAX_BATCH];
};

/* ---- ways.c: the way that a command's data takes ---- */

enum rblk_way {
	RBLK_WAY_INLINE,	/* behind the command, or behind the response */
	RBLK_WAY_WINDOW,	/* ahead of the command, into the target's window */
	RBLK_WAY_RDMA,		/* the target moves it, and sends a response */
	RBLK_WAY_IMMEDIATE,	/* the same, but an immediate is the answer */
};

void rblk_way_caps(struct rblk_conn *conn);
enum rblk_way rblk_way_choose(struct rblk_slot *slot,
			      const struct rblk_command *cmd);
bool rblk_way_pushes(const struct rblk_slot *slot,
		     const struct rblk_command *cmd);

/* ---- conn.c: one reliable connection ---- */

/**
 * struct rblk_conn_ops - what a connection tells its user
 * @lost: the connection is lost; any context.  Once per connection, and only
 *        if it was established; several connections may report at a time
 * @port_down: its RDMA device says that the port is down; process
 * @message: a control message or BIND reply arrived; softirq; @msg is valid
 *           until the upcall returns
 * @answered: a command's answer arrived and passed all checks; softirq, or a task
 *            that polls with bottom halves off; one at a time per connection
 * @done: later: the command has ended and its owner may use its pages again; the
 *        upcall gives the slot back by rblk_share_give(); any context
 */
struct rblk_conn_ops {
	void (*lost)(void *ctx, const char *why);
	void (*port_down)(void *ctx);
	void (*message)(void *ctx, struct rblk_conn *conn,
			const struct rblk_arrival *msg);
	void (*answered)(void *owner, const struct rblk_slot *slot);
	void (*done)(void *owner, struct rblk_slot *slot);
};

/**
 * struct rblk_recv - one posted receive
 * @cqe: its completion
 * @conn: the connection that owns it
 * @buf: buffer of recv_size bytes
 * @dma: DMA address of @buf
 */
struct rblk_recv {
	struct ib_cqe cqe;
	struct rblk_conn *conn;
	void *buf;
	u64 dma;
};

/**
 * struct rblk_conn - one RC queue pair to the target
 * @ops: upcalls
 * @ctx: argument of @ops->lost and @ops->message
 * @stats: the session's counters
 * @offer: what this side asks of the target; its qid numbers the connection
 * @grant: what the target granted, valid from BINDING on
 * @greeting: both as they were sent, likewise
 * @sign: MACs of its messages
 * @caps: of the device, valid once the QP exists
 * @vector: completion vector of its queues, modulo their number
 * @lock: guards @state, @cm_error, @aborted and @connecting against completion
 *        and CM handlers; READ_ONCE() may read @state and @aborted without it
 * @state: see proto/state.c
 * @cm_done: completes the CM step that rblk_conn_connect() waits for
 * @cm_error: result of that step: 0 or a negative errno
 * @aborted: its user no longer wants this connection
 * @connecting: the thread in rdma_connect(), or NULL
 * @connect_timer: timer that ends its wait in rdma_connect()
 * @connect_ms: how long to wait for an answer to the connection request
 * @rej: why the target refused; reason 0 if it did not
 * @cm_text: why the CM, or a check of the reply, failed the request
 * @id: CM identifier, made and destroyed in process context only
 * @device: RDMA device, NULL until the address is resolved
 * @device_events: hears of the device's failure while @built
 * @pool: of its place in the session; open while @pd is set, or being made
 * @pd: its own, so that nothing which came over another connection, however
 *      late, reaches memory granted on this one
 * @qp: NULL until the route is known and after rblk_conn_drain()
 * @built: buffers and completion queues exist
 * @rcq: receive completions; always armed, unless the connection is polled
 * @scq: send completions; receive handlers poll it; ring.c says when it is armed for what
 * @drain: the drain of @qp; dead once the device, @rcq or @scq has failed
 * @sq_poll: tasklet that polls an armed @scq
 * @poll: whether, and by whom, it is polled
 * @sq_lock: guards @draining .. @batch and the order of posting
 * @draining: keep @scq armed
 * @closed: @scq is about to be destroyed and must not be touched
 * @sq_armed: @scq, and @rcq if it is polled, is armed for all completions, or
 *            @sq_poll is about to run
 * @sq_awaited: completions that answered commands wait for
 * @sq_size: entries rblk may use
 * @sq_reserve: of those, entries that commands leave free
 * @sq_posted: entries ever posted
 * @sq_reclaimed: of those, entries known to be free again
 * @sq_mark: @sq_posted at the marker, see ring.c
 * @sq_marking: the marker is in flight
 * @sent: commands ever posted
 * @batch: commands to be posted together
 * @mark_cqe: completion of the marker
 * @quiet_cqe: completion of sends of which only an error matters
 * @answers: answers to commands ever received; written as @answered is called
 * @heard: jiffies of the last receive; control connection only
 * @arrived: ns, arrival of the message or immediate that is being handled; used
 *           like @answers
 * @nr_recv: entries of @recv
 * @recv_size: bytes of a receive buffer
 * @recv: receives
 * @msg: control message or BIND to send, RBLK_WIRE_CTRL_MAX bytes
 * @msg_dma: DMA address of @msg
 * @slots: one per tag, NULL on the control connection
 * @lend: who has how many of them
 * @messages: where messages of several commands are built
 * @push: for pushed writes
 * @window: for writes whose data goes into the target's window
 * @wire: command messages, depth times RBLK_WIRE_DATA_OFFSET bytes
 * @wire_dma: DMA address of @wire
 * @large: array of RBLK_LARGE_PER_CONN
 * @rcu: delays the final kfree(): commit_rqs() may still look for a batch
 *
 * Its session owns it.  The session's work item alone makes, connects, drains
 * and frees it; rblk_conn_drain() ends the completion handlers.
 */
struct rblk_conn {
	const struct rblk_conn_ops *ops;
	void *ctx;
	struct rblk_stats __percpu *stats;
	struct rblk_offer offer;
	struct rblk_grant grant;
	struct rblk_auth_greeting greeting;
	struct rblk_sign sign;
	struct rblk_caps caps;
	u32 vector;

	spinlock_t lock;		/* see above */
	enum rblk_conn_state state;
	struct completion cm_done;
	int cm_error;
	bool aborted;
	struct task_struct *connecting;
	struct timer_list connect_timer;
	u32 connect_ms;
	struct rblk_wire_cm_rej rej;
	const char *cm_text;

	struct rdma_cm_id *id;
	struct ib_device *device;
	struct ib_event_handler device_events;
	struct rblk_pool *pool;
	struct ib_pd *pd;
	struct ib_qp *qp;
	bool built;
	struct ib_cq *rcq;
	struct ib_cq *scq;
	struct compat_drain drain;
	struct tasklet_struct sq_poll;
	struct rblk_poll poll;

	spinlock_t sq_lock;		/* see above */
	bool draining;
	bool closed;
	bool sq_armed;
	u32 sq_awaited;
	u32 sq_size;
	u32 sq_reserve;
	u32 sq_posted;
	u32 sq_reclaimed;
	u32 sq_mark;
	bool sq_marking;
	u32 sent;
	struct rblk_batch batch;
	struct ib_cqe mark_cqe;
	struct ib_cqe quiet_cqe;

	u32 answers;
	unsigned long heard;
	u64 arrived;
	u32 nr_recv;
	u32 recv_size;
	struct rblk_recv *recv;
	void *msg;
	u64 msg_dma;

	struct rblk_slot *slots;
	struct rblk_lend lend;
	struct rblk_messages messages;
	struct rblk_push push;
	struct rblk_window window;
	void *wire;
	u64 wire_dma;
	struct rblk_large *large;
	struct rcu_head rcu;
};

/**
 * struct rblk_peer - address to connect to, and from
 * @net: network namespace; the session holds a reference
 * @target: address and port
 * @source: local address, family AF_UNSPEC for any
 */
struct rblk_peer {
	struct net *net;
	struct sockaddr_storage target;
	struct sockaddr_storage source;
};

struct rblk_conn *rblk_conn_alloc(const struct rblk_conn_ops *ops, void *ctx,
				  struct rblk_stats __percpu *stats,
				  const struct rblk_offer *offer,
				  struct rblk_pool *pool, u32 vector);
bool rblk_conn_become(struct rblk_conn *conn, enum rblk_conn_state to);
int rblk_conn_build(struct rblk_conn *conn, u32 queues, u32 depth,
		    struct rblk_ioc_error *error);
int rblk_conn_ready(struct rblk_conn *conn);
int rblk_conn_send(struct rblk_conn *conn, u32 at, u32 bytes);
void rblk_conn_zero_write(struct rblk_conn *conn);
void rblk_conn_abort(struct rblk_conn *conn);
void rblk_conn_interrupt(struct rblk_conn *conn);
void rblk_conn_lose(struct rblk_conn *conn, const char *why);
void rblk_conn_disconnect(struct rblk_conn *conn);
void rblk_conn_drain(struct rblk_conn *conn);
void rblk_conn_release(struct rblk_conn *conn);
void rblk_conn_free(struct rblk_conn *conn);

/* ---- cm.c: making the connection ---- */

int rblk_conn_connect(struct rblk_conn *conn, const struct rblk_peer *peer,
		      u32 queues, u32 depth, struct rblk_ioc_error *error);

/* ---- buffer.c: buffers and slots of a connection ---- */

int rblk_buf_alloc(struct rblk_conn *conn);
void rblk_buf_free(struct rblk_conn *conn);

/* ---- ring.c: completion queues and the send queue of a connection ---- */

void rblk_ring_init(struct rblk_conn *conn);
int rblk_ring_create_cqs(struct rblk_conn *conn);
void rblk_ring_destroy_cqs(struct rblk_conn *conn);
int rblk_ring_send(struct rblk_conn *conn, struct ib_send_wr *first,
		   struct ib_send_wr *last, u32 nr, bool *busy, void *msg);
bool rblk_ring_room(const struct rblk_conn *conn, u32 nr);
int rblk_ring_push(struct rblk_conn *conn, struct ib_send_wr *first,
		   struct ib_send_wr *last, u32 nr);
void rblk_ring_sent(struct rblk_conn *conn);

/* A signalled send has completed: entries up to @seq are free.  Holds sq_lock. */
static inline void rblk_ring_reclaim(struct rblk_conn *conn, u32 seq)
{
	lockdep_assert_held(&conn->sq_lock);
	if ((s32)(seq - conn->sq_reclaimed) > 0)
		conn->sq_reclaimed = seq;
}

void rblk_ring_arm(struct rblk_conn *conn);
void rblk_ring_invalidate(struct rblk_slot *slot);
void rblk_ring_invalidated(struct rblk_slot *slot);
int rblk_ring_poll(struct rblk_conn *conn);
bool rblk_ring_drain(struct rblk_conn *conn);
void rblk_ring_quiesce(struct rblk_conn *conn);
bool rblk_ring_failed(struct rblk_conn *conn, struct ib_wc *wc, const char *what);

/* ---- receive.c: the receive queue of a connection ---- */

int rblk_receive_post(struct rblk_conn *conn);

/* ---- batch.c, as above ---- */

int rblk_batch_add(struct rblk_slot *slot, const struct rblk_command *cmd, bool last);
int rblk_batch_send_one(struct rblk_slot *slot, const struct rblk_command *cmd);
bool rblk_batch_holds(struct rblk_conn *conn);
void rblk_batch_post(struct rblk_conn *conn);

/* Without a lock; a thread sees its own command until somebody posts it. */
static inline bool rblk_batch_open(const struct rblk_conn *conn)
{
	return READ_ONCE(conn->batch.nr);
}

/* ---- io.c: commands and responses on an I/O connection ---- */

struct rblk_slot *rblk_io_take(struct rblk_conn *conn, struct rblk_share *share,
			       const struct rblk_need *need, bool alone, void *owner);
int rblk_io_submit(struct rblk_slot *slot, struct rblk_command *cmd, int nents, bool last);
void rblk_io_drop(struct rblk_slot *slot);
void *rblk_io_cancel(struct rblk_conn *conn, u16 tag);
void rblk_io_response(struct rblk_conn *conn, const struct rblk_arrival *msg);
void rblk_io_immediate(struct rblk_conn *conn, u32 imm, u32 bytes);
void rblk_io_invalidated(struct ib_cq *cq, struct ib_wc *wc);
void rblk_io_finish(struct rblk_slot *slot);

#endif /* RBLK_TRANSPORT_H */
