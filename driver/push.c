// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pushed writes: small writes whose data goes ahead of their commands.
 *
 * With its command a page of data is a message of its own, and longer than a page:
 * two packets where one holds a page.  Where the target lets us (WRITE_PUSH) the
 * data of writes that leave together is put into their tags' slots there by RDMA
 * WRITE, and their commands share one message with all others.  It comes behind:
 * what is delivered to the target on the same queue pair has all before it in
 * place.  A write that leaves alone is cheaper with its data inline, and whether
 * it does is known only when it is posted.
 *
 * A slot is written only for a command that is new in its tag, so when the target
 * has answered the last one and has no more use for it.  A connection that is lost
 * takes the target's queue pair with it before the fence lets anything be sent
 * again: no write of it arrives any later.
 *
 * The data is sent from the slot's bounce buffer.  So a message that begins with
 * such a command can't be built there, as others are, and there are some buffers
 * for that.  One is free again with the answer to the command it begins with, as
 * the target has then received it.  If there is none, the write leaves with its
 * data inline.
 */
#include <linux/slab.h>
#include "transport.h"

/* Enough for 256 writes, in full messages. */
#define BUFFERS		16
#define BUFFER_BYTES	ALIGN(sizeof(struct rblk_wire_hdr) +			\
			      RBLK_WIRE_MAX_BATCH * sizeof(struct rblk_wire_cmd), 64)

/**
 * rblk_push_alloc() - what pushed writes need
 * @conn: an I/O connection with its device and PD
 *
 * Context: may sleep.
 * Return: 0 or a negative errno, with nothing allocated.
 */
int rblk_push_alloc(struct rblk_conn *conn)
{
	struct rblk_push *push = &conn->push;

	if (!(conn->offer.features & RBLK_FEAT_WRITE_PUSH))
		return 0;
	push->buffers = kzalloc(BUFFERS * BUFFER_BYTES, GFP_KERNEL);
	if (!push->buffers)
		return -ENOMEM;
	push->dma = ib_dma_map_single(conn->device, push->buffers,
				      BUFFERS * BUFFER_BYTES, DMA_TO_DEVICE);
	if (ib_dma_mapping_error(conn->device, push->dma)) {
		kfree(push->buffers);
		push->buffers = NULL;
		return -ENOMEM;
	}
	bitmap_fill(&push->free, BUFFERS);
	return 0;
}

/**
 * rblk_push_free() - undo rblk_push_alloc()
 * @conn: drained, its queue pair destroyed
 *
 * Context: may sleep.
 */
void rblk_push_free(struct rblk_conn *conn)
{
	struct rblk_push *push = &conn->push;

	if (!push->buffers)
		return;
	ib_dma_unmap_single(conn->device, push->dma, BUFFERS * BUFFER_BYTES,
			    DMA_TO_DEVICE);
	kfree(push->buffers);
	push->buffers = NULL;
}

/**
 * rblk_push_granted() - the target lets us push
 * @conn: BINDING
 * @reply: BIND's, checked
 */
void rblk_push_granted(struct rblk_conn *conn,
		       const struct rblk_wire_bind_reply *reply)
{
	conn->push.addr = le64_to_cpu(reply->slot_addr);
	conn->push.rkey = le32_to_cpu(reply->slot_rkey);
	conn->push.size = le32_to_cpu(reply->slot_size);
}

/**
 * rblk_push_can() - may a command's data be pushed?
 * @slot: of a write with its data inline
 * @cmd: its command
 *
 * Not where the target would have to copy it: what is inline we can't change there.
 */
bool rblk_push_can(const struct rblk_slot *slot, const struct rblk_command *cmd)
{
	return slot->length <= slot->conn->push.size && !cmd->stable;
}

/**
 * rblk_push_buffer() - a buffer for a message that begins with a pushed write
 * @slot: of that write; has it until rblk_push_release()
 * @sge: filled in but for its length
 *
 * Context: any, with the connection's sq_lock held.
 * Return: the buffer, or NULL if none is free.
 */
void *rblk_push_buffer(struct rblk_slot *slot, struct ib_sge *sge)
{
	struct rblk_push *push = &slot->conn->push;
	u32 nr = find_first_bit(&push->free, BUFFERS);

	lockdep_assert_held(&slot->conn->sq_lock);
	if (nr == BUFFERS)
		return NULL;
	clear_bit(nr, &push->free);
	slot->buffer = nr + 1;
	sge->addr = push->dma + nr * BUFFER_BYTES;
	sge->lkey = slot->conn->pd->local_dma_lkey;
	return push->buffers + nr * BUFFER_BYTES;
}

/**
 * rblk_push_release() - a message has been received, or is not sent
 * @slot: of the command that it begins with, if it has a buffer
 *
 * Context: any.
 */
void rblk_push_release(struct rblk_slot *slot)
{
	u32 nr = slot->buffer;

	if (!nr)
		return;
	slot->buffer = 0;
	/* Whoever takes it is to write after whoever had it. */
	smp_mb__before_atomic();
	set_bit(nr - 1, &slot->conn->push.free);
}

/**
 * rblk_push_prepare() - the RDMA WRITE for a command's data
 * @slot: of a write with its data in its bounce buffer
 *
 * Return: the work request.
 */
struct ib_send_wr *rblk_push_prepare(struct rblk_slot *slot)
{
	struct rblk_conn *conn = slot->conn;
	struct ib_rdma_wr *rdma = &slot->rdma;

	rdma->wr.wr_cqe = &conn->quiet_cqe;
	rdma->wr.opcode = IB_WR_RDMA_WRITE;
	rdma->wr.send_flags = slot->send.send_flags;
	rdma->wr.sg_list = &slot->sge[1];
	rdma->wr.num_sge = 1;
	rdma->remote_addr = conn->push.addr + (u64)slot->tag * conn->push.size;
	rdma->rkey = conn->push.rkey;
	return &rdma->wr;
}
