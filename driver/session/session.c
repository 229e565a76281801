// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes sessions, shares them between volumes and ends them; attach.c and recovery.c
 * have the rest.
 *
 * Lifetime: rblk_sess_get() finds or makes a session and counts a use.  A
 * volume holds one use from its attach to its detach.  The last rblk_sess_put()
 * removes the session from the registry, sets DELETING and waits until the
 * session's work has taken everything down; then it frees the session.  If that
 * takes too long, it leaves the session to the work, which frees it as its last
 * act.  A session whose first connect fails becomes DELETING, too, but only its
 * last user frees it, after reading the error.
 */
#include <linux/module.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <net/net_namespace.h>
#include "session.h"
#include "../trace.h"

#define LOG_SECONDS	10	/* in which a session has at most LOG_LINES log lines */
#define LOG_LINES	20
/* With attach.c less than the 30 s within which RBLK_IOC_ATTACH must end. */
#define LIVE_SECONDS	17
/* A part of the 10 s within which RBLK_IOC_DETACH must end. */
#define PUT_SECONDS	3

/*
 * Guards the registry and each session's uses and orphan; makers take turns.  Recovery
 * takes it, too: so its holder allocates without I/O, which may wait for recovery.
 */
static DEFINE_MUTEX(registry_lock);
static LIST_HEAD(registry);

/**
 * rblk_sess_become_locked() - change a session's state, with its lock held
 * @sess: the session; the caller wakes @waitq after it releases the lock
 * @to: the new state
 *
 * A session changes its state nowhere else.
 *
 * Context: any; the caller holds sess->lock.
 * Return: whether the change was allowed and made.
 */
bool rblk_sess_become_locked(struct rblk_sess *sess,
			     enum rblk_session_state to)
{
	lockdep_assert_held(&sess->lock);
	if (!rblk_sess_may_become(sess->state, to))
		return false;
	trace_rblk_sess_state(sess, sess->state, to);
	WRITE_ONCE(sess->state, to);
	return true;
}

/**
 * rblk_sess_become() - change a session's state and wake all who wait for it
 * @sess: the session
 * @to: the new state
 *
 * Context: any.
 * Return: whether the change was allowed and made.
 */
bool rblk_sess_become(struct rblk_sess *sess, enum rblk_session_state to)
{
	unsigned long flags;
	bool done;

	spin_lock_irqsave(&sess->lock, flags);
	done = rblk_sess_become_locked(sess, to);
	spin_unlock_irqrestore(&sess->lock, flags);
	if (done)
		wake_up_all(&sess->waitq);
	return done;
}

/**
 * rblk_sess_kick() - queue the session's work
 * @sess: the session
 * @delay_ms: 0 queues it at once; any other delay leaves work that is already
 *            queued as it is
 *
 * Context: any.
 */
void rblk_sess_kick(struct rblk_sess *sess, u32 delay_ms)
{
	if (delay_ms)
		queue_delayed_work(rblk_wq, &sess->work,
				   msecs_to_jiffies(delay_ms));
	else
		mod_delayed_work(rblk_wq, &sess->work, 0);
}

/**
 * rblk_sess_lose() - give up the session's present connections
 * @sess: in any state
 * @why: the reason, for people
 *
 * A LIVE session recovers.  A CONNECTING session fails that attempt.  A control
 * call in progress fails.
 *
 * Context: any.
 */
void rblk_sess_lose(struct rblk_sess *sess, const char *why)
{
	bool recover = false, up = false, paused = false;
	unsigned long flags;

	spin_lock_irqsave(&sess->lock, flags);
	if (!sess->lost) {
		sess->lost = true;
		paused = rblk_pause_reason_locked(sess, why, sess->lost_why,
						  sizeof(sess->lost_why));
		up = sess->state == RBLK_SESS_LIVE ||
		     sess->state == RBLK_SESS_CONNECTING;
		/* A CONNECTING session's work finds @lost and tries again. */
		if (sess->state == RBLK_SESS_LIVE)
			recover = rblk_sess_become_locked(sess,
							  RBLK_SESS_RECOVERING);
		rblk_call_abort(sess);
	}
	spin_unlock_irqrestore(&sess->lock, flags);
	if (up && paused)
		rblk_sess_info(sess, "%s (%s)", sess->lost_why, why);
	else if (up)
		rblk_sess_warn(sess, "connection lost: %s", why);
	if (!recover)
		return;
	wake_up_all(&sess->waitq);
	rblk_sess_kick(sess, 0);
}

