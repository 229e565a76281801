// SPDX-License-Identifier: GPL-2.0-only
#include "lib/latency.h"

static const double shares[PERCENTILES] = {
	[PERCENTILE_50] = 0.5,
	[PERCENTILE_99] = 0.99,
	[PERCENTILE_999] = 0.999,
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
	double want = histogram_count(h) * shares[which], from, to;
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
