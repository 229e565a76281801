// SPDX-License-Identifier: GPL-2.0-only
/* Every error: what failed, against whom, why, and what to try. */
#include <stdio.h>
#include <string.h>

#include "output/failure.h"
#include "output/output.h"

#define SUBJECT_TEXT	(ENDPOINT_TEXT + RBLK_NAME_LEN + 64)
#define HINT_TEXT	512

/**
 * failure_subject() - what was to be done, and to what
 * @to: such as "attach 10.0.0.1/disk0"
 * @room: bytes at @to
 * @req: the request
 */
void failure_subject(char *to, size_t room, const struct request *req)
{
	char verb[32], target[ENDPOINT_TEXT];

	verb_text(verb, sizeof(verb), req->verb);
	endpoint_text(target, &req->target);
	if (req->target.host[0] && req->export[0])
		snprintf(to, room, "%s %s/%s", verb, target, req->export);
	else if (req->target.host[0])
		snprintf(to, room, "%s %s", verb, target);
	else if (req->volume.text[0])
		snprintf(to, room, "%s %s", verb, req->volume.text);
	else if (req->export[0])
		snprintf(to, room, "%s %s", verb, req->export);
	else if (req->peer[0])
		snprintf(to, room, "%s %s", verb, req->peer);
	else
		snprintf(to, room, "%s", verb);
}

/* What to try, or nothing. */
static void failure_hint(char *to, size_t room, const struct request *req,
			 const struct rblk_failure *fail)
{
	const char *found = fail->hint[0] ? fail->hint : hint_find(req, fail);

	to[0] = '\0';
	if (found)
		hint_expand(to, room, found, req);
}

/**
 * failed_json() - a failure for programs
 * @req: what was to be done
 * @fail: why it was not
 *
 * Return: a new object.
 */
struct json_object *failed_json(const struct request *req, const struct rblk_failure *fail)
{
	char subject[SUBJECT_TEXT], hint[HINT_TEXT];

	failure_subject(subject, sizeof(subject), req);
	failure_hint(hint, sizeof(hint), req, fail);
	return failure_json(subject, fail, hint);
}

/**
 * failure_print() - a failure for people, on stderr
 * @req: what was to be done
 * @fail: why it was not
 */
void failure_print(const struct request *req, const struct rblk_failure *fail)
{
	char subject[SUBJECT_TEXT], hint[HINT_TEXT];

	failure_subject(subject, sizeof(subject), req);
	failure_hint(hint, sizeof(hint), req, fail);
	error_begin();
	fprintf(stderr, "%s: %s", subject, fail->text);
	if (fail->at[0])
		fprintf(stderr, " at %s", fail->at);
	if (fail->stage != RBLK_STAGE_NONE)
		fprintf(stderr, " (stage %s)", rblk_stage_text(fail->stage));
	fputc('\n', stderr);
	if (hint[0])
		fprintf(stderr, "  try: %s\n", hint);
}

/**
 * failure_report() - tell the user
 * @req: what was to be done
 * @fail: why it was not
 *
 * With --json it goes to stdout as well.
 *
 * Return: EXIT_FAILED
 */
int failure_report(const struct request *req, const struct rblk_failure *fail)
{
	struct json_object *top;

	failure_print(req, fail);
	if (!request_has(req, OPTION_JSON))
		return EXIT_FAILED;
	top = json_object_new_object();
	json_object_object_add(top, "error", failed_json(req, fail));
	print_json(top);
	return EXIT_FAILED;
}
