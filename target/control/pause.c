// SPDX-License-Identifier: GPL-2.0-only
/*
 * A planned pause: the administrator replaces the module or restarts the
 * machine.
 *
 * First the target tells every host how long the pause lasts, so that hosts
 * hold their I/O without raising an alarm.  Then the target begins no new
 * command, carries out and answers the commands under way, and ends the
 * sessions.  It refuses a host that connects during the pause and tells it how
 * long the pause still lasts.  A forgotten pause expires.  A pause also ends
 * with the module: a target that is loaded again serves hosts.
 *
 * A pause may end while the target still sends hosts away.  Their sessions end
 * nevertheless, and the hosts come back at once.  Sessions that a pause ends
 * have ->leaving set, which tells them from sessions that have come since.
 *
 * session/pause.c keeps the time, and all who must know of the pause ask there.
 *
 * A pause does not keep data safe, and nothing depends on whether a host was
 * told: attachments end as they always do, and the fence stands behind them.
 */
#include <linux/delay.h>
#include <linux/sched/signal.h>
#include "control.h"

/* In all less than the 10 s that RBLKT_IOC_PAUSE promises. */
#define TELL_MS		1500
#define DRAIN_MS	6000
#define ALL_MS		8500	/* closing gets the time that is left */

static void pause_begin(struct rblkt_ioc_pause *arg)
{
	struct rblkt_sess *sess;
	struct rblkt_conn *conn;

	lockdep_assert_held(&rblkt_mutex);
	rblkt_pause_set(arg->ms);
	list_for_each_entry(conn, &rblkt_conns, node)
		rblkt_link_of(conn)->sess->leaving = true;
	arg->sessions = 0;
	list_for_each_entry(sess, &rblkt_sessions, node) {
		rblkt_event_pause(sess);
		arg->sessions++;
	}
	pr_info("paused for %u s, %u sessions are told\n",
		DIV_ROUND_UP(arg->ms, 1000), arg->sessions);
}

static bool pause_all_told(void)
{
	const struct rblkt_sess *sess;

	list_for_each_entry(sess, &rblkt_sessions, node)
		if (sess->leaving && !rblkt_event_told(sess))
			return false;
	return true;
}

/*
 * From here on the target answers new commands with GONE.  Their hosts hold
 * them and send them again later.
 */
static void pause_drain_all(void)
{
	struct rblkt_export *export;
	struct rblkt_att *att;

	lockdep_assert_held(&rblkt_mutex);
	list_for_each_entry(export, &rblkt_exports, node)
		list_for_each_entry(att, &export->atts, node)
			if (rblkt_sess_of(att->holder)->leaving && !att->draining)
				rblkt_export_drain(att);
}

static bool pause_all_drained(void)
{
	const struct rblkt_export *export;
	const struct rblkt_att *att;

	list_for_each_entry(export, &rblkt_exports, node)
		list_for_each_entry(att, &export->atts, node)
			if (att->draining)
				return false;
	return true;
}

static void pause_close_all(void)
{
	struct rblkt_conn *conn;

	lockdep_assert_held(&rblkt_mutex);
	list_for_each_entry(conn, &rblkt_conns, node)
		if (rblkt_link_of(conn)->sess->leaving)
			rblkt_sess_kill(rblkt_link_of(conn)->sess, "the target is paused");
}

static bool pause_all_closed(void)
{
	const struct rblkt_conn *conn;

	list_for_each_entry(conn, &rblkt_conns, node)
		if (rblkt_link_of(conn)->sess->leaving)
			return false;
	return true;
}

/*
 * Poll @done under rblkt_mutex until it is true, until @ms after @start, or
 * until a signal arrives.  Returns what @done said last.
 */
static bool pause_wait_until(bool (*done)(void), unsigned long start,
			     unsigned int ms)
{
	unsigned long end = start + msecs_to_jiffies(ms);
	bool yes;

	for (;;) {
		mutex_lock(&rblkt_mutex);
		yes = done();
		mutex_unlock(&rblkt_mutex);
		if (yes || !time_before(jiffies, end) || signal_pending(current))
			return yes;
		msleep_interruptible(RBLKT_POLL_MS);
	}
}

/*
 * Count the I/Os of draining attachments.  Sets @one to one such attachment
 * if there is any.
 */
static unsigned int pause_count_inflight(const struct rblkt_att **one)
{
	const struct rblkt_export *export;
	const struct rblkt_att *att;
	unsigned int nr = 0;

	list_for_each_entry(export, &rblkt_exports, node) {
		list_for_each_entry(att, &export->atts, node) {
			if (!att->draining)
				continue;
			nr += rblkt_att_inflight(att);
			*one = att;
		}
	}
	return nr;
}

/* Report I/O that has not ended; 0 if all has ended meanwhile. */
static int pause_fail_drain(struct rblkt_ioc_pause *arg)
{
	const struct rblkt_att *att = NULL;
	int ret = 0;

	mutex_lock(&rblkt_mutex);
	arg->inflight = pause_count_inflight(&att);
	if (att)
		ret = rblkt_fail(&arg->error, RBLK_STAGE_BACKING, ETIMEDOUT,
				 "hosts are sent away, but I/O of export %s does not end: %u under way at %s",
				 att->export->name, rblkt_att_inflight(att),
				 att->export->path);
	mutex_unlock(&rblkt_mutex);
	return ret;
}

