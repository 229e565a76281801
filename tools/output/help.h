/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RBLKCTL_HELP_H
#define RBLKCTL_HELP_H

#include "request/request.h"

void help_print(const struct request *req);

#endif /* RBLKCTL_HELP_H */
