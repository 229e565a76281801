// SPDX-License-Identifier: GPL-2.0-only
/*
 * Held tags: commands that end for the host while the backing device still has
 * them.
 *
 * A host has given a volume back, or lost it, and its disk hangs.  The host wants
 * to send its requests again elsewhere, or to fail them, so it needs to know that
 * its memory is no longer accessed.  The response HELD says so and invalidates the
 * rkey.  But the device may still use the slot, the receive buffer or the window,
 * so the tag stays busy.  When the bio ends, a second response frees it.
 *
 * conn->lock decides which comes first, the end of the bio or HELD: rblkt_reply()
 * looks at cmd->held with it held.  Both responses may be on their way at a time,
 * so they have a buffer each.
 */
#include <linux/ktime.h>
#include "command.h"

/* Answer by HELD; conn->lock held, and there is room in the send queue. */
static void held_post(struct rblkt_cmd *cmd)
{
	struct rblkt_conn *conn = cmd->conn;
	struct ib_sge sge = {
		.addr = cmd->rsp_dma + RBLKT_RSP_SIZE,
		.lkey = conn->pd->local_dma_lkey,
	};
	struct ib_send_wr wr = {
		.wr_cqe = &conn->plain_cqe,
		.opcode = cmd->wire.rkey ? IB_WR_SEND_WITH_INV : IB_WR_SEND,
		.sg_list = &sge,
		.num_sge = 1,
		.ex.invalidate_rkey = le32_to_cpu(cmd->wire.rkey),
	};

	rblkt_proto_rsp(cmd->rsp + RBLKT_RSP_SIZE, &cmd->wire, RBLK_STATUS_HELD,
			false, 0, ktime_get_ns() - cmd->arrived, 0);
	sge.length = rblkt_sign_put(conn, cmd->rsp + RBLKT_RSP_SIZE);
	ib_dma_sync_single_for_device(conn->dev, sge.addr, RBLKT_RSP_SIZE,
				      DMA_TO_DEVICE);
	conn->tx.v[RBLK_CNT_SENDS]++;
	if (cmd->wire.rkey)
		conn->tx.v[RBLK_CNT_REMOTE_INVALIDATES]++;
	cmd->wire.rkey = 0;
	cmd->held = true;
	rblkt_queue_post(conn, &wr, &wr, 1);
}

/**
 * rblkt_held_answer - answer commands of an attachment that are at the device
 * @conn: an I/O connection of its session
 * @att: draining for long, so nothing of it waits in the connection, and what
 *       begins a pull or enters a line from now on finds it draining
 *
 * The data of a command in a pull is still on its way: that ends by itself.
 *
 * Context: process; does not sleep.
 * Return: true if some are left to answer later.
 */
bool rblkt_held_answer(struct rblkt_conn *conn, const struct rblkt_att *att)
{
	struct rblkt_io *io = rblkt_io_of(conn);
	bool left = false;
	u32 i;

	spin_lock_irq(&conn->lock);
	if (conn->state != RBLKT_CONN_LIVE || !(conn->grant.features & RBLK_FEAT_HELD))
		goto unlock;
	for (i = 0; i < io->nr_cmds; i++) {
		struct rblkt_cmd *cmd = &io->cmds[i];

		/* Pairs with cmd_enter(): what the response needs is set. */
		if (smp_load_acquire(&cmd->att) != att || cmd->held)
			continue;
		if (cmd->pulling || !rblkt_queue_room(conn, 1))
			left = true;
		else
			held_post(cmd);
	}
	if (left)
		rblkt_queue_arm(conn);
unlock:
	spin_unlock_irq(&conn->lock);
	return left;
}

/**
 * rblkt_held_end - prepare the second response of a held command
 * @cmd: done
 *
 * Context: any, without any conn->lock.
 */
void rblkt_held_end(struct rblkt_cmd *cmd)
{
	cmd->status = RBLK_STATUS_GONE;
	if (cmd->chunks)
		rblkt_share_give(cmd->chunks);
	cmd->chunks = NULL;
}
