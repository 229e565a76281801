/* SPDX-License-Identifier: GPL-2.0-only */
/* Attached volumes; nothing here reaches the network. */
#ifndef LIBRBLK_VOLUMES_H
#define LIBRBLK_VOLUMES_H

#include "lib/address.h"
#include "lib/librblk.h"

int volume_after(const struct rblk_ioc_show *show);

#endif /* LIBRBLK_VOLUMES_H */
