// SPDX-License-Identifier: GPL-2.0-only
/*
 * Modelled delays: how long an adapter would take, summed up along what causes
 * what.
 *
 * Each work request and completion has a stamp: the delays on the longest way to
 * it.  A completion that is polled hands its stamp to its queue pair, and what is
 * posted there next is caused by it.  So at depth 1 the stamps of a device
 * ("path_ns") grow with each I/O by what adapter, bus and wire would take for it; its
 * latency is that and the processors' work.  At other depths, or where a
 * completion on one queue pair has something posted on another one, they say
 * nothing.  Nothing waits for that long.
 *
 * The delays are assumed, and the same for all: they are not those of any adapter.
 */
#include <linux/math64.h>
#include "adapter.h"

#define WIRE_NS		1000	/* one way */
#define DOORBELL_NS	300	/* until the adapter has what was posted */
#define REQUEST_NS	50	/* the adapter's own time for a work request */
#define DMA_READ_NS	500	/* a read of memory: there and back */
#define DMA_WRITE_NS	200	/* a write to memory: one way */
#define INTERRUPT_NS	500	/* from the completion to the handler */
#define BYTES_PER_US	12500	/* of bus and wire, which overlap: 100 Gbit/s */

static u64 bytes_ns(u32 bytes)
{
	return div_u64(bytes * 1000ULL, BYTES_PER_US);
}

/**
 * rad_stamp_create() - a queue pair is made
 * @qp: caused by all that there was
 * Context: any.
 */
void rad_stamp_create(struct rad_qp *qp)
{
	qp->stamp = atomic64_read(&qp->dev->counters[RAD_CNT_path_ns]);
}

/**
 * rad_stamp_post() - a work request is posted
 * @qp: where, with its lock
 * @wqe: the work request
 * Context: any.
 */
void rad_stamp_post(struct rad_qp *qp, struct rad_wqe *wqe)
{
	wqe->stamp = qp->stamp + DOORBELL_NS;
}

/* What several READs bring comes one after the other. */
static void stamp_read(struct rad_qp *qp, struct rad_wqe *wqe, u64 start)
{
	u64 first = start + WIRE_NS + DMA_READ_NS + WIRE_NS;

	wqe->stamp = max(first, qp->read_stamp) + bytes_ns(wqe->length);
	qp->read_stamp = wqe->stamp;
}

static void stamp_message(struct rad_qp *qp, struct rad_wqe *wqe, u64 start)
{
	u64 leaves = start + bytes_ns(wqe->length);

	qp->sq_stamp = leaves;
	if (wqe->length && !(wqe->flags & IB_SEND_INLINE))
		leaves += DMA_READ_NS;
	/* Messages do not overtake each other. */
	qp->wire_stamp = max(qp->wire_stamp, leaves);
	wqe->arrives = qp->wire_stamp + WIRE_NS;
	wqe->stamp = wqe->arrives + WIRE_NS;
}

/**
 * rad_stamp_begin() - a work request is begun
 * @qp: its queue pair
 * @wqe: the work request; it then has the stamps of its end, and of its arrival
 * Context: the engine.
 */
void rad_stamp_begin(struct rad_qp *qp, struct rad_wqe *wqe)
{
	u64 start = max(wqe->stamp, qp->sq_stamp);

	if (wqe->flags & IB_SEND_FENCE)
		start = max(start, qp->read_stamp);
	start += REQUEST_NS;
	qp->sq_stamp = start;
	switch (wqe->opcode) {
	case IB_WR_REG_MR:
	case IB_WR_LOCAL_INV:
		wqe->stamp = start;
		break;
	case IB_WR_RDMA_READ:
	case IB_WR_RDMA_READ_WITH_INV:
		stamp_read(qp, wqe, start);
		break;
	default:
		stamp_message(qp, wqe, start);
	}
	/* A completion covers all that was posted before, signalled or not. */
	wqe->stamp = max(wqe->stamp, qp->done_stamp);
	qp->done_stamp = wqe->stamp;
}

/**
 * rad_stamp_push() - a completion is there
 * @cqe: has the stamp of what it completes
 * @interrupt: whoever waits for it is interrupted
 * Context: any.
 */
void rad_stamp_push(struct rad_cqe *cqe, bool interrupt)
{
	cqe->stamp += DMA_WRITE_NS + (interrupt ? INTERRUPT_NS : 0);
}

/**
 * rad_stamp_poll() - a completion has been polled
 * @cqe: the completion; its queue pair's lock is held
 * Context: any.
 */
void rad_stamp_poll(const struct rad_cqe *cqe)
{
	struct rad_qp *qp = cqe->qp;
	atomic64_t *path = &qp->dev->counters[RAD_CNT_path_ns];

	qp->stamp = max(qp->stamp, cqe->stamp);
	if (atomic64_read(path) < qp->stamp)
		atomic64_set(path, qp->stamp);
}
