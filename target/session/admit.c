// SPDX-License-Identifier: GPL-2.0-only
/*
 * The admission of a connection that comes through a portal.
 *
 * The target refuses a bad request, or any during a pause, before it allocates
 * anything.  Otherwise it finds or makes the session, and then makes the
 * connection.  A refusal after that takes back what was made or reserved.
 */
#include <linux/module.h>
#include <linux/random.h>
#include <rdma/ib_cm.h>
#include "session.h"

static unsigned int max_queues = 64;
module_param(max_queues, uint, 0644);
MODULE_PARM_DESC(max_queues, "I/O connections granted to a session, at most");

static unsigned int max_depth = RBLK_WIRE_MAX_DEPTH;
module_param(max_depth, uint, 0644);
MODULE_PARM_DESC(max_depth, "Commands outstanding on a connection, at most");

static unsigned int max_io = RBLK_WIRE_MAX_IO;
module_param(max_io, uint, 0644);
MODULE_PARM_DESC(max_io, "Largest data length of a command, bytes");

static unsigned int inline_write = 4096;
module_param(inline_write, uint, 0644);
MODULE_PARM_DESC(inline_write, "Largest write taken with its command, bytes");

static unsigned int inline_read = RBLKT_SLOT_SIZE;
module_param(inline_read, uint, 0644);
MODULE_PARM_DESC(inline_read, "Largest read answered in the response to hosts that ask for it, bytes");

/*
 * Set what the administrator allows a connection, forced into the protocol's
 * ranges.  Features, slots and the window depend on the device.
 */
static void admin_limits(struct rblkt_limits *limits)
{
	u32 io = rounddown_pow_of_two(clamp_t(u32, READ_ONCE(max_io),
					      RBLK_WIRE_MIN_IO,
					      RBLK_WIRE_MAX_IO));

	limits->max_queues = clamp_t(u32, READ_ONCE(max_queues), 1,
				     RBLK_WIRE_MAX_QUEUES);
	limits->max_depth = clamp_t(u32, READ_ONCE(max_depth),
				    RBLK_WIRE_MIN_DEPTH, RBLK_WIRE_MAX_DEPTH);
	limits->max_io = io;
	limits->inline_write = min_t(u32, READ_ONCE(inline_write),
				     RBLK_WIRE_MAX_INLINE);
	limits->inline_read = min_t(u32, READ_ONCE(inline_read),
				    RBLKT_SLOT_SIZE);
}

static void conn_reject(struct rdma_cm_id *id, enum rblk_wire_reject why)
{
	struct rblk_wire_cm_rej rej;

	rblkt_proto_rej(&rej, why, why == RBLK_REJ_PAUSED ? rblkt_pause_ms() : 0);
	rdma_reject(id, &rej, sizeof(rej), IB_CM_REJ_CONSUMER_DEFINED);
}

static enum rblk_wire_reject device_check(const struct rdma_cm_id *id)
{
	const char *lacks;
	enum rblk_wire_reject why;

	why = rblkt_device_check(id->device, id->port_num, &lacks);
	if (why)
		pr_warn_ratelimited("RDMA device %s lacks %s: hosts can't use it\n",
				    dev_name(&id->device->dev), lacks);
	return why;
}

/* Reduce what the administrator allows to what the device can carry. */
static void device_limits(const struct rdma_cm_id *id,
			  struct rblkt_limits *limits)
{
	limits->max_depth = min_t(u32, rblkt_device_depth(id->device),
				  limits->max_depth);
	/* iWARP has no immediates. */
	limits->features = RBLK_FEAT_HELD | RBLK_FEAT_DIGEST | RBLK_FEAT_RESERVATION;
	if (!rdma_protocol_iwarp(id->device, id->port_num))
		limits->features |= RBLK_FEAT_READ_IMM;
	rblkt_push_limits(id->device, limits);
	rblkt_window_limits(id->device, limits);
}

/* Keep what both sides have said so far, as a handshake and MACs depend on it. */
static int link_greet(struct rblkt_link *link, const struct rdma_conn_param *asked)
{
	struct rblk_auth_greeting *greeting = &link->greeting;
	const struct rblkt_sess *sess = link->sess;
	struct rblkt_conn *conn = &link->io.conn;

	memcpy(&greeting->req, asked->private_data, sizeof(greeting->req));
	rblkt_proto_rep(&greeting->rep, &conn->grant);
	get_random_bytes(greeting->rep.nonce, sizeof(greeting->rep.nonce));
	if (!conn->qid || !rblkt_host_proven(&sess->holder.who))
		return 0;
	return rblkt_sign_begin(conn, sess->secret, greeting);
}

