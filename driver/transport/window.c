// SPDX-License-Identifier: GPL-2.0-only
/*
 * The window: larger writes whose data goes ahead of their commands.
 *
 * A target that pulls a write's data needs two round trips: the command, and the
 * RDMA READ.  If it grants a window of its memory (WRITE_WINDOW), the initiator
 * takes a range of it, sends the data there by RDMA WRITE, and then the command,
 * in one post.  When the target receives the command, all that came before it on
 * the same queue pair is in place.  Nothing is registered, so nothing has to be
 * invalidated.  Who finds no range, may not have it (share.c), has data in too many
 * pieces or no room in the send queue has the data pulled as before.
 *
 * The RDMA WRITEs take memory, too.  Each unit of the window has room for one of them
 * and for a few elements.  So more data has more room, and who has a range has that.
 *
 * The answer frees the range, as the target then no longer needs it.  When a
 * connection is lost, the target destroys its queue pair before the fence lets
 * the initiator send a request again: no write of the old connection arrives
 * later, and the new one has another window.
 *
 * The data is sent from the request's own pages.  The answer says that the target
 * has received it, but not that the RDMA device here is done with the pages: it
 * may read them once more until it has seen the acknowledgment, and that may come
 * after the answer, or be lost.  The memory of other sends stays, so for them
 * that is harmless.  Pages are the user's again when the request ends, so such
 * a command ends when both are here: its answer, and the completion of its last
 * RDMA WRITE, which is signalled.  Completions come in order, so that is the
 * completion of all of them.
 *
 * Usually the completion is there first, and whoever handles the answer finds it
 * without an interrupt.  Only if it is not, the queue is armed for it.
 *
 * Software iWARP copies the data of signalled sends to TCP, and calls them
 * complete then.  Unsignalled ones of a page or more it sends from where they
 * are: see rblk_limits_signal_from().  So all are signalled there.
 */
#include <linux/slab.h>
#include "transport.h"

/*
 * The RDMA device is done with a write's pages.  If the RDMA WRITEs failed, the
 * command is cancelled after the drain.
 */
static void window_written(struct ib_cq *cq, struct ib_wc *wc)
{
	struct rblk_ahead *ahead = container_of(wc->wr_cqe, struct rblk_ahead, cqe);
	struct rblk_slot *slot = ahead->slot;
	struct rblk_conn *conn = slot->conn;
	unsigned long flags;
	bool awaited;

	if (rblk_ring_failed(conn, wc, "RDMA WRITE"))
		return;
	spin_lock_irqsave(&conn->sq_lock, flags);
	rblk_ring_reclaim(conn, ahead->seq);
	WRITE_ONCE(ahead->written, true);
	awaited = ahead->awaited;
	if (awaited)
		conn->sq_awaited--;
	spin_unlock_irqrestore(&conn->sq_lock, flags);
	if (awaited)
		rblk_io_finish(slot);
}

/**
 * rblk_window_init() - begin without a window
 * @conn: an I/O connection
 *
 * Context: any.
 */
void rblk_window_init(struct rblk_conn *conn)
{
	spin_lock_init(&conn->window.lock);
}

/**
 * rblk_window_free() - undo rblk_window_granted()
 * @conn: drained, its queue pair destroyed; maybe nothing was granted
 *
 * Context: may sleep.
 */
void rblk_window_free(struct rblk_conn *conn)
{
	kvfree(conn->window.ahead);
	kvfree(conn->window.sges);
	conn->window.ahead = NULL;
	conn->window.sges = NULL;
}

/**
 * rblk_window_granted() - take the window that the target grants
 * @conn: BINDING
 * @reply: reply to BIND, checked; without the feature it grants none
 *
 * Without memory for what sends data there, the connection does without.
 *
 * Context: may sleep.
 */
void rblk_window_granted(struct rblk_conn *conn,
			 const struct rblk_wire_bind_reply *reply)
{
	struct rblk_window *window = &conn->window;
	u32 i;

	if (!(conn->grant.features & RBLK_FEAT_WRITE_WINDOW))
		return;
	rblk_range_init(&window->map, le32_to_cpu(reply->window_bytes));
	window->ahead = kvcalloc(window->map.units, sizeof(*window->ahead),
				 GFP_KERNEL);
	window->sges = kvcalloc(window->map.units,
				RBLK_WINDOW_UNIT_PIECES * sizeof(*window->sges), GFP_KERNEL);
	if (!window->ahead || !window->sges)
		return;
	for (i = 0; i < window->map.units; i++)
		window->ahead[i].cqe.done = window_written;
	window->addr = le64_to_cpu(reply->window_addr);
	window->rkey = le32_to_cpu(reply->window_rkey);
	window->bytes = le32_to_cpu(reply->window_bytes);
}

static bool window_take_range(struct rblk_window *window, struct rblk_share *share,
			      u32 bytes, u32 *offset)
{
	u32 nr = rblk_range_units(bytes);
	unsigned long flags;
	bool found;

	spin_lock_irqsave(&window->lock, flags);
	found = rblk_share_allows(share->units, window->map.nr_free, nr,
				  READ_ONCE(share->alone)) &&
		rblk_range_take(&window->map, bytes, offset);
	if (found)
		share->units += nr;
	spin_unlock_irqrestore(&window->lock, flags);
	return found;
}

