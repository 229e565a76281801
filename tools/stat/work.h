/* SPDX-License-Identifier: GPL-2.0-only */
/* What a volume did between two looks. */
#ifndef RBLKCTL_WORK_H
#define RBLKCTL_WORK_H

#include <json-c/json.h>

#include "stat/sample.h"

/**
 * struct work - what a volume did between two looks
 * @before: the volume, at the first
 * @now: at the second
 * @op: the difference
 * @seconds: in which
 * @busy: percent of them
 */
struct work {
	const struct sample *before;
	const struct sample *now;
	struct rblk_ioc_latency op[RBLK_LATENCY_OPS];
	double seconds;
	double busy;
};

void work_between(struct work *work, const struct samples *was, const struct samples *is,
		  unsigned int i);
struct json_object *work_json(const struct work *work);
void *work_take(int index, struct rblk_failure *fail);
void work_release(void *look);

#endif /* RBLKCTL_WORK_H */
