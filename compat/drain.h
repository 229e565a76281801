/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Drain a queue pair, the same on both sides.
 *
 * ib_drain_qp() waits for ever if the device completes nothing any more, which
 * may show only when the drain begins: a completion queue that is idle fails when
 * the device next writes to it.  So the drain is done here, and ends early when
 * the event of such a failure comes, or after a minute: some devices do not tell.
 * Drivers with a drain of their own (mlx4, mlx5, hns of 7.2) know best how their
 * device ends, so theirs is used.
 *
 * The markers of the drain's end are in the connection, not on the stack: one may
 * complete after the wait was given up.
 */
#ifndef RBLK_COMPAT_DRAIN_H
#define RBLK_COMPAT_DRAIN_H

#include <linux/printk.h>
#include <linux/wait.h>
#include <rdma/ib_verbs.h>

/* A drain takes milliseconds. */
#define COMPAT_DRAIN_LIMIT	(60 * HZ)

/**
 * struct compat_drain - the drain of one queue pair
 * @send: marks the end of the send queue
 * @recv: marks the end of the receive queue
 * @sent: the first has completed
 * @received: the second has completed
 * @dead: the device has failed, or given up a completion queue: nothing may
 *        complete any more
 * @wait: for any of these
 *
 * Its connection owns it, and keeps it until the completion queues are destroyed.
 */
struct compat_drain {
	struct ib_cqe send;
	struct ib_cqe recv;
	bool sent;
	bool received;
	bool dead;
	wait_queue_head_t wait;
};

static inline void compat_drain_sent(struct ib_cq *cq, struct ib_wc *wc)
{
	struct compat_drain *drain = container_of(wc->wr_cqe, struct compat_drain,
						  send);

	WRITE_ONCE(drain->sent, true);
	wake_up(&drain->wait);
}

static inline void compat_drain_received(struct ib_cq *cq, struct ib_wc *wc)
{
	struct compat_drain *drain = container_of(wc->wr_cqe, struct compat_drain,
						  recv);

	WRITE_ONCE(drain->received, true);
	wake_up(&drain->wait);
}

/* Context: any. */
static inline void compat_drain_init(struct compat_drain *drain)
{
	init_waitqueue_head(&drain->wait);
	drain->send.done = compat_drain_sent;
	drain->recv.done = compat_drain_received;
}

/* The device tells that nothing may complete any more.  Context: any. */
static inline void compat_drain_give_up(struct compat_drain *drain)
{
	WRITE_ONCE(drain->dead, true);
	wake_up(&drain->wait);
}

/* Wait for a marker, and tell of a device that falls silent. */
static inline bool compat_drain_wait(struct ib_qp *qp, struct compat_drain *drain, const bool *seen)
{
	if (!wait_event_timeout(drain->wait, READ_ONCE(*seen) ||
				READ_ONCE(drain->dead), COMPAT_DRAIN_LIMIT))
		pr_warn("rblk: RDMA device %s has fallen silent: given up a connection whose requests do not complete\n",
			dev_name(&qp->device->dev));
	return READ_ONCE(*seen);
}

static inline bool compat_drain_send(struct ib_qp *qp, struct compat_drain *drain)
{
	struct ib_rdma_wr last = {
		.wr.wr_cqe = &drain->send,
		.wr.opcode = IB_WR_RDMA_WRITE,
	};

	return !ib_post_send(qp, &last.wr, NULL) &&
	       compat_drain_wait(qp, drain, &drain->sent);
}

static inline bool compat_drain_recv(struct ib_qp *qp, struct compat_drain *drain)
{
	struct ib_recv_wr last = { .wr_cqe = &drain->recv };

	return !ib_post_recv(qp, &last, NULL) &&
	       compat_drain_wait(qp, drain, &drain->received);
}

/*
 * Wait until all posted requests of a queue pair have completed.  Both its queues
 * have room for one more.
 *
 * Context: may sleep.
 * Return: false if some of them may never complete: until the queue pair is
 * destroyed, the device may still use their memory.
 */
static inline bool compat_drain_qp(struct ib_qp *qp, struct compat_drain *drain)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_ERR };

	if (READ_ONCE(drain->dead))
		return false;
	if (qp->device->ops.drain_sq || qp->device->ops.drain_rq) {
		ib_drain_qp(qp);
		return true;
	}
	return !ib_modify_qp(qp, &attr, IB_QP_STATE) &&
	       compat_drain_send(qp, drain) && compat_drain_recv(qp, drain);
}

#endif
