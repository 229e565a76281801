/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rblk initiator: private types and what its files offer each other.
 *
 * Layers, each knowing only those to its left:
 *
 *   uapi <- proto, state, limits <- mr, io, conn <- sess, call <- blk, dev <- ctl
 *
 * Transport (conn, io, mr) has never heard of requests or disks: its user is
 * told what happened through struct rblk_conn_ops and struct rblk_slot.owner.
 * The session reaches the block layer through struct rblk_sess_ops.
 *
 * Lock order, outermost first:
 *   the registries of dev.c and sess.c (mutexes) > sess->vols_lock (mutex) >
 *   sess->call_lock (mutex) > sess->lock (spin) > vol->lock, conn->lock (spin)
 * conn->sq_lock and conn->large_lock are innermost.
 */
#ifndef RBLK_H
#define RBLK_H

#include <linux/blk-mq.h>
#include <linux/blkdev.h>
#include <linux/completion.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/scatterlist.h>
#include <linux/socket.h>
#include <linux/spinlock.h>
#include <linux/uuid.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_cm.h>

#include "rblk_ioctl.h"
#include "rblk_wire.h"
#include "proto.h"
#include "state.h"
#include "limits.h"

#define RBLK_VERSION		"0.1.0"
#define RBLK_SEND_SGES		2	/* a command, and its inline data */
#define RBLK_MAX_EVENTS		8

struct rblk_conn;
struct rblk_slot;
struct rblk_sess;
struct rblk_vol;

/* Wakes, waits, teardown and polling; may run while memory is short. */
extern struct workqueue_struct *rblk_wq;
/* Polls what a work item on rblk_wq waits for, hence not on the same queue. */
extern struct workqueue_struct *rblk_poll_wq;
/* Made anew at each load: a LOGIN with another one ends our older sessions. */
extern guid_t rblk_instance;

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
 * @busy: a command is out or being put out; guards all below
 * @answered: its response has come and was found good
 * @status: wire status of that response
 * @op: enum rblk_wire_op
 * @volume: handle the command was sent with
 * @length: bytes of data or range
 * @rkey: granted to the target with this command, or 0
 * @dir: direction of the DMA mapping, DMA_NONE when nothing is mapped
 * @mapped: entries of the scatter list given to the mapping
 * @nents: entries that it came out as
 * @mr: own registration of RBLK_SMALL_PAGES
 * @large: borrowed, or NULL
 * @target_ns: from the response
 * @device_ns: likewise
 * @bounce: inline data is sent from here, conn->offer.inline_write bytes
 * @bounce_dma: of @bounce
 * @reg: registration request
 * @send: command's send request
 * @sge: its elements: message, then inline data; both fixed but for lengths
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
	struct ib_reg_wr reg;
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

/* ---- conn.c: one reliable connection ---- */

/**
 * struct rblk_conn_ops - what a connection tells its user
 * @pd: protection domain for this device; called from rblk_conn_connect()
 * @lost: the connection is of no use any more; any context, may come more
 *        than once and for several connections
 * @message: a control message or BIND reply; softirq; @msg dies on return
 * @done: a command has ended and its pages are its owner's again; any context;
 *        @slot is not the owner's any more once its tag is given up
 */
