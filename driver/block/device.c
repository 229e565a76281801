// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attaches, detaches and looks up devices, /dev/rblkN.
 *
 * An attach first reserves the device's index.  When the session is LIVE, and
 * before it asks the target, the attach puts the device on the list.  So two
 * attaches of one export cannot pass each other.  Once the disk is there the
 * device is @ready; until then only that check looks at it.
 *
 * Lifetime: the attachment holds one reference, the disk another.  After a
 * forced detach the disk may live on until its last opener closes it.  The last
 * reference frees the index, and then a work item frees the memory and releases
 * the module.
 */
#include <linux/idr.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/slab.h>
#include "block.h"

/* RBLK_IOC_ATTACH must end within 30 s; the rest is for cleaning up. */
#define ATTACH_SECONDS	28

int rblk_major;

/* Guards the list and each device's @ready and @detaching. */
static DEFINE_MUTEX(devs_lock);
static LIST_HEAD(devs);
static DEFINE_IDA(indices);

/* ---- The object ---- */

static void dev_free_work(struct work_struct *work)
{
	struct rblk_dev *dev = container_of(work, struct rblk_dev, free_work);
	struct rblk_route *route;

	if (dev->tags.tags)
		blk_mq_free_tag_set(&dev->tags);
	rblk_digest_free(dev);
	rblk_for_each_route(dev, route)
		rblk_route_free(route);
	kvfree(dev);
	/* rblk_exit() destroys the workqueue, and so waits for this work. */
	module_put(THIS_MODULE);
}

static void dev_release(struct kref *kref)
{
	struct rblk_dev *dev = container_of(kref, struct rblk_dev, kref);

	/* Not in the work: a refused attach returns with its index free. */
	ida_free(&indices, dev->index);
	queue_work(rblk_wq, &dev->free_work);
}

/**
 * rblk_dev_put() - give a reference to a device back
 * @dev: the last reference frees it
 *
 * Context: any.
 */
void rblk_dev_put(struct rblk_dev *dev)
{
	kref_put(&dev->kref, dev_release);
}

static int dev_take_index(struct rblk_dev *dev, struct rblk_ioc_attach *arg)
{
	int from = max(arg->index, 0);
	int to = arg->index < 0 ? RBLK_MAX_INDEX : arg->index;

	dev->index = ida_alloc_range(&indices, from, to, GFP_KERNEL);
	if (dev->index >= 0)
		return 0;
	if (arg->index >= 0 && dev->index == -ENOSPC)
		return rblk_fail(&arg->error, RBLK_STAGE_ARGUMENTS, -EEXIST,
				 "index %d is in use", arg->index);
	return rblk_fail(&arg->error, RBLK_STAGE_ARGUMENTS, dev->index,
			 "no free index");
}

/* The first route; others take after it. */
static void dev_fill_route(struct rblk_dev *dev, const struct rblk_ioc_attach *arg)
{
	struct rblk_route *route = &dev->route[0];
	struct rblk_vol *vol = &route->vol;

	strscpy(route->target_text, arg->target_text, sizeof(route->target_text));
	vol->queue_timeout = RBLK_SCAN_SECONDS;
	strscpy(vol->name, arg->export_name, sizeof(vol->name));
	import_uuid(&vol->uuid, arg->uuid);
	if (!(arg->flags & RBLK_ATTACH_READ_ONLY))
		vol->access |= RBLK_ACCESS_WRITE;
	if (arg->flags & RBLK_ATTACH_SHARED)
		vol->access |= RBLK_ACCESS_SHARED;
	vol->digest = arg->flags & RBLK_ATTACH_DIGEST;
	rblk_route_init(dev, route);
	route->used = true;
	dev->nr_routes = 1;
}

static struct rblk_dev *dev_alloc(struct rblk_ioc_attach *arg)
{
	struct rblk_dev *dev = kvzalloc(sizeof(*dev), GFP_KERNEL);

