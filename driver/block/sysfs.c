// SPDX-License-Identifier: GPL-2.0-only
/*
 * Describes a device in sysfs, in uevents and for RBLK_IOC_SHOW.
 *
 * The attributes are in /sys/block/rblkN/rblk/, but for the one that other
 * programs look for beside the disk's own.  The kernel removes them with the
 * disk and waits for readers, so the device and its session outlive each reader.
 */
#include <linux/device.h>
#include <linux/sysfs.h>
#include "block.h"

static struct rblk_dev *to_rblk_dev(struct device *d)
{
	return dev_to_disk(d)->private_data;
}

/* The device's link is named after it, so it stays while the first route does. */
static const char *dev_target_text(struct rblk_dev *dev)
{
	struct rblk_route *route;

	rblk_for_each_route(dev, route)
		if (READ_ONCE(route->used))
			return route->target_text;
	return "";
}

/*
 * An attribute of one line: what @format makes of @value, which may use @vol, that of
 * the route that stands for the device.  The lock keeps the route.
 */
#define VOL_ATTR(name, format, value)						\
static ssize_t name##_show(struct device *d, struct device_attribute *attr,	\
			   char *buf)						\
{										\
	struct rblk_dev *dev = to_rblk_dev(d);					\
	struct rblk_vol *vol;							\
	int bytes;								\
										\
	mutex_lock(&dev->hold_lock);						\
	vol = &rblk_route_shown(dev)->vol;					\
	bytes = sysfs_emit(buf, format "\n", value);				\
	mutex_unlock(&dev->hold_lock);						\
	return bytes;								\
}										\
static DEVICE_ATTR_RO(name)

VOL_ATTR(target, "%s", dev_target_text(rblk_vol_dev(vol)));
VOL_ATTR(export, "%s", vol->name);
VOL_ATTR(uuid, "%pUb", &vol->uuid);
/* In the words that NVMe has for a namespace with a UUID. */
VOL_ATTR(wwid, "uuid.%pUb", &vol->uuid);
VOL_ATTR(state, "%s", rblk_vol_state_name(READ_ONCE(vol->state)));
VOL_ATTR(session, "%pUb", &vol->sess->uuid);
VOL_ATTR(session_state, "%s", rblk_sess_state_name(rblk_sess_state(vol->sess)));
VOL_ATTR(epoch, "%u", READ_ONCE(vol->sess->epoch));
VOL_ATTR(queues, "%u", rblk_sess_queues(vol->sess));
VOL_ATTR(poll_queues, "%u", vol->sess->nr_poll);
VOL_ATTR(depth, "%u", vol->sess->grant.depth);
VOL_ATTR(inline_read, "%u", vol->sess->grant.inline_read);
VOL_ATTR(peer_memory, "%u", vol->sess->caps.peer_memory);
VOL_ATTR(digest, "%u", !!(READ_ONCE(vol->geo.flags) & RBLK_EXPF_DIGEST));
VOL_ATTR(digest_mended, "%lld", atomic64_read(&rblk_vol_dev(vol)->digests.mended));
VOL_ATTR(digest_failed, "%lld", atomic64_read(&rblk_vol_dev(vol)->digests.failed));

static ssize_t reason_show(struct device *d, struct device_attribute *attr,
			   char *buf)
{
	struct rblk_dev *dev = to_rblk_dev(d);
	struct rblk_vol *vol;
	int bytes;

	mutex_lock(&dev->hold_lock);
	vol = &rblk_route_shown(dev)->vol;
	spin_lock_irq(&vol->lock);
	bytes = sysfs_emit(buf, "%s\n", vol->reason);
	spin_unlock_irq(&vol->lock);
	mutex_unlock(&dev->hold_lock);
	return bytes;
}
static DEVICE_ATTR_RO(reason);

/* One route a line: its state, and where it goes. */
static ssize_t routes_show(struct device *d, struct device_attribute *attr, char *buf)
{
	struct rblk_dev *dev = to_rblk_dev(d);
	struct rblk_route *route;
	int at = 0;

	mutex_lock(&dev->hold_lock);
	rblk_for_each_route(dev, route)
		if (route->used)
			at += sysfs_emit_at(buf, at, "%s %s\n",
					    rblk_vol_state_name(READ_ONCE(route->vol.state)),
					    route->target_text);
	mutex_unlock(&dev->hold_lock);
	return at;
}
static DEVICE_ATTR_RO(routes);

