// SPDX-License-Identifier: GPL-2.0-only
/*
 * One reliable connection to the target: from an address to a queue pair, and
 * its teardown.
 *
 * Life: the session's work item calls rblk_conn_alloc(), rblk_conn_connect()
 * and, after it has bound the connection, rblk_conn_ready().  Then anybody may
 * call rblk_conn_lose(), any number of times.  At the end the work item calls
 * rblk_conn_disconnect(), rblk_conn_drain(), rblk_conn_release() and
 * rblk_conn_free(), in that order.  Disconnecting all connections of a session
 * before draining the first keeps the teardown short.
 *
 * No two connections share a protection domain at a time.  If they did, an RDMA
 * WRITE over another connection could still reach a request's pages while the
 * response on this connection invalidates their rkey: nothing orders the two.
 * The domain passes to the next connection in the same place (pool.c), which is
 * made after this one's queue pair is destroyed.
 */
#include <linux/dma-mapping.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include "../../compat/mr.h"
#include "transport.h"
#include "../trace.h"

/* The only place that changes a connection's state. */
static bool conn_set_state(struct rblk_conn *conn, enum rblk_conn_state to)
	__must_hold(&conn->lock)
{
	lockdep_assert_held(&conn->lock);
	if (!rblk_conn_may_become(conn->state, to))
		return false;
	trace_rblk_conn_state(conn, conn->state, to);
	WRITE_ONCE(conn->state, to);
	return true;
}

/**
 * rblk_conn_become() - change a connection's state
 * @conn: the connection
 * @to: the new state
 *
 * Context: any.
 * Return: whether the change was allowed and made.
 */
bool rblk_conn_become(struct rblk_conn *conn, enum rblk_conn_state to)
{
	unsigned long flags;
	bool done;

	spin_lock_irqsave(&conn->lock, flags);
	done = conn_set_state(conn, to);
	spin_unlock_irqrestore(&conn->lock, flags);
	return done;
}

/**
 * rblk_conn_lose() - mark a connection as lost, and tell its user
 * @conn: in any state
 * @why: reason, for people
 *
 * The first call counts; later calls, such as those of flushed receives, change
 * nothing.  The user hears of it only if the connection was established.
 *
 * Context: any.
 */
void rblk_conn_lose(struct rblk_conn *conn, const char *why)
{
	unsigned long flags;
	bool was_up, lost;

	spin_lock_irqsave(&conn->lock, flags);
	was_up = conn->state >= RBLK_CONN_BINDING;
	lost = conn_set_state(conn, RBLK_CONN_LOST);
	spin_unlock_irqrestore(&conn->lock, flags);
	if (lost && was_up)
		conn->ops->lost(conn->ctx, why);
}

static void qp_event_handler(struct ib_event *event, void *context)
{
	struct rblk_conn *conn = context;

	if (event->event != IB_EVENT_COMM_EST &&
	    event->event != IB_EVENT_QP_LAST_WQE_REACHED)
		rblk_conn_lose(conn, ib_event_msg(event->event));
}

/* A failed device may complete nothing any more.  A port that is down may come back. */
static void device_event_handler(struct ib_event_handler *handler,
				 struct ib_event *event)
{
	struct rblk_conn *conn = container_of(handler, struct rblk_conn,
					      device_events);

	if (event->event == IB_EVENT_PORT_ERR &&
	    event->element.port_num == conn->id->port_num &&
	    READ_ONCE(conn->state) == RBLK_CONN_READY)
		conn->ops->port_down(conn->ctx);
	if (event->event != IB_EVENT_DEVICE_FATAL)
		return;
	compat_drain_give_up(&conn->drain);
	rblk_conn_lose(conn, ib_event_msg(event->event));
}

/**
 * rblk_conn_alloc() - allocate a connection; it is not connected yet
 * @ops: upcalls
 * @ctx: their argument
 * @stats: counters, which outlive the connection
 * @offer: its session, epoch, qid and inline_read; for an I/O connection also
 *         the other sizes, which the control connection works out
 * @pool: of its place in the session, not open
 * @vector: of the device's completion vectors, modulo their number
 *
 * Context: may sleep.
 * Return: the connection or NULL.
 */
