// SPDX-License-Identifier: GPL-2.0-only
/*
 * Poll queues: hardware queues for I/O whose submitter polls for its end, which
 * is io_uring with IORING_SETUP_IOPOLL.
 *
 * The last I/O connections of a session are polled (transport/poll.c).  blk-mq has
 * three maps from CPUs to hardware queues, and sends to the third one only what is
 * polled.  A poller looks at the connections that its queue has, one on each route, and
 * handles all answers there, also those to requests of others.
 *
 * If nobody polls, for example as the submitter was stopped, the request ends when
 * the session's keepalive looks, or when it times out.
 */
#include "block.h"

/**
 * rblk_poll_map_queues() - tell blk-mq which CPU uses which hardware queue
 * @set: the tag set of a device
 *
 * Context: may sleep.
 */
void rblk_poll_map_queues(struct blk_mq_tag_set *set)
{
	const struct rblk_dev *dev = set->driver_data;
	/* blk-mq may have left one queue and one map (kdump). */
	u32 polled = set->nr_maps > HCTX_TYPE_POLL ? dev->nr_poll : 0;
	struct blk_mq_queue_map *map = &set->map[HCTX_TYPE_DEFAULT];

	map->queue_offset = 0;
	map->nr_queues = set->nr_hw_queues - polled;
	blk_mq_map_queues(map);
	if (!polled)
		return;
	/* Without queues of their own, reads use the default ones. */
	set->map[HCTX_TYPE_READ].queue_offset = 0;
	set->map[HCTX_TYPE_READ].nr_queues = 0;
	map = &set->map[HCTX_TYPE_POLL];
	map->queue_offset = set->nr_hw_queues - polled;
	map->nr_queues = polled;
	blk_mq_map_queues(map);
}

/**
 * rblk_poll_queue() - look whether requests of a poll queue have ended
 * @hctx: the queue
 * @batch: not used
 *
 * While the volume's I/O is held, this says that it is of no use to spin.  Callers
 * heed it only if they would sleep otherwise (blk_mq_poll() of 6.1 and 6.12), and
 * io_uring goes on anyhow, until another task shall run.
 *
 * Context: process; the block layer holds a reference to the request queue.
 * Return: how many completions were handled, or a negative number.
 */
int rblk_poll_queue(struct blk_mq_hw_ctx *hctx, struct io_comp_batch *batch)
{
	struct rblk_dev *dev = hctx->queue->queuedata;
	struct rblk_route *route;
	struct rblk_conn *conn;
	int found = -1, got;

	/* A session may take its connection down at any moment. */
	rcu_read_lock();
	rblk_for_each_route(dev, route) {
		conn = rblk_route_conn(route, hctx);
		if (!conn)
			continue;
		got = rblk_poll_try(conn);
		found = found > 0 && got > 0 ? found + got : max(found, got);
	}
	rcu_read_unlock();
	/* It may have I/O on a connection all the same, as its session is LIVE. */
	if (!found && rblk_route_state(dev) != RBLK_VOL_LIVE)
		found = -1;
	return found;
}

/**
 * rblk_poll_request() - poll for a request in the place of its submitter
 * @rq: has started; may be on a queue that is not polled
 *
 * Context: any but interrupt; does not sleep.
 * Return: whether the request is no longer out.
 */
bool rblk_poll_request(struct request *rq)
{
	struct rblk_request *pdu = blk_mq_rq_to_pdu(rq);
	struct rblk_conn *conn;

	if (rq->mq_hctx->type != HCTX_TYPE_POLL)
		return false;
	rcu_read_lock();
	conn = rblk_route_conn(pdu->route, rq->mq_hctx);
	if (conn)
		rblk_poll_all(conn);
	rcu_read_unlock();
	return blk_mq_rq_state(rq) != MQ_RQ_IN_FLIGHT;
}

/**
 * rblk_poll_session() - poll for all requests in the place of their submitters
 * @sess: has been LIVE
 *
 * Context: process; does not sleep.
 */
void rblk_poll_session(struct rblk_sess *sess)
{
	struct rblk_conn *conn;
	u32 i;

	rcu_read_lock();
	for (i = sess->nr_io - sess->nr_poll; i < sess->nr_io; i++) {
		conn = READ_ONCE(sess->io[i]);
		if (conn)
			rblk_poll_all(conn);
	}
	rcu_read_unlock();
}
