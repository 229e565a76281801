// SPDX-License-Identifier: GPL-2.0-only
/* The verbs "list", "show" and "set". */
#include <errno.h>
#include <limits.h>
#include <stdio.h>

#include "lib/change.h"
#include "lib/node.h"
#include "lib/sysfs.h"
#include "lib/volumes.h"
#include "output/failure.h"
#include "output/output.h"
#include "output/report.h"
#include "rblk_wire.h"
#include "verbs/ask.h"
#include "verbs/run.h"

static const char *volume_access(const struct rblk_ioc_volume *volume)
{
	return access_text((volume->access & RBLK_ATTACH_READ_ONLY) ||
			   (volume->flags & RBLK_EXPF_READ_ONLY),
			   volume->access & RBLK_ATTACH_SHARED);
}

/* The initiator's node, or for who may not open it VOLUMES_SYSFS. */
static int volumes_open(const struct request *req)
{
	struct failure fail;
	int fd = control_reach(SIDE_INITIATOR, &fail);

	if (fd >= 0)
		return fd;
	if (fail.error == EACCES || fail.error == EPERM)
		return VOLUMES_SYSFS;
	failure_report(req, &fail);
	return -1;
}

/* What sysfs does not have must not look as if it were 0. */
static void volumes_close(int fd)
{
	if (fd == VOLUMES_SYSFS)
		fputs("rblkctl: this is what sysfs shows; what has '-', or null, needs root\n"
		      "  try: sudo rblkctl\n", stderr);
	else
		node_close(fd);
}

static void json_forget(struct json_object *obj, const char * const *keys, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		json_object_object_add(obj, keys[i], NULL);
}

static void volume_row(struct table *t, const struct rblk_ioc_volume *volume, bool partial)
{
	char size[SIZE_TEXT];

	text_size(size, volume->capacity);
	table_cell(t, "/dev/rblk%d", volume->index);
	table_text(t, volume->target_text, sizeof(volume->target_text));
	table_text(t, volume->export, sizeof(volume->export));
	table_cell(t, "%s", size);
	table_cell(t, "%s", partial ? "-" : volume_access(volume));
	table_cell(t, "%s", volume_state_text(volume->state));
	table_text(t, volume->reason, sizeof(volume->reason));
}

static struct json_object *volume_json(const struct rblk_ioc_volume *volume, bool partial)
{
	static const char * const unknown[] = {
		"access", "down_seconds", "paused_ms", "openers", "inflight", "read_only"
	};
	struct json_object *obj = json_object_new_object();
	char device[32], link[LINK_TEXT];

	snprintf(device, sizeof(device), "/dev/rblk%d", volume->index);
	volume_link(link, volume);
	put_text(obj, "device", device);
	put_text(obj, "link", link);
	put_number(obj, "index", volume->index);
	put_chars(obj, "target", volume->target_text, sizeof(volume->target_text));
	put_chars(obj, "export", volume->export, sizeof(volume->export));
	put_uuid(obj, "uuid", volume->uuid);
	put_size(obj, "capacity", volume->capacity);
	put_number(obj, "logical_block", volume->logical_block);
	put_number(obj, "physical_block", volume->physical_block);
	put_text(obj, "access", volume_access(volume));
	put_text(obj, "state", volume_state_text(volume->state));
	put_chars(obj, "reason", volume->reason, sizeof(volume->reason));
	put_number(obj, "down_seconds", volume->down_seconds);
	put_number(obj, "paused_ms", volume->paused_ms);
	put_number(obj, "queue_timeout", volume->queue_timeout);
	put_number(obj, "openers", volume->openers);
	put_number(obj, "inflight", volume->inflight);
	put_bool(obj, "read_only", volume->flags & RBLK_EXPF_READ_ONLY);
	put_bool(obj, "write_cache", volume->flags & RBLK_EXPF_WRITE_CACHE);
	put_bool(obj, "fua", volume->flags & RBLK_EXPF_FUA);
	put_bool(obj, "rotational", volume->flags & RBLK_EXPF_ROTATIONAL);
	put_bool(obj, "stable_writes", volume->flags & RBLK_EXPF_STABLE_WRITES);
	if (partial)
		json_forget(obj, unknown, ARRAY_SIZE(unknown));
	return obj;
}

/* Both forms at once: which one is printed is decided when all are known. */
static int list_all(int fd, struct table *t, struct json_object *array,
		    struct failure *fail)
{
	struct rblk_ioc_show show;
	int at = 0, got;

	while ((got = volumes_next(fd, at, &show, fail)) > 0) {
		volume_row(t, &show.volume, fd == VOLUMES_SYSFS);
		json_object_array_add(array, volume_json(&show.volume, fd == VOLUMES_SYSFS));
		at = show.volume.index == INT_MAX ? -1 : show.volume.index + 1;
	}
	return got;
}

