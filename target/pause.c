// SPDX-License-Identifier: GPL-2.0-only
/*
 * Going away by plan, to exchange the module or to restart the machine.
 *
 * The hosts are told for how long before anything is closed, so that they hold
 * their I/O and nobody is alarmed.  Then nothing new begins, what is under way is
 * carried out and answered, and the sessions end.  Who comes meanwhile is told
 * how long it still takes.  A pause ends by itself, so that one that was
 * forgotten does no harm, and with the module: one that is loaded again serves.
 *
 * It may also end while those who were there are still being sent away.  They go
 * all the same, and come back at once: what has been told to leave, a session
 * with ->leaving, is dealt with apart from what has come since.
 *
 * None of it keeps data safe, and nothing depends on a host's having been told:
 * attachments end as ever, and the fence stands behind them.
 */
#include <linux/delay.h>
#include <linux/sched/signal.h>
#include "admin.h"

/* All is less than the 10 s that RBLKT_IOC_PAUSE promises. */
#define TELL_MS		1500
#define DRAIN_MS	6000
#define ALL_MS		8500	/* with closing, which gets what is left */
#define LOOK_MS		20

/* Both by rblkt_mutex. */
static bool paused;
static unsigned long until;	/* jiffies */

static void expire_work(struct work_struct *work)
{
	mutex_lock(&rblkt_mutex);
	/* It may have been made longer, or ended and begun anew, meanwhile. */
	if (paused && !time_before(jiffies, until)) {
		paused = false;
		pr_info("the pause has ended by itself\n");
	}
	mutex_unlock(&rblkt_mutex);
}

static DECLARE_DELAYED_WORK(expiry, expire_work);

/**
 * rblkt_pause_left - how long a pause still takes
 *
 * Return: milliseconds, 0 while there is none.
 */
u32 rblkt_pause_left(void)
{
	unsigned long now = jiffies;

	lockdep_assert_held(&rblkt_mutex);
	if (!paused)
		return 0;
	return time_before(now, until) ? jiffies_to_msecs(until - now) : 1;
}

/**
 * rblkt_pause_ms - the same, of who does not hold the mutex
 */
u32 rblkt_pause_ms(void)
{
	u32 ms;

	mutex_lock(&rblkt_mutex);
	ms = rblkt_pause_left();
	mutex_unlock(&rblkt_mutex);
	return ms;
}

static void begin(struct rblkt_ioc_pause *arg)
{
	struct rblkt_sess *sess;
	struct rblkt_conn *conn;

	lockdep_assert_held(&rblkt_mutex);
	paused = true;
	until = jiffies + msecs_to_jiffies(arg->ms);
	mod_delayed_work(rblkt_close_wq, &expiry, msecs_to_jiffies(arg->ms));
	list_for_each_entry(conn, &rblkt_conns, node)
		conn->sess->leaving = true;
	arg->sessions = 0;
	list_for_each_entry(sess, &rblkt_sessions, node) {
		rblkt_login_away(sess);
		arg->sessions++;
	}
	pr_info("paused for %u s, %u sessions are told\n",
		DIV_ROUND_UP(arg->ms, 1000), arg->sessions);
}

static bool all_told(void)
{
	const struct rblkt_sess *sess;

	list_for_each_entry(sess, &rblkt_sessions, node)
		if (sess->leaving && !rblkt_login_told(sess))
			return false;
	return true;
}

/* From here on commands are answered with GONE, which hosts hold them for. */
static void drain_all(void)
{
	struct rblkt_export *export;
	struct rblkt_att *att;

	lockdep_assert_held(&rblkt_mutex);
	list_for_each_entry(export, &rblkt_exports, node)
		list_for_each_entry(att, &export->atts, node)
			if (att->sess->leaving && !att->draining)
				rblkt_export_drain(att);
}

static bool all_drained(void)
{
	const struct rblkt_export *export;
	const struct rblkt_att *att;

	list_for_each_entry(export, &rblkt_exports, node)
		list_for_each_entry(att, &export->atts, node)
			if (att->draining)
				return false;
	return true;
}

static void close_all(void)
{
	struct rblkt_conn *conn;

	lockdep_assert_held(&rblkt_mutex);
	list_for_each_entry(conn, &rblkt_conns, node)
		if (conn->sess->leaving)
			rblkt_sess_kill(conn->sess, "the target is paused");
}

static bool all_closed(void)
{
	const struct rblkt_conn *conn;

	list_for_each_entry(conn, &rblkt_conns, node)
		if (conn->sess->leaving)
			return false;
	return true;
}

