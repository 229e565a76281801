// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a command needs before it goes to the backing device: chunks of the
 * pool, and for a write whose data is not here yet, that data, pulled from the
 * host by RDMA READ.
 *
 * A command gets its chunks first, and may wait for them in a line of the pool.
 * Then it may wait in io->waiting for room in the send queue, in order.  That
 * room depends only on the host, and not on other commands with chunks.  So no
 * command starves, and no two commands deadlock with half of what each needs.
 */
#include <linux/ktime.h>
#include "command.h"

static u32 pull_chunks(const struct rblkt_conn *conn, u32 len)
{
	const struct rblkt_io *io = rblkt_io_of(conn);

	return DIV_ROUND_UP(len, 1u << io->chunk_shift);
}

/* Is there what a pull takes of the send queue and of regions? */
static bool pull_room(const struct rblkt_conn *conn, const struct rblkt_cmd *cmd)
{
	u32 wrs = 1, len = le32_to_cpu(cmd->wire.length);

	if (cmd->chunks && conn->iwarp)
		wrs = rblkt_read_mr_wrs(rblkt_io_of(conn), len);
	else if (cmd->chunks)
		wrs = DIV_ROUND_UP(pull_chunks(conn, len), conn->max_read_sge);
	return wrs && rblkt_queue_room(conn, wrs);
}

/* Fill one RDMA READ with chunks; returns the first that did not fit. */
static struct rblkt_chunk *pull_fill(struct rblkt_conn *conn,
				     struct rblkt_chunk *chunk, u32 left,
				     struct ib_sge *sge, int *nr)
{
	struct rblkt_io *io = rblkt_io_of(conn);
	int n;

	for (n = 0; chunk && n < conn->max_read_sge; chunk = chunk->next) {
		u32 len = min(left, 1u << io->chunk_shift);

		ib_dma_sync_single_for_device(conn->dev, chunk->dma, len,
					      DMA_BIDIRECTIONAL);
		sge[n].addr = chunk->dma;
		sge[n].lkey = conn->pd->local_dma_lkey;
		sge[n++].length = len;
		left -= len;
	}
	*nr = n;
	return chunk;
}

/* Post one RDMA READ to chunks; advances @at, @addr and @left. */
static int pull_to_chunks(struct rblkt_cmd *cmd, struct rblkt_chunk **at,
			  u64 *addr, u32 *left)
{
	struct rblkt_conn *conn = cmd->conn;
	struct ib_sge sge[RBLKT_MAX_SGE];
	struct ib_rdma_wr rdma = {
		.wr.wr_cqe = &conn->plain_cqe,
		.wr.opcode = IB_WR_RDMA_READ,
		.wr.sg_list = sge,
		.wr.num_sge = 1,
		.remote_addr = *addr,
		.rkey = le32_to_cpu(cmd->wire.rkey),
	};
	int i;

	if (conn->iwarp) {
		*at = rblkt_read_mr_fill(cmd, *at, *left, sge);
		rdma.wr.opcode = IB_WR_RDMA_READ_WITH_INV;
		rdma.wr.ex.invalidate_rkey = sge->lkey;
	} else {
		*at = pull_fill(conn, *at, *left, sge, &rdma.wr.num_sge);
	}
	if (IS_ERR(*at))
		return PTR_ERR(*at);
	for (i = 0; i < rdma.wr.num_sge; i++) {
		*left -= sge[i].length;
		*addr += sge[i].length;
	}
	if (!*left) {
		rdma.wr.wr_cqe = &cmd->cqe;
		rdma.wr.send_flags = IB_SEND_SIGNALED;
		cmd->seq = conn->sq_posted + 1;
	}
	conn->tx.v[RBLK_CNT_RDMA_READS]++;
	return rblkt_queue_post(conn, &rdma.wr, &rdma.wr, 1);
}

