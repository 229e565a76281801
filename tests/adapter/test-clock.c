// SPDX-License-Identifier: GPL-2.0-only
/* The self test: what the model counts and accounts for. */
#include <linux/delay.h>
#include <linux/math64.h>
#include <linux/timex.h>
#include "test.h"

#define ROUNDS	256
#define BURN	20000U
#define LENGTH	((u32)(PAGE_SIZE / 3))	/* of test_post_message() */

/* From the post of a message to its completion at the other side: see stamp.c. */
#define ARRIVAL_NS	(300 + 50 + 500 + LENGTH * 80 / 1000 + 1000 + 200)
#define RETURN_NS	1000
#define READ_NS		(300 + 50 + 1000 + 500 + 1000 + 200)
#define INTERRUPT_NS	500

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

/* The delays on the way to B, to B's interrupt, and back to A. */
static int stamps(struct test_pair *p)
{
	struct rad_qp *a = rad_to(qp, p->a.qp), *b = rad_to(qp, p->b.qp);
	u64 begin = max(a->stamp, b->stamp);
	int ret;

	a->stamp = begin;
	b->stamp = begin;
	ib_req_notify_cq(p->b.rcq, IB_CQ_NEXT_COMP);
	ret = test_recv(&p->b) ?: test_post_message(&p->a, IB_WR_SEND, 0) ?:
	      test_status(p->a.scq, IB_WC_SUCCESS) ?:
	      test_status(p->b.rcq, IB_WC_SUCCESS);
	if (ret)
		return ret;
	if (a->stamp != begin + ARRIVAL_NS + RETURN_NS ||
	    b->stamp != begin + ARRIVAL_NS + INTERRUPT_NS)
		return -EBADE;
	/* What A posts next is caused by that. */
	begin = a->stamp;
	ret = test_recv(&p->b) ?: test_post_message(&p->a, IB_WR_SEND, 0) ?:
	      test_status(p->a.scq, IB_WC_SUCCESS) ?:
	      test_status(p->b.rcq, IB_WC_SUCCESS);
	return ret ?: b->stamp == begin + ARRIVAL_NS ? 0 : -EBADE;
}

/* A short READ is not done before a long one that does not complete by itself. */
static int stamps_reads(struct test_pair *p)
{
	struct ib_sge sge = test_message(&p->a, PAGE_SIZE);
	struct rad_qp *a = rad_to(qp, p->a.qp);
	struct ib_rdma_wr wr = {
		.wr.opcode = IB_WR_RDMA_READ,
		.wr.sg_list = &sge,
		.wr.num_sge = 1,
	};
	u64 begin = a->stamp;
	int ret = test_remote_all(&p->b);

	wr.remote_addr = p->b.mr->iova;
	wr.rkey = p->b.mr->rkey;
	ret = ret ?: test_post(&p->a, &wr.wr) ?:
	      test_rdma(&p->a, IB_WR_RDMA_READ, wr.rkey, wr.remote_addr, 8,
			IB_WC_SUCCESS);
	if (ret)
		return ret;
	return a->stamp >= begin + READ_NS + PAGE_SIZE * 80 / 1000 ? 0 : -EBADE;
}

const struct test_case test_clock[] = {
	{ "burn", burn },
	{ "idle", idle },
	{ "counts", counts },
	{ "stamps", stamps },
	{ "stamps_reads", stamps_reads, .fabric = TEST_ROCE },
	{ }
};
