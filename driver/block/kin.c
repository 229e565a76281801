// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which routes lead to the same data?
 *
 * The routes of one device do.  So do those of two devices of one host that can write to
 * the same export of the same target: software above, such as dm-multipath, sends by one
 * device what the other has given up.  A write that the target may still have must not
 * end with an error while such a route carries I/O, nor may one become LIVE before it is
 * fenced.  These routes are kin.  Only a reader's loss leaves no write, so a device that
 * can't write has no kin beside its own routes.
 *
 * An export is known by its UUID.  Two targets may offer the same one, such as both halves
 * of a mirror.  Those are not kin.  A device that is being attached may learn the UUID with
 * the grant only.  Until then its export's name counts, and rblk_route_live() looks again.
 *
 * kin_lock guards the list of devices, and makes each of these two steps one:
 *
 *   - hold.c sees that no kin is LIVE, and counts in their devices' @given_up that it
 *     ends requests with an error;
 *   - rblk_route_live() sees that nothing was given up since the route was asked for,
 *     and makes it LIVE.
 *
 * It is inside of the device's hold_lock.  A device on the list has its sessions, as
 * it leaves the list first; one that has left looks at its own routes only.  A route that
 * is being removed has its session until readers under RCU have left (route_retire()).
 *
 * A device that is detached forgets what is not fenced.
 */
#include "block.h"

static DEFINE_MUTEX(kin_lock);
static LIST_HEAD(kin_devs);

/**
 * rblk_kin_add() - let other devices see the routes of a device
 * @dev: its first route has a session
 *
 * Context: may sleep.
 */
void rblk_kin_add(struct rblk_dev *dev)
{
	mutex_lock(&kin_lock);
	list_add_tail(&dev->kin, &kin_devs);
	mutex_unlock(&kin_lock);
}

/**
 * rblk_kin_lock() - keep routes from becoming LIVE
 *
 * Context: may sleep; hold_lock of the device that is looked at held.
 */
void rblk_kin_lock(void)
{
	mutex_lock(&kin_lock);
}

/**
 * rblk_kin_unlock() - end what rblk_kin_lock() began
 *
 * Context: any that may sleep.
 */
void rblk_kin_unlock(void)
{
	mutex_unlock(&kin_lock);
}

static bool kin_same_disk(const struct rblk_vol *a, const struct rblk_vol *b)
{
	if (uuid_is_null(&a->uuid) || uuid_is_null(&b->uuid))
		return !strcmp(a->name, b->name);
	return uuid_equal(&a->uuid, &b->uuid);
}

/* Does it write to the same export of the same target, for the same host? */
static bool kin_same_export(const struct rblk_route *route, const struct rblk_route *other)
{
	const struct rblk_sess *sess = READ_ONCE(route->vol.sess);
	const struct rblk_sess *others = READ_ONCE(other->vol.sess);

	return sess && others && (route->vol.access & other->vol.access & RBLK_ACCESS_WRITE) &&
	       kin_same_disk(&route->vol, &other->vol) &&
	       uuid_equal(&sess->target, &others->target) &&
	       uuid_equal(&sess->args.host, &others->args.host);
}

static bool kin_any_of(struct rblk_route *route, struct rblk_dev *dev,
		       bool (*test)(struct rblk_route *route, struct rblk_route *other))
{
	struct rblk_route *other;
	bool any = false;

	rblk_for_each_route(dev, other)
		if (other != route && READ_ONCE(other->used) &&
		    (dev == route->dev || kin_same_export(route, other)))
			any |= test(route, other);
	return any;
}

/**
 * rblk_kin_any() - look at each other route that leads to the same data
 * @route: in use
 * @test: called for each of them, under RCU
 *
 * Context: rblk_kin_lock() called.
 * Return: whether @test was true for any.
 */
bool rblk_kin_any(struct rblk_route *route,
		  bool (*test)(struct rblk_route *route, struct rblk_route *other))
{
	struct rblk_dev *dev;
	bool any;

	lockdep_assert_held(&kin_lock);
	rcu_read_lock();
	any = kin_any_of(route, route->dev, test);
	if (!list_empty(&route->dev->kin))
		list_for_each_entry(dev, &kin_devs, kin)
			if (dev != route->dev)
				any |= kin_any_of(route, dev, test);
	rcu_read_unlock();
	return any;
}

static bool other_wake(struct rblk_route *route, struct rblk_route *other)
{
	if (other->dev != route->dev && rblk_route_unfenced(&other->vol))
		rblk_fence_begin(other->vol.sess);
	return false;
}

/**
 * rblk_kin_wake() - have other devices decide again what to do with held requests
 * @route: not LIVE any more
 *
 * Context: may sleep.
 */
void rblk_kin_wake(struct rblk_route *route)
{
	mutex_lock(&kin_lock);
	rblk_kin_any(route, other_wake);
	mutex_unlock(&kin_lock);
}

/**
 * rblk_kin_remove() - hide a device's routes again
 * @dev: still has its sessions; it may never have been added
 *
 * Those that it wakes decide when it has left.
 *
 * Context: may sleep.
 */
void rblk_kin_remove(struct rblk_dev *dev)
{
	struct rblk_route *route;

	mutex_lock(&kin_lock);
	rblk_for_each_route(dev, route)
		if (route->used)
			rblk_kin_any(route, other_wake);
	list_del_init(&dev->kin);
	mutex_unlock(&kin_lock);
}
