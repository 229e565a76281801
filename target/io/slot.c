// SPDX-License-Identifier: GPL-2.0-only
/*
 * What an I/O connection owns: for each tag a command and a response; for the first
 * ones a slot for small data, so that small I/O does not need the pool unless very
 * much of it is outstanding; and the window, if it has one.  It is allocated and
 * mapped with the connection.
 *
 * The host takes free tags of the first ones first, where that matters to it.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include "command.h"

/**
 * rblkt_io_bytes - the most memory that an I/O connection's part takes
 * @grant: the connection's grant
 *
 * Context: any.
 * Return: bytes, without struct rblkt_io itself.
 */
size_t rblkt_io_bytes(const struct rblkt_grant *grant)
{
	return rblkt_window_bytes(grant) + rblkt_coalesce_bytes() +
	       min_t(size_t, grant->depth, RBLKT_NR_SLOTS) *
	       (PAGE_SIZE << get_order(RBLKT_SLOT_SIZE)) + grant->depth *
	       (sizeof(struct rblkt_cmd) + RBLKT_RSPS_SIZE +
		((grant->max_io >> RBLKT_MIN_CHUNK_SHIFT) + 1) *
		sizeof(struct bio_vec));
}

/**
 * rblkt_io_init - set up the I/O part of a connection
 * @io: zeroed, or only its conn set up
 * @holder: of the volumes that commands may name
 *
 * Context: any.
 */
void rblkt_io_init(struct rblkt_io *io, struct rblkt_holder *holder)
{
	io->holder = holder;
	INIT_LIST_HEAD(&io->waiting);
	INIT_LIST_HEAD(&io->pulling);
	INIT_LIST_HEAD(&io->replies);
	INIT_LIST_HEAD(&io->posted);
	INIT_DELAYED_WORK(&io->watch, rblkt_watch_work);
}

static int cmds_alloc(struct rblkt_io *io)
{
	struct rblkt_conn *conn = &io->conn;
	unsigned int i;

	io->cmds = rblkt_buf_array(conn, conn->depth, sizeof(*io->cmds));
	if (!io->cmds)
		return -ENOMEM;
	io->nr_cmds = conn->depth;
	/* Data in the window may begin within a piece. */
	io->nr_bvecs = DIV_ROUND_UP(conn->grant.max_io, 1u << io->chunk_shift) + 1;
	io->bvecs = rblkt_buf_array(conn, (size_t)io->nr_cmds * io->nr_bvecs,
				    sizeof(*io->bvecs));
	if (!io->bvecs)
		return -ENOMEM;
	for (i = 0; i < io->nr_cmds; i++) {
		struct rblkt_cmd *cmd = &io->cmds[i];

		cmd->conn = conn;
		cmd->cqe.done = rblkt_transfer_pulled;
		INIT_WORK(&cmd->work, rblkt_bio_read_work);
		cmd->bvec = io->bvecs + (size_t)i * io->nr_bvecs;
		conn->memory += RBLKT_RSPS_SIZE;
		cmd->rsp = kzalloc(RBLKT_RSPS_SIZE, GFP_KERNEL);
		if (!cmd->rsp)
			return -ENOMEM;
		if (i >= RBLKT_NR_SLOTS)
			continue;
		cmd->slot = rblkt_buf_pages(conn, RBLKT_SLOT_SIZE);
		if (!cmd->slot)
			return -ENOMEM;
	}
	return 0;
}

static int cmd_map(struct rblkt_conn *conn, struct rblkt_cmd *cmd)
{
	int ret;

	ret = rblkt_buf_map(conn, cmd->rsp, RBLKT_RSPS_SIZE, DMA_TO_DEVICE,
			    &cmd->rsp_dma);
	if (ret || !cmd->slot)
		return ret;
	ret = rblkt_buf_map(conn, cmd->slot, RBLKT_SLOT_SIZE, DMA_BIDIRECTIONAL,
			    &cmd->slot_dma);
	if (ret)
		ib_dma_unmap_single(conn->dev, cmd->rsp_dma, RBLKT_RSPS_SIZE,
				    DMA_TO_DEVICE);
	return ret;
}

static int cmds_map(struct rblkt_io *io)
{
	u32 *n;
	int ret;

	for (n = &io->mapped_cmds; *n < io->nr_cmds; ++*n) {
		ret = cmd_map(&io->conn, &io->cmds[*n]);
		if (ret)
			return ret;
	}
	return 0;
}

/**
 * rblkt_io_make - allocate and map what an I/O connection owns
 * @io: with its grant; undone by rblkt_io_unmap() and rblkt_io_free(), also after
 *      failure
 *
 * Context: process; may sleep.
 * Return: 0 or a negative errno.
 */
int rblkt_io_make(struct rblkt_io *io)
{
	struct rblkt_conn *conn = &io->conn;
	int ret;

	ret = rblkt_pool_join(io);
	if (!ret)
		ret = cmds_alloc(io);
	if (!ret && conn->iwarp)
		ret = rblkt_read_mr_map(conn);
	if (!ret)
		ret = cmds_map(io);
	if (!ret)
		ret = rblkt_coalesce_make(io);
	if (!ret) {
		rblkt_push_map(conn);
		rblkt_window_make(conn);
	}
	return ret;
}

/**
 * rblkt_io_unmap - take an I/O connection's memory from its device
 * @conn: with no queue pair any more, or never made
 *
 * Context: process; may sleep.
 */
void rblkt_io_unmap(struct rblkt_conn *conn)
{
	struct rblkt_io *io = rblkt_io_of(conn);

	rblkt_read_mr_unmap(conn);
	rblkt_push_unmap(conn);
	rblkt_window_unmap(conn);
	rblkt_coalesce_unmap(io);
	while (io->mapped_cmds) {
		struct rblkt_cmd *cmd = &io->cmds[--io->mapped_cmds];

		ib_dma_unmap_single(conn->dev, cmd->rsp_dma, RBLKT_RSPS_SIZE,
				    DMA_TO_DEVICE);
		if (cmd->slot)
			ib_dma_unmap_single(conn->dev, cmd->slot_dma, RBLKT_SLOT_SIZE,
					    DMA_BIDIRECTIONAL);
	}
	rblkt_transfer_cancel_pulls(conn);
	rblkt_pool_unmap(io);
}

/**
 * rblkt_io_free - free what an I/O connection owns
 * @io: unmapped, with no command at work
 *
 * Context: process; may sleep.
 */
void rblkt_io_free(struct rblkt_io *io)
{
	unsigned int i;

	rblkt_window_free(&io->conn);
	rblkt_coalesce_free(io);
	rblkt_pool_leave(io);
	for (i = 0; i < io->nr_cmds; i++) {
		kfree(io->cmds[i].rsp);
		rblkt_buf_free(io->cmds[i].slot, RBLKT_SLOT_SIZE);
	}
	kvfree(io->bvecs);
	kvfree(io->cmds);
}
