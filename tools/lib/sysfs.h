/* SPDX-License-Identifier: GPL-2.0-only */
/* What sysfs shows to everybody, where only root may ask the module. */
#ifndef LIBRBLK_SYSFS_H
#define LIBRBLK_SYSFS_H

#include "lib/failure.h"

int sysfs_volume(int index, unsigned int flags, struct rblk_ioc_show *show,
		 struct rblk_failure *fail);
void sysfs_version(const char *module, char *to, size_t room);

#endif /* LIBRBLK_SYSFS_H */
