/* SPDX-License-Identifier: GPL-2.0-only */
/* What volumes have done so far. */
#ifndef RBLKCTL_SAMPLE_H
#define RBLKCTL_SAMPLE_H

#include "lib/failure.h"

/**
 * struct sample - a volume at one moment
 * @show: as the module shows it
 * @op: what it did since it was attached
 * @routes: its routes
 * @nr_routes: how many
 * @busy_ms: in which there was something in flight
 * @inflight: operations in flight
 */
struct sample {
	struct rblk_ioc_show show;
	struct rblk_ioc_latency op[RBLK_LATENCY_OPS];
	struct rblk_ioc_route *routes;
	unsigned int nr_routes;
	__u64 busy_ms;
	__u64 inflight;
};

/**
 * struct samples - all volumes at one moment
 * @time: seconds since some time
 * @nr: entries of @sample
 * @sample: in the order of their numbers
 */
struct samples {
	double time;
	unsigned int nr;
	struct sample *sample;
};

int samples_take(struct samples *samples, int only, struct rblk_failure *fail);
void samples_free(struct samples *samples);
const struct sample *samples_find(const struct samples *samples, int index);
double sample_busy(const struct sample *was, const struct sample *is, double seconds);

#endif /* RBLKCTL_SAMPLE_H */
