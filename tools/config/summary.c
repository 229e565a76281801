// SPDX-License-Identifier: GPL-2.0-only
/* What becomes of each item, in words and as JSON. */
#include <stdio.h>
#include <string.h>

#include "config/plan.h"
#include "system/change.h"
#include "output/failure.h"
#include "output/report.h"

static const char *action_text(enum action action)
{
	static const char * const text[] = {
		[ACTION_KEEP] = "keep",
		[ACTION_ADD] = "add",
		[ACTION_REMOVE] = "remove",
		[ACTION_REPLACE] = "replace",
		[ACTION_SET] = "set",
	};

	return text[action];
}

static const char *done_text(enum action action)
{
	static const char * const text[] = {
		[ACTION_KEEP] = "unchanged",
		[ACTION_ADD] = "added",
		[ACTION_REMOVE] = "removed",
		[ACTION_REPLACE] = "replaced",
		[ACTION_SET] = "set",
	};

	return text[action];
}

/* In words for people; with dry-run what would be done. */
static const char *outcome_text(const struct change *change, bool dry)
{
	if (change->action == ACTION_KEEP)
		return done_text(change->action);
	switch (change->outcome) {
	case OUTCOME_DONE:
		return done_text(change->action);
	case OUTCOME_FAILED:
		return "failed";
	case OUTCOME_UNDONE:
		return "undone";
	case OUTCOME_STUCK:
		return "not undone";
	default:
		return dry ? action_text(change->action) : "not done";
	}
}

static const char *result_text(const struct change *change, bool dry)
{
	if (change->action == ACTION_KEEP)
		return done_text(change->action);
	switch (change->outcome) {
	case OUTCOME_DONE:
		return "done";
	case OUTCOME_FAILED:
		return "failed";
	case OUTCOME_UNDONE:
		return "undone";
	case OUTCOME_STUCK:
		return "not_undone";
	default:
		return dry ? "planned" : "not_done";
	}
}

/* /dev/rblkN of a volume that is there, or nothing. */
static void device_text(char to[32], const struct change *change)
{
	const struct item *item = change->added ? change->new : change->old;

	to[0] = '\0';
	if (change->kind == ITEM_VOLUME && item && item->index >= 0 &&
	    (change->added || !change->removed))
		snprintf(to, 32, "/dev/rblk%d", item->index);
}

static bool has_failed(const struct change *change)
{
	return change->outcome == OUTCOME_FAILED || change->outcome == OUTCOME_STUCK;
}

/**
 * change_request() - what was asked for when a change failed
 * @to: the request, for messages and hints
 * @change: the change
 */
void change_request(struct request *to, const struct change *change)
{
	static const enum verb_id removal[ITEM_KINDS] = {
		[ITEM_PORTAL] = VERB_PORTAL_REMOVE,
		[ITEM_EXPORT] = VERB_EXPORT_REMOVE,
		[ITEM_VOLUME] = VERB_DETACH,
	};
	bool stuck = change->outcome == OUTCOME_STUCK;
	struct rblk_failure ignored;
	char name[ITEM_TEXT];
	const char *origin;

	*to = change_item(change)->req;
	/* A process of its own has asked who this host is, which hints name. */
	if (change->kind == ITEM_VOLUME)
		host_identity(to, &origin, &ignored);
	item_text(name, change->kind, change_item(change));
	text_copy(to->volume.text, sizeof(to->volume.text), name, strlen(name));
	if (change->action == ACTION_SET)
		to->verb = change->kind == ITEM_EXPORT ? VERB_EXPORT_SET : VERB_SET;
	else if (stuck ? change->added : change->action == ACTION_REMOVE ||
		 (change->action == ACTION_REPLACE && !change->tried))
		to->verb = removal[change->kind];
}

static struct json_object *change_json(const struct change *change, bool dry)
{
	struct json_object *obj = json_object_new_object();
	static struct request req;
	char name[ITEM_TEXT], device[32];

	item_text(name, change->kind, change_item(change));
	device_text(device, change);
	put_text(obj, "kind", kind_text(change->kind));
	put_text(obj, "name", name);
	put_text(obj, "action", action_text(change->action));
	put_text(obj, "result", result_text(change, dry));
	if (change->detail[0])
		put_text(obj, "detail", change->detail);
	if (device[0])
		put_text(obj, "device", device);
	if (has_failed(change)) {
		change_request(&req, change);
		json_object_object_add(obj, "error", failed_json(&req, &change->fail));
	}
	return obj;
}

static void change_row(struct table *table, const struct change *change, bool dry)
{
	char name[ITEM_TEXT], device[32];
	const char *detail = has_failed(change) ? change->fail.text : change->detail;

	item_text(name, change->kind, change_item(change));
	device_text(device, change);
	table_cell(table, "%s", outcome_text(change, dry));
	table_cell(table, "%s", kind_text(change->kind));
	table_cell(table, "%s", name);
	table_cell(table, "%s%s%s", device, device[0] && detail[0] ? ": " : "", detail);
}

/**
 * plan_print() - tell what became of each item, on stdout
 * @plan: the items
 * @req: with --json or without, with --dry-run or without
 */
void plan_print(const struct plan *plan, const struct request *req)
{
	bool dry = request_has(req, OPTION_DRY_RUN);
	struct report report;
	unsigned int i;

	report_start(&report, req);
	for (i = 0; i < plan->nr; i++) {
		change_row(&report.table, &plan->change[i], dry);
		json_object_array_add(report.array, change_json(&plan->change[i], dry));
	}
	report_end(&report, req, NULL, "items");
}

/**
 * plan_failures() - tell what failed and what to try, on stderr
 * @plan: the items
 */
void plan_failures(const struct plan *plan)
{
	static struct request req;
	unsigned int i;

	for (i = 0; i < plan->nr; i++) {
		if (!has_failed(&plan->change[i]))
			continue;
		change_request(&req, &plan->change[i]);
		failure_print(&req, &plan->change[i].fail);
	}
}
