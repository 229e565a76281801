// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes and takes down a session's connections.
 *
 * Only the session's work calls rblk_link_up() and rblk_link_down(), so one
 * task at a time makes or takes down an epoch.  Other tasks, such as
 * rblk_link_abort() and SHOW, may look at sess->control and sess->io under
 * sess->lock.  The submission of I/O uses sess->io without the lock while its
 * volume's queue is not held.
 */
#include <linux/slab.h>
#include "session.h"

/*
 * Connections take the completion vectors in turn, across sessions.  If each
 * session began with the first one, sessions of few connections would all have
 * their interrupts on the first few CPUs.
 */
static atomic_t vectors_taken = ATOMIC_INIT(0);

static void link_lost(void *ctx, const char *why)
{
	rblk_sess_lose(ctx, why);
}

/**
 * rblk_link_spare() - could I/O of a session go elsewhere?
 * @sess: the session
 *
 * Context: any.
 * Return: whether one of its volumes has another route that is LIVE.
 */
bool rblk_link_spare(struct rblk_sess *sess)
{
	unsigned long flags;
	struct rblk_vol *vol;
	bool spare = false;

	spin_lock_irqsave(&sess->lock, flags);
	list_for_each_entry(vol, &sess->vols, entry)
		spare |= vol->ops->spare(vol);
	spin_unlock_irqrestore(&sess->lock, flags);
	return spare;
}

/* The link may come back in a moment, but another one is there now. */
static void link_port_down(void *ctx)
{
	if (rblk_link_spare(ctx))
		rblk_sess_lose(ctx, "the link is down");
}

/* A session's conn_ops are these and the upcalls for commands in sess->ops. */
const struct rblk_conn_ops rblk_link_ops = {
	.lost = link_lost,
	.port_down = link_port_down,
	.message = rblk_call_message,
};

/*
 * Make a connection and publish it, so that rblk_link_abort() can abort it and
 * rblk_link_down() takes it down; then connect it.
 */
static int link_connect(struct rblk_sess *sess, struct rblk_conn **where,
			const struct rblk_offer *offer, u32 queues, u32 depth,
			u32 stage, struct rblk_ioc_error *error)
{
	struct rblk_conn *conn;
	bool aborted;
	int ret;

	conn = rblk_conn_alloc(&sess->conn_ops, sess, sess->stats, offer,
			       &sess->pools[offer->qid],
			       offer->qid ? sess->vector + offer->qid - 1 :
			       (u32)atomic_fetch_inc(&vectors_taken));
	if (!conn)
		return rblk_fail(error, stage, -ENOMEM, "out of memory");
	conn->sign.wanted = rblk_auth_wanted(sess);
	conn->connect_ms = rblk_limits_connect_ms(sess->attempt);
	conn->poll.on = offer->qid && offer->qid >= sess->poll_from;
	spin_lock_irq(&sess->lock);
	aborted = sess->aborted;
	if (!aborted)
		/* Pairs with READ_ONCE() in commit_rqs(). */
		smp_store_release(where, conn);
	spin_unlock_irq(&sess->lock);
	if (aborted) {
		rblk_conn_free(conn);
		return rblk_fail(error, stage, -EINTR, "interrupted");
	}
	ret = rblk_conn_connect(conn, &sess->args.peer, queues, depth, error);
	if (ret)
		rblk_pause_refused(sess, conn);
	return ret;
}

/* The tag set and the disks keep the limits of the first grant. */
static int link_check_grant(struct rblk_sess *sess, const struct rblk_grant *grant,
			    struct rblk_ioc_error *error)
{
	if (!sess->nr_io)
		return 0;
	if (grant->nr_queues < sess->nr_io || grant->depth < sess->grant.depth ||
	    grant->max_io < sess->grant.max_io)
		return rblk_fail(error, RBLK_STAGE_CONNECT, -EPROTO,
				 "the target grants less than before: %u queues of depth %u, %u bytes per I/O",
				 grant->nr_queues, grant->depth, grant->max_io);
	return 0;
}

/* So do they what follows from the first RDMA device. */
static int link_check_device(struct rblk_sess *sess, const struct rblk_conn *conn,
			     struct rblk_ioc_error *error)
{
	const struct rblk_caps *now = &conn->caps, *first = &sess->caps;
	const char *why;

	if (!sess->nr_io)
		return 0;
	if (now->mr_page != first->mr_page ||
	    now->one_segment > first->one_segment ||
	    now->map_sleeps > first->map_sleeps)
		why = "registers memory in other units";
	else if (now->peer_memory < first->peer_memory)
		why = "can't reach the memory of PCI devices";
	else
		return 0;
	return rblk_fail(error, RBLK_STAGE_DEVICE, -EXDEV,
			 "RDMA device %s can't take over from the one before: it %s",
			 dev_name(&conn->device->dev), why);
}

/*
 * A session keeps the number that it has: the default depends on the CPUs that are
 * online, which may be fewer than when it was made.
 */
