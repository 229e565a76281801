// SPDX-License-Identifier: GPL-2.0-only
/*
 * The queue pair: posting, counting send-queue slots, polling the send CQ.
 *
 * Most sends are unsignalled.  Signalled are a marker every quarter of the send
 * queue, the last RDMA READ of a pull, the last RDMA WRITE from the pool,
 * control messages, and what SIW must copy (see io/reply.c).  The send queue
 * completes in order, so slots are counted by sequence number: a completion
 * frees all slots up to its work request.
 *
 * Usually the send CQ raises no event, and the receive handler polls it on its
 * way.  It is armed for each completion only while something waits for it: the
 * layer above arms it when that begins and in rblkt_conn_ops.resume, and the
 * drain needs it.  Otherwise it is armed for solicited completions, of which the
 * target sends none, and errors count as solicited on adapters: some (hns) flush the
 * receives of a failed queue pair only after the failed send was polled.
 */
#include "transport.h"

#define RBLKT_POLL_BATCH	8

static void queue_plain_sent(struct ib_cq *cq, struct ib_wc *wc)
{
	struct rblkt_conn *conn = cq->cq_context;

	if (wc->status != IB_WC_SUCCESS)
		rblkt_conn_fault(conn, wc->status);
}

static void queue_marker_sent(struct ib_cq *cq, struct ib_wc *wc)
{
	struct rblkt_conn *conn = cq->cq_context;

	if (wc->status != IB_WC_SUCCESS) {
		rblkt_conn_fault(conn, wc->status);
		return;
	}
	spin_lock_irq(&conn->lock);
	conn->marker_out = false;
	rblkt_queue_seen(conn, conn->marker_seq);
	spin_unlock_irq(&conn->lock);
}

/**
 * rblkt_queue_init - size the send queue
 * @conn: with its grant, depth and device set
 *
 * Most reads take one RDMA WRITE and one SEND.  The largest command must fit,
 * too, even if each page took a registration and an RDMA READ.
 *
 * Context: any; the connection is not published yet.
 */
void rblkt_queue_init(struct rblkt_conn *conn)
{
	u32 pages = conn->grant.max_io / PAGE_SIZE;
	u32 want = max_t(u32, 2 * conn->depth + 16, 2 * pages + 2);

	if (!conn->qid)
		want = 2 * conn->depth;
	conn->sq_size = min_t(u32, want, conn->dev->attrs.max_qp_wr - 1);
	conn->plain_cqe.done = queue_plain_sent;
	conn->marker_cqe.done = queue_marker_sent;
}

/**
 * rblkt_queue_post_recv - give a receive buffer to the hardware
 * @conn: its connection
 * @recv: the buffer
 *
 * Context: any, with conn->lock held.
 * Return: 0; -ENOTCONN if the connection is closing; or the error of the
 * device, which ends the connection.
 */
int rblkt_queue_post_recv(struct rblkt_conn *conn, struct rblkt_recv *recv)
{
	struct ib_sge sge[RBLKT_RECV_PARTS];
	struct ib_recv_wr wr = {
		.wr_cqe = &recv->cqe,
		.sg_list = sge,
	};
	int i, ret;

	lockdep_assert_held(&conn->lock);
	if (conn->state >= RBLKT_CONN_CLOSING)
		return -ENOTCONN;
	for (i = 0; i < RBLKT_RECV_PARTS && conn->recv_parts[i].len; i++) {
		sge[i].addr = recv->dma[i];
		sge[i].length = conn->recv_parts[i].len;
		sge[i].lkey = conn->pd->local_dma_lkey;
		ib_dma_sync_single_for_device(conn->dev, sge[i].addr, sge[i].length,
					      DMA_FROM_DEVICE);
	}
	wr.num_sge = i;
	ret = ib_post_recv(conn->qp, &wr, NULL);
	if (ret)
		rblkt_conn_kill_locked(conn, "can't post a receive");
	return ret;
}

/**
 * rblkt_queue_room - does the send queue have room?
 * @conn: the connection
 * @wrs: work requests to post
 *
 * Slots that are promised to a message being built are not free.
 *
 * Context: any, with conn->lock held.
 * Return: true if they fit.
 */
bool rblkt_queue_room(const struct rblkt_conn *conn, u32 wrs)
{
	u32 used = conn->sq_posted - conn->sq_done + conn->sq_reserved;

	return used + wrs <= conn->sq_size;
}

/**
 * rblkt_queue_hold - give a chain of send work requests its place in the queue
 * @conn: with room for the chain
 * @first: first of the chain, whose memory stays until rblkt_queue_release()
 * @last: last of the chain; becomes a marker if one is due
 * @wrs: length of the chain
 *
 * It is posted with whatever comes next: slots are counted in order, so nothing
 * may overtake it.
 *
 * Context: any, with conn->lock held.  The caller sees to it that somebody
 * calls rblkt_queue_release() or rblkt_queue_post() later.
 * Return: 0, or -ENOTCONN if the connection is closing.
 */
