// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sessions: from the first attach to a target until the last detach.
 *
 * One work item does everything that takes time: it connects, attaches the
 * volumes on the list, takes down what was lost, reconnects and at last
 * deletes.  Everybody else changes the state or the list, queues the work, and
 * waits on sess->waitq if it wants to know.  So no two tasks ever make or
 * unmake connections of one session, and no wait is under a lock that a
 * completion handler takes.
 *
 * Lifetime: rblk_sess_get() finds or makes a session and counts a use; a volume
 * holds one from its attach to its detach.  The last rblk_sess_put() takes the
 * session out of the registry, sets DELETING and waits until the work has taken
 * everything down; then it frees.  A session that failed to connect for the
 * first time is DELETING too, but is freed only by its last user, who still
 * wants to read the error.
 */
#include <linux/module.h>
#include <linux/random.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <net/net_namespace.h>
#include "rblk.h"
#include "trace.h"

/* How often a volume that was refused after a reconnect is asked for again. */
#define DRAIN_RETRY_MS	50
#define ATTACH_RETRY_MS	1000

/* Together less than the 30 s that RBLK_IOC_ATTACH promises. */
#define LIVE_SECONDS	17
#define ATTACH_SECONDS	9
/* Of the 10 s that RBLK_IOC_DETACH promises. */
#define PUT_SECONDS	3

/* Guards the list, every session's uses, and the making of sessions. */
static DEFINE_MUTEX(registry_lock);
static LIST_HEAD(registry);

/**
 * rblk_sess_state() - a session's state
 * @sess: the session
 */
enum rblk_session_state rblk_sess_state(struct rblk_sess *sess)
{
	return READ_ONCE(sess->state);
}

static bool set_state_locked(struct rblk_sess *sess, enum rblk_session_state to)
{
	lockdep_assert_held(&sess->lock);
	if (!rblk_sess_may_become(sess->state, to))
		return false;
	trace_rblk_sess_state(sess, sess->state, to);
	WRITE_ONCE(sess->state, to);
	return true;
}

/* The one place where a session changes its state. */
static bool set_state(struct rblk_sess *sess, enum rblk_session_state to)
{
	unsigned long flags;
	bool done;

	spin_lock_irqsave(&sess->lock, flags);
	done = set_state_locked(sess, to);
	spin_unlock_irqrestore(&sess->lock, flags);
	if (done)
		wake_up_all(&sess->waitq);
	return done;
}

/* A delay never puts off what is due earlier. */
static void kick(struct rblk_sess *sess, u32 delay_ms)
{
	if (delay_ms)
		queue_delayed_work(rblk_wq, &sess->work,
				   msecs_to_jiffies(delay_ms));
	else
		mod_delayed_work(rblk_wq, &sess->work, 0);
}

/**
 * rblk_sess_lose() - the present connections are of no use any more
 * @sess: in any state
 * @why: for people
 *
 * A LIVE session recovers; one that is being connected notices and fails that
 * attempt.
 *
 * Context: any.
 */
void rblk_sess_lose(struct rblk_sess *sess, const char *why)
{
	unsigned long flags;
	bool recover = false;

	spin_lock_irqsave(&sess->lock, flags);
	if (!sess->lost) {
		sess->lost = true;
		strscpy(sess->lost_why, why, sizeof(sess->lost_why));
		recover = set_state_locked(sess, RBLK_SESS_RECOVERING);
		rblk_call_abort(sess);
	}
	spin_unlock_irqrestore(&sess->lock, flags);
	if (!recover)
		return;
	pr_warn_ratelimited("rblk: %s: connection lost: %s\n",
			    sess->args.target_text, why);
	wake_up_all(&sess->waitq);
	kick(sess, 0);
}

/**
 * rblk_sess_gone() - the target has answered that it has the volume no more
 * @vol: attached
 *
 * Context: any.
 */
void rblk_sess_gone(struct rblk_vol *vol)
{
	if (!xchg(&vol->gone, true))
		kick(vol->sess, 0);
}

static void free_session(struct rblk_sess *sess)
{
	put_net(sess->args.peer.net);
	free_percpu(sess->stats);
	kvfree(sess->call_reply);
	kfree(sess->down);
	kfree(sess->io);
	kfree(sess);
}

