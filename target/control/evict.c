// SPDX-License-Identifier: GPL-2.0-only
/*
 * The administrator ends a host's sessions: for a host that is known to be
 * dead, so that nobody has to wait until the target counts it as silent.
 */
#include "control.h"

static bool sess_is_of(const struct rblkt_sess *sess, const u8 *host)
{
	return !memcmp(sess->holder.host, host, RBLK_UUID_LEN);
}

/* Fail if @host has volumes attached, and say how many. */
static int evict_check_idle(const u8 *host, struct rblk_ioc_error *err)
{
	const struct rblkt_sess *sess;
	unsigned int volumes = 0;
	const char *name = "";

	list_for_each_entry(sess, &rblkt_sessions, node) {
		if (!sess_is_of(sess, host))
			continue;
		volumes += sess->holder.nr_atts;
		name = sess->holder.host_name;
	}
	if (!volumes)
		return 0;
	return rblkt_fail(err, RBLK_STAGE_BUSY, EBUSY,
			  "host %s has %u volume%s attached", name, volumes,
			  volumes > 1 ? "s" : "");
}

static int evict_host(struct rblkt_ioc_session_remove *arg)
{
	struct rblkt_sess *sess, *next;

	lockdep_assert_held(&rblkt_mutex);
	if (!(arg->flags & RBLKT_REMOVE_FORCE) &&
	    evict_check_idle(arg->host, &arg->error))
		return -EBUSY;
	list_for_each_entry_safe(sess, next, &rblkt_sessions, node) {
		if (!sess_is_of(sess, arg->host))
			continue;
		rblkt_sess_kill(sess, "removed by the administrator");
		arg->nr++;
	}
	if (arg->nr)
		return 0;
	return rblkt_fail(&arg->error, RBLK_STAGE_LOOKUP, ENOENT,
			  "host %pUb has no session", arg->host);
}

/**
 * rblkt_evict - carry out the verb SESSION_REMOVE
 * @arg: copied from user space, and back after the call
 *
 * Does not wait for the host's I/O to end: while some is under way, the fence
 * holds.
 *
 * Context: Process context; takes rblkt_mutex, may sleep.
 * Return: 0 or a negative errno with @arg->error filled in.
 */
int rblkt_evict(struct rblkt_ioc_session_remove *arg)
{
	int ret;

	if (arg->flags & ~RBLKT_REMOVE_FORCE || arg->reserved ||
	    memchr_inv(arg->reserved2, 0, sizeof(arg->reserved2)) ||
	    !memchr_inv(arg->host, 0, sizeof(arg->host)))
		return rblkt_fail(&arg->error, RBLK_STAGE_ARGUMENTS, EINVAL,
				  "no host, unknown flags or reserved fields are set");
	arg->nr = 0;
	mutex_lock(&rblkt_mutex);
	ret = evict_host(arg);
	mutex_unlock(&rblkt_mutex);
	return ret;
}
