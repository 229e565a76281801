// SPDX-License-Identifier: GPL-2.0-only
/*
 * A connection's receive context: one work item polls the receive CQ and
 * handles the completions, round by round.
 *
 * ib_core has such a work item, too, and it moderates interrupts where a device
 * supports that.  But it does not tell how many receives it found together, and
 * io/coalesce.c must know that to put their responses into one message.
 */
#include "../core.h"

/* After so many full rounds other work gets its turn. */
#define RBLKT_ROUNDS	64

static int round_handle(struct rblkt_conn *conn)
{
	struct rblkt_round *round = &conn->round;
	bool share;
	int i, n;

	n = ib_poll_cq(conn->recv_cq, ARRAY_SIZE(round->wc), round->wc);
	share = n > 1 && rblkt_share_begin(conn);
	for (i = 0; i < n; i++)
		round->wc[i].wr_cqe->done(conn->recv_cq, &round->wc[i]);
	if (share)
		rblkt_share_end(conn);
	return n;
}

static void round_work(struct work_struct *work)
{
	struct rblkt_round *round = container_of(work, struct rblkt_round, work);
	struct rblkt_conn *conn = container_of(round, struct rblkt_conn, round);
	int left = RBLKT_ROUNDS;

	if (READ_ONCE(conn->over))
		return;
	while (left && round_handle(conn) == ARRAY_SIZE(round->wc))
		left--;
	if (!left || ib_req_notify_cq(conn->recv_cq, IB_CQ_NEXT_COMP |
				      IB_CQ_REPORT_MISSED_EVENTS) > 0)
		queue_work(rblkt_wq, work);
}

/**
 * rblkt_round_event - the armed receive CQ has a completion
 * @cq: the receive CQ
 * @context: its connection
 *
 * Context: any; does not sleep.
 */
void rblkt_round_event(struct ib_cq *cq, void *context)
{
	struct rblkt_conn *conn = context;

	/*
	 * Soft RoCE (6.1) calls this from a tasklet, so maybe only after
	 * rblkt_queue_destroy_cqs() has cancelled the work.
	 */
	if (!READ_ONCE(conn->over))
		queue_work(rblkt_wq, &conn->round.work);
}

/**
 * rblkt_round_init - set up a connection's receive context
 * @conn: new
 *
 * Context: any.
 */
void rblkt_round_init(struct rblkt_conn *conn)
{
	INIT_WORK(&conn->round.work, round_work);
}