/* Its connections are down and its work is done, but for the caller. */
static void end_session(struct rblk_sess *sess)
{
	cancel_work_sync(&sess->event_work);
	cancel_delayed_work(&sess->work);
	if (sess->block)
		sess->ops->release(sess);
	free_session(sess);
}

/* ---- The work ---- */

static void keepalive_work(struct work_struct *work)
{
	struct rblk_sess *sess = container_of(to_delayed_work(work),
					      struct rblk_sess, keepalive);
	unsigned long interval = msecs_to_jiffies(sess->keepalive_ms);

	if (rblk_sess_state(sess) != RBLK_SESS_LIVE)
		return;
	if (time_after(jiffies, READ_ONCE(sess->control->heard) + interval / 2))
		rblk_call_keepalive(sess);
	queue_delayed_work(rblk_wq, &sess->keepalive, interval);
}

/* LIVE unless something was lost while we were at it. */
static bool go_live(struct rblk_sess *sess)
{
	bool live;

	spin_lock_irq(&sess->lock);
	live = !sess->lost && set_state_locked(sess, RBLK_SESS_LIVE);
	spin_unlock_irq(&sess->lock);
	if (live)
		wake_up_all(&sess->waitq);
	return live;
}

/* An attempt to connect has failed. */
static void not_connected(struct rblk_sess *sess, struct rblk_ioc_error *error)
{
	u32 delay = rblk_limits_jitter_ms(sess->attempt++, get_random_u32());
	struct rblk_vol *vol;

	rblk_link_down(sess);
	spin_lock_irq(&sess->lock);
	sess->error = *error;
	spin_unlock_irq(&sess->lock);
	if (!sess->was_live) {
		set_state(sess, RBLK_SESS_DELETING);
		return;
	}
	mutex_lock(&sess->vols_lock);
	list_for_each_entry(vol, &sess->vols, entry)
		rblk_vol_set_reason(vol, error->text);
	mutex_unlock(&sess->vols_lock);
	if (set_state(sess, RBLK_SESS_RECOVERING))
		kick(sess, delay);
}

static void connect(struct rblk_sess *sess)
{
	struct rblk_ioc_error error = {};
	int ret;

	spin_lock_irq(&sess->lock);
	sess->lost = false;
	spin_unlock_irq(&sess->lock);
	if (!set_state(sess, RBLK_SESS_CONNECTING))
		return;
	ret = rblk_link_up(sess, &error);
	if (!ret && !go_live(sess))
		ret = rblk_fail(&error, RBLK_STAGE_CONNECT, -ECONNRESET,
				"the connection was lost: %s", sess->lost_why);
	if (ret) {
		not_connected(sess, &error);
		return;
	}
	if (sess->was_live) {
		rblk_count(sess->stats, RBLK_CNT_RECONNECTS, 1);
		pr_info("rblk: %s: connected again, epoch %u\n",
			sess->args.target_text, sess->epoch);
	}
	sess->was_live = true;
	sess->attempt = 0;
	queue_delayed_work(rblk_wq, &sess->keepalive,
			   msecs_to_jiffies(sess->keepalive_ms));
	kick(sess, 0);
}

static void attach_pending(struct rblk_sess *sess)
{
	struct rblk_vol *vol;
	u32 retry = 0;

	mutex_lock(&sess->vols_lock);
	list_for_each_entry(vol, &sess->vols, entry) {
		if (xchg(&vol->gone, false) && vol->attached)
			rblk_vol_lost(vol, "the target has removed the export");
		if (vol->attached || vol->error.error ||
		    READ_ONCE(vol->state) == RBLK_VOL_DELETING ||
		    rblk_sess_state(sess) != RBLK_SESS_LIVE)
			continue;
		rblk_vol_try_attach(vol);
		if (vol->attached || vol->error.error)
			continue;
		retry = vol->draining ? DRAIN_RETRY_MS :
					retry ?: ATTACH_RETRY_MS;
	}
	mutex_unlock(&sess->vols_lock);
	if (retry && rblk_sess_state(sess) == RBLK_SESS_LIVE)
		kick(sess, retry);
}

