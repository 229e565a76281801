// SPDX-License-Identifier: GPL-2.0-only
/* The verb "apply": one transaction. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "config/plan.h"
#include "config/run.h"
#include "system/alloc.h"
#include "system/interrupt.h"
#include "system/change.h"
#include "output/failure.h"

/* Items can only be made where there is a module to make them. */
static int need_modules(const struct config *running, const struct config *wanted,
			struct rblk_failure *fail)
{
	enum item_kind kind;
	struct rblk_ioc_info info;

	for (kind = 0; kind < ITEM_KINDS; kind++) {
		if (!wanted->list[kind].given || !wanted->list[kind].nr ||
		    running->list[kind].given)
			continue;
		if (rblk_info(rblk, kind == ITEM_VOLUME ? RBLK_INITIATOR : RBLK_TARGET, &info,
			      fail))
			return -1;
	}
	return 0;
}

static int run_step(struct change *change, bool removal)
{
	if (removal)
		return change_remove(change);
	return change->action == ACTION_SET ? change_set(change) : change_add(change);
}

/**
 * struct step - one that has been taken
 * @change: of which change
 * @removal: the first half of it, where it has two
 */
struct step {
	struct change *change;
	bool removal;
};

/* Backwards, as each step may rest on those before it. */
static int roll_back(struct plan *plan, const struct step *taken, unsigned int nr)
{
	int status = EXIT_FAILED;
	unsigned int i;

	interrupt_defer();
	while (nr--)
		change_undo(taken[nr].change, taken[nr].removal);
	for (i = 0; i < plan->nr; i++)
		if (plan->change[i].outcome == OUTCOME_STUCK)
			status = EXIT_PARTLY;
	return status;
}

static int run_plan(struct plan *plan)
{
	struct step *taken = must_alloc(NULL, 2 * plan->nr, sizeof(*taken));
	unsigned int pass, at, nr = 0;
	struct change *change;
	int status = EXIT_OK;
	bool removal;

	for (pass = 0; status == EXIT_OK && pass < 2 * ITEM_KINDS; pass++) {
		removal = pass < ITEM_KINDS;
		at = 0;
		while (status == EXIT_OK && (change = plan_next(plan, pass, &at))) {
			if (run_step(change, removal))
				status = roll_back(plan, taken, nr);
			else
				taken[nr++] = (struct step){ change, removal };
		}
	}
	free(taken);
	return status;
}

static int run_and_tell(const struct request *req, struct plan *plan)
{
	bool each = request_has(req, OPTION_EACH);
	int status = EXIT_OK;

	if (!request_has(req, OPTION_DRY_RUN))
		status = each ? each_run(plan) : run_plan(plan);
	plan_print(plan, req);
	plan_failures(plan);
	if (status == EXIT_FAILED && each)
		fputs("rblkctl: apply: all other items are as the configuration has them\n",
		      stderr);
	else if (status == EXIT_FAILED)
		fputs("rblkctl: apply: nothing has been changed\n", stderr);
	else if (status == EXIT_PARTLY)
		fputs("rblkctl: apply: not all of it could be undone, see above\n", stderr);
	return status;
}

/* What is wanted, as far as --only goes. */
static int load_wanted(const struct request *req, struct config *wanted,
		       struct rblk_failure *fail)
{
	enum item_kind kind;

	if (conf_load(req->file, wanted, fail))
		return -1;
	for (kind = 0; kind < ITEM_KINDS; kind++)
		if (!(req->only & ITEM_BIT(kind)))
			wanted->list[kind].given = false;
	return 0;
}

static int load_and_apply(const struct request *req, struct config *running,
			  struct config *wanted)
{
	struct rblk_failure fail;
	struct plan plan;
	int status;

	if (load_wanted(req, wanted, &fail) || running_load(req->only, running, &fail) ||
	    need_modules(running, wanted, &fail))
		return failure_report(req, &fail);
	plan_make(&plan, running, wanted);
	status = run_and_tell(req, &plan);
	plan_free(&plan);
	return status;
}

/**
 * apply_run() - the verb "apply"
 * @req: the request
 *
 * Return: an exit status.
 */
int apply_run(struct request *req)
{
	struct config running = { .hosts = NULL }, wanted = { .hosts = NULL };
	bool dry = request_has(req, OPTION_DRY_RUN);
	struct rblk_failure fail;
	int fd = -1, status;

	if (!dry)
		fd = running_lock(0, &fail);
	if (!dry && fd < 0)
		return failure_report(req, &fail);
	status = load_and_apply(req, &running, &wanted);
	if (fd >= 0)
		close(fd);
	conf_free(&running);
	conf_free(&wanted);
	return status;
}
