// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "lib/resolve.h"
#include "output/failure.h"
#include "output/report.h"
#include "rblk_wire.h"

/**
 * report_start() - begin a list
 * @report: the list
 * @columns: of each row
 * @heading: of each column
 */
void report_start(struct report *report, unsigned int columns, const char * const *heading)
{
	table_start(&report->table, columns, heading);
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
	       const struct failure *fail, const char *key)
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
 * volume_state_text() - a volume's state in words
 * @state: enum rblk_volume_state
 *
 * Return: a word.
 */
const char *volume_state_text(unsigned int state)
{
	static const char * const text[] = {
#define STATE_TEXT(name, value, words)	\
	[name] = words,
		RBLK_VOLUME_STATE_TABLE(STATE_TEXT)
#undef STATE_TEXT
	};

	return state < ARRAY_SIZE(text) ? text[state] : "unknown";
}

/**
 * session_state_text() - a session's state in words
 * @state: enum rblk_session_state
 *
 * Return: a word.
 */
const char *session_state_text(unsigned int state)
{
	static const char * const text[] = {
#define STATE_TEXT(name, value, words)	\
	[name] = words,
		RBLK_SESSION_STATE_TABLE(STATE_TEXT)
#undef STATE_TEXT
	};

	return state < ARRAY_SIZE(text) ? text[state] : "unknown";
}

static const char * const counter_name[RBLK_CNT_NR] = {
#define COUNTER_NAME(name, text)	\
	[name] = text,
	RBLK_COUNTER_TABLE(COUNTER_NAME)
#undef COUNTER_NAME
};

static const struct {
	unsigned int bit;
	const char *name;
} features[] = {
	{ RBLK_FEAT_READ_IMM, "read_imm" },
	{ RBLK_FEAT_WRITE_PUSH, "write_push" },
	{ RBLK_FEAT_DIGEST, "digest" },
};

#define NR_FEATURES	(ARRAY_SIZE(features))

static struct json_object *features_json(unsigned int bits)
{
	struct json_object *array = json_object_new_array();
	size_t i;

	for (i = 0; i < NR_FEATURES; i++)
		if (bits & features[i].bit)
			json_object_array_add(array,
					      json_object_new_string(features[i].name));
	return array;
}

/**
 * session_json() - a session as JSON
 * @session: the session
 * @peer: what the other side is called, "target" or "host"
 *
 * Return: a new object.
 */
struct json_object *session_json(const struct rblk_ioc_session *session, const char *peer)
{
	struct json_object *obj = json_object_new_object();
	struct json_object *other = json_object_new_object();
	struct json_object *counters = json_object_new_object();
	int i;

	put_uuid(obj, "uuid", session->uuid);
	put_uuid(other, "uuid", session->peer_uuid);
	put_chars(other, "name", session->peer_name, sizeof(session->peer_name));
	put_addr(other, "address", &session->peer);
	json_object_object_add(obj, peer, other);
	put_addr(obj, "local", &session->local);
	put_chars(obj, "device", session->device, sizeof(session->device));
	put_text(obj, "state", session_state_text(session->state));
	put_number(obj, "epoch", session->epoch);
	put_number(obj, "queues", session->queues);
	put_number(obj, "depth", session->depth);
	put_number(obj, "max_io", session->max_io);
	put_number(obj, "inline_read", session->inline_read);
	put_number(obj, "inline_write", session->inline_write);
	json_object_object_add(obj, "features", features_json(session->features));
	put_number(obj, "volumes", session->volumes);
	put_number(obj, "silence_ms", session->silence_ms);
	for (i = 0; i < RBLK_CNT_NR; i++)
		put_size(counters, counter_name[i], session->counter[i]);
	json_object_object_add(obj, "counters", counters);
	return obj;
}

static void counters_print(const struct rblk_ioc_session *session)
{
	size_t i;

	puts("\ncounters");
	for (i = 0; i < RBLK_CNT_NR; i++)
		printf("  %-18s  %llu\n", counter_name[i],
		       session->counter[i]);
}

/* What sysfs has of it. */
static void session_print_partial(const struct rblk_ioc_session *session)
{
	row_print("  target", "-");
	row_print("  local", "-");
	row_print("  epoch", "%u", session->epoch);
	row_print("  queues", "%u of depth %u", session->queues, session->depth);
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
	char uuid[UUID_TEXT], addr[ADDR_TEXT], name[32];
	size_t i;

	uuid_text(uuid, session->uuid);
	row_print("  uuid", "%s", uuid);
	row_print("  state", "%s", session_state_text(session->state));
	if (!peer) {
		session_print_partial(session);
		return;
	}
	snprintf(name, sizeof(name), "  %s", peer);
	uuid_text(uuid, session->peer_uuid);
	addr_text(addr, &session->peer);
	row_print(name, "%.*s %s at %s", RBLK_NAME_LEN, session->peer_name, uuid, addr);
	addr_text(addr, &session->local);
	row_print("  local", "%s on %.*s", addr, RBLK_NAME_LEN, session->device);
	row_print("  epoch", "%u", session->epoch);
	row_print("  queues", "%u of depth %u", session->queues, session->depth);
	row_print("  max I/O", "%u bytes", session->max_io);
	row_print("  inline", "%u read, %u write", session->inline_read,
		  session->inline_write);
	for (i = 0; i < NR_FEATURES; i++)
		if (session->features & features[i].bit)
			row_print("  feature", "%s", features[i].name);
	row_print("  volumes", "%u", session->volumes);
	if (session->silence_ms)
		row_print("  silence", "of %u ms ends it", session->silence_ms);
	counters_print(session);
}
