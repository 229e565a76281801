// SPDX-License-Identifier: GPL-2.0-only
/* Offering a block device or a file, and withdrawing it. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uuid/uuid.h>

#include "lib/control.h"
#include "lib/key.h"
#include "lib/loop.h"
#include "lib/node.h"
#include "lib/protection.h"

#define FIRST_USERS	64
#define MAX_ROUNDS	8	/* hosts may come while we ask */

/*
 * The module opens the path in its own time and shows it for ever: it has to
 * be absolute. Links are kept, as /dev/disk/by-id names outlive a reboot.
 */
static int backing_path(const char *backing, char path[RBLK_PATH_LEN],
			struct rblk_failure *fail)
{
	char here[PATH_MAX];

	if (backing[0] == '/') {
		if (text_copy(path, RBLK_PATH_LEN, backing, strlen(backing)))
			return 0;
		here[0] = '\0';
	} else if (!getcwd(here, sizeof(here))) {
		failure_set(fail, errno, "an absolute path", "where %s is: %s",
			    backing, strerror(errno));
		return -1;
	} else if (snprintf(path, RBLK_PATH_LEN, "%s/%s", here, backing) < RBLK_PATH_LEN) {
		return 0;
	}
	failure_set(fail, ENAMETOOLONG, "a link to it with a shorter path",
		    "%s%s%s is longer than %d characters", here, here[0] ? "/" : "", backing,
		    RBLK_PATH_LEN - 1);
	return -1;
}

static int add_fill(struct rblkt_ioc_export_add *add, const struct rblk_export_spec *spec,
		    struct rblk_failure *fail)
{
	memset(add, 0, sizeof(*add));
	add->size = sizeof(*add);
	add->flags = spec->flags;
	memcpy(add->uuid, spec->uuid, sizeof(add->uuid));
	if (uuid_is_null(add->uuid))
		uuid_generate(add->uuid);
	add->nr_hosts = spec->nr_hosts;
	add->hosts = (uintptr_t)spec->hosts;
	if (name_copy(add->name, spec->name, fail))
		return -1;
	return backing_path(spec->backing ? spec->backing : "", add->path, fail);
}

static int cgroup_open(const char *cgroup, struct rblk_failure *fail)
{
	char path[2 * RBLK_PATH_LEN];
	int fd;

	snprintf(path, sizeof(path), "%s/sys/fs/cgroup%s", node_root(), cgroup);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		failure_set(fail, errno, "'systemd-cgls' for those there are",
			    "cannot open control group %s: %s", cgroup, strerror(errno));
	return fd;
}

static int add_device(struct rblk *rblk, struct rblkt_ioc_export_add *add,
		      struct rblk_failure *fail)
{
	return control_try(rblk, RBLK_TARGET, RBLKT_IOC_EXPORT_ADD, add, &add->error, fail);
}

/* Return: 1 when the page cache is in the way, else as it is with a device. */
static int add_file(struct rblk *rblk, struct rblkt_ioc_export_add *add, __u64 size,
		    struct rblk_failure *fail)
{
	bool cached = false;
	struct loop loop;
	int err;

	if (loop_open(&loop, add->path, size, add->flags & RBLKT_EXPORT_READ_ONLY, fail))
		return -1;
	text_copy(add->path, sizeof(add->path), loop.device, strlen(loop.device));
	err = add_device(rblk, add, fail);
	if (!err)
		cached = loop_cached(&loop);
	loop_close(&loop, err);
	return err ? err : cached;
}

/* Hosts that prove a key want one of the target, too. */
static int give_for(struct rblk *rblk, unsigned int export_flags, struct rblk_failure *fail)
{
	return key_give(rblk, RBLK_TARGET,
			export_flags & RBLKT_EXPORT_INSECURE ? KEY_IF_THERE : KEY_NEEDED, fail);
}

