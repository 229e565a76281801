/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Act in another network namespace for the length of a call.
 *
 * An RDMA CM identifier belongs to a namespace, but software iWARP opens its
 * TCP socket in that of the calling task (sock_create() in siw_connect() and
 * siw_create_listen()), and a kernel worker lives in the initial one.  So the
 * worker borrows the right namespace around such a call: a copy of its nsproxy
 * with the network replaced.  Nothing takes a reference to a nsproxy but fork,
 * which a worker doesn't do here; others that look at the worker take the
 * task's lock, as we do.
 */
#ifndef RBLK_COMPAT_NETNS_H
#define RBLK_COMPAT_NETNS_H

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

static inline void compat_netns_enter(struct compat_netns *ns, struct net *net)
{
	ns->old = current->nsproxy;
	ns->copy = *ns->old;
	ns->copy.net_ns = net;
	task_lock(current);
	current->nsproxy = &ns->copy;
	task_unlock(current);
}

static inline void compat_netns_leave(struct compat_netns *ns)
{
	task_lock(current);
	current->nsproxy = ns->old;
	task_unlock(current);
}

#endif /* RBLK_COMPAT_NETNS_H */