static int pull_to_slot(struct rblkt_cmd *cmd, u64 addr, u32 len)
{
	struct rblkt_conn *conn = cmd->conn;
	struct ib_sge sge = {
		.addr = cmd->slot_dma,
		.length = len,
		.lkey = conn->pd->local_dma_lkey,
	};
	struct ib_rdma_wr rdma = {
		.wr.wr_cqe = &cmd->cqe,
		.wr.opcode = IB_WR_RDMA_READ,
		.wr.send_flags = IB_SEND_SIGNALED,
		.wr.sg_list = &sge,
		.wr.num_sge = 1,
		.remote_addr = addr,
		.rkey = le32_to_cpu(cmd->wire.rkey),
	};

	ib_dma_sync_single_for_device(conn->dev, cmd->slot_dma, len,
				      DMA_BIDIRECTIONAL);
	cmd->seq = conn->sq_posted + 1;
	conn->tx.v[RBLK_CNT_RDMA_READS]++;
	return rblkt_queue_post(conn, &rdma.wr, &rdma.wr, 1);
}

/* Pull a write's data; the completion wakes the send work. */
static int pull_begin(struct rblkt_cmd *cmd)
{
	u64 addr = le64_to_cpu(cmd->wire.addr);
	u32 left = le32_to_cpu(cmd->wire.length);
	struct rblkt_conn *conn = cmd->conn;
	struct rblkt_io *io = rblkt_io_of(conn);
	struct rblkt_chunk *at = cmd->chunks;
	int ret = 0;

	if (at)
		rblkt_watch_posted(io, at);
	else
		ret = pull_to_slot(cmd, addr, left);
	while (at && !ret)
		ret = pull_to_chunks(cmd, &at, &addr, &left);
	if (ret)
		return ret;
	io->pulls++;
	cmd->pulling = true;
	list_add_tail(&cmd->node, &io->pulling);
	rblkt_queue_arm(conn);
	rblkt_watch_expect(io);
	return 0;
}

/* Also sets @ended, for commands that end without reaching the device. */
static void cmd_note_submitted(struct rblkt_cmd *cmd)
{
	cmd->submitted = ktime_get_ns();
	cmd->ended = cmd->submitted;
}

enum verdict { WAIT, SUBMIT, PULLING, DROP, GONE };

/* Start a command that has its chunks, if it needs some. */
static enum verdict cmd_try_start(struct rblkt_conn *conn,
				  struct rblkt_cmd *cmd)
{
	enum rblkt_way_in way;

	lockdep_assert_held(&conn->lock);
	if (conn->state != RBLKT_CONN_LIVE)
		return DROP;
	way = rblkt_way_in(cmd);
	/* READY: the device no longer wants the data to be stable. */
	if (way == RBLKT_IN_CHUNKS || way == RBLKT_IN_READY)
		return SUBMIT;
	if (!pull_room(conn, cmd))
		return WAIT;
	return pull_begin(cmd) ? DROP : PULLING;
}

/* Returns PULLING if the command isn't ours any more. */
static enum verdict cmd_take_chunks(struct rblkt_cmd *cmd)
{
	struct rblkt_conn *conn = cmd->conn;

	switch (rblkt_share_take(cmd)) {
	case 0:
		return SUBMIT;
	case -ENOTCONN:
		return DROP;
	case -ENODEV:
		return GONE;
	}
	spin_lock_irq(&conn->lock);
	conn->tx.v[RBLK_CNT_WAITS]++;
	spin_unlock_irq(&conn->lock);
	return PULLING;
}

static void cmd_submit(struct rblkt_cmd *cmd)
{
	rblkt_push_arrived(cmd);
	rblkt_window_arrived(cmd);
	rblkt_bio_submit(cmd);
}

static void cmd_act(struct rblkt_cmd *cmd, enum verdict verdict)
{
	if (verdict == DROP)
		rblkt_cmd_drop(cmd);
	else if (verdict == SUBMIT)
		cmd_submit(cmd);
	else if (verdict == GONE)
		rblkt_cmd_done(cmd, RBLK_STATUS_GONE);
}

/**
 * rblkt_transfer_start - start a command, or let it wait for what it needs
 * @cmd: checked, and in its attachment
 *
 * Context: process; submits bios.
 */