	if (!dev) {
		rblk_fail(&arg->error, RBLK_STAGE_ARGUMENTS, -ENOMEM,
			  "out of memory");
		return NULL;
	}
	if (dev_take_index(dev, arg)) {
		kvfree(dev);
		return NULL;
	}
	__module_get(THIS_MODULE);
	kref_init(&dev->kref);
	INIT_LIST_HEAD(&dev->entry);
	INIT_LIST_HEAD(&dev->kin);
	INIT_WORK(&dev->free_work, dev_free_work);
	mutex_init(&dev->hold_lock);
	mutex_init(&dev->reserve_lock);
	rblk_digest_init(dev);
	dev->flags = arg->flags & ~RBLK_SESS_FLAGS;
	dev->id = get_random_u64() | 1;
	dev_fill_route(dev, arg);
	return dev;
}

/* ---- Attach ---- */

/* A session can have an export once. */
static const struct rblk_route *dev_find_volume(const struct rblk_dev *dev,
						const struct rblk_sess *sess, const char *name)
{
	const struct rblk_route *route;

	rblk_for_each_route(dev, route)
		if (route->used && route->vol.sess == sess && !strcmp(route->vol.name, name))
			return route;
	return NULL;
}

/**
 * rblk_dev_enlist() - give a route its session, unless that has the export already
 * @route: of a device that is on the list, or the first of one that is to be
 * @sess: the session; its use passes to the route on success
 * @error: filled in on failure
 *
 * Context: may sleep.
 * Return: 0 or -EEXIST.
 */
int rblk_dev_enlist(struct rblk_route *route, struct rblk_sess *sess,
		    struct rblk_ioc_error *error)
{
	struct rblk_dev *dev = route->dev, *other;
	int ret = 0;

	mutex_lock(&devs_lock);
	list_for_each_entry(other, &devs, entry)
		if (dev_find_volume(other, sess, route->vol.name))
			ret = rblk_fail(error, RBLK_STAGE_ATTACH, -EEXIST,
					"export %s is attached already, as /dev/rblk%d",
					route->vol.name, other->index);
	if (!ret) {
		route->vol.sess = sess;
		if (list_empty(&dev->entry)) {
			list_add_tail(&dev->entry, &devs);
			rblk_kin_add(dev);
		}
	}
	mutex_unlock(&devs_lock);
	return ret;
}

static void dev_delist(struct rblk_dev *dev)
{
	mutex_lock(&devs_lock);
	list_del_init(&dev->entry);
	rblk_kin_remove(dev);
	dev->ready = false;
	mutex_unlock(&devs_lock);
}

static int dev_attach(struct rblk_dev *dev, struct rblk_sess *sess,
		      struct rblk_ioc_error *error)
{
	unsigned long until = jiffies + ATTACH_SECONDS * HZ;
	struct rblk_vol *vol = &dev->route[0].vol;
	int ret;

	ret = rblk_sess_wait_live(sess, error);
	if (!ret)
		ret = rblk_dev_enlist(&dev->route[0], sess, error);
	if (ret) {
		rblk_sess_put(sess);
		return ret;
	}
	ret = rblk_sess_attach(sess, vol, error);
	if (!ret)
		ret = rblk_disk_add(dev, until, error);
	if (!ret)
		return 0;
	dev_delist(dev);
	rblk_vol_set_state(vol, RBLK_VOL_DELETING, NULL);
	rblk_sess_detach(vol);
	return ret;
}

/**
 * rblk_dev_attach() - attach an export as a device, for RBLK_IOC_ATTACH
 * @arg: checked; its outputs and error are filled in
 * @sess_args: the session to use or make
 *
 * Context: may sleep, at most 30 s; can be interrupted.
 * Return: 0 or a negative errno.
 */
