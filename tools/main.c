// SPDX-License-Identifier: GPL-2.0-only
/* rblkctl: one command line becomes one request, which one function runs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/run.h"
#include "doctor/run.h"
#include "system/interrupt.h"
#include "output/help.h"
#include "output/output.h"
#include "stat/run.h"
#include "verbs/run.h"

static int (*const run[VERB_NR])(struct request *req) = {
	[VERB_ATTACH] = attach_run,
	[VERB_DETACH] = detach_run,
	[VERB_LIST] = list_run,
	[VERB_SHOW] = show_run,
	[VERB_SET] = set_run,
	[VERB_STAT] = stat_run,
	[VERB_TOP] = stat_run,
	[VERB_DOCTOR] = doctor_run,
	[VERB_EVENTS] = events_run,
	[VERB_DISCOVER] = discover_run,
	[VERB_ROUTE_ADD] = route_add_run,
	[VERB_ROUTE_REMOVE] = route_remove_run,
	[VERB_ROUTE_LIST] = route_list_run,
	[VERB_RESERVATION] = reservation_run,
	[VERB_EXPORT_ADD] = export_add_run,
	[VERB_EXPORT_REMOVE] = export_remove_run,
	[VERB_EXPORT_SET] = export_set_run,
	[VERB_EXPORT_ALLOW] = export_set_run,
	[VERB_EXPORT_DENY] = export_set_run,
	[VERB_EXPORT_LIST] = export_list_run,
	[VERB_EXPORT_SHOW] = export_show_run,
	[VERB_EXPORT_STAT] = export_stat_run,
	[VERB_PORTAL_ADD] = portal_add_run,
	[VERB_PORTAL_REMOVE] = portal_remove_run,
	[VERB_PORTAL_LIST] = portal_list_run,
	[VERB_SESSION_LIST] = session_list_run,
	[VERB_SESSION_REMOVE] = session_remove_run,
	[VERB_SESSION_STAT] = session_stat_run,
	[VERB_HOST_FENCE] = host_fence_run,
	[VERB_HOST_UNFENCE] = host_unfence_run,
	[VERB_HOST_LIST] = host_list_run,
	[VERB_TARGET_PAUSE] = target_pause_run,
	[VERB_TARGET_RESUME] = target_resume_run,
	[VERB_TARGET_SHOW] = target_show_run,
	[VERB_APPLY] = apply_run,
	[VERB_UP] = restore_run,
	[VERB_DOWN] = stop_run,
	[VERB_SAVE] = save_run,
	[VERB_KEY] = key_run,
	[VERB_KEY_ROTATE] = key_rotate_run,
	[VERB_KEY_LOAD] = key_load_run,
	[VERB_HOST] = host_run,
	[VERB_VERSION] = version_run,
};

static int usage_failed(const struct request *req)
{
	char verb[32];

	verb_text(verb, sizeof(verb), req->verb);
	error_begin();
	fprintf(stderr, "%s\n", req->error);
	fprintf(stderr, "  try: rblkctl %s%s--help\n",
		req->verb ? verb : req->noun ? req->noun : "",
		req->verb || req->noun ? " " : "");
	return EXIT_USAGE;
}

int main(int argc, char **argv)
{
	static struct request req;
	int status = EXIT_OK, wrong;

	interrupt_begin();
	wrong = rblkctl_parse(argc, argv, &req);
	output_begin(&req);
	if (wrong)
		return usage_failed(&req);
	if (request_has(&req, OPTION_HELP) || req.verb == VERB_HELP)
		help_print(&req);
	else
		status = run[req.verb](&req);
	/* A result that nobody could read is a failure: a full disk, a closed pipe. */
	if ((fflush(stdout) || ferror(stdout)) && status == EXIT_OK)
		return interrupt_written();
	return interrupt_end(status);
}
