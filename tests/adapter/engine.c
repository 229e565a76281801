// SPDX-License-Identifier: GPL-2.0-only
/*
 * What becomes of a send queue.
 *
 * One work item per queue pair carries out its work requests in order: begin,
 * which does to the peer what is to be done, and end, which is the
 * acknowledgment.  With a delay (debugfs, delay_us) the end comes up to that
 * much later than the begin, as acknowledgments do, and later work requests
 * are begun meanwhile.  An RDMA READ then moves its data at its end.  At the end
 * of a send the model reads its memory once more, as an adapter does to send it
 * again: memory that was given back before the completion is missed then.
 */
#include <linux/mm.h>
#include "adapter.h"

/* In hundredths of a millisecond, by the code of min_rnr_timer. */
static const u32 rnr_times[32] = {
	65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192,
	256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288,
	16384, 24576, 32768, 49152,
};

#define MIN_WAIT ((ktime_t)(50 * NSEC_PER_USEC))

static bool carries_data(const struct rad_wqe *wqe)
{
	switch (wqe->opcode) {
	case IB_WR_REG_MR:
	case IB_WR_LOCAL_INV:
	case IB_WR_RDMA_READ:
	case IB_WR_RDMA_READ_WITH_INV:
		return false;
	default:
		return true;
	}
}

static int bounce_grow(struct rad_qp *qp, size_t bytes)
{
	if (qp->bounce_size >= bytes)
		return 0;
	kvfree(qp->bounce);
	qp->bounce_size = 0;
	qp->bounce = kvmalloc(bytes, GFP_NOIO);
	if (!qp->bounce)
		return -ENOMEM;
	qp->bounce_size = bytes;
	return 0;
}

/**
 * rad_engine_gather() - read a work request's memory
 * @qp: its queue pair, whose bounce buffer takes the data
 * @wqe: the work request
 * Context: the engine.
 * Return: 0 or a negative errno.
 */
int rad_engine_gather(struct rad_qp *qp, const struct rad_wqe *wqe)
{
	u8 *to;
	int i, ret = bounce_grow(qp, max(wqe->length, 4096U));

	if (ret)
		return ret;
	if (wqe->flags & IB_SEND_INLINE) {
		memcpy(qp->bounce, wqe->inlined, wqe->length);
		return 0;
	}
	to = qp->bounce;
	for (i = 0; !ret && i < wqe->num_sge; i++) {
		ret = rad_mr_copy(qp, wqe->sge[i].lkey, wqe->sge[i].addr, to,
				  wqe->sge[i].length, RAD_SOURCE);
		to += wqe->sge[i].length;
	}
	return ret;
}

/**
 * rad_engine_scatter() - write to a list's memory
 * @qp: whose keys count
 * @sge: the list
 * @num_sge: its elements
 * @at: where in the list to begin
 * @from: the data
 * @len: bytes
 * @how: which access it is
 * Context: an engine.
 * Return: 0, -EMSGSIZE if the list is too short, or another negative errno.
 */
int rad_engine_scatter(struct rad_qp *qp, const struct ib_sge *sge, int num_sge,
		       u32 at, const u8 *from, u32 len, enum rad_how how)
{
	int i, ret = 0;

	for (i = 0; !ret && len && i < num_sge; i++) {
		u32 part;

		if (at >= sge[i].length) {
			at -= sge[i].length;
			continue;
		}
		part = min(len, sge[i].length - at);
		ret = rad_mr_copy(qp, sge[i].lkey, sge[i].addr + at, (void *)from,
				  part, how);
		from += part;
		len -= part;
		at = 0;
	}
	return ret ?: len ? -EMSGSIZE : 0;
}

/**
 * rad_engine_random() - choose
 * @qp: whose engine does; its choices depend on the seed and its number only
 * @below: one more than the most
 * Context: the engine of @qp.
 * Return: a number.
 */
u32 rad_engine_random(struct rad_qp *qp, u32 below)
{
	return prandom_u32_state(&qp->rnd) % below;
}

/* By TCP a host that is there resets a connection that it does not have. */
static bool peer_resets(struct rad_qp *qp)
{
	return qp->dev->profile->iwarp &&
	       rad_dev_reach(qp->dev, &qp->attr.ah_attr.grh.dgid);
}

/* The peer does not answer: try again later, or no more. */
static enum ib_wc_status wqe_retry(struct rad_qp *qp, struct rad_wqe *wqe)
{
	u64 ns = qp->attr.timeout ? 4096ULL << qp->attr.timeout : NSEC_PER_SEC;

