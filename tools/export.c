// SPDX-License-Identifier: GPL-2.0-only
/* The verbs "export add" and "export remove". */
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uuid/uuid.h>

#include "control.h"
#include "output.h"
#include "verbs.h"

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

/**
 * export_add_run() - the verb "export add"
 * @req: the request
 *
 * Return: an exit status.
 */
int export_add_run(struct request *req)
{
	struct rblkt_ioc_export_add add;
	char uuid[UUID_TEXT];
	struct json_object *top;
	struct failure fail;

	add_fill(&add, req);
	if (backing_path(req, add.path, &fail))
		return failure_report(req, &fail);
	if (control_once(req, SIDE_TARGET, RBLKT_IOC_EXPORT_ADD, &add, &add.error))
		return EXIT_FAILED;
	uuid_text(uuid, add.uuid);
	if (!request_has(req, OPTION_JSON)) {
		puts(uuid);
		return EXIT_OK;
	}
	top = json_object_new_object();
	put_text(top, "name", req->export);
	put_text(top, "uuid", uuid);
	put_text(top, "device", add.path);
	print_json(top);
	return EXIT_OK;
}

/**
 * export_remove_run() - the verb "export remove"
 * @req: the request
 *
 * Return: an exit status.
 */
int export_remove_run(struct request *req)
{
	struct rblkt_ioc_export_remove remove = {
		.size = sizeof(remove),
		.flags = request_has(req, OPTION_FORCE) ? RBLKT_REMOVE_FORCE : 0,
	};
	struct json_object *top;

	memcpy(remove.name, req->export, sizeof(remove.name));
	if (control_once(req, SIDE_TARGET, RBLKT_IOC_EXPORT_REMOVE, &remove, &remove.error))
		return EXIT_FAILED;
	if (request_has(req, OPTION_JSON)) {
		top = json_object_new_object();
		put_text(top, "name", req->export);
		print_json(top);
	}
	return EXIT_OK;
}
