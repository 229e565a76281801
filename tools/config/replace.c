// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "config/replace.h"
#include "config/write.h"
#include "system/alloc.h"
#include "system/interrupt.h"
#include "lib/node.h"

static int failed(const struct replacement *r, const char *what, const char *hint,
		  struct rblk_failure *fail)
{
	failure_set(fail, errno, hint, "cannot %s %s: %s", what, r->path, strerror(errno));
	return -1;
}

/* Where the file is: a link stays one, and what it leads to is replaced. */
static int find(struct replacement *r, struct rblk_failure *fail)
{
	const char *root = r->path[0] == '/' ? node_root() : "";
	struct stat link;
	char *real;

	if (snprintf(r->to, sizeof(r->to), "%s%s", root, r->path) >= (int)sizeof(r->to)) {
		errno = ENAMETOOLONG;
		return failed(r, "write", NULL, fail);
	}
	r->there = !stat(r->to, &r->was);
	if (!r->there && errno == ENOENT && !lstat(r->to, &link)) {
		failure_set(fail, ENOENT, "make that file, or remove the link",
			    "%s is a link to a file that is not there", r->path);
		return -1;
	}
	if (!r->there)
		return 0;
	if (!S_ISREG(r->was.st_mode)) {
		failure_set(fail, EINVAL, "--file - for standard output",
			    "%s is not a regular file", r->path);
		return -1;
	}
	real = realpath(r->to, NULL);
	if (!real)
		return failed(r, "find", NULL, fail);
	memcpy(r->to, real, strlen(real) + 1);
	free(real);
	return 0;
}

/* ACLs are extended attributes too. Those that this file system lacks are not there. */
static int copy_attribute(int from, int to, const char *name)
{
	ssize_t size = fgetxattr(from, name, NULL, 0);
	char *value;
	int err;

	if (size < 0)
		return errno == ENODATA ? 0 : -1;
	value = must_alloc(NULL, size + 1, 1);
	size = fgetxattr(from, name, value, size);
	err = size < 0 ? -1 : fsetxattr(to, name, value, size, 0);
	free(value);
	return err;
}

static int copy_attributes(int from, int to)
{
	ssize_t size = flistxattr(from, NULL, 0);
	char *names, *name;
	int err = 0;

	if (size < 0)
		return errno == EOPNOTSUPP ? 0 : -1;
	names = must_alloc(NULL, size + 1, 1);
	size = flistxattr(from, names, size);
	for (name = names; !err && size > 0 && name < names + size; name += strlen(name) + 1)
		err = copy_attribute(from, to, name);
	free(names);
	return size < 0 ? -1 : err;
}

/* A new file may have the directory's default ACL, which the former one has not. */
static int drop_acl(int to)
{
	if (!fremovexattr(to, "system.posix_acl_access"))
		return 0;
	return errno == ENODATA || errno == EOPNOTSUPP ? 0 : -1;
}

/* The mode at last, as a change of owner takes some bits of it. */
static int keep_rights(const struct replacement *r)
{
	int from, to = fileno(r->file), err;

	if (!r->there)
		return 0;
	from = open(r->to, O_RDONLY | O_CLOEXEC);
	if (from < 0)
		return -1;
	err = fchown(to, r->was.st_uid, r->was.st_gid) || drop_acl(to) ||
	      copy_attributes(from, to) || fchmod(to, r->was.st_mode & 07777);
	close(from);
	return err ? -1 : 0;
}

/**
 * replace_begin() - begin to write a file anew
 * @r: the result, whose file is to be written
 * @path: the file, which need not be there
 * @fail: why it failed
 *
 * Nobody may do more with the new file, at any time, than with the former one.
 *
 * Return: 0, or -1 with @fail filled in and nothing to be undone.
 */
int replace_begin(struct replacement *r, const char *path, struct rblk_failure *fail)
{
	int fd;

	memset(r, 0, sizeof(*r));
	r->path = path;
	if (find(r, fail))
		return -1;
	snprintf(r->new, sizeof(r->new), "%s.new", r->to);
	/* Of one that was killed. */
	unlink(r->new);
	fd = open(r->new, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, r->there ? 0600 : 0644);
	if (fd < 0)
		return failed(r, "write", NULL, fail);
	r->file = fdopen(fd, "w+");
	if (!r->file)
		close(fd);
	if (r->file && !keep_rights(r))
		return 0;
	failed(r, "keep owner, mode and attributes of", "it as their owner, or as root", fail);
	replace_drop(r);
	return -1;
}

static void sync_directory(const struct replacement *r)
{
	char directory[PATH_MAX];
	char *slash;
	int fd;

	memcpy(directory, r->to, sizeof(directory));
	slash = strrchr(directory, '/');
	if (slash)
		slash[1] = '\0';
	fd = open(slash ? directory : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return;
	/* It is there in any case; some file systems cannot promise more. */
	fsync(fd);
	close(fd);
}

/**
 * replace_end() - put the new file in place of the former one
 * @r: its file is written
 * @fail: why it failed
 *
 * The former one is then beside it, with ".old" at the end of its name, unless
 * what has that name was written by hand, and the former one was not.
 *
 * Return: 0, or -1 with @fail filled in and all as it was.
 */
int replace_end(struct replacement *r, struct rblk_failure *fail)
{
	char old[PATH_MAX + 8];
	int err = 0;

	if (fflush(r->file) || ferror(r->file) || fsync(fileno(r->file)))
		err = failed(r, "write", NULL, fail);
	errno = EINTR;
	if (!err && interrupt_pending())
		err = failed(r, "write", NULL, fail);
	snprintf(old, sizeof(old), "%s.old", r->to);
	/* It has a name until the new one has its. */
	if (!err && r->there && (conf_by_hand(r->to) || !conf_by_hand(old))) {
		unlink(old);
		if (link(r->to, old))
			err = failed(r, "keep", NULL, fail);
	}
	if (!err && rename(r->new, r->to))
		err = failed(r, "replace", NULL, fail);
	if (!err)
		sync_directory(r);
	replace_drop(r);
	return err;
}

/**
 * replace_drop() - what was not put in place goes
 * @r: from replace_begin()
 */
void replace_drop(struct replacement *r)
{
	if (r->file)
		fclose(r->file);
	r->file = NULL;
	unlink(r->new);
}