/**
 * rblkt_export_add() - offer a block device, or a file
 * @rblk: the caller, or NULL
 * @spec: which, and to whom
 * @added: what was asked of the module: the device and its UUID
 * @fail: why it failed
 *
 * Return: 0; 1 when it is offered, but the file has no direct I/O; -1 with @fail filled in.
 */
int rblkt_export_add(struct rblk *rblk, const struct rblk_export_spec *spec,
		     struct rblkt_ioc_export_add *added, struct rblk_failure *fail)
{
	int err;

	if (add_fill(added, spec, fail) ||
	    (!spec->file && protection_require(added->path, fail)) ||
	    give_for(rblk, added->flags, fail))
		return -1;
	if (spec->cgroup) {
		added->cgroup_fd = cgroup_open(spec->cgroup, fail);
		if (added->cgroup_fd < 0)
			return -1;
		added->flags |= RBLKT_EXPORT_CGROUP;
	}
	err = spec->file ? add_file(rblk, added, spec->size, fail) :
			   add_device(rblk, added, fail);
	if (spec->cgroup)
		close(added->cgroup_fd);
	return err;
}

/**
 * rblkt_export_remove() - stop offering it
 * @rblk: the caller, or NULL
 * @name: which
 * @force: although hosts have it attached
 * @fail: why it failed
 *
 * Return: 0, or -1 with @fail filled in.
 */
int rblkt_export_remove(struct rblk *rblk, const char *name, bool force,
			struct rblk_failure *fail)
{
	struct rblkt_ioc_export_remove remove = {
		.size = sizeof(remove),
		.flags = force ? RBLKT_REMOVE_FORCE : 0,
	};

	if (name_copy(remove.name, name, fail))
		return -1;
	return control_try(rblk, RBLK_TARGET, RBLKT_IOC_EXPORT_REMOVE, &remove, &remove.error,
			   fail);
}

/* Who had no key in the list before may have one now. */
static enum key_need need_for(const struct rblkt_ioc_export_set *set)
{
	const struct rblk_ioc_host *hosts = (const void *)(uintptr_t)set->hosts;
	unsigned int i;

	if (set->what & RBLKT_SET_INSECURE && !(set->flags & RBLKT_EXPORT_INSECURE))
		return KEY_NEEDED;
	for (i = 0; i < set->nr_hosts && !(set->what & RBLKT_SET_DENY); i++)
		if (!key_is_none(hosts[i].key))
			return KEY_NEEDED;
	return KEY_IF_THERE;
}

/**
 * rblkt_export_set() - change an export that hosts may have attached
 * @rblk: the caller, or NULL
 * @set: what is to change, see rblk_ioctl.h; its size and error are filled in
 * @fail: why it failed, and nothing has changed
 *
 * Return: 0, or -1 with @fail filled in.
 */
int rblkt_export_set(struct rblk *rblk, struct rblkt_ioc_export_set *set,
		     struct rblk_failure *fail)
{
	set->size = sizeof(*set);
	if (need_for(set) == KEY_NEEDED && key_give(rblk, RBLK_TARGET, KEY_NEEDED, fail))
		return -1;
	return control_try(rblk, RBLK_TARGET, RBLKT_IOC_EXPORT_SET, set, &set->error, fail);
}

static int export_show(struct rblk *rblk, struct rblkt_ioc_export_show *show,
		       struct rblk_ioc_host hosts[RBLK_MAX_HOSTS], struct rblk_failure *fail)
{
	show->size = sizeof(*show);
	show->host_room = hosts ? RBLK_MAX_HOSTS : 0;
	show->hosts = (uintptr_t)hosts;
	return control_try(rblk, RBLK_TARGET, RBLKT_IOC_EXPORT_SHOW, show, &show->error, fail);
}

/**
 * rblkt_export_next() - the first export after another
 * @rblk: the caller, or NULL
 * @after: the other one's name, empty for the very first
 * @show: the export
 * @hosts: who may attach it, or NULL
 * @fail: why it failed
 *
 * Return: 1 when there is one, 0 when there is none, -1 with @fail filled in.
 */
