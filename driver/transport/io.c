// SPDX-License-Identifier: GPL-2.0-only
/*
 * Commands and responses on an I/O connection.
 *
 * The life of a command: the user calls rblk_io_take() for the slot of its tag,
 * fills the slot's scatter list and calls rblk_io_submit().  The handler of its
 * response ends the command with ops->done(); after an immediate, the handler
 * of the local invalidation does; after RDMA WRITEs to the window, the handler
 * of the response or that of their completion does, whichever runs last.  If the
 * connection dies first, the user calls rblk_io_cancel() after the drain.
 *
 * What is posted, by the way that the data takes (ways.c):
 *   RDMA       REG + SEND; the target RDMA-WRITEs or RDMA-READs the pages, its
 *              response invalidates the rkey
 *   immediate  REG + SEND; the target RDMA-WRITEs the pages with an immediate,
 *              the initiator invalidates the rkey before the command ends
 *   inline     SEND; the data follows the command or the response, and is copied
 *   pushed     RDMA WRITE + SEND: push.c
 *   window     RDMA WRITEs from the pages + SEND; the command also waits for the
 *              completion of the RDMA WRITEs: window.c
 *   no data    SEND
 * Commands that come together share one SEND, except those with data behind
 * them: batch.c.
 *
 * The memory of every send stays: a slot's message and bounce buffer are reused
 * only after the response, and the target responds only after it has received
 * all of the command.  So a command waits for no send completion, and once its
 * response is here the RDMA device no longer accesses its pages.  The exception
 * is data that goes to the window, as it is sent from the pages: that command
 * waits for both.
 */
#include <linux/ktime.h>
#include "transport.h"
#include "../trace.h"

static void io_violation(struct rblk_conn *conn, const char *wrong)
{
	rblk_count(conn->stats, RBLK_CNT_VIOLATIONS, 1);
	trace_rblk_violation(conn, wrong);
	rblk_conn_lose(conn, wrong);
}

/* Give back the pages; the RDMA device is done with them. */
static void slot_unmap(struct rblk_slot *slot)
{
	if (slot->dir == DMA_NONE)
		return;
	ib_dma_unmap_sg(slot->conn->device, slot->sgl, slot->mapped, slot->dir);
	slot->dir = DMA_NONE;
}

/**
 * rblk_io_finish() - end a command
 * @slot: answered, and neither the target nor the device uses its pages any more
 *
 * Context: any but hard interrupt.
 */
void rblk_io_finish(struct rblk_slot *slot)
{
	void *owner = slot->owner;

	slot_unmap(slot);
	WRITE_ONCE(slot->busy, false);
	slot->conn->ops->done(owner, slot);
}

/**
 * rblk_io_take() - take a slot for a new command
 * @conn: READY
 * @share: what its volume has of the connection
 * @need: what its command needs
 * @alone: no other volume uses the connection
 * @owner: passed to the upcalls
 *
 * Context: any.
 * Return: the slot, or NULL if the volume may have no more of what the command needs.
 */
struct rblk_slot *rblk_io_take(struct rblk_conn *conn, struct rblk_share *share,
			       const struct rblk_need *need, bool alone, void *owner)
{
	struct rblk_slot *slot = rblk_share_take(conn, share, need, alone, owner);

	if (!slot)
		return NULL;
	slot->owner = owner;
	slot->gen++;
	slot->inline_read = false;
	slot->immediate = false;
	slot->rkey = 0;
	slot->ahead = NULL;
	slot->nents = 0;
	/* Pairs with io_find_answered(). */
	smp_store_release(&slot->answered, false);
	return slot;
}

/**
 * rblk_io_drop() - give back a slot whose command was not submitted
 * @slot: taken
 *
 * Context: any.
 */
void rblk_io_drop(struct rblk_slot *slot)
{
	slot_unmap(slot);
	slot->busy = false;
	rblk_share_give(slot);
}

static int slot_map_data(struct rblk_slot *slot, int nents)
{
	enum dma_data_direction dir = slot->op == RBLK_OP_READ ?
				      DMA_FROM_DEVICE : DMA_TO_DEVICE;
	struct sg_table table = {
		.sgl = slot->sgl,
		.orig_nents = nents,
	};
	int ret;

	ret = ib_dma_map_sgtable_attrs(slot->conn->device, &table, dir, 0);
	/* The kernel does not tell a lack of bounce buffers from other errors. */
	if (ret)
		return ret == -EIO ? -ENOMEM : ret;
	slot->nents = table.nents;
	slot->mapped = nents;
	slot->dir = dir;
	return 0;
}