int rblk_dev_attach(struct rblk_ioc_attach *arg, struct rblk_sess_args *sess_args)
{
	struct rblk_sess *sess;
	struct rblk_dev *dev;
	struct rblk_vol *vol;
	int ret;

	dev = dev_alloc(arg);
	if (!dev)
		return -arg->error.error;
	sess = rblk_sess_get(sess_args, &rblk_blk_sess_ops, &arg->error);
	ret = sess ? dev_attach(dev, sess, &arg->error) : -arg->error.error;
	if (ret) {
		rblk_dev_put(dev);
		return ret;
	}
	vol = &dev->route[0].vol;
	arg->index = dev->index;
	export_uuid(arg->uuid, &vol->uuid);
	arg->capacity = vol->geo.capacity;
	rblk_auth_peer(sess, arg->peer_key);
	pr_info("rblk: rblk%d: %s/%s attached, %llu MiB\n", dev->index,
		dev->route[0].target_text, vol->name, arg->capacity >> 20);
	mutex_lock(&devs_lock);
	rblk_vol_set_timeout(vol, arg->queue_timeout);
	dev->ready = true;
	mutex_unlock(&devs_lock);
	return 0;
}

/* ---- Look up ---- */

/* The ready device @index; with @next, the first one from @index on. */
static struct rblk_dev *dev_find(int index, bool next)
{
	struct rblk_dev *dev, *best = NULL;

	lockdep_assert_held(&devs_lock);
	list_for_each_entry(dev, &devs, entry) {
		if (!dev->ready || dev->index < index ||
		    (!next && dev->index != index))
			continue;
		if (!best || dev->index < best->index)
			best = dev;
	}
	return best;
}

static int dev_not_found(int index, struct rblk_ioc_error *error)
{
	return rblk_fail(error, RBLK_STAGE_LOOKUP, -ENOENT,
			 "there is no /dev/rblk%d", index);
}

/**
 * rblk_dev_check() - is it the device that the user wants to change?
 * @dev: has the index that the user named
 * @uuid: the volume's; unless it is zero, it tells, as the user looked the device up
 *        before, and its number may belong to another volume now
 * @error: filled in if not
 *
 * Context: any; devs_lock held.
 * Return: 0 or -ESTALE.
 */
int rblk_dev_check(struct rblk_dev *dev, const u8 *uuid, struct rblk_ioc_error *error)
{
	const struct rblk_vol *vol = &dev->route[0].vol;
	uuid_t wanted;

	import_uuid(&wanted, uuid);
	if (uuid_is_null(&wanted) || uuid_equal(&wanted, &vol->uuid))
		return 0;
	return rblk_fail(error, RBLK_STAGE_LOOKUP, -ESTALE,
			 "/dev/rblk%d is another volume now, %s", dev->index, vol->name);
}

/**
 * rblk_dev_lock() - find a device, and keep it and its routes until rblk_dev_unlock()
 * @index: N of /dev/rblkN
 * @next: the first device from @index on
 * @error: filled in on failure
 *
 * Context: may sleep.  On success the caller has devs_lock.
 * Return: the device or NULL.
 */
struct rblk_dev *rblk_dev_lock(int index, bool next, struct rblk_ioc_error *error)
{
	struct rblk_dev *dev;

	mutex_lock(&devs_lock);
	dev = dev_find(index, next);
	if (dev)
		return dev;
	mutex_unlock(&devs_lock);
	dev_not_found(index, error);
	return NULL;
}

/**
 * rblk_dev_unlock() - end what rblk_dev_lock() began
 *
 * Context: any that may sleep.
 */
void rblk_dev_unlock(void)
{
	mutex_unlock(&devs_lock);
}

/**
 * rblk_dev_policy() - change a device's loss policy, for RBLK_IOC_POLICY
 * @arg: checked; its error is filled in
 *
 * Context: may sleep.
 * Return: 0, -ENOENT or -ESTALE.
 */
int rblk_dev_policy(struct rblk_ioc_policy *arg)
{
	struct rblk_dev *dev = rblk_dev_lock(arg->index, false, &arg->error);
	int ret;

	if (!dev)
		return -arg->error.error;
	ret = rblk_dev_check(dev, arg->uuid, &arg->error);
	if (!ret)
		rblk_reroute_policy(dev, arg->queue_timeout);
	rblk_dev_unlock();
	return ret;
}

