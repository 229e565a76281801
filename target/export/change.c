// SPDX-License-Identifier: GPL-2.0-only
/*
 * Changing an export while hosts have it attached: which hosts may attach it,
 * whether they may write or share, and its name.
 *
 * An attachment keeps the rights that it was granted for as long as it lives.
 * To change a host's rights the target withdraws the attachment, as when an
 * export is removed by force.  The host then asks for the export again.  The
 * target refuses, or grants the new rights once the host's last I/O has ended.
 * Hosts that keep their rights notice nothing.
 *
 * The name matters only at the first attach: a host that continues asks by the
 * export's UUID.
 */
#include <linux/bitops.h>
#include <linux/delay.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include "export.h"

#define SET_PARTLY	(RBLKT_SET_ALLOW | RBLKT_SET_DENY)
#define SET_LIST	(RBLKT_SET_HOSTS | SET_PARTLY)

/*
 * What an export is to become.  It lives on the stack of rblkt_change() and
 * owns what it points to.  change_apply() swaps its hosts and its backing device
 * with those of the export, so change_drop() then frees the former ones.
 */
struct export_change {
	struct rblkt_export *export;		/* referenced */
	u32 flags;
	struct rblk_ioc_host *asked;		/* to add to, take from the list */
	u32 nr_hosts;				/* in @hosts, the new list */
	struct rblk_ioc_host *hosts;
	struct compat_bdev backing;		/* opened anew, to write as well */
	bool withdrawn;				/* at least one attachment */
};

/* The RBLKT_EXPORT_* that RBLKT_SET_* in @what replace. */
static u32 change_flags(u32 what)
{
	u32 flags = 0;

	if (what & RBLKT_SET_HOSTS)
		flags |= RBLKT_EXPORT_ALLOW_ANY;
	if (what & RBLKT_SET_READ_ONLY)
		flags |= RBLKT_EXPORT_READ_ONLY;
	if (what & RBLKT_SET_SHARED)
		flags |= RBLKT_EXPORT_SHARED;
	if (what & RBLKT_SET_REALTIME)
		flags |= RBLKT_EXPORT_REALTIME;
	if (what & RBLKT_SET_INSECURE)
		flags |= RBLKT_EXPORT_INSECURE;
	return flags;
}

/* Does @arg give values only for the parts that it changes? */
static bool change_is_sound(const struct rblkt_ioc_export_set *arg)
{
	if (arg->flags & ~change_flags(arg->what))
		return false;
	if (!(arg->what & SET_LIST) && (arg->nr_hosts || arg->hosts))
		return false;
	/* A list is replaced, extended or shortened: one of the three. */
	if (hweight32(arg->what & SET_LIST) > 1 ||
	    (arg->what & SET_PARTLY && !arg->nr_hosts))
		return false;
	return arg->what & RBLKT_SET_NAME ||
	       !memchr_inv(arg->new_name, 0, sizeof(arg->new_name));
}

static int change_check(struct rblkt_ioc_export_set *arg)
{
	struct rblk_ioc_error *err = &arg->error;

	if (arg->what & ~RBLKT_SET_ALL || !change_is_sound(arg) ||
	    !memchr(arg->name, 0, sizeof(arg->name)) ||
	    memchr_inv(arg->reserved, 0, sizeof(arg->reserved)))
		return rblkt_fail(err, RBLK_STAGE_ARGUMENTS, EINVAL,
				  "unknown flags or reserved fields are set");
	if (arg->what & RBLKT_SET_NAME &&
	    !rblk_name_ok(arg->new_name))
		return rblkt_fail(err, RBLK_STAGE_ARGUMENTS, EINVAL,
				  "an export's name is " RBLK_NAME_RULE);
	return 0;
}

/* Does @arg make a read-only export writable? */
static bool change_makes_writable(const struct rblkt_export *export,
				  const struct rblkt_ioc_export_set *arg)
{
	return arg->what & RBLKT_SET_READ_ONLY &&
	       !(arg->flags & RBLKT_EXPORT_READ_ONLY) &&
	       export->flags & RBLKT_EXPORT_READ_ONLY;
}

/*
 * Copy the hosts from user space.  If they change the export's list, allocate
 * room for the longest list that can result, as its length is known only under
 * the mutex.
 */
