// SPDX-License-Identifier: GPL-2.0-only
/*
 * The connections of a session: making one out of the parts of each layer, and
 * the operations by which it tells the layers of what happens.
 *
 * A connection has one set of operations until its host has logged in or bound,
 * and another from then on.  So a message of commands goes from transport/
 * straight to io/.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include "session.h"

/* No other object shares a cache line that a connection's I/O writes. */
static_assert(sizeof(struct rblkt_io) % SMP_CACHE_BYTES == 0);
static_assert(sizeof(struct rblkt_link) % SMP_CACHE_BYTES == 0);

static void link_unmap(struct rblkt_conn *conn)
{
	rblkt_io_unmap(conn);
	rblkt_ctl_unmap(rblkt_link_of(conn));
}

static void link_closed(struct rblkt_conn *conn)
{
	rblkt_sess_link_closed(rblkt_link_of(conn));
}

static void link_free(struct rblkt_conn *conn)
{
	struct rblkt_link *link = rblkt_link_of(conn);

	rblkt_io_free(&link->io);
	rblkt_ctl_free(link);
	rblkt_auth_end(link);
	rblkt_peer_leave(link);
	rblkt_sess_put(link->sess);
	kvfree(link);
}

/* The control connection, qid 0. */
static const struct rblkt_conn_ops ctl_ops = {
	.message	= rblkt_login_receive,
	.resume		= rblkt_event_resume,
	.unmap		= link_unmap,
	.closed		= link_closed,
	.free		= link_free,
};

/* An I/O connection that is not bound yet. */
static const struct rblkt_conn_ops bind_ops = {
	.message	= rblkt_login_bind,
	.resume		= rblkt_transfer_resume,
	.cancel		= rblkt_transfer_cancel,
	.unmap		= link_unmap,
	.closed		= link_closed,
	.free		= link_free,
};

/* The same once it is bound. */
static const struct rblkt_conn_ops io_ops = {
	.message	= rblkt_cmd_receive,
	.resume		= rblkt_transfer_resume,
	.cancel		= rblkt_transfer_cancel,
	.unmap		= link_unmap,
	.closed		= link_closed,
	.free		= link_free,
};

/**
 * rblkt_link_live - note that a connection's host has logged in or bound
 * @link: the connection
 *
 * Context: process, the connection's receive context; does not sleep.
 * Return: false if the connection is ending.
 */
bool rblkt_link_live(struct rblkt_link *link)
{
	struct rblkt_conn *conn = &link->io.conn;

	if (!rblkt_conn_live(conn, conn->qid ? &io_ops : &ctl_ops))
		return false;
	rblkt_peer_known(link);
	return true;
}

/**
 * rblkt_link_bytes - the most memory that a connection takes
 * @dev: its RDMA device
 * @grant: its grant
 * @qid: its number
 *
 * Context: any.
 * Return: bytes.
 */
size_t rblkt_link_bytes(const struct ib_device *dev, const struct rblkt_grant *grant,
			u16 qid)
{
	return sizeof(struct rblkt_link) +
	       rblkt_recv_bytes(grant, qid, dev->attrs.max_recv_sge > 1) +
	       rblkt_ctl_bytes(qid) + (qid ? rblkt_io_bytes(grant) : 0);
}

static void link_init(struct rblkt_link *link, struct rblkt_sess *sess,
		      struct rdma_cm_id *id, const struct rblkt_req *req,
		      const struct rblkt_grant *grant)
{
	struct rblkt_conn *conn = &link->io.conn;

	rblkt_conn_init(conn, req->qid ? &bind_ops : &ctl_ops, id, req, grant);
	rblkt_io_init(&link->io, &sess->holder);
	INIT_LIST_HEAD(&link->free_ctls);
	rblkt_sess_get(sess);
	link->sess = sess;
	conn->pd = sess->pd;
	conn->host_name = sess->holder.host_name;
}

static int link_make(struct rblkt_link *link)
{
	int ret = 0;

	if (link->io.conn.qid)
		ret = rblkt_io_make(&link->io);
	if (!ret)
		ret = rblkt_ctl_alloc(link);
	if (!ret)
		ret = rblkt_ctl_map(link);
	return ret ?: rblkt_conn_make(&link->io.conn);
}

/**
 * rblkt_link_new - make all that a connection needs
 * @sess: its session; the connection takes a reference
 * @id: its CM id; until success only its queue pair changes
 * @req: the host's request
 * @grant: the limits granted
 * @why: set on failure
 *
 * Context: process; may sleep.
 * Return: the connection with its receives posted, to be undone by
 * rblkt_conn_free(), or NULL.
 */
struct rblkt_link *rblkt_link_new(struct rblkt_sess *sess, struct rdma_cm_id *id,
				  const struct rblkt_req *req,
				  const struct rblkt_grant *grant,
				  enum rblk_wire_reject *why)
{
	struct rblkt_link *link = kvzalloc(sizeof(*link), GFP_KERNEL);
	int ret;

	*why = RBLK_REJ_NO_RESOURCES;
	if (!link)
		return NULL;
	link_init(link, sess, id, req, grant);
	*why = rblkt_peer_enter(link);
	if (*why)
		goto free;
	ret = link_make(link);
	if (!ret)
		return link;
	pr_warn_ratelimited("connection refused: error %d making its resources\n",
			    ret);
	*why = RBLK_REJ_NO_RESOURCES;
free:
	rblkt_conn_free(&link->io.conn);
	return NULL;
}

/**
 * rblkt_link_purge - answer what waits in a session's connections and never leaves
 * @holder: the session; some of its attachments drain
 *
 * Context: Process context, with rblkt_mutex held; does not wait.
 */
void rblkt_link_purge(struct rblkt_holder *holder)
{
	struct rblkt_sess *sess = rblkt_sess_of(holder);
	unsigned int i;

	for (i = 1; i <= sess->nr_queues; i++)
		if (sess->link[i])
			rblkt_transfer_purge(&sess->link[i]->io.conn);
}

/**
 * rblkt_link_hold - answer an attachment's commands that are at the device
 * @att: draining for long
 *
 * Context: Process context, with rblkt_mutex held; does not wait.
 * Return: true if some are left to answer later.
 */
bool rblkt_link_hold(struct rblkt_att *att)
{
	struct rblkt_sess *sess = rblkt_sess_of(att->holder);
	bool left = false;
	unsigned int i;

	for (i = 1; i <= sess->nr_queues; i++)
		if (sess->link[i])
			left |= rblkt_held_answer(&sess->link[i]->io.conn, att);
	return left;
}
