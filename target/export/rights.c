// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tables of rights: whose right was taken, and how often.
 *
 * A host that has an export has a number with it, its right.  It is 0 until the host
 * loses the export, and then a new random number each time.  A host that continues
 * names the number that it had, so the target sees whether it has lost the export
 * since.  revoke.c has a table for each export, and one for all that are fenced, which
 * is of no export: its UUID is zero.
 *
 * A table does not change: who changes one makes another one, writes that down, and
 * puts it in the place of the first under rblkt_mutex.
 *
 * A table has room for RBLKT_MAX_RIGHTS hosts.  Then each new one makes the target
 * forget the host that lost its right first, but none that is fenced.
 */
#include <linux/random.h>
#include <linux/slab.h>
#include "export.h"

#define RIGHT_FENCED	BIT(0)
#define RIGHT_PROVEN	BIT(1)

/* As it is in the file. */
struct rights_record {
	struct rblkt_record head;
	__le64 other[2];
	__le32 nr;
	__le32 reserved;
	struct {
		u8 host[RBLK_UUID_LEN];
		__le64 right;
		__le32 flags;		/* RIGHT_* */
		__le32 reserved;
		char name[RBLK_NAME_LEN];
		u8 key[RBLK_KEY_LEN];
	} hosts[RBLKT_MAX_RIGHTS];
	__le32 reserved2;
	__le32 crc;
};

static const struct rblkt_store rights_store = {
	.suffix = ".rights",
	.magic = 0x74686772,	/* "rght" */
	.version = 1,
	.bytes = sizeof(struct rights_record),
	.stride = SZ_16K,
};

static_assert(sizeof(struct rights_record) <= SZ_16K);

/**
 * rblkt_rights_entry - find a host in a table
 * @rights: the table, or NULL for one that is empty
 * @host: as in struct rblkt_holder
 *
 * Context: Any, with the table kept from being freed.
 * Return: the entry, or NULL.
 */
struct rblkt_right *rblkt_rights_entry(struct rblkt_rights *rights, const u8 *host)
{
	u32 i;

	for (i = 0; rights && i < rights->nr; i++)
		if (!memcmp(rights->list[i].host, host, RBLK_UUID_LEN))
			return &rights->list[i];
	return NULL;
}

/**
 * rblkt_rights_of - the right of a host by a table
 * @rights: the table, or NULL for one that is empty
 * @host: as in struct rblkt_holder
 * @proven: the host has proved its key
 *
 * Context: Any, with the table kept from being freed.
 * Return: the number.
 */
u64 rblkt_rights_of(struct rblkt_rights *rights, const u8 *host, bool proven)
{
	const struct rblkt_right *right = rblkt_rights_entry(rights, host);

	if (right)
		return right->right;
	return rights ? rights->other[proven] : 0;
}

/**
 * rblkt_rights_copy - make a table that can be changed
 * @rights: the table, or NULL for one that is empty
 *
 * Context: Process context; may sleep.
 * Return: a copy for kfree(), with room for all, or NULL without memory.
 */
struct rblkt_rights *rblkt_rights_copy(const struct rblkt_rights *rights)
{
	struct rblkt_rights *copy = kzalloc(sizeof(*copy), GFP_KERNEL);

	if (copy && rights)
		*copy = *rights;
	return copy;
}

/* Make room for one more; false if all are fenced. */
static bool rights_forget_oldest(struct rblkt_rights *rights)
{
	u32 i;

	for (i = 0; i < rights->nr && rights->list[i].fenced; i++)
		;
	if (i == rights->nr)
		return false;
	rights->nr--;
	memmove(&rights->list[i], &rights->list[i + 1],
		(rights->nr - i) * sizeof(rights->list[0]));
	return true;
}

/**
 * rblkt_rights_add - enter a host, or find it
 * @rights: made by rblkt_rights_copy()
 * @host: as in struct rblkt_holder
 * @right: what the host has if it is not there yet
 *
 * Context: Any.
 * Return: its entry, or NULL if there is no room.
 */
struct rblkt_right *rblkt_rights_add(struct rblkt_rights *rights, const u8 *host, u64 right)
{
	struct rblkt_right *entry = rblkt_rights_entry(rights, host);

	if (entry)
		return entry;
	if (rights->nr == RBLKT_MAX_RIGHTS && !rights_forget_oldest(rights))
		return NULL;
	entry = &rights->list[rights->nr++];
	memset(entry, 0, sizeof(*entry));
	memcpy(entry->host, host, RBLK_UUID_LEN);
	entry->right = right;
	return entry;
}

