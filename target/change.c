// SPDX-License-Identifier: GPL-2.0-only
/*
 * Changing an export while hosts have it attached: who may, whether they may
 * write, what it is called.
 *
 * What is granted to an attachment is granted for its life.  So a host that is to
 * have another right loses its attachment, as when the export is removed by
 * force, and asks for it again at once: it is refused, or granted what it may
 * have now, once its last I/O has ended.  Hosts that keep their rights notice
 * nothing.  A name matters at the first attach alone: who continues is known by
 * the export's UUID.
 */
#include <linux/bitops.h>
#include <linux/delay.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include "admin.h"

#define LOOK_MS		20
#define SET_PARTLY	(RBLKT_SET_ALLOW | RBLKT_SET_DENY)
#define SET_LIST	(RBLKT_SET_HOSTS | SET_PARTLY)

/* What an export is to become. */
struct wish {
	struct rblkt_export *export;		/* referenced */
	u32 flags;
	u8 (*asked)[RBLK_UUID_LEN];		/* as the verb gave them */
	u32 nr_hosts;				/* the list it is to have */
	u8 (*hosts)[RBLK_UUID_LEN];
	struct compat_bdev backing;		/* where it must be opened anew */
	bool withdrawn;				/* from somebody */
};

/* The RBLKT_EXPORT_* that a change is about. */
static u32 flags_set(u32 what)
{
	u32 flags = 0;

	if (what & RBLKT_SET_HOSTS)
		flags |= RBLKT_EXPORT_ALLOW_ANY;
	if (what & RBLKT_SET_READ_ONLY)
		flags |= RBLKT_EXPORT_READ_ONLY;
	if (what & RBLKT_SET_SHARED)
		flags |= RBLKT_EXPORT_SHARED;
	return flags;
}

/* Is nothing given of what is not to be changed? */
static bool only_what(const struct rblkt_ioc_export_set *arg)
{
	if (arg->flags & ~flags_set(arg->what))
		return false;
	if (!(arg->what & SET_LIST) && (arg->nr_hosts || arg->hosts))
		return false;
	/* A list is replaced, or added to, or taken from. */
	if (hweight32(arg->what & SET_LIST) > 1 ||
	    (arg->what & SET_PARTLY && !arg->nr_hosts))
		return false;
	return arg->what & RBLKT_SET_NAME ||
	       !memchr_inv(arg->new_name, 0, sizeof(arg->new_name));
}

