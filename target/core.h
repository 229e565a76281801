/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The target's private types, its lock rules and who owns what.
 *
 * References: an object at the tail of an arrow holds one to the object at its
 * head.
 *
 *   portal <- sess <- conn <- cmd (while at work)
 *   export <- att -> sess          att: an export attached by a session epoch
 *
 * Locks, outermost first:
 *   portal->tending  guards the portal's listener.  A mutex, because making and
 *                    destroying a listener sleeps.
 *   rblkt_mutex      guards the lists of exports, portals and sessions, the
 *                    members of what is in them, and the session states.
 *                    Process context only.  Its holder destroys no RDMA object
 *                    and opens no device.
 *   conn->poll_lock  serializes polling of the send CQ.  A mutex, because
 *                    completion handlers may submit bios.
 *   conn->lock       guards the connection's state, all posting to its queue
 *                    pair, the count of send-queue slots, the pool and the
 *                    queues of waiting commands.  Interrupts off.
 *   att->later_lock  guards att->later.  A leaf.  Interrupts off.
 *
 * A command at the backing device needs none of them: it holds att->ios, and
 * until it drops that its attachment cannot finish draining.
 */
#ifndef RBLKT_H
#define RBLKT_H

#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/completion.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/percpu-refcount.h>
#include <linux/socket.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_cm.h>
#include "../compat/bdev.h"
#include "rblk_ioctl.h"
#include "rblk_wire.h"
#include "session/portal.h"
#include "proto/proto.h"
#include "io/coalesce.h"
#include "proto/state.h"

/* compat.h includes printk.h before any of our files can define this. */
#undef pr_fmt
#define pr_fmt(fmt) "rblk_target: " fmt

/* Requests outstanding on qid 0, whose granted depth is for I/O connections. */
#define RBLKT_CTL_DEPTH		16
#define RBLKT_RECV_SLACK	4	/* receives posted above the depth */
#define RBLKT_MAX_EVENTS	4	/* sent before the host speaks again */
#define RBLKT_SLOT_SIZE		SZ_4K	/* each tag's own data buffer */
#define RBLKT_RSP_SIZE		RBLK_WIRE_DATA_OFFSET
#define RBLKT_DATA_ALIGN	SZ_4K	/* of inline data in a receive buffer */
#define RBLKT_MIN_CHUNK_SHIFT	15	/* 32 KiB chunks of the data pool */
#define RBLKT_MAX_RANGE		SZ_64M	/* of a DISCARD or WRITE_ZEROES */
#define RBLKT_MAX_SGE		16	/* per send work request, at most */
#define RBLKT_MAX_VOLUMES	1024	/* attached by one session */
#define RBLKT_WAIT_MS		8000	/* a removal waits this long */
#define RBLKT_HANDSHAKE_MS	10000	/* a host's time to log in or bind */
#define RBLKT_PULL_MS		20000	/* a host's time to send write data */
#define RBLKT_HANDSHAKE_BUSY_MS	1000	/* the same while many are half open */

struct rblkt_att;
struct rblkt_chunk;
struct rblkt_conn;
struct rblkt_holder;
struct rblkt_sess;
struct rblkt_sink;
struct rblkt_tally;

/* A named, identified, open block device.  Freed with the last reference. */
struct rblkt_export {
	struct kref ref;
	struct list_head node;		/* in the registry until removed */
	struct list_head atts;		/* every attachment not yet drained */
	char name[RBLK_NAME_LEN];
	char path[RBLK_PATH_LEN];
	u8 uuid[RBLK_UUID_LEN];
	u32 flags;			/* RBLKT_EXPORT_* */
	u32 wire_flags;			/* RBLK_EXPF_* */
	u32 nr_hosts;
	u8 (*hosts)[RBLK_UUID_LEN];
	struct compat_bdev backing;
	struct cgroup_subsys_state *blkcg;	/* of @group, or NULL */
	char group[RBLK_PATH_LEN];	/* control group, "" without one */
	struct rblkt_geo geo;
	u64 tenure;			/* the last writer's, 0 without one */
	struct list_head tallies;	/* of each host that had it: export/stat.c */
	unsigned int nr_tallies;
	struct work_struct free_work;
	struct completion *freed;	/* a removal waits for it, or NULL */
};

