/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Receives that are looked at together, and answers, alone or in a message with
 * others: round.c, reply.c and share.c.
 */
#ifndef RBLKT_SHARE_H
#define RBLKT_SHARE_H

#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>
#include "rblk_wire.h"

struct rblkt_cmd;
struct rblkt_conn;

/* Of a connection's receive context. */
struct rblkt_round {
	struct work_struct work;
	struct ib_wc wc[RBLK_WIRE_MAX_BATCH];
};

/* Of a connection, by its lock. */
struct rblkt_share {
	bool open;			/* a round is on; set without the lock */
	struct rblkt_cmd *first;	/* the message is in its slot */
	u32 nr;				/* answers in it */
	u32 bytes;
	u16 tags[RBLK_WIRE_MAX_BATCH];	/* whose answers they are */
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
