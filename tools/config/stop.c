// SPDX-License-Identifier: GPL-2.0-only
/* The verb "down", also called "stop": what a shutdown wants, each item for itself. */
#include <stdio.h>
#include <unistd.h>

#include "config/plan.h"
#include "config/run.h"
#include "output/failure.h"

/* A shutdown rather waits for an "apply" under way than leaves all as it is. */
#define LOCK_SECONDS	30

/*
 * Volumes first, as their target may be this host; then portals, so that hosts
 * whose sessions have ended don't come back for the exports.
 */
static int stop_all(const struct request *req, struct plan *plan)
{
	static const enum item_kind order[] = { ITEM_VOLUME, ITEM_PORTAL, ITEM_EXPORT };
	unsigned int step, i;
	struct change *change;
	int status = EXIT_OK;

	for (step = 0; step < ITEM_KINDS; step++) {
		for (i = 0; i < plan->nr; i++) {
			change = &plan->change[i];
			if (change->kind != order[step])
				continue;
			change->old->req.given |= req->given & OPTION_BIT(OPTION_FORCE);
			if (change_remove(change))
				status = EXIT_FAILED;
		}
	}
	return status;
}

static void note_root(const struct config *running)
{
	const struct items *volumes = &running->list[ITEM_VOLUME];
	unsigned int i;

	for (i = 0; i < volumes->nr; i++)
		if (volumes->item[i].root)
			fprintf(stderr,
				"rblkctl: down: /dev/rblk%d stays: it has the root file system of this machine on it\n",
				volumes->item[i].index);
}

/**
 * stop_run() - the verb "down"
 * @req: the request
 *
 * Return: an exit status.
 */
int stop_run(struct request *req)
{
	struct config running, none = { .hosts = NULL };
	int status, lock, err;
	struct rblk_failure fail;
	struct plan plan;
	enum item_kind kind;

	lock = running_lock(LOCK_SECONDS, &fail);
	if (lock < 0)
		return failure_report(req, &fail);
	err = running_load(req->only, &running, &fail);
	if (err) {
		conf_free(&running);
		close(lock);
		return failure_report(req, &fail);
	}
	for (kind = 0; kind < ITEM_KINDS; kind++)
		none.list[kind].given = true;
	note_root(&running);
	plan_make(&plan, &running, &none);
	status = stop_all(req, &plan);
	plan_print(&plan, req);
	plan_failures(&plan);
	plan_free(&plan);
	conf_free(&running);
	close(lock);
	return status;
}
