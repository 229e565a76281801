/* SPDX-License-Identifier: GPL-2.0-only */
/* What the target says of itself. */
#ifndef RBLKCTL_TARGET_H
#define RBLKCTL_TARGET_H

#include "lib/control.h"

int target_get(unsigned long command, size_t size, void **entries, unsigned int *nr,
	       struct failure *fail);
int target_pause_get(struct rblkt_ioc_pause *pause, struct failure *fail);

#endif /* RBLKCTL_TARGET_H */