/*
 * Report connections that have not closed; 0 if all have closed meanwhile.
 * pause_count_inflight() misses an export that was removed by force, as that is no
 * longer in the list.  But its I/O keeps connections in theirs.
 */
static int pause_fail_close(struct rblkt_ioc_pause *arg)
{
	const struct rblkt_conn *conn;
	unsigned int nr = 0;
	int ret = 0;

	mutex_lock(&rblkt_mutex);
	list_for_each_entry(conn, &rblkt_conns, node)
		nr += rblkt_link_of(conn)->sess->leaving;
	if (nr)
		ret = rblkt_fail(&arg->error, RBLK_STAGE_BACKING, ETIMEDOUT,
				 "hosts are sent away, but %u of their connections are not closed: I/O of an export that was removed may be under way",
				 nr);
	mutex_unlock(&rblkt_mutex);
	return ret;
}

static void pause_fill(struct rblkt_ioc_pause *arg)
{
	const struct rblkt_att *att = NULL;
	struct rblkt_sess *sess;

	lockdep_assert_held(&rblkt_mutex);
	arg->ms = rblkt_pause_left();
	arg->inflight = pause_count_inflight(&att);
	arg->sessions = 0;
	list_for_each_entry(sess, &rblkt_sessions, node)
		arg->sessions++;
}

static int pause_check(struct rblkt_ioc_pause *arg, bool begins)
{
	struct rblk_ioc_error *err = &arg->error;

	if (arg->sessions || arg->inflight || (arg->ms && !begins) ||
	    memchr_inv(arg->reserved, 0, sizeof(arg->reserved)))
		return rblkt_fail(err, RBLK_STAGE_ARGUMENTS, EINVAL,
				  "unknown flags or reserved fields are set");
	if (begins && (!arg->ms || arg->ms > RBLK_WIRE_MAX_AWAY_MS))
		return rblkt_fail(err, RBLK_STAGE_ARGUMENTS, EINVAL,
				  "a pause takes more than nothing and at most an hour");
	return 0;
}

/**
 * rblkt_pause - carry out the verb PAUSE
 * @arg: copied from user space, and back after the call
 *
 * A time limit or a signal ends only the waiting: the target ends all sessions
 * before it returns.  I/O that is still under way then ends by itself.
 *
 * Context: Process context; takes rblkt_mutex and sleeps up to ALL_MS.
 * Return: 0; -EINVAL for bad arguments, which change nothing; -EINTR after a
 * signal or -ETIMEDOUT if I/O or connections have not ended, both with the
 * target paused.
 */
int rblkt_pause(struct rblkt_ioc_pause *arg)
{
	unsigned long start = jiffies;
	bool drained, closed;
	int ret;

	ret = pause_check(arg, true);
	if (ret)
		return ret;
	mutex_lock(&rblkt_mutex);
	pause_begin(arg);
	mutex_unlock(&rblkt_mutex);
	/* A host that does not answer is told when it comes back. */
	pause_wait_until(pause_all_told, start, TELL_MS);
	mutex_lock(&rblkt_mutex);
	pause_drain_all();
	mutex_unlock(&rblkt_mutex);
	drained = pause_wait_until(pause_all_drained, jiffies, DRAIN_MS);
	mutex_lock(&rblkt_mutex);
	pause_close_all();
	mutex_unlock(&rblkt_mutex);
	closed = pause_wait_until(pause_all_closed, start, ALL_MS);
	if (drained && closed)
		return 0;
	if (signal_pending(current))
		return rblkt_fail(&arg->error, RBLK_STAGE_REMOVE, EINTR,
				  "interrupted, but hosts are sent away");
	return pause_fail_drain(arg) ?: pause_fail_close(arg);
}

/**
 * rblkt_resume - carry out the verb RESUME
 * @arg: copied from user space, and back after the call
 *
 * Without a pause there is nothing to do, and RESUME succeeds: the module may
 * have been loaded anew since the PAUSE.
 *
 * Context: Process context; takes rblkt_mutex, may sleep.
 * Return: 0, or -EINVAL for bad arguments.
 */
int rblkt_resume(struct rblkt_ioc_pause *arg)
{
	int ret = pause_check(arg, false);

	if (ret)
		return ret;
	mutex_lock(&rblkt_mutex);
	pause_fill(arg);
	if (arg->ms)
		pr_info("resumed, %u s before the end of the pause\n",
			arg->ms / 1000);
	rblkt_pause_clear();
	mutex_unlock(&rblkt_mutex);
	return 0;
}

/**
 * rblkt_pause_show - carry out the verb PAUSE_SHOW
 * @arg: copied from user space, and back after the call
 *
 * Context: Process context; takes rblkt_mutex, may sleep.
 * Return: 0, or -EINVAL for bad arguments.
 */
int rblkt_pause_show(struct rblkt_ioc_pause *arg)
{
	int ret = pause_check(arg, false);

	if (ret)
		return ret;
	mutex_lock(&rblkt_mutex);
	pause_fill(arg);
	mutex_unlock(&rblkt_mutex);
	return 0;
}