struct rblk_conn_ops {
	struct ib_pd *(*pd)(void *ctx, struct ib_device *dev);
	void (*lost)(void *ctx, const char *why);
	void (*message)(void *ctx, struct rblk_conn *conn,
			const struct rblk_arrival *msg);
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
 * @lock: guards @state and @cm_error; taken in completion context
 * @state: see state.c
 * @cm_done: the CM step that rblk_conn_connect() waits for has ended
 * @cm_error: how: 0 or a negative errno
 * @aborted: nobody wants this connection any more
 * @rej: why the target refused, reason 0 if it did not
 * @cm_text: the CM's word for a refusal that is not the target's
 * @id: CM identifier, made and destroyed in process context only
 * @device: RDMA device, NULL until the address is resolved
 * @pd: the session's
 * @qp: NULL until the route is known and after rblk_conn_drain()
 * @built: buffers and completion queues are there
 * @rcq: receive completions; always armed
 * @scq: send completions; polled by receivers, armed only for the drain
 * @poll_work: polls an armed @scq
 * @draining: keep @scq armed
 * @sq_lock: guards @sq_posted .. @sq_marking and the order of posting
 * @sq_size: entries rblk may use
 * @sq_posted: entries ever posted
 * @sq_reclaimed: of those, known to be free again
 * @sq_mark: @sq_posted of the signalled filler
 * @sq_marking: the filler is out
 * @mark_cqe: its completion
 * @quiet_cqe: of unsignalled sends, which complete only in error
 * @heard: jiffies of the last receive; of the control connection only
 * @nr_recv: entries of @recv
 * @recv_size: bytes of a receive buffer
 * @recv: receives
 * @msg: control message or BIND to send, RBLK_WIRE_CTRL_MAX bytes
 * @msg_dma: of @msg
 * @slots: one per tag, NULL on the control connection
 * @wire: depth times RBLK_WIRE_DATA_OFFSET bytes of command messages
 * @wire_dma: of @wire
 * @large_pages: page-list entries of each rblk_large
 * @large: RBLK_LARGE_PER_CONN of them
 * @large_lock: guards @large_free
 * @large_free: those not borrowed
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
	struct rblk_wire_cm_rej rej;
	const char *cm_text;

	struct rdma_cm_id *id;
	struct ib_device *device;
	struct ib_pd *pd;
	struct ib_qp *qp;
	bool built;
	struct ib_cq *rcq;
	struct ib_cq *scq;
	struct work_struct poll_work;
	bool draining;

	spinlock_t sq_lock;
	u32 sq_size;
	u32 sq_posted;
	u32 sq_reclaimed;
	u32 sq_mark;
	bool sq_marking;
	struct ib_cqe mark_cqe;
	struct ib_cqe quiet_cqe;

	unsigned long heard;
	u32 nr_recv;
	u32 recv_size;
	struct rblk_recv *recv;
	void *msg;
	u64 msg_dma;

