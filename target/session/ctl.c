// SPDX-License-Identifier: GPL-2.0-only
/*
 * Buffers of control messages, and sending them.
 *
 * For each request that a host may have outstanding there is one buffer for the
 * answer.  A buffer is free again when its send has completed, and the next
 * receive polls for that completion.  Events have buffers of their own, so that
 * a request within its credit always finds one.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include "session.h"

/* One to answer BIND; on qid 0 one per request, and some for events. */
static u32 ctl_buffers(u16 qid)
{
	return qid ? 1 : RBLKT_CTL_DEPTH + RBLKT_MAX_EVENTS;
}

/**
 * rblkt_ctl_bytes - the memory that a connection's message buffers take
 * @qid: its number
 *
 * Context: any.
 * Return: bytes.
 */
size_t rblkt_ctl_bytes(u16 qid)
{
	return ctl_buffers(qid) * (sizeof(struct rblkt_ctl) +
			      (PAGE_SIZE << get_order(RBLK_WIRE_CTRL_MAX)));
}

/* A control message has left: its buffer is free again. */
static void ctl_sent(struct ib_cq *cq, struct ib_wc *wc)
{
	struct rblkt_ctl *ctl = container_of(wc->wr_cqe, struct rblkt_ctl, cqe);
	struct rblkt_link *link = ctl->link;
	struct rblkt_conn *conn = &link->io.conn;

	if (wc->status != IB_WC_SUCCESS) {
		rblkt_conn_fault(conn, wc->status);
		return;
	}
	spin_lock_irq(&conn->lock);
	rblkt_queue_seen(conn, ctl->seq);
	if (ctl->event)
		link->events_out--;
	ctl->event = false;
	list_add_tail(&ctl->node, &link->free_ctls);
	link->nr_free_ctls++;
	spin_unlock_irq(&conn->lock);
}

/**
 * rblkt_ctl_alloc - allocate the message buffers of a connection
 * @link: undone by rblkt_ctl_free(), also after failure
 *
 * Context: Process context; may sleep.
 * Return: 0 or -ENOMEM.
 */
int rblkt_ctl_alloc(struct rblkt_link *link)
{
	struct rblkt_conn *conn = &link->io.conn;
	u32 nr = ctl_buffers(conn->qid);
	unsigned int i;

	link->ctls = rblkt_buf_array(conn, nr, sizeof(*link->ctls));
	if (!link->ctls)
		return -ENOMEM;
	link->nr_ctls = nr;
	for (i = 0; i < nr; i++) {
		struct rblkt_ctl *ctl = &link->ctls[i];

		ctl->link = link;
		ctl->cqe.done = ctl_sent;
		ctl->msg = rblkt_buf_pages(conn, RBLK_WIRE_CTRL_MAX);
		if (!ctl->msg)
			return -ENOMEM;
		list_add_tail(&ctl->node, &link->free_ctls);
		link->nr_free_ctls++;
	}
	return 0;
}

/**
 * rblkt_ctl_map - map a connection's message buffers for its device
 * @link: undone by rblkt_ctl_unmap(), also after failure
 *
 * Context: Process context; may sleep.
 * Return: 0 or -ENOMEM.
 */
int rblkt_ctl_map(struct rblkt_link *link)
{
	u32 *n;
	int ret;

	for (n = &link->mapped_ctls; *n < link->nr_ctls; ++*n) {
		ret = rblkt_buf_map(&link->io.conn, link->ctls[*n].msg,
				    RBLK_WIRE_CTRL_MAX, DMA_TO_DEVICE,
				    &link->ctls[*n].dma);
		if (ret)
			return ret;
	}
	return 0;
}

/**
 * rblkt_ctl_unmap - undo rblkt_ctl_map()
 * @link: with no queue pair any more
 *
 * Context: Process context; may sleep.
 */
void rblkt_ctl_unmap(struct rblkt_link *link)
{
	while (link->mapped_ctls)
		ib_dma_unmap_single(link->io.conn.dev,
				    link->ctls[--link->mapped_ctls].dma,
				    RBLK_WIRE_CTRL_MAX, DMA_TO_DEVICE);
}

/**
 * rblkt_ctl_free - free a connection's message buffers
 * @link: with its buffers unmapped
 *
 * Context: Process context; may sleep.
 */
void rblkt_ctl_free(struct rblkt_link *link)
{
	unsigned int i;

	for (i = 0; i < link->nr_ctls; i++)
		rblkt_buf_free(link->ctls[i].msg, RBLK_WIRE_CTRL_MAX);
	kvfree(link->ctls);
}

/**
 * rblkt_ctl_take - take the first free message buffer
 * @link: has one free
 *
 * Context: any, with the connection's lock held.
 * Return: the buffer.
 */
struct rblkt_ctl *rblkt_ctl_take(struct rblkt_link *link)
{
	struct rblkt_ctl *ctl;

	lockdep_assert_held(&link->io.conn.lock);
	ctl = list_first_entry(&link->free_ctls, struct rblkt_ctl, node);
	list_del(&ctl->node);
	link->nr_free_ctls--;
	return ctl;
}

/**
 * rblkt_ctl_get - take a message buffer for an answer
 * @link: the connection
 *
 * On the control connection some of the free buffers belong to events: as many
 * as events may still be sent.
 *
 * Context: Process context; takes the connection's lock.
 * Return: the buffer with its message zeroed, or NULL.
 */
struct rblkt_ctl *rblkt_ctl_get(struct rblkt_link *link)
{
	struct rblkt_conn *conn = &link->io.conn;
	u32 kept = conn->qid ? 0 : RBLKT_MAX_EVENTS;
	struct rblkt_ctl *ctl = NULL;

	spin_lock_irq(&conn->lock);
	if (link->nr_free_ctls > kept - link->events_out)
		ctl = rblkt_ctl_take(link);
	spin_unlock_irq(&conn->lock);
	if (ctl)
		memset(ctl->msg, 0, RBLK_WIRE_CTRL_MAX);
	return ctl;
}

/**
 * rblkt_ctl_send - send a control message
 * @link: the connection; it ends if its send queue has no room
 * @ctl: the buffer with the message; free again when that has left
 *
 * Context: Process context; takes the connection's lock.
 */
void rblkt_ctl_send(struct rblkt_link *link, struct rblkt_ctl *ctl)
{
	struct rblkt_conn *conn = &link->io.conn;
	struct ib_sge sge = {
		.addr = ctl->dma,
		.lkey = conn->pd->local_dma_lkey,
	};
	struct ib_send_wr wr = {
		.wr_cqe = &ctl->cqe,
		.opcode = IB_WR_SEND,
		.send_flags = IB_SEND_SIGNALED,
		.sg_list = &sge,
		.num_sge = 1,
	};

	spin_lock_irq(&conn->lock);
	/* The close work may unmap the buffer at any time from CLOSING on. */
	if (conn->state >= RBLKT_CONN_CLOSING) {
		spin_unlock_irq(&conn->lock);
		return;
	}
	sge.length = rblkt_sign_put(conn, ctl->msg);
	ib_dma_sync_single_for_device(conn->dev, ctl->dma, sge.length,
				      DMA_TO_DEVICE);
	ctl->seq = conn->sq_posted + 1;
	conn->tx.v[RBLK_CNT_SENDS]++;
	if (rblkt_queue_room(conn, 1))
		rblkt_queue_post(conn, &wr, &wr, 1);
	else
		rblkt_conn_kill_locked(conn, "control send queue full");
	spin_unlock_irq(&conn->lock);
}
