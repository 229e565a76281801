// SPDX-License-Identifier: GPL-2.0-only
/* The verbs "list", "show" and "set". */
#include <stdio.h>
#include <string.h>

#include "system/change.h"
#include "lib/volumes.h"
#include "output/failure.h"
#include "output/output.h"
#include "output/report.h"
#include "rblk_wire.h"
#include "verbs/run.h"

static void say_partial(void)
{
	fputs("rblkctl: this is what sysfs shows; what has '-', or null, needs root\n"
	      "  try: sudo rblkctl\n", stderr);
}

static void volume_row(struct table *t, const struct rblk_ioc_volume *volume, bool partial)
{
	char size[SIZE_TEXT];

	text_size(size, volume->capacity);
	table_cell(t, "/dev/rblk%d", volume->index);
	table_text(t, volume->target_text, sizeof(volume->target_text));
	table_text(t, volume->export_name, sizeof(volume->export_name));
	table_cell(t, "%s", size);
	table_cell(t, "%s", partial ? "-" : volume_access(volume));
	table_cell(t, "%s", rblk_volume_state_text(volume->state));
	table_text(t, volume->reason, sizeof(volume->reason));
	table_cell(t, "%s", volume->flags & RBLK_EXPF_DIGEST ? "yes" : "no");
}

/**
 * list_run() - the verb "list"
 * @req: the request
 *
 * Return: an exit status.
 */
int list_run(struct request *req)
{
	struct rblk_ioc_show show;
	struct rblk_failure fail;
	struct report report;
	bool partial = false;
	int at = 0, got;

	/* Both forms at once: which one is printed is decided when all are known. */
	report_start(&report, req);
	while ((got = rblk_volume_next(rblk, at, &show, &partial, &fail)) > 0) {
		volume_row(&report.table, &show.volume, partial);
		json_object_array_add(report.array, rblk_volume_json(&show.volume, partial));
		at = volume_after(&show);
	}
	if (partial)
		say_partial();
	return report_end(&report, req, got ? &fail : NULL, "volumes");
}

static void digest_print(const struct rblk_ioc_volume *volume)
{
	if (!(volume->flags & RBLK_EXPF_DIGEST))
		row_print("digest", "none");
	else
		row_print("digest", "CRC32C, %llu mismatches mended, %llu not",
			  volume->digest_mended, volume->digest_failed);
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
	row_print("export", "%.*s", RBLK_NAME_LEN, volume->export_name);
	row_print("uuid", "%s", uuid);
	row_print("size", "%s (%llu bytes)", size, volume->capacity);
	row_print("blocks", "%u logical, %u physical", volume->logical_block,
		  volume->physical_block);
	row_print("access", "%s", partial ? "-" : volume_access(volume));
	row_print("write cache", "%s", partial ? "-" :
		  !(volume->flags & RBLK_EXPF_WRITE_CACHE) ? "none" :
		  volume->flags & RBLK_EXPF_FUA ? "volatile, FUA" : "volatile");
	digest_print(volume);
	state_print("state", rblk_volume_state_text(volume->state));
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

static struct json_object *routes_json(int index)
{
	struct json_object *array = json_object_new_array();
	struct rblk_ioc_route routes[RBLK_MAX_ROUTES];
	struct rblk_failure fail;
	unsigned int nr = 0, i;

	if (!rblk_routes(rblk, index, routes, &nr, &fail))
		for (i = 0; i < nr; i++)
			json_object_array_add(array, rblk_route_json(&routes[i]));
	return array;
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
	struct json_object *top;
	struct rblk_failure fail;
	bool partial;
	int err;

	err = rblk_volume_find(rblk, req->volume.text, &show, &partial, &fail);
	if (partial)
		say_partial();
	if (err)
		return failure_report(req, &fail);
	if (request_has(req, OPTION_JSON)) {
		top = rblk_volume_json(&show.volume, partial);
		put_object(top, "session",
			   rblk_session_json(&show.session, RBLK_INITIATOR, partial));
		if (show.volume.routes > 1)
			put_object(top, "each_route", routes_json(show.volume.index));
		print_json(top);
		return EXIT_OK;
	}
	volume_print(&show.volume, partial);
	if (!partial)
		route_print(&show.volume);
	puts("\nsession");
	session_print(&show.session, partial ? NULL : "target");
	return EXIT_OK;
}

static bool has_key(const struct request *req, const __u8 key[KEY_BYTES])
{
	unsigned int i;

	for (i = 0; i < req->nr_target_keys; i++)
		if (!memcmp(req->target_key[i], key, KEY_BYTES))
			return true;
	return false;
}

/* Which may be right: the target is about to change its key. */
static void warn_other_key(const struct request *req, const struct rblk_ioc_session *session)
{
	char key[KEY_TEXT];

	if (key_is_none(session->peer_key) || has_key(req, session->peer_key))
		return;
	key_text(key, session->peer_key);
	fprintf(stderr, "rblkctl: the target has the key %s, which is none of these:\n"
		"rblkctl: when it next connects, it must prove one of these\n", key);
}

static int set_keys(const struct request *req, const struct rblk_ioc_show *show,
		    struct rblk_failure *fail)
{
	if (!request_has(req, OPTION_TARGET_KEY))
		return 0;
	if (rblk_set_target_keys(rblk, show->volume.index, show->volume.uuid, req->target_key,
				 fail))
		return -1;
	warn_other_key(req, &show->session);
	return 0;
}

static int set_timeout(const struct request *req, struct rblk_ioc_show *show,
		       struct rblk_failure *fail)
{
	if (!request_has(req, OPTION_QUEUE_TIMEOUT))
		return 0;
	if (rblk_set_queue_timeout(rblk, show->volume.index, show->volume.uuid,
				   req->queue_timeout, fail))
		return -1;
	show->volume.queue_timeout = req->queue_timeout;
	return 0;
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
	struct rblk_failure fail;

	if (rblk_volume_find(rblk, req->volume.text, &show, NULL, &fail) ||
	    set_keys(req, &show, &fail) || set_timeout(req, &show, &fail))
		return failure_report(req, &fail);
	if (request_has(req, OPTION_JSON))
		print_json(rblk_volume_json(&show.volume, false));
	return EXIT_OK;
}
