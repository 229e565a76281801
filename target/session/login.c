// SPDX-License-Identifier: GPL-2.0-only
/*
 * Control messages on the control connection, and BIND on I/O connections.
 *
 * The initiator speaks first, and has at most as many requests outstanding as
 * the control connection's depth.  ctl.c has a buffer for the answer to each.
 */
#include <linux/utsname.h>
#include "session.h"

static void answer_login(struct rblkt_link *link, const void *request,
			 void *reply)
{
	const struct rblk_wire_login *msg = request;
	struct rblk_wire_login_reply *rep = reply;
	struct rblkt_sess *sess = link->sess;
	u16 status = rblkt_auth_login(link, msg, rep);
	bool proven = rblkt_host_proven(&sess->holder.who);

	if (status == RBLK_CTL_AUTH_CONTINUE)
		return;
	if (!status && proven &&
	    rblkt_sign_begin(&link->io.conn, sess->secret, &link->greeting))
		status = RBLK_CTL_NO_RESOURCES;
	if (!status)
		status = rblkt_epoch_login(sess, msg);
	else
		rblkt_reason_denied(msg, status);
	memset(rep, 0, sizeof(*rep));
	rblkt_proto_ctl(rep, sizeof(*rep), RBLK_MSG_LOGIN_REPLY, msg->ctl.xid,
			status);
	if (status || !rblkt_link_live(link))
		return;
	rep->key = cpu_to_le64(proven ? 0 : sess->key);
	memcpy(rep->target, rblkt_uuid, sizeof(rep->target));
	rblk_name_make(rep->target_name, init_utsname()->nodename);
	rep->keepalive_ms = cpu_to_le32(link->sess->keepalive_ms);
}

static void answer_list(struct rblkt_link *link, const void *request,
			void *reply)
{
	const struct rblk_wire_list *msg = request;
	struct rblk_wire_list_reply *rep = reply;
	u32 next, nr;

	nr = rblkt_export_list(&link->sess->holder, le32_to_cpu(msg->start),
			       rep->entry, RBLK_WIRE_LIST_MAX, &next);
	rep->nr = cpu_to_le32(nr);
	rep->next = cpu_to_le32(next);
	rblkt_proto_ctl(rep, struct_size(rep, entry, nr), RBLK_MSG_LIST_REPLY,
			msg->ctl.xid, RBLK_CTL_OK);
}

static void answer_attach(struct rblkt_link *link, const void *request,
			  void *reply)
{
	const struct rblk_wire_attach *msg = request;
	struct rblk_wire_attach_reply *rep = reply;
	u16 status = rblkt_attach(&link->sess->holder, msg, rep);

	rblkt_proto_ctl(rep, sizeof(*rep), RBLK_MSG_ATTACH_REPLY,
			msg->ctl.xid, status);
}

static void answer_detach(struct rblkt_link *link, const void *request,
			  void *reply)
{
	const struct rblk_wire_detach *msg = request;
	u16 status = rblkt_detach(&link->sess->holder, le32_to_cpu(msg->volume));

	rblkt_proto_ctl(reply, sizeof(struct rblk_wire_ctl),
			RBLK_MSG_DETACH_REPLY, msg->ctl.xid, status);
}

static void answer_fence(struct rblkt_link *link, const void *request,
			 void *reply)
{
	const struct rblk_wire_fence *msg = request;

	rblkt_proto_ctl(reply, sizeof(struct rblk_wire_ctl), RBLK_MSG_FENCE_REPLY,
			msg->ctl.xid, rblkt_fence(link->sess, msg));
}

static void answer_reserve(struct rblkt_link *link, const void *request,
			   void *reply)
{
	const struct rblk_wire_reserve *msg = request;

	rblkt_proto_ctl(reply, sizeof(struct rblk_wire_ctl), RBLK_MSG_RESERVE_REPLY,
			msg->ctl.xid, rblkt_reserve(&link->sess->holder, msg));
}

static void answer_reservation(struct rblkt_link *link, const void *request,
			       void *reply)
{
	const struct rblk_wire_reservation *msg = request;
	struct rblk_wire_reservation_reply *rep = reply;
	u16 status = rblkt_resv_report(&link->sess->holder, msg, rep);

	rblkt_proto_ctl(rep, struct_size(rep, entry, le32_to_cpu(rep->nr)),
			RBLK_MSG_RESERVATION_REPLY, msg->ctl.xid, status);
}

static void answer_portals(struct rblkt_link *link, const void *request,
			   void *reply)
{
	const struct rblk_wire_ctl *msg = request;
	struct rblk_wire_portals_reply *rep = reply;
	u32 nr;

	nr = rblkt_portal_list(link->sess->net, rep->portal, RBLK_WIRE_MAX_PORTALS);
	rep->nr = cpu_to_le32(nr);
	rblkt_proto_ctl(rep, struct_size(rep, portal, nr), RBLK_MSG_PORTALS_REPLY,
			msg->xid, RBLK_CTL_OK);
}

