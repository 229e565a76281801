// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "stat/latency.h"

const char * const latency_op_name[RBLK_LATENCY_OPS] = {
#define OP_NAME(name, text)	\
	[name] = text,
	RBLK_LATENCY_OP_TABLE(OP_NAME)
#undef OP_NAME
};

const char * const latency_part_name[RBLK_LATENCY_PARTS] = {
#define PART_NAME(name, text)	\
	[name] = text,
	RBLK_LATENCY_PART_TABLE(PART_NAME)
#undef PART_NAME
};

static const struct {
	const char *name;
	double share;
} percentiles[PERCENTILES] = {
	[PERCENTILE_50] = { "p50_us", 0.5 },
	[PERCENTILE_99] = { "p99_us", 0.99 },
	[PERCENTILE_999] = { "p999_us", 0.999 },
};

/**
 * histogram_count() - how many durations there are
 * @h: the histogram
 *
 * Return: the number.
 */
__u64 histogram_count(const struct rblk_ioc_histogram *h)
{
	__u64 n = 0;
	int i;

	for (i = 0; i < RBLK_LATENCY_BUCKETS; i++)
		n += h->bucket[i];
	return n;
}

/**
 * histogram_mean() - the mean duration
 * @h: the histogram
 *
 * Return: nanoseconds, 0 when there is none.
 */
double histogram_mean(const struct rblk_ioc_histogram *h)
{
	__u64 n = histogram_count(h);

	return n ? (double)h->sum / n : 0;
}

/**
 * histogram_percentile() - what so many durations are below of
 * @h: the histogram
 * @which: how many
 *
 * Within a bucket durations are taken to be spread evenly.
 *
 * Return: nanoseconds, 0 when there is none.
 */
double histogram_percentile(const struct rblk_ioc_histogram *h, enum percentile which)
{
	double want = histogram_count(h) * percentiles[which].share, from, to;
	int i;

	if (!want)
		return 0;
	for (i = 0; i < RBLK_LATENCY_BUCKETS - 1; i++) {
		if (want <= h->bucket[i])
			break;
		want -= h->bucket[i];
	}
	from = rblk_latency_floor(i);
	if (i == RBLK_LATENCY_BUCKETS - 1)
		return from;
	to = rblk_latency_floor(i + 1);
	return from + (to - from) * want / h->bucket[i];
}

/* They are made of counters only. */
#define WORDS	(sizeof(struct rblk_ioc_latency) / sizeof(__u64))

/**
 * latency_since() - what was done between two looks
 * @to: the result
 * @was: the first look
 * @is: the second; it may be of another volume under the same number
 */
void latency_since(struct rblk_ioc_latency *to, const struct rblk_ioc_latency *was,
		   const struct rblk_ioc_latency *is)
{
	const __u64 *from = (const __u64 *)was, *now = (const __u64 *)is;
	__u64 *out = (__u64 *)to;
	size_t i;

	for (i = 0; i < WORDS; i++) {
		if (now[i] < from[i]) {
			*to = *is;
			return;
		}
		out[i] = now[i] - from[i];
	}
}

/**
 * latency_add() - add one to another
 * @to: the sum
 * @what: what comes to it
 */
void latency_add(struct rblk_ioc_latency *to, const struct rblk_ioc_latency *what)
{
	const __u64 *from = (const __u64 *)what;
	__u64 *out = (__u64 *)to;
	size_t i;

	for (i = 0; i < WORDS; i++)
		out[i] += from[i];
}

/**
 * latency_idle() - whether nothing was done
 * @op: operations of one kind
 *
 * Return: whether there was none of them, not even one that failed.
 */
bool latency_idle(const struct rblk_ioc_latency *op)
{
	return !op->failed && !histogram_count(&op->part[RBLK_LATENCY_TOTAL]);
}

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

/**
 * number_json() - a number with three decimals
 * @n: the number
 *
 * Return: a new object.
 */
struct json_object *number_json(double n)
{
	char text[32];

	snprintf(text, sizeof(text), "%.3f", n);
	return json_object_new_double_s(n, text);
}

static struct json_object *histogram_json(const struct rblk_ioc_histogram *h)
{
	struct json_object *obj = json_object_new_object();
	int i;

	put_size(obj, "count", histogram_count(h));
	json_object_object_add(obj, "mean_us", number_json(histogram_mean(h) / 1000));
	for (i = 0; i < PERCENTILES; i++)
		json_object_object_add(obj, percentiles[i].name,
				       number_json(histogram_percentile(h, i) / 1000));
	return obj;
}

/**
 * latency_json() - operations of one kind
 * @during: those between two looks
 * @seconds: how long that was
 * @total: all
 *
 * Return: a new object.
 */
struct json_object *latency_json(const struct rblk_ioc_latency *during, double seconds,
				 const struct rblk_ioc_latency *total)
{
	const struct rblk_ioc_histogram *h = &during->part[RBLK_LATENCY_TOTAL];
	struct json_object *obj = json_object_new_object(), *parts;
	int part;

	json_object_object_add(obj, "per_second", number_json(histogram_count(h) / seconds));
	json_object_object_add(obj, "bytes_per_second", number_json(during->bytes / seconds));
	json_object_object_add(obj, "mean_ms", number_json(histogram_mean(h) / 1e6));
	put_size(obj, "failed", during->failed);
	parts = json_object_new_object();
	for (part = 0; part < RBLK_LATENCY_PARTS; part++)
		if (histogram_count(&during->part[part]))
			json_object_object_add(parts, latency_part_name[part],
					       histogram_json(&during->part[part]));
	json_object_object_add(obj, "latency", parts);
	h = &total->part[RBLK_LATENCY_TOTAL];
	put_size(obj, "total", histogram_count(h));
	put_size(obj, "total_bytes", total->bytes);
	put_size(obj, "total_ms", h->sum / 1000000);
	put_size(obj, "total_failed", total->failed);
	return obj;
}
