/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The initiator's devices and their disks, and what their files share.
 *
 * Each folder is a layer.  It knows only the folders to its left:
 *
 *   uapi <- proto <- transport <- session <- block <- control
 *
 * Lock order: devs_lock of device.c is outside of all locks of session/session.h;
 * dev->hold_lock is inside of sess->vols_lock and sess->call_lock, then registry_lock of
 * session/session.c or kin_lock of kin.c, and route->lock innermost.  dev->reserve_lock is
 * outside of sess->call_lock.
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

/* Is what a route has lost still at the target? */
enum rblk_fence {
	RBLK_FENCED,		/* no, or it has lost nothing */
	RBLK_UNFENCED,		/* perhaps, and the target may not know of the loss */
	RBLK_FENCE_TOLD,	/* yes; the target has ended the route, and lets no other host in */
};

/**
 * struct rblk_route - one way from a device to its target: a session that has the volume
 * @vol: the volume there.  Its name, UUID and access are those of the device, also
 *       while the route is not used
 * @dev: the device that has the route
 * @target_text: the target as the user wrote it
 * @used: it belongs to the device; changed with @dev's hold_lock held
 * @leaving: it is being removed, and takes no new requests
 * @lock: guards @held and @fence
 * @held: requests that were lost with the route, until they may be sent again
 * @fence: see above
 * @shares: what the device has of each I/O connection; made before the volume is LIVE
 * @latency: one per I/O connection, see latency.c; likewise
 * @losses: how often it was lost
 * @asked: @dev's given_up when the target was last asked for @vol; guarded likewise
 *
 * Part of its device, which it does not outlive.  When its route is removed it can
 * be another one.
 */
struct rblk_route {
	struct rblk_vol vol;
	struct rblk_dev *dev;
	char target_text[RBLK_PATH_LEN];
	bool used;
	bool leaving;
	spinlock_t lock;		/* see above */
	struct list_head held;
	enum rblk_fence fence;
	struct rblk_share *shares;
	struct rblk_latency *latency;
	u64 losses;
	u32 asked;
};

/**
 * struct rblk_request - the driver's part of a request
 * @status: its outcome
 * @overdue: its volume was lost as it was not answered in time
 * @held: it is in @route->held
 * @since: jiffies when the driver first tried to send it
 * @slotless: jiffies when it first found no slot, in a row of such tries; 0 if the last
 *            try found one
 * @unmapped: jiffies when mapping its data first failed, in a row of such tries;
 *            0 if the last try was none
 * @sent: ns, when the driver last sent it
 * @route: by which it was last sent
 * @digest: its data has a digest: digest.c
 * @copying: it is the one whose data is in the device's buffer
 * @refused: the target has found its digest wrong
 * @spoilt: a test has spoilt its data
 * @told: the digest of its data at the target
 *
 * blk-mq allocates it behind each request of the tag set.
 */
struct rblk_request {
	blk_status_t status;
	bool overdue;
	bool held;
	unsigned long since;
	unsigned long slotless;
	unsigned long unmapped;
	u64 sent;
	struct rblk_route *route;
	bool digest;
	bool copying;
	bool refused;
	bool spoilt;
	u32 told;
};

#define RBLK_DIGEST_REPORTS	8

/* What a uevent tells: the digest of this data was wrong twice. */
struct rblk_digest_report {
	bool write;
	u32 bytes;
	u64 lba;
};

/**
 * struct rblk_digests - digests of a device's data: digest.c
 * @buffer: @bytes of contiguous memory for the data of one request; NULL without digests
 * @bytes: no request of the disk has more
 * @taken: bit 0 is a lock: a request has @buffer
 * @lock: guards @reports and @nr_reports
 * @mended: requests whose digest was right the second time
 * @failed: those whose digest was not
 * @reports: uevents to be sent by @work
 * @nr_reports: how many
 * @work: sends them
 */
struct rblk_digests {
	void *buffer;
	u32 bytes;
	unsigned long taken;
	spinlock_t lock;		/* see above */
	atomic64_t mended;
	atomic64_t failed;
	struct rblk_digest_report reports[RBLK_DIGEST_REPORTS];
	u32 nr_reports;
	struct work_struct work;
};

