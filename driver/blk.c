// SPDX-License-Identifier: GPL-2.0-only
/*
 * Requests: from blk-mq to a slot of an I/O connection and back.
 *
 * All volumes of a session share its tag set.  Hardware queue i is I/O
 * connection i, and a request's tag is its slot there, so that nothing has to
 * be looked up or allocated on the way and a tag is the flow-control credit
 * too.  blk-mq gives each volume that has I/O its fair share of the tags.
 *
 * A request is in one of three places: in blk-mq (new, or requeued after a
 * loss), in a slot (from rblk_io_submit() to done()), or being completed.
 */
#include <linux/module.h>
#include <linux/slab.h>
#include "rblk.h"
#include "trace.h"

#define GONE_RETRY_MS	100

static unsigned int io_timeout = 30;
module_param(io_timeout, uint, 0644);
MODULE_PARM_DESC(io_timeout, "seconds after which an unanswered request starts recovery");

/**
 * struct rblk_block - the block layer's share of a session
 * @set: tags of all its volumes
 * @placeholder: a queue without I/O.  A set that comes to have two queues, or
 *               one again, freezes those it has; with this one in it, that
 *               never is a volume whose I/O may be held for ever.
 */
struct rblk_block {
	struct blk_mq_tag_set set;
	struct request_queue *placeholder;
};

/**
 * struct rblk_request - a request's share of the driver
 * @status: its outcome
 * @since: jiffies when it was first sent, whatever became of that
 * @sent: ns, when it was last sent
 */
struct rblk_request {
	blk_status_t status;
	unsigned long since;
	u64 sent;
};

/* ---- Down: queue_rq ---- */

/* What becomes of I/O while the target does not have the volume. */
static blk_status_t not_live(enum rblk_volume_state state)
{
	if (state == RBLK_VOL_FAILED)
		return BLK_STS_TRANSPORT;
	/* Or about to be held. */
	return state == RBLK_VOL_DELETING ? BLK_STS_IOERR : BLK_STS_RESOURCE;
}

/*
 * Limits are those of when the disk was made.  The target may have come back with
 * a device that takes less at a time, and would take more for a violation.
 */
static bool takes(struct request *rq, u32 most)
{
	return blk_rq_bytes(rq) <= most;
}

