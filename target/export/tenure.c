// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tenure of an export: who has it to write, or had it last.
 *
 * A frozen host may hold writes for hours.  If another host has written
 * meanwhile, the tenure keeps these writes out, and a target that restarts must
 * not forget it.  So a new tenure is in a file before its writer learns that it
 * may write.
 *
 * The directory state_dir has a file for each export, named by its UUID.  The
 * file has two records, in blocks of their own, which are written in turn: one
 * is whole even if the machine stops while the other is being written.  Without
 * the directory nothing is kept.  What goes wrong apart from that refuses the
 * export or its writer.
 *
 * An attachment waits for its record in the work of its connection.  So a file
 * system that hangs holds that connection, and keeps others from the export.
 *
 * Paths begin at the root of init, not at that of a caller in a container.
 */
#include <linux/crc32.h>
#include <linux/fs.h>
#include <linux/fs_struct.h>
#include <linux/module.h>
#include <linux/path.h>
#include <linux/random.h>
#include <linux/sched/task.h>
#include "export.h"

#define RECORD_MAGIC	0x6b6c6272	/* "rblk" */
#define RECORD_VERSION	1
#define RECORD_STRIDE	SZ_4K

static char *state_dir = "/var/lib/rblk";
module_param(state_dir, charp, 0444);
MODULE_PARM_DESC(state_dir, "Directory that keeps who wrote last; nothing is kept if it does not exist");

/*
 * Whoever reads or writes a file has the lock of its UUID, outside rblkt_mutex: a
 * disk may take its time.  An export that has left the registry stores nothing
 * more, and the next one of its UUID loads and enters under the same lock.  So none
 * overwrites what its successor has loaded.
 */
static struct mutex store_locks[16];

static struct mutex *store_lock(const u8 *uuid)
{
	return &store_locks[uuid[0] % ARRAY_SIZE(store_locks)];
}

/**
 * rblkt_tenure_init - prepare this file
 *
 * Context: Module initialisation.
 */
void rblkt_tenure_init(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(store_locks); i++)
		mutex_init(&store_locks[i]);
}

/**
 * rblkt_tenure_lock - keep the record of an export as it is
 * @uuid: of the export; rblkt_tenure_unlock() undoes it
 *
 * Context: Process context, without rblkt_mutex; may sleep, as long as a disk may.
 */
void rblkt_tenure_lock(const u8 *uuid)
{
	mutex_lock(store_lock(uuid));
}

/**
 * rblkt_tenure_unlock - undo rblkt_tenure_lock()
 * @uuid: of the export
 *
 * Context: Process context.
 */
void rblkt_tenure_unlock(const u8 *uuid)
{
	mutex_unlock(store_lock(uuid));
}

/* As it is in the file.  @crc covers all before it. */
struct store_record {
	__le32 magic;
	__le32 version;
	__le64 serial;		/* the higher of the two counts */
	u8 uuid[RBLK_UUID_LEN];
	__le64 tenure;
	__le32 reserved;
	__le32 crc;
};

static u32 record_crc(const struct store_record *record)
{
	return crc32_le(~0, (const u8 *)record, offsetof(struct store_record, crc));
}

static bool record_is_whole(const struct store_record *record, const u8 *uuid)
{
	return record->magic == cpu_to_le32(RECORD_MAGIC) &&
	       record->version == cpu_to_le32(RECORD_VERSION) &&
	       le32_to_cpu(record->crc) == record_crc(record) &&
	       !memcmp(record->uuid, uuid, sizeof(record->uuid));
}

static struct file *store_open_path(const char *name, int flags)
{
	struct file *file;
	struct path root;

	get_fs_root(init_task.fs, &root);
	file = file_open_root(&root, name, flags | O_LARGEFILE, 0600);
	path_put(&root);
	return file;
}

static struct file *store_open(const struct rblkt_export *export, int flags)
{
	struct file *file;
	char *path;

	path = kasprintf(GFP_KERNEL, "%s/%pUb", state_dir, export->uuid);
	if (!path)
		return ERR_PTR(-ENOMEM);
	file = store_open_path(path, flags | O_NOFOLLOW);
	kfree(path);
	return file;
}

/*
 * Take the newer whole record.  A file that has none is damaged, unless it has
 * nothing but zeroes: a first record whose write the machine did not survive.
 */
static int store_read(struct rblkt_export *export, struct file *file)
{
	struct store_record record;
	bool found = false, blank = true;
	ssize_t got;
	loff_t at;
	int i;

	for (i = 0; i < 2; i++) {
		at = i * RECORD_STRIDE;
		got = kernel_read(file, &record, sizeof(record), &at);
		if (got < 0)
			return got;
		blank = blank && !memchr_inv(&record, 0, got);
		if (got != sizeof(record) || !record_is_whole(&record, export->uuid) ||
		    (found && le64_to_cpu(record.serial) < export->stored.serial))
			continue;
		found = true;
		export->stored.serial = le64_to_cpu(record.serial);
		export->stored.tenure = le64_to_cpu(record.tenure);
	}
	return found || blank ? 0 : -EUCLEAN;
}