/**
 * rblkt_rights_revoke - take the right of a host
 * @rights: made by rblkt_rights_copy()
 * @host: as in struct rblkt_holder
 *
 * The host becomes the one that lost its right last.
 *
 * Context: Any.
 * Return: its entry, or NULL if there is no room.
 */
struct rblkt_right *rblkt_rights_revoke(struct rblkt_rights *rights, const u8 *host)
{
	struct rblkt_right *entry = rblkt_rights_entry(rights, host), moved;
	u32 at;

	if (entry) {
		at = entry - rights->list;
		moved = *entry;
		memmove(entry, entry + 1, (rights->nr - at - 1) * sizeof(*entry));
		entry = &rights->list[rights->nr - 1];
		*entry = moved;
	} else {
		entry = rblkt_rights_add(rights, host, 0);
	}
	if (entry)
		entry->right = get_random_u64() | 1;
	return entry;
}

/* Its checksum is right, but the file may be a bad copy: trust nothing. */
static bool rights_unpack(struct rblkt_rights *rights, const struct rights_record *record)
{
	u32 flags, i;

	rights->nr = le32_to_cpu(record->nr);
	if (rights->nr > RBLKT_MAX_RIGHTS)
		return false;
	for (i = 0; i < ARRAY_SIZE(rights->other); i++)
		rights->other[i] = le64_to_cpu(record->other[i]);
	for (i = 0; i < rights->nr; i++) {
		struct rblkt_right *to = &rights->list[i];

		memcpy(to->host, record->hosts[i].host, sizeof(to->host));
		to->right = le64_to_cpu(record->hosts[i].right);
		flags = le32_to_cpu(record->hosts[i].flags);
		to->fenced = flags & RIGHT_FENCED;
		to->proven = flags & RIGHT_PROVEN;
		strscpy(to->name, record->hosts[i].name, sizeof(to->name));
		memcpy(to->key, record->hosts[i].key, sizeof(to->key));
	}
	return true;
}

static void rights_pack(struct rights_record *record, const struct rblkt_rights *rights)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rights->other); i++)
		record->other[i] = cpu_to_le64(rights->other[i]);
	record->nr = cpu_to_le32(rights->nr);
	for (i = 0; i < rights->nr; i++) {
		const struct rblkt_right *from = &rights->list[i];

		memcpy(record->hosts[i].host, from->host, sizeof(from->host));
		record->hosts[i].right = cpu_to_le64(from->right);
		record->hosts[i].flags = cpu_to_le32((from->fenced ? RIGHT_FENCED : 0) |
						     (from->proven ? RIGHT_PROVEN : 0));
		strscpy(record->hosts[i].name, from->name, sizeof(from->name));
		memcpy(record->hosts[i].key, from->key, sizeof(from->key));
	}
}

static int rights_read(struct rblkt_rights *rights, const u8 *uuid, u64 *serial)
{
	struct rights_record *record = kzalloc(sizeof(*record), GFP_KERNEL);
	int ret = -ENOMEM;

	if (record)
		ret = rblkt_store_read(&rights_store, uuid, record);
	if (ret > 0) {
		*serial = le64_to_cpu(record->head.serial);
		if (!rights_unpack(rights, record))
			ret = -EUCLEAN;
	}
	kfree(record);
	return ret;
}

/**
 * rblkt_rights_load - read a table
 * @uuid: what it is about; the caller keeps others from its file
 * @serial: set to the newest record's, if there is one
 *
 * Context: Process context; may sleep, as long as a disk may.
 * Return: the table, for kfree(), or NULL if there is none, or an ERR_PTR().
 */
struct rblkt_rights *rblkt_rights_load(const u8 *uuid, u64 *serial)
{
	struct rblkt_rights *rights = rblkt_rights_copy(NULL);
	int ret = rights ? rights_read(rights, uuid, serial) : -ENOMEM;

	if (ret > 0)
		return rights;
	kfree(rights);
	return ERR_PTR(ret);
}

/**
 * rblkt_rights_store - write a table down
 * @rights: the table, or NULL for one that is empty
 * @uuid: what it is about; the caller keeps others from its file
 * @serial: the last record's; counted up
 *
 * Context: Process context; may sleep, as long as a disk may.
 * Return: 0, or a negative errno and the file has what it had.
 */
int rblkt_rights_store(const struct rblkt_rights *rights, const u8 *uuid, u64 *serial)
{
	struct rights_record *record = kzalloc(sizeof(*record), GFP_KERNEL);
	int ret;

	if (!record)
		return -ENOMEM;
	if (rights)
		rights_pack(record, rights);
	ret = rblkt_store_write(&rights_store, uuid, *serial + 1, record);
	kfree(record);
	if (!ret)
		++*serial;
	return ret;
}
