// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files as block devices, by the kernel's loop driver.
 *
 * A loop device of ours is told to go with the last one that has it open. That is
 * the export, once there is one: nobody has to remember the device to remove it,
 * also when the export is removed by force or with its module.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/loop.h"
#include "lib/node.h"

#define CONTROL		"/dev/loop-control"
#define MAX_TRIES	16	/* others look for a free one, too */

static int failed(struct rblk_failure *fail, const char *hint, const char *what, const char *path)
{
	failure_set(fail, errno, hint, "cannot %s %s: %s", what, path, strerror(errno));
	return -1;
}

/* With its space, as a disk does not run full; where that cannot be, without. */
static int make_file(struct loop *loop, __u64 size, struct rblk_failure *fail)
{
	int fd = open(loop->file, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600), err;

	if (fd < 0)
		return failed(fail, "a directory that is there", "make", loop->file);
	loop->made = true;
	if (fallocate(fd, 0, 0, size) && (errno != EOPNOTSUPP || ftruncate(fd, size))) {
		err = errno;
		close(fd);
		unlink(loop->file);
		errno = err;
		return failed(fail, "a smaller --size", "give its size to", loop->file);
	}
	return fd;
}

static int open_file(struct loop *loop, __u64 size, bool read_only, struct rblk_failure *fail)
{
	int fd = open(loop->file, (read_only ? O_RDONLY : O_RDWR) | O_CLOEXEC);
	struct stat st;

	if (fd < 0 && errno == ENOENT && size)
		return make_file(loop, size, fail);
	if (fd < 0)
		return failed(fail, errno == ENOENT ? "--size, which makes it" :
			      "a regular file that may be read and written, or --read-only",
			      "open", loop->file);
	if (fstat(fd, &st))
		st.st_mode = 0;
	if (S_ISREG(st.st_mode) && (!size || st.st_size == (off_t)size))
		return fd;
	close(fd);
	if (!S_ISREG(st.st_mode))
		failure_set(fail, EINVAL, "'rblkctl export add NAME DEVICE' for a block device",
			    "%s is not a regular file", loop->file);
	else
		failure_set(fail, EEXIST, "it without --size; truncate(1) changes its size",
			    "%s is there and has %lld bytes", loop->file,
			    (long long)st.st_size);
	return -1;
}

/* Direct I/O wants the blocks of the disk below the file's file system. */
static __u32 block_size(int fd)
{
	struct statx stx;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &stx) ||
	    !(stx.stx_mask & STATX_DIOALIGN) || stx.stx_dio_offset_align < 512)
		return 512;
	return stx.stx_dio_offset_align;
}

/* Return: an open loop device that has the file, or -1 with errno. */
static int configure(struct loop *loop, int control, int file, bool read_only)
{
	struct loop_config config = {
		.fd = file,
		.block_size = block_size(file),
		.info.lo_flags = LO_FLAGS_AUTOCLEAR | LO_FLAGS_DIRECT_IO |
				 (read_only ? LO_FLAGS_READ_ONLY : 0),
	};
	int nr, fd, try;

	/* For those who still ask the old way; all of it is in sysfs. */
	snprintf((char *)config.info.lo_file_name, LO_NAME_SIZE, "%.*s", LO_NAME_SIZE - 1,
		 loop->file);
	for (try = 0; try < MAX_TRIES; try++) {
		nr = ioctl(control, LOOP_CTL_GET_FREE);
		if (nr < 0)
			return -1;
		snprintf(loop->device, sizeof(loop->device), "/dev/loop%d", nr);
		fd = open(loop->device, (read_only ? O_RDONLY : O_RDWR) | O_CLOEXEC);
		if (fd < 0)
			return -1;
		if (!ioctl(fd, LOOP_CONFIGURE, &config))
			return fd;
		nr = errno;
		close(fd);
		errno = nr;
		if (errno != EBUSY)
			return -1;
	}
	return -1;
}

/*
 * A file system may say that it has direct I/O and then refuse it, as overlayfs
 * does for what is below it: only a read tells.
 */
