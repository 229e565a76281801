// SPDX-License-Identifier: GPL-2.0-only
/*
 * From an address to an established connection: the steps of the connection
 * manager (CM), each with a deadline, and sentences for their failures.
 *
 * The CM's handler never destroys anything.  It notes the outcome of the step
 * that rblk_conn_connect() waits for; on an established connection it reports
 * the loss.
 */
#include <linux/sched/signal.h>
#include <rdma/ib_cm.h>
#include "transport.h"
#include "../trace.h"

#define RESOLVE_MS	3000
#define RESOLVE_TRY_MS	250
#define ROUTE_MS	3000
#define IWARP_ANSWER_MS	8000

/* End the step that rblk_conn_connect() waits for; the first result counts. */
static void cm_step_done(struct rblk_conn *conn, int error)
{
	unsigned long flags;

	spin_lock_irqsave(&conn->lock, flags);
	if (!completion_done(&conn->cm_done)) {
		conn->cm_error = error;
		complete(&conn->cm_done);
	}
	spin_unlock_irqrestore(&conn->lock, flags);
}

/* Did a listener refuse?  Where there is none, iWARP adapters tell of a reset. */
static bool cm_listener_refused(const struct rblk_conn *conn, int status)
{
	const struct ib_device *dev = conn->id->device;

	if (!rdma_protocol_iwarp(dev, conn->id->port_num))
		return status == IB_CM_REJ_CONSUMER_DEFINED;
	/* SIW says so of listeners, and fails rdma_connect() where there is none. */
	return status != -ECONNRESET || dev->ops.driver_id == RDMA_DRIVER_SIW;
}

static void cm_rejected(struct rblk_conn *conn, struct rdma_cm_event *event)
{
	const struct rdma_conn_param *param = &event->param.conn;
	bool refused;

	/* Not rdma_consumer_reject_data(): SIW's refusals are ECONNRESET. */
	if (!rblk_proto_check_cm_rej(param->private_data,
				     param->private_data_len, &conn->rej)) {
		cm_step_done(conn, -ECONNREFUSED);
		return;
	}
	refused = cm_listener_refused(conn, event->status);
	conn->cm_text = refused ? "what refused is no rblk target" :
				  rdma_reject_msg(conn->id, event->status);
	cm_step_done(conn, refused ? -EPROTO : -ECONNREFUSED);
}

static void cm_established(struct rblk_conn *conn, struct rdma_cm_event *event)
{
	const char *wrong;

	wrong = rblk_proto_check_cm_rep(event->param.conn.private_data,
					event->param.conn.private_data_len,
					&conn->offer, &conn->grant);
	if (wrong) {
		conn->cm_text = wrong;
		cm_step_done(conn, -EPROTO);
		return;
	}
	memcpy(&conn->greeting.rep, event->param.conn.private_data,
	       sizeof(conn->greeting.rep));
	cm_step_done(conn, rblk_conn_become(conn, RBLK_CONN_BINDING) ? 0 : -ECONNRESET);
}

/*
 * Context: process, in the CM's work.  The CM destroys the id if this returns
 * non-zero; only rblk_conn_free() may destroy it.
 */
static int cm_event_handler(struct rdma_cm_id *id, struct rdma_cm_event *event)
{
	struct rblk_conn *conn = id->context;

	trace_rblk_cm_event(conn, event->event, event->status);
	switch (event->event) {
	case RDMA_CM_EVENT_ADDR_RESOLVED:
	case RDMA_CM_EVENT_ROUTE_RESOLVED:
		cm_step_done(conn, 0);
		break;
	case RDMA_CM_EVENT_ESTABLISHED:
		cm_established(conn, event);
		break;
	case RDMA_CM_EVENT_REJECTED:
		cm_rejected(conn, event);
		break;
	case RDMA_CM_EVENT_ADDR_ERROR:
	case RDMA_CM_EVENT_ROUTE_ERROR:
	case RDMA_CM_EVENT_CONNECT_ERROR:
	case RDMA_CM_EVENT_UNREACHABLE:
		cm_step_done(conn, event->status < 0 ? event->status : -EHOSTUNREACH);
		break;
	case RDMA_CM_EVENT_DISCONNECTED:
		cm_step_done(conn, -ECONNRESET);
		rblk_conn_lose(conn, "the target closed the connection");
		break;
	case RDMA_CM_EVENT_ADDR_CHANGE:
		cm_step_done(conn, -EADDRNOTAVAIL);
		rblk_conn_lose(conn, "this host's address changed");
		break;
	case RDMA_CM_EVENT_DEVICE_REMOVAL:
		cm_step_done(conn, -ENODEV);
		rblk_conn_lose(conn, "the RDMA device was removed");
		break;
	default:
		break;
	}
	return 0;
}

