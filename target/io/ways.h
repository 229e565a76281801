/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The way that a command's data takes through the target: see ways.c.
 */
#ifndef RBLKT_WAYS_H
#define RBLKT_WAYS_H

#include "../core.h"

/* Before the backing device. */
enum rblkt_way_in {
	RBLKT_IN_READY,		/* nothing to get: no data, or it is in place */
	RBLKT_IN_CHUNKS,	/* chunks; pushed data is copied to them */
	RBLKT_IN_PULL_SLOT,	/* an RDMA READ to the slot */
	RBLKT_IN_PULL_CHUNKS,	/* chunks, and RDMA READs to them */
};

/* After it. */
enum rblkt_way_out {
	RBLKT_OUT_STATUS,	/* a response without data */
	RBLKT_OUT_INLINE,	/* a response with the data behind it */
	RBLKT_OUT_SLOT,		/* an RDMA WRITE from the slot, a response */
	RBLKT_OUT_CHUNKS,	/* RDMA WRITEs from the chunks, a response */
};

enum rblkt_way_in rblkt_way_in(const struct rblkt_cmd *cmd);
enum rblkt_way_out rblkt_way_out(const struct rblkt_cmd *cmd);
bool rblkt_way_immediate(const struct rblkt_cmd *cmd, u32 writes);
bool rblkt_way_shares(const struct rblkt_cmd *cmd);
int rblkt_way_copies(const struct rblkt_conn *conn, u32 bytes);

#endif /* RBLKT_WAYS_H */
