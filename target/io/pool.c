// SPDX-License-Identifier: GPL-2.0-only
/*
 * A connection's pool: physically contiguous chunks for the data of larger
 * reads and of writes that are pulled or copied, shared by its commands.  It has
 * room for at least one command of the largest size, and commands wait for it in
 * order.  So each gets its turn.
 *
 * An RDMA WRITE sends the data of a read from its chunks, and the completion
 * returns them to the pool.  On SIW such a completion means only "given to
 * TCP".  But SIW copies a signalled send, so the chunks are free even then.
 */
#include <linux/bitmap.h>
#include <linux/cache.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include "command.h"

#define RBLKT_CHUNK_SIZE	SZ_64K
#define LINE_BITS		(SMP_CACHE_BYTES * BITS_PER_BYTE)

static unsigned int pool_kb = 1536;
module_param(pool_kb, uint, 0644);
MODULE_PARM_DESC(pool_kb, "Data pool of each I/O connection, KiB, at least its largest I/O");

static u32 chunk_bytes(const struct rblkt_conn *conn)
{
	const struct rblkt_io *io = rblkt_io_of(conn);

	return 1u << io->chunk_shift;
}

static void pool_free_chunks(struct rblkt_conn *conn)
{
	struct rblkt_io *io = rblkt_io_of(conn);
	u32 i;

	for (i = 0; i < io->nr_chunks; i++)
		if (io->chunks[i].page)
			__free_pages(io->chunks[i].page,
				     get_order(chunk_bytes(conn)));
	bitmap_free(io->taken);
	io->taken = NULL;
	kvfree(io->chunks);
	io->chunks = NULL;
	io->nr_chunks = 0;
}

/* Bytes of bookkeeping for @nr chunks, at most. */
static size_t pool_account(u32 nr)
{
	return nr * (sizeof(struct rblkt_chunk) + sizeof(struct rblkt_read_mr)) +
	       BITS_TO_LONGS(round_up(nr, LINE_BITS)) * sizeof(long);
}

/* Allocate the pool in chunks of one size, or nothing. */
static int pool_alloc_chunks(struct rblkt_conn *conn, u32 bytes, u32 shift)
{
	struct rblkt_io *io = rblkt_io_of(conn);
	u32 nr = DIV_ROUND_UP(bytes, 1u << shift);
	u32 i;

	io->chunks = kvcalloc(nr, sizeof(*io->chunks), GFP_KERNEL);
	if (!io->chunks)
		return -ENOMEM;
	io->nr_chunks = nr;
	io->chunk_shift = shift;
	/* Whole cache lines, so that it shares none with another pool's. */
	io->taken = bitmap_zalloc(round_up(nr, LINE_BITS), GFP_KERNEL);
	if (!io->taken)
		goto err_free;
	for (i = 0; i < nr; i++) {
		struct rblkt_chunk *chunk = &io->chunks[i];

		chunk->page = alloc_pages_node(ibdev_to_node(conn->dev),
					       GFP_KERNEL | __GFP_COMP |
					       __GFP_ZERO | __GFP_NOWARN |
					       __GFP_NORETRY,
					       get_order(1u << shift));
		if (!chunk->page)
			goto err_free;
		chunk->conn = conn;
	}
	io->nr_free = nr;
	conn->memory += pool_account(nr) + ((size_t)nr << shift);
	return 0;
err_free:
	pool_free_chunks(conn);
	return -ENOMEM;
}

static u32 pool_size(const struct rblkt_grant *grant)
{
	return max_t(u32, grant->max_io,
		     min_t(u32, READ_ONCE(pool_kb), SZ_1M) << 10);
}

/**
 * rblkt_pool_bytes - the most memory that a connection's pool takes
 * @grant: the connection's grant
 *
 * Context: any.
 * Return: bytes.
 */
size_t rblkt_pool_bytes(const struct rblkt_grant *grant)
{
	u32 bytes = round_up(pool_size(grant), RBLKT_CHUNK_SIZE);

	return bytes + pool_account(bytes >> RBLKT_MIN_CHUNK_SHIFT);
}

/**
 * rblkt_pool_alloc - allocate a connection's pool
 * @conn: an I/O connection with its grant
 *
 * Tries large chunks first, as smaller ones cost more work requests.  There is
 * a least size, so that no command needs more than a quarter of the send queue:
 * at least that much is free once everything signalled has completed.
 *
 * Context: process; may sleep.
 * Return: 0 or -ENOMEM.
 */
