// SPDX-License-Identifier: GPL-2.0-only
/*
 * The verb "up", also called "restore": what a boot wants. Each missing item has a
 * process of its own, so that one whose target or device is late keeps nobody else
 * waiting.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "config/children.h"
#include "config/plan.h"
#include "config/run.h"
#include "system/alloc.h"
#include "system/change.h"
#include "system/interrupt.h"
#include "system/program.h"
#include "output/failure.h"

#define RETRY_SECONDS	2

static time_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

/* Somebody else may have brought it up meanwhile. */
static bool is_there(enum item_kind kind, const struct item *item)
{
	struct config running;
	struct rblk_failure fail;
	bool found;

	found = !running_load(ITEM_BIT(kind), &running, &fail) &&
		items_find(&running.list[kind], kind, item);
	conf_free(&running);
	return found;
}

/* Nobody may want it any more, or want it otherwise. */
static bool is_wanted(const struct request *req, enum item_kind kind, struct item *item)
{
	const struct item *found = item;
	struct config wanted;
	struct rblk_failure fail;

	if (!strcmp(req->file, "-"))
		return true;
	/* While somebody edits it, it may be anything. */
	if (!conf_load(req->file, &wanted, &fail))
		found = items_find(&wanted.list[kind], kind, item);
	if (found && found != item)
		item->req = found->req;
	conf_free(&wanted);
	return found;
}

/* A reason is told once, however often it is the same. */
static void tell(const struct change *change, char *last, bool again)
{
	static struct request req;

	if (!strcmp(last, change->fail.text))
		return;
	snprintf(last, sizeof(change->fail.text), "%s", change->fail.text);
	change_request(&req, change);
	failure_print(&req, &change->fail);
	if (again)
		fputs("  it is tried again\n", stderr);
}

/* One attempt, with which no transaction interferes. */
static int attempt(struct change *change)
{
	int lock = running_share(&change->fail), err = 0;

	if (lock < 0)
		return -1;
	if (!is_there(change->kind, change->new))
		err = change_add(change);
	close(lock);
	return err;
}

/* Bring one item up; @change is shared with who waits for us. */
static void bring_up(const struct request *req, struct change *change)
{
	time_t start = now();
	char last[sizeof(change->fail.text)] = "", name[ITEM_TEXT];
	bool again;

	item_text(name, change->kind, change->new);
	for (;;) {
		if (!attempt(change))
			break;
		again = change->fail.error != EINTR &&
			(req->wait == WAIT_FOREVER || now() - start < req->wait);
		tell(change, last, again);
		if (!again)
			return;
		if (interrupt_pending() || system_sleep(RETRY_SECONDS))
			return;
		if (!is_wanted(req, change->kind, change->new)) {
			fprintf(stderr, "rblkctl: %s %s is not wanted any more\n",
				kind_text(change->kind), name);
			break;
		}
	}
	change->outcome = OUTCOME_DONE;
	if (last[0])
		fprintf(stderr, "rblkctl: %s %s: done after %lld s\n",
			kind_text(change->kind), name, (long long)(now() - start));
}

static pid_t begin(const struct request *req, struct change *change)
{
	pid_t parent = getpid(), pid;

	fflush(stdout);
	pid = fork();
	if (pid)
		return pid;
	/* Also when we are killed, and can tell them nothing any more. */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() == parent)
		bring_up(req, change);
	_exit(EXIT_OK);
}

/* Changes with their failures, where children can write them. */
static int share(struct plan *plan)
{
	size_t size = (plan->nr + 1) * sizeof(*plan->change);
	struct change *shared;

	shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return -1;
	memcpy(shared, plan->change, plan->nr * sizeof(*shared));
	free(plan->change);
	plan->change = shared;
	return 0;
}

static void unshare_free(struct plan *plan)
{
	munmap(plan->change, (plan->nr + 1) * sizeof(*plan->change));
}

/*
 * A volume that is there may lack routes, which are items of their own in this; those that
 * only it has stay. Which of them cannot be used yet is said.
 */