static int change_take_hosts(struct export_change *change, struct rblkt_ioc_export_set *arg)
{
	void *hosts = rblkt_export_hosts(arg->hosts, arg->nr_hosts, &arg->error);

	if (IS_ERR(hosts))
		return PTR_ERR(hosts);
	if (!(arg->what & SET_PARTLY)) {
		change->hosts = hosts;
		change->nr_hosts = arg->nr_hosts;
		return 0;
	}
	change->asked = hosts;
	change->hosts = kcalloc(RBLK_MAX_HOSTS, sizeof(*change->hosts), GFP_KERNEL);
	return change->hosts ? 0 : rblkt_fail(&arg->error, RBLK_STAGE_ARGUMENTS, ENOMEM,
					      "out of memory");
}

/* Do everything that may sleep for long, before rblkt_mutex is taken. */
static int change_prepare(struct export_change *change, struct rblkt_ioc_export_set *arg)
{
	struct rblk_ioc_error *err = &arg->error;
	bool reopen = false;
	int ret;

	ret = change_take_hosts(change, arg);
	if (ret)
		return ret;
	mutex_lock(&rblkt_mutex);
	change->export = rblkt_export_find(arg->name);
	if (change->export) {
		kref_get(&change->export->ref);
		reopen = change_makes_writable(change->export, arg);
	}
	mutex_unlock(&rblkt_mutex);
	if (!change->export)
		return rblkt_fail(err, RBLK_STAGE_LOOKUP, ENOENT,
				  "there is no export %s", arg->name);
	return reopen ? rblkt_bdev_reopen(change->export, &change->backing, err) : 0;
}

static void change_drop(struct export_change *change)
{
	if (change->backing.bdev)
		compat_bdev_close(&change->backing);
	kfree(change->asked);
	kfree(change->hosts);
	if (change->export)
		rblkt_export_put(change->export);
}

/* The index of @host in the new list; the list's length if it is not there. */
static u32 change_find_host(const struct export_change *change,
			    const struct rblk_ioc_host *host)
{
	u32 i;

	for (i = 0; i < change->nr_hosts; i++)
		if (!memcmp(&change->hosts[i], host, sizeof(*host)))
			break;
	return i;
}

static int change_allow_host(struct export_change *change, const struct rblk_ioc_host *host,
			     struct rblk_ioc_error *err)
{
	if (change_find_host(change, host) < change->nr_hosts)
		return 0;
	if (change->nr_hosts == RBLK_MAX_HOSTS)
		return rblkt_fail(err, RBLK_STAGE_ARGUMENTS, ENOSPC,
				  "an export's list has at most %u hosts",
				  RBLK_MAX_HOSTS);
	change->hosts[change->nr_hosts++] = *host;
	return 0;
}

static int change_not_there(const struct export_change *change,
			    const struct rblk_ioc_host *host, struct rblk_ioc_error *err)
{
	if (!memchr_inv(host->key, 0, sizeof(host->key)))
		return rblkt_fail(err, RBLK_STAGE_LOOKUP, ENOENT,
				  "host %pUb is not in the list of export %s", host->uuid,
				  change->export->name);
	return rblkt_fail(err, RBLK_STAGE_LOOKUP, ENOENT,
			  "key %zu of those given is not in the list of export %s",
			  host - change->asked + 1, change->export->name);
}

static int change_deny_host(struct export_change *change, const struct rblk_ioc_host *host,
			    struct rblk_ioc_error *err)
{
	u32 at = change_find_host(change, host);

	if (at == change->nr_hosts)
		return change_not_there(change, host, err);
	memmove(&change->hosts[at], &change->hosts[at + 1],
		(--change->nr_hosts - at) * sizeof(*host));
	return 0;
}

/* Build the new list: the export's own, with or without the given hosts. */
static int change_settle_list(struct export_change *change, struct rblkt_ioc_export_set *arg)
{
	const struct rblkt_export *export = change->export;
	int ret = 0;
	u32 i;

	lockdep_assert_held(&rblkt_mutex);
	if (!(arg->what & SET_PARTLY))
		return 0;
	if (export->flags & RBLKT_EXPORT_ALLOW_ANY)
		return rblkt_fail(&arg->error, RBLK_STAGE_ARGUMENTS, EINVAL,
				  "export %s is for any host, so it has no list",
				  export->name);
	change->nr_hosts = export->nr_hosts;
	memcpy(change->hosts, export->hosts, export->nr_hosts * sizeof(*export->hosts));
	for (i = 0; i < arg->nr_hosts && !ret; i++)
		ret = arg->what & RBLKT_SET_ALLOW ?
		      change_allow_host(change, &change->asked[i], &arg->error) :
		      change_deny_host(change, &change->asked[i], &arg->error);
	return ret;
}

/* Does the list that there will be suit the flags that there will be? */
static int change_check_list(const struct export_change *change, bool listed,
			     struct rblk_ioc_error *err)
{
	const struct rblkt_export *export = change->export;

