// SPDX-License-Identifier: GPL-2.0-only
/*
 * Holds requests back while they have no connection, and lets them go when they have.
 *
 * New requests wait in blk-mq while no route of their device is LIVE: its queue is
 * quiesced.  Requests that were lost with a route wait in route->held.  They are
 * sent again, by any route, when the target has ended what it had of that route.
 *
 * If the route has FAILED before that, they end with an error, and their users may
 * write the same blocks anew, by this device or by another one that is the same export
 * (kin.c).  So first no other route there may be LIVE: they are given up, and come back
 * behind the fence (rblk_route_blocked()).  And while another session could tell the
 * target that the route is lost, the requests wait for that: then the target itself
 * keeps the host's other devices away.  The same holds for a request that was tried for
 * too long, except that no route is given up for it: it waits for its own route's end.
 *
 * A request that blk-mq has given to the driver is in a slot or here: cancel_rqs() in
 * queue.c takes it back from its slot.
 */
#include "block.h"

/* What is to become of a request that a route holds? */
enum hold_verdict { HOLD_KEEP, HOLD_SEND, HOLD_FAIL };

/* Another session may still tell the target that the route is lost. */
static bool route_is_being_told(struct rblk_route *route)
{
	return route->fence == RBLK_UNFENCED && rblk_fence_possible(&route->vol);
}

/*
 * Does another route carry I/O?  One that is being removed takes no new requests, but
 * if it is not removed in the end, it does so again at once.
 */
static bool other_carries(struct rblk_route *route, struct rblk_route *other)
{
	return READ_ONCE(other->vol.state) == RBLK_VOL_LIVE;
}

/*
 * A request is given up when its route has FAILED, or when it was tried for too long.
 * While the target may have it, that must not happen @beside a LIVE route.
 */
static enum hold_verdict hold_judge(struct rblk_route *route, struct request *rq, bool beside)
{
	enum rblk_volume_state state = READ_ONCE(route->vol.state);
	bool over = rblk_queue_give_up(rq);

	lockdep_assert_held(&route->lock);
	if (state == RBLK_VOL_DELETING)
		return HOLD_FAIL;
	/* If no other route is better than FAILED, queue_rq() fails it. */
	if (route->fence == RBLK_FENCED)
		return over ? HOLD_FAIL : HOLD_SEND;
	if ((!over && state != RBLK_VOL_FAILED) || beside || route_is_being_told(route))
		return HOLD_KEEP;
	return HOLD_FAIL;
}

/* They go to a connection again, or end with an error. */
static void held_rqs_end(struct list_head *rqs, blk_status_t status)
{
	struct request *rq, *next;

	list_for_each_entry_safe(rq, next, rqs, queuelist) {
		struct rblk_request *pdu = blk_mq_rq_to_pdu(rq);

		list_del_init(&rq->queuelist);
		WRITE_ONCE(pdu->held, false);
		pdu->status = status;
		if (status)
			blk_mq_complete_request(rq);
		else
			blk_mq_requeue_request(rq, false);
	}
}

/* The other routes are given up before an unfenced one ends requests with an error. */
static bool other_give_up(struct rblk_route *route, struct rblk_route *other)
{
	if (READ_ONCE(other->vol.state) == RBLK_VOL_LIVE)
		rblk_sess_gone(&other->vol, "I/O of a lost route has not ended");
	return false;
}

static bool other_note_given_up(struct rblk_route *route, struct rblk_route *other)
{
	if (other->dev != route->dev)
		other->dev->given_up++;
	return false;
}

static bool route_holds(struct rblk_route *route)
{
	bool holds;

	spin_lock_irq(&route->lock);
	holds = !list_empty(&route->held);
	spin_unlock_irq(&route->lock);
	return holds;
}

