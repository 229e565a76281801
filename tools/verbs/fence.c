// SPDX-License-Identifier: GPL-2.0-only
/* The verbs that fence hosts: "host fence", "host unfence" and "host list". */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/failure.h"
#include "output/report.h"
#include "system/change.h"
#include "system/interrupt.h"
#include "system/program.h"
#include "verbs/run.h"

#define WAIT_DEFAULT	60	/* seconds */

static void host_row(struct table *t, const struct rblkt_host *host)
{
	char uuid[UUID_TEXT], key[KEY_TEXT];

	uuid_text(uuid, host->uuid);
	key_text(key, host->key);
	table_text(t, host->name, sizeof(host->name));
	table_cell(t, "%s", host->left ? "ending" : host->fenced ? "fenced" : "allowed");
	table_cell(t, "%u", host->sessions);
	table_cell(t, "%s", uuid);
	table_cell(t, "%s", key_is_none(host->key) ? "-" : key);
}

/**
 * host_list_run() - the verb "host list"
 * @req: the request
 *
 * Return: an exit status.
 */
int host_list_run(struct request *req)
{
	struct rblkt_host *hosts;
	struct rblk_failure fail;
	struct report report;
	unsigned int nr, i;

	if (rblkt_hosts(rblk, &hosts, &nr, &fail))
		return failure_report(req, &fail);
	report_start(&report, req);
	for (i = 0; i < nr; i++) {
		host_row(&report.table, &hosts[i]);
		json_object_array_add(report.array, rblkt_host_json(&hosts[i]));
	}
	free(hosts);
	return report_end(&report, req, NULL, "hosts");
}

static void fence_print(const struct request *req, const struct rblkt_ioc_host_fence *fence)
{
	struct json_object *top;

	if (!request_has(req, OPTION_JSON))
		return;
	top = json_object_new_object();
	put_text(top, "host", req->peer);
	put_number(top, "sessions", fence->sessions);
	put_number(top, "left", fence->left);
	print_json(top);
}

static bool is_meant(const struct rblkt_ioc_fenced *fenced, const struct rblk_ioc_host *host)
{
	return key_is_none(host->key) ? !memcmp(fenced->host, host->uuid, sizeof(host->uuid)) :
					!memcmp(fenced->key, host->key, sizeof(host->key));
}

/*
 * Look how much is left. This only reads: somebody who takes the fence down meanwhile means
 * it, and a program that was forgotten must not put it up again.
 */
static int fence_look(const struct request *req, struct rblkt_ioc_host_fence *fence,
		      struct rblk_failure *fail)
{
	struct rblkt_ioc_fenced *fenced;
	unsigned int nr, i;

	if (rblkt_fenced(rblk, &fenced, &nr, fail))
		return -1;
	for (i = 0; i < nr && !is_meant(&fenced[i], &fence->host); i++)
		;
	if (i < nr)
		fence->left = fenced[i].left;
	free(fenced);
	if (i < nr)
		return 0;
	failure_set(fail, ECANCELED, "rblkctl host list; the same again, to fence it anew",
		    "somebody took the fence of %s down, with I/O left on %u volume%s", req->peer,
		    fence->left, fence->left > 1 ? "s" : "");
	return -1;
}

/* It is fenced, but somebody who asked wants to write, and must not yet. */
static int fence_unfinished(struct request *req, const struct rblkt_ioc_host_fence *fence)
{
	struct rblk_failure fail;

	failure_set(&fail, ETIMEDOUT,
		    "the same again, to wait on; which export hangs: rblkctl export show",
		    "%s is fenced, but its last I/O has not ended on %u volume%s", req->peer,
		    fence->left, fence->left > 1 ? "s" : "");
	return failure_report(req, &fail);
}

/**
 * host_fence_run() - the verb "host fence"
 * @req: the request
 *
 * Return: an exit status.
 */
int host_fence_run(struct request *req)
{
	int wait = request_has(req, OPTION_WAIT) ? req->wait : WAIT_DEFAULT;
	struct rblkt_ioc_host_fence fence;
	double begin = system_time();
	struct rblk_failure fail;

	/* The module waits for some seconds itself. */
	if (rblkt_host_fence(rblk, req->peer, true, &fence, &fail))
		return failure_report(req, &fail);
	while (fence.left && (wait == WAIT_FOREVER || system_time() - begin < wait) &&
	       !interrupt_pending() && !system_sleep(1)) {
		if (fence_look(req, &fence, &fail))
			return failure_report(req, &fail);
	}
	if (fence.left)
		return fence_unfinished(req, &fence);
	fence_print(req, &fence);
	return EXIT_OK;
}

/**
 * host_unfence_run() - the verb "host unfence"
 * @req: the request
 *
 * Return: an exit status.
 */
int host_unfence_run(struct request *req)
{
	struct rblkt_ioc_host_fence fence;
	struct rblk_failure fail;

	if (rblkt_host_fence(rblk, req->peer, false, &fence, &fail))
		return failure_report(req, &fail);
	fence_print(req, &fence);
	return EXIT_OK;
}