struct rblk_conn *rblk_conn_alloc(const struct rblk_conn_ops *ops, void *ctx,
				  struct rblk_stats __percpu *stats,
				  const struct rblk_offer *offer,
				  struct rblk_pool *pool, u32 vector)
{
	struct rblk_conn *conn = kzalloc(sizeof(*conn), GFP_KERNEL);

	if (!conn)
		return NULL;
	conn->ops = ops;
	conn->ctx = ctx;
	conn->stats = stats;
	conn->offer = *offer;
	conn->pool = pool;
	conn->vector = vector;
	spin_lock_init(&conn->lock);
	spin_lock_init(&conn->lend.lock);
	init_completion(&conn->cm_done);
	rblk_ring_init(conn);
	return conn;
}

/*
 * How memory can be mapped.  Bounce buffers are what limits a mapping's size.
 * They keep an address's offset within a page only if the device's driver has
 * asked for it.  Otherwise two elements that meet at the end of a page need not
 * meet there once they are mapped, and one registration can't describe them: then
 * a request has a single element.
 */
static void conn_read_dma_caps(struct rblk_conn *conn)
{
	struct device *dev = conn->device->dma_device;
	struct rblk_caps *caps = &conn->caps;
	size_t most = dev ? dma_max_mapping_size(dev) : SIZE_MAX;

	caps->dma_max = min_t(size_t, most, U32_MAX);
	caps->one_segment = most < SIZE_MAX && caps->mr_page &&
			    (caps->mr_page - 1) & ~dma_get_min_align_mask(dev);
	/* Without the option, the kernel says so of every device. */
	caps->peer_memory = IS_ENABLED(CONFIG_PCI_P2PDMA) &&
			    ib_dma_pci_p2p_dma_supported(conn->device);
}

static void conn_read_caps(struct rblk_conn *conn)
{
	const struct ib_device_attr *attr = &conn->device->attrs;
	struct rblk_caps *caps = &conn->caps;

	caps->mr_pages = attr->max_fast_reg_page_list_len;
	caps->send_sge = attr->max_send_sge;
	caps->qp_wr = attr->max_qp_wr;
	caps->cqe = attr->max_cqe;
	caps->page_size = PAGE_SIZE;
	caps->mr_page = compat_mr_page(attr->page_size_cap, PAGE_SIZE);
	conn_read_dma_caps(conn);
	rblk_way_caps(conn);
}

/* The control connection sets the sizes that all connections will offer. */
static int conn_fill_offer(struct rblk_conn *conn, u32 queues, u32 depth,
			   struct rblk_ioc_error *error)
{
	const char *lacks;

	conn_read_caps(conn);
	lacks = rblk_limits_check_caps(&conn->caps);
	if (!(conn->device->attrs.device_cap_flags &
	      IB_DEVICE_MEM_MGT_EXTENSIONS))
		lacks = "fast memory registration";
	/* A target fetches the data of writes that did not come with them or before. */
	if (conn->device->attrs.max_qp_rd_atom < 1)
		lacks = "RDMA READs by its peer";
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

/* Elements of its sends: only RDMA WRITEs to a window have more than a command. */
static u32 conn_send_sges(const struct rblk_conn *conn)
{
	if (!(conn->offer.features & RBLK_FEAT_WRITE_WINDOW) || !conn->offer.qid)
		return RBLK_SEND_SGES;
	return max_t(u32, RBLK_SEND_SGES, rblk_limits_window_sges(&conn->caps));
}

/*
 * A device may allow so many elements, and so many requests, but not both at
 * once.  Then the connection works without a window.
 */
static int conn_create_qp(struct rblk_conn *conn)
{
	struct ib_qp_init_attr attr = {
		.event_handler = qp_event_handler,
		.qp_context = conn,
		.send_cq = conn->scq,
		.recv_cq = conn->rcq,
		.cap = {
			.max_send_wr = conn->sq_size + 1, /* one for the drain */
			.max_recv_wr = conn->nr_recv + 1,
			.max_send_sge = conn_send_sges(conn),
			.max_recv_sge = 1,
		},
		.sq_sig_type = IB_SIGNAL_REQ_WR,
		.qp_type = IB_QPT_RC,
	};
	int ret;

	ret = rdma_create_qp(conn->id, conn->pd, &attr);
	if (ret && attr.cap.max_send_sge > RBLK_SEND_SGES) {
		conn->offer.features &= ~RBLK_FEAT_WRITE_WINDOW;
		attr.cap.max_send_sge = conn_send_sges(conn);
		ret = rdma_create_qp(conn->id, conn->pd, &attr);
	}
	if (!ret)
		conn->qp = conn->id->qp;
	return ret;
}

/**
 * rblk_conn_build() - make all that a connection needs before it connects
 * @conn: its address is resolved and its device known
 * @queues: I/O connections the user wants, for the control connection's offer
 * @depth: commands per connection the user wants, likewise
 * @error: filled in on failure
 *
 * Context: may sleep.
 * Return: 0 or a negative errno.
 */
int rblk_conn_build(struct rblk_conn *conn, u32 queues, u32 depth,
		    struct rblk_ioc_error *error)
{
	struct rblk_pool_shape shape;
	int ret = conn_fill_offer(conn, queues, depth, error);