static void route_release(struct rblk_route *route)
{
	struct request *rq, *next;
	LIST_HEAD(send);
	LIST_HEAD(fail);
	bool beside, failed, unfenced;

	lockdep_assert_held(&route->dev->hold_lock);
	/* Who holds one from now on looks at the state, which has changed already. */
	if (!route_holds(route))
		return;
	rblk_kin_lock();
	beside = rblk_kin_any(route, other_carries);
	spin_lock_irq(&route->lock);
	list_for_each_entry_safe(rq, next, &route->held, queuelist) {
		enum hold_verdict verdict = hold_judge(route, rq, beside);

		if (verdict != HOLD_KEEP)
			list_move_tail(&rq->queuelist, verdict == HOLD_SEND ? &send : &fail);
	}
	/* The answer to FENCE may be that nothing is left. */
	failed = !list_empty(&route->held) && !route_is_being_told(route) &&
		 READ_ONCE(route->vol.state) == RBLK_VOL_FAILED;
	unfenced = !list_empty(&fail) && route->fence != RBLK_FENCED;
	spin_unlock_irq(&route->lock);
	/* Who was granted the volume before this does not become LIVE: rblk_route_live(). */
	if (unfenced) {
		route->dev->given_up++;
		rblk_kin_any(route, other_note_given_up);
	}
	if (failed)
		rblk_kin_any(route, other_give_up);
	rblk_kin_unlock();
	held_rqs_end(&send, BLK_STS_OK);
	held_rqs_end(&fail, rblk_route_state(route->dev) == RBLK_VOL_DELETING ?
			    BLK_STS_IOERR : BLK_STS_TRANSPORT);
}

static void routes_release(struct rblk_dev *dev)
{
	struct rblk_route *route;

	rblk_for_each_route(dev, route)
		if (route->used)
			route_release(route);
}

/**
 * rblk_hold_if_lost() - quiesce a device's queue if no route is LIVE any more
 * @dev: attached or being attached
 *
 * The caller then looks whether the device waits at all: rblk_queue_resume().
 *
 * Context: hold_lock held.
 */
void rblk_hold_if_lost(struct rblk_dev *dev)
{
	lockdep_assert_held(&dev->hold_lock);
	if (dev->disk && !dev->held && rblk_route_state(dev) != RBLK_VOL_LIVE) {
		blk_mq_quiesce_queue_nowait(dev->disk->queue);
		dev->held = true;
	}
}

/**
 * rblk_queue_hold() - let no new request of a volume to the connections
 * @vol: the volume; not LIVE any more
 *
 * If no other route is LIVE, the requests wait in blk-mq.  Dispatchers may still run:
 * rblk_queues_settle() waits for them.
 *
 * Context: session work; may sleep.
 */
void rblk_queue_hold(struct rblk_vol *vol)
{
	struct rblk_dev *dev = rblk_vol_dev(vol);

	mutex_lock(&dev->hold_lock);
	if (vol->was_live)
		rblk_vol_route(vol)->losses++;
	rblk_hold_if_lost(dev);
	routes_release(dev);
	mutex_unlock(&dev->hold_lock);
	rblk_kin_wake(rblk_vol_route(vol));
}

/*
 * Wait for the dispatchers of each volume, also of one that is held no longer: if
 * they began before it was, they may still use the connections.
 */
static void queues_wait_each(struct rblk_sess *sess)
{
	struct rblk_vol *vol;

	lockdep_assert_held(&sess->vols_lock);
	list_for_each_entry(vol, &sess->vols, entry) {
		struct rblk_dev *dev = rblk_vol_dev(vol);

		mutex_lock(&dev->hold_lock);
		if (dev->disk)
			compat_wait_quiesced(dev->disk->queue);
		mutex_unlock(&dev->hold_lock);
	}
}

/**
 * rblk_queues_settle() - wait until no dispatcher uses the connections
 * @sess: all of its volumes are held, or their state makes queue_rq() fail I/O
 *
 * Context: session work, with vols_lock held; may sleep.
 */
void rblk_queues_settle(struct rblk_sess *sess)
{
	u32 i;

	if (sess->caps.map_sleeps)
		queues_wait_each(sess);
	else
		synchronize_rcu();
	/* A dispatcher stopped between two requests left the first unsent. */
	for (i = 0; i < sess->nr_io; i++)
		if (sess->io[i])
			rblk_batch_post(sess->io[i]);
}

/**
 * rblk_queue_resume() - let requests to the connections again, or end them
 * @vol: its state has changed
 *
 * Context: session work, or that of the loss policy; may sleep.
 */
