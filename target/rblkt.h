/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The target's private types, its lock rules and who owns what.
 *
 * Objects, each holding a reference to those it points at:
 *
 *   portal <- sess <- conn <- cmd (while at work)
 *   export <- att -> sess          att: an export attached by a session epoch
 *
 * Locks, outermost first:
 *   portal->tending  its listener (a mutex: made and destroyed under it).
 *   rblkt_mutex      the lists of exports, portals and sessions, what hangs in
 *                    them, and the session states.  Process context only; no
 *                    RDMA object is destroyed and no device opened under it.
 *   conn->poll_lock  polling of the send CQ (a mutex: what completes may submit
 *                    bios).
 *   conn->lock       connection state, everything posted to the queue pair, its
 *                    slot accounting, the pool and both queues of waiting
 *                    commands.  Interrupts off.
 *
 * A command at the backing device needs none of them: its attachment cannot
 * finish draining while it holds att->ios.
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
#include "portal.h"
#include "proto.h"
#include "share.h"
#include "state.h"

/* compat.h has included printk.h before any file could say this. */
#undef pr_fmt
#define pr_fmt(fmt) "rblk_target: " fmt

#define RBLKT_VERSION		"0.1.0"
/* On qid 0 the granted depth is that of I/O; requests there are at most this. */
#define RBLKT_CTL_DEPTH		16
#define RBLKT_RECV_SLACK	4	/* receives posted above the depth */
#define RBLKT_MAX_EVENTS	4	/* sent until the host is heard again */
#define RBLKT_SLOT_SIZE		SZ_4K	/* each tag's own data buffer */
#define RBLKT_RSP_SIZE		RBLK_WIRE_DATA_OFFSET
#define RBLKT_DATA_ALIGN	SZ_4K	/* of inline data in a receive buffer */
#define RBLKT_MIN_CHUNK_SHIFT	15	/* 32 KiB, of the data pool */
#define RBLKT_MAX_RANGE		SZ_64M	/* of one DISCARD or WRITE_ZEROES */
#define RBLKT_MAX_SGE		16	/* of one send work request, at most */
#define RBLKT_MAX_VOLUMES	1024	/* attached by one session */
#define RBLKT_WAIT_MS		8000	/* a removal's patience */
#define RBLKT_HANDSHAKE_MS	10000	/* to log in or bind */
#define RBLKT_PULL_MS		20000	/* for a host to deliver write data */
#define RBLKT_HANDSHAKE_BUSY_MS	1000	/* the same while many have not */

struct rblkt_chunk;
struct rblkt_conn;
struct rblkt_sess;
struct rblkt_sink;
struct rblkt_tally;

/* An export: named, identified, backed by an open block device. */
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
	u64 tenure;			/* of the last writer, 0 before the first */
	struct list_head tallies;	/* of all hosts that had it, see stat.c */
	unsigned int nr_tallies;
	struct work_struct free_work;
	struct completion *freed;	/* of who waits for the last reference */
};

/* An export in the hands of one epoch of a session. */
struct rblkt_att {
	struct percpu_ref ios;		/* commands at the backing device */
	unsigned int __percpu *inflight;
	struct list_head node;		/* in export->atts until drained */
	struct rblkt_export *export;
	struct rblkt_tally *tally;	/* until it has drained */
	struct rblkt_sess *sess;
	struct block_device *bdev;
	struct rblkt_geo geo;		/* with writable as attached */
	u32 access;			/* RBLK_ACCESS_* */
	u32 handle;
	u64 told;			/* blocks, in its reply or the last event */
	unsigned int events_due;	/* bits of RBLK_EVENT_*, not yet sent */
	bool draining;
	bool read_only;			/* could write, but the export can't now */
	bool nowait;			/* the device can refuse to block */
	/* written by commands that may block; all others only read */
	spinlock_t later_lock ____cacheline_aligned;	/* @later; interrupts off */
	struct list_head later;		/* commands that may block */
	struct work_struct later_work;
	struct kref ref;		/* the session's table, @ios, @later_work */
	struct work_struct drained_work;
	struct rcu_work free_work;	/* commands may be looking at it */
};

