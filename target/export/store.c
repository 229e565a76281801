// SPDX-License-Identifier: GPL-2.0-only
/*
 * What exports must not forget, in files: the tenure (tenure.c), rights that were taken
 * (rights.c), and registrations (reservation.c).
 *
 * The directory state_dir has files for each export, named by its UUID.  A file has two
 * records, apart from each other, which are written in turn: one is whole even if the
 * machine stops while the other is being written.  Without the directory nothing is
 * kept.
 *
 * Whoever waits for a record does so in the work of a connection.  So a file system
 * that hangs holds that connection, and keeps others from the export.
 *
 * Paths begin at the root of init, not at that of a caller in a container.
 */
#include <linux/crc32.h>
#include <linux/fs.h>
#include <linux/fs_struct.h>
#include <linux/module.h>
#include <linux/path.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include "export.h"

static char *state_dir = "/var/lib/rblk";
module_param(state_dir, charp, 0444);
MODULE_PARM_DESC(state_dir, "Directory that keeps who wrote last, who is fenced, and registrations; nothing is kept if it does not exist");

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
 * rblkt_store_init - prepare this file
 *
 * Context: Module initialisation.
 */
void rblkt_store_init(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(store_locks); i++)
		mutex_init(&store_locks[i]);
}

/**
 * rblkt_store_lock - keep the records of an export as they are
 * @uuid: of the export; rblkt_store_unlock() undoes it
 *
 * Context: Process context, without rblkt_mutex; may sleep, as long as a disk may.
 */
void rblkt_store_lock(const u8 *uuid)
{
	mutex_lock(store_lock(uuid));
}

/**
 * rblkt_store_unlock - undo rblkt_store_lock()
 * @uuid: of the export
 *
 * Context: Process context.
 */
void rblkt_store_unlock(const u8 *uuid)
{
	mutex_unlock(store_lock(uuid));
}

/**
 * rblkt_store_dir_name - where files are, for messages
 *
 * Context: Any.
 * Return: the directory.
 */
const char *rblkt_store_dir_name(void)
{
	return state_dir;
}

/* The last four bytes of a record: the CRC of all before. */
static __le32 *record_crc_at(const struct rblkt_store *store, void *record)
{
	return record + store->bytes - sizeof(__le32);
}

static u32 record_crc(const struct rblkt_store *store, const void *record)
{
	return crc32_le(~0, record, store->bytes - sizeof(__le32));
}

static bool record_is_whole(const struct rblkt_store *store, void *record, const u8 *uuid)
{
	const struct rblkt_record *head = record;

	return head->magic == cpu_to_le32(store->magic) &&
	       head->version == cpu_to_le32(store->version) &&
	       le32_to_cpu(*record_crc_at(store, record)) == record_crc(store, record) &&
	       !memcmp(head->uuid, uuid, sizeof(head->uuid));
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

static struct file *store_open(const struct rblkt_store *store, const u8 *uuid, int flags)
{
	struct file *file;
	char *path;

	path = kasprintf(GFP_KERNEL, "%s/%pUb%s", state_dir, uuid, store->suffix);
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
static int store_read_file(const struct rblkt_store *store, struct file *file, const u8 *uuid,
			   void *record, void *spare)
{
	struct rblkt_record *head = record, *other = spare;
	bool found = false, blank = true;
	ssize_t got;
	loff_t at;
	int i;

	for (i = 0; i < 2; i++) {
		at = i * store->stride;
		got = kernel_read(file, spare, store->bytes, &at);
		if (got < 0)
			return got;
		blank = blank && !memchr_inv(spare, 0, got);
		if (got != store->bytes || !record_is_whole(store, spare, uuid) ||
		    (found && le64_to_cpu(other->serial) < le64_to_cpu(head->serial)))
			continue;
		found = true;
		memcpy(record, spare, store->bytes);
	}
	return found ? 1 : blank ? 0 : -EUCLEAN;
}

/**
 * rblkt_store_read - read what an export has recorded
 * @store: which kind
 * @uuid: of the export, with rblkt_store_lock()
 * @record: filled in if there is one: @store->bytes, the first of them a struct rblkt_record
 *
 * Context: Process context, without rblkt_mutex; may sleep.
 * Return: 1, 0 if nothing is recorded, or a negative errno.
 */
int rblkt_store_read(const struct rblkt_store *store, const u8 *uuid, void *record)
{
	struct file *file = store_open(store, uuid, O_RDONLY);
	void *spare;
	int ret = -ENOMEM;

	if (IS_ERR(file))
		return PTR_ERR(file) == -ENOENT ? 0 : PTR_ERR(file);
	spare = kvmalloc(store->bytes, GFP_KERNEL);
	if (spare)
		ret = store_read_file(store, file, uuid, record, spare);
	kvfree(spare);
	filp_close(file, NULL);
	return ret;
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
static void store_blank(const struct rblkt_store *store, struct file *file, void *record,
			loff_t at)
{
	memset(record, 0, store->bytes);
	/* If this fails, too, nothing more can be done about it. */
	if (kernel_write(file, record, store->bytes, &at) > 0)
		vfs_fsync(file, 0);
}

static int store_put(const struct rblkt_store *store, struct file *file, void *record,
		     loff_t at)
{
	bool fresh = !i_size_read(file_inode(file));
	loff_t end = at;
	ssize_t put = kernel_write(file, record, store->bytes, &end);
	int ret = put < 0 ? put : -ENOSPC;

	if (put == store->bytes)
		ret = vfs_fsync(file, 0);
	if (!ret && fresh)
		ret = store_sync_dir();
	if (ret)
		store_blank(store, file, record, at);
	return ret;
}

/**
 * rblkt_store_write - record something of an export
 * @store: which kind
 * @uuid: of the export, with rblkt_store_lock()
 * @serial: higher by one than that of the last record
 * @record: @store->bytes, of which this fills in the first and the last; of no use then
 *
 * Context: Process context, without rblkt_mutex; may sleep.
 * Return: 0 when it is on disk, or a negative errno, and then the last record counts.
 */
int rblkt_store_write(const struct rblkt_store *store, const u8 *uuid, u64 serial,
		      void *record)
{
	struct file *file = store_open(store, uuid, O_WRONLY | O_CREAT);
	struct rblkt_record *head = record;
	int ret;

	if (IS_ERR(file))
		return PTR_ERR(file);
	head->magic = cpu_to_le32(store->magic);
	head->version = cpu_to_le32(store->version);
	head->serial = cpu_to_le64(serial);
	memcpy(head->uuid, uuid, sizeof(head->uuid));
	*record_crc_at(store, record) = cpu_to_le32(record_crc(store, record));
	ret = store_put(store, file, record, (serial & 1) * store->stride);
	filp_close(file, NULL);
	return ret;
}

/**
 * rblkt_store_has_dir - is anything kept?
 *
 * Context: Process context; may sleep.
 * Return: 1 if there is a directory, 0 if there is none, or a negative errno.
 */
int rblkt_store_has_dir(void)
{
	struct file *dir = store_open_path(state_dir, O_RDONLY | O_DIRECTORY);

	if (IS_ERR(dir))
		return PTR_ERR(dir) == -ENOENT ? 0 : PTR_ERR(dir);
	filp_close(dir, NULL);
	return 1;
}
