/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The initiator's transport: connections, their queues and buffers, commands
 * and responses.  It has never heard of sessions, requests or disks; its user
 * is told what happened through struct rblk_conn_ops and rblk_slot.owner.
 *
 * Locks: conn->lock may be taken in any context; conn->sq_lock and
 * conn->large_lock are innermost.
 */
#ifndef RBLK_TRANSPORT_H
#define RBLK_TRANSPORT_H

#include <linux/completion.h>
#include <linux/interrupt.h>
#include <linux/list.h>
#include <linux/scatterlist.h>
#include <linux/socket.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_cm.h>

#include "rblk_ioctl.h"
#include "rblk_wire.h"
#include "proto.h"
#include "state.h"
#include "limits.h"

#define RBLK_SEND_SGES		2	/* a command, and its inline data */

struct rblk_conn;
struct rblk_slot;

/* Wakes, waits, teardown and polling; may run while memory is short. */
extern struct workqueue_struct *rblk_wq;

/* ---- error.c: how a failure becomes a sentence ---- */

__printf(4, 5)
int rblk_fail(struct rblk_ioc_error *error, u32 stage, int err,
	      const char *fmt, ...);

/* ---- Counters: one set per session and CPU, so no line is shared ---- */

struct rblk_stats {
	u64 counter[RBLK_CNT_NR];
};

static inline void rblk_count(struct rblk_stats __percpu *stats,
			      enum rblk_counter which, u64 by)
{
	this_cpu_add(stats->counter[which], by);
}

/* ---- mr.c: memory registrations ---- */

/**
 * struct rblk_large - what a request beyond RBLK_SMALL_PAGES borrows
 * @entry: in conn->large_free while nobody has it
 * @mr: registration of the connection's largest request
 * @sgl: scatter list as long
 *
 * Owned by its connection, made and freed with it.
 */
struct rblk_large {
	struct list_head entry;
	struct ib_mr *mr;
	struct scatterlist *sgl;
};

/**
 * struct rblk_slot - everything a tag needs, made before the first I/O
 * @conn: whose slot it is
 * @owner: the request in it; valid while @busy
 * @tag: its index
 * @gen: raised each time the slot is used
 * @busy: a command is out or being posted; guards all below
 * @answered: its response has come and was found good
 * @inline_read: the data comes with the response
 * @immediate: asked for an RDMA WRITE with immediate as the answer
 * @pushed: the data goes ahead by RDMA WRITE; while it is gathered
 * @buffer: 1 + that of the message which begins with this command, or 0
 * @status: wire status of that response
 * @op: enum rblk_wire_op
 * @volume: handle the command was sent with
 * @length: bytes of data or range
 * @rkey: granted to the target with this command, or 0
 * @dir: direction of the DMA mapping, DMA_NONE when nothing is mapped
 * @mapped: entries of the scatter list given to the mapping
 * @nents: entries that it came out as; of an inline read, of the list itself
 * @mr: own registration of RBLK_SMALL_PAGES
 * @large: borrowed, or NULL
 * @target_ns: from the response
 * @device_ns: likewise
 * @bounce: inline data is sent from here, or a batch whose first command is this
 *          one's; conn->offer.inline_write bytes
 * @bounce_dma: of @bounce
 * @inv_cqe: of the local invalidation that an immediate calls for
 * @inv_seq: its position in the send queue
 * @reg: registration request
 * @rdma: request to push its data
 * @send: command's send request
 * @sge: its elements: message, then @bounce; both fixed but for lengths
 * @small: own scatter list
 *
 * One blk-mq tag of one hardware queue is one slot.  It belongs to whoever
 * owns that tag: the submitter from taking it to posting, then the completion
 * handlers, then (after a drain) whoever cancels it.
 */
