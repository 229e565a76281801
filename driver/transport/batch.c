// SPDX-License-Identifier: GPL-2.0-only
/*
 * Batches: commands that leave together.
 *
 * One rule decides when a command is posted: when the submitter says that it is
 * the last, unless an earlier post has not left (and caps.hold is set); else
 * when that one has.  A full message is posted at once.
 *
 * The block layer is the submitter.  It says with each request whether another
 * follows at once.  A batch is posted in one call: first the registrations and
 * the data of larger writes (window.c), then the data of small ones, then one
 * message with all their commands.  A small write whose data can't be pushed
 * (push.c) carries it behind its command.  It can't share a message, only the
 * call.  If the block layer breaks off, it says so (commit_rqs), and the batch is
 * posted then.
 *
 * What for?  A device sends what it is given one after the other, so a message
 * that is posted meanwhile would only wait there.  It may as well wait here and
 * fill.  That saves messages, and on an adapter doorbells and the target's
 * interrupts.  Only who polls for the end of each command holds none.
 *
 * How is it known that a post has left?  While several commands are out, each
 * post ends with a marker (ring.c), unless a marker is out already.  The
 * handler of its completion posts what was gathered.  Whether a marker is out
 * is read with sq_lock held, and written with it held: so nobody leaves a
 * command to a completion that was.
 *
 * The message is built in the bounce buffer of its first command's slot, where
 * there is one and it holds no data to be pushed.  Else it takes one of the
 * connection's message buffers (message.c), and if none is free the command leaves
 * alone.  So a message is one scatter element on every device.  It stays until the
 * answer to its first command.  The target sends that only when it has received the
 * message.  A message that ends up with one command gives its buffer back when it is
 * posted: then there are buffers for those that have many.
 *
 * Volumes share connections, and so batches.  Whoever posts may post what
 * others have gathered, only sooner than these would.  Nobody leaves it to
 * another, except to the marker's completion.  One case remains where the block
 * layer does not come back: when a queue is quiesced between two requests.
 * Whoever quiesces, which is ops->hold(), posts what is gathered once nobody
 * dispatches any more.  A completion may not come to a lost connection, but
 * then all of its volumes are held.  So a connection that is drained has no
 * batch: what was gathered was posted, and is cancelled like all that was.
 */
#include <linux/preempt.h>
#include "transport.h"

struct command_message {
	struct rblk_wire_hdr hdr;
	struct rblk_wire_cmd cmd;
};

/* The message of a command that leaves alone. */
static struct command_message *slot_message(struct rblk_slot *slot)
{
	return slot->conn->wire + slot->tag * RBLK_WIRE_DATA_OFFSET;
}

static void slot_close_message(struct rblk_slot *slot)
{
	slot->sge[0].length =
		rblk_proto_command_message(&slot_message(slot)->hdr, 1,
					   slot->send.num_sge > 1 ? slot->length : 0);
	ib_dma_sync_single_for_device(slot->conn->device, slot->sge[0].addr,
				      RBLK_WIRE_DATA_OFFSET, DMA_TO_DEVICE);
}

static void slot_put_message(struct rblk_slot *slot, const struct rblk_command *cmd)
{
	rblk_proto_encode_command(&slot_message(slot)->cmd, cmd);
	slot_close_message(slot);
}

static void batch_chain(struct rblk_batch *batch, struct ib_send_wr *wr)
{
	if (batch->first)
		batch->last->next = wr;
	else
		batch->first = wr;
	batch->last = wr;
}

/*
 * Add what sends a write's data ahead, which is a chain already.  What the batch
 * has so far precedes it as well, but counting that would gain little.
 */
static void batch_chain_ahead(struct rblk_batch *batch, struct rblk_ahead *ahead)
{
	ahead->seq = ahead->slot->conn->sq_posted + ahead->nr;
	batch_chain(batch, &ahead->rdma.wr);
	batch->last = rblk_ahead_last(ahead);
	batch->wrs += ahead->nr;
}

/* Returns false if the slot's command must leave alone, with its data if it has any. */
static bool batch_begin_message(struct rblk_batch *batch, struct rblk_slot *slot)
{
	if (slot->pushed || !slot->bounce) {
		batch->at = rblk_message_buffer(slot, &batch->sge);
	} else {
		batch->at = slot->bounce;
		batch->sge = slot->sge[1];
	}
	if (batch->at)
		batch->message = slot;
	return batch->at;
}

/* Add a command behind those that are in the message already. */
static void batch_put_command(struct rblk_batch *batch,
			      const struct rblk_slot *slot,
			      const struct rblk_command *cmd)
{
	struct rblk_wire_cmd *wire = batch->at + sizeof(struct rblk_wire_hdr);

	wire += batch->commands++;
	rblk_proto_encode_command(wire, cmd);
	if (!slot->pushed)
		return;
	wire->flags ^= cpu_to_le16(RBLK_CMDF_INLINE | RBLK_CMDF_PUSHED);
	batch->pushes++;
}

