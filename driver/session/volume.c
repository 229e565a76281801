// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attaches a session's volumes, and decides what happens to them on a loss.
 *
 * Only its user gives up a volume that has been LIVE.  When the session or the
 * export is lost, the volume becomes WAITING, and rblk holds its I/O.  When
 * queue_timeout has passed, or the target refuses the volume as a stale one
 * (another disk, or fenced), it becomes FAILED, and its I/O ends with an error.
 * Meanwhile the session reconnects for ever.  When the target grants the volume
 * again, with the same UUID, at least the same size, and what else
 * vol_check_identity() requires, it is LIVE again from WAITING and from FAILED.
 */
#include <linux/jiffies.h>
#include <linux/sched/mm.h>
#include "session.h"
#include "../trace.h"

/* A volume changes its state nowhere else; the caller holds vol->lock. */
static bool vol_set_state(struct rblk_vol *vol, enum rblk_volume_state to)
{
	lockdep_assert_held(&vol->lock);
	if (!rblk_vol_may_become(vol->state, to))
		return false;
	trace_rblk_vol_state(vol, vol->state, to);
	if (vol->state == RBLK_VOL_LIVE || vol->state == RBLK_VOL_NEW)
		vol->since = jiffies;
	if (to == RBLK_VOL_LIVE) {
		vol->stale = false;
		if (vol->paused)
			WRITE_ONCE(vol->unpaused, jiffies);
		vol->paused = false;
	}
	/* Pairs with queue_rq(): whoever reads LIVE finds the connections. */
	smp_store_release(&vol->state, to);
	return true;
}

/**
 * rblk_vol_set_state() - change a volume's state
 * @vol: the volume
 * @to: the new state
 * @reason: why, for people; NULL for none
 *
 * Also wakes a task that waits in rblk_sess_attach().
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
	done = vol_set_state(vol, to);
	if (done)
		strscpy(vol->reason, reason ?: "", sizeof(vol->reason));
	spin_unlock_irqrestore(&vol->lock, flags);
	if (done)
		wake_up_all(&vol->waitq);
	return done;
}

/**
 * rblk_vol_set_reason() - note why the volume is still not LIVE
 * @vol: the volume; nothing happens if it is LIVE
 * @reason: why, for people
 *
 * Context: any.
 */
void rblk_vol_set_reason(struct rblk_vol *vol, const char *reason)
{
	unsigned long flags;

	spin_lock_irqsave(&vol->lock, flags);
	if (vol->state != RBLK_VOL_LIVE)
		strscpy(vol->reason, reason, sizeof(vol->reason));
	spin_unlock_irqrestore(&vol->lock, flags);
}

/*
 * When does I/O fail if the loss policy is @timeout seconds?  The time counts
 * from the loss, or from when a paused target should be back.  It counts from
 * one hour after the loss at the latest, however often the target announces a
 * pause.
 */
static unsigned long vol_expires_at(const struct rblk_vol *vol, int timeout)
{
	unsigned long from = vol->since;
	unsigned long most = from + msecs_to_jiffies(RBLK_WIRE_MAX_AWAY_MS);

	lockdep_assert_held(&vol->lock);
	if (vol->paused && time_after(vol->pause_until, most))
		from = most;
	else if (vol->paused && time_after(vol->pause_until, from))
		from = vol->pause_until;
	return from + timeout * HZ;
}

/*
 * Change WAITING to FAILED, if the policy in force now says so.  Since the work
 * was queued, the policy may have changed, and the volume may have been LIVE
 * and been lost again.
 */
static bool vol_fail_if_due(struct rblk_vol *vol)
{
	int timeout = READ_ONCE(vol->queue_timeout);
	unsigned long flags;
	bool due;

	spin_lock_irqsave(&vol->lock, flags);
	due = timeout >= 0 && !time_before(jiffies, vol_expires_at(vol, timeout));
	due = (due || vol->stale) && vol->state == RBLK_VOL_WAITING &&
	      vol_set_state(vol, RBLK_VOL_FAILED);
	spin_unlock_irqrestore(&vol->lock, flags);
	if (due)
		wake_up_all(&vol->waitq);
	return due;
}

