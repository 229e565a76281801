// SPDX-License-Identifier: GPL-2.0-only
/*
 * A connection's pool: physically contiguous chunks for the data of larger
 * I/O, shared by its commands.  It always holds at least one command of the
 * largest size, and commands wait for it in order, so that each gets its turn.
 *
 * Data that was read goes out of the chunks by RDMA WRITE, whose completion
 * returns them.  On SIW even that means only "given to TCP", but there a
 * signalled send is copied.
 */
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include "rblkt.h"

#define RBLKT_CHUNK_SIZE	SZ_64K

static unsigned int pool_kb = 1536;
module_param(pool_kb, uint, 0644);
MODULE_PARM_DESC(pool_kb, "Data pool of each I/O connection, KiB, at least its largest I/O");

static u32 chunk_bytes(const struct rblkt_conn *conn)
{
	return 1u << conn->chunk_shift;
}

static void free_pages_of(struct rblkt_conn *conn)
{
	u32 i;

	for (i = 0; i < conn->nr_chunks; i++)
		if (conn->chunks[i].page)
			__free_pages(conn->chunks[i].page,
				     get_order(chunk_bytes(conn)));
	kvfree(conn->chunks);
	conn->chunks = NULL;
	conn->nr_chunks = 0;
}

/* All chunks of one size, or nothing. */
static int alloc_chunks(struct rblkt_conn *conn, u32 bytes, u32 shift)
{
	u32 nr = DIV_ROUND_UP(bytes, 1u << shift);
	u32 i;

	conn->chunks = kvcalloc(nr, sizeof(*conn->chunks), GFP_KERNEL);
	if (!conn->chunks)
		return -ENOMEM;
	conn->nr_chunks = nr;
	conn->chunk_shift = shift;
	for (i = 0; i < nr; i++) {
		struct rblkt_chunk *chunk = &conn->chunks[i];

		chunk->page = alloc_pages_node(ibdev_to_node(conn->dev),
					       GFP_KERNEL | __GFP_COMP |
					       __GFP_ZERO | __GFP_NOWARN |
					       __GFP_NORETRY,
					       get_order(1u << shift));
		if (!chunk->page) {
			free_pages_of(conn);
			return -ENOMEM;
		}
		chunk->conn = conn;
		chunk->cqe.done = rblkt_reply_written;
		chunk->next = conn->free;
		conn->free = chunk;
	}
	conn->nr_free = nr;
	conn->memory += nr * (sizeof(*conn->chunks) + (1u << shift));
	return 0;
}

/**
 * rblkt_pool_alloc - allocate a connection's pool
 * @conn: with its grant; the control connection gets none
 *
 * In chunks as large as there are; smaller ones cost more work requests, which
 * must not need more than a quarter of the send queue: that much of it is known
 * to be free once everything signalled has completed.
 */
int rblkt_pool_alloc(struct rblkt_conn *conn)
{
	u32 bytes = max_t(u32, conn->grant.max_io,
			  min_t(u32, READ_ONCE(pool_kb), SZ_1M) << 10);
	u32 shift = max_t(u32, ilog2(RBLKT_CHUNK_SIZE), PAGE_SHIFT);
	int ret = -ENOMEM;

	if (!conn->qid)
		return 0;
	for (; ret && shift >= max(RBLKT_MIN_CHUNK_SHIFT, PAGE_SHIFT); shift--) {
		conn->free = NULL;
		ret = alloc_chunks(conn, bytes, shift);
	}
	if (!ret)
		conn->nr_bvecs = DIV_ROUND_UP(conn->grant.max_io,
					      chunk_bytes(conn));
	return ret;
}

/*
 * iWARP names the sink of an RDMA READ to the peer and so wants it registered.
 * Each chunk gets its region once; it is registered with the first use.
 */
static int make_mr(struct rblkt_conn *conn, struct rblkt_chunk *chunk)
{
	u32 pages = DIV_ROUND_UP(chunk_bytes(conn), PAGE_SIZE);
	struct scatterlist sg;
	struct ib_mr *mr;
	int n;

	mr = ib_alloc_mr(conn->pd, IB_MR_TYPE_MEM_REG, pages);
	if (IS_ERR(mr))
		return PTR_ERR(mr);
	chunk->mr = mr;
	sg_init_table(&sg, 1);
	sg_set_page(&sg, chunk->page, chunk_bytes(conn), 0);
	sg_dma_address(&sg) = chunk->dma;
	sg_dma_len(&sg) = chunk_bytes(conn);
	n = ib_map_mr_sg(mr, &sg, 1, NULL, PAGE_SIZE);
	return n == 1 ? 0 : -EINVAL;
}

/**
 * rblkt_pool_map - map the pool for the connection's device
 * @conn: undone by rblkt_pool_unmap(), also after failure
 */
int rblkt_pool_map(struct rblkt_conn *conn)
{
	while (conn->mapped_chunks < conn->nr_chunks) {
		struct rblkt_chunk *chunk = &conn->chunks[conn->mapped_chunks];
		int ret;

		chunk->dma = ib_dma_map_page(conn->dev, chunk->page, 0,
					     chunk_bytes(conn),
					     DMA_BIDIRECTIONAL);
		if (ib_dma_mapping_error(conn->dev, chunk->dma))
			return -ENOMEM;
		conn->mapped_chunks++;
		ret = conn->iwarp ? make_mr(conn, chunk) : 0;
		if (ret)
			return ret;
	}
	return 0;
}

/**
 * rblkt_pool_unmap - undo rblkt_pool_map()
 * @conn: with no queue pair any more
 */
void rblkt_pool_unmap(struct rblkt_conn *conn)
{
	while (conn->mapped_chunks) {
		struct rblkt_chunk *chunk;

		chunk = &conn->chunks[--conn->mapped_chunks];
		if (chunk->mr)
			ib_dereg_mr(chunk->mr);
		chunk->mr = NULL;
		ib_dma_unmap_page(conn->dev, chunk->dma, chunk_bytes(conn),
				  DMA_BIDIRECTIONAL);
	}
}

/**
 * rblkt_pool_free - free the pool
 * @conn: unmapped, with no command at work
 */
void rblkt_pool_free(struct rblkt_conn *conn)
{
	if (conn->chunks)
		free_pages_of(conn);
}

/**
 * rblkt_pool_take - give a command chunks for its data
 * @conn: its connection, locked
 * @cmd: the command
 * @len: bytes of data
 *
 * Return: false when there are not enough.
 */
bool rblkt_pool_take(struct rblkt_conn *conn, struct rblkt_cmd *cmd, u32 len)
{
	u32 nr = DIV_ROUND_UP(len, chunk_bytes(conn));
	struct rblkt_chunk **link = &cmd->chunks;

	lockdep_assert_held(&conn->lock);
	if (nr > conn->nr_free)
		return false;
	conn->nr_free -= nr;
	while (nr--) {
		*link = conn->free;
		conn->free = conn->free->next;
		link = &(*link)->next;
	}
	*link = NULL;
	return true;
}

/**
 * rblkt_pool_give - return a chain of chunks
 * @conn: locked
 * @chain: no longer used by anything, may be NULL
 */
void rblkt_pool_give(struct rblkt_conn *conn, struct rblkt_chunk *chain)
{
	lockdep_assert_held(&conn->lock);
	while (chain) {
		struct rblkt_chunk *next = chain->next;

		chain->next = conn->free;
		conn->free = chain;
		conn->nr_free++;
		chain = next;
	}
}
