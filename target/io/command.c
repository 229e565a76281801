// SPDX-License-Identifier: GPL-2.0-only
/*
 * The life of a command: it is received, checked and started here, and it ends
 * here.
 *
 * Its tag is busy from cmd_begin() until the response is posted.  The command
 * holds a reference to its connection until its reply is posted or it is
 * dropped.  It holds one of its attachment's att->ios while it may reach the
 * backing device.
 */
#include <linux/ktime.h>
#include "command.h"
#include "../trace.h"

static void cmd_count_start(struct rblkt_conn *conn, u8 op)
{
	static const u8 counter[] = {
		[RBLK_OP_READ]		= RBLK_CNT_READS,
		[RBLK_OP_WRITE]		= RBLK_CNT_WRITES,
		[RBLK_OP_FLUSH]		= RBLK_CNT_FLUSHES,
		[RBLK_OP_DISCARD]	= RBLK_CNT_DISCARDS,
		[RBLK_OP_WRITE_ZEROES]	= RBLK_CNT_WRITE_ZEROES,
	};

	conn->rx.v[counter[op]]++;
}

/*
 * Find the volume and enter its attachment.  The command fails, and @cmd->att
 * stays NULL, in two cases without a violation: the target has withdrawn the
 * export, or the host has detached the volume.  The handles of both are known
 * to have existed, and a DETACH travels on the control connection, so it may
 * overtake commands.
 */
static enum rblkt_bad cmd_enter(struct rblkt_conn *conn, struct rblkt_cmd *cmd)
{
	struct rblkt_io *io = rblkt_io_of(conn);
	u32 handle = le32_to_cpu(cmd->wire.volume);
	enum rblkt_bad bad = RBLKT_BAD_NONE;
	struct rblkt_att *att;

	cmd->att = NULL;
	rcu_read_lock();
	att = xa_load(&io->holder->atts, handle);
	if (att)
		bad = rblkt_proto_check_geo(&cmd->wire, &conn->grant,
					    &att->geo);
	else if (!handle || handle > READ_ONCE(io->holder->last_handle))
		bad = RBLKT_BAD_VOLUME;
	if (att && !bad && percpu_ref_tryget_live(&att->ios)) {
		this_cpu_inc(*att->inflight);
		/* Pairs with rblkt_held_answer(). */
		smp_store_release(&cmd->att, att);
	}
	rcu_read_unlock();
	return bad;
}

/*
 * Find the @i-th command of a message, whose size is checked.  One may lie across
 * the end of the receive's first part: then it is in @copy.
 */
static const struct rblk_wire_cmd *cmd_in_message(const struct rblkt_recv *recv, int i,
						  struct rblk_wire_cmd *copy)
{
	u32 at = sizeof(struct rblk_wire_hdr) + i * sizeof(*copy);
	u32 end = at + sizeof(*copy), head = RBLK_WIRE_DATA_OFFSET;

	if (end <= head)
		return recv->msg + at;
	if (at >= head)
		return recv->data + at - head;
	memcpy(copy, recv->msg + at, head - at);
	memcpy((void *)copy + head - at, recv->data, end - head);
	return copy;
}

static enum rblkt_bad cmd_begin(struct rblkt_conn *conn,
				const struct rblk_wire_hdr *hdr,
				const struct rblk_wire_cmd *wire,
				struct rblkt_recv *recv, u64 now)
{
	struct rblkt_io *io = rblkt_io_of(conn);
	struct rblkt_cmd *cmd;
	enum rblkt_bad bad;

	bad = rblkt_proto_check_cmd(hdr, wire, &conn->grant);
	if (bad)
		return bad;
	cmd = &io->cmds[le16_to_cpu(wire->tag)];
	if (test_and_set_bit_lock(0, &cmd->busy))
		return RBLKT_BAD_TAG_BUSY;
	rblkt_coalesce_received(io, cmd);
	cmd->wire = *wire;
	cmd->arrived = now;
	cmd->held = false;
	bad = cmd_enter(conn, cmd);
	if (bad)
		return bad;
	cmd->recv = recv;
	cmd->chunks = NULL;
	cmd->read_mrs = NULL;
	cmd->submitted = now;
	cmd->ended = now;
	cmd->flush_only = false;
	rblkt_conn_get(conn);
	cmd_count_start(conn, wire->op);
	if (rblkt_window_has(cmd))
		conn->rx.v[RBLK_CNT_WINDOW_WRITES]++;
	trace_rblkt_cmd_start(cmd);
	if (likely(cmd->att))
		rblkt_transfer_start(cmd);
	else
		rblkt_cmd_done(cmd, RBLK_STATUS_GONE);
	return RBLKT_BAD_NONE;
}

