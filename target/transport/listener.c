// SPDX-License-Identifier: GPL-2.0-only
/*
 * A portal's listener: the CM id that it listens on.
 *
 * listener->tending guards listener->id.  Three paths take this mutex: the verb
 * that adds the portal, the check (a work item that checks the listener), and
 * the removal.  CM handlers never take it, because destroying a CM id waits for
 * its handlers.  They only queue the check.
 *
 * The check is queued under rblkt_mutex, and only while the portal is not
 * @removed.  So a removal sets @removed, then cancels the check once, and after
 * that nobody makes another listener.
 *
 * The CM reports when a listener's device goes and when a bond changes its
 * address.  It does not report when the address goes or moves to another
 * interface.  The listener then stays on the old device, where no host finds
 * it.  So the check comes back every RBLKT_CHECK_MS and asks where the address is
 * now.
 */
#include <net/net_namespace.h>
#include <rdma/ib_addr.h>
#include "transport.h"

#define RBLKT_BACKLOG	128
#define RBLKT_CHECK_MS	2000	/* while it listens */
#define RBLKT_RETRY_MS	1000	/* while it does not */

/* The CM handler's part: note that the listener is useless, queue the check. */
static void listener_lost(struct rblkt_listener *listener)
{
	mutex_lock(&rblkt_mutex);
	listener->lost = true;
	listener->last_error = ENODEV;
	if (!listener->removed)
		mod_delayed_work(rblkt_close_wq, &listener->check, 0);
	mutex_unlock(&rblkt_mutex);
}

static int listener_event(struct rdma_cm_id *id, struct rdma_cm_event *event)
{
	struct rblkt_listener *listener = id->context;

	switch (event->event) {
	case RDMA_CM_EVENT_CONNECT_REQUEST:
		return listener->connect(listener, id, &event->param.conn);
	case RDMA_CM_EVENT_ADDR_CHANGE:
	case RDMA_CM_EVENT_DEVICE_REMOVAL:
		/* The check destroys this id, so never ask the CM to. */
		listener_lost(listener);
		return 0;
	default:
		return 0;
	}
}

static struct rdma_cm_id *listener_new(struct rblkt_listener *listener)
{
	struct rdma_cm_id *id;
	int ret;

	id = rdma_create_id(listener->net, listener_event, listener, RDMA_PS_TCP,
			    IB_QPT_RC);
	if (IS_ERR(id))
		return id;
	if (listener->addr.family == AF_INET6) {
		ret = rdma_set_afonly(id, 1);
		if (ret)
			goto destroy;
	}
	ret = rdma_bind_addr(id, (struct sockaddr *)&listener->sa);
	if (ret)
		goto destroy;
	ret = rdma_listen(id, RBLKT_BACKLOG);
	if (ret)
		goto destroy;
	return id;

destroy:
	rdma_destroy_id(id);
	return ERR_PTR(ret);
}

/*
 * Is the listener where no host finds it: on another interface than the one
 * that has the address now?  A link-local address names its interface, so the
 * lookup is for that interface alone.
 */
static bool listener_stranded(const struct rblkt_listener *listener)
{
	const struct sockaddr_in6 *in6 = (const void *)&listener->sa;
	struct rdma_dev_addr now = { .net = listener->net };

	/*
	 * A listener on all addresses has no device of its own: the CM makes it
	 * listen on every device.
	 */
	if (!listener->id->device)
		return false;
	if (in6->sin6_family == AF_INET6)
		now.bound_dev_if = in6->sin6_scope_id;
	return rdma_translate_ip((const struct sockaddr *)&listener->sa, &now) ||
	       now.bound_dev_if != listener->id->route.addr.dev_addr.bound_dev_if;
}

static void listener_end(struct rblkt_listener *listener)
{
	lockdep_assert_held(&listener->tending);
	if (listener->id)
		rdma_destroy_id(listener->id);
	listener->id = NULL;
}

static int listener_make(struct rblkt_listener *listener)
{
	struct rdma_cm_id *id = listener_new(listener);

	lockdep_assert_held(&listener->tending);
	if (IS_ERR(id))
		return PTR_ERR(id);
	listener->id = id;
	return 0;
}

/*
 * Record the result @ret and queue the next check, unless the portal is removed:
 * to check the listener, or sooner to try again without one.
 */
static void listener_tended(struct rblkt_listener *listener, int ret)
{
	unsigned int ms = ret ? RBLKT_RETRY_MS : RBLKT_CHECK_MS;

	mutex_lock(&rblkt_mutex);
	/*
	 * A listener that was lost meanwhile has set its own error and has
	 * queued the check already.
	 */
	if (!listener->lost)
		listener->last_error = -ret;
	if (!listener->removed)
		queue_delayed_work(rblkt_close_wq, &listener->check,
				   msecs_to_jiffies(ms));
	mutex_unlock(&rblkt_mutex);
}

/* Read and clear listener->lost. */
static bool listener_was_lost(struct rblkt_listener *listener)
{
	bool lost;

	mutex_lock(&rblkt_mutex);
	lost = listener->lost;
	listener->lost = false;
	mutex_unlock(&rblkt_mutex);
	return lost;
}

static void listener_check(struct work_struct *work)
{
	struct rblkt_listener *listener = container_of(to_delayed_work(work),
						       struct rblkt_listener, check);
	int ret = 0;

	mutex_lock(&listener->tending);
	if (listener_was_lost(listener) ||
	    (listener->id && listener_stranded(listener))) {
		listener_end(listener);
		/* A late report about the former one is not about the next. */
		listener_was_lost(listener);
	}
	if (!listener->id)
		ret = listener_make(listener);
	listener_tended(listener, ret);
	mutex_unlock(&listener->tending);
}

/**
 * rblkt_listen_init - set up a portal's listener, which does not listen yet
 * @listener: new, its owner not yet published
 *
 * Context: Process context.
 */
void rblkt_listen_init(struct rblkt_listener *listener)
{
	mutex_init(&listener->tending);
	INIT_DELAYED_WORK(&listener->check, listener_check);
	listener->last_error = EINPROGRESS;
}

/**
 * rblkt_listen_start - listen for the first time
 * @listener: its owner has set @net, @addr, @sa and @connect, and took @tending
 *            before it was published
 *
 * On success the check checks the listener until rblkt_listen_stop().  The
 * caller has to call that after a failure, too: a CM handler may have queued
 * the check.
 *
 * Context: Process context, with listener->tending held; takes rblkt_mutex, may
 * sleep.
 * Return: 0 or a negative errno.
 */
int rblkt_listen_start(struct rblkt_listener *listener)
{
	int ret = listener_make(listener);

	if (!ret)
		listener_tended(listener, 0);
	return ret;
}

/**
 * rblkt_listen_stop - stop listening for good
 * @listener: already @removed
 *
 * Context: Process context, without listener->tending; may sleep.  Not from a CM
 * handler, as destroying the CM id waits for handlers.
 */
void rblkt_listen_stop(struct rblkt_listener *listener)
{
	cancel_delayed_work_sync(&listener->check);
	mutex_lock(&listener->tending);
	listener_end(listener);
	mutex_unlock(&listener->tending);
}
