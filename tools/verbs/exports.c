// SPDX-License-Identifier: GPL-2.0-only
/* The verbs "export list" and "export show". */
#include <stdio.h>
#include <stdlib.h>

#include "lib/protection.h"
#include "output/failure.h"
#include "output/report.h"
#include "rblk_wire.h"
#include "system/change.h"
#include "verbs/run.h"

static void export_row(struct table *t, const struct rblkt_ioc_export_show *export)
{
	char size[SIZE_TEXT], uuid[UUID_TEXT], backing[RBLK_PATH_LEN];

	text_size(size, export->capacity);
	uuid_text(uuid, export->uuid);
	export_backing(export, backing);
	table_text(t, export->name, sizeof(export->name));
	table_cell(t, "%s", size);
	table_cell(t, "%s", export_access(export));
	if (export->export_flags & RBLKT_EXPORT_ALLOW_ANY)
		table_cell(t, "any");
	else
		table_cell(t, "%u", export->nr_hosts);
	table_cell(t, "%u", export->nr_users);
	table_cell(t, "%s", uuid);
	table_text(t, backing, sizeof(backing));
}

/**
 * export_list_run() - the verb "export list"
 * @req: the request
 *
 * Return: an exit status.
 */
int export_list_run(struct request *req)
{
	struct rblkt_ioc_export_show show = { .name = "" };
	struct rblk_failure fail;
	struct report report;
	int got;

	report_start(&report, req);
	while ((got = rblkt_export_next(rblk, show.name, &show, NULL, &fail)) > 0) {
		export_row(&report.table, &show);
		json_object_array_add(report.array, rblkt_export_json(&show, NULL, NULL));
	}
	return report_end(&report, req, got ? &fail : NULL, "exports");
}

/* Who does what it is for. */
static void protection_print(const char *device)
{
	struct protection disk;

	if (protection_find(device, &disk))
		row_print("protection", "%s of %s, %s on writes, %s on reads", disk.format,
			  disk.disk, disk.made ? "made" : "not made",
			  disk.checked ? "checked" : "not checked");
}

static void export_print(const struct rblkt_ioc_export_show *show)
{
	char uuid[UUID_TEXT], size[SIZE_TEXT], file[RBLK_PATH_LEN];

	uuid_text(uuid, show->uuid);
	text_size(size, show->capacity);
	row_print("name", "%.*s", RBLK_NAME_LEN, show->name);
	row_print("device", "%.*s", RBLK_PATH_LEN, show->path);
	if (export_backing(show, file))
		row_print("file", "%s", file);
	else
		protection_print(file);
	if (show->export_flags & RBLKT_EXPORT_REALTIME)
		row_print("priority", "hosts may use the real-time class");
	if (show->cgroup[0])
		row_print("cgroup", "%.*s", RBLK_PATH_LEN, show->cgroup);
	row_print("uuid", "%s", uuid);
	row_print("size", "%s (%llu bytes)", size, show->capacity);
	row_print("blocks", "%u logical, %u physical", show->logical_block,
		  show->physical_block);
	row_print("access", "%s", export_access(show));
	row_print("write cache", "%s",
		  show->wire_flags & RBLK_EXPF_WRITE_CACHE ? "volatile" : "none");
	row_print("discard", "%u bytes at once", show->max_discard);
	row_print("write zeroes", "%u bytes at once", show->max_write_zeroes);
}

static void lists_print(const struct rblkt_ioc_export_show *show,
			const struct rblk_ioc_host *hosts, const struct rblkt_ioc_user *user)
{
	char text[HOST_TEXT], addr[RBLK_ADDRESS_TEXT];
	bool insecure = show->export_flags & RBLKT_EXPORT_INSECURE;
	unsigned int i;

	if (insecure)
		row_print("insecure", "hosts need not prove a key");
	if (show->export_flags & RBLKT_EXPORT_ALLOW_ANY)
		row_print("allowed", insecure ? "any host" : "any host that proves a key");
	else if (!show->nr_hosts)
		row_print("allowed", "no host");
	for (i = 0; i < show->nr_hosts; i++) {
		host_text(text, &hosts[i]);
		row_print("allowed", "%s%s", text, insecure || !key_is_none(hosts[i].key) ? "" :
			  ", which proves nothing, so it may not");
	}
	for (i = 0; i < show->nr_users; i++, user++) {
		if (key_is_none(user->key))
			uuid_text(text, user->host);
		else
			key_text(text, user->key);
		rblk_address_text(addr, &user->peer);
		row_print("used by", "%.*s %s at %s, %s, %u in flight%s", RBLK_NAME_LEN,
			  user->name, text, addr, user_access(user), user->inflight,
			  user->draining ? ", draining" : "");
	}
}

/**
 * export_show_run() - the verb "export show"
 * @req: the request
 *
 * Return: an exit status.
 */
int export_show_run(struct request *req)
{
	struct rblk_ioc_host hosts[RBLK_MAX_HOSTS];
	struct rblkt_ioc_export_show show;
	struct rblkt_ioc_user *users;
	struct rblk_failure fail;

	if (rblkt_export_get(rblk, req->export, &show, hosts, &users, &fail))
		return failure_report(req, &fail);
	if (request_has(req, OPTION_JSON)) {
		print_json(rblkt_export_json(&show, hosts, users));
	} else {
		export_print(&show);
		lists_print(&show, hosts, users);
	}
	free(users);
	return EXIT_OK;
}
