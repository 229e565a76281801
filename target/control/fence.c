// SPDX-License-Identifier: GPL-2.0-only
/*
 * The administrator, or a cluster by fence_rblk, fences a host: whatever it still
 * holds, none of it reaches an export any more.
 *
 * First nobody of that host attaches anything more, which is on disk.  Then its
 * sessions end.  Then all that is left of it is I/O at the devices, and the verb waits
 * for that, but not for ever.
 */
#include <linux/delay.h>
#include <linux/sched/signal.h>
#include "control.h"

static bool fence_is_of(const struct rblkt_holder *holder, const u8 *host)
{
	return !memcmp(holder->host, host, RBLK_UUID_LEN);
}

static void fence_end_sessions(struct rblkt_ioc_host_fence *arg, const u8 *host)
{
	struct rblkt_sess *sess, *next;

	mutex_lock(&rblkt_mutex);
	list_for_each_entry_safe(sess, next, &rblkt_sessions, node) {
		if (!fence_is_of(&sess->holder, host))
			continue;
		rblkt_sess_kill(sess, "fenced by the administrator");
		arg->sessions++;
	}
	mutex_unlock(&rblkt_mutex);
}

/**
 * rblkt_fence_left - on how many volumes has a host I/O that has not ended?
 * @host: as in struct rblkt_holder
 *
 * Context: Process context, with rblkt_mutex held.
 * Return: its attachments that have not drained, also of exports that were removed.
 */
u32 rblkt_fence_left(const u8 *host)
{
	const struct rblkt_export *export;
	const struct rblkt_att *att;
	u32 nr = 0;

	lockdep_assert_held(&rblkt_mutex);
	list_for_each_entry(export, &rblkt_exports_all, every)
		list_for_each_entry(att, &export->atts, node)
			nr += fence_is_of(att->holder, host);
	return nr;
}

static bool fence_done(struct rblkt_ioc_host_fence *arg, const u8 *host)
{
	mutex_lock(&rblkt_mutex);
	arg->left = rblkt_fence_left(host);
	mutex_unlock(&rblkt_mutex);
	return !arg->left;
}

static void fence_wait(struct rblkt_ioc_host_fence *arg, const u8 *host)
{
	unsigned long until = jiffies + msecs_to_jiffies(RBLKT_WAIT_MS);

	while (!fence_done(arg, host) && time_before(jiffies, until) &&
	       !signal_pending(current))
		msleep_interruptible(RBLKT_POLL_MS);
}

/* What the host calls itself, where the caller does not say. */
static void fence_name(struct rblkt_fencing *fencing)
{
	const struct rblkt_sess *sess;

	mutex_lock(&rblkt_mutex);
	list_for_each_entry(sess, &rblkt_sessions, node) {
		if (!fence_is_of(&sess->holder, fencing->host))
			continue;
		strscpy(fencing->name, sess->holder.host_name, sizeof(fencing->name));
		if (rblkt_host_proven(&sess->holder.who))
			memcpy(fencing->key, sess->holder.who.key, sizeof(fencing->key));
	}
	mutex_unlock(&rblkt_mutex);
}

/* Does an export's list have the host, or has the host had the export? */
static bool fence_concerns(const struct rblkt_export *export, const u8 *host)
{
	u8 id[RBLK_UUID_LEN];
	u32 i;

	for (i = 0; i < export->nr_hosts; i++) {
		rblkt_host_id(id, &export->hosts[i]);
		if (!memcmp(id, host, RBLK_UUID_LEN))
			return true;
	}
	return rblkt_stat_knows(export, host);
}

/*
 * Is there such a host?  To fence one by a mistyped key must not look like success,
 * nor by a UUID when the host proves a key, which makes it another one.
 */
static bool fence_knows(const u8 *host)
{
	const struct rblkt_export *export;
	const struct rblkt_sess *sess;
	bool known;

	mutex_lock(&rblkt_mutex);
	known = rblkt_fence_stands(host);
	list_for_each_entry(sess, &rblkt_sessions, node)
		known |= fence_is_of(&sess->holder, host);
	list_for_each_entry(export, &rblkt_exports_all, every)
		known = known || fence_concerns(export, host);
	mutex_unlock(&rblkt_mutex);
	return known;
}

static int fence_check(struct rblkt_ioc_host_fence *arg)
{
	bool keyed = rblkt_host_proven(&arg->host);

	if (arg->flags & ~RBLKT_FENCE_DOWN || (arg->name[0] && !rblk_name_ok(arg->name)) ||
	    keyed == !!memchr_inv(arg->host.uuid, 0, RBLK_UUID_LEN) ||
	    memchr_inv(arg->reserved, 0, sizeof(arg->reserved)))
		return rblkt_fail(&arg->error, RBLK_STAGE_ARGUMENTS, EINVAL,
				  "not one of UUID and key, a bad name, unknown flags or reserved fields are set");
	return 0;
}

/**
 * rblkt_host_fence - carry out the verb HOST_FENCE
 * @arg: copied from user space, and back after the call
 *
 * Context: Process context; takes rblkt_mutex, and sleeps up to RBLKT_WAIT_MS for the
 * host's I/O, and as long as the disk takes that has the fences.
 * Return: 0 or a negative errno with @arg->error filled in.
 */
int rblkt_host_fence(struct rblkt_ioc_host_fence *arg)
{
	struct rblkt_fencing fencing = { .up = !(arg->flags & RBLKT_FENCE_DOWN) };
	int ret = fence_check(arg);

	if (ret)
		return ret;
	arg->sessions = 0;
	arg->left = 0;
	rblkt_host_id(fencing.host, &arg->host);
	memcpy(fencing.key, arg->host.key, sizeof(fencing.key));
	fence_name(&fencing);
	if (arg->name[0])
		strscpy(fencing.name, arg->name, sizeof(fencing.name));
	ret = rblkt_fence_load(&arg->error);
	if (!ret && !fence_knows(fencing.host))
		ret = rblkt_fail(&arg->error, RBLK_STAGE_LOOKUP, ENOENT,
				 "no host %pUb is connected, or in the list of an export",
				 fencing.host);
	ret = ret ?: rblkt_fence_set(&fencing, &arg->error);
	if (ret || !fencing.up)
		return ret;
	fence_end_sessions(arg, fencing.host);
	pr_info("host %pUb (%s) is fenced, %u sessions ended\n", fencing.host, fencing.name,
		arg->sessions);
	fence_wait(arg, fencing.host);
	return 0;
}
