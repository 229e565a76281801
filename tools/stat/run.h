/* SPDX-License-Identifier: GPL-2.0-only */
/* What runs the verbs that show figures; every one returns an exit status. */
#ifndef RBLKCTL_STAT_RUN_H
#define RBLKCTL_STAT_RUN_H

#include "request/request.h"

int stat_run(struct request *req);
int prometheus_run(struct request *req);
int export_stat_run(struct request *req);
int session_stat_run(struct request *req);

#endif /* RBLKCTL_STAT_RUN_H */
