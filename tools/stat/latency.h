/* SPDX-License-Identifier: GPL-2.0-only */
/* Histograms of the modules in tables. */
#ifndef RBLKCTL_LATENCY_H
#define RBLKCTL_LATENCY_H

#include "lib/latency.h"
#include "output/output.h"

#define DURATION_TEXT	16

void duration_text(char to[DURATION_TEXT], double ns);
void table_rate(struct table *t, double n);
void table_bytes(struct table *t, double bytes);
void table_duration(struct table *t, double ns);
void table_percentiles(struct table *t, const struct rblk_ioc_histogram *h);

#endif /* RBLKCTL_LATENCY_H */
