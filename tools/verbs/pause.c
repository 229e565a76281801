// SPDX-License-Identifier: GPL-2.0-only
/* The verbs of the target as a whole: to go away by plan, and to come back. */
#include "lib/control.h"
#include "output/output.h"
#include "verbs/ask.h"
#include "verbs/run.h"

static struct json_object *pause_json(const struct rblkt_ioc_pause *pause, bool paused)
{
	struct json_object *top = json_object_new_object();

	put_bool(top, "paused", paused);
	put_number(top, "left_ms", paused ? pause->ms : 0);
	put_number(top, "sessions", pause->sessions);
	put_number(top, "inflight", pause->inflight);
	return top;
}

static int call(const struct request *req, unsigned long command,
		struct rblkt_ioc_pause *pause)
{
	pause->size = sizeof(*pause);
	return control_once(req, SIDE_TARGET, command, pause, &pause->error);
}

/**
 * target_pause_run() - the verb "target pause"
 * @req: the request
 *
 * Return: an exit status.
 */
int target_pause_run(struct request *req)
{
	struct rblkt_ioc_pause pause = { .ms = req->pause * 1000 };

	if (call(req, RBLKT_IOC_PAUSE, &pause))
		return EXIT_FAILED;
	if (request_has(req, OPTION_JSON))
		print_json(pause_json(&pause, true));
	return EXIT_OK;
}

/**
 * target_resume_run() - the verb "target resume"
 * @req: the request
 *
 * Return: an exit status.
 */
int target_resume_run(struct request *req)
{
	struct rblkt_ioc_pause pause = { .ms = 0 };

	if (call(req, RBLKT_IOC_RESUME, &pause))
		return EXIT_FAILED;
	if (request_has(req, OPTION_JSON))
		print_json(pause_json(&pause, false));
	return EXIT_OK;
}

/**
 * target_show_run() - the verb "target show"
 * @req: the request
 *
 * Return: an exit status.
 */
int target_show_run(struct request *req)
{
	struct rblkt_ioc_pause pause = { .ms = 0 };

	if (call(req, RBLKT_IOC_PAUSE_SHOW, &pause))
		return EXIT_FAILED;
	if (request_has(req, OPTION_JSON)) {
		print_json(pause_json(&pause, pause.ms));
		return EXIT_OK;
	}
	if (pause.ms)
		row_print("state", "paused, for another %u s", (pause.ms + 999) / 1000);
	else
		row_print("state", "serving");
	row_print("sessions", "%u", pause.sessions);
	if (pause.inflight)
		row_print("not ended", "%u I/Os of former sessions", pause.inflight);
	return EXIT_OK;
}
