// SPDX-License-Identifier: GPL-2.0-only
/* The verbs of portals: what the target listens to. */
#include <stdlib.h>
#include <string.h>

#include "config/run.h"
#include "lib/change.h"
#include "lib/resolve.h"
#include "output/failure.h"
#include "output/report.h"
#include "verbs/ask.h"
#include "verbs/run.h"

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
	struct rblk_ioc_addr addr;
	struct failure fail;

	if (save_check(req, &fail) || portal_add(req, &addr, &fail))
		return failure_report(req, &fail);
	portal_done(req, &addr);
	return save_added(req, ITEM_PORTAL, &addr);
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
