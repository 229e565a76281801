/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The door of transport/: listeners, connections with their queues and
 * receives, why they end.
 *
 * It knows the layout of messages, but hands them up unread, and knows neither
 * sessions nor exports nor bios.  The layers above embed a struct rblkt_conn in
 * their own parts of a connection (struct rblkt_io, struct rblkt_link) and hear
 * from it through struct rblkt_conn_ops.  The order of locks and who owns what
 * is told in session/session.h.
 */
#ifndef RBLKT_TRANSPORT_H
#define RBLKT_TRANSPORT_H

#include <linux/completion.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/socket.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_cm.h>
#include "rblk_ioctl.h"
#include "rblk_wire.h"
#include "../../auth/auth.h"
#include "../../compat/drain.h"
#include "../proto/proto.h"
#include "../proto/state.h"

/* compat.h includes printk.h before any of our files can define this. */
#undef pr_fmt
#define pr_fmt(fmt) "rblk_target: " fmt

/* Requests outstanding on qid 0, whose granted depth is for I/O connections. */
#define RBLKT_CTL_DEPTH		16
#define RBLKT_RECV_SLACK	4	/* receives posted above the depth */
#define RBLKT_DATA_ALIGN	SZ_4K	/* of inline data in a receive buffer */
#define RBLKT_MAX_SGE		16	/* per send work request, at most */
#define RBLKT_MAX_HELD		8	/* answers that are posted together */

/* The longest message without inline data on an I/O connection. */
#define RBLKT_WHOLE_BYTES	(sizeof(struct rblk_wire_hdr) + RBLK_WIRE_MAC_LEN +	\
				 RBLK_WIRE_MAX_BATCH * sizeof(struct rblk_wire_cmd))

struct net;
struct rblkt_conn;
struct rblkt_recv;
struct seq_file;

/* ---- main.c: what the module has once ---- */

extern struct mutex rblkt_mutex;	/* guards the registries; see session.h */
extern struct workqueue_struct *rblkt_wq;
extern struct workqueue_struct *rblkt_ctl_wq;
extern struct workqueue_struct *rblkt_close_wq;

/* ---- error.c ---- */

int rblkt_fail(struct rblk_ioc_error *err, u32 stage, int error,
	       const char *fmt, ...) __printf(4, 5);
int rblkt_fail_addr(struct rblk_ioc_error *err, u32 stage, int error,
		    const struct rblk_ioc_addr *addr, const char *what);
void rblkt_addr(struct rblk_ioc_addr *addr, const struct sockaddr *sa);

/* ---- device.c ---- */

int rblkt_device_depth(const struct ib_device *dev);
enum rblk_wire_reject rblkt_device_check(const struct ib_device *dev, u32 port,
					 const char **lacks);

/* ---- listener.c ---- */

/**
 * struct rblkt_listener - the CM id that listens on one address
 * @net: network namespace of the address
 * @addr: the address
 * @sa: the same for the CM
 * @connect: told of each connection request, in the CM handler.  Returns 0 if
 *           it takes @id, or a negative errno to have it destroyed
 * @tending: guards @id
 * @id: NULL while not listening
 * @check: checks the listener; queued only while not @removed
 * @removed: its owner ends it
 * @lost: @id has lost its device or address
 * @last_error: positive errno, 0 while it listens
 *
 * @net, @addr, @sa and @connect never change.  rblkt_mutex guards @check,
 * @removed, @lost and @last_error.
 */
struct rblkt_listener {
	struct net *net;
	struct rblk_ioc_addr addr;
	struct sockaddr_storage sa;
	int (*connect)(struct rblkt_listener *listener, struct rdma_cm_id *id,
		       const struct rdma_conn_param *param);
	struct mutex tending;		/* guards @id */
	struct rdma_cm_id *id;
	struct delayed_work check;
	bool removed;
	bool lost;
	int last_error;
};

void rblkt_listen_init(struct rblkt_listener *listener);
int rblkt_listen_start(struct rblkt_listener *listener);
void rblkt_listen_stop(struct rblkt_listener *listener);

/* ---- conn.c, close.c: a connection from its request to its end ---- */

/**
 * struct rblkt_conn_ops - what a connection tells the layers above
 * @message: a message has arrived.  In the receive context, may sleep.  The
 *           callee ends the connection or posts @recv again
 * @resume: send completions were handled, or something else has become free:
 *          start what waited for it, and arm the send CQ while anything still
 *          waits.  Process context, may sleep
 * @cancel: drop what waits and was not posted; the connection is CLOSING.
 *          Called before the drain and after it
 * @unmap: queue pair and CQs are gone, or were never made: end what was posted,
 *         and take all memory from the device
 * @closed: the connection is DEAD
 * @free: the last reference is gone: free the memory that the connection is in
 *
 * The last four run in process context and may sleep.  @resume and @cancel may
 * be NULL.
 */
