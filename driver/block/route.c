// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which way does a request take?
 *
 * A device has the same volume by one or more routes.  Each is a session of its own,
 * to another address of the target: it connects, is lost and recovers by itself.  On
 * each route a hardware queue has a connection of its own, unless the session has fewer.
 * A request takes the LIVE route whose connection has the fewest requests of the
 * device.  So one by one they take the same route, and many take what each can carry.
 *
 * The device's state is that of its best route.  While one is LIVE, I/O flows.
 *
 * What may still be at the target must not be sent again by another route: an old
 * write could land on top of a newer one.  So the requests that were lost with a route
 * are held there (hold.c) until the target says that it has ended the route and all of
 * its I/O (session/fence.c), or gives the volume to the same session again, which it
 * does only then.
 */
#include <linux/slab.h>
#include "block.h"

/**
 * rblk_route_init() - make a route of a device
 * @dev: the device
 * @route: one of its routes, not in use
 *
 * The caller fills in the volume, except for what this does.
 *
 * Context: any.
 */
void rblk_route_init(struct rblk_dev *dev, struct rblk_route *route)
{
	route->dev = dev;
	route->leaving = false;
	route->fence = RBLK_FENCED;
	route->losses = 0;
	spin_lock_init(&route->lock);
	INIT_LIST_HEAD(&route->held);
	route->vol.ops = &rblk_blk_sess_ops;
	route->vol.device = dev->id;
	rblk_vol_init(&route->vol);
}

/**
 * rblk_route_ready() - make what a route needs for requests
 * @route: its session has been LIVE, so that the number of its connections is known
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.  rblk_route_free() undoes it in either case.
 */
int rblk_route_ready(struct rblk_route *route)
{
	u32 nr_io = route->vol.sess->nr_io;

	if (route->shares)
		return 0;
	route->latency = kvcalloc(nr_io, sizeof(*route->latency), GFP_KERNEL);
	route->shares = kvcalloc(nr_io, sizeof(*route->shares), GFP_KERNEL);
	return route->latency && route->shares ? 0 : -ENOMEM;
}

/**
 * rblk_route_free() - free what rblk_route_ready() made
 * @route: no request uses it any more
 *
 * Context: may sleep.
 */
void rblk_route_free(struct rblk_route *route)
{
	kvfree(route->shares);
	kvfree(route->latency);
	route->shares = NULL;
	route->latency = NULL;
}

/**
 * rblk_route_conn() - find a queue's connection on a route
 * @route: in use
 * @hctx: the queue
 *
 * Context: any, under RCU, or as a dispatcher to a LIVE volume.
 * Return: the connection, or NULL if the session has none now.
 */
struct rblk_conn *rblk_route_conn(struct rblk_route *route, const struct blk_mq_hw_ctx *hctx)
{
	struct rblk_sess *sess = READ_ONCE(route->vol.sess);
	u32 first = route->dev->tags.nr_hw_queues - route->dev->nr_poll;
	u32 queue = hctx->queue_num, nr, from = 0;

	/* A session outlives who has seen its route in use (RCU). */
	if (!READ_ONCE(route->used) || !sess)
		return NULL;
	nr = rblk_sess_queues(sess);
	/* The last queues are polled, and so are the last connections. */
	if (unlikely(queue >= first && sess->nr_poll)) {
		queue -= first;
		from = nr;
		nr = sess->nr_poll;
	}
	if (unlikely(queue >= nr))
		queue = nr ? queue % nr : 0;
	return READ_ONCE(sess->io[from + queue]);
}

/* Its volume was LIVE when this looked, and so has its connections. */
static bool route_is_live(const struct rblk_route *route)
{
	/* Pairs with vol_set_state(). */
	return smp_load_acquire(&route->vol.state) == RBLK_VOL_LIVE &&
	       !READ_ONCE(route->leaving);
}

/* Returns the queue's connection if requests may take it now, or NULL. */
static struct rblk_conn *route_usable(struct rblk_route *route, const struct blk_mq_hw_ctx *hctx)
{
	struct rblk_conn *conn;

