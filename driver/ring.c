// SPDX-License-Identifier: GPL-2.0-only
/*
 * Queues and completions of a connection.
 *
 * Receives: every buffer is posted before the connection is made and again as
 * soon as its message has been looked at, so the receive queue never runs dry:
 * it has RQ_SLACK entries more than there can be commands to answer.  The
 * receive completion queue is always armed and polled in softirq.
 *
 * Sends: all are from memory that stays, so nobody waits for their completion.
 * All but a few are unsignalled (rblk_limits_signal_from() tells of others), and
 * their completion queue is not armed; it is polled by whoever handles a receive.
 * That halves the interrupts of the usual way.  Armed it is only for what somebody
 * does wait for: a local invalidation, which ends a read that was answered by an
 * immediate; a send before which others are not to be posted (see batch.c); and the
 * drain.
 *
 * The price is counting: an entry of the send queue is free again only when a
 * later signalled send was seen to complete.  @sq_posted and @sq_reclaimed are
 * positions in one sequence; whenever a quarter of the queue is in doubt, one
 * send is signalled for no other purpose: the marker.  Where commands are held
 * behind others (caps.backlog), it says when these have left, and is used sooner.
 */
#include "../compat/cq.h"
#include "transport.h"

/* As many replies and events as a target has buffers for. */
#define CONTROL_RECEIVES	32
#define CONTROL_SQ		64
#define POLL_BATCH		8

/**
 * rblk_ring_failed() - look at a completion's status
 * @conn: whose
 * @wc: the completion; if it failed only its wr_cqe and status may be used
 * @what: "send" or "receive", for the message
 *
 * Return: true if it failed; then the connection is lost.
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

/* A signalled send has completed: it and all before it are done. */
static void reclaim(struct rblk_conn *conn, u32 seq)
{
	lockdep_assert_held(&conn->sq_lock);
	if ((s32)(seq - conn->sq_reclaimed) > 0)
		conn->sq_reclaimed = seq;
}

static void mark_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct rblk_conn *conn = container_of(wc->wr_cqe, struct rblk_conn,
					      mark_cqe);
	unsigned long flags;

	if (rblk_ring_failed(conn, wc, "send"))
		return;
	spin_lock_irqsave(&conn->sq_lock, flags);
	reclaim(conn, conn->sq_mark);
	WRITE_ONCE(conn->sq_marking, false);
	spin_unlock_irqrestore(&conn->sq_lock, flags);
	if (conn->caps.backlog)
		rblk_batch_post(conn);
}

/* Of what failed, and of what is signalled for other reasons than to be told. */
static void quiet_done(struct ib_cq *cq, struct ib_wc *wc)
{
	rblk_ring_failed(container_of(wc->wr_cqe, struct rblk_conn, quiet_cqe),
			 wc, "send");
}

/* Will somebody want to know when it has left, as commands come that fast? */
static bool busy(const struct rblk_conn *conn)
{
	return conn->caps.backlog && conn->sent - READ_ONCE(conn->answers) > 1;
}

/* Signal @last if nothing else tells how far the send queue has come. */
static void mark(struct rblk_conn *conn, struct ib_send_wr *last)
{
	if (conn->sq_marking ||
	    (conn->sq_posted - conn->sq_reclaimed < conn->sq_size / 4 &&
	     !busy(conn)))
		return;
	last->send_flags |= IB_SEND_SIGNALED;
	last->wr_cqe = &conn->mark_cqe;
	conn->sq_mark = conn->sq_posted;
	WRITE_ONCE(conn->sq_marking, true);
}

/**
 * rblk_ring_room() - is there room for commands in the send queue?
 * @conn: whose, with its sq_lock held
 * @nr: entries, besides those that its batch will take
 */
bool rblk_ring_room(const struct rblk_conn *conn, u32 nr)
{
	lockdep_assert_held(&conn->sq_lock);
	return conn->sq_posted - conn->sq_reclaimed + conn->batch.wrs + nr +
	       conn->sq_reserve <= conn->sq_size;
}

