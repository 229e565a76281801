// SPDX-License-Identifier: GPL-2.0-only
/*
 * Queue pairs: reliable connections, and the one for management datagrams.
 *
 * A peer's engine works on a queue pair only while it holds a reference, found
 * by number.  The end of a queue pair takes it from the table and waits for
 * these.  Its own engine ends with it.
 * On iWARP the adapter connects and disconnects (iw.c), not a change of state.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include "adapter.h"

/* Numbers are not used again for long, so that late packets reach nobody. */
static DEFINE_XARRAY_FLAGS(qps, XA_FLAGS_ALLOC1);
static u32 next_qpn;

/**
 * rad_qp_get() - find a queue pair
 * @dev: its device
 * @qpn: its number; 1 is the one for management
 * Context: task, also with interrupts off. rad_qp_put() gives it back.
 * Return: the queue pair, or NULL.
 */
struct rad_qp *rad_qp_get(struct rad_dev *dev, u32 qpn)
{
	struct rad_qp *qp;

	xa_lock(&qps);
	qp = qpn == 1 ? READ_ONCE(dev->gsi) : xa_load(&qps, qpn);
	if (qp && (qp->dev != dev || !refcount_inc_not_zero(&qp->refs)))
		qp = NULL;
	xa_unlock(&qps);
	return qp;
}

/**
 * rad_qp_put() - give a queue pair back
 * @qp: found by rad_qp_get()
 * Context: any.
 */
void rad_qp_put(struct rad_qp *qp)
{
	if (refcount_dec_and_test(&qp->refs))
		complete(&qp->idle);
}

static int qp_check(struct rad_dev *dev, const struct ib_qp_init_attr *attr)
{
	const struct rad_profile *p = dev->profile;
	const struct ib_qp_cap *cap = &attr->cap;

	if (attr->qp_type != IB_QPT_RC && attr->qp_type != IB_QPT_GSI)
		return -EOPNOTSUPP;
	if (attr->srq || attr->create_flags)
		return -EOPNOTSUPP;
	if (attr->qp_type == IB_QPT_GSI)
		return dev->fatal ? -EIO : 0;
	if (cap->max_send_wr > p->max_qp_wr || cap->max_recv_wr > p->max_qp_wr ||
	    cap->max_send_sge > max(p->max_send_sge, p->max_sge_rd) ||
	    cap->max_recv_sge > p->max_recv_sge ||
	    cap->max_inline_data > p->max_inline)
		return -EINVAL;
	return !rad_profile_has_room(p, cap) ? -ENOMEM : dev->fatal ? -EIO : 0;
}

static void qp_free_queues(struct rad_qp *qp)
{
	kvfree(qp->swqes);
	kvfree(qp->rwqes);
	kvfree(qp->sges);
	kvfree(qp->inlined);
	kvfree(qp->bounce);
}

static int qp_alloc_queues(struct rad_qp *qp)
{
	u32 ssge = max(qp->cap.max_send_sge, 1U);
	u32 rsge = max(qp->cap.max_recv_sge, 1U);
	u32 i;

	qp->sq.size = max(qp->cap.max_send_wr, 1U);
	qp->rq.size = max(qp->cap.max_recv_wr, 1U);
	qp->swqes = kvcalloc(qp->sq.size, sizeof(*qp->swqes), GFP_KERNEL);
	qp->rwqes = kvcalloc(qp->rq.size, sizeof(*qp->rwqes), GFP_KERNEL);
	qp->sges = kvcalloc(qp->sq.size * ssge + qp->rq.size * rsge,
			    sizeof(*qp->sges), GFP_KERNEL);
	qp->inlined = kvzalloc(qp->sq.size * qp->cap.max_inline_data + 1,
			       GFP_KERNEL);
	if (!qp->swqes || !qp->rwqes || !qp->sges || !qp->inlined) {
		qp_free_queues(qp);
		return -ENOMEM;
	}
	for (i = 0; i < qp->sq.size; i++) {
		qp->swqes[i].sge = qp->sges + i * ssge;
		qp->swqes[i].inlined = qp->inlined + i * qp->cap.max_inline_data;
	}
	for (i = 0; i < qp->rq.size; i++)
		qp->rwqes[i].sge = qp->sges + qp->sq.size * ssge + i * rsge;
	return 0;
}

static enum hrtimer_restart qp_timer(struct hrtimer *timer)
{
	rad_clock_enter();
	rad_engine_kick(container_of(timer, struct rad_qp, timer));
	rad_clock_leave();
	return HRTIMER_NORESTART;
}

