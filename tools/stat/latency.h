/* SPDX-License-Identifier: GPL-2.0-only */
/* Histograms of the modules: differences, percentiles, and what is made of them. */
#ifndef RBLKCTL_LATENCY_H
#define RBLKCTL_LATENCY_H

#include "output/output.h"

#define DURATION_TEXT	16

/* Percentiles that are told. */
enum percentile {
	PERCENTILE_50,
	PERCENTILE_99,
	PERCENTILE_999,
	PERCENTILES
};

extern const char * const latency_op_name[RBLK_LATENCY_OPS];
extern const char * const latency_part_name[RBLK_LATENCY_PARTS];

__u64 histogram_count(const struct rblk_ioc_histogram *h);
double histogram_mean(const struct rblk_ioc_histogram *h);
double histogram_percentile(const struct rblk_ioc_histogram *h, enum percentile which);
void latency_since(struct rblk_ioc_latency *to, const struct rblk_ioc_latency *was,
		   const struct rblk_ioc_latency *is);
void latency_add(struct rblk_ioc_latency *to, const struct rblk_ioc_latency *what);
bool latency_idle(const struct rblk_ioc_latency *op);
void duration_text(char to[DURATION_TEXT], double ns);

void table_rate(struct table *t, double n);
void table_bytes(struct table *t, double bytes);
void table_duration(struct table *t, double ns);
void table_percentiles(struct table *t, const struct rblk_ioc_histogram *h);
struct json_object *number_json(double n);
struct json_object *latency_json(const struct rblk_ioc_latency *during, double seconds,
				 const struct rblk_ioc_latency *total);

#endif /* RBLKCTL_LATENCY_H */
