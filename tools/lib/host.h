/* SPDX-License-Identifier: GPL-2.0-only */
/* Who this host is. */
#ifndef RBLKCTL_HOST_H
#define RBLKCTL_HOST_H

#include "lib/control.h"

int host_identity(struct request *req, const char **origin, struct failure *fail);

#endif /* RBLKCTL_HOST_H */