static void answer_keepalive(struct rblkt_link *link, const void *request,
			     void *reply)
{
	const struct rblk_wire_ctl *msg = request;

	rblkt_proto_ctl(reply, sizeof(*msg), RBLK_MSG_KEEPALIVE_REPLY,
			msg->xid, RBLK_CTL_OK);
}

static void answer_bind(struct rblkt_link *link, const void *request,
			void *reply)
{
	const struct rblk_wire_bind *msg = request;

	rblkt_proto_ctl(reply, sizeof(struct rblk_wire_bind_reply),
			RBLK_MSG_BIND_REPLY, msg->ctl.xid, RBLK_CTL_OK);
	rblkt_push_grant(&link->io.conn, reply);
	rblkt_window_grant(&link->io.conn, reply);
}

typedef void (*answer_fn)(struct rblkt_link *link, const void *request,
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
	case RBLK_MSG_FENCE:
		return answer_fence;
	case RBLK_MSG_RESERVE:
		return answer_reserve;
	case RBLK_MSG_RESERVATION:
		return answer_reservation;
	case RBLK_MSG_PORTALS:
		return answer_portals;
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
static void link_answer(struct rblkt_link *link, struct rblkt_recv *recv)
{
	const struct rblk_wire_hdr *hdr = recv->msg;
	struct rblkt_ctl *ctl = rblkt_ctl_get(link);
	struct rblkt_conn *conn = &link->io.conn;
	answer_fn run;

	if (!ctl) {
		rblkt_conn_violation(conn, RBLKT_BAD_CREDIT);
		return;
	}
	run = answer_for(hdr->type);
	run(link, recv->msg, ctl->msg);
	spin_lock_irq(&conn->lock);
	rblkt_queue_post_recv(conn, recv);
	spin_unlock_irq(&conn->lock);
	rblkt_ctl_send(link, ctl);
}

/* What a checked message asks for that was not agreed on. */
static enum rblkt_bad request_is_stray(const struct rblkt_conn *conn, const void *request)
{
	const struct rblk_wire_attach *msg = request;
	u8 type = msg->ctl.hdr.type;

	if (type == RBLK_MSG_ATTACH && msg->flags & cpu_to_le32(RBLK_ATTACHF_DIGEST) &&
	    !(conn->grant.features & RBLK_FEAT_DIGEST))
		return RBLKT_BAD_ACCESS;
	if ((type == RBLK_MSG_RESERVE || type == RBLK_MSG_RESERVATION) &&
	    !(conn->grant.features & RBLK_FEAT_RESERVATION))
		return RBLKT_BAD_TYPE;
	return RBLKT_BAD_NONE;
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
	struct rblkt_link *link = rblkt_link_of(conn);
	bool live, login;
	enum rblkt_bad bad;

	rblkt_conn_opened(conn);
	bad = rblkt_proto_check_ctl(recv->msg, len);
	if (!bad && hdr->type == RBLK_MSG_BIND)
		bad = RBLKT_BAD_TYPE;
	live = READ_ONCE(conn->state) == RBLKT_CONN_LIVE;
	login = !bad && hdr->type == RBLK_MSG_LOGIN;
	/* LOGIN comes first, twice with a handshake, and not later. */
	if (!bad && live == login)
		bad = RBLKT_BAD_ORDER;
	if (!bad)
		bad = request_is_stray(conn, recv->msg);
	if (bad) {
		rblkt_conn_violation(conn, bad);
		return;
	}
	link_answer(link, recv);
	rblkt_event_heard(link);
}

/**
 * rblkt_login_bind - handle the first message of an I/O connection
 * @conn: the connection, not yet bound; anything but a BIND ends it, and one without
 *        the session's key, unless a MAC has proven that it comes from there
 * @recv: the message; posted again unless the connection ends
 * @len: bytes received
 *
 * Context: Process context, the connection's receive work; may sleep.
 */
void rblkt_login_bind(struct rblkt_conn *conn, struct rblkt_recv *recv, u32 len)
{
	const struct rblk_wire_bind *msg = recv->msg;
	struct rblkt_link *link = rblkt_link_of(conn);
	enum rblkt_bad bad;

	rblkt_conn_opened(conn);
	/* Only so much of a message is in one piece. */
	bad = rblkt_proto_check_ctl(msg, min_t(u32, len, RBLK_WIRE_DATA_OFFSET));
	if (len > RBLK_WIRE_DATA_OFFSET || (!bad && msg->ctl.hdr.type != RBLK_MSG_BIND))
		bad = RBLKT_BAD_TYPE;
	if (!bad && le64_to_cpu(msg->key) != (rblkt_signs(conn) ? 0 : link->sess->key))
		bad = RBLKT_BAD_KEY;
	if (bad)
		rblkt_conn_violation(conn, bad);
	else if (rblkt_link_live(link))
		link_answer(link, recv);
}