/* Copy the data of a write to the place behind its command. */
static void slot_put_inline(struct rblk_slot *slot, int nents)
{
	struct rblk_conn *conn = slot->conn;

	sg_copy_to_buffer(slot->sgl, nents, slot->bounce, slot->length);
	ib_dma_sync_single_for_device(conn->device, slot->bounce_dma,
				      slot->length, DMA_TO_DEVICE);
	slot->sge[1].length = slot->length;
	slot->send.num_sge = 2;
	if (slot->length >= rblk_limits_signal_from(&conn->caps))
		slot->send.send_flags = IB_SEND_SIGNALED;
}

/* Let the target move the data, which is mapped. */
static int slot_prepare_rdma(struct rblk_slot *slot, struct rblk_command *cmd)
{
	int ret = rblk_mr_map(slot, slot->op == RBLK_OP_READ ?
			      IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE :
			      IB_ACCESS_REMOTE_READ);

	if (ret)
		return ret;
	cmd->rkey = slot->rkey;
	cmd->addr = slot->reg.mr->iova;
	return 0;
}

/* Prepare the data's part of the chain. */
static int slot_prepare_data(struct rblk_slot *slot, struct rblk_command *cmd,
			     int nents)
{
	enum rblk_way way = rblk_way_choose(slot, cmd);
	bool read = slot->op == RBLK_OP_READ;
	int ret;

	if (way == RBLK_WAY_INLINE) {
		cmd->flags |= RBLK_CMDF_INLINE;
		slot->inline_read = read;
		slot->nents = nents;
		if (!read)
			slot_put_inline(slot, nents);
		return 0;
	}
	ret = slot_map_data(slot, nents);
	if (ret)
		return ret;
	if (way == RBLK_WAY_WINDOW && rblk_window_take(slot)) {
		cmd->flags |= RBLK_CMDF_WINDOW;
		cmd->addr = slot->ahead->offset;
		return 0;
	}
	if (way == RBLK_WAY_IMMEDIATE) {
		slot->immediate = true;
		cmd->flags |= RBLK_CMDF_IMM;
	}
	return slot_prepare_rdma(slot, cmd);
}

/* Count from @cmd: the slot no longer belongs to the submitter. */
static void io_count_submit(struct rblk_conn *conn, const struct rblk_command *cmd)
{
	static const u8 ops[][2] = {
		[RBLK_OP_READ] = { RBLK_CNT_READS, RBLK_CNT_READ_BYTES },
		[RBLK_OP_WRITE] = { RBLK_CNT_WRITES, RBLK_CNT_WRITE_BYTES },
		[RBLK_OP_FLUSH] = { RBLK_CNT_FLUSHES, RBLK_CNT_NR },
		[RBLK_OP_DISCARD] = { RBLK_CNT_DISCARDS, RBLK_CNT_DISCARD_BYTES },
		[RBLK_OP_WRITE_ZEROES] = { RBLK_CNT_WRITE_ZEROES,
					   RBLK_CNT_WRITE_ZEROES_BYTES },
	};
	struct rblk_stats __percpu *stats = conn->stats;

	rblk_count(stats, ops[cmd->op][0], 1);
	if (ops[cmd->op][1] != RBLK_CNT_NR)
		rblk_count(stats, ops[cmd->op][1], cmd->length);
	if (cmd->rkey)
		rblk_count(stats, RBLK_CNT_REGISTRATIONS, 1);
	if (cmd->flags & RBLK_CMDF_WINDOW)
		rblk_count(stats, RBLK_CNT_WINDOW_WRITES, 1);
	if (cmd->op == RBLK_OP_WRITE && cmd->flags & RBLK_CMDF_INLINE)
		rblk_count(stats, RBLK_CNT_COPIED_BYTES, cmd->length);
}

/* Send the command by itself, or with others that came before or may follow. */
static int slot_post(struct rblk_slot *slot, const struct rblk_command *cmd, bool last)
{
	struct rblk_conn *conn = slot->conn;
	bool held = !last || rblk_batch_holds(conn);
	bool one = held ? conn->batch.most == 1 : !rblk_batch_open(conn);

	return one ? rblk_batch_send_one(slot, cmd) : rblk_batch_add(slot, cmd, last);
}

static int slot_post_patiently(struct rblk_slot *slot, struct rblk_command *cmd,
			       bool last)
{
	int ret = slot_post(slot, cmd, last);

	if (ret != -EAGAIN)
		return ret;
	/* Handle completed sends; that may free entries. */
	rblk_ring_poll(slot->conn);
	ret = slot_post(slot, cmd, last);
	if (ret != -EAGAIN || !slot->ahead)
		return ret;
	/*
	 * To be pulled takes fewer entries.  Nobody else may be there to free
	 * more, so to wait for them could be for ever.
	 */
	rblk_window_give(slot);
	cmd->flags &= ~RBLK_CMDF_WINDOW;
	if (!slot_prepare_rdma(slot, cmd))
		ret = slot_post(slot, cmd, last);
	return ret;
}