static void vol_expire_work(struct work_struct *work)
{
	struct rblk_vol *vol = container_of(to_delayed_work(work),
					    struct rblk_vol, expire);
	unsigned int noio = memalloc_noio_save();

	if (vol_fail_if_due(vol)) {
		vol->ops->resume(vol);
		vol->ops->changed(vol);
	} else if (READ_ONCE(vol->state) == RBLK_VOL_FAILED) {
		vol->ops->resume(vol);
	}
	memalloc_noio_restore(noio);
}

/**
 * rblk_vol_judge() - decide about I/O that came back after the volume had FAILED
 * @vol: FAILED, or LIVE again meanwhile
 *
 * Context: any.
 */
void rblk_vol_judge(struct rblk_vol *vol)
{
	/* It is not queued while the volume is FAILED; a later timer stays. */
	queue_delayed_work(rblk_wq, &vol->expire, 0);
}

/**
 * rblk_vol_init() - set up a volume that is not attached
 * @vol: zeroed, except for its name, access, UUID, ops and policy
 *
 * Context: any.
 */
void rblk_vol_init(struct rblk_vol *vol)
{
	spin_lock_init(&vol->lock);
	init_waitqueue_head(&vol->waitq);
	INIT_LIST_HEAD(&vol->entry);
	INIT_DELAYED_WORK(&vol->expire, vol_expire_work);
	vol->state = RBLK_VOL_NEW;
	vol->since = jiffies;
	vol->unpaused = jiffies;
}

/* Start the timer of the loss policy, or start it again; see vol_expires_at(). */
static void vol_start_expiry(struct rblk_vol *vol)
{
	int timeout = READ_ONCE(vol->queue_timeout);
	unsigned long due, flags, now = jiffies;

	if (timeout < 0) {
		cancel_delayed_work(&vol->expire);
		return;
	}
	spin_lock_irqsave(&vol->lock, flags);
	due = vol_expires_at(vol, timeout);
	spin_unlock_irqrestore(&vol->lock, flags);
	mod_delayed_work(rblk_wq, &vol->expire,
			 time_after(due, now) ? due - now : 0);
}

/**
 * rblk_vol_set_timeout() - change the loss policy, at any time
 * @vol: the volume
 * @seconds: how long to hold I/O after a loss, -1 for ever
 *
 * A FAILED volume does not become WAITING again: its I/O has already ended with
 * errors.
 *
 * Context: any.
 */
void rblk_vol_set_timeout(struct rblk_vol *vol, int seconds)
{
	WRITE_ONCE(vol->queue_timeout, seconds);
	if (READ_ONCE(vol->state) == RBLK_VOL_WAITING)
		vol_start_expiry(vol);
}

/**
 * rblk_vol_pause() - hold I/O until a paused target should be back
 * @vol: in any state; nothing happens if the target is not paused
 *
 * The loss policy counts from then, see vol_expires_at().
 *
 * Context: process, interrupts on; does not sleep.
 */
void rblk_vol_pause(struct rblk_vol *vol)
{
	struct rblk_sess *sess = vol->sess;
	bool paused;

	spin_lock_irq(&sess->lock);
	paused = rblk_pause_active_locked(sess);
	if (paused) {
		spin_lock(&vol->lock);
		vol->paused = true;
		vol->pause_until = sess->pause_until;
		spin_unlock(&vol->lock);
	}
	spin_unlock_irq(&sess->lock);
	if (paused && READ_ONCE(vol->state) == RBLK_VOL_WAITING)
		vol_start_expiry(vol);
}

/**
 * rblk_vol_hold() - begin to hold the I/O of a lost volume
 * @vol: in any state
 * @why: why it is lost, for people
 *
 * The caller then calls ops->settle() once, for all volumes of the session
 * that it holds, and then rblk_vol_held() for each.
 *
 * Context: vols_lock held; may sleep.
 */
void rblk_vol_hold(struct rblk_vol *vol, const char *why)
{
	vol->was_live = rblk_vol_set_state(vol, RBLK_VOL_WAITING, why);
	rblk_vol_pause(vol);
	/* In every state: no CPU may go on to use the old connections. */
	vol->ops->hold(vol);
}

/**
 * rblk_vol_held() - finish what rblk_vol_hold() began, after ops->settle()
 * @vol: the volume; no CPU dispatches to it any more
 *
 * If only the volume is lost, not the session, this sends DETACH.  Without it
 * the target would refuse to grant the volume a second time.
 *
 * Context: vols_lock held; may sleep.
 */
