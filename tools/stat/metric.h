/* SPDX-License-Identifier: GPL-2.0-only */
/* The text format of Prometheus. */
#ifndef RBLKCTL_METRIC_H
#define RBLKCTL_METRIC_H

#include "stat/latency.h"
#include "stat/sample.h"

void metric_family(const char *name, const char *type, const char *help);
void metric_label(const char *name, const char *value, size_t max, bool first);
void metric_uuid(const char *name, const __u8 *uuid);
void metric_volume(const char *name, const void *sample);

/**
 * struct metric_labels - prints the labels that all lines of something share
 * @print: prints them after the metric's name, without the closing brace
 * @what: its argument
 */
struct metric_labels {
	void (*print)(const char *name, const void *what);
	const void *what;
};

void metric_latencies(const char *name, const struct rblk_ioc_latency *ops,
		      const struct metric_labels *labels);

#endif /* RBLKCTL_METRIC_H */
