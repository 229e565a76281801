// SPDX-License-Identifier: GPL-2.0-only
/*
 * The completion queues of a connection, and its send queue.
 *
 * The memory of sends stays until the answer, so no task waits for a send
 * completion, except for that of data sent from a request's pages.  Most sends
 * are unsignalled (rblk_limits_signal_from() tells which are not), and the send
 * completion queue raises no event for them: receive handlers poll it.  That
 * halves the interrupts.  It is armed for each completion only while something
 * depends on one: a local invalidation, which ends a read answered by an
 * immediate; an answered write whose data went to the window (window.c); a send
 * that holds back others (batch.c); the drain.  Otherwise it is armed for
 * solicited completions, of which rblk sends none, and errors count as solicited
 * on adapters.  Some (hns) flush the receives of a failed queue pair only after
 * the failed send was polled.  Soft RoCE and soft iWARP raise no event for errors
 * then: sess_poll_errors() looks.
 *
 * The price is counting: a send queue entry is free again only when a later
 * signalled send has completed.  @sq_posted and @sq_reclaimed are positions in
 * one sequence.  Whenever the state of a quarter of the queue is unknown, one
 * send, the marker, is signalled for that purpose only.  Where commands are
 * held behind others (caps.hold), the marker tells when these have left, and is
 * used sooner.
 */
#include "../../compat/cq.h"
#include "transport.h"

/* A target has buffers for this many replies and events. */
#define CONTROL_RECEIVES	32
#define CONTROL_SQ		64
#define POLL_BATCH		8

/**
 * rblk_ring_failed() - check a completion's status
 * @conn: its connection; lost if the completion failed
 * @wc: the completion; only wr_cqe and status are valid if it failed
 * @what: what failed, such as "send", for the message
 * Context: any.
 * Return: whether the completion failed.
 */
bool rblk_ring_failed(struct rblk_conn *conn, struct ib_wc *wc, const char *what)
{
	char why[80];

	if (likely(wc->status == IB_WC_SUCCESS))
		return false;
	if (wc->status == IB_WC_WR_FLUSH_ERR) {
		rblk_conn_lose(conn, "the connection was flushed");
		return true;
	}
	scnprintf(why, sizeof(why), "%s failed: %s", what,
		  ib_wc_status_msg(wc->status));
	rblk_conn_lose(conn, why);
	return true;
}

static void marker_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct rblk_conn *conn = container_of(wc->wr_cqe, struct rblk_conn,
					      mark_cqe);
	unsigned long flags;

	if (rblk_ring_failed(conn, wc, "send"))
		return;
	spin_lock_irqsave(&conn->sq_lock, flags);
	rblk_ring_reclaim(conn, conn->sq_mark);
	WRITE_ONCE(conn->sq_marking, false);
	spin_unlock_irqrestore(&conn->sq_lock, flags);
	if (conn->caps.hold)
		rblk_batch_post(conn);
}

/* A send failed, or rblk_limits_signal_from() had it signalled. */
static void unmarked_done(struct ib_cq *cq, struct ib_wc *wc)
{
	rblk_ring_failed(container_of(wc->wr_cqe, struct rblk_conn, quiet_cqe),
			 wc, "send");
}

/* Several commands are out: the next may be held until the marker completes. */
static bool sq_holding_likely(const struct rblk_conn *conn)
{
	return conn->caps.hold && conn->sent - READ_ONCE(conn->answers) > 1;
}

/* Signal @last if no other send tells how far the send queue has come. */
static void sq_mark_last(struct rblk_conn *conn, struct ib_send_wr *last)
{
	if (conn->sq_marking ||
	    (conn->sq_posted - conn->sq_reclaimed < conn->sq_size / 4 &&
	     !sq_holding_likely(conn)))
		return;
	last->send_flags |= IB_SEND_SIGNALED;
	last->wr_cqe = &conn->mark_cqe;
	conn->sq_mark = conn->sq_posted;
	WRITE_ONCE(conn->sq_marking, true);
}

/**
 * rblk_ring_room() - check the send queue for room for commands
 * @conn: with its sq_lock held
 * @nr: entries needed, besides those of the connection's batch
 * Context: any.
 * Return: whether @nr entries are free.
 */
bool rblk_ring_room(const struct rblk_conn *conn, u32 nr)
{
	lockdep_assert_held(&conn->sq_lock);
	return conn->sq_posted - conn->sq_reclaimed + conn->batch.wrs + nr +
	       conn->sq_reserve <= conn->sq_size;
}

