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
 * A connection has RBLKT_NR_MESSAGES buffers for them, used in turn.  Nothing tells
 * when one has left, but a host that uses a tag again has the tag's last answer, and
 * so all that was posted before it: messages arrive in order.  @message of a command
 * says how many messages that are.  Without a free buffer each response leaves by
 * itself.
 *
 * All tags of a message stay busy until it is posted.  The send queue keeps a slot for
 * it: see rblkt_queue_room().
 */
#include <linux/slab.h>
#include "command.h"
#include "../trace.h"

#define MESSAGE_BYTES	ALIGN(sizeof(struct rblk_wire_hdr) +			\
			      RBLK_WIRE_MAX_BATCH * sizeof(struct rblk_wire_rsp) +	\
			      RBLK_WIRE_MAC_LEN, 64)
#define MESSAGES_BYTES	(RBLKT_NR_MESSAGES * MESSAGE_BYTES)

/**
 * rblkt_coalesce_bytes - the memory that a connection's messages take
 *
 * Context: any.
 * Return: bytes.
 */
size_t rblkt_coalesce_bytes(void)
{
	return MESSAGES_BYTES;
}

/**
 * rblkt_coalesce_make - allocate and map a connection's messages
 * @io: undone by rblkt_coalesce_unmap() and rblkt_coalesce_free(), also after failure
 *
 * Context: process; may sleep.
 * Return: 0 or -ENOMEM.
 */
int rblkt_coalesce_make(struct rblkt_io *io)
{
	int ret;

	io->conn.memory += MESSAGES_BYTES;
	/* Mapped in one piece, so not by rblkt_buf_array(). */
	io->messages = kzalloc(MESSAGES_BYTES, GFP_KERNEL);
	if (!io->messages)
		return -ENOMEM;
	ret = rblkt_buf_map(&io->conn, io->messages, MESSAGES_BYTES, DMA_TO_DEVICE,
			    &io->messages_dma);
	io->messages_mapped = !ret;
	return ret;
}

/**
 * rblkt_coalesce_unmap - take a connection's messages from its device
 * @io: with no queue pair any more, or never made
 *
 * Context: process; may sleep.
 */
void rblkt_coalesce_unmap(struct rblkt_io *io)
{
	if (io->messages_mapped)
		ib_dma_unmap_single(io->conn.dev, io->messages_dma, MESSAGES_BYTES,
				    DMA_TO_DEVICE);
	io->messages_mapped = false;
}

/**
 * rblkt_coalesce_free - free a connection's messages
 * @io: unmapped
 *
 * Context: process; may sleep.
 */
void rblkt_coalesce_free(struct rblkt_io *io)
{
	kfree(io->messages);
	io->messages = NULL;
}

/**
 * rblkt_coalesce_received - note what a host has that uses a tag again
 * @io: the connection
 * @cmd: the tag's; its last answer is here still
 *
 * Context: process, the connection's receive context.
 */
void rblkt_coalesce_received(struct rblkt_io *io, const struct rblkt_cmd *cmd)
{
	/* Other CPUs read it when their bios end. */
	if (cmd->message > io->received)
		WRITE_ONCE(io->received, cmd->message);
}

/* Where the next message is built, in the buffers. */
static u32 batch_offset(const struct rblkt_batch *batch)
{
	return (batch->posted % RBLKT_NR_MESSAGES) * MESSAGE_BYTES;
}

static bool batch_has_buffer(const struct rblkt_io *io)
{
	return io->batch.posted - READ_ONCE(io->received) < RBLKT_NR_MESSAGES;
}

/* Post the gathered responses; conn->lock held. */
static void batch_post(struct rblkt_conn *conn)
{
	struct rblkt_io *io = rblkt_io_of(conn);
	struct rblkt_batch *batch = &io->batch;
	struct ib_sge sge = {
		.addr = io->messages_dma + batch_offset(batch),
		.length = rblkt_sign_put(conn, io->messages + batch_offset(batch)),
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
				      DMA_TO_DEVICE);
	/* First: the host may reuse the tags as soon as it has the message. */
	for (i = 0; i < batch->nr; i++) {
		struct rblkt_cmd *cmd = &io->cmds[batch->tags[i]];

		clear_bit_unlock(0, &cmd->busy);
	}
	batch->nr = 0;
	batch->posted++;
	conn->sq_reserved = 0;
	conn->tx.v[RBLK_CNT_SENDS]++;
	rblkt_queue_post(conn, &wr, &wr, 1);
}

/* Add a command's response to the message; conn->lock held. */
static void batch_add(struct rblkt_conn *conn, struct rblkt_cmd *cmd)
{
	struct rblkt_io *io = rblkt_io_of(conn);
	struct rblkt_batch *batch = &io->batch;

	if (!batch->nr)
		conn->sq_reserved = 1;
	rblkt_proto_next_rsp(io->messages + batch_offset(batch), batch->nr, &cmd->wire,
			     cmd->status, cmd->ended - cmd->arrived,
			     cmd->ended - cmd->submitted);
	batch->tags[batch->nr++] = le16_to_cpu(cmd->wire.tag);
	cmd->message = batch->posted + 1;
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
	if (!batch->nr && (!batch_has_buffer(io) || !rblkt_queue_room(conn, 1)))
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
