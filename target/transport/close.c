// SPDX-License-Identifier: GPL-2.0-only
/*
 * Taking a connection's hardware apart, in the order that keeps memory safe:
 * disconnect, drop waiting commands, drain, destroy.
 *
 * The close does not wait for commands at the backing device.  Each holds a
 * reference to the connection's memory, which then has no DMA mapping and no
 * memory region left.  So a hung backing device blocks neither the removal of
 * the RDMA device nor other connections.
 */
#include "transport.h"

#define RBLKT_HANG_UP_MS	1000
#define RECHECK			(HZ / 10)

static DECLARE_WAIT_QUEUE_HEAD(closed_wait);

static void conn_cancel(struct rblkt_conn *conn)
{
	if (conn->ops->cancel)
		conn->ops->cancel(conn);
}

/**
 * rblkt_close_wake - let rblkt_close_device() check again
 *
 * Called when a connection has lost its CM id or its memory.
 *
 * Context: any.
 */
void rblkt_close_wake(void)
{
	wake_up_all(&closed_wait);
}

/**
 * rblkt_close_work - close a connection
 * @work: its close_work, queued once, by conn_begin_close()
 *
 * Context: process; may sleep.
 */
void rblkt_close_work(struct work_struct *work)
{
	struct rblkt_conn *conn = container_of(work, struct rblkt_conn,
					       close_work);
	struct rdma_cm_id *id = conn->id;
	int ret;

	cancel_delayed_work_sync(&conn->handshake);
	ret = rdma_disconnect(id);
	/* From CLOSING on this keeps the send CQ armed, for the drain. */
	queue_work(rblkt_conn_wq(conn), &conn->send_work);
	/*
	 * Before the drain: commands that wait hold their volumes, and what
	 * they wait for may be at the hung device of another one.  Completions
	 * that the drain brings may leave more to cancel.
	 */
	conn_cancel(conn);
	/* What never completes is dropped by rblkt_transfer_cancel_pulls(). */
	compat_drain_qp(conn->qp, &conn->drain);
	conn_cancel(conn);
	rblkt_conn_unmake(conn);

	spin_lock_irq(&conn->lock);
	rblkt_conn_set(conn, RBLKT_CONN_DEAD);
	spin_unlock_irq(&conn->lock);
	conn->ops->closed(conn);
	/* Destroying the id cancels a disconnect request not yet sent. */
	if (!ret)
		wait_for_completion_timeout(&conn->hung_up,
					    msecs_to_jiffies(RBLKT_HANG_UP_MS));
	rdma_destroy_id(id);

	mutex_lock(&rblkt_mutex);
	conn->id = NULL;
	mutex_unlock(&rblkt_mutex);
	rblkt_close_wake();
	rblkt_conn_put(conn);
}

/*
 * Are all connections of @dev closed?  With NULL: is the memory of all freed?
 * Each call kills the connections that it finds: the listeners go only after
 * us, so a host may just have come back.
 */
static bool conns_all_closed(const struct ib_device *dev)
{
	struct rblkt_conn *conn;
	bool none = true;

	mutex_lock(&rblkt_mutex);
	list_for_each_entry(conn, &rblkt_conns, node) {
		if (dev && (!conn->id || conn->dev != dev))
			continue;
		rblkt_conn_kill(conn, "RDMA device removed");
		none = false;
	}
	mutex_unlock(&rblkt_mutex);
	return none;
}

/**
 * rblkt_close_device - end all connections of an RDMA device and wait for that
 * @dev: about to go; or NULL: end all, and wait until no connection's memory
 *       is left
 *
 * Context: process; sleeps without a limit.
 */
void rblkt_close_device(struct ib_device *dev)
{
	DEFINE_WAIT_FUNC(wait, woken_wake_function);

	/* conns_all_closed() sleeps, so its caller can't be wait_event(). */
	add_wait_queue(&closed_wait, &wait);
	while (!conns_all_closed(dev))
		wait_woken(&wait, TASK_UNINTERRUPTIBLE, RECHECK);
	remove_wait_queue(&closed_wait, &wait);
}