/**
 * rblk_ring_push() - post a chain for which there is room
 * @conn: with its sq_lock held
 * @first: first of the chain
 * @last: last of the chain; may become the marker, with another wr_cqe
 * @nr: length of the chain
 *
 * Context: any.
 * Return: 0, or a negative errno if posting failed, perhaps half way.
 */
int rblk_ring_push(struct rblk_conn *conn, struct ib_send_wr *first,
		   struct ib_send_wr *last, u32 nr)
{
	lockdep_assert_held(&conn->sq_lock);
	conn->sq_posted += nr;
	sq_mark_last(conn, last);
	return ib_post_send(conn->qp, first, NULL);
}

/**
 * rblk_ring_send() - post a chain of send requests
 * @conn: where to post
 * @first: first of the chain
 * @last: last of the chain; may become the marker, with another wr_cqe
 * @nr: length of the chain
 * @busy: set before posting once there is room, or NULL
 * @msg: message that @last sends, or NULL
 *
 * Context: any.
 * Return: 0; -EAGAIN without room, nothing posted; another negative errno if
 * posting failed, perhaps half way: the connection is lost.
 */
int rblk_ring_send(struct rblk_conn *conn, struct ib_send_wr *first,
		   struct ib_send_wr *last, u32 nr, bool *busy, void *msg)
{
	unsigned long flags;
	int ret = -EAGAIN;

	spin_lock_irqsave(&conn->sq_lock, flags);
	if (!rblk_ring_room(conn, nr))
		goto out;
	if (busy) {
		conn->sent++;
		/* The slot is filled in: pairs with io_find_answered(). */
		smp_store_release(busy, true);
	}
	if (msg)
		rblk_sign_put(conn, last, msg);
	ret = rblk_ring_push(conn, first, last, nr);
out:
	spin_unlock_irqrestore(&conn->sq_lock, flags);
	if (ret && ret != -EAGAIN)
		rblk_conn_lose(conn, "posting a send failed");
	return ret;
}

/**
 * rblk_ring_sent() - wait until whoever is posting has finished
 * @conn: with a command in flight
 * Context: any.
 */
void rblk_ring_sent(struct rblk_conn *conn)
{
	unsigned long flags;

	spin_lock_irqsave(&conn->sq_lock, flags);
	spin_unlock_irqrestore(&conn->sq_lock, flags);
}

/*
 * Have @sq_poll run when a send has failed, or a receive where these are polled.
 * Some providers let this replace rblk_ring_arm(), so only who has found that
 * nothing waits may call it.
 */
static void ring_arm_errors(struct rblk_conn *conn)
{
	ib_req_notify_cq(conn->scq, IB_CQ_SOLICITED);
	if (conn->poll.on)
		ib_req_notify_cq(conn->rcq, IB_CQ_SOLICITED);
}

/* Have @sq_poll run at the next completion; returns whether one is there. */
static bool ring_arm_queue(struct ib_cq *cq)
{
	return ib_req_notify_cq(cq, IB_CQ_NEXT_COMP | IB_CQ_REPORT_MISSED_EVENTS) > 0;
}

/**
 * rblk_ring_arm() - have @sq_poll run at the next send completion
 * @conn: with its sq_lock held; if it is polled, receives count as well, and while
 *        tasks poll nothing happens
 * Context: any.
 */
void rblk_ring_arm(struct rblk_conn *conn)
{
	bool missed;

	lockdep_assert_held(&conn->sq_lock);
	if (conn->sq_armed || conn->closed || rblk_poll_attended(conn))
		return;
	conn->sq_armed = true;
	missed = ring_arm_queue(conn->scq);
	if (conn->poll.on)
		missed |= ring_arm_queue(conn->rcq);
	if (missed)
		tasklet_schedule(&conn->sq_poll);
}

/**
 * rblk_ring_invalidate() - invalidate the rkey of a read answered by immediate
 * @slot: busy and answered
 *
 * rblk_io_invalidated() runs when the rkey is invalid.  There is always room:
 * see rblk_limits_sq_reserve().
 *
 * Context: any.
 */
void rblk_ring_invalidate(struct rblk_slot *slot)
{
	struct rblk_conn *conn = slot->conn;
	struct ib_send_wr wr = {
		.wr_cqe = &slot->inv_cqe,
		.opcode = IB_WR_LOCAL_INV,
		.send_flags = IB_SEND_SIGNALED,
		.ex.invalidate_rkey = slot->rkey,
	};
	unsigned long flags;
	int ret;

	rblk_count(conn->stats, RBLK_CNT_SEND_WRS, 1);
	spin_lock_irqsave(&conn->sq_lock, flags);
	slot->inv_seq = ++conn->sq_posted;
	conn->sq_awaited++;
	ret = ib_post_send(conn->qp, &wr, NULL);
	rblk_ring_arm(conn);
	spin_unlock_irqrestore(&conn->sq_lock, flags);
	if (ret)
		rblk_conn_lose(conn, "posting an invalidation failed");
}

