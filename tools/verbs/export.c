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

/* A logical volume that could not be taken back is what is left. */
static int partly(const struct request *req, const struct rblk_failure *fail, int err)
{
	int status = failure_report(req, fail);

	return err > 0 ? EXIT_PARTLY : status;
}

static void put_volume(struct json_object *top, const char *key, const struct lv *lv)
{
	char name[2 * LV_NAME_LEN];

	snprintf(name, sizeof(name), "%s/%s", lv->group, lv->name);
	put_text(top, key, name);
}

static void added_json(const struct request *req, const struct rblkt_ioc_export_add *add,
		       const struct lv *made)
{
	struct json_object *top = json_object_new_object();
	char uuid[UUID_TEXT], file[RBLK_PATH_LEN];

	uuid_text(uuid, add->uuid);
	put_text(top, "name", req->export);
	put_text(top, "uuid", uuid);
	put_text(top, "device", add->path);
	if (request_has(req, OPTION_BACKING_FILE) && loop_file(add->path, file))
		put_text(top, "file", file);
	if (made)
		put_volume(top, "logical_volume", made);
	if (request_has(req, OPTION_CLONE_OF))
		put_text(top, "clone_of", req->clone_of);
	print_json(top);
}

/**
 * export_add_run() - the verb "export add"
 * @req: the request
 *
 * Return: an exit status.
 */
int export_add_run(struct request *req)
{
	bool makes = request_has(req, OPTION_POOL) || request_has(req, OPTION_CLONE_OF);
	struct rblkt_ioc_export_add add;
	struct rblk_failure fail;
	char uuid[UUID_TEXT];
	struct lv made;
	int err;

	err = save_check(req, &fail);
	if (!err)
		err = makes ? pool_add(req, &add, &made, &fail) : export_add(req, &add, &fail);
	if (err)
		return partly(req, &fail, err);
	uuid_text(uuid, add.uuid);
	if (request_has(req, OPTION_JSON)) {
		added_json(req, &add, makes ? &made : NULL);
	} else {
		puts(uuid);
		if (!add.nr_hosts && !(add.flags & RBLKT_EXPORT_ALLOW_ANY))
			tell_nobody(req);
	}
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
	bool destroy = request_has(req, OPTION_DESTROY);
	struct json_object *top;
	struct rblk_failure fail;
	struct lv lv;
	int err;

	if (destroy)
		err = pool_destroy(req, &lv, &fail);
	else
		err = rblkt_export_remove(rblk, req->export, request_has(req, OPTION_FORCE),
					  &fail);
	if (err)
		return partly(req, &fail, err);
	if (request_has(req, OPTION_JSON)) {
		top = json_object_new_object();
		put_text(top, "name", req->export);
		if (destroy)
			put_volume(top, "destroyed", &lv);
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
