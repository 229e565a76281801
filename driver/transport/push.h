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
struct rblk_share;
struct rblk_slot;

/* ---- push.c: small writes whose data goes ahead of their commands ---- */

/**
 * struct rblk_push - a connection's state for pushed writes
 * @addr: RDMA address of the tags' slots at the target
 * @rkey: key of these slots
 * @size: bytes of each slot; 0 if the target grants none
 * @slots: so many tags, the first ones, have a slot
 */
struct rblk_push {
	u64 addr;
	u32 rkey;
	u16 size;
	u16 slots;
};

void rblk_push_granted(struct rblk_conn *conn,
		       const struct rblk_wire_bind_reply *reply);
struct ib_send_wr *rblk_push_prepare(struct rblk_slot *slot);

/* ---- window.c: larger writes whose data goes ahead of their commands ---- */

/**
 * struct rblk_ahead - what sends the data of one write into the window
 * @slot: slot of the write
 * @share: of the write's user, which its range counts for; NULL when the write has
 *         ended, and the target still holds the range
 * @cqe: completion of the last RDMA WRITE
 * @offset: where its range begins
 * @nr: RDMA WRITEs
 * @seq: sends that have completed by then at least, see rblk_ring_reclaim()
 * @written: that completion has come
 * @awaited: the answer has come, and the command waits for that completion
 * @rdma: one of the RDMA WRITEs: those of a range are in its units' structures
 *
 * It belongs to who has its unit of the window.  The first one of a range, which
 * begins at @offset, describes the write; of the others only @rdma is used.  The
 * connection's sq_lock guards @seq, @written and @awaited, and window.lock guards
 * @share.
 */
struct rblk_ahead {
	struct rblk_slot *slot;
	struct rblk_share *share;
	struct ib_cqe cqe;
	u32 offset;
	u32 nr;
	u32 seq;
	bool written;
	bool awaited;
	struct ib_rdma_wr rdma;
};

/**
 * struct rblk_window - a connection's share of the target's memory
 * @addr: RDMA address of the window at the target
 * @rkey: its key
 * @bytes: its size; 0 if the target grants none
 * @ahead: one for each RBLK_RANGE_UNIT of it
 * @sges: RBLK_WINDOW_UNIT_PIECES for each unit, elements of the RDMA WRITEs
 * @lock: guards @map, and what users have of it; innermost
 * @map: ranges in use
 */
struct rblk_window {
	u64 addr;
	u32 rkey;
	u32 bytes;
	struct rblk_ahead *ahead;
	struct ib_sge *sges;
	spinlock_t lock;		/* see above */
	struct rblk_range_map map;
};

/* The RDMA WRITE that precedes the command itself. */
static inline struct ib_send_wr *rblk_ahead_last(struct rblk_ahead *ahead)
{
	return &ahead[ahead->nr - 1].rdma.wr;
}

void rblk_window_init(struct rblk_conn *conn);
void rblk_window_free(struct rblk_conn *conn);
void rblk_window_granted(struct rblk_conn *conn,
			 const struct rblk_wire_bind_reply *reply);
bool rblk_window_take(struct rblk_slot *slot);
void rblk_window_give(struct rblk_slot *slot);
void rblk_window_disown(struct rblk_slot *slot);
bool rblk_window_answered(struct rblk_slot *slot);

#endif /* RBLK_PUSH_H */