/* Returns whether the target can do it. */
static bool describe(struct rblk_dev *dev, struct request *rq,
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
		if (!takes(rq, dev->vol.geo.max_discard))
			return false;
		cmd->op = RBLK_OP_DISCARD;
		break;
	case REQ_OP_WRITE_ZEROES:
		if (!takes(rq, dev->vol.geo.max_write_zeroes))
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
 * When it was first tried; but the time that the target was away by plan doesn't
 * count, unless it says so for more than an hour.
 */
static unsigned long tried_since(struct rblk_dev *dev, struct request *rq)
{
	struct rblk_request *pdu = blk_mq_rq_to_pdu(rq);
	unsigned long back = READ_ONCE(dev->vol.back);
	unsigned long most = pdu->since + msecs_to_jiffies(RBLK_WIRE_MAX_AWAY_MS);

	if (time_before(back, pdu->since))
		return pdu->since;
	return time_before(back, most) ? back : most;
}

/*
 * Has it been tried for long enough?  The loss policy ends what is held; but a
 * target that comes back each time, and then does not answer, or answers that
 * it has no such volume, would be asked for ever.
 */
static bool give_up(struct rblk_dev *dev, struct request *rq)
{
	int hold = READ_ONCE(dev->vol.queue_timeout);

	if (READ_ONCE(dev->scanning)) {
		if (time_before(jiffies, READ_ONCE(dev->scan_until)))
			return false;
		WRITE_ONCE(dev->scan_failed, true);
		return true;
	}
	return hold >= 0 && time_after(jiffies, tried_since(dev, rq) +
						rq->q->rq_timeout +
						(unsigned long)hold * HZ);
}

/* Returns whether there is time left to try it, and notes when that began. */
static bool begin(struct rblk_dev *dev, struct request *rq)
{
	struct rblk_request *pdu = blk_mq_rq_to_pdu(rq);

	if (!(rq->rq_flags & RQF_DONTPREP)) {
		pdu->since = jiffies;
		rq->rq_flags |= RQF_DONTPREP;
	}
	if (likely(!READ_ONCE(dev->scanning)))
		return true;
	if (give_up(dev, rq))
		return false;
	rq->timeout = rblk_disk_scan_time(dev);
	return true;
}

static bool has_data(u8 op)
{
	return op == RBLK_OP_READ || op == RBLK_OP_WRITE;
}

/* Pages that the data may touch, and scatter elements it may have. */
static u32 extent(struct request *rq)
{
	u32 pages = DIV_ROUND_UP(blk_rq_bytes(rq), PAGE_SIZE) + 1;

	return max_t(u32, pages, blk_rq_nr_phys_segments(rq));
}

/* The block layer may just have looked at the clock. */
static void note_start(struct request *rq)
{
	struct rblk_request *pdu = blk_mq_rq_to_pdu(rq);

	blk_mq_start_request(rq);
	pdu->sent = rq->io_start_time_ns ?: ktime_get_ns();
}

/*
 * Where this fails, or nothing was sent yet, the block layer calls commit_rqs()
 * for what was left to be sent with this request.
 */
static blk_status_t submit(struct rblk_conn *conn, struct rblk_dev *dev,
			   struct request *rq, bool last)
{
	struct rblk_command cmd;
	struct rblk_slot *slot;
	int nents = 0;
	int ret;

	if (!describe(dev, rq, &cmd))
		return BLK_STS_NOTSUPP;
	slot = rblk_io_take(conn, rq->tag, has_data(cmd.op) ? extent(rq) : 0, rq);
	if (!slot) {
		rblk_count(conn->stats, RBLK_CNT_WAITS, 1);
		return BLK_STS_RESOURCE;
	}
	if (!begin(dev, rq)) {
		rblk_io_drop(slot);
		return BLK_STS_TRANSPORT;
	}
	note_start(rq);
	if (has_data(cmd.op))
		nents = compat_map_sg(rq, rblk_slot_sgl(slot));
	trace_rblk_io_start(dev->index, conn, slot, &cmd);
	ret = rblk_io_submit(slot, &cmd, nents, last);
	if (!ret || ret == -EIO)
		return BLK_STS_OK;
	rblk_count(conn->stats, RBLK_CNT_WAITS, 1);
	return ret == -EINVAL ? BLK_STS_IOERR : BLK_STS_RESOURCE;
}

static blk_status_t queue_rq(struct blk_mq_hw_ctx *hctx,
			     const struct blk_mq_queue_data *bd)
{
	struct rblk_dev *dev = hctx->queue->queuedata;
	/* Before io[]: a LIVE volume's connections are there. */
	enum rblk_volume_state state = smp_load_acquire(&dev->vol.state);
	struct rblk_conn *conn;

	if (unlikely(state != RBLK_VOL_LIVE))
		return not_live(state);
	/* Stays as long as we are in here: see rblk_vol_lost(). */
	conn = dev->vol.sess->io[hctx->queue_num];
	if (unlikely(READ_ONCE(conn->state) != RBLK_CONN_READY))
		return BLK_STS_RESOURCE;
	return submit(conn, dev, bd->rq, bd->last);
}

/*
 * No more requests follow, though the last one was said not to be it.  The
 * volume's state says nothing here: it may have changed on the way.  But a
 * connection that no LIVE volume has any more has no batch either, see settle(),
 * and its memory stays until those who dispatch have left.
 */
static void commit_rqs(struct blk_mq_hw_ctx *hctx)
{
	struct rblk_dev *dev = hctx->queue->queuedata;
	struct rblk_conn *conn = READ_ONCE(dev->vol.sess->io[hctx->queue_num]);

	if (conn)
		rblk_batch_post(conn);
}

/* ---- Up: completion, cancellation, timeout ---- */

/*
 * The export was taken away.  That is a loss like that of the connection: the
 * request is held until the export is back or the loss policy ends it.
 */
static void hold_gone(struct rblk_dev *dev, struct request *rq, u32 volume)
{
	struct rblk_request *pdu = blk_mq_rq_to_pdu(rq);
	struct request_queue *q = rq->q;

	if (give_up(dev, rq)) {
		pdu->status = BLK_STS_TRANSPORT;
		blk_mq_complete_request(rq);
		return;
	}
	rblk_count(dev->vol.sess->stats, RBLK_CNT_REQUEUES, 1);
	/* An answer to a handle of old says nothing of the present one. */
	if (READ_ONCE(dev->vol.geo.volume) == volume)
		rblk_sess_gone(&dev->vol);
	blk_mq_requeue_request(rq, false);
	/* The volume may be back already, or never: nobody else need come. */
	blk_mq_delay_kick_requeue_list(q, GONE_RETRY_MS);
}

static void answered(void *owner, const struct rblk_slot *slot)
{
	struct request *rq = owner;
	struct rblk_request *pdu = blk_mq_rq_to_pdu(rq);

	if (likely(slot->status != RBLK_STATUS_GONE))
		rblk_latency_count(rq->q->queuedata, rq, slot, pdu->sent);
}

static void done(void *owner, const struct rblk_slot *slot)
{
	struct request *rq = owner;
	struct rblk_request *pdu = blk_mq_rq_to_pdu(rq);
	struct rblk_dev *dev = rq->q->queuedata;

	pdu->status = rblk_proto_status(slot->status);
	trace_rblk_io_end(dev->index, slot);
	if (unlikely(slot->status == RBLK_STATUS_GONE)) {
		hold_gone(dev, rq, slot->volume);
		return;
	}
	blk_mq_complete_request(rq);
}

static void complete_rq(struct request *rq)
{
	struct rblk_request *pdu = blk_mq_rq_to_pdu(rq);

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
	    !give_up(dev, rq)) {
		rblk_count(sess->stats, RBLK_CNT_REQUEUES, 1);
		/*
		 * Kicked, though the queue is held: the volume's state may just
		 * have changed, and then nobody else comes to kick it.
		 */
		blk_mq_requeue_request(rq, true);
		return true;
	}
	pdu->status = state == RBLK_VOL_DELETING ? BLK_STS_IOERR :
						   BLK_STS_TRANSPORT;
	blk_mq_complete_request(rq);
	return true;
}