	if (ret)
		return ret;
	shape = rblk_mr_shape(conn);
	ret = rblk_pool_open(conn->pool, conn->device, &shape);
	if (ret)
		goto err;
	conn->pd = conn->pool->pd;
	ret = rblk_ring_create_cqs(conn);
	if (ret)
		goto err_close_pool;
	ret = rblk_buf_alloc(conn);
	if (ret)
		goto err_destroy_cqs;
	ret = conn_create_qp(conn);
	if (ret)
		goto err_free_buffers;
	conn->built = true;
	INIT_IB_EVENT_HANDLER(&conn->device_events, conn->device,
			      device_event_handler);
	ib_register_event_handler(&conn->device_events);
	ret = rblk_receive_post(conn);
	if (!ret)
		return 0;
	/* rblk_conn_drain() and rblk_conn_release() clean up. */
	return rblk_fail(error, RBLK_STAGE_DEVICE, ret,
			 "RDMA device %s takes no receives",
			 dev_name(&conn->device->dev));
err_free_buffers:
	rblk_buf_free(conn);
err_destroy_cqs:
	rblk_ring_destroy_cqs(conn);
err_close_pool:
	conn->pd = NULL;
	rblk_pool_close(conn->pool);
err:
	return rblk_fail(error, RBLK_STAGE_DEVICE, ret,
			 "RDMA device %s has no room for a connection of depth %u",
			 dev_name(&conn->device->dev), conn->offer.depth);
}

/**
 * rblk_conn_ready() - let commands flow: the peer has bound the connection
 * @conn: BINDING
 *
 * Context: any.
 * Return: 0, or -ENOTCONN if the connection is lost.
 */
int rblk_conn_ready(struct rblk_conn *conn)
{
	conn->batch.most = rblk_limits_batch(conn->grant.max_batch,
					     conn->offer.inline_write);
	return rblk_conn_become(conn, RBLK_CONN_READY) ? 0 : -ENOTCONN;
}

/**
 * rblk_conn_send() - send the message in @conn->msg
 * @conn: no other task uses @conn->msg until the peer answers
 * @at: where the message starts in @conn->msg
 * @bytes: length of the message
 *
 * Context: any but hard interrupt.
 * Return: 0 or a negative errno.
 */
int rblk_conn_send(struct rblk_conn *conn, u32 at, u32 bytes)
{
	struct ib_sge sge = {
		.addr = conn->msg_dma + at,
		.length = bytes,
		.lkey = conn->pd->local_dma_lkey,
	};
	struct ib_send_wr wr = {
		.wr_cqe = &conn->quiet_cqe,
		.opcode = IB_WR_SEND,
		.sg_list = &sge,
		.num_sge = 1,
	};

	ib_dma_sync_single_for_device(conn->device, sge.addr, bytes,
				      DMA_TO_DEVICE);
	rblk_ring_poll(conn);
	rblk_count(conn->stats, RBLK_CNT_SENDS, 1);
	rblk_count(conn->stats, RBLK_CNT_SEND_WRS, 1);
	return rblk_ring_send(conn, &wr, &wr, 1, NULL, conn->msg + at);
}

/**
 * rblk_conn_zero_write() - make a peer read a message it may have missed
 * @conn: with a message in flight that is not answered
 *
 * Soft iWARP (7.2) reports a new connection to the peer a moment before it
 * reads data itself.  A first message that arrives in that moment stays in
 * the socket until more data comes.  An RDMA WRITE of no bytes brings more data
 * and has no other effect: soft iWARP does not check its key.  An adapter may,
 * and has no such moment.
 *
 * Context: any.
 */
void rblk_conn_zero_write(struct rblk_conn *conn)
{
	struct ib_rdma_wr nothing = {
		.wr.wr_cqe = &conn->quiet_cqe,
		.wr.opcode = IB_WR_RDMA_WRITE,
	};

	if (!conn->caps.late_reader)
		return;
	rblk_count(conn->stats, RBLK_CNT_SEND_WRS, 1);
	rblk_count(conn->stats, RBLK_CNT_RDMA_WRITES, 1);
	rblk_ring_send(conn, &nothing.wr, &nothing.wr, 1, NULL, NULL);
}

/**
 * rblk_conn_abort() - end rblk_conn_connect() early, for good
 * @conn: another task may be connecting it
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
	rblk_conn_interrupt(conn);
}

/**
 * rblk_conn_interrupt() - end a wait inside rdma_connect()
 * @conn: another task may be connecting it
 *
 * Context: any.
 */
void rblk_conn_interrupt(struct rblk_conn *conn)
{
	unsigned long flags;

	spin_lock_irqsave(&conn->lock, flags);
	if (conn->connecting)
		send_sig(SIGINT, conn->connecting, 1);
	spin_unlock_irqrestore(&conn->lock, flags);
}

/**
 * rblk_conn_disconnect() - start taking the connection down
 * @conn: in any state
 *
 * From here on completion handlers ignore what arrives; rblk_conn_drain() waits
 * for those that are running.
 *
 * Context: may sleep.
 */
void rblk_conn_disconnect(struct rblk_conn *conn)
{
	rblk_conn_become(conn, RBLK_CONN_CLOSED);
	if (conn->qp)
		rdma_disconnect(conn->id);
}

/**
 * rblk_conn_drain() - wait until the RDMA device no longer uses our memory
 * @conn: disconnected
 *
 * Afterwards the queue pair is gone, and the peer can no longer reach memory
 * through it.  One kind of handler may still run: that of a flushed receive,
 * which had been handled and posted again behind the drain's own request.  So
 * the buffers stay until rblk_conn_release() has ended these handlers, too.
 *
 * If the device or a completion queue has failed, nothing may complete any more.
 * Then the destroyed queue pair is what reaches no memory, and handlers that run
 * are waited for: before that, as they use it, and after it.
 *
 * Context: may sleep.
 */
void rblk_conn_drain(struct rblk_conn *conn)
{
	bool drained;

	if (!conn->qp)
		return;
	drained = rblk_ring_drain(conn);
	if (!drained)
		rblk_ring_quiesce(conn);
	rdma_destroy_qp(conn->id);
	conn->qp = NULL;
	if (!drained)
		rblk_ring_quiesce(conn);
}

/**
 * rblk_conn_release() - free everything that belongs to the RDMA device
 * @conn: drained, with no command in a slot
 *
 * The CM identifier remains.  It holds off the device's removal until
 * rblk_conn_free().
 *
 * Context: may sleep.
 */
void rblk_conn_release(struct rblk_conn *conn)
{
	if (!conn->built)
		return;
	conn->built = false;
	ib_unregister_event_handler(&conn->device_events);
	rblk_ring_destroy_cqs(conn);
	rblk_buf_free(conn);
	conn->pd = NULL;
	rblk_pool_close(conn->pool);
}

/**
 * rblk_conn_free() - free a connection
 * @conn: released
 *
 * Context: may sleep; not in a CM handler.
 */
void rblk_conn_free(struct rblk_conn *conn)
{
	if (conn->id)
		rdma_destroy_id(conn->id);
	rblk_sign_end(conn);
	kfree_rcu(conn, rcu);
}
