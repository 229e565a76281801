// SPDX-License-Identifier: GPL-2.0-only
/*
 * From an address to an established connection: the connection manager's steps,
 * each with a deadline, and what their failures mean in words.
 *
 * The CM's handler never destroys anything.  It notes the outcome of the step
 * that rblk_conn_connect() waits for, or, once connected, reports the loss.
 */
#include <rdma/ib_cm.h>
#include "../compat/netns.h"
#include "transport.h"
#include "trace.h"

#define RESOLVE_MS	3000
#define ROUTE_MS	3000
#define CONNECT_MS	8000

/* The step that rblk_conn_connect() waits for has ended. */
static void step_done(struct rblk_conn *conn, int error)
{
	unsigned long flags;

	spin_lock_irqsave(&conn->lock, flags);
	if (!completion_done(&conn->cm_done)) {
		conn->cm_error = error;
		complete(&conn->cm_done);
	}
	spin_unlock_irqrestore(&conn->lock, flags);
}

static void on_rejected(struct rblk_conn *conn, struct rdma_cm_event *event)
{
	const void *data;
	u8 bytes = 0;

	data = rdma_consumer_reject_data(conn->id, event, &bytes);
	if (!data || rblk_proto_check_cm_rej(data, bytes, &conn->rej))
		conn->cm_text = rdma_reject_msg(conn->id, event->status);
	step_done(conn, -ECONNREFUSED);
}

static void on_established(struct rblk_conn *conn, struct rdma_cm_event *event)
{
	const char *wrong;

	wrong = rblk_proto_check_cm_rep(event->param.conn.private_data,
					event->param.conn.private_data_len,
					&conn->offer, &conn->grant);
	if (wrong) {
		conn->cm_text = wrong;
		step_done(conn, -EPROTO);
		return;
	}
	step_done(conn, rblk_conn_become(conn, RBLK_CONN_BINDING) ? 0 : -ECONNRESET);
}

/*
 * Context: process, the CM's own; returning non-zero would make the CM destroy
 * the id, which is ours to do.
 */
static int on_cm_event(struct rdma_cm_id *id, struct rdma_cm_event *event)
{
	struct rblk_conn *conn = id->context;

	trace_rblk_cm_event(conn, event->event, event->status);
	switch (event->event) {
	case RDMA_CM_EVENT_ADDR_RESOLVED:
	case RDMA_CM_EVENT_ROUTE_RESOLVED:
		step_done(conn, 0);
		break;
	case RDMA_CM_EVENT_ESTABLISHED:
		on_established(conn, event);
		break;
	case RDMA_CM_EVENT_REJECTED:
		on_rejected(conn, event);
		break;
	case RDMA_CM_EVENT_ADDR_ERROR:
	case RDMA_CM_EVENT_ROUTE_ERROR:
	case RDMA_CM_EVENT_CONNECT_ERROR:
	case RDMA_CM_EVENT_UNREACHABLE:
		step_done(conn, event->status < 0 ? event->status : -EHOSTUNREACH);
		break;
	case RDMA_CM_EVENT_DISCONNECTED:
		step_done(conn, -ECONNRESET);
		rblk_conn_lose(conn, "the target closed the connection");
		break;
	case RDMA_CM_EVENT_ADDR_CHANGE:
		step_done(conn, -EADDRNOTAVAIL);
		rblk_conn_lose(conn, "this host's address changed");
		break;
	case RDMA_CM_EVENT_DEVICE_REMOVAL:
		step_done(conn, -ENODEV);
		rblk_conn_lose(conn, "the RDMA device was removed");
		break;
	default:
		break;
	}
	return 0;
}

/*
 * Wait for the step just started.  rblk_conn_abort() ends the wait.
 */
static int wait_step(struct rblk_conn *conn, unsigned int ms)
{
	if (!wait_for_completion_timeout(&conn->cm_done, msecs_to_jiffies(ms)))
		return -ETIMEDOUT;
	if (READ_ONCE(conn->aborted))
		return -EINTR;
	return conn->cm_error;
}

static void begin_step(struct rblk_conn *conn)
{
	unsigned long flags;

	spin_lock_irqsave(&conn->lock, flags);
	conn->cm_error = 0;
	if (!conn->aborted)
		reinit_completion(&conn->cm_done);
	spin_unlock_irqrestore(&conn->lock, flags);
}

static const char *resolve_text(int err)
{
	switch (err) {
	case -ENODEV:
		return "no RDMA device on the route to this address";
	case -EADDRNOTAVAIL:
		return "no RDMA device has this source address";
	case -ENETUNREACH:
	case -EHOSTUNREACH:
		return "no route to this address";
	case -ETIMEDOUT:
		return "no answer to address resolution (host down or not on this network)";
	case -EINTR:
		return "interrupted";
	default:
		return "the address can't be resolved to an RDMA path";
	}
}

