// SPDX-License-Identifier: GPL-2.0-only
/*
 * Portals: the verbs that add and remove them.  transport/listener.c owns their
 * listeners, admit.c admits the connections that come through them.
 */
#include <linux/module.h>
#include <linux/nsproxy.h>
#include <linux/slab.h>
#include <net/ipv6.h>
#include <net/net_namespace.h>
#include "session.h"

LIST_HEAD(rblkt_portals);	/* guarded by rblkt_mutex */

static void portal_free_work(struct work_struct *work)
{
	struct rblkt_portal *portal = container_of(work, struct rblkt_portal,
						   free_work);

	mutex_lock(&rblkt_mutex);
	if (portal->freed)
		complete(portal->freed);
	mutex_unlock(&rblkt_mutex);
	put_net(portal->listener.net);
	kfree(portal);
	module_put(THIS_MODULE);
}

static void portal_release(struct kref *ref)
{
	struct rblkt_portal *portal = container_of(ref, struct rblkt_portal,
						   ref);

	queue_work(rblkt_close_wq, &portal->free_work);
}

/**
 * rblkt_portal_put - drop a reference
 * @portal: the portal; a work item frees it after the last reference
 *
 * Context: Any.
 */
void rblkt_portal_put(struct rblkt_portal *portal)
{
	kref_put(&portal->ref, portal_release);
}

static int portal_check_addr(const struct rblk_ioc_addr *addr,
			     struct rblk_ioc_error *err)
{
	if (addr->family != AF_INET && addr->family != AF_INET6)
		return rblkt_fail(err, RBLK_STAGE_ARGUMENTS, EAFNOSUPPORT,
				  "the address is neither IPv4 nor IPv6");
	if (!addr->port)
		return rblkt_fail(err, RBLK_STAGE_ARGUMENTS, EINVAL,
				  "the port is 0");
	if (addr->family == AF_INET &&
	    (addr->scope_id || memchr_inv(addr->addr + 4, 0, 12)))
		return rblkt_fail(err, RBLK_STAGE_ARGUMENTS, EINVAL,
				  "stray bytes after an IPv4 address");
	/* The listener's check takes it for the interface that has the address. */
	if (addr->family == AF_INET6 && addr->scope_id &&
	    !(ipv6_addr_type((const struct in6_addr *)addr->addr) & IPV6_ADDR_LINKLOCAL))
		return rblkt_fail(err, RBLK_STAGE_ARGUMENTS, EINVAL,
				  "only a link-local address has an interface");
	return 0;
}

static void portal_set_sockaddr(struct rblkt_portal *portal)
{
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&portal->listener.sa;
	struct sockaddr_in *in = (struct sockaddr_in *)&portal->listener.sa;
	const struct rblk_ioc_addr *addr = &portal->listener.addr;

	if (addr->family == AF_INET) {
		in->sin_family = AF_INET;
		in->sin_port = addr->port;
		memcpy(&in->sin_addr, addr->addr, sizeof(in->sin_addr));
	} else {
		in6->sin6_family = AF_INET6;
		in6->sin6_port = addr->port;
		in6->sin6_scope_id = addr->scope_id;
		memcpy(&in6->sin6_addr, addr->addr, sizeof(in6->sin6_addr));
	}
}

static int portal_listen_error(const struct rblkt_portal *portal, int error,
			       struct rblk_ioc_error *err)
{
	const u8 *addr = portal->listener.addr.addr;
	const char *why;

	switch (error) {
	case EADDRINUSE:
		why = "is in use by another listener";
		break;
	case EADDRNOTAVAIL:
		/* Zeroes mean all addresses: one of them has that port. */
		why = memchr_inv(addr, 0, sizeof(portal->listener.addr.addr)) ?
			"is not an address of this host" :
			"overlaps what listens on that port already";
		break;
	case ENODEV:
		why = "has no RDMA device behind it";
		break;
	default:
		return rblkt_fail_addr(err, RBLK_STAGE_LISTEN, error,
				       &portal->listener.addr, "can't be listened on");
	}
	return rblkt_fail_addr(err, RBLK_STAGE_LISTEN, error, &portal->listener.addr,
			       why);
}