	return listed ? rblkt_export_check_hosts(change->flags, change->hosts, change->nr_hosts,
						 err) :
			rblkt_export_check_hosts(change->flags, export->hosts, export->nr_hosts,
						 err);
}

/*
 * May @who attach the export after the change?  @listed says that the change
 * is about the list of hosts.
 */
static bool change_allows(const struct export_change *change, const struct rblk_ioc_host *who,
			  bool listed)
{
	const struct rblkt_export *export = change->export;

	return listed ? rblkt_export_admits(change->flags, change->hosts, change->nr_hosts, who) :
			rblkt_export_admits(change->flags, export->hosts, export->nr_hosts, who);
}

/* Does @att hold a right that its host would not get after the change? */
static bool att_loses(const struct export_change *change, const struct rblkt_att *att, bool listed)
{
	if (!change_allows(change, &att->holder->who, listed))
		return true;
	if (att->access & RBLK_ACCESS_SHARED && !(change->flags & RBLKT_EXPORT_SHARED))
		return true;
	return att->access & RBLK_ACCESS_WRITE && !att->read_only &&
	       change->flags & RBLKT_EXPORT_READ_ONLY;
}

/* Would the host of @att get more after the change? */
static bool att_gains(const struct export_change *change, const struct rblkt_att *att)
{
	return att->access & RBLK_ACCESS_WRITE && att->read_only &&
	       !(change->flags & RBLKT_EXPORT_READ_ONLY);
}

/* Fail if the change takes a right from a host that has the export attached. */
static int change_check_losers(const struct export_change *change, bool listed,
			       struct rblk_ioc_error *err)
{
	const struct rblkt_holder *loser = NULL;
	const struct rblkt_att *att;
	unsigned int nr = 0;

	list_for_each_entry(att, &change->export->atts, node) {
		if (att->draining || !att_loses(change, att, listed))
			continue;
		loser = att->holder;
		nr++;
	}
	return nr ? rblkt_export_in_use(change->export, loser, nr, err) : 0;
}

/*
 * Fail if a host that gets the right to write back would conflict with another
 * host that has attached the export meanwhile.
 */
static int change_check_gainers(const struct export_change *change, struct rblk_ioc_error *err)
{
	const struct rblkt_att *att, *other;

	list_for_each_entry(att, &change->export->atts, node) {
		if (att->draining || !att_gains(change, att))
			continue;
		list_for_each_entry(other, &change->export->atts, node)
			if (other != att && !other->draining &&
			    rblkt_att_conflict(att->access, other->access) &&
			    !rblkt_att_siblings(att, other))
				return rblkt_export_in_use(change->export,
							   other->holder, 1, err);
	}
	return 0;
}

/* Apply the change, at once for all hosts. */
static void change_apply(struct export_change *change, const struct rblkt_ioc_export_set *arg)
{
	bool listed = arg->what & SET_LIST;
	struct rblkt_export *export = change->export;
	struct rblkt_att *att;

	list_for_each_entry(att, &export->atts, node) {
		if (att->draining ||
		    !(att_loses(change, att, listed) || att_gains(change, att)))
			continue;
		rblkt_export_withdraw(att);
		change->withdrawn = true;
	}
	WRITE_ONCE(export->flags, change->flags);
	if (listed) {
		swap(export->hosts, change->hosts);
		export->nr_hosts = change->nr_hosts;
	}
	if (arg->what & RBLKT_SET_NAME)
		strscpy(export->name, arg->new_name, sizeof(export->name));
	if (change->backing.bdev)
		swap(export->backing, change->backing);
	export->wire_flags = rblkt_bdev_flags(export);
	pr_info("export %s%s%s: set to be %s%s%s, for %s\n", arg->name,
		arg->what & RBLKT_SET_NAME ? ", now " : "",
		arg->what & RBLKT_SET_NAME ? export->name : "",
		export->flags & RBLKT_EXPORT_READ_ONLY ? "read-only" : "writable",
		export->flags & RBLKT_EXPORT_SHARED ? " and shared" : "",
		export->flags & RBLKT_EXPORT_REALTIME ? ", with real-time I/O" : "",
		export->flags & RBLKT_EXPORT_ALLOW_ANY ? "any host" : "its list of hosts");
}

