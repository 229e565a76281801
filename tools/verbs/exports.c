// SPDX-License-Identifier: GPL-2.0-only
/* The verbs "export list" and "export show". */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/alloc.h"
#include "lib/loop.h"
#include "lib/node.h"
#include "lib/resolve.h"
#include "output/report.h"
#include "rblk_wire.h"
#include "verbs/ask.h"
#include "verbs/run.h"

#define FIRST_USERS	64
#define MAX_ROUNDS	8	/* hosts may come while we ask */

static const char *export_access(const struct rblkt_ioc_export_show *export)
{
	return access_text(export->export_flags & RBLKT_EXPORT_READ_ONLY,
			   export->export_flags & RBLKT_EXPORT_SHARED);
}

static const char *user_access(const struct rblkt_ioc_user *user)
{
	return access_text(!(user->access & RBLK_ACCESS_WRITE),
			   user->access & RBLK_ACCESS_SHARED);
}

/* Return: whether there is a file behind it; where not, @path is the device. */
static bool export_backing(const struct rblkt_ioc_export_show *export,
			   char path[RBLK_PATH_LEN])
{
	text_copy(path, RBLK_PATH_LEN, export->path,
		  strnlen(export->path, sizeof(export->path)));
	return loop_file(path, path);
}

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

static struct json_object *export_json(const struct rblkt_ioc_export_show *export)
{
	struct json_object *obj = json_object_new_object();
	char file[RBLK_PATH_LEN];

	put_chars(obj, "name", export->name, sizeof(export->name));
	put_chars(obj, "device", export->path, sizeof(export->path));
	if (export_backing(export, file))
		put_chars(obj, "file", file, sizeof(file));
	if (export->cgroup[0])
		put_chars(obj, "cgroup", export->cgroup, sizeof(export->cgroup));
	put_uuid(obj, "uuid", export->uuid);
	put_size(obj, "capacity", export->capacity);
	put_number(obj, "logical_block", export->logical_block);
	put_number(obj, "physical_block", export->physical_block);
	put_number(obj, "max_discard", export->max_discard);
	put_number(obj, "max_write_zeroes", export->max_write_zeroes);
	put_bool(obj, "read_only", export->export_flags & RBLKT_EXPORT_READ_ONLY);
	put_bool(obj, "shared", export->export_flags & RBLKT_EXPORT_SHARED);
	put_bool(obj, "allow_any", export->export_flags & RBLKT_EXPORT_ALLOW_ANY);
	put_bool(obj, "write_cache", export->wire_flags & RBLK_EXPF_WRITE_CACHE);
	put_bool(obj, "fua", export->wire_flags & RBLK_EXPF_FUA);
	put_bool(obj, "rotational", export->wire_flags & RBLK_EXPF_ROTATIONAL);
	put_number(obj, "nr_allowed", export->nr_hosts);
	put_number(obj, "nr_users", export->nr_users);
	return obj;
}

/* Return: 1 when there is one after @name, 0 when not, -1 with @fail filled in. */
static int export_next(int fd, struct rblkt_ioc_export_show *show,
		       const char name[RBLK_NAME_LEN], struct failure *fail)
{
	memset(show, 0, sizeof(*show));
	show->size = sizeof(*show);
	show->flags = RBLKT_SHOW_NEXT;
	memcpy(show->name, name, RBLK_NAME_LEN);
	if (!control_call(fd, RBLKT_IOC_EXPORT_SHOW, show, &show->error, fail))
		return 1;
	return fail->error == ENOENT ? 0 : -1;
}

/**
 * export_list_run() - the verb "export list"
 * @req: the request
 *
 * Return: an exit status.
 */
int export_list_run(struct request *req)
{
	static const char * const heading[] = {
		"NAME", "SIZE", "ACCESS", "ALLOWED", "USERS", "UUID", "DEVICE"
	};
	struct rblkt_ioc_export_show show;
	char name[RBLK_NAME_LEN] = "";
	struct report report;
	struct failure fail;
	int fd, got;

	fd = control_open(req, SIDE_TARGET);
	if (fd < 0)
		return EXIT_FAILED;
	report_start(&report, ARRAY_SIZE(heading), heading);
	while ((got = export_next(fd, &show, name, &fail)) > 0) {
		export_row(&report.table, &show);
		json_object_array_add(report.array, export_json(&show));
		memcpy(name, show.name, sizeof(name));
	}
	node_close(fd);
	return report_end(&report, req, got ? &fail : NULL, "exports");
}

