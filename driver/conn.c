// SPDX-License-Identifier: GPL-2.0-only
/*
 * One reliable connection to the target: from an address to a queue pair and
 * back to nothing.
 *
 * Life: rblk_conn_alloc(), rblk_conn_connect() and, when the user has bound
 * it, rblk_conn_ready(); then any number of rblk_conn_lose() from anywhere;
 * then rblk_conn_disconnect(), rblk_conn_drain(), rblk_conn_release() and
 * rblk_conn_free(), in that order, each from the one work item that owns it.
 * Disconnecting all connections of a session before draining any keeps the
 * teardown short, and draining all before the user completes anything is what
 * makes the pages safe: connections share a protection domain.
 *
 * The CM's handler never destroys anything.  It notes the outcome of the step
 * that rblk_conn_connect() waits for, or, once connected, reports the loss.
 */
#include <linux/module.h>
#include <linux/slab.h>
#include <rdma/ib_cm.h>
#include <rdma/iw_cm.h>
#include "../compat/netns.h"
#include "rblk.h"
#include "trace.h"

#define RESOLVE_MS	3000
#define ROUTE_MS	3000
#define CONNECT_MS	8000

/* Caller holds conn->lock. */
static bool set_state(struct rblk_conn *conn, enum rblk_conn_state to)
	__must_hold(&conn->lock)
{
	lockdep_assert_held(&conn->lock);
	if (!rblk_conn_may_become(conn->state, to))
		return false;
	trace_rblk_conn_state(conn, conn->state, to);
	WRITE_ONCE(conn->state, to);
	return true;
}

static bool become(struct rblk_conn *conn, enum rblk_conn_state to)
{
	unsigned long flags;
	bool done;

	spin_lock_irqsave(&conn->lock, flags);
	done = set_state(conn, to);
	spin_unlock_irqrestore(&conn->lock, flags);
	return done;
}

/**
 * rblk_conn_lose() - the connection is of no use any more
 * @conn: in any state
 * @why: for people
 *
 * The first call wins; later ones, such as those of flushed receives, change
 * nothing.
 *
 * Context: any.
 */
void rblk_conn_lose(struct rblk_conn *conn, const char *why)
{
	unsigned long flags;
	bool was_up, lost;

	spin_lock_irqsave(&conn->lock, flags);
	was_up = conn->state >= RBLK_CONN_BINDING;
	lost = set_state(conn, RBLK_CONN_LOST);
	spin_unlock_irqrestore(&conn->lock, flags);
	if (lost && was_up)
		conn->ops->lost(conn->ctx, why);
}

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
	step_done(conn, become(conn, RBLK_CONN_BINDING) ? 0 : -ECONNRESET);
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

static void on_qp_event(struct ib_event *event, void *context)
{
	struct rblk_conn *conn = context;

	if (event->event != IB_EVENT_COMM_EST &&
	    event->event != IB_EVENT_QP_LAST_WQE_REACHED)
		rblk_conn_lose(conn, ib_event_msg(event->event));
}

/**
 * rblk_conn_alloc() - a connection that is not connected
 * @ops: upcalls
 * @ctx: their argument
 * @stats: counters, which outlive it
 * @offer: its session, epoch and qid; the sizes too unless it is the control
 *         connection, which works them out
 *
 * Context: may sleep.
 * Return: the connection or NULL.
 */
