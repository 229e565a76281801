// SPDX-License-Identifier: GPL-2.0-only
/*
 * The receive queue of a connection: every buffer is posted before the connection
 * is made, and again as soon as its message is handled.  The queue never runs dry:
 * it has RQ_SLACK entries more than commands can be outstanding.  Its completion
 * queue is always armed, and softirq polls it; but see poll.c.
 */
#include "transport.h"

static int recv_post(struct rblk_recv *recv)
{
	struct rblk_conn *conn = recv->conn;
	struct ib_sge sge = {
		.addr = recv->dma,
		.length = conn->recv_size,
		.lkey = conn->pd->local_dma_lkey,
	};
	struct ib_recv_wr wr = {
		.wr_cqe = &recv->cqe,
		.sg_list = &sge,
		.num_sge = 1,
	};

	ib_dma_sync_single_for_device(conn->device, recv->dma, conn->recv_size,
				      DMA_FROM_DEVICE);
	return ib_post_recv(conn->qp, &wr, NULL);
}

static void recv_take_message(struct rblk_recv *recv, const struct ib_wc *wc,
			      enum rblk_conn_state state)
{
	struct rblk_conn *conn = recv->conn;
	struct rblk_arrival msg = {
		.data = recv->buf,
		.bytes = wc->byte_len,
		.invalidated = wc->wc_flags & IB_WC_WITH_INVALIDATE,
	};

	if (msg.invalidated)
		msg.rkey = wc->ex.invalidate_rkey;
	ib_dma_sync_single_for_cpu(conn->device, recv->dma, conn->recv_size,
				   DMA_FROM_DEVICE);
	/* Pairs with rblk_sign_init(). */
	if (smp_load_acquire(&conn->sign.receives) && !rblk_sign_check(conn, recv->buf, &msg))
		rblk_conn_lose(conn, "a message that the target has not sent as its next one");
	else if (conn->slots && state == RBLK_CONN_READY)
		rblk_io_response(conn, &msg);
	else
		conn->ops->message(conn->ctx, conn, &msg);
}

/* RDMA WRITE with immediate uses up a receive but not its buffer. */
static bool wc_is_immediate(const struct rblk_conn *conn, const struct ib_wc *wc)
{
	return wc->opcode == IB_WC_RECV_RDMA_WITH_IMM &&
	       wc->wc_flags & IB_WC_WITH_IMM &&
	       conn->grant.features & RBLK_FEAT_READ_IMM;
}

/*
 * Returns whether to post the buffer again: not on a lost or closed connection,
 * whose queue pair is about to be drained and whose messages are ignored.
 */
static bool recv_deliver(struct rblk_recv *recv, const struct ib_wc *wc)
{
	struct rblk_conn *conn = recv->conn;
	enum rblk_conn_state state = READ_ONCE(conn->state);

	if (state != RBLK_CONN_BINDING && state != RBLK_CONN_READY)
		return state != RBLK_CONN_LOST && state != RBLK_CONN_CLOSED;
	if (conn->slots && state == RBLK_CONN_READY && wc_is_immediate(conn, wc))
		rblk_io_immediate(conn, be32_to_cpu(wc->ex.imm_data),
				  wc->byte_len);
	else if (likely(wc->opcode == IB_WC_RECV &&
			!(wc->wc_flags & IB_WC_WITH_IMM)))
		recv_take_message(recv, wc, state);
	else
		rblk_conn_lose(conn, "a receive of an unexpected kind");
	return true;
}

static void recv_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct rblk_recv *recv = container_of(wc->wr_cqe, struct rblk_recv, cqe);
	struct rblk_conn *conn = recv->conn;

	rblk_count(conn->stats, RBLK_CNT_COMPLETIONS, 1);
	if (rblk_ring_failed(conn, wc, "receive"))
		return;
	/* Where it is polled, events are counted instead. */
	if (!conn->poll.on)
		rblk_count(conn->stats, RBLK_CNT_ARMED_COMPLETIONS, 1);
	rblk_count(conn->stats, RBLK_CNT_RECVS, 1);
	/* Only the control connection needs it, and I/O's cache line is hot. */
	if (!conn->slots)
		WRITE_ONCE(conn->heard, jiffies);
	if (READ_ONCE(conn->sq_marking))
		rblk_ring_poll(conn);
	if (recv_deliver(recv, wc) && recv_post(recv))
		rblk_conn_lose(conn, "posting a receive failed");
}

/**
 * rblk_receive_post() - post all receives, before the connection is made
 * @conn: with its buffers
 *
 * Context: any.
 * Return: 0 or a negative errno; the caller drains before it frees the buffers.
 */
int rblk_receive_post(struct rblk_conn *conn)
{
	int ret = 0;
	u32 i;

	WRITE_ONCE(conn->heard, jiffies);
	for (i = 0; i < conn->nr_recv && !ret; i++) {
		conn->recv[i].cqe.done = recv_done;
		ret = recv_post(&conn->recv[i]);
	}
	return ret;
}
