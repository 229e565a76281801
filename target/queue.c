// SPDX-License-Identifier: GPL-2.0-only
/*
 * The queue pair: posting, counting send-queue slots, polling the send CQ.
 *
 * Sends are unsignalled but for a marker every quarter of the send queue, for
 * RDMA READs and for data that goes out of the pool.  Slots are counted by
 * sequence: a completion says that everything up to its work request is done.
 * The send CQ is not armed: the receive handler polls it by the way.  Armed it
 * is only while somebody waits for it, see need_send_cq().
 */
#include "rblkt.h"

#define RBLKT_POLL_BATCH	8

static void plain_sent(struct ib_cq *cq, struct ib_wc *wc)
{
	struct rblkt_conn *conn = cq->cq_context;

	if (wc->status != IB_WC_SUCCESS)
		rblkt_conn_fault(conn, wc->status);
}

static void marker_sent(struct ib_cq *cq, struct ib_wc *wc)
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
 * @conn: with its grant and the device's limits set
 *
 * A read is one RDMA WRITE and one SEND, mostly.  The largest command in the
 * smallest chunks must fit too, a memory region and a READ for each chunk.
 */
void rblkt_queue_init(struct rblkt_conn *conn)
{
	u32 pages = conn->grant.max_io / PAGE_SIZE;
	u32 want = max_t(u32, 2 * conn->depth + 16, 2 * pages + 2);

	if (!conn->qid)
		want = 2 * conn->depth;
	conn->sq_size = min_t(u32, want, conn->dev->attrs.max_qp_wr - 1);
	conn->plain_cqe.done = plain_sent;
	conn->marker_cqe.done = marker_sent;
}

/**
 * rblkt_queue_post_recv - give a receive buffer to the hardware
 * @conn: its connection, locked
 * @recv: the buffer
 */
int rblkt_queue_post_recv(struct rblkt_conn *conn, struct rblkt_recv *recv)
{
	struct ib_sge sge = {
		.addr = recv->dma,
		.length = conn->recv_len,
		.lkey = conn->pd->local_dma_lkey,
	};
	struct ib_recv_wr wr = {
		.wr_cqe = &recv->cqe,
		.sg_list = &sge,
		.num_sge = 1,
	};
	int ret;

	lockdep_assert_held(&conn->lock);
	if (conn->state >= RBLKT_CONN_CLOSING)
		return -ENOTCONN;
	ib_dma_sync_single_for_device(conn->dev, recv->dma, conn->recv_len,
				      DMA_FROM_DEVICE);
	ret = ib_post_recv(conn->qp, &wr, NULL);
	if (ret)
		rblkt_conn_kill_locked(conn, "can't post a receive");
	return ret;
}

/**
 * rblkt_queue_room - is there room for work requests?
 * @conn: locked
 * @wrs: how many
 */
bool rblkt_queue_room(const struct rblkt_conn *conn, u32 wrs)
{
	u32 kept = conn->share.nr ? 1 : 0;

	return conn->sq_posted - conn->sq_done + kept + wrs <= conn->sq_size;
}

/**
 * rblkt_queue_post - post a chain of send work requests
 * @conn: locked, with room for the chain
 * @first: first of the chain
 * @last: last of the chain; made a marker if one is due
 * @wrs: length of the chain
 */
int rblkt_queue_post(struct rblkt_conn *conn, struct ib_send_wr *first,
		     struct ib_send_wr *last, u32 wrs)
{
	u32 seq = conn->sq_posted + wrs;
	int ret;

	lockdep_assert_held(&conn->lock);
	if (conn->state >= RBLKT_CONN_CLOSING)
		return -ENOTCONN;
	/* Some are signalled though nobody counts by them. */
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
	ret = ib_post_send(conn->qp, first, NULL);
	if (ret)
		rblkt_conn_kill_locked(conn, "can't post a send");
	return ret;
}

/**
 * rblkt_queue_seen - a signalled work request has completed
 * @conn: locked
 * @seq: its sequence
 */
void rblkt_queue_seen(struct rblkt_conn *conn, u32 seq)
{
	lockdep_assert_held(&conn->lock);
	if ((s32)(seq - conn->sq_done) > 0)
		conn->sq_done = seq;
}

/**
 * rblkt_queue_arm - let the next send completion wake the send work
 * @conn: locked
 */
