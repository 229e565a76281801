// SPDX-License-Identifier: GPL-2.0-only
/*
 * Moves requests from blk-mq to a slot of an I/O connection and back.
 *
 * Each volume has a tag set of its own, so none waits for another's requests.
 * A request takes a route (route.c), and there the I/O connection of its hardware
 * queue: on a route with as many connections, queue i has sess->io[i].  The slot that
 * it takes there is the flow-control credit.  If the volume has its share of the
 * slots, or of what else the request needs, the request waits in blk-mq.  The last
 * queues may be polled: see poll.c.
 *
 * A request is in one of four places: in blk-mq (new, or to be sent again), in a slot
 * (from rblk_io_submit() to rq_command_done() or cancel_rqs()), held by its route after
 * a loss (hold.c), or in completion.
 */
#include <linux/module.h>
#include <linux/slab.h>
#include "block.h"
#include "../trace.h"

#define GONE_RETRY_MS	100
#define OVERDUE_SECONDS	5	/* for the target to end a request of a lost volume */
#define SLOT_SECONDS	(2 * OVERDUE_SECONDS)	/* beyond io_timeout, to find a slot */
#define MIN_DEPTH	16	/* of each queue of a volume */
#define MAX_REQUESTS	1024	/* of a volume, if its queues are not too many */

static unsigned int io_timeout = 30;
module_param(io_timeout, uint, 0644);
MODULE_PARM_DESC(io_timeout, "seconds after which an unanswered request starts recovery");

/* ---- Down: queue_rq ---- */

/* How a request ends, or waits, while its volume is not LIVE. */
static blk_status_t rq_not_live(enum rblk_volume_state state)
{
	if (state == RBLK_VOL_FAILED)
		return BLK_STS_TRANSPORT;
	/* WAITING: its queue is about to be quiesced.  LIVE: the route is just being lost. */
	return state == RBLK_VOL_DELETING ? BLK_STS_IOERR : BLK_STS_RESOURCE;
}

/*
 * When did the driver first try this request?  Time for which the target was
 * paused does not count, up to one hour.
 */
static unsigned long rq_tried_since(struct request *rq)
{
	struct rblk_request *pdu = blk_mq_rq_to_pdu(rq);
	unsigned long unpaused = READ_ONCE(pdu->route->vol.unpaused);
	unsigned long most = pdu->since + msecs_to_jiffies(RBLK_WIRE_MAX_AWAY_MS);

	if (time_before(unpaused, pdu->since))
		return pdu->since;
	return time_before(unpaused, most) ? unpaused : most;
}

/**
 * rblk_queue_give_up() - has the driver tried a request for long enough?
 * @rq: was tried by a route
 *
 * The loss policy ends held I/O only while the volume is WAITING.  Without this check,
 * the driver would try for ever if the target always comes back, but then does not
 * answer, or answers that it has no such volume.
 *
 * Context: any.
 * Return: whether it is to end with an error.
 */
bool rblk_queue_give_up(struct request *rq)
{
	struct rblk_request *pdu = blk_mq_rq_to_pdu(rq);
	int hold = READ_ONCE(pdu->route->vol.queue_timeout);
	struct rblk_dev *dev = pdu->route->dev;

	if (READ_ONCE(dev->scanning)) {
		if (time_before(jiffies, READ_ONCE(dev->scan_until)))
			return false;
		WRITE_ONCE(dev->scan_failed, true);
		return true;
	}
	return hold >= 0 && time_after(jiffies, rq_tried_since(rq) + rq->q->rq_timeout +
						(unsigned long)hold * HZ);
}

/*
 * Its data could not be mapped, at least since @since unless that is 0.  Returns
 * whether to give up: memory that lacks for so long may never be there.
 */
static bool rq_note_unmapped(struct request *rq, unsigned long since)
{
	struct rblk_request *pdu = blk_mq_rq_to_pdu(rq);

	pdu->unmapped = since ?: jiffies ?: 1;
	return time_after(jiffies, pdu->unmapped + rq->q->rq_timeout);
}