/**
 * rblk_sess_gone() - note that a volume is lost, but not its session
 * @vol: attached
 * @why: the reason, for people; a constant
 *
 * The session's work then holds its I/O, gives the volume back and asks for it
 * again.
 *
 * Context: any.
 */
void rblk_sess_gone(struct rblk_vol *vol, const char *why)
{
	if (!xchg(&vol->gone, why))
		rblk_sess_kick(vol->sess, 0);
}

static void sess_free(struct rblk_sess *sess)
{
	u32 i;

	for (i = 0; sess->pools && i <= RBLK_WIRE_MAX_QUEUES; i++)
		rblk_pool_exit(&sess->pools[i]);
	kfree(sess->pools);
	put_net(sess->args.peer.net);
	free_percpu(sess->stats);
	kvfree(sess->call_reply);
	kvfree(sess->attaching);
	kfree(sess->down);
	kfree(sess->io);
	kfree_sensitive(sess);
}

/*
 * The connections are down and no work is queued any more.  Only the session's
 * work itself may still be running, as the caller.
 */
static void sess_end(struct rblk_sess *sess)
{
	cancel_delayed_work_sync(&sess->event_work);
	cancel_delayed_work_sync(&sess->fence);
	cancel_delayed_work(&sess->work);
	sess_free(sess);
}

static bool sess_alloc_parts(struct rblk_sess *sess)
{
	u32 i;

	sess->stats = alloc_percpu(struct rblk_stats);
	sess->call_reply = kvzalloc(RBLK_WIRE_CTRL_MAX, GFP_KERNEL);
	sess->io = kcalloc(RBLK_WIRE_MAX_QUEUES, sizeof(*sess->io), GFP_KERNEL);
	sess->down = kcalloc(RBLK_WIRE_MAX_QUEUES + 1, sizeof(*sess->down),
			     GFP_KERNEL);
	sess->pools = kcalloc(RBLK_WIRE_MAX_QUEUES + 1, sizeof(*sess->pools),
			      GFP_KERNEL);
	for (i = 0; sess->pools && i <= RBLK_WIRE_MAX_QUEUES; i++)
		rblk_pool_init(&sess->pools[i]);
	sess->attaching = kvcalloc(RBLK_CALL_BATCH, sizeof(*sess->attaching),
				   GFP_KERNEL);
	return sess->stats && sess->call_reply && sess->io && sess->down &&
	       sess->pools && sess->attaching;
}

static void sess_put_work(struct work_struct *work)
{
	rblk_sess_put(container_of(work, struct rblk_sess, put_work));
}

static struct rblk_sess *sess_alloc(const struct rblk_sess_args *args,
				    const struct rblk_sess_ops *ops)
{
	struct rblk_sess *sess = kzalloc(sizeof(*sess), GFP_KERNEL);

	if (!sess)
		return NULL;
	sess->args = *args;
	sess->ops = ops;
	sess->conn_ops = rblk_link_ops;
	sess->conn_ops.answered = ops->answered;
	sess->conn_ops.done = ops->done;
	get_net(args->peer.net);
	if (!sess_alloc_parts(sess)) {
		sess_free(sess);
		return NULL;
	}
	uuid_gen(&sess->uuid);
	INIT_LIST_HEAD(&sess->entry);
	INIT_LIST_HEAD(&sess->vols);
	INIT_LIST_HEAD(&sess->arriving);
	spin_lock_init(&sess->lock);
	mutex_init(&sess->vols_lock);
	mutex_init(&sess->call_lock);
	init_waitqueue_head(&sess->waitq);
	ratelimit_state_init(&sess->log_limit, LOG_SECONDS * HZ, LOG_LINES);
	ratelimit_set_flags(&sess->log_limit, RATELIMIT_MSG_ON_RELEASE);
	init_completion(&sess->gone);
	INIT_WORK(&sess->put_work, sess_put_work);
	init_completion(&sess->call_done);
	rblk_recover_init(sess);
	rblk_fence_init(sess);
	return sess;
}

