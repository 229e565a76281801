/* SPDX-License-Identifier: GPL-2.0-only */
/* What the routes of volumes did, and what their sessions are. */
#ifndef RBLKCTL_STAT_ROUTE_H
#define RBLKCTL_STAT_ROUTE_H

#include <json-c/json.h>

#include "stat/work.h"

void route_work_print(const struct work *work);
struct json_object *route_work_json(const struct work *work);
void route_metrics(const struct samples *volumes);
const struct rblk_ioc_session **route_sessions(const struct samples *volumes, unsigned int *nr);

#endif /* RBLKCTL_STAT_ROUTE_H */