/**
 * struct rblkt_holder_ops - what an attachment needs from the one who holds it
 * @get: take a reference to the holder; any context
 * @put: drop one; any context
 * @may_attach: is the holder still there, and the target not paused?  With
 *              rblkt_mutex held
 * @event: tell the host that the export has changed.  With rblkt_mutex held, and
 *         the attachment still in the holder's table
 * @purge: answer the commands that wait for memory, of all attachments that
 *         drain.  With rblkt_mutex held; does not wait
 * @deferred: the work function that submits what may block, rblkt_att.deferred
 */
struct rblkt_holder_ops {
	void (*get)(struct rblkt_holder *holder);
	void (*put)(struct rblkt_holder *holder);
	bool (*may_attach)(const struct rblkt_holder *holder);
	void (*event)(struct rblkt_att *att, enum rblk_wire_event_kind kind);
	void (*purge)(struct rblkt_holder *holder);
	work_func_t deferred;
};

/*
 * Who holds attachments: one epoch of a session, as far as exports know it.
 * rblkt_mutex guards it, except that commands look @atts up under RCU.
 */
struct rblkt_holder {
	const struct rblkt_holder_ops *ops;
	u8 uuid[RBLK_UUID_LEN];		/* of the session */
	u8 host[RBLK_UUID_LEN];
	char host_name[RBLK_NAME_LEN];
	struct rblk_ioc_addr peer;
	struct xarray atts;		/* by handle */
	unsigned int nr_atts;
	u32 last_handle;
};

/* An export attached by one session epoch.  Freed by RCU after the last put. */
struct rblkt_att {
	struct percpu_ref ios;		/* commands at the backing device */
	unsigned int __percpu *inflight;
	struct list_head node;		/* in export->atts until drained */
	struct rblkt_export *export;
	struct rblkt_tally *tally;	/* valid until it has drained */
	struct rblkt_holder *holder;
	struct block_device *bdev;
	struct rblkt_geo geo;		/* with writable as attached */
	u32 access;			/* RBLK_ACCESS_* */
	u32 handle;
	u64 told;			/* size last told the host, blocks */
	unsigned int events_due;	/* bits of RBLK_EVENT_*, not yet sent */
	bool draining;
	bool read_only;			/* the export was, when attached */
	bool nowait;			/* the device can refuse to block */
	/* only commands that may block write from here on */
	spinlock_t later_lock ____cacheline_aligned;	/* @later */
	struct list_head later;		/* commands that may block */
	struct work_struct later_work;
	struct kref ref;		/* by the table, @ios, @later_work */
	struct work_struct drained_work;
	struct rcu_work free_work;	/* commands look it up under RCU */
};

/*
 * An address that connections come from.  It is freed with its last connection.
 * rblkt_mutex guards all but @half_open.
 */
struct rblkt_peer {
	struct list_head node;
	struct rblk_ioc_addr addr;	/* without the port */
	unsigned int users;		/* connections */
	unsigned int sessions;		/* logged in */
	u64 memory;			/* bytes charged to its connections */
	atomic_t half_open;
};

