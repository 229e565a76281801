/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RBLKCTL_TOP_H
#define RBLKCTL_TOP_H

#include "request/request.h"

bool top_clears(const struct request *req);
int top_print(const struct request *req, void *ctx, void *was, void *is);

#endif /* RBLKCTL_TOP_H */