/* Write @file's name down, too. */
static int store_sync_dir(void)
{
	struct file *dir = store_open_path(state_dir, O_RDONLY | O_DIRECTORY);
	int ret;

	if (IS_ERR(dir))
		return PTR_ERR(dir);
	ret = vfs_fsync(dir, 0);
	filp_close(dir, NULL);
	return ret;
}

/* A record that may be there, but that nobody relies on, must not be found later. */
static void store_blank(struct file *file, loff_t at)
{
	const struct store_record blank = {};

	kernel_write(file, &blank, sizeof(blank), &at);
}

static int store_put(struct file *file, const struct store_record *record, loff_t at)
{
	bool fresh = !i_size_read(file_inode(file));
	loff_t end = at;
	ssize_t put = kernel_write(file, record, sizeof(*record), &end);
	int ret = put < 0 ? put : -ENOSPC;

	if (put == sizeof(*record))
		ret = vfs_fsync(file, 0);
	if (!ret && fresh)
		ret = store_sync_dir();
	if (ret)
		store_blank(file, at);
	return ret;
}

static int store_write(struct rblkt_export *export, u64 tenure)
{
	u64 serial = export->stored.serial + 1;
	struct store_record record = {
		.magic = cpu_to_le32(RECORD_MAGIC),
		.version = cpu_to_le32(RECORD_VERSION),
		.serial = cpu_to_le64(serial),
		.tenure = cpu_to_le64(tenure),
	};
	struct file *file = store_open(export, O_WRONLY | O_CREAT);
	int ret;

	if (IS_ERR(file))
		return PTR_ERR(file);
	memcpy(record.uuid, export->uuid, sizeof(record.uuid));
	record.crc = cpu_to_le32(record_crc(&record));
	ret = store_put(file, &record, (serial & 1) * RECORD_STRIDE);
	filp_close(file, NULL);
	if (ret)
		return ret;
	export->stored.serial = serial;
	export->stored.tenure = tenure;
	return 0;
}

/* Return: 1 if there is a directory, 0 if there is none, or a negative errno. */
static int store_has_dir(void)
{
	struct file *dir = store_open_path(state_dir, O_RDONLY | O_DIRECTORY);

	if (IS_ERR(dir))
		return PTR_ERR(dir) == -ENOENT ? 0 : PTR_ERR(dir);
	filp_close(dir, NULL);
	return 1;
}

static int store_load(struct rblkt_export *export, bool forget)
{
	struct file *file;
	int ret = store_has_dir();

	if (ret < 0)
		return ret;
	export->stored.kept = ret;
	if (!ret) {
		pr_notice_once("there is no directory %s: who wrote last is forgotten with the module\n",
			       state_dir);
		return 0;
	}
	ret = 0;
	file = store_open(export, O_RDONLY);
	if (!IS_ERR(file)) {
		ret = store_read(export, file);
		filp_close(file, NULL);
	} else if (PTR_ERR(file) != -ENOENT) {
		ret = PTR_ERR(file);
	}
	if (forget)
		ret = store_write(export, 0);
	export->tenure = export->stored.tenure;
	return ret;
}

/**
 * rblkt_tenure_load - find out who wrote last, before the module was loaded
 * @export: not in the registry yet; its tenure is set
 * @forget: begin anew, as another target has served the data since
 * @err: filled in on failure
 *
 * Context: Process context, with rblkt_tenure_lock(), without rblkt_mutex.
 * Return: 0, also if nothing is kept, or a negative errno.
 */
int rblkt_tenure_load(struct rblkt_export *export, bool forget, struct rblk_ioc_error *err)
{
	int ret = store_load(export, forget);

	if (ret)
		return rblkt_fail(err, RBLK_STAGE_BACKING, -ret,
				  "who wrote last can't be read or written in %s/%pUb",
				  state_dir, export->uuid);
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

static int store_tenure(struct rblkt_export *export)
{
	bool gone;
	int ret;

	rblkt_tenure_lock(export->uuid);
	mutex_lock(&rblkt_mutex);
	gone = list_empty(&export->node);
	mutex_unlock(&rblkt_mutex);
	ret = gone ? -ESHUTDOWN : store_write(export, export->storing);
	rblkt_tenure_unlock(export->uuid);
	if (ret && !gone)
		pr_err_ratelimited("export %s: new writer refused, as %s can't record it: error %d\n",
				   export->name, state_dir, ret);
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
	int ret = store_tenure(export);

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
