// SPDX-License-Identifier: GPL-2.0-only
/*
 * The registry of exports: which there are, and which of them are for a host.
 */
#include "export.h"

LIST_HEAD(rblkt_exports);	/* guarded by rblkt_mutex */
/* With those that were removed, whose I/O has not ended.  Guarded by rblkt_mutex. */
LIST_HEAD(rblkt_exports_all);

/**
 * rblkt_export_find - look an export up by its name
 * @name: its name
 *
 * Context: Process context, with rblkt_mutex held.
 * Return: the export, valid while rblkt_mutex is held, or NULL.
 */
struct rblkt_export *rblkt_export_find(const char *name)
{
	struct rblkt_export *export;

	lockdep_assert_held(&rblkt_mutex);
	list_for_each_entry(export, &rblkt_exports, node)
		if (!strcmp(export->name, name))
			return export;
	return NULL;
}

/**
 * rblkt_export_known - look an export up by its UUID, which never changes
 * @uuid: its UUID
 *
 * Context: Process context, with rblkt_mutex held.
 * Return: the export, valid while rblkt_mutex is held, or NULL.
 */
struct rblkt_export *rblkt_export_known(const u8 *uuid)
{
	struct rblkt_export *export;

	lockdep_assert_held(&rblkt_mutex);
	list_for_each_entry(export, &rblkt_exports, node)
		if (!memcmp(export->uuid, uuid, RBLK_UUID_LEN))
			return export;
	return NULL;
}

/**
 * rblkt_export_next - find the first export whose name sorts after another
 * @name: the other name; no export needs to have it
 *
 * Context: Process context, with rblkt_mutex held.
 * Return: the export, valid while rblkt_mutex is held, or NULL.
 */
struct rblkt_export *rblkt_export_next(const char *name)
{
	struct rblkt_export *export, *best = NULL;

	lockdep_assert_held(&rblkt_mutex);
	list_for_each_entry(export, &rblkt_exports, node)
		if (strcmp(export->name, name) > 0 &&
		    (!best || strcmp(export->name, best->name) < 0))
			best = export;
	return best;
}

/**
 * rblkt_export_admits - do flags and a list admit a host?
 * @flags: RBLKT_EXPORT_*
 * @hosts: the list
 * @nr: its entries
 * @who: the host: the key that it has proved, or else the UUID that it names
 *
 * Context: Any; the caller sees to it that nothing changes meanwhile.
 * Return: true if it may attach the export.
 */
bool rblkt_export_admits(u32 flags, const struct rblk_ioc_host *hosts, u32 nr,
			 const struct rblk_ioc_host *who)
{
	u32 i;

	if (!rblkt_host_proven(who) && !(flags & RBLKT_EXPORT_INSECURE))
		return false;
	if (flags & RBLKT_EXPORT_ALLOW_ANY)
		return true;
	for (i = 0; i < nr; i++)
		if (!memcmp(&hosts[i], who, sizeof(*who)))
			return true;
	return false;
}

/**
 * rblkt_export_allows - may a host attach this export?
 * @export: the export
 * @who: as for rblkt_export_admits()
 *
 * Context: Process context, with rblkt_mutex held.
 * Return: true if it may.
 */
bool rblkt_export_allows(const struct rblkt_export *export, const struct rblk_ioc_host *who)
{
	return rblkt_export_admits(export->flags, export->hosts, export->nr_hosts, who);
}

/**
 * rblkt_export_for - is there an export for a host?
 * @who: as for rblkt_export_admits()
 *
 * Context: Process context, with rblkt_mutex held.
 * Return: true if the host may attach at least one.
 */
bool rblkt_export_for(const struct rblk_ioc_host *who)
{
	const struct rblkt_export *export;

	lockdep_assert_held(&rblkt_mutex);
	list_for_each_entry(export, &rblkt_exports, node)
		if (rblkt_export_allows(export, who))
			return true;
	return false;
}

/**
 * rblkt_export_insecure - is there an export for hosts that prove no key?
 *
 * Context: Process context, with rblkt_mutex held.
 * Return: true if there is.
 */
bool rblkt_export_insecure(void)
{
	const struct rblkt_export *export;

	lockdep_assert_held(&rblkt_mutex);
	list_for_each_entry(export, &rblkt_exports, node)
		if (export->flags & RBLKT_EXPORT_INSECURE)
			return true;
	return false;
}

/**
 * rblkt_export_list - list one page of the exports that a host may attach
 * @holder: the host
 * @start: index of the first export wanted, among those the host may attach
 * @entry: array to fill in
 * @room: its size in entries
 * @next: set to the @start of the next page, 0 if this is the last
 *
 * Context: Process context; takes rblkt_mutex, may sleep.
 * Return: the number of entries filled in.
 */
u32 rblkt_export_list(const struct rblkt_holder *holder, u32 start,
		      struct rblk_wire_list_entry *entry, u32 room, u32 *next)
{
	struct rblkt_export *export;
	u32 index = 0, nr = 0;

	*next = 0;
	mutex_lock(&rblkt_mutex);
	list_for_each_entry(export, &rblkt_exports, node) {
		u32 flags = export->wire_flags;

		if (rblkt_fence_stands(holder->host) ||
		    !rblkt_export_allows(export, &holder->who) || index++ < start)
			continue;
		if (nr == room) {
			*next = start + nr;
			break;
		}
		if (!list_empty(&export->atts))
			flags |= RBLK_EXPF_IN_USE;
		rblkt_bdev_measure(export);
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
