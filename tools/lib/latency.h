/* SPDX-License-Identifier: GPL-2.0-only */
/* Histograms of the modules: differences, means and percentiles. */
#ifndef LIBRBLK_LATENCY_H
#define LIBRBLK_LATENCY_H

#include "lib/names.h"

/* Percentiles that are told. */
enum percentile {
	PERCENTILE_50,
	PERCENTILE_99,
	PERCENTILE_999,
	PERCENTILES
};

__u64 histogram_count(const struct rblk_ioc_histogram *h);
double histogram_mean(const struct rblk_ioc_histogram *h);
double histogram_percentile(const struct rblk_ioc_histogram *h, enum percentile which);
void latency_since(struct rblk_ioc_latency *to, const struct rblk_ioc_latency *was,
		   const struct rblk_ioc_latency *is);
void latency_add(struct rblk_ioc_latency *to, const struct rblk_ioc_latency *what);
bool latency_idle(const struct rblk_ioc_latency *op);

#endif /* LIBRBLK_LATENCY_H */
