// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sessions.  One object is one epoch of what the initiator calls a session:
 * its protection domain, its connections, its attachments.
 *
 * Made with the control connection's CM request it is unpublished; a LOGIN
 * publishes it and ends its predecessors.  The loss of the control connection,
 * silence, a newer epoch or the administrator end it: its connections die, its
 * attachments drain, and the objects go when the last bio has ended.
 */
#include <linux/module.h>
#include <linux/random.h>
#include <linux/slab.h>
#include "rblkt.h"
#include "trace.h"

static unsigned int max_sessions = 1024;
module_param(max_sessions, uint, 0644);
MODULE_PARM_DESC(max_sessions, "Sessions logged in, at most");

static unsigned int keepalive_ms = 5000;
module_param(keepalive_ms, uint, 0644);
MODULE_PARM_DESC(keepalive_ms, "A session silent for three times this is ended");

LIST_HEAD(rblkt_sessions);

/**
 * rblkt_keepalive_ms - how often a host has to be heard, milliseconds
 */
u32 rblkt_keepalive_ms(void)
{
	return clamp_t(u32, READ_ONCE(keepalive_ms), 100, 600000);
}

/**
 * rblkt_sess_set - change a session's state
 * @sess: the session
 * @state: one that may follow
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

	xa_destroy(&sess->atts);
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
 */
void rblkt_sess_get(struct rblkt_sess *sess)
{
	kref_get(&sess->ref);
}

/**
 * rblkt_sess_put - drop a reference
 * @sess: may be freed, later and elsewhere
 */
void rblkt_sess_put(struct rblkt_sess *sess)
{
	kref_put(&sess->ref, sess_release);
}

static bool silent(const struct rblkt_sess *sess)
{
	unsigned long limit = msecs_to_jiffies(3 * rblkt_keepalive_ms());
	unsigned int i;

	for (i = 0; i <= sess->nr_queues; i++) {
		const struct rblkt_conn *conn = sess->conn[i];

		if (conn && time_before(jiffies,
					READ_ONCE(conn->last_rx) + limit))
			return false;
	}
	return true;
}

static void sess_keepalive(struct work_struct *work)
{
	struct rblkt_sess *sess = container_of(to_delayed_work(work),
					       struct rblkt_sess, keepalive);

	mutex_lock(&rblkt_mutex);
	if (sess->state != RBLK_SESS_LIVE)
		goto put;
	if (silent(sess)) {
		rblkt_sess_kill(sess, "host fell silent");
		goto put;
	}
	queue_delayed_work(rblkt_wq, &sess->keepalive,
			   msecs_to_jiffies(rblkt_keepalive_ms()));
	mutex_unlock(&rblkt_mutex);
	return;
put:
	mutex_unlock(&rblkt_mutex);
	rblkt_sess_put(sess);
}

static struct rblkt_sess *find_uuid(const u8 *uuid)
{
	struct rblkt_sess *sess;

	lockdep_assert_held(&rblkt_mutex);
	list_for_each_entry(sess, &rblkt_sessions, node)
		if (!memcmp(sess->uuid, uuid, RBLK_UUID_LEN))
			return sess;
	return NULL;
}

static enum rblk_wire_reject check_epoch(const struct rblkt_req *req)
{
	const struct rblkt_sess *sess;
	enum rblk_wire_reject why = RBLK_REJ_NONE;

	mutex_lock(&rblkt_mutex);
	sess = find_uuid(req->session);
	if (sess && req->epoch < sess->epoch)
		why = RBLK_REJ_STALE_EPOCH;
	else if (sess && req->epoch == sess->epoch)
		why = RBLK_REJ_DUPLICATE;
	mutex_unlock(&rblkt_mutex);
	return why;
}

/**
 * rblkt_sess_new - a control connection asks for a new session
 * @portal: through which it came
 * @id: its CM id
 * @req: its request
 * @why: set on failure
 *
 * Return: an unpublished session with a reference for the caller besides its
 * own and a connection reserved, or NULL.
 */
struct rblkt_sess *rblkt_sess_new(struct rblkt_portal *portal,
				  struct rdma_cm_id *id,
				  const struct rblkt_req *req,
				  enum rblk_wire_reject *why)
{
	struct rblkt_sess *sess;

	*why = check_epoch(req);
	if (*why)
		return NULL;
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
	xa_init(&sess->atts);
	INIT_DELAYED_WORK(&sess->keepalive, sess_keepalive);
	INIT_WORK(&sess->free_work, sess_free_work);
	sess->state = RBLK_SESS_NEW;
	sess->nr_conns = 1;
	memcpy(sess->uuid, req->session, sizeof(sess->uuid));
	sess->epoch = req->epoch;
	sess->nr_queues = req->nr_queues;
	sess->dev = id->device;
	rblkt_addr(&sess->peer, (struct sockaddr *)&id->route.addr.dst_addr);
	rblkt_addr(&sess->local, (struct sockaddr *)&id->route.addr.src_addr);
	kref_get(&portal->ref);
	sess->portal = portal;
	return sess;
}