void rblk_vol_held(struct rblk_vol *vol)
{
	/*
	 * Its I/O must fail now, not wait.  Who changed the state may have
	 * called ops->resume() before rblk_vol_hold() held the queue.
	 */
	if (READ_ONCE(vol->state) != RBLK_VOL_WAITING)
		vol->ops->resume(vol);
	if (vol->attached)
		rblk_exports_detach(vol->sess, vol->geo.volume);
	vol->attached = false;
	if (!vol->was_live)
		return;
	vol_start_expiry(vol);
	vol->ops->changed(vol);
}

/**
 * rblk_vol_lost() - hold the I/O of one volume that is lost
 * @vol: in any state
 * @why: why it is lost, for people
 *
 * Context: vols_lock held; may sleep.
 */
void rblk_vol_lost(struct rblk_vol *vol, const char *why)
{
	char reason[RBLK_ERROR_LEN];

	rblk_pause_reason(vol->sess, why, reason, sizeof(reason));
	rblk_vol_hold(vol, reason);
	vol->ops->settle(vol->sess);
	rblk_vol_held(vol);
}

static void vol_granted(struct rblk_vol *vol, const struct rblk_geometry *geo)
{
	bool resized;

	spin_lock_irq(&vol->lock);
	resized = vol->min_capacity && vol->geo.capacity != geo->capacity;
	vol->geo = *geo;
	vol->min_capacity = geo->capacity;
	import_uuid(&vol->uuid, geo->uuid);
	spin_unlock_irq(&vol->lock);
	vol->attached = true;
	if (!vol->ops->live(vol))
		return rblk_sess_gone(vol, "I/O of a lost route was given up");
	cancel_delayed_work(&vol->expire);
	vol->ops->granted(vol);
	/* The target gives it to the same session only behind the fence. */
	vol->ops->fenced(vol, true);
	vol->ops->changed(vol);
	if (resized)
		vol->ops->resized(vol);
}

/*
 * Is this still the volume that the file system above knows?  Another one, or a
 * smaller one, must not take its place.
 */
static int vol_check_identity(struct rblk_vol *vol, const struct rblk_geometry *geo,
			      struct rblk_ioc_error *error)
{
	u32 keep = RBLK_EXPF_WRITE_CACHE | RBLK_EXPF_STABLE_WRITES;
	uuid_t uuid;

	import_uuid(&uuid, geo->uuid);
	if (!uuid_is_null(&vol->uuid) && !uuid_equal(&uuid, &vol->uuid))
		return rblk_fail(error, RBLK_STAGE_ATTACH, -ESTALE,
				 "the export has another UUID");
	if (vol->digest && !(geo->flags & RBLK_EXPF_DIGEST))
		return rblk_fail(error, RBLK_STAGE_ATTACH, -EOPNOTSUPP,
				 "the target offers no data digest");
	if (!vol->min_capacity)
		return 0;
	if (geo->capacity < vol->min_capacity)
		return rblk_fail(error, RBLK_STAGE_ATTACH, -ESTALE,
				 "the export has shrunk from %llu to %llu bytes",
				 vol->min_capacity, geo->capacity);
	if (geo->logical_block != vol->geo.logical_block)
		return rblk_fail(error, RBLK_STAGE_ATTACH, -ESTALE,
				 "the export's block size changed from %u to %u",
				 vol->geo.logical_block, geo->logical_block);
	/* The disk's users flush as its features told them to at the attach. */
	if (geo->flags & ~vol->geo.flags & keep ||
	    vol->geo.flags & ~geo->flags & RBLK_EXPF_FUA)
		return rblk_fail(error, RBLK_STAGE_ATTACH, -ESTALE,
				 "the backing device has another kind of write cache now");
	return 0;
}

