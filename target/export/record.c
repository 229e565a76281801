// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registrations and the reservation of an export as its file has them: see store.c.
 */
#include <linux/slab.h>
#include "export.h"

/* As it is in the file. */
struct resv_record {
	struct rblkt_record head;
	__le32 generation;
	__le32 nr;
	__le32 type;
	__le32 reserved;
	struct {
		__le64 key;
		u8 host[RBLK_UUID_LEN];
		u8 public_key[RBLK_KEY_LEN];
		char name[RBLK_NAME_LEN];
		__le32 holds;
		__le32 reserved;
	} registrant[RBLK_WIRE_MAX_REGISTRANTS];
	struct {
		u8 host[RBLK_UUID_LEN];
		__le64 source;
		__le64 number;
		__le32 status;
		__le32 reserved;
	} last[RBLKT_RESV_LAST];
	__le32 reserved2;
	__le32 crc;
};

static const struct rblkt_store resv_store = {
	.suffix = ".reservation",
	.magic = 0x76736572,	/* "resv" */
	.version = 2,
	.bytes = sizeof(struct resv_record),
	.stride = SZ_16K,
};

static_assert(sizeof(struct resv_record) <= SZ_16K);

static void record_pack(struct resv_record *record, const struct rblkt_resv *resv)
{
	u32 i;

	record->generation = cpu_to_le32(resv->generation);
	record->nr = cpu_to_le32(resv->nr);
	record->type = cpu_to_le32(resv->type);
	for (i = 0; i < resv->nr; i++) {
		const struct rblkt_registrant *who = &resv->registrant[i];

		record->registrant[i].key = cpu_to_le64(who->key);
		memcpy(record->registrant[i].host, who->host, sizeof(who->host));
		memcpy(record->registrant[i].public_key, who->public_key,
		       sizeof(who->public_key));
		memcpy(record->registrant[i].name, who->name, sizeof(who->name));
		record->registrant[i].holds = cpu_to_le32(who->holds);
	}
	for (i = 0; i < RBLKT_RESV_LAST; i++) {
		memcpy(record->last[i].host, resv->last[i].host, sizeof(resv->last[i].host));
		record->last[i].source = cpu_to_le64(resv->last[i].source);
		record->last[i].number = cpu_to_le64(resv->last[i].number);
		record->last[i].status = cpu_to_le32(resv->last[i].status);
	}
}

/* Its checksum is right, but the file may be a bad copy: trust nothing. */
static bool record_unpack(struct rblkt_resv *resv, const struct resv_record *record)
{
	u32 i;

	resv->generation = le32_to_cpu(record->generation);
	resv->nr = le32_to_cpu(record->nr);
	resv->type = min_t(u32, le32_to_cpu(record->type), U8_MAX);
	for (i = 0; i < min_t(u32, resv->nr, RBLK_WIRE_MAX_REGISTRANTS); i++) {
		struct rblkt_registrant *who = &resv->registrant[i];

		who->key = le64_to_cpu(record->registrant[i].key);
		memcpy(who->host, record->registrant[i].host, sizeof(who->host));
		memcpy(who->public_key, record->registrant[i].public_key,
		       sizeof(who->public_key));
		memcpy(who->name, record->registrant[i].name, sizeof(who->name));
		who->holds = record->registrant[i].holds;
	}
	for (i = 0; i < RBLKT_RESV_LAST; i++) {
		memcpy(resv->last[i].host, record->last[i].host, sizeof(resv->last[i].host));
		resv->last[i].source = le64_to_cpu(record->last[i].source);
		resv->last[i].number = le64_to_cpu(record->last[i].number);
		resv->last[i].status = min_t(u32, le32_to_cpu(record->last[i].status), U16_MAX);
	}
	return rblkt_resv_sound(resv);
}

/**
 * rblkt_record_keep - record registrations, if anything is kept
 * @export: the export, with rblkt_store_lock()
 * @resv: what is to be found after a restart
 *
 * Context: Process context, without rblkt_mutex; may sleep, as long as a disk may.
 * Return: 0 or a negative errno, and then the last record counts.
 */
int rblkt_record_keep(struct rblkt_export *export, const struct rblkt_resv *resv)
{
	struct resv_record *record;
	int ret;

	if (!export->stored.kept)
		return 0;
	record = kvzalloc(sizeof(*record), GFP_KERNEL);
	if (!record)
		return -ENOMEM;
	record_pack(record, resv);
	ret = rblkt_store_write(&resv_store, export->uuid, export->resv_serial + 1, record);
	if (!ret)
		export->resv_serial++;
	else
		pr_err_ratelimited("export %s: reservation not changed, as %s can't record it: error %d\n",
				   export->name, rblkt_store_dir_name(), ret);
	kvfree(record);
	return ret;
}

static int record_read(struct rblkt_export *export, bool forget, struct resv_record *record)
{
	int ret = rblkt_store_read(&resv_store, export->uuid, record);

	if (ret > 0)
		export->resv_serial = le64_to_cpu(record->head.serial);
	/* What can't be read may count more than what would be written now. */
	if (!ret || (ret < 0 && !(forget && ret == -EUCLEAN)))
		return ret;
	if (forget)
		return rblkt_record_keep(export, export->resv);
	return record_unpack(export->resv, record) ? 0 : -EUCLEAN;
}

/**
 * rblkt_record_load - find out who had registrations before the module was loaded
 * @export: not in the registry yet; knows already whether anything is kept
 * @forget: begin anew
 * @err: filled in on failure
 *
 * Context: Process context, with rblkt_store_lock(), without rblkt_mutex; may sleep.
 * Return: 0, also if nothing is kept, or a negative errno.
 */
int rblkt_record_load(struct rblkt_export *export, bool forget, struct rblk_ioc_error *err)
{
	struct resv_record *record;
	int ret = -ENOMEM;

	if (!export->stored.kept)
		return 0;
	record = kvmalloc(sizeof(*record), GFP_KERNEL);
	if (record)
		ret = record_read(export, forget, record);
	kvfree(record);
	if (ret)
		return rblkt_fail(err, RBLK_STAGE_BACKING, -ret,
				  "registrations can't be read or written in %s/%pUb%s",
				  rblkt_store_dir_name(), export->uuid, resv_store.suffix);
	return 0;
}