static int resolve(struct rblk_conn *conn, const struct rblk_peer *peer,
		   struct rblk_ioc_error *error)
{
	struct sockaddr *src = (struct sockaddr *)&peer->source;
	struct sockaddr *dst = (struct sockaddr *)&peer->target;
	int ret;

	begin_step(conn);
	ret = rdma_resolve_addr(conn->id, src->sa_family ? src : NULL, dst,
				RESOLVE_MS);
	if (!ret)
		ret = wait_step(conn, RESOLVE_MS + 500);
	if (ret)
		return rblk_fail(error, ret == -ENODEV ? RBLK_STAGE_DEVICE :
				 RBLK_STAGE_RESOLVE, ret, "%s", resolve_text(ret));
	begin_step(conn);
	ret = rdma_resolve_route(conn->id, ROUTE_MS);
	if (!ret)
		ret = wait_step(conn, ROUTE_MS + 500);
	if (ret)
		return rblk_fail(error, RBLK_STAGE_ROUTE, ret,
				 "no RDMA route to this address");
	conn->device = conn->id->device;
	return 0;
}

static int connect_error(struct rblk_conn *conn, int ret,
			 struct rblk_ioc_error *error)
{
	u16 reason = le16_to_cpu(conn->rej.reason);

	if (ret == -ETIMEDOUT)
		return rblk_fail(error, RBLK_STAGE_CONNECT, ret,
				 "no answer to the connection request");
	if (ret == -EINTR)
		return rblk_fail(error, RBLK_STAGE_CONNECT, ret, "interrupted");
	if (reason) {
		rblk_fail(error, RBLK_STAGE_CONNECT, ret, "%s",
			  rblk_proto_reject_text(reason));
		error->reason = reason;
		return ret;
	}
	if (ret == -ECONNREFUSED)
		return rblk_fail(error, RBLK_STAGE_CONNECT, ret,
				 "nothing listens at this address and port (%s)",
				 conn->cm_text ?: "refused");
	return rblk_fail(error, RBLK_STAGE_CONNECT, ret, "%s (error %d)",
			 conn->cm_text ?: "the connection attempt failed", -ret);
}

static int request(struct rblk_conn *conn, struct net *net,
		   struct rblk_ioc_error *error)
{
	struct compat_netns ns;
	struct rblk_wire_cm_req req;
	struct rdma_conn_param param = {
		.private_data = &req,
		.private_data_len = sizeof(req),
		.responder_resources =
			min_t(u32, 16, conn->device->attrs.max_qp_rd_atom),
		.initiator_depth = 0,
		.retry_count = 7,
		.rnr_retry_count = 7,
	};
	int ret;

	rblk_proto_encode_cm_req(&req, &conn->offer);
	rblk_conn_become(conn, RBLK_CONN_CONNECTING);
	begin_step(conn);
	compat_netns_enter(&ns, net);
	ret = rdma_connect(conn->id, &param);
	compat_netns_leave(&ns);
	if (!ret)
		ret = wait_step(conn, CONNECT_MS);
	return ret ? connect_error(conn, ret, error) : 0;
}

/**
 * rblk_conn_connect() - from an address to an established connection
 * @conn: new
 * @peer: whom to connect to
 * @queues: wanted by the user, for the control connection's offer
 * @depth: likewise
 * @error: filled in on failure
 *
 * Each step has a deadline; together they take at most 16 s.  Whatever the
 * outcome, the connection is to be released and freed in the usual way.
 *
 * Context: may sleep.
 * Return: 0, with @conn->grant valid, or a negative errno.
 */
int rblk_conn_connect(struct rblk_conn *conn, const struct rblk_peer *peer,
		      u32 queues, u32 depth, struct rblk_ioc_error *error)
{
	struct rdma_cm_id *id;
	int ret;

	rblk_conn_become(conn, RBLK_CONN_RESOLVING);
	id = rdma_create_id(peer->net, on_cm_event, conn, RDMA_PS_TCP, IB_QPT_RC);
	if (IS_ERR(id))
		return rblk_fail(error, RBLK_STAGE_RESOLVE, PTR_ERR(id),
				 "no connection identifier");
	conn->id = id;
	ret = resolve(conn, peer, error);
	if (ret)
		return ret;
	ret = rblk_conn_build(conn, queues, depth, error);
	if (ret)
		return ret;
	return request(conn, peer->net, error);
}

