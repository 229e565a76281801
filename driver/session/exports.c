// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lists the target's exports and portals, asks for volumes and gives them back:
 * LIST, PORTALS, ATTACH and DETACH.
 */
#include <linux/socket.h>
#include "session.h"

#define DETACH_MS	2000
/* How long to wait for other calls to end. */
#define DETACH_LOCK_MS 2000
/* Up to RBLK_WIRE_LIST_MAX exports each; a bad target might go on for ever. */
#define MAX_LIST_CALLS	1024

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

/* Makes one LIST; returns the next start, 0 at the end, or a negative errno. */
static s64 exports_list_from(struct rblk_sess *sess, u32 start, u32 timeout_ms,
			     struct rblk_ioc_discover *arg,
			     struct rblk_ioc_offer *offers, u32 room)
{
	const struct rblk_wire_list_reply *reply = sess->call_reply;
	struct rblk_wire_list req = { .start = cpu_to_le32(start) };
	struct rblk_call c = {
		.type = RBLK_MSG_LIST, .stage = RBLK_STAGE_LOOKUP,
		.name = "the listing of exports", .msg = &req.ctl,
		.bytes = sizeof(req), .timeout_ms = timeout_ms,
		.interruptible = true,
	};
	struct rblk_arrival msg = {};
	u32 i;
	int ret;

	ret = rblk_call(sess, sess->control, &c, &msg, &arg->error);
	if (ret)
		return ret;
	ret = rblk_call_result(sess, &c, &msg,
			       rblk_proto_check_list_reply(&msg, sess->xid, start),
			       &arg->error);
	if (ret)
		return ret;
	for (i = 0; i < le32_to_cpu(reply->nr); i++, arg->nr++)
		if (arg->nr < room)
			copy_offer(&offers[arg->nr], &reply->entry[i]);
	return le32_to_cpu(reply->next);
}

/**
 * rblk_exports_list() - list the exports that this host may attach
 * @sess: LIVE
 * @arg: its nr is set to the number of exports, which may be more than @room;
 *       its error is filled in on failure
 * @offers: filled in
 * @room: number of entries at @offers
 * @until: jiffies; by then the target must have reached the end of its list,
 *         however fast it answers each call
 *
 * Context: may sleep; can be interrupted.
 * Return: 0 or a negative errno.
 */
int rblk_exports_list(struct rblk_sess *sess, struct rblk_ioc_discover *arg,
		      struct rblk_ioc_offer *offers, u32 room, unsigned long until)
{
	s64 next = 0;
	u32 calls = 0;
	long left;

	arg->nr = 0;
	mutex_lock(&sess->call_lock);
	do {
		left = max_t(long, until - jiffies, HZ);
		next = exports_list_from(sess, next, min_t(u32, jiffies_to_msecs(left),
							   RBLK_CALL_MS),
					 arg, offers, room);
	} while (next > 0 && ++calls < MAX_LIST_CALLS &&
		 time_before(jiffies, until));
	mutex_unlock(&sess->call_lock);
	if (next > 0)
		return rblk_fail(&arg->error, RBLK_STAGE_LOOKUP, -EPROTO,
				 "the target's list of exports does not end");
	return next;
}

static void attach_fill_request(struct rblk_sess *sess, struct rblk_attaching *att)
{
	/* As first granted: so I/O connections offer it.  And as this epoch's target does. */
	u32 features = sess->grant.features & sess->control->grant.features;
	const struct rblk_vol *vol = att->vol;
	struct rblk_wire_attach *msg = &att->msg;

	memset(msg, 0, sizeof(*msg));
	memcpy(msg->name, vol->name, sizeof(msg->name));
	export_uuid(msg->uuid, &vol->uuid);
	msg->access = cpu_to_le32(vol->access);
	msg->device = cpu_to_le64(vol->device);
	if (vol->digest && features & RBLK_FEAT_DIGEST)
		msg->flags |= cpu_to_le32(RBLK_ATTACHF_DIGEST);
	if (!vol->min_capacity)
		return;
	msg->flags |= cpu_to_le32(RBLK_ATTACHF_CONTINUE);
	msg->tenure = cpu_to_le64(vol->geo.tenure);
	msg->right = cpu_to_le64(vol->geo.right);
}

/*
 * Replies may arrive in any order.  If none has the request's xid, this returns
 * the last one, and the check of the reply finds the wrong xid.
 */
static const struct rblk_arrival *attach_reply(const struct rblk_attaching *att,
					       const struct rblk_arrival *msg, u32 nr)
{
	const struct rblk_wire_ctl *ctl;
	u32 i;

	for (i = 0; i < nr - 1; i++) {
		ctl = msg[i].data;
		if (ctl->xid == att->msg.ctl.xid)
			break;
	}
	return &msg[i];
}

/* If two volumes had one handle, I/O for one would reach the other. */
static bool handle_is_taken(struct rblk_sess *sess, const struct rblk_attaching *att)
{
	const struct rblk_attaching *before;
	const struct rblk_vol *vol;

	lockdep_assert_held(&sess->vols_lock);
	for (before = sess->attaching; before < att; before++)
		if (!before->ret && before->geo.volume == att->geo.volume)
			return true;
	list_for_each_entry(vol, &sess->vols, entry)
		if (vol->attached && vol->geo.volume == att->geo.volume)
			return true;
	return false;
}