/* An address that connections come from. All but @half_open by rblkt_mutex. */
struct rblkt_peer {
	struct list_head node;
	struct rblk_ioc_addr addr;	/* without the port */
	unsigned int users;		/* connections */
	unsigned int sessions;		/* logged in */
	u64 memory;			/* charged to its connections */
	atomic_t half_open;
};

/* One epoch of a session. */
struct rblkt_sess {
	struct kref ref;
	struct list_head node;		/* in the registry once logged in */
	enum rblk_session_state state;
	u8 uuid[RBLK_UUID_LEN];
	u32 epoch;
	u8 host[RBLK_UUID_LEN];
	u8 instance[RBLK_UUID_LEN];
	char host_name[RBLK_NAME_LEN];
	u64 key;
	u16 nr_queues;
	struct rblkt_grant grant;	/* of qid 0; bounds all others */
	struct rblkt_portal *portal;
	struct ib_device *dev;
	struct ib_pd *pd;		/* until the last connection is closed */
	struct rblk_ioc_addr peer;
	struct rblk_ioc_addr local;
	struct rblkt_peer *from;	/* while LIVE: qid 0 keeps it */
	u64 inherited;			/* of what its LOGIN ended, not yet freed */
	struct rblkt_conn *conn[RBLK_WIRE_MAX_QUEUES + 1];
	unsigned int nr_conns;
	struct xarray atts;		/* by handle; read under RCU */
	unsigned int nr_atts;
	u32 last_handle;
	bool events_due;		/* some attachment's is, or @away_due */
	bool away_due;			/* has not been told of the pause */
	bool leaving;			/* was there when a pause began */
	struct delayed_work keepalive;
	u32 keepalive_ms;		/* as its host was told */
	struct work_struct free_work;
	u64 counter[RBLK_CNT_NR];	/* of closed connections, former epochs */
};

/* A posted receive buffer: one scatter element, inline data page-aligned. */
struct rblkt_recv {
	struct ib_cqe cqe;
	struct rblkt_conn *conn;
	void *block;			/* what was allocated */
	void *msg;			/* where a message lands */
	u64 dma;			/* of @msg */
};

/* A tag and all that its command needs, made with the connection. */
struct rblkt_cmd {
	struct rblkt_conn *conn;
	struct list_head node;		/* in conn->waiting, ->pulling, ->replies, att->later */
	struct rblk_wire_cmd wire;	/* as received */
	unsigned long busy;		/* bit 0: between command and response */
	struct rblkt_att *att;		/* while holding att->ios */
	struct rblkt_recv *recv;	/* of an inline write, until reposted */
	struct rblkt_chunk *chunks;
	void *rsp;
	void *slot;
	u64 rsp_dma;
	u64 slot_dma;
	u64 arrived;			/* ns */
	u64 submitted;			/* to the backing device */
	u64 ended;			/* there */
	u16 status;
	bool flush_only;		/* FUA of a WRITE_ZEROES already done */
	bool pulling;			/* in conn->pulling */
	bool prompt;			/* see prompt.h */
	u32 seq;
	struct ib_cqe cqe;		/* of the RDMA READ that pulls its data */
	struct bio bio;
	struct bio_vec *bvec;
};

/* A message buffer of the control connection. */
struct rblkt_ctl {
	struct ib_cqe cqe;
	struct list_head node;
	struct rblkt_conn *conn;
	void *msg;
	u64 dma;
	u32 seq;
	bool event;			/* on its way as one */
};

struct rblkt_count {
	u64 v[RBLK_CNT_NR];
};