static int qp_number(struct rad_qp *qp)
{
	int ret;

	if (qp->ib.qp_type == IB_QPT_GSI) {
		if (qp->dev->gsi)
			return -EBUSY;
		qp->qpn = 1;
		WRITE_ONCE(qp->dev->gsi, qp);
	} else {
		ret = xa_alloc_cyclic(&qps, &qp->qpn, qp, XA_LIMIT(2, 0xffffff),
				      &next_qpn, GFP_KERNEL);
		if (ret < 0)
			return ret;
	}
	qp->ib.qp_num = qp->qpn;
	prandom_seed_state(&qp->rnd, rad_seed + qp->qpn);
	return 0;
}

int rad_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *attr,
		  struct ib_udata *udata)
{
	struct rad_dev *dev = rad_to(dev, ibqp->device);
	struct rad_qp *qp = rad_to(qp, ibqp);
	int ret;

	rad_count(dev, RAD_CNT_control_verbs);
	ret = udata ? -EOPNOTSUPP : qp_check(dev, attr);
	if (ret)
		return ret;
	qp->dev = dev;
	qp->cap = attr->cap;
	qp->sig_all = attr->sq_sig_type == IB_SIGNAL_ALL_WR;
	qp->state = IB_QPS_RESET;
	refcount_set(&qp->refs, 1);
	init_completion(&qp->idle);
	spin_lock_init(&qp->lock);
	rad_engine_init(qp);
	rad_stamp_create(qp);
	hrtimer_setup(&qp->timer, qp_timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
	ret = qp_alloc_queues(qp);
	if (ret)
		return ret;
	ret = qp_number(qp);
	if (ret)
		qp_free_queues(qp);
	return ret;
}

/* The engine does not run any more, and nothing wakes it. */
static void qp_stop(struct rad_qp *qp)
{
	unsigned long flags;

	spin_lock_irqsave(&qp->lock, flags);
	qp->dying = true;
	spin_unlock_irqrestore(&qp->lock, flags);
	hrtimer_cancel(&qp->timer);
	rad_engine_cancel(qp);
	/* The engine may have set the timer after all. */
	hrtimer_cancel(&qp->timer);
	rad_engine_cancel(qp);
}

/* No key of the device is in use for this queue pair once that is done. */
static void qp_set_state(struct rad_qp *qp, enum ib_qp_state state)
{
	unsigned long flags;

	down_write(&qp->dev->mr_sem);
	spin_lock_irqsave(&qp->lock, flags);
	WRITE_ONCE(qp->state, state);
	if (state == IB_QPS_ERR)
		qp->may_flush = true;
	spin_unlock_irqrestore(&qp->lock, flags);
	up_write(&qp->dev->mr_sem);
}

static void qp_purge(struct rad_qp *qp)
{
	rad_cq_purge(rad_to(cq, qp->ib.send_cq), qp);
	rad_cq_purge(rad_to(cq, qp->ib.recv_cq), qp);
}

int rad_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata)
{
	struct rad_qp *qp = rad_to(qp, ibqp);

	rad_count(qp->dev, RAD_CNT_control_verbs);
	rad_iw_end(qp, -ECONNRESET);
	qp_set_state(qp, IB_QPS_RESET);
	xa_lock(&qps);
	if (qp->dev->gsi == qp)
		WRITE_ONCE(qp->dev->gsi, NULL);
	else
		__xa_erase(&qps, qp->qpn);
	xa_unlock(&qps);
	qp_stop(qp);
	rad_qp_put(qp);
	wait_for_completion(&qp->idle);
	qp_purge(qp);
	qp_free_queues(qp);
	return 0;
}

/**
 * rad_qp_connected() - may a peer use the queue pair?
 * @qp: which
 * Context: any.
 * Return: whether it receives.
 */
bool rad_qp_connected(const struct rad_qp *qp)
{
	enum ib_qp_state state = READ_ONCE(qp->state);

	return state == IB_QPS_RTR || state == IB_QPS_RTS;
}

/**
 * rad_qp_event() - tell a queue pair's owner
 * @qp: which
 * @event: what happened
 * Context: may sleep.
 */
void rad_qp_event(struct rad_qp *qp, enum ib_event_type event)
{
	struct ib_event ev = {
		.device = qp->ib.device,
		.element.qp = &qp->ib,
		.event = event,
	};

	if (qp->ib.event_handler)
		qp->ib.event_handler(&ev, qp->ib.qp_context);
}

