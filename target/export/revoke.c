// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rights that are taken: by a change of an export, and by a fence.
 *
 * A host that is cut off or frozen may hold writes for hours.  If it loses an export
 * meanwhile, and gets it back, these writes must not land any more: others may have
 * written.  The tenure sees to that for exclusive access.  Hosts that share an export
 * expect other writers, and nobody knows whether there were any.  So a host that shares
 * it is refused for good if it has lost its right since: see rights.c.
 *
 * A fence takes a host's right to all exports, those that come later too, and stands
 * until somebody takes it down, over restarts as well.
 *
 * An export that is removed and added again may have lost hosts on the way.  So whoever is
 * not in its list when it is added has no right to it any more.
 *
 * Both are on disk before they count, where the target keeps tenures.
 */
#include <linux/random.h>
#include <linux/slab.h>
#include "export.h"
#include "../../auth/auth.h"

static const u8 fences_uuid[RBLK_UUID_LEN];	/* the table is of no export */

/*
 * Whoever reads or writes the file has this lock, outside rblkt_mutex: a disk may take its
 * time.  It is inside of an export's rblkt_store_lock(), which might be the same one for
 * the zero UUID.
 */
static DEFINE_MUTEX(fences_lock);
static u64 fences_serial;			/* guarded by fences_lock */
static bool fences_kept;			/* likewise */
static struct rblkt_rights *fences;		/* changes under both */

/**
 * rblkt_host_id - what tells a host of an access list from others
 * @id: set to what struct rblkt_holder has as @host
 * @who: its key or UUID
 *
 * Context: Any.
 */
void rblkt_host_id(u8 id[RBLK_UUID_LEN], const struct rblk_ioc_host *who)
{
	if (rblkt_host_proven(who))
		rblk_auth_host_id(id, who->key);
	else
		memcpy(id, who->uuid, RBLK_UUID_LEN);
}

static int fences_read(void)
{
	struct rblkt_rights *loaded;
	int ret;

	lockdep_assert_held(&fences_lock);
	if (fences_kept)
		return 0;
	ret = rblkt_store_has_dir();
	if (ret <= 0)
		return ret;
	loaded = rblkt_rights_load(fences_uuid, &fences_serial);
	if (IS_ERR(loaded))
		return PTR_ERR(loaded);
	mutex_lock(&rblkt_mutex);
	fences = loaded;
	mutex_unlock(&rblkt_mutex);
	fences_kept = true;
	return 0;
}

static int fences_load(struct rblk_ioc_error *err)
{
	int ret = fences_read();

	return ret ? rblkt_fail(err, RBLK_STAGE_BACKING, -ret,
				"who is fenced can't be read in %s/%pUb.rights",
				rblkt_store_dir_name(), fences_uuid) : 0;
}

/**
 * rblkt_fence_load - find out who was fenced before the module was loaded
 * @err: filled in on failure
 *
 * Context: Process context, without rblkt_mutex; may sleep, as long as a disk may.
 * Return: 0, also if nothing is kept, or a negative errno.
 */
int rblkt_fence_load(struct rblk_ioc_error *err)
{
	int ret;

	mutex_lock(&fences_lock);
	ret = fences_load(err);
	mutex_unlock(&fences_lock);
	return ret;
}

/**
 * rblkt_revoke_right - the right of a host to an export
 * @export: the export
 * @holder: the host
 *
 * Context: Process context, with rblkt_mutex held.
 * Return: another number after each time that it was taken, 0 if it never was.
 */
u64 rblkt_revoke_right(const struct rblkt_export *export, const struct rblkt_holder *holder)
{
	bool proven = rblkt_host_proven(&holder->who);

	lockdep_assert_held(&rblkt_mutex);
	return rblkt_rights_of(export->rights, holder->host, proven) +
	       rblkt_rights_of(fences, holder->host, proven);
}

/* A table has room for hosts that are not fenced: those of an export never are. */
static void revoke_host(struct rblkt_rights *next, const u8 *id, bool proven)
{
	rblkt_rights_revoke(next, id)->proven = proven;
}

