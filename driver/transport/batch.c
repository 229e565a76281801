// SPDX-License-Identifier: GPL-2.0-only
/*
 * Batches: commands that leave together.
 *
 * What the block layer hands down one after the other, saying each time that
 * more comes, is gathered in its connection's batch and posted in one call:
 * registrations, then the data of small writes, then one message with all their
 * commands.  Where the data of writes can't be pushed (push.c) it goes with them,
 * and such a write can't share a message, only the call.  The batch is posted with
 * the last of them, when the target takes no more in one message, or when the
 * block layer breaks off and says so (commit_rqs).
 *
 * The message is built in the bounce buffer of its first command's slot, unless
 * data is to be pushed from there: so it is one scatter element on every device,
 * and takes no memory.  It stays as it is until that slot is used anew, which is
 * after its response; and that the target sent when it had received the message,
 * with the commands of all the others.
 *
 * Where sending is a softirq's work anyway (caps.gather), the last of a series, or
 * a command that comes alone, is posted by a tasklet: whoever submits one command
 * after the other, each with a system call of its own, so fills a message, too,
 * until the softirq gets its turn.  Who sends one and waits lets it run, and gains
 * nothing: it would be another thread that sends it.  So where no command has had
 * company for a while, as who sent it waited, the next ones are sent by who submits
 * them, with softirqs off: where they go on again they run here and now.  The
 * message says so (RBLK_HDRF_ALONE), for the target to answer likewise.
 *
 * Where a thread of the device sends what is posted, one after the other
 * (caps.backlog), the last of a series is held while one before it has not left:
 * it would only wait there.  The marker of ring.c is put on every post, unless it
 * is out; who sees it complete posts what was gathered.  Whether it is out is
 * looked at with sq_lock held, where it is cleared, too: so nobody leaves anything
 * to a completion that was.
 *
 * Volumes share connections, and so batches.  Whoever comes may post what others
 * have gathered, only sooner than these would; nobody leaves it to another, but for
 * the tasklet and the completion.  One case is left where the block layer does not
 * keep its word: when a queue is quiesced on the way, what it has not handed down
 * yet stays with it and commit_rqs does not come.  Whoever quiesces, which is
 * ops->hold(), posts what is gathered once nobody is dispatching any more.  So a
 * batch that is not posted has always somebody who is at work on it, or a completion
 * that is to come; to a lost connection none may come, but then all its volumes are
 * held.  So there is none when it is drained: what was gathered was sent, and is
 * cancelled like all that was.
 */
#include <linux/bottom_half.h>
#include <linux/jiffies.h>
#include <linux/sched.h>
#include "transport.h"

#define PAUSE	(HZ / 10)

static void chain(struct rblk_batch *batch, struct ib_send_wr *wr)
{
	if (batch->first)
		batch->last->next = wr;
	else
		batch->first = wr;
	batch->last = wr;
}

/*
 * In the bounce buffer of its first command, which has no other use for it, unless
 * that one's data is there.  Returns false if it has to leave by itself.
 */
static bool begin_message(struct rblk_batch *batch, struct rblk_slot *slot)
{
	if (slot->pushed) {
		batch->at = rblk_push_buffer(slot, &batch->sge);
	} else {
		batch->at = slot->bounce;
		batch->sge = slot->sge[1];
	}
	if (batch->at)
		batch->message = slot;
	return batch->at;
}

/* Behind those that are in the message already. */
static void put_command(struct rblk_batch *batch, const struct rblk_slot *slot,
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

static void close_message(struct rblk_conn *conn)
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
	chain(batch, send);
}

/* It has remained alone: its data goes with it. */
static void take_back(struct rblk_batch *batch)
{
	struct rblk_slot *slot = batch->message;

	rblk_push_release(slot);
	slot->pushed = false;
	batch->message = NULL;
	batch->commands = 0;
	batch->pushes = 0;
	batch->wrs = 1;
	chain(batch, &slot->send);
}

