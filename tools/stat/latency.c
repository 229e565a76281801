// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>

#include "stat/latency.h"

/**
 * duration_text() - a duration as people read it: 850ns, 12.3us, 4.56ms, 30.0s
 * @to: the result
 * @ns: the duration
 */
void duration_text(char to[DURATION_TEXT], double ns)
{
	static const char * const unit[] = { "ns", "us", "ms", "s" };
	unsigned int i = 0;

	while (ns >= 999.5 && i < ARRAY_SIZE(unit) - 1) {
		ns /= 1000;
		i++;
	}
	snprintf(to, DURATION_TEXT, "%.*f%s", !i || ns >= 99.95 ? 0 : ns >= 9.995 ? 1 : 2,
		 ns, ns ? unit[i] : "");
}

/**
 * table_rate() - append a number per second: three figures at least
 * @t: the table
 * @n: the number
 */
void table_rate(struct table *t, double n)
{
	table_cell(t, "%.*f", n >= 100 || n == 0 ? 0 : n >= 10 ? 1 : 2, n);
}

/**
 * table_bytes() - append bytes per second
 * @t: the table
 * @bytes: how many
 */
void table_bytes(struct table *t, double bytes)
{
	char text[SIZE_TEXT];

	text_size(text, bytes);
	table_cell(t, "%s", text);
}

/**
 * table_duration() - append a duration
 * @t: the table
 * @ns: the duration
 */
void table_duration(struct table *t, double ns)
{
	char text[DURATION_TEXT];

	duration_text(text, ns);
	table_cell(t, "%s", text);
}

/**
 * table_percentiles() - append a cell for each percentile
 * @t: the table
 * @h: of these durations
 */
void table_percentiles(struct table *t, const struct rblk_ioc_histogram *h)
{
	int i;

	for (i = 0; i < PERCENTILES; i++)
		table_duration(t, histogram_percentile(h, i));
}
