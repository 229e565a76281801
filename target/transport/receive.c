// SPDX-License-Identifier: GPL-2.0-only
/*
 * A connection's receive context: one work item polls the receive CQ and
 * handles the completions, batch by batch.
 *
 * ib_core has such a work item, too, and it moderates interrupts where a device
 * supports that.  But it does not tell whether more receives were found
 * together, and io/coalesce.c must know that to put their responses into one
 * message.
 */
#include "transport.h"

/* After so many full batches other work gets its turn. */
#define RBLKT_RECEIVE_BATCHES	64

/* Let the CPU see a message of @len bytes. */
static void receive_sync(struct rblkt_conn *conn, const struct rblkt_recv *recv,
			 u32 len)
{
	const struct rblkt_recv_part *part = conn->recv_parts;

	ib_dma_sync_single_for_cpu(conn->dev, recv->dma[0], part[0].len,
				   DMA_FROM_DEVICE);
	if (len > part[0].len && part[1].len)
		ib_dma_sync_single_for_cpu(conn->dev, recv->dma[1], part[1].len,
					   DMA_FROM_DEVICE);
}

static void receive_deliver(struct rblkt_conn *conn, struct rblkt_recv *recv, u32 len)
{
	enum rblkt_bad bad = RBLKT_BAD_NONE;

	if (rblkt_signs(conn))
		bad = rblkt_sign_check(conn, recv, &len);
	if (likely(!bad))
		conn->ops->message(conn, recv, len);
	else
		rblkt_conn_violation(conn, bad);
}

/**
 * rblkt_receive_done - handle the completion of a receive
 * @cq: the receive CQ
 * @wc: the completion
 *
 * Context: process; may sleep.  One at a time for a connection.
 */
void rblkt_receive_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct rblkt_recv *recv = container_of(wc->wr_cqe, struct rblkt_recv,
					       cqe);
	struct rblkt_conn *conn = recv->conn;

	conn->rx.v[RBLK_CNT_COMPLETIONS]++;
	conn->rx.v[RBLK_CNT_ARMED_COMPLETIONS]++;
	if (unlikely(wc->status != IB_WC_SUCCESS)) {
		/* If it was flushed, a failed send may have the reason. */
		rblkt_queue_poll_all(conn);
		rblkt_conn_fault(conn, wc->status);
		return;
	}
	if (unlikely(rblkt_conn_ending(conn)))
		return;
	conn->rx.v[RBLK_CNT_RECVS]++;
	WRITE_ONCE(conn->last_rx, jiffies);
	if (unlikely(wc->wc_flags & IB_WC_WITH_INVALIDATE)) {
		rblkt_conn_violation(conn, RBLKT_BAD_INVALIDATE);
		return;
	}
	/* An RDMA WRITE with immediate leaves an old message in the buffer. */
	if (unlikely(wc->wc_flags & IB_WC_WITH_IMM)) {
		rblkt_conn_violation(conn, RBLKT_BAD_IMMEDIATE);
		return;
	}
	receive_sync(conn, recv, wc->byte_len);
	rblkt_queue_poll(conn);
	/* A send that failed may just have ended it: begin nothing any more. */
	if (likely(!rblkt_conn_ending(conn)))
		receive_deliver(conn, recv, wc->byte_len);
}

/* Handle what is there, at most a full batch; returns how many that were. */
static int receive_poll(struct rblkt_conn *conn)
{
	struct rblkt_receive *receive = &conn->receive;
	int i, n;

	n = ib_poll_cq(conn->recv_cq, ARRAY_SIZE(receive->wc), receive->wc);
	for (i = 0; i < n; i++) {
		struct ib_wc *wc = &receive->wc[i];

		receive->more = i + 1 < n;
		/* The other one is the end of a drain. */
		if (likely(wc->wr_cqe->done == rblkt_receive_done))
			rblkt_receive_done(conn->recv_cq, wc);
		else
			wc->wr_cqe->done(conn->recv_cq, wc);
	}
	return n;
}

static void receive_work(struct work_struct *work)
{
	struct rblkt_receive *receive = container_of(work, struct rblkt_receive,
						     work);
	struct rblkt_conn *conn = container_of(receive, struct rblkt_conn,
					       receive);
	int left = RBLKT_RECEIVE_BATCHES;

	if (READ_ONCE(conn->over))
		return;
	while (left && receive_poll(conn) == ARRAY_SIZE(receive->wc))
		left--;
	if (!left || ib_req_notify_cq(conn->recv_cq, IB_CQ_NEXT_COMP |
				      IB_CQ_REPORT_MISSED_EVENTS) > 0)
		queue_work(rblkt_conn_wq(conn), work);
}

/**
 * rblkt_receive_event - the armed receive CQ has a completion
 * @cq: the receive CQ
 * @context: its connection
 *
 * Context: any; does not sleep.
 */
void rblkt_receive_event(struct ib_cq *cq, void *context)
{
	struct rblkt_conn *conn = context;

	/*
	 * Soft RoCE (6.1) calls this from a tasklet, so maybe only after
	 * rblkt_queue_destroy_cqs() has cancelled the work.
	 */
	if (!READ_ONCE(conn->over))
		queue_work(rblkt_conn_wq(conn), &conn->receive.work);
}

/**
 * rblkt_receive_init - set up a connection's receive context
 * @conn: new
 *
 * Context: any.
 */
void rblkt_receive_init(struct rblkt_conn *conn)
{
	INIT_WORK(&conn->receive.work, receive_work);
}
