// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events: what the target tells a host unasked.
 *
 * No credit limits them.  So the target sends at most RBLKT_MAX_EVENTS until it
 * hears the host again.  The rest stays due in the session and its attachments.
 */
#include "session.h"

/*
 * May the target send one more event?  If all buffers of events are out, their
 * send completions must wake the send work.  The next message of the host will
 * not do: a host may have answered the events before the target sees those
 * completions, and then it has nothing more to say.
 */
static bool event_fits(struct rblkt_link *link)
{
	struct rblkt_conn *conn = &link->io.conn;

	lockdep_assert_held(&conn->lock);
	if (link->events == RBLKT_MAX_EVENTS)
		return false;
	if (link->events_out < RBLKT_MAX_EVENTS)
		return true;
	link->events_wait = true;
	rblkt_queue_arm(conn);
	return false;
}

/* Send one event; false if it has to wait. */
static bool event_post(struct rblkt_link *link, u16 kind, u32 volume, u64 value)
{
	struct rblkt_conn *conn = &link->io.conn;
	struct rblkt_ctl *ctl = NULL;

	spin_lock_irq(&conn->lock);
	if (event_fits(link)) {
		link->events++;
		link->events_out++;
		ctl = rblkt_ctl_take(link);
		ctl->event = true;
	}
	spin_unlock_irq(&conn->lock);
	if (!ctl)
		return false;
	rblkt_proto_event(ctl->msg, kind, volume, value);
	rblkt_ctl_send(link, ctl);
	return true;
}

/* Send the due events of one volume; false if the host can take no more now. */
static bool att_send_events(struct rblkt_link *link, struct rblkt_att *att)
{
	u16 kind;

	/*
	 * Once the export is gone, no other event about it matters, but that the host has
	 * lost its registration does: that goes first.
	 */
	if (att->events_due & BIT(RBLK_EVENT_REMOVED))
		att->events_due &= BIT(RBLK_EVENT_REMOVED) | BIT(RBLK_EVENT_RESERVATION);
	while (att->events_due) {
		kind = __fls(att->events_due);
		if (!event_post(link, kind, att->handle, kind == RBLK_EVENT_RESERVATION ?
				att->resv_why : att->told << att->geo.block_shift))
			return false;
		att->events_due &= ~BIT(kind);
		if (kind == RBLK_EVENT_RESERVATION)
			att->resv_why = 0;
	}
	return true;
}

/* Tell the host of a pause; false if it can take no more events now. */
static bool sess_send_pause(struct rblkt_link *link, struct rblkt_sess *sess)
{
	u32 ms = rblkt_pause_left();

	if (sess->pause_due && ms &&
	    !event_post(link, RBLK_EVENT_GOING_AWAY, 0, ms))
		return false;
	sess->pause_due = false;
	return true;
}

/*
 * Send the due events, as many as the host can take now.  The pause goes first.
 * The rest stays due until the host is heard or a send completes.
 */
static void sess_send_events(struct rblkt_sess *sess)
{
	struct rblkt_link *link = sess->link[0];
	struct rblkt_att *att;
	unsigned long handle;

	lockdep_assert_held(&rblkt_mutex);
	if (!link || READ_ONCE(link->io.conn.state) != RBLKT_CONN_LIVE)
		return;
	if (!sess_send_pause(link, sess))
		return;
	xa_for_each(&sess->holder.atts, handle, att)
		if (!att_send_events(link, att))
			return;
	WRITE_ONCE(sess->events_due, false);
}

/**
 * rblkt_event_send - tell a host that a volume's export has changed
 * @att: the volume, still in its session's table
 * @kind: what has happened to the export
 *
 * The event goes at once, or later if the host can take no more events now.
 *
 * Context: Process context, with rblkt_mutex held.
 */
void rblkt_event_send(struct rblkt_att *att, enum rblk_wire_event_kind kind)
{
	struct rblkt_sess *sess = rblkt_sess_of(att->holder);

	lockdep_assert_held(&rblkt_mutex);
	if (kind == RBLK_EVENT_RESERVATION && !(sess->grant.features & RBLK_FEAT_RESERVATION))
		return;
	att->events_due |= BIT(kind);
	WRITE_ONCE(sess->events_due, true);
	sess_send_events(sess);
}

/**
 * rblkt_event_pause - tell a host of the pause that has begun
 * @sess: logged in
 *
 * Context: Process context, with rblkt_mutex held.
 */
void rblkt_event_pause(struct rblkt_sess *sess)
{
	lockdep_assert_held(&rblkt_mutex);
	sess->pause_due = true;
	WRITE_ONCE(sess->events_due, true);
	sess_send_events(sess);
}

/**
 * rblkt_event_told - does a host know of the pause?
 * @sess: logged in
 *
 * Hosts answer events at once.  But a message that arrives after an event was
 * sent may have left the host before.  So the send of every event must have
 * completed as well.
 *
 * Context: Process context, with rblkt_mutex held.
 * Return: true also if the control connection is no longer LIVE.
 */
bool rblkt_event_told(const struct rblkt_sess *sess)
{
	struct rblkt_link *link = sess->link[0];
	struct rblkt_conn *conn;
	bool live, told;

	lockdep_assert_held(&rblkt_mutex);
	if (!link)
		return true;
	conn = &link->io.conn;
	spin_lock_irq(&conn->lock);
	live = conn->state == RBLKT_CONN_LIVE;
	told = !sess->pause_due && !link->events && !link->events_out;
	/* Nothing else may wake the target, see event_fits(). */
	if (live && link->events_out) {
		link->events_wait = true;
		rblkt_queue_arm(conn);
	}
	spin_unlock_irq(&conn->lock);
	return told || !live;
}

static void sess_resume_events(struct rblkt_sess *sess)
{
	if (!READ_ONCE(sess->events_due))
		return;
	mutex_lock(&rblkt_mutex);
	sess_send_events(sess);
	mutex_unlock(&rblkt_mutex);
}

/**
 * rblkt_event_heard - note that the host has spoken, and send what waited for it
 * @link: its control connection
 *
 * Context: Process context; takes rblkt_mutex, may sleep.
 */
void rblkt_event_heard(struct rblkt_link *link)
{
	spin_lock_irq(&link->io.conn.lock);
	link->events = 0;
	spin_unlock_irq(&link->io.conn.lock);
	sess_resume_events(link->sess);
}

/**
 * rblkt_event_resume - send the events that waited for send completions
 * @conn: a control connection whose send CQ has been polled
 *
 * Context: Process context; takes rblkt_mutex, may sleep.
 */
void rblkt_event_resume(struct rblkt_conn *conn)
{
	struct rblkt_link *link = rblkt_link_of(conn);
	bool fits;

	spin_lock_irq(&conn->lock);
	fits = link->events_wait && link->events_out < RBLKT_MAX_EVENTS;
	if (fits)
		link->events_wait = false;
	else if (link->events_wait)
		rblkt_queue_arm(conn);
	spin_unlock_irq(&conn->lock);
	if (fits)
		sess_resume_events(link->sess);
}
