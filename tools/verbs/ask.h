/* SPDX-License-Identifier: GPL-2.0-only */
/* Asking a module, and telling the user when that fails. */
#ifndef RBLKCTL_ASK_H
#define RBLKCTL_ASK_H

#include "lib/control.h"

int control_open(const struct request *req, enum side side);
int control_once(const struct request *req, enum side side, unsigned long command,
		 void *arg, struct rblk_ioc_error *error);
int target_list(const struct request *req, unsigned long command, size_t size,
		void **entries, unsigned int *nr);

#endif /* RBLKCTL_ASK_H */
