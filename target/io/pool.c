// SPDX-License-Identifier: GPL-2.0-only
/*
 * An RDMA device's pool: physically contiguous chunks for the data of larger
 * reads and of writes that are pulled or copied.  All connections of the device
 * borrow from it: share.c says who may have how much.
 *
 * A pool is made for the first connection of its device.  Its chunks are mapped
 * while @users of them exist.  The memory lives until the last one is freed,
 * which may wait for a bio of a hung disk.  Connections that come meanwhile use it
 * again.
 */
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include "pool.h"

#define CHUNK_SHIFT	16		/* at best */
#define MIN_POOL	(4 * RBLK_WIRE_MAX_IO)

static unsigned int pool_kb = 32768;
module_param(pool_kb, uint, 0644);
MODULE_PARM_DESC(pool_kb, "Data pool of each RDMA device, KiB, at least 4096 and at most a 32nd of the memory");

/* Guards the list of pools and their @users. */
static DEFINE_MUTEX(pools_mutex);
static LIST_HEAD(pools);

static void pool_free_chunks(struct rblkt_pool *pool)
{
	u32 i;

	for (i = 0; i < pool->nr; i++)
		if (pool->chunks[i].page)
			__free_pages(pool->chunks[i].page,
				     get_order(1u << pool->shift));
	kvfree(pool->chunks);
	pool->chunks = NULL;
	pool->nr = 0;
	pool->free = NULL;
}

/* Allocate chunks of one size, or nothing. */
static int pool_alloc_chunks(struct rblkt_pool *pool, size_t bytes, u32 shift)
{
	u32 i;

	pool->shift = shift;
	pool->chunks = kvcalloc(bytes >> shift, sizeof(*pool->chunks), GFP_KERNEL);
	if (!pool->chunks)
		return -ENOMEM;
	pool->nr = bytes >> shift;
	for (i = 0; i < pool->nr; i++) {
		struct rblkt_chunk *chunk = &pool->chunks[i];

		chunk->page = alloc_pages_node(ibdev_to_node(pool->dev),
					       GFP_KERNEL | __GFP_COMP |
					       __GFP_ZERO | __GFP_NOWARN |
					       __GFP_NORETRY,
					       get_order(1u << shift));
		if (!chunk->page) {
			pool_free_chunks(pool);
			return -ENOMEM;
		}
		chunk->next = pool->free;
		pool->free = chunk;
	}
	pool->nr_free = pool->nr;
	return 0;
}

static size_t pool_size(void)
{
	u64 most = (u64)totalram_pages() << PAGE_SHIFT >> 5;

	return clamp_t(u64, (u64)READ_ONCE(pool_kb) << 10, MIN_POOL,
		       max_t(u64, most, MIN_POOL));
}

static void pool_unmap(struct rblkt_pool *pool)
{
	while (pool->mapped)
		ib_dma_unmap_page(pool->dev, pool->chunks[--pool->mapped].dma,
				  1u << pool->shift, DMA_BIDIRECTIONAL);
}

static int pool_map(struct rblkt_pool *pool)
{
	while (pool->mapped < pool->nr) {
		struct rblkt_chunk *chunk = &pool->chunks[pool->mapped];

		chunk->dma = ib_dma_map_page(pool->dev, chunk->page, 0,
					     1u << pool->shift,
					     DMA_BIDIRECTIONAL);
		if (ib_dma_mapping_error(pool->dev, chunk->dma))
			return -ENOMEM;
		pool->mapped++;
	}
	return 0;
}

static void pool_free(struct kref *ref)
{
	struct rblkt_pool *pool = container_of(ref, struct rblkt_pool, ref);

	list_del(&pool->node);
	mutex_unlock(&pools_mutex);
	pool_free_chunks(pool);
	kvfree(pool);
}

static struct rblkt_pool *pool_new(struct ib_device *dev)
{
	struct rblkt_pool *pool = kvzalloc(sizeof(*pool), GFP_KERNEL);
	size_t bytes = pool_size();
	int ret = -ENOMEM;
	u32 i, shift;

