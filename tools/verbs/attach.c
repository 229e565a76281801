// SPDX-License-Identifier: GPL-2.0-only
/* The verb "attach". */
#include <stdio.h>

#include "config/run.h"
#include "system/change.h"
#include "output/failure.h"
#include "output/output.h"
#include "output/report.h"
#include "verbs/run.h"

/**
 * attach_run() - the verb "attach"
 * @req: the request
 *
 * Return: an exit status.
 */
int attach_run(struct request *req)
{
	struct rblk_ioc_attach attach;
	struct rblk_failure fail;

	if (save_check(req, &fail) || volume_attach(req, &attach, &fail))
		return failure_report(req, &fail);
	if (request_has(req, OPTION_JSON))
		print_json(rblk_attach_json(&attach));
	else
		printf("/dev/rblk%d\n", attach.index);
	pin_tell(req, attach.peer_key);
	return save_added(req, ITEM_VOLUME, NULL, attach.index);
}