int rblkt_queue_hold(struct rblkt_conn *conn, struct ib_send_wr *first,
		     struct ib_send_wr *last, u32 wrs)
{
	struct rblkt_held *held = &conn->held;
	u32 seq = conn->sq_posted + wrs;

	lockdep_assert_held(&conn->lock);
	if (conn->state >= RBLKT_CONN_CLOSING)
		return -ENOTCONN;
	/*
	 * The CQE decides, not IB_SEND_SIGNALED: a plain send may be signalled
	 * to make SIW copy it, and its completion frees no slots.
	 */
	if (last->wr_cqe == &conn->plain_cqe && !conn->marker_out &&
	    seq - conn->sq_signalled >= conn->sq_size / 4) {
		last->send_flags |= IB_SEND_SIGNALED;
		last->wr_cqe = &conn->marker_cqe;
		conn->marker_out = true;
		conn->marker_seq = seq;
	}
	if (last->wr_cqe != &conn->plain_cqe)
		conn->sq_signalled = seq;
	conn->sq_posted = seq;
	conn->tx.v[RBLK_CNT_SEND_WRS] += wrs;
	if (held->nr)
		held->last->next = first;
	else
		held->first = first;
	held->last = last;
	held->nr++;
	return 0;
}

/**
 * rblkt_queue_release - post all that is held, in one call
 * @conn: the connection
 *
 * Context: any, with conn->lock held.
 * Return: 0; -ENOTCONN if the connection is closing; or the error of the
 * device, which ends the connection.
 */
int rblkt_queue_release(struct rblkt_conn *conn)
{
	u32 nr = conn->held.nr;
	int ret;

	lockdep_assert_held(&conn->lock);
	conn->held.nr = 0;
	if (conn->state >= RBLKT_CONN_CLOSING)
		return -ENOTCONN;
	if (!nr)
		return 0;
	ret = ib_post_send(conn->qp, conn->held.first, NULL);
	if (ret)
		rblkt_conn_kill_locked(conn, "can't post a send");
	return ret;
}

/**
 * rblkt_queue_post - post a chain of send work requests
 * @conn: with room for the chain
 * @first: first of the chain
 * @last: last of the chain; becomes a marker if one is due
 * @wrs: length of the chain
 *
 * Context: any, with conn->lock held.
 * Return: 0; -ENOTCONN if the connection is closing; or the error of the
 * device, which ends the connection.
 */
int rblkt_queue_post(struct rblkt_conn *conn, struct ib_send_wr *first,
		     struct ib_send_wr *last, u32 wrs)
{
	return rblkt_queue_hold(conn, first, last, wrs) ?:
	       rblkt_queue_release(conn);
}

/**
 * rblkt_queue_seen - free the slots up to a completed work request
 * @conn: the connection
 * @seq: its sequence number
 *
 * Context: any, with conn->lock held.
 */
void rblkt_queue_seen(struct rblkt_conn *conn, u32 seq)
{
	lockdep_assert_held(&conn->lock);
	if ((s32)(seq - conn->sq_done) > 0)
		conn->sq_done = seq;
}

/**
 * rblkt_queue_arm_errors - let a send that fails wake the send work
 * @conn: the connection
 *
 * Some providers let this replace rblkt_queue_arm(), so only who has found that
 * nothing waits may call it.
 *
 * Context: any, with conn->lock held, or before the queue pair is made.
 */
void rblkt_queue_arm_errors(struct rblkt_conn *conn)
{
	ib_req_notify_cq(conn->send_cq, IB_CQ_SOLICITED);
}

/**
 * rblkt_queue_arm - let the next send completion wake the send work
 * @conn: the connection
 *
 * Context: any, with conn->lock held.
 */
void rblkt_queue_arm(struct rblkt_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	if (conn->armed || conn->over)
		return;
	conn->armed = true;
	if (ib_req_notify_cq(conn->send_cq, IB_CQ_NEXT_COMP |
			     IB_CQ_REPORT_MISSED_EVENTS) > 0)
		queue_work(rblkt_conn_wq(conn), &conn->send_work);
}

/**
 * rblkt_queue_event - the armed send CQ has a completion
 * @cq: the send CQ
 * @context: its connection
 *
 * Context: any; does not sleep.
 */
void rblkt_queue_event(struct ib_cq *cq, void *context)
{
	struct rblkt_conn *conn = context;

	/* It may come late, like the receive CQ's: see rblkt_receive_event(). */
	if (!READ_ONCE(conn->over))
		queue_work(rblkt_conn_wq(conn), &conn->send_work);
}

/* Poll until the send CQ is empty; conn->poll_lock held, process context. */
static u32 queue_poll_locked(struct rblkt_conn *conn)
{
	struct ib_wc wc[RBLKT_POLL_BATCH];
	u32 total = 0;
	int i, n;

	do {
		n = ib_poll_cq(conn->send_cq, ARRAY_SIZE(wc), wc);
		for (i = 0; i < n; i++)
			wc[i].wr_cqe->done(conn->send_cq, &wc[i]);
		total += n > 0 ? n : 0;
	} while (n == ARRAY_SIZE(wc));
	return total;
}

