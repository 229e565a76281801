// SPDX-License-Identifier: GPL-2.0-only
/*
 * Message buffers: where a message of several commands is built.
 *
 * Such a message is built in the bounce buffer of its first command's slot, if the slot
 * has one and no data is to be pushed from there (batch.c).  Else it needs another
 * buffer, and each connection has a few.  The answer to the message's first command
 * frees the buffer, as the target has then received the message.  Without a free buffer
 * the command leaves in a message of its own.
 */
#include <linux/slab.h>
#include "transport.h"

/* Enough for 256 commands in full messages. */
#define BUFFERS		16
#define BUFFER_BYTES	ALIGN(sizeof(struct rblk_wire_hdr) +			\
			      RBLK_WIRE_MAX_BATCH * sizeof(struct rblk_wire_cmd) +	\
			      RBLK_WIRE_MAC_LEN, 64)

/**
 * rblk_message_alloc() - allocate a connection's message buffers
 * @conn: an I/O connection with its device and PD
 *
 * Context: may sleep.
 * Return: 0 or a negative errno, with nothing allocated.
 */
int rblk_message_alloc(struct rblk_conn *conn)
{
	struct rblk_messages *messages = &conn->messages;

	messages->buffers = kzalloc(BUFFERS * BUFFER_BYTES, GFP_KERNEL);
	if (!messages->buffers)
		return -ENOMEM;
	messages->dma = ib_dma_map_single(conn->device, messages->buffers,
					  BUFFERS * BUFFER_BYTES, DMA_TO_DEVICE);
	if (ib_dma_mapping_error(conn->device, messages->dma)) {
		kfree(messages->buffers);
		messages->buffers = NULL;
		return -ENOMEM;
	}
	bitmap_fill(&messages->free, BUFFERS);
	return 0;
}

/**
 * rblk_message_free() - undo rblk_message_alloc()
 * @conn: drained, its queue pair destroyed
 *
 * Context: may sleep.
 */
void rblk_message_free(struct rblk_conn *conn)
{
	struct rblk_messages *messages = &conn->messages;

	if (!messages->buffers)
		return;
	ib_dma_unmap_single(conn->device, messages->dma, BUFFERS * BUFFER_BYTES,
			    DMA_TO_DEVICE);
	kfree(messages->buffers);
	messages->buffers = NULL;
}

/**
 * rblk_message_buffer() - get a buffer for a message
 * @slot: slot of its first command; holds the buffer until rblk_message_release()
 * @sge: filled in, except for its length
 *
 * Context: any, with the connection's sq_lock held.
 * Return: the buffer, or NULL if none is free.
 */
void *rblk_message_buffer(struct rblk_slot *slot, struct ib_sge *sge)
{
	struct rblk_messages *messages = &slot->conn->messages;
	u32 nr = find_first_bit(&messages->free, BUFFERS);

	lockdep_assert_held(&slot->conn->sq_lock);
	if (nr == BUFFERS)
		return NULL;
	clear_bit(nr, &messages->free);
	slot->buffer = nr + 1;
	sge->addr = messages->dma + nr * BUFFER_BYTES;
	sge->lkey = slot->conn->pd->local_dma_lkey;
	return messages->buffers + nr * BUFFER_BYTES;
}

/**
 * rblk_message_release() - free a message's buffer: received, or not sent
 * @slot: slot of the message's first command, with or without a buffer
 *
 * Context: any, without a lock.
 */
void rblk_message_release(struct rblk_slot *slot)
{
	u32 nr = slot->buffer;

	if (!nr)
		return;
	slot->buffer = 0;
	/* The next holder's writes come after those of the last one. */
	smp_mb__before_atomic();
	set_bit(nr - 1, &slot->conn->messages.free);
}