static bool sess_matches(struct rblk_sess *sess, const struct rblk_sess_args *args)
{
	u8 pins[RBLK_TARGET_KEYS][RBLK_KEY_LEN];

	return rblk_sess_state(sess) != RBLK_SESS_DELETING &&
	       net_eq(sess->args.peer.net, args->peer.net) &&
	       !memcmp(&sess->args.peer.target, &args->peer.target, sizeof(args->peer.target)) &&
	       !memcmp(&sess->args.peer.source, &args->peer.source, sizeof(args->peer.source)) &&
	       uuid_equal(&sess->args.host, &args->host) &&
	       rblk_auth_pins(sess, pins) == (args->flags & RBLK_ATTACH_PROOF) &&
	       !memcmp(pins, args->target_key, sizeof(pins));
}

/* If it connects for the first time, it now goes on as @args want; or it is too late. */
static bool sess_is_kept(struct rblk_sess *sess, const struct rblk_sess_args *args)
{
	bool kept;

	spin_lock_irq(&sess->lock);
	sess->args.patient |= args->patient;
	kept = sess->state != RBLK_SESS_DELETING;
	spin_unlock_irq(&sess->lock);
	return kept;
}

static struct rblk_sess *sess_find(const struct rblk_sess_args *args)
{
	struct rblk_sess *sess;

	list_for_each_entry(sess, &registry, entry)
		if (sess_matches(sess, args) && sess_is_kept(sess, args))
			return sess;
	return NULL;
}

/**
 * rblk_sess_get() - find or make the session to a target, and count a use
 * @args: which session; zero-padded addresses, so that memcmp() compares them
 * @ops: upcalls to the block layer
 * @error: filled in on failure
 *
 * The session may not be connected yet: see rblk_sess_wait_live().  The caller
 * gives the use back with rblk_sess_put() or rblk_sess_detach().
 *
 * Context: may sleep.
 * Return: the session, or NULL if it has other parameters or memory is short.
 */
struct rblk_sess *rblk_sess_get(const struct rblk_sess_args *args,
				const struct rblk_sess_ops *ops,
				struct rblk_ioc_error *error)
{
	struct rblk_sess *sess;
	unsigned int noio;

	mutex_lock(&registry_lock);
	noio = memalloc_noio_save();
	sess = args->control_only ? NULL : sess_find(args);
	if (sess && rblk_stat_check(sess, args, error)) {
		sess = NULL;
		goto out;
	}
	if (!sess) {
		sess = sess_alloc(args, ops);
		if (!sess) {
			rblk_fail(error, RBLK_STAGE_RESOLVE, -ENOMEM,
				  "out of memory");
			goto out;
		}
		if (!args->control_only)
			list_add_tail(&sess->entry, &registry);
		rblk_sess_kick(sess, 0);
	}
	sess->uses++;
out:
	memalloc_noio_restore(noio);
	mutex_unlock(&registry_lock);
	return sess;
}

/**
 * rblk_sess_hold() - count one more use of a session
 * @sess: somebody has a use of it, and keeps it until this returns
 *
 * Context: may sleep.
 */
void rblk_sess_hold(struct rblk_sess *sess)
{
	mutex_lock(&registry_lock);
	sess->uses++;
	mutex_unlock(&registry_lock);
}

/* Can @sess tell the target that the session of @vol is lost? */
static bool sess_helps(const struct rblk_sess *sess, struct rblk_vol *vol)
{
	const struct rblk_sess *lost = vol->sess;

	return sess != lost && rblk_sess_state(sess) == RBLK_SESS_LIVE &&
	       uuid_equal(&sess->args.host, &lost->args.host) &&
	       (uuid_equal(&sess->target, &lost->target) || vol->ops->kin(vol, sess));
}

/**
 * rblk_sess_helper() - find a session that can speak for one that is lost
 * @vol: a volume of the lost session
 *
 * Context: may sleep.
 * Return: a LIVE session of this host to the same target, with a use counted; or NULL.
 */
struct rblk_sess *rblk_sess_helper(struct rblk_vol *vol)
{
	struct rblk_sess *sess, *found = NULL;

	mutex_lock(&registry_lock);
	list_for_each_entry(sess, &registry, entry)
		if (!found && sess_helps(sess, vol))
			found = sess;
	if (found)
		found->uses++;
	mutex_unlock(&registry_lock);
	return found;
}

/**
 * rblk_sess_wake_fences() - have lost sessions look for a helper again
 * @sess: LIVE since a moment ago
 *
 * Context: may sleep.
 */
