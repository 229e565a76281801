// SPDX-License-Identifier: GPL-2.0-only
/*
 * Control calls: one request to the target, one reply, a deadline.
 *
 * Calls of a session are serialised by call_lock, so there is at most one
 * reply to wait for.  A call that gets none within its time says that the
 * target is not well, whatever the connection looks like: the session is lost
 * and recovers.
 */
#include <linux/slab.h>
#include "rblk.h"

#define CALL_MS		5000
#define DETACH_MS	2000
/* The target may bear more silence; we don't. */
#define MAX_KEEPALIVE_MS 5000

/**
 * struct call - a request and what to do with its reply
 * @type: enum rblk_wire_msg of the request
 * @stage: for errors
 * @name: for errors
 * @msg: the request, without its header
 * @bytes: of it
 * @timeout_ms: how long to wait
 * @interruptible: a signal ends the wait, and with it the session: only for one
 *                 that nobody else uses
 */
struct call {
	u8 type;
	u32 stage;
	const char *name;
	struct rblk_wire_ctl *msg;
	u32 bytes;
	u32 timeout_ms;
	bool interruptible;
};

static void begin(struct rblk_sess *sess)
{
	spin_lock_irq(&sess->lock);
	sess->call_open = true;
	sess->call_lost = sess->lost || sess->aborted;
	reinit_completion(&sess->call_done);
	if (sess->call_lost)
		complete(&sess->call_done);
	spin_unlock_irq(&sess->lock);
}

/* Returns whether there is a reply. */
static bool end(struct rblk_sess *sess)
{
	bool replied;

	spin_lock_irq(&sess->lock);
	replied = !sess->call_open && !sess->call_lost;
	sess->call_open = false;
	spin_unlock_irq(&sess->lock);
	return replied;
}

static int no_reply(struct rblk_sess *sess, const struct call *c, long left,
		    struct rblk_ioc_error *error)
{
	if (left == -ERESTARTSYS) {
		rblk_sess_lose(sess, "a call was interrupted");
		return rblk_fail(error, c->stage, -EINTR, "interrupted");
	}
	if (left > 0)
		return rblk_fail(error, c->stage, -ECONNRESET,
				 "the connection was lost during %s: %s", c->name,
				 sess->lost_why);
	rblk_sess_lose(sess, "the target does not answer control calls");
	return rblk_fail(error, c->stage, -ETIMEDOUT,
			 "the target did not answer %s within %u s", c->name,
			 c->timeout_ms / 1000);
}

static long wait_reply(struct rblk_sess *sess, const struct call *c)
{
	unsigned long timeout = msecs_to_jiffies(c->timeout_ms);

	if (!c->interruptible)
		return wait_for_completion_timeout(&sess->call_done, timeout);
	return wait_for_completion_interruptible_timeout(&sess->call_done,
							 timeout);
}

/*
 * Send @c on @conn and wait.  On 0 the reply is in sess->call_reply, described
 * by @msg, and still to be checked.  Caller holds call_lock.
 */
static int call(struct rblk_sess *sess, struct rblk_conn *conn,
		const struct call *c, struct rblk_arrival *msg,
		struct rblk_ioc_error *error)
{
	long left = 1;

	lockdep_assert_held(&sess->call_lock);
	if (!conn)
		return rblk_fail(error, c->stage, -ECONNRESET,
				 "the connection was lost before %s", c->name);
	begin(sess);
	rblk_proto_encode_ctl(c->msg, c->type, c->bytes, ++sess->xid);
	memcpy(conn->msg, c->msg, c->bytes);
	if (rblk_ring_send_message(conn, c->bytes)) {
		end(sess);
		return rblk_fail(error, c->stage, -ECONNRESET,
				 "the connection was lost before %s", c->name);
	}
	left = wait_reply(sess, c);
	if (!end(sess))
		return no_reply(sess, c, left, error);
	msg->data = sess->call_reply;
	msg->bytes = sess->call_bytes;
	return 0;
}

/* The reply breaks the protocol. */
static int bad_reply(struct rblk_sess *sess, const struct call *c,
		     const char *wrong, struct rblk_ioc_error *error)
{
	rblk_count(sess->stats, RBLK_CNT_VIOLATIONS, 1);
	rblk_sess_lose(sess, wrong);
	return rblk_fail(error, c->stage, -EPROTO, "the target's answer to %s: %s",
			 c->name, wrong);
}

