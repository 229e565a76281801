// SPDX-License-Identifier: GPL-2.0-only
/*
 * /dev/rblkN: attach, detach, look up.
 *
 * A device is on the list from the moment somebody begins to attach it, so
 * that two attaches of one export or index can't pass each other; it is
 * @ready, and visible to everything but that check, from the moment its disk
 * is.  One reference is the attachment's, one the disk's; the latter may live
 * on after a forced detach, until the last opener closes.  The index, the
 * memory and the module are held until then.
 */
#include <linux/idr.h>
#include <linux/module.h>
#include <linux/slab.h>
#include "rblk.h"

/* Of the 30 s that RBLK_IOC_ATTACH promises, for all but the clearing away. */
#define ATTACH_SECONDS	28

int rblk_major;

/* Guards the list and its devices' @ready and @detaching. */
static DEFINE_MUTEX(devs_lock);
static LIST_HEAD(devs);
static DEFINE_IDA(indices);

/* ---- The object ---- */

static void free_work(struct work_struct *work)
{
	struct rblk_dev *dev = container_of(work, struct rblk_dev, free_work);

	rblk_latency_free(dev);
	kfree(dev);
	/* rblk_exit() flushes the workqueue that we are on. */
	module_put(THIS_MODULE);
}

static void release(struct kref *kref)
{
	struct rblk_dev *dev = container_of(kref, struct rblk_dev, kref);

	/* The index is free again when a refused attach returns. */
	ida_free(&indices, dev->index);
	queue_work(rblk_wq, &dev->free_work);
}

/**
 * rblk_dev_put() - give a reference back
 * @dev: freed with its last
 *
 * Context: any.
 */
void rblk_dev_put(struct rblk_dev *dev)
{
	kref_put(&dev->kref, release);
}

static int take_index(struct rblk_dev *dev, struct rblk_ioc_attach *arg)
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

static struct rblk_dev *new_dev(struct rblk_ioc_attach *arg)
{
	struct rblk_dev *dev = kzalloc(sizeof(*dev), GFP_KERNEL);
	struct rblk_vol *vol;

	if (!dev) {
		rblk_fail(&arg->error, RBLK_STAGE_ARGUMENTS, -ENOMEM,
			  "out of memory");
		return NULL;
	}
	if (take_index(dev, arg)) {
		kfree(dev);
		return NULL;
	}
	__module_get(THIS_MODULE);
	kref_init(&dev->kref);
	INIT_WORK(&dev->free_work, free_work);
	mutex_init(&dev->hold_lock);
	strscpy(dev->target_text, arg->target_text, sizeof(dev->target_text));
	dev->flags = arg->flags & ~RBLK_SESS_FLAGS;
	vol = &dev->vol;
	vol->ops = &rblk_blk_sess_ops;
	vol->queue_timeout = RBLK_SCAN_SECONDS;
	strscpy(vol->name, arg->export, sizeof(vol->name));
	memcpy(vol->uuid, arg->uuid, sizeof(vol->uuid));
	if (!(arg->flags & RBLK_ATTACH_READ_ONLY))
		vol->access |= RBLK_ACCESS_WRITE;
	if (arg->flags & RBLK_ATTACH_SHARED)
		vol->access |= RBLK_ACCESS_SHARED;
	rblk_vol_init(vol);
	return dev;
}

/* ---- Attach ---- */

static bool same_volume(const struct rblk_dev *dev, const struct rblk_sess *sess,
			const char *name)
{
	return dev->vol.sess == sess && !strcmp(dev->vol.name, name);
}

/* On the list, unless the export is there already. */
static int enlist(struct rblk_dev *dev, struct rblk_sess *sess,
		  struct rblk_ioc_error *error)
{
	struct rblk_dev *other;
	int ret = 0;

	mutex_lock(&devs_lock);
	list_for_each_entry(other, &devs, entry)
		if (same_volume(other, sess, dev->vol.name))
			ret = rblk_fail(error, RBLK_STAGE_ATTACH, -EEXIST,
					"export %s is attached already, as /dev/rblk%d",
					dev->vol.name, other->index);
	if (!ret) {
		dev->vol.sess = sess;
		list_add_tail(&dev->entry, &devs);
	}
	mutex_unlock(&devs_lock);
	return ret;
}