/**
 * struct rblk_dev - /dev/rblkN
 * @route: its ways to the target; requests take those that are LIVE
 * @nr_routes: all beyond are unused; grows only
 * @id: names the device to its target
 * @kref: one reference while attached, one of the disk until its last close
 * @entry: in the list of devices, while attached or being attached
 * @kin: in the list of kin.c, as long
 * @index: N; reserved until the last reference is gone
 * @ready: it can be shown and detached; guarded by devs_lock; a reader that
 *         can do with an old value may skip it
 * @detaching: a task detaches it; guarded by devs_lock
 * @rerouting: a task adds or removes a route; guarded by devs_lock
 * @free_work: frees it, in a context that rblk_exit() can wait for
 * @flags: RBLK_ATTACH_* without RBLK_SESS_FLAGS, as requested; fixed
 * @disk: NULL until the target has granted the volume; changed with @hold_lock
 *        held
 * @hold_lock: guards @held and the state of the queue that it describes, which
 *             routes are used, and keeps @disk for the upcalls of the session
 * @reserve_lock: serialises changes of its registrations, see reserve.c
 * @reserve_source: tells the device's changes from others'; guarded by @reserve_lock
 * @reserve_number: of its last change; guarded by @reserve_lock
 * @held: the disk's queue is quiesced
 * @given_up: how often requests of a lost route, here or of kin, ended with an error
 *            while the target could still have them; guarded by kin_lock
 * @scanning: the kernel is looking for partitions
 * @scan_asked: the scan has sent its first read
 * @scan_until: jiffies; by then the I/O of the scan ends
 * @scan_failed: I/O of the scan failed because @scan_until had passed
 * @tags: requests of the disk; made with it, freed with the device
 * @caps: of the RDMA device for which the disk was made; fixed like @tags
 * @max_io: bytes of the largest request of the disk; fixed likewise
 * @stable: the disk keeps pages stable while they are written; fixed likewise
 * @nr_poll: polled queues of the disk, the last ones; fixed likewise
 * @past: times of operations on routes that were removed; guarded by devs_lock
 * @digests: see there
 *
 * rblk_dev_attach() makes it; it dies with the last reference.  The top of
 * device.c describes its lifetime.
 */
struct rblk_dev {
	struct rblk_route route[RBLK_MAX_ROUTES];
	u32 nr_routes;
	u64 id;
	struct kref kref;
	struct list_head entry;
	struct list_head kin;
	int index;
	bool ready;
	bool detaching;
	bool rerouting;
	struct work_struct free_work;
	u32 flags;
	struct gendisk *disk;
	struct mutex hold_lock;		/* see above */
	struct mutex reserve_lock;	/* see above */
	u64 reserve_source;
	u64 reserve_number;
	bool held;
	u32 given_up;
	bool scanning;
	bool scan_failed;
	bool scan_asked;
	unsigned long scan_until;
	struct blk_mq_tag_set tags;
	struct rblk_caps caps;
	u32 max_io;
	bool stable;
	u32 nr_poll;
	struct rblk_latency past;
	struct rblk_digests digests;
};

static inline struct rblk_route *rblk_vol_route(struct rblk_vol *vol)
{
	return container_of(vol, struct rblk_route, vol);
}

/* The device that a volume is a route of. */
static inline struct rblk_dev *rblk_vol_dev(struct rblk_vol *vol)
{
	return rblk_vol_route(vol)->dev;
}

/* How many places for routes the device has used; who sees the number sees the routes. */
static inline u32 rblk_dev_places(const struct rblk_dev *dev)
{
	/* Pairs with route_publish(). */
	return smp_load_acquire(&dev->nr_routes);
}

/* All places for routes that the device has ever used; look at @used. */
#define rblk_for_each_route(dev, pos)						\
	for ((pos) = (dev)->route; (pos) < (dev)->route + rblk_dev_places(dev); (pos)++)

extern const struct rblk_sess_ops rblk_blk_sess_ops;
int rblk_queue_tags_init(struct rblk_dev *dev);
bool rblk_queue_give_up(struct request *rq);

/* ---- describe.c: requests as commands ---- */

static inline bool rblk_op_has_data(u8 op)
{
	return op == RBLK_OP_READ || op == RBLK_OP_WRITE;
}

bool rblk_describe(const struct rblk_geometry *geo, struct request *rq,
		   struct rblk_command *cmd);
struct rblk_need rblk_describe_need(struct request *rq, const struct rblk_command *cmd);

/* ---- digest.c: CRC32C of the data ---- */

void rblk_digest_init(struct rblk_dev *dev);
int rblk_digest_alloc(struct rblk_dev *dev, u32 most);
void rblk_digest_free(struct rblk_dev *dev);
int rblk_digest_map(struct rblk_route *route, struct request *rq, struct rblk_command *cmd,
		    struct scatterlist *sgl);
void rblk_digest_note(struct request *rq, const struct rblk_slot *slot);
bool rblk_digest_end(struct rblk_dev *dev, struct request *rq);
void rblk_digest_drop(struct rblk_dev *dev, struct request *rq);

/* ---- route.c: which way requests take ---- */

void rblk_route_init(struct rblk_dev *dev, struct rblk_route *route);
int rblk_route_ready(struct rblk_route *route);
void rblk_route_free(struct rblk_route *route);
struct rblk_route *rblk_route_pick(struct rblk_dev *dev, const struct blk_mq_hw_ctx *hctx,
				   struct rblk_conn **conn);
void rblk_route_post(struct rblk_dev *dev, const struct blk_mq_hw_ctx *hctx);
struct rblk_conn *rblk_route_conn(struct rblk_route *route, const struct blk_mq_hw_ctx *hctx);
struct rblk_route *rblk_route_shown(struct rblk_dev *dev);
enum rblk_volume_state rblk_route_state(struct rblk_dev *dev);
bool rblk_route_other_live(struct rblk_route *route);
int rblk_route_admit(struct rblk_vol *vol, const struct rblk_geometry *geo,
		     struct rblk_ioc_error *error);
