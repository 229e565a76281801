/* SPDX-License-Identifier: GPL-2.0-only */
/* Who uses a device of ours. */
#ifndef RBLKCTL_USERS_H
#define RBLKCTL_USERS_H

#include <stddef.h>

unsigned int users_describe(const char *root, int index, char *to, size_t room);

#endif /* RBLKCTL_USERS_H */
