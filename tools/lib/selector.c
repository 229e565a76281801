// SPDX-License-Identifier: GPL-2.0-only
/* How people say which volume they mean; the look-up is in lib/volumes.c. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "lib/address.h"

static const char *after(const char *text, const char *prefix)
{
	size_t len = strlen(prefix);

	return strncmp(text, prefix, len) ? NULL : text + len;
}

/* rblkN, nothing else; *@part is set for a partition's name. */
static bool index_parse(const char *name, int *index, bool *part)
{
	const char *digits = after(name, "rblk");
	char number[16];
	long long n;
	size_t len;

	if (!digits)
		return false;
	len = strspn(digits, "0123456789");
	if (!text_copy(number, sizeof(number), digits, len) ||
	    !text_number(number, 0, INT_MAX, &n))
		return false;
	*index = n;
	*part = digits[len] == 'p' && digits[len + 1] &&
		!digits[len + 1 + strspn(digits + len + 1, "0123456789")];
	return !digits[len] || *part;
}

static const char *both_parse(const char *text, struct selector *sel)
{
	sel->kind = SELECT_BOTH;
	return endpoint_parse_routes(text, &sel->target, sel->other, &sel->nr_other,
				     sel->export);
}

/* An absolute path: a device node, or one of the links the udev rules make. */
static const char *path_parse(const char *path, struct selector *sel)
{
	const char *rest = after(path, "/dev/disk/by-id/rblk-");

	if (rest && text_uuid(rest, sel->uuid)) {
		sel->kind = SELECT_UUID;
		return NULL;
	}
	rest = after(path, "/dev/rblk/");
	if (rest && !both_parse(rest, sel))
		return NULL;
	sel->kind = SELECT_PATH;
	return NULL;
}

/**
 * selector_parse() - parse DEVICE|EXPORT
 * @text: rblkN, a path below /dev, a UUID, EXPORT or TARGET[:PORT][,...]/EXPORT
 * @sel: the result
 *
 * Return: NULL, or what is wrong.
 */
const char *selector_parse(const char *text, struct selector *sel)
{
	const char *name = after(text, "/dev/");
	bool part = false;

	if (!*text)
		return "the device is missing";
	if (!text_copy(sel->text, sizeof(sel->text), text, strlen(text)))
		return "the device's name is too long";
	if (index_parse(name ? name : text, &sel->index, &part)) {
		sel->kind = SELECT_INDEX;
		return part ? "that is a partition: name the whole device" : NULL;
	}
	if (text[0] == '/')
		return path_parse(text, sel);
	if (text_uuid(text, sel->uuid)) {
		sel->kind = SELECT_UUID;
		return NULL;
	}
	if (strchr(text, '/'))
		return both_parse(text, sel);
	sel->kind = SELECT_EXPORT;
	return export_name_parse(text, sel->export);
}