	if (peer_resets(qp))
		return IB_WC_RETRY_EXC_ERR;
	rad_count(qp->dev, RAD_CNT_retries);
	if (wqe->tries++ > qp->attr.retry_cnt)
		return IB_WC_RETRY_EXC_ERR;
	qp->not_before = ktime_add_ns(ktime_get(), ns);
	return RAD_WC_AGAIN;
}

static enum ib_wc_status wqe_rnr(struct rad_qp *qp, struct rad_qp *peer,
				 struct rad_wqe *wqe)
{
	u32 code = READ_ONCE(peer->attr.min_rnr_timer) & 31;

	rad_count(qp->dev, RAD_CNT_rnr);
	if (qp->dev->profile->iwarp) {
		/* iWARP cannot wait for a receive: the connection ends. */
		rad_qp_fail(peer, IB_EVENT_QP_REQ_ERR);
		return IB_WC_RNR_RETRY_EXC_ERR;
	}
	if (qp->attr.rnr_retry != 7 && wqe->rnr_tries++ >= qp->attr.rnr_retry)
		return IB_WC_RNR_RETRY_EXC_ERR;
	qp->not_before = ktime_add_us(ktime_get(), rnr_times[code] * 10);
	return RAD_WC_AGAIN;
}

/*
 * On iWARP nobody tells the sender what went wrong: its connection ends, and it
 * sees that what it sent is flushed.
 */
static enum ib_wc_status status_seen(struct rad_qp *qp, enum ib_wc_status status)
{
	if (!qp->dev->profile->iwarp)
		return status;
	switch (status) {
	case IB_WC_REM_INV_REQ_ERR:
	case IB_WC_REM_ACCESS_ERR:
	case IB_WC_REM_OP_ERR:
	case IB_WC_RETRY_EXC_ERR:
	case IB_WC_RNR_RETRY_EXC_ERR:
		return IB_WC_WR_FLUSH_ERR;
	default:
		return status;
	}
}

/* wqe_remote() - do to the peer what a work request says. */
static enum ib_wc_status wqe_remote(struct rad_qp *qp, struct rad_wqe *wqe)
{
	struct rad_qp *peer = rad_respond_peer(qp);
	enum ib_wc_status status;

	if (!peer)
		return status_seen(qp, wqe_retry(qp, wqe));
	switch (wqe->opcode) {
	case IB_WR_RDMA_READ:
	case IB_WR_RDMA_READ_WITH_INV:
		status = rad_respond_read(qp, peer, wqe);
		break;
	case IB_WR_RDMA_WRITE:
	case IB_WR_RDMA_WRITE_WITH_IMM:
		status = rad_respond_write(qp, peer, wqe);
		break;
	default:
		status = rad_respond_send(qp, peer, wqe);
	}
	if (status == RAD_WC_RNR)
		status = wqe_rnr(qp, peer, wqe);
	if (status == RAD_WC_GONE)
		status = wqe_retry(qp, wqe);
	rad_qp_put(peer);
	return status_seen(qp, status);
}

static enum ib_wc_status wqe_begin(struct rad_qp *qp, struct rad_wqe *wqe)
{
	if (qp->ib.qp_type == IB_QPT_GSI) {
		rad_gsi_send(qp, wqe);
		return IB_WC_SUCCESS;
	}
	rad_stamp_begin(qp, wqe);
	switch (wqe->opcode) {
	case IB_WR_REG_MR:
		return rad_mr_register(qp, wqe) ? IB_WC_MW_BIND_ERR : IB_WC_SUCCESS;
	case IB_WR_LOCAL_INV:
		return rad_mr_invalidate(qp, wqe->key, "local invalidation") ?
		       IB_WC_MW_BIND_ERR : IB_WC_SUCCESS;
	case IB_WR_RDMA_READ:
	case IB_WR_RDMA_READ_WITH_INV:
		/* Its data comes with the answer: see wqe_end(). */
		return IB_WC_SUCCESS;
	default:
		if (rad_engine_gather(qp, wqe))
			return IB_WC_LOC_PROT_ERR;
		if (!(wqe->flags & IB_SEND_INLINE))
			rad_count_moved(qp->dev, wqe->length);
		return wqe_remote(qp, wqe);
	}
}

static enum ib_wc_status read_end(struct rad_qp *qp, struct rad_wqe *wqe)
{
	enum ib_wc_status status = wqe_remote(qp, wqe);