struct rblkt_conn_ops {
	void (*message)(struct rblkt_conn *conn, struct rblkt_recv *recv,
			u32 len);
	void (*resume)(struct rblkt_conn *conn);
	void (*cancel)(struct rblkt_conn *conn);
	void (*unmap)(struct rblkt_conn *conn);
	void (*closed)(struct rblkt_conn *conn);
	void (*free)(struct rblkt_conn *conn);
};

#define RBLKT_RECV_PARTS	2

/* The scatter elements of a connection's receives, the same in each: buffer.c. */
struct rblkt_recv_part {
	u32 block;			/* bytes allocated for each */
	u32 offset;			/* of the buffer in its block */
	u32 len;			/* of the buffer; 0: there is no such part */
};

/* A receive buffer.  Inline data is page-aligned. */
struct rblkt_recv {
	struct ib_cqe cqe;
	struct rblkt_conn *conn;
	void *msg;			/* RBLK_WIRE_DATA_OFFSET bytes, or the message */
	void *data;			/* what follows these bytes */
	void *at[RBLKT_RECV_PARTS];
	u64 dma[RBLKT_RECV_PARTS];
};

/* A connection's receive context.  Only its work item uses @wc and @more. */
struct rblkt_receive {
	struct work_struct work;
	bool more;			/* the next receive is here already */
	struct ib_wc wc[RBLK_WIRE_MAX_BATCH];
};

/* Send work requests that wait to be posted with others; by the connection's lock. */
struct rblkt_held {
	struct ib_send_wr *first;
	struct ib_send_wr *last;
	u32 nr;				/* chains; 0: the pointers mean nothing */
};

struct rblkt_count {
	u64 v[RBLK_CNT_NR];
};

/*
 * One queue pair and its receives.  The close work destroys the hardware side;
 * the memory stays until the last command has dropped its reference.
 */
struct rblkt_conn {
	/* set before the connection is accepted, constant until it closes */
	const struct rblkt_conn_ops *ops;	/* changed once, when it is LIVE */
	const char *host_name;		/* of its owner; "" until it is known */
	u8 session[RBLK_UUID_LEN];
	u32 epoch;
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
	bool two_part_recvs;
	u32 mr_page;
	bool signs;			/* messages have MACs; set before the first such one */
	void *whole;			/* with @signs: room for a message that is in two parts */
	struct completion hung_up;	/* the CM has reported the end */
	struct rblkt_recv_part recv_parts[RBLKT_RECV_PARTS];
	size_t memory;			/* bytes allocated */
	u32 mapped_recvs;		/* their parts that are DMA-mapped so far */
	struct rblkt_recv *recvs;
	struct list_head node;		/* in rblkt_conns, by rblkt_mutex */

	/* only the receive context (receive.c) writes these, without a lock */
	struct rblkt_receive receive;
	unsigned long last_rx;		/* jiffies, read by anyone */
	struct rblkt_count rx;
	struct rblk_auth_mac rx_mac;

	/* by @lock; READ_ONCE() reads some without it */
	spinlock_t lock ____cacheline_aligned;
	enum rblkt_conn_state state;
	bool bound;			/* has been LIVE */
	bool accepting;			/* the CM handler is still at work */
	bool doomed;			/* close it when that is done */
	const char *why;		/* the first reason to end it */
	bool marker_out;		/* a marker has not completed */
	bool armed;			/* each send completion wakes @send_work */
	struct ib_event_handler device_events;	/* if its device is set */
	struct compat_drain drain;
	bool over;			/* no queue pair: don't touch the CQs */
	u32 sq_posted;			/* send WRs, ever */
	u32 sq_done;			/* of these known to have completed */
	u32 sq_signalled;		/* newest that advances @sq_done */
	u32 sq_reserved;		/* slots promised to a message being built */
	struct rblkt_held held;		/* counted in @sq_posted */
	u32 marker_seq;
	struct ib_cqe plain_cqe;	/* of sends that need no completion */
	struct ib_cqe marker_cqe;
	struct rblkt_count tx;
	struct rblk_auth_mac tx_mac;

	/* each has its own rules */
	struct kref ref ____cacheline_aligned;
	struct mutex poll_lock;		/* serializes polling of @send_cq */
	struct work_struct send_work;
	struct work_struct close_work;
	struct work_struct free_work;
	struct delayed_work handshake;
};

extern struct list_head rblkt_conns;
void rblkt_conn_init(struct rblkt_conn *conn, const struct rblkt_conn_ops *ops,
		     struct rdma_cm_id *id, const struct rblkt_req *req,
		     const struct rblkt_grant *grant);
int rblkt_conn_make(struct rblkt_conn *conn);
void rblkt_conn_unmake(struct rblkt_conn *conn);
void rblkt_conn_free(struct rblkt_conn *conn);
void rblkt_conn_get(struct rblkt_conn *conn);
void rblkt_conn_put(struct rblkt_conn *conn);
void rblkt_conn_set(struct rblkt_conn *conn, enum rblkt_conn_state state);
void rblkt_conn_opened(struct rblkt_conn *conn);
bool rblkt_conn_live(struct rblkt_conn *conn, const struct rblkt_conn_ops *ops);
void rblkt_conn_kill(struct rblkt_conn *conn, const char *why);
bool rblkt_conn_kill_locked(struct rblkt_conn *conn, const char *why);
void rblkt_conn_accepted(struct rblkt_conn *conn, bool ok);
void rblkt_conn_violation(struct rblkt_conn *conn, enum rblkt_bad bad);
void rblkt_conn_fault(struct rblkt_conn *conn, enum ib_wc_status status);

