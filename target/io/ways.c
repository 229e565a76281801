// SPDX-License-Identifier: GPL-2.0-only
/*
 * The way that a command's data takes through the target.  It is chosen here
 * and nowhere else.  The initiator has chosen part of it: driver/transport/ways.c
 * says what inline data, pushed data, the window and immediates save.
 *
 *   op     data                                 before the device   saves
 *   WRITE  inline                               stays in its receive   a pull
 *    "     pushed                               stays in its slot      a pull
 *    "     pushed, the device wants it stable   copied to chunks       a pull
 *    "     in the window                        stays there            a pull
 *    "      "             , device wants it stable  copied to chunks   a pull
 *    "     up to a slot, if it has one, not
 *          iWARP, not stable                    pulled to its slot     chunks to wait for
 *    "     other                                pulled to chunks       -
 *   READ   up to a slot, if it has one          goes to its slot       chunks to wait for
 *    "     other                                goes to chunks         -
 *
 *   op     data                                 after the device    saves
 *   READ   inline                               in the response     RDMA WRITE
 *    "     in one RDMA WRITE, if asked          immediate           the response
 *    "     other                                RDMA WRITE, response   -
 *   other  none                                 shares a response   messages
 *          if it has an rkey to invalidate      a response          -
 *
 * A region that iWARP pulls to must be registered, and slots are not.
 */
#include "command.h"

/**
 * rblkt_way_in - what a command needs before the backing device
 * @cmd: checked, and in its attachment
 *
 * Context: any.
 * Return: the way.
 */
enum rblkt_way_in rblkt_way_in(const struct rblkt_cmd *cmd)
{
	bool small = cmd->slot && le32_to_cpu(cmd->wire.length) <= RBLKT_SLOT_SIZE;
	u8 op = cmd->wire.op;

	if (op == RBLK_OP_READ)
		return small ? RBLKT_IN_READY : RBLKT_IN_CHUNKS;
	if (op != RBLK_OP_WRITE || cmd->wire.flags & cpu_to_le16(RBLK_CMDF_INLINE))
		return RBLKT_IN_READY;
	if (rblkt_push_has(cmd))
		return rblkt_push_unstable(cmd) ? RBLKT_IN_CHUNKS :
						  RBLKT_IN_READY;
	if (rblkt_window_has(cmd))
		return bdev_stable_writes(cmd->att->bdev) ? RBLKT_IN_CHUNKS :
							    RBLKT_IN_READY;
	return small && !cmd->conn->iwarp && !rblkt_push_unstable(cmd) ?
	       RBLKT_IN_PULL_SLOT : RBLKT_IN_PULL_CHUNKS;
}

/**
 * rblkt_way_out - how a command's answer travels
 * @cmd: done
 *
 * Context: any.
 * Return: the way.
 */
enum rblkt_way_out rblkt_way_out(const struct rblkt_cmd *cmd)
{
	if (cmd->status != RBLK_STATUS_OK || cmd->wire.op != RBLK_OP_READ)
		return RBLKT_OUT_STATUS;
	if (cmd->wire.flags & cpu_to_le16(RBLK_CMDF_INLINE))
		return RBLKT_OUT_INLINE;
	return cmd->chunks ? RBLKT_OUT_CHUNKS : RBLKT_OUT_SLOT;
}

/**
 * rblkt_way_immediate - does an immediate replace the response?
 * @cmd: done, its data goes by RDMA WRITE
 * @writes: how many RDMA WRITEs that takes; only a single one, with all of the
 *          data, can have the immediate
 *
 * Context: any.
 * Return: true if it does.
 */
bool rblkt_way_immediate(const struct rblkt_cmd *cmd, u32 writes)
{
	return writes == 1 && cmd->wire.flags & cpu_to_le16(RBLK_CMDF_IMM);
}

/**
 * rblkt_way_coalesces - may the response share a message with others?
 * @cmd: done
 *
 * Context: any.
 * Return: true if it has no data and no rkey to invalidate.
 */
bool rblkt_way_coalesces(const struct rblkt_cmd *cmd)
{
	return !cmd->wire.rkey && rblkt_way_out(cmd) == RBLKT_OUT_STATUS;
}

/**
 * rblkt_way_copies - the flags of a send from a slot
 * @conn: its connection
 * @bytes: bytes to send
 *
 * SIW sends a page or more straight from our pages, one by one, unless the send
 * is signalled: then it copies.  Copying is cheaper for one page.  Sends from
 * chunks need it (reply.c): chunks are not the tag's own, so they may be reused
 * before TCP has sent them.
 *
 * Context: any.
 * Return: flags of enum ib_send_flags.
 */
int rblkt_way_copies(const struct rblkt_conn *conn, u32 bytes)
{
	return conn->iwarp && bytes >= PAGE_SIZE ? IB_SEND_SIGNALED : 0;
}
