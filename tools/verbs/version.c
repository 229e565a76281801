// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/control.h"
#include "lib/sysfs.h"
#include "output/output.h"
#include "verbs/run.h"

/* What everybody may know of a module that only root may ask. */
static bool version_known(const char *name, const struct failure *fail, char version[32])
{
	version[0] = '\0';
	if (fail->error == EACCES || fail->error == EPERM)
		sysfs_version(name, version, 32);
	return version[0];
}

static void module_print(const char *name, const struct rblk_ioc_info *info,
			 const struct failure *fail)
{
	char version[32];

	if (!info->abi && version_known(name, fail, version))
		row_print(name, "%s, control ABI -, wire -: %s", version, fail->text);
	else if (!info->abi)
		row_print(name, "%s", fail->text);
	else
		row_print(name, "%.*s, control ABI %u, wire %u to %u%s",
			  (int)sizeof(info->version), info->version, info->abi,
			  info->wire_min, info->wire_max,
			  info->abi == RBLK_ABI ? "" : ": not usable with this rblkctl");
}

static struct json_object *module_json(const char *name, const struct rblk_ioc_info *info,
				       const struct failure *fail)
{
	struct json_object *obj = json_object_new_object();
	char version[32];

	put_bool(obj, "usable", info->abi == RBLK_ABI);
	if (!info->abi) {
		put_text(obj, "why", fail->text);
		if (version_known(name, fail, version))
			put_text(obj, "version", version);
		return obj;
	}
	put_chars(obj, "version", info->version, sizeof(info->version));
	put_number(obj, "abi", info->abi);
	put_number(obj, "wire_min", info->wire_min);
	put_number(obj, "wire_max", info->wire_max);
	return obj;
}

/**
 * version_run() - the verb "version"
 * @req: the request
 *
 * A module that is missing is an answer, not a failure.
 *
 * Return: an exit status.
 */
int version_run(struct request *req)
{
	static const char * const module[] = {
		[SIDE_INITIATOR] = "rblk", [SIDE_TARGET] = "rblk_target"
	};
	struct json_object *top = json_object_new_object(), *tool;
	bool json = request_has(req, OPTION_JSON);
	struct rblk_ioc_info info;
	struct failure fail;
	enum side side;

	tool = json_object_new_object();
	put_text(tool, "version", RBLKCTL_VERSION);
	put_number(tool, "abi", RBLK_ABI);
	json_object_object_add(top, "rblkctl", tool);
	if (!json)
		row_print("rblkctl", "%s, control ABI %u", RBLKCTL_VERSION, RBLK_ABI);
	for (side = SIDE_INITIATOR; side <= SIDE_TARGET; side++) {
		control_info(side, &info, &fail);
		if (json)
			json_object_object_add(top, module[side],
					       module_json(module[side], &info, &fail));
		else
			module_print(module[side], &info, &fail);
	}
	if (json)
		print_json(top);
	else
		json_object_put(top);
	return EXIT_OK;
}