/* One epoch of a session.  Connections and attachments keep it, see session/session.c. */
struct rblkt_sess {
	struct rblkt_holder holder;	/* of its attachments; the names */
	struct kref ref;
	struct list_head node;		/* in the registry once logged in */
	enum rblk_session_state state;
	u32 epoch;
	u8 instance[RBLK_UUID_LEN];
	u64 key;
	u16 nr_queues;
	struct rblkt_grant grant;	/* of qid 0; bounds all others */
	struct rblkt_portal *portal;	/* until the last connection closes */
	struct ib_device *dev;
	struct ib_pd *pd;		/* likewise */
	struct rblk_ioc_addr local;
	struct rblkt_peer *from;	/* valid while LIVE: qid 0 keeps it */
	u64 inherited;			/* bytes of conns whose heir it is */
	struct rblkt_conn *conn[RBLK_WIRE_MAX_QUEUES + 1];
	unsigned int nr_conns;
	bool events_due;		/* an attachment's, or @away_due */
	bool away_due;			/* not yet told of the pause */
	bool leaving;			/* existed when a pause began */
	struct delayed_work keepalive;
	u32 keepalive_ms;		/* the interval its host was told */
	struct work_struct free_work;
	u64 counter[RBLK_CNT_NR];	/* of closed connections, former epochs */
};

/* A receive buffer: one scatter element, inline data page-aligned. */
struct rblkt_recv {
	struct ib_cqe cqe;
	struct rblkt_conn *conn;
	void *block;			/* the allocation */
	void *msg;			/* the message's place in @block */
	u64 dma;			/* of @msg */
};

/* A tag and all that its command needs.  Lives as long as the connection. */
struct rblkt_cmd {
	struct rblkt_conn *conn;
	struct list_head node;		/* in conn->waiting, ->pulling, ->replies, att->later */
	struct rblk_wire_cmd wire;	/* as received */
	unsigned long busy;		/* bit 0: between command and response */
	struct rblkt_att *att;		/* set while it holds att->ios */
	struct rblkt_recv *recv;	/* an inline write's, until reposted */
	struct rblkt_chunk *chunks;
	void *rsp;
	void *slot;
	u64 rsp_dma;
	u64 slot_dma;
	u64 arrived;			/* ns */
	u64 submitted;			/* to the device; in a pull its start */
	u64 ended;			/* by the device */
	u16 status;
	bool flush_only;		/* zeroed already, the FUA is left */
	bool pulling;			/* in conn->pulling */
	u32 seq;			/* of its pull's last RDMA READ */
	struct ib_cqe cqe;		/* of the same RDMA READ */
	struct bio bio;
	struct bio_vec *bvec;
};

/* A buffer for a control message to the host: a reply or an event. */
struct rblkt_ctl {
	struct ib_cqe cqe;
	struct list_head node;
	struct rblkt_conn *conn;
	void *msg;
	u64 dma;
	u32 seq;			/* of its send */
	bool event;			/* its send is an event */
};

struct rblkt_count {
	u64 v[RBLK_CNT_NR];
};

/*
 * One queue pair and everything it owns.  The close work destroys the hardware
 * side; the memory stays until the last command has dropped its reference.
 */
struct rblkt_conn {
	/* set before the connection is accepted, constant until it closes */
	struct rblkt_sess *sess;
	struct rdma_cm_id *id;
	struct ib_device *dev;
	struct ib_pd *pd;
	struct ib_qp *qp;
	struct ib_cq *send_cq;
	struct ib_cq *recv_cq;
	struct rblkt_grant grant;
	u16 qid;
	u16 depth;			/* messages the peer may send unanswered */
	u16 nr_recvs;
	u16 sq_size;			/* slots; the drain has one more */
	u8 max_send_sge;
	u8 max_read_sge;
	bool iwarp;
	struct completion hung_up;	/* the CM has reported the end */
	u32 recv_len;
	u32 chunk_shift;
	u32 nr_chunks;
	u32 nr_bvecs;			/* per command */
	size_t memory;			/* bytes allocated */
	u64 charged;			/* bytes charged to @peer */
	struct rblkt_sess *heir;	/* its LOGIN ended us, or NULL */
	struct rblkt_peer *peer;	/* the address it comes from */
	u32 mapped_recvs;		/* mapped_*: DMA-mapped so far */
	u32 mapped_cmds;
	u32 mapped_ctls;
	u32 mapped_chunks;
	u32 nr_ctls;
	u32 nr_cmds;
	struct rblkt_recv *recvs;
	struct rblkt_cmd *cmds;
	struct bio_vec *bvecs;
	struct rblkt_chunk *chunks;
	u32 nr_sinks;
	u32 sink_chunks;		/* covered by each sink but the last */
	struct rblkt_sink *sinks;	/* NULL except on iWARP */
	struct ib_mr *slots_mr;		/* or NULL, see io/push.c */
	struct rblkt_ctl *ctls;
	struct list_head node;		/* in rblkt_conns, by rblkt_mutex */

