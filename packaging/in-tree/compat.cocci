// SPDX-License-Identifier: GPL-2.0-only
//
// What compat/ stands for on the kernel that the series is for. A shim without a
// rule here stays in the sources, and packaging/in-tree/make refuses it.

@@ expression disk, set, lim, bits, data; @@
- disk = compat_alloc_disk(set, &lim, bits, data);
+ lim.features = bits;
+ disk = blk_mq_alloc_disk(set, &lim, data);

@@ expression lim; @@
- compat_max_discard(lim)
+ lim->max_hw_discard_sectors

@@ expression set; @@
- compat_alloc_queue(set)
+ blk_mq_alloc_queue(set, NULL, NULL)

@@ expression queue; @@
- compat_wait_quiesced(queue)
+ blk_mq_wait_quiesce_done(queue->tag_set)

@@ expression rq, sgl; @@
- compat_map_sg(rq, sgl)
+ blk_rq_map_sg(rq, sgl)

// A bio may end in any context.
@@ expression rq; @@
- compat_uncache_polled(rq);

// Requests are always merged, and tag sets are zeroed.
@@ expression set; @@
- set->flags = BLK_MQ_F_SHOULD_MERGE;

// The discard always succeeds.
@@ expression ret, e1, e2, e3, e4, e5; @@
- ret = compat_bdev_discard(e1, e2, e3, e4, e5);
+ __blkdev_issue_discard(e1, e2, e3, e4, e5);
+ ret = 0;

@@ expression bdev; @@
- compat_bdev_rotational(bdev)
+ bdev_rot(bdev)

@@ type T; identifier shim =~ "^compat_bdev_(discard|rotational)$"; @@
- static inline T shim(...) { ... }