void rblk_sess_wake_fences(struct rblk_sess *sess)
{
	struct rblk_sess *other;

	mutex_lock(&registry_lock);
	list_for_each_entry(other, &registry, entry)
		if (other != sess && other->was_live &&
		    rblk_sess_state(other) != RBLK_SESS_LIVE)
			mod_delayed_work(rblk_wq, &other->fence, 0);
	mutex_unlock(&registry_lock);
}

/**
 * rblk_sess_ended() - report that the work has taken a DELETING session down
 * @sess: freed here if its last user did not wait for this
 *
 * Context: the session's work, as its last act; may sleep.
 */
void rblk_sess_ended(struct rblk_sess *sess)
{
	bool orphan;

	mutex_lock(&registry_lock);
	orphan = sess->orphan;
	if (!sess->uses && !orphan)
		complete(&sess->gone);
	mutex_unlock(&registry_lock);
	if (!orphan)
		return;
	/* A work item may free itself; no one else can queue it any more. */
	sess_end(sess);
	/* rblk_exit() destroys the workqueue, and so waits for this work. */
	module_put(THIS_MODULE);
}

/* Leave the session to its work, unless the work has finished meanwhile. */
static bool sess_disown(struct rblk_sess *sess)
{
	mutex_lock(&registry_lock);
	sess->orphan = !completion_done(&sess->gone);
	if (sess->orphan)
		__module_get(THIS_MODULE);
	mutex_unlock(&registry_lock);
	return sess->orphan;
}

/**
 * rblk_sess_put() - give a use of a session back
 * @sess: the caller must not touch it afterwards
 *
 * The last put takes the session down before it returns, unless that takes
 * longer than PUT_SECONDS.  A provider may block in a connection attempt
 * (software iWARP waits until TCP's SYN times out).  Then the work frees the
 * session later.
 *
 * Context: may sleep, at most PUT_SECONDS.
 */
void rblk_sess_put(struct rblk_sess *sess)
{
	mutex_lock(&registry_lock);
	if (--sess->uses) {
		mutex_unlock(&registry_lock);
		return;
	}
	list_del_init(&sess->entry);
	mutex_unlock(&registry_lock);
	rblk_sess_become(sess, RBLK_SESS_DELETING);
	rblk_link_abort(sess);
	rblk_sess_kick(sess, 0);
	if (!wait_for_completion_timeout(&sess->gone, PUT_SECONDS * HZ) &&
	    sess_disown(sess))
		return;
	cancel_delayed_work_sync(&sess->event_work);
	cancel_delayed_work_sync(&sess->work);
	sess_end(sess);
}

/**
 * rblk_sess_put_later() - give a use of a session back, without a wait for its end
 * @sess: the caller must not touch it afterwards
 *
 * A session's end waits for its own work items.  Another session's work items must not
 * wait for those, as they may wait for each other.
 *
 * Context: may sleep.
 */
void rblk_sess_put_later(struct rblk_sess *sess)
{
	bool last;

	mutex_lock(&registry_lock);
	last = sess->uses == 1;
	if (!last)
		sess->uses--;
	mutex_unlock(&registry_lock);
	if (last)
		queue_work(rblk_wq, &sess->put_work);
}

/* The first attempt to connect has ended, or a recovery has. */
static bool sess_settled(struct rblk_sess *sess)
{
	enum rblk_session_state state = rblk_sess_state(sess);

	return state == RBLK_SESS_LIVE || state == RBLK_SESS_DELETING;
}

/**
 * rblk_sess_wait_live() - wait until a session is LIVE
 * @sess: the session; the caller holds a use
 * @error: filled in on failure
 *
 * Context: may sleep, at most LIVE_SECONDS; can be interrupted.
 * Return: 0 or a negative errno.
 */
int rblk_sess_wait_live(struct rblk_sess *sess, struct rblk_ioc_error *error)
{
	long left;

	left = wait_event_interruptible_timeout(sess->waitq, sess_settled(sess),
						LIVE_SECONDS * HZ);
	if (left < 0)
		return rblk_fail(error, RBLK_STAGE_CONNECT, -EINTR, "interrupted");
	if (rblk_sess_state(sess) == RBLK_SESS_LIVE)
		return 0;
	spin_lock_irq(&sess->lock);
	*error = sess->error;
	spin_unlock_irq(&sess->lock);
	if (!error->error)
		rblk_fail(error, RBLK_STAGE_CONNECT, -ETIMEDOUT,
			  sess->was_live ?
			  "the session to this target is being recovered" :
			  "still not connected after %u s", LIVE_SECONDS);
	return -error->error;
}
