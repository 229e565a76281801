// SPDX-License-Identifier: GPL-2.0-only
/*
 * Is the target paused, and for how long?  control/pause.c begins and ends
 * pauses; admission, LOGIN and ATTACH ask here.
 */
#include "session.h"

/* rblkt_mutex guards both. */
static bool paused;
static unsigned long until;	/* jiffies */

static void pause_expire_work(struct work_struct *work)
{
	mutex_lock(&rblkt_mutex);
	/*
	 * Another PAUSE may have set a later end since this work became due,
	 * and RESUME does not cancel the work.
	 */
	if (paused && !time_before(jiffies, until)) {
		paused = false;
		pr_info("the pause has ended by itself\n");
	}
	mutex_unlock(&rblkt_mutex);
}

static DECLARE_DELAYED_WORK(expiry, pause_expire_work);

/**
 * rblkt_pause_set - begin a pause, or change the end of one
 * @ms: how long it lasts from now
 *
 * Context: Process context, with rblkt_mutex held.
 */
void rblkt_pause_set(u32 ms)
{
	lockdep_assert_held(&rblkt_mutex);
	paused = true;
	until = jiffies + msecs_to_jiffies(ms);
	mod_delayed_work(rblkt_close_wq, &expiry, msecs_to_jiffies(ms));
}

/**
 * rblkt_pause_clear - end the pause, if there is one
 *
 * Context: Process context, with rblkt_mutex held.
 */
void rblkt_pause_clear(void)
{
	lockdep_assert_held(&rblkt_mutex);
	paused = false;
}

/**
 * rblkt_pause_left - how long the pause still lasts
 *
 * Context: Process context, with rblkt_mutex held.
 * Return: milliseconds, at least 1 during a pause; 0 without a pause.
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
 * rblkt_pause_ms - rblkt_pause_left() for callers without rblkt_mutex
 *
 * Context: Process context; takes rblkt_mutex, may sleep.
 * Return: milliseconds, 0 without a pause.
 */
u32 rblkt_pause_ms(void)
{
	u32 ms;

	mutex_lock(&rblkt_mutex);
	ms = rblkt_pause_left();
	mutex_unlock(&rblkt_mutex);
	return ms;
}

/**
 * rblkt_pause_stop - cancel the work that ends a pause, as the module goes
 *
 * Context: Process context; may sleep.  Not with rblkt_mutex held, which the
 * work takes.
 */
void rblkt_pause_stop(void)
{
	cancel_delayed_work_sync(&expiry);
}