/* The slots become busy, and what they push is put behind the registrations. */
static void close_slots(struct rblk_conn *conn)
{
	struct rblk_batch *batch = &conn->batch;
	u32 i;

	for (i = 0; i < batch->nr; i++) {
		struct rblk_slot *slot = &conn->slots[batch->tags[i]];

		if (slot->pushed)
			chain(batch, rblk_push_prepare(slot));
		/* What goes with it is filled in: see answered_slot(). */
		smp_store_release(&slot->busy, true);
	}
}

static void count(const struct rblk_conn *conn)
{
	const struct rblk_batch *batch = &conn->batch;

	rblk_count(conn->stats, RBLK_CNT_SENDS,
		   batch->nr - batch->commands + (batch->message ? 1 : 0));
	rblk_count(conn->stats, RBLK_CNT_SEND_WRS, batch->wrs);
	if (batch->pushes)
		rblk_count(conn->stats, RBLK_CNT_RDMA_WRITES, batch->pushes);
}

static int post(struct rblk_conn *conn)
{
	struct rblk_batch *batch = &conn->batch;
	struct ib_send_wr *first;
	u32 wrs;

	if (batch->nr > 1)
		WRITE_ONCE(batch->lone, 0);
	else if (batch->pushes)
		take_back(batch);
	WRITE_ONCE(conn->sent, conn->sent + batch->nr);
	WRITE_ONCE(batch->when, jiffies);
	count(conn);
	close_slots(conn);
	if (batch->message)
		close_message(conn);
	batch->last->next = NULL;
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

/* Is a command out, so that the next one may have company? */
static bool some_out(const struct rblk_conn *conn)
{
	return READ_ONCE(conn->sent) != READ_ONCE(conn->answers);
}

/* What was before a pause says nothing of what comes. */
static bool paused(const struct rblk_batch *batch)
{
	return time_after(jiffies, READ_ONCE(batch->when) + PAUSE);
}

static bool may_have_company(const struct rblk_conn *conn)
{
	const struct rblk_batch *batch = &conn->batch;

	return conn->caps.gather &&
	       (rblk_limits_gathers(READ_ONCE(batch->lone)) || some_out(conn) ||
		paused(batch));
}

/*
 * Nobody else is there yet.  If whoever submits has not waited since the last time,
 * it was not let on to submit more: a softirq's thread that was idle for long goes
 * first for a while.
 */
static void begin(struct rblk_conn *conn)
{
	struct rblk_batch *batch = &conn->batch;
	bool waited = batch->sender != current || batch->waits != current->nvcsw;
	bool lone = waited && !some_out(conn) && !paused(batch);

	batch->sender = current;
	batch->waits = current->nvcsw;
	WRITE_ONCE(batch->lone, lone ? batch->lone + 1 : 0);
}

/* Is it to be held, as somebody will post it? */
static bool leave_to_poster(struct rblk_conn *conn)
{
	struct rblk_batch *batch = &conn->batch;

	if (conn->caps.backlog) {
		/* Who clears it looks whether there is a batch, with the lock held. */
		if (conn->sq_marking)
			rblk_ring_arm(conn);
		return conn->sq_marking;
	}
	if (!may_have_company(conn))
		return false;
	if (batch->nr == 1)
		begin(conn);
	tasklet_schedule(&batch->poster);
	return true;
}

static int add(struct rblk_slot *slot, const struct rblk_command *cmd, bool last)
{
	struct rblk_conn *conn = slot->conn;
	struct rblk_batch *batch = &conn->batch;
	bool data = slot->send.num_sge > 1, shares;

	/* At most: a registration or what is pushed, and a message. */
	if (!rblk_ring_room(conn, 2))
		return -EAGAIN;
	slot->pushed = data && rblk_push_can(slot, cmd);
	shares = !data || slot->pushed;
	if (shares && !batch->message) {
		shares = begin_message(batch, slot);
		slot->pushed = slot->pushed && shares;
	}
	batch->tags[batch->nr] = slot->tag;
	WRITE_ONCE(batch->nr, batch->nr + 1);
	batch->wrs += !shares || !batch->commands;
	if (slot->rkey) {
		chain(batch, &slot->reg.wr);
		batch->wrs++;
	}
	if (slot->pushed)
		batch->wrs++;
	if (shares)
		put_command(batch, slot, cmd);
	else
		chain(batch, &slot->send);
	if (batch->nr == batch->most || (last && !leave_to_poster(conn)))
		return post(conn);
	return 0;
}

/*
 * Has the marker completed?  Not to be preempted between taking its completion, which
 * nobody else can then, and handling it: others wait for that.
 */
static void look(struct rblk_conn *conn)
{
	local_bh_disable();
	rblk_ring_poll(conn);
	local_bh_enable();
}

/**
 * rblk_batch_add() - send a command with others
 * @slot: all but its message is prepared; with inline data that, too
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

	spin_lock_irqsave(&conn->sq_lock, flags);
	ret = add(slot, cmd, last);
	spin_unlock_irqrestore(&conn->sq_lock, flags);
	if (ret && ret != -EAGAIN)
		rblk_conn_lose(conn, "posting a send failed");
	/*
	 * Soft iWARP looks whether the queue is armed after it has added to it,
	 * without a barrier; who arms it may see neither what was added nor an event
	 * (siw_sqe_complete(), 6.1 and 7.2).  To poll it takes a lock between the two.
	 */
	if (!ret && last && conn->caps.backlog && rblk_batch_open(conn))
		look(conn);
	return ret;
}

