// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>

#include "system/interrupt.h"
#include "system/program.h"
#include "output/failure.h"
#include "stat/watch.h"

/* Whether there is another round after this one. */
static bool print(const struct request *req, const struct watch *w, unsigned int round,
		  void *was, void *is)
{
	if (w->print(req, w->ctx, was, is))
		return false;
	fflush(stdout);
	if (ferror(stdout) || round == w->rounds)
		return false;
	if (!w->quiet && !request_has(req, OPTION_JSON))
		putchar('\n');
	return true;
}

static int ended(const struct request *req, const struct watch *w,
		 const struct rblk_failure *fail)
{
	if (fail->error == EINTR && !w->rounds)
		return EXIT_OK;
	return failure_report(req, fail);
}

/**
 * watch_run() - look, wait, look again, and print what happened meanwhile
 * @req: with the interval
 * @w: at what
 *
 * An interrupt is a good end of what has no other.
 *
 * Return: an exit status.
 */
int watch_run(const struct request *req, const struct watch *w)
{
	void *was, *is;
	struct rblk_failure fail;
	unsigned int round = 0;
	bool more = true, failed = false;

	was = w->take(w->ctx, &fail);
	if (!was)
		return ended(req, w, &fail);
	while (more && !interrupt_pending() && !system_sleep(req->interval)) {
		is = w->take(w->ctx, &fail);
		failed = !is;
		if (failed)
			break;
		more = print(req, w, ++round, was, is);
		w->free(was);
		was = is;
	}
	w->free(was);
	if (failed)
		return ended(req, w, &fail);
	return more && w->rounds ? EXIT_FAILED : EXIT_OK;
}