	if (status == IB_WC_SUCCESS && wqe->opcode == IB_WR_RDMA_READ_WITH_INV &&
	    rad_mr_invalidate(qp, wqe->key, "invalidation by a READ"))
		return IB_WC_LOC_PROT_ERR;
	return status;
}

static enum ib_wc_status wqe_end(struct rad_qp *qp, struct rad_wqe *wqe)
{
	if (wqe->status != IB_WC_SUCCESS || qp->ib.qp_type == IB_QPT_GSI)
		return wqe->status;
	if (rad_wqe_reads(wqe))
		return read_end(qp, wqe);
	/* What is not acknowledged may be sent again. */
	if (carries_data(wqe) && rad_engine_gather(qp, wqe))
		return IB_WC_LOC_PROT_ERR;
	return IB_WC_SUCCESS;
}

static enum ib_wc_opcode wc_opcode(enum ib_wr_opcode opcode)
{
	switch (opcode) {
	case IB_WR_RDMA_WRITE:
	case IB_WR_RDMA_WRITE_WITH_IMM:
		return IB_WC_RDMA_WRITE;
	case IB_WR_RDMA_READ:
	case IB_WR_RDMA_READ_WITH_INV:
		return IB_WC_RDMA_READ;
	case IB_WR_LOCAL_INV:
		return IB_WC_LOCAL_INV;
	case IB_WR_REG_MR:
		return IB_WC_REG_MR;
	default:
		return IB_WC_SEND;
	}
}

/* Only the status and the identity of a failed completion mean anything. */
static void wc_spoil(struct ib_wc *wc)
{
	wc->opcode = 0x7f;
	wc->byte_len = 0xdeadbeef;
	wc->wc_flags = ~0;
}

static void send_complete(struct rad_qp *qp, u32 pos, enum ib_wc_status status)
{
	struct rad_wqe *wqe = &qp->swqes[pos % qp->sq.size];
	struct rad_cqe cqe = {
		.qp = qp,
		.pos = pos,
		.stamp = wqe->stamp,
		.wc = {
			.wr_id = wqe->wr_id,
			.status = status,
			.opcode = wc_opcode(wqe->opcode),
			.byte_len = wqe->length,
			.qp = &qp->ib,
		},
	};

	if (status == IB_WC_SUCCESS && !wqe->signaled)
		return;
	if (status != IB_WC_SUCCESS && qp->ib.qp_type == IB_QPT_RC)
		wc_spoil(&cqe.wc);
	if (!rad_cq_push(rad_to(cq, qp->ib.send_cq), &cqe, false))
		rad_qp_fail(qp, IB_EVENT_QP_FATAL);
}

static void recv_flush(struct rad_qp *qp, u32 pos)
{
	struct rad_rwqe *rwqe = &qp->rwqes[pos % qp->rq.size];
	struct rad_cqe cqe = {
		.qp = qp,
		.pos = pos,
		.recv = true,
		.wc = {
			.wr_id = rwqe->wr_id,
			.status = IB_WC_WR_FLUSH_ERR,
			.qp = &qp->ib,
		},
	};

	wc_spoil(&cqe.wc);
	rad_cq_push(rad_to(cq, qp->ib.recv_cq), &cqe, false);
}

/* flush_one() - one entry of a queue pair that failed; false when all are. */
static bool flush_one(struct rad_qp *qp)
{
	bool send = false, recv = false;
	unsigned long flags;
	u32 pos = 0;

	spin_lock_irqsave(&qp->lock, flags);
	if (qp->may_flush && qp->sq.acked != qp->sq.head) {
		send = true;
		pos = qp->sq.acked++;
		qp->sq.next = qp->sq.acked;
	} else if (qp->may_flush && qp->rq.next != qp->rq.head) {
		recv = true;
		pos = qp->rq.next++;
	}
	spin_unlock_irqrestore(&qp->lock, flags);
	if (send)
		send_complete(qp, pos, IB_WC_WR_FLUSH_ERR);
	if (recv)
		recv_flush(qp, pos);
	return send || recv;
}

static bool qp_flush(struct rad_qp *qp)
{
	bool any = false;

	rad_cq_hide(rad_to(cq, qp->ib.send_cq));
	rad_cq_hide(rad_to(cq, qp->ib.recv_cq));
	while (flush_one(qp))
		any = true;
	rad_cq_show(rad_to(cq, qp->ib.send_cq));
	rad_cq_show(rad_to(cq, qp->ib.recv_cq));
	return any;
}

enum step { STEP_BEGIN, STEP_END, STEP_WAIT, STEP_FLUSH, STEP_NOTHING };

