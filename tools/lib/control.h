/* SPDX-License-Identifier: GPL-2.0-only */
/* Talking to the modules, for the library itself. */
#ifndef LIBRBLK_CONTROL_H
#define LIBRBLK_CONTROL_H

#include "lib/failure.h"

int control_try(struct rblk *rblk, enum rblk_side side, unsigned long command, void *arg,
		struct rblk_ioc_error *error, struct rblk_failure *fail);
bool control_refused(const struct rblk_failure *fail);
bool control_gives_up(const struct rblk *rblk);
bool control_goes_on(const struct rblk *rblk);

#endif /* LIBRBLK_CONTROL_H */