/**
 * rblk_ring_push() - post a chain for which there is room
 * @conn: where, with its sq_lock held
 * @first: of the chain
 * @last: of the chain; may get signalled and its wr_cqe replaced
 * @nr: length of the chain
 *
 * Return: 0 or a negative errno if posting failed, perhaps half way.
 */
int rblk_ring_push(struct rblk_conn *conn, struct ib_send_wr *first,
		   struct ib_send_wr *last, u32 nr)
{
	lockdep_assert_held(&conn->sq_lock);
	conn->sq_posted += nr;
	mark(conn, last);
	return ib_post_send(conn->qp, first, NULL);
}

/**
 * rblk_ring_send() - post a chain of send requests
 * @conn: where
 * @first: of the chain
 * @last: of the chain; may get signalled and its wr_cqe replaced
 * @nr: length of the chain
 * @busy: set just before posting, once there is room; or NULL
 *
 * Context: any.
 * Return: 0; -EAGAIN if the queue has no room yet, with nothing posted; another
 * negative errno if posting failed, perhaps half way: the connection is lost.
 */
int rblk_ring_send(struct rblk_conn *conn, struct ib_send_wr *first,
		   struct ib_send_wr *last, u32 nr, bool *busy)
{
	unsigned long flags;
	int ret = -EAGAIN;

	spin_lock_irqsave(&conn->sq_lock, flags);
	if (!rblk_ring_room(conn, nr))
		goto out;
	if (busy) {
		WRITE_ONCE(conn->sent, conn->sent + 1);
		/* What goes with it is filled in: see answered_slot(). */
		smp_store_release(busy, true);
	}
	ret = rblk_ring_push(conn, first, last, nr);
out:
	spin_unlock_irqrestore(&conn->sq_lock, flags);
	if (ret && ret != -EAGAIN)
		rblk_conn_lose(conn, "posting a send failed");
	return ret;
}

/**
 * rblk_ring_sent() - wait until whoever is posting has done so
 * @conn: a command of it is out
 *
 * Context: any.
 */
void rblk_ring_sent(struct rblk_conn *conn)
{
	unsigned long flags;

	spin_lock_irqsave(&conn->sq_lock, flags);
	spin_unlock_irqrestore(&conn->sq_lock, flags);
}

/**
 * rblk_ring_arm() - have the send completions polled when there are some
 * @conn: with its sq_lock held
 */
void rblk_ring_arm(struct rblk_conn *conn)
{
	lockdep_assert_held(&conn->sq_lock);
	if (conn->sq_armed || conn->closed)
		return;
	conn->sq_armed = true;
	if (ib_req_notify_cq(conn->scq, IB_CQ_NEXT_COMP |
			     IB_CQ_REPORT_MISSED_EVENTS) > 0)
		tasklet_schedule(&conn->sq_poll);
}

/**
 * rblk_ring_invalidate() - end the rkey of a read that was answered by immediate
 * @slot: busy and answered
 *
 * rblk_io_invalidated() is told when it is dead.  There is always room for it:
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
 * rblk_ring_invalidated() - what rblk_ring_invalidate() posted has completed
 * @slot: of it
 *
 * Context: any.
 */
void rblk_ring_invalidated(struct rblk_slot *slot)
{
	struct rblk_conn *conn = slot->conn;
	unsigned long flags;

	spin_lock_irqsave(&conn->sq_lock, flags);
	conn->sq_awaited--;
	reclaim(conn, slot->inv_seq);
	spin_unlock_irqrestore(&conn->sq_lock, flags);
}

/**
 * rblk_ring_poll() - handle the send completions there are
 * @conn: whose
 *
 * Context: any but hard interrupt.
 */
