// SPDX-License-Identifier: GPL-2.0-only
/*
 * Handles targets that go away by plan.
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
 * announcement by rblk_limits_away_ms(), repeated ones to one hour in all (see
 * vol_expires_at() in volume.c).  If the target breaks the protocol after its
 * announcement, the announcement does not count.
 *
 * The absence ends for the session when it is LIVE again.  Exports come back
 * one by one, so the target may grant a volume later; a volume keeps the
 * announced time until it is LIVE itself.
 */
#include "session.h"

/* Ends that differ by less than this are the same one, but for rounding. */
#define SAME_TIME	(2 * HZ)
/* Time for one more attempt, as the target may come back at the last moment. */
#define GRACE		(2 * HZ)

static bool pause_same_end(const struct rblk_sess *sess, unsigned long until)
{
	return time_after(until, sess->away_until - SAME_TIME) &&
	       time_before(until, sess->away_until + SAME_TIME);
}

/**
 * rblk_away_note() - note for how long the target says that it goes away
 * @sess: the session
 * @ms: milliseconds as announced, not checked; 0 for unknown has no effect
 *
 * Context: any; the caller holds sess->lock.
 */
void rblk_away_note(struct rblk_sess *sess, u32 ms)
{
	unsigned long until;

	lockdep_assert_held(&sess->lock);
	ms = rblk_limits_away_ms(ms);
	until = jiffies + msecs_to_jiffies(ms) + GRACE;
	if (!ms)
		return;
	sess->away_epoch = sess->epoch;
	if (rblk_away_locked(sess) && pause_same_end(sess, until))
		return;
	sess->away = true;
	sess->away_until = until;
	sess->away_ms = ms;
	sess->away_violations = rblk_stat_counter(sess, RBLK_CNT_VIOLATIONS);
}

/**
 * rblk_away_refused() - look whether a paused target refused a connection
 * @sess: the connection's session
 * @conn: a connection that could not be made, for whatever reason
 *
 * Context: session work.
 */
void rblk_away_refused(struct rblk_sess *sess, const struct rblk_conn *conn)
{
	if (conn->rej.reason != cpu_to_le16(RBLK_REJ_PAUSED))
		return;
	spin_lock_irq(&sess->lock);
	rblk_away_note(sess, le32_to_cpu(conn->rej.away_ms));
	spin_unlock_irq(&sess->lock);
}

/**
 * rblk_away_locked() - is the target away by plan?
 * @sess: the session
 *
 * Context: any; the caller holds sess->lock.
 * Return: whether it is.
 */
bool rblk_away_locked(struct rblk_sess *sess)
{
	lockdep_assert_held(&sess->lock);
	return sess->away && time_before(jiffies, sess->away_until) &&
	       rblk_stat_counter(sess, RBLK_CNT_VIOLATIONS) == sess->away_violations;
}

/**
 * rblk_away() - is the target away by plan?
 * @sess: the session
 *
 * Context: any.
 * Return: whether it is.
 */
bool rblk_away(struct rblk_sess *sess)
{
	unsigned long flags;
	bool away;

	spin_lock_irqsave(&sess->lock, flags);
	away = rblk_away_locked(sess);
	spin_unlock_irqrestore(&sess->lock, flags);
	return away;
}

/**
 * rblk_away_left_ms() - for how long the target will still be away by plan
 * @sess: the session
 *
 * Context: any.
 * Return: milliseconds until the announced end; 0 if the target is not away by
 * plan or should be back.
 */
u32 rblk_away_left_ms(struct rblk_sess *sess)
{
	unsigned long flags, end;
	u32 left = 0;

	spin_lock_irqsave(&sess->lock, flags);
	end = sess->away_until - GRACE;
	if (rblk_away_locked(sess) && time_before(jiffies, end))
		left = jiffies_to_msecs(end - jiffies);
	spin_unlock_irqrestore(&sess->lock, flags);
	return left;
}

/**
 * rblk_away_why_locked() - choose the text that explains a loss
 * @sess: the session
 * @why: the reason, used unless the target is away by plan
 * @to: filled in with the text
 * @room: bytes at @to
 *
 * Context: any; the caller holds sess->lock.
 * Return: whether the target is away by plan.
 */
bool rblk_away_why_locked(struct rblk_sess *sess, const char *why, char *to,
			  size_t room)
{
	bool away = rblk_away_locked(sess);

	if (away)
		snprintf(to, room, "the target pauses for %u s, I/O is held",
			 DIV_ROUND_UP(sess->away_ms, 1000));
	else
		strscpy(to, why, room);
	return away;
}

/**
 * rblk_away_why() - choose the text that explains a loss
 * @sess: the session
 * @why: the reason, used unless the target is away by plan
 * @to: filled in with the text
 * @room: bytes at @to
 *
 * Context: any.
 */
void rblk_away_why(struct rblk_sess *sess, const char *why, char *to, size_t room)
{
	unsigned long flags;

	spin_lock_irqsave(&sess->lock, flags);
	rblk_away_why_locked(sess, why, to, room);
	spin_unlock_irqrestore(&sess->lock, flags);
}

/**
 * rblk_away_end() - the target is back: treat the next loss as a failure
 * @sess: the session, becoming LIVE
 *
 * An announcement made in this epoch stays: the target goes away again.
 *
 * Context: session work; the caller holds sess->lock.
 */
void rblk_away_end(struct rblk_sess *sess)
{
	lockdep_assert_held(&sess->lock);
	if (sess->away_epoch != sess->epoch)
		sess->away = false;
	sess->hushed = false;
}
