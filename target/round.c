// SPDX-License-Identifier: GPL-2.0-only
/*
 * The receive context: a work item that looks at what has come, round by round.
 *
 * ib_core would do the same, and would moderate interrupts where a device lets it,
 * but keeps for itself how many receives it has found together.  The answers to
 * what is carried out at once can share a message if that is known: see share.c.
 */
#include "rblkt.h"

/* Then others get their turn. */
#define RBLKT_ROUNDS	64

static int handle(struct rblkt_conn *conn)
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
	while (left && handle(conn) == ARRAY_SIZE(round->wc))
		left--;
	if (!left || ib_req_notify_cq(conn->recv_cq, IB_CQ_NEXT_COMP |
				      IB_CQ_REPORT_MISSED_EVENTS) > 0)
		queue_work(rblkt_wq, work);
}

/**
 * rblkt_round_event - something has come
 * @cq: the receive CQ
 * @context: its connection
 */
void rblkt_round_event(struct ib_cq *cq, void *context)
{
	struct rblkt_conn *conn = context;

	/* Soft RoCE (6.1) may tell late, from a tasklet of its own. */
	if (!READ_ONCE(conn->over))
		queue_work(rblkt_wq, &conn->round.work);
}

/**
 * rblkt_round_init - set up a connection's part
 * @conn: new
 */
void rblkt_round_init(struct rblkt_conn *conn)
{
	INIT_WORK(&conn->round.work, round_work);
}
