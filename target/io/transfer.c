// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a command needs before it goes to the backing device: chunks of the
 * pool, and for a write whose data is not here yet, that data, pulled from the
 * host by RDMA READ.  Commands that can't have it yet wait in io->waiting.
 *
 * A command takes its chunks and its send-queue slots together, or waits for
 * both.  The queue is served in order.  So no command starves, and no two
 * commands deadlock with half of what each needs.
 */
#include <linux/ktime.h>
#include "command.h"

#define RBLKT_PULL_MS		20000	/* a host's time to send write data */

static u32 pull_chunks(const struct rblkt_conn *conn, u32 len)
{
	const struct rblkt_io *io = rblkt_io_of(conn);

	return DIV_ROUND_UP(len, 1u << io->chunk_shift);
}

/* The most send-queue slots that a pull takes. */
static u32 pull_wrs(const struct rblkt_conn *conn, enum rblkt_way_in way, u32 len)
{
	if (way == RBLKT_IN_PULL_SLOT)
		return 1;
	if (conn->iwarp)	/* at worst a registration and READ per chunk */
		return 2 * pull_chunks(conn, len);
	return DIV_ROUND_UP(pull_chunks(conn, len), conn->max_read_sge);
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

	if (conn->iwarp)
		*at = rblkt_read_mr_fill(conn, *at, *left, sge);
	else
		*at = pull_fill(conn, *at, *left, sge, &rdma.wr.num_sge);
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

/*
 * Queue the watch for when the oldest pull may be overdue.  io->watched says
 * that it is queued already, so while data flows it runs once in RBLKT_PULL_MS.
 * Only a LIVE connection pulls, and its close work cancels the watch.
 */
static void pull_watch(struct rblkt_conn *conn, unsigned long delay)
{
	struct rblkt_io *io = rblkt_io_of(conn);

	lockdep_assert_held(&conn->lock);
	if (io->watched)
		return;
	io->watched = true;
	queue_delayed_work(rblkt_wq, &io->watch, delay);
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

	if (!at)
		ret = pull_to_slot(cmd, addr, left);
	while (at && left && !ret)
		ret = pull_to_chunks(cmd, &at, &addr, &left);
	if (ret)
		return ret;
	io->pulls++;
	cmd->pulling = true;
	list_add_tail(&cmd->node, &io->pulling);
	rblkt_queue_arm(conn);
	pull_watch(conn, msecs_to_jiffies(RBLKT_PULL_MS));
	return 0;
}

/* Also sets @ended, for commands that end without reaching the device. */
static void cmd_note_submitted(struct rblkt_cmd *cmd)
{
	cmd->submitted = ktime_get_ns();
	cmd->ended = cmd->submitted;
}

enum verdict { WAIT, SUBMIT, PULLING, DROP, GONE };

/* Give a command what it needs if that is free, and start its pull. */
static enum verdict cmd_try_start(struct rblkt_conn *conn,
				  struct rblkt_cmd *cmd)
{
	enum rblkt_way_in way = rblkt_way_in(cmd);
	u32 len = le32_to_cpu(cmd->wire.length);

	lockdep_assert_held(&conn->lock);
	if (conn->state != RBLKT_CONN_LIVE)
		return DROP;
	if (way == RBLKT_IN_READY)
		return SUBMIT;
	if (way == RBLKT_IN_CHUNKS)
		return rblkt_pool_take(conn, cmd, len) ? SUBMIT : WAIT;
	if (!rblkt_queue_room(conn, pull_wrs(conn, way, len)))
		return WAIT;
	if (way == RBLKT_IN_PULL_CHUNKS && !rblkt_pool_take(conn, cmd, len))
		return WAIT;
	return pull_begin(cmd) ? DROP : PULLING;
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
	enum verdict verdict = WAIT;

	if (rblkt_way_in(cmd) == RBLKT_IN_READY) {
		cmd_submit(cmd);
		return;
	}
	spin_lock_irq(&conn->lock);
	if (list_empty(&io->waiting) || conn->state != RBLKT_CONN_LIVE)
		verdict = cmd_try_start(conn, cmd);
	/* rblkt_transfer_purge() may have run already, so it must not wait. */
	if (verdict == WAIT && READ_ONCE(cmd->att->draining))
		verdict = GONE;
	if (verdict == WAIT) {
		list_add_tail(&cmd->node, &io->waiting);
		conn->tx.v[RBLK_CNT_WAITS]++;
		rblkt_queue_arm(conn);
	}
	spin_unlock_irq(&conn->lock);
	cmd_act(cmd, verdict);
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
		rblkt_queue_seen(conn, cmd->seq);
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
	rblkt_bio_submit(cmd);
}

/**
 * rblkt_transfer_resume - serve waiting replies and commands
 * @conn: send-queue slots or chunks may have become free
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
	if (io->pulls || !list_empty(&io->waiting) || !list_empty(&io->replies))
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

/* Nanoseconds until the oldest pull is overdue; S64_MAX without one. */
static s64 pull_left(struct rblkt_conn *conn)
{
	struct rblkt_io *io = rblkt_io_of(conn);
	const u64 limit = (u64)RBLKT_PULL_MS * NSEC_PER_MSEC;
	const struct rblkt_cmd *cmd;

	cmd = list_first_entry_or_null(&io->pulling, struct rblkt_cmd, node);
	return cmd ? cmd->submitted + limit - ktime_get_ns() : S64_MAX;
}

/**
 * rblkt_transfer_watch - end a connection whose host does not deliver write data
 * @work: the connection's watch
 *
 * A command in a pull holds its volume's backing device, and a transport may
 * wait for ever for the response to an RDMA READ.  Hence the limit of
 * RBLKT_PULL_MS.
 *
 * Context: process; does not sleep.
 */
void rblkt_transfer_watch(struct work_struct *work)
{
	struct rblkt_io *io = container_of(to_delayed_work(work),
					   struct rblkt_io, watch);
	struct rblkt_conn *conn = &io->conn;
	bool overdue = false;
	s64 left;

	spin_lock_irq(&conn->lock);
	io->watched = false;
	left = pull_left(conn);
	if (conn->state != RBLKT_CONN_LIVE)
		left = S64_MAX;
	if (left <= 0)
		overdue = rblkt_conn_kill_locked(conn, "write data not delivered in time");
	else if (left != S64_MAX)
		pull_watch(conn, nsecs_to_jiffies(left) + 1);
	spin_unlock_irq(&conn->lock);
	if (overdue)
		rblkt_reason_overdue(conn);
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