int rblkt_pool_alloc(struct rblkt_conn *conn)
{
	struct rblkt_io *io = rblkt_io_of(conn);
	u32 bytes = pool_size(&conn->grant);
	u32 shift = max_t(u32, ilog2(RBLKT_CHUNK_SIZE), PAGE_SHIFT);
	int ret = -ENOMEM;

	for (; ret && shift >= max(RBLKT_MIN_CHUNK_SHIFT, PAGE_SHIFT); shift--)
		ret = pool_alloc_chunks(conn, bytes, shift);
	/* Data in the window may begin within a piece. */
	if (!ret)
		io->nr_bvecs = DIV_ROUND_UP(conn->grant.max_io,
					    chunk_bytes(conn)) + 1;
	return ret;
}

/**
 * rblkt_pool_map - map the pool for the connection's device
 * @conn: undone by rblkt_pool_unmap(), also after failure
 *
 * Context: process; may sleep.
 * Return: 0 or a negative errno.
 */
int rblkt_pool_map(struct rblkt_conn *conn)
{
	struct rblkt_io *io = rblkt_io_of(conn);

	while (io->mapped_chunks < io->nr_chunks) {
		struct rblkt_chunk *chunk = &io->chunks[io->mapped_chunks];

		chunk->dma = ib_dma_map_page(conn->dev, chunk->page, 0,
					     chunk_bytes(conn),
					     DMA_BIDIRECTIONAL);
		if (ib_dma_mapping_error(conn->dev, chunk->dma))
			return -ENOMEM;
		io->mapped_chunks++;
	}
	return conn->iwarp ? rblkt_read_mr_map(conn) : 0;
}

/**
 * rblkt_pool_unmap - undo rblkt_pool_map()
 * @conn: with no queue pair any more
 *
 * Context: process; may sleep.
 */
void rblkt_pool_unmap(struct rblkt_conn *conn)
{
	struct rblkt_io *io = rblkt_io_of(conn);

	rblkt_read_mr_unmap(conn);
	while (io->mapped_chunks) {
		struct rblkt_chunk *chunk;

		chunk = &io->chunks[--io->mapped_chunks];
		ib_dma_unmap_page(conn->dev, chunk->dma, chunk_bytes(conn),
				  DMA_BIDIRECTIONAL);
	}
}

/**
 * rblkt_pool_free - free the pool
 * @conn: unmapped, with no command at work
 *
 * Context: process; may sleep.
 */
void rblkt_pool_free(struct rblkt_conn *conn)
{
	struct rblkt_io *io = rblkt_io_of(conn);

	if (io->chunks)
		pool_free_chunks(conn);
}

/* Find the first of @nr free neighbours within one read MR, or U32_MAX. */
static u32 pool_find_run(const struct rblkt_conn *conn, u32 nr)
{
	const struct rblkt_io *io = rblkt_io_of(conn);
	u32 group = io->read_mr_chunks ?: io->nr_chunks;
	u32 at = 0;

	while (at < io->nr_chunks) {
		at = bitmap_find_next_zero_area(io->taken, io->nr_chunks,
						at, nr, 0);
		if (at >= io->nr_chunks)
			break;
		if (at / group == (at + nr - 1) / group)
			return at;
		at = roundup(at + 1, group);
	}
	return U32_MAX;
}

/**
 * rblkt_pool_take - give a command chunks for its data
 * @conn: its connection
 * @cmd: the command
 * @len: bytes of data
 *
 * Takes neighbours if it finds enough, so that a pull on iWARP needs few RDMA
 * READs, and otherwise any free chunks.
 *
 * Context: any, with conn->lock held.
 * Return: false if too few chunks are free; then the command gets none.
 */
bool rblkt_pool_take(struct rblkt_conn *conn, struct rblkt_cmd *cmd, u32 len)
{
	struct rblkt_io *io = rblkt_io_of(conn);
	u32 nr = DIV_ROUND_UP(len, chunk_bytes(conn));
	struct rblkt_chunk **link = &cmd->chunks;
	u32 at = 0;

	lockdep_assert_held(&conn->lock);
	if (nr > io->nr_free)
		return false;
	io->nr_free -= nr;
	if (nr > 1)
		at = pool_find_run(conn, nr);
	if (at >= io->nr_chunks)
		at = 0;
	for (; nr; nr--) {
		at = find_next_zero_bit(io->taken, io->nr_chunks, at);
		__set_bit(at, io->taken);
		*link = &io->chunks[at];
		link = &(*link)->next;
	}
	*link = NULL;
	return true;
}

/**
 * rblkt_pool_give - return a chain of chunks
 * @conn: the connection
 * @chain: no longer used by anything, may be NULL
 *
 * Context: any, with conn->lock held.
 */
void rblkt_pool_give(struct rblkt_conn *conn, struct rblkt_chunk *chain)
{
	struct rblkt_io *io = rblkt_io_of(conn);

	lockdep_assert_held(&conn->lock);
	while (chain) {
		__clear_bit(chain - io->chunks, io->taken);
		io->nr_free++;
		chain = chain->next;
	}
}
