// SPDX-License-Identifier: GPL-2.0-only
/*
 * Several responses in one message, others in one call (reply.c).  ways.c says
 * which can share a message.
 *
 * The rule is that of the initiator (driver/transport/batch.c): a response is
 * posted when the submitter says that it is the last.  Here the submitter is
 * the receive context: it finds several receives together, or several
 * commands in one message, and knows the last.  A full message is posted at once.
 * With soft RDMA devices and with busy ones many commands end meanwhile.
 * At all other times a response leaves at once.  Nothing is held for a post
 * that has not left: the target does not see these completions.
 *
 * The message is built in the slot of its first command, whose data there is no
 * longer needed.  The slot is safe until the initiator reuses the tag, as in
 * reply.c.  All tags of the message stay busy until it is posted.  The send
 * queue keeps a slot for it: see rblkt_queue_room().
 */
#include "command.h"
#include "../trace.h"

/* Post the gathered responses; conn->lock held. */
static void batch_post(struct rblkt_conn *conn)
{
	struct rblkt_io *io = rblkt_io_of(conn);
	struct rblkt_batch *batch = &io->batch;
	struct ib_sge sge = {
		.addr = batch->first->slot_dma,
		.length = batch->bytes,
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
	for (i = 0; i < batch->nr; i++) {
		struct rblkt_cmd *cmd = &io->cmds[batch->tags[i]];

		clear_bit_unlock(0, &cmd->busy);
	}
	batch->nr = 0;
	conn->sq_reserved = 0;
	conn->tx.v[RBLK_CNT_SENDS]++;
	rblkt_queue_post(conn, &wr, &wr, 1);
}

/* Add a command's response to the message; conn->lock held. */
static void batch_add(struct rblkt_conn *conn, struct rblkt_cmd *cmd)
{
	struct rblkt_io *io = rblkt_io_of(conn);
	struct rblkt_batch *batch = &io->batch;

	if (!batch->nr) {
		batch->first = cmd;
		conn->sq_reserved = 1;
	}
	batch->bytes = rblkt_proto_next_rsp(batch->first->slot, batch->nr,
					    &cmd->wire, cmd->status,
					    cmd->ended - cmd->arrived,
					    cmd->ended - cmd->submitted);
	batch->tags[batch->nr++] = le16_to_cpu(cmd->wire.tag);
	rblkt_reply_count(cmd);
	trace_rblkt_cmd_end(cmd);
}

/**
 * rblkt_coalesce_reply - answer a command together with others
 * @cmd: done, of a LIVE connection without waiting replies
 *
 * Context: any, with conn->lock held.
 * Return: true if the command is over; false if the caller must answer it.
 */
bool rblkt_coalesce_reply(struct rblkt_cmd *cmd)
{
	struct rblkt_conn *conn = cmd->conn;
	struct rblkt_io *io = rblkt_io_of(conn);
	struct rblkt_batch *batch = &io->batch;

	lockdep_assert_held(&conn->lock);
	if (!READ_ONCE(batch->open) || !rblkt_way_coalesces(cmd))
		return false;
	if (!batch->nr && !rblkt_queue_room(conn, 1))
		return false;
	batch_add(conn, cmd);
	if (batch->nr == RBLK_WIRE_MAX_BATCH)
		batch_post(conn);
	return true;
}

/**
 * rblkt_coalesce_begin - gather responses from now on
 * @io: the connection; nothing changes if it gathers already
 *
 * Context: process, the connection's receive context.
 */
void rblkt_coalesce_begin(struct rblkt_io *io)
{
	/* Other CPUs read this line when their bios end. */
	if (!io->batch.open)
		WRITE_ONCE(io->batch.open, true);
}

/**
 * rblkt_coalesce_end - stop gathering and post what was gathered or held
 * @io: the connection
 *
 * Context: process, the connection's receive context; does not sleep.
 */
void rblkt_coalesce_end(struct rblkt_io *io)
{
	struct rblkt_conn *conn = &io->conn;

	spin_lock_irq(&conn->lock);
	WRITE_ONCE(io->batch.open, false);
	if (io->batch.nr)
		batch_post(conn);
	else
		rblkt_queue_release(conn);
	spin_unlock_irq(&conn->lock);
}