	/* only the receive context (transport/receive.c) writes these, without a lock */
	struct rblkt_round round;
	unsigned long last_rx;		/* jiffies, read by anyone */
	struct rblkt_count rx;

	/* by @lock; READ_ONCE() reads some without it */
	spinlock_t lock ____cacheline_aligned;
	enum rblkt_conn_state state;
	bool bound;			/* has been LIVE */
	bool accepting;			/* the CM handler is still at work */
	bool doomed;			/* close it when that is done */
	const char *why;		/* the first reason to end it */
	bool marker_out;		/* a marker has not completed */
	bool armed;			/* the send CQ will wake @send_work */
	bool over;			/* no queue pair: don't touch the CQs */
	struct rblkt_share share;
	u32 sq_posted;			/* send WRs, ever */
	u32 sq_done;			/* of these known to have completed */
	u32 sq_signalled;		/* newest that advances @sq_done */
	u32 marker_seq;
	u32 pulls;			/* length of @pulling */
	bool watched;			/* @watch is queued */
	struct ib_cqe plain_cqe;	/* of sends that need no completion */
	struct ib_cqe marker_cqe;
	u32 nr_free;			/* chunks */
	unsigned long *taken;		/* one bit for each chunk */
	struct list_head waiting;	/* commands without chunks or slots */
	struct list_head pulling;	/* commands in a pull, oldest first */
	struct list_head replies;	/* commands without slots to reply */
	struct list_head free_ctls;
	u32 nr_free_ctls;
	u32 events;			/* sent since the host was heard */
	u32 events_out;			/* their sends have not completed */
	bool events_wait;		/* wake us as one of these completes */
	struct rblkt_count tx;

	/* each has its own rules */
	struct kref ref ____cacheline_aligned;
	struct mutex poll_lock;		/* serializes polling of @send_cq */
	struct work_struct send_work;
	struct work_struct close_work;
	struct work_struct free_work;
	struct delayed_work handshake;
	struct delayed_work watch;	/* see rblkt_move_watch() */
};

/* main */
extern struct mutex rblkt_mutex;
extern struct workqueue_struct *rblkt_wq;
extern struct workqueue_struct *rblkt_close_wq;
extern struct workqueue_struct *rblkt_later_wq;
extern u8 rblkt_uuid[RBLK_UUID_LEN];
void rblkt_addr(struct rblk_ioc_addr *addr, const struct sockaddr *sa);

/* export */
extern struct list_head rblkt_exports;
struct rblkt_export *rblkt_export_find(const char *name);
struct rblkt_export *rblkt_export_known(const u8 *uuid);
bool rblkt_export_allows(const struct rblkt_export *export, const u8 *host);
void rblkt_export_put(struct rblkt_export *export);
u32 rblkt_export_list(const u8 *host, u32 start,
		      struct rblk_wire_list_entry *entry, u32 room, u32 *next);

/* bdev */
u32 rblkt_bdev_flags(const struct rblkt_export *export);
void rblkt_bdev_measure(struct rblkt_export *export);
int rblkt_bdev_open(struct rblkt_export *export, struct rblk_ioc_error *err);
int rblkt_bdev_reopen(struct rblkt_export *export, struct compat_bdev *anew,
		      struct rblk_ioc_error *err);

/* resize */
void rblkt_resize_look(struct rblkt_export *export);
void rblkt_resize_watch(void);
void rblkt_resize_stop(void);

/* attach */
u16 rblkt_attach(struct rblkt_holder *holder, const struct rblk_wire_attach *msg,
		 struct rblk_wire_attach_reply *reply);