static void batch_close_message(struct rblk_conn *conn)
{
	struct rblk_batch *batch = &conn->batch;
	struct ib_send_wr *send = &batch->message->send;

	batch->sge.length = rblk_proto_command_message(batch->at,
						       batch->commands, 0);
	ib_dma_sync_single_for_device(conn->device, batch->sge.addr,
				      batch->sge.length, DMA_TO_DEVICE);
	send->sg_list = &batch->sge;
	send->num_sge = 1;
	send->send_flags = 0;
	batch_chain(batch, send);
}

/* It has one command: that takes its own message, with its data instead of pushed. */
static void batch_undo_message(struct rblk_batch *batch)
{
	struct rblk_slot *slot = batch->message;

	if (slot->pushed) {
		slot->pushed = false;
		batch->wrs--;
	} else {
		memcpy(&slot_message(slot)->cmd, batch->at + sizeof(struct rblk_wire_hdr),
		       sizeof(struct rblk_wire_cmd));
		slot_close_message(slot);
	}
	rblk_message_release(slot);
	batch->message = NULL;
	batch->commands = 0;
	batch->pushes = 0;
	batch_chain(batch, &slot->send);
}

/* Mark the slots busy, and add what they push behind the registrations. */
static void batch_close_slots(struct rblk_conn *conn)
{
	struct rblk_batch *batch = &conn->batch;
	u32 i;

	for (i = 0; i < batch->nr; i++) {
		struct rblk_slot *slot = &conn->slots[batch->tags[i]];

		if (slot->pushed)
			batch_chain(batch, rblk_push_prepare(slot));
		/* The slot is filled in: pairs with io_find_answered(). */
		smp_store_release(&slot->busy, true);
	}
}

static void batch_count(const struct rblk_conn *conn)
{
	const struct rblk_batch *batch = &conn->batch;

	rblk_count(conn->stats, RBLK_CNT_SENDS,
		   batch->nr - batch->commands + (batch->message ? 1 : 0));
	rblk_count(conn->stats, RBLK_CNT_SEND_WRS, batch->wrs);
	if (batch->pushes)
		rblk_count(conn->stats, RBLK_CNT_RDMA_WRITES, batch->pushes);
}

/* All messages, in the order in which they leave: each is the @send of a slot. */
static void batch_sign(struct rblk_conn *conn)
{
	struct rblk_batch *batch = &conn->batch;
	struct ib_send_wr *wr;

	for (wr = batch->first; wr; wr = wr->next) {
		struct rblk_slot *slot = container_of(wr, struct rblk_slot, send);

		if (wr->opcode == IB_WR_SEND)
			rblk_sign_put(conn, wr, slot == batch->message ? batch->at :
				      slot_message(slot));
	}
}

static int batch_post_locked(struct rblk_conn *conn)
{
	struct rblk_batch *batch = &conn->batch;
	struct ib_send_wr *first;
	u32 wrs;

	if (batch->commands == 1 && batch->message->buffer)
		batch_undo_message(batch);
	conn->sent += batch->nr;
	batch_count(conn);
	batch_close_slots(conn);
	if (batch->message)
		batch_close_message(conn);
	batch->last->next = NULL;
	if (READ_ONCE(conn->sign.sends))
		batch_sign(conn);
	first = batch->first;
	wrs = batch->wrs;
	batch->first = NULL;
	batch->message = NULL;
	batch->commands = 0;
	batch->pushes = 0;
	batch->wrs = 0;
	WRITE_ONCE(batch->nr, 0);
	return rblk_ring_push(conn, first, batch->last, wrs);
}

/* The rule, for the last command: has an earlier post not left? */
static bool batch_must_wait(struct rblk_conn *conn)
{
	if (!conn->caps.hold || !conn->sq_marking)
		return false;
	rblk_ring_arm(conn);
	return true;
}

/* At most: a registration or what sends the data ahead, and a message. */
static u32 batch_most_wrs(const struct rblk_slot *slot)
{
	return (slot->ahead ? slot->ahead->nr : 1) + 1;
}

