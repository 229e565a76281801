/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes whose data goes ahead of their commands, by RDMA WRITE; part of
 * transport.h.
 */
#ifndef RBLK_PUSH_H
#define RBLK_PUSH_H

#include <rdma/ib_verbs.h>

#include "rblk_wire.h"
#include "../proto/limits.h"
#include "../proto/range.h"

struct rblk_conn;
struct rblk_slot;

/* ---- push.c: small writes whose data goes ahead of their commands ---- */

/**
 * struct rblk_push - a connection's state for pushed writes
 * @addr: RDMA address of the tags' slots at the target
 * @rkey: key of these slots
 * @size: bytes of each slot; 0 if the target grants none
 * @buffers: message buffers, NULL if this side does not offer the feature
 * @dma: DMA address of @buffers
 * @free: bitmap of free buffers; only a holder of sq_lock clears bits, any
 *        context sets them
 */
struct rblk_push {
	u64 addr;
	u32 rkey;
	u32 size;
	void *buffers;
	u64 dma;
	unsigned long free;
};

int rblk_push_alloc(struct rblk_conn *conn);
void rblk_push_free(struct rblk_conn *conn);
void rblk_push_granted(struct rblk_conn *conn,
		       const struct rblk_wire_bind_reply *reply);
void *rblk_push_buffer(struct rblk_slot *slot, struct ib_sge *sge);
void rblk_push_release(struct rblk_slot *slot);
struct ib_send_wr *rblk_push_prepare(struct rblk_slot *slot);

/* ---- window.c: larger writes whose data goes ahead of their commands ---- */

/**
 * struct rblk_ahead - what sends the data of one write into the window
 * @slot: slot of the write
 * @cqe: completion of the last RDMA WRITE
 * @offset: where its range begins
 * @nr: RDMA WRITEs
 * @seq: sends that have completed by then at least, see rblk_ring_reclaim()
 * @written: that completion has come
 * @awaited: the answer has come, and the command waits for that completion
 * @rdma: the RDMA WRITEs
 * @sge: their elements
 *
 * It belongs to who has the range of the window that begins at @offset.  The
 * connection's sq_lock guards @seq, @written and @awaited.
 */
struct rblk_ahead {
	struct rblk_slot *slot;
	struct ib_cqe cqe;
	u32 offset;
	u32 nr;
	u32 seq;
	bool written;
	bool awaited;
	struct ib_rdma_wr rdma[RBLK_WINDOW_WRS];
	struct ib_sge sge[RBLK_WINDOW_PIECES];
};

/**
 * struct rblk_window - a connection's share of the target's memory
 * @addr: RDMA address of the window at the target
 * @rkey: its key
 * @bytes: its size; 0 if the target grants none
 * @ahead: one for each RBLK_RANGE_UNIT of it, for a range that begins there
 * @lock: guards @map; innermost
 * @map: ranges in use
 */
struct rblk_window {
	u64 addr;
	u32 rkey;
	u32 bytes;
	struct rblk_ahead *ahead;
	spinlock_t lock;		/* see above */
	struct rblk_range_map map;
};

void rblk_window_init(struct rblk_conn *conn);
void rblk_window_free(struct rblk_conn *conn);
void rblk_window_granted(struct rblk_conn *conn,
			 const struct rblk_wire_bind_reply *reply);
bool rblk_window_take(struct rblk_slot *slot);
void rblk_window_give(struct rblk_slot *slot);
bool rblk_window_answered(struct rblk_slot *slot);

#endif /* RBLK_PUSH_H */
