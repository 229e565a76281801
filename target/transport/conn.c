// SPDX-License-Identifier: GPL-2.0-only
/*
 * A connection: making it, its state, ending it.
 *
 * rblkt_conn_kill() ends a connection: under conn->lock it sets CLOSING and
 * queues the close work, and from then on nothing is posted.  Only the close
 * work (close.c) takes the hardware apart.  While the CM handler that
 * makes the connection still runs, a kill only sets conn->doomed, and
 * rblkt_conn_accepted() starts the close when the handler is done.
 *
 * Each command at work holds a reference.  So the memory may outlive the
 * hardware, until the backing device has ended the last bio.
 */
#include "../../compat/mr.h"
#include "transport.h"
#include "../trace.h"

LIST_HEAD(rblkt_conns);

/* No other object shares a cache line that a connection's I/O writes. */
static_assert(sizeof(struct rblkt_conn) % SMP_CACHE_BYTES == 0);

/**
 * rblkt_conn_set - change a connection's state
 * @conn: the connection
 * @state: a state that may follow the present one
 *
 * Context: any, with conn->lock held.
 */
void rblkt_conn_set(struct rblkt_conn *conn, enum rblkt_conn_state state)
{
	lockdep_assert_held(&conn->lock);
	WARN_ON_ONCE(!rblkt_state_conn_may(conn->state, state));
	trace_rblkt_conn_state(conn, state);
	WRITE_ONCE(conn->state, state);
}

/**
 * rblkt_conn_opened - note that the peer is connected
 * @conn: the connection
 *
 * Both the CM's ESTABLISHED and the peer's messages call this, as either may
 * come first.
 *
 * Context: process; does not sleep.
 */
void rblkt_conn_opened(struct rblkt_conn *conn)
{
	spin_lock_irq(&conn->lock);
	if (conn->state == RBLKT_CONN_NEW)
		rblkt_conn_set(conn, RBLKT_CONN_OPEN);
	spin_unlock_irq(&conn->lock);
}

/**
 * rblkt_conn_live - note that the peer has logged in or bound
 * @conn: the connection
 * @ops: its operations from here on
 *
 * Context: process, the connection's receive context; does not sleep.
 * Return: false if the connection is ending.
 */
bool rblkt_conn_live(struct rblkt_conn *conn, const struct rblkt_conn_ops *ops)
{
	bool open;

	spin_lock_irq(&conn->lock);
	open = conn->state == RBLKT_CONN_OPEN;
	if (open) {
		rblkt_conn_set(conn, RBLKT_CONN_LIVE);
		conn->bound = true;
		WRITE_ONCE(conn->ops, ops);
	}
	spin_unlock_irq(&conn->lock);
	if (open)
		cancel_delayed_work(&conn->handshake);
	return open;
}

/* Start the close; conn->lock held. */
static void conn_begin_close(struct rblkt_conn *conn)
{
	pr_debug("session %pUb qid %u closes: %s\n", conn->session,
		 conn->qid, conn->why);
	rblkt_conn_set(conn, RBLKT_CONN_CLOSING);
	queue_work(rblkt_close_wq, &conn->close_work);
}

/**
 * rblkt_conn_kill_locked - end a connection, under its lock
 * @conn: the connection
 * @why: for the log
 *
 * Context: any, with conn->lock held.
 * Return: false if the connection is ending already.
 */
bool rblkt_conn_kill_locked(struct rblkt_conn *conn, const char *why)
{
	lockdep_assert_held(&conn->lock);
	if (conn->doomed || conn->state >= RBLKT_CONN_CLOSING)
		return false;
	conn->why = why;
	if (conn->accepting)
		WRITE_ONCE(conn->doomed, true);
	else
		conn_begin_close(conn);
	return true;
}

/**
 * rblkt_conn_accepted - note that the CM handler is done with a connection
 * @conn: the connection
 * @ok: the CM has accepted it; if not, the connection ends
 *
 * Context: process; does not sleep.
 */
