// SPDX-License-Identifier: GPL-2.0-only
/*
 * "apply --each": each item for itself, as at boot. What can be done is done, and
 * what cannot is named. Items at the same step have a process each, so that a
 * target that is gone costs its time once, however many volumes it has.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "config/children.h"
#include "config/plan.h"
#include "system/alloc.h"
#include "system/change.h"
#include "system/interrupt.h"
#include "output/report.h"

/**
 * struct result - what a step's process tells the one that waits for it
 * @begun: there is one
 * @ended: it has told
 * @change: the change, after the step
 * @index: of the volume that it attached, or put back
 * @uuid: likewise
 */
struct result {
	bool begun;
	bool ended;
	struct change change;
	int index;
	__u8 uuid[UUID_BYTES];
};

/*
 * A volume whose target is gone comes back by itself. Once it was removed it could
 * neither be attached anew nor be put back.
 */
static bool is_away(struct change *change)
{
	char reason[RBLK_ERROR_LEN], device[32];
	struct rblk_ioc_show show;
	struct rblk_failure fail;
	bool away;

	if (change->kind != ITEM_VOLUME || change->action != ACTION_REPLACE)
		return false;
	snprintf(device, sizeof(device), "rblk%d", change->old->index);
	away = !rblk_volume_find(rblk, device, &show, NULL, &fail) &&
	       show.volume.state != RBLK_VOL_LIVE;
	if (!away)
		return false;
	change->outcome = OUTCOME_FAILED;
	text_clean(reason, sizeof(reason), show.volume.reason, sizeof(show.volume.reason));
	failure_set(&change->fail, EAGAIN, "once more when %T is back",
		    "%s is %s and stays as it is: %s", device,
		    rblk_volume_state_text(show.volume.state), reason);
	return true;
}

/* Its number may have been taken meanwhile, as others are attached at the same time. */
static void put_back(struct change *change)
{
	interrupt_defer();
	change->old->req.given &= ~OPTION_BIT(OPTION_INDEX);
	change->old->req.index = -1;
	change_undo(change, true);
}

static void take_step(struct change *change, bool removal)
{
	if (removal) {
		if (!is_away(change))
			change_remove(change);
	} else if (change->action == ACTION_SET) {
		change_set(change);
	} else if (change_add(change) && change->removed) {
		put_back(change);
	}
}

/* The item that is there, if any is. */
static struct item *known(const struct change *change)
{
	return change->added || !change->old ? change->new : change->old;
}

/* What was removed before, to be replaced, is not there. */
static enum outcome not_done(const struct change *change)
{
	return change->removed ? OUTCOME_STUCK : OUTCOME_FAILED;
}

static pid_t begin_step(const struct change *change, struct result *result, bool removal)
{
	pid_t parent = getpid(), pid;

	result->change = *change;
	result->index = known(change)->index;
	memcpy(result->uuid, known(change)->uuid, UUID_BYTES);
	result->begun = true;
	result->ended = false;
	pid = fork();
	if (pid < 0) {
		result->change.outcome = not_done(change);
		failure_set(&result->change.fail, errno, NULL, "no process for it: %s",
			    strerror(errno));
		result->ended = true;
	}
	if (pid)
		return pid;
	/* Also when we are killed, and can tell them nothing any more. */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() == parent) {
		take_step(&result->change, removal);
		result->index = known(&result->change)->index;
		memcpy(result->uuid, known(&result->change)->uuid, UUID_BYTES);
		result->ended = true;
	}
	_exit(EXIT_OK);
}

static void end_step(struct change *change, const struct result *result)
{
	if (result->ended) {
		*change = result->change;
		known(change)->index = result->index;
		memcpy(known(change)->uuid, result->uuid, UUID_BYTES);
		return;
	}
	change->outcome = not_done(change);
	failure_set(&change->fail, ECHILD, "rblkctl list; rblkctl export list; and once more",
		    "its process was ended, and how far it had come is not known");
}

/* Return: an exit status. */
static int count_failures(const struct plan *plan)
{
	int status = EXIT_OK;
	unsigned int i;

	for (i = 0; i < plan->nr; i++) {
		if (plan->change[i].outcome == OUTCOME_STUCK)
			return EXIT_PARTLY;
		if (plan->change[i].outcome == OUTCOME_FAILED)
			status = EXIT_FAILED;
	}
	return status;
}

static void run_pass(struct plan *plan, struct result *results, unsigned int pass)
{
	pid_t *child = must_alloc(NULL, plan->nr, sizeof(*child));
	unsigned int at = 0, nr = 0;
	struct change *change;

	while ((change = plan_next(plan, pass, &at)))
		if (change->outcome == OUTCOME_NONE)	/* its removal has not failed */
			child[nr++] = begin_step(change, &results[change - plan->change],
						 pass < ITEM_KINDS);
	children_wait(child, nr);
	free(child);
	for (at = 0; at < plan->nr; at++) {
		if (results[at].begun)
			end_step(&plan->change[at], &results[at]);
		results[at].begun = false;
	}
}

/**
 * each_run() - do what can be done
 * @plan: the changes, each of which has an outcome afterwards
 *
 * Return: an exit status.
 */
int each_run(struct plan *plan)
{
	size_t size = (plan->nr + 1) * sizeof(struct result);
	struct result *results;
	unsigned int pass;

	results = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (results == MAP_FAILED) {
		fprintf(stderr, "rblkctl: apply: no memory: %s\n", strerror(errno));
		return EXIT_FAILED;
	}
	for (pass = 0; pass < 2 * ITEM_KINDS; pass++)
		run_pass(plan, results, pass);
	munmap(results, size);
	return count_failures(plan);
}