/**
 * rblk_ring_invalidated() - account for a completed local invalidation
 * @slot: slot of rblk_ring_invalidate()
 * Context: any.
 */
void rblk_ring_invalidated(struct rblk_slot *slot)
{
	struct rblk_conn *conn = slot->conn;
	unsigned long flags;

	spin_lock_irqsave(&conn->sq_lock, flags);
	conn->sq_awaited--;
	rblk_ring_reclaim(conn, slot->inv_seq);
	spin_unlock_irqrestore(&conn->sq_lock, flags);
}

/**
 * rblk_ring_poll() - handle the send completions that are there
 * @conn: its connection
 * Others spin until a completion is handled: who takes one can't be preempted.
 * Context: any but hard interrupt.
 * Return: how many there were.
 */
int rblk_ring_poll(struct rblk_conn *conn)
{
	struct ib_wc wc[POLL_BATCH];
	int found = 0, nr, i;

	preempt_disable();
	while ((nr = ib_poll_cq(conn->scq, POLL_BATCH, wc)) > 0) {
		rblk_count(conn->stats, RBLK_CNT_COMPLETIONS, nr);
		for (i = 0; i < nr; i++)
			wc[i].wr_cqe->done(conn->scq, &wc[i]);
		found += nr;
		if (nr < POLL_BATCH)
			break;
	}
	preempt_enable();
	return found;
}

static void ring_poll_both(struct rblk_conn *conn)
{
	rblk_ring_poll(conn);
	rblk_poll_receives(conn);
}

static void sq_poll_tasklet(struct tasklet_struct *tasklet)
{
	struct rblk_conn *conn = from_tasklet(conn, tasklet, sq_poll);
	unsigned long flags;
	bool waits, quiet;

	if (READ_ONCE(conn->closed))
		return;
	spin_lock_irqsave(&conn->sq_lock, flags);
	conn->sq_armed = false;
	spin_unlock_irqrestore(&conn->sq_lock, flags);
	ring_poll_both(conn);
	spin_lock_irqsave(&conn->sq_lock, flags);
	waits = conn->caps.hold && conn->sq_marking && conn->batch.nr;
	if (conn->sq_awaited || conn->draining || conn->poll.on || waits)
		rblk_ring_arm(conn);
	quiet = !conn->sq_armed && !conn->closed;
	if (quiet)
		ring_arm_errors(conn);
	spin_unlock_irqrestore(&conn->sq_lock, flags);
	/* An error may have come before that.  For @waits see rblk_batch_add(). */
	if (waits || quiet || conn->poll.on)
		ring_poll_both(conn);
}

/* The device gives a completion queue up, for example after an overrun. */
static void cq_event_handler(struct ib_event *event, void *context)
{
	struct rblk_conn *conn = context;

	compat_drain_give_up(&conn->drain);
	rblk_conn_lose(conn, ib_event_msg(event->event));
}

/* The provider calls this in any context. */
static void scq_event_handler(struct ib_cq *cq, void *context)
{
	struct rblk_conn *conn = context;

	/* Soft RoCE (6.1) may call late, from its own tasklet. */
	if (READ_ONCE(conn->closed))
		return;
	rblk_count(conn->stats, RBLK_CNT_ARMED_COMPLETIONS, 1);
	tasklet_schedule(&conn->sq_poll);
}

/**
 * rblk_ring_drain() - wait until all posted requests have completed
 * @conn: disconnected, which flushes them
 * Context: may sleep.
 * Return: false if some of them may never complete.
 */
bool rblk_ring_drain(struct rblk_conn *conn)
{
	unsigned long flags;
	bool drained;

	rblk_poll_end(conn);
	/* The drain's own send request completes through the armed queue. */
	spin_lock_irqsave(&conn->sq_lock, flags);
	conn->draining = true;
	rblk_ring_arm(conn);
	spin_unlock_irqrestore(&conn->sq_lock, flags);
	drained = compat_drain_qp(conn->qp, &conn->drain);
	spin_lock_irqsave(&conn->sq_lock, flags);
	conn->draining = false;
	conn->sq_awaited = 0;
	spin_unlock_irqrestore(&conn->sq_lock, flags);
	/* The tasklet may hold a completion that it has not handled yet. */
	tasklet_kill(&conn->sq_poll);
	return drained;
}

/**
 * rblk_ring_quiesce() - poll no sends any more, and wait for handlers that run
 * @conn: ending, and not drained
 * Context: may sleep.
 */