/**
 * rblk_io_submit() - send a command to the target
 * @slot: taken, its scatter list filled in
 * @cmd: op, flags, prio, volume, length, lba, digest and stable; this function fills
 *       in the rest
 * @nents: entries of the scatter list, 0 for commands without data
 * @last: no command follows at once; else another one, or a call of
 *        rblk_batch_post(), must follow
 *
 * After a return of 0 the completion handlers own the slot; it may even be in
 * use for another command already.
 *
 * Context: any with interrupts on; may sleep where caps.map_sleeps says so.
 * Return: 0.  -EAGAIN or -ENOMEM: the slot is dropped, try again when other
 * commands have ended.  -ENOMEM may stay for ever, as the memory that lacks may
 * be bounce buffers that are too small.  -EIO: posting failed and the connection is lost;
 * the slot stays busy until it is cancelled after the drain, as if the command
 * had been sent.  -EREMOTEIO: the slot is dropped; the data is in the memory of
 * a PCI device that the RDMA device can't reach.  Another one: the slot is
 * dropped, the data can't be mapped, or one registration can't describe it.
 */
int rblk_io_submit(struct rblk_slot *slot, struct rblk_command *cmd, int nents,
		   bool last)
{
	struct rblk_conn *conn = slot->conn;
	int ret;

	slot->op = cmd->op;
	slot->volume = cmd->volume;
	slot->length = cmd->length;
	slot->digested = cmd->flags & RBLK_CMDF_DIGEST;
	slot->send.next = NULL;
	slot->send.opcode = IB_WR_SEND;
	slot->send.sg_list = slot->sge;
	slot->send.num_sge = 1;
	slot->send.send_flags = 0;
	slot->send.wr_cqe = &conn->quiet_cqe;
	cmd->tag = slot->tag;
	cmd->gen = slot->gen;
	if (nents) {
		ret = slot_prepare_data(slot, cmd, nents);
		if (ret)
			goto drop;
	}
	ret = slot_post_patiently(slot, cmd, last);
	if (!ret) {
		io_count_submit(conn, cmd);
		return 0;
	}
	if (ret != -EAGAIN)
		return -EIO;
drop:
	rblk_io_drop(slot);
	return ret;
}

/**
 * rblk_io_cancel() - take an unanswered command out of its slot
 * @conn: drained, as are all connections of its session
 * @tag: below the connection's depth
 *
 * Context: may sleep.
 * Return: the command's owner, which has its pages back and gets no ops->done(), or
 * NULL if there is no command.
 */
void *rblk_io_cancel(struct rblk_conn *conn, u16 tag)
{
	struct rblk_slot *slot = conn->slots ? &conn->slots[tag] : NULL;
	void *owner;

	/* A connection may be lost before it has any. */
	if (!slot || !slot->busy)
		return NULL;
	owner = slot->owner;
	rblk_mr_doubt(slot);
	rblk_io_drop(slot);
	return owner;
}

/* Copy the data behind the response; the response is checked for its length. */
static void slot_get_inline(struct rblk_slot *slot, const struct rblk_arrival *msg)
{
	sg_copy_from_buffer(slot->sgl, slot->nents,
			    msg->data + RBLK_WIRE_DATA_OFFSET, slot->length);
	rblk_count(slot->conn->stats, RBLK_CNT_COPIED_BYTES, slot->length);
}

/* Find the command that an answer belongs to; NULL if there is none. */
static struct rblk_slot *io_find_answered(struct rblk_conn *conn, u16 tag,
					  struct rblk_awaited *want)
{
	struct rblk_slot *slot;
	bool answered;

	if (tag >= conn->offer.depth) {
		io_violation(conn, "answer to a tag out of range");
		return NULL;
	}
	slot = &conn->slots[tag];
	*want = (struct rblk_awaited){ .gen = slot->gen, .held = slot->held };
	if (unlikely(want->held))
		return slot;
	/* Pairs with rblk_io_take(): a slot taken again is not busy. */
	answered = smp_load_acquire(&slot->answered);
	/* Pairs with whoever posts: rblk_ring_send() and batch.c. */
	if (!smp_load_acquire(&slot->busy) || answered) {
		io_violation(conn, "answer to a tag that is not out");
		return NULL;
	}
	/*
	 * A target may answer a command it has not received yet.  Wait for the
	 * thread that posts: it must not find its slot free or used again.
	 */
	rblk_ring_sent(conn);
	want->gen = slot->gen;
	want->length = slot->length;
	want->rkey = slot->rkey;
	want->inline_data = slot->inline_read;
	want->immediate = slot->immediate;
	want->digest_sent = slot->digested && slot->op == RBLK_OP_WRITE;
	want->digest_wanted = slot->digested && slot->op == RBLK_OP_READ;
	want->may_hold = conn->grant.features & RBLK_FEAT_HELD;
	return slot;
}