static void try_direct(const struct loop *loop)
{
	char *block = aligned_alloc(4096, 4096);
	int fd = open(loop->device, O_RDONLY | O_DIRECT | O_CLOEXEC);

	if (block && fd >= 0 && pread(fd, block, 4096, 0) < 0)
		ioctl(loop->fd, LOOP_SET_DIRECT_IO, 0UL);
	if (fd >= 0)
		close(fd);
	free(block);
}

/**
 * loop_cached() - whether the page cache is in the way
 * @loop: from loop_open()
 *
 * Return: whether the file has no direct I/O; it works without.
 */
bool loop_cached(const struct loop *loop)
{
	struct loop_info64 info;

	return !ioctl(loop->fd, LOOP_GET_STATUS64, &info) &&
	       !(info.lo_flags & LO_FLAGS_DIRECT_IO);
}

/**
 * loop_open() - make a file a block device
 * @loop: the result, to be given to loop_close()
 * @file: its absolute path
 * @size: bytes it is made with if it is not there, 0: it must be there
 * @read_only: for reading only
 * @fail: why it failed
 *
 * Return: 0, or -1 with @fail filled in and nothing made.
 */
int loop_open(struct loop *loop, const char *file, __u64 size, bool read_only,
	      struct rblk_failure *fail)
{
	char node[2 * RBLK_PATH_LEN];
	int control, fd;

	loop->made = false;
	text_copy(loop->file, sizeof(loop->file), file, strlen(file));
	snprintf(node, sizeof(node), "%s" CONTROL, node_root());
	control = open(node, O_RDWR | O_CLOEXEC);
	if (control < 0)
		return failed(fail, "'modprobe loop', as root", "open", CONTROL);
	fd = open_file(loop, size, read_only, fail);
	if (fd < 0) {
		close(control);
		return -1;
	}
	loop->fd = configure(loop, control, fd, read_only);
	if (loop->fd < 0)
		failed(fail, "'losetup --list' for what has them", "set up a loop device for",
		       loop->file);
	else
		try_direct(loop);
	close(fd);
	close(control);
	if (loop->fd < 0 && loop->made)
		unlink(loop->file);
	return loop->fd < 0 ? -1 : 0;
}

/**
 * loop_close() - leave it to the export
 * @loop: from loop_open()
 * @undo: there is no export: the device goes, and the file if it was made
 */
void loop_close(struct loop *loop, bool undo)
{
	close(loop->fd);
	if (undo && loop->made)
		unlink(loop->file);
}

static bool read_line(unsigned int nr, const char *name, char line[RBLK_PATH_LEN])
{
	char path[2 * RBLK_PATH_LEN];
	FILE *file;
	bool got;

	snprintf(path, sizeof(path), "%s/sys/block/loop%u/loop/%s", node_root(), nr, name);
	file = fopen(path, "re");
	if (!file)
		return false;
	got = fgets(line, RBLK_PATH_LEN, file);
	fclose(file);
	if (got)
		line[strcspn(line, "\n")] = '\0';
	return got;
}

/**
 * loop_file() - the file behind a device that loop_open() made
 * @device: any device's path
 * @file: the file's, which may be where @device is; as it was if there is none
 *
 * Return: whether it is one; those that stay when nobody uses them are not.
 */
bool loop_file(const char *device, char file[RBLK_PATH_LEN])
{
	char flag[RBLK_PATH_LEN];
	unsigned int nr;
	int used = 0;

	return sscanf(device, "/dev/loop%u%n", &nr, &used) == 1 && !device[used] &&
	       read_line(nr, "autoclear", flag) && !strcmp(flag, "1") &&
	       read_line(nr, "backing_file", file);
}

/**
 * loop_same() - whether two paths are one file
 * @a: a path
 * @b: a path
 *
 * Return: whether they are.
 */
bool loop_same(const char *a, const char *b)
{
	struct stat sa, sb;

	return !strcmp(a, b) || (!stat(a, &sa) && !stat(b, &sb) &&
				 sa.st_dev == sb.st_dev && sa.st_ino == sb.st_ino);
}