static int attach_check_reply(struct rblk_sess *sess, const struct rblk_call *c,
			      struct rblk_attaching *att,
			      const struct rblk_arrival *msg)
{
	const struct rblk_wire_attach_reply *reply = msg->data;
	const char *wrong;
	int ret;

	wrong = rblk_proto_check_attach_reply(msg, le32_to_cpu(att->msg.ctl.xid),
					      &att->geo);
	if (!wrong && !reply->ctl.status && handle_is_taken(sess, att))
		wrong = "ATTACH reply with the handle of another volume";
	if (!wrong && !reply->ctl.status && att->geo.flags & RBLK_EXPF_DIGEST &&
	    !(att->msg.flags & cpu_to_le32(RBLK_ATTACHF_DIGEST)))
		wrong = "ATTACH reply with a digest that was not asked for";
	ret = rblk_call_result(sess, c, msg, wrong, &att->error);
	if (ret == -EBUSY && reply->holder[0])
		snprintf(att->error.text, sizeof(att->error.text),
			 "export %s is held by host %s", att->vol->name,
			 reply->holder);
	return ret;
}

/**
 * rblk_exports_attach() - ask the target to grant volumes
 * @sess: LIVE
 * @nr: number of @sess->attaching, at most RBLK_CALL_BATCH.  Their @vol is set;
 *      this fills in the rest
 *
 * Context: session work, vols_lock held; may sleep, at most 5 s beyond the wait
 * for call_lock.
 */
void rblk_exports_attach(struct rblk_sess *sess, u32 nr)
{
	struct rblk_attaching *att = sess->attaching;
	struct rblk_arrival msg[RBLK_CALL_BATCH] = {};
	struct rblk_call c = {
		.type = RBLK_MSG_ATTACH, .stage = RBLK_STAGE_ATTACH,
		.name = "the attach", .msg = &att->msg.ctl,
		.bytes = sizeof(att->msg), .nr = nr, .stride = sizeof(*att),
		.timeout_ms = RBLK_CALL_MS,
	};
	int ret;
	u32 i;

	BUILD_BUG_ON(sizeof(struct rblk_wire_attach) > RBLK_CALL_STRIDE);
	BUILD_BUG_ON(sizeof(struct rblk_wire_attach_reply) > RBLK_CALL_STRIDE);
	for (i = 0; i < nr; i++)
		attach_fill_request(sess, &att[i]);
	mutex_lock(&sess->call_lock);
	ret = rblk_call(sess, sess->control, &c, msg, &att[0].error);
	for (i = 0; i < nr; i++) {
		if (!ret)
			att[i].ret = attach_check_reply(sess, &c, &att[i],
							attach_reply(&att[i], msg, nr));
		else
			att[i].ret = ret;
		if (ret && i)
			att[i].error = att[0].error;
	}
	mutex_unlock(&sess->call_lock);
}

/**
 * rblk_exports_detach() - give a volume back to the target
 * @sess: in any state; nothing is sent unless it is LIVE
 * @volume: the target's handle of the volume
 *
 * If other calls take so long that this could not end in time, the session
 * loses its connections, and with them the volume.
 *
 * Context: may sleep, at most 4 s.
 */
void rblk_exports_detach(struct rblk_sess *sess, u32 volume)
{
	struct rblk_wire_detach req = { .volume = cpu_to_le32(volume) };
	struct rblk_call c = {
		.type = RBLK_MSG_DETACH, .stage = RBLK_STAGE_DETACH,
		.name = "the detach", .msg = &req.ctl, .bytes = sizeof(req),
		.timeout_ms = DETACH_MS,
	};

	if (rblk_sess_state(sess) != RBLK_SESS_LIVE)
		return;
	if (!rblk_mutex_lock_timeout(&sess->call_lock, DETACH_LOCK_MS)) {
		rblk_sess_lose(sess, "the target is slow to answer control calls");
		return;
	}
	if (rblk_sess_state(sess) == RBLK_SESS_LIVE)
		rblk_call_plain(sess, &c);
	mutex_unlock(&sess->call_lock);
}

static void portal_copy(struct rblk_ioc_addr *out, const struct rblk_wire_portal *in)
{
	memset(out, 0, sizeof(*out));
	out->family = le16_to_cpu(in->family) == RBLK_WIRE_FAMILY_IPV4 ? AF_INET : AF_INET6;
	out->port = cpu_to_be16(le16_to_cpu(in->port));
	memcpy(out->addr, in->addr, sizeof(out->addr));
}

/**
 * rblk_exports_portals() - ask where else the target listens
 * @sess: LIVE
 * @arg: its nr_portals is set to the number of portals; its error is filled in on
 *       failure
 * @portals: filled in
 * @room: number of entries at @portals
 *
 * Context: may sleep, at most 5 s; can be interrupted.
 * Return: 0 or a negative errno.
 */
int rblk_exports_portals(struct rblk_sess *sess, struct rblk_ioc_discover *arg,
			 struct rblk_ioc_addr *portals, u32 room)
{
	const struct rblk_wire_portals_reply *reply = sess->call_reply;
	struct rblk_wire_ctl req = {};
	struct rblk_call c = {
		.type = RBLK_MSG_PORTALS, .stage = RBLK_STAGE_LOOKUP,
		.name = "the listing of portals", .msg = &req, .bytes = sizeof(req),
		.timeout_ms = RBLK_CALL_MS, .interruptible = true,
	};
	struct rblk_arrival msg = {};
	u32 i;
	int ret;

	mutex_lock(&sess->call_lock);
	ret = rblk_call(sess, sess->control, &c, &msg, &arg->error);
	if (!ret)
		ret = rblk_call_result(sess, &c, &msg,
				       rblk_proto_check_portals_reply(&msg, sess->xid),
				       &arg->error);
	if (!ret)
		arg->nr_portals = le32_to_cpu(reply->nr);
	for (i = 0; !ret && i < min(arg->nr_portals, room); i++)
		portal_copy(&portals[i], &reply->portal[i]);
	mutex_unlock(&sess->call_lock);
	return ret;
}