static void vol_refused(struct rblk_vol *vol, const struct rblk_ioc_error *error)
{
	char reason[RBLK_ERROR_LEN];

	if (READ_ONCE(vol->state) != RBLK_VOL_NEW || vol->patient) {
		vol->fenced = error->reason == RBLK_CTL_FENCED;
		rblk_pause_reason(vol->sess, error->text, reason, sizeof(reason));
		rblk_vol_set_reason(vol, reason);
		/* Another disk now, or fenced: to hold I/O longer is no use. */
		WRITE_ONCE(vol->stale, error->error == ESTALE);
		if (vol->stale && READ_ONCE(vol->state) == RBLK_VOL_WAITING)
			mod_delayed_work(rblk_wq, &vol->expire, 0);
		/* For rblk_sess_wait_vol(). */
		wake_up_all(&vol->waitq);
		return;
	}
	spin_lock_irq(&vol->lock);
	vol->error = *error;
	spin_unlock_irq(&vol->lock);
	wake_up_all(&vol->waitq);
}

static void vol_attach_done(struct rblk_sess *sess, struct rblk_attaching *att)
{
	struct rblk_vol *vol = att->vol;
	int ret = att->ret;

	if (!ret) {
		ret = vol_check_identity(vol, &att->geo, &att->error);
		if (!ret)
			ret = vol->ops->admit(vol, &att->geo, &att->error);
		if (ret)
			rblk_exports_detach(sess, att->geo.volume);
	}
	if (!ret)
		return vol_granted(vol, &att->geo);
	vol->draining = ret == -EAGAIN;
	if (vol->draining && READ_ONCE(vol->state) == RBLK_VOL_NEW)
		return;
	vol_refused(vol, &att->error);
}

/**
 * rblk_vol_try_attach() - ask the target for volumes that are not attached
 * @sess: its @attaching names the volumes; each is NEW, WAITING or FAILED
 * @nr: number of volumes
 *
 * A refusal is final for a NEW volume, and its user gets the error, unless an
 * earlier holder's I/O still drains, or the volume is patient.  The session asks
 * again for a volume that has been LIVE.
 *
 * Context: session work, vols_lock held; may sleep.
 */
void rblk_vol_try_attach(struct rblk_sess *sess, u32 nr)
{
	u32 i;

	rblk_exports_attach(sess, nr);
	for (i = 0; i < nr; i++)
		vol_attach_done(sess, &sess->attaching[i]);
}

/*
 * When the export shrinks, the disk keeps its size, as its users rely on it.
 * The target refuses each command beyond the new end.  The volume's reason says
 * so until the export is as large again.
 *
 * Returns whether the reason has changed.
 */
static bool vol_note_size(struct rblk_vol *vol, u64 capacity)
{
	char was[RBLK_ERROR_LEN];

	lockdep_assert_held(&vol->lock);
	if (vol->state != RBLK_VOL_LIVE)
		return false;
	strscpy(was, vol->reason, sizeof(was));
	vol->reason[0] = '\0';
	if (capacity < vol->geo.capacity)
		snprintf(vol->reason, sizeof(vol->reason),
			 "the export has shrunk to %llu bytes, I/O beyond that fails",
			 capacity);
	return strcmp(was, vol->reason);
}

static void vol_set_size(struct rblk_vol *vol, u64 capacity)
{
	bool resized, changed;

	spin_lock_irq(&vol->lock);
	resized = capacity > vol->geo.capacity;
	if (resized) {
		vol->geo.capacity = capacity;
		vol->min_capacity = capacity;
	}
	changed = vol_note_size(vol, capacity);
	spin_unlock_irq(&vol->lock);
	if (changed)
		vol->ops->changed(vol);
	if (resized)
		vol->ops->resized(vol);
}

/**
 * rblk_vol_event() - handle an event about a volume
 * @vol: attached
 * @event: REMOVED, a new size, or of its reservation; its format is checked
 *
 * Context: vols_lock held; may sleep.
 */
void rblk_vol_event(struct rblk_vol *vol, const struct rblk_wire_event *event)
{
	u64 capacity = le64_to_cpu(event->capacity);

	if (le16_to_cpu(event->kind) == RBLK_EVENT_RESERVATION)
		vol->ops->reserved(vol, le32_to_cpu(event->why));
	else if (le16_to_cpu(event->kind) == RBLK_EVENT_REMOVED)
		rblk_vol_lost(vol, "the target has withdrawn the export");
	else if (capacity % vol->geo.logical_block)
		rblk_vol_lost(vol, "the target told a size that is not whole blocks");
	else
		vol_set_size(vol, capacity);
}
