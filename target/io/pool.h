/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An RDMA device's pool, for pool.c and share.c.
 */
#ifndef RBLKT_POOL_H
#define RBLKT_POOL_H

#include "command.h"

#define RBLKT_NR_SHARES	1024		/* exports beyond that many share them */

/* What an export has of a pool.  By pool->lock. */
struct rblkt_share {
	struct list_head node;		/* in pool->lines while @line isn't empty */
	struct list_head line;		/* of waiting commands */
	u32 held;			/* chunks */
};

struct rblkt_pool {
	struct ib_device *dev;		/* of its @users; without any only a number */
	struct list_head node;		/* in pools */
	unsigned int users;		/* connections that are not unmapped */
	struct kref ref;		/* one for each connection */
	struct rblkt_chunk *chunks;
	u32 nr;
	u32 mapped;			/* DMA-mapped so far */
	u32 shift;			/* of a chunk's size */

	spinlock_t lock ____cacheline_aligned;	/* taken before a conn->lock */
	struct rblkt_chunk *free;
	u32 nr_free;
	struct list_head lines;		/* shares with waiting commands, in turn */
	struct list_head borrowers;	/* connections that have chunks */
	struct delayed_work impatient;
	struct rblkt_share shares[RBLKT_NR_SHARES];
};

void rblkt_share_impatient(struct work_struct *work);

#endif /* RBLKT_POOL_H */
