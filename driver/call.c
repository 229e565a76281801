// SPDX-License-Identifier: GPL-2.0-only
/*
 * Control calls: one request to the target, one reply, a deadline.
 *
 * Calls of a session are serialised by call_lock, so there is at most one
 * reply to wait for.  A call that gets none within its time says that the
 * target is not well, whatever the connection looks like: the session is lost
 * and recovers.
 */
#include "session.h"

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

static int no_reply(struct rblk_sess *sess, const struct rblk_call *c, long left,
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

static long wait_reply(struct rblk_sess *sess, const struct rblk_call *c)
{
	unsigned long timeout = msecs_to_jiffies(c->timeout_ms);

	if (!c->interruptible)
		return wait_for_completion_timeout(&sess->call_done, timeout);
	return wait_for_completion_interruptible_timeout(&sess->call_done,
							 timeout);
}

/**
 * rblk_call() - send a request and wait for its reply
 * @sess: with call_lock held
 * @conn: where; NULL if there is no connection
 * @c: what
 * @msg: describes the reply, which is in @sess->call_reply and to be checked
 * @error: filled in on failure
 *
 * Context: may sleep, as long as @c says.
 * Return: 0 or a negative errno.
 */
int rblk_call(struct rblk_sess *sess, struct rblk_conn *conn,
	      const struct rblk_call *c, struct rblk_arrival *msg,
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

/**
 * rblk_call_bad_reply() - the reply breaks the protocol: the session is lost
 * @sess: the session
 * @c: the request
 * @wrong: what is wrong
 * @error: filled in
 *
 * Return: -EPROTO.
 */
int rblk_call_bad_reply(struct rblk_sess *sess, const struct rblk_call *c,
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

/**
 * rblk_call_refused() - the target said no
 * @c: the request
 * @status: enum rblk_wire_ctl_status, not OK
 * @error: filled in
 *
 * Return: the negative errno that @status stands for.
 */
int rblk_call_refused(const struct rblk_call *c, u16 status,
		      struct rblk_ioc_error *error)
{
	int ret = rblk_fail(error, c->stage, ctl_errno(status), "%s",
			    rblk_proto_ctl_text(status));

	error->reason = status;
	return ret;
}

/**
 * rblk_call_status() - a checked reply's status
 * @msg: the reply
 */
u16 rblk_call_status(const struct rblk_arrival *msg)
{
	return le16_to_cpu(((const struct rblk_wire_ctl *)msg->data)->status);
}

/**
 * rblk_call_plain() - a request whose reply only says that it came
 * @sess: with call_lock held
 * @c: the request
 *
 * Context: may sleep, as long as @c says.
 */
void rblk_call_plain(struct rblk_sess *sess, struct rblk_call *c)
{
	struct rblk_arrival msg = {};
	struct rblk_ioc_error error;
	const char *wrong;

	if (rblk_call(sess, sess->control, c, &msg, &error))
		return;
	wrong = rblk_proto_check_ctl_reply(&msg, c->type, sess->xid,
					   sizeof(struct rblk_wire_ctl));
	if (wrong)
		rblk_call_bad_reply(sess, c, wrong, &error);
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
