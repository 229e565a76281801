// SPDX-License-Identifier: GPL-2.0-only
/*
 * Adds routes to a device and removes them, and changes what holds for all of them.
 *
 * A new route is a session with the parameters of the device's others, or one that
 * exists already.  It need not connect at once: it stays, and goes on trying.
 *
 * A route that is removed takes no new requests first.  Those that it has end as
 * usual, or are lost with it and go elsewhere behind the fence.  Then its session gives
 * the volume back.  If its requests do not end in time, the route stays.
 */
#include <linux/delay.h>
#include <linux/slab.h>
#include "block.h"

#define REMOVE_MS	5000	/* for the requests of a route that is removed to end */
#define POLL_MS		10

static bool route_addr_same(const struct sockaddr_storage *a, const struct sockaddr_storage *b)
{
	return !memcmp(a, b, sizeof(*a));
}

static bool route_is(const struct rblk_route *route, const struct rblk_peer *peer)
{
	const struct rblk_peer *has = &route->vol.sess->args.peer;

	return route_addr_same(&has->target, &peer->target) &&
	       route_addr_same(&has->source, &peer->source);
}

static struct rblk_route *route_find(struct rblk_dev *dev, const struct rblk_peer *peer)
{
	struct rblk_route *route;

	rblk_for_each_route(dev, route)
		if (route->used && route_is(route, peer))
			return route;
	return NULL;
}

/* One task at a time changes routes, and none while the device is being detached. */
static struct rblk_dev *reroute_claim(int index, const u8 *uuid, struct rblk_ioc_error *error)
{
	struct rblk_dev *dev = rblk_dev_lock(index, false, error);
	bool busy;

	if (!dev)
		return NULL;
	busy = dev->detaching || dev->rerouting;
	if (busy)
		rblk_fail(error, RBLK_STAGE_BUSY, -EBUSY, "/dev/rblk%d is being %s",
			  index, dev->detaching ? "detached" : "given other routes");
	if (busy || rblk_dev_check(dev, uuid, error)) {
		dev = NULL;
	} else {
		dev->rerouting = true;
		kref_get(&dev->kref);
	}
	rblk_dev_unlock();
	return dev;
}

static void reroute_unclaim(struct rblk_dev *dev)
{
	struct rblk_ioc_error error;

	/* It can't have gone: a detach waits for this. */
	rblk_dev_lock(dev->index, false, &error);
	dev->rerouting = false;
	rblk_dev_unlock();
	rblk_dev_put(dev);
}

/* ---- Give up ---- */

static bool route_is_empty(struct rblk_route *route)
{
	bool empty;

	if (rblk_route_inflight(route))
		return false;
	/* Pairs with rblk_share_give(): what has left its slot by a loss is seen here. */
	smp_rmb();
	spin_lock_irq(&route->lock);
	empty = list_empty(&route->held) && route->fence == RBLK_FENCED;
	spin_unlock_irq(&route->lock);
	return empty;
}

static bool route_wait_empty(struct rblk_route *route)
{
	u32 waited;

	/* Who has chosen the route already has a slot when this returns. */
	mutex_lock(&route->dev->hold_lock);
	compat_wait_quiesced(route->dev->disk->queue);
	mutex_unlock(&route->dev->hold_lock);
	for (waited = 0; !route_is_empty(route); waited += POLL_MS) {
		if (waited >= REMOVE_MS)
			return false;
		rblk_poll_session(route->vol.sess);
		msleep(POLL_MS);
	}
	return true;
}

/* Give the route up: no request takes it any more, and none is on it. */
static void route_retire(struct rblk_route *route)
{
	struct rblk_dev *dev = route->dev;
	struct rblk_ioc_error error;

	rblk_vol_set_state(&route->vol, RBLK_VOL_DELETING, NULL);
	/* A detach waits for the claim, so the device is there. */
	rblk_dev_lock(dev->index, false, &error);
	rblk_latency_keep(route);
	mutex_lock(&dev->hold_lock);
	route->used = false;
	/* The others may have been lost meanwhile, when this one was LIVE. */
	rblk_hold_if_lost(dev);
	compat_wait_quiesced(dev->disk->queue);
	mutex_unlock(&dev->hold_lock);
	rblk_queue_resume(&route->vol);
	rblk_kin_wake(route);
	rblk_dev_unlock();
	/* commit_rqs(), pollers and rq_timed_out() look at the session under RCU. */
	synchronize_rcu();
	rblk_sess_detach(&route->vol);
	rblk_route_free(route);
}

/* ---- Add ---- */

/* A place for a new route.  It may have been another one's. */
static struct rblk_route *route_take_place(struct rblk_dev *dev)
{
	struct rblk_route *route;
	u32 i;

	for (i = 0; i < RBLK_MAX_ROUTES; i++) {
		route = &dev->route[i];
		if (!route->used)
			return route;
	}
	return NULL;
}