/* Work requests that may not be begun before others have ended. */
static bool must_wait(const struct rad_qp *qp, const struct rad_wqe *wqe)
{
	if (!qp->reads)
		return false;
	if (wqe->flags & IB_SEND_FENCE)
		return true;
	return rad_wqe_reads(wqe) &&
	       qp->reads >= max_t(u32, qp->attr.max_rd_atomic, 1);
}

/* What is to be done next, and with which entry. */
static enum step qp_next(struct rad_qp *qp, u32 *pos, ktime_t *when)
{
	struct rad_pos *sq = &qp->sq;
	ktime_t now = ktime_get();
	struct rad_wqe *wqe;

	lockdep_assert_held(&qp->lock);
	if (qp->state == IB_QPS_ERR)
		return STEP_FLUSH;
	if (qp->state != IB_QPS_RTS)
		return STEP_NOTHING;
	if (ktime_before(now, qp->not_before)) {
		*when = qp->not_before;
		return STEP_WAIT;
	}
	*pos = sq->acked;
	wqe = &qp->swqes[sq->acked % sq->size];
	if (sq->acked != sq->next && !ktime_before(now, wqe->due))
		return STEP_END;
	if (sq->next != sq->head && !qp->broken &&
	    !must_wait(qp, &qp->swqes[sq->next % sq->size])) {
		*pos = sq->next;
		return STEP_BEGIN;
	}
	if (sq->acked == sq->next)
		return STEP_NOTHING;
	*when = wqe->due;
	return STEP_WAIT;
}

static void step_begin(struct rad_qp *qp, u32 pos)
{
	struct rad_wqe *wqe = &qp->swqes[pos % qp->sq.size];
	u32 delay = READ_ONCE(qp->dev->delay_us);
	enum ib_wc_status status = wqe_begin(qp, wqe);

	if (status == RAD_WC_AGAIN)
		return;
	wqe->status = status;
	wqe->due = 0;
	if (delay && qp->ib.qp_type == IB_QPT_RC)
		wqe->due = ktime_add_us(ktime_get(), rad_engine_random(qp, delay));
	spin_lock_irq(&qp->lock);
	qp->sq.next = pos + 1;
	qp->broken = status != IB_WC_SUCCESS;
	if (rad_wqe_reads(wqe))
		qp->reads++;
	spin_unlock_irq(&qp->lock);
}

static void step_end(struct rad_qp *qp, u32 pos)
{
	struct rad_wqe *wqe = &qp->swqes[pos % qp->sq.size];
	enum ib_wc_status status = wqe_end(qp, wqe);

	if (status == RAD_WC_AGAIN)
		return;
	spin_lock_irq(&qp->lock);
	qp->sq.acked = pos + 1;
	if (rad_wqe_reads(wqe))
		qp->reads--;
	spin_unlock_irq(&qp->lock);
	/* The peer reads nothing more of it, and no other entry completes first. */
	if (status != IB_WC_SUCCESS && qp->ib.qp_type == IB_QPT_RC)
		rad_qp_fail(qp, -1);
	send_complete(qp, pos, status);
}

static bool qp_step(struct rad_qp *qp)
{
	ktime_t when = 0;
	enum step step;
	u32 pos = 0;

	spin_lock_irq(&qp->lock);
	step = qp->dying ? STEP_NOTHING : qp_next(qp, &pos, &when);
	/* User Mode Linux (7.2) may lose a timer that is due at once. */
	if (step == STEP_WAIT)
		hrtimer_start(&qp->timer,
			      max(ktime_sub(when, ktime_get()), MIN_WAIT),
			      HRTIMER_MODE_REL);
	spin_unlock_irq(&qp->lock);
	switch (step) {
	case STEP_BEGIN:
		step_begin(qp, pos);
		return true;
	case STEP_END:
		step_end(qp, pos);
		return true;
	case STEP_FLUSH:
		return qp_flush(qp);
	default:
		return false;
	}
}

static void engine_run(struct rad_qp *qp)
{
	while (qp_step(qp)) {
		rad_clock_burn();
		cond_resched();
	}
}

static void engine_work(struct work_struct *work)
{
	engine_run(container_of(work, struct rad_qp, work));
}

static void engine_thread_work(struct kthread_work *work)
{
	engine_run(container_of(work, struct rad_qp, thread_work));
}

/**
 * rad_engine_init() - give a queue pair its engine
 * @qp: which
 * Context: any.
 */
void rad_engine_init(struct rad_qp *qp)
{
	INIT_WORK(&qp->work, engine_work);
	kthread_init_work(&qp->thread_work, engine_thread_work);
}
