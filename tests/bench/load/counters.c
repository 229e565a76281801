// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the host counts while the load runs, read right before and right after:
 * reading it from a script would count the script.
 */

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "load.h"

enum { MAX = 40 };

/*
 * busy: how long its CPUs have run tasks, ns: the seventh figure of each "cpuN"
 * line of schedstat. A load that waits for timers takes time that is not work.
 */
static struct counter {
	const char *name, *file, *format;
	uint64_t value;
} all[MAX] = {
	{ "busy", "/proc/schedstat",
	  "cpu%*u %*u %*u %*u %*u %*u %*u %" SCNu64, 0 },
	{ "switches", "/proc/stat", "ctxt %" SCNu64, 0 },
	{ "softirqs", "/proc/stat", "softirq %" SCNu64, 0 },
};

static unsigned int used = 3;

void counters_file(const char *file)
{
	const char *slash = strrchr(file, '/');

	if (used == MAX)
		return;
	all[used++] = (struct counter) {
		slash ? slash + 1 : file, file, "%" SCNu64, 0
	};
}

/* The sum of what the format finds in the lines of the file. */
static uint64_t sum(const struct counter *c)
{
	FILE *f = fopen(c->file, "r");
	uint64_t total = 0, one;
	char line[4096];

	if (!f)
		return 0;
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, c->format, &one) == 1)
			total += one;
	fclose(f);
	return total;
}

void counters_begin(void)
{
	unsigned int i;

	for (i = used; i-- > 0;)
		all[i].value = sum(&all[i]);
}

void counters_end(void)
{
	unsigned int i;

	for (i = 0; i < used; i++)
		all[i].value = sum(&all[i]) - all[i].value;
}

void counters_print(void)
{
	unsigned int i;

	for (i = 0; i < used; i++)
		printf(", \"%s\": %" PRIu64, all[i].name, all[i].value);
}
