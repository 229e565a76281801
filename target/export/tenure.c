// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tenure of an export: who has it to write, or had it last.
 *
 * A frozen host may hold writes for hours.  If another host has written
 * meanwhile, the tenure keeps these writes out, and a target that restarts must
 * not forget it.  So a new tenure is in a file before its writer learns that it
 * may write: store.c.  What goes wrong there refuses the export or its writer.
 */
#include <linux/module.h>
#include <linux/random.h>
#include "export.h"

/* As it is in the file. */
struct tenure_record {
	struct rblkt_record head;
	__le64 tenure;
	__le32 reserved;
	__le32 crc;
};

static const struct rblkt_store tenure_store = {
	.suffix = "",
	.magic = 0x6b6c6272,	/* "rblk" */
	.version = 1,
	.bytes = sizeof(struct tenure_record),
	.stride = SZ_4K,
};

static int tenure_write(struct rblkt_export *export, u64 tenure)
{
	struct tenure_record record = { .tenure = cpu_to_le64(tenure) };
	u64 serial = export->stored.serial + 1;
	int ret = rblkt_store_write(&tenure_store, export->uuid, serial, &record);

	if (ret)
		return ret;
	export->stored.serial = serial;
	export->stored.tenure = tenure;
	return 0;
}

static int tenure_read(struct rblkt_export *export, bool forget)
{
	struct tenure_record record;
	int ret = rblkt_store_has_dir();

	if (ret < 0)
		return ret;
	export->stored.kept = ret;
	if (!ret) {
		pr_notice_once("there is no directory %s: who wrote last is forgotten with the module\n",
			       rblkt_store_dir_name());
		return 0;
	}
	ret = rblkt_store_read(&tenure_store, export->uuid, &record);
	if (ret > 0) {
		export->stored.serial = le64_to_cpu(record.head.serial);
		export->stored.tenure = le64_to_cpu(record.tenure);
		ret = 0;
	}
	/* What can't be read may count more than what would be written now. */
	if (forget && (!ret || ret == -EUCLEAN))
		ret = tenure_write(export, 0);
	export->tenure = export->stored.tenure;
	return ret;
}

/**
 * rblkt_tenure_load - find out who wrote last, before the module was loaded
 * @export: not in the registry yet; its tenure is set
 * @forget: begin anew, as another target has served the data since
 * @err: filled in on failure
 *
 * Context: Process context, with rblkt_store_lock(), without rblkt_mutex.
 * Return: 0, also if nothing is kept, or a negative errno.
 */
int rblkt_tenure_load(struct rblkt_export *export, bool forget, struct rblk_ioc_error *err)
{
	int ret = tenure_read(export, forget);

	if (ret)
		return rblkt_fail(err, RBLK_STAGE_BACKING, -ret,
				  "who wrote last can't be read or written in %s/%pUb",
				  rblkt_store_dir_name(), export->uuid);
	return 0;
}

/**
 * rblkt_tenure_begin - begin the tenure of an export that has just been granted
 * @att: in its export's list; no tenure of that export is being stored
 * @msg: the host's request
 *
 * The tenure counts at once if the target does not keep it.  If it does, it counts
 * when it has been stored, and until then nobody else gets the export.  So a record
 * that can't be written has changed nothing.
 *
 * Context: Process context, with rblkt_mutex held.
 * Return: true if rblkt_tenure_keep() must follow.
 */
bool rblkt_tenure_begin(const struct rblkt_att *att, const struct rblk_wire_attach *msg)
{
	bool writes = att->access & RBLK_ACCESS_WRITE && !att->read_only;
	struct rblkt_export *export = att->export;
	u64 tenure;

	lockdep_assert_held(&rblkt_mutex);
	tenure = rblkt_proto_tenure(export->tenure, msg, writes, get_random_u64() | 1);
	if (tenure == export->tenure)
		return false;
	if (export->stored.kept)
		export->storing = tenure;
	else
		export->tenure = tenure;
	return export->storing;
}

static int tenure_store_new(struct rblkt_export *export)
{
	bool gone;
	int ret;

	rblkt_store_lock(export->uuid);
	mutex_lock(&rblkt_mutex);
	gone = list_empty(&export->node);
	mutex_unlock(&rblkt_mutex);
	ret = gone ? -ESHUTDOWN : tenure_write(export, export->storing);
	rblkt_store_unlock(export->uuid);
	if (ret && !gone)
		pr_err_ratelimited("export %s: new writer refused, as %s can't record it: error %d\n",
				   export->name, rblkt_store_dir_name(), ret);
	return ret;
}

/**
 * rblkt_tenure_keep - keep the tenure that an attachment has begun
 * @export: its export; the caller's reference is dropped
 * @holder: who has it attached
 * @handle: under which the holder has it, and does not know it yet
 *
 * If that fails the attachment is taken back.
 *
 * Context: Process context, without rblkt_mutex; may sleep.
 * Return: enum rblk_wire_ctl_status.
 */
u16 rblkt_tenure_keep(struct rblkt_export *export, struct rblkt_holder *holder, u32 handle)
{
	int ret = tenure_store_new(export);

	if (ret)
		rblkt_detach(holder, handle);
	mutex_lock(&rblkt_mutex);
	if (!ret)
		export->tenure = export->storing;
	export->storing = 0;
	mutex_unlock(&rblkt_mutex);
	rblkt_export_put(export);
	if (ret)
		return ret == -ESHUTDOWN ? RBLK_CTL_GOING_AWAY : RBLK_CTL_NOT_KEPT;
	return RBLK_CTL_OK;
}
