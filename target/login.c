// SPDX-License-Identifier: GPL-2.0-only
/*
 * Control messages, and BIND on I/O connections.
 *
 * The initiator always speaks first and has at most as many requests
 * outstanding as the control connection's depth, so there is a message buffer
 * for each of them, and some more for events.  They come back with their send
 * completions, which the next receive polls for.
 */
#include <linux/utsname.h>
#include "admin.h"
#include "push.h"

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

/* A message buffer for an answer, zeroed, or NULL. */
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

/* The receive goes back before its answer leaves. */
static void answer(struct rblkt_conn *conn, struct rblkt_recv *recv)
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
 * May one more event go? A host can be heard before the acknowledgements of
 * what it heard are, and then says nothing more: they must wake us.
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

/* An event on the wire, unless it has to wait. */
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

/* Those of one volume; false when the host can take no more now. */
static bool send_all(struct rblkt_conn *conn, struct rblkt_att *att)
{
	u16 kind;

	/* Of an export that is gone nothing else matters. */
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

/* Of a pause, first of all; false when the host can take no more now. */
static bool send_away(struct rblkt_conn *conn, struct rblkt_sess *sess)
{
	u32 ms = rblkt_pause_left();

	if (sess->away_due && ms &&
	    !send_event(conn, RBLK_EVENT_GOING_AWAY, 0, ms))
		return false;
	sess->away_due = false;
	return true;
}

/* The events that are due, as far as the host can take them now. */
static void send_due(struct rblkt_sess *sess)
{
	struct rblkt_conn *conn = sess->conn[0];
	struct rblkt_att *att;
	unsigned long handle;

	lockdep_assert_held(&rblkt_mutex);
	if (!conn || READ_ONCE(conn->state) != RBLKT_CONN_LIVE)
		return;
	if (!send_away(conn, sess))
		return;
	xa_for_each(&sess->atts, handle, att)
		if (!send_all(conn, att))
			return;
	WRITE_ONCE(sess->events_due, false);
}

/**
 * rblkt_login_event - tell a host what has become of a volume's export
 * @att: the volume, still in its session's table
 * @kind: what
 *
 * Nothing flows back that says how many events a host can take, so it gets few
 * at a time and the next when it is heard again.  They have buffers of their
 * own: those of the replies are promised to the requests.
 */
void rblkt_login_event(struct rblkt_att *att, enum rblk_wire_event_kind kind)
{
	lockdep_assert_held(&rblkt_mutex);
	att->events_due |= BIT(kind);
	WRITE_ONCE(att->sess->events_due, true);
	send_due(att->sess);
}

/**
 * rblkt_login_away - tell a host of the pause that has begun
 * @sess: logged in
 */
void rblkt_login_away(struct rblkt_sess *sess)
{
	lockdep_assert_held(&rblkt_mutex);
	sess->away_due = true;
	WRITE_ONCE(sess->events_due, true);
	send_due(sess);
}

/**
 * rblkt_login_told - has a host got its last event?
 * @sess: logged in
 *
 * Hosts answer events at once.  But what is heard may have been on its way
 * before the event was: so that must have arrived, too.
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
	/* Nobody else may look, see event_fits(). */
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
	send_due(conn->sess);
	mutex_unlock(&rblkt_mutex);
}

/**
 * rblkt_login_resume - sends have completed that an event may have waited for
 * @conn: a connection; process context
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
	if (bad) {
		rblkt_conn_violation(conn, bad);
		return;
	}
	answer(conn, recv);
	spin_lock_irq(&conn->lock);
	conn->events = 0;
	spin_unlock_irq(&conn->lock);
	resume_events(conn);
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
