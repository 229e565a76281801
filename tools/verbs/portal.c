// SPDX-License-Identifier: GPL-2.0-only
/* The verbs of portals: what the target listens to. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "lib/alloc.h"
#include "lib/change.h"
#include "lib/resolve.h"
#include "output/failure.h"
#include "output/report.h"
#include "verbs/verbs.h"

#define FIRST_ROOM	32
#define MAX_ROUNDS	8	/* the list may grow while we ask */

static int portal_address(const struct request *req, struct rblk_ioc_addr *addr,
			  struct failure *fail)
{
	struct addresses found;

	if (resolve(&req->target, AF_UNSPEC, &found, fail))
		return -1;
	*addr = found.addr[0];
	return 0;
}

static int portal_done(const struct request *req, const struct rblk_ioc_addr *addr)
{
	struct json_object *top;

	if (request_has(req, OPTION_JSON)) {
		top = json_object_new_object();
		put_addr(top, "address", addr);
		print_json(top);
	}
	return EXIT_OK;
}

/**
 * portal_add() - listen on an address
 * @req: which
 * @addr: the address that was meant
 * @fail: why it failed
 *
 * Return: 0, or -1 with @fail filled in.
 */
int portal_add(const struct request *req, struct rblk_ioc_addr *addr, struct failure *fail)
{
	struct rblkt_ioc_portal_add add = { .size = sizeof(add) };

	if (portal_address(req, &add.addr, fail))
		return -1;
	*addr = add.addr;
	return control_try(SIDE_TARGET, RBLKT_IOC_PORTAL_ADD, &add, &add.error, fail);
}

/**
 * portal_remove() - stop listening
 * @req: where, with --force or without
 * @addr: the address that was meant
 * @fail: why it failed
 *
 * Return: 0, or -1 with @fail filled in.
 */
int portal_remove(const struct request *req, struct rblk_ioc_addr *addr,
		  struct failure *fail)
{
	struct rblkt_ioc_portal_remove remove = {
		.size = sizeof(remove),
		.flags = request_has(req, OPTION_FORCE) ? RBLKT_REMOVE_FORCE : 0,
	};

	if (portal_address(req, &remove.addr, fail))
		return -1;
	*addr = remove.addr;
	return control_try(SIDE_TARGET, RBLKT_IOC_PORTAL_REMOVE, &remove, &remove.error, fail);
}

/**
 * portal_add_run() - the verb "portal add"
 * @req: the request
 *
 * Return: an exit status.
 */
int portal_add_run(struct request *req)
{
	struct rblk_ioc_addr addr;
	struct failure fail;

	if (portal_add(req, &addr, &fail))
		return failure_report(req, &fail);
	return portal_done(req, &addr);
}

/**
 * portal_remove_run() - the verb "portal remove"
 * @req: the request
 *
 * Return: an exit status.
 */
int portal_remove_run(struct request *req)
{
	struct rblk_ioc_addr addr;
	struct failure fail;

	if (portal_remove(req, &addr, &fail))
		return failure_report(req, &fail);
	return portal_done(req, &addr);
}

/**
 * target_get() - a whole list of the target's
 * @command: RBLKT_IOC_PORTAL_LIST or RBLKT_IOC_SESSION_LIST
 * @size: of each entry
 * @entries: the entries, to be freed by the caller
 * @nr: how many there are
 * @fail: why it failed
 *
 * Return: 0, or -1 with @fail filled in.
 */
int target_get(unsigned long command, size_t size, void **entries, unsigned int *nr,
	       struct failure *fail)
{
	struct rblkt_ioc_list list;
	unsigned int room = FIRST_ROOM, round;

	*entries = NULL;
	for (round = 0; round < MAX_ROUNDS; round++) {
		*entries = must_alloc(*entries, room, size);
		memset(&list, 0, sizeof(list));
		list.size = sizeof(list);
		list.room = room;
		list.entries = (uintptr_t)*entries;
		if (control_try(SIDE_TARGET, command, &list, &list.error, fail)) {
			free(*entries);
			return -1;
		}
		*nr = list.nr;
		if (list.nr <= room)
			return 0;
		room = list.nr + FIRST_ROOM;
	}
	*nr = list.room;
	return 0;
}

/**
 * target_list() - target_get(), and report a failure
 * @req: the request
 * @command: RBLKT_IOC_PORTAL_LIST or RBLKT_IOC_SESSION_LIST
 * @size: of each entry
 * @entries: the entries, to be freed by the caller
 * @nr: how many there are
 *
 * Return: 0, or -1 having reported why.
 */
int target_list(const struct request *req, unsigned long command, size_t size,
		void **entries, unsigned int *nr)
{
	struct failure fail;

	if (!target_get(command, size, entries, nr, &fail))
		return 0;
	failure_report(req, &fail);
	return -1;
}

static void portal_row(struct report *report, const struct rblkt_ioc_portal *portal)
{
	struct json_object *obj = json_object_new_object();
	const char *why = portal->last_error ? strerror(portal->last_error) : "";
	char addr[ADDR_TEXT];

	addr_text(addr, &portal->addr);
	table_cell(&report->table, "%s", addr);
	table_cell(&report->table, "%s", portal->listening ? "listening" : "waiting");
	table_cell(&report->table, "%u", portal->sessions);
	table_cell(&report->table, "%s", why);
	put_text(obj, "address", addr);
	put_bool(obj, "listening", portal->listening);
	put_number(obj, "sessions", portal->sessions);
	put_number(obj, "errno", portal->last_error);
	put_text(obj, "reason", why);
	json_object_array_add(report->array, obj);
}

/**
 * portal_list_run() - the verb "portal list"
 * @req: the request
 *
 * Return: an exit status.
 */
int portal_list_run(struct request *req)
{
	static const char * const heading[] = { "ADDRESS", "STATE", "SESSIONS", "REASON" };
	struct report report;
	void *entries;
	unsigned int nr, i;

	if (target_list(req, RBLKT_IOC_PORTAL_LIST, sizeof(struct rblkt_ioc_portal),
			&entries, &nr))
		return EXIT_FAILED;
	report_start(&report, ARRAY_SIZE(heading), heading);
	for (i = 0; i < nr; i++)
		portal_row(&report, (struct rblkt_ioc_portal *)entries + i);
	free(entries);
	return report_end(&report, req, NULL, "portals");
}
