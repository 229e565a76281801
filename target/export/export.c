// SPDX-License-Identifier: GPL-2.0-only
/*
 * Exports from their addition to their end: the verbs that add and remove them.
 *
 * An export is in the list from its addition to its removal.  References: the
 * list's, one for each attachment until that has drained, and that of a verb
 * that changes the export.  So after a removal the attachments that still drain
 * keep the export, and with it the open backing device and the module, until
 * their last bio has ended.
 */
#include <linux/delay.h>
#include <linux/idr.h>
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include "export.h"

static DEFINE_IDA(export_nrs);

static void export_free_work(struct work_struct *work)
{
	struct rblkt_export *export = container_of(work, struct rblkt_export,
						   free_work);

	if (export->backing.bdev)
		compat_bdev_close(&export->backing);
	mutex_lock(&rblkt_mutex);
	list_del(&export->every);
	if (export->freed)
		complete(export->freed);
	mutex_unlock(&rblkt_mutex);
	rblkt_stat_clear(export);
	rblkt_cgroup_leave(export);
	kvfree(export->resv);
	kfree(export->rights);
	kfree(export->hosts);
	ida_free(&export_nrs, export->nr);
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
 * @export: a work item closes its device and frees it after the last reference
 *
 * Context: Any.
 */
void rblkt_export_put(struct rblkt_export *export)
{
	kref_put(&export->ref, export_release);
}

static int export_check_add(struct rblkt_ioc_export_add *arg)
{
	struct rblk_ioc_error *err = &arg->error;
	u32 stage = RBLK_STAGE_ARGUMENTS;

	if (arg->flags & ~RBLKT_EXPORT_ALL ||
	    (arg->cgroup_fd && !(arg->flags & RBLKT_EXPORT_CGROUP)) ||
	    memchr_inv(arg->reserved2, 0, sizeof(arg->reserved2)))
		return rblkt_fail(err, stage, EINVAL,
				  "unknown flags or reserved fields are set");
	if (!rblk_name_ok(arg->name))
		return rblkt_fail(err, stage, EINVAL,
				  "an export's name is " RBLK_NAME_RULE);
	if (!memchr(arg->path, 0, sizeof(arg->path)) || arg->path[0] != '/')
		return rblkt_fail(err, stage, EINVAL,
				  "the backing device is not an absolute path");
	if (!memchr_inv(arg->uuid, 0, sizeof(arg->uuid)))
		return rblkt_fail(err, stage, EINVAL,
				  "the export's UUID is all zeroes");
	return 0;
}

/**
 * rblkt_export_unique - check that no other export has a name or UUID
 * @name: the name
 * @uuid: the UUID
 * @except: the export that may have them, or NULL
 * @err: filled in on failure
 *
 * Context: Process context, with rblkt_mutex held.
 * Return: 0 or -EEXIST.
 */
int rblkt_export_unique(const char *name, const u8 *uuid,
			const struct rblkt_export *except,
			struct rblk_ioc_error *err)
{
	struct rblkt_export *export;

	lockdep_assert_held(&rblkt_mutex);
	list_for_each_entry(export, &rblkt_exports, node) {
		if (export == except)
			continue;
		if (!strcmp(export->name, name))
			return rblkt_fail(err, RBLK_STAGE_LOOKUP, EEXIST,
					  "there is an export %s already, backed by %s",
					  export->name, export->path);
		if (!memcmp(export->uuid, uuid, RBLK_UUID_LEN))
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
	export->resv = kvzalloc(sizeof(*export->resv), GFP_KERNEL);
	if (!export->resv)
		goto free;
	export->nr = ida_alloc(&export_nrs, GFP_KERNEL);
	if (export->nr < 0)
		goto free;
	kref_init(&export->ref);
	INIT_LIST_HEAD(&export->node);
	INIT_LIST_HEAD(&export->every);
	INIT_LIST_HEAD(&export->atts);
	INIT_LIST_HEAD(&export->tallies);
	INIT_WORK(&export->free_work, export_free_work);
	strscpy(export->name, arg->name, sizeof(export->name));
	strscpy(export->path, arg->path, sizeof(export->path));
	memcpy(export->uuid, arg->uuid, sizeof(export->uuid));
	export->flags = arg->flags & ~RBLKT_EXPORT_FORGET;
	export->nr_hosts = arg->nr_hosts;
	__module_get(THIS_MODULE);
	return export;
free:
	kvfree(export->resv);
	kfree(export);
	return NULL;
}

/**
 * rblkt_export_hosts - copy and check a list of hosts from user space
 * @from: pointer to struct rblk_ioc_host
 * @nr: how many
 * @err: filled in on failure, except for -EFAULT
 *
 * Context: Process context; may sleep.
 * Return: a copy, to be freed by kfree(); NULL if @nr is 0; or an ERR_PTR().
 */
void *rblkt_export_hosts(u64 from, u32 nr, struct rblk_ioc_error *err)
{
	struct rblk_ioc_host *hosts;
	u32 i, j;

	if (nr > RBLK_MAX_HOSTS || (nr && !from))
		return ERR_PTR(rblkt_fail(err, RBLK_STAGE_ARGUMENTS, EINVAL,
					  "an export's list has at most %u hosts",
					  RBLK_MAX_HOSTS));
	if (!nr)
		return NULL;
	hosts = memdup_user(u64_to_user_ptr(from), nr * sizeof(*hosts));
	if (IS_ERR(hosts)) {
		if (PTR_ERR(hosts) == -ENOMEM)
			rblkt_fail(err, RBLK_STAGE_ARGUMENTS, ENOMEM,
				   "out of memory");
		return hosts;
	}
	for (i = 0; i < nr; i++) {
		/* Once each: taking a host out of a list removes one entry. */
		for (j = 0; j < i; j++)
			if (!memcmp(&hosts[i], &hosts[j], sizeof(*hosts)))
				goto bad;
		if (!memchr_inv(hosts[i].uuid, 0, RBLK_UUID_LEN) ==
		    !memchr_inv(hosts[i].key, 0, RBLK_KEY_LEN))
			goto bad;
	}
	return hosts;

bad:
	kfree(hosts);
	return ERR_PTR(rblkt_fail(err, RBLK_STAGE_ARGUMENTS, EINVAL,
				  "a host is in the list twice, or has not one of UUID and key"));
}

/**
 * rblkt_export_check_hosts - refuse a list that names hosts by what proves nothing
 * @flags: RBLKT_EXPORT_* of the export
 * @hosts: its list
 * @nr: how many
 * @err: filled in on failure
 *
 * Context: Any.
 * Return: 0 or -EINVAL.
 */
int rblkt_export_check_hosts(u32 flags, const struct rblk_ioc_host *hosts, u32 nr,
			     struct rblk_ioc_error *err)
{
	u32 i;

	if (flags & RBLKT_EXPORT_INSECURE)
		return 0;
	for (i = 0; i < nr; i++)
		if (memchr_inv(hosts[i].uuid, 0, RBLK_UUID_LEN))
			return rblkt_fail(err, RBLK_STAGE_ARGUMENTS, EINVAL,
					  "a host in the list has a UUID, and the export is not insecure");
	return 0;
}

/*
 * Drop a reference and wait until @until for the last one, so that the backing
 * device is usually free for other uses when the verb returns.  The verb has
 * done its work by then, so a signal ends the wait without a failure.
 */
static void export_put_and_wait(struct rblkt_export *export, struct completion *freed,
				unsigned long until)
{
	unsigned long wait = time_before(jiffies, until) ? until - jiffies : 0;

	mutex_lock(&rblkt_mutex);
	export->freed = freed;
	mutex_unlock(&rblkt_mutex);
	rblkt_export_put(export);
	if (wait_for_completion_interruptible_timeout(freed, wait) > 0)
		return;
	mutex_lock(&rblkt_mutex);
	/* Not freed yet: export_free_work() needs the mutex that we hold. */
	if (!completion_done(freed))
		export->freed = NULL;
	mutex_unlock(&rblkt_mutex);
}

/*
 * An export that was removed keeps its UUID until the last I/O of its hosts has ended.  The
 * one in its place would know nothing of that I/O, and let other hosts write before it.  The
 * device does not tell: two loop devices may have the same file.
 */
static int export_check_lingering(const u8 *uuid, struct rblk_ioc_error *err)
{
	struct rblkt_export *export;

	list_for_each_entry(export, &rblkt_exports_all, every)
		if (list_empty(&export->node) && !list_empty(&export->atts) &&
		    !memcmp(export->uuid, uuid, RBLK_UUID_LEN))
			return rblkt_fail(err, RBLK_STAGE_BUSY, EBUSY,
					  "export %s with this UUID was removed, and I/O has not ended in %s",
					  export->name, export->path);
	return 0;
}

/* May it come into the registry?  With rblkt_mutex. */
static int export_admit(struct rblkt_ioc_export_add *arg)
{
	int ret = rblkt_export_unique(arg->name, arg->uuid, NULL, &arg->error);

	return ret ? ret : export_check_lingering(arg->uuid, &arg->error);
}

static int export_admit_early(struct rblkt_ioc_export_add *arg)
{
	int ret;

	mutex_lock(&rblkt_mutex);
	ret = export_admit(arg);
	mutex_unlock(&rblkt_mutex);
	return ret;
}

/* Enter @export into the registry.  Afterwards other verbs may free it. */
static int export_enter(struct rblkt_export *export, struct rblkt_ioc_export_add *arg)
{
	struct rblk_ioc_error *err = &arg->error;
	int ret;

	/* Until it is in there nobody else reads or writes the record of its UUID. */
	rblkt_store_lock(arg->uuid);
	ret = export_admit_early(arg);
	if (!ret)
		ret = rblkt_tenure_load(export, arg->flags & RBLKT_EXPORT_FORGET, err);
	if (!ret)
		ret = rblkt_record_load(export, arg->flags & RBLKT_EXPORT_FORGET, err);
	if (!ret)
		ret = rblkt_revoke_load(export, arg->flags & RBLKT_EXPORT_FORGET, err);
	if (!ret) {
		mutex_lock(&rblkt_mutex);
		ret = export_admit(arg);
		if (!ret) {
			list_add_tail(&export->node, &rblkt_exports);
			list_add_tail(&export->every, &rblkt_exports_all);
		}
		mutex_unlock(&rblkt_mutex);
	}
	rblkt_store_unlock(arg->uuid);
	return ret;
}

/**
 * rblkt_export_add - carry out the verb EXPORT_ADD
 * @arg: copied from user space, and back after the call
 *
 * Context: Process context; takes rblkt_mutex, may sleep.
 * Return: 0 or a negative errno with @arg->error filled in; -EFAULT without.
 */
int rblkt_export_add(struct rblkt_ioc_export_add *arg)
{
	DECLARE_COMPLETION_ONSTACK(freed);
	struct rblk_ioc_error *err = &arg->error;
	struct rblkt_export *export;
	void *hosts;
	int ret;

	ret = export_check_add(arg);
	if (!ret)
		ret = export_admit_early(arg);
	if (ret)
		return ret;

	export = export_new(arg);
	if (!export)
		return rblkt_fail(err, RBLK_STAGE_BACKING, ENOMEM,
				  "out of memory");
	hosts = rblkt_export_hosts(arg->hosts, arg->nr_hosts, err);
	ret = PTR_ERR_OR_ZERO(hosts);
	if (ret)
		goto put;
	export->hosts = hosts;
	ret = rblkt_export_check_hosts(arg->flags, hosts, arg->nr_hosts, err);
	if (!ret && arg->flags & RBLKT_EXPORT_CGROUP)
		ret = rblkt_cgroup_join(export, arg->cgroup_fd, err);
	if (!ret)
		ret = rblkt_bdev_open(export, err);
	if (!ret)
		ret = export_enter(export, arg);
	if (!ret) {
		pr_info("export %s: %s offered\n", arg->name, arg->path);
		return 0;
	}
put:
	export_put_and_wait(export, &freed, jiffies + msecs_to_jiffies(RBLKT_WAIT_MS));
	return ret;
}

/*
 * Fail if @export is attached, and name a host that has it.  Fail by -EAGAIN if only I/O of
 * a host that had it has not ended: nothing could come in its place then.
 */
static int export_check_unused(const struct rblkt_export *export,
			       struct rblk_ioc_error *err)
{
	const struct rblkt_att *att;
	unsigned int nr = 0;
	const struct rblkt_holder *user = NULL;

	list_for_each_entry(att, &export->atts, node) {
		if (att->draining)
			continue;
		user = att->holder;
		nr++;
	}
	if (nr)
		return rblkt_export_in_use(export, user, nr, err);
	if (list_empty(&export->atts))
		return 0;
	rblkt_fail(err, RBLK_STAGE_BACKING, EBUSY,
		   "I/O of a host that had export %s has not ended in %s",
		   export->name, export->path);
	return -EAGAIN;
}

/**
 * rblkt_export_in_use - report that an export is attached
 * @export: the export
 * @user: one of the sessions that have it
 * @nr: how many there are
 * @err: filled in
 *
 * Context: Process context, with rblkt_mutex held.
 * Return: -EBUSY.
 */
int rblkt_export_in_use(const struct rblkt_export *export,
			const struct rblkt_holder *user, unsigned int nr,
			struct rblk_ioc_error *err)
{
	return rblkt_fail(err, RBLK_STAGE_BUSY, EBUSY,
			  user->peer.family == AF_INET6 ?
			  "export %s is attached by host %s (%pI6c)%s" :
			  "export %s is attached by host %s (%pI4)%s",
			  export->name, user->host_name, user->peer.addr,
			  nr > 1 ? " and others" : "");
}

/**
 * rblkt_export_drain - let a host begin no more I/O on an export
 * @att: not draining yet
 *
 * I/O that is under way ends by itself and is answered, or is answered with HELD
 * when it takes too long.  Commands that still wait in a connection for chunks or
 * slots are answered with GONE.
 *
 * Context: Process context, with rblkt_mutex held; does not wait.
 */
void rblkt_export_drain(struct rblkt_att *att)
{
	rblkt_drain_begin(att);
	att->holder->ops->purge(att->holder);
}

/**
 * rblkt_export_withdraw - take an export away from a host that has it attached
 * @att: not draining yet; still in its session's table
 *
 * The target drains the attachment and tells the host.  The host holds its I/O
 * and asks for the export again.
 *
 * Context: Process context, with rblkt_mutex held; does not wait.
 */
void rblkt_export_withdraw(struct rblkt_att *att)
{
	rblkt_export_drain(att);
	att->holder->ops->event(att, RBLK_EVENT_REMOVED);
}

/* Unlink @export and withdraw it from all hosts. */
static void export_unlink(struct rblkt_export *export)
{
	struct rblkt_att *att;

	list_del_init(&export->node);
	list_for_each_entry(att, &export->atts, node)
		if (!att->draining)
			rblkt_export_withdraw(att);
}

/* Unlink the export of that name, if it may be removed; else as export_check_unused(). */
static int export_take_out(const struct rblkt_ioc_export_remove *arg,
			   struct rblk_ioc_error *err, struct rblkt_export **export)
{
	int ret = 0;

	mutex_lock(&rblkt_mutex);
	*export = rblkt_export_find(arg->name);
	if (!*export)
		ret = rblkt_fail(err, RBLK_STAGE_LOOKUP, ENOENT,
				 "there is no export %s", arg->name);
	else if (!(arg->flags & RBLKT_REMOVE_FORCE))
		ret = export_check_unused(*export, err);
	if (!ret)
		export_unlink(*export);
	mutex_unlock(&rblkt_mutex);
	return ret;
}

/**
 * rblkt_export_remove - carry out the verb EXPORT_REMOVE
 * @arg: copied from user space, and back after the call
 *
 * Except by force, waits for I/O of hosts that had the export, and fails if some does not
 * end.  Then waits until the backing device is closed, so that it is usually free for
 * other uses when the verb returns, but succeeds without.
 *
 * Context: Process context; takes rblkt_mutex, sleeps up to RBLKT_WAIT_MS.
 * Return: 0 or a negative errno with @arg->error filled in.
 */
int rblkt_export_remove(struct rblkt_ioc_export_remove *arg)
{
	unsigned long until = jiffies + msecs_to_jiffies(RBLKT_WAIT_MS);
	DECLARE_COMPLETION_ONSTACK(freed);
	struct rblkt_export *export;
	int ret;

	if (arg->flags & ~RBLKT_REMOVE_FORCE ||
	    !memchr(arg->name, 0, sizeof(arg->name)) ||
	    memchr_inv(arg->reserved, 0, sizeof(arg->reserved)))
		return rblkt_fail(&arg->error, RBLK_STAGE_ARGUMENTS, EINVAL,
				  "unknown flags or reserved fields are set");
	for (;;) {
		ret = export_take_out(arg, &arg->error, &export);
		if (ret != -EAGAIN || time_after(jiffies, until) || signal_pending(current))
			break;
		msleep_interruptible(RBLKT_POLL_MS);
	}
	if (ret)
		return ret == -EAGAIN ? -EBUSY : ret;
	memset(&arg->error, 0, sizeof(arg->error));
	export_put_and_wait(export, &freed, until);
	return 0;
}
