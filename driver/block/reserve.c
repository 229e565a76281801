// SPDX-License-Identifier: GPL-2.0-only
/*
 * Persistent reservations of /dev/rblkN: struct pr_ops.
 *
 * The target keeps registrations for the host, not for a session.  So any route that is
 * LIVE may carry a request, and all of them share what comes of it.  The number of a
 * change lets the target know it again.  So if its answer is lost with a route, it is
 * asked for again by the next one that is LIVE, and is made once.  The numbers of a
 * device rise.  So if a lost route delivers a message after the device has gone on, the
 * target refuses it.
 *
 * The target answers AGAIN to a PREEMPT_ABORT until the last I/O of the preempted hosts
 * has ended at the device.  Then this asks again.
 *
 * While no route is LIVE, a request waits as I/O does: until the loss policy ends the
 * wait, and no longer than it may take at all.
 *
 * The target refuses a change whose number is lower than one that it has decided.  So a
 * device makes one at a time.
 */
#include <linux/blkdev.h>
#include <linux/pr.h>
#include <linux/random.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include "../../compat/pr.h"
#include "block.h"

/* A request ends within a minute: one call more may begin at the end of this. */
#define CHANGE_SECONDS	50
#define AGAIN_MS	20	/* at first; it doubles up to RETRY_MS */
#define RETRY_MS	500

/**
 * rblk_reserve_serves() - does a session serve a volume?
 * @vol: a device's volume
 * @sess: its call_lock is held, and so the volume stays what it is at the target
 * @handle: set to the target's handle
 *
 * Context: may sleep.
 * Return: whether the volume is LIVE by @sess.
 */
bool rblk_reserve_serves(struct rblk_vol *vol, const struct rblk_sess *sess, u32 *handle)
{
	struct rblk_route *route = rblk_vol_route(vol);
	bool serves;

	mutex_lock(&route->dev->hold_lock);
	/* The place of a route that was removed may be another one's. */
	serves = route->dev->disk && route->used && vol->sess == sess;
	spin_lock_irq(&vol->lock);
	serves = serves && vol->state == RBLK_VOL_LIVE;
	*handle = vol->geo.volume;
	spin_unlock_irq(&vol->lock);
	mutex_unlock(&route->dev->hold_lock);
	return serves;
}

/*
 * Get a use of the session of a LIVE route.  Without any: -EAGAIN if I/O waits for one,
 * or how I/O would end.
 */
static int reserve_find_route(struct rblk_dev *dev, struct rblk_vol **vol,
			      struct rblk_sess **sess)
{
	struct rblk_route *route;
	int ret = 0;

	mutex_lock(&dev->hold_lock);
	route = rblk_route_shown(dev);
	*vol = &route->vol;
	switch (dev->disk ? READ_ONCE(route->vol.state) : RBLK_VOL_DELETING) {
	case RBLK_VOL_LIVE:
		*sess = route->vol.sess;
		rblk_sess_hold(*sess);
		break;
	case RBLK_VOL_WAITING:
		ret = -EAGAIN;
		break;
	case RBLK_VOL_FAILED:
		ret = -ENOLINK;
		break;
	default:
		ret = -ENODEV;
	}
	mutex_unlock(&dev->hold_lock);
	return ret;
}

static int reserve_try(struct rblk_dev *dev, struct rblk_wire_reserve *req,
		       unsigned long until, u16 *status)
{
	struct rblk_sess *sess;
	struct rblk_vol *vol;
	int ret;

	ret = reserve_find_route(dev, &vol, &sess);
	if (ret)
		return ret;
	ret = rblk_reserve_ask(sess, vol, req, until, status);
	rblk_sess_put_later(sess);
	return ret;
}

/* Does the answer end the request? */
static bool reserve_is_final(u16 status)
{
	/* NO_VOLUME: it is lost without a word, and will be attached anew. */
	return status != RBLK_CTL_AGAIN && status != RBLK_CTL_NO_VOLUME;
}

/* What users of struct pr_ops expect: a conflict is no error, but a status of the device. */
static int reserve_result(u16 status)
{
	switch (status) {
	case RBLK_CTL_OK:
		return 0;
	case RBLK_CTL_CONFLICT:
		return PR_STS_RESERVATION_CONFLICT;
	case RBLK_CTL_WRONG_TYPE:
		return -EINVAL;
	case RBLK_CTL_READ_ONLY:
		return -EROFS;
	case RBLK_CTL_NO_RESOURCES:
		return -ENOSPC;
	default:
		return -EIO;
	}
}

