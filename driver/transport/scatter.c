// SPDX-License-Identifier: GPL-2.0-only
/*
 * Scatter lists: where a request's data is.
 *
 * A slot has a few elements of its own, enough for small I/O at any address.  A request
 * in more pieces borrows blocks of elements from its connection.  They are linked as the
 * kernel links parts of a list: the last element of a part leads to the next part
 * (sg_chain()).  So a list has the length that its request needs, and 128 slots need no
 * memory for 128 lists of the largest.  Nothing may index a list: sg_next() follows it.
 *
 * A free block leads to the next free one in the same way.  When a slot borrows some,
 * they come off that chain in one piece, and go back in one piece.
 *
 * An element that leads on must be made an ordinary one again before it may hold data.
 * The mark of a list's end may stay in an element: who fills the list clears it before
 * the next element is taken (blk_rq_map_sg()).
 *
 * Who may have how many blocks, and when, is in share.c.
 */
#include <linux/vmalloc.h>
#include "transport.h"

/* The element that leads to the next block, if there is one. */
static struct scatterlist *block_link(struct scatterlist *block)
{
	return &block[RBLK_BLOCK_SGS - 1];
}

static void sg_unchain(struct scatterlist *sg)
{
	sg_init_table(sg, 1);
}

/**
 * rblk_scatter_alloc() - allocate a connection's blocks
 * @conn: an I/O connection with its device's capabilities and its final offer
 *
 * Context: may sleep.
 * Return: 0 or a negative errno; rblk_scatter_free() undoes this, too.
 */
int rblk_scatter_alloc(struct rblk_conn *conn)
{
	u32 nr = rblk_limits_sg_total(conn->offer.depth,
				      rblk_limits_segments(&conn->caps, conn->offer.max_io));
	struct rblk_lend *lend = &conn->lend;
	struct scatterlist *block;

	if (!nr)
		return 0;
	/* To the page, where kvcalloc() would take the next power of two. */
	lend->elements = vcalloc(nr, RBLK_BLOCK_SGS * sizeof(*block));
	if (!lend->elements)
		return -ENOMEM;
	for (; lend->nr_blocks < nr; lend->nr_blocks++) {
		block = lend->elements + lend->nr_blocks * RBLK_BLOCK_SGS;
		sg_chain(block, RBLK_BLOCK_SGS, lend->blocks);
		lend->blocks = block;
	}
	return 0;
}

/**
 * rblk_scatter_free() - undo rblk_scatter_alloc()
 * @conn: drained; maybe nothing was allocated
 *
 * Context: may sleep.
 */
void rblk_scatter_free(struct rblk_conn *conn)
{
	vfree(conn->lend.elements);
	conn->lend.elements = NULL;
}

/**
 * rblk_scatter_take() - make a slot's list longer
 * @slot: without blocks
 * @nr: blocks to add, not 0; so many are free
 *
 * Context: any, with lend.lock held.
 */
void rblk_scatter_take(struct rblk_slot *slot, u32 nr)
{
	struct rblk_lend *lend = &slot->conn->lend;
	struct scatterlist *last = lend->blocks;
	u32 i;

	lockdep_assert_held(&lend->lock);
	for (i = 1; i < nr; i++)
		last = sg_chain_ptr(block_link(last));
	sg_chain(slot->sgl, RBLK_SLOT_SGS, lend->blocks);
	lend->blocks = sg_chain_ptr(block_link(last));
	lend->nr_blocks -= nr;
	sg_unchain(block_link(last));
	slot->last_block = last;
	slot->blocks = nr;
}

/**
 * rblk_scatter_give() - give back a slot's blocks, if it has any
 * @slot: its list is not in use
 *
 * Context: any, with lend.lock held.
 * Return: how many.
 */
u32 rblk_scatter_give(struct rblk_slot *slot)
{
	struct scatterlist *link = &slot->sgl[RBLK_SLOT_SGS - 1];
	struct rblk_lend *lend = &slot->conn->lend;
	u32 nr = slot->blocks;

	lockdep_assert_held(&lend->lock);
	if (!nr)
		return 0;
	sg_chain(block_link(slot->last_block), 1, lend->blocks);
	lend->blocks = sg_chain_ptr(link);
	lend->nr_blocks += nr;
	sg_unchain(link);
	slot->blocks = 0;
	return nr;
}
