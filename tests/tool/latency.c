// SPDX-License-Identifier: GPL-2.0-only
/* Histograms: percentiles, differences, and how durations are written. */
#include "stat/latency.h"
#include "tool.h"

static void check_duration(double ns, const char *want)
{
	char text[DURATION_TEXT];

	duration_text(text, ns);
	assert_string_equal(text, want);
}

static void durations(void **state)
{
	(void)state;
	check_duration(0, "0");
	check_duration(850, "850ns");
	check_duration(999.4, "999ns");
	check_duration(999.6, "1.00us");
	check_duration(12345, "12.3us");
	check_duration(99960, "100us");
	check_duration(4560000, "4.56ms");
	check_duration(30e9, "30.0s");
	check_duration(5000e9, "5000s");
}

static void percentiles(void **state)
{
	struct rblk_ioc_histogram h = { .sum = 0 };

	(void)state;
	assert_true(histogram_percentile(&h, PERCENTILE_50) == 0);
	assert_true(histogram_mean(&h) == 0);
	/* 900 from 1024 to 1536 ns, 99 around 1 ms, the last beyond all bounds. */
	h.bucket[5] = 900;
	h.bucket[24] = 99;
	h.bucket[RBLK_LATENCY_BUCKETS - 1] = 1;
	h.sum = 2000;
	assert_int_equal(histogram_count(&h), 1000);
	assert_true(histogram_mean(&h) == 2);
	assert_int_equal(histogram_percentile(&h, PERCENTILE_50), 1024 + 512 * 500 / 900);
	assert_in_range(histogram_percentile(&h, PERCENTILE_99), 786432, 1048576);
	assert_in_range(histogram_percentile(&h, PERCENTILE_999), 1048575, 1048577);
	h.bucket[RBLK_LATENCY_BUCKETS - 1] = 100;
	assert_true(histogram_percentile(&h, PERCENTILE_999) == 1ULL << 39);
}

/* A counter that went back is another volume's. */
static void since(void **state)
{
	struct rblk_ioc_latency was = { .bytes = 10, .failed = 1 };
	struct rblk_ioc_latency is = { .bytes = 15, .failed = 1 }, diff;

	(void)state;
	assert_true(latency_idle(&(struct rblk_ioc_latency){ .bytes = 1 }));
	was.part[RBLK_LATENCY_WIRE].bucket[3] = 5;
	is.part[RBLK_LATENCY_WIRE].bucket[3] = 7;
	latency_since(&diff, &was, &is);
	assert_int_equal(diff.bytes, 5);
	assert_int_equal(diff.failed, 0);
	assert_int_equal(diff.part[RBLK_LATENCY_WIRE].bucket[3], 2);
	was.part[RBLK_LATENCY_DEVICE].sum = 1;
	latency_since(&diff, &was, &is);
	assert_int_equal(diff.bytes, 15);
	assert_int_equal(diff.part[RBLK_LATENCY_WIRE].bucket[3], 7);
	latency_add(&diff, &is);
	assert_int_equal(diff.bytes, 30);
	assert_false(latency_idle(&diff));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(durations),
	cmocka_unit_test(percentiles),
	cmocka_unit_test(since),
};

SUITE(latency, tests);