/* The user can't see more than an errno. */
static int reserve_late(const struct rblk_dev *dev, const char *what)
{
	pr_warn_ratelimited("rblk: rblk%d: a change of its reservation did not end within %u s: %s\n",
			    dev->index, CHANGE_SECONDS, what);
	return -ETIMEDOUT;
}

/* Only one change at a time, or the target would refuse the other one as old. */
static int reserve_lock(struct rblk_dev *dev, unsigned long until)
{
	while (!mutex_trylock(&dev->reserve_lock)) {
		if (fatal_signal_pending(current))
			return -EINTR;
		if (time_after(jiffies, until))
			return reserve_late(dev, "another one waits, and this was not made");
		schedule_timeout_killable(msecs_to_jiffies(AGAIN_MS));
	}
	return 0;
}

static int reserve_ask(struct rblk_dev *dev, struct rblk_wire_reserve *req,
		       unsigned long until)
{
	u32 pause = AGAIN_MS;
	bool waits;
	u16 status;
	int ret;

	for (;;) {
		ret = reserve_try(dev, req, until, &status);
		if (!ret && reserve_is_final(status))
			return reserve_result(status);
		if (ret && ret != -EAGAIN && ret != -ECONNRESET)
			return ret;
		waits = !ret && status == RBLK_CTL_AGAIN;
		if (time_after(jiffies, until))
			return reserve_late(dev, waits ?
					    "the last I/O of preempted hosts has not ended" :
					    "there was no final answer, and it may have been made");
		schedule_timeout_killable(msecs_to_jiffies(pause));
		if (fatal_signal_pending(current))
			return -EINTR;
		/* A route may be LIVE for a moment only; what the target says may last. */
		pause = ret ? AGAIN_MS : min_t(u32, 2 * pause, RETRY_MS);
	}
}

static int reserve_change(struct block_device *bdev, struct rblk_wire_reserve *req)
{
	struct rblk_dev *dev = bdev->bd_disk->private_data;
	unsigned long until = jiffies + CHANGE_SECONDS * HZ;
	int ret;

	ret = reserve_lock(dev, until);
	if (ret)
		return ret;
	while (!dev->reserve_source)
		dev->reserve_source = get_random_u64();
	req->source = cpu_to_le64(dev->reserve_source);
	req->number = cpu_to_le64(++dev->reserve_number);
	ret = reserve_ask(dev, req, until);
	mutex_unlock(&dev->reserve_lock);
	return ret;
}

/* ---- struct pr_ops ---- */

/* The types have the same numbers on the wire. */
static bool reserve_type_ok(enum pr_type type)
{
	BUILD_BUG_ON(PR_WRITE_EXCLUSIVE != (int)RBLK_RESV_WRITE_EXCLUSIVE ||
		     PR_EXCLUSIVE_ACCESS != (int)RBLK_RESV_EXCLUSIVE_ACCESS ||
		     PR_WRITE_EXCLUSIVE_REG_ONLY != (int)RBLK_RESV_WRITE_REGISTRANTS ||
		     PR_EXCLUSIVE_ACCESS_REG_ONLY != (int)RBLK_RESV_ACCESS_REGISTRANTS ||
		     PR_WRITE_EXCLUSIVE_ALL_REGS != (int)RBLK_RESV_WRITE_ALL_HOLD ||
		     PR_EXCLUSIVE_ACCESS_ALL_REGS != (int)RBLK_RESV_ACCESS_ALL_HOLD);
	return type >= PR_WRITE_EXCLUSIVE && type <= PR_EXCLUSIVE_ACCESS_ALL_REGS;
}

static int reserve_op_register(struct block_device *bdev, u64 old_key, u64 new_key, u32 flags)
{
	bool ignore = flags & PR_FL_IGNORE_KEY;
	struct rblk_wire_reserve req = {
		.action = ignore ? RBLK_RESV_REGISTER_IGNORE : RBLK_RESV_REGISTER,
		.key = cpu_to_le64(ignore ? 0 : old_key),
		.new_key = cpu_to_le64(new_key),
	};

	return flags & ~PR_FL_IGNORE_KEY ? -EOPNOTSUPP : reserve_change(bdev, &req);
}

static int reserve_op_reserve(struct block_device *bdev, u64 key, enum pr_type type, u32 flags)
{
	struct rblk_wire_reserve req = {
		.action = RBLK_RESV_RESERVE, .type = type, .key = cpu_to_le64(key),
	};

	if (flags)
		return -EOPNOTSUPP;
	return reserve_type_ok(type) ? reserve_change(bdev, &req) : -EINVAL;
}