u16 rblkt_detach(struct rblkt_holder *holder, u32 handle);
void rblkt_att_get(struct rblkt_att *att);
void rblkt_att_put(struct rblkt_att *att);
void rblkt_att_drain(struct rblkt_att *att);
void rblkt_att_lose_all(struct rblkt_holder *holder);
bool rblkt_att_conflict(u32 a, u32 b);

/* A command leaves its attachment, maybe as the last one.  Any context. */
static inline void rblkt_att_end(struct rblkt_att *att)
{
	this_cpu_dec(*att->inflight);
	percpu_ref_put(&att->ios);
}

/* sess */

/* The session that a holder is part of.  Any context. */
static inline struct rblkt_sess *rblkt_sess_of(const struct rblkt_holder *holder)
{
	return container_of(holder, struct rblkt_sess, holder);
}

extern struct list_head rblkt_sessions;
struct rblkt_sess *rblkt_sess_new(struct rblkt_portal *portal,
				  struct rdma_cm_id *id,
				  const struct rblkt_req *req,
				  enum rblk_wire_reject *why);
struct rblkt_sess *rblkt_sess_find(const struct rdma_cm_id *id,
				   const struct rblkt_req *req,
				   enum rblk_wire_reject *why);
enum rblk_wire_reject rblkt_sess_add_conn(struct rblkt_sess *sess,
					  struct rblkt_conn *conn);
void rblkt_sess_unreserve(struct rblkt_sess *sess);
void rblkt_sess_conn_closed(struct rblkt_conn *conn);
void rblkt_sess_set(struct rblkt_sess *sess, enum rblk_session_state state);
struct rblkt_sess *rblkt_sess_lookup(const u8 *uuid);
void rblkt_sess_kill(struct rblkt_sess *sess, const char *why);
void rblkt_sess_kill_portal(const struct rblkt_portal *portal);
void rblkt_sess_get(struct rblkt_sess *sess);
void rblkt_sess_put(struct rblkt_sess *sess);
void rblkt_sess_count(struct rblkt_sess *sess, u64 *counter);
u32 rblkt_keepalive_ms(void);

/* epoch */
u16 rblkt_epoch_login(struct rblkt_sess *sess,
		      const struct rblk_wire_login *msg);

/* conn */
struct rblkt_conn *rblkt_conn_new(struct rblkt_sess *sess,
				  struct rdma_cm_id *id,
				  const struct rblkt_req *req,
				  const struct rblkt_grant *grant,
				  enum rblk_wire_reject *why);
void rblkt_conn_free(struct rblkt_conn *conn);
void rblkt_conn_get(struct rblkt_conn *conn);
void rblkt_conn_put(struct rblkt_conn *conn);
int rblkt_conn_event(struct rdma_cm_id *id, struct rdma_cm_event *event);
void rblkt_conn_set(struct rblkt_conn *conn, enum rblkt_conn_state state);
void rblkt_conn_opened(struct rblkt_conn *conn);
bool rblkt_conn_live(struct rblkt_conn *conn);
void rblkt_conn_kill(struct rblkt_conn *conn, const char *why);
bool rblkt_conn_kill_locked(struct rblkt_conn *conn, const char *why);
void rblkt_conn_accepted(struct rblkt_conn *conn, bool ok);
void rblkt_conn_violation(struct rblkt_conn *conn, enum rblkt_bad bad);
void rblkt_conn_fault(struct rblkt_conn *conn, enum ib_wc_status status);
void rblkt_conn_destroy_hw(struct rblkt_conn *conn);
extern struct list_head rblkt_conns;

/* Is it ending, or about to?  Its receives are ignored then.  Any context. */
static inline bool rblkt_conn_ending(const struct rblkt_conn *conn)
{
	return READ_ONCE(conn->doomed) ||
	       READ_ONCE(conn->state) >= RBLKT_CONN_CLOSING;
}

/* peer */
void rblkt_peer_init(void);
bool rblkt_peer_same(const struct rblk_ioc_addr *a,
		     const struct rblk_ioc_addr *b);
