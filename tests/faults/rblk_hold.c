// SPDX-License-Identifier: GPL-2.0-only
/*
 * /dev/rblk_hold: a block device on top of another that keeps writes back.
 *
 * As many writes as the parameter "hold" says are kept, until anything is
 * written to "release".  Whatever else comes passes at once, also to the same
 * blocks.  That is what a disk with a deep queue may do, and what the fence of
 * the target is there for.  dm-delay keeps the order of what it delays, so
 * that nothing sent again is ever overtaken by what it repeats.
 */
#include <linux/blkdev.h>
#include <linux/module.h>

static char *backing;
module_param(backing, charp, 0444);
MODULE_PARM_DESC(backing, "Path of the device underneath");

static unsigned int hold;
module_param(hold, uint, 0644);
MODULE_PARM_DESC(hold, "Writes still to be kept");

static struct gendisk *disk;
static struct file *under;
static DEFINE_SPINLOCK(lock);	/* protects hold, kept and nr_kept */
static struct bio_list kept = BIO_EMPTY_LIST;
static unsigned int nr_kept;
module_param_named(held, nr_kept, uint, 0444);
MODULE_PARM_DESC(held, "Writes kept at this moment");

static bool keep(struct bio *bio)
{
	unsigned long flags;
	bool yes;

	if (!op_is_write(bio_op(bio)) || !bio_sectors(bio))
		return false;
	spin_lock_irqsave(&lock, flags);
	yes = hold;
	if (yes) {
		hold--;
		nr_kept++;
		bio_list_add(&kept, bio);
	}
	spin_unlock_irqrestore(&lock, flags);
	return yes;
}

static void submit(struct bio *bio)
{
	bio_set_dev(bio, file_bdev(under));
	if (!keep(bio))
		submit_bio_noacct(bio);
}

static void release_all(void)
{
	struct bio_list list;
	struct bio *bio;

	spin_lock_irq(&lock);
	list = kept;
	bio_list_init(&kept);
	nr_kept = 0;
	spin_unlock_irq(&lock);
	while ((bio = bio_list_pop(&list)))
		submit_bio_noacct(bio);
}

static int release_set(const char *val, const struct kernel_param *kp)
{
	release_all();
	return 0;
}

static const struct kernel_param_ops release_ops = {
	.set = release_set,
};

module_param_cb(release, &release_ops, NULL, 0200);
MODULE_PARM_DESC(release, "Let go of what is kept");

static const struct block_device_operations fops = {
	.owner = THIS_MODULE,
	.submit_bio = submit,
};

static int __init hold_init(void)
{
	struct queue_limits lim;
	int ret;

	if (!backing)
		return -EINVAL;
	under = bdev_file_open_by_path(backing, BLK_OPEN_READ | BLK_OPEN_WRITE,
				       THIS_MODULE, NULL);
	if (IS_ERR(under))
		return PTR_ERR(under);
	blk_set_stacking_limits(&lim);
	queue_limits_stack_bdev(&lim, file_bdev(under), 0, "rblk_hold");
	disk = blk_alloc_disk(&lim, NUMA_NO_NODE);
	if (IS_ERR(disk)) {
		ret = PTR_ERR(disk);
		goto close;
	}
	disk->fops = &fops;
	disk->flags |= GENHD_FL_NO_PART;
	strscpy(disk->disk_name, "rblk_hold", sizeof(disk->disk_name));
	set_capacity(disk, bdev_nr_sectors(file_bdev(under)));
	ret = add_disk(disk);
	if (!ret)
		return 0;
	put_disk(disk);
close:
	bdev_fput(under);
	return ret;
}

static void __exit hold_exit(void)
{
	release_all();
	del_gendisk(disk);
	put_disk(disk);
	bdev_fput(under);
}

module_init(hold_init);
module_exit(hold_exit);
MODULE_DESCRIPTION("A block device that keeps writes back, for tests of rblk");
MODULE_LICENSE("GPL");
