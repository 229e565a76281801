// SPDX-License-Identifier: GPL-2.0-only
/* The self test: what the model counts and accounts for. */
#include <linux/delay.h>
#include <linux/math64.h>
#include <linux/timex.h>
#include "test.h"

#define ROUNDS	256
#define BURN	20000U
#define LENGTH	((u32)(PAGE_SIZE / 3))	/* of test_post_message() */

static u64 counter(struct test_side *side, enum rad_counter what)
{
	return atomic64_read(&rad_to(dev, side->device)->counters[what]);
}

/* A sleeps until its message is acknowledged: there is something to do until then. */
static int round_trip(struct test_pair *p, struct completion *done)
{
	struct ib_wc wc;
	int ret;

	ib_req_notify_cq(p->a.scq, IB_CQ_NEXT_COMP);
	ret = test_recv(&p->b) ?: test_post_message(&p->a, IB_WR_SEND, 0);
	if (ret)
		return ret;
	if (!wait_for_completion_timeout(done, 10 * HZ))
		return -ETIMEDOUT;
	return ib_poll_cq(p->a.scq, 1, &wc) == 1 &&
	       ib_poll_cq(p->b.rcq, 1, &wc) == 1 ? 0 : -ENOMSG;
}

/* What some round trips cost: all of it, and what the model says of itself. */
static int measure(struct test_pair *p, u64 *all, u64 *spent)
{
	DECLARE_COMPLETION_ONSTACK(done);
	int i, ret = 0;

	p->a.awaited = &done;
	*spent = rad_clock_spent();
	*all = get_cycles();
	for (i = 0; !ret && i < ROUNDS; i++)
		ret = round_trip(p, &done);
	*all = get_cycles() - *all;
	*spent = rad_clock_spent() - *spent;
	p->a.awaited = NULL;
	return ret;
}

/*
 * An engine that wastes time does it at its own expense.  Only a clock that counts
 * instructions can show that nobody else pays.  What goes on by the time, such as
 * RCU, does so meanwhile: that is less than a hundredth of what is wasted.
 */
static int burn(struct test_pair *p)
{
	u64 all[3], spent[3], own[3];
	int i, ret = 0;

	if (!rad_clock_runs())
		return -EOPNOTSUPP;
	/* The first one warms up. */
	for (i = 0; !ret && i < 3; i++) {
		rad_clock_set_burn(i == 2 ? BURN : 0);
		ret = measure(p, &all[i], &spent[i]);
		own[i] = all[i] - spent[i];
	}
	rad_clock_set_burn(0);
	if (ret)
		return ret;
	pr_info("test: others' work per message %llu and %llu, the model's %llu and %llu\n",
		div_u64(own[1], ROUNDS), div_u64(own[2], ROUNDS),
		div_u64(spent[1], ROUNDS), div_u64(spent[2], ROUNDS));
	if (!rad_clock_exact())
		return spent[2] > ROUNDS * BURN ? 0 : -ERANGE;
	if (spent[2] - spent[1] < 2ULL * ROUNDS * BURN)
		return -ERANGE;
	return max(own[1], own[2]) - min(own[1], own[2]) <
	       div_u64(spent[2] - spent[1], 100) ? 0 : -EBADE;
}

static int idle(struct test_pair *p)
{
	u64 spent;
	int ret;

	if (!rad_clock_runs())
		return -EOPNOTSUPP;
	ret = test_recv(&p->b) ?: test_post_message(&p->a, IB_WR_SEND, 0) ?:
	      test_status(p->a.scq, IB_WC_SUCCESS);
	msleep(50);
	spent = rad_clock_spent();
	msleep(200);
	if (rad_clock_spent() != spent)
		return -EBADE;
	return ret;
}

static int counts(struct test_pair *p)
{
	enum rad_counter what[] = {
		RAD_CNT_doorbells, RAD_CNT_sends, RAD_CNT_completions,
		RAD_CNT_moved_bytes,
	};
	u64 wanted[] = { 1, 1, 1, LENGTH };
	u64 before[ARRAY_SIZE(what)];
	int i, ret;

	for (i = 0; i < ARRAY_SIZE(what); i++)
		before[i] = counter(&p->a, what[i]);
	ret = test_recv(&p->b) ?: test_post_message(&p->a, IB_WR_SEND, 0) ?:
	      test_status(p->a.scq, IB_WC_SUCCESS);
	for (i = 0; !ret && i < ARRAY_SIZE(what); i++)
		if (counter(&p->a, what[i]) - before[i] != wanted[i])
			ret = -EBADE;
	return ret;
}

const struct test_case test_clock[] = {
	{ "burn", burn },
	{ "idle", idle },
	{ "counts", counts },
	{ }
};
