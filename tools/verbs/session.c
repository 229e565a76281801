// SPDX-License-Identifier: GPL-2.0-only
/* The verbs of sessions: the hosts that are connected to the target. */
#include <stdlib.h>

#include "output/failure.h"
#include "output/report.h"
#include "system/change.h"
#include "verbs/run.h"

static void session_row(struct table *t, const struct rblk_ioc_session *session)
{
	char addr[RBLK_ADDRESS_TEXT], uuid[UUID_TEXT], key[KEY_TEXT];

	rblk_address_text(addr, &session->peer);
	key_text(key, session->peer_key);
	uuid_text(uuid, session->peer_uuid);
	table_text(t, session->peer_name, sizeof(session->peer_name));
	table_cell(t, "%s", addr);
	table_cell(t, "%s", rblk_session_state_text(session->state));
	table_cell(t, "%u", session->epoch);
	table_cell(t, "%u", session->volumes);
	table_cell(t, "%ux%u", session->queues, session->depth);
	table_text(t, session->device, sizeof(session->device));
	table_cell(t, "%s", uuid);
	table_cell(t, "%s", key_is_none(session->peer_key) ? "-" : key);
}

/**
 * session_list_run() - the verb "session list"
 * @req: the request
 *
 * Return: an exit status.
 */
int session_list_run(struct request *req)
{
	struct rblk_ioc_session *sessions;
	struct rblk_failure fail;
	struct report report;
	unsigned int nr, i;

	if (rblkt_sessions(rblk, &sessions, &nr, &fail))
		return failure_report(req, &fail);
	report_start(&report, req);
	for (i = 0; i < nr; i++) {
		session_row(&report.table, &sessions[i]);
		json_object_array_add(report.array,
				      rblk_session_json(&sessions[i], RBLK_TARGET, false));
	}
	free(sessions);
	return report_end(&report, req, NULL, "sessions");
}

/**
 * session_remove_run() - the verb "session remove"
 * @req: the request
 *
 * Return: an exit status.
 */
int session_remove_run(struct request *req)
{
	struct rblkt_ioc_session_remove remove;
	struct json_object *top;
	struct rblk_failure fail;

	if (rblkt_session_remove(rblk, req->peer, request_has(req, OPTION_FORCE), &remove, &fail))
		return failure_report(req, &fail);
	if (request_has(req, OPTION_JSON)) {
		top = json_object_new_object();
		put_uuid(top, "host", remove.host);
		put_number(top, "sessions", remove.nr);
		print_json(top);
	}
	return EXIT_OK;
}
