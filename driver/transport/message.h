/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Buffers for messages of several commands: see message.c.  transport.h, the door of
 * this layer, includes it.
 */
#ifndef RBLK_MESSAGE_H
#define RBLK_MESSAGE_H

#include <linux/types.h>

struct ib_sge;
struct rblk_conn;
struct rblk_slot;

/**
 * struct rblk_messages - a connection's message buffers
 * @buffers: all of them
 * @dma: DMA address of @buffers
 * @free: bitmap of free buffers; only a holder of sq_lock clears bits, any
 *        context sets them
 */
struct rblk_messages {
	void *buffers;
	u64 dma;
	unsigned long free;
};

int rblk_message_alloc(struct rblk_conn *conn);
void rblk_message_free(struct rblk_conn *conn);
void *rblk_message_buffer(struct rblk_slot *slot, struct ib_sge *sge);
void rblk_message_release(struct rblk_slot *slot);

#endif /* RBLK_MESSAGE_H */
