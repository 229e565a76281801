// SPDX-License-Identifier: GPL-2.0-only
/*
 * Control messages, and BIND on I/O connections.
 *
 * The initiator always speaks first and has at most as many requests
 * outstanding as the control connection's depth, so there is a message buffer
 * for each of them, and one more for events.  They come back with their send
 * completions, which the next receive polls for.
 */
#include <linux/utsname.h>
#include "rblkt.h"

/**
 * rblkt_login_sent - a control message has left
 * @cq: the send CQ
 * @wc: the completion
 */
void rblkt_login_sent(struct ib_cq *cq, struct ib_wc *wc)
{
	struct rblkt_ctl *ctl = container_of(wc->wr_cqe, struct rblkt_ctl, cqe);
	struct rblkt_conn *conn = ctl->conn;

	if (wc->status != IB_WC_SUCCESS) {
		rblkt_conn_kill(conn, ib_wc_status_msg(wc->status));
		return;
	}
	spin_lock_irq(&conn->lock);
	rblkt_queue_seen(conn, ctl->seq);
	list_add_tail(&ctl->node, &conn->free_ctls);
	spin_unlock_irq(&conn->lock);
}

/* A free message buffer, zeroed, or NULL. */
static struct rblkt_ctl *ctl_get(struct rblkt_conn *conn)
{
	struct rblkt_ctl *ctl;

	spin_lock_irq(&conn->lock);
	ctl = list_first_entry_or_null(&conn->free_ctls, struct rblkt_ctl,
				       node);
	if (ctl)
		list_del(&ctl->node);
	spin_unlock_irq(&conn->lock);
	if (ctl)
		memset(ctl->msg, 0, RBLK_WIRE_CTRL_MAX);
	return ctl;
}

