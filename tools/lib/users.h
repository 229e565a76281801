/* SPDX-License-Identifier: GPL-2.0-only */
/* Who uses a device of ours. */
#ifndef LIBRBLK_USERS_H
#define LIBRBLK_USERS_H

#include <stdbool.h>
#include <stddef.h>

bool users_is_part(const char *disk, const char *name);
unsigned int users_describe(const char *root, int index, char *to, size_t room);

#endif /* LIBRBLK_USERS_H */
