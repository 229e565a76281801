// SPDX-License-Identifier: GPL-2.0-only
/* What is behind an export: a device, a file, or a logical volume that is made for it. */
#include <string.h>

#include "request/request.h"

/**
 * lv_name_ok() - whether LVM takes this for a volume group's or logical volume's name
 * @name: any text
 *
 * What passes is one word of a command, and one part of a path: no option, tag or path.
 * The names that LVM keeps for itself pass as well; it refuses those with its own words.
 *
 * Return: whether it does.
 */
bool lv_name_ok(const char *name)
{
	static const char allowed[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+_.-";
	size_t len = strlen(name);

	return len && len < LV_NAME_LEN && strspn(name, allowed) == len && name[0] != '-' &&
	       strcmp(name, ".") && strcmp(name, "..");
}

/**
 * take_pool() - the value of --pool
 * @req: the request
 * @value: a volume group, or a thin pool as GROUP/POOL
 *
 * Return: NULL, or what is wrong.
 */
const char *take_pool(struct request *req, const char *value)
{
	static const char wrong[] =
		"not a volume group, nor GROUP/THINPOOL; 'vgs' and 'lvs' list them";
	char parts[sizeof(req->pool)] = "", *thin;

	if (!text_copy(parts, sizeof(parts), value, strlen(value)))
		return wrong;
	thin = strchr(parts, '/');
	if (thin)
		*thin++ = '\0';
	if (!lv_name_ok(parts) || (thin && !lv_name_ok(thin)))
		return wrong;
	memcpy(req->pool, value, strlen(value) + 1);
	return NULL;
}

/**
 * backing_wrong() - whether it is clear what is behind an export
 * @req: "export add", all of it read
 * @device: with a DEVICE
 *
 * Return: NULL, or what is wrong.
 */
const char *backing_wrong(const struct request *req, bool device)
{
	bool file = request_has(req, OPTION_BACKING_FILE);
	bool pool = request_has(req, OPTION_POOL);
	bool clone = request_has(req, OPTION_CLONE_OF);
	bool size = request_has(req, OPTION_SIZE);

	switch (device + file + pool + clone) {
	case 0:
		return "DEVICE, --file, --pool or --clone-of is missing";
	case 1:
		break;
	default:
		return "DEVICE, --file, --pool and --clone-of exclude each other";
	}
	if (device && size)
		return "--size goes with --file, --pool or --clone-of";
	if (pool && !size)
		return "--size is missing, which goes with --pool";
	/* It gets the export's name. */
	if ((pool || clone) && !lv_name_ok(req->export))
		return "a logical volume cannot have this name: LVM takes no ':'";
	return NULL;
}
