// SPDX-License-Identifier: GPL-2.0-only
/* The verbs "export stat" and "session stat": what the target did for whom. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "system/alloc.h"
#include "output/report.h"
#include "stat/latency.h"
#include "stat/run.h"
#include "stat/served.h"
#include "stat/watch.h"

/**
 * struct group - what is summed up in the rows of a table
 * @export: of this one; empty in "session stat"
 * @name: of the host; empty for all of them
 * @host: its UUID
 * @attached: how often it has the export attached, or how many it has
 * @op: what was done between two looks
 * @total: since the beginning
 */
struct group {
	char export[RBLK_NAME_LEN];
	char name[RBLK_NAME_LEN];
	__u8 host[UUID_BYTES];
	unsigned int attached;
	struct rblk_ioc_latency op[RBLK_LATENCY_OPS];
	struct rblk_ioc_latency total[RBLK_LATENCY_OPS];
};

/**
 * struct groups - all of them
 * @nr: how many
 * @group: in the order in which they are shown
 */
struct groups {
	unsigned int nr;
	struct group *group;
};

static bool is_all(const struct group *group)
{
	static const __u8 none[UUID_BYTES];

	return !memcmp(group->host, none, sizeof(none));
}

/* A group for @export and @host, either of which may be missing. */
static struct group *group_of(struct groups *groups, const char *export,
			      const struct rblkt_ioc_host_stat *host)
{
	static const __u8 any[UUID_BYTES];
	const __u8 *uuid = host ? host->host : any;
	struct group *group;
	unsigned int i;

	for (i = 0; i < groups->nr; i++) {
		group = &groups->group[i];
		if (!strncmp(group->export, export, RBLK_NAME_LEN) &&
		    !memcmp(group->host, uuid, UUID_BYTES))
			return group;
	}
	groups->group = must_alloc(groups->group, ++groups->nr, sizeof(*group));
	group = &groups->group[groups->nr - 1];
	memset(group, 0, sizeof(*group));
	text_copy(group->export, sizeof(group->export), export, strnlen(export, RBLK_NAME_LEN));
	memcpy(group->host, uuid, UUID_BYTES);
	if (host)
		text_copy(group->name, sizeof(group->name), host->name,
			  strnlen(host->name, RBLK_NAME_LEN - 1));
	return group;
}

static void add(struct group *group, const struct serving *was, const struct serving *is)
{
	struct rblk_ioc_latency during;
	int op;

	group->attached += is->stat.attached;
	for (op = 0; op < RBLK_LATENCY_OPS; op++) {
		latency_since(&during, &was->stat.op[op], &is->stat.op[op]);
		latency_add(&group->op[op], &during);
		latency_add(&group->total[op], &is->stat.op[op]);
	}
}

static bool is_shared(const struct served *served, const char *export)
{
	unsigned int i, n = 0;

	for (i = 0; i < served->nr; i++)
		n += !strncmp(served->serving[i].export, export, RBLK_NAME_LEN);
	return n > 1;
}

static bool is_wanted(const struct request *req, const struct rblkt_ioc_host_stat *host)
{
	__u8 uuid[UUID_BYTES];

	if (!req->peer[0])
		return true;
	if (text_uuid(req->peer, uuid))
		return !memcmp(uuid, host->host, UUID_BYTES);
	return !strncmp(req->peer, host->name, RBLK_NAME_LEN);
}

/* An export that several hosts have had gets a group of its own before theirs. */
static void group_all(struct groups *groups, const struct request *req,
		      const struct served *was, const struct served *is)
{
	bool by_host = req->verb == VERB_SESSION_STAT;
	const struct serving *serving, *before;
	unsigned int i;

	for (i = 0; i < is->nr; i++) {
		serving = &is->serving[i];
		before = served_find(was, serving);
		if (!is_wanted(req, &serving->stat))
			continue;
		if (!by_host && is_shared(is, serving->export))
			add(group_of(groups, serving->export, NULL), before, serving);
	}
	for (i = 0; i < is->nr; i++) {
		serving = &is->serving[i];
		if (is_wanted(req, &serving->stat))
			add(group_of(groups, by_host ? "" : serving->export, &serving->stat),
			    served_find(was, serving), serving);
	}
}

