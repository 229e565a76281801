// SPDX-License-Identifier: GPL-2.0-only
/*
 * The backing block device of an export: open it, learn what it can do.
 */
#include <linux/blkdev.h>
#include <linux/sizes.h>
#include "admin.h"

/* Zeroing without the device's help is cut into pieces of this. */
#define RBLKT_EMULATED_ZEROES	SZ_1M

static int open_error(const struct rblkt_export *export,
		      struct rblk_ioc_error *err, int error)
{
	const char *why;

	switch (error) {
	case ENOENT:
		why = "does not exist";
		break;
	case ENOTBLK:
		why = "is not a block device";
		break;
	case EBUSY:
		why = "is in use by another program or file system";
		break;
	case EROFS:
	case EACCES:
		why = "is read-only";
		break;
	case ENXIO:
	case ENODEV:
		why = "has no device behind it";
		break;
	default:
		why = "can't be opened";
	}
	return rblkt_fail(err, RBLK_STAGE_BACKING, error, "%s %s",
			  export->path, why);
}

static u32 bytes_of(unsigned int sectors, unsigned int align)
{
	u64 bytes = (u64)sectors << SECTOR_SHIFT;

	return round_down(min_t(u64, bytes, RBLKT_MAX_RANGE), align);
}

/**
 * rblkt_bdev_flags - what a host must know of an export, as of now
 * @export: open; its device's cache may be switched at any time
 *
 * Return: RBLK_EXPF_*.
 */
u32 rblkt_bdev_flags(const struct rblkt_export *export)
{
	struct block_device *bdev = export->backing.bdev;
	u32 flags = 0;

	if (export->flags & RBLKT_EXPORT_READ_ONLY)
		flags |= RBLK_EXPF_READ_ONLY;
	if (export->flags & RBLKT_EXPORT_SHARED)
		flags |= RBLK_EXPF_SHARED;
	if (bdev_write_cache(bdev))
		flags |= RBLK_EXPF_WRITE_CACHE;
	if (bdev_write_cache(bdev) && bdev_fua(bdev))
		flags |= RBLK_EXPF_FUA;
	if (compat_bdev_rotational(bdev))
		flags |= RBLK_EXPF_ROTATIONAL;
	if (bdev_stable_writes(bdev))
		flags |= RBLK_EXPF_STABLE_WRITES;
	return flags;
}

/*
 * Discard is refused where the device has none.  WRITE_ZEROES is taken from
 * hosts either way: where the device has none, zeroes are written here, which
 * costs the device what it would cost anyway and the network nothing.
 */
static int read_limits(struct rblkt_export *export, struct rblk_ioc_error *err)
{
	struct block_device *bdev = export->backing.bdev;
	unsigned int block = bdev_logical_block_size(bdev);
	struct rblkt_geo *geo = &export->geo;

	if (block > SZ_4K)
		return rblkt_fail(err, RBLK_STAGE_BACKING, EINVAL,
				  "%s has logical blocks of %u bytes, more than 4096",
				  export->path, block);
	geo->block_shift = ilog2(block);
	geo->blocks = bdev_nr_bytes(bdev) >> geo->block_shift;
	if (!geo->blocks)
		return rblkt_fail(err, RBLK_STAGE_BACKING, ENOSPC,
				  "%s is smaller than one block", export->path);
	geo->max_discard = bytes_of(bdev_max_discard_sectors(bdev), block);
	geo->max_write_zeroes = bytes_of(bdev_write_zeroes_sectors(bdev), block);
	if (!geo->max_write_zeroes)
		geo->max_write_zeroes = RBLKT_EMULATED_ZEROES;
	export->wire_flags = rblkt_bdev_flags(export);
	return 0;
}

/**
 * rblkt_bdev_measure - look again how large an export's device is
 * @export: open; its device may grow and shrink at any time
 *
 * Attachments keep to the size that they were told: see resize.c.
 */
void rblkt_bdev_measure(struct rblkt_export *export)
{
	u32 shift = export->geo.block_shift;
	u64 blocks = bdev_nr_bytes(export->backing.bdev) >> shift;

	lockdep_assert_held(&rblkt_mutex);
	if (blocks < export->geo.blocks)
		pr_warn("export %s: %s has shrunk from %llu to %llu bytes, beyond which I/O fails\n",
			export->name, export->path, export->geo.blocks << shift,
			blocks << shift);
	else if (blocks > export->geo.blocks)
		pr_info("export %s: %s has grown from %llu to %llu bytes\n",
			export->name, export->path, export->geo.blocks << shift,
			blocks << shift);
	export->geo.blocks = blocks;
}

/**
 * rblkt_bdev_open - open an export's backing device and read its limits
 * @export: with its path and flags set; it becomes the device's holder
 * @err: filled in on failure
 */
int rblkt_bdev_open(struct rblkt_export *export, struct rblk_ioc_error *err)
{
	bool writable = !(export->flags & RBLKT_EXPORT_READ_ONLY);
	int ret;

	ret = compat_bdev_open(&export->backing, export->path, writable, export);
	if (ret)
		return open_error(export, err, -ret);
	if (writable && bdev_read_only(export->backing.bdev))
		ret = open_error(export, err, EROFS);
	else
		ret = read_limits(export, err);
	if (ret)
		compat_bdev_close(&export->backing);
	return ret;
}

/**
 * rblkt_bdev_reopen - open a read-only export's device to write as well
 * @export: open; it stays the device's holder
 * @anew: the same device, to take the place of @export->backing
 * @err: filled in on failure
 *
 * What is found at the path may be another device by now.
 */
int rblkt_bdev_reopen(struct rblkt_export *export, struct compat_bdev *anew,
		      struct rblk_ioc_error *err)
{
	int ret = compat_bdev_open(anew, export->path, true, export);

	if (ret)
		return open_error(export, err, -ret);
	if (anew->bdev != export->backing.bdev)
		ret = rblkt_fail(err, RBLK_STAGE_BACKING, ESTALE,
				 "%s is another device than when it was exported",
				 export->path);
	else if (bdev_read_only(anew->bdev))
		ret = open_error(export, err, EROFS);
	if (ret)
		compat_bdev_close(anew);
	return ret;
}