struct rblk_slot {
	struct rblk_conn *conn;
	void *owner;
	u16 tag;
	u16 gen;
	bool busy;
	bool answered;
	bool inline_read;
	bool immediate;
	bool pushed;
	u8 buffer;
	u8 op;
	u16 status;
	u32 volume;
	u32 length;
	u32 rkey;
	enum dma_data_direction dir;
	int mapped;
	int nents;
	struct ib_mr *mr;
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
	struct scatterlist small[RBLK_SMALL_PAGES];
};

int rblk_mr_pool_init(struct rblk_conn *conn);
void rblk_mr_pool_exit(struct rblk_conn *conn);
bool rblk_mr_borrow(struct rblk_slot *slot);
void rblk_mr_return(struct rblk_slot *slot);
int rblk_mr_map(struct rblk_slot *slot, int access);

static inline struct scatterlist *rblk_slot_sgl(struct rblk_slot *slot)
{
	return slot->large ? slot->large->sgl : slot->small;
}

/* ---- push.c: small writes whose data goes ahead of their commands ---- */

/**
 * struct rblk_push - what a connection needs for it
 * @addr: of the tags' slots at the target
 * @rkey: of them
 * @size: of each; 0 if the target does not let us
 * @buffers: for messages, NULL if we do not want to
 * @dma: of @buffers
 * @free: those that are; bits are cleared with sq_lock held
 */
struct rblk_push {
	u64 addr;
	u32 rkey;
	u32 size;
	void *buffers;
	u64 dma;
	unsigned long free;
};

int rblk_push_alloc(struct rblk_conn *conn);
void rblk_push_free(struct rblk_conn *conn);
void rblk_push_granted(struct rblk_conn *conn,
		       const struct rblk_wire_bind_reply *reply);
bool rblk_push_can(const struct rblk_slot *slot,
		   const struct rblk_command *cmd);
void *rblk_push_buffer(struct rblk_slot *slot, struct ib_sge *sge);
void rblk_push_release(struct rblk_slot *slot);
struct ib_send_wr *rblk_push_prepare(struct rblk_slot *slot);

/* ---- batch.c: commands that leave together ---- */

/**
 * struct rblk_batch - commands that are gathered and not posted yet
 * @first: their work requests so far; without the message's
 * @last: of these
 * @message: slot of the message's first command, NULL when none is begun
 * @at: where it is built
 * @sge: of that
 * @commands: in the message
 * @pushes: of these, those whose data goes ahead
 * @wrs: send queue entries that all of it will take
 * @most: commands it may have
 * @nr: commands it has
 * @lone: commands in a row without company, see rblk_limits_gathers(); written
 *        without the lock where one is not held, as a miscount does not matter
 * @sender: thread that began the last batch; may be gone, and is only compared
 * @waits: how often it had waited by then
 * @when: jiffies of the last one
 * @poster: posts what is gathered beyond a series
 * @tags: theirs
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
	u32 lone;
	const void *sender;
	unsigned long waits;
	unsigned long when;
	struct tasklet_struct poster;
	u16 tags[RBLK_WIRE_MAX_BATCH];
};

/* ---- conn.c: one reliable connection ---- */

/**
 * struct rblk_conn_ops - what a connection tells its user
 * @lost: the connection is of no use any more; any context, may come more
 *        than once and for several connections
 * @message: a control message or BIND reply; softirq; @msg dies on return
 * @answered: the answer of a command is here, and found good; softirq, one at a
 *            time for each connection
 * @done: after that: a command has ended and its pages are its owner's again; any
 *        context; @slot is not the owner's any more once its tag is given up
 */
struct rblk_conn_ops {
	void (*lost)(void *ctx, const char *why);
	void (*message)(void *ctx, struct rblk_conn *conn,
			const struct rblk_arrival *msg);
	void (*answered)(void *owner, const struct rblk_slot *slot);
	void (*done)(void *owner, const struct rblk_slot *slot);
};

