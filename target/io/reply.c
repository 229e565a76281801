// SPDX-License-Identifier: GPL-2.0-only
/*
 * Answers: the data of a read by RDMA WRITE, then one response, which
 * invalidates the command's rkey if it had one.  A read may ask for an
 * immediate instead: if it succeeds with a single RDMA WRITE, that carries the
 * immediate and no response follows.
 *
 * The slot and the response buffer of a tag may be reused with the tag, without
 * a send completion.  The initiator reuses the tag only after it has received
 * everything, and the receiver drops what a transport retransmits after that.
 * Chunks of the pool belong to no tag, so they go back only with the completion
 * of the last work request that sends from them: an RDMA WRITE, or the response
 * that has the data of an inline read.
 *
 * While the receive context works off several commands (coalesce.c), answers are
 * held, up to RBLKT_MAX_HELD, to be posted in one call: an adapter's doorbell
 * rings once for all.  A tag is free from then on.  Only a hostile host has used
 * it again before the answer leaves, and spoils but its own data.
 *
 * An answer so waits while the receive context submits other commands.  It does
 * that with REQ_NOWAIT, yet the throttling of writeback (wbt) may make it sleep
 * even so.  The answers that are held then come as late as the commands that
 * follow them would have.
 */
#include "command.h"
#include "../trace.h"

/* How many RDMA WRITEs a reply takes. */
static u32 reply_writes(const struct rblkt_cmd *cmd, enum rblkt_way_out way)
{
	const struct rblkt_conn *conn = cmd->conn;
	const struct rblkt_io *io = rblkt_io_of(conn);
	u32 n;

	if (way != RBLKT_OUT_CHUNKS)
		return way == RBLKT_OUT_SLOT;
	n = DIV_ROUND_UP(le32_to_cpu(cmd->wire.length),
			 1u << io->chunk_shift);
	return DIV_ROUND_UP(n, conn->max_send_sge);
}

/**
 * rblkt_reply_count - count a command that is being answered
 * @cmd: done
 *
 * Context: any, with conn->lock held.
 */
void rblkt_reply_count(const struct rblkt_cmd *cmd)
{
	static const u8 counter[] = {
		[RBLK_OP_READ]		= RBLK_CNT_READ_BYTES,
		[RBLK_OP_WRITE]		= RBLK_CNT_WRITE_BYTES,
		[RBLK_OP_FLUSH]		= RBLK_CNT_WRITE_BYTES,
		[RBLK_OP_DISCARD]	= RBLK_CNT_DISCARD_BYTES,
		[RBLK_OP_WRITE_ZEROES]	= RBLK_CNT_WRITE_ZEROES_BYTES,
	};
	struct rblkt_conn *conn = cmd->conn;

	if (cmd->status != RBLK_STATUS_OK)
		conn->tx.v[RBLK_CNT_IO_ERRORS]++;
	else
		conn->tx.v[counter[cmd->wire.op]] += le32_to_cpu(cmd->wire.length);
}

/* Free the tag and post the last work requests of its reply, or hold them. */
static void reply_post_last(struct rblkt_cmd *cmd, struct ib_send_wr *first,
			    struct ib_send_wr *last, u32 wrs)
{
	struct rblkt_conn *conn = cmd->conn;

	if (last->opcode != IB_WR_RDMA_WRITE_WITH_IMM)
		conn->tx.v[RBLK_CNT_SENDS]++;
	if (last->opcode == IB_WR_SEND_WITH_INV)
		conn->tx.v[RBLK_CNT_REMOTE_INVALIDATES]++;
	rblkt_reply_count(cmd);
	trace_rblkt_cmd_end(cmd);
	cmd->message = rblkt_io_of(conn)->batch.posted;
	/* First: the host may reuse the tag as soon as it has the response. */
	clear_bit_unlock(0, &cmd->busy);
	if (rblkt_queue_hold(conn, first, last, wrs))
		return;
	if (!READ_ONCE(rblkt_io_of(conn)->batch.open) || conn->held.nr == RBLKT_MAX_HELD)
		rblkt_queue_release(conn);
}

/* The memory of the next work requests, whether they are posted or held. */
static struct rblkt_answer *reply_place(const struct rblkt_conn *conn)
{
	return &rblkt_io_of(conn)->answers[conn->held.nr];
}

/* The last work request from a chain is done: the pool gets the chain back. */
static void reply_sent(struct ib_cq *cq, struct ib_wc *wc)
{
	struct rblkt_chunk *chain = container_of(wc->wr_cqe, struct rblkt_chunk,
						 cqe);
	struct rblkt_conn *conn = &chain->io->conn;

	if (wc->status != IB_WC_SUCCESS) {
		rblkt_conn_fault(conn, wc->status);
		return;
	}
	spin_lock_irq(&conn->lock);
	rblkt_queue_seen(conn, chain->seq);
	list_del(&chain->node);
	spin_unlock_irq(&conn->lock);
	rblkt_share_give(chain);
}