/* The queue pair is in ERROR; false if it was not connected. */
static bool qp_lose(struct rad_qp *qp, bool may_flush)
{
	bool connected;

	down_write(&qp->dev->mr_sem);
	spin_lock_irq(&qp->lock);
	connected = rad_qp_connected(qp);
	if (connected) {
		WRITE_ONCE(qp->state, IB_QPS_ERR);
		qp->may_flush = may_flush;
	}
	spin_unlock_irq(&qp->lock);
	up_write(&qp->dev->mr_sem);
	return connected;
}

/**
 * rad_qp_fail() - a queue pair fails by itself
 * @qp: which
 * @event: that its owner is told, or -1: a completion tells
 *
 * What is left is flushed by its engine, when its kind of adapter does that.
 * Context: may sleep.
 */
void rad_qp_fail(struct rad_qp *qp, int event)
{
	if (!qp_lose(qp, event >= 0 ||
		     qp->dev->profile->flush == RAD_FLUSH_AT_ONCE))
		return;
	if (event >= 0)
		rad_qp_event(qp, event);
	rad_engine_kick(qp);
	rad_iw_end(qp, -ECONNRESET);
}

/**
 * rad_qp_flush() - a queue pair's connection has ended
 * @qp: which
 * Context: may sleep.
 */
void rad_qp_flush(struct rad_qp *qp)
{
	if (qp_lose(qp, true))
		rad_engine_kick(qp);
}

/**
 * rad_qp_idle() - may the queue pair be connected by iWARP?
 * @qp: which
 * Context: any.
 * Return: whether it may.
 */
bool rad_qp_idle(const struct rad_qp *qp)
{
	enum ib_qp_state state = READ_ONCE(qp->state);

	return state == IB_QPS_RESET || state == IB_QPS_INIT;
}

/**
 * rad_qp_join() - connect a queue pair by iWARP
 * @qp: which
 * @peer: the device and the number of the other
 * @ird: RDMA READs that it takes at a time
 * @ord: RDMA READs that it has at the peer at a time
 *
 * TCP gives up after some 9 seconds without an answer.
 * Context: may sleep.
 * Return: false if it may not be connected any more.
 */
bool rad_qp_join(struct rad_qp *qp, const struct rad_far *peer, u32 ird, u32 ord)
{
	bool idle;

	spin_lock_irq(&qp->lock);
	idle = rad_qp_idle(qp);
	if (idle) {
		qp->attr.ah_attr.grh.dgid = peer->gid;
		qp->attr.dest_qp_num = peer->qpn;
		qp->attr.max_rd_atomic = ord;
		qp->attr.max_dest_rd_atomic = ird;
		qp->attr.timeout = 17;
		qp->attr.retry_cnt = 15;
		WRITE_ONCE(qp->state, IB_QPS_RTS);
	}
	spin_unlock_irq(&qp->lock);
	return idle;
}

static int qp_check_attr(struct rad_qp *qp, const struct ib_qp_attr *attr,
			 int mask)
{
	const struct rad_profile *p = qp->dev->profile;

	if ((mask & IB_QP_MAX_QP_RD_ATOMIC && attr->max_rd_atomic > p->rd_init) ||
	    (mask & IB_QP_MAX_DEST_RD_ATOMIC &&
	     attr->max_dest_rd_atomic > p->rd_res))
		return -EINVAL;
	return 0;
}

static void qp_take_attr(struct rad_qp *qp, const struct ib_qp_attr *attr,
			 int mask)
{
	struct ib_qp_attr *to = &qp->attr;

	if (mask & IB_QP_ACCESS_FLAGS)
		to->qp_access_flags = attr->qp_access_flags;
	if (mask & IB_QP_AV)
		to->ah_attr.grh.dgid = rdma_ah_read_grh(&attr->ah_attr)->dgid;
	if (mask & IB_QP_DEST_QPN)
		to->dest_qp_num = attr->dest_qp_num;
	if (mask & IB_QP_MAX_QP_RD_ATOMIC)
		to->max_rd_atomic = attr->max_rd_atomic;
	if (mask & IB_QP_MAX_DEST_RD_ATOMIC)
		to->max_dest_rd_atomic = attr->max_dest_rd_atomic;
	if (mask & IB_QP_MIN_RNR_TIMER)
		to->min_rnr_timer = attr->min_rnr_timer;
	if (mask & IB_QP_TIMEOUT)
		to->timeout = attr->timeout;
	if (mask & IB_QP_RETRY_CNT)
		to->retry_cnt = attr->retry_cnt;
	if (mask & IB_QP_RNR_RETRY)
		to->rnr_retry = attr->rnr_retry;
	if (mask & IB_QP_QKEY)
		to->qkey = attr->qkey;
}

