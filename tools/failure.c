// SPDX-License-Identifier: GPL-2.0-only
/* Every error: what failed, against whom, why, and what to try. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "control.h"
#include "output.h"

static const char *stage_text(unsigned int stage)
{
	static const char * const text[] = {
#define STAGE_TEXT(name, value, words)	\
	[name] = words,
		RBLK_STAGE_TABLE(STAGE_TEXT)
#undef STAGE_TEXT
	};

	return stage < ARRAY_SIZE(text) ? text[stage] : "unknown";
}

/**
 * failure_set() - a failure that the tool itself found
 * @fail: the result
 * @error: positive errno
 * @hint: what to try, or NULL
 * @format: the sentence
 */
void failure_set(struct failure *fail, int error, const char *hint, const char *format, ...)
{
	va_list args;

	memset(fail, 0, sizeof(*fail));
	fail->error = error;
	fail->hint = hint;
	va_start(args, format);
	vsnprintf(fail->text, sizeof(fail->text), format, args);
	va_end(args);
}

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
	else
		snprintf(to, room, "%s", verb);
}

static void report_json(const char *subject, const struct failure *fail, const char *hint)
{
	struct json_object *top = json_object_new_object();
	struct json_object *error = json_object_new_object();

	put_text(error, "what", subject);
	put_text(error, "why", fail->text);
	put_text(error, "stage", stage_text(fail->stage));
	put_number(error, "errno", fail->error);
	put_number(error, "reason", fail->reason);
	if (fail->at[0])
		put_text(error, "address", fail->at);
	if (hint[0])
		put_text(error, "try", hint);
	json_object_object_add(top, "error", error);
	print_json(top);
}

/**
 * failure_report() - tell the user
 * @req: what was to be done
 * @fail: why it was not
 *
 * The text goes to stderr; with --json an object with the same content goes
 * to stdout as well.
 *
 * Return: EXIT_FAILED
 */
int failure_report(const struct request *req, const struct failure *fail)
{
	char subject[ENDPOINT_TEXT + RBLK_NAME_LEN + 64], hint[512] = "";
	const char *found = fail->hint ? fail->hint : hint_find(req, fail);

	failure_subject(subject, sizeof(subject), req);
	if (found)
		hint_expand(hint, sizeof(hint), found, req);
	fprintf(stderr, "rblkctl: %s: %s", subject, fail->text);
	if (fail->at[0])
		fprintf(stderr, " at %s", fail->at);
	if (fail->stage != RBLK_STAGE_NONE)
		fprintf(stderr, " (stage %s)", stage_text(fail->stage));
	fputc('\n', stderr);
	if (hint[0])
		fprintf(stderr, "  try: %s\n", hint);
	if (request_has(req, OPTION_JSON))
		report_json(subject, fail, hint);
	return EXIT_FAILED;
}

/**
 * hint_expand() - fill in a hint
 * @to: the result
 * @room: bytes at @to
 * @hint: %T becomes the target's host, %P its port, %A both, %E the export,
 *        %B the backing device, %V the volume as given, %H this host's UUID
 *        and %% a %
 * @req: where they come from
 */
void hint_expand(char *to, size_t room, const char *hint, const struct request *req)
{
	char address[ENDPOINT_TEXT], port[8], host[UUID_TEXT];
	const struct {
		char letter;
		const char *word;
	} words[] = {
		{ 'T', req->target.host }, { 'P', port }, { 'A', address },
		{ 'E', req->export }, { 'B', req->backing }, { 'V', req->volume.text },
		{ 'H', host }, { '%', "%" },
	};
	size_t used = 0, i;

	endpoint_text(address, &req->target);
	snprintf(port, sizeof(port), "%u", req->target.port);
	uuid_text(host, req->host_uuid);
	to[0] = '\0';
	for (; *hint && used < room - 1; hint++) {
		if (hint[0] != '%' || !hint[1]) {
			to[used++] = *hint;
			to[used] = '\0';
			continue;
		}
		hint++;
		for (i = 0; i < ARRAY_SIZE(words); i++)
			if (words[i].letter == *hint)
				used += snprintf(to + used, room - used, "%s", words[i].word);
	}
}