/* Fill in one RDMA WRITE: @nr elements from @sge on, to @offset of the window. */
static void ahead_fill(struct rblk_ahead *ahead, struct ib_sge *sge, u32 nr,
		       u32 offset, u32 bytes)
{
	struct rblk_conn *conn = ahead->slot->conn;
	struct ib_rdma_wr *rdma = &ahead[ahead->nr++].rdma;

	rdma->wr.next = &ahead[ahead->nr].rdma.wr;
	rdma->wr.wr_cqe = &conn->quiet_cqe;
	rdma->wr.opcode = IB_WR_RDMA_WRITE;
	rdma->wr.send_flags = bytes >= rblk_limits_signal_from(&conn->caps) ?
			      IB_SEND_SIGNALED : 0;
	rdma->wr.sg_list = sge;
	rdma->wr.num_sge = nr;
	rdma->remote_addr = conn->window.addr + offset;
	rdma->rkey = conn->window.rkey;
}

static void ahead_prepare(struct rblk_ahead *ahead)
{
	struct rblk_slot *slot = ahead->slot;
	u32 most = rblk_limits_window_sges(&slot->conn->caps);
	u32 offset = ahead->offset, bytes = 0, nr = 0;
	struct ib_sge *sge = slot->conn->window.sges +
			     offset / RBLK_RANGE_UNIT * RBLK_WINDOW_UNIT_PIECES;
	struct scatterlist *sg;
	struct ib_send_wr *last;
	int i;

	ahead->nr = 0;
	for_each_sg(slot->sgl, sg, slot->nents, i) {
		sge[nr].addr = sg_dma_address(sg);
		sge[nr].length = sg_dma_len(sg);
		sge[nr].lkey = slot->conn->pd->local_dma_lkey;
		bytes += sg_dma_len(sg);
		if (++nr < most && i + 1 < slot->nents)
			continue;
		ahead_fill(ahead, sge, nr, offset, bytes);
		offset += bytes;
		sge += nr;
		bytes = 0;
		nr = 0;
	}
	last = rblk_ahead_last(ahead);
	last->wr_cqe = &ahead->cqe;
	last->send_flags = IB_SEND_SIGNALED;
	last->next = &slot->send;
}

/**
 * rblk_window_take() - prepare the data of a write to go into the window
 * @slot: slot of a write, its data mapped
 *
 * Context: any.
 * Return: whether @slot->ahead is set; if not, the data has to be pulled.
 */
bool rblk_window_take(struct rblk_slot *slot)
{
	struct rblk_window *window = &slot->conn->window;
	u32 most = rblk_limits_window_pieces(&slot->conn->caps,
					     rblk_range_units(slot->length));
	struct rblk_ahead *ahead;
	u32 offset;

	if (slot->nents > most ||
	    !window_take_range(window, slot->share, slot->length, &offset))
		return false;
	ahead = &window->ahead[offset / RBLK_RANGE_UNIT];
	ahead->slot = slot;
	ahead->share = slot->share;
	ahead->offset = offset;
	ahead->written = false;
	ahead->awaited = false;
	ahead_prepare(ahead);
	slot->ahead = ahead;
	return true;
}

/* A range no longer counts for its user, and if @free it is nobody's any more. */
static void window_end_use(const struct rblk_slot *slot, bool free)
{
	struct rblk_window *window = &slot->conn->window;
	struct rblk_ahead *ahead = slot->ahead;
	unsigned long flags;

	spin_lock_irqsave(&window->lock, flags);
	if (ahead->share)
		ahead->share->units -= rblk_range_units(slot->length);
	ahead->share = NULL;
	if (free)
		rblk_range_give(&window->map, ahead->offset, slot->length);
	spin_unlock_irqrestore(&window->lock, flags);
}

/**
 * rblk_window_give() - give back the range of a command, if it has one
 * @slot: of a command that is answered, cancelled or was not sent
 *
 * Context: any.
 */
void rblk_window_give(struct rblk_slot *slot)
{
	if (!slot->ahead)
		return;
	window_end_use(slot, true);
	slot->ahead = NULL;
}

/**
 * rblk_window_disown() - let a range be nobody's
 * @slot: its command has ended, but the target holds its tag and its range, if it
 *        has one: the user may be gone before rblk_window_give()
 *
 * Context: any.
 */
void rblk_window_disown(struct rblk_slot *slot)
{
	if (slot->ahead)
		window_end_use(slot, false);
}

/**
 * rblk_window_answered() - may an answered command end?
 * @slot: slot of the command, answered
 *
 * If not, the completion of its RDMA WRITEs ends it, maybe before this returns.
 *
 * Context: any but hard interrupt.
 * Return: whether the RDMA device is done with its pages.
 */
bool rblk_window_answered(struct rblk_slot *slot)
{
	struct rblk_ahead *ahead = slot->ahead;
	struct rblk_conn *conn = slot->conn;
	unsigned long flags;
	bool written;

	if (!READ_ONCE(ahead->written))
		rblk_ring_poll(conn);
	spin_lock_irqsave(&conn->sq_lock, flags);
	written = ahead->written;
	if (!written) {
		ahead->awaited = true;
		conn->sq_awaited++;
		rblk_ring_arm(conn);
	}
	spin_unlock_irqrestore(&conn->sq_lock, flags);
	/* For soft iWARP: see rblk_batch_add(). */
	if (!written)
		rblk_ring_poll(conn);
	return written;
}
