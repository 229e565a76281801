/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Handling receives in rounds (transport/receive.c) and sending responses, alone (reply.c)
 * or several in a message (coalesce.c).
 */
#ifndef RBLKT_SHARE_H
#define RBLKT_SHARE_H

#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>
#include "rblk_wire.h"

struct rblkt_cmd;
struct rblkt_conn;

/* A connection's receive context.  Only its work item uses @wc. */
struct rblkt_round {
	struct work_struct work;
	struct ib_wc wc[RBLK_WIRE_MAX_BATCH];
};

/*
 * A connection's message of several responses.  conn->lock guards it, except
 * that the receive context sets @open without it.
 */
struct rblkt_share {
	bool open;			/* gather responses now */
	struct rblkt_cmd *first;	/* its slot holds the message */
	u32 nr;				/* responses in the message */
	u32 bytes;			/* of the message */
	u16 tags[RBLK_WIRE_MAX_BATCH];	/* of the commands answered */
};

/* round */
void rblkt_round_init(struct rblkt_conn *conn);
void rblkt_round_event(struct ib_cq *cq, void *context);

/* share */
bool rblkt_share_begin(struct rblkt_conn *conn);
void rblkt_share_end(struct rblkt_conn *conn);
bool rblkt_share_reply(struct rblkt_cmd *cmd);

/* reply */
void rblkt_reply(struct rblkt_cmd *cmd);
bool rblkt_reply_post(struct rblkt_cmd *cmd);
void rblkt_reply_count(const struct rblkt_cmd *cmd);
void rblkt_reply_written(struct ib_cq *cq, struct ib_wc *wc);

#endif /* RBLKT_SHARE_H */
