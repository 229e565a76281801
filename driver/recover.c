// SPDX-License-Identifier: GPL-2.0-only
/*
 * The work of a session: connect, attach, hold, take down, reconnect, delete.
 *
 * One work item does all of it, and everything that takes time.  Everybody else
 * changes the session's state or its list of volumes and queues the work.  So
 * no two tasks ever make or unmake connections of one session, and no wait is
 * under a lock that a completion handler takes.
 *
 * It allocates memory while it holds back I/O that may be needed to free some;
 * hence memalloc_noio_save() around all of it.
 */
#include <linux/random.h>
#include <linux/sched/mm.h>
#include "session.h"

/* How often a volume that was refused after a reconnect is asked for again. */
#define DRAIN_RETRY_MS	50
#define ATTACH_RETRY_MS	1000

static void keepalive_work(struct work_struct *work)
{
	struct rblk_sess *sess = container_of(to_delayed_work(work),
					      struct rblk_sess, keepalive);
	unsigned long interval = msecs_to_jiffies(sess->keepalive_ms);

	if (rblk_sess_state(sess) != RBLK_SESS_LIVE)
		return;
	if (time_after(jiffies, READ_ONCE(sess->control->heard) + interval / 2))
		rblk_login_keepalive(sess);
	queue_delayed_work(rblk_wq, &sess->keepalive, interval);
}

/* LIVE unless something was lost while we were at it. */
static bool go_live(struct rblk_sess *sess)
{
	bool live;

	spin_lock_irq(&sess->lock);
	live = !sess->lost && rblk_sess_become_locked(sess, RBLK_SESS_LIVE);
	spin_unlock_irq(&sess->lock);
	if (live)
		wake_up_all(&sess->waitq);
	return live;
}

/* An attempt to connect has failed. */
static void not_connected(struct rblk_sess *sess, struct rblk_ioc_error *error)
{
	u32 delay = rblk_limits_jitter_ms(sess->attempt++, get_random_u32());
	struct rblk_vol *vol;

	rblk_link_down(sess);
	spin_lock_irq(&sess->lock);
	sess->error = *error;
	spin_unlock_irq(&sess->lock);
	if (!sess->was_live) {
		rblk_sess_become(sess, RBLK_SESS_DELETING);
		return;
	}
	mutex_lock(&sess->vols_lock);
	list_for_each_entry(vol, &sess->vols, entry)
		rblk_vol_set_reason(vol, error->text);
	mutex_unlock(&sess->vols_lock);
	if (rblk_sess_become(sess, RBLK_SESS_RECOVERING))
		rblk_sess_kick(sess, delay);
}

static void connect(struct rblk_sess *sess)
{
	struct rblk_ioc_error error = {};
	int ret;

	spin_lock_irq(&sess->lock);
	sess->lost = false;
	spin_unlock_irq(&sess->lock);
	if (!rblk_sess_become(sess, RBLK_SESS_CONNECTING))
		return;
	ret = rblk_link_up(sess, &error);
	if (!ret && !go_live(sess))
		ret = rblk_fail(&error, RBLK_STAGE_CONNECT, -ECONNRESET,
				"the connection was lost: %s", sess->lost_why);
	if (ret) {
		not_connected(sess, &error);
		return;
	}
	if (sess->was_live) {
		rblk_count(sess->stats, RBLK_CNT_RECONNECTS, 1);
		pr_info("rblk: %s: connected again, epoch %u\n",
			sess->args.target_text, sess->epoch);
	}
	sess->was_live = true;
	sess->attempt = 0;
	queue_delayed_work(rblk_wq, &sess->keepalive,
			   msecs_to_jiffies(sess->keepalive_ms));
	rblk_sess_kick(sess, 0);
}

static void attach_pending(struct rblk_sess *sess)
{
	struct rblk_vol *vol;
	u32 retry = 0;

	mutex_lock(&sess->vols_lock);
	list_for_each_entry(vol, &sess->vols, entry) {
		if (xchg(&vol->gone, false) && vol->attached)
			rblk_vol_lost(vol, "the target has removed the export");
		if (vol->attached || vol->error.error ||
		    READ_ONCE(vol->state) == RBLK_VOL_DELETING ||
		    rblk_sess_state(sess) != RBLK_SESS_LIVE)
			continue;
		rblk_vol_try_attach(vol);
		if (vol->attached || vol->error.error)
			continue;
		retry = vol->draining ? DRAIN_RETRY_MS :
					retry ?: ATTACH_RETRY_MS;
	}
	mutex_unlock(&sess->vols_lock);
	if (retry && rblk_sess_state(sess) == RBLK_SESS_LIVE)
		rblk_sess_kick(sess, retry);
}

/* Hold all I/O, take everything back and down, and reconnect a little later. */
static void recover(struct rblk_sess *sess)
{
	struct rblk_vol *vol;

	if (!sess->linked) {
		connect(sess);
		return;
	}
	cancel_delayed_work_sync(&sess->keepalive);
	mutex_lock(&sess->vols_lock);
	list_for_each_entry(vol, &sess->vols, entry)
		rblk_vol_lost(vol, sess->lost_why);
	rblk_link_down(sess);
	mutex_unlock(&sess->vols_lock);
	rblk_sess_kick(sess, rblk_limits_jitter_ms(sess->attempt++, get_random_u32()));
}

static void take_away(struct rblk_sess *sess)
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
		connect(sess);
		break;
	case RBLK_SESS_LIVE:
		attach_pending(sess);
		break;
	case RBLK_SESS_RECOVERING:
		recover(sess);
		break;
	case RBLK_SESS_DELETING:
		take_away(sess);
		break;
	default:
		break;
	}
	memalloc_noio_restore(noio);
}

/* ---- Events from the target ---- */

static bool next_event(struct rblk_sess *sess, struct rblk_wire_event *event)
{
	bool got;

	spin_lock_irq(&sess->lock);
	got = sess->nr_events;
	if (got) {
		*event = sess->events[0];
		sess->nr_events--;
		memmove(&sess->events[0], &sess->events[1],
			sess->nr_events * sizeof(sess->events[0]));
	}
	spin_unlock_irq(&sess->lock);
	return got;
}

static void event_work(struct work_struct *work)
{
	struct rblk_sess *sess = container_of(work, struct rblk_sess, event_work);
	struct rblk_wire_event event;
	struct rblk_vol *vol;

	unsigned int noio = memalloc_noio_save();

	/* Held meanwhile, so that no event outlives the epoch it came in. */
	mutex_lock(&sess->vols_lock);
	while (next_event(sess, &event)) {
		if (le16_to_cpu(event.kind) == RBLK_EVENT_GOING_AWAY)
			pr_info("rblk: %s: the target goes away for %u ms\n",
				sess->args.target_text,
				le32_to_cpu(event.duration_ms));
		list_for_each_entry(vol, &sess->vols, entry)
			if (vol->attached &&
			    vol->geo.volume == le32_to_cpu(event.volume))
				rblk_vol_event(vol, &event);
	}
	mutex_unlock(&sess->vols_lock);
	memalloc_noio_restore(noio);
	/* A volume that went must be asked for again. */
	rblk_sess_kick(sess, ATTACH_RETRY_MS);
}

/**
 * rblk_recover_init() - set up a session's work
 * @sess: new
 */
void rblk_recover_init(struct rblk_sess *sess)
{
	INIT_DELAYED_WORK(&sess->work, sess_work);
	INIT_DELAYED_WORK(&sess->keepalive, keepalive_work);
	INIT_WORK(&sess->event_work, event_work);
}
