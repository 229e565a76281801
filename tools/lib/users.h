/* SPDX-License-Identifier: GPL-2.0-only */
/* Who uses a device of ours. */
#ifndef LIBRBLK_USERS_H
#define LIBRBLK_USERS_H

#include <stddef.h>

unsigned int users_describe(const char *root, int index, char *to, size_t room);

#endif /* LIBRBLK_USERS_H */
