/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Act in another network namespace for the length of a call.
 *
 * An RDMA CM identifier belongs to a namespace, but software iWARP opens its
 * TCP socket in that of the calling task (sock_create() in siw_connect() and
 * siw_create_listen()), and a kernel worker lives in the initial one.  So the
 * worker borrows the right namespace around such a call: a copy of its nsproxy
 * with the network replaced.  A worker doesn't fork here, so nobody keeps the
 * copy.  But others may look at the worker: under the task's lock, or with a
 * reference that they take there and soon drop (setns() and ioctls of a pidfd),
 * which is waited for.
 */
#ifndef RBLK_COMPAT_NETNS_H
#define RBLK_COMPAT_NETNS_H

#include <linux/delay.h>
#include <linux/nsproxy.h>
#include <linux/sched.h>
#include <linux/sched/task.h>

/**
 * struct compat_netns - what to go back to
 * @copy: in force meanwhile
 * @old: the task's own
 */
struct compat_netns {
	struct nsproxy copy;
	struct nsproxy *old;
};

/* An atomic_t, and later a refcount_t, which is one. */
static inline atomic_t *compat_netns_count(struct compat_netns *ns)
{
	BUILD_BUG_ON(sizeof(ns->copy.count) != sizeof(atomic_t));
	return (atomic_t *)&ns->copy.count;
}

static inline void compat_netns_enter(struct compat_netns *ns, struct net *net)
{
	ns->old = current->nsproxy;
	ns->copy = *ns->old;
	ns->copy.net_ns = net;
	atomic_set(compat_netns_count(ns), 1);
	task_lock(current);
	current->nsproxy = &ns->copy;
	task_unlock(current);
}

static inline void compat_netns_leave(struct compat_netns *ns)
{
	task_lock(current);
	current->nsproxy = ns->old;
	task_unlock(current);
	while (atomic_read(compat_netns_count(ns)) > 1)
		usleep_range(100, 1000);
}

#endif /* RBLK_COMPAT_NETNS_H */