/* Hold all I/O, take everything back and down, and reconnect a little later. */
static void recover(struct rblk_sess *sess)
{
	struct rblk_vol *vol;

	if (!sess->linked) {
		connect(sess);
		return;
	}
	cancel_delayed_work_sync(&sess->keepalive);
	mutex_lock(&sess->vols_lock);
	list_for_each_entry(vol, &sess->vols, entry)
		rblk_vol_lost(vol, sess->lost_why);
	rblk_link_down(sess);
	mutex_unlock(&sess->vols_lock);
	kick(sess, rblk_limits_jitter_ms(sess->attempt++, get_random_u32()));
}

static void take_away(struct rblk_sess *sess)
{
	bool orphan;

	cancel_delayed_work_sync(&sess->keepalive);
	rblk_link_down(sess);
	mutex_lock(&registry_lock);
	orphan = sess->orphan;
	if (!sess->uses && !orphan)
		complete(&sess->gone);
	mutex_unlock(&registry_lock);
	if (!orphan)
		return;
	/* A work item may free itself; nobody is left to queue it again. */
	end_session(sess);
	/* rblk_exit() waits for the workqueue that we are on. */
	module_put(THIS_MODULE);
}

static void sess_work(struct work_struct *work)
{
	struct rblk_sess *sess = container_of(to_delayed_work(work),
					      struct rblk_sess, work);
	/* Memory may be short for want of the very I/O that we hold. */
	unsigned int noio = memalloc_noio_save();

	switch (rblk_sess_state(sess)) {
	case RBLK_SESS_NEW:
		connect(sess);
		break;
	case RBLK_SESS_LIVE:
		attach_pending(sess);
		break;
	case RBLK_SESS_RECOVERING:
		recover(sess);
		break;
	case RBLK_SESS_DELETING:
		take_away(sess);
		break;
	default:
		break;
	}
	memalloc_noio_restore(noio);
}

/* ---- Events from the target ---- */

static bool next_event(struct rblk_sess *sess, struct rblk_wire_event *event)
{
	bool got;

	spin_lock_irq(&sess->lock);
	got = sess->nr_events;
	if (got) {
		*event = sess->events[0];
		sess->nr_events--;
		memmove(&sess->events[0], &sess->events[1],
			sess->nr_events * sizeof(sess->events[0]));
	}
	spin_unlock_irq(&sess->lock);
	return got;
}

static void event_work(struct work_struct *work)
{
	struct rblk_sess *sess = container_of(work, struct rblk_sess, event_work);
	struct rblk_wire_event event;
	struct rblk_vol *vol;

	unsigned int noio = memalloc_noio_save();

	/* Held meanwhile, so that no event outlives the epoch it came in. */
	mutex_lock(&sess->vols_lock);
	while (next_event(sess, &event)) {
		if (le16_to_cpu(event.kind) == RBLK_EVENT_GOING_AWAY)
			pr_info("rblk: %s: the target goes away for %u ms\n",
				sess->args.target_text,
				le32_to_cpu(event.duration_ms));
		list_for_each_entry(vol, &sess->vols, entry)
			if (vol->attached &&
			    vol->geo.volume == le32_to_cpu(event.volume))
				rblk_vol_event(vol, &event);
	}
	mutex_unlock(&sess->vols_lock);
	memalloc_noio_restore(noio);
	/* A volume that went must be asked for again. */
	kick(sess, ATTACH_RETRY_MS);
}

/* ---- Lifetime ---- */

static bool alloc_parts(struct rblk_sess *sess)
{
	sess->stats = alloc_percpu(struct rblk_stats);
	sess->call_reply = kvzalloc(RBLK_WIRE_CTRL_MAX, GFP_KERNEL);
	sess->io = kcalloc(RBLK_WIRE_MAX_QUEUES, sizeof(*sess->io), GFP_KERNEL);
	sess->down = kcalloc(RBLK_WIRE_MAX_QUEUES + 1, sizeof(*sess->down),
			     GFP_KERNEL);
	return sess->stats && sess->call_reply && sess->io && sess->down;
}

