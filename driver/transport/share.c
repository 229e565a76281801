// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who may have how much of a connection?
 *
 * The users of a connection, which are volumes, share its slots, its large
 * registrations, its blocks of scatter elements and its window.  A user whose commands
 * are not answered never gives back what it has.  So what it has is bounded by what it
 * leaves to the others: who has some may have more only while at least half as many as
 * it then has stay free.  The first sick user so ends up with two thirds, the next one
 * with two thirds of the rest.  Who has nothing may have whatever is free, and a user
 * that is alone may have all.  The target lends its memory likewise: target/io/share.c.
 *
 * Commands need different numbers of blocks.  One that needs many would wait for ever if
 * others that need few took each block that comes back.  So a command that lacks blocks
 * claims what it needs, in two steps.  First, no other command of its user takes any, so
 * what the user has shrinks as its commands end.  A user that has none may have whatever
 * is free: then, second, all others leave free what the command wants.  What is free
 * grows as their commands end, until it is enough.  Only sick users never give theirs
 * back, and two of them leave a ninth: that is enough for the largest request
 * (rblk_limits_sg_total()).  Commands that need no block notice nothing.
 *
 * A claim ends when its command takes its blocks.  It lapses if the command does not
 * come for them: it may have taken another route.  With more sick users a claim may be in
 * vain.  So no claim stands for longer than CLAIM_TIME, and the next one waits as long:
 * meanwhile the others share what is free.  A command that lacks blocks for too long
 * then has the session recovered, as one that lacks a slot has (rblk_share_lacks()).
 *
 * If an export is withdrawn while its disk hangs, the target ends the commands
 * there (HELD) but keeps their tags.  Such a slot is nobody's until the tag is
 * free, and so is its range of the window, which the disk may still read.
 */
#include <linux/jiffies.h>
#include "transport.h"

/* The block layer tries a request again after some ms. */
#define CLAIM_SEEN	(HZ / 10)
#define CLAIM_TIME	(2 * HZ)

/**
 * rblk_share_allows() - may a user have more of what a connection lends?
 * @held: what it has
 * @nr_free: what is free
 * @nr: what it wants
 * @alone: nobody else uses the connection
 *
 * Context: any.
 * Return: whether it may.
 */
bool rblk_share_allows(u32 held, u32 nr_free, u32 nr, bool alone)
{
	return nr <= nr_free &&
	       (alone || !held || 2 * (nr_free - nr) >= held + nr);
}

/**
 * rblk_share_add_slot() - begin to lend a slot
 * @slot: of a connection that is being made
 *
 * Context: any.
 */
void rblk_share_add_slot(struct rblk_slot *slot)
{
	struct rblk_lend *lend = &slot->conn->lend;
	struct rblk_slot **slots = &lend->slots[slot->tag < RBLK_BOUNCES];

	slot->next = *slots;
	*slots = slot;
	lend->nr_slots++;
}

/**
 * rblk_share_add_large() - begin to lend a large registration
 * @conn: a connection that is being made
 * @large: the registration
 *
 * Context: any.
 */
void rblk_share_add_large(struct rblk_conn *conn, struct rblk_large *large)
{
	large->next = conn->lend.large;
	conn->lend.large = large;
	conn->lend.nr_large++;
}

/*
 * Small data gets one of the first tags if there is one, and others leave it those: they
 * have bounce buffers, and at the target buffers of their own.
 */
static struct rblk_slot *lend_slot(struct rblk_lend *lend, bool small)
{
	struct rblk_slot **slots = &lend->slots[small];
	struct rblk_slot *slot;

	lockdep_assert_held(&lend->lock);
	if (!*slots)
		slots = &lend->slots[!small];
	slot = *slots;
	*slots = slot->next;
	lend->nr_slots--;
	return slot;
}

/* Has somebody else's command claimed blocks, and do they have to be kept for it? */
static bool claim_stands(const struct rblk_claim *claim, const void *owner)
{
	return claim->owner && claim->owner != owner &&
	       time_before(jiffies, claim->seen + CLAIM_SEEN) &&
	       time_before(jiffies, claim->since + CLAIM_TIME);
}

static void claim_begin(struct rblk_claim *claim, const void *owner, u32 nr)
{
	bool over = time_after(jiffies, claim->since + 2 * CLAIM_TIME);

	if (claim->owner && claim->owner != owner && !over &&
	    time_before(jiffies, claim->seen + CLAIM_SEEN))
		return;
	if (claim->owner != owner || over)
		claim->since = jiffies;
	claim->owner = owner;
	claim->nr = nr;
	claim->seen = jiffies;
}

static void claim_end(struct rblk_claim *claim, const void *owner)
{
	if (claim->owner == owner)
		claim->owner = NULL;
}