static void delist(struct rblk_dev *dev)
{
	mutex_lock(&devs_lock);
	list_del(&dev->entry);
	dev->ready = false;
	mutex_unlock(&devs_lock);
}

static int attach_dev(struct rblk_dev *dev, struct rblk_sess *sess,
		      struct rblk_ioc_error *error)
{
	unsigned long until = jiffies + ATTACH_SECONDS * HZ;
	int ret;

	ret = rblk_sess_wait_live(sess, error);
	if (!ret)
		ret = enlist(dev, sess, error);
	if (ret) {
		rblk_sess_put(sess);
		return ret;
	}
	ret = rblk_sess_attach(sess, &dev->vol, error);
	if (!ret)
		ret = rblk_disk_add(dev, until, error);
	if (!ret)
		return 0;
	delist(dev);
	rblk_vol_set_state(&dev->vol, RBLK_VOL_DELETING, NULL);
	rblk_sess_detach(&dev->vol);
	return ret;
}

/**
 * rblk_dev_attach() - RBLK_IOC_ATTACH
 * @arg: checked; its outputs and error are filled in
 * @sess_args: which session
 *
 * Context: may sleep; can be interrupted.
 * Return: 0 or a negative errno.
 */
int rblk_dev_attach(struct rblk_ioc_attach *arg, struct rblk_sess_args *sess_args)
{
	struct rblk_sess *sess;
	struct rblk_dev *dev;
	int ret;

	dev = new_dev(arg);
	if (!dev)
		return -arg->error.error;
	sess = rblk_sess_get(sess_args, &rblk_blk_sess_ops, &arg->error);
	ret = sess ? attach_dev(dev, sess, &arg->error) : -arg->error.error;
	if (ret) {
		rblk_dev_put(dev);
		return ret;
	}
	arg->index = dev->index;
	memcpy(arg->uuid, dev->vol.uuid, sizeof(arg->uuid));
	arg->capacity = dev->vol.geo.capacity;
	pr_info("rblk: rblk%d: %s/%s attached, %llu MiB\n", dev->index,
		dev->target_text, dev->vol.name, arg->capacity >> 20);
	mutex_lock(&devs_lock);
	rblk_vol_set_timeout(&dev->vol, arg->queue_timeout);
	dev->ready = true;
	mutex_unlock(&devs_lock);
	return 0;
}

/* ---- Look up ---- */

static struct rblk_dev *find(int index, bool next)
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

static int not_found(int index, struct rblk_ioc_error *error)
{
	return rblk_fail(error, RBLK_STAGE_LOOKUP, -ENOENT,
			 "there is no /dev/rblk%d", index);
}

/*
 * The volume that somebody wants to change.  He looked it up before, and its number
 * may be another volume's since: that is what @uuid is for.
 */
static struct rblk_dev *find_meant(int index, const u8 *uuid,
				   struct rblk_ioc_error *error)
{
	struct rblk_dev *dev = find(index, false);

	if (!dev) {
		not_found(index, error);
		return NULL;
	}
	if (!memchr_inv(uuid, 0, RBLK_UUID_LEN) ||
	    !memcmp(uuid, dev->vol.uuid, RBLK_UUID_LEN))
		return dev;
	rblk_fail(error, RBLK_STAGE_LOOKUP, -ESTALE,
		  "/dev/rblk%d is another volume now, %s", index, dev->vol.name);
	return NULL;
}

/**
 * rblk_dev_show() - RBLK_IOC_SHOW
 * @arg: checked; its outputs and error are filled in
 *
 * Context: may sleep, but never waits for the target.
 * Return: 0 or -ENOENT.
 */
int rblk_dev_show(struct rblk_ioc_show *arg)
{
	struct rblk_dev *dev;
	int ret = 0;

	mutex_lock(&devs_lock);
	dev = find(arg->index, arg->flags & RBLK_SHOW_NEXT);
	if (dev) {
		rblk_attrs_describe(dev, &arg->volume);
		rblk_stat_session(dev->vol.sess, &arg->session);
		rblk_stat_asked(dev->vol.sess, dev->flags, &arg->asked);
	} else {
		ret = not_found(arg->index, &arg->error);
	}
	mutex_unlock(&devs_lock);
	return ret;
}