/* The next work request is the last one that sends from a chain. */
static void reply_lend(struct rblkt_conn *conn, struct rblkt_chunk *chain,
		       struct ib_send_wr *wr)
{
	chain->seq = conn->sq_posted + 1;
	conn->sq_signalled = chain->seq;
	chain->cqe.done = reply_sent;
	wr->wr_cqe = &chain->cqe;
	wr->send_flags = IB_SEND_SIGNALED;
}

/* The command's chunks are the send queue's until their completion. */
static struct rblkt_chunk *reply_take_chain(struct rblkt_cmd *cmd)
{
	struct rblkt_chunk *chain = cmd->chunks;

	cmd->chunks = NULL;
	rblkt_watch_posted(rblkt_io_of(cmd->conn), chain);
	return chain;
}

/* Send an inline read's data behind its response. */
static void reply_add_data(struct rblkt_cmd *cmd, struct ib_send_wr *wr)
{
	u32 length = le32_to_cpu(cmd->wire.length);
	struct rblkt_conn *conn = cmd->conn;
	struct rblkt_chunk *chain = NULL;
	struct ib_sge *sge = wr->sg_list;

	if (cmd->chunks)
		chain = reply_take_chain(cmd);
	sge[1].addr = chain ? chain->dma : cmd->slot_dma;
	sge[1].length = length;
	sge[1].lkey = conn->pd->local_dma_lkey;
	ib_dma_sync_single_for_device(conn->dev, sge[1].addr, length,
				      DMA_BIDIRECTIONAL);
	wr->num_sge = 2;
	wr->send_flags = rblkt_way_copies(conn, length);
	if (chain)
		reply_lend(conn, chain, wr);
}

static struct ib_send_wr *reply_prepare_send(struct rblkt_cmd *cmd,
					     struct rblkt_answer *answer, bool data)
{
	struct ib_send_wr *wr = &answer->send;
	struct ib_sge *sge = answer->send_sge;
	struct rblkt_conn *conn = cmd->conn;

	rblkt_proto_rsp(cmd->rsp, &cmd->wire, cmd->status, data, cmd->digest,
			cmd->ended - cmd->arrived, cmd->ended - cmd->submitted);
	sge[0].addr = cmd->rsp_dma;
	sge[0].length = rblkt_sign_put(conn, cmd->rsp);
	ib_dma_sync_single_for_device(conn->dev, cmd->rsp_dma, RBLKT_RSP_SIZE,
				      DMA_TO_DEVICE);
	sge[0].lkey = conn->pd->local_dma_lkey;
	memset(wr, 0, sizeof(*wr));
	wr->wr_cqe = &conn->plain_cqe;
	wr->opcode = IB_WR_SEND;
	wr->sg_list = sge;
	wr->num_sge = 1;
	if (cmd->wire.rkey) {
		wr->opcode = IB_WR_SEND_WITH_INV;
		wr->ex.invalidate_rkey = le32_to_cpu(cmd->wire.rkey);
	}
	if (data)
		reply_add_data(cmd, wr);
	return wr;
}

static void reply_prepare_write(struct rblkt_cmd *cmd,
				struct rblkt_answer *answer, u64 addr)
{
	struct ib_rdma_wr *rdma = &answer->rdma;

	memset(rdma, 0, sizeof(*rdma));
	rdma->wr.wr_cqe = &cmd->conn->plain_cqe;
	rdma->wr.opcode = IB_WR_RDMA_WRITE;
	rdma->wr.sg_list = answer->sge;
	rdma->remote_addr = addr;
	rdma->rkey = le32_to_cpu(cmd->wire.rkey);
	cmd->conn->tx.v[RBLK_CNT_RDMA_WRITES]++;
}

/* Post the last RDMA WRITE of an answer and the response, or the immediate. */
static void reply_post_end(struct rblkt_cmd *cmd, struct rblkt_answer *answer,
			   bool immediate)
{
	struct ib_rdma_wr *rdma = &answer->rdma;

	if (immediate) {
		rdma->wr.opcode = IB_WR_RDMA_WRITE_WITH_IMM;
		rdma->wr.ex.imm_data = rblkt_proto_imm(&cmd->wire);
		reply_post_last(cmd, &rdma->wr, &rdma->wr, 1);
		return;
	}
	rdma->wr.next = reply_prepare_send(cmd, answer, false);
	reply_post_last(cmd, &rdma->wr, rdma->wr.next, 2);
}

static void reply_from_slot(struct rblkt_cmd *cmd, bool immediate)
{
	struct rblkt_conn *conn = cmd->conn;
	struct rblkt_answer *answer = reply_place(conn);
	struct ib_sge *sge = answer->sge;

	sge->addr = cmd->slot_dma;
	sge->length = le32_to_cpu(cmd->wire.length);
	sge->lkey = conn->pd->local_dma_lkey;
	ib_dma_sync_single_for_device(conn->dev, sge->addr, sge->length,
				      DMA_BIDIRECTIONAL);
	reply_prepare_write(cmd, answer, le64_to_cpu(cmd->wire.addr));
	answer->rdma.wr.send_flags = rblkt_way_copies(conn, sge->length);
	answer->rdma.wr.num_sge = 1;
	reply_post_end(cmd, answer, immediate);
}

