// SPDX-License-Identifier: GPL-2.0-only
#include <limits.h>
#include <stdint.h>

#include "tool.h"

static void sizes(void **state)
{
	static const struct {
		__u64 bytes;
		const char *text;
	} cases[] = {
		{ 0, "0B" }, { 1, "1B" }, { 1023, "1023B" }, { 1024, "1K" },
		{ 1535, "1.4K" }, { 1536, "1.5K" }, { 1048575, "1023.9K" },
		{ 1048576, "1M" }, { 10737418240ULL, "10G" },
		{ 10737418239ULL, "9.9G" }, { 1649267441664ULL, "1.5T" },
		{ 1ULL << 60, "1E" }, { ULLONG_MAX, "15.9E" },
	};
	char text[SIZE_TEXT];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		text_size(text, cases[i].bytes);
		assert_string_equal(text, cases[i].text);
	}
}

static void clean(void **state)
{
	static const struct {
		const char *in, *out;
		size_t max;
	} cases[] = {
		{ "plain", "plain", 64 },
		{ "cut off", "cut", 3 },
		{ "esc\033[2Jape\n", "esc?[2Jape?", 64 },
		{ "gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f", 64 },
		{ "c1\xc2\x9b", "c1??", 64 },		/* CSI in UTF-8 */
		{ "half\xc3", "half?", 64 },
		{ "half\xc3\xbc", "half?", 5 },		/* ends within */
		{ "long\xc0\xaf", "long??", 64 },	/* overlong slash */
		{ "\xf0\x9f\x92\xbe", "\xf0\x9f\x92\xbe", 64 },
		{ "\xff\xfe", "??", 64 },
		{ "", "", 64 },
	};
	char out[64];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		text_clean(out, sizeof(out), cases[i].in, cases[i].max);
		assert_string_equal(out, cases[i].out);
	}
	text_clean(out, 4, "abcdef", 6);
	assert_string_equal(out, "abc");
	text_clean(out, 3, "a\xc3\xbc", 3);	/* no room for both its bytes */
	assert_string_equal(out, "a");
}

static void numbers(void **state)
{
	static const char * const bad[] = {
		"", "-", "+1", " 1", "1 ", "0x10", "1.0", "--1", "11", "-2",
		"99999999999999999999", "one",
	};
	long long n;
	size_t i;

	(void)state;
	assert_true(text_number("0", -1, 10, &n) && n == 0);
	assert_true(text_number("-1", -1, 10, &n) && n == -1);
	assert_true(text_number("010", -1, 10, &n) && n == 10);
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		assert_false(text_number(bad[i], -1, 10, &n));
}

static void bytes(void **state)
{
	static const char * const bad[] = {
		"", "k", "K4", "-1", "+1", " 1", "4kb", "4 k", "4kk", "4m", "0x10",
		"1.5k", "4097", "5k", "99999999999999999999", "18014398509481985k",
		"0000000000000000000000001",
	};
	__u64 n;
	size_t i;

	(void)state;
	assert_true(text_bytes("0", 4096, &n) && n == 0);
	assert_true(text_bytes("0k", 4096, &n) && n == 0);
	assert_true(text_bytes("512", 4096, &n) && n == 512);
	assert_true(text_bytes("4096", 4096, &n) && n == 4096);
	assert_true(text_bytes("4k", 4096, &n) && n == 4096);
	assert_true(text_bytes("3K", 4096, &n) && n == 3072);
	assert_true(text_bytes("3m", 1 << 22, &n) && n == 3 << 20);
	assert_true(text_bytes("10G", INT64_MAX, &n) && n == 10ULL << 30);
	assert_true(text_bytes("8388607T", INT64_MAX, &n) && n == 8388607ULL << 40);
	assert_false(text_bytes("8388608T", INT64_MAX, &n));
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		assert_false(text_bytes(bad[i], 4096, &n));
}

static void times(void **state)
{
	static const char * const bad[] = {
		"", "s", "m5", "-1", "+1", " 1", "1 ", "1 m", "1mm", "1ms", "1M", "1d", "1.5m",
		"0x10", "9", "601", "11m", "1h", "99999999999999999999", "4294967306",
		"71582789m", "0000000000000000000000060",
	};
	unsigned int n;
	size_t i;
	int t;

	(void)state;
	assert_true(text_seconds("10", 10, 600, &n) && n == 10);
	assert_true(text_seconds("10s", 10, 600, &n) && n == 10);
	assert_true(text_seconds("010m", 10, 600, &n) && n == 600);
	assert_true(text_seconds("2h", 0, 7200, &n) && n == 7200);
	assert_true(text_seconds("1193046h", 0, UINT_MAX, &n) && n == 4294965600u);
	assert_false(text_seconds("1193047h", 0, UINT_MAX, &n));
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		assert_false(text_seconds(bad[i], 10, 600, &n));
	assert_true(text_timeout("forever", 600, &t) && t == -1);
	assert_true(text_timeout("0", 600, &t) && t == 0);
	assert_true(text_timeout("10m", 600, &t) && t == 600);
	assert_true(text_timeout("2147483647", INT_MAX, &t) && t == INT_MAX);
	assert_false(text_timeout("2147483648", INT_MAX, &t));
	assert_false(text_timeout("forever ", 600, &t) || text_timeout("-1", 600, &t) ||
		     text_timeout("", 600, &t));
}

static void uuids(void **state)
{
	__u8 uuid[UUID_BYTES];

	(void)state;
	assert_true(text_uuid("6B2C2E6C-52a4-4b43-93c3-51c2a5ab7a4f", uuid));
	assert_int_equal(uuid[0], 0x6b);
	assert_int_equal(uuid[15], 0x4f);
	assert_false(text_uuid("00000000-0000-0000-0000-000000000000", uuid));
	assert_false(text_uuid("6b2c2e6c-52a4-4b43-93c3-51c2a5ab7a4", uuid));
	assert_false(text_uuid("6b2c2e6c52a44b4393c351c2a5ab7a4f", uuid));
	assert_false(text_uuid("", uuid));
}

static void copies(void **state)
{
	char to[4];

	(void)state;
	assert_true(text_copy(to, sizeof(to), "abcd", 3));
	assert_string_equal(to, "abc");
	assert_false(text_copy(to, sizeof(to), "abcd", 4));
	assert_string_equal(to, "");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(sizes),
	cmocka_unit_test(clean),
	cmocka_unit_test(numbers),
	cmocka_unit_test(bytes),
	cmocka_unit_test(times),
	cmocka_unit_test(uuids),
	cmocka_unit_test(copies),
};

SUITE(text, tests);