void rblkt_conn_accepted(struct rblkt_conn *conn, bool ok)
{
	spin_lock_irq(&conn->lock);
	conn->accepting = false;
	/* A kill while the handler ran left the close to us. */
	if (conn->doomed)
		conn_begin_close(conn);
	else if (!ok)
		rblkt_conn_kill_locked(conn, "not accepted");
	spin_unlock_irq(&conn->lock);
}

/**
 * rblkt_conn_kill - end a connection
 * @conn: nothing happens if it is ending already
 * @why: for the log
 *
 * Context: any.
 */
void rblkt_conn_kill(struct rblkt_conn *conn, const char *why)
{
	unsigned long flags;

	spin_lock_irqsave(&conn->lock, flags);
	rblkt_conn_kill_locked(conn, why);
	spin_unlock_irqrestore(&conn->lock, flags);
}

/**
 * rblkt_conn_violation - end a connection whose peer broke the protocol
 * @conn: the connection
 * @bad: the violation
 *
 * Context: process; does not sleep.
 */
void rblkt_conn_violation(struct rblkt_conn *conn, enum rblkt_bad bad)
{
	bool first;

	spin_lock_irq(&conn->lock);
	first = rblkt_conn_kill_locked(conn, rblkt_proto_bad_text(bad));
	if (first)
		conn->tx.v[RBLK_CNT_VIOLATIONS]++;
	spin_unlock_irq(&conn->lock);
	if (first)
		rblkt_reason_violation(conn, bad);
}

/**
 * rblkt_conn_fault - end a connection with a failed work request
 * @conn: the connection
 * @status: how the work request completed
 *
 * Context: process; does not sleep.
 */
void rblkt_conn_fault(struct rblkt_conn *conn, enum ib_wc_status status)
{
	bool first;

	spin_lock_irq(&conn->lock);
	first = rblkt_conn_kill_locked(conn, ib_wc_status_msg(status));
	spin_unlock_irq(&conn->lock);
	/* A flush only follows from another error, which is logged itself. */
	if (first && status != IB_WC_WR_FLUSH_ERR)
		rblkt_reason_fault(conn, status);
}

static void conn_end_handshake(struct work_struct *work)
{
	struct rblkt_conn *conn = container_of(to_delayed_work(work),
					       struct rblkt_conn, handshake);
	bool late;

	spin_lock_irq(&conn->lock);
	late = conn->state < RBLKT_CONN_LIVE &&
	       rblkt_conn_kill_locked(conn, "neither logged in nor bound in time");
	spin_unlock_irq(&conn->lock);
	if (late)
		rblkt_reason_late(conn);
}

static int conn_event(struct rdma_cm_id *id, struct rdma_cm_event *event)
{
	struct rblkt_conn *conn = id->context;

	switch (event->event) {
	case RDMA_CM_EVENT_ESTABLISHED:
		rblkt_conn_opened(conn);
		break;
	case RDMA_CM_EVENT_TIMEWAIT_EXIT:
		break;
	default:
		complete_all(&conn->hung_up);
		rblkt_conn_kill(conn, rdma_event_msg(event->event));
	}
	/* Never ask the CM to destroy the id: the close work does. */
	return 0;
}

/* The device tells of an error of the queue pair. */
static void conn_device_event(struct ib_event *event, void *context)
{
	struct rblkt_conn *conn = context;

	if (event->event == IB_EVENT_COMM_EST) {
		rdma_notify(conn->id, IB_EVENT_COMM_EST);
		return;
	}
	/* If nothing has ended the connection yet, this event is the reason. */
	if (!rblkt_conn_ending(conn))
		rblkt_reason_event(conn, event->event);
	rblkt_conn_kill(conn, ib_event_msg(event->event));
}

/* A completion queue or the device has failed: nothing may complete any more. */
static void conn_dead(struct ib_event *event, void *context)
{
	struct rblkt_conn *conn = context;

	compat_drain_give_up(&conn->drain);
	conn_device_event(event, conn);
}