/* Check the change against the export as it is now. */
static int change_decide(struct export_change *change, struct rblkt_ioc_export_set *arg)
{
	struct rblkt_export *export = change->export;
	struct rblk_ioc_error *err = &arg->error;
	int ret;

	lockdep_assert_held(&rblkt_mutex);
	if (list_empty(&export->node) || strcmp(export->name, arg->name))
		return rblkt_fail(err, RBLK_STAGE_LOOKUP, ENOENT,
				  "export %s is not there any more", arg->name);
	if (change_makes_writable(export, arg) && !change->backing.bdev)
		return rblkt_fail(err, RBLK_STAGE_BUSY, EBUSY,
				  "export %s is being changed by somebody else",
				  arg->name);
	if (arg->what & RBLKT_SET_NAME) {
		ret = rblkt_export_unique(arg->new_name, export->uuid, export,
					  err);
		if (ret)
			return ret;
	}
	change->flags = (export->flags & ~change_flags(arg->what)) | arg->flags;
	ret = change_settle_list(change, arg);
	ret = ret ?: change_check_list(change, arg->what & SET_LIST, err);
	ret = ret ?: change_check_gainers(change, err);
	if (!ret && !(arg->what & RBLKT_SET_FORCE))
		ret = change_check_losers(change, arg->what & SET_LIST, err);
	return ret;
}

/* The rights after the change, NULL if it takes none. */
static struct rblkt_rights *change_rights(const struct export_change *change,
					  const struct rblkt_ioc_export_set *arg)
{
	const struct rblkt_export *export = change->export;
	bool listed = arg->what & SET_LIST;
	const struct rblkt_admission then = {
		.flags = change->flags,
		.nr = listed ? change->nr_hosts : export->nr_hosts,
		.hosts = listed ? change->hosts : export->hosts,
	};

	return rblkt_revoke_next(export, &then);
}

/*
 * Carry the change out.  If it takes rights, that is on disk before it counts: a host
 * that loses an export must not come back to a target that has forgotten it.
 */
static int change_carry_out(struct export_change *change, struct rblkt_ioc_export_set *arg)
{
	struct rblkt_export *export = change->export;
	struct rblk_ioc_error ignored = {};
	struct rblkt_rights *next = NULL;
	int ret;

	mutex_lock(&rblkt_mutex);
	ret = change_decide(change, arg);
	if (!ret)
		next = change_rights(change, arg);
	if (!ret && !next)
		change_apply(change, arg);
	mutex_unlock(&rblkt_mutex);
	if (!next)
		return ret;
	if (IS_ERR(next))
		return rblkt_fail(&arg->error, RBLK_STAGE_ARGUMENTS, ENOMEM, "out of memory");
	ret = rblkt_revoke_keep(export, next, &arg->error);
	if (!ret) {
		mutex_lock(&rblkt_mutex);
		/* A host may have attached it meanwhile. */
		ret = change_decide(change, arg);
		if (!ret) {
			change_apply(change, arg);
			swap(export->rights, next);
		}
		mutex_unlock(&rblkt_mutex);
		/* Only this lock's owner changes @rights.  If it fails, too, a host is refused. */
		if (ret)
			rblkt_revoke_keep(export, export->rights, &ignored);
	}
	kfree(next);
	return ret;
}

/* Has all I/O of withdrawn attachments ended? */
static bool export_drained(const struct rblkt_export *export)
{
	const struct rblkt_att *att;
	bool done = true;

	mutex_lock(&rblkt_mutex);
	list_for_each_entry(att, &export->atts, node)
		done = done && !att->draining;
	mutex_unlock(&rblkt_mutex);
	return done;
}

/*
 * Wait for the I/O of withdrawn attachments, but not for ever: a device that
 * hangs keeps its hosts waiting, not the administrator.
 */
static void export_wait_drained(const struct rblkt_export *export)
{
	unsigned long until = jiffies + msecs_to_jiffies(RBLKT_WAIT_MS);

	while (!export_drained(export) && time_before(jiffies, until) &&
	       !signal_pending(current))
		msleep_interruptible(RBLKT_POLL_MS);
}

/**
 * rblkt_change - carry out the verb EXPORT_SET
 * @arg: copied from user space, and back after the call
 *
 * Either the whole change happens or nothing.
 *
 * Context: Process context; takes rblkt_mutex, opens the backing device, and
 * sleeps up to RBLKT_WAIT_MS for the I/O of hosts that lose their attachment.
 * Return: 0 or a negative errno with @arg->error filled in; -EFAULT without.
 */
int rblkt_change(struct rblkt_ioc_export_set *arg)
{
	struct export_change change = {};
	int ret;

	ret = change_check(arg);
	if (ret)
		return ret;
	ret = change_prepare(&change, arg);
	if (!ret) {
		rblkt_store_lock(change.export->uuid);
		ret = change_carry_out(&change, arg);
		rblkt_store_unlock(change.export->uuid);
	}
	if (change.withdrawn)
		export_wait_drained(change.export);
	change_drop(&change);
	return ret;
}
