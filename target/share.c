// SPDX-License-Identifier: GPL-2.0-only
/*
 * Answers that share a message: those without an invalidate and without data (to
 * inline and pushed writes, flushes, discards).
 *
 * While several receives are looked at in a round, or the commands of one, what
 * ends is gathered, and posted with the last of them or when a message is full.
 * That is where soft devices and busy ones end many at a time.  When commands come
 * one by one, and otherwise, an answer leaves at once.
 *
 * The message is built in the slot of its first command, which has no data there
 * any more.  As a response of its own it may be sent from there as long as the
 * initiator has not used the tag anew: see reply.c.  Its tags are busy until it
 * is posted, and room for it in the send queue is kept, see rblkt_queue_room().
 */
#include "rblkt.h"
#include "trace.h"

static void post(struct rblkt_conn *conn)
{
	struct rblkt_share *share = &conn->share;
	struct ib_sge sge = {
		.addr = share->first->slot_dma,
		.length = share->bytes,
		.lkey = conn->pd->local_dma_lkey,
	};
	struct ib_send_wr wr = {
		.wr_cqe = &conn->plain_cqe,
		.opcode = IB_WR_SEND,
		.sg_list = &sge,
		.num_sge = 1,
	};
	u32 i;

	ib_dma_sync_single_for_device(conn->dev, sge.addr, sge.length,
				      DMA_BIDIRECTIONAL);
	/* The message may be followed by their next commands at once. */
	for (i = 0; i < share->nr; i++) {
		struct rblkt_cmd *cmd = &conn->cmds[share->tags[i]];

		clear_bit_unlock(0, &cmd->busy);
	}
	share->nr = 0;
	conn->tx.v[RBLK_CNT_SENDS]++;
	rblkt_queue_post(conn, &wr, &wr, 1);
}

static void add(struct rblkt_conn *conn, struct rblkt_cmd *cmd)
{
	struct rblkt_share *share = &conn->share;

	if (!share->nr)
		share->first = cmd;
	share->bytes = rblkt_proto_next_rsp(share->first->slot, share->nr,
					    &cmd->wire, cmd->status,
					    cmd->ended - cmd->arrived,
					    cmd->ended - cmd->submitted);
	share->tags[share->nr++] = le16_to_cpu(cmd->wire.tag);
	rblkt_reply_count(cmd);
	trace_rblkt_cmd_end(cmd);
}

/**
 * rblkt_share_reply - answer a command together with others
 * @cmd: done, its connection locked and LIVE, with no answer waiting
 *
 * Return: false if it is to be answered alone; else it is over.
 */
bool rblkt_share_reply(struct rblkt_cmd *cmd)
{
	struct rblkt_conn *conn = cmd->conn;
	struct rblkt_share *share = &conn->share;

	lockdep_assert_held(&conn->lock);
	if (!READ_ONCE(share->open) || cmd->wire.rkey ||
	    (cmd->wire.op == RBLK_OP_READ && cmd->status == RBLK_STATUS_OK))
		return false;
	if (!share->nr && !rblkt_queue_room(conn, 1))
		return false;
	add(conn, cmd);
	if (share->nr == RBLK_WIRE_MAX_BATCH)
		post(conn);
	return true;
}

/**
 * rblkt_share_begin - a round begins, or a message of several commands: gather
 * answers
 * @conn: the connection; in its receive context
 *
 * Return: true, and rblkt_share_end() is to be called; false if it is within a
 * round already.
 */
bool rblkt_share_begin(struct rblkt_conn *conn)
{
	if (conn->share.open)
		return false;
	WRITE_ONCE(conn->share.open, true);
	return true;
}

/**
 * rblkt_share_end - the round is over: post what is gathered
 * @conn: the connection; process context
 */
void rblkt_share_end(struct rblkt_conn *conn)
{
	spin_lock_irq(&conn->lock);
	WRITE_ONCE(conn->share.open, false);
	if (conn->share.nr)
		post(conn);
	spin_unlock_irq(&conn->lock);
}