/* The new route's volume is what the device's is. */
static void route_take_after(struct rblk_route *route, struct rblk_dev *dev,
			     const struct rblk_ioc_route_change *arg)
{
	struct rblk_vol *like = &rblk_route_shown(dev)->vol, *vol = &route->vol;

	if (vol != &dev->route[0].vol) {
		memcpy(vol->name, like->name, sizeof(vol->name));
		vol->uuid = like->uuid;
		vol->access = like->access;
		vol->digest = like->digest;
	}
	vol->queue_timeout = READ_ONCE(like->queue_timeout);
	vol->patient = true;
	vol->attached = false;
	vol->draining = false;
	vol->gone = NULL;
	vol->stale = false;
	vol->fenced = false;
	vol->fencing = false;
	vol->paused = false;
	memset(&vol->error, 0, sizeof(vol->error));
	memset(vol->reason, 0, sizeof(vol->reason));
	spin_lock_irq(&like->lock);
	vol->geo = like->geo;
	vol->min_capacity = like->min_capacity;
	spin_unlock_irq(&like->lock);
	strscpy(route->target_text, arg->target_text, sizeof(route->target_text));
}

static struct rblk_sess *route_session(struct rblk_dev *dev, struct rblk_ioc_route_change *arg,
				       const struct rblk_peer *peer)
{
	struct rblk_sess *like = rblk_route_shown(dev)->vol.sess, *sess;
	struct rblk_sess_args *args = kmemdup(&like->args, sizeof(*args), GFP_KERNEL);

	if (!args) {
		rblk_fail(&arg->error, RBLK_STAGE_ARGUMENTS, -ENOMEM, "out of memory");
		return NULL;
	}
	args->peer.target = peer->target;
	args->peer.source = peer->source;
	args->patient = true;
	args->flags = (args->flags & ~RBLK_ATTACH_PROOF) | rblk_auth_pins(like, args->target_key);
	if (arg->flags || memchr_inv(arg->target_key, 0, sizeof(arg->target_key))) {
		args->flags = (args->flags & ~RBLK_ATTACH_PROOF) | arg->flags;
		memcpy(args->target_key, arg->target_key, sizeof(args->target_key));
	} else if (args->flags & RBLK_ATTACH_TRUST_FIRST) {
		/* It has shown its key. */
		args->flags &= ~RBLK_ATTACH_TRUST_FIRST;
		rblk_auth_peer(like, args->target_key[0]);
	}
	memset(args->target_text, 0, sizeof(args->target_text));
	strscpy(args->target_text, arg->target_text, sizeof(args->target_text));
	sess = rblk_sess_get(args, &rblk_blk_sess_ops, &arg->error);
	kfree(args);
	return sess;
}

/* From here on requests may take the route, as soon as it is LIVE. */
static void route_publish(struct rblk_route *route)
{
	struct rblk_dev *dev = route->dev;
	u32 nr = route - dev->route + 1;

	mutex_lock(&dev->hold_lock);
	route->used = true;
	if (nr > dev->nr_routes)
		/* Pairs with rblk_for_each_route(): the route is complete. */
		smp_store_release(&dev->nr_routes, nr);
	mutex_unlock(&dev->hold_lock);
}

static void route_tell(struct rblk_route *route, struct rblk_ioc_route_change *arg)
{
	struct rblk_vol *vol = &route->vol;

	spin_lock_irq(&vol->lock);
	arg->state = vol->state;
	memcpy(arg->reason, vol->reason, sizeof(arg->reason));
	spin_unlock_irq(&vol->lock);
	rblk_auth_peer(vol->sess, arg->peer_key);
}

static int route_add(struct rblk_dev *dev, struct rblk_ioc_route_change *arg,
		     const struct rblk_peer *peer)
{
	struct rblk_route *route = route_take_place(dev);
	struct rblk_sess *sess;
	bool refused;
	int ret;

	if (route_find(dev, peer))
		return rblk_fail(&arg->error, RBLK_STAGE_ARGUMENTS, -EEXIST,
				 "/dev/rblk%d has the route %s already", dev->index,
				 arg->target_text);
	if (!route)
		return rblk_fail(&arg->error, RBLK_STAGE_ARGUMENTS, -ENOSPC,
				 "/dev/rblk%d has %u routes, as many as there can be",
				 dev->index, RBLK_MAX_ROUTES);
	route_take_after(route, dev, arg);
	rblk_route_init(dev, route);
	sess = route_session(dev, arg, peer);
	if (!sess)
		return -arg->error.error;
	ret = rblk_dev_enlist(route, sess, &arg->error);
	if (ret) {
		rblk_sess_put(sess);
		return ret;
	}
	route_publish(route);
	rblk_sess_join(sess, &route->vol);
	refused = !rblk_sess_wait_vol(&route->vol, arg->wait_ms) &&
		  READ_ONCE(route->vol.stale);
	route_tell(route, arg);
	/* It may have been LIVE before, or become so just now, and have requests. */
	WRITE_ONCE(route->leaving, refused);
	if (!refused || !route_wait_empty(route)) {
		WRITE_ONCE(route->leaving, false);
		return 0;
	}
	route_retire(route);
	return rblk_fail(&arg->error, RBLK_STAGE_ATTACH, -ESTALE, "%s", arg->reason);
}