static int ctl_errno(u16 status)
{
	switch (status) {
	case RBLK_CTL_OK:
		return 0;
	case RBLK_CTL_AGAIN:
		return -EAGAIN;
	case RBLK_CTL_NO_EXPORT:
	case RBLK_CTL_NO_VOLUME:
		return -ENOENT;
	case RBLK_CTL_DENIED:
	case RBLK_CTL_AUTH:
	case RBLK_CTL_AUTH_CONTINUE:
	case RBLK_CTL_BAD_KEY:
		return -EACCES;
	case RBLK_CTL_BUSY:
	case RBLK_CTL_NOT_SHARED:
		return -EBUSY;
	case RBLK_CTL_READ_ONLY:
		return -EROFS;
	case RBLK_CTL_NO_RESOURCES:
		return -ENOMEM;
	case RBLK_CTL_ATTACHED:
		return -EEXIST;
	case RBLK_CTL_WRONG_UUID:
		return -ESTALE;
	case RBLK_CTL_GOING_AWAY:
		return -ESHUTDOWN;
	default:
		return -EPROTO;
	}
}

/* The target said no. */
static int refused(const struct call *c, u16 status, struct rblk_ioc_error *error)
{
	int ret = rblk_fail(error, c->stage, ctl_errno(status), "%s",
			    rblk_proto_ctl_text(status));

	error->reason = status;
	return ret;
}

static u16 reply_status(const struct rblk_arrival *msg)
{
	return le16_to_cpu(((const struct rblk_wire_ctl *)msg->data)->status);
}

static int login_locked(struct rblk_sess *sess, struct rblk_wire_login *req,
			struct rblk_ioc_error *error)
{
	const struct rblk_wire_login_reply *reply = sess->call_reply;
	struct call c = {
		.type = RBLK_MSG_LOGIN, .stage = RBLK_STAGE_LOGIN,
		.name = "the login", .msg = &req->ctl, .bytes = sizeof(*req),
		.timeout_ms = CALL_MS,
	};
	struct rblk_arrival msg = {};
	const char *wrong;
	int ret;

	ret = call(sess, sess->control, &c, &msg, error);
	if (ret)
		return ret;
	wrong = rblk_proto_check_login_reply(&msg, sess->xid);
	if (wrong)
		return bad_reply(sess, &c, wrong, error);
	if (reply_status(&msg))
		return refused(&c, reply_status(&msg), error);
	sess->key = le64_to_cpu(reply->key);
	sess->keepalive_ms = min_t(u32, le32_to_cpu(reply->keepalive_ms),
				   MAX_KEEPALIVE_MS);
	memcpy(sess->target, reply->target, sizeof(sess->target));
	memcpy(sess->target_name, reply->target_name, sizeof(sess->target_name));
	return 0;
}

/**
 * rblk_call_login() - log in on the control connection
 * @sess: CONNECTING
 * @error: filled in on failure
 *
 * Context: may sleep, at most 5 s.
 * Return: 0 or a negative errno.
 */
int rblk_call_login(struct rblk_sess *sess, struct rblk_ioc_error *error)
{
	struct rblk_wire_login *req = kzalloc(sizeof(*req), GFP_KERNEL);
	int ret;

	if (!req)
		return rblk_fail(error, RBLK_STAGE_LOGIN, -ENOMEM, "out of memory");
	memcpy(req->host, sess->args.host, sizeof(req->host));
	export_guid(req->instance, &rblk_instance);
	memcpy(req->host_name, sess->args.host_name, sizeof(req->host_name));
	req->auth_method = cpu_to_le16(RBLK_AUTH_NONE);
	mutex_lock(&sess->call_lock);
	ret = login_locked(sess, req, error);
	mutex_unlock(&sess->call_lock);
	kfree(req);
	return ret;
}

/**
 * rblk_call_bind() - bind an I/O connection to the session
 * @sess: CONNECTING, logged in
 * @conn: BINDING
 * @error: filled in on failure
 *
 * Context: may sleep, at most 5 s.
 * Return: 0 or a negative errno.
 */
int rblk_call_bind(struct rblk_sess *sess, struct rblk_conn *conn,
		   struct rblk_ioc_error *error)
{
	struct rblk_wire_bind req = { .key = cpu_to_le64(sess->key) };
	struct call c = {
		.type = RBLK_MSG_BIND, .stage = RBLK_STAGE_QUEUES,
		.name = "the binding of an I/O connection", .msg = &req.ctl,
		.bytes = sizeof(req), .timeout_ms = CALL_MS,
	};
	struct rblk_arrival msg = {};
	const char *wrong;
	int ret;

	mutex_lock(&sess->call_lock);
	ret = call(sess, conn, &c, &msg, error);
	if (ret)
		goto out;
	wrong = rblk_proto_check_bind_reply(&msg, sess->xid, &conn->grant);
	if (wrong)
		ret = bad_reply(sess, &c, wrong, error);
	else if (reply_status(&msg))
		ret = refused(&c, reply_status(&msg), error);
out:
	mutex_unlock(&sess->call_lock);
	return ret;
}

