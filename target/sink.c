// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where the data of an RDMA READ lands on iWARP.
 *
 * iWARP names the sink to the peer and so wants it registered, and one READ has
 * one sink.  A region covers as many neighbouring chunks of the pool as the
 * device's registrations hold, which need not be neighbours in memory.  So what
 * was pulled with one READ for each chunk takes one where the chunks are
 * neighbours in the pool.  Each region is registered once, with its first use:
 * what it tells the peer is the way into the pool of the peer's own connection.
 */
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include "pool.h"

/* Chunks of one region; the last one may have fewer. */
static u32 chunks_per_sink(const struct rblkt_conn *conn)
{
	u32 pages = conn->dev->attrs.max_fast_reg_page_list_len;
	u32 most = pages >> (conn->chunk_shift - PAGE_SHIFT);

	return clamp(most, 1u, conn->nr_chunks);
}

static int make_mr(struct rblkt_conn *conn, u32 first, struct scatterlist *sg,
		   struct ib_mr **mr)
{
	u32 nr = min(conn->sink_chunks, conn->nr_chunks - first);
	u32 i, bytes = 1u << conn->chunk_shift;
	int n;

	sg_init_table(sg, nr);
	for (i = 0; i < nr; i++) {
		struct rblkt_chunk *chunk = &conn->chunks[first + i];

		sg_set_page(&sg[i], chunk->page, bytes, 0);
		sg_dma_address(&sg[i]) = chunk->dma;
		sg_dma_len(&sg[i]) = bytes;
	}
	*mr = ib_alloc_mr(conn->pd, IB_MR_TYPE_MEM_REG,
			  nr << (conn->chunk_shift - PAGE_SHIFT));
	if (IS_ERR(*mr)) {
		n = PTR_ERR(*mr);
		*mr = NULL;
		return n;
	}
	n = ib_map_mr_sg(*mr, sg, nr, NULL, PAGE_SIZE);
	return n == nr ? 0 : -EINVAL;
}

/**
 * rblkt_sink_map - make the regions of a connection's pool
 * @conn: with all of its chunks mapped; undone by rblkt_sink_unmap(), also after
 *        failure
 */
int rblkt_sink_map(struct rblkt_conn *conn)
{
	struct scatterlist *sg;
	int ret = 0;
	u32 i;

	if (!conn->nr_chunks)
		return 0;
	conn->sink_chunks = chunks_per_sink(conn);
	conn->nr_sinks = DIV_ROUND_UP(conn->nr_chunks, conn->sink_chunks);
	conn->sinks = kvcalloc(conn->nr_sinks, sizeof(*conn->sinks), GFP_KERNEL);
	sg = kvcalloc(conn->sink_chunks, sizeof(*sg), GFP_KERNEL);
	if (!conn->sinks || !sg)
		ret = -ENOMEM;
	for (i = 0; i < conn->nr_sinks && !ret; i++)
		ret = make_mr(conn, i * conn->sink_chunks, sg,
			      &conn->sinks[i].mr);
	kvfree(sg);
	return ret;
}

/**
 * rblkt_sink_unmap - undo rblkt_sink_map()
 * @conn: with no queue pair any more, its chunks still mapped
 */
void rblkt_sink_unmap(struct rblkt_conn *conn)
{
	u32 i;

	for (i = 0; conn->sinks && i < conn->nr_sinks; i++)
		if (conn->sinks[i].mr)
			ib_dereg_mr(conn->sinks[i].mr);
	kvfree(conn->sinks);
	conn->sinks = NULL;
}

static int register_sink(struct rblkt_conn *conn, struct rblkt_sink *sink)
{
	struct ib_reg_wr reg = {
		.wr.wr_cqe = &conn->plain_cqe,
		.wr.opcode = IB_WR_REG_MR,
		.mr = sink->mr,
		.key = sink->mr->rkey,
		.access = IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE,
	};

	if (sink->registered)
		return 0;
	sink->registered = true;
	conn->tx.v[RBLK_CNT_REGISTRATIONS]++;
	return rblkt_queue_post(conn, &reg.wr, &reg.wr, 1);
}

/**
 * rblkt_sink_fill - describe the sink of one RDMA READ
 * @conn: locked, with room in its send queue for a registration
 * @chunk: where the data begins, in a command's chain
 * @left: bytes that still have to be read
 * @sge: filled in; its length says how many of them go with this READ
 *
 * Return: the first chunk of the chain that did not go in, or NULL, or an error.
 */
struct rblkt_chunk *rblkt_sink_fill(struct rblkt_conn *conn,
				    struct rblkt_chunk *chunk, u32 left,
				    struct ib_sge *sge)
{
	u32 at = chunk - conn->chunks, first = at, nr = at / conn->sink_chunks;
	struct rblkt_sink *sink = &conn->sinks[nr];
	int ret = register_sink(conn, sink);

	if (ret)
		return ERR_PTR(ret);
	sge->length = 0;
	sge->lkey = sink->mr->lkey;
	sge->addr = sink->mr->iova +
		    ((u64)(at - nr * conn->sink_chunks) << conn->chunk_shift);
	for (; chunk && chunk - conn->chunks == at &&
	     at / conn->sink_chunks == nr; chunk = chunk->next, at++)
		ib_dma_sync_single_for_device(conn->dev, chunk->dma,
					      1u << conn->chunk_shift,
					      DMA_BIDIRECTIONAL);
	sge->length = min(left, (at - first) << conn->chunk_shift);
	return chunk;
}
