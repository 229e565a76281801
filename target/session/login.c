// SPDX-License-Identifier: GPL-2.0-only
/*
 * Control messages on the control connection, and BIND on I/O connections.
 *
 * Requests: the initiator speaks first, and has at most as many requests
 * outstanding as the control connection's depth.  The target has one message
 * buffer for the answer to each.  A buffer is free again when its send has
 * completed, and the next receive polls for that completion.
 *
 * Events: the target sends them unasked, so no credit limits them.  It sends at
 * most RBLKT_MAX_EVENTS until it hears the host again.  Events have that many
 * buffers of their own, so that a request within its credit always finds one.
 */
#include <linux/utsname.h>
#include "../admin.h"
#include "../io/push.h"

/**
 * rblkt_login_sent - free the buffer of a control message that has left
 * @cq: the send CQ
 * @wc: the completion; one that failed ends the connection
 *
 * Context: Process context, from polling the send CQ; takes conn->lock.
 */
void rblkt_login_sent(struct ib_cq *cq, struct ib_wc *wc)
{
	struct rblkt_ctl *ctl = container_of(wc->wr_cqe, struct rblkt_ctl, cqe);
	struct rblkt_conn *conn = ctl->conn;

	if (wc->status != IB_WC_SUCCESS) {
		rblkt_conn_fault(conn, wc->status);
		return;
	}
	spin_lock_irq(&conn->lock);
	rblkt_queue_seen(conn, ctl->seq);
	if (ctl->event)
		conn->events_out--;
	ctl->event = false;
	list_add_tail(&ctl->node, &conn->free_ctls);
	conn->nr_free_ctls++;
	spin_unlock_irq(&conn->lock);
}

static struct rblkt_ctl *ctl_take(struct rblkt_conn *conn)
{
	struct rblkt_ctl *ctl;

	lockdep_assert_held(&conn->lock);
	ctl = list_first_entry(&conn->free_ctls, struct rblkt_ctl, node);
	list_del(&ctl->node);
	conn->nr_free_ctls--;
	return ctl;
}

/*
 * Take a message buffer for an answer and zero it; NULL if there is none.  On
 * the control connection some of the free buffers belong to events: as many as
 * events may still be sent.
 */
static struct rblkt_ctl *ctl_get(struct rblkt_conn *conn)
{
	u32 kept = conn->qid ? 0 : RBLKT_MAX_EVENTS;
	struct rblkt_ctl *ctl = NULL;

	spin_lock_irq(&conn->lock);
	if (conn->nr_free_ctls > kept - conn->events_out)
		ctl = ctl_take(conn);
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
	/* The close work may unmap the buffer at any time from CLOSING on. */
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
	u16 status = rblkt_epoch_login(conn->sess, msg);

	rblkt_proto_ctl(rep, sizeof(*rep), RBLK_MSG_LOGIN_REPLY, msg->ctl.xid,
			status);
	if (status || !rblkt_conn_live(conn))
		return;
	rep->key = cpu_to_le64(conn->sess->key);
	memcpy(rep->target, rblkt_uuid, sizeof(rep->target));
	rblk_name_make(rep->target_name, init_utsname()->nodename);
	rep->keepalive_ms = cpu_to_le32(conn->sess->keepalive_ms);
}

