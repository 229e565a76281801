// SPDX-License-Identifier: GPL-2.0-only
/*
 * Several responses in one message.  Which can share one: see ways.c.
 *
 * The rule is that of the initiator (driver/transport/batch.c): a response is
 * posted when the submitter says that it is the last.  Here the submitter is
 * the receive context: it handles several receives in a round, or several
 * commands of one message, and then says so.  A full message is posted at once.
 * With soft RDMA devices and with busy ones many commands end within a round.
 * At all other times a response leaves at once.  Nothing is held for a post
 * that has not left: the target does not see these completions.
 *
 * The message is built in the slot of its first command, whose data there is no
 * longer needed.  The slot is safe until the initiator reuses the tag, as in
 * reply.c.  All tags of the message stay busy until it is posted.  The send
 * queue keeps a slot for it: see rblkt_queue_room().
 */
#include "../core.h"
#include "../trace.h"
#include "ways.h"

/* Post the gathered responses; conn->lock held. */
static void share_post(struct rblkt_conn *conn)
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
	/* First: the host may reuse the tags as soon as it has the message. */
	for (i = 0; i < share->nr; i++) {
		struct rblkt_cmd *cmd = &conn->cmds[share->tags[i]];

		clear_bit_unlock(0, &cmd->busy);
	}
	share->nr = 0;
	conn->tx.v[RBLK_CNT_SENDS]++;
	rblkt_queue_post(conn, &wr, &wr, 1);
}

/* Add a command's response to the message; conn->lock held. */
static void share_add(struct rblkt_conn *conn, struct rblkt_cmd *cmd)
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
 * @cmd: done, of a LIVE connection without waiting replies
 *
 * Context: any, with conn->lock held.
 * Return: true if the command is over; false if the caller must answer it.
 */
bool rblkt_share_reply(struct rblkt_cmd *cmd)
{
	struct rblkt_conn *conn = cmd->conn;
	struct rblkt_share *share = &conn->share;

	lockdep_assert_held(&conn->lock);
	if (!READ_ONCE(share->open) || !rblkt_way_shares(cmd))
		return false;
	if (!share->nr && !rblkt_queue_room(conn, 1))
		return false;
	share_add(conn, cmd);
	if (share->nr == RBLK_WIRE_MAX_BATCH)
		share_post(conn);
	return true;
}

/**
 * rblkt_share_begin - gather responses from now on
 * @conn: the connection
 *
 * A round begins, or a message of several commands.
 *
 * Context: process, the connection's receive context.
 * Return: true if the caller must call rblkt_share_end(); false if a round is
 * gathering already.
 */
bool rblkt_share_begin(struct rblkt_conn *conn)
{
	if (conn->share.open)
		return false;
	WRITE_ONCE(conn->share.open, true);
	return true;
}

/**
 * rblkt_share_end - stop gathering and post the gathered responses
 * @conn: the connection
 *
 * Context: process, the connection's receive context; does not sleep.
 */
void rblkt_share_end(struct rblkt_conn *conn)
{
	spin_lock_irq(&conn->lock);
	WRITE_ONCE(conn->share.open, false);
	if (conn->share.nr)
		share_post(conn);
	spin_unlock_irq(&conn->lock);
}