/* Note when the first try began; return whether there is time for this one. */
static bool rq_begin_try(struct rblk_route *route, struct request *rq)
{
	struct rblk_request *pdu = blk_mq_rq_to_pdu(rq);
	struct rblk_dev *dev = route->dev;

	pdu->route = route;
	if (!(rq->rq_flags & RQF_DONTPREP)) {
		pdu->since = jiffies;
		pdu->slotless = pdu->since;
		pdu->unmapped = 0;
		pdu->overdue = false;
		pdu->held = false;
		rq->rq_flags |= RQF_DONTPREP;
	}
	if (unlikely(pdu->overdue))
		rq->timeout = 0;
	pdu->overdue = false;
	if (likely(!READ_ONCE(dev->scanning)))
		return true;
	if (rblk_queue_give_up(rq))
		return false;
	rq->timeout = rblk_disk_scan_time(dev);
	return true;
}

/*
 * It may have no slot now, or not what goes with it.  Who has none may have any that is
 * free.  If its volume has none after so long, others hold them all for ever: only new
 * connections have more.  How long the request was elsewhere before does not count.
 */
static blk_status_t rq_wait_for_slot(struct rblk_conn *conn, struct rblk_route *route,
				     struct request *rq, const struct rblk_need *need)
{
	struct rblk_request *pdu = blk_mq_rq_to_pdu(rq);
	bool over = !rq_begin_try(route, rq) || rblk_queue_give_up(rq);
	bool over_here;

	rblk_count(conn->stats, RBLK_CNT_WAITS, 1);
	pdu->slotless = pdu->slotless ?: jiffies ?: 1;
	over_here = over && pdu->slotless == pdu->since;
	if (rblk_share_lacks(&route->shares[conn->offer.qid - 1], need) &&
	    (over_here ||
	     time_after(jiffies, pdu->slotless + rq->q->rq_timeout + SLOT_SECONDS * HZ)))
		rblk_sess_lose(route->vol.sess, "no tag was free in time");
	return over ? BLK_STS_TRANSPORT : BLK_STS_RESOURCE;
}

/* Use the block layer's time stamp if it has just taken one. */
static void rq_note_start(struct request *rq)
{
	struct rblk_request *pdu = blk_mq_rq_to_pdu(rq);

	blk_mq_start_request(rq);
	pdu->sent = rq->io_start_time_ns ?: ktime_get_ns();
}

/*
 * Its data can't be mapped for the RDMA device, and no later try could.  Returns
 * how the request ends.  If the data is in the memory of another PCI device, the
 * user sees EREMOTEIO, as where the disk takes no such memory at all.
 */
static blk_status_t rq_unmappable(const struct rblk_conn *conn, struct rblk_dev *dev,
				  struct request *rq, int err)
{
	const char *name = dev_name(&conn->device->dev);

	if (err == -EREMOTEIO) {
		pr_err_ratelimited("rblk: rblk%d: RDMA device %s can't reach the PCI device whose memory has the data\n",
				   dev->index, name);
		return BLK_STS_TARGET;
	}
	pr_err_ratelimited("rblk: rblk%d: %u bytes can't be mapped for RDMA device %s: error %d\n",
			   dev->index, blk_rq_bytes(rq), name, -err);
	return BLK_STS_IOERR;
}

/*
 * If this fails after other requests of the same series were gathered, the
 * block layer calls commit_rqs(), which sends those.
 */
static blk_status_t rq_submit(struct rblk_conn *conn, struct rblk_route *route,
			      struct request *rq, bool last)
{
	struct rblk_request *pdu = blk_mq_rq_to_pdu(rq);
	struct rblk_dev *dev = route->dev;
	unsigned long unmapped;
	struct rblk_command cmd;
	struct rblk_need need;
	struct rblk_slot *slot;
	int nents, ret;

	if (!rblk_describe(&route->vol.geo, rq, &cmd))
		return BLK_STS_NOTSUPP;
	need = rblk_describe_need(rq, &cmd);
	slot = rblk_io_take(conn, &route->shares[conn->offer.qid - 1], &need,
			    READ_ONCE(route->vol.sess->nr_vols) == 1, rq);
	if (!slot)
		return rq_wait_for_slot(conn, route, rq, &need);
	if (!rq_begin_try(route, rq)) {
		rblk_io_drop(slot);
		return BLK_STS_TRANSPORT;
	}
	pdu->slotless = 0;
	rq_note_start(rq);
	nents = rblk_digest_map(route, rq, &cmd, slot->sgl);
	trace_rblk_io_start(dev->index, conn, slot, &cmd);
	/* Before it is sent, as it may have ended when that returns. */
	unmapped = pdu->unmapped;
	pdu->unmapped = 0;
	ret = rblk_io_submit(slot, &cmd, nents, last);
	if (!ret || ret == -EIO)
		return BLK_STS_OK;
	if (ret == -EAGAIN ||
	    (ret == -ENOMEM && !rq_note_unmapped(rq, unmapped))) {
		rblk_count(conn->stats, RBLK_CNT_WAITS, 1);
		return BLK_STS_RESOURCE;
	}
	return rq_unmappable(conn, dev, rq, ret);
}