/*
 * Connections take the completion vectors in turn.  If each host began with the
 * first one, the interrupts of many hosts with few connections, and the work that
 * follows them, would all go to the first few CPUs.
 */
static u32 conn_take_vector(const struct ib_device *dev)
{
	static atomic_t taken = ATOMIC_INIT(0);

	return (u32)atomic_fetch_inc(&taken) % max(dev->num_comp_vectors, 1);
}

static void conn_hear_device(struct ib_event_handler *handler,
			     struct ib_event *event)
{
	struct rblkt_conn *conn = container_of(handler, struct rblkt_conn,
					       device_events);

	if (event->event == IB_EVENT_DEVICE_FATAL)
		conn_dead(event, conn);
}

static int conn_make_cqs(struct rblkt_conn *conn)
{
	struct ib_cq_init_attr attr = {
		.cqe = conn->sq_size + 1,
		.comp_vector = conn_take_vector(conn->dev),
	};
	struct ib_cq *cq;

	cq = ib_create_cq(conn->dev, rblkt_queue_event, conn_dead, conn,
			  &attr);
	if (IS_ERR(cq))
		return PTR_ERR(cq);
	conn->send_cq = cq;
	rblkt_queue_arm_errors(conn);
	attr.cqe = conn->nr_recvs + 1;
	cq = ib_create_cq(conn->dev, rblkt_receive_event, conn_dead, conn,
			  &attr);
	if (IS_ERR(cq))
		return PTR_ERR(cq);
	conn->recv_cq = cq;
	return ib_req_notify_cq(cq, IB_CQ_NEXT_COMP);
}