/**
 * rblkt_sess_find - the session an I/O connection wants to join
 * @req: its request
 * @dev: the RDMA device it came over
 * @why: set on failure
 *
 * Return: the session with a reference and a connection reserved, whose PD
 * stays until then; or NULL.
 */
struct rblkt_sess *rblkt_sess_find(const struct rblkt_req *req,
				   struct ib_device *dev,
				   enum rblk_wire_reject *why)
{
	struct rblkt_sess *sess;

	*why = RBLK_REJ_NONE;
	mutex_lock(&rblkt_mutex);
	sess = find_uuid(req->session);
	if (!sess || req->epoch > sess->epoch)
		*why = RBLK_REJ_NO_SESSION;
	else if (req->epoch < sess->epoch)
		*why = RBLK_REJ_STALE_EPOCH;
	else if (req->qid > sess->nr_queues)
		*why = RBLK_REJ_LIMITS;
	else if (dev != sess->dev)
		*why = RBLK_REJ_DEVICE;
	if (*why) {
		sess = NULL;
	} else {
		rblkt_sess_get(sess);
		sess->nr_conns++;
	}
	mutex_unlock(&rblkt_mutex);
	return sess;
}

/**
 * rblkt_sess_add_conn - take a new connection into its session
 * @sess: the session
 * @conn: made for it, in the CM handler
 *
 * Return: RBLK_REJ_NONE with a reference for the handler, or why not.
 */
enum rblk_wire_reject rblkt_sess_add_conn(struct rblkt_sess *sess,
					  struct rblkt_conn *conn)
{
	enum rblk_wire_reject why = RBLK_REJ_NONE;

	mutex_lock(&rblkt_mutex);
	if (sess->state == RBLK_SESS_DELETING ||
	    (conn->qid && sess->state != RBLK_SESS_LIVE))
		why = RBLK_REJ_NO_SESSION;
	else if (!sess->portal || sess->portal->removed)
		why = RBLK_REJ_GOING_AWAY;
	else if (sess->conn[conn->qid])
		why = RBLK_REJ_DUPLICATE;
	if (!why) {
		if (!conn->qid) {
			sess->nr_queues = conn->grant.nr_queues;
			rblkt_sess_set(sess, RBLK_SESS_CONNECTING);
		}
		sess->conn[conn->qid] = conn;
		list_add_tail(&conn->node, &rblkt_conns);
		rblkt_conn_get(conn);
		atomic_inc(&rblkt_half_open);
		queue_delayed_work(rblkt_wq, &conn->handshake,
				   msecs_to_jiffies(RBLKT_HANDSHAKE_MS));
	}
	mutex_unlock(&rblkt_mutex);
	return why;
}

/**
 * rblkt_sess_unreserve - give back what rblkt_sess_new() or _find() reserved
 * @sess: without its last connection it needs no PD and no portal
 */
