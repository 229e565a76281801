// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes control calls: sends requests to the target and waits for the replies,
 * up to a deadline.  Also receives the target's events.
 *
 * call_lock serialises the calls of a session, so only one call at a time waits
 * for replies.  A call may consist of several requests of one kind, sent one
 * behind the other.  If the replies do not arrive in time, the target is not
 * well, even if the connection seems to work: the session gives up its
 * connections and recovers.
 */
#include <linux/delay.h>
#include "session.h"

/* If no reply comes in this time, the target may not have seen the request. */
#define ZERO_WRITE_MS	200

/**
 * rblk_mutex_lock_timeout() - take a mutex that others hold across control calls
 * @lock: the mutex
 * @ms: how long to try, milliseconds
 *
 * Context: may sleep, about @ms.
 * Return: whether the caller now holds it.
 */
bool rblk_mutex_lock_timeout(struct mutex *lock, unsigned int ms)
{
	unsigned long until = jiffies + msecs_to_jiffies(ms);

	while (!mutex_trylock(lock)) {
		if (time_after(jiffies, until))
			return false;
		msleep(20);
	}
	return true;
}

/* Returns whether the call may go on: not on connections that are lost. */
static bool call_begin(struct rblk_sess *sess, struct rblk_conn *conn, u32 nr)
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

/* Returns whether all replies have arrived. */
static bool call_end(struct rblk_sess *sess)
{
	bool replied;

	spin_lock_irq(&sess->lock);
	replied = !sess->call_open && !sess->call_lost;
	sess->call_open = false;
	spin_unlock_irq(&sess->lock);
	return replied;
}

