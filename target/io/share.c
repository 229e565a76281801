// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who may have how much of a pool?  An export whose disk hangs, or whose host
 * takes no data, never gives its chunks back.  So what an export holds is bounded
 * by what is left for the others: an export that holds some may have more only
 * while at least twice as much as it then holds stays free, and room for one
 * command of the largest size.  The first sick export so ends up with a third of
 * the pool, the next one with a third of the rest.  One that holds nothing may
 * have whatever is free.
 *
 * (This is the dynamic threshold of Choudhury and Hahne, "Dynamic queue length
 * thresholds for shared-memory packet switches", 1998, with alpha = 1/2.)
 *
 * Commands wait in the line of their export, and the lines are served in turn.
 * A line whose export has its share is passed over.  One whose export holds
 * nothing, but needs more than is free, holds up those behind it, or a large
 * command would starve behind small ones.  After a second that ends: then the
 * chunks are where they don't come back from.
 *
 * A chain of chunks that has been posted belongs to the connection until its
 * completion is seen, or until the queue pair is gone: io->posted.  Nobody looks
 * for completions of a quiet connection.  So who begins to wait wakes all that
 * have chunks, and connections arm their send queue while anybody waits.
 *
 * Hosts of one export share its share: one that takes no data holds the others of
 * that export up, until its connection ends after 20 s (watch.c).
 */
#include <linux/ktime.h>
#include "pool.h"

#define PATIENCE_MS	1000		/* of a line that holds up others */

static u32 share_chunks(const struct rblkt_pool *pool, const struct rblkt_cmd *cmd)
{
	return DIV_ROUND_UP(le32_to_cpu(cmd->wire.length), 1u << pool->shift);
}

static struct rblkt_share *share_find(struct rblkt_pool *pool, const struct rblkt_cmd *cmd)
{
	return &pool->shares[cmd->att->export->nr % RBLKT_NR_SHARES];
}

static bool share_allows(const struct rblkt_pool *pool, const struct rblkt_share *share,
			 u32 nr)
{
	u32 left;

	if (nr > pool->nr_free)
		return false;
	left = pool->nr_free - nr;
	return !share->held || (left >= 2 * (share->held + nr) &&
				left >= RBLK_WIRE_MAX_IO >> pool->shift);
}

/* A command no longer waits; pool->lock held. */
static void share_leave_line(struct rblkt_share *share, struct rblkt_cmd *cmd)
{
	cmd->in_line = false;
	list_del(&cmd->node);
	if (list_empty(&share->line))
		list_del(&share->node);
}

static void share_lend(struct rblkt_pool *pool, struct rblkt_share *share,
		       struct rblkt_cmd *cmd, u32 nr)
{
	struct rblkt_io *io = rblkt_io_of(cmd->conn);
	struct rblkt_chunk **link = &cmd->chunks;
	u32 i;

	for (i = 0; i < nr; i++) {
		*link = pool->free;
		pool->free = (*link)->next;
		link = &(*link)->next;
	}
	*link = NULL;
	cmd->chunks->io = io;
	cmd->chunks->share = share;
	cmd->chunks->posted = false;
	cmd->chunks->since = ktime_get_ns();
	pool->nr_free -= nr;
	share->held += nr;
	if (!io->lent)
		list_add_tail(&io->borrower, &pool->borrowers);
	io->lent += nr;
}

/* A command has its chunks: its connection's send work starts it. */
static void share_start(struct rblkt_cmd *cmd)
{
	struct rblkt_conn *conn = cmd->conn;
	struct rblkt_io *io = rblkt_io_of(conn);

	spin_lock(&conn->lock);
	list_add_tail(&cmd->node, &io->waiting);
	if (conn->state == RBLKT_CONN_LIVE)
		rblkt_watch_expect(io);
	if (!conn->over)
		queue_work(rblkt_wq, &conn->send_work);
	spin_unlock(&conn->lock);
}

/* Serve a line once.  Returns false if it holds up those behind it. */
static bool share_serve_line(struct rblkt_pool *pool, struct rblkt_share *share,
			     const struct rblkt_cmd *own, bool *lent)
{
	struct rblkt_cmd *cmd = list_first_entry(&share->line, struct rblkt_cmd, node);
	u32 nr = share_chunks(pool, cmd);

	if (share_allows(pool, share, nr)) {
		list_move_tail(&share->node, &pool->lines);
		share_leave_line(share, cmd);
		share_lend(pool, share, cmd, nr);
		*lent = true;
		if (cmd != own)
			share_start(cmd);
		return true;
	}
	return share->held ||
	       ktime_get_ns() - cmd->arrived > PATIENCE_MS * NSEC_PER_MSEC;
}

/* Lend what may be lent; only the start of @own is left to the caller. */
static void share_serve(struct rblkt_pool *pool, const struct rblkt_cmd *own)
{
	struct rblkt_share *share, *next;
	bool lent;

	lockdep_assert_held(&pool->lock);
	do {
		lent = false;
		list_for_each_entry_safe(share, next, &pool->lines, node) {
			if (share_serve_line(pool, share, own, &lent))
				continue;
			queue_delayed_work(rblkt_wq, &pool->impatient,
					   msecs_to_jiffies(PATIENCE_MS) + 1);
			return;
		}
	} while (lent);
}

/**
 * rblkt_share_impatient - lend again, after a line has held up others for long
 * @work: the pool's
 *
 * Context: process; does not sleep.
 */
void rblkt_share_impatient(struct work_struct *work)
{
	struct rblkt_pool *pool = container_of(to_delayed_work(work),
					       struct rblkt_pool, impatient);

	spin_lock_irq(&pool->lock);
	share_serve(pool, NULL);
	spin_unlock_irq(&pool->lock);
}

/* Let all connections that have chunks look for completions; pool->lock held. */
static void share_call_borrowers(struct rblkt_pool *pool)
{
	struct rblkt_io *io;

	list_for_each_entry(io, &pool->borrowers, borrower)
		rblkt_queue_check(&io->conn);
}

/**
 * rblkt_share_take - give a command chunks for its data, or let it wait for them
 * @cmd: in its attachment
 *
 * One that waits is started by its connection's send work: it is in io->waiting
 * then, with its chunks.
 *
 * Context: process; does not sleep.
 * Return: 0; -EINPROGRESS: the command waits, and is not the caller's any more;
 * -ENOTCONN: its connection ends; or -ENODEV: its attachment drains.
 */
int rblkt_share_take(struct rblkt_cmd *cmd)
{
	struct rblkt_conn *conn = cmd->conn;
	struct rblkt_pool *pool = rblkt_io_of(conn)->pool;
	struct rblkt_share *share = share_find(pool, cmd);
	bool first;
	int ret = 0;

	spin_lock_irq(&pool->lock);
	/* rblkt_share_forget() may have run already, so it must not wait. */
	if (READ_ONCE(conn->state) != RBLKT_CONN_LIVE)
		ret = -ENOTCONN;
	else if (READ_ONCE(cmd->att->draining))
		ret = -ENODEV;
	if (ret)
		goto unlock;
	first = list_empty(&pool->lines);
	if (list_empty(&share->line))
		list_add_tail(&share->node, &pool->lines);
	list_add_tail(&cmd->node, &share->line);
	cmd->in_line = true;
	share_serve(pool, cmd);
	if (cmd->in_line) {
		ret = -EINPROGRESS;
		if (first)
			share_call_borrowers(pool);
	}
unlock:
	spin_unlock_irq(&pool->lock);
	return ret;
}

/**
 * rblkt_share_give - return a chain of chunks
 * @chain: no longer used by anything
 *
 * Context: any, without any conn->lock.
 */
void rblkt_share_give(struct rblkt_chunk *chain)
{
	struct rblkt_io *io = chain->io;
	struct rblkt_pool *pool = io->pool;
	struct rblkt_share *share = chain->share;
	struct rblkt_chunk *last = chain;
	unsigned long flags;
	u32 nr = 1;

	for (; last->next; nr++)
		last = last->next;
	spin_lock_irqsave(&pool->lock, flags);
	last->next = pool->free;
	pool->free = chain;
	pool->nr_free += nr;
	share->held -= nr;
	io->lent -= nr;
	if (!io->lent)
		list_del(&io->borrower);
	share_serve(pool, NULL);
	spin_unlock_irqrestore(&pool->lock, flags);
}

/**
 * rblkt_share_forget - take a connection's commands out of their lines
 * @io: the connection
 * @all: not only those of attachments that drain
 * @gone: gets the commands
 *
 * Context: process; does not sleep.
 */
void rblkt_share_forget(struct rblkt_io *io, bool all, struct list_head *gone)
{
	struct rblkt_pool *pool = io->pool;
	u32 i;

	if (!pool)
		return;
	spin_lock_irq(&pool->lock);
	for (i = 0; i < io->nr_cmds; i++) {
		struct rblkt_cmd *cmd = &io->cmds[i];

		if (!cmd->in_line || !(all || READ_ONCE(cmd->att->draining)))
			continue;
		share_leave_line(share_find(pool, cmd), cmd);
		list_add_tail(&cmd->node, gone);
	}
	/* One of them may have held up others. */
	share_serve(pool, NULL);
	spin_unlock_irq(&pool->lock);
}

/**
 * rblkt_share_wanted - does anybody wait for chunks?
 * @io: a connection with chunks
 *
 * Context: any.  With its conn->lock held, after it has noted what it posts, the
 * connection can't miss the call of who begins to wait: that call takes the lock.
 * Return: true if so.
 */
bool rblkt_share_wanted(const struct rblkt_io *io)
{
	return !list_empty_careful(&io->pool->lines);
}