/* Wait for the end of the step just started, or for rblk_conn_abort(). */
static int cm_step_wait(struct rblk_conn *conn, unsigned int ms)
{
	if (!wait_for_completion_timeout(&conn->cm_done, msecs_to_jiffies(ms)))
		return -ETIMEDOUT;
	if (READ_ONCE(conn->aborted))
		return -EINTR;
	return conn->cm_error;
}

static void cm_step_begin(struct rblk_conn *conn)
{
	unsigned long flags;

	spin_lock_irqsave(&conn->lock, flags);
	conn->cm_error = 0;
	if (!conn->aborted)
		reinit_completion(&conn->cm_done);
	spin_unlock_irqrestore(&conn->lock, flags);
}

static const char *cm_resolve_text(int err)
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

/*
 * ib_core asks for a neighbour first and queues the request that the answer
 * wakes later.  So it misses an answer that comes at once, and sees it only
 * when the timeout expires.  Hence several short tries; the neighbour code has
 * its own clock.
 */
static int cm_resolve_addr(struct rblk_conn *conn, const struct rblk_peer *peer)
{
	struct sockaddr *src = (struct sockaddr *)&peer->source;
	struct sockaddr *dst = (struct sockaddr *)&peer->target;
	unsigned long end = jiffies + msecs_to_jiffies(RESOLVE_MS);
	int ret;

	do {
		cm_step_begin(conn);
		ret = rdma_resolve_addr(conn->id, src->sa_family ? src : NULL,
					dst, RESOLVE_TRY_MS);
		if (!ret)
			ret = cm_step_wait(conn, RESOLVE_MS);
	} while (ret == -ETIMEDOUT && time_before(jiffies, end));
	return ret;
}

static int cm_resolve(struct rblk_conn *conn, const struct rblk_peer *peer,
		      struct rblk_ioc_error *error)
{
	int ret;

	ret = cm_resolve_addr(conn, peer);
	if (ret)
		return rblk_fail(error, ret == -ENODEV ? RBLK_STAGE_DEVICE :
				 RBLK_STAGE_RESOLVE, ret, "%s", cm_resolve_text(ret));
	cm_step_begin(conn);
	ret = rdma_resolve_route(conn->id, ROUTE_MS);
	if (!ret)
		ret = cm_step_wait(conn, ROUTE_MS + 500);
	if (ret)
		return rblk_fail(error, RBLK_STAGE_ROUTE, ret,
				 "no RDMA route to this address");
	conn->device = conn->id->device;
	return 0;
}

/* An rblk target refused the connection and gave a reason. */
static int cm_refused_error(const struct rblk_conn *conn, int ret,
			    struct rblk_ioc_error *error)
{
	u16 reason = le16_to_cpu(conn->rej.reason);
	u32 ms = rblk_limits_pause_ms(le32_to_cpu(conn->rej.away_ms));

	if (reason == RBLK_REJ_PAUSED && ms)
		rblk_fail(error, RBLK_STAGE_CONNECT, ret, "%s, for another %u s",
			  rblk_proto_reject_text(reason), DIV_ROUND_UP(ms, 1000));
	else
		rblk_fail(error, RBLK_STAGE_CONNECT, ret, "%s",
			  rblk_proto_reject_text(reason));
	error->reason = reason;
	return ret;
}

static int cm_connect_error(struct rblk_conn *conn, int ret,
			    struct rblk_ioc_error *error)
{
	if (ret == -ETIMEDOUT)
		return rblk_fail(error, RBLK_STAGE_CONNECT, ret,
				 "no answer to the connection request");
	if (ret == -EINTR)
		return rblk_fail(error, RBLK_STAGE_CONNECT, ret, "interrupted");
	if (conn->rej.magic)
		return cm_refused_error(conn, ret, error);
	if (ret == -ECONNREFUSED)
		return rblk_fail(error, RBLK_STAGE_CONNECT, ret,
				 "nothing listens at this address and port (%s)",
				 conn->cm_text ?: "refused");
	return rblk_fail(error, RBLK_STAGE_CONNECT, ret, "%s (error %d)",
			 conn->cm_text ?: "the connection attempt failed", -ret);
}