static int link_accept(struct rblkt_link *link, const struct rdma_conn_param *asked)
{
	struct rblkt_conn *conn = &link->io.conn;
	struct rdma_conn_param param = {
		.private_data = &link->greeting.rep,
		.private_data_len = sizeof(link->greeting.rep),
		.rnr_retry_count = 7,
		.flow_control = 1,
	};
	int depth = min_t(int, conn->dev->attrs.max_qp_init_rd_atom, U8_MAX);
	int ret = link_greet(link, asked);

	if (ret)
		return ret;
	param.initiator_depth = min_t(u8, asked->initiator_depth, depth);
	return rdma_accept(conn->id, &param);
}

/* Check the request and decide what the connection is granted. */
static enum rblk_wire_reject conn_negotiate(const struct rdma_cm_id *id,
					    const struct rdma_conn_param *param,
					    struct rblkt_req *req,
					    struct rblkt_grant *grant)
{
	struct rblkt_limits limits;
	enum rblk_wire_reject why;

	why = rblkt_proto_check_req(param->private_data,
				    param->private_data_len, req);
	why = why ?: device_check(id);
	if (why)
		return why;
	/* What a host does not send, the target pulls by RDMA READ: it must allow some. */
	if (req->qid && !param->initiator_depth)
		return RBLK_REJ_LIMITS;
	admin_limits(&limits);
	device_limits(id, &limits);
	return rblkt_proto_grant(req, &limits, grant);
}

/*
 * Admit a connection: make it and take it into its session.  Sets @admitted,
 * with a reference for the caller, unless it returns a reason to refuse.
 */
static enum rblk_wire_reject conn_admit(struct rblkt_portal *portal,
					struct rdma_cm_id *id,
					const struct rdma_conn_param *param,
					struct rblkt_link **admitted)
{
	enum rblk_wire_reject why;
	struct rblkt_grant grant;
	struct rblkt_link *link;
	struct rblkt_sess *sess;
	struct rblkt_req req;

	why = conn_negotiate(id, param, &req, &grant);
	if (!why && rblkt_pause_ms())
		why = RBLK_REJ_PAUSED;
	if (why)
		return why;

	if (req.qid)
		sess = rblkt_sess_find(portal, id, &req, &why);
	else
		sess = rblkt_sess_new(portal, id, &req, &why);
	if (!sess)
		return why;
	/*
	 * LOGIN checked the memory for the session's grant, so that bounds all
	 * its I/O connections.
	 */
	if (req.qid)
		rblkt_proto_narrow(&grant, &sess->grant);
	/* An immediate has no MAC, and says that a read's data has come. */
	if (rblkt_host_proven(&sess->holder.who))
		grant.features &= ~RBLK_FEAT_READ_IMM;
	link = rblkt_link_new(sess, id, &req, &grant, &why);
	if (link) {
		why = rblkt_sess_add_link(sess, link);
		if (why)
			rblkt_conn_free(&link->io.conn);
	}
	if (why && !req.qid) {
		mutex_lock(&rblkt_mutex);
		rblkt_sess_kill(sess, "refused");
		mutex_unlock(&rblkt_mutex);
	}
	if (why)
		rblkt_sess_unreserve(sess);
	rblkt_sess_put(sess);
	*admitted = link;
	return why;
}

/**
 * rblkt_admit - accept or refuse a connection request
 * @listener: of the portal it came through
 * @id: its new CM id
 * @param: what the host asks for
 *
 * Context: Process context, the CM handler of the listener; takes rblkt_mutex,
 * may sleep.
 * Return: 0 if the new connection owns @id from here on, even if accepting it
 * failed; -ECONNREFUSED if the caller has to destroy @id.
 */
int rblkt_admit(struct rblkt_listener *listener, struct rdma_cm_id *id,
		const struct rdma_conn_param *param)
{
	struct rblkt_portal *portal = container_of(listener, struct rblkt_portal,
						   listener);
	enum rblk_wire_reject why;
	struct rblkt_link *link;
	struct rblkt_conn *conn;
	int ret;

	why = conn_admit(portal, id, param, &link);
	if (why) {
		rblkt_reason_refused(id, why);
		conn_reject(id, why);
		return -ECONNREFUSED;
	}
	conn = &link->io.conn;
	ret = link_accept(link, param);
	if (ret)
		pr_warn_ratelimited("connection from %pISpc not accepted: error %d\n",
				    &id->route.addr.dst_addr, ret);
	rblkt_conn_accepted(conn, !ret);
	rblkt_conn_put(conn);
	return 0;
}