static ssize_t queue_timeout_show(struct device *d, struct device_attribute *attr,
				  char *buf)
{
	struct rblk_dev *dev = to_rblk_dev(d);

	return sysfs_emit(buf, "%d\n", READ_ONCE(rblk_route_shown(dev)->vol.queue_timeout));
}

static ssize_t queue_timeout_store(struct device *d, struct device_attribute *attr,
				   const char *buf, size_t count)
{
	int seconds, ret;

	ret = kstrtoint(buf, 10, &seconds);
	if (ret)
		return ret;
	if (seconds < RBLK_QUEUE_TIMEOUT_FOREVER || seconds > RBLK_QUEUE_TIMEOUT_MAX)
		return -EINVAL;
	rblk_reroute_policy(to_rblk_dev(d), seconds);
	return count;
}
static DEVICE_ATTR_RW(queue_timeout);

/* A snapshot of the counters of all routes, one per line, like /proc/vmstat. */
static u64 dev_counter(struct rblk_dev *dev, enum rblk_counter which)
{
	struct rblk_route *route;
	u64 sum = 0;

	rblk_for_each_route(dev, route)
		if (route->used)
			sum += rblk_stat_counter(route->vol.sess, which);
	return sum;
}

static ssize_t counters_show(struct device *d, struct device_attribute *attr,
			     char *buf)
{
	static const char * const name[] = {
#define NAME(symbol, text) [symbol] = text,
		RBLK_COUNTER_TABLE(NAME)
#undef NAME
	};
	struct rblk_dev *dev = to_rblk_dev(d);
	int at = 0;
	u32 i;

	mutex_lock(&dev->hold_lock);
	for (i = 0; i < RBLK_CNT_NR; i++)
		at += sysfs_emit_at(buf, at, "%s %llu\n", name[i], dev_counter(dev, i));
	mutex_unlock(&dev->hold_lock);
	return at;
}
static DEVICE_ATTR_RO(counters);

static struct attribute *attrs[] = {
	&dev_attr_target.attr,
	&dev_attr_export.attr,
	&dev_attr_uuid.attr,
	&dev_attr_state.attr,
	&dev_attr_reason.attr,
	&dev_attr_routes.attr,
	&dev_attr_session.attr,
	&dev_attr_session_state.attr,
	&dev_attr_epoch.attr,
	&dev_attr_queues.attr,
	&dev_attr_poll_queues.attr,
	&dev_attr_depth.attr,
	&dev_attr_inline_read.attr,
	&dev_attr_peer_memory.attr,
	&dev_attr_digest.attr,
	&dev_attr_digest_mended.attr,
	&dev_attr_digest_failed.attr,
	&dev_attr_queue_timeout.attr,
	&dev_attr_counters.attr,
	NULL
};

static const struct attribute_group attr_group = {
	.name = "rblk",
	.attrs = attrs,
};

static struct attribute *disk_attrs[] = {
	&dev_attr_wwid.attr,
	NULL
};

static const struct attribute_group disk_group = {
	.attrs = disk_attrs,
};

const struct attribute_group *rblk_attrs_groups[] = {
	&attr_group,
	&disk_group,
	NULL
};

/* How many routes a device has, and how many of them are LIVE. */
static u32 dev_count_routes(struct rblk_dev *dev, u32 *live)
{
	struct rblk_route *route;
	u32 nr = 0;

	*live = 0;
	rblk_for_each_route(dev, route) {
		nr += READ_ONCE(route->used);
		*live += READ_ONCE(route->used) &&
			 READ_ONCE(route->vol.state) == RBLK_VOL_LIVE;
	}
	return nr;
}

