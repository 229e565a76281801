// SPDX-License-Identifier: GPL-2.0-only
/* The verbs of portals, and "session list": what the target listens to. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "report.h"
#include "resolve.h"
#include "verbs.h"

#define FIRST_ROOM	32
#define MAX_ROUNDS	8	/* the list may grow while we ask */

static int portal_address(const struct request *req, struct rblk_ioc_addr *addr)
{
	struct addresses found;
	struct failure fail;

	if (resolve(&req->target, AF_UNSPEC, &found, &fail))
		return failure_report(req, &fail);
	*addr = found.addr[0];
	return EXIT_OK;
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
 * portal_add_run() - the verb "portal add"
 * @req: the request
 *
 * Return: an exit status.
 */
int portal_add_run(struct request *req)
{
	struct rblkt_ioc_portal_add add = { .size = sizeof(add) };

	if (portal_address(req, &add.addr) ||
	    control_once(req, SIDE_TARGET, RBLKT_IOC_PORTAL_ADD, &add, &add.error))
		return EXIT_FAILED;
	return portal_done(req, &add.addr);
}

/**
 * portal_remove_run() - the verb "portal remove"
 * @req: the request
 *
 * Return: an exit status.
 */
int portal_remove_run(struct request *req)
{
	struct rblkt_ioc_portal_remove remove = {
		.size = sizeof(remove),
		.flags = request_has(req, OPTION_FORCE) ? RBLKT_REMOVE_FORCE : 0,
	};

	if (portal_address(req, &remove.addr) ||
	    control_once(req, SIDE_TARGET, RBLKT_IOC_PORTAL_REMOVE, &remove, &remove.error))
		return EXIT_FAILED;
	return portal_done(req, &remove.addr);
}

/* A whole list, of entries of @size bytes; the caller frees @entries. */
static int list_get(const struct request *req, unsigned long command, size_t size,
		    void **entries, unsigned int *nr)
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
		if (control_once(req, SIDE_TARGET, command, &list, &list.error)) {
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

	if (list_get(req, RBLKT_IOC_PORTAL_LIST, sizeof(struct rblkt_ioc_portal),
		     &entries, &nr))
		return EXIT_FAILED;
	report_start(&report, ARRAY_SIZE(heading), heading);
	for (i = 0; i < nr; i++)
		portal_row(&report, (struct rblkt_ioc_portal *)entries + i);
	free(entries);
	return report_end(&report, req, NULL, "portals");
}

static void session_row(struct report *report, const struct rblk_ioc_session *session)
{
	struct table *t = &report->table;
	char addr[ADDR_TEXT], uuid[UUID_TEXT];

	addr_text(addr, &session->peer);
	uuid_text(uuid, session->peer_uuid);
	table_text(t, session->peer_name, sizeof(session->peer_name));
	table_cell(t, "%s", addr);
	table_cell(t, "%s", session_state_text(session->state));
	table_cell(t, "%u", session->epoch);
	table_cell(t, "%u", session->volumes);
	table_cell(t, "%ux%u", session->queues, session->depth);
	table_text(t, session->device, sizeof(session->device));
	table_cell(t, "%s", uuid);
	json_object_array_add(report->array, session_json(session, "host"));
}

/**
 * session_list_run() - the verb "session list"
 * @req: the request
 *
 * Return: an exit status.
 */
int session_list_run(struct request *req)
{
	static const char * const heading[] = {
		"HOST", "ADDRESS", "STATE", "EPOCH", "VOLUMES", "QUEUES", "DEVICE", "UUID"
	};
	struct report report;
	void *entries;
	unsigned int nr, i;

	if (list_get(req, RBLKT_IOC_SESSION_LIST, sizeof(struct rblk_ioc_session),
		     &entries, &nr))
		return EXIT_FAILED;
	report_start(&report, ARRAY_SIZE(heading), heading);
	for (i = 0; i < nr; i++)
		session_row(&report, (struct rblk_ioc_session *)entries + i);
	free(entries);
	return report_end(&report, req, NULL, "sessions");
}