/**
 * rblk_dev_stat() - RBLK_IOC_STAT
 * @arg: checked; its error is filled in
 * @sum: zeroed; filled in
 *
 * Context: may sleep, but never waits for the target.
 * Return: 0 or -ENOENT.
 */
int rblk_dev_stat(struct rblk_ioc_stat *arg, struct rblk_latency *sum)
{
	struct rblk_dev *dev;
	int ret = 0;

	mutex_lock(&devs_lock);
	dev = find(arg->index, false);
	if (dev)
		rblk_latency_sum(dev, sum);
	else
		ret = not_found(arg->index, &arg->error);
	mutex_unlock(&devs_lock);
	return ret;
}

/**
 * rblk_dev_policy() - RBLK_IOC_POLICY
 * @arg: checked; its error is filled in
 *
 * Context: may sleep.
 * Return: 0, -ENOENT or -ESTALE.
 */
int rblk_dev_policy(struct rblk_ioc_policy *arg)
{
	struct rblk_dev *dev;

	mutex_lock(&devs_lock);
	dev = find_meant(arg->index, arg->uuid, &arg->error);
	if (dev)
		rblk_vol_set_timeout(&dev->vol, arg->queue_timeout);
	mutex_unlock(&devs_lock);
	return dev ? 0 : -arg->error.error;
}

/* ---- Detach ---- */

/*
 * Nobody has the device open.  Opens are counted under open_mutex, which is
 * held for as long as an open or last close does I/O; so don't wait for it.
 */
static int check_closed(struct rblk_dev *dev, struct rblk_ioc_error *error)
{
	unsigned int openers;

	if (!mutex_trylock(&dev->disk->open_mutex))
		return rblk_fail(error, RBLK_STAGE_BUSY, -EBUSY,
				 "/dev/rblk%d is being opened or closed",
				 dev->index);
	openers = disk_openers(dev->disk);
	if (!openers)
		rblk_vol_set_state(&dev->vol, RBLK_VOL_DELETING, "detached");
	mutex_unlock(&dev->disk->open_mutex);
	if (!openers)
		return 0;
	return rblk_fail(error, RBLK_STAGE_BUSY, -EBUSY,
			 "/dev/rblk%d is open or mounted (opened %u times)",
			 dev->index, openers);
}

/* Claim the device for detaching it: nobody has it open, or we don't care. */
static struct rblk_dev *claim(struct rblk_ioc_detach *arg)
{
	struct rblk_dev *dev;

	lockdep_assert_held(&devs_lock);
	dev = find_meant(arg->index, arg->uuid, &arg->error);
	if (!dev)
		return NULL;
	if (dev->detaching) {
		rblk_fail(&arg->error, RBLK_STAGE_BUSY, -EBUSY,
			  "/dev/rblk%d is being detached already", arg->index);
		return NULL;
	}
	if (arg->flags & RBLK_DETACH_FORCE)
		rblk_vol_set_state(&dev->vol, RBLK_VOL_DELETING, "detached");
	else if (check_closed(dev, &arg->error))
		return NULL;
	dev->detaching = true;
	return dev;
}

/**
 * rblk_dev_detach() - RBLK_IOC_DETACH
 * @arg: checked; its error is filled in
 *
 * Context: may sleep, at most 10 s.
 * Return: 0 or a negative errno.
 */
int rblk_dev_detach(struct rblk_ioc_detach *arg)
{
	struct gendisk *disk;
	struct rblk_dev *dev;

	mutex_lock(&devs_lock);
	dev = claim(arg);
	mutex_unlock(&devs_lock);
	if (!dev)
		return -arg->error.error;
	disk = dev->disk;
	rblk_disk_end(dev, arg->flags & RBLK_DETACH_FORCE);
	delist(dev);
	rblk_disk_set(dev, NULL);
	rblk_sess_detach(&dev->vol);
	put_disk(disk);
	pr_info("rblk: rblk%d: detached\n", dev->index);
	rblk_dev_put(dev);
	return 0;
}

/**
 * rblk_dev_init() - reserve the major number
 *
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
 * rblk_dev_exit() - undo rblk_dev_init()
 *
 * There is no device left: each holds the module.
 */
void rblk_dev_exit(void)
{
	unregister_blkdev(rblk_major, "rblk");
	ida_destroy(&indices);
}