int rblkt_export_next(struct rblk *rblk, const char *after, struct rblkt_ioc_export_show *show,
		      struct rblk_ioc_host hosts[RBLK_MAX_HOSTS], struct rblk_failure *fail)
{
	size_t len = strnlen(after, RBLK_NAME_LEN);
	char name[RBLK_NAME_LEN];

	memcpy(name, after, len);	/* which may be in @show */
	memset(show, 0, sizeof(*show));
	memcpy(show->name, name, len);
	show->flags = RBLKT_SHOW_NEXT;
	if (!export_show(rblk, show, hosts, fail))
		return 1;
	return fail->error == ENOENT && fail->stage ? 0 : -1;
}

/**
 * rblkt_export_get() - an export, who may and who does attach it
 * @rblk: the caller, or NULL
 * @name: which
 * @show: the export, with the numbers of both
 * @hosts: those who may
 * @users: those who do, to be freed
 * @fail: why it failed
 *
 * Return: 0, or -1 with @fail filled in and nothing to be freed.
 */
int rblkt_export_get(struct rblk *rblk, const char *name, struct rblkt_ioc_export_show *show,
		     struct rblk_ioc_host hosts[RBLK_MAX_HOSTS], struct rblkt_ioc_user **users,
		     struct rblk_failure *fail)
{
	unsigned int room = FIRST_USERS, round;

	*users = NULL;
	for (round = 0; round < MAX_ROUNDS; round++) {
		*users = list_room(*users, room, sizeof(**users), fail);
		if (!*users)
			return -1;
		memset(show, 0, sizeof(*show));
		show->user_room = room;
		show->users = (uintptr_t)*users;
		if (name_copy(show->name, name, fail) || export_show(rblk, show, hosts, fail)) {
			free(*users);
			return -1;
		}
		if (show->nr_users <= room)
			break;
		room = show->nr_users + FIRST_USERS;
	}
	if (show->nr_hosts > RBLK_MAX_HOSTS)
		show->nr_hosts = RBLK_MAX_HOSTS;
	if (show->nr_users > show->user_room)
		show->nr_users = show->user_room;
	return 0;
}

/* Some more hosts at the end of the list; @more is whether there may be others. */
static int stat_some(struct rblk *rblk, const char *name, struct rblkt_ioc_host_stat *hosts,
		     unsigned int *nr, bool *more, struct rblk_failure *fail)
{
	struct rblkt_ioc_stat stat = {
		.size = sizeof(stat),
		.skip = *nr,
		.room = RBLKT_STAT_HOSTS,
		.hosts = (uintptr_t)(hosts + *nr),
	};
	unsigned int left;

	if (name_copy(stat.name, name, fail) ||
	    control_try(rblk, RBLK_TARGET, RBLKT_IOC_STAT, &stat, &stat.error, fail))
		return -1;
	left = stat.nr > *nr ? stat.nr - *nr : 0;
	*nr += stat.room < left ? stat.room : left;
	*more = stat.room && stat.room < left;
	return 0;
}

/**
 * rblkt_export_stat() - what hosts have done with an export
 * @rblk: the caller, or NULL
 * @name: which
 * @hosts: the hosts that have had it, to be freed
 * @nr: how many
 * @fail: why it failed
 *
 * Return: 0, or -1 with @fail filled in and nothing to be freed.
 */
int rblkt_export_stat(struct rblk *rblk, const char *name, struct rblkt_ioc_host_stat **hosts,
		      unsigned int *nr, struct rblk_failure *fail)
{
	bool more;

	*hosts = NULL;
	*nr = 0;
	do {
		*hosts = list_room(*hosts, *nr + RBLKT_STAT_HOSTS, sizeof(**hosts), fail);
		if (!*hosts)
			return -1;
		if (stat_some(rblk, name, *hosts, nr, &more, fail)) {
			free(*hosts);
			return -1;
		}
	} while (more);
	return 0;
}