void rblk_ring_poll(struct rblk_conn *conn)
{
	struct ib_wc wc[POLL_BATCH];
	int nr, i;

	while ((nr = ib_poll_cq(conn->scq, POLL_BATCH, wc)) > 0) {
		rblk_count(conn->stats, RBLK_CNT_COMPLETIONS, nr);
		for (i = 0; i < nr; i++)
			wc[i].wr_cqe->done(conn->scq, &wc[i]);
		if (nr < POLL_BATCH)
			break;
	}
}

static void sq_poll(struct tasklet_struct *tasklet)
{
	struct rblk_conn *conn = from_tasklet(conn, tasklet, sq_poll);
	unsigned long flags;
	bool waits;

	if (READ_ONCE(conn->closed))
		return;
	spin_lock_irqsave(&conn->sq_lock, flags);
	conn->sq_armed = false;
	spin_unlock_irqrestore(&conn->sq_lock, flags);
	rblk_ring_poll(conn);
	spin_lock_irqsave(&conn->sq_lock, flags);
	waits = conn->caps.backlog && conn->sq_marking && conn->batch.nr;
	if (conn->sq_awaited || conn->draining || waits)
		rblk_ring_arm(conn);
	spin_unlock_irqrestore(&conn->sq_lock, flags);
	/* See rblk_batch_add(). */
	if (waits)
		rblk_ring_poll(conn);
}

/* Any context the provider likes. */
static void scq_event(struct ib_cq *cq, void *context)
{
	struct rblk_conn *conn = context;

	/* Soft RoCE (6.1) may tell late, from a tasklet of its own. */
	if (READ_ONCE(conn->closed))
		return;
	rblk_count(conn->stats, RBLK_CNT_ARMED_COMPLETIONS, 1);
	tasklet_schedule(&conn->sq_poll);
}

/**
 * rblk_ring_drain() - wait until all that was posted has completed
 * @conn: disconnected, so that it will soon
 *
 * Context: may sleep.
 */
void rblk_ring_drain(struct rblk_conn *conn)
{
	unsigned long flags;

	/* The send queue's drain request completes through the armed queue. */
	spin_lock_irqsave(&conn->sq_lock, flags);
	conn->draining = true;
	rblk_ring_arm(conn);
	spin_unlock_irqrestore(&conn->sq_lock, flags);
	ib_drain_qp(conn->qp);
	spin_lock_irqsave(&conn->sq_lock, flags);
	conn->draining = false;
	conn->sq_awaited = 0;
	spin_unlock_irqrestore(&conn->sq_lock, flags);
	/* It may have polled a completion and not handled it yet. */
	tasklet_kill(&conn->sq_poll);
}

static int post_recv(struct rblk_recv *recv)
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

static void take_message(struct rblk_recv *recv, const struct ib_wc *wc,
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
	if (conn->slots && state == RBLK_CONN_READY)
		rblk_io_response(conn, &msg);
	else
		conn->ops->message(conn->ctx, conn, &msg);
}

/* An RDMA WRITE with immediate has used up a receive, and not its buffer. */
static bool is_immediate(const struct rblk_conn *conn, const struct ib_wc *wc)
{
	return wc->opcode == IB_WC_RECV_RDMA_WITH_IMM &&
	       wc->wc_flags & IB_WC_WITH_IMM &&
	       conn->grant.features & RBLK_FEAT_READ_IMM;
}

/*
 * What comes on a connection that is lost or closed no longer counts, and its
 * buffer stays away from a queue pair that is about to be drained.  Returns
 * whether to post it again.
 */
static bool deliver(struct rblk_recv *recv, const struct ib_wc *wc)
{
	struct rblk_conn *conn = recv->conn;
	enum rblk_conn_state state = READ_ONCE(conn->state);

	if (state != RBLK_CONN_BINDING && state != RBLK_CONN_READY)
		return state != RBLK_CONN_LOST && state != RBLK_CONN_CLOSED;
	if (conn->slots && state == RBLK_CONN_READY && is_immediate(conn, wc))
		rblk_io_immediate(conn, be32_to_cpu(wc->ex.imm_data),
				  wc->byte_len);
	else if (likely(wc->opcode == IB_WC_RECV &&
			!(wc->wc_flags & IB_WC_WITH_IMM)))
		take_message(recv, wc, state);
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
	rblk_count(conn->stats, RBLK_CNT_ARMED_COMPLETIONS, 1);
	rblk_count(conn->stats, RBLK_CNT_RECVS, 1);
	/* Only the control connection's matters, and I/O's line is hot. */
	if (!conn->slots)
		WRITE_ONCE(conn->heard, jiffies);
	if (READ_ONCE(conn->sq_marking))
		rblk_ring_poll(conn);
	if (deliver(recv, wc) && post_recv(recv))
		rblk_conn_lose(conn, "posting a receive failed");
}

