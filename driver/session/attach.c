// SPDX-License-Identifier: GPL-2.0-only
/*
 * Brings volumes to a session and takes them from it.  recovery.c asks the target for
 * them.
 */
#include "session.h"

/* With session.c less than the 30 s within which RBLK_IOC_ATTACH must end. */
#define ATTACH_SECONDS	9
/* A part of the 10 s within which RBLK_IOC_DETACH must end. */
#define DETACH_LOCK_MS	1000

/*
 * Take vols_lock for a short change of the list.  Its holder makes control
 * calls, and a slow target may delay each.  vols_wanted makes the holder
 * release it between two calls.
 */
static bool sess_lock_vols(struct rblk_sess *sess, unsigned int ms)
{
	bool locked;

	atomic_inc(&sess->vols_wanted);
	locked = rblk_mutex_lock_timeout(&sess->vols_lock, ms);
	atomic_dec(&sess->vols_wanted);
	return locked;
}

static bool vol_attach_ended(struct rblk_vol *vol)
{
	return READ_ONCE(vol->state) != RBLK_VOL_NEW ||
	       READ_ONCE(vol->error.error);
}

/**
 * rblk_sess_join() - have a session ask for a volume
 * @sess: the use passes to @vol
 * @vol: NEW; rblk_sess_detach() removes it from the session
 *
 * Context: any.
 */
void rblk_sess_join(struct rblk_sess *sess, struct rblk_vol *vol)
{
	spin_lock_irq(&sess->lock);
	list_add_tail(&vol->entry, &sess->arriving);
	WRITE_ONCE(sess->nr_vols, sess->nr_vols + 1);
	spin_unlock_irq(&sess->lock);
	rblk_sess_kick(sess, 0);
}

/* LIVE, or there is no use in waiting. */
static bool vol_settled(struct rblk_vol *vol)
{
	return READ_ONCE(vol->state) != RBLK_VOL_NEW || READ_ONCE(vol->stale) ||
	       rblk_sess_state(vol->sess) == RBLK_SESS_DELETING;
}

/**
 * rblk_sess_wait_vol() - wait until a patient volume is LIVE, or is refused for good
 * @vol: joined
 * @ms: how long
 *
 * Context: may sleep; can be interrupted.
 * Return: whether it is LIVE.
 */
bool rblk_sess_wait_vol(struct rblk_vol *vol, u32 ms)
{
	wait_event_interruptible_timeout(vol->waitq, vol_settled(vol),
					 msecs_to_jiffies(ms));
	return READ_ONCE(vol->state) == RBLK_VOL_LIVE;
}

/**
 * rblk_sess_attach() - wait until the target grants a volume
 * @sess: was LIVE; the use passes to @vol, whatever the outcome
 * @vol: NEW
 * @error: filled in on failure
 *
 * After success and failure alike, rblk_sess_detach() removes the volume from
 * the session.  Until then the session does not become DELETING: it has been
 * LIVE, so it never gives up by itself, and the use keeps it.
 *
 * Context: may sleep, at most ATTACH_SECONDS; can be interrupted.
 * Return: 0 or a negative errno.
 */
int rblk_sess_attach(struct rblk_sess *sess, struct rblk_vol *vol,
		     struct rblk_ioc_error *error)
{
	long left;

	rblk_sess_join(sess, vol);
	left = wait_event_interruptible_timeout(vol->waitq, vol_attach_ended(vol),
						ATTACH_SECONDS * HZ);
	if (left < 0)
		return rblk_fail(error, RBLK_STAGE_ATTACH, -EINTR, "interrupted");
	if (!left)
		return rblk_fail(error, RBLK_STAGE_ATTACH, -ETIMEDOUT, "%s",
				 READ_ONCE(vol->draining) ?
				 "I/O of the export's former holder has not ended" :
				 rblk_sess_state(sess) == RBLK_SESS_LIVE ?
				 "the target is slow to answer for other volumes" :
				 "the session to the target is being recovered");
	if (READ_ONCE(vol->state) != RBLK_VOL_NEW)
		return 0;
	spin_lock_irq(&vol->lock);
	*error = vol->error;
	spin_unlock_irq(&vol->lock);
	return -error->error;
}

/**
 * rblk_sess_detach() - remove a volume from its session and give the use back
 * @vol: DELETING, with no I/O and no disk
 *
 * If the target is so slow that vols_lock stays taken, the session loses its
 * connections.
 *
 * Context: may sleep, at most 10 s.
 */
void rblk_sess_detach(struct rblk_vol *vol)
{
	struct rblk_sess *sess = vol->sess;

	if (!sess_lock_vols(sess, DETACH_LOCK_MS)) {
		rblk_sess_lose(sess, "the target is slow to answer control calls");
		mutex_lock(&sess->vols_lock);
	}
	spin_lock_irq(&sess->lock);
	list_del_init(&vol->entry);
	WRITE_ONCE(sess->nr_vols, sess->nr_vols - 1);
	spin_unlock_irq(&sess->lock);
	mutex_unlock(&sess->vols_lock);
	cancel_delayed_work_sync(&vol->expire);
	if (vol->attached)
		rblk_exports_detach(sess, vol->geo.volume);
	vol->sess = NULL;
	rblk_sess_put(sess);
}