void rblk_queue_resume(struct rblk_vol *vol)
{
	struct rblk_dev *dev = rblk_vol_dev(vol);

	mutex_lock(&dev->hold_lock);
	routes_release(dev);
	if (dev->disk) {
		if (dev->held && rblk_route_state(dev) != RBLK_VOL_WAITING) {
			dev->held = false;
			blk_mq_unquiesce_queue(dev->disk->queue);
		}
		blk_mq_kick_requeue_list(dev->disk->queue);
	}
	mutex_unlock(&dev->hold_lock);
}

static void route_hold_begin(struct rblk_route *route)
{
	if (!rblk_route_inflight(route))
		return;
	spin_lock(&route->lock);
	WRITE_ONCE(route->fence, RBLK_UNFENCED);
	spin_unlock(&route->lock);
}

/**
 * rblk_hold_begin() - take note that a lost session's requests are about to be held
 * @sess: its connections are drained
 *
 * Who removes a route looks at its slots first, and then at its fence.  So no request
 * leaves its slot before this.
 *
 * Context: process.
 */
void rblk_hold_begin(struct rblk_sess *sess)
{
	struct rblk_vol *vol;

	spin_lock_irq(&sess->lock);
	list_for_each_entry(vol, &sess->vols, entry)
		route_hold_begin(rblk_vol_route(vol));
	spin_unlock_irq(&sess->lock);
}

/* Take note of a request that was lost with its route; returns the volume's state then. */
static enum rblk_volume_state route_hold(struct rblk_route *route, struct request *rq)
{
	struct rblk_request *pdu = blk_mq_rq_to_pdu(rq);
	enum rblk_volume_state state;

	lockdep_assert_held(&route->lock);
	WRITE_ONCE(route->fence, RBLK_UNFENCED);
	/* Who changes the state later also releases what is held. */
	state = READ_ONCE(route->vol.state);
	if (state != RBLK_VOL_DELETING) {
		WRITE_ONCE(pdu->held, true);
		list_add_tail(&rq->queuelist, &route->held);
	}
	return state;
}

/**
 * rblk_hold_request() - hold a request that was lost with its route
 * @rq: the target may still have the command
 * @volume: the handle in the command
 *
 * Context: any but hard interrupt.
 * Return: false if the target has given the route the volume anew since, and so has
 * ended the command.
 */
bool rblk_hold_request(struct request *rq, u32 volume)
{
	struct rblk_request *pdu = blk_mq_rq_to_pdu(rq);
	struct rblk_route *route = pdu->route;
	enum rblk_volume_state state;
	unsigned long flags;

	spin_lock_irqsave(&route->lock, flags);
	/* vol_granted() changes the handle first, and then comes by rblk_hold_fenced(). */
	if (READ_ONCE(route->vol.geo.volume) != volume) {
		spin_unlock_irqrestore(&route->lock, flags);
		return false;
	}
	state = route_hold(route, rq);
	spin_unlock_irqrestore(&route->lock, flags);
	rblk_count(route->vol.sess->stats, RBLK_CNT_REQUEUES, 1);
	/* Nobody has given it up: the target did, and an EVENT need not come. */
	if (state == RBLK_VOL_LIVE)
		rblk_sess_gone(&route->vol, RBLK_WITHDRAWN);
	if (state == RBLK_VOL_FAILED)
		rblk_vol_judge(&route->vol);
	if (state != RBLK_VOL_DELETING)
		return true;
	pdu->status = BLK_STS_IOERR;
	blk_mq_complete_request(rq);
	return true;
}

/**
 * rblk_hold_fenced() - take note of what the target has of a lost route
 * @vol: the route's volume
 * @ended: nothing, nor will it have; else it has ended the route, but not its I/O
 *
 * Context: vols_lock of the volume's session held; may sleep.
 */
void rblk_hold_fenced(struct rblk_vol *vol, bool ended)
{
	struct rblk_route *route = rblk_vol_route(vol);

	spin_lock_irq(&route->lock);
	if (route->fence != RBLK_FENCED)
		WRITE_ONCE(route->fence, ended ? RBLK_FENCED : RBLK_FENCE_TOLD);
	spin_unlock_irq(&route->lock);
	rblk_queue_resume(vol);
}
