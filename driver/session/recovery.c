// SPDX-License-Identifier: GPL-2.0-only
/*
 * The session's work: connect, attach, hold I/O, take down, reconnect, delete.
 *
 * One work item does all of that.  All other code changes the session's state
 * or its list of volumes and queues the work.  So no two tasks ever make or
 * take down connections of one session, and no task waits under a lock that a
 * completion handler takes.
 *
 * Two more work items talk to the target: one sends KEEPALIVE, the other
 * handles events.
 *
 * The work allocates memory while it holds I/O back, and the kernel may need
 * that I/O to free memory.  Hence the memalloc_noio_save() around all of it.
 */
#include <linux/random.h>
#include <linux/sched/mm.h>
#include "session.h"

/* When to ask again for a volume that the target did not grant. */
#define DRAIN_RETRY_MS	50
#define ATTACH_RETRY_MS	1000
#define RETRY_NEVER	U32_MAX
/* LIVE for this long, a session starts again with the shortest retry delay. */
#define KEPT_SECONDS	2

/*
 * A send may put a queue pair into the error state.  Some providers (RXE of
 * 6.1) report that only in the send completion queue, and rblk polls that queue
 * only when a message arrives.  And a task that should poll may have been stopped.
 */
static void sess_poll_errors(struct rblk_sess *sess)
{
	u32 i;

	for (i = 0; i < RBLK_WIRE_MAX_QUEUES; i++)
		if (sess->io[i]) {
			rblk_ring_poll(sess->io[i]);
			rblk_poll_all(sess->io[i]);
		}
}

static void keepalive_work(struct work_struct *work)
{
	struct rblk_sess *sess = container_of(to_delayed_work(work),
					      struct rblk_sess, keepalive);
	unsigned long interval = msecs_to_jiffies(sess->keepalive_ms);

	if (rblk_sess_state(sess) != RBLK_SESS_LIVE)
		return;
	/* Silence is to show within one interval where I/O can go elsewhere. */
	if (rblk_link_spare(sess))
		interval /= 4;
	if (time_after(jiffies, READ_ONCE(sess->control->heard) + interval / 2))
		rblk_login_keepalive(sess);
	sess_poll_errors(sess);
	queue_delayed_work(rblk_wq, &sess->keepalive, interval);
}

/**
 * rblk_recover_volume() - give up a volume whose I/O is not answered
 * @vol: attached
 * @why: the reason, for people; a constant
 *
 * If the target is well otherwise, only this volume is lost.  The target then ends
 * its I/O, even if the disk hangs, and no other volume notices.
 *
 * Context: any.
 * Return: false if the target is silent, so that the whole session is to be lost.
 */
bool rblk_recover_volume(struct rblk_vol *vol, const char *why)
{
	struct rblk_sess *sess = vol->sess;
	unsigned long flags, patience = msecs_to_jiffies(2 * sess->keepalive_ms);
	bool well;

	spin_lock_irqsave(&sess->lock, flags);
	well = sess->state == RBLK_SESS_LIVE && sess->control &&
	       sess->grant.features & sess->control->grant.features & RBLK_FEAT_HELD &&
	       time_before(jiffies, READ_ONCE(sess->control->heard) + patience);
	spin_unlock_irqrestore(&sess->lock, flags);
	if (well)
		rblk_sess_gone(vol, why);
	return well;
}

/* Make the session LIVE, unless it lost a connection meanwhile. */
static bool sess_go_live(struct rblk_sess *sess)
{
	bool live;

	spin_lock_irq(&sess->lock);
	live = !sess->lost && rblk_sess_become_locked(sess, RBLK_SESS_LIVE);
	if (live)
		rblk_pause_end(sess);
	spin_unlock_irq(&sess->lock);
	if (live)
		wake_up_all(&sess->waitq);
	return live;
}

/* Milliseconds from the start of the last attempt to the next one. */
static u32 sess_next_attempt_ms(struct rblk_sess *sess)
{
	u32 random = get_random_u32();

	if (!rblk_pause_active(sess))
		return rblk_limits_jitter_ms(sess->attempt++, random);
	/* If it is not back in time, go on as after a first attempt. */
	sess->attempt = 1;
	return rblk_limits_pause_retry_ms(random);
}

/* Log each reason once, however many attempts fail for it. */
static void sess_warn_not_connected(struct rblk_sess *sess,
				    const struct rblk_ioc_error *error)
{
	bool changed = sess->unlogged || strcmp(sess->error.text, error->text);
	bool stays = sess->was_live || READ_ONCE(sess->args.patient);

	sess->unlogged = rblk_pause_active(sess);
	if (changed && !sess->unlogged && stays && !READ_ONCE(sess->aborted))
		rblk_sess_warn(sess, "not connected: %s", error->text);
}

/* Tell every volume why it has to wait, and for how long the target is paused. */
static void vols_explain_waiting(struct rblk_sess *sess,
				 const struct rblk_ioc_error *error)
{
	char reason[RBLK_ERROR_LEN];
	struct rblk_vol *vol;

	rblk_pause_reason(sess, error->text, reason, sizeof(reason));
	mutex_lock(&sess->vols_lock);
	list_for_each_entry(vol, &sess->vols, entry) {
		rblk_vol_set_reason(vol, reason);
		rblk_vol_pause(vol);
	}
	mutex_unlock(&sess->vols_lock);
}