static void answer_list(struct rblkt_conn *conn, const void *request,
			void *reply)
{
	const struct rblk_wire_list *msg = request;
	struct rblk_wire_list_reply *rep = reply;
	u32 next, nr;

	nr = rblkt_export_list(conn->sess->holder.host, le32_to_cpu(msg->start),
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
	u16 status = rblkt_attach(&conn->sess->holder, msg, rep);

	rblkt_proto_ctl(rep, sizeof(*rep), RBLK_MSG_ATTACH_REPLY,
			msg->ctl.xid, status);
}

static void answer_detach(struct rblkt_conn *conn, const void *request,
			  void *reply)
{
	const struct rblk_wire_detach *msg = request;
	u16 status = rblkt_detach(&conn->sess->holder, le32_to_cpu(msg->volume));

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
	rblkt_push_grant(conn, reply);
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

/*
 * Carry a request out and answer it.  The receive is posted again before the
 * answer leaves, as the host may send its next request once it has that.
 */
static void ctl_answer(struct rblkt_conn *conn, struct rblkt_recv *recv)
{
	const struct rblk_wire_hdr *hdr = recv->msg;
	struct rblkt_ctl *ctl = ctl_get(conn);
	answer_fn run;

	if (!ctl) {
		rblkt_conn_violation(conn, RBLKT_BAD_CREDIT);
		return;
	}
	run = answer_for(hdr->type);
	run(conn, recv->msg, ctl->msg);
	spin_lock_irq(&conn->lock);
	rblkt_queue_post_recv(conn, recv);
	spin_unlock_irq(&conn->lock);
	ctl_send(conn, ctl);
}

/*
 * May the target send one more event?  If all buffers of events are out, their
 * send completions must wake the send work.  The next message of the host will
 * not do: a host may have answered the events before the target sees those
 * completions, and then it has nothing more to say.
 */
static bool event_fits(struct rblkt_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	if (conn->events == RBLKT_MAX_EVENTS)
		return false;
	if (conn->events_out < RBLKT_MAX_EVENTS)
		return true;
	conn->events_wait = true;
	rblkt_queue_arm(conn);
	return false;
}

/* Send one event; false if it has to wait. */
static bool send_event(struct rblkt_conn *conn, u16 kind, u32 volume, u64 value)
{
	struct rblkt_ctl *ctl = NULL;

	spin_lock_irq(&conn->lock);
	if (event_fits(conn)) {
		conn->events++;
		conn->events_out++;
		ctl = ctl_take(conn);
		ctl->event = true;
	}
	spin_unlock_irq(&conn->lock);
	if (!ctl)
		return false;
	rblkt_proto_event(ctl->msg, kind, volume, value);
	ctl_send(conn, ctl);
	return true;
}

/* Send the due events of one volume; false if the host can take no more now. */
static bool att_send_events(struct rblkt_conn *conn, struct rblkt_att *att)
{
	u16 kind;

	/* Once the export is gone, no other event about it matters. */
	if (att->events_due & BIT(RBLK_EVENT_REMOVED))
		att->events_due = BIT(RBLK_EVENT_REMOVED);
	while (att->events_due) {
		kind = __ffs(att->events_due);
		if (!send_event(conn, kind, att->handle,
				att->told << att->geo.block_shift))
			return false;
		att->events_due &= ~BIT(kind);
	}
	return true;
}

/* Tell the host of a pause; false if it can take no more events now. */
static bool sess_send_away(struct rblkt_conn *conn, struct rblkt_sess *sess)
{
	u32 ms = rblkt_pause_left();

	if (sess->away_due && ms &&
	    !send_event(conn, RBLK_EVENT_GOING_AWAY, 0, ms))
		return false;
	sess->away_due = false;
	return true;
}

/*
 * Send the due events, as many as the host can take now.  The pause goes first.
 * The rest stays due until the host is heard or a send completes.
 */
static void sess_send_events(struct rblkt_sess *sess)
{
	struct rblkt_conn *conn = sess->conn[0];
	struct rblkt_att *att;
	unsigned long handle;

	lockdep_assert_held(&rblkt_mutex);
	if (!conn || READ_ONCE(conn->state) != RBLKT_CONN_LIVE)
		return;
	if (!sess_send_away(conn, sess))
		return;
	xa_for_each(&sess->holder.atts, handle, att)
		if (!att_send_events(conn, att))
			return;
	WRITE_ONCE(sess->events_due, false);
}

/**
 * rblkt_login_event - tell a host that a volume's export has changed
 * @att: the volume, still in its session's table
 * @kind: what has happened to the export
 *
 * The event goes at once, or later if the host can take no more events now.
 *
 * Context: Process context, with rblkt_mutex held.
 */
void rblkt_login_event(struct rblkt_att *att, enum rblk_wire_event_kind kind)
{
	struct rblkt_sess *sess = rblkt_sess_of(att->holder);

	lockdep_assert_held(&rblkt_mutex);
	att->events_due |= BIT(kind);
	WRITE_ONCE(sess->events_due, true);
	sess_send_events(sess);
}

/**
 * rblkt_login_away - tell a host of the pause that has begun
 * @sess: logged in
 *
 * Context: Process context, with rblkt_mutex held.
 */
void rblkt_login_away(struct rblkt_sess *sess)
{
	lockdep_assert_held(&rblkt_mutex);
	sess->away_due = true;
	WRITE_ONCE(sess->events_due, true);
	sess_send_events(sess);
}

/**
 * rblkt_login_told - does a host know of the pause?
 * @sess: logged in
 *
 * Hosts answer events at once.  But a message that arrives after an event was
 * sent may have left the host before.  So the send of every event must have
 * completed as well.
 *
 * Context: Process context, with rblkt_mutex held.
 * Return: true also if the control connection is no longer LIVE.
 */
bool rblkt_login_told(const struct rblkt_sess *sess)
{
	struct rblkt_conn *conn = sess->conn[0];
	bool live, told;

	lockdep_assert_held(&rblkt_mutex);
	if (!conn)
		return true;
	spin_lock_irq(&conn->lock);
	live = conn->state == RBLKT_CONN_LIVE;
	told = !sess->away_due && !conn->events && !conn->events_out;
	/* Nothing else may wake the target, see event_fits(). */
	if (live && conn->events_out) {
		conn->events_wait = true;
		rblkt_queue_arm(conn);
	}
	spin_unlock_irq(&conn->lock);
	return told || !live;
}

static void resume_events(struct rblkt_conn *conn)
{
	if (!READ_ONCE(conn->sess->events_due))
		return;
	mutex_lock(&rblkt_mutex);
	sess_send_events(conn->sess);
	mutex_unlock(&rblkt_mutex);
}

/**
 * rblkt_login_resume - send the events that waited for send completions
 * @conn: a connection whose send CQ has been polled
 *
 * Context: Process context; takes rblkt_mutex, may sleep.
 */
void rblkt_login_resume(struct rblkt_conn *conn)
{
	bool fits;

	spin_lock_irq(&conn->lock);
	fits = conn->events_wait && conn->events_out < RBLKT_MAX_EVENTS;
	if (fits)
		conn->events_wait = false;
	spin_unlock_irq(&conn->lock);
	if (fits)
		resume_events(conn);
}

/**
 * rblkt_login_receive - handle a message on a control connection
 * @conn: the connection; a bad message ends it
 * @recv: the message; posted again unless the connection ends
 * @len: bytes received
 *
 * Context: Process context, the connection's receive work; may sleep.
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
	/* LOGIN comes first, and only once. */
	if (!bad && live == login)
		bad = RBLKT_BAD_ORDER;
	if (bad) {
		rblkt_conn_violation(conn, bad);
		return;
	}
	ctl_answer(conn, recv);
	spin_lock_irq(&conn->lock);
	conn->events = 0;
	spin_unlock_irq(&conn->lock);
	resume_events(conn);
}

/**
 * rblkt_login_bind - handle the first message of an I/O connection
 * @conn: the connection, not yet bound; anything but a BIND with its session's
 *        key ends it
 * @recv: the message; posted again unless the connection ends
 * @len: bytes received
 *
 * Context: Process context, the connection's receive work; may sleep.
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
		ctl_answer(conn, recv);
}