	if (!route_is_live(route))
		return NULL;
	conn = rblk_route_conn(route, hctx);
	return likely(conn && READ_ONCE(conn->state) == RBLK_CONN_READY) ? conn : NULL;
}

/**
 * rblk_route_pick() - choose the route of a request
 * @dev: the device
 * @hctx: the request's queue
 * @conn: the connection that it takes there; stays until the caller's dispatch ends,
 *        as ops->settle() waits for that
 *
 * Context: queue_rq().
 * Return: of the routes that are LIVE the one on which the queue's connection has the
 * fewest requests of the device; NULL if none is, or none whose connection is READY.
 */
struct rblk_route *rblk_route_pick(struct rblk_dev *dev, const struct blk_mq_hw_ctx *hctx,
				   struct rblk_conn **conn)
{
	u32 nr = READ_ONCE(dev->nr_routes), least = U32_MAX, i, slots;
	struct rblk_route *route, *best = NULL;
	struct rblk_conn *usable;

	if (likely(nr == 1)) {
		*conn = route_usable(&dev->route[0], hctx);
		return *conn ? &dev->route[0] : NULL;
	}
	for (i = 0; i < nr; i++) {
		route = &dev->route[(hctx->queue_num + i) % nr];
		usable = route_usable(route, hctx);
		if (!usable)
			continue;
		slots = READ_ONCE(route->shares[usable->offer.qid - 1].slots);
		if (slots >= least)
			continue;
		least = slots;
		best = route;
		*conn = usable;
	}
	return best;
}

/**
 * rblk_route_post() - send what a queue has gathered on all routes
 * @dev: the device
 * @hctx: the queue
 *
 * A queue's series of requests may take several routes, and only the last one is
 * marked.  The volumes' states do not matter here, as they may have changed meanwhile.
 * A connection that no LIVE volume uses any more has no batch, see
 * rblk_queues_settle(), and its memory stays until every dispatcher has left (RCU).
 *
 * Context: any.
 */
void rblk_route_post(struct rblk_dev *dev, const struct blk_mq_hw_ctx *hctx)
{
	struct rblk_route *route;
	struct rblk_conn *conn;

	/* A dispatcher that may sleep is no reader by itself. */
	rcu_read_lock();
	rblk_for_each_route(dev, route) {
		conn = rblk_route_conn(route, hctx);
		if (conn)
			rblk_batch_post(conn);
	}
	rcu_read_unlock();
}

/* The smaller, the better for I/O. */
static int state_rank(enum rblk_volume_state state)
{
	switch (state) {
	case RBLK_VOL_LIVE:
		return 0;
	case RBLK_VOL_WAITING:
		return 1;
	case RBLK_VOL_FAILED:
		return 2;
	case RBLK_VOL_NEW:
		return 3;
	default:
		return 4;
	}
}

/**
 * rblk_route_shown() - choose the route that stands for the device
 * @dev: attached
 *
 * Context: any; hold_lock keeps the route in use.
 * Return: the first of those in the best state.
 */
struct rblk_route *rblk_route_shown(struct rblk_dev *dev)
{
	struct rblk_route *route, *best = NULL;

	rblk_for_each_route(dev, route) {
		if (!READ_ONCE(route->used))
			continue;
		if (!best || state_rank(READ_ONCE(route->vol.state)) <
			     state_rank(READ_ONCE(best->vol.state)))
			best = route;
	}
	return best ?: dev->route;
}

/**
 * rblk_route_state() - tell a device's state
 * @dev: attached or being attached
 *
 * Context: any.
 * Return: the state of its best route.
 */
enum rblk_volume_state rblk_route_state(struct rblk_dev *dev)
{
	return READ_ONCE(rblk_route_shown(dev)->vol.state);
}

/**
 * rblk_route_other_live() - is another route of the device LIVE?
 * @route: in any state
 *
 * Context: any.
 * Return: whether one is.
 */
bool rblk_route_other_live(struct rblk_route *route)
{
	struct rblk_route *other;

	rblk_for_each_route(route->dev, other)
		if (other != route && route_is_live(other))
			return true;
	return false;
}