/* An attempt to connect has failed; its own time counts towards the delay. */
static void sess_not_connected(struct rblk_sess *sess, unsigned long began,
			       struct rblk_ioc_error *error)
{
	u32 delay = sess_next_attempt_ms(sess);
	bool ends;
	u32 took;

	rblk_link_down(sess);
	sess_warn_not_connected(sess, error);
	spin_lock_irq(&sess->lock);
	sess->error = *error;
	/* Under the lock, as a new user may make it patient: sess_is_kept(). */
	ends = !sess->was_live && !sess->args.patient;
	if (ends)
		rblk_sess_become_locked(sess, RBLK_SESS_DELETING);
	spin_unlock_irq(&sess->lock);
	if (ends) {
		wake_up_all(&sess->waitq);
		return;
	}
	vols_explain_waiting(sess, error);
	took = jiffies_to_msecs(jiffies - began);
	if (rblk_sess_become(sess, RBLK_SESS_RECOVERING))
		rblk_sess_kick(sess, took < delay ? delay - took : 0);
}

static void sess_connect(struct rblk_sess *sess)
{
	struct rblk_ioc_error error = {};
	unsigned long began = jiffies;
	int ret;

	spin_lock_irq(&sess->lock);
	sess->lost = false;
	spin_unlock_irq(&sess->lock);
	if (!rblk_sess_become(sess, RBLK_SESS_CONNECTING))
		return;
	ret = rblk_link_up(sess, &error);
	if (!ret && !sess_go_live(sess))
		ret = rblk_fail(&error, RBLK_STAGE_CONNECT, -ECONNRESET,
				"the connection was lost: %s", sess->lost_why);
	if (ret) {
		sess_not_connected(sess, began, &error);
		return;
	}
	if (sess->was_live) {
		rblk_count(sess->stats, RBLK_CNT_RECONNECTS, 1);
		rblk_sess_info(sess, "connected again, epoch %u", sess->epoch);
	}
	sess->was_live = true;
	sess->live_since = jiffies;
	rblk_sess_wake_fences(sess);
	queue_delayed_work(rblk_wq, &sess->keepalive,
			   msecs_to_jiffies(sess->keepalive_ms));
	rblk_sess_kick(sess, 0);
}

/*
 * Should the session ask the target for this volume?  If it is gone since the
 * last grant, it is lost first.
 */
static bool vol_pending(struct rblk_sess *sess, struct rblk_vol *vol)
{
	const char *why = xchg(&vol->gone, NULL);

	if (why && vol->attached)
		rblk_vol_lost(vol, why);
	if (vol->attached || vol->error.error || vol->fenced ||
	    READ_ONCE(vol->state) == RBLK_VOL_DELETING ||
	    rblk_sess_state(sess) != RBLK_SESS_LIVE)
		return false;
	if (!vol->ops->blocked(vol))
		return true;
	vol->draining = true;
	rblk_vol_set_reason(vol, "I/O of a lost route has not ended");
	rblk_sess_kick(sess, DRAIN_RETRY_MS);
	return false;
}

/* Returns in how many ms to ask again for volumes not granted, or RETRY_NEVER. */
static u32 vols_attach_some(struct rblk_sess *sess, u32 nr)
{
	struct rblk_vol *vol;
	u32 retry = RETRY_NEVER, i;

	if (nr)
		rblk_vol_try_attach(sess, nr);
	for (i = 0; i < nr; i++) {
		vol = sess->attaching[i].vol;
		if (!vol->attached && !vol->error.error)
			retry = min_t(u32, retry, vol->draining ? DRAIN_RETRY_MS :
								  ATTACH_RETRY_MS);
	}
	return retry;
}

static void vols_attach_pending(struct rblk_sess *sess)
{
	struct rblk_vol *vol;
	u32 retry = RETRY_NEVER, nr = 0;

	mutex_lock(&sess->vols_lock);
	/* From here on this epoch has commands, and what it had before is not all. */
	sess->lost_epoch = 0;
	spin_lock_irq(&sess->lock);
	list_splice_tail_init(&sess->arriving, &sess->vols);
	spin_unlock_irq(&sess->lock);
	list_for_each_entry(vol, &sess->vols, entry) {
		if (!vol_pending(sess, vol))
			continue;
		sess->attaching[nr++].vol = vol;
		if (nr < RBLK_CALL_BATCH)
			continue;
		retry = min(retry, vols_attach_some(sess, nr));
		nr = 0;
		/* A call may be slow: let waiting tasks in between calls. */
		if (atomic_read(&sess->vols_wanted)) {
			retry = DRAIN_RETRY_MS;
			break;
		}
	}
	retry = min(retry, vols_attach_some(sess, nr));
	mutex_unlock(&sess->vols_lock);
	if (retry != RETRY_NEVER && rblk_sess_state(sess) == RBLK_SESS_LIVE)
		rblk_sess_kick(sess, retry);
}