bool rblk_route_spare(struct rblk_vol *vol);
bool rblk_route_kin(struct rblk_vol *vol, const struct rblk_sess *sess);
bool rblk_route_unfenced(struct rblk_vol *vol);
bool rblk_route_blocked(struct rblk_vol *vol);
bool rblk_route_live(struct rblk_vol *vol);
u32 rblk_route_inflight(const struct rblk_route *route);

/* ---- kin.c: routes that lead to the same data ---- */

void rblk_kin_add(struct rblk_dev *dev);
void rblk_kin_remove(struct rblk_dev *dev);
void rblk_kin_lock(void);
void rblk_kin_unlock(void);
void rblk_kin_wake(struct rblk_route *route);
bool rblk_kin_any(struct rblk_route *route,
		  bool (*test)(struct rblk_route *route, struct rblk_route *other));

/* ---- reroute.c: adding and removing routes, and what holds for all of them ---- */

int rblk_reroute_add(struct rblk_ioc_route_change *arg, struct rblk_peer *peer);
int rblk_reroute_remove(struct rblk_ioc_route_change *arg, struct rblk_peer *peer);
void rblk_reroute_policy(struct rblk_dev *dev, int seconds);
int rblk_reroute_pin(struct rblk_ioc_pin *arg);

/* ---- hold.c: requests while there is no connection ---- */

#define RBLK_WITHDRAWN	"the target has withdrawn the export"

void rblk_hold_if_lost(struct rblk_dev *dev);
void rblk_queue_hold(struct rblk_vol *vol);
void rblk_queues_settle(struct rblk_sess *sess);
void rblk_queue_resume(struct rblk_vol *vol);
void rblk_hold_begin(struct rblk_sess *sess);
bool rblk_hold_request(struct request *rq, u32 volume);
void rblk_hold_fenced(struct rblk_vol *vol, bool ended);

/* ---- poll.c: queues whose submitters poll ---- */

void rblk_poll_map_queues(struct blk_mq_tag_set *set);
int rblk_poll_queue(struct blk_mq_hw_ctx *hctx, struct io_comp_batch *batch);
bool rblk_poll_request(struct request *rq);
void rblk_poll_session(struct rblk_sess *sess);

/* ---- latency.c: how long operations took ---- */

void rblk_latency_count(struct rblk_route *route, const struct request *rq,
			const struct rblk_slot *slot, u64 sent);
void rblk_latency_keep(struct rblk_route *route);
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

/* ---- reserve.c, registrants.c: persistent reservations ---- */

extern const struct pr_ops rblk_reserve_ops;
bool rblk_reserve_serves(struct rblk_vol *vol, const struct rblk_sess *sess, u32 *handle);
int rblk_reserve_list(struct rblk_dev *dev, struct rblk_registrations *regs, bool wait,
		      unsigned long until);
void rblk_registrants_changed(struct rblk_vol *vol, u32 why);
int rblk_registrants_list(struct rblk_ioc_reservation *arg,
			  struct rblk_ioc_registrant *registrants);

/* ---- device.c: /dev/rblkN ---- */

#define RBLK_MINORS		16
#define RBLK_MAX_INDEX		((1 << MINORBITS) / RBLK_MINORS - 1)

extern int rblk_major;
int rblk_dev_init(void);
void rblk_dev_exit(void);
void rblk_dev_put(struct rblk_dev *dev);
int rblk_dev_enlist(struct rblk_route *route, struct rblk_sess *sess,
		    struct rblk_ioc_error *error);
int rblk_dev_check(struct rblk_dev *dev, const u8 *uuid, struct rblk_ioc_error *error);
struct rblk_dev *rblk_dev_lock(int index, bool next, struct rblk_ioc_error *error);
void rblk_dev_unlock(void);
int rblk_dev_attach(struct rblk_ioc_attach *arg, struct rblk_sess_args *sess_args);
int rblk_dev_detach(struct rblk_ioc_detach *arg);
int rblk_dev_policy(struct rblk_ioc_policy *arg);

/* ---- show.c: what devices say of themselves ---- */

int rblk_dev_show(struct rblk_ioc_show *arg);
int rblk_dev_stat(struct rblk_ioc_stat *arg, struct rblk_latency *sum);
int rblk_dev_routes(struct rblk_ioc_route_list *arg, struct rblk_ioc_route *routes);

/* ---- sysfs.c: a device in sysfs, in uevents and in SHOW ---- */

extern const struct attribute_group *rblk_attrs_groups[];
void rblk_attrs_changed(struct rblk_vol *vol);
u32 rblk_attrs_down_seconds(struct rblk_vol *vol);
void rblk_attrs_describe(struct rblk_dev *dev, struct rblk_ioc_volume *out);

/* ---- control/ioctl.c: /dev/rblk-control ---- */

int rblk_ctl_init(void);
void rblk_ctl_exit(void);

#endif /* RBLK_H */
