/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How long operations took, by export and host: see stat.c.
 */
#ifndef RBLKT_STAT_H
#define RBLKT_STAT_H

#include "../core.h"

struct rblkt_latencies;

/*
 * What one host did with one export.  The export owns it and frees it at its
 * own end, or earlier to make room if it has no users: see stat.c.  rblkt_mutex
 * guards all but @latencies, in which commands count without a lock.
 */
struct rblkt_tally {
	struct list_head node;		/* in export->tallies, oldest first */
	u8 host[RBLK_UUID_LEN];
	char name[RBLK_NAME_LEN];
	unsigned int users;		/* attachments, until they have drained */
	struct rblkt_latencies __percpu *latencies;
};

struct rblkt_tally *rblkt_stat_get(struct rblkt_export *export,
				   const struct rblkt_holder *holder);
void rblkt_stat_put(struct rblkt_tally *tally);
void rblkt_stat_count(struct rblkt_tally *tally, u8 op, u32 bytes, u64 target_ns,
		      u64 device_ns);
void rblkt_stat_fail(struct rblkt_tally *tally, u8 op);
void rblkt_stat_clear(struct rblkt_export *export);
int rblkt_stat_show(struct rblkt_ioc_stat *arg);

#endif /* RBLKT_STAT_H */
