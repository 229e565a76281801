// SPDX-License-Identifier: GPL-2.0-only
/*
 * Control calls: requests to the target, their replies, a deadline.
 *
 * Calls of a session are serialised by call_lock, so there are at most one
 * call's replies to wait for.  A call may be several requests of one kind, sent
 * one behind the other.  One that gets no answer within its time says that the
 * target is not well, whatever the connection looks like: the session is lost
 * and recovers.
 */
#include "session.h"

/* An answer that takes longer may wait for the target to look. */
#define NUDGE_MS	200

/* Returns whether the call may be made: not on connections that go down. */
static bool begin(struct rblk_sess *sess, struct rblk_conn *conn, u32 nr)
{
	bool may;

	spin_lock_irq(&sess->lock);
	may = !sess->lost && !sess->aborted;
	sess->call_open = may;
	sess->call_conn = conn;
	sess->call_lost = !may;
	sess->call_wanted = nr;
	sess->call_got = 0;
	reinit_completion(&sess->call_done);
	spin_unlock_irq(&sess->lock);
	return may;
}

/* Returns whether all replies are there. */
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

static long wait_for(struct rblk_sess *sess, const struct rblk_call *c,
		     unsigned long timeout)
{
	if (!c->interruptible)
		return wait_for_completion_timeout(&sess->call_done, timeout);
	return wait_for_completion_interruptible_timeout(&sess->call_done,
							 timeout);
}

static long wait_reply(struct rblk_sess *sess, struct rblk_conn *conn,
		       const struct rblk_call *c)
{
	unsigned long timeout = msecs_to_jiffies(c->timeout_ms);
	unsigned long first = min(timeout, msecs_to_jiffies(NUDGE_MS));
	long left;

	left = wait_for(sess, c, first);
	if (left || first == timeout)
		return left;
	rblk_conn_nudge(conn);
	return wait_for(sess, c, timeout - first);
}

/* Returns 0 or, if not all of them are on their way, a negative errno. */
static int send(struct rblk_sess *sess, struct rblk_conn *conn,
		const struct rblk_call *c, u32 nr)
{
	int ret = 0;
	u32 i;

	for (i = 0; i < nr && !ret; i++) {
		void *msg = (void *)c->msg + i * c->stride;
		u32 at = i * RBLK_CALL_STRIDE;

		rblk_proto_encode_ctl(msg, c->type, c->bytes, ++sess->xid);
		memcpy(conn->msg + at, msg, c->bytes);
		ret = rblk_conn_send(conn, at, c->bytes);
	}
	/* Replies to those that are would be replies to nothing. */
	if (ret && i > 1)
		rblk_conn_lose(conn, "no room for a control message");
	return ret;
}

/**
 * rblk_call() - send requests and wait for their replies
 * @sess: with call_lock held
 * @conn: where; NULL if there is no connection
 * @c: what; of several, the last has the transaction number @sess->xid
 * @msg: describes the replies, one for each request, in the order in which they
 *       came; they are in @sess->call_reply and to be checked
 * @error: filled in on failure
 *
 * Context: may sleep, as long as @c says.
 * Return: 0 or a negative errno.
 */
int rblk_call(struct rblk_sess *sess, struct rblk_conn *conn,
	      const struct rblk_call *c, struct rblk_arrival *msg,
	      struct rblk_ioc_error *error)
{
	u32 nr = max(c->nr, 1u), i;
	long left = 1;