/**
 * rblk_reroute_add() - add a route to a device, for RBLK_IOC_ROUTE_ADD
 * @arg: checked; its outputs and error are filled in
 * @peer: the target and source address
 *
 * Context: may sleep, at most 20 s; can be interrupted.
 * Return: 0 or a negative errno.
 */
int rblk_reroute_add(struct rblk_ioc_route_change *arg, struct rblk_peer *peer)
{
	struct rblk_dev *dev = reroute_claim(arg->index, arg->uuid, &arg->error);
	int ret;

	if (!dev)
		return -arg->error.error;
	ret = route_add(dev, arg, peer);
	if (!ret)
		pr_info("rblk: rblk%d: route %s added, %s\n", dev->index, arg->target_text,
			rblk_vol_state_name(arg->state));
	reroute_unclaim(dev);
	return ret;
}

/* ---- Remove ---- */

static u32 routes_used(const struct rblk_dev *dev)
{
	const struct rblk_route *route;
	u32 nr = 0;

	rblk_for_each_route(dev, route)
		nr += route->used;
	return nr;
}

static int route_remove(struct rblk_dev *dev, struct rblk_ioc_route_change *arg,
			const struct rblk_peer *peer)
{
	struct rblk_route *route = route_find(dev, peer);
	bool empty;

	if (!route)
		return rblk_fail(&arg->error, RBLK_STAGE_LOOKUP, -ENOENT,
				 "/dev/rblk%d has no such route", dev->index);
	if (routes_used(dev) == 1)
		return rblk_fail(&arg->error, RBLK_STAGE_BUSY, -EBUSY,
				 "it is the last route of /dev/rblk%d", dev->index);
	if (!rblk_route_other_live(route))
		return rblk_fail(&arg->error, RBLK_STAGE_BUSY, -EBUSY,
				 "no other route of /dev/rblk%d is live", dev->index);
	WRITE_ONCE(route->leaving, true);
	empty = route_wait_empty(route);
	if (!empty || !rblk_route_other_live(route)) {
		WRITE_ONCE(route->leaving, false);
		return rblk_fail(&arg->error, RBLK_STAGE_BUSY, -EBUSY, empty ?
				 "no other route of /dev/rblk%d is live any more" :
				 "requests on this route of /dev/rblk%d have not ended",
				 dev->index);
	}
	pr_info("rblk: rblk%d: route %s removed\n", dev->index, route->target_text);
	route_retire(route);
	return 0;
}

/**
 * rblk_reroute_remove() - remove a route of a device, for RBLK_IOC_ROUTE_REMOVE
 * @arg: checked; its error is filled in
 * @peer: the target and source address of the route
 *
 * Context: may sleep, at most 10 s.
 * Return: 0 or a negative errno.
 */
int rblk_reroute_remove(struct rblk_ioc_route_change *arg, struct rblk_peer *peer)
{
	struct rblk_dev *dev = reroute_claim(arg->index, arg->uuid, &arg->error);
	int ret;

	if (!dev)
		return -arg->error.error;
	ret = route_remove(dev, arg, peer);
	reroute_unclaim(dev);
	return ret;
}

/* ---- Look and set ---- */

/**
 * rblk_reroute_policy() - change the loss policy of a device
 * @dev: attached
 * @seconds: as in rblk_vol_set_timeout()
 *
 * Context: may sleep.
 */
void rblk_reroute_policy(struct rblk_dev *dev, int seconds)
{
	struct rblk_route *route;

	mutex_lock(&dev->hold_lock);
	rblk_for_each_route(dev, route)
		if (route->used)
			rblk_vol_set_timeout(&route->vol, seconds);
	mutex_unlock(&dev->hold_lock);
}

static int route_check_keys(const struct rblk_dev *dev, struct rblk_ioc_error *error)
{
	const struct rblk_route *route;

	rblk_for_each_route(dev, route)
		if (route->used && !rblk_auth_wanted(route->vol.sess))
			return rblk_fail(error, RBLK_STAGE_ARGUMENTS, -EINVAL,
					 "/dev/rblk%d is attached without keys by %s",
					 dev->index, route->target_text);
	return 0;
}

/**
 * rblk_reroute_pin() - change which keys a device's target may prove, for RBLK_IOC_PIN
 * @arg: checked; its error is filled in
 *
 * The claim keeps the routes with their sessions, and a new route from being asked for
 * what its model no longer is.
 *
 * Context: may sleep, but never waits for the target.
 * Return: 0 or a negative errno.
 */
int rblk_reroute_pin(struct rblk_ioc_pin *arg)
{
	struct rblk_dev *dev = reroute_claim(arg->index, arg->uuid, &arg->error);
	struct rblk_route *route;
	int ret;

	if (!dev)
		return -arg->error.error;
	ret = route_check_keys(dev, &arg->error);
	if (!ret) {
		rblk_for_each_route(dev, route)
			if (route->used)
				rblk_auth_pin(route->vol.sess, arg->target_key);
		pr_info("rblk: rblk%d: its target must prove another set of keys\n",
			dev->index);
	}
	reroute_unclaim(dev);
	return ret;
}
