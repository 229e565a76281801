// SPDX-License-Identifier: GPL-2.0-only
/* The verbs of portals: what the target listens to. */
#include <stdlib.h>
#include <string.h>

#include "config/run.h"
#include "system/change.h"
#include "output/failure.h"
#include "output/report.h"
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
	struct rblk_failure fail;

	if (save_check(req, &fail) || portal_add(req, &addr, &fail))
		return failure_report(req, &fail);
	portal_done(req, &addr);
	return save_added(req, ITEM_PORTAL, &addr, -1);
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
	struct rblk_failure fail;

	if (portal_remove(req, &addr, &fail))
		return failure_report(req, &fail);
	return portal_done(req, &addr);
}

static void portal_row(struct table *t, const struct rblkt_ioc_portal *portal)
{
	char addr[RBLK_ADDRESS_TEXT];

	rblk_address_text(addr, &portal->addr);
	table_cell(t, "%s", addr);
	table_cell(t, "%s", portal->listening ? "listening" : "waiting");
	table_cell(t, "%u", portal->sessions);
	table_cell(t, "%s", portal->last_error ? strerror(portal->last_error) : "");
}

/**
 * portal_list_run() - the verb "portal list"
 * @req: the request
 *
 * Return: an exit status.
 */
int portal_list_run(struct request *req)
{
	struct rblkt_ioc_portal *portals;
	struct rblk_failure fail;
	struct report report;
	unsigned int nr, i;

	if (rblkt_portals(rblk, &portals, &nr, &fail))
		return failure_report(req, &fail);
	report_start(&report, req);
	for (i = 0; i < nr; i++) {
		portal_row(&report.table, &portals[i]);
		json_object_array_add(report.array, rblkt_portal_json(&portals[i]));
	}
	free(portals);
	return report_end(&report, req, NULL, "portals");
}