/* ---- Detach ---- */

static void dev_set_deleting(struct rblk_dev *dev)
{
	struct rblk_route *route;

	lockdep_assert_held(&devs_lock);
	rblk_for_each_route(dev, route)
		if (route->used)
			rblk_vol_set_state(&route->vol, RBLK_VOL_DELETING, "detached");
}

/*
 * Check that no process has the device open, and keep new I/O from it.  The
 * kernel counts openers under open_mutex, and holds that while an open or the
 * last close does I/O; so this does not wait for it.
 */
static int dev_check_closed(struct rblk_dev *dev, struct rblk_ioc_error *error)
{
	unsigned int openers;

	if (!mutex_trylock(&dev->disk->open_mutex))
		return rblk_fail(error, RBLK_STAGE_BUSY, -EBUSY,
				 "/dev/rblk%d is being opened or closed",
				 dev->index);
	openers = disk_openers(dev->disk);
	if (!openers)
		dev_set_deleting(dev);
	mutex_unlock(&dev->disk->open_mutex);
	if (!openers)
		return 0;
	return rblk_fail(error, RBLK_STAGE_BUSY, -EBUSY,
			 "/dev/rblk%d is open or mounted (opened %u times)",
			 dev->index, openers);
}

/* Claim the device for a detach: it is not open, or the detach is forced. */
static struct rblk_dev *dev_claim(struct rblk_ioc_detach *arg)
{
	struct rblk_dev *dev = dev_find(arg->index, false);

	if (!dev)
		dev_not_found(arg->index, &arg->error);
	if (!dev || rblk_dev_check(dev, arg->uuid, &arg->error))
		return NULL;
	if (dev->detaching || dev->rerouting) {
		rblk_fail(&arg->error, RBLK_STAGE_BUSY, -EBUSY, "/dev/rblk%d is being %s",
			  arg->index, dev->detaching ? "detached already" :
			  "given other routes");
		return NULL;
	}
	if (arg->flags & RBLK_DETACH_FORCE)
		dev_set_deleting(dev);
	else if (dev_check_closed(dev, &arg->error))
		return NULL;
	dev->detaching = true;
	return dev;
}

/**
 * rblk_dev_detach() - detach a device, for RBLK_IOC_DETACH
 * @arg: checked; its error is filled in
 *
 * Context: may sleep, at most 10 s.
 * Return: 0 or a negative errno.
 */
int rblk_dev_detach(struct rblk_ioc_detach *arg)
{
	struct rblk_route *route;
	struct gendisk *disk;
	struct rblk_dev *dev;

	mutex_lock(&devs_lock);
	dev = dev_claim(arg);
	mutex_unlock(&devs_lock);
	if (!dev)
		return -arg->error.error;
	disk = dev->disk;
	rblk_disk_end(dev, arg->flags & RBLK_DETACH_FORCE);
	dev_delist(dev);
	rblk_disk_set(dev, NULL);
	rblk_for_each_route(dev, route)
		if (route->used)
			rblk_sess_detach(&route->vol);
	put_disk(disk);
	pr_info("rblk: rblk%d: detached\n", dev->index);
	rblk_dev_put(dev);
	return 0;
}

/**
 * rblk_dev_init() - reserve the major number
 *
 * Context: module load; may sleep.
 * Return: 0 or a negative errno.
 */
int rblk_dev_init(void)
{
	int ret = register_blkdev(0, "rblk");

	if (ret < 0)
		return ret;
	rblk_major = ret;
	return 0;
}

/**
 * rblk_dev_exit() - give the major number back
 *
 * No device is left, as each holds a reference to the module.
 *
 * Context: module unload; may sleep.
 */
void rblk_dev_exit(void)
{
	unregister_blkdev(rblk_major, "rblk");
	ida_destroy(&indices);
}
