// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "lib/names.h"
#include "output/failure.h"
#include "output/report.h"

/**
 * report_start() - begin a list
 * @report: the list
 * @req: the request
 */
void report_start(struct report *report, const struct request *req)
{
	table_start(&report->table, req);
	report->array = json_object_new_array();
}

/**
 * report_end() - print a list, or why there is none
 * @report: the list, freed
 * @req: the request
 * @fail: NULL when all went well
 * @key: the list's name in JSON
 *
 * Return: an exit status.
 */
int report_end(struct report *report, const struct request *req,
	       const struct rblk_failure *fail, const char *key)
{
	struct json_object *top;

	if (!fail && !request_has(req, OPTION_JSON)) {
		table_print(&report->table);
		json_object_put(report->array);
		return EXIT_OK;
	}
	table_free(&report->table);
	if (fail) {
		json_object_put(report->array);
		return failure_report(req, fail);
	}
	top = json_object_new_object();
	json_object_object_add(top, key, report->array);
	print_json(top);
	return EXIT_OK;
}

/**
 * print_json() - print a value and free it
 * @obj: object or array
 */
void print_json(struct json_object *obj)
{
	puts(json_object_to_json_string_ext(obj, JSON_C_TO_STRING_PRETTY |
						 JSON_C_TO_STRING_SPACED |
						 JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(obj);
}

/**
 * pin_tell() - say which key the target has shown that is trusted for now
 * @req: with --trust-first, or nothing is said
 * @key: the key
 *
 * On standard error, as standard output is for programs.
 */
void pin_tell(const struct request *req, const __u8 key[KEY_BYTES])
{
	char text[KEY_TEXT];

	if (!request_has(req, OPTION_TRUST_FIRST) || key_is_none(key))
		return;
	key_text(text, key);
	fprintf(stderr, "rblkctl: the target showed the key %s\n"
		"  try: 'rblkctl key' on the target; if it prints the same: --target-key %s in place of --trust-first\n",
		text, text);
}

static void counters_print(const struct rblk_ioc_session *session)
{
	size_t i;

	puts("\ncounters");
	for (i = 0; i < RBLK_CNT_NR; i++)
		printf("  %-18s  %llu\n", rblk_counter_text(i),
		       session->counter[i]);
}

static void queues_print(const struct rblk_ioc_session *session)
{
	row_print("  queues", "%u of depth %u", session->queues, session->depth);
	if (session->poll_queues)
		row_print("  poll queues", "%u", session->poll_queues);
}

/* What sysfs has of it. */
static void session_print_partial(const struct rblk_ioc_session *session)
{
	row_print("  target", "-");
	row_print("  local", "-");
	row_print("  epoch", "%u", session->epoch);
	queues_print(session);
	row_print("  max I/O", "-");
	row_print("  inline", "%u read, - write", session->inline_read);
	row_print("  volumes", "-");
	counters_print(session);
}

/**
 * session_print() - a session for people
 * @session: the session
 * @peer: what the other side is called, "target" or "host", NULL where it is not known
 */
void session_print(const struct rblk_ioc_session *session, const char *peer)
{
	char uuid[UUID_TEXT], addr[RBLK_ADDRESS_TEXT], name[32], key[KEY_TEXT];
	const char *feature;
	size_t i = 0;

	uuid_text(uuid, session->uuid);
	row_print("  uuid", "%s", uuid);
	state_print("  state", rblk_session_state_text(session->state));
	if (!peer) {
		session_print_partial(session);
		return;
	}
	snprintf(name, sizeof(name), "  %s", peer);
	uuid_text(uuid, session->peer_uuid);
	rblk_address_text(addr, &session->peer);
	row_print(name, "%.*s %s at %s", RBLK_NAME_LEN, session->peer_name, uuid, addr);
	rblk_address_text(addr, &session->local);
	row_print("  local", "%s on %.*s", addr, RBLK_NAME_LEN, session->device);
	if (key_is_none(session->peer_key)) {
		row_print("  key", "none: it has proved nothing");
	} else {
		key_text(key, session->peer_key);
		row_print("  key", "%s", key);
	}
	row_print("  epoch", "%u", session->epoch);
	queues_print(session);
	row_print("  max I/O", "%u bytes", session->max_io);
	row_print("  inline", "%u read, %u write", session->inline_read,
		  session->inline_write);
	while ((feature = feature_text(session->features, &i)))
		row_print("  feature", "%s", feature);
	row_print("  volumes", "%u", session->volumes);
	if (session->silence_ms)
		row_print("  silence", "of %u ms ends it", session->silence_ms);
	counters_print(session);
}