/* Stop all volumes first, so that one ops->settle() waits for all of them. */
static void vols_hold_all(struct rblk_sess *sess)
{
	struct rblk_vol *vol;

	list_for_each_entry(vol, &sess->vols, entry) {
		/* Before it fails: its I/O may have to wait for the fence. */
		WRITE_ONCE(vol->fencing, true);
		rblk_vol_hold(vol, sess->lost_why);
	}
	sess->ops->settle(sess);
	list_for_each_entry(vol, &sess->vols, entry)
		rblk_vol_held(vol);
}

/*
 * Hold all I/O, take the connections down and the commands back, and reconnect
 * a little later.
 */
static void sess_recover(struct rblk_sess *sess)
{
	if (!sess->linked) {
		sess_connect(sess);
		return;
	}
	cancel_delayed_work_sync(&sess->keepalive);
	/* A session lost as soon as it is LIVE keeps its longer delay. */
	if (time_after(jiffies, sess->live_since + KEPT_SECONDS * HZ))
		sess->attempt = 0;
	mutex_lock(&sess->vols_lock);
	vols_hold_all(sess);
	rblk_link_down(sess);
	sess->lost_epoch = sess->epoch;
	sess->lost_at = jiffies;
	mutex_unlock(&sess->vols_lock);
	rblk_fence_begin(sess);
	rblk_sess_kick(sess, sess_next_attempt_ms(sess));
}

static void sess_take_down(struct rblk_sess *sess)
{
	cancel_delayed_work_sync(&sess->keepalive);
	rblk_link_down(sess);
	rblk_sess_ended(sess);
}

static void sess_work(struct work_struct *work)
{
	struct rblk_sess *sess = container_of(to_delayed_work(work),
					      struct rblk_sess, work);
	unsigned int noio = memalloc_noio_save();

	switch (rblk_sess_state(sess)) {
	case RBLK_SESS_NEW:
		sess_connect(sess);
		break;
	case RBLK_SESS_LIVE:
		vols_attach_pending(sess);
		break;
	case RBLK_SESS_RECOVERING:
		sess_recover(sess);
		break;
	case RBLK_SESS_DELETING:
		sess_take_down(sess);
		break;
	default:
		break;
	}
	memalloc_noio_restore(noio);
}

/* ---- Events from the target ---- */

static bool event_take_next(struct rblk_sess *sess, struct rblk_wire_event *event)
{
	bool got;

	spin_lock_irq(&sess->lock);
	got = sess->nr_events && !sess->lost;
	sess->events_handled = jiffies;
	if (got) {
		*event = sess->events[0];
		sess->nr_events--;
		memmove(&sess->events[0], &sess->events[1],
			sess->nr_events * sizeof(sess->events[0]));
	}
	spin_unlock_irq(&sess->lock);
	return got;
}

static void events_handle(struct rblk_sess *sess)
{
	struct rblk_wire_event event;
	struct rblk_vol *vol;

	/* sess_recover() takes vols_lock, too: no event outlives its epoch. */
	mutex_lock(&sess->vols_lock);
	while (!atomic_read(&sess->vols_wanted) && event_take_next(sess, &event)) {
		list_for_each_entry(vol, &sess->vols, entry)
			if (vol->attached &&
			    vol->geo.volume == le32_to_cpu(event.volume))
				rblk_vol_event(vol, &event);
	}
	mutex_unlock(&sess->vols_lock);
	if (atomic_read(&sess->vols_wanted))
		queue_delayed_work(rblk_wq, &sess->event_work, HZ / 10);
	/* Ask again for withdrawn volumes: the export may have changed. */
	rblk_sess_kick(sess, 0);
}

/*
 * Each event may cause a log line and a uevent, so this handles events once a
 * second at most.  The target holds further events back until it hears from the
 * host, so the KEEPALIVE goes out at once.
 */
static void event_work(struct work_struct *work)
{
	struct rblk_sess *sess = container_of(to_delayed_work(work),
					      struct rblk_sess, event_work);
	unsigned long next = READ_ONCE(sess->events_handled) + HZ;
	unsigned int noio = memalloc_noio_save();

	if (time_before(jiffies, next))
		queue_delayed_work(rblk_wq, &sess->event_work, next - jiffies);
	else
		events_handle(sess);
	/*
	 * A call in progress does not count: its request may have left before
	 * the event came.
	 */
	if (!rblk_login_keepalive(sess))
		queue_delayed_work(rblk_wq, &sess->event_work, HZ / 10);
	memalloc_noio_restore(noio);
}

/**
 * rblk_recover_init() - set up the work items of a session
 * @sess: NEW, known to no other task
 *
 * Context: any.
 */
void rblk_recover_init(struct rblk_sess *sess)
{
	INIT_DELAYED_WORK(&sess->work, sess_work);
	INIT_DELAYED_WORK(&sess->keepalive, keepalive_work);
	INIT_DELAYED_WORK(&sess->event_work, event_work);
	sess->events_since = jiffies;
	sess->events_handled = jiffies - HZ;
}