/**
 * struct lists - who may and who does use an export
 * @hosts: who may
 * @users: who does
 * @nr_users: entries of @users
 */
struct lists {
	__u8 hosts[RBLK_MAX_HOSTS][UUID_BYTES];
	struct rblkt_ioc_user *users;
	unsigned int nr_users;
};

static int export_get(const struct request *req, struct rblkt_ioc_export_show *show,
		      struct lists *lists)
{
	unsigned int room = FIRST_USERS, round;

	for (round = 0; round < MAX_ROUNDS; round++) {
		lists->users = must_alloc(lists->users, room, sizeof(*lists->users));
		memset(show, 0, sizeof(*show));
		show->size = sizeof(*show);
		memcpy(show->name, req->export, sizeof(show->name));
		show->host_room = RBLK_MAX_HOSTS;
		show->hosts = (uintptr_t)lists->hosts;
		show->user_room = room;
		show->users = (uintptr_t)lists->users;
		if (control_once(req, SIDE_TARGET, RBLKT_IOC_EXPORT_SHOW, show, &show->error))
			return -1;
		if (show->nr_users <= room)
			break;
		room = show->nr_users + FIRST_USERS;
	}
	if (show->nr_hosts > RBLK_MAX_HOSTS)
		show->nr_hosts = RBLK_MAX_HOSTS;
	lists->nr_users = show->nr_users <= show->user_room ? show->nr_users : show->user_room;
	return 0;
}

static struct json_object *lists_json(const struct rblkt_ioc_export_show *show,
				      const struct lists *lists)
{
	struct json_object *obj = export_json(show), *hosts, *users, *user;
	char uuid[UUID_TEXT];
	unsigned int i;

	hosts = json_object_new_array();
	for (i = 0; i < show->nr_hosts; i++) {
		uuid_text(uuid, lists->hosts[i]);
		json_object_array_add(hosts, json_object_new_string(uuid));
	}
	json_object_object_add(obj, "allowed", hosts);
	users = json_object_new_array();
	for (i = 0; i < lists->nr_users; i++) {
		user = json_object_new_object();
		put_uuid(user, "host", lists->users[i].host);
		put_chars(user, "name", lists->users[i].name, RBLK_NAME_LEN);
		put_uuid(user, "session", lists->users[i].session);
		put_addr(user, "address", &lists->users[i].peer);
		put_text(user, "access", user_access(&lists->users[i]));
		put_bool(user, "draining", lists->users[i].draining);
		put_number(user, "inflight", lists->users[i].inflight);
		json_object_array_add(users, user);
	}
	json_object_object_add(obj, "users", users);
	return obj;
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

static void lists_print(const struct rblkt_ioc_export_show *show, const struct lists *lists)
{
	char uuid[UUID_TEXT], addr[ADDR_TEXT];
	const struct rblkt_ioc_user *user;
	unsigned int i;

	if (show->export_flags & RBLKT_EXPORT_ALLOW_ANY)
		row_print("allowed", "any host");
	else if (!show->nr_hosts)
		row_print("allowed", "no host");
	for (i = 0; i < show->nr_hosts; i++) {
		uuid_text(uuid, lists->hosts[i]);
		row_print("allowed", "%s", uuid);
	}
	for (i = 0; i < lists->nr_users; i++) {
		user = &lists->users[i];
		uuid_text(uuid, user->host);
		addr_text(addr, &user->peer);
		row_print("used by", "%.*s %s at %s, %s, %u in flight%s", RBLK_NAME_LEN,
			  user->name, uuid, addr, user_access(user), user->inflight,
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
	struct lists lists = { .users = NULL };
	struct rblkt_ioc_export_show show;
	int err = export_get(req, &show, &lists);

	if (!err && request_has(req, OPTION_JSON)) {
		print_json(lists_json(&show, &lists));
	} else if (!err) {
		export_print(&show);
		lists_print(&show, &lists);
	}
	free(lists.users);
	return err ? EXIT_FAILED : EXIT_OK;
}