void rblkt_transfer_start(struct rblkt_cmd *cmd)
{
	struct rblkt_conn *conn = cmd->conn;
	struct rblkt_io *io = rblkt_io_of(conn);
	enum rblkt_way_in way = rblkt_way_in(cmd);
	enum verdict verdict = SUBMIT;

	if (way == RBLKT_IN_CHUNKS || way == RBLKT_IN_PULL_CHUNKS)
		verdict = cmd_take_chunks(cmd);
	if (verdict != SUBMIT || way == RBLKT_IN_CHUNKS || way == RBLKT_IN_READY) {
		cmd_act(cmd, verdict);
		return;
	}
	verdict = WAIT;
	spin_lock_irq(&conn->lock);
	/* It may have been purged or answered already: it must not wait, nor pull. */
	if (READ_ONCE(cmd->att->draining))
		verdict = GONE;
	else if (list_empty(&io->waiting) || conn->state != RBLKT_CONN_LIVE)
		verdict = cmd_try_start(conn, cmd);
	if (verdict == WAIT) {
		list_add_tail(&cmd->node, &io->waiting);
		rblkt_watch_expect(io);
		conn->tx.v[RBLK_CNT_WAITS]++;
		rblkt_queue_arm(conn);
	}
	spin_unlock_irq(&conn->lock);
	cmd_act(cmd, verdict);
}

/* All that a pull took is free again; conn->lock held. */
static void pull_end(struct rblkt_cmd *cmd)
{
	rblkt_queue_seen(cmd->conn, cmd->seq);
	rblkt_read_mr_give(cmd);
	if (!cmd->chunks)
		return;
	cmd->chunks->posted = false;
	list_del(&cmd->chunks->node);
}

/**
 * rblkt_transfer_pulled - handle the completion of a pull's last RDMA READ
 * @cq: the send CQ
 * @wc: the completion
 *
 * Context: process, with conn->poll_lock held; may sleep.
 */
void rblkt_transfer_pulled(struct ib_cq *cq, struct ib_wc *wc)
{
	struct rblkt_cmd *cmd = container_of(wc->wr_cqe, struct rblkt_cmd, cqe);
	struct rblkt_conn *conn = cmd->conn;
	struct rblkt_io *io = rblkt_io_of(conn);
	u32 left = le32_to_cpu(cmd->wire.length);
	struct rblkt_chunk *chunk;

	spin_lock_irq(&conn->lock);
	/* SIW flushes an RDMA READ twice if it is just sending it. */
	if (unlikely(!cmd->pulling)) {
		spin_unlock_irq(&conn->lock);
		return;
	}
	cmd->pulling = false;
	io->pulls--;
	list_del(&cmd->node);
	if (wc->status == IB_WC_SUCCESS)
		pull_end(cmd);
	spin_unlock_irq(&conn->lock);
	if (wc->status != IB_WC_SUCCESS) {
		rblkt_conn_fault(conn, wc->status);
		rblkt_cmd_drop(cmd);
		return;
	}
	if (!cmd->chunks)
		ib_dma_sync_single_for_cpu(conn->dev, cmd->slot_dma, left,
					   DMA_BIDIRECTIONAL);
	for (chunk = cmd->chunks; chunk; chunk = chunk->next)
		ib_dma_sync_single_for_cpu(conn->dev, chunk->dma,
					   1u << io->chunk_shift,
					   DMA_BIDIRECTIONAL);
	cmd_note_submitted(cmd);
	cmd_act(cmd, READ_ONCE(cmd->att->draining) ? GONE : SUBMIT);
}

/**
 * rblkt_transfer_resume - serve waiting replies and commands
 * @conn: send-queue slots may have become free, or commands got their chunks
 *
 * Context: process; may sleep.
 */
