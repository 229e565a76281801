// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>

#include "output/output.h"
#include "system/change.h"
#include "verbs/run.h"

static void module_print(const char *name, const struct rblk_ioc_info *info,
			 const struct rblk_failure *fail)
{
	if (!info->abi && info->version[0])	/* what everybody may know of it */
		row_print(name, "%.*s, control ABI -, wire -: %s",
			  (int)sizeof(info->version), info->version, fail->text);
	else if (!info->abi)
		row_print(name, "%s", fail->text);
	else
		row_print(name, "%.*s, control ABI %u, wire %u to %u%s",
			  (int)sizeof(info->version), info->version, info->abi,
			  info->wire_min, info->wire_max,
			  info->abi == RBLK_ABI ? "" : ": not usable with this rblkctl");
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
		[RBLK_INITIATOR] = "rblk", [RBLK_TARGET] = "rblk_target"
	};
	struct json_object *top = json_object_new_object(), *tool;
	bool json = request_has(req, OPTION_JSON);
	struct rblk_ioc_info info;
	struct rblk_failure fail;
	enum rblk_side side;

	tool = json_object_new_object();
	put_text(tool, "version", RBLKCTL_VERSION);
	put_number(tool, "abi", RBLK_ABI);
	json_object_object_add(top, "rblkctl", tool);
	if (!json)
		row_print("rblkctl", "%s, control ABI %u", RBLKCTL_VERSION, RBLK_ABI);
	for (side = RBLK_INITIATOR; side <= RBLK_TARGET; side++) {
		rblk_info(rblk, side, &info, &fail);
		if (json)
			json_object_object_add(top, module[side], rblk_info_json(&info, &fail));
		else
			module_print(module[side], &info, &fail);
	}
	if (json)
		print_json(top);
	else
		json_object_put(top);
	return EXIT_OK;
}
