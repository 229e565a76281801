// SPDX-License-Identifier: GPL-2.0-only
/*
 * Completion queues, of exactly the size that was asked for.  A queue that runs
 * over is dead, and so is whatever completes into it.
 */
#include <linux/mm.h>
#include "adapter.h"

int rad_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		  RAD_CQ_UDATA *udata)
{
	struct rad_dev *dev = rad_to(dev, ibcq->device);
	struct rad_cq *cq = rad_to(cq, ibcq);

	rad_count(dev, RAD_CNT_control_verbs);
	if (udata)
		return -EOPNOTSUPP;
	if (!attr->cqe || attr->cqe > dev->profile->max_cqe ||
	    attr->comp_vector >= dev->ib.num_comp_vectors)
		return -EINVAL;
	cq->ring = kvcalloc(attr->cqe, sizeof(*cq->ring), GFP_KERNEL);
	if (!cq->ring)
		return -ENOMEM;
	cq->size = attr->cqe;
	cq->ib.cqe = attr->cqe;
	cq->vec = &dev->vectors[attr->comp_vector];
	atomic_inc(&cq->vec->nr_cqs);
	INIT_LIST_HEAD(&cq->vec_entry);
	spin_lock_init(&cq->lock);
	return 0;
}

int rad_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata)
{
	struct rad_cq *cq = rad_to(cq, ibcq);

	rad_count(rad_to(dev, ibcq->device), RAD_CNT_control_verbs);
	rad_vector_forget(cq);
	kvfree(cq->ring);
	return 0;
}

/* A completion has been polled: its queue entry is free. */
static void cq_free_entry(const struct rad_cqe *cqe)
{
	struct rad_qp *qp = cqe->qp;
	bool kick = false;

	spin_lock(&qp->lock);
	rad_stamp_poll(cqe);
	if (cqe->recv)
		qp->rq.freed++;
	else
		qp->sq.freed = cqe->pos + 1;
	if (cqe->wc.status != IB_WC_SUCCESS && !qp->may_flush) {
		qp->may_flush = true;
		kick = true;
	}
	spin_unlock(&qp->lock);
	if (kick)
		rad_engine_kick(qp);
}

int rad_poll_cq(struct ib_cq *ibcq, int nr, struct ib_wc *wc)
{
	struct rad_cq *cq = rad_to(cq, ibcq);
	unsigned long flags;
	int done = 0;

	spin_lock_irqsave(&cq->lock, flags);
	while (done < nr && cq->tail != cq->shown && !cq->dead) {
		struct rad_cqe *cqe = &cq->ring[cq->tail++ % cq->size];

		/* The entry of a queue pair that is gone: see rad_cq_purge(). */
		if (!cqe->qp)
			continue;
		wc[done++] = cqe->wc;
		cq_free_entry(cqe);
	}
	spin_unlock_irqrestore(&cq->lock, flags);
	return done;
}

int rad_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags flags)
{
	struct rad_cq *cq = rad_to(cq, ibcq);
	unsigned long irq;
	int ret = 0;

	spin_lock_irqsave(&cq->lock, irq);
	/* An event for the next completion stays that. */
	if (cq->armed != IB_CQ_NEXT_COMP)
		cq->armed = flags & IB_CQ_SOLICITED_MASK;
	if ((flags & IB_CQ_REPORT_MISSED_EVENTS) && cq->tail != cq->shown)
		ret = 1;
	spin_unlock_irqrestore(&cq->lock, irq);
	return ret;
}

static void cq_event(struct rad_cq *cq)
{
	struct ib_event event = {
		.device = cq->ib.device,
		.element.cq = &cq->ib,
		.event = IB_EVENT_CQ_ERR,
	};

	if (cq->ib.event_handler)
		cq->ib.event_handler(&event, cq->ib.cq_context);
}

/**
 * rad_cq_fail() - a completion queue fails by itself
 * @cq: which
 *
 * Its owner is told. A queue pair fails when it next completes into it.
 * Context: task.
 */
