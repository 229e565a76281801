// SPDX-License-Identifier: GPL-2.0-only
/* The verb "host". */
#include <stdio.h>
#include <string.h>

#include "system/change.h"
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
	struct rblk_failure fail;
	struct rblk_host host;
	const char *origin;

	if (host_identity(req, &origin, &fail))
		return failure_report(req, &fail);
	memcpy(host.uuid, req->host_uuid, sizeof(host.uuid));
	memcpy(host.name, req->host_name, sizeof(host.name));
	uuid_text(uuid, host.uuid);
	if (request_has(req, OPTION_JSON))
		print_json(rblk_host_json(&host, origin));
	else
		printf("%s %s\n", uuid, host.name);
	return EXIT_OK;
}
