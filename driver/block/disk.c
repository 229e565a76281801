// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes a device's disk, and ends its I/O and the disk.
 *
 * To add a disk causes I/O: the kernel looks for partitions, in the task that
 * adds the disk.  The target may be slow or never answer, so this scan has a
 * time limit of its own.  I/O that is outstanding at the limit fails, and so
 * does the attach.
 */
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/slab.h>
#include "block.h"

#define GRACE_MS	1000	/* for I/O to end by itself before a forced detach */
#define TARGET_MS	3000	/* for the target to end what is left */
#define RECOVER_MS	4000	/* for a recovery to take back the rest */
#define POLL_MS		20

static void disk_free(struct gendisk *disk)
{
	rblk_dev_put(disk->private_data);
}

static const struct block_device_operations disk_ops = {
	.owner = THIS_MODULE,
	.free_disk = disk_free,
	.pr_ops = &rblk_reserve_ops,
};

static void disk_fill_limits(const struct rblk_limits *in, struct queue_limits *lim)
{
	memset(lim, 0, sizeof(*lim));
	lim->virt_boundary_mask = in->virt_boundary;
	lim->logical_block_size = in->logical_block;
	lim->physical_block_size = in->physical_block;
	lim->io_min = in->io_min;
	lim->io_opt = in->io_opt;
	lim->max_hw_sectors = in->max_sectors;
	lim->max_segments = in->max_segments;
	lim->max_segment_size = UINT_MAX;
	compat_max_discard(lim) = in->max_discard;
	lim->discard_granularity = in->discard_granularity;
	lim->discard_alignment = in->discard_alignment;
	lim->max_write_zeroes_sectors = in->max_write_zeroes;
}

static unsigned int disk_features(struct rblk_sess *sess, u32 flags)
{
	unsigned int feat = 0;

	if (flags & RBLK_EXPF_WRITE_CACHE)
		feat |= BLK_FEAT_WRITE_CACHE;
	if (flags & RBLK_EXPF_FUA)
		feat |= BLK_FEAT_FUA;
	if (flags & RBLK_EXPF_ROTATIONAL)
		feat |= BLK_FEAT_ROTATIONAL;
	/* iWARP may checksum pages before it copies them to the wire. */
	if (flags & (RBLK_EXPF_STABLE_WRITES | RBLK_EXPF_DIGEST) || READ_ONCE(sess->iwarp))
		feat |= BLK_FEAT_STABLE_WRITES;
	/*
	 * Else the block layer refuses direct I/O with other devices' memory.  A digest
	 * needs the processor to read the data.
	 */
	if (sess->caps.peer_memory && !(flags & RBLK_EXPF_DIGEST))
		feat |= BLK_FEAT_PCI_P2PDMA;
	return feat;
}

/* Allocate a disk with the volume's limits; it is not visible yet. */
static struct gendisk *disk_alloc(struct rblk_dev *dev)
{
	struct rblk_vol *vol = &dev->route[0].vol;
	struct rblk_sess *sess = vol->sess;
	struct queue_limits lim;
	struct rblk_limits in;
	struct gendisk *disk;
	unsigned int feat;

	rblk_limits_volume(&vol->geo, &sess->caps, sess->grant.max_io, &in);
	if (dev->digests.buffer)
		in.max_sectors = min(in.max_sectors, dev->digests.bytes >> SECTOR_SHIFT);
	disk_fill_limits(&in, &lim);
	feat = disk_features(sess, vol->geo.flags);
	dev->caps = sess->caps;
	dev->max_io = sess->grant.max_io;
	dev->stable = feat & BLK_FEAT_STABLE_WRITES;
	disk = compat_alloc_disk(&dev->tags, &lim, feat, dev);
	if (!IS_ERR(disk))
		set_capacity(disk, in.capacity);
	return disk;
}

/* Attached as read-only, or exported as read-only; the export may change. */
static bool vol_is_read_only(const struct rblk_vol *vol)
{
	return !(vol->access & RBLK_ACCESS_WRITE) || vol->geo.flags & RBLK_EXPF_READ_ONLY;
}

/* Returns a disk that is not visible yet; it holds a reference to @dev. */
static struct gendisk *disk_make(struct rblk_dev *dev)
{
	struct gendisk *disk;
	int ret;