void rad_cq_fail(struct rad_cq *cq)
{
	unsigned long flags;
	bool failed;

	spin_lock_irqsave(&cq->lock, flags);
	failed = !cq->dead;
	cq->dead = true;
	spin_unlock_irqrestore(&cq->lock, flags);
	if (failed)
		cq_event(cq);
}

/**
 * rad_cq_hide() - show what completes from here on all at once
 * @cq: where it completes
 *
 * A queue pair that fails completes with all that it has. That comes faster than
 * anybody polls: there must be room for it.
 * Context: task.
 */
void rad_cq_hide(struct rad_cq *cq)
{
	spin_lock_irq(&cq->lock);
	cq->hiding++;
	spin_unlock_irq(&cq->lock);
}
EXPORT_SYMBOL_GPL(rad_cq_hide);

/* Is an event due for a completion?  If so, there is none until it is armed again. */
static bool cq_disarm(struct rad_cq *cq, bool solicited)
{
	bool raise = cq->armed == IB_CQ_NEXT_COMP ||
		     (cq->armed == IB_CQ_SOLICITED && solicited);

	if (raise)
		cq->armed = 0;
	return raise;
}

/**
 * rad_cq_show() - the opposite of rad_cq_hide()
 * @cq: the same
 *
 * What was hidden completes now, also for who has armed it meanwhile.
 * Context: task, no lock of a queue held.
 */
void rad_cq_show(struct rad_cq *cq)
{
	bool raise = false;

	spin_lock_irq(&cq->lock);
	if (!--cq->hiding) {
		raise = cq->shown != cq->head && cq_disarm(cq, cq->urgent);
		cq->shown = cq->head;
		cq->urgent = false;
	}
	spin_unlock_irq(&cq->lock);
	if (raise)
		rad_vector_raise(cq);
}
EXPORT_SYMBOL_GPL(rad_cq_show);

/**
 * rad_cq_push() - complete
 * @cq: where
 * @cqe: with what
 * @solicited: the peer asked for an event; errors count as such
 * Context: task, no lock of a queue held.
 * Return: false if the queue is dead.
 */
bool rad_cq_push(struct rad_cq *cq, const struct rad_cqe *cqe, bool solicited)
{
	bool overrun, raise = false;
	unsigned long flags;

	if (READ_ONCE(cqe->qp->mute))
		return true;
	rad_count(rad_to(dev, cq->ib.device), RAD_CNT_completions);
	solicited |= cqe->wc.status != IB_WC_SUCCESS;
	spin_lock_irqsave(&cq->lock, flags);
	overrun = !cq->dead && cq->head - cq->tail == cq->size;
	if (overrun)
		cq->dead = true;
	if (!cq->dead) {
		raise = !cq->hiding && cq_disarm(cq, solicited);
		cq->ring[cq->head % cq->size] = *cqe;
		rad_stamp_push(&cq->ring[cq->head++ % cq->size], raise);
		if (!cq->hiding)
			cq->shown = cq->head;
		cq->urgent |= cq->hiding && solicited;
	}
	spin_unlock_irqrestore(&cq->lock, flags);
	if (overrun) {
		rad_report(rad_to(dev, cq->ib.device), RAD_cq_overrun,
			   "%u completions wait to be polled", cq->size);
		cq_event(cq);
	}
	if (raise)
		rad_vector_raise(cq);
	return !READ_ONCE(cq->dead);
}

/**
 * rad_cq_purge() - forget the completions of a queue pair that goes
 * @cq: where they are
 * @qp: no longer completes
 * Context: any.
 */
void rad_cq_purge(struct rad_cq *cq, struct rad_qp *qp)
{
	unsigned long flags;
	u32 i;

	spin_lock_irqsave(&cq->lock, flags);
	for (i = cq->tail; i != cq->head; i++)
		if (cq->ring[i % cq->size].qp == qp)
			cq->ring[i % cq->size].qp = NULL;
	spin_unlock_irqrestore(&cq->lock, flags);
}