/* Does a list have the host? */
static bool revoke_spares(const struct rblkt_admission *then, const u8 *host)
{
	u8 id[RBLK_UUID_LEN];
	u32 i;

	for (i = 0; i < then->nr; i++) {
		rblkt_host_id(id, &then->hosts[i]);
		if (!memcmp(id, host, RBLK_UUID_LEN))
			return true;
	}
	return false;
}

/* Take the right of all hosts that are in the first list and not admitted by the second. */
static void revoke_listed(struct rblkt_rights *next, const struct rblkt_export *export,
			  const struct rblkt_admission *then)
{
	u8 id[RBLK_UUID_LEN];
	u32 i;

	for (i = 0; i < export->nr_hosts; i++) {
		if (rblkt_export_admits(then->flags, then->hosts, then->nr, &export->hosts[i]))
			continue;
		rblkt_host_id(id, &export->hosts[i]);
		revoke_host(next, id, rblkt_host_proven(&export->hosts[i]));
	}
}

/*
 * An export that was for any host has a list now, or wants keys.  Nobody knows who had
 * it.  So all of that kind lose their right but those in the list, who keep it.
 */
static void revoke_others(struct rblkt_rights *next, const struct rblkt_admission *then,
			  bool proven)
{
	u8 id[RBLK_UUID_LEN];
	u32 i;

	/* In place, as those who lose it at the same time have no order. */
	for (i = 0; i < next->nr; i++)
		if (next->list[i].proven == proven && !revoke_spares(then, next->list[i].host))
			next->list[i].right = get_random_u64() | 1;
	for (i = 0; i < then->nr; i++) {
		if (rblkt_host_proven(&then->hosts[i]) != proven)
			continue;
		rblkt_host_id(id, &then->hosts[i]);
		rblkt_rights_add(next, id, next->other[proven])->proven = proven;
	}
	next->other[proven] = get_random_u64() | 1;
}

/* Whoever shared the export shares it no more, and an exclusive writer may come. */
static struct rblkt_rights *revoke_all(const struct rblkt_export *export)
{
	static const struct rblkt_admission nobody;
	struct rblkt_rights *next = rblkt_rights_copy(export->rights);
	int i;

	for (i = 0; next && i < 2; i++)
		revoke_others(next, &nobody, i);
	return next ?: ERR_PTR(-ENOMEM);
}

static bool admits_any(u32 flags, bool proven)
{
	return flags & RBLKT_EXPORT_ALLOW_ANY && (proven || flags & RBLKT_EXPORT_INSECURE);
}

/*
 * An export that comes, perhaps back, with a list: all that are not in it have lost their
 * right, as nobody knows who had it before.  They lose it again each time that it comes,
 * so no record is needed for that.  Without one, hosts that are let in later have to attach
 * anew after the next time.
 */
static int revoke_strangers(struct rblkt_export *export)
{
	const struct rblkt_admission now = {
		.flags = export->flags, .nr = export->nr_hosts, .hosts = export->hosts,
	};
	struct rblkt_rights *next;
	int i, ret;

	next = rblkt_rights_copy(export->rights);
	if (!next)
		return -ENOMEM;
	for (i = 0; i < 2; i++)
		if (!admits_any(export->flags, i))
			revoke_others(next, &now, i);
	ret = rblkt_rights_store(next, export->uuid, &export->rights_serial);
	if (ret)
		pr_warn("export %s: %s can't record whose right it is: error %d\n",
			export->name, rblkt_store_dir_name(), ret);
	swap(export->rights, next);
	kfree(next);
	return 0;
}

/**
 * rblkt_revoke_load - find out whose rights were taken before the module was loaded
 * @export: not in the registry yet, with its tenure loaded
 * @forget: begin anew with this export; hosts that are fenced stay so
 * @err: filled in on failure
 *
 * Context: Process context, with rblkt_store_lock(), without rblkt_mutex.
 * Return: 0, also if nothing is kept, or a negative errno.
 */