static int conn_make_qp(struct rblkt_conn *conn)
{
	struct ib_qp_init_attr attr = {
		.event_handler = conn_device_event,
		.qp_context = conn,
		.send_cq = conn->send_cq,
		.recv_cq = conn->recv_cq,
		.cap = {
			/* one more of each for the drain */
			.max_send_wr = conn->sq_size + 1,
			.max_recv_wr = conn->nr_recvs + 1,
			.max_send_sge = conn->max_send_sge,
			.max_recv_sge = conn->two_part_recvs ? 2 : 1,
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

static int conn_post_recvs(struct rblkt_conn *conn)
{
	unsigned int i;
	int ret = 0;

	spin_lock_irq(&conn->lock);
	for (i = 0; i < conn->nr_recvs && !ret; i++)
		ret = rblkt_queue_post_recv(conn, &conn->recvs[i]);
	spin_unlock_irq(&conn->lock);
	return ret;
}

static void conn_free_memory(struct rblkt_conn *conn)
{
	rblkt_sign_end(conn);
	rblkt_recv_free(conn);
	conn->ops->free(conn);
}

static void conn_free_work(struct work_struct *work)
{
	struct rblkt_conn *conn = container_of(work, struct rblkt_conn,
					       free_work);

	mutex_lock(&rblkt_mutex);
	list_del(&conn->node);
	mutex_unlock(&rblkt_mutex);
	conn_free_memory(conn);
	rblkt_close_wake();
}

static void conn_release(struct kref *ref)
{
	struct rblkt_conn *conn = container_of(ref, struct rblkt_conn, ref);

	queue_work(rblkt_close_wq, &conn->free_work);
}

/**
 * rblkt_conn_get - take a reference
 * @conn: the connection
 *
 * Context: any.
 */
void rblkt_conn_get(struct rblkt_conn *conn)
{
	kref_get(&conn->ref);
}

/**
 * rblkt_conn_put - drop a reference
 * @conn: a work item frees its memory after the last put
 *
 * Context: any.
 */
void rblkt_conn_put(struct rblkt_conn *conn)
{
	kref_put(&conn->ref, conn_release);
}

/**
 * rblkt_conn_init - set up a new connection, which has no resources yet
 * @conn: zeroed, within the part of a layer above
 * @ops: of that layer
 * @id: its CM id
 * @req: the host's request
 * @grant: the limits granted
 *
 * The caller sets @conn->pd and @conn->host_name.
 *
 * Context: process; does not sleep.
 */
void rblkt_conn_init(struct rblkt_conn *conn, const struct rblkt_conn_ops *ops,
		     struct rdma_cm_id *id, const struct rblkt_req *req,
		     const struct rblkt_grant *grant)
{
	const struct ib_device_attr *attrs = &id->device->attrs;

	kref_init(&conn->ref);
	spin_lock_init(&conn->lock);
	mutex_init(&conn->poll_lock);
	init_completion(&conn->hung_up);
	compat_drain_init(&conn->drain);
	INIT_LIST_HEAD(&conn->node);
	rblkt_receive_init(conn);
	INIT_WORK(&conn->send_work, rblkt_queue_send_work);
	INIT_WORK(&conn->close_work, rblkt_close_work);
	INIT_WORK(&conn->free_work, conn_free_work);
	INIT_DELAYED_WORK(&conn->handshake, conn_end_handshake);
	conn->ops = ops;
	conn->state = RBLKT_CONN_NEW;
	conn->accepting = true;
	conn->last_rx = jiffies;
	memcpy(conn->session, req->session, sizeof(conn->session));
	conn->epoch = req->epoch;
	conn->id = id;
	conn->dev = id->device;
	conn->qid = req->qid;
	conn->grant = *grant;
	conn->depth = req->qid ? grant->depth : RBLKT_CTL_DEPTH;
	conn->nr_recvs = conn->depth + RBLKT_RECV_SLACK;
	conn->iwarp = rdma_protocol_iwarp(id->device, id->port_num);
	conn->max_send_sge = min(attrs->max_send_sge, RBLKT_MAX_SGE);
	conn->max_read_sge = clamp(attrs->max_sge_rd, 1, conn->max_send_sge);
	conn->two_part_recvs = conn->qid && attrs->max_recv_sge > 1;
	conn->mr_page = compat_mr_page(attrs->page_size_cap, PAGE_SIZE);
	rblkt_queue_init(conn);
}

/**
 * rblkt_conn_make - make a connection's receives, CQs and queue pair
 * @conn: set up, the parts of the layers above are made; undone by
 *        rblkt_conn_unmake() and rblkt_conn_free(), also after failure
 *
 * From here on the CM tells the connection of its events.
 *
 * Context: process; may sleep.
 * Return: 0 with all receives posted, or a negative errno.
 */
int rblkt_conn_make(struct rblkt_conn *conn)
{
	int ret;

	ret = rblkt_recv_alloc(conn);
	if (!ret)
		ret = rblkt_recv_map(conn);
	if (!ret)
		ret = conn_make_cqs(conn);
	if (!ret)
		ret = conn_make_qp(conn);
	if (!ret)
		ret = conn_post_recvs(conn);
	if (ret)
		return ret;
	INIT_IB_EVENT_HANDLER(&conn->device_events, conn->dev, conn_hear_device);
	ib_register_event_handler(&conn->device_events);
	conn->id->context = conn;
	conn->id->event_handler = conn_event;
	return 0;
}

/**
 * rblkt_conn_unmake - destroy all that ties a connection to its device
 * @conn: drained, or never accepted
 *
 * Context: process; may sleep.
 */
void rblkt_conn_unmake(struct rblkt_conn *conn)
{
	if (conn->device_events.device)
		ib_unregister_event_handler(&conn->device_events);
	conn->device_events.device = NULL;
	if (conn->qp)
		rdma_destroy_qp(conn->id);
	conn->qp = NULL;
	rblkt_queue_destroy_cqs(conn);
	conn->ops->unmap(conn);
	rblkt_recv_unmap(conn);
}

/**
 * rblkt_conn_free - free a connection that nobody else knows
 * @conn: never accepted
 *
 * Context: process; may sleep.
 */
void rblkt_conn_free(struct rblkt_conn *conn)
{
	rblkt_conn_unmake(conn);
	conn_free_memory(conn);
}