/* Wait until @done, which is asked under the mutex, or @ms after @start. */
static bool wait_until(bool (*done)(void), unsigned long start, unsigned int ms)
{
	unsigned long end = start + msecs_to_jiffies(ms);
	bool yes;

	for (;;) {
		mutex_lock(&rblkt_mutex);
		yes = done();
		mutex_unlock(&rblkt_mutex);
		if (yes || !time_before(jiffies, end) || signal_pending(current))
			return yes;
		msleep_interruptible(LOOK_MS);
	}
}

/* Whose I/O has not ended: one of them, and how many there are in all. */
static unsigned int count_inflight(const struct rblkt_att **one)
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

static int not_drained(struct rblkt_ioc_pause *arg)
{
	const struct rblkt_att *att = NULL;
	int ret = 0;

	mutex_lock(&rblkt_mutex);
	arg->inflight = count_inflight(&att);
	if (att)
		ret = rblkt_fail(&arg->error, RBLK_STAGE_BACKING, ETIMEDOUT,
				 "hosts are sent away, but I/O of export %s does not end: %u under way at %s",
				 att->export->name, rblkt_att_inflight(att),
				 att->export->path);
	mutex_unlock(&rblkt_mutex);
	return ret;
}

/* An export that was removed by force is in no list, but its I/O has connections. */
static int not_closed(struct rblkt_ioc_pause *arg)
{
	const struct rblkt_conn *conn;
	unsigned int nr = 0;
	int ret = 0;

	mutex_lock(&rblkt_mutex);
	list_for_each_entry(conn, &rblkt_conns, node)
		nr += conn->sess->leaving;
	if (nr)
		ret = rblkt_fail(&arg->error, RBLK_STAGE_BACKING, ETIMEDOUT,
				 "hosts are sent away, but %u of their connections are not closed: I/O of an export that was removed may be under way",
				 nr);
	mutex_unlock(&rblkt_mutex);
	return ret;
}

static void fill(struct rblkt_ioc_pause *arg)
{
	const struct rblkt_att *att = NULL;
	struct rblkt_sess *sess;

	lockdep_assert_held(&rblkt_mutex);
	arg->ms = rblkt_pause_left();
	arg->inflight = count_inflight(&att);
	arg->sessions = 0;
	list_for_each_entry(sess, &rblkt_sessions, node)
		arg->sessions++;
}

static int check(struct rblkt_ioc_pause *arg, bool begins)
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
 * rblkt_pause - the verb PAUSE
 * @arg: as copied from user space
 *
 * Whatever is not done in time is left to end by itself, and a signal only ends
 * the waiting: all sessions are closed when it returns.
 */
int rblkt_pause(struct rblkt_ioc_pause *arg)
{
	unsigned long start = jiffies;
	bool drained, closed;
	int ret;

	ret = check(arg, true);
	if (ret)
		return ret;
	mutex_lock(&rblkt_mutex);
	begin(arg);
	mutex_unlock(&rblkt_mutex);
	/* Who does not answer is told when it comes back. */
	wait_until(all_told, start, TELL_MS);
	mutex_lock(&rblkt_mutex);
	drain_all();
	mutex_unlock(&rblkt_mutex);
	drained = wait_until(all_drained, jiffies, DRAIN_MS);
	mutex_lock(&rblkt_mutex);
	close_all();
	mutex_unlock(&rblkt_mutex);
	closed = wait_until(all_closed, start, ALL_MS);
	if (drained && closed)
		return 0;
	if (signal_pending(current))
		return rblkt_fail(&arg->error, RBLK_STAGE_REMOVE, EINTR,
				  "interrupted, but hosts are sent away");
	return not_drained(arg) ?: not_closed(arg);
}

/**
 * rblkt_resume - the verb RESUME
 * @arg: as copied from user space
 *
 * A target that is not paused, as it was loaded anew, is as it is to be.
 */
int rblkt_resume(struct rblkt_ioc_pause *arg)
{
	int ret = check(arg, false);

	if (ret)
		return ret;
	mutex_lock(&rblkt_mutex);
	fill(arg);
	if (paused)
		pr_info("resumed, %u s before the end of the pause\n",
			arg->ms / 1000);
	paused = false;
	mutex_unlock(&rblkt_mutex);
	return 0;
}

/**
 * rblkt_pause_show - the verb PAUSE_SHOW
 * @arg: as copied from user space
 */
int rblkt_pause_show(struct rblkt_ioc_pause *arg)
{
	int ret = check(arg, false);

	if (ret)
		return ret;
	mutex_lock(&rblkt_mutex);
	fill(arg);
	mutex_unlock(&rblkt_mutex);
	return 0;
}

/**
 * rblkt_pause_stop - the module goes, and with it its pause
 */
void rblkt_pause_stop(void)
{
	cancel_delayed_work_sync(&expiry);
}
