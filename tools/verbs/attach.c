// SPDX-License-Identifier: GPL-2.0-only
/* The verb "attach". */
#include <stdio.h>

#include "config/run.h"
#include "lib/change.h"
#include "output/failure.h"
#include "output/output.h"
#include "verbs/run.h"

static void attach_print(const struct request *req, const struct rblk_ioc_attach *attach,
			 const char *device)
{
	char target[ENDPOINT_TEXT], link[LINK_TEXT];
	struct json_object *top;

	if (!request_has(req, OPTION_JSON)) {
		puts(device);
		return;
	}
	endpoint_text(target, &req->target);
	link_text(link, target, req->export);
	top = json_object_new_object();
	put_text(top, "device", device);
	put_text(top, "link", link);
	put_number(top, "index", attach->index);
	put_text(top, "target", target);
	put_text(top, "export", req->export);
	put_uuid(top, "uuid", attach->uuid);
	put_size(top, "capacity", attach->capacity);
	print_json(top);
}

/**
 * attach_run() - the verb "attach"
 * @req: the request
 *
 * Return: an exit status.
 */
int attach_run(struct request *req)
{
	struct rblk_ioc_attach attach;
	struct failure fail;
	char device[32];

	if (save_check(req, &fail) || volume_attach(req, &attach, &fail))
		return failure_report(req, &fail);
	snprintf(device, sizeof(device), "/dev/rblk%d", attach.index);
	attach_print(req, &attach, device);
	return save_added(req, ITEM_VOLUME, NULL);
}
