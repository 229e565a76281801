// SPDX-License-Identifier: GPL-2.0-only
/*
 * The memory regions that RDMA READ on iWARP writes to.
 *
 * An iWARP READ request names the region that the peer writes to, so that
 * region must be registered with the right to write there remotely.  A
 * connection has a few regions.  A pull takes what it needs of them, registers
 * its chunks, and reads by RDMA READ with invalidate: when that completes, the
 * host has no access any more.  So the chunks can go to another host.
 */
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include "command.h"

#define READ_MRS	8		/* at least; as many for one large pull */

/* Chunks per region. */
static u32 read_mr_span(const struct rblkt_conn *conn)
{
	u64 bytes = (u64)conn->dev->attrs.max_fast_reg_page_list_len * conn->mr_page;
	const struct rblkt_io *io = rblkt_io_of(conn);

	return clamp_t(u64, bytes >> io->chunk_shift, 1,
		       RBLK_WIRE_MAX_IO >> io->chunk_shift);
}

/* Regions for a pull of so many bytes.  Any context. */
static u32 read_mr_count(const struct rblkt_io *io, u32 bytes)
{
	return DIV_ROUND_UP(bytes, io->read_mr_chunks << io->chunk_shift);
}

/**
 * rblkt_read_mr_map - make the regions of a connection
 * @conn: in its pool; undone by rblkt_read_mr_unmap(), also after failure
 *
 * Context: process; may sleep.
 * Return: 0 or a negative errno.
 */
int rblkt_read_mr_map(struct rblkt_conn *conn)
{
	struct rblkt_io *io = rblkt_io_of(conn);
	u32 i, nr;

	io->read_mr_chunks = read_mr_span(conn);
	nr = max_t(u32, READ_MRS, read_mr_count(io, conn->grant.max_io));
	io->read_mrs = rblkt_buf_array(conn, nr, sizeof(*io->read_mrs));
	io->read_sg = rblkt_buf_array(conn, io->read_mr_chunks, sizeof(*io->read_sg));
	if (!io->read_mrs || !io->read_sg)
		return -ENOMEM;
	io->nr_read_mrs = nr;
	for (i = 0; i < nr; i++) {
		struct ib_mr *mr;

		mr = ib_alloc_mr(conn->pd, IB_MR_TYPE_MEM_REG,
				 (io->read_mr_chunks << io->chunk_shift) /
				 conn->mr_page);
		if (IS_ERR(mr))
			return PTR_ERR(mr);
		io->read_mrs[i].mr = mr;
		io->read_mrs[i].next = io->free_read_mr;
		io->free_read_mr = &io->read_mrs[i];
		io->nr_free_read_mrs++;
	}
	return 0;
}

/**
 * rblkt_read_mr_unmap - undo rblkt_read_mr_map()
 * @conn: with no queue pair any more
 *
 * Context: process; may sleep.
 */
void rblkt_read_mr_unmap(struct rblkt_conn *conn)
{
	struct rblkt_io *io = rblkt_io_of(conn);
	u32 i;

	for (i = 0; i < io->nr_read_mrs; i++)
		if (io->read_mrs[i].mr)
			ib_dereg_mr(io->read_mrs[i].mr);
	io->nr_read_mrs = 0;
	kvfree(io->read_mrs);
	kvfree(io->read_sg);
	io->read_mrs = NULL;
	io->read_sg = NULL;
}

/**
 * rblkt_read_mr_wrs - how many work requests does a pull take on iWARP?
 * @io: the connection
 * @bytes: to pull
 *
 * Context: any, with conn->lock held.
 * Return: the number, or 0 if too few regions are free.
 */
u32 rblkt_read_mr_wrs(const struct rblkt_io *io, u32 bytes)
{
	u32 nr = read_mr_count(io, bytes);

	return nr <= io->nr_free_read_mrs ? 2 * nr : 0;
}

/**
 * rblkt_read_mr_fill - register where one RDMA READ writes to
 * @cmd: with room in the send queue, and a free region
 * @chunk: the first chunk of its chain that is still to be filled
 * @left: bytes left to read
 * @sge: filled in; its length says how many bytes this READ takes
 *
 * The region is the command's until rblkt_read_mr_give().
 *
 * Context: any, with conn->lock held.
 * Return: the first chunk of the chain that did not fit, or NULL, or an
 * ERR_PTR().
 */
struct rblkt_chunk *rblkt_read_mr_fill(struct rblkt_cmd *cmd,
				       struct rblkt_chunk *chunk, u32 left,
				       struct ib_sge *sge)
{
	struct rblkt_conn *conn = cmd->conn;
	struct rblkt_io *io = rblkt_io_of(conn);
	struct rblkt_read_mr *read_mr = io->free_read_mr;
	u32 nr, size = 1u << io->chunk_shift, bytes = 0;
	struct ib_mr *mr = read_mr->mr;
	struct ib_reg_wr reg = {
		.wr.wr_cqe = &conn->plain_cqe,
		.wr.opcode = IB_WR_REG_MR,
		.mr = mr,
		.access = IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE,
	};
	int ret;

	io->free_read_mr = read_mr->next;
	io->nr_free_read_mrs--;
	read_mr->next = cmd->read_mrs;
	cmd->read_mrs = read_mr;
	sg_init_table(io->read_sg, io->read_mr_chunks);
	for (nr = 0; chunk && nr < io->read_mr_chunks; chunk = chunk->next) {
		struct scatterlist *sg = &io->read_sg[nr++];

		sg_set_page(sg, chunk->page, size, 0);
		sg_dma_address(sg) = chunk->dma;
		sg_dma_len(sg) = size;
		bytes += size;
		ib_dma_sync_single_for_device(conn->dev, chunk->dma, size,
					      DMA_BIDIRECTIONAL);
	}
	if (ib_map_mr_sg(mr, io->read_sg, nr, NULL, conn->mr_page) != nr) {
		rblkt_conn_kill_locked(conn, "can't map memory for RDMA READ");
		return ERR_PTR(-EINVAL);
	}
	/* It reveals no address of ours, as with the window. */
	mr->iova = (u64)conn->qid << 32 | BIT(30);
	ib_update_fast_reg_key(mr, ib_inc_rkey(mr->rkey));
	reg.key = mr->rkey;
	sge->addr = mr->iova;
	sge->lkey = mr->lkey;
	sge->length = min(left, bytes);
	conn->tx.v[RBLK_CNT_REGISTRATIONS]++;
	ret = rblkt_queue_post(conn, &reg.wr, &reg.wr, 1);
	return ret ? ERR_PTR(ret) : chunk;
}

/**
 * rblkt_read_mr_give - a command's regions are free again
 * @cmd: its pull has completed, so they are invalid
 *
 * Context: any, with conn->lock held.
 */
void rblkt_read_mr_give(struct rblkt_cmd *cmd)
{
	struct rblkt_io *io = rblkt_io_of(cmd->conn);
	struct rblkt_read_mr *read_mr;

	while (cmd->read_mrs) {
		read_mr = cmd->read_mrs;
		cmd->read_mrs = read_mr->next;
		read_mr->next = io->free_read_mr;
		io->free_read_mr = read_mr;
		io->nr_free_read_mrs++;
	}
}