enum rblk_wire_reject rblkt_peer_enter(struct rblkt_conn *conn);
void rblkt_peer_known(struct rblkt_conn *conn);
void rblkt_peer_leave(struct rblkt_conn *conn);
unsigned int rblkt_peer_patience(void);
u16 rblkt_peer_login(const struct rblkt_conn *conn, u64 inherited,
		     unsigned int ending);

/* reason */
void rblkt_reason_refused(const struct rdma_cm_id *id,
			  enum rblk_wire_reject why);
void rblkt_reason_denied(const struct rblkt_sess *sess,
			 const struct rblk_wire_login *msg, u16 status);
void rblkt_reason_violation(struct rblkt_conn *conn, enum rblkt_bad bad);
void rblkt_reason_fault(struct rblkt_conn *conn, enum ib_wc_status status);
void rblkt_reason_event(struct rblkt_conn *conn, enum ib_event_type event);
void rblkt_reason_late(struct rblkt_conn *conn);
void rblkt_reason_overdue(struct rblkt_conn *conn);

/* close */
void rblkt_close_wake(void);
void rblkt_close_work(struct work_struct *work);
void rblkt_close_device(struct ib_device *dev);

/* queue */
int rblkt_queue_post_recv(struct rblkt_conn *conn, struct rblkt_recv *recv);
bool rblkt_queue_room(const struct rblkt_conn *conn, u32 wrs);
int rblkt_queue_post(struct rblkt_conn *conn, struct ib_send_wr *first,
		     struct ib_send_wr *last, u32 wrs);
void rblkt_queue_seen(struct rblkt_conn *conn, u32 seq);
void rblkt_queue_arm(struct rblkt_conn *conn);
void rblkt_queue_poll(struct rblkt_conn *conn);
void rblkt_queue_look(struct rblkt_conn *conn);
void rblkt_queue_init(struct rblkt_conn *conn);
void rblkt_queue_event(struct ib_cq *cq, void *context);
void rblkt_queue_send_work(struct work_struct *work);
void rblkt_queue_destroy_cqs(struct rblkt_conn *conn);

/* buf */
size_t rblkt_buf_bytes(const struct rblkt_grant *grant, u16 qid);
int rblkt_buf_alloc(struct rblkt_conn *conn);
int rblkt_buf_map(struct rblkt_conn *conn);
void rblkt_buf_unmap(struct rblkt_conn *conn);
void rblkt_buf_free(struct rblkt_conn *conn);

/* recv */
void rblkt_recv_done(struct ib_cq *cq, struct ib_wc *wc);

/* login */
void rblkt_login_receive(struct rblkt_conn *conn, struct rblkt_recv *recv,
			 u32 len);
void rblkt_login_bind(struct rblkt_conn *conn, struct rblkt_recv *recv,
		      u32 len);
void rblkt_login_event(struct rblkt_att *att, enum rblk_wire_event_kind kind);
void rblkt_login_resume(struct rblkt_conn *conn);
void rblkt_login_away(struct rblkt_sess *sess);
bool rblkt_login_told(const struct rblkt_sess *sess);
void rblkt_login_sent(struct ib_cq *cq, struct ib_wc *wc);

/* cmd */
void rblkt_cmd_receive(struct rblkt_conn *conn, struct rblkt_recv *recv,
		       u32 len);
void rblkt_cmd_drop(struct rblkt_cmd *cmd);
void rblkt_cmd_done(struct rblkt_cmd *cmd, u16 status);

/* io */
void rblkt_io_submit(struct rblkt_cmd *cmd);
void rblkt_io_later_work(struct work_struct *work);

/* move */
void rblkt_move_start(struct rblkt_cmd *cmd);
void rblkt_move_pulled(struct ib_cq *cq, struct ib_wc *wc);
void rblkt_move_resume(struct rblkt_conn *conn);
void rblkt_move_purge(struct rblkt_conn *conn);
void rblkt_move_watch(struct work_struct *work);

#endif /* RBLKT_H */