/* Back to the beginning: nothing of what was posted remains. */
static void qp_reset(struct rad_qp *qp)
{
	unsigned long flags;

	qp_stop(qp);
	qp_purge(qp);
	spin_lock_irqsave(&qp->lock, flags);
	qp->sq = (struct rad_pos){ .size = qp->sq.size };
	qp->rq = (struct rad_pos){ .size = qp->rq.size };
	qp->dying = false;
	qp->broken = false;
	qp->may_flush = false;
	qp->established = false;
	qp->reads = 0;
	qp->not_before = 0;
	spin_unlock_irqrestore(&qp->lock, flags);
}

/*
 * The states of iWARP that a user may ask for. There is no RTR: it is taken for
 * INIT, which is IDLE. SQD stands for CLOSING.
 */
static const u32 iwarp_next[] = {
	[IB_QPS_RESET] = BIT(IB_QPS_RESET) | BIT(IB_QPS_INIT) |
			 BIT(IB_QPS_RTR) | BIT(IB_QPS_ERR),
	[IB_QPS_INIT] = BIT(IB_QPS_RESET) | BIT(IB_QPS_INIT) |
			BIT(IB_QPS_RTR) | BIT(IB_QPS_ERR),
	[IB_QPS_RTS] = BIT(IB_QPS_RTS) | BIT(IB_QPS_SQD) | BIT(IB_QPS_ERR),
	[IB_QPS_ERR] = BIT(IB_QPS_RESET) | BIT(IB_QPS_ERR),
};

static int iwarp_modify(struct rad_qp *qp, const struct ib_qp_attr *attr,
			int mask)
{
	enum ib_qp_state cur = READ_ONCE(qp->state);
	enum ib_qp_state new = mask & IB_QP_STATE ? attr->qp_state : cur;

	if (!(iwarp_next[cur] & BIT(new)))
		return -EINVAL;
	qp_take_attr(qp, attr, mask & IB_QP_ACCESS_FLAGS);
	if (new == IB_QPS_RTR)
		new = IB_QPS_INIT;
	/* Both ends go through CLOSING in no time. */
	if (new == IB_QPS_SQD)
		new = IB_QPS_ERR;
	if (new == cur)
		return 0;
	qp_set_state(qp, new);
	if (new == IB_QPS_RESET || new == IB_QPS_ERR)
		rad_iw_end(qp, 0);
	if (new == IB_QPS_RESET)
		qp_reset(qp);
	rad_engine_kick(qp);
	return 0;
}

int rad_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		  struct ib_udata *udata)
{
	struct rad_qp *qp = rad_to(qp, ibqp);
	enum ib_qp_state cur = READ_ONCE(qp->state);
	enum ib_qp_state new = mask & IB_QP_STATE ? attr->qp_state : cur;

	rad_count(qp->dev, RAD_CNT_control_verbs);
	if (mask & ~IB_QP_ATTR_STANDARD_BITS)
		return -EOPNOTSUPP;
	if (qp->dev->profile->iwarp)
		return iwarp_modify(qp, attr, mask);
	if (!ib_modify_qp_is_ok(cur, new, ibqp->qp_type, mask) ||
	    qp_check_attr(qp, attr, mask))
		return -EINVAL;
	/* The peer may speak as soon as the state says so. */
	qp_take_attr(qp, attr, mask);
	qp_set_state(qp, new);
	if (new == IB_QPS_RESET)
		qp_reset(qp);
	rad_engine_kick(qp);
	return 0;
}

int rad_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		 struct ib_qp_init_attr *init)
{
	struct rad_qp *qp = rad_to(qp, ibqp);

	*attr = qp->attr;
	attr->qp_state = READ_ONCE(qp->state);
	attr->cur_qp_state = attr->qp_state;
	attr->cap = qp->cap;
	attr->port_num = 1;
	attr->path_mtu = IB_MTU_4096;
	memset(init, 0, sizeof(*init));
	init->cap = qp->cap;
	init->send_cq = ibqp->send_cq;
	init->recv_cq = ibqp->recv_cq;
	init->qp_type = ibqp->qp_type;
	init->sq_sig_type = qp->sig_all ? IB_SIGNAL_ALL_WR : IB_SIGNAL_REQ_WR;
	return 0;
}
