// SPDX-License-Identifier: GPL-2.0-only
/* The verbs of sessions: the hosts that are connected to the target. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/resolve.h"
#include "output/failure.h"
#include "output/report.h"
#include "verbs/ask.h"
#include "verbs/run.h"

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

	if (target_list(req, RBLKT_IOC_SESSION_LIST, sizeof(struct rblk_ioc_session),
			&entries, &nr))
		return EXIT_FAILED;
	report_start(&report, ARRAY_SIZE(heading), heading);
	for (i = 0; i < nr; i++)
		session_row(&report, (struct rblk_ioc_session *)entries + i);
	free(entries);
	return report_end(&report, req, NULL, "sessions");
}

/* The one host of this name that is connected. */
static int find_host(const struct request *req, __u8 *uuid)
{
	const struct rblk_ioc_session *session, *found = NULL;
	struct failure fail;
	void *entries;
	unsigned int nr, i, hosts = 0;

	if (target_list(req, RBLKT_IOC_SESSION_LIST, sizeof(*session), &entries, &nr))
		return -1;
	for (i = 0; i < nr; i++) {
		session = (struct rblk_ioc_session *)entries + i;
		if (strncmp(session->peer_name, req->peer, sizeof(session->peer_name)))
			continue;
		if (!found || memcmp(found->peer_uuid, session->peer_uuid, UUID_BYTES))
			hosts++;
		found = session;
	}
	if (hosts == 1)
		memcpy(uuid, found->peer_uuid, UUID_BYTES);
	free(entries);
	if (hosts == 1)
		return 0;
	if (hosts)
		failure_set(&fail, EEXIST, "rblkctl session list, and its UUID instead",
			    "several hosts call themselves %s", req->peer);
	else
		failure_set(&fail, ENOENT, "rblkctl session list",
			    "no host %s is connected", req->peer);
	failure_report(req, &fail);
	return -1;
}

/**
 * session_remove_run() - the verb "session remove"
 * @req: the request
 *
 * Return: an exit status.
 */
int session_remove_run(struct request *req)
{
	struct rblkt_ioc_session_remove remove = {
		.size = sizeof(remove),
		.flags = request_has(req, OPTION_FORCE) ? RBLKT_REMOVE_FORCE : 0,
	};
	struct json_object *top;

	if (!text_uuid(req->peer, remove.host) && find_host(req, remove.host))
		return EXIT_FAILED;
	if (control_once(req, SIDE_TARGET, RBLKT_IOC_SESSION_REMOVE, &remove, &remove.error))
		return EXIT_FAILED;
	if (request_has(req, OPTION_JSON)) {
		top = json_object_new_object();
		put_uuid(top, "host", remove.host);
		put_number(top, "sessions", remove.nr);
		print_json(top);
	}
	return EXIT_OK;
}