/**
 * struct rblk_recv - one posted receive
 * @cqe: its completion
 * @conn: whose
 * @buf: recv_size bytes
 * @dma: of @buf
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
 * @ctx: their argument
 * @stats: the session's counters
 * @offer: what is asked of the target; its qid says which connection this is
 * @grant: what it granted, valid from BINDING on
 * @caps: of the device, valid once the QP exists
 * @lock: guards @state, @cm_error, @aborted and @connecting; taken in completion context
 * @state: see state.c
 * @cm_done: the CM step that rblk_conn_connect() waits for has ended
 * @cm_error: how: 0 or a negative errno
 * @aborted: nobody wants this connection any more
 * @connecting: the thread in rdma_connect(), if there is one
 * @patience: ends its wait there
 * @connect_ms: how long to wait for an answer to the connection request
 * @rej: why the target refused, reason 0 if it did not
 * @cm_text: the CM's word for a refusal that is not the target's
 * @id: CM identifier, made and destroyed in process context only
 * @device: RDMA device, NULL until the address is resolved
 * @pd: its own, so that nothing which came over another connection, however
 *      late, reaches memory granted on this one
 * @qp: NULL until the route is known and after rblk_conn_drain()
 * @built: buffers and completion queues are there
 * @rcq: receive completions; always armed
 * @scq: send completions; polled by receivers, armed only while somebody waits
 * @sq_poll: polls an armed @scq
 * @sq_lock: guards @draining .. @batch and the order of posting
 * @draining: keep @scq armed
 * @closed: @scq is about to go; nobody touches it any more
 * @sq_armed: it is armed, or @sq_poll about to run
 * @sq_awaited: local invalidations that are out
 * @sq_size: entries rblk may use
 * @sq_reserve: of those, entries that are not for commands
 * @sq_posted: entries ever posted
 * @sq_reclaimed: of those, known to be free again
 * @sq_mark: @sq_posted of the signalled filler
 * @sq_marking: the filler is out
 * @sent: commands ever posted
 * @batch: commands that will be posted together
 * @mark_cqe: its completion
 * @quiet_cqe: of sends whose completion, if there is one, matters only in error
 * @answers: to commands, that ever came; written in softirq, one at a time
 * @heard: jiffies of the last receive; of the control connection only
 * @arrived: ns, when the message came whose responses are being handled; softirq
 *           only
 * @nr_recv: entries of @recv
 * @recv_size: bytes of a receive buffer
 * @recv: receives
 * @msg: control message or BIND to send, RBLK_WIRE_CTRL_MAX bytes
 * @msg_dma: of @msg
 * @slots: one per tag, NULL on the control connection
 * @push: for pushed writes
 * @wire: depth times RBLK_WIRE_DATA_OFFSET bytes of command messages
 * @wire_dma: of @wire
 * @large_pages: page-list entries of each rblk_large
 * @large: RBLK_LARGE_PER_CONN of them
 * @large_lock: guards @large_free
 * @large_free: those not borrowed
 * @rcu: frees it; dispatchers may look whether there is a batch until then
 *
 * Owned by its session, which makes, connects, drains and frees it from its
 * work item alone; the completion handlers end with rblk_conn_drain().
 */
struct rblk_conn {
	const struct rblk_conn_ops *ops;
	void *ctx;
	struct rblk_stats __percpu *stats;
	struct rblk_offer offer;
	struct rblk_grant grant;
	struct rblk_caps caps;

	spinlock_t lock;
	enum rblk_conn_state state;
	struct completion cm_done;
	int cm_error;
	bool aborted;
	struct task_struct *connecting;
	struct timer_list patience;
	u32 connect_ms;
	struct rblk_wire_cm_rej rej;
	const char *cm_text;

	struct rdma_cm_id *id;
	struct ib_device *device;
	struct ib_pd *pd;
	struct ib_qp *qp;
	bool built;
	struct ib_cq *rcq;
	struct ib_cq *scq;
	struct tasklet_struct sq_poll;

	spinlock_t sq_lock;
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
	struct rblk_push push;
	void *wire;
	u64 wire_dma;
	u32 large_pages;
	struct rblk_large *large;
	spinlock_t large_lock;
	struct list_head large_free;
	struct rcu_head rcu;
};