static struct rblkt_portal *portal_find(const struct rblk_ioc_addr *addr,
					const struct net *net)
{
	struct rblkt_portal *portal;

	lockdep_assert_held(&rblkt_mutex);
	list_for_each_entry(portal, &rblkt_portals, node)
		if (portal->listener.net == net &&
		    !memcmp(&portal->listener.addr, addr, sizeof(*addr)))
			return portal;
	return NULL;
}

static struct rblkt_portal *portal_new(const struct rblk_ioc_addr *addr)
{
	struct rblkt_portal *portal = kzalloc(sizeof(*portal), GFP_KERNEL);

	if (!portal)
		return NULL;
	kref_init(&portal->ref);
	INIT_LIST_HEAD(&portal->node);
	portal->listener.connect = rblkt_admit;
	rblkt_listen_init(&portal->listener);
	INIT_WORK(&portal->free_work, portal_free_work);
	portal->listener.addr = *addr;
	portal_set_sockaddr(portal);
	portal->listener.net = get_net(current->nsproxy->net_ns);
	__module_get(THIS_MODULE);
	return portal;
}

/* Add a portal to the list, which takes a reference of its own. */
static int portal_enlist(struct rblkt_portal *portal,
			 struct rblk_ioc_error *err)
{
	int ret = 0;

	mutex_lock(&rblkt_mutex);
	if (portal_find(&portal->listener.addr, portal->listener.net)) {
		ret = rblkt_fail_addr(err, RBLK_STAGE_LISTEN, EEXIST,
				      &portal->listener.addr, "is a portal already");
	} else {
		list_add_tail(&portal->node, &rblkt_portals);
		kref_get(&portal->ref);
	}
	mutex_unlock(&rblkt_mutex);
	return ret;
}

/*
 * Take back a portal that could not listen.  A removal may have unlinked it
 * meanwhile, and then drops the list's reference.
 */
static void portal_delist(struct rblkt_portal *portal)
{
	bool removed;

	mutex_lock(&rblkt_mutex);
	removed = portal->listener.removed;
	portal->listener.removed = true;
	list_del_init(&portal->node);
	mutex_unlock(&rblkt_mutex);
	rblkt_listen_stop(&portal->listener);
	if (!removed)
		rblkt_portal_put(portal);
}

/*
 * Can its RDMA device serve hosts?  A portal on all addresses learns of its
 * devices as hosts come: see device_check() in admit.c.
 */
static int portal_check_device(const struct rblkt_portal *portal,
			       struct rblk_ioc_error *err)
{
	const struct rdma_cm_id *id = portal->listener.id;
	const char *lacks;

	if (!id->device || !rblkt_device_check(id->device, id->port_num, &lacks))
		return 0;
	return rblkt_fail(err, RBLK_STAGE_DEVICE, EOPNOTSUPP,
			  "RDMA device %s lacks %s", dev_name(&id->device->dev), lacks);
}

/**
 * rblkt_portal_add - carry out the verb PORTAL_ADD
 * @arg: copied from user space, and back after the call
 *
 * The portal belongs to the calling process's network namespace.
 *
 * Context: Process context; takes portal->listener.tending and rblkt_mutex, may sleep.
 * Return: 0 or a negative errno with @arg->error filled in.
 */
int rblkt_portal_add(struct rblkt_ioc_portal_add *arg)
{
	struct rblk_ioc_error *err = &arg->error;
	struct rblkt_portal *portal;
	int ret;

	if (arg->flags || memchr_inv(arg->reserved, 0, sizeof(arg->reserved)))
		return rblkt_fail(err, RBLK_STAGE_ARGUMENTS, EINVAL,
				  "unknown flags or reserved fields are set");
	ret = portal_check_addr(&arg->addr, err);
	if (ret)
		return ret;
	portal = portal_new(&arg->addr);
	if (!portal)
		return rblkt_fail(err, RBLK_STAGE_LISTEN, ENOMEM,
				  "out of memory");
	/*
	 * From portal_enlist() on, others may remove the portal.  A removal
	 * waits for this mutex, and so for the first listener.
	 */
	mutex_lock(&portal->listener.tending);
	ret = portal_enlist(portal, err);
	if (ret) {
		mutex_unlock(&portal->listener.tending);
		goto put;
	}
	ret = rblkt_listen_start(&portal->listener);
	if (ret)
		portal_listen_error(portal, -ret, err);
	else
		ret = portal_check_device(portal, err);
	mutex_unlock(&portal->listener.tending);
	if (ret)
		portal_delist(portal);
put:
	rblkt_portal_put(portal);
	return ret;
}

