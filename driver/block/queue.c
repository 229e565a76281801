// SPDX-License-Identifier: GPL-2.0-only
/*
 * Moves requests from blk-mq to a slot of an I/O connection and back.
 *
 * All volumes of a session share its tag set.  Hardware queue i is I/O
 * connection i + 1, sess->io[i], and a request's tag is its slot there.  So the
 * driver looks up and allocates nothing for a request, and a tag is the
 * flow-control credit, too.  blk-mq gives each volume that has I/O its fair
 * share of the tags.  The last queues may be polled: see poll.c.
 *
 * A request is in one of three places: in blk-mq (new, or requeued after a
 * loss), in a slot (from rblk_io_submit() to rq_command_done() or cancel_rq()),
 * or in completion.
 */
#include <linux/module.h>
#include <linux/slab.h>
#include "block.h"
#include "../trace.h"

#define GONE_RETRY_MS	100

static unsigned int io_timeout = 30;
module_param(io_timeout, uint, 0644);
MODULE_PARM_DESC(io_timeout, "seconds after which an unanswered request starts recovery");

/**
 * struct rblk_request - the driver's part of a request
 * @status: its outcome
 * @since: jiffies when the driver first tried to send it
 * @unmapped: jiffies when mapping its data first failed, in a row of such tries;
 *            0 if the last try was none
 * @sent: ns, when the driver last sent it
 *
 * blk-mq allocates it behind each request of the tag set.
 */
struct rblk_request {
	blk_status_t status;
	unsigned long since;
	unsigned long unmapped;
	u64 sent;
};

/* ---- Down: queue_rq ---- */

/* How a request ends, or waits, while its volume is not LIVE. */
static blk_status_t rq_not_live(enum rblk_volume_state state)
{
	if (state == RBLK_VOL_FAILED)
		return BLK_STS_TRANSPORT;
	/* WAITING: its queue is about to be quiesced. */
	return state == RBLK_VOL_DELETING ? BLK_STS_IOERR : BLK_STS_RESOURCE;
}

/*
 * The disk keeps the limits that it was made with.  After a reconnect, the
 * target's device may take less per command, and the target treats a larger
 * command as a protocol violation.
 */
static bool rq_size_fits(struct request *rq, u32 most)
{
	return blk_rq_bytes(rq) <= most;
}

/* Translates a request; returns whether the target can do it. */
static bool rq_describe(struct rblk_dev *dev, struct request *rq,
			struct rblk_command *cmd)
{
	memset(cmd, 0, sizeof(*cmd));
	switch (req_op(rq)) {
	case REQ_OP_READ:
		cmd->op = RBLK_OP_READ;
		break;
	case REQ_OP_WRITE:
		cmd->op = RBLK_OP_WRITE;
		break;
	case REQ_OP_FLUSH:
		cmd->op = RBLK_OP_FLUSH;
		break;
	case REQ_OP_DISCARD:
		if (!rq_size_fits(rq, dev->vol.geo.max_discard))
			return false;
		cmd->op = RBLK_OP_DISCARD;
		break;
	case REQ_OP_WRITE_ZEROES:
		if (!rq_size_fits(rq, dev->vol.geo.max_write_zeroes))
			return false;
		cmd->op = RBLK_OP_WRITE_ZEROES;
		if (rq->cmd_flags & REQ_NOUNMAP)
			cmd->flags |= RBLK_CMDF_NOUNMAP;
		break;
	default:
		return false;
	}
	if (rq->cmd_flags & REQ_FUA)
		cmd->flags |= RBLK_CMDF_FUA;
	if (rq->cmd_flags & REQ_SYNC)
		cmd->flags |= RBLK_CMDF_SYNC;
	if (rq->cmd_flags & REQ_META)
		cmd->flags |= RBLK_CMDF_META;
	if (rq->cmd_flags & (REQ_RAHEAD | REQ_IDLE | REQ_BACKGROUND))
		cmd->flags |= RBLK_CMDF_BACKGROUND;
	cmd->prio = req_get_ioprio(rq);
	cmd->volume = dev->vol.geo.volume;
	cmd->stable = dev->vol.geo.flags & RBLK_EXPF_STABLE_WRITES;
	if (cmd->op == RBLK_OP_FLUSH)
		return true;
	cmd->length = blk_rq_bytes(rq);
	cmd->lba = blk_rq_pos(rq) >> (ilog2(dev->vol.geo.logical_block) -
				      SECTOR_SHIFT);
	return true;
}