/* May a user's command have so many blocks?  If not, they are kept for it. */
static bool share_allows_blocks(struct rblk_lend *lend, struct rblk_share *share, u32 nr,
				bool alone, const void *owner)
{
	u32 nr_free = lend->nr_blocks;

	lockdep_assert_held(&lend->lock);
	if (!nr)
		return true;
	if (claim_stands(&share->claim, owner))
		return false;
	if (claim_stands(&lend->claim, owner))
		nr_free -= min(nr_free, lend->claim.nr);
	if (rblk_share_allows(share->blocks, nr_free, nr, alone)) {
		claim_end(&share->claim, owner);
		claim_end(&lend->claim, owner);
		return true;
	}
	claim_begin(&share->claim, owner, nr);
	if (!share->blocks)
		claim_begin(&lend->claim, owner, nr);
	return false;
}

static bool need_large(const struct rblk_need *need)
{
	return need->pages > RBLK_SMALL_PAGES;
}

/**
 * rblk_share_take() - lend a slot, and what else its command needs
 * @conn: the connection
 * @share: its user's
 * @need: what the command needs
 * @alone: nobody else uses the connection
 * @owner: the command's
 *
 * Context: any.
 * Return: the slot, or NULL if @share may not have all of that, or all are lent.
 */
struct rblk_slot *rblk_share_take(struct rblk_conn *conn, struct rblk_share *share,
				  const struct rblk_need *need, bool alone,
				  const void *owner)
{
	u32 blocks = rblk_limits_sg_blocks(need->segments);
	struct rblk_lend *lend = &conn->lend;
	bool large = need_large(need);
	struct rblk_slot *slot = NULL;
	unsigned long flags;

	spin_lock_irqsave(&lend->lock, flags);
	if (!rblk_share_allows(share->slots, lend->nr_slots, 1, alone) ||
	    (large && !rblk_share_allows(share->large, lend->nr_large, 1, alone)) ||
	    !share_allows_blocks(lend, share, blocks, alone, owner))
		goto unlock;
	slot = lend_slot(lend, need->bytes && need->bytes <= RBLK_DEFAULT_INLINE_WRITE);
	share->slots++;
	WRITE_ONCE(share->alone, alone);
	slot->share = share;
	slot->uses = 1;
	if (blocks) {
		rblk_scatter_take(slot, blocks);
		share->blocks += blocks;
	}
	if (!large)
		goto unlock;
	slot->large = lend->large;
	lend->large = slot->large->next;
	lend->nr_large--;
	share->large++;
unlock:
	spin_unlock_irqrestore(&lend->lock, flags);
	return slot;
}

/**
 * rblk_share_lacks() - has a user none of something that a command needs?
 * @share: the user's
 * @need: what the command needs
 *
 * Context: any; without the lock, so what it says may be over.
 * Return: whether it has none.
 */
bool rblk_share_lacks(const struct rblk_share *share, const struct rblk_need *need)
{
	return !READ_ONCE(share->slots) ||
	       (need_large(need) && !READ_ONCE(share->large)) ||
	       (rblk_limits_sg_blocks(need->segments) && !READ_ONCE(share->blocks));
}

/* The command, or the target, no longer needs the slot. */
static void slot_put(struct rblk_slot *slot)
{
	lockdep_assert_held(&slot->conn->lend.lock);
	if (--slot->uses)
		return;
	rblk_window_give(slot);
	rblk_share_add_slot(slot);
}

/**
 * rblk_share_give() - give back a slot, and what else its command has
 * @slot: without a command; its pages are not mapped and its registration is invalid
 *        again, or its connection is drained
 *
 * Context: any.
 */
void rblk_share_give(struct rblk_slot *slot)
{
	struct rblk_conn *conn = slot->conn;
	unsigned long flags;

	spin_lock_irqsave(&conn->lend.lock, flags);
	slot->share->slots--;
	slot->share->blocks -= rblk_scatter_give(slot);
	if (slot->large) {
		rblk_share_add_large(conn, slot->large);
		slot->share->large--;
		slot->large = NULL;
	}
	if (slot->held)
		rblk_window_disown(slot);
	slot_put(slot);
	spin_unlock_irqrestore(&conn->lend.lock, flags);
}

/**
 * rblk_share_hold() - keep a slot beyond its command, or no longer
 * @slot: answered by HELD, and then held until the target frees its tag
 * @held: whether to keep it
 *
 * Context: the handler of answers.
 */
void rblk_share_hold(struct rblk_slot *slot, bool held)
{
	struct rblk_conn *conn = slot->conn;
	unsigned long flags;

	spin_lock_irqsave(&conn->lend.lock, flags);
	slot->held = held;
	if (held)
		slot->uses++;
	else
		slot_put(slot);
	spin_unlock_irqrestore(&conn->lend.lock, flags);
}