	struct rblk_slot *slots;
	void *wire;
	u64 wire_dma;
	u32 large_pages;
	struct rblk_large *large;
	spinlock_t large_lock;
	struct list_head large_free;
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
int rblk_conn_connect(struct rblk_conn *conn, const struct rblk_peer *peer,
		      u32 queues, u32 depth, struct rblk_ioc_error *error);
int rblk_conn_ready(struct rblk_conn *conn);
void rblk_conn_abort(struct rblk_conn *conn);
void rblk_conn_lose(struct rblk_conn *conn, const char *why);
void rblk_conn_disconnect(struct rblk_conn *conn);
void rblk_conn_drain(struct rblk_conn *conn);
void rblk_conn_release(struct rblk_conn *conn);
void rblk_conn_free(struct rblk_conn *conn);

/* ---- buf.c: buffers and slots of a connection ---- */

int rblk_buf_alloc(struct rblk_conn *conn);
void rblk_buf_free(struct rblk_conn *conn);

/* ---- ring.c: queues and completions of a connection ---- */

void rblk_ring_init(struct rblk_conn *conn);
int rblk_ring_create_cqs(struct rblk_conn *conn);
void rblk_ring_destroy_cqs(struct rblk_conn *conn);
int rblk_ring_post(struct rblk_conn *conn);
int rblk_ring_send(struct rblk_conn *conn, struct ib_send_wr *first,
		   struct ib_send_wr *last, u32 nr);
int rblk_ring_send_message(struct rblk_conn *conn, u32 bytes);
void rblk_ring_poll(struct rblk_conn *conn);
void rblk_ring_arm(struct rblk_conn *conn);
bool rblk_ring_failed(struct rblk_conn *conn, struct ib_wc *wc, const char *what);

/* ---- io.c: commands and responses on an I/O connection ---- */

struct rblk_slot *rblk_io_take(struct rblk_conn *conn, u16 tag, u32 pages,
			       void *owner);
int rblk_io_submit(struct rblk_slot *slot, struct rblk_command *cmd, int nents);
void rblk_io_drop(struct rblk_slot *slot);
bool rblk_io_cancel(struct rblk_conn *conn, u16 tag);
void rblk_io_response(struct rblk_conn *conn, const struct rblk_arrival *msg);

/* ---- sess.c: sessions ---- */

/**
 * struct rblk_vol - a volume as its session sees it; embedded in rblk_dev
 * @entry: in sess->vols
 * @ops: the session's
 * @sess: the session, which the volume holds a use of
 * @lock: guards @state, @geo, @reason, @since and @error
 * @state: see state.c
 * @name: the export's name at the target
 * @uuid: identity required, all zeroes until the first attach
 * @access: RBLK_ACCESS_*
 * @attached: the target has accepted it in this epoch; guarded by vols_lock
 * @draining: the last refusal was for I/O that has not ended; likewise
 * @gone: the target has answered I/O with GONE since the last attach
 * @hopeless: the target has another disk under its name; don't hold I/O for it
 * @geo: as last reported; @geo.volume is the handle of this epoch
 * @min_capacity: bytes it must have on reconnect, 0 before the first attach
 * @queue_timeout: seconds, -1 for ever
 * @since: jiffies when it was last LIVE
 * @expire: ends the holding of I/O after @queue_timeout
 * @error: why the first attach failed
 * @reason: why it is not LIVE now, or empty
 */
struct rblk_vol {
	struct list_head entry;
	const struct rblk_sess_ops *ops;
	struct rblk_sess *sess;
	spinlock_t lock;
	enum rblk_volume_state state;
	char name[RBLK_NAME_LEN];
	u8 uuid[RBLK_UUID_LEN];
	u32 access;
	bool attached;
	bool draining;
	bool gone;
	bool hopeless;
	struct rblk_geometry geo;
	u64 min_capacity;
	int queue_timeout;
	unsigned long since;
	struct delayed_work expire;
	struct rblk_ioc_error error;
	char reason[RBLK_ERROR_LEN];
};

/**
 * struct rblk_sess_ops - what a session asks of the block layer
 * @hold: stop dispatching to this volume and wait until nobody is doing so
 * @resume: dispatch again, what was held back first; the volume's state says
 *          whether to the target or into an error
 * @cancel: all connections are drained: take every command of the session out
 *          of its slot and hold it for a later @resume
 * @changed: the volume's state changed; may sleep
 * @resized: the target reported another capacity; may sleep
 * @release: the session goes; let go of @block
 * @done: a command has ended; see struct rblk_conn_ops
 */
struct rblk_sess_ops {
	void (*hold)(struct rblk_vol *vol);
	void (*resume)(struct rblk_vol *vol);
	void (*cancel)(struct rblk_sess *sess);
	void (*changed)(struct rblk_vol *vol);
	void (*resized)(struct rblk_vol *vol);
	void (*release)(struct rblk_sess *sess);
	void (*done)(void *owner, const struct rblk_slot *slot);
};

/**
 * struct rblk_sess_args - what makes a session the one it is
 * @peer: whom to reach; @net is not referenced by this structure
 * @host: this host's UUID
 * @host_name: its name
 * @target_text: the target as the user wrote it
 * @queues: wanted, 0 for the default
 * @depth: wanted, 0 for the default
 * @control_only: no I/O connections, not shared: for DISCOVER
 */
struct rblk_sess_args {
	struct rblk_peer peer;
	u8 host[RBLK_UUID_LEN];
	char host_name[RBLK_NAME_LEN];
	char target_text[RBLK_PATH_LEN];
	u32 queues;
	u32 depth;
	bool control_only;
};

/**
 * struct rblk_sess - one host's relation to one target
 * @entry: in the registry, unless control_only
 * @uses: volumes and callers; guarded by the registry's mutex
 * @args: fixed
 * @ops: fixed
 * @conn_ops: what its connections call: rblk_link_ops, and @ops->done
 * @uuid: fixed
 * @stats: counters of all connections it ever had
 * @lock: guards @state, @error, @lost, @lost_why, @aborted, @control and @io as
 *        pointers, and @call_open .. @call_bytes
 * @state: see state.c
 * @error: why the last connect failed
 * @lost: a connection of the present epoch was lost
 * @lost_why: why
 * @aborted: nobody wants it any more: connect no further
 * @waitq: @state or a volume's state changed
 * @epoch: generation; session work only
 * @attempt: reconnects tried since the last loss; session work only
 * @linked: there may be connections; session work only
 * @was_live: it recovers from failures; else the first one ends it
 * @work: connects, attaches, recovers, deletes: the only place that does
 * @gone: the work has done its last
 * @orphan: nobody waits for that: the work frees the session; guarded by the
 *          registry's mutex
 * @keepalive: sends KEEPALIVE and notices silence
 * @keepalive_ms: as the target wishes
 * @pd: of this epoch
 * @control: connection 0, or NULL
 * @io: I/O connections; stable while any volume's queue is not held
 * @down: room for all of them while they are taken down; session work only
 * @nr_io: how many; fixed once the session was live
 * @grant: in force
 * @caps: of the device
 * @iwarp: its transport
 * @key: binds I/O connections to this epoch
 * @target: its UUID
 * @target_name: its name
 * @vols: attached volumes and those being attached
 * @vols_lock: guards @vols; held across control calls, so never in the CM's or
 *             a completion's context
 * @call_lock: serialises control calls
 * @call_done: the reply is here or will never come
 * @call_open: a reply is awaited
 * @call_lost: it will never come
 * @call_bytes: of the reply
 * @call_reply: the reply
 * @xid: of the last call
 * @event_work: handles @events in process context
 * @nr_events: waiting in @events; guarded by @lock
 * @events: from the target; a target that sends more at once loses the session
 * @block: the block layer's share, see blk.c
 *
 * Made by the first attach, freed by the last rblk_sess_put(); the lifetime is
 * told at the top of sess.c.
 */
struct rblk_sess {
	struct list_head entry;
	unsigned int uses;
	struct rblk_sess_args args;
	const struct rblk_sess_ops *ops;
	struct rblk_conn_ops conn_ops;
	u8 uuid[RBLK_UUID_LEN];
	struct rblk_stats __percpu *stats;

