// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>

#include "node.h"
#include "watch.h"

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

/**
 * watch_run() - look, wait, look again, and print what happened meanwhile
 * @req: with the interval
 * @w: at what
 *
 * An interrupt is a good end.
 *
 * Return: an exit status.
 */
int watch_run(const struct request *req, const struct watch *w)
{
	void *was, *is;
	struct failure fail;
	unsigned int round = 0;
	bool more = true, failed = false;

	was = w->take(w->ctx, &fail);
	if (!was)
		return failure_report(req, &fail);
	while (more && !node_sleep(req->interval)) {
		is = w->take(w->ctx, &fail);
		failed = !is;
		if (failed)
			break;
		more = print(req, w, ++round, was, is);
		w->free(was);
		was = is;
	}
	w->free(was);
	return failed ? failure_report(req, &fail) : EXIT_OK;
}