	ret = rblk_route_ready(&dev->route[0]);
	if (!ret)
		ret = rblk_digest_alloc(dev, dev->route[0].vol.sess->grant.max_io);
	if (!ret)
		ret = rblk_queue_tags_init(dev);
	if (ret)
		return ERR_PTR(ret);
	disk = disk_alloc(dev);
	if (IS_ERR(disk))
		return disk;
	kref_get(&dev->kref);
	disk->private_data = dev;
	disk->fops = &disk_ops;
	disk->major = rblk_major;
	disk->first_minor = dev->index * RBLK_MINORS;
	disk->minors = RBLK_MINORS;
	snprintf(disk->disk_name, sizeof(disk->disk_name), "rblk%d", dev->index);
	return disk;
}

/**
 * rblk_disk_granted() - adapt a disk after the target has granted its volume
 * @vol: a device's volume; the disk may not exist yet
 *
 * The export may have become read-only meanwhile, or writable again.
 *
 * Context: may sleep.
 */
void rblk_disk_granted(struct rblk_vol *vol)
{
	struct rblk_dev *dev = rblk_vol_dev(vol);

	mutex_lock(&dev->hold_lock);
	if (dev->disk)
		set_disk_ro(dev->disk, vol_is_read_only(vol));
	mutex_unlock(&dev->hold_lock);
}

/**
 * rblk_disk_resized() - give a disk the size that the target has told
 * @vol: a device's volume; the disk may not exist yet
 *
 * A disk never shrinks.  If it has several routes, they hear of each size by and by.
 *
 * Context: may sleep.
 */
void rblk_disk_resized(struct rblk_vol *vol)
{
	struct rblk_dev *dev = rblk_vol_dev(vol);
	sector_t size = vol->geo.capacity >> SECTOR_SHIFT;

	mutex_lock(&dev->hold_lock);
	if (dev->disk && size > get_capacity(dev->disk))
		set_capacity_and_notify(dev->disk, size);
	mutex_unlock(&dev->hold_lock);
}

/**
 * rblk_disk_set() - publish a device's disk to the session's upcalls
 * @dev: the device
 * @disk: the disk; NULL hides it again
 *
 * Context: may sleep.
 */
void rblk_disk_set(struct rblk_dev *dev, struct gendisk *disk)
{
	mutex_lock(&dev->hold_lock);
	dev->disk = disk;
	/* The target may have reported a new size since disk_make() read it. */
	if (disk) {
		set_capacity(disk, dev->route[0].vol.geo.capacity >> SECTOR_SHIFT);
		set_disk_ro(disk, vol_is_read_only(&dev->route[0].vol));
	}
	mutex_unlock(&dev->hold_lock);
}

static bool disk_count_rq(struct request *rq, void *data)
{
	const struct rblk_request *pdu = blk_mq_rq_to_pdu(rq);
	u32 *nr = data;

	/* What is held waits, like a request that blk-mq has. */
	*nr += !READ_ONCE(pdu->held);
	return true;
}

/**
 * rblk_disk_inflight() - count the requests that the target may have
 * @dev: attached
 *
 * Context: may sleep.
 * Return: the number of requests.
 */
u32 rblk_disk_inflight(struct rblk_dev *dev)
{
	u32 nr = 0;

	if (dev->disk)
		blk_mq_tagset_busy_iter(&dev->tags, disk_count_rq, &nr);
	return nr;
}

static bool disk_wait_idle(struct rblk_dev *dev, unsigned int ms)
{
	struct rblk_route *route;

	while (rblk_disk_inflight(dev)) {
		rblk_for_each_route(dev, route)
			if (route->used)
				rblk_poll_session(route->vol.sess);
		if (ms < POLL_MS)
			return !rblk_disk_inflight(dev);
		msleep(POLL_MS);
		ms -= POLL_MS;
	}
	return true;
}

static const char forced[] = "a volume with hung I/O was detached by force";

static void disk_lose(struct rblk_dev *dev)
{
	struct rblk_route *route;

	rblk_for_each_route(dev, route)
		if (route->used && rblk_route_inflight(route))
			rblk_sess_lose(route->vol.sess, forced);
}

/* Where the target is not well, the session goes at once. */
static void disk_recover(struct rblk_dev *dev)
{
	struct rblk_route *route;

	rblk_for_each_route(dev, route)
		if (route->used && rblk_route_inflight(route) &&
		    !rblk_recover_volume(&route->vol, forced))
			rblk_sess_lose(route->vol.sess, forced);
}