/* One queue pair and everything it owns. */
struct rblkt_conn {
	/* set up before the connection is accepted, constant from then on */
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
	u16 sq_size;			/* slots we use; the drain has one more */
	u8 max_send_sge;
	u8 max_read_sge;
	bool iwarp;
	struct completion hung_up;	/* the peer knows, or never will */
	u32 recv_len;
	u32 chunk_shift;
	u32 nr_chunks;
	u32 nr_bvecs;			/* of each command */
	size_t memory;			/* bytes allocated */
	u64 charged;			/* bytes for which it was admitted */
	struct rblkt_sess *heir;	/* whose LOGIN ended it, or NULL */
	struct rblkt_peer *peer;	/* where it comes from */
	u32 mapped_recvs;		/* how many of each are DMA-mapped */
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
	struct rblkt_sink *sinks;	/* NULL but on iWARP */
	struct ib_mr *slots_mr;		/* or NULL, see push.c */
	struct rblkt_ctl *ctls;
	struct list_head node;		/* all connections, by rblkt_mutex */

	/* receive context */
	struct rblkt_round round;
	unsigned long last_rx;		/* jiffies, read by anyone */
	struct rblkt_count rx;

	/* everybody */
	spinlock_t lock ____cacheline_aligned;
	enum rblkt_conn_state state;
	bool bound;			/* has been LIVE */
	bool accepting;			/* the CM handler is still at work */
	bool doomed;			/* close it when that is done */
	const char *why;		/* it ends, first of all reasons */
	bool marker_out;
	bool armed;			/* the send CQ must wake send_work */
	bool over;			/* no queue pair: neither CQ is looked at */
	struct rblkt_share share;
	u32 sq_posted;
	u32 sq_done;
	u32 sq_signalled;		/* newest WR that will complete visibly */
	u32 marker_seq;
	u32 pulls;			/* RDMA READs outstanding */
	bool watched;			/* @watch is queued */
	struct ib_cqe plain_cqe;	/* of sends that nobody waits for */
	struct ib_cqe marker_cqe;
	u32 nr_free;
	unsigned long *taken;		/* one bit for each chunk */
	struct list_head waiting;	/* for chunks, or to submit */
	struct list_head pulling;	/* whose RDMA READs are outstanding */
	struct list_head replies;	/* for send-queue slots */
	struct list_head free_ctls;
	u32 nr_free_ctls;
	u32 events;			/* since the host was heard */
	u32 events_out;			/* whose sends have not completed */
	bool events_wait;		/* for one of them to complete */
	struct rblkt_count tx;

	struct kref ref ____cacheline_aligned;
	struct mutex poll_lock;		/* polling of the send CQ */
	struct work_struct send_work;
	struct work_struct close_work;
	struct work_struct free_work;
	struct delayed_work handshake;
	struct delayed_work watch;	/* pulls, see rblkt_move_watch() */
};

/* main */
extern struct mutex rblkt_mutex;
extern struct workqueue_struct *rblkt_wq;
extern struct workqueue_struct *rblkt_close_wq;
extern struct workqueue_struct *rblkt_later_wq;
extern u8 rblkt_uuid[RBLK_UUID_LEN];
void rblkt_limits(struct rblkt_limits *limits);
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
u16 rblkt_attach(struct rblkt_sess *sess, const struct rblk_wire_attach *msg,
		 struct rblk_wire_attach_reply *reply);
u16 rblkt_detach(struct rblkt_sess *sess, u32 handle);
void rblkt_att_get(struct rblkt_att *att);
void rblkt_att_put(struct rblkt_att *att);
void rblkt_att_drain(struct rblkt_att *att);
void rblkt_att_lost(const struct rblkt_att *lost);
bool rblkt_att_conflict(u32 a, u32 b);

static inline void rblkt_att_end(struct rblkt_att *att)
{
	this_cpu_dec(*att->inflight);
	percpu_ref_put(&att->ios);
}

/* sess */
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

/* Is it ending, or about to?  Nothing that it brings counts any more. */
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