static u32 link_queues(const struct rblk_sess *sess)
{
	if (sess->args.control_only)
		return RBLK_NO_QUEUES;
	return sess->nr_io ? sess->nr_io - sess->nr_poll : sess->args.queues;
}

/* More poll queues than CPUs are of no use: no two would be polled at a time. */
static u32 link_poll_queues(const struct rblk_sess *sess)
{
	return sess->nr_io ? sess->nr_poll :
			     min(sess->args.poll_queues, num_online_cpus());
}

/* A session keeps them, even if another device would do better without. */
static u32 link_inline_read(const struct rblk_sess *sess)
{
	if (sess->nr_io)
		return sess->grant.inline_read;
	return sess->args.flags & RBLK_ATTACH_INLINE_READ ? sess->args.inline_read :
							    RBLK_BEST_INLINE_READ;
}

static int link_control_up(struct rblk_sess *sess, struct rblk_ioc_error *error)
{
	struct rblk_offer offer = {
		.epoch = sess->epoch,
		.inline_read = link_inline_read(sess),
		.poll_queues = link_poll_queues(sess),
	};
	struct rblk_conn *conn;
	int ret;

	export_uuid(offer.session, &sess->uuid);
	ret = link_connect(sess, &sess->control, &offer, link_queues(sess),
			   sess->args.depth, RBLK_STAGE_RESOLVE, error);
	if (ret)
		return ret;
	conn = sess->control;
	ret = link_check_grant(sess, &conn->grant, error);
	if (!ret)
		ret = link_check_device(sess, conn, error);
	if (!ret)
		ret = rblk_login(sess, error);
	if (!ret && rblk_conn_ready(conn))
		ret = rblk_fail(error, RBLK_STAGE_LOGIN, -ECONNRESET,
				"the connection was lost: %s", sess->lost_why);
	if (ret)
		return ret;
	sess->iwarp = conn->caps.iwarp;
	if (sess->nr_io)
		return 0;
	/* The tag set is made for the first grant and device. */
	sess->caps = conn->caps;
	sess->grant = conn->grant;
	sess->poll_from = conn->offer.nr_queues - conn->offer.poll_queues + 1;
	sess->numa_node = ibdev_to_node(conn->device);
	sess->vector = atomic_fetch_add(conn->grant.nr_queues, &vectors_taken);
	return 0;
}

static int link_io_up(struct rblk_sess *sess, u16 qid, struct rblk_ioc_error *error)
{
	struct rblk_offer offer = sess->control->offer;
	struct rblk_conn *conn;
	int ret;

	offer.qid = qid;
	offer.nr_queues = sess->grant.nr_queues;
	offer.depth = sess->grant.depth;
	/* This epoch's device may lack what the first one had. */
	offer.features = sess->grant.features & sess->control->offer.features;
	offer.max_io = sess->grant.max_io;
	offer.inline_read = sess->grant.inline_read;
	offer.inline_write = sess->grant.inline_write;
	ret = link_connect(sess, &sess->io[qid - 1], &offer, 0, 0,
			   RBLK_STAGE_QUEUES, error);
	if (ret)
		return ret;
	conn = sess->io[qid - 1];
	if (conn->device != sess->control->device)
		return rblk_fail(error, RBLK_STAGE_QUEUES, -EXDEV,
				 "I/O connection %u came to use another RDMA device",
				 qid);
	if (conn->grant.depth != offer.depth || conn->grant.max_io != offer.max_io ||
	    offer.features & sess->control->grant.features & ~conn->grant.features &
	    RBLK_FEAT_DIGEST)
		return rblk_fail(error, RBLK_STAGE_QUEUES, -EPROTO,
				 "the target grants I/O connection %u less than the session",
				 qid);
	ret = rblk_login_bind(sess, conn, error);
	if (!ret && rblk_conn_ready(conn))
		ret = rblk_fail(error, RBLK_STAGE_QUEUES, -ECONNRESET,
				"I/O connection %u was lost: %s", qid,
				sess->lost_why);
	return ret;
}

static void conn_take_down(struct rblk_conn *conn)
{
	rblk_conn_disconnect(conn);
	rblk_conn_drain(conn);
	rblk_conn_release(conn);
	rblk_conn_free(conn);
}

/* A new session goes on with fewer I/O connections if @qid, not 1, fails. */
static bool link_accept_fewer(struct rblk_sess *sess, u16 qid)
{
	struct rblk_conn *conn;

	if (sess->nr_io || qid == 1 || READ_ONCE(sess->lost) ||
	    READ_ONCE(sess->aborted))
		return false;
	spin_lock_irq(&sess->lock);
	conn = sess->io[qid - 1];
	WRITE_ONCE(sess->io[qid - 1], NULL);
	spin_unlock_irq(&sess->lock);
	if (conn)
		conn_take_down(conn);
	rblk_pool_exit(&sess->pools[qid]);
	pr_info("rblk: %s: %u I/O connections instead of %u\n",
		sess->args.target_text, qid - 1, sess->grant.nr_queues);
	return true;
}