static void log_change(struct rblk_dev *dev, struct rblk_vol *vol, const char *state,
		       const char *reason)
{
	u32 live, nr = dev_count_routes(dev, &live);
	const char *colon = reason[0] ? ": " : "";

	if (!__ratelimit(&vol->sess->log_limit))
		return;
	if (nr == 1)
		pr_info("rblk: rblk%d: %s%s%s\n", dev->index, state, colon, reason);
	else
		pr_info("rblk: rblk%d: route %s: %s%s%s; %u of %u routes are live\n",
			dev->index, rblk_vol_route(vol)->target_text, state, colon, reason,
			live, nr);
}

/**
 * rblk_attrs_changed() - report a volume's new state or reason to user space
 * @vol: a device's volume; nothing happens if the device is not ready
 *
 * Context: may sleep.
 */
void rblk_attrs_changed(struct rblk_vol *vol)
{
	struct rblk_dev *dev = rblk_vol_dev(vol);
	char reason[RBLK_ERROR_LEN];
	char text[32], routes[32];
	char *envp[3] = { text, routes };
	u32 live, nr;

	if (!READ_ONCE(dev->ready))
		return;
	spin_lock_irq(&vol->lock);
	strscpy(reason, vol->reason, sizeof(reason));
	spin_unlock_irq(&vol->lock);
	log_change(dev, vol, rblk_vol_state_name(READ_ONCE(vol->state)), reason);
	nr = dev_count_routes(dev, &live);
	snprintf(text, sizeof(text), "RBLK_STATE=%s",
		 rblk_vol_state_name(rblk_route_state(dev)));
	snprintf(routes, sizeof(routes), "RBLK_ROUTES=%u/%u", live, nr);
	mutex_lock(&dev->hold_lock);
	if (dev->disk)
		kobject_uevent_env(&disk_to_dev(dev->disk)->kobj, KOBJ_CHANGE,
				   envp);
	mutex_unlock(&dev->hold_lock);
}

/**
 * rblk_attrs_down_seconds() - how long has a volume been lost?
 * @vol: a device's volume
 *
 * Context: any; the caller holds vol->lock.
 * Return: seconds, or 0.
 */
u32 rblk_attrs_down_seconds(struct rblk_vol *vol)
{
	if (vol->state != RBLK_VOL_WAITING && vol->state != RBLK_VOL_FAILED)
		return 0;
	return (jiffies - vol->since) / HZ;
}

/**
 * rblk_attrs_describe() - describe a volume for RBLK_IOC_SHOW
 * @dev: on the list and ready
 * @out: zeroed; filled in
 *
 * Context: devs_lock held; may sleep, but never waits for the target.
 */
void rblk_attrs_describe(struct rblk_dev *dev, struct rblk_ioc_volume *out)
{
	struct rblk_vol *vol = &rblk_route_shown(dev)->vol;

	out->index = dev->index;
	out->routes = dev_count_routes(dev, &out->live_routes);
	if (!(vol->access & RBLK_ACCESS_WRITE))
		out->access |= RBLK_ATTACH_READ_ONLY;
	if (vol->access & RBLK_ACCESS_SHARED)
		out->access |= RBLK_ATTACH_SHARED;
	memcpy(out->export_name, vol->name, sizeof(out->export_name));
	strscpy(out->target_text, dev_target_text(dev), sizeof(out->target_text));
	out->queue_timeout = READ_ONCE(vol->queue_timeout);
	out->openers = disk_openers(dev->disk);
	out->inflight = rblk_disk_inflight(dev);
	out->digest_mended = atomic64_read(&dev->digests.mended);
	out->digest_failed = atomic64_read(&dev->digests.failed);
	out->paused_ms = rblk_pause_left_ms(vol->sess);
	spin_lock_irq(&vol->lock);
	out->state = vol->state;
	if (vol->state != RBLK_VOL_WAITING)
		out->paused_ms = 0;
	out->flags = vol->geo.flags;
	export_uuid(out->uuid, &vol->uuid);
	out->capacity = vol->geo.capacity;
	out->logical_block = vol->geo.logical_block;
	out->physical_block = vol->geo.physical_block;
	out->down_seconds = rblk_attrs_down_seconds(vol);
	memcpy(out->reason, vol->reason, sizeof(out->reason));
	spin_unlock_irq(&vol->lock);
}
