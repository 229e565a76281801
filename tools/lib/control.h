/* SPDX-License-Identifier: GPL-2.0-only */
/* Talking to the modules: the right module, the right ABI, one failure path. */
#ifndef RBLKCTL_CONTROL_H
#define RBLKCTL_CONTROL_H

#include "request/request.h"

enum side {
	SIDE_INITIATOR,
	SIDE_TARGET,
};

/**
 * struct failure - why something did not happen
 * @stage: enum rblk_stage, RBLK_STAGE_NONE where the tool itself found out
 * @error: positive errno
 * @reason: the peer's reason code, see struct rblk_ioc_error
 * @text: one sentence without a full stop
 * @at: which of a name's addresses it was, or empty
 * @hint: what to try, NULL to take it from the table of hints
 */
struct failure {
	unsigned int stage;
	int error;
	unsigned int reason;
	char text[512];
	char at[80];
	const char *hint;
};

int control_info(enum side side, struct rblk_ioc_info *info, struct failure *fail);
bool control_missing(const struct failure *fail);
int control_reach(enum side side, struct failure *fail);
int control_call(int fd, unsigned long command, void *arg,
		 struct rblk_ioc_error *error, struct failure *fail);
int control_try(enum side side, unsigned long command, void *arg,
		struct rblk_ioc_error *error, struct failure *fail);

void failure_set(struct failure *fail, int error, const char *hint,
		 const char *format, ...) __printf(4, 5);

#endif /* RBLKCTL_CONTROL_H */
