// SPDX-License-Identifier: GPL-2.0-only
/* The verb "detach". */
#include <stdio.h>

#include "lib/change.h"
#include "lib/node.h"
#include "lib/volumes.h"
#include "output/failure.h"
#include "output/output.h"
#include "verbs/ask.h"
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
	struct failure fail;
	char device[32];
	int fd, err;

	fd = control_open(req, SIDE_INITIATOR);
	if (fd < 0)
		return EXIT_FAILED;
	err = volumes_find(fd, &req->volume, &show, &fail);
	node_close(fd);
	if (err || volume_detach(req, show.volume.index, show.volume.uuid, &fail))
		return failure_report(req, &fail);
	if (request_has(req, OPTION_JSON)) {
		snprintf(device, sizeof(device), "/dev/rblk%d", show.volume.index);
		top = json_object_new_object();
		put_text(top, "device", device);
		put_chars(top, "export", show.volume.export, sizeof(show.volume.export));
		print_json(top);
	}
	return EXIT_OK;
}
