// SPDX-License-Identifier: GPL-2.0-only
/*
 * The registry of exports.
 *
 * An export is in the list from its addition to its removal.  Attachments that
 * still drain keep the object, and with it the open backing device and the
 * module, until their last bio has ended.
 */
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include "rblkt.h"

static LIST_HEAD(exports);

static void export_free_work(struct work_struct *work)
{
	struct rblkt_export *export = container_of(work, struct rblkt_export,
						   free_work);

	if (export->backing.bdev)
		compat_bdev_close(&export->backing);
	mutex_lock(&rblkt_mutex);
	if (export->freed)
		complete(export->freed);
	mutex_unlock(&rblkt_mutex);
	kfree(export->hosts);
	kfree(export);
	module_put(THIS_MODULE);
}

static void export_release(struct kref *ref)
{
	struct rblkt_export *export = container_of(ref, struct rblkt_export,
						   ref);

	queue_work(rblkt_close_wq, &export->free_work);
}

/**
 * rblkt_export_put - drop a reference
 * @export: may be freed, later and elsewhere
 */
void rblkt_export_put(struct rblkt_export *export)
{
	kref_put(&export->ref, export_release);
}

/**
 * rblkt_export_find - look an export up
 * @name: its name
 *
 * Return: the export, valid under rblkt_mutex, or NULL.
 */
struct rblkt_export *rblkt_export_find(const char *name)
{
	struct rblkt_export *export;

	lockdep_assert_held(&rblkt_mutex);
	list_for_each_entry(export, &exports, node)
		if (!strcmp(export->name, name))
			return export;
	return NULL;
}

/**
 * rblkt_export_next - the first export whose name sorts after another
 * @name: that other, need not exist
 */
struct rblkt_export *rblkt_export_next(const char *name)
{
	struct rblkt_export *export, *best = NULL;

	lockdep_assert_held(&rblkt_mutex);
	list_for_each_entry(export, &exports, node)
		if (strcmp(export->name, name) > 0 &&
		    (!best || strcmp(export->name, best->name) < 0))
			best = export;
	return best;
}

/**
 * rblkt_export_allows - may a host attach this export?
 * @export: the export
 * @host: the host's UUID
 */
bool rblkt_export_allows(const struct rblkt_export *export, const u8 *host)
{
	u32 i;

	if (export->flags & RBLKT_EXPORT_ALLOW_ANY)
		return true;
	for (i = 0; i < export->nr_hosts; i++)
		if (!memcmp(export->hosts[i], host, RBLK_UUID_LEN))
			return true;
	return false;
}

/**
 * rblkt_export_list - a page of the exports a host may attach
 * @host: the host's UUID
 * @start: index of the first wanted
 * @entry: where to
 * @room: entries it has room for
 * @next: set to the @start of the next page, 0 when this is the last
 *
 * Return: entries filled in.
 */
u32 rblkt_export_list(const u8 *host, u32 start,
		      struct rblk_wire_list_entry *entry, u32 room, u32 *next)
{
	struct rblkt_export *export;
	u32 index = 0, nr = 0;

	*next = 0;
	mutex_lock(&rblkt_mutex);
	list_for_each_entry(export, &exports, node) {
		u32 flags = export->wire_flags;

		if (!rblkt_export_allows(export, host) || index++ < start)
			continue;
		if (nr == room) {
			*next = start + nr;
			break;
		}
		if (!list_empty(&export->atts))
			flags |= RBLK_EXPF_IN_USE;
		memset(entry, 0, sizeof(*entry));
		strscpy(entry->name, export->name, sizeof(entry->name));
		memcpy(entry->uuid, export->uuid, sizeof(entry->uuid));
		entry->capacity = cpu_to_le64(export->geo.blocks <<
					      export->geo.block_shift);
		entry->block_size = cpu_to_le32(1u << export->geo.block_shift);
		entry->flags = cpu_to_le32(flags);
		entry++;
		nr++;
	}
	mutex_unlock(&rblkt_mutex);
	return nr;
}