void rblkt_sess_unreserve(struct rblkt_sess *sess)
{
	struct rblkt_portal *portal = NULL;
	struct ib_pd *pd = NULL;

	mutex_lock(&rblkt_mutex);
	if (!--sess->nr_conns) {
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
 * rblkt_sess_conn_closed - a connection has no hardware any more
 * @conn: it, its queue pair and memory regions destroyed
 */
void rblkt_sess_conn_closed(struct rblkt_conn *conn)
{
	struct rblkt_sess *sess = conn->sess;
	int i;

	mutex_lock(&rblkt_mutex);
	sess->conn[conn->qid] = NULL;
	for (i = 0; i < RBLK_CNT_NR; i++)
		sess->counter[i] += conn->rx.v[i] + conn->tx.v[i];
	/*
	 * An epoch does not outlive any of its connections: what was under way
	 * on this one may only be sent again in an epoch that the fence knows.
	 */
	if (!conn->qid)
		rblkt_sess_kill(sess, "control connection closed");
	else if (conn->bound)
		rblkt_sess_kill(sess, "I/O connection closed");
	mutex_unlock(&rblkt_mutex);
	rblkt_sess_unreserve(sess);
}

/**
 * rblkt_sess_kill - end a session
 * @sess: any; nothing happens when it is ending already
 * @why: for the log
 *
 * Waits for nothing.
 */
void rblkt_sess_kill(struct rblkt_sess *sess, const char *why)
{
	bool known = sess->state == RBLK_SESS_LIVE;
	struct rblkt_att *att;
	unsigned long handle;
	unsigned int i;

	lockdep_assert_held(&rblkt_mutex);
	if (sess->state == RBLK_SESS_DELETING)
		return;
	if (known)
		pr_info("session %pUb of host %s, epoch %u, ended: %s\n",
			sess->uuid, sess->host_name, sess->epoch, why);
	rblkt_sess_set(sess, RBLK_SESS_DELETING);
	list_del_init(&sess->node);
	for (i = 0; i <= sess->nr_queues; i++)
		if (sess->conn[i])
			rblkt_conn_kill(sess->conn[i], why);
	xa_for_each(&sess->atts, handle, att) {
		xa_erase(&sess->atts, handle);
		sess->nr_atts--;
		if (!att->draining)
			rblkt_att_drain(att);
		rblkt_att_put(att);
	}
	if (cancel_delayed_work(&sess->keepalive))
		rblkt_sess_put(sess);
	rblkt_sess_put(sess);
}

/**
 * rblkt_sess_kill_portal - end what came through a portal, logged in or not
 * @portal: already removed
 */
void rblkt_sess_kill_portal(const struct rblkt_portal *portal)
{
	struct rblkt_conn *conn;

	mutex_lock(&rblkt_mutex);
	list_for_each_entry(conn, &rblkt_conns, node)
		if (conn->sess->portal == portal)
			rblkt_sess_kill(conn->sess, "portal removed");
	mutex_unlock(&rblkt_mutex);
}

/* End an older epoch of @sess; its counters live on. */
static void succeed(struct rblkt_sess *sess, struct rblkt_sess *old)
{
	u64 counter[RBLK_CNT_NR];
	int i;

	rblkt_sess_count(old, counter);
	for (i = 0; i < RBLK_CNT_NR; i++)
		sess->counter[i] += counter[i];
	sess->counter[RBLK_CNT_RECONNECTS]++;
	rblkt_sess_kill(old, "succeeded by a newer epoch");
}

/* End the host's sessions from before its last boot; count all others. */
static unsigned int end_former_boot(const struct rblk_wire_login *msg)
{
	struct rblkt_sess *sess, *next;
	unsigned int nr = 0;

	list_for_each_entry_safe(sess, next, &rblkt_sessions, node) {
		nr++;
		if (memcmp(sess->host, msg->host, sizeof(sess->host)) ||
		    !memcmp(sess->instance, msg->instance,
			    sizeof(sess->instance)))
			continue;
		rblkt_sess_kill(sess, "host has restarted");
		nr--;
	}
	return nr;
}

static void publish(struct rblkt_sess *sess, const struct rblk_wire_login *msg)
{
	memcpy(sess->host, msg->host, sizeof(sess->host));
	memcpy(sess->instance, msg->instance, sizeof(sess->instance));
	strscpy(sess->host_name, msg->host_name, sizeof(sess->host_name));
	sess->key = get_random_u64();
	rblkt_sess_set(sess, RBLK_SESS_LIVE);
	list_add_tail(&sess->node, &rblkt_sessions);
	rblkt_sess_get(sess);
	queue_delayed_work(rblkt_wq, &sess->keepalive,
			   msecs_to_jiffies(rblkt_keepalive_ms()));
	pr_info("session %pUb of host %s, epoch %u, logged in\n", sess->uuid,
		sess->host_name, sess->epoch);
}

/**
 * rblkt_sess_login - publish a session
 * @sess: whose control connection received @msg
 * @msg: the checked message
 *
 * The newest epoch wins and so does the host's latest boot.  A session's UUID
 * is known to its host alone, but that is no proof: another host is refused.
 *
 * Return: enum rblk_wire_ctl_status.
 */
u16 rblkt_sess_login(struct rblkt_sess *sess, const struct rblk_wire_login *msg)
{
	struct rblkt_sess *old;
	u16 status = RBLK_CTL_OK;

	mutex_lock(&rblkt_mutex);
	old = find_uuid(sess->uuid);
	if (sess->state != RBLK_SESS_CONNECTING)
		status = RBLK_CTL_GOING_AWAY;
	else if (old && memcmp(old->host, msg->host, sizeof(old->host)))
		status = RBLK_CTL_DENIED;
	else if (old && old->epoch >= sess->epoch)
		status = RBLK_CTL_GOING_AWAY;
	if (status)
		goto unlock;
	if (old)
		succeed(sess, old);
	if (end_former_boot(msg) < max_sessions)
		publish(sess, msg);
	else
		status = RBLK_CTL_NO_RESOURCES;
unlock:
	mutex_unlock(&rblkt_mutex);
	return status;
}

/**
 * rblkt_sess_count - sum up a session's counters
 * @sess: the session
 * @counter: RBLK_CNT_NR sums
 */
void rblkt_sess_count(struct rblkt_sess *sess, u64 *counter)
{
	unsigned int i, j;

	lockdep_assert_held(&rblkt_mutex);
	memcpy(counter, sess->counter, sizeof(sess->counter));
	for (i = 0; i <= sess->nr_queues; i++) {
		const struct rblkt_conn *conn = sess->conn[i];

		for (j = 0; conn && j < RBLK_CNT_NR; j++)
			counter[j] += conn->rx.v[j] + conn->tx.v[j];
	}
}
