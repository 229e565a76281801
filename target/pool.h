/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A connection's pool: where the data of larger I/O is.
 */
#ifndef RBLKT_POOL_H
#define RBLKT_POOL_H

#include "rblkt.h"

/* A piece of the data pool. */
struct rblkt_chunk {
	struct ib_cqe cqe;		/* of the last RDMA WRITE from a chain */
	struct rblkt_conn *conn;
	struct rblkt_chunk *next;	/* in a command's chain */
	struct page *page;
	u64 dma;
	u32 seq;
};

/* Some neighbouring chunks as one sink of RDMA READ, on iWARP. */
struct rblkt_sink {
	struct ib_mr *mr;
	bool registered;		/* with its first use, for good */
};

/* pool */
size_t rblkt_pool_bytes(const struct rblkt_grant *grant, u16 qid);
int rblkt_pool_alloc(struct rblkt_conn *conn);
int rblkt_pool_map(struct rblkt_conn *conn);
void rblkt_pool_unmap(struct rblkt_conn *conn);
void rblkt_pool_free(struct rblkt_conn *conn);
bool rblkt_pool_take(struct rblkt_conn *conn, struct rblkt_cmd *cmd, u32 len);
void rblkt_pool_give(struct rblkt_conn *conn, struct rblkt_chunk *chain);

/* sink */
int rblkt_sink_map(struct rblkt_conn *conn);
void rblkt_sink_unmap(struct rblkt_conn *conn);
struct rblkt_chunk *rblkt_sink_fill(struct rblkt_conn *conn,
				    struct rblkt_chunk *chunk, u32 left,
				    struct ib_sge *sge);

#endif /* RBLKT_POOL_H */