static void copy_offer(struct rblk_ioc_offer *out,
		       const struct rblk_wire_list_entry *in)
{
	memset(out, 0, sizeof(*out));
	memcpy(out->name, in->name, sizeof(out->name));
	memcpy(out->uuid, in->uuid, sizeof(out->uuid));
	out->capacity = le64_to_cpu(in->capacity);
	out->block_size = le32_to_cpu(in->block_size);
	out->flags = le32_to_cpu(in->flags);
}

/* One LIST; returns the next start, 0 at the end, or a negative errno. */
static s64 list_some(struct rblk_sess *sess, u32 start,
		     struct rblk_ioc_offer *offers, u32 room, u32 *nr,
		     struct rblk_ioc_error *error)
{
	const struct rblk_wire_list_reply *reply = sess->call_reply;
	struct rblk_wire_list req = { .start = cpu_to_le32(start) };
	struct call c = {
		.type = RBLK_MSG_LIST, .stage = RBLK_STAGE_LOOKUP,
		.name = "the listing of exports", .msg = &req.ctl,
		.bytes = sizeof(req), .timeout_ms = CALL_MS,
		.interruptible = true,
	};
	struct rblk_arrival msg = {};
	const char *wrong;
	u32 i;
	int ret;

	ret = call(sess, sess->control, &c, &msg, error);
	if (ret)
		return ret;
	wrong = rblk_proto_check_list_reply(&msg, sess->xid, start);
	if (wrong)
		return bad_reply(sess, &c, wrong, error);
	if (reply_status(&msg))
		return refused(&c, reply_status(&msg), error);
	for (i = 0; i < le32_to_cpu(reply->nr); i++, (*nr)++)
		if (*nr < room)
			copy_offer(&offers[*nr], &reply->entry[i]);
	return le32_to_cpu(reply->next);
}

/**
 * rblk_call_list() - which exports may this host attach
 * @sess: LIVE
 * @offers: filled in
 * @room: entries of @offers
 * @nr: out: how many there are, perhaps more than @room
 * @error: filled in on failure
 *
 * Context: may sleep; can be interrupted.
 * Return: 0 or a negative errno.
 */
int rblk_call_list(struct rblk_sess *sess, struct rblk_ioc_offer *offers, u32 room,
		   u32 *nr, struct rblk_ioc_error *error)
{
	s64 next = 0;

	*nr = 0;
	mutex_lock(&sess->call_lock);
	do {
		next = list_some(sess, next, offers, room, nr, error);
	} while (next > 0);
	mutex_unlock(&sess->call_lock);
	return next;
}

static int attach_locked(struct rblk_sess *sess, struct rblk_vol *vol,
			 struct rblk_geometry *geo, struct rblk_ioc_error *error)
{
	const struct rblk_wire_attach_reply *reply = sess->call_reply;
	struct rblk_wire_attach req = { .access = cpu_to_le32(vol->access) };
	struct call c = {
		.type = RBLK_MSG_ATTACH, .stage = RBLK_STAGE_ATTACH,
		.name = "the attach", .msg = &req.ctl, .bytes = sizeof(req),
		.timeout_ms = CALL_MS,
	};
	struct rblk_arrival msg = {};
	const char *wrong;
	int ret;

	memcpy(req.name, vol->name, sizeof(req.name));
	memcpy(req.uuid, vol->uuid, sizeof(req.uuid));
	ret = call(sess, sess->control, &c, &msg, error);
	if (ret)
		return ret;
	wrong = rblk_proto_check_attach_reply(&msg, sess->xid, geo);
	if (wrong)
		return bad_reply(sess, &c, wrong, error);
	if (!reply_status(&msg))
		return 0;
	ret = refused(&c, reply_status(&msg), error);
	if (ret == -EBUSY && reply->holder[0]) {
		rblk_fail(error, c.stage, ret, "export %s is held by host %s",
			  vol->name, reply->holder);
		error->reason = reply_status(&msg);
	}
	return ret;
}

/**
 * rblk_call_attach() - ask the target for a volume
 * @sess: LIVE
 * @vol: name, access and the UUID it must have
 * @geo: filled in on success
 * @error: filled in on failure, with the target's reason
 *
 * Context: may sleep, at most 5 s.
 * Return: 0; -EAGAIN while I/O of an earlier holder drains; or another
 * negative errno.
 */
int rblk_call_attach(struct rblk_sess *sess, struct rblk_vol *vol,
		     struct rblk_geometry *geo, struct rblk_ioc_error *error)
{
	int ret;