	spinlock_t lock;
	enum rblk_session_state state;
	struct rblk_ioc_error error;
	bool lost;
	bool aborted;
	char lost_why[96];
	wait_queue_head_t waitq;
	u32 epoch;
	u32 attempt;
	bool linked;
	bool was_live;
	struct delayed_work work;
	struct completion gone;
	bool orphan;
	struct delayed_work keepalive;
	u32 keepalive_ms;

	struct ib_pd *pd;
	struct rblk_conn *control;
	struct rblk_conn **io;
	struct rblk_conn **down;
	u32 nr_io;
	struct rblk_grant grant;
	struct rblk_caps caps;
	bool iwarp;
	u64 key;
	u8 target[RBLK_UUID_LEN];
	char target_name[RBLK_NAME_LEN];
	struct list_head vols;
	struct mutex vols_lock;

	struct mutex call_lock;
	struct completion call_done;
	bool call_open;
	bool call_lost;
	u32 call_bytes;
	void *call_reply;
	u32 xid;
	struct work_struct event_work;
	u32 nr_events;
	struct rblk_wire_event events[RBLK_MAX_EVENTS];

	void *block;
};

struct rblk_sess *rblk_sess_get(const struct rblk_sess_args *args,
				const struct rblk_sess_ops *ops,
				struct rblk_ioc_error *error);
void rblk_sess_put(struct rblk_sess *sess);
int rblk_sess_wait_live(struct rblk_sess *sess, struct rblk_ioc_error *error);
int rblk_sess_attach(struct rblk_sess *sess, struct rblk_vol *vol,
		     struct rblk_ioc_error *error);
void rblk_sess_detach(struct rblk_vol *vol);
void rblk_sess_lose(struct rblk_sess *sess, const char *why);
void rblk_sess_gone(struct rblk_vol *vol);
enum rblk_session_state rblk_sess_state(struct rblk_sess *sess);

/* ---- vol.c: volumes as sessions see them ---- */

void rblk_vol_init(struct rblk_vol *vol);
bool rblk_vol_set_state(struct rblk_vol *vol, enum rblk_volume_state to,
			const char *reason);
void rblk_vol_set_reason(struct rblk_vol *vol, const char *reason);
void rblk_vol_lost(struct rblk_vol *vol, const char *why);
void rblk_vol_try_attach(struct rblk_vol *vol);
void rblk_vol_set_timeout(struct rblk_vol *vol, int seconds);
void rblk_vol_event(struct rblk_vol *vol, const struct rblk_wire_event *event);

/* ---- link.c: making and unmaking a session's connections ---- */

extern const struct rblk_conn_ops rblk_link_ops;
int rblk_link_up(struct rblk_sess *sess, struct rblk_ioc_error *error);
void rblk_link_down(struct rblk_sess *sess);
void rblk_link_abort(struct rblk_sess *sess);

/* ---- call.c: control calls ---- */

int rblk_call_login(struct rblk_sess *sess, struct rblk_ioc_error *error);
int rblk_call_bind(struct rblk_sess *sess, struct rblk_conn *conn,
		   struct rblk_ioc_error *error);
int rblk_call_list(struct rblk_sess *sess, struct rblk_ioc_offer *offers, u32 room,
		   u32 *nr, struct rblk_ioc_error *error);
int rblk_call_attach(struct rblk_sess *sess, struct rblk_vol *vol,
		     struct rblk_geometry *geo, struct rblk_ioc_error *error);
void rblk_call_detach(struct rblk_sess *sess, u32 volume);
void rblk_call_keepalive(struct rblk_sess *sess);
void rblk_call_message(void *ctx, struct rblk_conn *conn,
		       const struct rblk_arrival *msg);
void rblk_call_abort(struct rblk_sess *sess);

/* ---- blk.c: requests ---- */

/**
 * struct rblk_dev - /dev/rblkN
 * @vol: its volume
 * @kref: one for being attached, one for the disk until its last close
 * @entry: in the list of devices, while attached
 * @index: N, its own until the last close
 * @ready: it can be shown and detached; guarded by the list's mutex
 * @detaching: somebody is detaching it; likewise
 * @free_work: the end, in a context that rblk_exit() can wait for
 * @target_text: the target as the user wrote it
 * @disk: NULL until the target has granted the volume
 * @hold_lock: guards @held and the quiescing it stands for
 * @held: the disk's queue is quiesced
 */
struct rblk_dev {
	struct rblk_vol vol;
	struct kref kref;
	struct list_head entry;
	int index;
	bool ready;
	bool detaching;
	struct work_struct free_work;
	char target_text[RBLK_PATH_LEN];
	struct gendisk *disk;
	struct mutex hold_lock;
	bool held;
};

static inline struct rblk_dev *rblk_vol_dev(struct rblk_vol *vol)
{
	return container_of(vol, struct rblk_dev, vol);
}

extern const struct rblk_sess_ops rblk_blk_sess_ops;
int rblk_blk_init_session(struct rblk_sess *sess);
struct gendisk *rblk_blk_alloc_disk(struct rblk_dev *dev);
u32 rblk_blk_inflight(struct rblk_dev *dev);

/* ---- dev.c: /dev/rblkN ---- */

#define RBLK_MINORS		16
#define RBLK_MAX_INDEX		((1 << MINORBITS) / RBLK_MINORS - 1)

extern int rblk_major;
int rblk_dev_init(void);
void rblk_dev_exit(void);
int rblk_dev_attach(struct rblk_ioc_attach *arg, struct rblk_sess_args *sess_args);
int rblk_dev_detach(struct rblk_ioc_detach *arg);
int rblk_dev_show(struct rblk_ioc_show *arg);
int rblk_dev_policy(struct rblk_ioc_policy *arg);

/* ---- attrs.c: what sysfs and uevents say of a device ---- */

extern const struct attribute_group *rblk_attrs_groups[];
void rblk_attrs_changed(struct rblk_vol *vol);
void rblk_attrs_describe(struct rblk_dev *dev, struct rblk_ioc_volume *out);

/* ---- stat.c: a session for people and programs ---- */

u64 rblk_stat_counter(const struct rblk_sess *sess, enum rblk_counter which);
void rblk_stat_session(struct rblk_sess *sess, struct rblk_ioc_session *out);

/* ---- ctl.c: /dev/rblk-control ---- */

int rblk_ctl_init(void);
void rblk_ctl_exit(void);

#endif /* RBLK_H */