static int check_set(struct rblkt_ioc_export_set *arg)
{
	struct rblk_ioc_error *err = &arg->error;

	if (arg->what & ~RBLKT_SET_ALL || !only_what(arg) ||
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

static bool makes_writable(const struct rblkt_export *export,
			   const struct rblkt_ioc_export_set *arg)
{
	return arg->what & RBLKT_SET_READ_ONLY &&
	       !(arg->flags & RBLKT_EXPORT_READ_ONLY) &&
	       export->flags & RBLKT_EXPORT_READ_ONLY;
}

/* Take the hosts over, and have room for the list that comes of them. */
static int take_hosts(struct wish *wish, struct rblkt_ioc_export_set *arg)
{
	void *hosts = rblkt_export_hosts(arg->hosts, arg->nr_hosts, &arg->error);

	if (IS_ERR(hosts))
		return PTR_ERR(hosts);
	if (!(arg->what & SET_PARTLY)) {
		wish->hosts = hosts;
		wish->nr_hosts = arg->nr_hosts;
		return 0;
	}
	wish->asked = hosts;
	wish->hosts = kcalloc(RBLK_MAX_HOSTS, sizeof(*wish->hosts), GFP_KERNEL);
	return wish->hosts ? 0 : rblkt_fail(&arg->error, RBLK_STAGE_ARGUMENTS, ENOMEM,
					    "out of memory");
}

/* Everything that may sleep for long. */
static int prepare(struct wish *wish, struct rblkt_ioc_export_set *arg)
{
	struct rblk_ioc_error *err = &arg->error;
	bool reopen = false;
	int ret;

	ret = take_hosts(wish, arg);
	if (ret)
		return ret;
	mutex_lock(&rblkt_mutex);
	wish->export = rblkt_export_find(arg->name);
	if (wish->export) {
		kref_get(&wish->export->ref);
		reopen = makes_writable(wish->export, arg);
	}
	mutex_unlock(&rblkt_mutex);
	if (!wish->export)
		return rblkt_fail(err, RBLK_STAGE_LOOKUP, ENOENT,
				  "there is no export %s", arg->name);
	return reopen ? rblkt_bdev_reopen(wish->export, &wish->backing, err) : 0;
}

static void drop(struct wish *wish)
{
	if (wish->backing.bdev)
		compat_bdev_close(&wish->backing);
	kfree(wish->asked);
	kfree(wish->hosts);
	if (wish->export)
		rblkt_export_put(wish->export);
}

/* Where @host is in the list that the export is to have; its length if nowhere. */
static u32 find_host(const struct wish *wish, const u8 *host)
{
	u32 i;

	for (i = 0; i < wish->nr_hosts; i++)
		if (!memcmp(wish->hosts[i], host, RBLK_UUID_LEN))
			break;
	return i;
}

static int allow_host(struct wish *wish, const u8 *host, struct rblk_ioc_error *err)
{
	if (find_host(wish, host) < wish->nr_hosts)
		return 0;
	if (wish->nr_hosts == RBLK_MAX_HOSTS)
		return rblkt_fail(err, RBLK_STAGE_ARGUMENTS, ENOSPC,
				  "an export's list has at most %u hosts",
				  RBLK_MAX_HOSTS);
	memcpy(wish->hosts[wish->nr_hosts++], host, RBLK_UUID_LEN);
	return 0;
}

static int deny_host(struct wish *wish, const u8 *host, struct rblk_ioc_error *err)
{
	u32 at = find_host(wish, host);

	if (at == wish->nr_hosts)
		return rblkt_fail(err, RBLK_STAGE_LOOKUP, ENOENT,
				  "host %pUb is not in the list of export %s", host,
				  wish->export->name);
	memmove(wish->hosts[at], wish->hosts[at + 1],
		(--wish->nr_hosts - at) * RBLK_UUID_LEN);
	return 0;
}

/* The list that the export has, with or without the hosts that were asked for. */
static int settle_list(struct wish *wish, struct rblkt_ioc_export_set *arg)
{
	const struct rblkt_export *export = wish->export;
	int ret = 0;
	u32 i;

	lockdep_assert_held(&rblkt_mutex);
	if (!(arg->what & SET_PARTLY))
		return 0;
	if (export->flags & RBLKT_EXPORT_ALLOW_ANY)
		return rblkt_fail(&arg->error, RBLK_STAGE_ARGUMENTS, EINVAL,
				  "export %s is for any host, so it has no list",
				  export->name);
	wish->nr_hosts = export->nr_hosts;
	memcpy(wish->hosts, export->hosts, export->nr_hosts * RBLK_UUID_LEN);
	for (i = 0; i < arg->nr_hosts && !ret; i++)
		ret = arg->what & RBLKT_SET_ALLOW ?
		      allow_host(wish, wish->asked[i], &arg->error) :
		      deny_host(wish, wish->asked[i], &arg->error);
	return ret;
}

/* May @host attach it once the wish is fulfilled? */
static bool allows(const struct wish *wish, const u8 *host, bool listed)
{
	if (!listed)
		return rblkt_export_allows(wish->export, host);
	return wish->flags & RBLKT_EXPORT_ALLOW_ANY ||
	       find_host(wish, host) < wish->nr_hosts;
}

/* Has @att what it then would not get? */
static bool loses(const struct wish *wish, const struct rblkt_att *att, bool listed)
{
	if (!allows(wish, att->sess->host, listed))
		return true;
	if (att->access & RBLK_ACCESS_SHARED && !(wish->flags & RBLKT_EXPORT_SHARED))
		return true;
	return att->access & RBLK_ACCESS_WRITE && !att->read_only &&
	       wish->flags & RBLKT_EXPORT_READ_ONLY;
}

/* Would @att get more? */
static bool gains(const struct wish *wish, const struct rblkt_att *att)
{
	return att->access & RBLK_ACCESS_WRITE && att->read_only &&
	       !(wish->flags & RBLKT_EXPORT_READ_ONLY);
}

static int check_losers(const struct wish *wish, bool listed,
			struct rblk_ioc_error *err)
{
	const struct rblkt_sess *loser = NULL;
	const struct rblkt_att *att;
	unsigned int nr = 0;

	list_for_each_entry(att, &wish->export->atts, node) {
		if (att->draining || !loses(wish, att, listed))
			continue;
		loser = att->sess;
		nr++;
	}
	return nr ? rblkt_export_in_use(wish->export, loser, nr, err) : 0;
}

/* Who may write again must not find that others have come meanwhile. */
static int check_gainers(const struct wish *wish, struct rblk_ioc_error *err)
{
	const struct rblkt_att *att, *other;

	list_for_each_entry(att, &wish->export->atts, node) {
		if (att->draining || !gains(wish, att))
			continue;
		list_for_each_entry(other, &wish->export->atts, node)
			if (other != att && !other->draining &&
			    rblkt_att_conflict(att->access, other->access))
				return rblkt_export_in_use(wish->export,
							   other->sess, 1, err);
	}
	return 0;
}

/* What happens at once for everybody. */
static void fulfil(struct wish *wish, const struct rblkt_ioc_export_set *arg)
{
	bool listed = arg->what & SET_LIST;
	struct rblkt_export *export = wish->export;
	struct rblkt_att *att;

	list_for_each_entry(att, &export->atts, node) {
		if (att->draining ||
		    !(loses(wish, att, listed) || gains(wish, att)))
			continue;
		rblkt_export_withdraw(att);
		wish->withdrawn = true;
	}
	export->flags = wish->flags;
	if (listed) {
		swap(export->hosts, wish->hosts);
		export->nr_hosts = wish->nr_hosts;
	}
	if (arg->what & RBLKT_SET_NAME)
		strscpy(export->name, arg->new_name, sizeof(export->name));
	if (wish->backing.bdev)
		swap(export->backing, wish->backing);
	export->wire_flags = rblkt_bdev_flags(export);
	pr_info("export %s%s%s: set to be %s%s, for %s\n", arg->name,
		arg->what & RBLKT_SET_NAME ? ", now " : "",
		arg->what & RBLKT_SET_NAME ? export->name : "",
		export->flags & RBLKT_EXPORT_READ_ONLY ? "read-only" : "writable",
		export->flags & RBLKT_EXPORT_SHARED ? " and shared" : "",
		export->flags & RBLKT_EXPORT_ALLOW_ANY ? "any host" : "its list of hosts");
}

static int decide(struct wish *wish, struct rblkt_ioc_export_set *arg)
{
	struct rblkt_export *export = wish->export;
	struct rblk_ioc_error *err = &arg->error;
	int ret;

	lockdep_assert_held(&rblkt_mutex);
	if (list_empty(&export->node) || strcmp(export->name, arg->name))
		return rblkt_fail(err, RBLK_STAGE_LOOKUP, ENOENT,
				  "export %s is not there any more", arg->name);
	if (makes_writable(export, arg) && !wish->backing.bdev)
		return rblkt_fail(err, RBLK_STAGE_BUSY, EBUSY,
				  "export %s is being changed by somebody else",
				  arg->name);
	if (arg->what & RBLKT_SET_NAME) {
		ret = rblkt_export_unique(arg->new_name, export->uuid, export,
					  err);
		if (ret)
			return ret;
	}
	wish->flags = (export->flags & ~flags_set(arg->what)) | arg->flags;
	ret = settle_list(wish, arg) ?: check_gainers(wish, err);
	if (!ret && !(arg->what & RBLKT_SET_FORCE))
		ret = check_losers(wish, arg->what & SET_LIST, err);
	if (!ret)
		fulfil(wish, arg);
	return ret;
}

/* Has all I/O under rights that were taken away ended? */
static bool drained(const struct rblkt_export *export)
{
	const struct rblkt_att *att;
	bool done = true;

	mutex_lock(&rblkt_mutex);
	list_for_each_entry(att, &export->atts, node)
		done = done && !att->draining;
	mutex_unlock(&rblkt_mutex);
	return done;
}

/* A device that hangs keeps its hosts waiting, but not the administrator. */
static void wait_drained(const struct rblkt_export *export)
{
	unsigned long until = jiffies + msecs_to_jiffies(RBLKT_WAIT_MS);

	while (!drained(export) && time_before(jiffies, until) &&
	       !signal_pending(current))
		msleep_interruptible(LOOK_MS);
}

/**
 * rblkt_change - the verb EXPORT_SET
 * @arg: as copied from user space
 */
int rblkt_change(struct rblkt_ioc_export_set *arg)
{
	struct wish wish = {};
	int ret;

	ret = check_set(arg);
	if (ret)
		return ret;
	ret = prepare(&wish, arg);
	if (!ret) {
		mutex_lock(&rblkt_mutex);
		ret = decide(&wish, arg);
		mutex_unlock(&rblkt_mutex);
	}
	if (wish.withdrawn)
		wait_drained(wish.export);
	drop(&wish);
	return ret;
}