/*
 * No new I/O reaches the target, as the volume is DELETING.  Outstanding I/O
 * has GRACE_MS to end by itself.  Then the target is asked to end it, and if it
 * does not, the session recovers.  That takes the I/O back, and sends the I/O of
 * the session's other volumes again.  A route without I/O is left alone: its session
 * may have other volumes.
 *
 * Only then mark the disk dead: that waits for tasks that hold the file
 * system's locks, and those may wait for the I/O.
 */
static void disk_end_io(struct rblk_dev *dev)
{
	if (!disk_wait_idle(dev, GRACE_MS)) {
		disk_recover(dev);
		if (!disk_wait_idle(dev, TARGET_MS)) {
			disk_lose(dev);
			disk_wait_idle(dev, RECOVER_MS);
		}
	}
	blk_mark_disk_dead(dev->disk);
}

/**
 * rblk_disk_end() - end a disk's I/O, then remove the disk
 * @dev: its volume is DELETING
 * @force: the disk may be open and have outstanding I/O
 *
 * Context: may sleep, at most 8 s.
 */
void rblk_disk_end(struct rblk_dev *dev, bool force)
{
	/* Held I/O is dispatched, and queue_rq() fails it. */
	rblk_queue_resume(&rblk_route_shown(dev)->vol);
	if (force)
		disk_end_io(dev);
	del_gendisk(dev->disk);
}

static void disk_scan_begin(struct rblk_dev *dev, unsigned long until)
{
	dev->scan_until = until;
	dev->scan_asked = false;
	dev->scan_failed = false;
	WRITE_ONCE(dev->scanning, true);
}

/**
 * rblk_disk_scan_time() - get the timeout of a read that looks for partitions
 * @dev: being scanned
 *
 * The time counts from the first such read, not from when the disk is added.
 * To add a disk takes time as well, more if many are added at once, and the
 * target is not to blame for that.
 *
 * Context: any.
 * Return: jiffies from now, at least 1.
 */
long rblk_disk_scan_time(struct rblk_dev *dev)
{
	unsigned long own = jiffies + RBLK_SCAN_SECONDS * HZ;

	/* Two first reads at the same moment store about the same time. */
	if (!READ_ONCE(dev->scan_asked)) {
		if (time_before(own, READ_ONCE(dev->scan_until)))
			WRITE_ONCE(dev->scan_until, own);
		WRITE_ONCE(dev->scan_asked, true);
	}
	return max_t(long, READ_ONCE(dev->scan_until) - jiffies, 1);
}

/* Returns whether no read of the scan ran out of time. */
static bool disk_scan_end(struct rblk_dev *dev)
{
	WRITE_ONCE(dev->scanning, false);
	return !READ_ONCE(dev->scan_failed);
}

/**
 * rblk_disk_add() - make a device's disk and make it visible
 * @dev: the target has granted its volume
 * @until: jiffies; by then the reads of the scan for partitions must have ended
 * @error: filled in on failure
 *
 * Context: may sleep.
 * Return: 0, or a negative errno; then the device has no disk.
 */
int rblk_disk_add(struct rblk_dev *dev, unsigned long until,
		  struct rblk_ioc_error *error)
{
	struct gendisk *disk = disk_make(dev);
	int ret;

	if (IS_ERR(disk))
		return rblk_fail(error, RBLK_STAGE_DISK, PTR_ERR(disk),
				 "no disk could be made");
	rblk_disk_set(dev, disk);
	disk_scan_begin(dev, until);
	ret = device_add_disk(NULL, disk, rblk_attrs_groups);
	if (disk_scan_end(dev) && !ret)
		return 0;
	if (!ret) {
		rblk_vol_set_state(&dev->route[0].vol, RBLK_VOL_DELETING, NULL);
		rblk_disk_end(dev, true);
		rblk_disk_set(dev, NULL);
		put_disk(disk);
		return rblk_fail(error, RBLK_STAGE_DISK, -ETIMEDOUT,
				 "the target did not answer in time when partitions were looked for");
	}
	rblk_disk_set(dev, NULL);
	put_disk(disk);
	/* A disk that was never added is released without disk_free(). */
	rblk_dev_put(dev);
	return rblk_fail(error, RBLK_STAGE_DISK, ret,
			 "/dev/rblk%d could not be added", dev->index);
}
