/* SPDX-License-Identifier: GPL-2.0-only */
/* From what people write to addresses that the modules take. */
#ifndef LIBRBLK_RESOLVE_H
#define LIBRBLK_RESOLVE_H

#include "lib/address.h"
#include "lib/control.h"

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

/**
 * struct asking - somebody asks a target
 * @rblk: the caller, or NULL
 * @target: the target
 * @source: a local address to connect from, if its host is not empty
 * @host: who asks
 * @to: the address that is being tried
 * @from: the one that @source stands for, or all zeroes
 */
struct asking {
	struct rblk *rblk;
	struct endpoint target;
	struct endpoint source;
	struct rblk_host host;
	struct rblk_ioc_addr to;
	struct rblk_ioc_addr from;
};

typedef int (*attempt_fn)(void *ctx, const struct asking *ask, struct rblk_failure *fail);

int asking_begin(struct asking *ask, struct rblk *rblk, const struct rblk_volume_spec *spec,
		 struct rblk_failure *fail);
int resolve(struct rblk *rblk, const struct endpoint *ep, int family, struct addresses *to,
	    struct rblk_failure *fail);
int resolve_each(struct asking *ask, attempt_fn attempt, void *ctx, struct rblk_failure *best);

#endif /* LIBRBLK_RESOLVE_H */
