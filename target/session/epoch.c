// SPDX-License-Identifier: GPL-2.0-only
/*
 * LOGIN: it publishes an epoch and ends the sessions that the epoch replaces,
 * which are older epochs of the same session and all sessions of a former boot
 * of the host.
 *
 * A host that has proved its key is the machine that it says it is, wherever it comes
 * from.  One without a key proves nothing.  So its LOGIN ends other sessions only if
 * it seems to come from the same machine.  Either it names their instance, which only
 * that machine and its targets know, or at least one of the sessions of the former boot
 * has the same address.
 */
#include <linux/module.h>
#include <linux/random.h>
#include "session.h"

u8 rblkt_uuid[RBLK_UUID_LEN];	/* of this target, new each time it is loaded */

static unsigned int max_sessions = 1024;
module_param(max_sessions, uint, 0644);
MODULE_PARM_DESC(max_sessions, "Sessions logged in, at most");

static bool login_same_host(const struct rblkt_sess *sess, const struct rblkt_sess *old)
{
	return !memcmp(sess->holder.host, old->holder.host, sizeof(sess->holder.host));
}

/* A host has a new instance with every boot. */
static bool login_same_boot(const struct rblkt_sess *sess,
			    const struct rblk_wire_login *msg)
{
	return !memcmp(sess->instance, msg->instance, sizeof(sess->instance));
}

static bool login_near(const struct rblkt_sess *a, const struct rblkt_sess *b)
{
	return rblkt_peer_same(a->net, &a->holder.peer, b->net, &b->holder.peer);
}

/* Would @sess, logged in by @msg, end @old? */
static bool login_ends(const struct rblkt_sess *sess,
		       const struct rblkt_sess *old,
		       const struct rblk_wire_login *msg)
{
	return rblkt_sess_same(&sess->holder, &old->holder) ||
	       (login_same_host(sess, old) && !login_same_boot(old, msg));
}

/* What a LOGIN means for the sessions that are logged in. */
struct login_plan {
	unsigned int others;		/* sessions that stay */
	unsigned int ending;		/* that end and have the same address */
	u64 inherited;			/* bytes charged to the @ending ones */
	bool former;			/* some that end are of a former boot */
	bool witness;			/* one of these has the same address */
};

/* Bytes charged to a session's connections. */
static u64 sess_charged(const struct rblkt_sess *sess)
{
	unsigned int i;
	u64 sum = 0;

	for (i = 0; i <= sess->nr_queues; i++)
		if (sess->link[i])
			sum += sess->link[i]->charged;
	return sum;
}

static struct login_plan login_plan(const struct rblkt_sess *sess,
				    const struct rblk_wire_login *msg)
{
	const struct rblkt_sess *old;
	struct login_plan plan = {};

	list_for_each_entry(old, &rblkt_sessions, node) {
		bool near = login_near(old, sess);

		if (!login_ends(sess, old, msg)) {
			plan.others++;
			continue;
		}
		plan.ending += near;
		if (near)
			plan.inherited += sess_charged(old);
		if (login_same_boot(old, msg))
			continue;
		plan.former = true;
		plan.witness |= near;
	}
	return plan;
}

/* Returns enum rblk_wire_ctl_status. */
static u16 login_check(struct rblkt_sess *sess, const struct rblk_wire_login *msg,
		       const struct login_plan *plan)
{
	const struct rblkt_sess *old = rblkt_sess_lookup(sess->holder.host, sess->holder.uuid);

	if (sess->state != RBLK_SESS_CONNECTING || !sess->link[0] ||
	    rblkt_pause_left())
		return RBLK_CTL_GOING_AWAY;
	if (old && old->epoch >= sess->epoch)
		return RBLK_CTL_STALE_EPOCH;
	if (plan->former && !plan->witness && !rblkt_host_proven(&sess->holder.who))
		return RBLK_CTL_OTHER_HOST;
	/* Who may have nothing needs no connections for I/O.  It may look around. */
	if (sess->nr_queues && (rblkt_fence_stands(sess->holder.host) ||
				!rblkt_export_for(&sess->holder.who)))
		return RBLK_CTL_NOTHING;
	if (plan->others >= READ_ONCE(max_sessions))
		return RBLK_CTL_NO_RESOURCES;
	return rblkt_peer_login(sess->link[0], &sess->grant, plan->inherited,
				plan->ending);
}