void rblk_ring_quiesce(struct rblk_conn *conn)
{
	unsigned long flags;

	spin_lock_irqsave(&conn->sq_lock, flags);
	WRITE_ONCE(conn->closed, true);
	WRITE_ONCE(conn->sq_marking, false);
	spin_unlock_irqrestore(&conn->sq_lock, flags);
	if (!conn->poll.on)
		compat_quiesce_cq(conn->rcq);
	tasklet_kill(&conn->sq_poll);
}

/* A completion queue that @sq_poll polls when it is armed. */
static struct ib_cq *ring_create_cq(struct rblk_conn *conn, u32 entries, u32 vector)
{
	struct ib_cq_init_attr attr = { .cqe = entries, .comp_vector = vector };

	return ib_create_cq(conn->device, scq_event_handler, cq_event_handler,
			    conn, &attr);
}

static struct ib_cq *ring_create_rcq(struct rblk_conn *conn, u32 vector)
{
	u32 entries = conn->nr_recv + 1;
	struct ib_cq *cq;

	if (conn->poll.on)
		return ring_create_cq(conn, entries, vector);
	cq = ib_alloc_cq(conn->device, conn, entries, vector, IB_POLL_SOFTIRQ);
	if (!IS_ERR(cq))
		cq->event_handler = cq_event_handler;
	return cq;
}

static void ring_destroy_rcq(struct rblk_conn *conn)
{
	if (conn->poll.on)
		ib_destroy_cq(conn->rcq);
	else
		compat_free_cq(conn->rcq);
}

static void ring_begin(struct rblk_conn *conn)
{
	unsigned long flags;

	if (!conn->poll.on)
		return ring_arm_errors(conn);
	spin_lock_irqsave(&conn->sq_lock, flags);
	rblk_ring_arm(conn);
	spin_unlock_irqrestore(&conn->sq_lock, flags);
}

/**
 * rblk_ring_create_cqs() - size all queues, create the completion queues
 * @conn: with its device and final offer
 *
 * Context: may sleep.
 * Return: 0 or a negative errno.
 */
int rblk_ring_create_cqs(struct rblk_conn *conn)
{
	bool imm = conn->offer.features & RBLK_FEAT_READ_IMM;
	u32 qid = conn->offer.qid;
	u32 vector = conn->vector % max(conn->device->num_comp_vectors, 1);

	conn->nr_recv = qid ? rblk_limits_rq_size(conn->offer.depth) :
			      CONTROL_RECEIVES;
	conn->recv_size = qid ? rblk_limits_recv_bytes(conn->offer.inline_read) :
				RBLK_WIRE_CTRL_MAX;
	conn->sq_size = qid ? rblk_limits_sq_size(conn->offer.depth, imm) :
			      CONTROL_SQ;
	conn->sq_reserve = qid ? rblk_limits_sq_reserve(conn->offer.depth, imm) : 0;
	conn->rcq = ring_create_rcq(conn, vector);
	if (IS_ERR(conn->rcq))
		return PTR_ERR(conn->rcq);
	/* Unsignalled sends complete, too, when the queue pair fails. */
	conn->scq = ring_create_cq(conn, conn->sq_size + 1, vector);
	if (IS_ERR(conn->scq)) {
		ring_destroy_rcq(conn);
		return PTR_ERR(conn->scq);
	}
	ring_begin(conn);
	return 0;
}

/**
 * rblk_ring_destroy_cqs() - undo rblk_ring_create_cqs()
 * @conn: its queue pair is destroyed
 * Context: may sleep.
 */
void rblk_ring_destroy_cqs(struct rblk_conn *conn)
{
	unsigned long flags;

	/* Without a queue pair nothing completes; an event may come late. */
	spin_lock_irqsave(&conn->sq_lock, flags);
	WRITE_ONCE(conn->closed, true);
	spin_unlock_irqrestore(&conn->sq_lock, flags);
	tasklet_kill(&conn->sq_poll);
	ib_destroy_cq(conn->scq);
	ring_destroy_rcq(conn);
	tasklet_kill(&conn->sq_poll);
}

/**
 * rblk_ring_init() - set up what needs no device
 * @conn: new
 * Context: any.
 */
void rblk_ring_init(struct rblk_conn *conn)
{
	spin_lock_init(&conn->sq_lock);
	spin_lock_init(&conn->poll.lock);
	tasklet_setup(&conn->sq_poll, sq_poll_tasklet);
	compat_drain_init(&conn->drain);
	conn->mark_cqe.done = marker_done;
	conn->quiet_cqe.done = unmarked_done;
}
