// SPDX-License-Identifier: GPL-2.0-only
/*
 * Holds requests back in blk-mq while their session has no connections, and lets
 * them go when it has.  A request that blk-mq has given to the driver is not held:
 * cancel_rq() in queue.c takes it back from its slot.
 */
#include "block.h"

/**
 * rblk_queue_hold() - let no new request of a volume to the connections
 * @vol: the volume
 *
 * Dispatchers may still run: rblk_queues_settle() waits for them.
 *
 * Context: session work; may sleep.
 */
void rblk_queue_hold(struct rblk_vol *vol)
{
	struct rblk_dev *dev = rblk_vol_dev(vol);

	mutex_lock(&dev->hold_lock);
	if (dev->disk && !dev->held) {
		blk_mq_quiesce_queue_nowait(dev->disk->queue);
		dev->held = true;
	}
	mutex_unlock(&dev->hold_lock);
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
	struct rblk_block *block = sess->block;
	u32 i;

	if (!block)
		return;
	if (compat_quiesced_each(&block->set))
		queues_wait_each(sess);
	compat_wait_quiesced(block->placeholder);
	/* A dispatcher stopped between two requests left the first unsent. */
	for (i = 0; i < sess->nr_io; i++)
		if (sess->io[i])
			rblk_batch_post(sess->io[i]);
}

/**
 * rblk_queue_resume() - let requests of a volume to the connections again
 * @vol: the volume, held or not
 *
 * Context: session work; may sleep.
 */
void rblk_queue_resume(struct rblk_vol *vol)
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
