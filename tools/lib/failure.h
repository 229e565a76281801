/* SPDX-License-Identifier: GPL-2.0-only */
/* Failures that no module has told. */
#ifndef LIBRBLK_FAILURE_H
#define LIBRBLK_FAILURE_H

#include "lib/librblk.h"
#include "lib/text.h"

void failure_set(struct rblk_failure *fail, int error, const char *hint,
		 const char *format, ...) __printf(4, 5);
int argument_wrong(struct rblk_failure *fail, const char *text, const char *wrong);
void *list_room(void *old, size_t nr, size_t size, struct rblk_failure *fail);
int name_copy(char to[RBLK_NAME_LEN], const char *name, struct rblk_failure *fail);

#endif /* LIBRBLK_FAILURE_H */
