/* SPDX-License-Identifier: GPL-2.0-only */
/* What a target offers this host. */
#ifndef RBLKCTL_DISCOVER_H
#define RBLKCTL_DISCOVER_H

#include "lib/control.h"

int discover_offers(struct request *req, struct rblk_ioc_discover *discover,
		    struct rblk_ioc_offer **offers, struct failure *fail);

#endif /* RBLKCTL_DISCOVER_H */