static void ctl_send(struct rblkt_conn *conn, struct rblkt_ctl *ctl)
{
	const struct rblk_wire_hdr *hdr = ctl->msg;
	struct ib_sge sge = {
		.addr = ctl->dma,
		.length = le32_to_cpu(hdr->length),
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
	/* Its mapping goes once the connection is drained. */
	if (conn->state >= RBLKT_CONN_CLOSING) {
		spin_unlock_irq(&conn->lock);
		return;
	}
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

static void answer_login(struct rblkt_conn *conn, const void *request,
			 void *reply)
{
	const struct rblk_wire_login *msg = request;
	struct rblk_wire_login_reply *rep = reply;
	u16 status = rblkt_sess_login(conn->sess, msg);

	rblkt_proto_ctl(rep, sizeof(*rep), RBLK_MSG_LOGIN_REPLY, msg->ctl.xid,
			status);
	if (status || !rblkt_conn_live(conn))
		return;
	rep->key = cpu_to_le64(conn->sess->key);
	memcpy(rep->target, rblkt_uuid, sizeof(rep->target));
	strscpy(rep->target_name, init_utsname()->nodename,
		sizeof(rep->target_name));
	rep->keepalive_ms = cpu_to_le32(rblkt_keepalive_ms());
}

static void answer_list(struct rblkt_conn *conn, const void *request,
			void *reply)
{
	const struct rblk_wire_list *msg = request;
	struct rblk_wire_list_reply *rep = reply;
	u32 next, nr;

	nr = rblkt_export_list(conn->sess->host, le32_to_cpu(msg->start),
			       rep->entry, RBLK_WIRE_LIST_MAX, &next);
	rep->nr = cpu_to_le32(nr);
	rep->next = cpu_to_le32(next);
	rblkt_proto_ctl(rep, struct_size(rep, entry, nr), RBLK_MSG_LIST_REPLY,
			msg->ctl.xid, RBLK_CTL_OK);
}

static void answer_attach(struct rblkt_conn *conn, const void *request,
			  void *reply)
{
	const struct rblk_wire_attach *msg = request;
	struct rblk_wire_attach_reply *rep = reply;
	u16 status = rblkt_attach(conn->sess, msg, rep);

	rblkt_proto_ctl(rep, sizeof(*rep), RBLK_MSG_ATTACH_REPLY,
			msg->ctl.xid, status);
}

static void answer_detach(struct rblkt_conn *conn, const void *request,
			  void *reply)
{
	const struct rblk_wire_detach *msg = request;
	u16 status = rblkt_detach(conn->sess, le32_to_cpu(msg->volume));

	rblkt_proto_ctl(reply, sizeof(struct rblk_wire_ctl),
			RBLK_MSG_DETACH_REPLY, msg->ctl.xid, status);
}

static void answer_keepalive(struct rblkt_conn *conn, const void *request,
			     void *reply)
{
	const struct rblk_wire_ctl *msg = request;

	rblkt_proto_ctl(reply, sizeof(*msg), RBLK_MSG_KEEPALIVE_REPLY,
			msg->xid, RBLK_CTL_OK);
}

static void answer_bind(struct rblkt_conn *conn, const void *request,
			void *reply)
{
	const struct rblk_wire_bind *msg = request;

	rblkt_proto_ctl(reply, sizeof(struct rblk_wire_bind_reply),
			RBLK_MSG_BIND_REPLY, msg->ctl.xid, RBLK_CTL_OK);
}

typedef void (*answer_fn)(struct rblkt_conn *conn, const void *request,
			  void *reply);

static answer_fn answer_for(u8 type)
{
	switch (type) {
	case RBLK_MSG_LOGIN:
		return answer_login;
	case RBLK_MSG_LIST:
		return answer_list;
	case RBLK_MSG_ATTACH:
		return answer_attach;
	case RBLK_MSG_DETACH:
		return answer_detach;
	case RBLK_MSG_KEEPALIVE:
		return answer_keepalive;
	default:
		return answer_bind;
	}
}

/* The receive goes back before its answer leaves. */
static void answer(struct rblkt_conn *conn, struct rblkt_recv *recv)
{
	const struct rblk_wire_hdr *hdr = recv->msg;
	struct rblkt_ctl *ctl = ctl_get(conn);
	answer_fn run;

	if (!ctl) {
		/* More requests outstanding than were granted. */
		rblkt_conn_violation(conn, RBLKT_BAD_ORDER);
		return;
	}
	run = answer_for(hdr->type);
	run(conn, recv->msg, ctl->msg);
	spin_lock_irq(&conn->lock);
	rblkt_queue_post_recv(conn, recv);
	spin_unlock_irq(&conn->lock);
	ctl_send(conn, ctl);
}

/**
 * rblkt_login_receive - a message on a control connection
 * @conn: the connection
 * @recv: the message
 * @len: bytes received
 */
void rblkt_login_receive(struct rblkt_conn *conn, struct rblkt_recv *recv,
			 u32 len)
{
	const struct rblk_wire_hdr *hdr = recv->msg;
	bool live, login;
	enum rblkt_bad bad;

	rblkt_conn_opened(conn);
	bad = rblkt_proto_check_ctl(recv->msg, len);
	if (!bad && hdr->type == RBLK_MSG_BIND)
		bad = RBLKT_BAD_TYPE;
	live = READ_ONCE(conn->state) == RBLKT_CONN_LIVE;
	login = !bad && hdr->type == RBLK_MSG_LOGIN;
	/* Logging in comes first and but once. */
	if (!bad && live == login)
		bad = RBLKT_BAD_ORDER;
	if (bad)
		rblkt_conn_violation(conn, bad);
	else
		answer(conn, recv);
}

/**
 * rblkt_login_bind - the first message of an I/O connection
 * @conn: the connection, not yet bound
 * @recv: the message
 * @len: bytes received
 */
void rblkt_login_bind(struct rblkt_conn *conn, struct rblkt_recv *recv, u32 len)
{
	const struct rblk_wire_bind *msg = recv->msg;
	enum rblkt_bad bad;

	rblkt_conn_opened(conn);
	bad = rblkt_proto_check_ctl(msg, len);
	if (!bad && msg->ctl.hdr.type != RBLK_MSG_BIND)
		bad = RBLKT_BAD_TYPE;
	if (!bad && le64_to_cpu(msg->key) != conn->sess->key)
		bad = RBLKT_BAD_KEY;
	if (bad)
		rblkt_conn_violation(conn, bad);
	else if (rblkt_conn_live(conn))
		answer(conn, recv);
}

/**
 * rblkt_login_event - tell a host something it did not ask for
 * @sess: its session
 * @kind: enum rblk_wire_event_kind, one that needs no numbers
 * @volume: handle of the volume concerned, or 0
 *
 * Events are a courtesy: without a free buffer this one is not sent.
 */
void rblkt_login_event(struct rblkt_sess *sess, u16 kind, u32 volume)
{
	struct rblkt_conn *conn = sess->conn[0];
	struct rblk_wire_event *event;
	struct rblkt_ctl *ctl;

	lockdep_assert_held(&rblkt_mutex);
	if (!conn || READ_ONCE(conn->state) != RBLKT_CONN_LIVE)
		return;
	ctl = ctl_get(conn);
	if (!ctl)
		return;
	event = ctl->msg;
	rblkt_proto_ctl(event, sizeof(*event), RBLK_MSG_EVENT, 0, RBLK_CTL_OK);
	event->kind = cpu_to_le16(kind);
	event->volume = cpu_to_le32(volume);
	ctl_send(conn, ctl);
}