void rblkt_queue_arm(struct rblkt_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	if (conn->armed || conn->over)
		return;
	conn->armed = true;
	if (ib_req_notify_cq(conn->send_cq, IB_CQ_NEXT_COMP |
			     IB_CQ_REPORT_MISSED_EVENTS) > 0)
		queue_work(rblkt_wq, &conn->send_work);
}

/**
 * rblkt_queue_event - the armed send CQ has something
 * @cq: the send CQ
 * @context: its connection
 */
void rblkt_queue_event(struct ib_cq *cq, void *context)
{
	struct rblkt_conn *conn = context;

	/* As late as the receive CQ's: see rblkt_round_event(). */
	if (!READ_ONCE(conn->over))
		queue_work(rblkt_wq, &conn->send_work);
}

static u32 poll_locked(struct rblkt_conn *conn)
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

static void count_polled(struct rblkt_conn *conn, u32 polled, bool armed)
{
	if (!polled)
		return;
	spin_lock_irq(&conn->lock);
	conn->tx.v[RBLK_CNT_COMPLETIONS] += polled;
	if (armed)
		conn->tx.v[RBLK_CNT_ARMED_COMPLETIONS] += polled;
	spin_unlock_irq(&conn->lock);
}

/**
 * rblkt_queue_poll - look into the send CQ by the way
 * @conn: the connection; process context
 */
void rblkt_queue_poll(struct rblkt_conn *conn)
{
	u32 polled;

	/* Nothing outstanding would show itself. */
	if (READ_ONCE(conn->sq_signalled) == READ_ONCE(conn->sq_done))
		return;
	if (!mutex_trylock(&conn->poll_lock))
		return;
	polled = poll_locked(conn);
	mutex_unlock(&conn->poll_lock);
	count_polled(conn, polled, false);
	if (polled)
		rblkt_move_resume(conn);
}

/**
 * rblkt_queue_look - see what the send CQ has, expected or not
 * @conn: ending; process context
 *
 * An unsignalled work request completes visibly when it fails.
 */
void rblkt_queue_look(struct rblkt_conn *conn)
{
	u32 polled;

	mutex_lock(&conn->poll_lock);
	polled = poll_locked(conn);
	mutex_unlock(&conn->poll_lock);
	count_polled(conn, polled, false);
}

/* Does anybody wait for the send CQ? */
static bool need_send_cq(const struct rblkt_conn *conn)
{
	return conn->pulls || conn->state >= RBLKT_CONN_CLOSING ||
	       conn->events_wait || !list_empty(&conn->waiting) ||
	       !list_empty(&conn->replies);
}

/**
 * rblkt_queue_send_work - somebody waits for send completions
 * @work: the connection's send_work
 */
void rblkt_queue_send_work(struct work_struct *work)
{
	struct rblkt_conn *conn = container_of(work, struct rblkt_conn,
					       send_work);
	u32 polled;

	if (READ_ONCE(conn->over))
		return;
	spin_lock_irq(&conn->lock);
	conn->armed = false;
	spin_unlock_irq(&conn->lock);

	mutex_lock(&conn->poll_lock);
	polled = poll_locked(conn);
	mutex_unlock(&conn->poll_lock);
	count_polled(conn, polled, true);
	rblkt_move_resume(conn);
	rblkt_login_resume(conn);

	spin_lock_irq(&conn->lock);
	if (need_send_cq(conn))
		rblkt_queue_arm(conn);
	spin_unlock_irq(&conn->lock);
}

/* The round may wake the send work, and not the other way round. */
static void cancel_work_of_cqs(struct rblkt_conn *conn)
{
	cancel_work_sync(&conn->round.work);
	cancel_work_sync(&conn->send_work);
}

/**
 * rblkt_queue_destroy_cqs - stop looking at both CQs and destroy them
 * @conn: its queue pair is gone, or was never made
 *
 * Without a queue pair nothing completes, but the event of an earlier completion
 * may come until its CQ is destroyed, and so after the work was cancelled.  Work
 * that such an event queues sees @over and touches neither CQ; the second
 * cancellation waits for it, as the connection's memory may go next.
 */
void rblkt_queue_destroy_cqs(struct rblkt_conn *conn)
{
	spin_lock_irq(&conn->lock);
	WRITE_ONCE(conn->over, true);
	spin_unlock_irq(&conn->lock);
	cancel_work_of_cqs(conn);
	if (conn->recv_cq)
		ib_destroy_cq(conn->recv_cq);
	if (conn->send_cq)
		ib_destroy_cq(conn->send_cq);
	cancel_work_of_cqs(conn);
	conn->recv_cq = NULL;
	conn->send_cq = NULL;
}
