// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sessions.  One object is one epoch of what the initiator calls a session: its
 * protection domain, its connections and its attachments.
 *
 * The control connection's CM request makes the object.  It is in no list until
 * LOGIN publishes it and ends its predecessors (epoch.c).  These end it: the
 * loss of the control connection or of any bound one, the host's silence, a
 * newer epoch, a restart of the host, the administrator.  Then its connections
 * close and its attachments drain.  The object is freed when the last of them
 * has let go of it, after the last bio has ended.
 *
 * References: the session's own, until rblkt_sess_kill() drops it; one for each
 * connection, each attachment that has not drained, each closing connection of
 * a predecessor whose memory is charged to this session's credit (link->heir),
 * and the keepalive work while it is queued.
 */
#include <linux/module.h>
#include <linux/slab.h>
#include "session.h"
#include "../trace.h"

static unsigned int keepalive_ms = 5000;
module_param(keepalive_ms, uint, 0644);
MODULE_PARM_DESC(keepalive_ms, "A session silent for three times this is ended");

LIST_HEAD(rblkt_sessions);	/* LIVE ones; guarded by rblkt_mutex */

/**
 * rblkt_keepalive_ms - the interval at which a host has to send something
 *
 * Context: Any.
 * Return: milliseconds, forced into the range that is allowed.
 */
u32 rblkt_keepalive_ms(void)
{
	return clamp_t(u32, READ_ONCE(keepalive_ms), 100, 600000);
}

/**
 * rblkt_sess_set - change a session's state
 * @sess: the session
 * @state: one that may follow the present state
 *
 * Context: Process context, with rblkt_mutex held.
 */
void rblkt_sess_set(struct rblkt_sess *sess, enum rblk_session_state state)
{
	lockdep_assert_held(&rblkt_mutex);
	WARN_ON_ONCE(!rblkt_state_sess_may(sess->state, state));
	trace_rblkt_sess_state(sess, state);
	sess->state = state;
}

static void sess_free_work(struct work_struct *work)
{
	struct rblkt_sess *sess = container_of(work, struct rblkt_sess,
					       free_work);

	rblkt_peer_release(sess);
	xa_destroy(&sess->holder.atts);
	kfree_sensitive(sess);
}

static void sess_release(struct kref *ref)
{
	struct rblkt_sess *sess = container_of(ref, struct rblkt_sess, ref);

	queue_work(rblkt_close_wq, &sess->free_work);
}

/**
 * rblkt_sess_get - take a reference
 * @sess: the session
 *
 * Context: Any.
 */
void rblkt_sess_get(struct rblkt_sess *sess)
{
	kref_get(&sess->ref);
}

/**
 * rblkt_sess_put - drop a reference
 * @sess: the session; a work item frees it after the last reference
 *
 * Context: Any.
 */
void rblkt_sess_put(struct rblkt_sess *sess)
{
	kref_put(&sess->ref, sess_release);
}

/*
 * Jiffies until the host counts as silent if no more messages come; 0 if it
 * does already.  A message on any connection counts.
 */
static unsigned long sess_silence_left(const struct rblkt_sess *sess)
{
	unsigned long limit = msecs_to_jiffies(3 * sess->keepalive_ms);
	unsigned long now = jiffies;
	unsigned long most = 0;
	unsigned int i;

	for (i = 0; i <= sess->nr_queues; i++) {
		const struct rblkt_link *link = sess->link[i];
		unsigned long end;

		if (!link)
			continue;
		end = READ_ONCE(link->io.conn.last_rx) + limit;
		if (time_after(end, now))
			most = max(most, end - now);
	}
	return most;
}

/* Some devices tell of a failed send only who looks. */
static void sess_check_queues(struct rblkt_sess *sess)
{
	unsigned int i;

	for (i = 0; i <= sess->nr_queues; i++)
		if (sess->link[i])
			rblkt_queue_check(&sess->link[i]->io.conn);
}

/*
 * A key that no export allows is a stranger's.  Not at once: a host that has lost its
 * last right is to hear which volumes it has lost.
 */
static bool sess_key_denied(const struct rblkt_sess *sess)
{
	return rblkt_host_proven(&sess->holder.who) && !rblkt_export_for(&sess->holder.who);
}

static void sess_keepalive(struct work_struct *work)
{
	struct rblkt_sess *sess = container_of(to_delayed_work(work),
					       struct rblkt_sess, keepalive);
	unsigned long left;

	mutex_lock(&rblkt_mutex);
	if (sess->state != RBLK_SESS_LIVE)
		goto put;
	left = sess_silence_left(sess);
	if (!left || sess_key_denied(sess)) {
		rblkt_sess_kill(sess, left ? "no export allows its key any more" :
					     "host fell silent");
		goto put;
	}
	sess_check_queues(sess);
	/*
	 * Check again after one interval at the latest: until a dead host's
	 * session ends, its I/O keeps other hosts waiting.
	 */
	left = min(left, msecs_to_jiffies(sess->keepalive_ms));
	queue_delayed_work(rblkt_ctl_wq, &sess->keepalive, left);
	mutex_unlock(&rblkt_mutex);
	return;
put:
	mutex_unlock(&rblkt_mutex);
	rblkt_sess_put(sess);
}