static int reserve_op_release(struct block_device *bdev, u64 key, enum pr_type type)
{
	struct rblk_wire_reserve req = {
		.action = RBLK_RESV_RELEASE, .type = type, .key = cpu_to_le64(key),
	};

	return reserve_type_ok(type) ? reserve_change(bdev, &req) : -EINVAL;
}

/* Whatever their names say, all drivers and users take the first key for the caller's own. */
static int reserve_op_preempt(struct block_device *bdev, u64 own_key, u64 other_key,
			      enum pr_type type, bool abort)
{
	struct rblk_wire_reserve req = {
		.action = abort ? RBLK_RESV_PREEMPT_ABORT : RBLK_RESV_PREEMPT,
		.type = type,
		.key = cpu_to_le64(own_key),
		.new_key = cpu_to_le64(other_key),
	};

	return reserve_type_ok(type) ? reserve_change(bdev, &req) : -EINVAL;
}

static int reserve_op_clear(struct block_device *bdev, u64 key)
{
	struct rblk_wire_reserve req = {
		.action = RBLK_RESV_CLEAR, .key = cpu_to_le64(key),
	};

	return reserve_change(bdev, &req);
}

/**
 * rblk_reserve_list() - ask a device's target for its registrations
 * @dev: the caller has a reference
 * @regs: filled in
 * @wait: also while no route is LIVE, as I/O does
 * @until: jiffies; to begin no later
 *
 * Context: may sleep, 5 s more than until @until; can be killed.
 * Return: 0; -ENOTCONN if no route is LIVE and it should not wait; or another negative
 * errno.
 */
int rblk_reserve_list(struct rblk_dev *dev, struct rblk_registrations *regs, bool wait,
		      unsigned long until)
{
	struct rblk_sess *sess;
	struct rblk_vol *vol;
	int ret;

	for (;;) {
		ret = reserve_find_route(dev, &vol, &sess);
		if (!ret) {
			ret = rblk_reserve_read(sess, vol, regs, until);
			rblk_sess_put_later(sess);
		} else if (!wait) {
			return -ENOTCONN;
		}
		if (ret != -EAGAIN)
			return ret;
		if (time_after(jiffies, until))
			return -ETIMEDOUT;
		schedule_timeout_killable(msecs_to_jiffies(AGAIN_MS));
		if (fatal_signal_pending(current))
			return -EINTR;
	}
}

static int reserve_read_wait(struct block_device *bdev, struct rblk_registrations **regs)
{
	int ret;

	*regs = kvzalloc(sizeof(**regs), GFP_KERNEL);
	if (!*regs)
		return -ENOMEM;
	ret = rblk_reserve_list(bdev->bd_disk->private_data, *regs, true,
				jiffies + CHANGE_SECONDS * HZ);
	if (ret)
		kvfree(*regs);
	return ret;
}

static int __maybe_unused reserve_op_read_keys(struct block_device *bdev, struct pr_keys *info)
{
	struct rblk_registrations *regs;
	u32 room = info->num_keys, i;
	int ret = reserve_read_wait(bdev, &regs);

	if (ret)
		return ret;
	info->generation = regs->generation;
	info->num_keys = regs->nr;
	for (i = 0; i < min(room, regs->nr); i++)
		info->keys[i] = le64_to_cpu(regs->entry[i].key);
	kvfree(regs);
	return 0;
}

/* Where all registrants hold it, the key is that of the first, as NVMe's driver has it. */
static int __maybe_unused
reserve_op_read_reservation(struct block_device *bdev, struct pr_held_reservation *rsv)
{
	struct rblk_registrations *regs;
	int ret = reserve_read_wait(bdev, &regs);
	u32 i;

	if (ret)
		return ret;
	rsv->generation = regs->generation;
	rsv->type = regs->type;
	rsv->key = 0;
	for (i = 0; regs->type && i < regs->nr && !rsv->key; i++)
		if (regs->entry[i].flags & cpu_to_le32(RBLK_REGF_HOLDER))
			rsv->key = le64_to_cpu(regs->entry[i].key);
	kvfree(regs);
	return 0;
}

const struct pr_ops rblk_reserve_ops = {
	.pr_register = reserve_op_register,
	.pr_reserve = reserve_op_reserve,
	.pr_release = reserve_op_release,
	.pr_preempt = reserve_op_preempt,
	.pr_clear = reserve_op_clear,
	compat_pr_reads(reserve_op_read_keys, reserve_op_read_reservation)
};
