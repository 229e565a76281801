/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shims for kernels older than the newest one supported, whose API the rest of
 * the tree is written for.  Force-included by Kbuild; nothing else names it,
 * and nothing else looks at the kernel's version.
 */
#ifndef RBLK_COMPAT_H
#define RBLK_COMPAT_H

#include <linux/version.h>
#include <linux/blk-mq.h>
#include <linux/blkdev.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 6, 0)
#define BLK_STS_RESV_CONFLICT BLK_STS_NEXUS
#endif

/* What the kernel does not tell apart is an I/O error. */
#ifndef BLK_STS_INVAL
#define BLK_STS_INVAL BLK_STS_IOERR
#endif
#ifndef BLK_STS_DURATION_LIMIT
#define BLK_STS_DURATION_LIMIT BLK_STS_IOERR
#endif

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 14, 0)
/* Requests are always merged there. */
#define BLK_MQ_F_SHOULD_MERGE 0
#endif

/*
 * blk_mq_alloc_disk() with limits, features among them.  Before 6.9 a disk was
 * made first and its limits set one by one.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 11, 0)
#define compat_alloc_disk(set, lim, feat, data) ({			\
	struct queue_limits __lim = *(lim);				\
									\
	__lim.features = (feat);					\
	blk_mq_alloc_disk(set, &__lim, data);				\
})

#define compat_max_discard(lim)		((lim)->max_hw_discard_sectors)
#else
#define BLK_FEAT_WRITE_CACHE	BIT(0)
#define BLK_FEAT_FUA		BIT(1)
#define BLK_FEAT_ROTATIONAL	BIT(2)
#define BLK_FEAT_STABLE_WRITES	BIT(3)
#define BLK_FEAT_PCI_P2PDMA	BIT(4)

#define compat_max_discard(lim)		((lim)->max_discard_sectors)

static inline void compat_set_features(struct request_queue *q, unsigned int feat)
{
	blk_queue_write_cache(q, feat & BLK_FEAT_WRITE_CACHE, feat & BLK_FEAT_FUA);
	if (feat & BLK_FEAT_ROTATIONAL)
		blk_queue_flag_clear(QUEUE_FLAG_NONROT, q);
	else
		blk_queue_flag_set(QUEUE_FLAG_NONROT, q);
	if (feat & BLK_FEAT_STABLE_WRITES)
		blk_queue_flag_set(QUEUE_FLAG_STABLE_WRITES, q);
	if (feat & BLK_FEAT_PCI_P2PDMA)
		blk_queue_flag_set(QUEUE_FLAG_PCI_P2PDMA, q);
}

static inline void compat_set_limits(struct request_queue *q,
				     const struct queue_limits *lim)
{
	/* Takes care of the segment size, which may not be set with it. */
	blk_queue_virt_boundary(q, lim->virt_boundary_mask);
	blk_queue_max_hw_sectors(q, lim->max_hw_sectors);
	blk_queue_max_segments(q, lim->max_segments);
	blk_queue_logical_block_size(q, lim->logical_block_size);
	blk_queue_physical_block_size(q, lim->physical_block_size);
	blk_queue_io_min(q, lim->io_min);
	blk_queue_io_opt(q, lim->io_opt);
	blk_queue_max_discard_sectors(q, compat_max_discard(lim));
	q->limits.discard_granularity = lim->discard_granularity;
	q->limits.discard_alignment = lim->discard_alignment;
	blk_queue_max_write_zeroes_sectors(q, lim->max_write_zeroes_sectors);
}

#define compat_alloc_disk(set, lim, feat, data) ({			\
	struct gendisk *__disk = blk_mq_alloc_disk(set, data);		\
									\
	if (!IS_ERR(__disk)) {						\
		compat_set_limits(__disk->queue, lim);			\
		compat_set_features(__disk->queue, feat);		\
	}								\
	__disk;								\
})
#endif

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
#define compat_wait_quiesced(q) blk_mq_wait_quiesce_done((q)->tag_set)
#else
#define compat_wait_quiesced(q) blk_mq_wait_quiesce_done(q)
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 16, 0)
#define compat_map_sg(rq, sgl) blk_rq_map_sg((rq)->q, rq, sgl)
#else
#define compat_map_sg(rq, sgl) blk_rq_map_sg(rq, sgl)
#endif

/*
 * A polled bio goes back to its submitter's cache when it ends.  Before 6.8 the
 * block layer warns if that happens with softirqs off, and then frees it.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 8, 0)
static inline void compat_uncache_polled(struct request *rq)
{
	struct bio *bio;

	if (!(rq->cmd_flags & REQ_POLLED) || !in_interrupt())
		return;
	__rq_for_each_bio(bio, rq)
		bio->bi_opf &= ~REQ_ALLOC_CACHE;
}
#else
#define compat_uncache_polled(rq) do { } while (0)
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 18, 0)
/* Work queues are per CPU unless they say otherwise. */
#include <linux/workqueue.h>
#define WQ_PERCPU 0
#endif

#endif /* RBLK_COMPAT_H */