static void sess_get_holder(struct rblkt_holder *holder)
{
	rblkt_sess_get(rblkt_sess_of(holder));
}

static void sess_put_holder(struct rblkt_holder *holder)
{
	rblkt_sess_put(rblkt_sess_of(holder));
}

static bool sess_may_attach(const struct rblkt_holder *holder)
{
	return rblkt_sess_of(holder)->state == RBLK_SESS_LIVE &&
	       !rblkt_pause_left();
}

static const struct rblkt_holder_ops sess_holder_ops = {
	.charge = rblkt_peer_charge,
	.uncharge = rblkt_peer_uncharge,
	.get		= sess_get_holder,
	.put		= sess_put_holder,
	.may_attach	= sess_may_attach,
	.event		= rblkt_event_send,
	.purge		= rblkt_link_purge,
	.hold		= rblkt_link_hold,
	.deferred	= rblkt_bio_deferred_work,
};

/**
 * rblkt_sess_new - make a session for a new control connection
 * @portal: the portal it came through
 * @id: its CM id
 * @req: its request
 * @why: set on failure
 *
 * The caller gets a reference, which it drops by rblkt_sess_put(), and one
 * connection reserved.  Unless rblkt_sess_add_link() then succeeds, the caller
 * also calls rblkt_sess_kill() and rblkt_sess_unreserve().
 *
 * Whose session it is, and which epochs of it there are, is known at LOGIN only.
 *
 * Context: Process context; takes rblkt_mutex, may sleep.
 * Return: an unpublished session, or NULL.
 */
struct rblkt_sess *rblkt_sess_new(struct rblkt_portal *portal,
				  struct rdma_cm_id *id,
				  const struct rblkt_req *req,
				  enum rblk_wire_reject *why)
{
	struct rblkt_sess *sess;

	*why = RBLK_REJ_NO_RESOURCES;
	sess = kzalloc(sizeof(*sess), GFP_KERNEL);
	if (!sess)
		return NULL;
	sess->pd = ib_alloc_pd(id->device, 0);
	if (IS_ERR(sess->pd)) {
		kfree(sess);
		return NULL;
	}
	kref_init(&sess->ref);
	kref_get(&sess->ref);
	INIT_LIST_HEAD(&sess->node);
	sess->holder.ops = &sess_holder_ops;
	xa_init(&sess->holder.atts);
	INIT_DELAYED_WORK(&sess->keepalive, sess_keepalive);
	INIT_WORK(&sess->free_work, sess_free_work);
	sess->state = RBLK_SESS_NEW;
	sess->nr_links = 1;
	memcpy(sess->holder.uuid, req->session, sizeof(sess->holder.uuid));
	sess->epoch = req->epoch;
	sess->nr_queues = req->nr_queues;
	sess->dev = id->device;
	sess->net = portal->listener.net->net_cookie;
	rblkt_addr(&sess->holder.peer, (struct sockaddr *)&id->route.addr.dst_addr);
	rblkt_addr(&sess->local, (struct sockaddr *)&id->route.addr.src_addr);
	kref_get(&portal->ref);
	sess->portal = portal;
	return sess;
}

/**
 * rblkt_sess_add_link - add a new connection to its session
 * @sess: the session, with a connection reserved
 * @link: made for it, in the CM handler
 *
 * On success the connection owns the reservation, its handshake timeout runs,
 * and the CM handler has a reference to @link.
 *
 * Context: Process context; takes rblkt_mutex, may sleep.
 * Return: RBLK_REJ_NONE, or why the connection is refused.
 */
enum rblk_wire_reject rblkt_sess_add_link(struct rblkt_sess *sess,
					  struct rblkt_link *link)
{
	struct rblkt_conn *conn = &link->io.conn;
	enum rblk_wire_reject why = RBLK_REJ_NONE;

	mutex_lock(&rblkt_mutex);
	if (sess->state == RBLK_SESS_DELETING ||
	    (conn->qid && sess->state != RBLK_SESS_LIVE))
		why = RBLK_REJ_NO_SESSION;
	else if (!sess->portal || sess->portal->listener.removed)
		why = RBLK_REJ_GOING_AWAY;
	else if (sess->link[conn->qid])
		why = RBLK_REJ_DUPLICATE;
	if (!why) {
		if (!conn->qid) {
			sess->nr_queues = conn->grant.nr_queues;
			sess->grant = conn->grant;
			rblkt_sess_set(sess, RBLK_SESS_CONNECTING);
		}
		sess->link[conn->qid] = link;
		list_add_tail(&conn->node, &rblkt_conns);
		rblkt_conn_get(conn);
		queue_delayed_work(rblkt_ctl_wq, &conn->handshake,
				   msecs_to_jiffies(rblkt_peer_handshake_ms()));
	}
	mutex_unlock(&rblkt_mutex);
	return why;
}