/* End @old, an older epoch of @sess, which takes over its counters. */
static void sess_succeed(struct rblkt_sess *sess, struct rblkt_sess *old)
{
	u64 counter[RBLK_CNT_NR];
	int i;

	rblkt_sess_count(old, counter);
	for (i = 0; i < RBLK_CNT_NR; i++)
		sess->counter[i] += counter[i];
	sess->counter[RBLK_CNT_RECONNECTS]++;
	rblkt_sess_kill(old, "succeeded by a newer epoch");
}

/*
 * Memory that is charged to @old counts as credit of @sess until it is freed.
 * Otherwise a host that reconnects could lack memory for as long as its former
 * epoch still has it.
 */
static void sess_inherit(struct rblkt_sess *sess, struct rblkt_sess *old)
{
	unsigned int i;

	for (i = 0; i <= old->nr_queues; i++) {
		struct rblkt_link *link = old->link[i];

		if (!link)
			continue;
		rblkt_sess_get(sess);
		link->heir = sess;
		sess->inherited += link->charged;
	}
}

/* End all sessions that the LOGIN replaces. */
static void sess_end_former(struct rblkt_sess *sess,
			    const struct rblk_wire_login *msg)
{
	struct rblkt_sess *old, *next;

	list_for_each_entry_safe(old, next, &rblkt_sessions, node) {
		if (!login_ends(sess, old, msg))
			continue;
		if (login_near(old, sess))
			sess_inherit(sess, old);
		if (rblkt_sess_same(&sess->holder, &old->holder))
			sess_succeed(sess, old);
		else
			rblkt_sess_kill(old, "host has restarted");
	}
}

static void sess_publish(struct rblkt_sess *sess,
			 const struct rblk_wire_login *msg)
{
	memcpy(sess->instance, msg->instance, sizeof(sess->instance));
	strscpy(sess->holder.host_name, msg->host_name, sizeof(sess->holder.host_name));
	sess->key = get_random_u64();
	sess->keepalive_ms = rblkt_keepalive_ms();
	rblkt_peer_hold(sess, sess->link[0]->peer);
	sess->from->sessions++;
	rblkt_sess_set(sess, RBLK_SESS_LIVE);
	list_add_tail(&sess->node, &rblkt_sessions);
	rblkt_sess_get(sess);
	queue_delayed_work(rblkt_ctl_wq, &sess->keepalive,
			   msecs_to_jiffies(sess->keepalive_ms));
	pr_info_ratelimited("session %pUb of host %s, epoch %u, logged in\n",
			    sess->holder.uuid, sess->holder.host_name, sess->epoch);
}

/**
 * rblkt_epoch_login - publish a session
 * @sess: the session whose control connection received @msg; its holder knows the host
 * @msg: the checked message
 *
 * The newest epoch wins, and so does the host's latest boot.  A session's UUID can be
 * overheard: under the same UUID another host has a session of its own.
 *
 * Context: Process context; takes rblkt_mutex, may sleep.
 * Return: enum rblk_wire_ctl_status.
 */
u16 rblkt_epoch_login(struct rblkt_sess *sess,
		      const struct rblk_wire_login *msg)
{
	struct login_plan plan;
	u16 status;

	mutex_lock(&rblkt_mutex);
	plan = login_plan(sess, msg);
	status = login_check(sess, msg, &plan);
	if (!status) {
		sess_end_former(sess, msg);
		sess_publish(sess, msg);
	}
	mutex_unlock(&rblkt_mutex);
	if (status)
		rblkt_reason_denied(msg, status);
	return status;
}