static bool add_routes(struct change *change)
{
	const struct endpoint *route[RBLK_MAX_ROUTES];
	static struct request lacking;
	char target[ENDPOINT_TEXT];
	unsigned int nr, i;
	size_t used = 0;
	int lock;

	if (change->kind != ITEM_VOLUME || change->action != ACTION_SET)
		return false;
	nr = routes_lack(route, &change->new->req, &change->old->req);
	lock = nr ? running_share(&change->fail) : -1;
	if (lock < 0)
		return false;
	memset(&lacking, 0, sizeof(lacking));
	change->detail[0] = '\0';
	for (i = 0; i < nr && used < sizeof(change->detail); i++) {
		endpoint_text(target, route[i]);
		used += snprintf(change->detail + used, sizeof(change->detail) - used,
				 "%sa route by %s", i ? ", " : "", target);
		/* One of nine, if they have none in common but the first. */
		if (lacking.nr_other == ARRAY_SIZE(lacking.other))
			break;
		lacking.other_source[lacking.nr_other] = *route_source(&change->new->req, route[i]);
		lacking.other[lacking.nr_other++] = *route[i];
	}
	volume_routes(&lacking, change->old->index, change->old->uuid);
	close(lock);
	change->outcome = OUTCOME_DONE;
	return true;
}

static unsigned int begin_all(const struct request *req, struct plan *plan, pid_t *child)
{
	unsigned int i, nr = 0;

	for (i = 0; i < plan->nr; i++) {
		struct change *change = &plan->change[i];

		if (change->action != ACTION_ADD) {
			if (!add_routes(change))
				change->action = ACTION_KEEP;
			continue;
		}
		change->outcome = OUTCOME_FAILED;
		child[nr] = begin(req, change);
		if (child[nr] < 0)
			failure_set(&change->fail, errno, NULL, "no process for it: %s",
				    strerror(errno));
		nr++;
	}
	return nr;
}

static unsigned int count_missing(const struct plan *plan)
{
	unsigned int i, nr = 0;

	for (i = 0; i < plan->nr; i++)
		nr += plan->change[i].action == ACTION_ADD &&
		      plan->change[i].outcome != OUTCOME_DONE;
	return nr;
}

static int bring_up_all(const struct request *req, struct plan *plan)
{
	pid_t *child = must_alloc(NULL, plan->nr, sizeof(*child));
	unsigned int nr = begin_all(req, plan, child), missing;
	int signal;

	children_wait(child, nr);
	free(child);
	missing = count_missing(plan);
	signal = interrupt_pending();
	/* What came of it is still to be said. */
	interrupt_defer();
	if (signal && missing)
		fprintf(stderr, "rblkctl: up: interrupted (%s): %u of %u are not there\n",
			strsignal(signal), missing, nr);
	return missing ? EXIT_FAILED : EXIT_OK;
}

/* Which /dev/rblkN they became is what the module says. */
static void find_devices(struct plan *plan)
{
	struct config running;
	struct rblk_failure fail;
	struct item *found;
	unsigned int i;

	if (running_load(ITEMS_VOLUMES, &running, &fail)) {
		conf_free(&running);
		return;
	}
	for (i = 0; i < plan->nr; i++) {
		if (plan->change[i].kind != ITEM_VOLUME || plan->change[i].action != ACTION_ADD)
			continue;
		found = items_find(&running.list[ITEM_VOLUME], ITEM_VOLUME,
				   plan->change[i].new);
		if (found)
			plan->change[i].new->index = found->index;
	}
	conf_free(&running);
}

/* What is there and not in the file stays, and is not spoken of. */
static void forget_others(struct config *running, const struct config *wanted)
{
	enum item_kind kind;
	unsigned int from, to;
	struct items *items;

	for (kind = 0; kind < ITEM_KINDS; kind++) {
		items = &running->list[kind];
		for (from = to = 0; from < items->nr; from++)
			if (items_find(&wanted->list[kind], kind, &items->item[from]))
				items->item[to++] = items->item[from];
		items->nr = to;
	}
}

static int restore(const struct request *req, struct config *running,
		   struct config *wanted)
{
	struct rblk_failure fail;
	struct plan plan;
	enum item_kind kind;
	int status;

	if (conf_load(req->file, wanted, &fail) || running_load(req->only, running, &fail))
		return failure_report(req, &fail);
	for (kind = 0; kind < ITEM_KINDS; kind++)
		if (!(req->only & ITEM_BIT(kind)))
			wanted->list[kind].given = false;
	forget_others(running, wanted);
	plan_make(&plan, running, wanted);
	if (share(&plan)) {
		failure_set(&fail, errno, NULL, "no memory: %s", strerror(errno));
		plan_free(&plan);
		return failure_report(req, &fail);
	}
	status = bring_up_all(req, &plan);
	find_devices(&plan);
	plan_print(&plan, req);
	unshare_free(&plan);
	return status;
}

/**
 * restore_run() - the verb "up"
 * @req: the request
 *
 * Return: an exit status.
 */
int restore_run(struct request *req)
{
	struct config running = { .hosts = NULL }, wanted = { .hosts = NULL };
	int status = restore(req, &running, &wanted);

	conf_free(&running);
	conf_free(&wanted);
	return status;
}