int rblkt_revoke_load(struct rblkt_export *export, bool forget, struct rblk_ioc_error *err)
{
	struct rblkt_rights *loaded = NULL;
	int ret = rblkt_fence_load(err);
	u32 i;

	if (ret || !export->stored.kept)
		return ret;
	loaded = rblkt_rights_load(export->uuid, &export->rights_serial);
	/* What is damaged is written anew from the start. */
	if (IS_ERR(loaded) && forget && PTR_ERR(loaded) == -EUCLEAN)
		loaded = rblkt_rights_copy(NULL);
	if (!IS_ERR_OR_NULL(loaded) && forget) {
		memset(loaded, 0, sizeof(*loaded));
		ret = rblkt_rights_store(loaded, export->uuid, &export->rights_serial);
	}
	/* The file may be a bad copy: only the table of fences has any. */
	for (i = 0; !IS_ERR_OR_NULL(loaded) && i < loaded->nr; i++)
		loaded->list[i].fenced = false;
	if (IS_ERR(loaded))
		ret = PTR_ERR(loaded);
	else
		export->rights = loaded;
	if (!ret && !forget)
		ret = revoke_strangers(export);
	if (ret)
		return rblkt_fail(err, RBLK_STAGE_BACKING, -ret,
				  "whose right was taken can't be read or written in %s/%pUb.rights",
				  rblkt_store_dir_name(), export->uuid);
	return 0;
}

/**
 * rblkt_revoke_next - the rights after a change of who may attach an export
 * @export: the export as it is
 * @then: who may attach it after the change
 *
 * Context: Process context, with rblkt_mutex held; may sleep.
 * Return: the table for rblkt_revoke_keep(), NULL if nobody loses the export, or
 *	   ERR_PTR(-ENOMEM).
 */
struct rblkt_rights *rblkt_revoke_next(const struct rblkt_export *export,
				       const struct rblkt_admission *then)
{
	bool any = export->flags & RBLKT_EXPORT_ALLOW_ANY, change = false;
	struct rblkt_rights *next;
	u32 i;

	lockdep_assert_held(&rblkt_mutex);
	if (export->flags & ~then->flags & RBLKT_EXPORT_SHARED)
		return revoke_all(export);
	for (i = 0; !any && i < export->nr_hosts; i++)
		change |= !rblkt_export_admits(then->flags, then->hosts, then->nr,
					       &export->hosts[i]);
	for (i = 0; i < 2; i++)
		change |= admits_any(export->flags, i) && !admits_any(then->flags, i);
	if (!change)
		return NULL;
	next = rblkt_rights_copy(export->rights);
	if (!next)
		return ERR_PTR(-ENOMEM);
	if (!any)
		revoke_listed(next, export, then);
	for (i = 0; i < 2; i++)
		if (admits_any(export->flags, i) && !admits_any(then->flags, i))
			revoke_others(next, then, i);
	return next;
}

/**
 * rblkt_revoke_keep - write an export's rights down
 * @export: the export
 * @rights: the table, or NULL for one that is empty
 * @err: filled in on failure
 *
 * Context: Process context, with rblkt_store_lock(), without rblkt_mutex.
 * Return: 0, also if nothing is kept, or a negative errno.
 */
int rblkt_revoke_keep(struct rblkt_export *export, const struct rblkt_rights *rights,
		      struct rblk_ioc_error *err)
{
	int ret;

	if (!export->stored.kept)
		return 0;
	ret = rblkt_rights_store(rights, export->uuid, &export->rights_serial);
	if (ret)
		return rblkt_fail(err, RBLK_STAGE_BACKING, -ret,
				  "whose right is taken can't be written in %s/%pUb.rights, so nothing has changed",
				  rblkt_store_dir_name(), export->uuid);
	return 0;
}

/**
 * rblkt_fence_stands - is a host fenced?
 * @host: as in struct rblkt_holder
 *
 * Context: Process context, with rblkt_mutex held.
 * Return: true if it may have no export.
 */
bool rblkt_fence_stands(const u8 *host)
{
	const struct rblkt_right *right;

	lockdep_assert_held(&rblkt_mutex);
	right = rblkt_rights_entry(fences, host);
	return right && right->fenced;
}

static int fence_change(struct rblkt_rights *next, const struct rblkt_fencing *fencing)
{
	struct rblkt_right *right = rblkt_rights_entry(next, fencing->host);

	if (!fencing->up) {
		right->fenced = false;
		return 0;
	}
	right = rblkt_rights_revoke(next, fencing->host);
	if (!right)
		return -ENOSPC;
	right->fenced = true;
	strscpy(right->name, fencing->name, sizeof(right->name));
	memcpy(right->key, fencing->key, sizeof(right->key));
	return 0;
}

