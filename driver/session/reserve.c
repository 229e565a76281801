// SPDX-License-Identifier: GPL-2.0-only
/*
 * Asks the target for a volume's registrations, and to change them: RESERVATION and
 * RESERVE.
 *
 * A request names the volume by the handle that the target gave it in this epoch.  An
 * older one might be another volume's.  Nobody takes a session's control connection down,
 * or gives a volume back, without call_lock.  So what ops->serves() says under that lock
 * holds until the answer is there.
 */
#include <linux/sched/signal.h>
#include "session.h"

#define LOCK_POLL_MS	20

/* Others may make calls of up to RBLK_CALL_MS each. */
static int reserve_lock_calls(struct rblk_sess *sess, unsigned long until)
{
	while (!mutex_trylock(&sess->call_lock)) {
		if (fatal_signal_pending(current))
			return -EINTR;
		if (time_after(jiffies, until))
			return -EAGAIN;
		schedule_timeout_killable(msecs_to_jiffies(LOCK_POLL_MS));
	}
	return 0;
}

/* Can the volume be asked about by this session now?  Returns 0 and its handle if so. */
static int reserve_handle(struct rblk_sess *sess, struct rblk_vol *vol, u32 *handle)
{
	u32 features;

	lockdep_assert_held(&sess->call_lock);
	if (!sess->control || !vol->ops->serves(vol, sess, handle))
		return -EAGAIN;
	/* As in attach_fill_request(). */
	features = sess->grant.features & sess->control->grant.features;
	return features & RBLK_FEAT_RESERVATION ? 0 : -EOPNOTSUPP;
}

/**
 * rblk_reserve_ask() - ask the target for a change of a volume's registrations, once
 * @sess: the caller has a use of it
 * @vol: a volume that it had
 * @req: the change; its handle is filled in
 * @until: jiffies; to wait for other calls no longer
 * @status: set to the target's answer, enum rblk_wire_ctl_status
 *
 * Without an answer the change may have been made.  The same @req may then be asked for
 * again by any session that has the volume.
 *
 * Context: may sleep, 5 s more than until @until; a fatal signal ends only the wait for
 * other calls.
 * Return: 0 if there is an answer; -EAGAIN if the volume is not LIVE by this session now;
 * -ECONNRESET if there was no answer; -EOPNOTSUPP if the target has no reservations;
 * -EINTR.
 */
int rblk_reserve_ask(struct rblk_sess *sess, struct rblk_vol *vol,
		     struct rblk_wire_reserve *req, unsigned long until, u16 *status)
{
	struct rblk_call c = {
		.type = RBLK_MSG_RESERVE, .stage = RBLK_STAGE_NONE,
		.name = "the change of a registration", .msg = &req->ctl,
		.bytes = sizeof(*req), .timeout_ms = RBLK_CALL_MS,
	};
	struct rblk_ioc_error error = {};
	struct rblk_arrival msg = {};
	u32 handle;
	int ret;

	ret = reserve_lock_calls(sess, until);
	if (ret)
		return ret;
	ret = reserve_handle(sess, vol, &handle);
	if (ret)
		goto out;
	req->volume = cpu_to_le32(handle);
	ret = rblk_call(sess, sess->control, &c, &msg, &error);
	if (!ret) {
		rblk_call_result(sess, &c, &msg,
				 rblk_proto_check_ctl_reply(&msg, c.type, sess->xid,
							    sizeof(struct rblk_wire_ctl)),
				 &error);
		*status = error.error ? error.reason : RBLK_CTL_OK;
	}
	/* A violation has no reason: it has lost the session, and so is no answer. */
	if (ret || (error.error && !error.reason))
		ret = -ECONNRESET;
out:
	mutex_unlock(&sess->call_lock);
	return ret;
}

/*
 * One page of the registrants, under call_lock.  Returns the next one's start, 0 at the end
 * or if they have changed, or an errno.
 */
static int reserve_read_page(struct rblk_sess *sess, struct rblk_vol *vol, u32 start,
			     struct rblk_registrations *regs)
{
	const struct rblk_wire_reservation_reply *reply = sess->call_reply;
	struct rblk_wire_reservation req = { .start = cpu_to_le32(start) };
	struct rblk_call c = {
		.type = RBLK_MSG_RESERVATION, .stage = RBLK_STAGE_LOOKUP,
		.name = "the listing of registrations", .msg = &req.ctl,
		.bytes = sizeof(req), .timeout_ms = RBLK_CALL_MS,
	};
	struct rblk_ioc_error error = {};
	struct rblk_arrival msg = {};
	u32 handle, nr;
	int ret;

	ret = reserve_handle(sess, vol, &handle);
	if (ret)
		return ret;
	req.volume = cpu_to_le32(handle);
	if (rblk_call(sess, sess->control, &c, &msg, &error) ||
	    rblk_call_result(sess, &c, &msg,
			     rblk_proto_check_reservation_reply(&msg, sess->xid, start), &error))
		return error.reason && error.reason != RBLK_CTL_NO_VOLUME ? -EIO : -EAGAIN;
	if (start && (regs->generation != le32_to_cpu(reply->generation) ||
		      regs->type != reply->type))
		return 0;
	regs->generation = le32_to_cpu(reply->generation);
	regs->type = reply->type;
	nr = le32_to_cpu(reply->nr);
	/* The check of the reply has it that all fit. */
	memcpy(&regs->entry[start], reply->entry, nr * sizeof(regs->entry[0]));
	regs->nr = start + nr;
	regs->whole = !reply->next;
	return le32_to_cpu(reply->next);
}

/**
 * rblk_reserve_read() - ask the target for a volume's registrations
 * @sess: the caller has a use of it
 * @vol: a volume that it had
 * @regs: filled in
 * @until: jiffies; to wait for other calls, and to begin another page, no longer
 *
 * The target chooses how much of them it puts into a page.  Each page leads on, by the
 * check of the reply, so they end.  A slow target keeps other calls, such as that of a
 * detach, waiting for one page, not for all.
 *
 * Context: may sleep, 5 s more than until @until; a fatal signal ends it after the page that
 * was asked for.
 * Return: 0; -EAGAIN if the volume is not LIVE by this session now, the registrations have
 * changed meanwhile, or there are more pages than the time allows; -EOPNOTSUPP if the
 * target has no reservations; -EIO if it refuses; -EINTR.
 */
int rblk_reserve_read(struct rblk_sess *sess, struct rblk_vol *vol,
		      struct rblk_registrations *regs, unsigned long until)
{
	int ret, next = 0;
	u32 epoch = 0;

	regs->whole = false;
	do {
		if (fatal_signal_pending(current))
			return -EINTR;
		ret = reserve_lock_calls(sess, until);
		if (ret)
			return ret;
		/* After a restart, a target that keeps nothing counts changes anew. */
		if (next && epoch != READ_ONCE(sess->epoch))
			next = -EAGAIN;
		else
			next = reserve_read_page(sess, vol, next, regs);
		epoch = READ_ONCE(sess->epoch);
		mutex_unlock(&sess->call_lock);
	} while (next > 0 && time_before(jiffies, until));
	if (next < 0)
		return next;
	if (!regs->whole || !rblk_proto_holders_fit(regs->type, regs->entry, regs->nr))
		return -EAGAIN;
	return 0;
}
