// SPDX-License-Identifier: GPL-2.0-only
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/finding.h"
#include "system/alloc.h"
#include "system/interrupt.h"
#include "output/failure.h"
#include "output/output.h"

static const char * const level_text[FINDING_LEVELS] = {
	[FINDING_OK] = "ok",
	[FINDING_SKIPPED] = "skipped",
	[FINDING_NOTE] = "note",
	[FINDING_BAD] = "bad",
};

/**
 * finding_add() - note what was found
 * @f: all findings
 * @level: how bad it is
 * @check: what was looked at; stays where it is
 * @remedy: for hint_expand(), or NULL
 * @format: the sentence
 */
void finding_add(struct findings *f, enum finding_level level, const char *check,
		 const char *remedy, const char *format, ...)
{
	struct finding *to;
	char raw[sizeof(to->what)];
	va_list args;

	/* What is cut short finds nothing. */
	if (interrupt_pending())
		return;
	f->finding = must_alloc(f->finding, f->nr + 1, sizeof(*f->finding));
	to = &f->finding[f->nr++];
	memset(to, 0, sizeof(*to));
	to->level = level;
	to->check = check;
	va_start(args, format);
	vsnprintf(raw, sizeof(raw), format, args);
	va_end(args);
	text_clean(to->what, sizeof(to->what), raw, sizeof(raw));
	if (remedy)
		hint_expand(to->remedy, sizeof(to->remedy), remedy, f->req);
}

/**
 * finding_fail() - a failed command as a bad finding
 * @f: all findings
 * @check: what was looked at
 * @fail: why it failed
 */
void finding_fail(struct findings *f, const char *check, const struct rblk_failure *fail)
{
	const char *remedy = fail->hint[0] ? fail->hint : hint_find(f->req, fail);

	finding_add(f, FINDING_BAD, check, remedy, "%s%s%s", fail->text,
		    fail->at[0] ? " at " : "", fail->at);
}

/**
 * findings_count() - how many there are of a kind
 * @f: all findings
 * @level: the kind
 *
 * Return: the number.
 */
unsigned int findings_count(const struct findings *f, enum finding_level level)
{
	unsigned int i, n = 0;

	for (i = 0; i < f->nr; i++)
		n += f->finding[i].level == level;
	return n;
}

static void print_text(const struct findings *f)
{
	unsigned int i;

	for (i = 0; i < f->nr; i++) {
		const struct finding *at = &f->finding[i];

		printf("%-7s  %-8s  %s\n", level_text[at->level], at->check, at->what);
		if (at->remedy[0])
			printf("%-7s  %-8s  try: %s\n", "", "", at->remedy);
	}
	printf("%u bad, %u to note\n", findings_count(f, FINDING_BAD),
	       findings_count(f, FINDING_NOTE));
}

/**
 * findings_print() - tell all of them, as text or JSON
 * @f: all findings
 */
void findings_print(const struct findings *f)
{
	struct json_object *top, *array, *obj;
	unsigned int i;

	if (!request_has(f->req, OPTION_JSON)) {
		print_text(f);
		return;
	}
	top = json_object_new_object();
	array = json_object_new_array();
	for (i = 0; i < f->nr; i++) {
		obj = json_object_new_object();
		put_text(obj, "check", f->finding[i].check);
		put_text(obj, "result", level_text[f->finding[i].level]);
		put_text(obj, "what", f->finding[i].what);
		if (f->finding[i].remedy[0])
			put_text(obj, "try", f->finding[i].remedy);
		json_object_array_add(array, obj);
	}
	json_object_object_add(top, "findings", array);
	put_number(top, "bad", findings_count(f, FINDING_BAD));
	put_number(top, "notes", findings_count(f, FINDING_NOTE));
	print_json(top);
}

/**
 * findings_free() - free them
 * @f: all findings
 */
void findings_free(struct findings *f)
{
	free(f->finding);
	f->finding = NULL;
	f->nr = 0;
}