/* The time for rdma_connect() is up. */
static void cm_connect_timeout(struct timer_list *timer)
{
	rblk_conn_interrupt(container_of(timer, struct rblk_conn, connect_timer));
}

/*
 * Software iWARP waits in rdma_connect() until TCP gives up, which takes
 * minutes; a signal ends the wait.  This thread is a kernel worker: it gets no
 * other signal, and none may be pending when it leaves here.
 */
static int cm_connect_until(struct rblk_conn *conn, struct rdma_conn_param *param,
			    unsigned long end)
{
	int ret = -EINTR;
	bool aborted;

	allow_kernel_signal(SIGINT);
	spin_lock_irq(&conn->lock);
	aborted = conn->aborted;
	if (!aborted)
		conn->connecting = current;
	spin_unlock_irq(&conn->lock);
	if (!aborted) {
		timer_setup(&conn->connect_timer, cm_connect_timeout, 0);
		mod_timer(&conn->connect_timer, end);
		ret = rdma_connect(conn->id, param);
		timer_delete_sync(&conn->connect_timer);
	}
	spin_lock_irq(&conn->lock);
	conn->connecting = NULL;
	aborted = conn->aborted;
	spin_unlock_irq(&conn->lock);
	disallow_signal(SIGINT);
	if (ret == -ERESTARTSYS || ret == -EINTR)
		ret = aborted ? -EINTR : -ETIMEDOUT;
	return ret;
}

/*
 * How long the answer may still take.  On iWARP the TCP connection is up by now
 * and repeats what is lost.  The wait there is long because a peer that hangs
 * up before SIW's target has accepted it can destroy the target's listener.
 */
static u32 cm_answer_ms(const struct rblk_conn *conn, unsigned long end)
{
	if (rdma_protocol_iwarp(conn->device, conn->id->port_num))
		return IWARP_ANSWER_MS;
	return time_after(end, jiffies) ? jiffies_to_msecs(end - jiffies) : 0;
}

static int cm_request(struct rblk_conn *conn, struct rblk_ioc_error *error)
{
	unsigned long end = jiffies + msecs_to_jiffies(conn->connect_ms);
	struct rdma_conn_param param = {
		.private_data = &conn->greeting.req,
		.private_data_len = sizeof(conn->greeting.req),
		.responder_resources =
			min_t(u32, 16, conn->device->attrs.max_qp_rd_atom),
		.initiator_depth = 0,
		.retry_count = 7,
		.rnr_retry_count = 7,
	};
	int ret;

	rblk_proto_encode_cm_req(&conn->greeting.req, &conn->offer);
	rblk_conn_become(conn, RBLK_CONN_CONNECTING);
	cm_step_begin(conn);
	ret = cm_connect_until(conn, &param, end);
	if (!ret)
		ret = cm_step_wait(conn, cm_answer_ms(conn, end));
	return ret ? cm_connect_error(conn, ret, error) : 0;
}

/**
 * rblk_conn_connect() - from an address to an established connection
 * @conn: new
 * @peer: address to connect to, and from
 * @queues: I/O connections the user wants, for the control connection's offer
 * @depth: commands per connection the user wants, likewise
 * @error: filled in on failure
 *
 * Each step has a deadline.  Together they take at most 8 s, plus
 * @conn->connect_ms for the last step, plus another 8 s on iWARP.  Whatever the
 * outcome, the caller takes the connection down in the usual way.
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
	id = rdma_create_id(peer->net, cm_event_handler, conn, RDMA_PS_TCP, IB_QPT_RC);
	if (IS_ERR(id))
		return rblk_fail(error, RBLK_STAGE_RESOLVE, PTR_ERR(id),
				 "no connection identifier");
	conn->id = id;
	ret = cm_resolve(conn, peer, error);
	if (ret)
		return ret;
	ret = rblk_conn_build(conn, queues, depth, error);
	if (ret)
		return ret;
	return cm_request(conn, error);
}