static int call_unanswered(struct rblk_sess *sess, const struct rblk_call *c, long left,
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

static long call_wait_done(struct rblk_sess *sess, const struct rblk_call *c,
			   unsigned long timeout)
{
	if (!c->interruptible)
		return wait_for_completion_timeout(&sess->call_done, timeout);
	return wait_for_completion_interruptible_timeout(&sess->call_done,
							 timeout);
}

static long call_wait_replies(struct rblk_sess *sess, struct rblk_conn *conn,
			      const struct rblk_call *c)
{
	unsigned long timeout = msecs_to_jiffies(c->timeout_ms);
	unsigned long first = min(timeout, msecs_to_jiffies(ZERO_WRITE_MS));
	long left;

	left = call_wait_done(sess, c, first);
	if (left || first == timeout)
		return left;
	rblk_conn_zero_write(conn);
	return call_wait_done(sess, c, timeout - first);
}

/* Returns 0, or a negative errno if it could not send all requests. */
static int call_send(struct rblk_sess *sess, struct rblk_conn *conn,
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
	/* Some requests were sent; no call will wait for their replies. */
	if (ret && i > 1)
		rblk_conn_lose(conn, "no room for a control message");
	return ret;
}

/**
 * rblk_call() - send requests and wait for their replies
 * @sess: the session
 * @conn: connection to send on; NULL if there is none
 * @c: the call; its last request has the transaction number @sess->xid
 * @msg: filled in with one reply per request, in order of arrival.  The replies
 *       are in @sess->call_reply; the caller must check them
 * @error: filled in on failure
 *
 * If the replies do not arrive in time, or a signal interrupts the wait, the
 * session loses its connections.
 *
 * Context: call_lock held; may sleep, for the timeout of @c.
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
	if (!call_begin(sess, conn, nr))
		return call_unanswered(sess, c, left, error);
	if (call_send(sess, conn, c, nr)) {
		call_end(sess);
		return rblk_fail(error, c->stage, -ECONNRESET,
				 "the connection was lost before %s", c->name);
	}
	left = call_wait_replies(sess, conn, c);
	if (!call_end(sess))
		return call_unanswered(sess, c, left, error);
	for (i = 0; i < nr; i++) {
		msg[i].data = sess->call_reply + i * RBLK_CALL_STRIDE;
		msg[i].bytes = sess->call_bytes[i];
	}
	return 0;
}

static int ctl_errno(u16 status)
{
	switch (status) {
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
	case RBLK_CTL_NOTHING:
	case RBLK_CTL_KEY_UNKNOWN:
	case RBLK_CTL_NO_KEY:
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
	case RBLK_CTL_OLD_CHANGE:
		return -ESTALE;
	case RBLK_CTL_NOT_KEPT:
		return -ENOSPC;
	case RBLK_CTL_CONFLICT:
	case RBLK_CTL_WRONG_TYPE:
		return -EBADE;
	case RBLK_CTL_GOING_AWAY:
		return -ESHUTDOWN;
	default:
		return -EPROTO;
	}
}

/**
 * rblk_call_result() - turn a reply into the result of its call
 * @sess: the session; a reply that breaks the protocol loses its connections
 * @c: the call
 * @msg: the reply
 * @wrong: what a check has found wrong with the reply, or NULL
 * @error: filled in on failure; its reason is the target's
 *
 * Context: any.
 * Return: 0; -EPROTO if @wrong; or the negative errno that the reply's status
 * stands for.
 */
int rblk_call_result(struct rblk_sess *sess, const struct rblk_call *c,
		     const struct rblk_arrival *msg, const char *wrong,
		     struct rblk_ioc_error *error)
{
	const struct rblk_wire_ctl *reply = msg->data;
	u16 status;
	int ret;

	if (wrong) {
		rblk_count(sess->stats, RBLK_CNT_VIOLATIONS, 1);
		rblk_sess_lose(sess, wrong);
		return rblk_fail(error, c->stage, -EPROTO,
				 "the target's answer to %s: %s", c->name, wrong);
	}
	status = le16_to_cpu(reply->status);
	if (status == RBLK_CTL_OK)
		return 0;
	ret = rblk_fail(error, c->stage, ctl_errno(status), "%s",
			rblk_proto_ctl_text(status));
	error->reason = status;
	return ret;
}

/**
 * rblk_call_plain() - make a call whose reply carries no data
 * @sess: the session
 * @c: the call, of a single request; the reply's status is ignored
 *
 * Context: call_lock held; may sleep, for the timeout of @c.
 */
void rblk_call_plain(struct rblk_sess *sess, struct rblk_call *c)
{
	struct rblk_arrival msg = {};
	struct rblk_ioc_error error;

	if (!rblk_call(sess, sess->control, c, &msg, &error))
		rblk_call_result(sess, c, &msg,
				 rblk_proto_check_ctl_reply(&msg, c->type, sess->xid,
							    sizeof(struct rblk_wire_ctl)),
				 &error);
}

/* An event joins one of the same kind about the same volume: see event_keep(). */
static struct rblk_wire_event *event_find_place(struct rblk_sess *sess,
						const struct rblk_wire_event *event)
{
	struct rblk_wire_event *place;
	u32 i;

	for (i = 0; i < sess->nr_events; i++)
		if (sess->events[i].kind == event->kind &&
		    sess->events[i].volume == event->volume)
			return &sess->events[i];
	if (sess->nr_events == RBLK_MAX_EVENTS)
		return NULL;
	place = &sess->events[sess->nr_events++];
	memset(place, 0, sizeof(*place));
	return place;
}

static const char *event_keep(struct rblk_sess *sess,
			      const struct rblk_wire_event *event)
{
	struct rblk_wire_event *place;
	__le32 why;

	lockdep_assert_held(&sess->lock);
	if (time_after(jiffies, sess->events_since + HZ)) {
		sess->events_since = jiffies;
		sess->events_heard = 0;
	}
	if (++sess->events_heard > RBLK_EVENTS_PER_SECOND)
		return "a flood of events";
	/* Note it at once: the target may go before event_work runs. */
	if (le16_to_cpu(event->kind) == RBLK_EVENT_GOING_AWAY) {
		if (!sess->lost)
			rblk_pause_note(sess, le32_to_cpu(event->duration_ms));
		return NULL;
	}
	place = event_find_place(sess, event);
	if (!place)
		return "a flood of events";
	/* What has happened adds up; of all else the last word counts. */
	why = place->why | event->why;
	*place = *event;
	place->why = why;
	return NULL;
}

static void event_received(struct rblk_sess *sess, struct rblk_conn *conn,
			   const struct rblk_arrival *msg)
{
	const char *wrong = rblk_proto_check_event(msg);
	const struct rblk_wire_event *event = msg->data;
	unsigned long flags;

	if (!wrong && event->kind == cpu_to_le16(RBLK_EVENT_RESERVATION) &&
	    !(conn->grant.features & RBLK_FEAT_RESERVATION))
		wrong = "an event of reservations that were not agreed on";
	spin_lock_irqsave(&sess->lock, flags);
	if (!wrong)
		wrong = event_keep(sess, event);
	spin_unlock_irqrestore(&sess->lock, flags);
	if (wrong) {
		rblk_count(sess->stats, RBLK_CNT_VIOLATIONS, 1);
		rblk_conn_lose(conn, wrong);
		return;
	}
	mod_delayed_work(rblk_wq, &sess->event_work, 0);
}

static const char *call_keep_reply(struct rblk_sess *sess,
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
 * rblk_call_message() - handle a message that is not an I/O response
 * @ctx: the session
 * @conn: the control connection, or an I/O connection being bound
 * @msg: the message, not checked
 *
 * If a message breaks the protocol, @conn is lost.
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

	if (!wrong && hdr->type == RBLK_MSG_EVENT && !conn->offer.qid) {
		/* Anybody may have sent it, and it would be heeded after the login. */
		if (conn->sign.wanted && !smp_load_acquire(&conn->sign.receives))
			wrong = "an event of a target that has not proved its key";
		else
			return event_received(sess, conn, msg);
	}
	spin_lock_irqsave(&sess->lock, flags);
	if (!wrong && !sess->call_open)
		wrong = "a reply to nothing";
	if (!wrong && sess->call_conn != conn)
		wrong = "a reply on another connection than its request";
	if (!wrong)
		wrong = call_keep_reply(sess, msg);
	spin_unlock_irqrestore(&sess->lock, flags);
	if (wrong) {
		rblk_count(sess->stats, RBLK_CNT_VIOLATIONS, 1);
		rblk_conn_lose(conn, wrong);
	}
}

/**
 * rblk_call_abort() - end the call in progress, as its replies will never come
 * @sess: its connections are lost, or about to be taken down
 *
 * Context: any; the caller holds sess->lock.
 */
void rblk_call_abort(struct rblk_sess *sess)
{
	lockdep_assert_held(&sess->lock);
	if (sess->call_open)
		sess->call_lost = true;
	complete(&sess->call_done);
}
