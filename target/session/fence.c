// SPDX-License-Identifier: GPL-2.0-only
/*
 * FENCE: a host that has lost a session asks by another one that the target end the
 * lost one, and whether its I/O to an export has ended.  After OK the host sends again
 * what it lost, by another session.  Nothing is guessed from time.
 *
 * Why can no I/O of these epochs come after OK?
 *
 * - Commands enter an attachment only until its session ends, and here it has.  Those
 *   that entered keep the attachment in the export's list until their bios have ended.
 * - A session that has ended attaches nothing more.
 * - One that has not logged in has no attachment.  For I/O its host needs the key in
 *   the answer to LOGIN, and the host has taken all connections of these epochs down
 *   before it asks.  So such a session is left alone, also because nobody knows yet
 *   whose it is.
 */
#include "session.h"

static bool fence_same_host(const struct rblkt_sess *a, const struct rblkt_sess *b)
{
	return !memcmp(a->holder.host, b->holder.host, sizeof(a->holder.host)) &&
	       !memcmp(a->instance, b->instance, sizeof(a->instance));
}

/* Has the I/O to @export ended?  What may still do any drains. */
static u16 fence_look(const struct rblkt_export *export, const struct rblk_wire_fence *msg)
{
	const struct rblkt_att *att;
	u16 status = RBLK_CTL_OK;

	list_for_each_entry(att, &export->atts, node) {
		if (memcmp(att->holder->uuid, msg->session, sizeof(msg->session)) ||
		    rblkt_sess_of(att->holder)->epoch > le32_to_cpu(msg->epoch))
			continue;
		/* Another host's, or this host's with its former key. */
		if (!att->draining)
			return RBLK_CTL_DENIED;
		if (rblkt_fence_up())
			status = RBLK_CTL_AGAIN;
	}
	return status;
}

/* An export that is gone may still have I/O, which nobody can find any more. */
static u16 fence_end(const struct rblkt_sess *sess, const struct rblk_wire_fence *msg)
{
	struct rblkt_sess *lost = rblkt_sess_lookup(sess->holder.host, msg->session);
	const struct rblkt_export *export;

	if (lost && !fence_same_host(sess, lost))
		return RBLK_CTL_DENIED;
	if (lost && lost->epoch <= le32_to_cpu(msg->epoch))
		rblkt_sess_kill(lost, "its host uses another route");
	export = rblkt_export_known(msg->uuid);
	return export ? fence_look(export, msg) : RBLK_CTL_NO_EXPORT;
}

/**
 * rblkt_fence - end epochs of a host's session, and tell whether their I/O has ended
 * @sess: another session of that host, by which it asks
 * @msg: the checked message
 *
 * Does not wait for I/O: while some is left the answer is RBLK_CTL_AGAIN.
 *
 * Context: Process context; takes rblkt_mutex, may sleep.
 * Return: enum rblk_wire_ctl_status.
 */
u16 rblkt_fence(const struct rblkt_sess *sess, const struct rblk_wire_fence *msg)
{
	u16 status;

	/* It would not live to hear the answer. */
	if (!memcmp(sess->holder.uuid, msg->session, sizeof(msg->session)))
		return RBLK_CTL_MALFORMED;
	mutex_lock(&rblkt_mutex);
	status = fence_end(sess, msg);
	mutex_unlock(&rblkt_mutex);
	return status;
}