static struct rblk_sess *new_session(const struct rblk_sess_args *args,
				     const struct rblk_sess_ops *ops)
{
	struct rblk_sess *sess = kzalloc(sizeof(*sess), GFP_KERNEL);

	if (!sess)
		return NULL;
	sess->args = *args;
	sess->ops = ops;
	sess->conn_ops = rblk_link_ops;
	sess->conn_ops.done = ops->done;
	get_net(args->peer.net);
	if (!alloc_parts(sess)) {
		free_session(sess);
		return NULL;
	}
	generate_random_uuid(sess->uuid);
	INIT_LIST_HEAD(&sess->entry);
	INIT_LIST_HEAD(&sess->vols);
	spin_lock_init(&sess->lock);
	mutex_init(&sess->vols_lock);
	mutex_init(&sess->call_lock);
	init_waitqueue_head(&sess->waitq);
	init_completion(&sess->gone);
	init_completion(&sess->call_done);
	INIT_DELAYED_WORK(&sess->work, sess_work);
	INIT_DELAYED_WORK(&sess->keepalive, keepalive_work);
	INIT_WORK(&sess->event_work, event_work);
	return sess;
}

static bool same_address(const struct sockaddr_storage *a,
			 const struct sockaddr_storage *b)
{
	return !memcmp(a, b, sizeof(*a));
}

static bool same_session(const struct rblk_sess *sess,
			 const struct rblk_sess_args *args)
{
	return rblk_sess_state((struct rblk_sess *)sess) != RBLK_SESS_DELETING &&
	       net_eq(sess->args.peer.net, args->peer.net) &&
	       same_address(&sess->args.peer.target, &args->peer.target) &&
	       same_address(&sess->args.peer.source, &args->peer.source) &&
	       !memcmp(sess->args.host, args->host, sizeof(args->host));
}

static struct rblk_sess *find(const struct rblk_sess_args *args)
{
	struct rblk_sess *sess;

	list_for_each_entry(sess, &registry, entry)
		if (same_session(sess, args))
			return sess;
	return NULL;
}

/* A session has one shape; who asks for another must be told. */
static bool suits(const struct rblk_sess *sess, const struct rblk_sess_args *args)
{
	return (!args->queues || args->queues == (sess->nr_io ?: sess->args.queues)) &&
	       (!args->depth || args->depth == (sess->nr_io ? sess->grant.depth :
						sess->args.depth));
}

/**
 * rblk_sess_get() - a use of the session to a target
 * @args: which; addresses zero-padded so that they compare
 * @ops: of the block layer
 * @error: filled in on failure
 *
 * The session is perhaps not connected yet: see rblk_sess_wait_live().
 *
 * Context: may sleep.
 * Return: the session, or NULL.
 */
struct rblk_sess *rblk_sess_get(const struct rblk_sess_args *args,
				const struct rblk_sess_ops *ops,
				struct rblk_ioc_error *error)
{
	struct rblk_sess *sess;

	mutex_lock(&registry_lock);
	sess = args->control_only ? NULL : find(args);
	if (sess && !suits(sess, args)) {
		rblk_fail(error, RBLK_STAGE_ARGUMENTS, -EINVAL,
			  "the session to this target has %u queues of depth %u already",
			  sess->nr_io, sess->grant.depth);
		sess = NULL;
		goto out;
	}
	if (!sess) {
		sess = new_session(args, ops);
		if (!sess) {
			rblk_fail(error, RBLK_STAGE_RESOLVE, -ENOMEM,
				  "out of memory");
			goto out;
		}
		if (!args->control_only)
			list_add_tail(&sess->entry, &registry);
		kick(sess, 0);
	}
	sess->uses++;
out:
	mutex_unlock(&registry_lock);
	return sess;
}

/* Leave the end to the work, unless it has just come to it. */
static bool disown(struct rblk_sess *sess)
{
	mutex_lock(&registry_lock);
	sess->orphan = !completion_done(&sess->gone);
	if (sess->orphan)
		__module_get(THIS_MODULE);
	mutex_unlock(&registry_lock);
	return sess->orphan;
}

