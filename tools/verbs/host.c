// SPDX-License-Identifier: GPL-2.0-only
/* The verb "host". */
#include <stdio.h>

#include "lib/host.h"
#include "output/failure.h"
#include "output/output.h"
#include "verbs/run.h"

/**
 * host_run() - the verb "host"
 * @req: the request
 *
 * Return: an exit status.
 */
int host_run(struct request *req)
{
	char uuid[UUID_TEXT];
	const char *origin;
	struct json_object *top;
	struct failure fail;

	if (host_identity(req, &origin, &fail))
		return failure_report(req, &fail);
	uuid_text(uuid, req->host_uuid);
	if (!request_has(req, OPTION_JSON)) {
		printf("%s %s\n", uuid, req->host_name);
		return EXIT_OK;
	}
	top = json_object_new_object();
	put_text(top, "uuid", uuid);
	put_text(top, "name", req->host_name);
	put_text(top, "origin", origin);
	print_json(top);
	return EXIT_OK;
}
