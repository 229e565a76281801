// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fences what a session has lost, over another session to the same target.
 *
 * The target may not notice for a while that a session is lost, and what the session
 * sent may still be at the backing device.  Who sends the same commands by another
 * session must know that the old ones have ended.  So this asks, by FENCE over a session
 * that lives, that the target end the lost one, for each volume of it that has lost
 * commands.  The answer OK means that nothing of it is left; AGAIN, that the target has
 * ended the session and its I/O still goes on.  Nothing is inferred from time.
 *
 * A work item of its own does that, since the session's work may be waiting for the
 * answer to an attempt to connect.  It holds vols_lock, and so no later loss of the
 * session comes between a question and its answer.  Each volume has a fence of its own:
 * that nobody can ask for one, or not yet, says nothing of the others.
 *
 * The session's connections are drained when this begins: nothing that it posted can
 * still reach the target's queues after the target has ended them.  Its work says so by
 * lost_epoch, whatever the session's state is: that changes as soon as a connection is
 * lost, when the present epoch still has commands out.
 */
#include <linux/sched/mm.h>
#include "session.h"

#define RETRY_NEVER	U32_MAX
/* How long a device may take to end the I/O of a lost session before it counts as hung. */
#define PATIENCE_SECONDS	1

/* Returns the target's answer, or -ECONNRESET without one. */
static int fence_ask(struct rblk_sess *helper, struct rblk_sess *lost, struct rblk_vol *vol)
{
	struct rblk_wire_fence req = { .epoch = cpu_to_le32(lost->lost_epoch) };
	struct rblk_call c = {
		.type = RBLK_MSG_FENCE, .stage = RBLK_STAGE_NONE, .name = "the fence",
		.msg = &req.ctl, .bytes = sizeof(req), .timeout_ms = RBLK_CALL_MS,
	};
	struct rblk_ioc_error error;
	struct rblk_arrival msg = {};
	int ret;

	export_uuid(req.session, &lost->uuid);
	export_uuid(req.uuid, &vol->uuid);
	mutex_lock(&helper->call_lock);
	ret = rblk_call(helper, helper->control, &c, &msg, &error);
	if (!ret)
		ret = rblk_call_result(helper, &c, &msg,
				       rblk_proto_check_ctl_reply(&msg, c.type, helper->xid,
								  sizeof(struct rblk_wire_ctl)),
				       &error);
	else
		ret = -ECONNRESET;
	mutex_unlock(&helper->call_lock);
	return ret;
}

/*
 * How a volume's fence goes on; indexes fence_retry_ms.  From FENCE_REFUSED on, nobody can
 * ask now, or may.
 */
enum fence_outcome {
	FENCE_DONE, FENCE_AGAIN, FENCE_LATER, FENCE_REFUSED, FENCE_NOBODY, FENCE_NR
};

/* How soon to look again. */
static const u32 fence_retry_ms[FENCE_NR] = {
	[FENCE_DONE] = RETRY_NEVER,
	[FENCE_AGAIN] = 20,	/* I/O of the lost session goes on, or the helper is lost */
	[FENCE_LATER] = 1000,	/* the export is gone, but may come back */
	/* The lost session may be of this host's former key: the target ends it by itself. */
	[FENCE_REFUSED] = 1000,
	[FENCE_NOBODY] = RETRY_NEVER,	/* rblk_sess_wake_fences() */
};

static enum fence_outcome fence_volume(struct rblk_sess *sess, struct rblk_vol *vol)
{
	struct rblk_sess *helper = rblk_sess_helper(vol);
	int ret;

	if (!helper)
		return FENCE_NOBODY;
	ret = fence_ask(helper, sess, vol);
	rblk_sess_put_later(helper);
	/*
	 * If the export is gone, the session has ended, but of its I/O nothing is known.
	 * AGAIN is mostly the first answer, and OK comes soon, unless the device hangs.
	 */
	if (!ret || ret == -ENOENT ||
	    (ret == -EAGAIN && time_after(jiffies, sess->lost_at + PATIENCE_SECONDS * HZ)))
		vol->ops->fenced(vol, !ret);
	switch (ret) {
	case 0:
		return FENCE_DONE;
	case -EAGAIN:
	case -ECONNRESET:
		return FENCE_AGAIN;
	case -ENOENT:
		return FENCE_LATER;
	case -EACCES:
		return FENCE_REFUSED;
	default:
		return FENCE_NOBODY;
	}
}

/*
 * Returns in how many ms to look again.  If nobody can ask now, or may not, the block layer
 * decides by the loss policy, also of what was tried for too long.
 */
static u32 fence_look_after(struct rblk_sess *sess, struct rblk_vol *vol)
{
	enum fence_outcome outcome = FENCE_NOBODY;

	if (sess->lost_epoch && vol->ops->unfenced(vol))
		outcome = fence_volume(sess, vol);
	if ((outcome == FENCE_DONE || outcome >= FENCE_REFUSED) &&
	    (vol->fencing || vol->ops->unfenced(vol))) {
		WRITE_ONCE(vol->fencing, false);
		vol->ops->resume(vol);
	}
	return fence_retry_ms[outcome];
}

static void fence_work(struct work_struct *work)
{
	struct rblk_sess *sess = container_of(to_delayed_work(work), struct rblk_sess, fence);
	unsigned int noio = memalloc_noio_save();
	u32 retry = RETRY_NEVER;
	struct rblk_vol *vol;

	mutex_lock(&sess->vols_lock);
	list_for_each_entry(vol, &sess->vols, entry) {
		/* A call may be slow: let waiting tasks in between calls. */
		if (atomic_read(&sess->vols_wanted)) {
			retry = fence_retry_ms[FENCE_AGAIN];
			break;
		}
		retry = min(retry, fence_look_after(sess, vol));
	}
	mutex_unlock(&sess->vols_lock);
	if (retry != RETRY_NEVER)
		queue_delayed_work(rblk_wq, &sess->fence, msecs_to_jiffies(retry));
	memalloc_noio_restore(noio);
}

/**
 * rblk_fence_init() - set up a session's fence
 * @sess: NEW, known to no other task
 *
 * Context: any.
 */
void rblk_fence_init(struct rblk_sess *sess)
{
	INIT_DELAYED_WORK(&sess->fence, fence_work);
}

/**
 * rblk_fence_begin() - have others ask that the target end what a session has lost
 * @sess: its connections are down, and its commands back
 *
 * Context: any.
 */
void rblk_fence_begin(struct rblk_sess *sess)
{
	mod_delayed_work(rblk_wq, &sess->fence, 0);
}

/**
 * rblk_fence_possible() - may another session still ask for a volume's fence?
 * @vol: of a session that is lost
 *
 * Context: any.
 * Return: false once none was found that can.
 */
bool rblk_fence_possible(const struct rblk_vol *vol)
{
	return READ_ONCE(vol->fencing);
}
