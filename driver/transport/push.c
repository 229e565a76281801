// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pushed writes: small writes whose data goes ahead of their commands.
 *
 * With its data inline, a command is a message of its own, and that message is
 * longer than a page: two packets for one page of data.  If the target grants
 * slots (WRITE_PUSH), the initiator sends the data of writes that leave
 * together into their tags' slots by RDMA WRITE, and their commands share one
 * message with all others.  The message comes last: when the target receives
 * it, all that came before it on the same queue pair is in place.  For a
 * batch of one write, inline data is cheaper; only at posting is it known which
 * case it is.
 *
 * The initiator writes a slot only for a command that is new in its tag, thus
 * after the target has answered the tag's last command and no longer needs the
 * slot.  When a connection is lost, the target destroys its queue pair before
 * the fence lets the initiator send a request again: no write of the old
 * connection arrives later.
 *
 * The data is sent from the slot's bounce buffer.  Other messages are built
 * there; a message that starts with a pushed write needs another buffer, and
 * each connection has a few.  The answer to the message's first command frees
 * the buffer, as the target has then received the message.  Without a free
 * buffer the write leaves with its data inline.
 */
#include <linux/slab.h>
#include "transport.h"

/* Enough for 256 writes in full messages. */
#define BUFFERS		16
#define BUFFER_BYTES	ALIGN(sizeof(struct rblk_wire_hdr) +			\
			      RBLK_WIRE_MAX_BATCH * sizeof(struct rblk_wire_cmd), 64)

/**
 * rblk_push_alloc() - allocate the message buffers for pushed writes
 * @conn: an I/O connection with its device and PD
 *
 * Context: may sleep.
 * Return: 0, also if the feature is not offered, or a negative errno with
 * nothing allocated.
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
 * rblk_push_granted() - note the slots that the target grants
 * @conn: BINDING
 * @reply: reply to BIND, checked
 *
 * Context: any.
 */
void rblk_push_granted(struct rblk_conn *conn,
		       const struct rblk_wire_bind_reply *reply)
{
	conn->push.addr = le64_to_cpu(reply->slot_addr);
	conn->push.rkey = le32_to_cpu(reply->slot_rkey);
	conn->push.size = le32_to_cpu(reply->slot_size);
}

/**
 * rblk_push_buffer() - get a buffer for a message starting with a pushed write
 * @slot: slot of that write; holds the buffer until rblk_push_release()
 * @sge: filled in, except for its length
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
 * rblk_push_release() - free a message's buffer: received, or not sent
 * @slot: slot of the message's first command, with or without a buffer
 *
 * Context: any, without a lock.
 */
void rblk_push_release(struct rblk_slot *slot)
{
	u32 nr = slot->buffer;

	if (!nr)
		return;
	slot->buffer = 0;
	/* The next holder's writes come after those of the last one. */
	smp_mb__before_atomic();
	set_bit(nr - 1, &slot->conn->push.free);
}

/**
 * rblk_push_prepare() - fill in the RDMA WRITE for a command's data
 * @slot: slot of a write with its data in the bounce buffer
 *
 * Context: any.
 * Return: the work request, owned by @slot.
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
