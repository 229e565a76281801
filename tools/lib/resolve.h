/* SPDX-License-Identifier: GPL-2.0-only */
/* From what the user wrote to addresses that the modules take, and back. */
#ifndef RBLKCTL_RESOLVE_H
#define RBLKCTL_RESOLVE_H

#include "lib/control.h"

#define MAX_ADDRESSES	8
#define ADDR_TEXT	80

/**
 * struct addresses - what a name stands for
 * @nr: entries of @addr, at least 1
 * @addr: in the order in which to try them
 */
struct addresses {
	unsigned int nr;
	struct rblk_ioc_addr addr[MAX_ADDRESSES];
};

typedef int (*attempt_fn)(void *ctx, const struct rblk_ioc_addr *target,
			  const struct rblk_ioc_addr *source, struct failure *fail);

int resolve(const struct endpoint *ep, int family, struct addresses *to,
	    struct failure *fail);
int resolve_each(const struct request *req, attempt_fn attempt, void *ctx,
		 struct failure *best);
void addr_text(char to[ADDR_TEXT], const struct rblk_ioc_addr *addr);

#endif /* RBLKCTL_RESOLVE_H */