static int batch_add_locked(struct rblk_slot *slot,
			    const struct rblk_command *cmd, bool last)
{
	struct rblk_conn *conn = slot->conn;
	struct rblk_batch *batch = &conn->batch;
	bool data = slot->send.num_sge > 1, shares;

	if (!rblk_ring_room(conn, batch_most_wrs(slot)))
		return -EAGAIN;
	slot->pushed = data && rblk_way_pushes(slot, cmd);
	shares = !data || slot->pushed;
	if (shares && !batch->message) {
		shares = batch_begin_message(batch, slot);
		slot->pushed = slot->pushed && shares;
	}
	batch->tags[batch->nr] = slot->tag;
	WRITE_ONCE(batch->nr, batch->nr + 1);
	batch->wrs += !shares || !batch->commands;
	if (slot->rkey) {
		batch_chain(batch, &slot->reg.wr);
		batch->wrs++;
	}
	if (slot->pushed)
		batch->wrs++;
	if (slot->ahead) {
		batch_chain_ahead(batch, slot->ahead);
		rblk_count(conn->stats, RBLK_CNT_RDMA_WRITES, slot->ahead->nr);
	}
	if (shares) {
		batch_put_command(batch, slot, cmd);
	} else {
		if (!data)
			slot_put_message(slot, cmd);
		batch_chain(batch, &slot->send);
	}
	if (batch->nr == batch->most || (last && !batch_must_wait(conn)))
		return batch_post_locked(conn);
	return 0;
}

/**
 * rblk_batch_add() - send a command with others
 * @slot: all but its message is prepared
 * @cmd: its command
 * @last: no other follows at once; else another, or rblk_batch_post(), must
 *
 * Context: any with interrupts on.
 * Return: 0; -EAGAIN if the send queue has no room yet, with nothing changed;
 * another negative errno if posting failed: the connection is lost, and the
 * command as good as sent.
 */
int rblk_batch_add(struct rblk_slot *slot, const struct rblk_command *cmd,
		   bool last)
{
	struct rblk_conn *conn = slot->conn;
	unsigned long flags;
	int ret;

	/* Its data can't go with another message, but may be pushed. */
	if (slot->send.num_sge > 1)
		slot_put_message(slot, cmd);
	spin_lock_irqsave(&conn->sq_lock, flags);
	ret = batch_add_locked(slot, cmd, last);
	spin_unlock_irqrestore(&conn->sq_lock, flags);
	if (ret && ret != -EAGAIN)
		rblk_conn_lose(conn, "posting a send failed");
	/*
	 * Soft iWARP looks whether the queue is armed after it has added to it,
	 * without a barrier.  Whoever arms it may see neither what was added
	 * nor an event (siw_sqe_complete(), 6.1 and 7.2).  Polling takes a lock
	 * between the two.
	 */
	if (!ret && last && conn->caps.hold && rblk_batch_open(conn))
		rblk_ring_poll(conn);
	return ret;
}

/**
 * rblk_batch_holds() - is even a last command held now?
 * @conn: READY
 *
 * Context: any with interrupts on.
 * Return: whether an earlier post has not left, on a connection that holds.
 */
bool rblk_batch_holds(struct rblk_conn *conn)
{
	if (!conn->caps.hold)
		return false;
	if (READ_ONCE(conn->sq_marking))
		rblk_ring_poll(conn);
	return READ_ONCE(conn->sq_marking);
}

/**
 * rblk_batch_send_one() - send a command by itself
 * @slot: all but its message is prepared
 * @cmd: its command
 *
 * Context: any with interrupts on.
 * Return: as rblk_batch_add().
 */
int rblk_batch_send_one(struct rblk_slot *slot, const struct rblk_command *cmd)
{
	struct ib_send_wr *first = slot->rkey ? &slot->reg.wr : &slot->send;
	struct rblk_conn *conn = slot->conn;
	u32 writes = slot->ahead ? slot->ahead->nr : 0;
	u32 nr = (slot->rkey ? 2 : 1) + writes;
	int ret;

	slot_put_message(slot, cmd);
	if (writes)
		first = &slot->ahead->rdma.wr;
	ret = rblk_ring_send(conn, first, &slot->send, nr, &slot->busy, slot_message(slot));
	if (!ret) {
		rblk_count(conn->stats, RBLK_CNT_RDMA_WRITES, writes);
		rblk_count(conn->stats, RBLK_CNT_SENDS, 1);
		rblk_count(conn->stats, RBLK_CNT_SEND_WRS, nr);
	}
	return ret;
}

/**
 * rblk_batch_post() - send what is gathered, if there is anything
 * @conn: in any state; there is nothing unless it was READY
 *
 * Context: any.
 */
void rblk_batch_post(struct rblk_conn *conn)
{
	unsigned long flags;
	int ret = 0;

	if (!rblk_batch_open(conn))
		return;
	spin_lock_irqsave(&conn->sq_lock, flags);
	if (conn->batch.nr)
		ret = batch_post_locked(conn);
	spin_unlock_irqrestore(&conn->sq_lock, flags);
	if (ret)
		rblk_conn_lose(conn, "posting a send failed");
}