/* Fill one RDMA WRITE with chunks; returns the first that did not fit. */
static struct rblkt_chunk *reply_fill_write(struct rblkt_conn *conn,
					    struct ib_rdma_wr *rdma,
				      struct rblkt_chunk *chunk, u32 *left)
{
	struct rblkt_io *io = rblkt_io_of(conn);
	struct ib_sge *sge = rdma->wr.sg_list;
	int n = 0;

	for (; chunk && n < conn->max_send_sge; chunk = chunk->next) {
		u32 len = min(*left, 1u << io->chunk_shift);

		ib_dma_sync_single_for_device(conn->dev, chunk->dma, len,
					      DMA_BIDIRECTIONAL);
		sge[n].addr = chunk->dma;
		sge[n].lkey = conn->pd->local_dma_lkey;
		sge[n++].length = len;
		*left -= len;
	}
	rdma->wr.num_sge = n;
	if (conn->iwarp)
		rdma->wr.send_flags = IB_SEND_SIGNALED;
	return chunk;
}

static void reply_from_chunks(struct rblkt_cmd *cmd, bool immediate)
{
	u64 end = le64_to_cpu(cmd->wire.addr) + le32_to_cpu(cmd->wire.length);
	struct rblkt_chunk *chain = reply_take_chain(cmd), *chunk = chain;
	u32 left = le32_to_cpu(cmd->wire.length);
	struct rblkt_conn *conn = cmd->conn;
	struct rblkt_answer *answer;

	for (;;) {
		answer = reply_place(conn);
		reply_prepare_write(cmd, answer, end - left);
		chunk = reply_fill_write(conn, &answer->rdma, chunk, &left);
		if (!chunk)
			break;
		if (rblkt_queue_post(conn, &answer->rdma.wr, &answer->rdma.wr, 1))
			return;
	}
	reply_lend(conn, chain, &answer->rdma.wr);
	reply_post_end(cmd, answer, immediate);
}

/**
 * rblkt_reply_post - post a command's answer
 * @cmd: done
 *
 * Context: any, with conn->lock held.
 * Return: false if the send queue has no room; true if the command is over,
 * also because its connection is ending.
 */
bool rblkt_reply_post(struct rblkt_cmd *cmd)
{
	enum rblkt_way_out way = rblkt_way_out(cmd);
	u32 writes = reply_writes(cmd, way);
	struct rblkt_conn *conn = cmd->conn;
	struct ib_send_wr *send;
	bool immediate;

	lockdep_assert_held(&conn->lock);
	if (!rblkt_queue_room(conn, writes + 1))
		return false;
	immediate = rblkt_way_immediate(cmd, writes);
	if (way == RBLKT_OUT_CHUNKS) {
		reply_from_chunks(cmd, immediate);
	} else if (way == RBLKT_OUT_SLOT) {
		reply_from_slot(cmd, immediate);
	} else {
		send = reply_prepare_send(cmd, reply_place(conn),
					  way == RBLKT_OUT_INLINE);
		reply_post_last(cmd, send, send, 1);
	}
	return true;
}

/* The receive buffer of an inline write is free now; conn->lock held. */
static void cmd_give_recv(struct rblkt_cmd *cmd)
{
	if (cmd->recv)
		rblkt_queue_post_recv(cmd->conn, cmd->recv);
	cmd->recv = NULL;
}

/**
 * rblkt_reply - answer a command, now or when the send queue has room
 * @cmd: done; the answer drops its reference to the connection
 *
 * Context: any, without any conn->lock.
 */
void rblkt_reply(struct rblkt_cmd *cmd)
{
	struct rblkt_conn *conn = cmd->conn;
	struct rblkt_io *io = rblkt_io_of(conn);
	unsigned long flags;
	bool over = true;

	/* Only data to send needs its chunks any longer. */
	if (cmd->chunks && rblkt_way_out(cmd) == RBLKT_OUT_STATUS) {
		rblkt_share_give(cmd->chunks);
		cmd->chunks = NULL;
	}
	spin_lock_irqsave(&conn->lock, flags);
	if (unlikely(cmd->held)) {
		spin_unlock_irqrestore(&conn->lock, flags);
		rblkt_held_end(cmd);
		spin_lock_irqsave(&conn->lock, flags);
	}
	if (unlikely(conn->state != RBLKT_CONN_LIVE)) {
		spin_unlock_irqrestore(&conn->lock, flags);
		rblkt_cmd_drop(cmd);
		return;
	}
	/* Post the receive before the answer lets the peer send again. */
	cmd_give_recv(cmd);
	if (cmd->wire.op == RBLK_OP_READ && cmd->status != RBLK_STATUS_OK)
		rblkt_push_clean(cmd);
	if (!list_empty(&io->replies) ||
	    (!rblkt_coalesce_reply(cmd) && !rblkt_reply_post(cmd))) {
		over = false;
		list_add_tail(&cmd->node, &io->replies);
		rblkt_watch_expect(io);
		conn->tx.v[RBLK_CNT_WAITS]++;
		rblkt_queue_arm(conn);
	}
	spin_unlock_irqrestore(&conn->lock, flags);
	if (over)
		rblkt_conn_put(conn);
}