static int check_add(struct rblkt_ioc_export_add *arg)
{
	struct rblk_ioc_error *err = &arg->error;
	u32 stage = RBLK_STAGE_ARGUMENTS;

	if (arg->flags & ~RBLKT_EXPORT_ALL || arg->reserved ||
	    memchr_inv(arg->reserved2, 0, sizeof(arg->reserved2)))
		return rblkt_fail(err, stage, EINVAL,
				  "unknown flags or reserved fields are set");
	if (!memchr(arg->name, 0, sizeof(arg->name)) ||
	    !rblkt_proto_name_ok(arg->name))
		return rblkt_fail(err, stage, EINVAL,
				  "an export's name is 1 to 63 letters, digits and ._:+- and starts with none of .-");
	if (!memchr(arg->path, 0, sizeof(arg->path)) || arg->path[0] != '/')
		return rblkt_fail(err, stage, EINVAL,
				  "the backing device is not an absolute path");
	if (!memchr_inv(arg->uuid, 0, sizeof(arg->uuid)))
		return rblkt_fail(err, stage, EINVAL,
				  "the export's UUID is all zeroes");
	if (arg->nr_hosts > RBLK_MAX_HOSTS || (arg->nr_hosts && !arg->hosts))
		return rblkt_fail(err, stage, EINVAL,
				  "an export's list has at most %u hosts",
				  RBLK_MAX_HOSTS);
	return 0;
}

static int check_unique(const struct rblkt_ioc_export_add *arg,
			struct rblk_ioc_error *err)
{
	struct rblkt_export *export;

	lockdep_assert_held(&rblkt_mutex);
	list_for_each_entry(export, &exports, node) {
		if (!strcmp(export->name, arg->name))
			return rblkt_fail(err, RBLK_STAGE_LOOKUP, EEXIST,
					  "there is an export %s already, backed by %s",
					  export->name, export->path);
		if (!memcmp(export->uuid, arg->uuid, RBLK_UUID_LEN))
			return rblkt_fail(err, RBLK_STAGE_LOOKUP, EEXIST,
					  "export %s has the UUID %pUb already",
					  export->name, export->uuid);
	}
	return 0;
}

static struct rblkt_export *export_new(const struct rblkt_ioc_export_add *arg)
{
	struct rblkt_export *export = kzalloc(sizeof(*export), GFP_KERNEL);

	if (!export)
		return NULL;
	kref_init(&export->ref);
	INIT_LIST_HEAD(&export->node);
	INIT_LIST_HEAD(&export->atts);
	INIT_WORK(&export->free_work, export_free_work);
	strscpy(export->name, arg->name, sizeof(export->name));
	strscpy(export->path, arg->path, sizeof(export->path));
	memcpy(export->uuid, arg->uuid, sizeof(export->uuid));
	export->flags = arg->flags;
	export->nr_hosts = arg->nr_hosts;
	__module_get(THIS_MODULE);
	return export;
}

static int copy_hosts(struct rblkt_export *export,
		      const struct rblkt_ioc_export_add *arg)
{
	void *hosts;
	u32 i;

	if (!arg->nr_hosts)
		return 0;
	hosts = memdup_user(u64_to_user_ptr(arg->hosts),
			    arg->nr_hosts * RBLK_UUID_LEN);
	if (IS_ERR(hosts))
		return PTR_ERR(hosts);
	export->hosts = hosts;
	for (i = 0; i < arg->nr_hosts; i++)
		if (!memchr_inv(export->hosts[i], 0, RBLK_UUID_LEN))
			return -EINVAL;
	return 0;
}

/*
 * Drop a reference and wait a while for the last one, so that a backing device
 * can usually be used otherwise when the verb returns.
 */
static void put_and_wait(struct rblkt_export *export, struct completion *freed)
{
	unsigned long wait = msecs_to_jiffies(RBLKT_WAIT_MS);

	mutex_lock(&rblkt_mutex);
	export->freed = freed;
	mutex_unlock(&rblkt_mutex);
	rblkt_export_put(export);
	if (wait_for_completion_killable_timeout(freed, wait) > 0)
		return;
	mutex_lock(&rblkt_mutex);
	/* Not yet freed, and so it can't be while we hold the mutex. */
	if (!completion_done(freed))
		export->freed = NULL;
	mutex_unlock(&rblkt_mutex);
}