void rblkt_transfer_resume(struct rblkt_conn *conn)
{
	struct rblkt_io *io = rblkt_io_of(conn);
	struct rblkt_cmd *cmd;
	enum verdict verdict;

	spin_lock_irq(&conn->lock);
	while (conn->state == RBLKT_CONN_LIVE && !list_empty(&io->replies)) {
		cmd = list_first_entry(&io->replies, struct rblkt_cmd, node);
		/* Once posted, the tag and so the node may be in use again. */
		list_del(&cmd->node);
		if (!rblkt_reply_post(cmd)) {
			list_add(&cmd->node, &io->replies);
			break;
		}
		rblkt_conn_put(conn);
	}
	while (!list_empty(&io->waiting)) {
		cmd = list_first_entry(&io->waiting, struct rblkt_cmd, node);
		list_del(&cmd->node);
		/* Now, as the completion of a posted pull owns the command. */
		cmd_note_submitted(cmd);
		verdict = cmd_try_start(conn, cmd);
		if (verdict == WAIT) {
			list_add(&cmd->node, &io->waiting);
			break;
		}
		spin_unlock_irq(&conn->lock);
		cmd_act(cmd, verdict);
		spin_lock_irq(&conn->lock);
	}
	if (io->pulls || !list_empty(&io->waiting) || !list_empty(&io->replies) ||
	    (!list_empty(&io->posted) && rblkt_share_wanted(io)))
		rblkt_queue_arm(conn);
	spin_unlock_irq(&conn->lock);
}

/**
 * rblkt_transfer_purge - answer waiting commands of volumes that drain
 * @conn: a connection of a session with an attachment that drains
 *
 * These commands hold the backing device until they end.  They could wait for
 * ever, because a host that takes no answers can keep the chunks and the slots
 * that they wait for.
 *
 * Context: process; does not sleep.
 */
void rblkt_transfer_purge(struct rblkt_conn *conn)
{
	struct rblkt_io *io = rblkt_io_of(conn);
	struct rblkt_cmd *cmd, *next;
	LIST_HEAD(gone);

	rblkt_share_forget(io, false, &gone);
	spin_lock_irq(&conn->lock);
	list_for_each_entry_safe(cmd, next, &io->waiting, node)
		if (READ_ONCE(cmd->att->draining))
			list_move_tail(&cmd->node, &gone);
	spin_unlock_irq(&conn->lock);
	list_for_each_entry_safe(cmd, next, &gone, node) {
		list_del(&cmd->node);
		rblkt_cmd_done(cmd, RBLK_STATUS_GONE);
	}
}

/**
 * rblkt_transfer_cancel - drop commands that wait for chunks or slots
 * @conn: CLOSING
 *
 * Context: process; may sleep, as it ends the watch, too.
 */
void rblkt_transfer_cancel(struct rblkt_conn *conn)
{
	struct rblkt_io *io = rblkt_io_of(conn);
	struct rblkt_cmd *cmd, *next;
	LIST_HEAD(list);

	cancel_delayed_work_sync(&io->watch);
	rblkt_share_forget(io, true, &list);
	spin_lock_irq(&conn->lock);
	list_splice_init(&io->waiting, &list);
	list_splice_init(&io->replies, &list);
	spin_unlock_irq(&conn->lock);
	list_for_each_entry_safe(cmd, next, &list, node) {
		list_del(&cmd->node);
		rblkt_cmd_drop(cmd);
	}
}

/**
 * rblkt_transfer_cancel_pulls - drop pulls whose completion nobody has seen
 * @conn: drained
 *
 * SIW may complete the work request that marks the end of a drain before work
 * requests that were queued earlier.  The queue pair and the completion queues
 * are gone, so nothing touches the memory of these pulls any more.
 *
 * Context: process; does not sleep.
 */
void rblkt_transfer_cancel_pulls(struct rblkt_conn *conn)
{
	struct rblkt_io *io = rblkt_io_of(conn);
	struct rblkt_cmd *cmd, *next;
	LIST_HEAD(list);

	spin_lock_irq(&conn->lock);
	list_splice_init(&io->pulling, &list);
	io->pulls = 0;
	spin_unlock_irq(&conn->lock);
	list_for_each_entry_safe(cmd, next, &list, node) {
		list_del(&cmd->node);
		rblkt_cmd_drop(cmd);
	}
}