/*
 * Begin all commands of a message.  If there are several, or more messages are
 * here already, their responses share messages until the last one has begun.
 * Whatever keeps the last receive from coming here ends the connection: else
 * what was gathered or held would stay.
 */
static enum rblkt_bad cmd_begin_all(struct rblkt_conn *conn,
				    const struct rblkt_recv *recv,
				    struct rblkt_recv *data)
{
	const struct rblk_wire_hdr *hdr = recv->msg;
	struct rblkt_io *io = rblkt_io_of(conn);
	enum rblkt_bad bad = RBLKT_BAD_NONE;
	bool more = conn->receive.more;
	struct rblk_wire_cmd copy;
	u64 now = ktime_get_ns();
	int i, nr = hdr->count;

	if (more || nr > 1)
		rblkt_coalesce_begin(io);
	for (i = 0; i < nr && !bad; i++)
		bad = cmd_begin(conn, hdr, cmd_in_message(recv, i, &copy), data, now);
	if (!more && io->batch.open)
		rblkt_coalesce_end(io);
	return bad;
}

/**
 * rblkt_cmd_receive - handle a message on a bound I/O connection
 * @conn: the connection
 * @recv: the message; inline data stays there until its bio has ended
 * @len: bytes received
 *
 * Context: process, the connection's receive context; may sleep.
 */
void rblkt_cmd_receive(struct rblkt_conn *conn, struct rblkt_recv *recv,
		       u32 len)
{
	const struct rblk_wire_hdr *hdr = recv->msg;
	enum rblkt_bad bad;
	bool data;

	bad = rblkt_proto_check_io(hdr, len, &conn->grant);
	if (bad) {
		rblkt_conn_violation(conn, bad);
		return;
	}
	/*
	 * A message with data belongs to its command, which may end and post
	 * the buffer again before cmd_begin_all() returns.
	 */
	data = hdr->flags & cpu_to_le16(RBLK_HDRF_DATA);
	bad = cmd_begin_all(conn, recv, data ? recv : NULL);
	if (bad) {
		rblkt_conn_violation(conn, bad);
		return;
	}
	if (data)
		return;
	spin_lock_irq(&conn->lock);
	rblkt_queue_post_recv(conn, recv);
	spin_unlock_irq(&conn->lock);
}

/**
 * rblkt_cmd_drop - end a command without an answer
 * @cmd: of a connection that is ending
 *
 * It keeps chunks that are posted: rblkt_pool_unmap() gives them back.
 *
 * Context: any, without any conn->lock.
 */
void rblkt_cmd_drop(struct rblkt_cmd *cmd)
{
	if (cmd->att)
		rblkt_att_end(cmd->att);
	cmd->att = NULL;
	if (cmd->chunks && !cmd->chunks->posted)
		rblkt_share_give(cmd->chunks);
	cmd->chunks = NULL;
	rblkt_conn_put(cmd->conn);
}

static void cmd_count_end(const struct rblkt_cmd *cmd)
{
	if (likely(cmd->status == RBLK_STATUS_OK))
		rblkt_stat_count(cmd->att->tally, cmd->wire.op,
				 le32_to_cpu(cmd->wire.length),
				 cmd->submitted - cmd->arrived,
				 cmd->ended - cmd->submitted);
	else
		rblkt_stat_fail(cmd->att->tally, cmd->wire.op);
}

/**
 * rblkt_cmd_done - end a command and answer it
 * @cmd: the command
 * @status: enum rblk_wire_status
 *
 * Context: any, without any conn->lock.
 */
void rblkt_cmd_done(struct rblkt_cmd *cmd, u16 status)
{
	cmd->status = status;
	/* Its I/O is over.  An attach that waits behind the fence may go on. */
	if (cmd->att) {
		cmd_count_end(cmd);
		rblkt_att_end(cmd->att);
	}
	cmd->att = NULL;
	rblkt_reply(cmd);
}
