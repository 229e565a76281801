// SPDX-License-Identifier: GPL-2.0-only
/*
 * Volumes as sessions see them: attaching, and what happens on loss.
 *
 * A volume that has been LIVE is given up by nobody but its user.  When the
 * session is lost it becomes WAITING: its I/O is held.  When queue_timeout has
 * passed it becomes FAILED: its I/O ends with an error.  Meanwhile the session
 * reconnects for ever, and when the target accepts the volume again, with the
 * same UUID and at least the same size, it is LIVE again from either.
 */
#include <linux/jiffies.h>
#include "rblk.h"
#include "trace.h"

/**
 * rblk_vol_set_state() - the one place where a volume changes its state
 * @vol: the volume
 * @to: the new state
 * @reason: why, for people; NULL for none
 *
 * Also tells those who wait in rblk_sess_attach().
 *
 * Context: any.
 * Return: whether the change was allowed and made.
 */
bool rblk_vol_set_state(struct rblk_vol *vol, enum rblk_volume_state to,
			const char *reason)
{
	unsigned long flags;
	bool done;

	spin_lock_irqsave(&vol->lock, flags);
	done = rblk_vol_may_become(vol->state, to);
	if (done) {
		trace_rblk_vol_state(vol, vol->state, to);
		if (vol->state == RBLK_VOL_LIVE || vol->state == RBLK_VOL_NEW)
			vol->since = jiffies;
		WRITE_ONCE(vol->state, to);
		strscpy(vol->reason, reason ?: "", sizeof(vol->reason));
	}
	spin_unlock_irqrestore(&vol->lock, flags);
	if (done)
		wake_up_all(&vol->sess->waitq);
	return done;
}

/**
 * rblk_vol_set_reason() - why the volume is still not LIVE
 * @vol: the volume; nothing happens if it is LIVE
 * @reason: for people
 */
void rblk_vol_set_reason(struct rblk_vol *vol, const char *reason)
{
	unsigned long flags;

	spin_lock_irqsave(&vol->lock, flags);
	if (vol->state != RBLK_VOL_LIVE)
		strscpy(vol->reason, reason, sizeof(vol->reason));
	spin_unlock_irqrestore(&vol->lock, flags);
}

static void expire_work(struct work_struct *work)
{
	struct rblk_vol *vol = container_of(to_delayed_work(work),
					    struct rblk_vol, expire);
	char reason[RBLK_ERROR_LEN];
	unsigned long flags;

	spin_lock_irqsave(&vol->lock, flags);
	strscpy(reason, vol->reason, sizeof(reason));
	spin_unlock_irqrestore(&vol->lock, flags);
	if (!rblk_vol_set_state(vol, RBLK_VOL_FAILED, reason))
		return;
	vol->ops->resume(vol);
	vol->ops->changed(vol);
}

/**
 * rblk_vol_init() - a volume that is not attached
 * @vol: zeroed, with its name, access, UUID and policy
 */
void rblk_vol_init(struct rblk_vol *vol)
{
	spin_lock_init(&vol->lock);
	INIT_LIST_HEAD(&vol->entry);
	INIT_DELAYED_WORK(&vol->expire, expire_work);
	vol->state = RBLK_VOL_NEW;
	vol->since = jiffies;
}

/* (Re)start the clock of the loss policy; it began to run at vol->since. */
static void start_expiry(struct rblk_vol *vol)
{
	int timeout = READ_ONCE(vol->queue_timeout);
	unsigned long due, now = jiffies;

	if (timeout < 0) {
		cancel_delayed_work(&vol->expire);
		return;
	}
	due = vol->since + timeout * HZ;
	mod_delayed_work(rblk_wq, &vol->expire,
			 time_after(due, now) ? due - now : 0);
}

/**
 * rblk_vol_set_timeout() - change the loss policy, at any time
 * @vol: the volume
 * @seconds: to hold I/O after a loss, -1 for ever
 *
 * A volume that has FAILED is not changed back: its errors are out.
 *
 * Context: any.
 */
void rblk_vol_set_timeout(struct rblk_vol *vol, int seconds)
{
	WRITE_ONCE(vol->queue_timeout, seconds);
	if (READ_ONCE(vol->state) == RBLK_VOL_WAITING)
		start_expiry(vol);
}

/**
 * rblk_vol_lost() - the session is lost: hold the volume's I/O
 * @vol: in any state
 * @why: for people
 *
 * Context: session work; may sleep.
 */
