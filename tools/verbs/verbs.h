/* SPDX-License-Identifier: GPL-2.0-only */
/* What runs each verb; every one returns an exit status. */
#ifndef RBLKCTL_VERBS_H
#define RBLKCTL_VERBS_H

#include "request/request.h"

int attach_run(struct request *req);
int detach_run(struct request *req);
int list_run(struct request *req);
int show_run(struct request *req);
int set_run(struct request *req);
int stat_run(struct request *req);
int doctor_run(struct request *req);
int top_run(struct request *req);
int events_run(struct request *req);
int discover_run(struct request *req);
int export_add_run(struct request *req);
int export_remove_run(struct request *req);
int export_set_run(struct request *req);
int export_host_run(struct request *req);
int export_list_run(struct request *req);
int export_show_run(struct request *req);
int export_stat_run(struct request *req);
int portal_add_run(struct request *req);
int portal_remove_run(struct request *req);
int portal_list_run(struct request *req);
int session_list_run(struct request *req);
int session_remove_run(struct request *req);
int session_stat_run(struct request *req);
int target_pause_run(struct request *req);
int target_resume_run(struct request *req);
int target_show_run(struct request *req);
int apply_run(struct request *req);
int restore_run(struct request *req);
int stop_run(struct request *req);
int save_run(struct request *req);
int host_run(struct request *req);
int version_run(struct request *req);

#endif /* RBLKCTL_VERBS_H */
