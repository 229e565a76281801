/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The initiator's devices and their disks, and what their files share.
 *
 * Each folder is a layer.  It knows only the folders to its left:
 *
 *   uapi <- proto <- transport <- session <- block <- control
 *
 * Lock order: devs_lock of device.c is outside of all locks of session/session.h;
 * dev->hold_lock is inside of sess->vols_lock.
 */
#ifndef RBLK_H
#define RBLK_H

#include <linux/blk-mq.h>
#include <linux/blkdev.h>
#include <linux/cache.h>
#include <linux/kref.h>
#include "../session/session.h"

/**
 * struct rblk_latency - how long the operations of one I/O connection took
 * @op: indexed by enum rblk_latency_op
 *
 * A device has an array with one element per I/O connection.  Elements do not
 * share a cache line, so no two connections write the same one.
 */
struct rblk_latency {
	struct rblk_ioc_latency op[RBLK_LATENCY_OPS];
} ____cacheline_aligned;

/* ---- queue.c: requests ---- */

/**
 * struct rblk_dev - /dev/rblkN
 * @vol: its volume
 * @kref: one reference while attached, one of the disk until its last close
 * @entry: in the list of devices, while attached or being attached
 * @index: N; reserved until the last reference is gone
 * @ready: it can be shown and detached; guarded by devs_lock; a reader that
 *         can do with an old value may skip it
 * @detaching: a task detaches it; guarded by devs_lock
 * @free_work: frees it, in a context that rblk_exit() can wait for
 * @target_text: the target as the user wrote it
 * @flags: RBLK_ATTACH_* without RBLK_SESS_FLAGS, as requested; fixed
 * @disk: NULL until the target has granted the volume; changed with @hold_lock
 *        held
 * @hold_lock: guards @held and the state of the queue that it describes, and
 *             keeps @disk for the upcalls of the session
 * @held: the disk's queue is quiesced
 * @scanning: the kernel is looking for partitions
 * @scan_asked: the scan has sent its first read
 * @scan_until: jiffies; by then the I/O of the scan ends
 * @scan_failed: I/O of the scan failed because @scan_until had passed
 * @latency: one per I/O connection, see latency.c; made with the disk, freed
 *           with the device
 *
 * rblk_dev_attach() makes it; it dies with the last reference.  The top of
 * device.c describes its lifetime.
 */
struct rblk_dev {
	struct rblk_vol vol;
	struct kref kref;
	struct list_head entry;
	int index;
	bool ready;
	bool detaching;
	struct work_struct free_work;
	char target_text[RBLK_PATH_LEN];
	u32 flags;
	struct gendisk *disk;
	struct mutex hold_lock;		/* see above */
	bool held;
	bool scanning;
	bool scan_failed;
	bool scan_asked;
	unsigned long scan_until;
	struct rblk_latency *latency;
};

/* The device that a volume is embedded in. */
static inline struct rblk_dev *rblk_vol_dev(struct rblk_vol *vol)
{
	return container_of(vol, struct rblk_dev, vol);
}

/**
 * struct rblk_block - the block layer's part of a session
 * @set: tags of all its volumes
 * @placeholder: a queue without I/O, always in @set.  When a set goes from one
 *               queue to two, or back to one, blk-mq freezes the queue that it
 *               has, and waits for its I/O.  That queue is this one, never that
 *               of a volume, whose I/O may be held for ever.
 *
 * rblk_blk_init_session() makes it; it dies with its session.
 */
struct rblk_block {
	struct blk_mq_tag_set set;
	struct request_queue *placeholder;
};

extern const struct rblk_sess_ops rblk_blk_sess_ops;
int rblk_blk_init_session(struct rblk_sess *sess);

/* ---- hold.c: requests while there is no connection ---- */

void rblk_queue_hold(struct rblk_vol *vol);
void rblk_queues_settle(struct rblk_sess *sess);
void rblk_queue_resume(struct rblk_vol *vol);

/* The tag set that rblk_blk_init_session() has made. */
static inline struct blk_mq_tag_set *rblk_blk_tag_set(struct rblk_sess *sess)
{
	return &((struct rblk_block *)sess->block)->set;
}

/* ---- poll.c: queues whose submitters poll ---- */

void rblk_poll_map_queues(struct blk_mq_tag_set *set);
int rblk_poll_queue(struct blk_mq_hw_ctx *hctx, struct io_comp_batch *batch);
bool rblk_poll_request(struct request *rq);
void rblk_poll_session(struct rblk_sess *sess);

/* ---- latency.c: how long operations took ---- */

void rblk_latency_count(struct rblk_dev *dev, const struct request *rq,
			const struct rblk_slot *slot, u64 sent);
void rblk_latency_sum(struct rblk_dev *dev, struct rblk_latency *sum);

/* ---- disk.c: a device's disk ---- */

/*
 * How long the kernel may look for partitions, and the loss policy until then.
 * The attach waits for that I/O, and until it returns the user can neither
 * detach the device nor change its policy.
 */
#define RBLK_SCAN_SECONDS	5

int rblk_disk_add(struct rblk_dev *dev, unsigned long until,
		  struct rblk_ioc_error *error);
void rblk_disk_set(struct rblk_dev *dev, struct gendisk *disk);
long rblk_disk_scan_time(struct rblk_dev *dev);
void rblk_disk_granted(struct rblk_vol *vol);
void rblk_disk_resized(struct rblk_vol *vol);
u32 rblk_disk_inflight(struct rblk_dev *dev);
void rblk_disk_end(struct rblk_dev *dev, bool force);

/* ---- device.c: /dev/rblkN ---- */

#define RBLK_MINORS		16
#define RBLK_MAX_INDEX		((1 << MINORBITS) / RBLK_MINORS - 1)

extern int rblk_major;
int rblk_dev_init(void);
void rblk_dev_exit(void);
void rblk_dev_put(struct rblk_dev *dev);
int rblk_dev_attach(struct rblk_ioc_attach *arg, struct rblk_sess_args *sess_args);
int rblk_dev_detach(struct rblk_ioc_detach *arg);
int rblk_dev_show(struct rblk_ioc_show *arg);
int rblk_dev_stat(struct rblk_ioc_stat *arg, struct rblk_latency *sum);
int rblk_dev_policy(struct rblk_ioc_policy *arg);

/* ---- sysfs.c: a device in sysfs, in uevents and in SHOW ---- */

extern const struct attribute_group *rblk_attrs_groups[];
void rblk_attrs_changed(struct rblk_vol *vol);
void rblk_attrs_describe(struct rblk_dev *dev, struct rblk_ioc_volume *out);

/* ---- control/ioctl.c: /dev/rblk-control ---- */

int rblk_ctl_init(void);
void rblk_ctl_exit(void);

#endif /* RBLK_H */
