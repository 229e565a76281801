// SPDX-License-Identifier: GPL-2.0-only
/*
 * A request in the words of the protocol.
 */
#include "block.h"

/*
 * The disk keeps the limits that it was made with.  After a reconnect, the
 * target's device may take less per command, and the target treats a larger
 * command as a protocol violation.
 */
static bool rq_size_fits(struct request *rq, u32 most)
{
	return blk_rq_bytes(rq) <= most;
}

/**
 * rblk_describe() - translate a request
 * @geo: of its volume
 * @rq: the request
 * @cmd: filled in, except for what rblk_io_submit() fills in, and a digest
 *
 * Context: any.
 * Return: whether the target can do it.
 */
bool rblk_describe(const struct rblk_geometry *geo, struct request *rq, struct rblk_command *cmd)
{
	memset(cmd, 0, sizeof(*cmd));
	switch (req_op(rq)) {
	case REQ_OP_READ:
		cmd->op = RBLK_OP_READ;
		break;
	case REQ_OP_WRITE:
		cmd->op = RBLK_OP_WRITE;
		break;
	case REQ_OP_FLUSH:
		cmd->op = RBLK_OP_FLUSH;
		break;
	case REQ_OP_DISCARD:
		if (!rq_size_fits(rq, geo->max_discard))
			return false;
		cmd->op = RBLK_OP_DISCARD;
		break;
	case REQ_OP_WRITE_ZEROES:
		if (!rq_size_fits(rq, geo->max_write_zeroes))
			return false;
		cmd->op = RBLK_OP_WRITE_ZEROES;
		if (rq->cmd_flags & REQ_NOUNMAP)
			cmd->flags |= RBLK_CMDF_NOUNMAP;
		break;
	default:
		return false;
	}
	if (rq->cmd_flags & REQ_FUA)
		cmd->flags |= RBLK_CMDF_FUA;
	if (rq->cmd_flags & REQ_SYNC)
		cmd->flags |= RBLK_CMDF_SYNC;
	if (rq->cmd_flags & REQ_META)
		cmd->flags |= RBLK_CMDF_META;
	if (rq->cmd_flags & (REQ_RAHEAD | REQ_IDLE | REQ_BACKGROUND))
		cmd->flags |= RBLK_CMDF_BACKGROUND;
	cmd->prio = req_get_ioprio(rq);
	cmd->volume = geo->volume;
	cmd->stable = geo->flags & RBLK_EXPF_STABLE_WRITES;
	if (cmd->op == RBLK_OP_FLUSH)
		return true;
	cmd->length = blk_rq_bytes(rq);
	cmd->lba = blk_rq_pos(rq) >> (ilog2(geo->logical_block) - SECTOR_SHIFT);
	return true;
}

/**
 * rblk_describe_need() - what does a request's command need of a connection?
 * @rq: the request
 * @cmd: its command
 *
 * Context: any.
 * Return: upper limits for the data's pages and its scatter list's elements.
 */
struct rblk_need rblk_describe_need(struct request *rq, const struct rblk_command *cmd)
{
	u32 segments, pages;

	if (!rblk_op_has_data(cmd->op))
		return (struct rblk_need){};
	segments = blk_rq_nr_phys_segments(rq);
	pages = DIV_ROUND_UP(cmd->length, PAGE_SIZE) + 1;
	return (struct rblk_need){
		.pages = max(pages, segments),
		.segments = segments,
		.bytes = cmd->length,
	};
}
