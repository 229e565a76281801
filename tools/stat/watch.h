/* SPDX-License-Identifier: GPL-2.0-only */
/* Looking at something again and again. */
#ifndef RBLKCTL_WATCH_H
#define RBLKCTL_WATCH_H

#include "lib/failure.h"

/**
 * struct watch - what is looked at, and how
 * @take: look; NULL with @fail filled in when that failed
 * @print: say what happened between two looks; an exit status
 * @free: what @take gave
 * @ctx: theirs
 * @rounds: how often, 0 for ever
 * @quiet: nothing between two prints
 */
struct watch {
	void *(*take)(void *ctx, struct rblk_failure *fail);
	int (*print)(const struct request *req, void *ctx, void *was, void *is);
	void (*free)(void *look);
	void *ctx;
	unsigned int rounds;
	bool quiet;
};

int watch_run(const struct request *req, const struct watch *w);

#endif /* RBLKCTL_WATCH_H */