/*
 * When did the driver first try this request?  Time for which the target was
 * paused does not count, up to one hour.
 */
static unsigned long rq_tried_since(struct rblk_dev *dev, struct request *rq)
{
	struct rblk_request *pdu = blk_mq_rq_to_pdu(rq);
	unsigned long unpaused = READ_ONCE(dev->vol.unpaused);
	unsigned long most = pdu->since + msecs_to_jiffies(RBLK_WIRE_MAX_AWAY_MS);

	if (time_before(unpaused, pdu->since))
		return pdu->since;
	return time_before(unpaused, most) ? unpaused : most;
}

/*
 * Has the driver tried this request for long enough?  The loss policy ends held
 * I/O only while the volume is WAITING.  Without this check, the driver would
 * try for ever if the target always comes back, but then does not answer, or
 * answers that it has no such volume.
 */
static bool rq_give_up(struct rblk_dev *dev, struct request *rq)
{
	int hold = READ_ONCE(dev->vol.queue_timeout);

	if (READ_ONCE(dev->scanning)) {
		if (time_before(jiffies, READ_ONCE(dev->scan_until)))
			return false;
		WRITE_ONCE(dev->scan_failed, true);
		return true;
	}
	return hold >= 0 && time_after(jiffies, rq_tried_since(dev, rq) +
						rq->q->rq_timeout +
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
static bool rq_begin_try(struct rblk_dev *dev, struct request *rq)
{
	struct rblk_request *pdu = blk_mq_rq_to_pdu(rq);

	if (!(rq->rq_flags & RQF_DONTPREP)) {
		pdu->since = jiffies;
		pdu->unmapped = 0;
		rq->rq_flags |= RQF_DONTPREP;
	}
	if (likely(!READ_ONCE(dev->scanning)))
		return true;
	if (rq_give_up(dev, rq))
		return false;
	rq->timeout = rblk_disk_scan_time(dev);
	return true;
}

static bool op_has_data(u8 op)
{
	return op == RBLK_OP_READ || op == RBLK_OP_WRITE;
}

/* An upper limit for the data's pages and for its scatter list entries. */
static u32 rq_extent(struct request *rq)
{
	u32 pages = DIV_ROUND_UP(blk_rq_bytes(rq), PAGE_SIZE) + 1;

	return max_t(u32, pages, blk_rq_nr_phys_segments(rq));
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
static blk_status_t rq_submit(struct rblk_conn *conn, struct rblk_dev *dev,
			      struct request *rq, bool last)
{
	struct rblk_request *pdu = blk_mq_rq_to_pdu(rq);
	unsigned long unmapped;
	struct rblk_command cmd;
	struct rblk_slot *slot;
	int nents = 0;
	int ret;

	if (!rq_describe(dev, rq, &cmd))
		return BLK_STS_NOTSUPP;
	slot = rblk_io_take(conn, rq->tag, op_has_data(cmd.op) ? rq_extent(rq) : 0, rq);
	if (!slot) {
		rblk_count(conn->stats, RBLK_CNT_WAITS, 1);
		return BLK_STS_RESOURCE;
	}
	if (!rq_begin_try(dev, rq)) {
		rblk_io_drop(slot);
		return BLK_STS_TRANSPORT;
	}
	rq_note_start(rq);
	if (op_has_data(cmd.op))
		nents = compat_map_sg(rq, rblk_slot_sgl(slot));
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
	/* Read it before io[]: a LIVE volume has its connections. */
	enum rblk_volume_state state = smp_load_acquire(&dev->vol.state);
	struct rblk_conn *conn;

	if (unlikely(state != RBLK_VOL_LIVE))
		return rq_not_live(state);
	/* It stays until queue_rq() returns: ops->settle() waits for that. */
	conn = dev->vol.sess->io[hctx->queue_num];
	if (unlikely(READ_ONCE(conn->state) != RBLK_CONN_READY))
		return BLK_STS_RESOURCE;
	return rq_submit(conn, dev, bd->rq, bd->last);
}

/*
 * No more requests follow, although the last one was not marked as the last.
 * The volume's state does not matter here, as it may have changed meanwhile.  A
 * connection that no LIVE volume uses any more has no batch, see
 * rblk_queues_settle(), and its memory stays until every dispatcher has left (RCU).
 */
static void commit_rqs(struct blk_mq_hw_ctx *hctx)
{
	struct rblk_dev *dev = hctx->queue->queuedata;
	struct rblk_conn *conn;

	/* A dispatcher that may sleep is no reader by itself. */
	rcu_read_lock();
	conn = READ_ONCE(dev->vol.sess->io[hctx->queue_num]);
	if (conn)
		rblk_batch_post(conn);
	rcu_read_unlock();
}

/* ---- Up: completion, cancellation, timeout ---- */

/*
 * The target has withdrawn the export.  rblk treats that like the loss of the
 * connection: it holds the request until the export is back or the loss policy
 * ends it.
 */
static void rq_hold_gone(struct rblk_dev *dev, struct request *rq, u32 volume)
{
	struct rblk_request *pdu = blk_mq_rq_to_pdu(rq);
	struct request_queue *q = rq->q;

	if (rq_give_up(dev, rq)) {
		pdu->status = BLK_STS_TRANSPORT;
		blk_mq_complete_request(rq);
		return;
	}
	rblk_count(dev->vol.sess->stats, RBLK_CNT_REQUEUES, 1);
	/* An answer about an old handle says nothing about the present one. */
	if (READ_ONCE(dev->vol.geo.volume) == volume)
		rblk_sess_gone(&dev->vol);
	blk_mq_requeue_request(rq, false);
	/* Kick it here: ops->resume() may have run already, or may never. */
	blk_mq_delay_kick_requeue_list(q, GONE_RETRY_MS);
}

static void rq_answered(void *owner, const struct rblk_slot *slot)
{
	struct request *rq = owner;
	struct rblk_request *pdu = blk_mq_rq_to_pdu(rq);

	if (likely(slot->status != RBLK_STATUS_GONE))
		rblk_latency_count(rq->q->queuedata, rq, slot, pdu->sent);
}

static void rq_command_done(void *owner, const struct rblk_slot *slot)
{
	struct request *rq = owner;
	struct rblk_request *pdu = blk_mq_rq_to_pdu(rq);
	struct rblk_dev *dev = rq->q->queuedata;

	pdu->status = rblk_proto_status(slot->status);
	trace_rblk_io_end(dev->index, slot);
	if (unlikely(slot->status == RBLK_STATUS_GONE)) {
		rq_hold_gone(dev, rq, slot->volume);
		return;
	}
	blk_mq_complete_request(rq);
}

static void complete_rq(struct request *rq)
{
	struct rblk_request *pdu = blk_mq_rq_to_pdu(rq);

	compat_uncache_polled(rq);
	blk_mq_end_request(rq, pdu->status);
}

static bool cancel_rq(struct request *rq, void *data)
{
	struct rblk_sess *sess = data;
	struct rblk_conn *conn = sess->io[rq->mq_hctx->queue_num];
	struct rblk_dev *dev = rq->q->queuedata;
	enum rblk_volume_state state = READ_ONCE(dev->vol.state);
	struct rblk_request *pdu = blk_mq_rq_to_pdu(rq);

	if (!conn || !conn->slots || blk_mq_request_completed(rq) ||
	    !rblk_io_cancel(conn, rq->tag))
		return true;
	if ((state == RBLK_VOL_LIVE || state == RBLK_VOL_WAITING) &&
	    !rq_give_up(dev, rq)) {
		rblk_count(sess->stats, RBLK_CNT_REQUEUES, 1);
		/*
		 * Kick the list although the queue is held: if the volume's
		 * state has just changed, ops->resume() may have kicked the
		 * list already, and nobody will do so again.
		 */
		blk_mq_requeue_request(rq, true);
		return true;
	}
	pdu->status = state == RBLK_VOL_DELETING ? BLK_STS_IOERR :
						   BLK_STS_TRANSPORT;
	blk_mq_complete_request(rq);
	return true;
}

static enum blk_eh_timer_return rq_timed_out(struct request *rq)
{
	struct rblk_dev *dev = rq->q->queuedata;
	struct rblk_sess *sess = dev->vol.sess;

	/* Its answer may be there, and nobody polls. */
	if (rblk_poll_request(rq))
		return BLK_EH_DONE;
	/*
	 * The target may still reach the pages, so the request cannot end here.
	 * The session's work takes it back after it drained the connections.
	 */
	rblk_count(sess->stats, RBLK_CNT_TIMEOUTS, 1);
	rblk_sess_lose(sess, "a request was not answered in time");
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
	struct rblk_block *block = sess->block;

	blk_mq_tagset_busy_iter(&block->set, cancel_rq, sess);
	blk_mq_tagset_wait_completed_request(&block->set);
}

static void block_release(struct rblk_sess *sess)
{
	struct rblk_block *block = sess->block;

	blk_mq_destroy_queue(block->placeholder);
	blk_put_queue(block->placeholder);
	blk_mq_free_tag_set(&block->set);
	kfree(block);
}

const struct rblk_sess_ops rblk_blk_sess_ops = {
	.hold = rblk_queue_hold,
	.settle = rblk_queues_settle,
	.resume = rblk_queue_resume,
	.cancel = cancel_rqs,
	.granted = rblk_disk_granted,
	.changed = rblk_attrs_changed,
	.resized = rblk_disk_resized,
	.release = block_release,
	.answered = rq_answered,
	.done = rq_command_done,
};

/**
 * rblk_blk_init_session() - make a session's tag set, unless it has one
 * @sess: has been LIVE; the caller keeps other callers out
 *
 * Context: may sleep.
 * Return: 0 or a negative errno.
 */
int rblk_blk_init_session(struct rblk_sess *sess)
{
	struct rblk_block *block;
	struct blk_mq_tag_set *set;
	int ret;

	if (sess->block)
		return 0;
	block = kzalloc(sizeof(*block), GFP_KERNEL);
	if (!block)
		return -ENOMEM;
	set = &block->set;
	set->ops = &mq_ops;
	set->driver_data = sess;
	set->nr_hw_queues = sess->nr_io;
	/* A map for polled I/O makes blk-mq accept such I/O. */
	set->nr_maps = sess->nr_poll ? HCTX_MAX_TYPES : 1;
	set->queue_depth = sess->grant.depth;
	set->numa_node = sess->numa_node;
	set->cmd_size = sizeof(struct rblk_request);
	set->timeout = clamp(io_timeout, 1u, 3600u) * HZ;
	set->flags = BLK_MQ_F_SHOULD_MERGE;
	if (sess->caps.map_sleeps)
		set->flags |= BLK_MQ_F_BLOCKING;
	ret = blk_mq_alloc_tag_set(set);
	if (ret)
		goto err_free;
	block->placeholder = compat_alloc_queue(set);
	if (IS_ERR(block->placeholder)) {
		ret = PTR_ERR(block->placeholder);
		goto err_free_set;
	}
	sess->block = block;
	return 0;
err_free_set:
	blk_mq_free_tag_set(set);
err_free:
	kfree(block);
	return ret;
}