/**
 * rblkt_export_add - the verb EXPORT_ADD
 * @arg: as copied from user space
 */
int rblkt_export_add(struct rblkt_ioc_export_add *arg)
{
	DECLARE_COMPLETION_ONSTACK(freed);
	struct rblk_ioc_error *err = &arg->error;
	struct rblkt_export *export;
	int ret;

	ret = check_add(arg);
	if (ret)
		return ret;
	mutex_lock(&rblkt_mutex);
	ret = check_unique(arg, err);
	mutex_unlock(&rblkt_mutex);
	if (ret)
		return ret;

	export = export_new(arg);
	if (!export)
		return rblkt_fail(err, RBLK_STAGE_BACKING, ENOMEM,
				  "out of memory");
	ret = copy_hosts(export, arg);
	if (ret == -EFAULT)
		goto put;
	if (ret) {
		rblkt_fail(err, RBLK_STAGE_ARGUMENTS, -ret,
			   "the list of hosts is bad");
		goto put;
	}
	ret = rblkt_bdev_open(export, err);
	if (ret)
		goto put;

	mutex_lock(&rblkt_mutex);
	ret = check_unique(arg, err);
	if (!ret)
		list_add_tail(&export->node, &exports);
	mutex_unlock(&rblkt_mutex);
	if (!ret) {
		pr_info("export %s: %s offered\n", export->name, export->path);
		return 0;
	}
put:
	put_and_wait(export, &freed);
	return ret;
}

/* Is @export attached?  Says by whom. */
static int check_unused(const struct rblkt_export *export,
			struct rblk_ioc_error *err)
{
	const struct rblkt_att *att;
	unsigned int nr = 0;
	const struct rblkt_sess *user = NULL;

	list_for_each_entry(att, &export->atts, node) {
		if (att->draining)
			continue;
		user = att->sess;
		nr++;
	}
	if (!nr)
		return 0;
	return rblkt_fail(err, RBLK_STAGE_BUSY, EBUSY,
			  user->peer.family == AF_INET6 ?
			  "export %s is attached by host %s (%pI6c)%s" :
			  "export %s is attached by host %s (%pI4)%s",
			  export->name, user->host_name, user->peer.addr,
			  nr > 1 ? " and others" : "");
}

/* Unlink @export and end its attachments; their I/O drains by itself. */
static void export_unlink(struct rblkt_export *export)
{
	struct rblkt_att *att;

	list_del_init(&export->node);
	list_for_each_entry(att, &export->atts, node) {
		if (att->draining)
			continue;
		rblkt_att_drain(att);
		rblkt_login_event(att->sess, RBLK_EVENT_REMOVED, att->handle);
	}
}

/**
 * rblkt_export_remove - the verb EXPORT_REMOVE
 * @arg: as copied from user space
 *
 * Waits a while for the backing device to be closed, so that it can usually be
 * used otherwise when the verb returns, but succeeds without.
 */
int rblkt_export_remove(struct rblkt_ioc_export_remove *arg)
{
	DECLARE_COMPLETION_ONSTACK(freed);
	struct rblk_ioc_error *err = &arg->error;
	struct rblkt_export *export;
	int ret = 0;

	if (arg->flags & ~RBLKT_REMOVE_FORCE ||
	    !memchr(arg->name, 0, sizeof(arg->name)) ||
	    memchr_inv(arg->reserved, 0, sizeof(arg->reserved)))
		return rblkt_fail(err, RBLK_STAGE_ARGUMENTS, EINVAL,
				  "unknown flags or reserved fields are set");
	mutex_lock(&rblkt_mutex);
	export = rblkt_export_find(arg->name);
	if (!export)
		ret = rblkt_fail(err, RBLK_STAGE_LOOKUP, ENOENT,
				 "there is no export %s", arg->name);
	else if (!(arg->flags & RBLKT_REMOVE_FORCE))
		ret = check_unused(export, err);
	if (!ret)
		export_unlink(export);
	mutex_unlock(&rblkt_mutex);
	if (ret)
		return ret;

	put_and_wait(export, &freed);
	return 0;
}