static void io_handle_response(struct rblk_conn *conn, const struct rblk_wire_rsp *rsp,
			       const struct rblk_arrival *msg)
{
	struct rblk_awaited want;
	struct rblk_slot *slot;
	const char *wrong;

	slot = io_find_answered(conn, le16_to_cpu(rsp->tag), &want);
	if (!slot)
		return;
	wrong = rblk_proto_check_response(rsp, msg, &want);
	if (wrong)
		return io_violation(conn, wrong);
	if (unlikely(want.held))
		return rblk_share_hold(slot, false);
	slot->answered = true;
	WRITE_ONCE(conn->answers, conn->answers + 1);
	rblk_message_release(slot);
	slot->status = le16_to_cpu(rsp->status);
	slot->digest = le32_to_cpu(rsp->digest);
	slot->target_ns = le32_to_cpu(rsp->target_ns);
	slot->device_ns = le32_to_cpu(rsp->device_ns);
	if (slot->rkey)
		rblk_count(conn->stats, RBLK_CNT_REMOTE_INVALIDATES, 1);
	if (slot->status)
		rblk_count(conn->stats, RBLK_CNT_IO_ERRORS, 1);
	else if (slot->inline_read)
		slot_get_inline(slot, msg);
	if (unlikely(slot->status == RBLK_STATUS_HELD))
		rblk_share_hold(slot, true);
	conn->ops->answered(slot->owner, slot);
	if (!slot->ahead || rblk_window_answered(slot))
		rblk_io_finish(slot);
}

/**
 * rblk_io_immediate() - handle an RDMA WRITE with immediate
 * @conn: READY, with immediates in force
 * @imm: the immediate in host order
 * @bytes: bytes that the target wrote
 *
 * The data of a read is there, but the target can still write to its pages
 * until the local invalidation of their rkey completes.
 *
 * Context: softirq, or process with poll.lock held.
 */
void rblk_io_immediate(struct rblk_conn *conn, u32 imm, u32 bytes)
{
	struct rblk_awaited want;
	struct rblk_slot *slot;
	const char *wrong;

	slot = io_find_answered(conn, imm >> RBLK_IMM_TAG_SHIFT, &want);
	if (!slot)
		return;
	wrong = rblk_proto_check_immediate(imm & RBLK_IMM_GEN_MASK, bytes, &want);
	if (wrong)
		return io_violation(conn, wrong);
	conn->arrived = ktime_get_ns();
	slot->answered = true;
	WRITE_ONCE(conn->answers, conn->answers + 1);
	rblk_message_release(slot);
	slot->status = RBLK_STATUS_OK;
	slot->target_ns = 0;
	slot->device_ns = 0;
	conn->ops->answered(slot->owner, slot);
	rblk_ring_invalidate(slot);
}

/**
 * rblk_io_invalidated() - handle the completion of a local invalidation
 * @cq: the connection's send completions
 * @wc: the completion
 *
 * If the invalidation failed, the command is cancelled after the drain, like a
 * command without an answer.
 *
 * Context: any but hard interrupt.
 */
void rblk_io_invalidated(struct ib_cq *cq, struct ib_wc *wc)
{
	struct rblk_slot *slot = container_of(wc->wr_cqe, struct rblk_slot, inv_cqe);

	if (rblk_ring_failed(slot->conn, wc, "invalidation"))
		return;
	rblk_ring_invalidated(slot);
	rblk_count(slot->conn->stats, RBLK_CNT_LOCAL_INVALIDATES, 1);
	rblk_io_finish(slot);
}

/**
 * rblk_io_response() - handle a message on a bound I/O connection
 * @conn: READY
 * @msg: the message
 *
 * Context: softirq, or process with poll.lock held.
 */
void rblk_io_response(struct rblk_conn *conn, const struct rblk_arrival *msg)
{
	const char *wrong = rblk_proto_check_response_message(msg);
	const struct rblk_wire_hdr *hdr = msg->data;
	const struct rblk_wire_rsp *rsp = msg->data + sizeof(*hdr);
	u8 i;

	if (wrong)
		return io_violation(conn, wrong);
	conn->arrived = ktime_get_ns();
	for (i = 0; i < hdr->count; i++)
		io_handle_response(conn, &rsp[i], msg);
}
