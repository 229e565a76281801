/* SPDX-License-Identifier: GPL-2.0-only */
/* Processes of the tool's own. */
#ifndef RBLKCTL_CHILDREN_H
#define RBLKCTL_CHILDREN_H

#include <sys/types.h>

void children_wait(pid_t *child, unsigned int nr);

#endif /* RBLKCTL_CHILDREN_H */
