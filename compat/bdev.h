/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Opening and using a block device from the kernel, the same on all kernels.
 */
#ifndef RBLK_COMPAT_BDEV_H
#define RBLK_COMPAT_BDEV_H

#include <linux/blkdev.h>
#include <linux/version.h>

/* A block device held open. */
struct compat_bdev {
	struct block_device *bdev;
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 9, 0)
	struct file *file;
#else
	fmode_t mode;
#endif
};

/* Open the device at @path for @holder alone; 0 or a negative errno. */
static inline int
compat_bdev_open(struct compat_bdev *dev, const char *path, bool writable, void *holder)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 9, 0)
	blk_mode_t mode = BLK_OPEN_READ | (writable ? BLK_OPEN_WRITE : 0);
	struct file *file;

	file = bdev_file_open_by_path(path, mode, holder, NULL);
	if (IS_ERR(file))
		return PTR_ERR(file);
	dev->file = file;
	dev->bdev = file_bdev(file);
#else
	struct block_device *bdev;

	dev->mode = FMODE_READ | FMODE_EXCL | (writable ? FMODE_WRITE : 0);
	bdev = blkdev_get_by_path(path, dev->mode, holder);
	if (IS_ERR(bdev))
		return PTR_ERR(bdev);
	dev->bdev = bdev;
#endif
	return 0;
}

static inline void compat_bdev_close(struct compat_bdev *dev)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 9, 0)
	bdev_fput(dev->file);
#else
	blkdev_put(dev->bdev, dev->mode);
#endif
	dev->bdev = NULL;
}

/* Chain the bios of a discard; 0 or a negative errno. */
static inline int compat_bdev_discard(struct block_device *bdev, sector_t sector,
				      sector_t nr, gfp_t gfp, struct bio **bio)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
	__blkdev_issue_discard(bdev, sector, nr, gfp, bio);
	return 0;
#else
	return __blkdev_issue_discard(bdev, sector, nr, gfp, bio);
#endif
}

static inline bool compat_bdev_rotational(struct block_device *bdev)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 0, 0)
	return bdev_rot(bdev);
#else
	return !bdev_nonrot(bdev);
#endif
}

#endif /* RBLK_COMPAT_BDEV_H */