static void queue_count_polled(struct rblkt_conn *conn, u32 polled, bool armed)
{
	if (!polled)
		return;
	spin_lock_irq(&conn->lock);
	conn->tx.v[RBLK_CNT_COMPLETIONS] += polled;
	if (armed)
		conn->tx.v[RBLK_CNT_ARMED_COMPLETIONS] += polled;
	spin_unlock_irq(&conn->lock);
}

static void conn_resume(struct rblkt_conn *conn)
{
	const struct rblkt_conn_ops *ops = READ_ONCE(conn->ops);

	if (ops->resume)
		ops->resume(conn);
}

/**
 * rblkt_queue_poll - handle send completions, if some are due
 * @conn: the connection
 *
 * Does nothing while another thread polls.
 *
 * Context: process; handlers may submit bios.
 */
void rblkt_queue_poll(struct rblkt_conn *conn)
{
	u32 polled;

	/* No signalled work request is outstanding. */
	if (READ_ONCE(conn->sq_signalled) == READ_ONCE(conn->sq_done))
		return;
	if (!mutex_trylock(&conn->poll_lock))
		return;
	polled = queue_poll_locked(conn);
	mutex_unlock(&conn->poll_lock);
	queue_count_polled(conn, polled, false);
	if (polled)
		conn_resume(conn);
}

/* Returns how many completions there were; may sleep. */
static u32 queue_poll_now(struct rblkt_conn *conn, bool armed)
{
	u32 polled;

	mutex_lock(&conn->poll_lock);
	polled = queue_poll_locked(conn);
	mutex_unlock(&conn->poll_lock);
	queue_count_polled(conn, polled, armed);
	return polled;
}

/**
 * rblkt_queue_poll_all - handle all send completions, expected or not
 * @conn: with its CQs; if it does not end, the caller resumes what waited
 *
 * An unsignalled work request produces a completion when it fails, and that
 * says why the queue pair failed.
 *
 * Context: process; may sleep.
 */
void rblkt_queue_poll_all(struct rblkt_conn *conn)
{
	queue_poll_now(conn, false);
}

/**
 * rblkt_queue_check - let the send work look for completions
 * @conn: not freed
 *
 * Soft RoCE and soft iWARP raise no event when an unsignalled send fails.
 *
 * Context: any.
 */
void rblkt_queue_check(struct rblkt_conn *conn)
{
	unsigned long flags;

	/* From @over on, nobody waits for this work any more. */
	spin_lock_irqsave(&conn->lock, flags);
	if (!conn->over)
		queue_work(rblkt_conn_wq(conn), &conn->send_work);
	spin_unlock_irqrestore(&conn->lock, flags);
}

/**
 * rblkt_queue_send_work - handle send completions and resume what waited
 * @work: the connection's send_work
 *
 * It runs when the armed send CQ has a completion, and when chunks became free
 * that a command waits for.
 *
 * Context: process; may sleep.
 */
void rblkt_queue_send_work(struct work_struct *work)
{
	struct rblkt_conn *conn = container_of(work, struct rblkt_conn,
					       send_work);
	bool quiet;

	if (READ_ONCE(conn->over))
		return;
	spin_lock_irq(&conn->lock);
	conn->armed = false;
	spin_unlock_irq(&conn->lock);

	queue_poll_now(conn, true);
	conn_resume(conn);

	spin_lock_irq(&conn->lock);
	if (conn->state >= RBLKT_CONN_CLOSING)
		rblkt_queue_arm(conn);
	quiet = !conn->armed && !conn->over;
	if (quiet)
		rblkt_queue_arm_errors(conn);
	spin_unlock_irq(&conn->lock);
	/* An error may have come before the queue was armed for it. */
	if (quiet && queue_poll_now(conn, false))
		conn_resume(conn);
}

/* In this order: the receive work may queue the send work, never the reverse. */
static void queue_cancel_work(struct rblkt_conn *conn)
{
	cancel_work_sync(&conn->receive.work);
	cancel_work_sync(&conn->send_work);
}

/**
 * rblkt_queue_destroy_cqs - stop polling both CQs and destroy them
 * @conn: its queue pair is gone, or was never made
 *
 * Without a queue pair nothing completes any more.  But the event of an earlier
 * completion may come until its CQ is destroyed, even after the first
 * cancellation of the work.  Work queued by such an event sees conn->over and
 * touches neither CQ.  The second cancellation waits for that work, because the
 * connection's memory may be freed next.
 *
 * Context: process; may sleep.
 */
void rblkt_queue_destroy_cqs(struct rblkt_conn *conn)
{
	spin_lock_irq(&conn->lock);
	WRITE_ONCE(conn->over, true);
	spin_unlock_irq(&conn->lock);
	queue_cancel_work(conn);
	if (conn->recv_cq)
		ib_destroy_cq(conn->recv_cq);
	if (conn->send_cq)
		ib_destroy_cq(conn->send_cq);
	queue_cancel_work(conn);
	conn->recv_cq = NULL;
	conn->send_cq = NULL;
}