	if (!pool)
		return NULL;
	pool->dev = dev;
	kref_init(&pool->ref);
	spin_lock_init(&pool->lock);
	INIT_LIST_HEAD(&pool->lines);
	INIT_LIST_HEAD(&pool->borrowers);
	INIT_DELAYED_WORK(&pool->impatient, rblkt_share_impatient);
	for (i = 0; i < RBLKT_NR_SHARES; i++)
		INIT_LIST_HEAD(&pool->shares[i].line);
	/* Smaller chunks cost more work requests, a smaller pool more waiting. */
	for (; ret && bytes >= MIN_POOL; bytes /= 2)
		for (shift = max(CHUNK_SHIFT, PAGE_SHIFT);
		     ret && shift >= max(RBLKT_MIN_CHUNK_SHIFT, PAGE_SHIFT); shift--)
			ret = pool_alloc_chunks(pool, bytes, shift);
	if (ret) {
		kvfree(pool);
		return NULL;
	}
	list_add(&pool->node, &pools);
	return pool;
}

/* One more connection uses the device; pools_mutex held. */
static int pool_use(struct rblkt_pool *pool)
{
	int ret = pool->users ? 0 : pool_map(pool);

	if (ret)
		pool_unmap(pool);
	else
		pool->users++;
	return ret;
}

/**
 * rblkt_pool_join - let a connection borrow from its device's pool
 * @io: undone by rblkt_pool_unmap(), then rblkt_pool_leave(), also after failure
 *
 * Context: process; may sleep.
 * Return: 0 or -ENOMEM.
 */
int rblkt_pool_join(struct rblkt_io *io)
{
	struct rblkt_pool *pool;
	int ret = -ENOMEM;

	mutex_lock(&pools_mutex);
	list_for_each_entry(pool, &pools, node) {
		if (pool->dev != io->conn.dev)
			continue;
		kref_get(&pool->ref);
		goto found;
	}
	pool = pool_new(io->conn.dev);
	if (!pool)
		goto unlock;
found:
	io->pool = pool;
	io->chunk_shift = pool->shift;
	ret = pool_use(pool);
	io->pooled = !ret;
unlock:
	mutex_unlock(&pools_mutex);
	return ret;
}

/**
 * rblkt_pool_unmap - note that a connection no longer uses its device
 * @io: with no queue pair any more, or never made; what it had posted goes back
 *
 * Context: process; may sleep.
 */
void rblkt_pool_unmap(struct rblkt_io *io)
{
	struct rblkt_chunk *chain, *next;

	if (!io->pooled)
		return;
	list_for_each_entry_safe(chain, next, &io->posted, node)
		rblkt_share_give(chain);
	INIT_LIST_HEAD(&io->posted);
	mutex_lock(&pools_mutex);
	io->pooled = false;
	if (!--io->pool->users) {
		/* Nobody waits any more, so nobody queues it again. */
		cancel_delayed_work_sync(&io->pool->impatient);
		pool_unmap(io->pool);
	}
	mutex_unlock(&pools_mutex);
}

/**
 * rblkt_pool_leave - drop a connection's reference to its pool
 * @io: unmapped, with no command at work
 *
 * Context: process; may sleep.
 */
void rblkt_pool_leave(struct rblkt_io *io)
{
	if (io->pool)
		kref_put_mutex(&io->pool->ref, pool_free, &pools_mutex);
	io->pool = NULL;
}

/**
 * rblkt_pool_show - write a line for each pool
 * @m: the file
 *
 * Context: process; may sleep.
 */
void rblkt_pool_show(struct seq_file *m)
{
	struct rblkt_pool *pool;
	struct rblkt_share *share;
	u32 lines;

	mutex_lock(&pools_mutex);
	list_for_each_entry(pool, &pools, node) {
		lines = 0;
		spin_lock_irq(&pool->lock);
		list_for_each_entry(share, &pool->lines, node)
			lines++;
		seq_printf(m, "device=%s connections=%u chunk=%u chunks=%u free=%u lines=%u\n",
			   pool->users ? dev_name(&pool->dev->dev) : "-", pool->users,
			   1u << pool->shift, pool->nr, pool->nr_free, lines);
		spin_unlock_irq(&pool->lock);
	}
	mutex_unlock(&pools_mutex);
}