struct rblk_conn *rblk_conn_alloc(const struct rblk_conn_ops *ops, void *ctx,
				  struct rblk_stats __percpu *stats,
				  const struct rblk_offer *offer)
{
	struct rblk_conn *conn = kzalloc(sizeof(*conn), GFP_KERNEL);

	if (!conn)
		return NULL;
	conn->ops = ops;
	conn->ctx = ctx;
	conn->stats = stats;
	conn->offer = *offer;
	spin_lock_init(&conn->lock);
	spin_lock_init(&conn->large_lock);
	init_completion(&conn->cm_done);
	rblk_ring_init(conn);
	return conn;
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

static void read_caps(struct rblk_conn *conn)
{
	const struct ib_device_attr *attr = &conn->device->attrs;
	struct rblk_caps *caps = &conn->caps;

	caps->mr_pages = attr->max_fast_reg_page_list_len;
	caps->send_sge = attr->max_send_sge;
	caps->qp_wr = attr->max_qp_wr;
	caps->cqe = attr->max_cqe;
	caps->page_size = PAGE_SIZE;
}

/* The control connection settles for the session what all will offer. */
static int settle_offer(struct rblk_conn *conn, u32 queues, u32 depth,
			struct rblk_ioc_error *error)
{
	const char *lacks;

	read_caps(conn);
	lacks = rblk_limits_check_caps(&conn->caps);
	if (!(conn->device->attrs.device_cap_flags &
	      IB_DEVICE_MEM_MGT_EXTENSIONS))
		lacks = "fast memory registration";
	if (lacks)
		return rblk_fail(error, RBLK_STAGE_DEVICE, -EOPNOTSUPP,
				 "RDMA device %s lacks %s",
				 dev_name(&conn->device->dev), lacks);
	if (conn->offer.qid)
		return 0;
	rblk_limits_offer(&conn->caps, queues, depth, num_online_cpus(),
			  &conn->offer);
	return 0;
}

static int create_qp(struct rblk_conn *conn)
{
	struct ib_qp_init_attr attr = {
		.event_handler = on_qp_event,
		.qp_context = conn,
		.send_cq = conn->scq,
		.recv_cq = conn->rcq,
		.cap = {
			.max_send_wr = conn->sq_size + 1, /* and the drain's */
			.max_recv_wr = conn->nr_recv + 1,
			.max_send_sge = RBLK_SEND_SGES,
			.max_recv_sge = 1,
		},
		.sq_sig_type = IB_SIGNAL_REQ_WR,
		.qp_type = IB_QPT_RC,
	};
	int ret;

	ret = rdma_create_qp(conn->id, conn->pd, &attr);
	if (!ret)
		conn->qp = conn->id->qp;
	return ret;
}

/* Everything between a resolved address and the connection request. */
static int build(struct rblk_conn *conn, struct rblk_ioc_error *error)
{
	int ret = -ENOMEM;

	conn->pd = conn->ops->pd(conn->ctx, conn->device);
	if (IS_ERR(conn->pd)) {
		ret = PTR_ERR(conn->pd);
		goto err;
	}
	ret = rblk_ring_create_cqs(conn);
	if (ret)
		goto err;
	ret = rblk_buf_alloc(conn);
	if (ret)
		goto err_destroy_cqs;
	ret = create_qp(conn);
	if (ret)
		goto err_free_buffers;
	conn->built = true;
	ret = rblk_ring_post(conn);
	if (!ret)
		return 0;
	/* rblk_conn_release() drains what was posted and frees the rest. */
	return rblk_fail(error, RBLK_STAGE_DEVICE, ret,
			 "RDMA device %s takes no receives",
			 dev_name(&conn->device->dev));
err_free_buffers:
	rblk_buf_free(conn);
err_destroy_cqs:
	rblk_ring_destroy_cqs(conn);
err:
	return rblk_fail(error, RBLK_STAGE_DEVICE, ret,
			 "RDMA device %s has no room for a connection of depth %u",
			 dev_name(&conn->device->dev), conn->offer.depth);
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
	become(conn, RBLK_CONN_CONNECTING);
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

	become(conn, RBLK_CONN_RESOLVING);
	id = rdma_create_id(peer->net, on_cm_event, conn, RDMA_PS_TCP, IB_QPT_RC);
	if (IS_ERR(id))
		return rblk_fail(error, RBLK_STAGE_RESOLVE, PTR_ERR(id),
				 "no connection identifier");
	conn->id = id;
	ret = resolve(conn, peer, error);
	if (ret)
		return ret;
	ret = settle_offer(conn, queues, depth, error);
	if (ret)
		return ret;
	ret = build(conn, error);
	if (ret)
		return ret;
	return request(conn, peer->net, error);
}

/**
 * rblk_conn_ready() - the peer has bound the connection: commands may flow
 * @conn: BINDING
 *
 * Return: 0, or -ENOTCONN if it was lost meanwhile.
 */
int rblk_conn_ready(struct rblk_conn *conn)
{
	return become(conn, RBLK_CONN_READY) ? 0 : -ENOTCONN;
}

/**
 * rblk_conn_abort() - end rblk_conn_connect() early
 * @conn: perhaps being connected by another task
 *
 * Context: any.
 */
void rblk_conn_abort(struct rblk_conn *conn)
{
	unsigned long flags;

	spin_lock_irqsave(&conn->lock, flags);
	WRITE_ONCE(conn->aborted, true);
	complete_all(&conn->cm_done);
	spin_unlock_irqrestore(&conn->lock, flags);
}

/**
 * rblk_conn_disconnect() - start taking the connection down
 * @conn: in any state
 *
 * From here on no completion handler will find it useful; those under way
 * end with rblk_conn_drain().
 *
 * Context: may sleep.
 */
void rblk_conn_disconnect(struct rblk_conn *conn)
{
	become(conn, RBLK_CONN_CLOSED);
	if (conn->qp)
		rdma_disconnect(conn->id);
}

/**
 * rblk_conn_drain() - wait until the RDMA device is done with our memory
 * @conn: disconnected
 *
 * Afterwards no handler of this connection runs or will run, the queue pair is
 * gone, and the peer can no longer reach any memory through it.
 *
 * Context: may sleep.
 */
void rblk_conn_drain(struct rblk_conn *conn)
{
	if (!conn->qp)
		return;
	/* The send queue's drain request completes through the armed queue. */
	WRITE_ONCE(conn->draining, true);
	rblk_ring_arm(conn);
	ib_drain_qp(conn->qp);
	WRITE_ONCE(conn->draining, false);
	/* It may have polled a completion and not handled it yet. */
	cancel_work_sync(&conn->poll_work);
	rdma_destroy_qp(conn->id);
	conn->qp = NULL;
}

/**
 * rblk_conn_release() - give up everything that belongs to the RDMA device
 * @conn: drained, and no command in it
 *
 * What remains is the CM identifier, which holds off the device's removal
 * until the session has given up its protection domain.
 *
 * Context: may sleep.
 */
void rblk_conn_release(struct rblk_conn *conn)
{
	if (!conn->built)
		return;
	conn->built = false;
	rblk_buf_free(conn);
	rblk_ring_destroy_cqs(conn);
}

/**
 * rblk_conn_free() - the end of a connection
 * @conn: released
 *
 * Context: may sleep; not from a CM handler.
 */
void rblk_conn_free(struct rblk_conn *conn)
{
	if (conn->id)
		rdma_destroy_id(conn->id);
	kfree(conn);
}
