/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Connections that are polled: see poll.c.  transport.h, the door of this layer,
 * includes it.
 */
#ifndef RBLK_POLL_H
#define RBLK_POLL_H

#include <linux/spinlock.h>
#include <linux/types.h>

struct rblk_conn;

/**
 * struct rblk_poll - a connection's state for polling
 * @on: tasks poll the connection while it is READY; fixed before it is made
 * @left: nobody may be polling, although commands wait for completions: the queues
 *        are armed as if the connection was not READY.  Set with sq_lock held,
 *        cleared by the next task that polls
 * @lock: its holder alone polls the receives.  It is held while their handlers
 *        run, outside of all locks that these take
 *
 * Part of its connection.
 */
struct rblk_poll {
	bool on;
	bool left;
	spinlock_t lock;		/* see above */
};

bool rblk_poll_attended(const struct rblk_conn *conn);
int rblk_poll_try(struct rblk_conn *conn);
void rblk_poll_all(struct rblk_conn *conn);
void rblk_poll_receives(struct rblk_conn *conn);
void rblk_poll_end(struct rblk_conn *conn);

#endif /* RBLK_POLL_H */
