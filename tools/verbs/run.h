/* SPDX-License-Identifier: GPL-2.0-only */
/* What runs the verbs of this folder; every one returns an exit status. */
#ifndef RBLKCTL_VERBS_RUN_H
#define RBLKCTL_VERBS_RUN_H

#include "request/request.h"

int attach_run(struct request *req);
int detach_run(struct request *req);
int list_run(struct request *req);
int show_run(struct request *req);
int set_run(struct request *req);
int events_run(struct request *req);
int discover_run(struct request *req);
int reservation_run(struct request *req);
int route_add_run(struct request *req);
int route_remove_run(struct request *req);
int route_list_run(struct request *req);
void route_print(const struct rblk_ioc_volume *volume);
int export_add_run(struct request *req);
int export_remove_run(struct request *req);
int export_set_run(struct request *req);
int export_list_run(struct request *req);
int export_show_run(struct request *req);
int portal_add_run(struct request *req);
int portal_remove_run(struct request *req);
int portal_list_run(struct request *req);
int session_list_run(struct request *req);
int session_remove_run(struct request *req);
int host_fence_run(struct request *req);
int host_unfence_run(struct request *req);
int host_list_run(struct request *req);
int target_pause_run(struct request *req);
int target_resume_run(struct request *req);
int target_show_run(struct request *req);
int key_run(struct request *req);
int key_rotate_run(struct request *req);
int key_load_run(struct request *req);
int host_run(struct request *req);
int version_run(struct request *req);

#endif /* RBLKCTL_VERBS_RUN_H */
