// SPDX-License-Identifier: GPL-2.0-only
/*
 * The backing block device of an export: open it, read its limits and its size.
 */
#include <linux/blkdev.h>
#include <linux/sizes.h>
#include "export.h"

/* Largest WRITE_ZEROES for a device that cannot zero by itself. */
#define RBLKT_EMULATED_ZEROES	SZ_1M

static int bdev_open_error(const struct rblkt_export *export,
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

/* Sectors in bytes, at most RBLKT_MAX_RANGE, rounded down to @align. */
static u32 bdev_range_bytes(unsigned int sectors, unsigned int align)
{
	u64 bytes = (u64)sectors << SECTOR_SHIFT;

	return round_down(min_t(u64, bytes, RBLKT_MAX_RANGE), align);
}

/**
 * rblkt_bdev_flags - read what a host must know of an export
 * @export: open; its device's cache may be switched on or off at any time
 *
 * Context: Process context; with rblkt_mutex held once @export is in the list.
 * Return: RBLK_EXPF_*, as of now.
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

/**
 * rblkt_bdev_nowait - how much the device takes by REQ_NOWAIT
 * @bdev: open
 *
 * The block layer does not split such a bio but refuses it.  The data is in
 * pieces of at least RBLKT_PIECE_MIN bytes, of which the first may begin anywhere.
 *
 * Context: Any.
 * Return: bytes in one bio, at least a page; 0 if the device can't refuse to block.
 */
u32 rblkt_bdev_nowait(struct block_device *bdev)
{
	struct request_queue *queue = bdev_get_queue(bdev);
	u64 bytes = (u64)queue_max_sectors(queue) << SECTOR_SHIFT;
	u32 piece = min_t(u32, queue_max_segment_size(queue), RBLKT_PIECE_MIN);

	if (!bdev_nowait(bdev))
		return 0;
	bytes = min(bytes, (u64)(queue_max_segments(queue) - 1) * piece);
	return clamp_t(u64, bytes, PAGE_SIZE, RBLK_WIRE_MAX_IO);
}

/*
 * If the device cannot discard, the target refuses DISCARD.  It takes
 * WRITE_ZEROES either way: if the device cannot zero, the target writes zeroes.
 * That costs the device what the host's own writes of zeroes would, and the
 * network nothing.
 */
static int bdev_read_limits(struct rblkt_export *export, struct rblk_ioc_error *err)
{
	struct block_device *bdev = export->backing.bdev;
	unsigned int block = bdev_logical_block_size(bdev);
	struct rblkt_geo *geo = &export->geo;

	/* Hosts are not told of zones, and write where they like. */
	if (bdev_is_zoned(bdev))
		return rblkt_fail(err, RBLK_STAGE_BACKING, EOPNOTSUPP,
				  "%s is a zoned device, and hosts cannot use zones",
				  export->path);
	if (block > SZ_4K)
		return rblkt_fail(err, RBLK_STAGE_BACKING, EINVAL,
				  "%s has logical blocks of %u bytes, more than 4096",
				  export->path, block);
	geo->block_shift = ilog2(block);
	geo->blocks = bdev_nr_bytes(bdev) >> geo->block_shift;
	if (!geo->blocks)
		return rblkt_fail(err, RBLK_STAGE_BACKING, ENOSPC,
				  "%s is smaller than one block", export->path);
	geo->max_discard = bdev_range_bytes(bdev_max_discard_sectors(bdev), block);
	geo->max_write_zeroes = bdev_range_bytes(bdev_write_zeroes_sectors(bdev), block);
	if (!geo->max_write_zeroes)
		geo->max_write_zeroes = RBLKT_EMULATED_ZEROES;
	export->wire_flags = rblkt_bdev_flags(export);
	return 0;
}

/**
 * rblkt_bdev_measure - read again how large an export's device is
 * @export: open; its device may grow and shrink at any time
 *
 * Attachments are not touched: resize.c tells hosts of a new size.
 *
 * Context: Process context, with rblkt_mutex held.
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
 * @export: has its path and flags; it becomes the device's holder
 * @err: filled in on failure
 *
 * Context: Process context; may sleep.
 * Return: 0 or a negative errno, with the device closed.
 */
int rblkt_bdev_open(struct rblkt_export *export, struct rblk_ioc_error *err)
{
	bool writable = !(export->flags & RBLKT_EXPORT_READ_ONLY);
	int ret;

	ret = compat_bdev_open(&export->backing, export->path, writable, export);
	if (ret)
		return bdev_open_error(export, err, -ret);
	if (writable && bdev_read_only(export->backing.bdev))
		ret = bdev_open_error(export, err, EROFS);
	else
		ret = bdev_read_limits(export, err);
	if (ret)
		compat_bdev_close(&export->backing);
	return ret;
}

/**
 * rblkt_bdev_reopen - open a read-only export's device again, to write as well
 * @export: open; it stays the device's holder
 * @anew: set to the same device, to replace @export->backing
 * @err: filled in on failure
 *
 * Fails if the path leads to another device by now.
 *
 * Context: Process context; may sleep.
 * Return: 0 or a negative errno, with @anew closed.
 */
int rblkt_bdev_reopen(struct rblkt_export *export, struct compat_bdev *anew,
		      struct rblk_ioc_error *err)
{
	int ret = compat_bdev_open(anew, export->path, true, export);

	if (ret)
		return bdev_open_error(export, err, -ret);
	if (anew->bdev != export->backing.bdev)
		ret = rblkt_fail(err, RBLK_STAGE_BACKING, ESTALE,
				 "%s is another device than when it was exported",
				 export->path);
	else if (bdev_read_only(anew->bdev))
		ret = bdev_open_error(export, err, EROFS);
	if (ret)
		compat_bdev_close(anew);
	return ret;
}