/**
 * rblk_ring_create_cqs() - completion queues and the sizes of all queues
 * @conn: with its device and final offer
 *
 * Context: may sleep.
 * Return: 0 or a negative errno.
 */
int rblk_ring_create_cqs(struct rblk_conn *conn)
{
	bool imm = conn->offer.features & RBLK_FEAT_READ_IMM;
	u32 qid = conn->offer.qid;
	struct ib_cq_init_attr attr = {};
	int vectors = max(conn->device->num_comp_vectors, 1);

	conn->nr_recv = qid ? rblk_limits_rq_size(conn->offer.depth) :
			      CONTROL_RECEIVES;
	conn->recv_size = qid ? rblk_limits_recv_bytes(conn->offer.inline_read) :
				RBLK_WIRE_CTRL_MAX;
	conn->sq_size = qid ? rblk_limits_sq_size(conn->offer.depth, imm) :
			      CONTROL_SQ;
	conn->sq_reserve = qid ? rblk_limits_sq_reserve(conn->offer.depth, imm) : 0;
	conn->rcq = ib_alloc_cq(conn->device, conn, conn->nr_recv + 1,
				qid % vectors, IB_POLL_SOFTIRQ);
	if (IS_ERR(conn->rcq))
		return PTR_ERR(conn->rcq);
	/* Even unsignalled sends complete when the queue pair fails. */
	attr.cqe = conn->sq_size + 1;
	attr.comp_vector = qid % vectors;
	conn->scq = ib_create_cq(conn->device, scq_event, NULL, conn, &attr);
	if (IS_ERR(conn->scq)) {
		ib_free_cq(conn->rcq);
		return PTR_ERR(conn->scq);
	}
	return 0;
}

/**
 * rblk_ring_destroy_cqs() - undo rblk_ring_create_cqs()
 * @conn: its queue pair is gone
 */
void rblk_ring_destroy_cqs(struct rblk_conn *conn)
{
	unsigned long flags;

	/* Without a queue pair nothing completes, but its event may come late. */
	spin_lock_irqsave(&conn->sq_lock, flags);
	WRITE_ONCE(conn->closed, true);
	spin_unlock_irqrestore(&conn->sq_lock, flags);
	tasklet_kill(&conn->sq_poll);
	ib_destroy_cq(conn->scq);
	tasklet_kill(&conn->sq_poll);
	compat_free_cq(conn->rcq);
}

/**
 * rblk_ring_init() - set up what needs no device
 * @conn: new
 */
void rblk_ring_init(struct rblk_conn *conn)
{
	spin_lock_init(&conn->sq_lock);
	tasklet_setup(&conn->sq_poll, sq_poll);
	conn->mark_cqe.done = mark_done;
	conn->quiet_cqe.done = quiet_done;
}

/**
 * rblk_ring_post() - post all receives, before the connection is made
 * @conn: with its buffers
 *
 * Return: 0 or a negative errno; either way drain before freeing the buffers.
 */
int rblk_ring_post(struct rblk_conn *conn)
{
	int ret = 0;
	u32 i;

	WRITE_ONCE(conn->heard, jiffies);
	for (i = 0; i < conn->nr_recv && !ret; i++) {
		conn->recv[i].cqe.done = recv_done;
		ret = post_recv(&conn->recv[i]);
	}
	return ret;
}