/* What the disk was made for, this session's device must be able to do. */
static const char *route_unsuited(const struct rblk_dev *dev, struct rblk_sess *sess)
{
	const struct rblk_caps *caps = &sess->caps;

	if (caps->mr_page != dev->caps.mr_page || caps->one_segment > dev->caps.one_segment ||
	    caps->map_sleeps > dev->caps.map_sleeps)
		return "its RDMA device registers memory in other units than the first route's";
	if (caps->peer_memory < dev->caps.peer_memory)
		return "its RDMA device can't reach the memory of PCI devices";
	if (READ_ONCE(sess->iwarp) && !dev->stable)
		return "it is iWARP, and the disk was made for another transport";
	if (sess->grant.max_io < dev->max_io)
		return "the target grants it smaller I/O than the first route";
	return NULL;
}

/*
 * Two targets may offer the same UUID, such as both halves of a mirror.  Neither may
 * a device write to both, nor does the fence work between them.  So a route must find
 * the target that the LIVE ones have.  When the target has restarted, with another UUID,
 * the first route that finds it may not be alone for a moment: it is asked for again.
 */
static bool route_same_target(struct rblk_route *route, bool *alone)
{
	struct rblk_dev *dev = route->dev;
	struct rblk_route *other;
	bool same = true;

	*alone = true;
	/* It keeps the other routes' sessions. */
	mutex_lock(&dev->hold_lock);
	rblk_for_each_route(dev, other) {
		if (other == route || !other->used || !route_is_live(other))
			continue;
		*alone = false;
		same &= uuid_equal(&other->vol.sess->target, &route->vol.sess->target);
	}
	mutex_unlock(&dev->hold_lock);
	return same;
}

/*
 * The disk may have grown while this route was lost, and the export shrunk again since:
 * the disk keeps its size, as with a single route.
 */
static u64 route_disk_size(struct rblk_dev *dev)
{
	u64 bytes;

	mutex_lock(&dev->hold_lock);
	bytes = dev->disk ? (u64)get_capacity(dev->disk) << SECTOR_SHIFT : 0;
	mutex_unlock(&dev->hold_lock);
	return bytes;
}

/**
 * rblk_route_admit() - may a session serve a device?
 * @vol: granted by the target, and not LIVE yet
 * @geo: what the target has granted
 * @error: filled in if not
 *
 * Context: session work, vols_lock held; may sleep.
 * Return: 0, or a negative errno.
 */
int rblk_route_admit(struct rblk_vol *vol, const struct rblk_geometry *geo,
		     struct rblk_ioc_error *error)
{
	struct rblk_route *route = rblk_vol_route(vol);
	struct rblk_dev *dev = route->dev;
	bool alone, same = route_same_target(route, &alone);
	u64 size = route_disk_size(dev);
	const char *why;

	if (!same)
		return rblk_fail(error, RBLK_STAGE_ATTACH, -EXDEV,
				 "it leads to another target than the live routes");
	if (geo->capacity < size)
		return rblk_fail(error, RBLK_STAGE_ATTACH, -ESTALE,
				 "the export has shrunk from %llu to %llu bytes", size,
				 geo->capacity);
	/* The attach makes the disk for the first session; later they are known. */
	if (!vol->patient || READ_ONCE(vol->state) != RBLK_VOL_NEW)
		return 0;
	if (alone)
		return rblk_fail(error, RBLK_STAGE_ATTACH, -EXDEV,
				 "no other route is live that would tell its target");
	why = route_unsuited(dev, vol->sess);
	if (why)
		return rblk_fail(error, RBLK_STAGE_ATTACH, -EXDEV, "%s", why);
	if (rblk_route_ready(route))
		return rblk_fail(error, RBLK_STAGE_ATTACH, -ENOMEM, "out of memory");
	return 0;
}

/**
 * rblk_route_spare() - could a volume's I/O go elsewhere?
 * @vol: a device's volume
 *
 * Context: any.
 * Return: whether another route is LIVE.
 */