/**
 * rblkt_sess_unreserve - give a connection's place in its session back
 * @sess: from rblkt_sess_new() or rblkt_sess_find()
 *
 * The session gives up its PD and its portal with its last connection.
 *
 * Context: Process context; takes rblkt_mutex, may sleep.
 */
void rblkt_sess_unreserve(struct rblkt_sess *sess)
{
	struct rblkt_portal *portal = NULL;
	struct ib_pd *pd = NULL;

	mutex_lock(&rblkt_mutex);
	if (!--sess->nr_links) {
		swap(pd, sess->pd);
		swap(portal, sess->portal);
	}
	mutex_unlock(&rblkt_mutex);
	if (pd)
		ib_dealloc_pd(pd);
	if (portal)
		rblkt_portal_put(portal);
}

/**
 * rblkt_sess_link_closed - remove a closed connection from its session
 * @link: DEAD, with its queue pair and memory regions destroyed
 *
 * Adds its counters to the session's.
 *
 * Context: Process context, the close work; takes rblkt_mutex, may sleep.
 */
void rblkt_sess_link_closed(struct rblkt_link *link)
{
	struct rblkt_conn *conn = &link->io.conn;
	struct rblkt_sess *sess = link->sess;
	int i;

	mutex_lock(&rblkt_mutex);
	sess->link[conn->qid] = NULL;
	for (i = 0; i < RBLK_CNT_NR; i++)
		sess->counter[i] += conn->rx.v[i] + conn->tx.v[i];
	/*
	 * An epoch ends with any of its connections: the host may send the
	 * commands of this one again only in a new epoch, behind the fence.
	 */
	if (!conn->qid || conn->bound)
		rblkt_sess_kill(sess, conn->why);
	mutex_unlock(&rblkt_mutex);
	rblkt_sess_unreserve(sess);
}

/**
 * rblkt_sess_kill - end a session
 * @sess: any; nothing happens if it is ending already
 * @why: for the log
 *
 * Waits neither for the connections to close nor for I/O to end.  Drops the
 * session's own reference: unless the caller knows of another, @sess may be
 * freed.
 *
 * Context: Process context, with rblkt_mutex held.
 */
void rblkt_sess_kill(struct rblkt_sess *sess, const char *why)
{
	bool known = sess->state == RBLK_SESS_LIVE;
	unsigned int i;

	lockdep_assert_held(&rblkt_mutex);
	if (sess->state == RBLK_SESS_DELETING)
		return;
	if (known) {
		sess->from->sessions--;
		pr_info_ratelimited("session %pUb of host %s, epoch %u, ended: %s\n",
				    sess->holder.uuid, sess->holder.host_name, sess->epoch,
				    why);
	}
	rblkt_sess_set(sess, RBLK_SESS_DELETING);
	list_del_init(&sess->node);
	for (i = 0; i <= sess->nr_queues; i++)
		if (sess->link[i])
			rblkt_conn_kill(&sess->link[i]->io.conn, why);
	rblkt_att_lose_all(&sess->holder);
	if (cancel_delayed_work(&sess->keepalive))
		rblkt_sess_put(sess);
	rblkt_sess_put(sess);
}

/**
 * rblkt_sess_kill_portal - end all sessions of a portal, logged in or not
 * @portal: already removed, so that no connection can join
 *
 * Context: Process context; takes rblkt_mutex, may sleep.
 */
void rblkt_sess_kill_portal(const struct rblkt_portal *portal)
{
	struct rblkt_conn *conn;

	mutex_lock(&rblkt_mutex);
	list_for_each_entry(conn, &rblkt_conns, node) {
		struct rblkt_sess *sess = rblkt_link_of(conn)->sess;

		if (sess->portal == portal)
			rblkt_sess_kill(sess, "portal removed");
	}
	mutex_unlock(&rblkt_mutex);
}

/**
 * rblkt_sess_count - sum up a session's counters
 * @sess: the session
 * @counter: set to RBLK_CNT_NR sums over open and closed connections
 *
 * Context: Process context, with rblkt_mutex held.
 */
void rblkt_sess_count(struct rblkt_sess *sess, u64 *counter)
{
	unsigned int i, j;

	lockdep_assert_held(&rblkt_mutex);
	memcpy(counter, sess->counter, sizeof(sess->counter));
	for (i = 0; i <= sess->nr_queues; i++) {
		const struct rblkt_link *link = sess->link[i];

		for (j = 0; link && j < RBLK_CNT_NR; j++)
			counter[j] += link->io.conn.rx.v[j] +
				      link->io.conn.tx.v[j];
	}
}