/* With fences_lock held.  A fence that would not outlive the module is none. */
static int fence_keep(const struct rblkt_rights *next, bool up, struct rblk_ioc_error *err)
{
	int ret;

	if (!fences_kept)
		return up ? rblkt_fail(err, RBLK_STAGE_BACKING, ENOENT,
				       "there is no directory %s to keep a fence in",
				       rblkt_store_dir_name()) : 0;
	ret = rblkt_rights_store(next, fences_uuid, &fences_serial);
	return ret ? rblkt_fail(err, RBLK_STAGE_BACKING, -ret,
				"who is fenced can't be written in %s/%pUb.rights, so nothing has changed",
				rblkt_store_dir_name(), fences_uuid) : 0;
}

/* A fence that was put up without the host's key gets it, so that it is found by that. */
static bool fence_is_so(const struct rblkt_fencing *fencing)
{
	const struct rblkt_right *right;

	lockdep_assert_held(&fences_lock);
	right = rblkt_rights_entry(fences, fencing->host);
	if (!fencing->up || !right || !right->fenced)
		return fencing->up == (right && right->fenced);
	return !memchr_inv(fencing->key, 0, sizeof(fencing->key)) ||
	       !memcmp(right->key, fencing->key, sizeof(right->key));
}

static int fences_change(const struct rblkt_fencing *fencing, struct rblk_ioc_error *err)
{
	struct rblkt_rights *next;
	int ret;

	if (fence_is_so(fencing))
		return 0;
	/* Only who has fences_lock changes the table: to read it, that is enough. */
	next = rblkt_rights_copy(fences);
	if (!next)
		return rblkt_fail(err, RBLK_STAGE_BACKING, ENOMEM, "out of memory");
	ret = fence_change(next, fencing);
	if (ret)
		ret = rblkt_fail(err, RBLK_STAGE_BACKING, ENOSPC, "%u hosts are fenced already",
				 RBLKT_MAX_RIGHTS);
	else
		ret = fence_keep(next, fencing->up, err);
	if (!ret) {
		mutex_lock(&rblkt_mutex);
		swap(fences, next);
		mutex_unlock(&rblkt_mutex);
	}
	kfree(next);
	return ret;
}

/**
 * rblkt_fence_set - fence a host, or take its fence down
 * @fencing: which host, and what
 * @err: filled in on failure
 *
 * When this returns the host attaches nothing more.  What it has attached is not
 * touched.  A fence that is as it should be already is left alone.
 *
 * Context: Process context; takes rblkt_mutex, may sleep, as long as a disk may.
 * Return: 0 or a negative errno.
 */
int rblkt_fence_set(const struct rblkt_fencing *fencing, struct rblk_ioc_error *err)
{
	int ret;

	mutex_lock(&fences_lock);
	ret = fences_load(err);
	if (!ret)
		ret = fences_change(fencing, err);
	mutex_unlock(&fences_lock);
	return ret;
}

/**
 * rblkt_fence_list - say who is fenced, as far as rblkt_fence_load() knows
 * @entry: filled in; zeroed
 * @room: its size in entries
 *
 * Context: Process context, with rblkt_mutex held.
 * Return: how many there are.
 */
u32 rblkt_fence_list(struct rblkt_ioc_fenced *entry, u32 room)
{
	const struct rblkt_right *right;
	u32 i, nr = 0;

	lockdep_assert_held(&rblkt_mutex);
	for (i = 0; fences && i < fences->nr; i++) {
		right = &fences->list[i];
		if (!right->fenced || nr++ >= room)
			continue;
		memcpy(entry->host, right->host, sizeof(entry->host));
		memcpy(entry->key, right->key, sizeof(entry->key));
		strscpy(entry->name, right->name, sizeof(entry->name));
		entry++;
	}
	return nr;
}

/**
 * rblkt_fence_exit - forget who is fenced; the file has it
 *
 * Context: The module goes, and nobody can ask any more.
 */
void rblkt_fence_exit(void)
{
	kfree(fences);
}