static blk_status_t queue_rq(struct blk_mq_hw_ctx *hctx,
			     const struct blk_mq_queue_data *bd)
{
	struct rblk_dev *dev = hctx->queue->queuedata;
	struct rblk_conn *conn;
	struct rblk_route *route = rblk_route_pick(dev, hctx, &conn);
	blk_status_t status;

	status = likely(route) ? rq_submit(conn, route, bd->rq, bd->last) :
				 rq_not_live(rblk_route_state(dev));
	if (route && bd->last && unlikely(READ_ONCE(dev->nr_routes) > 1))
		rblk_route_post(dev, hctx);
	/* Then the block layer ends the request, without complete_rq(). */
	if (unlikely(status != BLK_STS_OK && status != BLK_STS_RESOURCE))
		rblk_digest_drop(dev, bd->rq);
	return status;
}

/* No more requests follow, although the last one was not marked as the last. */
static void commit_rqs(struct blk_mq_hw_ctx *hctx)
{
	rblk_route_post(hctx->queue->queuedata, hctx);
}

/* ---- Up: completion, cancellation, timeout ---- */

/*
 * The target has withdrawn the export.  rblk treats that like the loss of the
 * connection: it holds the request until the export is back or the loss policy
 * ends it.
 */
static void rq_hold_gone(struct request *rq, u32 volume)
{
	struct rblk_request *pdu = blk_mq_rq_to_pdu(rq);
	struct rblk_vol *vol = &pdu->route->vol;
	struct request_queue *q = rq->q;

	if (rblk_queue_give_up(rq)) {
		pdu->status = BLK_STS_TRANSPORT;
		blk_mq_complete_request(rq);
		return;
	}
	rblk_count(vol->sess->stats, RBLK_CNT_REQUEUES, 1);
	/* An answer about an old handle says nothing about the present one. */
	if (READ_ONCE(vol->geo.volume) == volume)
		rblk_sess_gone(vol, RBLK_WITHDRAWN);
	blk_mq_requeue_request(rq, false);
	/* Kick it here: ops->resume() may have run already, or may never. */
	blk_mq_delay_kick_requeue_list(q, GONE_RETRY_MS);
}

static void rq_answered(void *owner, const struct rblk_slot *slot)
{
	struct request *rq = owner;
	struct rblk_request *pdu = blk_mq_rq_to_pdu(rq);

	if (likely(slot->status != RBLK_STATUS_GONE && slot->status != RBLK_STATUS_HELD))
		rblk_latency_count(pdu->route, rq, slot, pdu->sent);
}

static void rq_command_done(void *owner, struct rblk_slot *slot)
{
	struct request *rq = owner;
	struct rblk_request *pdu = blk_mq_rq_to_pdu(rq);
	u32 volume = slot->volume;
	u16 status = slot->status;
	bool held;

	pdu->status = rblk_proto_status(status);
	rblk_digest_note(rq, slot);
	trace_rblk_io_end(pdu->route->dev->index, slot);
	/*
	 * Held before its slot is free, for whoever removes the route.  If HELD comes late,
	 * nothing is at the device any more, as with GONE.
	 */
	held = unlikely(status == RBLK_STATUS_HELD) && rblk_hold_request(rq, volume);
	/* Before the request ends, as the next one may come at once. */
	rblk_share_give(slot);
	if (likely(status != RBLK_STATUS_GONE && status != RBLK_STATUS_HELD))
		blk_mq_complete_request(rq);
	else if (!held)
		rq_hold_gone(rq, volume);
}

static void complete_rq(struct request *rq)
{
	struct rblk_request *pdu = blk_mq_rq_to_pdu(rq);

	if (unlikely(pdu->digest) && !rblk_digest_end(pdu->route->dev, rq))
		return;
	compat_uncache_polled(rq);
	blk_mq_end_request(rq, pdu->status);
}

/*
 * The target may still reach the pages, so the request cannot end here.  The target
 * answers it when its volume is given back.  If not even that, the session's work takes
 * it back after it drained the connections.
 */
