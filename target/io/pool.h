/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A connection's pool: chunks of memory for the data of larger I/O.
 */
#ifndef RBLKT_POOL_H
#define RBLKT_POOL_H

#include "../core.h"

/* A piece of the pool.  Lives as long as the connection; by conn->lock. */
struct rblkt_chunk {
	struct ib_cqe cqe;		/* of a chain's last RDMA WRITE */
	struct rblkt_conn *conn;
	struct rblkt_chunk *next;	/* in a command's chain */
	struct page *page;
	u64 dma;
	u32 seq;			/* of that RDMA WRITE */
};

/* On iWARP: the region of neighbouring chunks that an RDMA READ writes to. */
struct rblkt_sink {
	struct ib_mr *mr;
	bool registered;		/* by its first use, never undone */
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
