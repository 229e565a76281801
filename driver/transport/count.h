/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counters: one set per session and CPU; CPUs share no cache line.  Part of
 * transport.h.
 */
#ifndef RBLK_COUNT_H
#define RBLK_COUNT_H

#include <linux/percpu.h>
#include "rblk_ioctl.h"

struct rblk_stats {
	u64 counter[RBLK_CNT_NR];
};

/* Add @by to a counter; any context, without a lock. */
static inline void rblk_count(struct rblk_stats __percpu *stats,
			      enum rblk_counter which, u64 by)
{
	this_cpu_add(stats->counter[which], by);
}

#endif /* RBLK_COUNT_H */
