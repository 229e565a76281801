// SPDX-License-Identifier: GPL-2.0-only
/*
 * Connections that are polled: a task that waits for its I/O looks itself whether
 * it has ended, so no interrupt, softirq or wakeup has to tell it.
 *
 * Such a connection differs from others in its completion queues only.  While it
 * is READY they are armed for errors alone, and whoever calls rblk_poll_try()
 * handles what is there.  At all other times (BIND, a loss, the drain) they are
 * armed for each completion, and the tasklet of ring.c handles them.  So nothing
 * but the end of I/O depends on tasks that poll.  Where these may have gone away,
 * rblk_poll_all() takes their place: at a timeout, a keepalive, a detach.  It looks
 * once.  For what completes later it arms the queues, until a task polls again.
 *
 * Pollers look at the connection's state with poll.lock held, and leave the queues
 * alone unless it is READY.  It is not when the connection is drained, and
 * rblk_poll_end() waits for those that saw it before.
 *
 * A handler runs as in softirq: with bottom halves off, and one at a time.
 */
#include "transport.h"

#define POLL_BATCH	8
/* Receives that one call handles at most, as bottom halves are off meanwhile. */
#define POLL_MOST	64

static bool poll_ready(const struct rblk_conn *conn)
{
	return conn->poll.on && READ_ONCE(conn->state) == RBLK_CONN_READY;
}

/**
 * rblk_poll_attended() - do tasks find the completions of this connection?
 * @conn: in any state
 *
 * Context: any.
 * Return: whether the queues are not to be armed for good completions.
 */
bool rblk_poll_attended(const struct rblk_conn *conn)
{
	return poll_ready(conn) && !READ_ONCE(conn->poll.left);
}

/* Handle up to POLL_MOST receives; returns how many. */
static int poll_receives(struct rblk_conn *conn)
	__must_hold(&conn->poll.lock)
{
	struct ib_wc wc[POLL_BATCH];
	int found = 0, nr, i;

	lockdep_assert_held(&conn->poll.lock);
	do {
		nr = ib_poll_cq(conn->rcq, POLL_BATCH, wc);
		for (i = 0; i < nr; i++)
			wc[i].wr_cqe->done(conn->rcq, &wc[i]);
		found += max(nr, 0);
	} while (nr == POLL_BATCH && found < POLL_MOST);
	return found;
}

/*
 * After the receives: an immediate asks for an invalidation, which ends its read,
 * and an answered write may wait for its RDMA WRITEs.  No task waits for other
 * sends; without these the queue need not be looked at.
 */
static int poll_sends(struct rblk_conn *conn)
	__must_hold(&conn->poll.lock)
{
	lockdep_assert_held(&conn->poll.lock);
	if (READ_ONCE(conn->sq_awaited) || READ_ONCE(conn->sq_marking))
		return rblk_ring_poll(conn);
	return 0;
}

/**
 * rblk_poll_try() - handle completions of a polled connection, if there are any
 * @conn: polled, in any state
 *
 * If another task is doing this, there is nothing to do.
 *
 * Context: process, in an RCU reader that found @conn; does not sleep.
 * Return: how many were handled; -1 if the connection is not READY, as then it is
 * of no use to try again at once.
 */
int rblk_poll_try(struct rblk_conn *conn)
{
	int found = -1;

	if (!poll_ready(conn))
		return -1;
	if (!spin_trylock_bh(&conn->poll.lock))
		return 0;
	if (poll_ready(conn)) {
		if (unlikely(READ_ONCE(conn->poll.left)))
			WRITE_ONCE(conn->poll.left, false);
		found = poll_receives(conn);
		found += poll_sends(conn);
	}
	spin_unlock_bh(&conn->poll.lock);
	return found;
}

/*
 * Nobody may come back for what answered commands still wait for, such as the
 * invalidation that an immediate has just asked for: let the tasklet find it.
 */
static void poll_leave(struct rblk_conn *conn)
{
	unsigned long flags;

	spin_lock_irqsave(&conn->sq_lock, flags);
	if (conn->sq_awaited) {
		WRITE_ONCE(conn->poll.left, true);
		rblk_ring_arm(conn);
	}
	spin_unlock_irqrestore(&conn->sq_lock, flags);
}

/**
 * rblk_poll_all() - handle all completions in the place of tasks that should
 * @conn: in any state; nothing happens unless it is polled and READY
 *
 * As many receives as there are buffers are enough: others came after the call.
 *
 * Context: process, in an RCU reader that found @conn, or session work; does not
 * sleep.
 */
void rblk_poll_all(struct rblk_conn *conn)
{
	u32 left = conn->nr_recv;
	int received;

	do {
		if (!poll_ready(conn))
			return;
		received = 0;
		spin_lock_bh(&conn->poll.lock);
		if (poll_ready(conn)) {
			received = poll_receives(conn);
			poll_sends(conn);
		}
		spin_unlock_bh(&conn->poll.lock);
		left -= min_t(u32, left, received);
	} while (received && left);
	poll_leave(conn);
}

/**
 * rblk_poll_receives() - handle the receives that are there, in any state
 * @conn: its queues are armed; nothing happens unless it is polled
 *
 * Context: softirq.
 */
void rblk_poll_receives(struct rblk_conn *conn)
{
	if (!conn->poll.on)
		return;
	spin_lock(&conn->poll.lock);
	while (poll_receives(conn) >= POLL_MOST)
		;
	spin_unlock(&conn->poll.lock);
}

/**
 * rblk_poll_end() - wait until no task polls a connection any more
 * @conn: no longer READY
 *
 * Context: may sleep.
 */
void rblk_poll_end(struct rblk_conn *conn)
{
	spin_lock_bh(&conn->poll.lock);
	spin_unlock_bh(&conn->poll.lock);
}