static void row(struct table *t, const struct group *group, bool by_host, int op,
		double seconds)
{
	static const struct rblk_ioc_latency none;
	const struct rblk_ioc_latency *did = op < 0 ? &none : &group->op[op];
	const struct rblk_ioc_histogram *all = &did->part[RBLK_LATENCY_TOTAL];

	if (!by_host)
		table_text(t, group->export, RBLK_NAME_LEN);
	table_cell(t, "%s", is_all(group) ? "(all)" : group->name);
	table_cell(t, "%u", group->attached);
	table_cell(t, "%s", op < 0 ? "-" : latency_op_name[op]);
	table_rate(t, histogram_count(all) / seconds);
	table_bytes(t, did->bytes / seconds);
	table_percentiles(t, all);
	table_duration(t, histogram_mean(&did->part[RBLK_LATENCY_TARGET]));
	table_duration(t, histogram_mean(&did->part[RBLK_LATENCY_DEVICE]));
}

static void rows(struct table *t, const struct group *group, bool by_host, double seconds)
{
	bool any = false;
	int op;

	for (op = 0; op < RBLK_LATENCY_OPS; op++) {
		if (latency_idle(&group->op[op]))
			continue;
		row(t, group, by_host, op, seconds);
		any = true;
	}
	if (!any)
		row(t, group, by_host, -1, seconds);
}

static struct json_object *group_json(const struct group *group, double seconds)
{
	struct json_object *obj = json_object_new_object();
	int op;

	if (group->export[0])
		put_chars(obj, "export", group->export, RBLK_NAME_LEN);
	if (!is_all(group)) {
		put_chars(obj, "host", group->name, RBLK_NAME_LEN);
		put_uuid(obj, "host_uuid", group->host);
	}
	put_number(obj, "attached", group->attached);
	for (op = 0; op < RBLK_LATENCY_OPS; op++)
		put_object(obj, latency_op_name[op],
			   rblk_latency_json(&group->op[op], seconds, &group->total[op]));
	return obj;
}

/* By export, what is for all hosts first; then by host. */
static int order(const void *a, const void *b)
{
	const struct group *one = a, *other = b;
	int diff = strcmp(one->export, other->export);

	if (!diff)
		diff = is_all(other) - is_all(one);
	if (!diff)
		diff = strcmp(one->name, other->name);
	return diff ? diff : memcmp(one->host, other->host, UUID_BYTES);
}

static int print(const struct request *req, void *ctx, void *was, void *is)
{
	bool by_host = req->verb == VERB_SESSION_STAT;
	const struct served *before = was, *now = is;
	struct groups groups = { .nr = 0 };
	struct report report;
	unsigned int i;

	(void)ctx;
	report_start(&report, req);
	group_all(&groups, req, before, now);
	if (groups.nr)
		qsort(groups.group, groups.nr, sizeof(*groups.group), order);
	for (i = 0; i < groups.nr; i++) {
		rows(&report.table, &groups.group[i], by_host, now->time - before->time);
		json_object_array_add(report.array,
				      group_json(&groups.group[i], now->time - before->time));
	}
	free(groups.group);
	return report_end(&report, req, NULL, by_host ? "hosts" : "exports");
}

static void release(void *look)
{
	served_free(look);
	free(look);
}

static bool has_wanted(const struct request *req, const struct served *served)
{
	unsigned int i;

	for (i = 0; i < served->nr; i++)
		if (is_wanted(req, &served->serving[i].stat))
			return true;
	return !req->peer[0];
}

static void *take(void *ctx, struct rblk_failure *fail)
{
	struct served *served = must_alloc(NULL, 1, sizeof(*served));
	const struct request *req = ctx;

	if (!served_take(served, req->export, fail)) {
		if (has_wanted(req, served))
			return served;
		failure_set(fail, ENOENT, "rblkctl session stat",
			    "no host %s has had an export attached", req->peer);
	}
	release(served);
	return NULL;
}

static int run(struct request *req)
{
	const struct watch watch = {
		.take = take, .print = print, .free = release, .ctx = req,
		.rounds = request_has(req, OPTION_WATCH) ? 0 : 1,
	};

	return watch_run(req, &watch);
}

/**
 * export_stat_run() - the verb "export stat"
 * @req: the request
 *
 * Return: an exit status.
 */
int export_stat_run(struct request *req)
{
	return run(req);
}

/**
 * session_stat_run() - the verb "session stat"
 * @req: the request
 *
 * Return: an exit status.
 */
int session_stat_run(struct request *req)
{
	return run(req);
}
