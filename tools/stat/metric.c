// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "stat/metric.h"

/* Every second bucket, from 4 us to 17 s: a power of two each. */
#define FIRST_EDGE	9
#define LAST_EDGE	53

/**
 * metric_family() - what comes before the lines of a metric
 * @name: without "rblk_"
 * @type: counter, gauge, histogram
 * @help: a sentence
 */
void metric_family(const char *name, const char *type, const char *help)
{
	printf("# HELP rblk_%s %s\n# TYPE rblk_%s %s\n", name, help, name, type);
}

/**
 * metric_label() - a label; names come from other hosts and may be anything
 * @name: of the label
 * @value: of the label, which may lack its NUL
 * @max: bytes at @value
 * @first: of its line
 */
void metric_label(const char *name, const char *value, size_t max, bool first)
{
	char clean[RBLK_PATH_LEN];
	const char *p;

	text_clean(clean, sizeof(clean), value, max);
	printf("%s%s=\"", first ? "{" : ",", name);
	for (p = clean; *p; p++) {
		if (*p == '"' || *p == '\\')
			putchar('\\');
		putchar(*p);
	}
	putchar('"');
}

/**
 * metric_uuid() - a label that is not the first
 * @name: of the label
 * @uuid: its value
 */
void metric_uuid(const char *name, const __u8 *uuid)
{
	char text[UUID_TEXT];

	uuid_text(text, uuid);
	metric_label(name, text, sizeof(text), false);
}

/**
 * metric_volume() - a metric of a volume, and its labels
 * @name: without "rblk_"
 * @sample: the volume, a struct sample
 */
void metric_volume(const char *name, const void *sample)
{
	const struct rblk_ioc_volume *volume = &((const struct sample *)sample)->show.volume;
	char device[16];

	snprintf(device, sizeof(device), "rblk%d", volume->index);
	printf("rblk_%s", name);
	metric_label("device", device, sizeof(device), true);
	metric_label("target", volume->target_text, sizeof(volume->target_text), false);
	metric_label("export", volume->export_name, sizeof(volume->export_name), false);
}

static void begin(const struct metric_labels *labels, const char *name, const char *what,
		  int op, int part)
{
	char full[64];

	snprintf(full, sizeof(full), "%s_%s", name, what);
	labels->print(full, labels->what);
	metric_label("op", latency_op_name[op], 16, false);
	metric_label("part", latency_part_name[part], 16, false);
}

static void print_histogram(const struct metric_labels *labels, const char *name, int op,
			    int part, const struct rblk_ioc_histogram *h)
{
	__u64 below = 0;
	int i;

	for (i = 1; i <= LAST_EDGE; i++) {
		below += h->bucket[i - 1];
		if (i < FIRST_EDGE || (i - FIRST_EDGE) % 2)
			continue;
		begin(labels, name, "bucket", op, part);
		printf(",le=\"%.9g\"} %llu\n", rblk_latency_floor(i) / 1e9, below);
	}
	begin(labels, name, "bucket", op, part);
	printf(",le=\"+Inf\"} %llu\n", histogram_count(h));
	begin(labels, name, "sum", op, part);
	printf("} %.9f\n", h->sum / 1e9);
	begin(labels, name, "count", op, part);
	printf("} %llu\n", histogram_count(h));
}

/**
 * metric_latencies() - histograms, of what was ever done
 * @name: of the metric, without "rblk_"
 * @ops: all operations
 * @labels: of them
 */
void metric_latencies(const char *name, const struct rblk_ioc_latency *ops,
		      const struct metric_labels *labels)
{
	int op, part;

	for (op = 0; op < RBLK_LATENCY_OPS; op++)
		for (part = 0; part < RBLK_LATENCY_PARTS; part++)
			if (histogram_count(&ops[op].part[part]))
				print_histogram(labels, name, op, part,
						&ops[op].part[part]);
}
