/* SPDX-License-Identifier: GPL-2.0-only */
/* From what the user wrote to addresses that the modules take. */
#ifndef RBLKCTL_RESOLVE_H
#define RBLKCTL_RESOLVE_H

#include "control.h"

#define MAX_ADDRESSES	8

/**
 * struct addresses - what a name stands for
 * @nr: entries of @addr, at least 1
 * @addr: in the order in which to try them
 */
struct addresses {
	unsigned int nr;
	struct rblk_ioc_addr addr[MAX_ADDRESSES];
};

int resolve(const struct endpoint *ep, int family, struct addresses *to,
	    struct failure *fail);
int resolve_request(const struct request *req, struct addresses *targets,
		    struct rblk_ioc_addr *source, struct failure *fail);
bool resolve_try_next(const struct failure *fail);
void resolve_keep_better(struct failure *best, const struct failure *fail,
			 const struct addresses *targets, unsigned int at);

#endif /* RBLKCTL_RESOLVE_H */
