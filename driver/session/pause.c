// SPDX-License-Identifier: GPL-2.0-only
/*
 * Handles planned pauses of a target.
 *
 * A target that will pause announces this, and for how long, before it ends the
 * session, or when it refuses a new connection.  The session is then lost and
 * recovers like any other: same states, same fence, same requests held and sent
 * again.  But until the announced time is over
 *
 *   - rblk does not warn: it logs one line that I/O is held, and no reasons why
 *     it cannot reach the target;
 *   - the session tries each second whether the target is back;
 *   - no volume's queue_timeout runs.
 *
 * Two seconds after the announced time the ordinary rules apply, with the
 * ordinary warnings.  The target chooses the time, so rblk limits it: a single
 * announcement by rblk_limits_pause_ms(), repeated ones to one hour in all (see
 * vol_expires_at() in volume.c).  If the target breaks the protocol after its
 * announcement, the announcement does not count.
 *
 * The pause ends for the session when it is LIVE again.  Exports come back one
 * by one, so the target may grant a volume later; a volume keeps the announced
 * time until it is LIVE itself.
 */
#include "session.h"

/* Ends that differ by less than this are the same one, but for rounding. */
#define SAME_TIME	(2 * HZ)
/* Time for one more attempt, as the target may come back at the last moment. */
#define GRACE		(2 * HZ)

static bool pause_same_end(const struct rblk_sess *sess, unsigned long until)
{
	return time_after(until, sess->pause_until - SAME_TIME) &&
	       time_before(until, sess->pause_until + SAME_TIME);
}

/**
 * rblk_pause_note() - note a pause that the target announces
 * @sess: the session
 * @ms: milliseconds as announced, not checked; 0 for unknown has no effect
 *
 * Context: any; the caller holds sess->lock.
 */
void rblk_pause_note(struct rblk_sess *sess, u32 ms)
{
	unsigned long until;

	lockdep_assert_held(&sess->lock);
	ms = rblk_limits_pause_ms(ms);
	until = jiffies + msecs_to_jiffies(ms) + GRACE;
	if (!ms)
		return;
	sess->pause_epoch = sess->epoch;
	if (rblk_pause_active_locked(sess) && pause_same_end(sess, until))
		return;
	sess->paused = true;
	sess->pause_until = until;
	sess->pause_ms = ms;
	sess->pause_violations = rblk_stat_counter(sess, RBLK_CNT_VIOLATIONS);
}

/**
 * rblk_pause_refused() - note a pause for which the target refused a connection
 * @sess: the connection's session
 * @conn: a connection that could not be made, for whatever reason
 *
 * Context: session work.
 */
void rblk_pause_refused(struct rblk_sess *sess, const struct rblk_conn *conn)
{
	if (conn->rej.reason != cpu_to_le16(RBLK_REJ_PAUSED))
		return;
	spin_lock_irq(&sess->lock);
	rblk_pause_note(sess, le32_to_cpu(conn->rej.away_ms));
	spin_unlock_irq(&sess->lock);
}

/**
 * rblk_pause_active_locked() - is the target paused?
 * @sess: the session
 *
 * Context: any; the caller holds sess->lock.
 * Return: whether it is.
 */
bool rblk_pause_active_locked(struct rblk_sess *sess)
{
	lockdep_assert_held(&sess->lock);
	return sess->paused && time_before(jiffies, sess->pause_until) &&
	       rblk_stat_counter(sess, RBLK_CNT_VIOLATIONS) == sess->pause_violations;
}

/**
 * rblk_pause_active() - is the target paused?
 * @sess: the session
 *
 * Context: any.
 * Return: whether it is.
 */
bool rblk_pause_active(struct rblk_sess *sess)
{
	unsigned long flags;
	bool paused;

	spin_lock_irqsave(&sess->lock, flags);
	paused = rblk_pause_active_locked(sess);
	spin_unlock_irqrestore(&sess->lock, flags);
	return paused;
}

/**
 * rblk_pause_left_ms() - for how long the target will still be paused
 * @sess: the session
 *
 * Context: any.
 * Return: milliseconds until the announced end; 0 if the target is not paused,
 * or should be back.
 */
u32 rblk_pause_left_ms(struct rblk_sess *sess)
{
	unsigned long flags, end;
	u32 left = 0;

	spin_lock_irqsave(&sess->lock, flags);
	end = sess->pause_until - GRACE;
	if (rblk_pause_active_locked(sess) && time_before(jiffies, end))
		left = jiffies_to_msecs(end - jiffies);
	spin_unlock_irqrestore(&sess->lock, flags);
	return left;
}

/**
 * rblk_pause_reason_locked() - choose the text that explains a loss
 * @sess: the session
 * @why: the reason, used unless the target is paused
 * @to: filled in with the text
 * @room: bytes at @to
 *
 * Context: any; the caller holds sess->lock.
 * Return: whether the target is paused.
 */
bool rblk_pause_reason_locked(struct rblk_sess *sess, const char *why, char *to,
			      size_t room)
{
	bool paused = rblk_pause_active_locked(sess);

	if (paused)
		snprintf(to, room, "the target pauses for %u s, I/O is held",
			 DIV_ROUND_UP(sess->pause_ms, 1000));
	else
		strscpy(to, why, room);
	return paused;
}

/**
 * rblk_pause_reason() - choose the text that explains a loss
 * @sess: the session
 * @why: the reason, used unless the target is paused
 * @to: filled in with the text
 * @room: bytes at @to
 *
 * Context: any.
 */
void rblk_pause_reason(struct rblk_sess *sess, const char *why, char *to, size_t room)
{
	unsigned long flags;

	spin_lock_irqsave(&sess->lock, flags);
	rblk_pause_reason_locked(sess, why, to, room);
	spin_unlock_irqrestore(&sess->lock, flags);
}

/**
 * rblk_pause_end() - the target is back: treat the next loss as a failure
 * @sess: the session, becoming LIVE
 *
 * An announcement made in this epoch stays: the target pauses again.
 *
 * Context: session work; the caller holds sess->lock.
 */
void rblk_pause_end(struct rblk_sess *sess)
{
	lockdep_assert_held(&sess->lock);
	if (sess->pause_epoch != sess->epoch)
		sess->paused = false;
	sess->unlogged = false;
}
