// SPDX-License-Identifier: GPL-2.0-only
/*
 * Targets that go away by plan.
 *
 * A target that is going to be paused says so, and for how long, before it ends
 * the session, or when it refuses a new connection.  The session is then lost,
 * and recovers, like any other: the same states, the same fence, the same
 * requests held and sent again.  But until the time is over
 *
 *   - nobody is alarmed: one line says that I/O is held, and none each reason
 *     why the target can't be reached;
 *   - whether it is back is tried each second;
 *   - no volume's queue_timeout runs.
 *
 * Two seconds later the ordinary rules apply, with the ordinary alarm.  The time
 * is the target's word, so it is bounded: what it says at once by
 * rblk_limits_away_ms(), and what it says again and again by an hour in all (see
 * due_at() in vol.c).  The word of one that has broken the protocol since counts
 * for nothing.
 *
 * That the session is LIVE again is the end of it.  A volume may be granted
 * later than that, as exports come back one by one: it keeps the time until it
 * is LIVE itself.
 */
#include "session.h"

/* A refusal each second tells the same time again, but for rounding. */
#define SAME_TIME	(2 * HZ)
/* For the attempt that finds it back, as it may come back at the last moment. */
#define GRACE		(2 * HZ)

static bool same_time(const struct rblk_sess *sess, unsigned long until)
{
	return time_after(until, sess->away_until - SAME_TIME) &&
	       time_before(until, sess->away_until + SAME_TIME);
}

/**
 * rblk_away_note() - the target has said for how long it goes away
 * @sess: with its lock held
 * @ms: not to be believed as it is; 0 for unknown, which is as good as nothing
 *
 * Context: any.
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
	if (rblk_away_locked(sess) && same_time(sess, until))
		return;
	sess->away = true;
	sess->away_until = until;
	sess->away_ms = ms;
	sess->away_violations = rblk_stat_counter(sess, RBLK_CNT_VIOLATIONS);
}

/**
 * rblk_away_refused() - a connection came to nothing
 * @sess: its session
 * @conn: perhaps refused by a target that is paused
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
 * rblk_away_locked() - is the target away by plan
 * @sess: with its lock held
 *
 * Context: any.
 */
bool rblk_away_locked(struct rblk_sess *sess)
{
	lockdep_assert_held(&sess->lock);
	return sess->away && time_before(jiffies, sess->away_until) &&
	       rblk_stat_counter(sess, RBLK_CNT_VIOLATIONS) == sess->away_violations;
}

/**
 * rblk_away() - is the target away by plan
 * @sess: the session
 *
 * Context: any.
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
 * rblk_away_left_ms() - for how long it is away by plan
 * @sess: the session
 *
 * Context: any.
 * Return: milliseconds by the target's word, 0 if it is not, or should be back.
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
 * rblk_away_why_locked() - what to say of a loss
 * @sess: with its lock held
 * @why: what it is, if it is not by plan
 * @to: where to
 * @room: bytes there
 *
 * Context: any.
 * Return: whether it is by plan.
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
 * rblk_away_why() - what to say of a loss
 * @sess: the session
 * @why: what it is, if it is not by plan
 * @to: where to
 * @room: bytes there
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
 * rblk_away_end() - the target is back, so what is lost next is a loss
 * @sess: becoming LIVE; its lock held
 *
 * Unless it has said meanwhile that it goes away again.
 *
 * Context: session work.
 */
void rblk_away_end(struct rblk_sess *sess)
{
	lockdep_assert_held(&sess->lock);
	if (sess->away_epoch != sess->epoch)
		sess->away = false;
	sess->hushed = false;
}
