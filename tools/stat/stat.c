// SPDX-License-Identifier: GPL-2.0-only
/* The verb "stat": what volumes did between two looks, and where the time went. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "output/failure.h"
#include "output/report.h"
#include "rblk_wire.h"
#include "stat/latency.h"
#include "stat/route.h"
#include "stat/run.h"
#include "stat/top.h"
#include "stat/watch.h"
#include "stat/work.h"
#include "system/change.h"

/* @op may be none. */
static void op_row(struct table *t, const struct work *work, int op)
{
	static const struct rblk_ioc_latency none;
	const struct rblk_ioc_latency *did = op < 0 ? &none : &work->op[op];
	const struct rblk_ioc_histogram *all = &did->part[RBLK_LATENCY_TOTAL];
	int part;

	table_cell(t, "/dev/rblk%d", work->now->show.volume.index);
	table_cell(t, "%s", rblk_volume_state_text(work->now->show.volume.state));
	table_cell(t, "%s", op < 0 ? "-" : latency_op_name[op]);
	table_rate(t, histogram_count(all) / work->seconds);
	table_bytes(t, did->bytes / work->seconds);
	table_percentiles(t, all);
	for (part = RBLK_LATENCY_HOST; part < RBLK_LATENCY_PARTS; part++)
		table_duration(t, histogram_mean(&did->part[part]));
	table_cell(t, "%llu", work->now->inflight);
	table_cell(t, "%.0f%%", work->busy);
}

static void volume_rows(struct table *t, const struct work *work)
{
	bool any = false;
	int op;

	for (op = 0; op < RBLK_LATENCY_OPS; op++) {
		if (latency_idle(&work->op[op]))
			continue;
		op_row(t, work, op);
		any = true;
	}
	if (!any)
		op_row(t, work, -1);
}

/* One volume: each part of the time in a row of its own. */
static void part_rows(struct table *t, const struct work *work)
{
	const struct rblk_ioc_latency *did;
	int op, part;

	for (op = 0; op < RBLK_LATENCY_OPS; op++) {
		did = &work->op[op];
		for (part = 0; !latency_idle(did) && part < RBLK_LATENCY_PARTS; part++) {
			table_cell(t, "%s", latency_op_name[op]);
			table_rate(t, histogram_count(&did->part[part]) / work->seconds);
			table_bytes(t, did->bytes / work->seconds);
			table_cell(t, "%s", latency_part_name[part]);
			table_duration(t, histogram_mean(&did->part[part]));
			table_percentiles(t, &did->part[part]);
		}
	}
}

/* Where nobody has said what the output is to look like. */
static bool is_plain(const struct request *req)
{
	return !request_has(req, OPTION_JSON) && !request_has(req, OPTION_OUTPUT) &&
	       !request_has(req, OPTION_NO_HEADINGS);
}

/* Those between the two looks are few, so all are told. */
static void digest_print(const struct rblk_ioc_volume *volume)
{
	if (volume->flags & RBLK_EXPF_DIGEST)
		printf("\ndigest mismatches since it was attached: %llu mended, %llu not\n",
		       volume->digest_mended, volume->digest_failed);
}

static int print(const struct request *req, void *ctx, void *was, void *is)
{
	const struct samples *now = is;
	bool one = *(int *)ctx >= 0;
	static struct work work;
	struct report report;
	unsigned int i;
	int status;

	report_start(&report, req);
	for (i = 0; i < now->nr; i++) {
		work_between(&work, was, is, i);
		if (one)
			part_rows(&report.table, &work);
		else
			volume_rows(&report.table, &work);
		json_object_array_add(report.array, work_json(&work));
	}
	status = report_end(&report, req, NULL, "volumes");
	if (one && now->nr && is_plain(req)) {
		route_work_print(&work);
		digest_print(&work.now->show.volume);
	}
	return status;
}

/* Who is meant; -1 for all. */
static int find_volume(const struct request *req, int *index, struct rblk_failure *fail)
{
	struct rblk_ioc_show show;
	*index = -1;
	if (!req->volume.text[0])
		return 0;
	if (rblk_volume_find(rblk, req->volume.text, &show, NULL, fail))
		return -1;
	*index = show.volume.index;
	return 0;
}

static void *take(void *ctx, struct rblk_failure *fail)
{
	return work_take(*(int *)ctx, fail);
}

/**
 * stat_run() - the verbs "stat" and "top", which is "stat --watch --sort io"
 * @req: the request
 *
 * Return: an exit status.
 */
int stat_run(struct request *req)
{
	bool top = req->verb == VERB_TOP;
	struct rblk_failure fail;
	int index;
	const struct watch watch = {
		.take = take, .free = work_release, .ctx = &index,
		.print = top || request_has(req, OPTION_SORT) ? top_print : print,
		.rounds = top || request_has(req, OPTION_WATCH) || req->count ? req->count : 1,
		.quiet = top_clears(req),
	};

	if (request_has(req, OPTION_PROMETHEUS))
		return prometheus_run(req);
	if (find_volume(req, &index, &fail))
		return failure_report(req, &fail);
	return watch_run(req, &watch);
}
