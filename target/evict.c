// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ending a host's sessions at the administrator's word, for a host that is
 * known to be dead before its silence has lasted long enough.
 */
#include "admin.h"

static bool is_host(const struct rblkt_sess *sess, const u8 *host)
{
	return !memcmp(sess->host, host, RBLK_UUID_LEN);
}

/* Does @host have anything attached?  Says what. */
static int check_idle(const u8 *host, struct rblk_ioc_error *err)
{
	const struct rblkt_sess *sess;
	unsigned int volumes = 0;
	const char *name = "";

	list_for_each_entry(sess, &rblkt_sessions, node) {
		if (!is_host(sess, host))
			continue;
		volumes += sess->nr_atts;
		name = sess->host_name;
	}
	if (!volumes)
		return 0;
	return rblkt_fail(err, RBLK_STAGE_BUSY, EBUSY,
			  "host %s has %u volume%s attached", name, volumes,
			  volumes > 1 ? "s" : "");
}

static int evict(struct rblkt_ioc_session_remove *arg)
{
	struct rblkt_sess *sess, *next;

	lockdep_assert_held(&rblkt_mutex);
	if (!(arg->flags & RBLKT_REMOVE_FORCE) &&
	    check_idle(arg->host, &arg->error))
		return -EBUSY;
	list_for_each_entry_safe(sess, next, &rblkt_sessions, node) {
		if (!is_host(sess, arg->host))
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
 * rblkt_evict - the verb SESSION_REMOVE
 * @arg: as copied from user space
 *
 * Waits for nothing: where I/O of the host is still out, the fence holds.
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
	ret = evict(arg);
	mutex_unlock(&rblkt_mutex);
	return ret;
}
