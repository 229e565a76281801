// SPDX-License-Identifier: GPL-2.0-only
/*
 * Taking a connection's hardware apart, in the order that keeps memory safe:
 * disconnect, drain, cancel what waits, destroy.  Commands at the backing
 * device are not waited for; each holds a reference to the connection's memory,
 * which has no DMA mapping and no memory region left by then, so that a hung
 * backing device holds back neither the RDMA device nor anybody else.
 */
#include "rblkt.h"

#define RBLKT_HANG_UP_MS	1000
#define RECHECK			(HZ / 10)

static DECLARE_WAIT_QUEUE_HEAD(closed_wait);

/* Commands that wait for chunks or slots never reach the wire. */
static void cancel_waiting(struct rblkt_conn *conn)
{
	struct rblkt_cmd *cmd, *next;
	LIST_HEAD(list);

	spin_lock_irq(&conn->lock);
	list_splice_init(&conn->waiting, &list);
	list_splice_init(&conn->replies, &list);
	spin_unlock_irq(&conn->lock);
	list_for_each_entry_safe(cmd, next, &list, node) {
		list_del(&cmd->node);
		rblkt_cmd_drop(cmd);
	}
}

/*
 * SIW may complete the work request that marks the end of a drain before those
 * that were queued earlier, whose completions are then never seen.  With the
 * queue pair and the completion queues gone, nothing touches their memory.
 */
static void cancel_pulls(struct rblkt_conn *conn)
{
	struct rblkt_cmd *cmd, *next;
	LIST_HEAD(list);

	spin_lock_irq(&conn->lock);
	list_splice_init(&conn->pulling, &list);
	conn->pulls = 0;
	spin_unlock_irq(&conn->lock);
	list_for_each_entry_safe(cmd, next, &list, node) {
		list_del(&cmd->node);
		rblkt_cmd_drop(cmd);
	}
}

/**
 * rblkt_close_wake - something that rblkt_close_device() waits for has gone
 */
void rblkt_close_wake(void)
{
	wake_up_all(&closed_wait);
}

/**
 * rblkt_close_work - the end of a connection
 * @work: its close_work, queued once
 */
void rblkt_close_work(struct work_struct *work)
{
	struct rblkt_conn *conn = container_of(work, struct rblkt_conn,
					       close_work);
	struct rdma_cm_id *id = conn->id;
	int ret;

	cancel_delayed_work_sync(&conn->handshake);
	cancel_delayed_work_sync(&conn->watch);
	ret = rdma_disconnect(id);
	/* From CLOSING on the send work keeps the send CQ armed. */
	queue_work(rblkt_wq, &conn->send_work);
	/* So that no volume's fence waits for another's hung device. */
	cancel_waiting(conn);
	ib_drain_qp(conn->qp);
	cancel_waiting(conn);
	rblkt_conn_destroy_hw(conn);
	cancel_pulls(conn);

	spin_lock_irq(&conn->lock);
	rblkt_conn_set(conn, RBLKT_CONN_DEAD);
	spin_unlock_irq(&conn->lock);
	rblkt_sess_conn_closed(conn);
	/* Destroying the id also takes back a request that is not yet sent. */
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
 * Has @dev, or with NULL the module, any connection left?  What there is gets
 * killed each time: the listeners go only after us, so a host may just have
 * come back.
 */
static bool all_closed(const struct ib_device *dev)
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
 * rblkt_close_device - end all connections of an RDMA device and wait for it
 * @dev: about to go, or NULL: wait until no connection's memory is left
 */
void rblkt_close_device(struct ib_device *dev)
{
	DEFINE_WAIT_FUNC(wait, woken_wake_function);

	/* The condition sleeps itself, so wait_event() won't do. */
	add_wait_queue(&closed_wait, &wait);
	while (!all_closed(dev))
		wait_woken(&wait, TASK_UNINTERRUPTIBLE, RECHECK);
	remove_wait_queue(&closed_wait, &wait);
}
