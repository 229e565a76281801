/* SPDX-License-Identifier: GPL-2.0-only */
/* Finding attached volumes; nothing here reaches the network. */
#ifndef RBLKCTL_VOLUMES_H
#define RBLKCTL_VOLUMES_H

#include "lib/control.h"

void volume_link(char to[LINK_TEXT], const struct rblk_ioc_volume *volume);
int volumes_next(int fd, int from, struct rblk_ioc_show *show, struct failure *fail);
int volumes_find(int fd, const struct selector *sel, struct rblk_ioc_show *show,
		 struct failure *fail);

#endif /* RBLKCTL_VOLUMES_H */