/*
 * Unlink a portal and end the sessions that have logged in through it.  Without
 * @force, fail if there are any and name a host.
 */
static int portal_unlink(struct rblkt_portal *portal, bool force,
			 struct rblk_ioc_error *err)
{
	struct rblkt_sess *sess, *next;

	list_for_each_entry_safe(sess, next, &rblkt_sessions, node) {
		if (sess->portal != portal)
			continue;
		if (!force)
			return rblkt_fail(err, RBLK_STAGE_BUSY, EBUSY,
					  "host %s has a session through this portal",
					  sess->holder.host_name);
		rblkt_sess_kill(sess, "portal removed");
	}
	portal->listener.removed = true;
	list_del_init(&portal->node);
	return 0;
}

/*
 * Stop listening, end the sessions that have not logged in yet, drop the list's
 * reference, and wait a while for the last one.
 */
static void portal_stop(struct rblkt_portal *portal, struct completion *freed)
{
	unsigned long wait = msecs_to_jiffies(RBLKT_WAIT_MS);

	rblkt_listen_stop(&portal->listener);
	rblkt_sess_kill_portal(portal);
	rblkt_portal_put(portal);
	if (wait_for_completion_interruptible_timeout(freed, wait) > 0)
		return;
	mutex_lock(&rblkt_mutex);
	/* Not freed yet: portal_free_work() needs the mutex that we hold. */
	if (!completion_done(freed))
		portal->freed = NULL;
	mutex_unlock(&rblkt_mutex);
}

/**
 * rblkt_portal_remove - carry out the verb PORTAL_REMOVE
 * @arg: copied from user space, and back after the call
 *
 * Waits up to RBLKT_WAIT_MS until the portal is freed, but succeeds without.  A
 * signal ends the wait.
 *
 * Context: Process context; takes rblkt_mutex and portal->listener.tending, may sleep.
 * Return: 0 or a negative errno with @arg->error filled in.
 */
int rblkt_portal_remove(struct rblkt_ioc_portal_remove *arg)
{
	DECLARE_COMPLETION_ONSTACK(freed);
	struct rblk_ioc_error *err = &arg->error;
	struct rblkt_portal *portal;
	int ret;

	if (arg->flags & ~RBLKT_REMOVE_FORCE ||
	    memchr_inv(arg->reserved, 0, sizeof(arg->reserved)))
		return rblkt_fail(err, RBLK_STAGE_ARGUMENTS, EINVAL,
				  "unknown flags or reserved fields are set");
	ret = portal_check_addr(&arg->addr, err);
	if (ret)
		return ret;
	mutex_lock(&rblkt_mutex);
	portal = portal_find(&arg->addr, current->nsproxy->net_ns);
	if (portal)
		ret = portal_unlink(portal, arg->flags & RBLKT_REMOVE_FORCE,
				    err);
	else
		ret = rblkt_fail_addr(err, RBLK_STAGE_LOOKUP, ENOENT,
				      &arg->addr, "is not a portal");
	if (!ret)
		portal->freed = &freed;
	mutex_unlock(&rblkt_mutex);
	if (!ret)
		portal_stop(portal, &freed);
	return ret;
}

/**
 * rblkt_portal_list - list addresses at which hosts can reach the target
 * @net: cookie of the network namespace that a host came to
 * @entry: where to
 * @room: entries that fit
 *
 * Context: Process context; takes rblkt_mutex, may sleep.
 * Return: how many entries were filled in.
 */
u32 rblkt_portal_list(u64 net, struct rblk_wire_portal *entry, u32 room)
{
	const struct rblkt_portal *portal;
	u32 nr = 0;

	mutex_lock(&rblkt_mutex);
	list_for_each_entry(portal, &rblkt_portals, node) {
		const struct rblkt_listener *listener = &portal->listener;
		u16 family = listener->addr.family == AF_INET6 ? RBLK_WIRE_FAMILY_IPV6 :
								RBLK_WIRE_FAMILY_IPV4;

		if (nr == room)
			break;
		if (listener->net->net_cookie == net && !listener->last_error)
			nr += rblkt_proto_portal(&entry[nr], family,
						 ntohs(listener->addr.port),
						 listener->addr.addr);
	}
	mutex_unlock(&rblkt_mutex);
	return nr;
}