/* There are @nr I/O connections for good: how many of them are polled? */
static void link_settle(struct rblk_sess *sess, u32 nr)
{
	if (sess->nr_io)
		return;
	WRITE_ONCE(sess->nr_poll, nr >= sess->poll_from ? nr - sess->poll_from + 1 : 0);
	/* Pairs with rblk_sess_queues(). */
	smp_store_release(&sess->nr_io, nr);
	if (sess->nr_poll < sess->args.poll_queues)
		rblk_sess_info(sess, "%u poll queues instead of %u: there are %u CPUs, and %u I/O connections",
			       sess->nr_poll, sess->args.poll_queues,
			       num_online_cpus(), nr);
}

static int link_all_io_up(struct rblk_sess *sess, struct rblk_ioc_error *error)
{
	u16 wanted = sess->nr_io ?: sess->grant.nr_queues;
	u16 qid;
	int ret;

	for (qid = 1; qid <= wanted; qid++) {
		ret = link_io_up(sess, qid, error);
		if (!ret)
			continue;
		if (!link_accept_fewer(sess, qid))
			return ret;
		wanted = qid - 1;
	}
	link_settle(sess, wanted);
	return 0;
}

/**
 * rblk_link_up() - connect, log in and bind all I/O connections in a new epoch
 * @sess: CONNECTING, without connections
 * @error: filled in on failure
 *
 * On failure, rblk_link_down() takes down the connections made so far.
 *
 * Context: session work; may sleep, at most 16 s per connection.
 * Return: 0 or a negative errno.
 */
int rblk_link_up(struct rblk_sess *sess, struct rblk_ioc_error *error)
{
	int ret;

	sess->epoch++;
	sess->linked = true;
	ret = link_control_up(sess, error);
	if (ret || sess->args.control_only)
		return ret;
	return link_all_io_up(sess, error);
}

/* List all connections in @conns, for their teardown. */
static u32 conns_collect(struct rblk_sess *sess, struct rblk_conn **conns)
{
	u32 nr = 0, i;

	for (i = 0; i < RBLK_WIRE_MAX_QUEUES; i++)
		if (sess->io[i])
			conns[nr++] = sess->io[i];
	if (sess->control)
		conns[nr++] = sess->control;
	return nr;
}

/*
 * End the control call in progress.  Later calls find no connection: no task
 * may send on a connection while its queue pair is drained.
 */
static void link_end_calls(struct rblk_sess *sess)
{
	spin_lock_irq(&sess->lock);
	rblk_call_abort(sess);
	spin_unlock_irq(&sess->lock);
	mutex_lock(&sess->call_lock);
	spin_lock_irq(&sess->lock);
	sess->control = NULL;
	spin_unlock_irq(&sess->lock);
	mutex_unlock(&sess->call_lock);
}

static void conns_forget(struct rblk_sess *sess)
{
	u32 i;

	spin_lock_irq(&sess->lock);
	/* commit_rqs() and pollers look without the lock. */
	for (i = 0; i < RBLK_WIRE_MAX_QUEUES; i++)
		WRITE_ONCE(sess->io[i], NULL);
	sess->nr_events = 0;
	spin_unlock_irq(&sess->lock);
}

/**
 * rblk_link_down() - take all connections down and all commands back
 * @sess: each volume's queue is held, or its state makes queue_rq() fail I/O
 *
 * This drains all connections before it takes the first command back.  So the
 * block layer waits once for all commands, and no connection can reach the
 * pages of a completed request, even if a device is lax about protection
 * domains.
 *
 * Context: session work; may sleep.
 */
void rblk_link_down(struct rblk_sess *sess)
{
	struct rblk_conn **conns = sess->down;
	u32 nr, i;

	if (!sess->linked)
		return;
	nr = conns_collect(sess, conns);
	link_end_calls(sess);
	for (i = 0; i < nr; i++)
		rblk_conn_disconnect(conns[i]);
	for (i = 0; i < nr; i++)
		rblk_conn_drain(conns[i]);
	sess->ops->cancel(sess);
	conns_forget(sess);
	for (i = 0; i < nr; i++)
		rblk_conn_release(conns[i]);
	for (i = 0; i < nr; i++)
		rblk_conn_free(conns[i]);
	memzero_explicit(sess->secret, sizeof(sess->secret));
	sess->linked = false;
}

/**
 * rblk_link_abort() - end rblk_link_up() early, and let no later one connect
 * @sess: its last use is gone
 *
 * Context: any.
 */
void rblk_link_abort(struct rblk_sess *sess)
{
	unsigned long flags;
	u32 i;

	spin_lock_irqsave(&sess->lock, flags);
	sess->aborted = true;
	if (sess->control)
		rblk_conn_abort(sess->control);
	for (i = 0; i < RBLK_WIRE_MAX_QUEUES; i++)
		if (sess->io[i])
			rblk_conn_abort(sess->io[i]);
	rblk_call_abort(sess);
	spin_unlock_irqrestore(&sess->lock, flags);
}