	lockdep_assert_held(&sess->call_lock);
	if (!conn)
		return rblk_fail(error, c->stage, -ECONNRESET,
				 "the connection was lost before %s", c->name);
	if (!begin(sess, conn, nr))
		return no_reply(sess, c, left, error);
	if (send(sess, conn, c, nr)) {
		end(sess);
		return rblk_fail(error, c->stage, -ECONNRESET,
				 "the connection was lost before %s", c->name);
	}
	left = wait_reply(sess, conn, c);
	if (!end(sess))
		return no_reply(sess, c, left, error);
	for (i = 0; i < nr; i++) {
		msg[i].data = sess->call_reply + i * RBLK_CALL_STRIDE;
		msg[i].bytes = sess->call_bytes[i];
	}
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
	case RBLK_CTL_OTHER_HOST:
		return -EACCES;
	case RBLK_CTL_BUSY:
	case RBLK_CTL_NOT_SHARED:
		return -EBUSY;
	case RBLK_CTL_READ_ONLY:
		return -EROFS;
	case RBLK_CTL_NO_RESOURCES:
	case RBLK_CTL_MEMORY:
		return -ENOMEM;
	case RBLK_CTL_SESSIONS:
		return -EUSERS;
	case RBLK_CTL_ATTACHED:
		return -EEXIST;
	case RBLK_CTL_WRONG_UUID:
	case RBLK_CTL_FENCED:
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

/* Where an event goes: the later of two about the same thing is enough. */
static struct rblk_wire_event *event_place(struct rblk_sess *sess,
					   const struct rblk_wire_event *event)
{
	u32 i;

	for (i = 0; i < sess->nr_events; i++)
		if (sess->events[i].kind == event->kind &&
		    sess->events[i].volume == event->volume)
			return &sess->events[i];
	return sess->nr_events < RBLK_MAX_EVENTS ?
	       &sess->events[sess->nr_events++] : NULL;
}

static const char *keep_event(struct rblk_sess *sess,
			      const struct rblk_wire_event *event)
{
	struct rblk_wire_event *place;

	lockdep_assert_held(&sess->lock);
	if (time_after(jiffies, sess->events_since + HZ)) {
		sess->events_since = jiffies;
		sess->events_heard = 0;
	}
	if (++sess->events_heard > RBLK_EVENTS_PER_SECOND)
		return "a flood of events";
	/* At once: what it announces may come before anything is handled. */
	if (le16_to_cpu(event->kind) == RBLK_EVENT_GOING_AWAY) {
		if (!sess->lost)
			rblk_away_note(sess, le32_to_cpu(event->duration_ms));
		return NULL;
	}
	place = event_place(sess, event);
	if (!place)
		return "a flood of events";
	*place = *event;
	return NULL;
}

static void on_event(struct rblk_sess *sess, struct rblk_conn *conn,
		     const struct rblk_arrival *msg)
{
	const char *wrong = rblk_proto_check_event(msg);
	unsigned long flags;

	spin_lock_irqsave(&sess->lock, flags);
	if (!wrong)
		wrong = keep_event(sess, msg->data);
	spin_unlock_irqrestore(&sess->lock, flags);
	if (wrong) {
		rblk_count(sess->stats, RBLK_CNT_VIOLATIONS, 1);
		rblk_conn_lose(conn, wrong);
		return;
	}
	mod_delayed_work(rblk_wq, &sess->event_work, 0);
}

static const char *keep_reply(struct rblk_sess *sess,
			      const struct rblk_arrival *msg)
{
	u32 got = sess->call_got;

	lockdep_assert_held(&sess->lock);
	if (sess->call_wanted > 1 && msg->bytes > RBLK_CALL_STRIDE)
		return "a reply that is too long";
	memcpy(sess->call_reply + got * RBLK_CALL_STRIDE, msg->data, msg->bytes);
	sess->call_bytes[got] = msg->bytes;
	sess->call_got++;
	if (sess->call_got < sess->call_wanted)
		return NULL;
	sess->call_open = false;
	complete(&sess->call_done);
	return NULL;
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
		return on_event(sess, conn, msg);
	spin_lock_irqsave(&sess->lock, flags);
	if (!wrong && !sess->call_open)
		wrong = "a reply to nothing";
	if (!wrong && sess->call_conn != conn)
		wrong = "a reply on another connection than its request";
	if (!wrong)
		wrong = keep_reply(sess, msg);
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
