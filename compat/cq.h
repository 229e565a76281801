/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Quiesce and free a completion queue that is polled in softirq.
 *
 * ib_poll_handler() arms the queue once more after it has said that it is done
 * (irq_poll_complete()), which is all that ib_free_cq() waits for: it may be
 * freed under the handler's hands, up to 7.2.  A softirq is a reader to RCU.
 */
#ifndef RBLK_COMPAT_CQ_H
#define RBLK_COMPAT_CQ_H

#include <linux/delay.h>
#include <linux/irq_poll.h>
#include <linux/rcupdate.h>
#include <rdma/ib_verbs.h>

/*
 * Wait for the handlers of a completion queue.
 *
 * Nothing completes any more, as the queue pair is gone.  What arms the queue
 * may still find what came before and schedule one more run; that one finds
 * nothing.  Hence twice.
 *
 * Context: may sleep.
 */
static inline void compat_quiesce_cq(struct ib_cq *cq)
{
	int i;

	for (i = 0; i < 2; i++) {
		while (test_bit(IRQ_POLL_F_SCHED, &cq->iop.state))
			usleep_range(500, 1000);
		synchronize_rcu_expedited();
	}
}

/* Context: may sleep. */
static inline void compat_free_cq(struct ib_cq *cq)
{
	compat_quiesce_cq(cq);
	ib_free_cq(cq);
}

#endif
