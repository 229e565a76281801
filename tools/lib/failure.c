// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/failure.h"

/**
 * failure_set() - a failure that no module has told
 * @fail: the result
 * @error: positive errno
 * @hint: what to try, or NULL
 * @format: the sentence
 */
void failure_set(struct rblk_failure *fail, int error, const char *hint,
		 const char *format, ...)
{
	va_list args;

	memset(fail, 0, sizeof(*fail));
	fail->error = error;
	snprintf(fail->hint, sizeof(fail->hint), "%s", hint ? hint : "");
	va_start(args, format);
	vsnprintf(fail->text, sizeof(fail->text), format, args);
	va_end(args);
}

/**
 * list_room() - make a list longer
 * @old: the list, freed if that fails
 * @nr: entries it is to have
 * @size: of each
 * @fail: why it failed
 *
 * Return: the list, or NULL with @fail filled in.
 */
void *list_room(void *old, size_t nr, size_t size, struct rblk_failure *fail)
{
	void *list = reallocarray(old, nr ? nr : 1, size);

	if (!list) {
		free(old);
		failure_set(fail, ENOMEM, NULL, "out of memory");
	}
	return list;
}

/**
 * name_copy() - a name as the modules take it
 * @to: the result
 * @name: of an export or host
 * @fail: why it is none
 *
 * Return: 0, or -1 with @fail filled in.
 */
int name_copy(char to[RBLK_NAME_LEN], const char *name, struct rblk_failure *fail)
{
	if (name && text_copy(to, RBLK_NAME_LEN, name, strlen(name)))
		return 0;
	failure_set(fail, EINVAL, NULL, "a name has %s", RBLK_NAME_RULE);
	fail->stage = RBLK_STAGE_ARGUMENTS;
	return -1;
}

/**
 * argument_wrong() - somebody wrote something that cannot be read
 * @fail: the result
 * @text: what it was, or NULL
 * @wrong: what is wrong with it
 *
 * Return: -1
 */
int argument_wrong(struct rblk_failure *fail, const char *text, const char *wrong)
{
	char clean[128];

	text = text ? text : "";
	text_clean(clean, sizeof(clean), text, strlen(text));
	failure_set(fail, EINVAL, NULL, "\"%s\": %s", clean, wrong);
	fail->stage = RBLK_STAGE_ARGUMENTS;
	return -1;
}