/**
 * rblk_sess_put() - give a use back
 * @sess: not touched afterwards
 *
 * The last one takes the session down before it returns, unless that takes
 * longer than PUT_SECONDS: a provider may not let go of a connection attempt
 * (software iWARP waits for TCP's SYN to time out).  Then the work frees it.
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
	set_state(sess, RBLK_SESS_DELETING);
	rblk_link_abort(sess);
	kick(sess, 0);
	if (!wait_for_completion_timeout(&sess->gone, PUT_SECONDS * HZ) &&
	    disown(sess))
		return;
	cancel_work_sync(&sess->event_work);
	cancel_delayed_work_sync(&sess->work);
	end_session(sess);
}

/**
 * rblk_sess_wait_live() - wait until a session can be used
 * @sess: got
 * @error: filled in on failure
 *
 * Context: may sleep, at most LIVE_SECONDS; can be interrupted.
 * Return: 0 or a negative errno.
 */
int rblk_sess_wait_live(struct rblk_sess *sess, struct rblk_ioc_error *error)
{
	enum rblk_session_state state;
	long left;

	left = wait_event_interruptible_timeout(sess->waitq,
		(state = rblk_sess_state(sess)) == RBLK_SESS_LIVE ||
		state == RBLK_SESS_DELETING, LIVE_SECONDS * HZ);
	if (left < 0)
		return rblk_fail(error, RBLK_STAGE_CONNECT, -EINTR, "interrupted");
	if (left && state == RBLK_SESS_LIVE)
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

static bool attach_ended(struct rblk_vol *vol)
{
	return READ_ONCE(vol->state) != RBLK_VOL_NEW ||
	       READ_ONCE(vol->error.error) ||
	       rblk_sess_state(vol->sess) == RBLK_SESS_DELETING;
}

/**
 * rblk_sess_attach() - have the target grant a volume
 * @sess: LIVE; its use passes to @vol, whatever the outcome
 * @vol: NEW
 * @error: filled in on failure
 *
 * Either way rblk_sess_detach() takes the volume off the session again.
 *
 * Context: may sleep, at most ATTACH_SECONDS; can be interrupted.
 * Return: 0 or a negative errno.
 */
int rblk_sess_attach(struct rblk_sess *sess, struct rblk_vol *vol,
		     struct rblk_ioc_error *error)
{
	long left;

	mutex_lock(&sess->vols_lock);
	spin_lock_irq(&sess->lock);
	list_add_tail(&vol->entry, &sess->vols);
	spin_unlock_irq(&sess->lock);
	mutex_unlock(&sess->vols_lock);
	kick(sess, 0);
	left = wait_event_interruptible_timeout(sess->waitq, attach_ended(vol),
						ATTACH_SECONDS * HZ);
	if (left < 0)
		return rblk_fail(error, RBLK_STAGE_ATTACH, -EINTR, "interrupted");
	if (!left)
		return rblk_fail(error, RBLK_STAGE_ATTACH, -ETIMEDOUT,
				 "I/O of the export's former holder has not ended");
	if (READ_ONCE(vol->state) != RBLK_VOL_NEW)
		return 0;
	spin_lock_irq(&vol->lock);
	*error = vol->error;
	spin_unlock_irq(&vol->lock);
	return error->error ? -error->error :
	       rblk_fail(error, RBLK_STAGE_ATTACH, -ESHUTDOWN,
			 "the session is being deleted");
}

/**
 * rblk_sess_detach() - take a volume off its session and give the use back
 * @vol: DELETING, with no I/O and no disk
 *
 * Context: may sleep, at most 10 s.
 */
void rblk_sess_detach(struct rblk_vol *vol)
{
	struct rblk_sess *sess = vol->sess;

	mutex_lock(&sess->vols_lock);
	spin_lock_irq(&sess->lock);
	list_del_init(&vol->entry);
	spin_unlock_irq(&sess->lock);
	mutex_unlock(&sess->vols_lock);
	cancel_delayed_work_sync(&vol->expire);
	if (vol->attached)
		rblk_call_detach(sess, vol->geo.volume);
	vol->sess = NULL;
	rblk_sess_put(sess);
}