/**
 * struct rblk_peer - whom to connect to, and from where
 * @net: network namespace; a reference is held by the session
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
				  const struct rblk_offer *offer);
bool rblk_conn_become(struct rblk_conn *conn, enum rblk_conn_state to);
int rblk_conn_build(struct rblk_conn *conn, u32 queues, u32 depth,
		    struct rblk_ioc_error *error);
int rblk_conn_ready(struct rblk_conn *conn);
int rblk_conn_send(struct rblk_conn *conn, u32 at, u32 bytes);
void rblk_conn_nudge(struct rblk_conn *conn);
void rblk_conn_abort(struct rblk_conn *conn);
void rblk_conn_hurry(struct rblk_conn *conn);
void rblk_conn_lose(struct rblk_conn *conn, const char *why);
void rblk_conn_disconnect(struct rblk_conn *conn);
void rblk_conn_drain(struct rblk_conn *conn);
void rblk_conn_release(struct rblk_conn *conn);
void rblk_conn_free(struct rblk_conn *conn);

/* ---- cm.c: making the connection ---- */

int rblk_conn_connect(struct rblk_conn *conn, const struct rblk_peer *peer,
		      u32 queues, u32 depth, struct rblk_ioc_error *error);

/* ---- buf.c: buffers and slots of a connection ---- */

int rblk_buf_alloc(struct rblk_conn *conn);
void rblk_buf_free(struct rblk_conn *conn);

/* ---- ring.c: queues and completions of a connection ---- */

void rblk_ring_init(struct rblk_conn *conn);
int rblk_ring_create_cqs(struct rblk_conn *conn);
void rblk_ring_destroy_cqs(struct rblk_conn *conn);
int rblk_ring_post(struct rblk_conn *conn);
int rblk_ring_send(struct rblk_conn *conn, struct ib_send_wr *first,
		   struct ib_send_wr *last, u32 nr, bool *busy);
bool rblk_ring_room(const struct rblk_conn *conn, u32 nr);
int rblk_ring_push(struct rblk_conn *conn, struct ib_send_wr *first,
		   struct ib_send_wr *last, u32 nr);
void rblk_ring_sent(struct rblk_conn *conn);
void rblk_ring_arm(struct rblk_conn *conn);
void rblk_ring_invalidate(struct rblk_slot *slot);
void rblk_ring_invalidated(struct rblk_slot *slot);
void rblk_ring_poll(struct rblk_conn *conn);
void rblk_ring_drain(struct rblk_conn *conn);
bool rblk_ring_failed(struct rblk_conn *conn, struct ib_wc *wc, const char *what);

/* ---- batch.c, as above ---- */

int rblk_batch_add(struct rblk_slot *slot, const struct rblk_command *cmd,
		   bool last);
int rblk_batch_alone(struct rblk_slot *slot);
bool rblk_batch_gathers(struct rblk_conn *conn);
void rblk_batch_post(struct rblk_conn *conn);
void rblk_batch_init(struct rblk_conn *conn);
void rblk_batch_end(struct rblk_conn *conn);

/* Whoever has added to it sees that, until it is posted. */
static inline bool rblk_batch_open(const struct rblk_conn *conn)
{
	return READ_ONCE(conn->batch.nr);
}

/* ---- io.c: commands and responses on an I/O connection ---- */

struct rblk_slot *rblk_io_take(struct rblk_conn *conn, u16 tag, u32 pages,
			       void *owner);
int rblk_io_submit(struct rblk_slot *slot, struct rblk_command *cmd, int nents,
		   bool last);
void rblk_io_drop(struct rblk_slot *slot);
bool rblk_io_cancel(struct rblk_conn *conn, u16 tag);
void rblk_io_response(struct rblk_conn *conn, const struct rblk_arrival *msg);
void rblk_io_immediate(struct rblk_conn *conn, u32 imm, u32 bytes);
void rblk_io_invalidated(struct ib_cq *cq, struct ib_wc *wc);

#endif /* RBLK_TRANSPORT_H */