/**
 * list_run() - the verb "list"
 * @req: the request
 *
 * Return: an exit status.
 */
int list_run(struct request *req)
{
	static const char * const heading[] = {
		"DEVICE", "TARGET", "EXPORT", "SIZE", "ACCESS", "STATE", "REASON"
	};
	struct failure fail;
	struct report report;
	int fd, err;

	fd = volumes_open(req);
	if (fd == -1)
		return EXIT_FAILED;
	report_start(&report, ARRAY_SIZE(heading), heading);
	err = list_all(fd, &report.table, report.array, &fail);
	volumes_close(fd);
	return report_end(&report, req, err ? &fail : NULL, "volumes");
}

static void volume_print(const struct rblk_ioc_volume *volume, bool partial)
{
	char uuid[UUID_TEXT], size[SIZE_TEXT], timeout[SIZE_TEXT], link[LINK_TEXT];

	uuid_text(uuid, volume->uuid);
	text_size(size, volume->capacity);
	timeout_text(timeout, volume->queue_timeout);
	volume_link(link, volume);
	row_print("device", "/dev/rblk%d", volume->index);
	row_print("link", "%s", link);
	row_print("target", "%.*s", RBLK_PATH_LEN, volume->target_text);
	row_print("export", "%.*s", RBLK_NAME_LEN, volume->export);
	row_print("uuid", "%s", uuid);
	row_print("size", "%s (%llu bytes)", size, volume->capacity);
	row_print("blocks", "%u logical, %u physical", volume->logical_block,
		  volume->physical_block);
	row_print("access", "%s", partial ? "-" : volume_access(volume));
	row_print("write cache", "%s",
		  !(volume->flags & RBLK_EXPF_WRITE_CACHE) ? "none" :
		  volume->flags & RBLK_EXPF_FUA ? "volatile, FUA" : "volatile");
	row_print("state", "%s", volume_state_text(volume->state));
	if (volume->reason[0])
		row_print("reason", "%.*s", RBLK_ERROR_LEN, volume->reason);
	if (volume->down_seconds)
		row_print("down for", "%us", volume->down_seconds);
	if (volume->paused_ms)
		row_print("paused", "by its target, for another %u s",
			  (volume->paused_ms + 999) / 1000);
	row_print("queue timeout", "%s", timeout);
	if (partial) {
		row_print("openers", "-");
		row_print("in flight", "-");
		return;
	}
	row_print("openers", "%u", volume->openers);
	row_print("in flight", "%u", volume->inflight);
}

static struct json_object *show_json(const struct rblk_ioc_show *show, bool partial)
{
	static const char * const unknown[] = {
		"target", "local", "device", "max_io", "inline_write", "features", "volumes",
		"silence_ms"
	};
	struct json_object *top = volume_json(&show->volume, partial);
	struct json_object *session = session_json(&show->session, "target");

	if (partial)
		json_forget(session, unknown, ARRAY_SIZE(unknown));
	json_object_object_add(top, "session", session);
	return top;
}

/**
 * show_run() - the verb "show"
 * @req: the request
 *
 * Return: an exit status.
 */
int show_run(struct request *req)
{
	struct rblk_ioc_show show;
	struct failure fail;
	bool partial;
	int fd, err;

	fd = volumes_open(req);
	if (fd == -1)
		return EXIT_FAILED;
	partial = fd == VOLUMES_SYSFS;
	err = volumes_find(fd, &req->volume, &show, &fail);
	volumes_close(fd);
	if (err)
		return failure_report(req, &fail);
	if (request_has(req, OPTION_JSON)) {
		print_json(show_json(&show, partial));
		return EXIT_OK;
	}
	volume_print(&show.volume, partial);
	puts("\nsession");
	session_print(&show.session, partial ? NULL : "target");
	return EXIT_OK;
}

/**
 * set_run() - the verb "set"
 * @req: the request
 *
 * Return: an exit status.
 */
int set_run(struct request *req)
{
	struct rblk_ioc_show show;
	struct failure fail;
	int fd, err;

	fd = control_open(req, SIDE_INITIATOR);
	if (fd < 0)
		return EXIT_FAILED;
	err = volumes_find(fd, &req->volume, &show, &fail);
	node_close(fd);
	if (err || volume_policy(show.volume.index, show.volume.uuid, req->queue_timeout, &fail))
		return failure_report(req, &fail);
	if (request_has(req, OPTION_JSON)) {
		show.volume.queue_timeout = req->queue_timeout;
		print_json(volume_json(&show.volume, false));
	}
	return EXIT_OK;
}
