// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which routes lead to the same data?
 *
 * The routes of one device do.  So do those of two devices of one host that are the
 * same export of the same target: software above, such as dm-multipath, sends by one
 * device what the other has given up.  In both cases a write that the target may still
 * have must not end with an error while another such route carries I/O, or before
 * another one becomes LIVE.  These routes are kin.
 *
 * Two targets may offer exports of one name, such as both halves of a mirror.  Those
 * are not kin.
 *
 * kin_lock guards the list of devices, and makes each of these two steps one:
 *
 *   - hold.c sees that no kin is LIVE, and counts in their devices' @given_up that it
 *     ends requests with an error;
 *   - rblk_route_live() sees that nothing was given up since the route was asked for,
 *     and makes it LIVE.
 *
 * It is inside of the device's hold_lock.  A device on the list has its sessions, as
 * it leaves the list first.  A route that is being removed has its own until readers
 * under RCU have left (route_retire()).
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
 * rblk_kin_remove() - hide a device's routes again
 * @dev: still has its sessions; it may never have been added
 *
 * Context: may sleep.
 */
void rblk_kin_remove(struct rblk_dev *dev)
{
	mutex_lock(&kin_lock);
	list_del_init(&dev->kin);
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

/* Is it the same export of the same target, for the same host? */
static bool kin_same_export(const struct rblk_route *route, const struct rblk_route *other)
{
	const struct rblk_sess *sess = READ_ONCE(route->vol.sess);
	const struct rblk_sess *others = READ_ONCE(other->vol.sess);

	return sess && others && !strcmp(route->vol.name, other->vol.name) &&
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
	list_for_each_entry(dev, &kin_devs, kin)
		if (dev != route->dev)
			any |= kin_any_of(route, dev, test);
	rcu_read_unlock();
	return any;
}