/**
 * rblk_batch_gathers() - is a command to be held though no other follows at once?
 * @conn: READY
 *
 * Context: any with interrupts on.
 */
bool rblk_batch_gathers(struct rblk_conn *conn)
{
	if (!conn->caps.backlog)
		return may_have_company(conn);
	if (READ_ONCE(conn->sq_marking))
		look(conn);
	return READ_ONCE(conn->sq_marking);
}

/**
 * rblk_batch_alone() - send a command by itself
 * @slot: with its message
 *
 * Context: any with interrupts on.
 * Return: as rblk_batch_add().
 */
int rblk_batch_alone(struct rblk_slot *slot)
{
	struct ib_send_wr *first = slot->rkey ? &slot->reg.wr : &slot->send;
	struct rblk_conn *conn = slot->conn;
	struct rblk_batch *batch = &conn->batch;
	bool now = conn->caps.gather;
	u32 nr = slot->rkey ? 2 : 1;
	int ret;

	if (now) {
		WRITE_ONCE(batch->lone, READ_ONCE(batch->lone) + 1);
		WRITE_ONCE(batch->when, jiffies);
		local_bh_disable();
	}
	ret = rblk_ring_send(conn, first, &slot->send, nr, &slot->busy);
	if (now)
		local_bh_enable();
	if (!ret) {
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
		ret = post(conn);
	spin_unlock_irqrestore(&conn->sq_lock, flags);
	if (ret)
		rblk_conn_lose(conn, "posting a send failed");
}

static void poster(struct tasklet_struct *tasklet)
{
	struct rblk_batch *batch = from_tasklet(batch, tasklet, poster);

	rblk_batch_post(container_of(batch, struct rblk_conn, batch));
}

/**
 * rblk_batch_init() - set up what needs no device
 * @conn: new
 */
void rblk_batch_init(struct rblk_conn *conn)
{
	tasklet_setup(&conn->batch.poster, poster);
}

/**
 * rblk_batch_end() - nobody posts any more
 * @conn: about to be drained, with nobody who submits and nothing gathered
 *
 * Context: may sleep.
 */
void rblk_batch_end(struct rblk_conn *conn)
{
	tasklet_kill(&conn->batch.poster);
}
