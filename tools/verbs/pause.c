// SPDX-License-Identifier: GPL-2.0-only
/* The verbs of the target as a whole: to go away by plan, and to come back. */
#include "output/failure.h"
#include "output/output.h"
#include "system/change.h"
#include "verbs/run.h"

/* Return: an exit status. */
static int pause_done(const struct request *req, const struct rblkt_ioc_pause *pause)
{
	if (request_has(req, OPTION_JSON))
		print_json(rblkt_pause_json(pause));
	return EXIT_OK;
}

/**
 * target_pause_run() - the verb "target pause"
 * @req: the request
 *
 * Return: an exit status.
 */
int target_pause_run(struct request *req)
{
	struct rblkt_ioc_pause pause;
	struct rblk_failure fail;

	if (rblkt_pause(rblk, req->pause, &pause, &fail))
		return failure_report(req, &fail);
	return pause_done(req, &pause);
}

/**
 * target_resume_run() - the verb "target resume"
 * @req: the request
 *
 * Return: an exit status.
 */
int target_resume_run(struct request *req)
{
	struct rblkt_ioc_pause pause;
	struct rblk_failure fail;

	if (rblkt_resume(rblk, &pause, &fail))
		return failure_report(req, &fail);
	pause.ms = 0;	/* that were left */
	return pause_done(req, &pause);
}

/**
 * target_show_run() - the verb "target show"
 * @req: the request
 *
 * Return: an exit status.
 */
int target_show_run(struct request *req)
{
	struct rblkt_ioc_pause pause;
	struct rblk_failure fail;

	if (rblkt_pause_get(rblk, &pause, &fail))
		return failure_report(req, &fail);
	if (request_has(req, OPTION_JSON))
		return pause_done(req, &pause);
	if (pause.ms)
		row_print("state", "paused, for another %u s", (pause.ms + 999) / 1000);
	else
		row_print("state", "serving");
	row_print("sessions", "%u", pause.sessions);
	if (pause.inflight)
		row_print("not ended", "%u I/Os of former sessions", pause.inflight);
	return EXIT_OK;
}