	mutex_lock(&sess->call_lock);
	ret = attach_locked(sess, vol, geo, error);
	mutex_unlock(&sess->call_lock);
	return ret;
}

/* A request whose reply only says that it came. */
static void plain(struct rblk_sess *sess, struct call *c)
{
	struct rblk_arrival msg = {};
	struct rblk_ioc_error error;
	const char *wrong;

	if (call(sess, sess->control, c, &msg, &error))
		return;
	wrong = rblk_proto_check_ctl_reply(&msg, c->type, sess->xid,
					   sizeof(struct rblk_wire_ctl));
	if (wrong)
		bad_reply(sess, c, wrong, &error);
}

/**
 * rblk_call_detach() - give a volume back
 * @sess: in any state; nothing is sent unless it is LIVE
 * @volume: the target's handle
 *
 * Context: may sleep, at most 2 s after calls under way.
 */
void rblk_call_detach(struct rblk_sess *sess, u32 volume)
{
	struct rblk_wire_detach req = { .volume = cpu_to_le32(volume) };
	struct call c = {
		.type = RBLK_MSG_DETACH, .stage = RBLK_STAGE_DETACH,
		.name = "the detach", .msg = &req.ctl, .bytes = sizeof(req),
		.timeout_ms = DETACH_MS,
	};

	mutex_lock(&sess->call_lock);
	if (rblk_sess_state(sess) == RBLK_SESS_LIVE)
		plain(sess, &c);
	mutex_unlock(&sess->call_lock);
}

/**
 * rblk_call_keepalive() - is the target there
 * @sess: LIVE; lost if there is no answer within twice its keepalive time, or
 *        5 s
 *
 * Context: may sleep.
 */
void rblk_call_keepalive(struct rblk_sess *sess)
{
	struct rblk_wire_ctl req = {};
	struct call c = {
		.type = RBLK_MSG_KEEPALIVE, .stage = RBLK_STAGE_NONE,
		.name = "the keepalive", .msg = &req, .bytes = sizeof(req),
		.timeout_ms = min_t(u32, 2 * sess->keepalive_ms, CALL_MS),
	};

	/* A call under way asks the same question. */
	if (!mutex_trylock(&sess->call_lock))
		return;
	if (rblk_sess_state(sess) == RBLK_SESS_LIVE)
		plain(sess, &c);
	mutex_unlock(&sess->call_lock);
}

static void on_event(struct rblk_sess *sess, const struct rblk_arrival *msg)
{
	const char *wrong = rblk_proto_check_event(msg);
	unsigned long flags;

	spin_lock_irqsave(&sess->lock, flags);
	if (!wrong && sess->nr_events == RBLK_MAX_EVENTS)
		wrong = "a flood of events";
	if (!wrong)
		memcpy(&sess->events[sess->nr_events++], msg->data,
		       sizeof(sess->events[0]));
	spin_unlock_irqrestore(&sess->lock, flags);
	if (wrong)
		rblk_sess_lose(sess, wrong);
	else
		queue_work(rblk_wq, &sess->event_work);
}

/**
 * rblk_call_message() - a message other than an I/O response has arrived
 * @ctx: the session
 * @conn: the control connection, or an I/O connection being bound
 * @msg: what arrived
 *
 * Context: softirq.
 */
void rblk_call_message(void *ctx, struct rblk_conn *conn,
		       const struct rblk_arrival *msg)
{
	const char *wrong = rblk_proto_check_ctl(msg);
	const struct rblk_wire_hdr *hdr = msg->data;
	struct rblk_sess *sess = ctx;
	unsigned long flags;

	if (!wrong && hdr->type == RBLK_MSG_EVENT && !conn->offer.qid)
		return on_event(sess, msg);
	spin_lock_irqsave(&sess->lock, flags);
	if (!wrong && !sess->call_open)
		wrong = "a reply to nothing";
	if (!wrong) {
		memcpy(sess->call_reply, msg->data, msg->bytes);
		sess->call_bytes = msg->bytes;
		sess->call_open = false;
		complete(&sess->call_done);
	}
	spin_unlock_irqrestore(&sess->lock, flags);
	if (wrong) {
		rblk_count(sess->stats, RBLK_CNT_VIOLATIONS, 1);
		rblk_conn_lose(conn, wrong);
	}
}

/**
 * rblk_call_abort() - no reply will come any more
 * @sess: its connections are lost, or about to be taken down
 *
 * Context: any; caller holds sess->lock.
 */
void rblk_call_abort(struct rblk_sess *sess)
{
	lockdep_assert_held(&sess->lock);
	if (sess->call_open)
		sess->call_lost = true;
	complete(&sess->call_done);
}
