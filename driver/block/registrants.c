// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tells of a device's reservation: by uevents and in the log when the target says that it
 * has changed, and for RBLK_IOC_RESERVATION.
 */
#include <linux/device.h>
#include <linux/slab.h>
#include "block.h"

/* RBLK_IOC_RESERVATION must end within 10 s, and a listing takes up to 5 s itself. */
#define LIST_WAIT_MS	4000

/* What has happened, for uevents; and for the log, where this host has lost something. */
static const struct {
	u32 why;
	const char *word;
	const char *text;
} changes[] = {
	{ RBLK_RESV_PREEMPTED, "preempted",
	  "another host or the target's administrator has ended this host's registration" },
	{ RBLK_RESV_CLEARED, "cleared", "the reservation and all registrations have ended" },
	{ RBLK_RESV_RELEASED, "released", NULL },
	{ RBLK_RESV_CHANGED, "changed", NULL },
};

static void registrants_tell(struct rblk_dev *dev, const char *word)
{
	char what[32];
	char *envp[2] = { what, NULL };

	snprintf(what, sizeof(what), "RBLK_RESERVATION=%s", word);
	mutex_lock(&dev->hold_lock);
	if (dev->disk)
		kobject_uevent_env(&disk_to_dev(dev->disk)->kobj, KOBJ_CHANGE, envp);
	mutex_unlock(&dev->hold_lock);
}

/**
 * rblk_registrants_changed() - report what has happened to a device's reservation
 * @vol: a device's volume; nothing happens if the device is not ready
 * @why: RBLK_RESV_*
 *
 * Each route of a device hears of each change.
 *
 * Context: vols_lock of the volume's session held; may sleep.
 */
void rblk_registrants_changed(struct rblk_vol *vol, u32 why)
{
	struct rblk_dev *dev = rblk_vol_dev(vol);
	int i;

	if (!READ_ONCE(dev->ready))
		return;
	for (i = 0; i < ARRAY_SIZE(changes); i++) {
		if (!(why & changes[i].why))
			continue;
		if (changes[i].text && __ratelimit(&vol->sess->log_limit))
			pr_info("rblk: rblk%d: %s\n", dev->index, changes[i].text);
		registrants_tell(dev, changes[i].word);
	}
}

static void registrant_describe(const struct rblk_wire_registrant *in,
				struct rblk_ioc_registrant *out)
{
	u32 flags = le32_to_cpu(in->flags);

	BUILD_BUG_ON(sizeof(in->name) != sizeof(out->name));
	out->registration = le64_to_cpu(in->key);
	memcpy(out->host, in->host, sizeof(out->host));
	memcpy(out->name, in->name, sizeof(out->name));
	if (flags & RBLK_REGF_HOLDER)
		out->flags |= RBLK_REGISTRANT_HOLDER;
	if (flags & RBLK_REGF_SELF)
		out->flags |= RBLK_REGISTRANT_SELF;
}

static int registrants_fail(struct rblk_ioc_reservation *arg, int err)
{
	switch (err) {
	case -ENOTCONN:
		return rblk_fail(&arg->error, RBLK_STAGE_LOOKUP, err,
				 "no route of /dev/rblk%d is live, so its target can't be asked",
				 arg->index);
	case -EOPNOTSUPP:
		return rblk_fail(&arg->error, RBLK_STAGE_LOOKUP, err,
				 "the target of /dev/rblk%d has no reservations", arg->index);
	case -EINTR:
		return rblk_fail(&arg->error, RBLK_STAGE_LOOKUP, err, "interrupted");
	default:
		return rblk_fail(&arg->error, RBLK_STAGE_LOOKUP, err,
				 "the target of /dev/rblk%d did not list its registrations",
				 arg->index);
	}
}

/* Returns the device with a reference, as the target may take long to answer. */
static struct rblk_dev *registrants_dev(struct rblk_ioc_reservation *arg)
{
	struct rblk_dev *dev = rblk_dev_lock(arg->index, false, &arg->error);

	if (!dev)
		return NULL;
	if (rblk_dev_check(dev, arg->uuid, &arg->error)) {
		rblk_dev_unlock();
		return NULL;
	}
	export_uuid(arg->uuid, &dev->route[0].vol.uuid);
	kref_get(&dev->kref);
	rblk_dev_unlock();
	return dev;
}

/**
 * rblk_registrants_list() - ask a device's target for its reservation, for
 * RBLK_IOC_RESERVATION
 * @arg: checked; its outputs and error are filled in
 * @registrants: zeroed; room for RBLK_WIRE_MAX_REGISTRANTS
 *
 * Context: may sleep, at most 10 s.
 * Return: 0 or a negative errno.
 */
int rblk_registrants_list(struct rblk_ioc_reservation *arg,
			  struct rblk_ioc_registrant *registrants)
{
	struct rblk_registrations *regs = kvzalloc(sizeof(*regs), GFP_KERNEL);
	struct rblk_dev *dev;
	int ret;
	u32 i;

	if (!regs)
		return rblk_fail(&arg->error, RBLK_STAGE_LOOKUP, -ENOMEM, "out of memory");
	dev = registrants_dev(arg);
	if (!dev) {
		kvfree(regs);
		return -arg->error.error;
	}
	ret = rblk_reserve_list(dev, regs, false, jiffies + msecs_to_jiffies(LIST_WAIT_MS));
	rblk_dev_put(dev);
	if (ret) {
		kvfree(regs);
		return registrants_fail(arg, ret);
	}
	arg->generation = regs->generation;
	arg->type = regs->type;
	arg->nr = regs->nr;
	for (i = 0; i < regs->nr; i++)
		registrant_describe(&regs->entry[i], &registrants[i]);
	kvfree(regs);
	return 0;
}
