// SPDX-License-Identifier: GPL-2.0-only
/*
 * The memory regions that RDMA READ on iWARP writes to: they cover the pool.
 *
 * An iWARP READ request names the region that the peer writes to, so that
 * region must be registered, and a READ has only one.  A region covers as many
 * chunks as a registration of the device can hold.  They are neighbours in the
 * pool, not necessarily in memory.  So one READ can fill several neighbouring
 * chunks, where otherwise each chunk would take a READ.
 *
 * The first use of a region registers it, and it stays registered.  The peer
 * can then write to these chunks at any time, but they belong to its own
 * connection.
 */
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include "command.h"

/* Page-list entries for so many chunks. */
static u32 read_mr_pages(const struct rblkt_conn *conn, u32 chunks)
{
	return (chunks << rblkt_io_of(conn)->chunk_shift) / conn->mr_page;
}

/* Chunks per region; the last region may have fewer. */
static u32 read_mr_span(const struct rblkt_conn *conn)
{
	const struct rblkt_io *io = rblkt_io_of(conn);
	u32 pages = conn->dev->attrs.max_fast_reg_page_list_len;
	u32 most = pages / read_mr_pages(conn, 1);

	return clamp(most, 1u, io->nr_chunks);
}

static int read_mr_make(struct rblkt_conn *conn, u32 first,
			struct scatterlist *sg, struct ib_mr **mr)
{
	struct rblkt_io *io = rblkt_io_of(conn);
	u32 nr = min(io->read_mr_chunks, io->nr_chunks - first);
	u32 i, bytes = 1u << io->chunk_shift;
	int n;

	sg_init_table(sg, nr);
	for (i = 0; i < nr; i++) {
		struct rblkt_chunk *chunk = &io->chunks[first + i];

		sg_set_page(&sg[i], chunk->page, bytes, 0);
		sg_dma_address(&sg[i]) = chunk->dma;
		sg_dma_len(&sg[i]) = bytes;
	}
	*mr = ib_alloc_mr(conn->pd, IB_MR_TYPE_MEM_REG, read_mr_pages(conn, nr));
	if (IS_ERR(*mr)) {
		n = PTR_ERR(*mr);
		*mr = NULL;
		return n;
	}
	n = ib_map_mr_sg(*mr, sg, nr, NULL, conn->mr_page);
	return n == nr ? 0 : -EINVAL;
}

/**
 * rblkt_read_mr_map - make the regions of a connection's pool
 * @conn: with all of its chunks mapped; undone by rblkt_read_mr_unmap(), also after
 *        failure
 *
 * Context: process; may sleep.
 * Return: 0 or a negative errno.
 */
int rblkt_read_mr_map(struct rblkt_conn *conn)
{
	struct rblkt_io *io = rblkt_io_of(conn);
	struct scatterlist *sg;
	int ret = 0;
	u32 i;

	io->read_mr_chunks = read_mr_span(conn);
	io->nr_read_mrs = DIV_ROUND_UP(io->nr_chunks, io->read_mr_chunks);
	io->read_mrs = kvcalloc(io->nr_read_mrs, sizeof(*io->read_mrs), GFP_KERNEL);
	sg = kvcalloc(io->read_mr_chunks, sizeof(*sg), GFP_KERNEL);
	if (!io->read_mrs || !sg)
		ret = -ENOMEM;
	for (i = 0; i < io->nr_read_mrs && !ret; i++)
		ret = read_mr_make(conn, i * io->read_mr_chunks, sg,
				   &io->read_mrs[i].mr);
	kvfree(sg);
	return ret;
}

/**
 * rblkt_read_mr_unmap - undo rblkt_read_mr_map()
 * @conn: with no queue pair any more, its chunks still mapped
 *
 * Context: process; may sleep.
 */
void rblkt_read_mr_unmap(struct rblkt_conn *conn)
{
	struct rblkt_io *io = rblkt_io_of(conn);
	u32 i;

	for (i = 0; io->read_mrs && i < io->nr_read_mrs; i++)
		if (io->read_mrs[i].mr)
			ib_dereg_mr(io->read_mrs[i].mr);
	kvfree(io->read_mrs);
	io->read_mrs = NULL;
}

/* Register a region before its first use; conn->lock held. */
static int read_mr_register(struct rblkt_conn *conn, struct rblkt_read_mr *read_mr)
{
	struct ib_reg_wr reg = {
		.wr.wr_cqe = &conn->plain_cqe,
		.wr.opcode = IB_WR_REG_MR,
		.mr = read_mr->mr,
		.key = read_mr->mr->rkey,
		.access = IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE,
	};

	if (read_mr->registered)
		return 0;
	read_mr->registered = true;
	conn->tx.v[RBLK_CNT_REGISTRATIONS]++;
	return rblkt_queue_post(conn, &reg.wr, &reg.wr, 1);
}

/**
 * rblkt_read_mr_fill - describe where one RDMA READ writes to
 * @conn: with room in its send queue for a registration
 * @chunk: the first chunk of a command's chain that is still to be filled
 * @left: bytes left to read
 * @sge: filled in; its length says how many bytes this READ takes
 *
 * Context: any, with conn->lock held.
 * Return: the first chunk of the chain that did not fit, or NULL, or an
 * ERR_PTR().
 */
struct rblkt_chunk *rblkt_read_mr_fill(struct rblkt_conn *conn,
				       struct rblkt_chunk *chunk, u32 left,
				    struct ib_sge *sge)
{
	struct rblkt_io *io = rblkt_io_of(conn);
	u32 at = chunk - io->chunks, first = at, nr = at / io->read_mr_chunks;
	struct rblkt_read_mr *read_mr = &io->read_mrs[nr];
	int ret = read_mr_register(conn, read_mr);

	if (ret)
		return ERR_PTR(ret);
	sge->length = 0;
	sge->lkey = read_mr->mr->lkey;
	sge->addr = read_mr->mr->iova +
		    ((u64)(at - nr * io->read_mr_chunks) << io->chunk_shift);
	for (; chunk && chunk - io->chunks == at &&
	     at / io->read_mr_chunks == nr; chunk = chunk->next, at++)
		ib_dma_sync_single_for_device(conn->dev, chunk->dma,
					      1u << io->chunk_shift,
					      DMA_BIDIRECTIONAL);
	sge->length = min(left, (at - first) << io->chunk_shift);
	return chunk;
}
