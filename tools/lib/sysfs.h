/* SPDX-License-Identifier: GPL-2.0-only */
/* Volumes as sysfs shows them to everybody, where only root may ask the module. */
#ifndef RBLKCTL_SYSFS_H
#define RBLKCTL_SYSFS_H

#include "lib/control.h"

#define VOLUMES_SYSFS	(-2)	/* stands for the initiator's node */

int sysfs_volume(int index, unsigned int flags, struct rblk_ioc_show *show,
		 struct failure *fail);
void sysfs_version(const char *module, char *to, size_t room);

#endif /* RBLKCTL_SYSFS_H */