bool rblk_route_spare(struct rblk_vol *vol)
{
	return rblk_route_other_live(rblk_vol_route(vol));
}

/**
 * rblk_route_kin() - is a session one of a device's routes?
 * @vol: a device's volume
 * @sess: a session
 *
 * Context: any; @sess is only compared.
 * Return: whether @sess has, or had in this epoch of its life, the same volume.
 */
bool rblk_route_kin(struct rblk_vol *vol, const struct rblk_sess *sess)
{
	struct rblk_route *other;

	rblk_for_each_route(rblk_vol_dev(vol), other)
		if (READ_ONCE(other->used) && READ_ONCE(other->vol.sess) == sess &&
		    READ_ONCE(other->shares))
			return true;
	return false;
}

/**
 * rblk_route_unfenced() - may the target still have what a route has lost?
 * @vol: a device's volume
 *
 * Context: any.
 * Return: whether it may, and nobody waits for the device's end.
 */
bool rblk_route_unfenced(struct rblk_vol *vol)
{
	return READ_ONCE(rblk_vol_route(vol)->fence) != RBLK_FENCED &&
	       READ_ONCE(vol->state) != RBLK_VOL_DELETING;
}

/* What is left of it has not ended.  Of a LIVE session, the target itself knows that. */
static bool other_blocks(struct rblk_route *route, struct rblk_route *other)
{
	return rblk_route_unfenced(&other->vol) &&
	       rblk_sess_state(other->vol.sess) != RBLK_SESS_LIVE;
}

static bool kin_blocks(struct rblk_route *route, struct rblk_route *other)
{
	return other->dev != route->dev && other_blocks(route, other);
}

/**
 * rblk_route_blocked() - must a volume wait for the fence of other routes?
 * @vol: not LIVE
 *
 * If a lost route was given up, its requests have ended with an error, and their users
 * go on.  So no route that leads to the same data becomes LIVE before what is left of
 * the lost one has ended: another one of this device, or of one that is the same export
 * (kin.c).
 *
 * Context: session work; may sleep.
 * Return: whether it has to.
 */
bool rblk_route_blocked(struct rblk_vol *vol)
{
	struct rblk_route *route = rblk_vol_route(vol);
	bool blocked;

	mutex_lock(&route->dev->hold_lock);
	rblk_kin_lock();
	blocked = rblk_kin_any(route, other_blocks);
	if (!blocked)
		route->asked = route->dev->given_up;
	rblk_kin_unlock();
	mutex_unlock(&route->dev->hold_lock);
	return blocked;
}

/**
 * rblk_route_live() - make a granted volume LIVE
 * @vol: granted by the target, and its properties are noted
 *
 * The target may have granted it before another route was lost, and that route's
 * requests may have ended with an error since, as no route was LIVE.  Then this one
 * must ask again: see rblk_route_blocked().  That of another device may be seen to be kin
 * only now, as the grant tells the export's UUID (kin.c).
 *
 * Context: session work; may sleep.
 * Return: whether it is LIVE.
 */
bool rblk_route_live(struct rblk_vol *vol)
{
	struct rblk_route *route = rblk_vol_route(vol);
	bool live;

	mutex_lock(&route->dev->hold_lock);
	rblk_kin_lock();
	live = route->asked == route->dev->given_up && !rblk_kin_any(route, kin_blocks) &&
	       rblk_vol_set_state(vol, RBLK_VOL_LIVE, NULL);
	rblk_kin_unlock();
	mutex_unlock(&route->dev->hold_lock);
	return live;
}

/**
 * rblk_route_inflight() - count a device's requests on a route
 * @route: its session has been LIVE, or it has none
 *
 * Context: any; the caller keeps the route in use.
 * Return: the number of slots that they have.
 */
u32 rblk_route_inflight(const struct rblk_route *route)
{
	const struct rblk_sess *sess = route->vol.sess;
	u32 nr = 0, i;

	for (i = 0; route->shares && i < sess->nr_io; i++)
		nr += READ_ONCE(route->shares[i].slots);
	return nr;
}
