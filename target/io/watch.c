// SPDX-License-Identifier: GPL-2.0-only
/*
 * A connection's watch: a host has so much time to send data that the target asked
 * for, and to take data that the target sends.
 *
 * A command in a pull holds its volume's backing device, and data that is not taken
 * holds chunks of the pool.  A transport may wait for ever for either.
 */
#include <linux/ktime.h>
#include "command.h"

#define PATIENCE_MS	20000

/*
 * Queue the watch for when the oldest transfer may be overdue.  io->watched says
 * that it is queued already, so while data flows it runs once in
 * PATIENCE_MS.  Only a LIVE connection posts, and its close work cancels
 * the watch.
 */
static void watch_in(struct rblkt_io *io, unsigned long delay)
{
	lockdep_assert_held(&io->conn.lock);
	if (io->watched)
		return;
	io->watched = true;
	queue_delayed_work(rblkt_wq, &io->watch, delay);
}

/**
 * rblkt_watch_expect - see to it that what begins to wait for the host ends
 * @io: a LIVE connection; something was put into one of the lists that
 *      rblkt_watch_work() looks at
 *
 * Context: any, with conn->lock held.
 */
void rblkt_watch_expect(struct rblkt_io *io)
{
	watch_in(io, msecs_to_jiffies(PATIENCE_MS));
}

/**
 * rblkt_watch_posted - note that a chain is about to be posted
 * @io: a LIVE connection
 * @chain: its chunks, no longer a command's to give back until the completion
 *
 * Context: any, with conn->lock held.
 */
void rblkt_watch_posted(struct rblkt_io *io, struct rblkt_chunk *chain)
{
	chain->posted = true;
	chain->since = ktime_get_ns();
	list_add_tail(&chain->node, &io->posted);
	rblkt_watch_expect(io);
	if (rblkt_share_wanted(io))
		rblkt_queue_arm(&io->conn);
}

/* Nanoseconds until the oldest transfer is overdue; S64_MAX without one. */
static s64 watch_left(struct rblkt_io *io)
{
	const struct rblkt_chunk *chain;
	const struct rblkt_cmd *cmd;
	u64 since = U64_MAX;

	cmd = list_first_entry_or_null(&io->pulling, struct rblkt_cmd, node);
	if (cmd)
		since = cmd->submitted;
	chain = list_first_entry_or_null(&io->posted, struct rblkt_chunk, node);
	if (chain)
		since = min(since, chain->since);
	cmd = list_first_entry_or_null(&io->replies, struct rblkt_cmd, node);
	if (cmd)
		since = min(since, cmd->ended);
	list_for_each_entry(cmd, &io->waiting, node)
		if (cmd->chunks)
			since = min(since, cmd->chunks->since);
	if (since == U64_MAX)
		return S64_MAX;
	return since + (u64)PATIENCE_MS * NSEC_PER_MSEC - ktime_get_ns();
}

/**
 * rblkt_watch_work - end a connection whose host does not send or take data
 * @work: the connection's watch
 *
 * Context: process; may sleep.
 */
void rblkt_watch_work(struct work_struct *work)
{
	struct rblkt_io *io = container_of(to_delayed_work(work),
					   struct rblkt_io, watch);
	struct rblkt_conn *conn = &io->conn;
	bool overdue = false;
	s64 left;

	/*
	 * Nobody may have looked for completions since.  This waits for who does so
	 * now: what is seen as overdue afterwards is.
	 */
	rblkt_queue_poll_all(conn);
	rblkt_transfer_resume(conn);
	spin_lock_irq(&conn->lock);
	io->watched = false;
	left = watch_left(io);
	if (conn->state != RBLKT_CONN_LIVE)
		left = S64_MAX;
	if (left <= 0)
		overdue = rblkt_conn_kill_locked(conn, "data not sent or taken in time");
	else if (left != S64_MAX)
		watch_in(io, nsecs_to_jiffies(left) + 1);
	spin_unlock_irq(&conn->lock);
	if (overdue)
		rblkt_reason_overdue(conn);
}
