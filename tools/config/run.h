/* SPDX-License-Identifier: GPL-2.0-only */
/* What runs the verbs of the configuration; every one returns an exit status. */
#ifndef RBLKCTL_CONFIG_RUN_H
#define RBLKCTL_CONFIG_RUN_H

#include "lib/failure.h"
#include "request/request.h"

int apply_run(struct request *req);
int restore_run(struct request *req);
int stop_run(struct request *req);
int save_run(struct request *req);
int save_check(const struct request *req, struct rblk_failure *fail);
int save_added(struct request *req, enum item_kind kind, const struct rblk_ioc_addr *addr,
	       int index);

#endif /* RBLKCTL_CONFIG_RUN_H */
