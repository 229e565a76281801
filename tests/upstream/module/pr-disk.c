// SPDX-License-Identifier: GPL-2.0-only
/*
 * /dev/prdisk, which holds nothing and knows no reservations: it grants each
 * preemption, and counts. Both numbers are in /sys/module/pr_disk/parameters.
 */
#include <linux/atomic.h>
#include <linux/blkdev.h>
#include <linux/module.h>
#include <linux/pr.h>

#define PR_DISK_SECTORS	2048

static struct gendisk *pr_disk;
/* Calls come from any number of ioctls. */
static atomic_t preempts, aborts;

static int count_get(char *buffer, const struct kernel_param *kp)
{
	return sysfs_emit(buffer, "%d\n", atomic_read((atomic_t *)kp->arg));
}

static const struct kernel_param_ops count_ops = { .get = count_get };

module_param_cb(preempts, &count_ops, &preempts, 0444);
MODULE_PARM_DESC(preempts, "Preemptions so far");
module_param_cb(aborts, &count_ops, &aborts, 0444);
MODULE_PARM_DESC(aborts, "Those of them that had to abort");

static int pr_disk_preempt(struct block_device *bdev, u64 old_key, u64 new_key,
			   enum pr_type type, bool abort)
{
	atomic_inc(&preempts);
	if (abort)
		atomic_inc(&aborts);
	return 0;
}

static const struct pr_ops pr_disk_pr_ops = { .pr_preempt = pr_disk_preempt };

static void pr_disk_submit_bio(struct bio *bio)
{
	if (bio_op(bio) == REQ_OP_READ)
		zero_fill_bio(bio);
	bio_endio(bio);
}

static const struct block_device_operations pr_disk_fops = {
	.owner = THIS_MODULE,
	.submit_bio = pr_disk_submit_bio,
	.pr_ops = &pr_disk_pr_ops,
};

static int __init pr_disk_init(void)
{
	struct gendisk *disk = blk_alloc_disk(NULL, NUMA_NO_NODE);
	int ret;

	if (IS_ERR(disk))
		return PTR_ERR(disk);
	disk->fops = &pr_disk_fops;
	disk->flags |= GENHD_FL_NO_PART;
	strscpy(disk->disk_name, "prdisk");
	set_capacity(disk, PR_DISK_SECTORS);
	ret = add_disk(disk);
	if (ret) {
		put_disk(disk);
		return ret;
	}
	pr_disk = disk;
	return 0;
}
module_init(pr_disk_init);

static void __exit pr_disk_exit(void)
{
	del_gendisk(pr_disk);
	put_disk(pr_disk);
}
module_exit(pr_disk_exit);

MODULE_DESCRIPTION("A disk that counts preemptions of reservations");
MODULE_LICENSE("GPL");
