/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who may have how much of a connection: see share.c.  transport.h, the door of
 * this layer, includes it.
 */
#ifndef RBLK_SHARE_H
#define RBLK_SHARE_H

#include <linux/cache.h>
#include <linux/spinlock.h>
#include <linux/types.h>

struct rblk_conn;
struct rblk_large;
struct rblk_slot;
struct scatterlist;

/**
 * struct rblk_need - what a command needs of a connection
 * @pages: pages that its data may touch, or its scatter elements if they are more
 * @segments: scatter elements of its data, at most
 * @bytes: of its data, 0 without any
 */
struct rblk_need {
	u32 pages;
	u32 segments;
	u32 bytes;
};

/**
 * struct rblk_claim - blocks of scatter elements that are kept for a command
 * @owner: the command's, only to know it by; NULL if there is none
 * @nr: so many blocks
 * @since: jiffies, when it began
 * @seen: jiffies, when the command last came for them
 */
struct rblk_claim {
	const void *owner;
	u32 nr;
	unsigned long since;
	unsigned long seen;
};

/**
 * struct rblk_share - what one user has of a connection
 * @slots: slots of its commands
 * @large: large registrations of these
 * @blocks: blocks of scatter elements of these
 * @units: units of the window that its writes have; conn->window.lock guards it
 * @alone: nobody else uses the connection, as the last command found
 * @reads: reads that could ask for an immediate, until now; without the lock, so it
 *         may miss some
 * @claim: of one of its own commands, against the others of them
 *
 * Its user owns it, and it outlives the user's commands.  conn->lend.lock guards
 * the rest.  All is given back when a connection ends, so the next one goes on with it.
 */
struct rblk_share {
	u32 slots;
	u32 large;
	u32 blocks;
	u32 units;
	bool alone;
	u32 reads;
	struct rblk_claim claim;
} ____cacheline_aligned_in_smp;

/**
 * struct rblk_lend - what a connection lends
 * @lock: guards all that follows, the users' shares, and the uses of slots
 * @slots: free slots of other tags and of the first ones, the last one given back first
 * @large: free large registrations, likewise
 * @blocks: free blocks of scatter elements, likewise
 * @nr_slots: length of both lists of @slots
 * @nr_large: length of @large
 * @nr_blocks: length of @blocks
 * @claim: of a user that has no blocks, against all others
 * @elements: memory of all blocks; NULL if no request needs any
 *
 * Part of its connection.
 */
struct rblk_lend {
	spinlock_t lock;		/* see above */
	struct rblk_slot *slots[2];
	struct rblk_large *large;
	struct scatterlist *blocks;
	u32 nr_slots;
	u32 nr_large;
	u32 nr_blocks;
	struct rblk_claim claim;
	struct scatterlist *elements;
};

bool rblk_share_allows(u32 held, u32 nr_free, u32 nr, bool alone);
void rblk_share_add_slot(struct rblk_slot *slot);
void rblk_share_add_large(struct rblk_conn *conn, struct rblk_large *large);
struct rblk_slot *rblk_share_take(struct rblk_conn *conn, struct rblk_share *share,
				  const struct rblk_need *need, bool alone,
				  const void *owner);
bool rblk_share_lacks(const struct rblk_share *share, const struct rblk_need *need);
void rblk_share_give(struct rblk_slot *slot);
void rblk_share_hold(struct rblk_slot *slot, bool held);

/* ---- scatter.c: scatter lists, which grow by the blocks that are lent ---- */

int rblk_scatter_alloc(struct rblk_conn *conn);
void rblk_scatter_free(struct rblk_conn *conn);
void rblk_scatter_take(struct rblk_slot *slot, u32 nr);
u32 rblk_scatter_give(struct rblk_slot *slot);

#endif /* RBLK_SHARE_H */
