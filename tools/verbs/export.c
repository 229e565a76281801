// SPDX-License-Identifier: GPL-2.0-only
/* The verbs that change exports: "export add", "remove", "set", "allow" and "deny". */
#include <stdio.h>

#include "config/run.h"
#include "system/change.h"
#include "lib/loop.h"
#include "output/failure.h"
#include "output/output.h"
#include "verbs/run.h"

/* Or who tries to attach it is the first to learn. */
static void tell_nobody(const struct request *req)
{
	fprintf(stderr,
		"rblkctl: no host may attach %s yet; try: rblkctl export allow %s and the key that 'rblkctl key' prints on the host\n",
		req->export, req->export);
}

/**
 * export_add_run() - the verb "export add"
 * @req: the request
 *
 * Return: an exit status.
 */
int export_add_run(struct request *req)
{
	char uuid[UUID_TEXT], file[RBLK_PATH_LEN];
	struct rblkt_ioc_export_add add;
	struct json_object *top;
	struct rblk_failure fail;

	if (save_check(req, &fail) || export_add(req, &add, &fail))
		return failure_report(req, &fail);
	uuid_text(uuid, add.uuid);
	if (!request_has(req, OPTION_JSON)) {
		puts(uuid);
		if (!add.nr_hosts && !(add.flags & RBLKT_EXPORT_ALLOW_ANY))
			tell_nobody(req);
		return save_added(req, ITEM_EXPORT, NULL, -1);
	}
	top = json_object_new_object();
	put_text(top, "name", req->export);
	put_text(top, "uuid", uuid);
	put_text(top, "device", add.path);
	if (request_has(req, OPTION_BACKING_FILE) && loop_file(add.path, file))
		put_text(top, "file", file);
	print_json(top);
	return save_added(req, ITEM_EXPORT, NULL, -1);
}

/**
 * export_remove_run() - the verb "export remove"
 * @req: the request
 *
 * Return: an exit status.
 */
int export_remove_run(struct request *req)
{
	struct json_object *top;
	struct rblk_failure fail;

	if (rblkt_export_remove(rblk, req->export, request_has(req, OPTION_FORCE), &fail))
		return failure_report(req, &fail);
	if (request_has(req, OPTION_JSON)) {
		top = json_object_new_object();
		put_text(top, "name", req->export);
		print_json(top);
	}
	return EXIT_OK;
}

/**
 * export_set_run() - the verbs "export set", "export allow" and "export deny"
 * @req: the request
 *
 * Return: an exit status.
 */
int export_set_run(struct request *req)
{
	struct rblkt_ioc_export_set set;
	struct json_object *top;
	struct rblk_failure fail;

	if (export_change(req, &set, &fail))
		return failure_report(req, &fail);
	if (request_has(req, OPTION_JSON)) {
		top = json_object_new_object();
		put_text(top, "name", set.what & RBLKT_SET_NAME ? set.new_name : set.name);
		print_json(top);
	}
	return EXIT_OK;
}