/* Is it ending, or about to?  Its receives are ignored then.  Any context. */
static inline bool rblkt_conn_ending(const struct rblkt_conn *conn)
{
	return READ_ONCE(conn->doomed) ||
	       READ_ONCE(conn->state) >= RBLKT_CONN_CLOSING;
}

/* Where its completions are handled.  Any context. */
static inline struct workqueue_struct *rblkt_conn_wq(const struct rblkt_conn *conn)
{
	return conn->qid ? rblkt_wq : rblkt_ctl_wq;
}

void rblkt_close_wake(void);
void rblkt_close_work(struct work_struct *work);
void rblkt_close_device(struct ib_device *dev);

/* ---- receive.c ---- */

void rblkt_receive_init(struct rblkt_conn *conn);
void rblkt_receive_event(struct ib_cq *cq, void *context);
void rblkt_receive_done(struct ib_cq *cq, struct ib_wc *wc);

/* ---- sign.c: messages whose sender proves that it is the peer ---- */

int rblkt_sign_begin(struct rblkt_conn *conn, const u8 *secret,
		     const struct rblk_auth_greeting *greeting);
void rblkt_sign_end(struct rblkt_conn *conn);
enum rblkt_bad rblkt_sign_check(struct rblkt_conn *conn, struct rblkt_recv *recv, u32 *len);
u32 rblkt_sign_put(struct rblkt_conn *conn, void *msg);

/* Whether messages have MACs. Any context that knows that one has come, or is about to leave. */
static inline bool rblkt_signs(const struct rblkt_conn *conn)
{
	/* Pairs with rblkt_sign_begin(): whoever sees it also sees the keys. */
	return smp_load_acquire(&conn->signs);
}

/* ---- queue.c ---- */

int rblkt_queue_post_recv(struct rblkt_conn *conn, struct rblkt_recv *recv);
bool rblkt_queue_room(const struct rblkt_conn *conn, u32 wrs);
int rblkt_queue_hold(struct rblkt_conn *conn, struct ib_send_wr *first,
		     struct ib_send_wr *last, u32 wrs);
int rblkt_queue_release(struct rblkt_conn *conn);
int rblkt_queue_post(struct rblkt_conn *conn, struct ib_send_wr *first,
		     struct ib_send_wr *last, u32 wrs);
void rblkt_queue_seen(struct rblkt_conn *conn, u32 seq);
void rblkt_queue_arm(struct rblkt_conn *conn);
void rblkt_queue_arm_errors(struct rblkt_conn *conn);
void rblkt_queue_poll(struct rblkt_conn *conn);
void rblkt_queue_poll_all(struct rblkt_conn *conn);
void rblkt_queue_check(struct rblkt_conn *conn);
void rblkt_queue_init(struct rblkt_conn *conn);
void rblkt_queue_event(struct ib_cq *cq, void *context);
void rblkt_queue_send_work(struct work_struct *work);
void rblkt_queue_destroy_cqs(struct rblkt_conn *conn);

/* ---- buffer.c ---- */

void *rblkt_buf_array(struct rblkt_conn *conn, size_t n, size_t size);
void *rblkt_buf_pages(struct rblkt_conn *conn, size_t size);
void rblkt_buf_free(void *buffer, size_t size);
int rblkt_buf_map(struct rblkt_conn *conn, void *data, u32 len,
		  enum dma_data_direction dir, u64 *dma);
size_t rblkt_recv_bytes(const struct rblkt_grant *grant, u16 qid, bool two);
int rblkt_recv_alloc(struct rblkt_conn *conn);
int rblkt_recv_map(struct rblkt_conn *conn);
void rblkt_recv_unmap(struct rblkt_conn *conn);
void rblkt_recv_free(struct rblkt_conn *conn);

/* ---- reason.c: why the target refused or ended connections ---- */

void rblkt_reason_refused(const struct rdma_cm_id *id,
			  enum rblk_wire_reject why);
void rblkt_reason_denied(const struct rblk_wire_login *msg, u16 status);
void rblkt_reason_violation(struct rblkt_conn *conn, enum rblkt_bad bad);
void rblkt_reason_fault(struct rblkt_conn *conn, enum ib_wc_status status);
void rblkt_reason_event(struct rblkt_conn *conn, enum ib_event_type event);
void rblkt_reason_late(struct rblkt_conn *conn);
void rblkt_reason_overdue(struct rblkt_conn *conn);
void rblkt_reason_show(struct seq_file *m);

#endif /* RBLKT_TRANSPORT_H */