static enum blk_eh_timer_return timeout(struct request *rq)
{
	struct rblk_dev *dev = rq->q->queuedata;
	struct rblk_sess *sess = dev->vol.sess;

	/*
	 * The target may still reach the pages, so the request can't end here.
	 * The recovery takes it back, once the connections are drained.
	 */
	rblk_count(sess->stats, RBLK_CNT_TIMEOUTS, 1);
	rblk_sess_lose(sess, "a request was not answered in time");
	return BLK_EH_RESET_TIMER;
}

static const struct blk_mq_ops mq_ops = {
	.queue_rq = queue_rq,
	.commit_rqs = commit_rqs,
	.complete = complete_rq,
	.timeout = timeout,
};

/* ---- What the session asks of us ---- */

static void hold(struct rblk_vol *vol)
{
	struct rblk_dev *dev = rblk_vol_dev(vol);

	mutex_lock(&dev->hold_lock);
	if (dev->disk && !dev->held) {
		blk_mq_quiesce_queue_nowait(dev->disk->queue);
		dev->held = true;
	}
	mutex_unlock(&dev->hold_lock);
}

static void settle(struct rblk_sess *sess)
{
	struct rblk_block *block = sess->block;
	u32 i;

	if (!block)
		return;
	compat_wait_quiesced(block->placeholder);
	/* Who was stopped between two requests has left the first unsent. */
	for (i = 0; i < sess->nr_io; i++)
		if (sess->io[i])
			rblk_batch_post(sess->io[i]);
}

static void resume(struct rblk_vol *vol)
{
	struct rblk_dev *dev = rblk_vol_dev(vol);

	mutex_lock(&dev->hold_lock);
	if (dev->disk && dev->held) {
		dev->held = false;
		blk_mq_unquiesce_queue(dev->disk->queue);
		blk_mq_kick_requeue_list(dev->disk->queue);
	}
	mutex_unlock(&dev->hold_lock);
}

static void cancel(struct rblk_sess *sess)
{
	struct rblk_block *block = sess->block;

	blk_mq_tagset_busy_iter(&block->set, cancel_rq, sess);
	blk_mq_tagset_wait_completed_request(&block->set);
}

static void resized(struct rblk_vol *vol)
{
	struct rblk_dev *dev = rblk_vol_dev(vol);

	mutex_lock(&dev->hold_lock);
	if (dev->disk)
		set_capacity_and_notify(dev->disk,
					vol->geo.capacity >> SECTOR_SHIFT);
	mutex_unlock(&dev->hold_lock);
}

static void release(struct rblk_sess *sess)
{
	struct rblk_block *block = sess->block;

	blk_mq_destroy_queue(block->placeholder);
	blk_put_queue(block->placeholder);
	blk_mq_free_tag_set(&block->set);
	kfree(block);
}

const struct rblk_sess_ops rblk_blk_sess_ops = {
	.hold = hold,
	.settle = settle,
	.resume = resume,
	.cancel = cancel,
	.granted = rblk_disk_granted,
	.changed = rblk_attrs_changed,
	.resized = resized,
	.release = release,
	.answered = answered,
	.done = done,
};

/**
 * rblk_blk_init_session() - the tag set of a session that is LIVE
 * @sess: the caller keeps other callers out
 *
 * Context: may sleep.
 * Return: 0, also if it was there already, or a negative errno.
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
	set->nr_hw_queues = sess->nr_io;
	set->queue_depth = sess->grant.depth;
	set->numa_node = NUMA_NO_NODE;
	set->cmd_size = sizeof(struct rblk_request);
	set->timeout = clamp(io_timeout, 1u, 3600u) * HZ;
	set->flags = BLK_MQ_F_SHOULD_MERGE;
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

/**
 * rblk_blk_tag_set() - the tag set of a session
 * @sess: rblk_blk_init_session() has made it
 */
struct blk_mq_tag_set *rblk_blk_tag_set(struct rblk_sess *sess)
{
	struct rblk_block *block = sess->block;

	return &block->set;
}