static void rq_overdue(struct request *rq, struct rblk_vol *vol)
{
	static const char why[] = "a request was not answered in time";
	struct rblk_request *pdu = blk_mq_rq_to_pdu(rq);

	if (!pdu->overdue)
		rblk_count(vol->sess->stats, RBLK_CNT_TIMEOUTS, 1);
	if (pdu->overdue || !rblk_recover_volume(vol, why))
		rblk_sess_lose(vol->sess, why);
	pdu->overdue = true;
	rq->timeout = OVERDUE_SECONDS * HZ;
}

static enum blk_eh_timer_return rq_timed_out(struct request *rq)
{
	struct rblk_request *pdu = blk_mq_rq_to_pdu(rq);
	struct rblk_route *route = READ_ONCE(pdu->route);

	/* The loss policy ends it, or the target's answer. */
	if (READ_ONCE(pdu->held))
		return BLK_EH_RESET_TIMER;
	/* Its answer may be there, and nobody polls. */
	if (rblk_poll_request(rq))
		return BLK_EH_DONE;
	/* If it has just been answered, its route may go (route_retire()). */
	rcu_read_lock();
	if (READ_ONCE(route->used))
		rq_overdue(rq, &route->vol);
	rcu_read_unlock();
	return BLK_EH_RESET_TIMER;
}

static const struct blk_mq_ops mq_ops = {
	.queue_rq = queue_rq,
	.commit_rqs = commit_rqs,
	.complete = complete_rq,
	.timeout = rq_timed_out,
	.map_queues = rblk_poll_map_queues,
	.poll = rblk_poll_queue,
};

/* ---- The session's upcalls, see struct rblk_sess_ops ---- */

static void cancel_rqs(struct rblk_sess *sess)
{
	struct rblk_conn *conn;
	struct request *rq;
	u32 i, tag;

	rblk_hold_begin(sess);
	for (i = 0; i < RBLK_WIRE_MAX_QUEUES; i++) {
		conn = sess->io[i];
		for (tag = 0; conn && tag < conn->offer.depth; tag++) {
			rq = rblk_io_cancel(conn, tag);
			/* What it had before the target gave the volume anew has ended. */
			if (rq && !rblk_hold_request(rq, conn->slots[tag].volume))
				rq_hold_gone(rq, conn->slots[tag].volume);
		}
	}
}

const struct rblk_sess_ops rblk_blk_sess_ops = {
	.hold = rblk_queue_hold,
	.settle = rblk_queues_settle,
	.resume = rblk_queue_resume,
	.cancel = cancel_rqs,
	.admit = rblk_route_admit,
	.granted = rblk_disk_granted,
	.unfenced = rblk_route_unfenced,
	.fenced = rblk_hold_fenced,
	.blocked = rblk_route_blocked,
	.live = rblk_route_live,
	.kin = rblk_route_kin,
	.spare = rblk_route_spare,
	.serves = rblk_reserve_serves,
	.reserved = rblk_registrants_changed,
	.changed = rblk_attrs_changed,
	.resized = rblk_disk_resized,
	.answered = rq_answered,
	.done = rq_command_done,
};

/**
 * rblk_queue_tags_init() - make a device's tag set
 * @dev: its session has been LIVE
 *
 * Context: may sleep.
 * Return: 0 or a negative errno.
 */
int rblk_queue_tags_init(struct rblk_dev *dev)
{
	struct rblk_sess *sess = dev->route[0].vol.sess;
	struct blk_mq_tag_set *set = &dev->tags;
	u32 most = max_t(u32, MIN_DEPTH, MAX_REQUESTS / sess->nr_io);

	set->ops = &mq_ops;
	set->driver_data = dev;
	set->nr_hw_queues = sess->nr_io;
	/* A map for polled I/O makes blk-mq accept such I/O. */
	set->nr_maps = sess->nr_poll ? HCTX_MAX_TYPES : 1;
	set->queue_depth = min_t(u32, sess->grant.depth, most);
	set->numa_node = sess->numa_node;
	set->cmd_size = sizeof(struct rblk_request);
	set->timeout = clamp(io_timeout, 1u, 3600u) * HZ;
	set->flags = BLK_MQ_F_SHOULD_MERGE;
	if (sess->caps.map_sleeps)
		set->flags |= BLK_MQ_F_BLOCKING;
	dev->nr_poll = sess->nr_poll;
	return blk_mq_alloc_tag_set(set);
}
