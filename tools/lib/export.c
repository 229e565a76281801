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

#include "lib/change.h"
#include "lib/loop.h"
#include "lib/node.h"

/*
 * The module opens the path in its own time and shows it for ever: it has to
 * be absolute. Links are kept, as /dev/disk/by-id names outlive a reboot.
 */
static int backing_path(const struct request *req, char path[RBLK_PATH_LEN],
			struct failure *fail)
{
	char here[PATH_MAX];

	if (req->backing[0] == '/') {
		text_copy(path, RBLK_PATH_LEN, req->backing, strlen(req->backing));
		return 0;
	}
	if (!getcwd(here, sizeof(here))) {
		failure_set(fail, errno, "an absolute path", "where %s is: %s",
			    req->backing, strerror(errno));
		return -1;
	}
	if (snprintf(path, RBLK_PATH_LEN, "%s/%s", here, req->backing) < RBLK_PATH_LEN)
		return 0;
	failure_set(fail, ENAMETOOLONG, "a link to it with a shorter path",
		    "%s/%s is longer than %d characters", here, req->backing,
		    RBLK_PATH_LEN - 1);
	return -1;
}

static void add_fill(struct rblkt_ioc_export_add *add, const struct request *req)
{
	memset(add, 0, sizeof(*add));
	add->size = sizeof(*add);
	if (request_has(req, OPTION_READ_ONLY))
		add->flags |= RBLKT_EXPORT_READ_ONLY;
	if (request_has(req, OPTION_SHARED))
		add->flags |= RBLKT_EXPORT_SHARED;
	if (request_has(req, OPTION_ALLOW_ANY))
		add->flags |= RBLKT_EXPORT_ALLOW_ANY;
	memcpy(add->name, req->export, sizeof(add->name));
	if (request_has(req, OPTION_UUID))
		memcpy(add->uuid, req->uuid, sizeof(add->uuid));
	else
		uuid_generate(add->uuid);
	add->nr_hosts = req->nr_allowed;
	add->hosts = (uintptr_t)req->allowed;
}

static int cgroup_open(const struct request *req, struct failure *fail)
{
	char path[2 * RBLK_PATH_LEN];
	int fd;

	snprintf(path, sizeof(path), "%s/sys/fs/cgroup%s", node_root(), req->cgroup);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		failure_set(fail, errno, "'systemd-cgls' for those there are",
			    "cannot open control group %s: %s", req->cgroup, strerror(errno));
	return fd;
}

static int add_file(const struct request *req, struct rblkt_ioc_export_add *add,
		    struct failure *fail)
{
	struct loop loop;
	int err;

	if (loop_open(&loop, add->path, req->size, request_has(req, OPTION_READ_ONLY), fail))
		return -1;
	text_copy(add->path, sizeof(add->path), loop.device, strlen(loop.device));
	err = control_try(SIDE_TARGET, RBLKT_IOC_EXPORT_ADD, add, &add->error, fail);
	loop_close(&loop, err);
	return err;
}

/**
 * export_add() - offer a block device, or a file
 * @req: which, and to whom
 * @add: what was asked of the module
 * @fail: why it failed
 *
 * Return: 0, or -1 with @fail filled in.
 */
int export_add(const struct request *req, struct rblkt_ioc_export_add *add,
	       struct failure *fail)
{
	int err;

	add_fill(add, req);
	if (backing_path(req, add->path, fail))
		return -1;
	if (request_has(req, OPTION_CGROUP)) {
		add->cgroup_fd = cgroup_open(req, fail);
		if (add->cgroup_fd < 0)
			return -1;
		add->flags |= RBLKT_EXPORT_CGROUP;
	}
	if (request_has(req, OPTION_BACKING_FILE))
		err = add_file(req, add, fail);
	else
		err = control_try(SIDE_TARGET, RBLKT_IOC_EXPORT_ADD, add, &add->error, fail);
	if (request_has(req, OPTION_CGROUP))
		close(add->cgroup_fd);
	return err;
}

/**
 * export_remove() - stop offering it
 * @req: which, with --force or without
 * @fail: why it failed
 *
 * Return: 0, or -1 with @fail filled in.
 */
int export_remove(const struct request *req, struct failure *fail)
{
	struct rblkt_ioc_export_remove remove = {
		.size = sizeof(remove),
		.flags = request_has(req, OPTION_FORCE) ? RBLKT_REMOVE_FORCE : 0,
	};

	memcpy(remove.name, req->export, sizeof(remove.name));
	return control_try(SIDE_TARGET, RBLKT_IOC_EXPORT_REMOVE, &remove, &remove.error, fail);
}
