// SPDX-License-Identifier: GPL-2.0-only
/* The verb "detach". */
#include "system/change.h"
#include "output/failure.h"
#include "output/output.h"
#include "verbs/run.h"

/**
 * detach_run() - the verb "detach"
 * @req: the request
 *
 * Return: an exit status.
 */
int detach_run(struct request *req)
{
	struct rblk_ioc_show show;
	struct json_object *top;
	struct rblk_failure fail;

	if (rblk_volume_find(rblk, req->volume.text, &show, NULL, &fail) ||
	    rblk_detach(rblk, show.volume.index, show.volume.uuid,
			request_has(req, OPTION_FORCE), &fail))
		return failure_report(req, &fail);
	if (request_has(req, OPTION_JSON)) {
		top = json_object_new_object();
		put_device(top, show.volume.index);
		put_chars(top, "export", show.volume.export_name, sizeof(show.volume.export_name));
		print_json(top);
	}
	return EXIT_OK;
}