void rblk_vol_lost(struct rblk_vol *vol, const char *why)
{
	vol->attached = false;
	if (!rblk_vol_set_state(vol, RBLK_VOL_WAITING, why)) {
		/* Nobody may still be submitting to the old connections. */
		vol->ops->hold(vol);
		vol->ops->resume(vol);
		return;
	}
	vol->ops->hold(vol);
	start_expiry(vol);
	vol->ops->changed(vol);
}

static void back_to_life(struct rblk_vol *vol, const struct rblk_geometry *geo)
{
	bool resized;

	spin_lock_irq(&vol->lock);
	resized = vol->min_capacity && vol->geo.capacity != geo->capacity;
	vol->geo = *geo;
	vol->min_capacity = geo->capacity;
	memcpy(vol->uuid, geo->uuid, sizeof(vol->uuid));
	spin_unlock_irq(&vol->lock);
	vol->attached = true;
	if (!rblk_vol_set_state(vol, RBLK_VOL_LIVE, NULL))
		return;
	cancel_delayed_work(&vol->expire);
	vol->ops->resume(vol);
	vol->ops->changed(vol);
	if (resized)
		vol->ops->resized(vol);
}

/* Is it still the volume whose data the file system above believes in? */
static int check_identity(struct rblk_vol *vol, const struct rblk_geometry *geo,
			  struct rblk_ioc_error *error)
{
	if (!vol->min_capacity)
		return 0;
	if (memcmp(geo->uuid, vol->uuid, sizeof(geo->uuid)))
		return rblk_fail(error, RBLK_STAGE_ATTACH, -ESTALE,
				 "the export has another UUID now");
	if (geo->capacity < vol->min_capacity)
		return rblk_fail(error, RBLK_STAGE_ATTACH, -ESTALE,
				 "the export has shrunk from %llu to %llu bytes",
				 vol->min_capacity, geo->capacity);
	if (geo->logical_block != vol->geo.logical_block)
		return rblk_fail(error, RBLK_STAGE_ATTACH, -ESTALE,
				 "the export's block size changed from %u to %u",
				 vol->geo.logical_block, geo->logical_block);
	return 0;
}

static void refused(struct rblk_vol *vol, const struct rblk_ioc_error *error)
{
	if (READ_ONCE(vol->state) != RBLK_VOL_NEW) {
		rblk_vol_set_reason(vol, error->text);
		/* Holding I/O for something that is another disk now is vain. */
		if (error->error == ESTALE &&
		    READ_ONCE(vol->state) == RBLK_VOL_WAITING)
			mod_delayed_work(rblk_wq, &vol->expire, 0);
		return;
	}
	spin_lock_irq(&vol->lock);
	vol->error = *error;
	spin_unlock_irq(&vol->lock);
	wake_up_all(&vol->sess->waitq);
}

/**
 * rblk_vol_try_attach() - ask the target for a volume that is not attached
 * @vol: NEW, WAITING or FAILED
 *
 * A refusal is final for a NEW volume, whose user is told; one that has been
 * LIVE is asked for again by the session.
 *
 * Context: session work, vols_lock held; may sleep.
 */
void rblk_vol_try_attach(struct rblk_vol *vol)
{
	struct rblk_sess *sess = vol->sess;
	struct rblk_ioc_error error;
	struct rblk_geometry geo;
	int ret;

	ret = rblk_call_attach(sess, vol, &geo, &error);
	if (!ret) {
		ret = check_identity(vol, &geo, &error);
		if (ret)
			rblk_call_detach(sess, geo.volume);
	}
	if (!ret)
		return back_to_life(vol, &geo);
	vol->draining = ret == -EAGAIN;
	if (vol->draining && READ_ONCE(vol->state) == RBLK_VOL_NEW)
		return;
	refused(vol, &error);
}

/**
 * rblk_vol_event() - the target has news of a volume
 * @vol: the volume
 * @event: checked
 *
 * Context: may sleep.
 */
void rblk_vol_event(struct rblk_vol *vol, const struct rblk_wire_event *event)
{
	u64 capacity = le64_to_cpu(event->capacity);

	if (le16_to_cpu(event->kind) == RBLK_EVENT_REMOVED) {
		rblk_vol_lost(vol, "the target has removed the export");
		return;
	}
	if (capacity < vol->min_capacity || capacity % vol->geo.logical_block) {
		rblk_vol_lost(vol, "the export has shrunk");
		return;
	}
	spin_lock_irq(&vol->lock);
	vol->geo.capacity = capacity;
	vol->min_capacity = capacity;
	spin_unlock_irq(&vol->lock);
	vol->ops->resized(vol);
}
