// SPDX-License-Identifier: GPL-2.0-only
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "report.h"

/* Where there is little time: of so many cases one, and which of them. */
unsigned int report_every = 1, report_phase;

static unsigned int nr_cases, nr_failed, nr_asked;
static uint64_t state = 1;

/**
 * report_skips - is this case left out this time?
 * @name: of the case
 */
bool report_skips(const char *name)
{
	if (nr_asked++ % report_every == report_phase % report_every)
		return false;
	printf("case %s: skipped\n", name);
	return true;
}

/**
 * report_case - print the outcome of a case
 * @name: of the case
 * @why: it failed; NULL if it did not
 *
 * Return: whether it passed.
 */
bool report_case(const char *name, const char *why)
{
	nr_cases++;
	if (why) {
		nr_failed++;
		printf("case %s: FAILED %s\n", name, why);
	} else {
		printf("case %s: ok\n", name);
	}
	fflush(stdout);
	return !why;
}

/**
 * report_end - print the sum
 *
 * Return: what the program's exit status should be.
 */
int report_end(void)
{
	printf("cases: %u, failed: %u\n", nr_cases, nr_failed);
	fflush(stdout);
	return nr_failed || !nr_cases;
}

/**
 * report_die - give up: not a case has failed but its surroundings
 * @fmt: why
 */
void report_die(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	printf("gave up: ");
	vprintf(fmt, args);
	printf("\n");
	va_end(args);
	fflush(stdout);
	exit(2);
}

/**
 * report_why - words for report_case()
 * @fmt: the words
 *
 * Return: them, until the fourth call after this.
 */
const char *report_why(const char *fmt, ...)
{
	static __thread char texts[4][256];
	static __thread unsigned int turn;
	char *text = texts[turn++ % ARRAY_SIZE(texts)];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(texts[0]), fmt, args);
	va_end(args);
	return text;
}

/**
 * random_seed - start the random numbers anew
 * @seed: the same seed gives the same numbers
 */
void random_seed(uint64_t seed)
{
	state = seed;
}

/**
 * random_next - 64 random bits (splitmix64)
 */
uint64_t random_next(void)
{
	uint64_t z;

	state += 0x9e3779b97f4a7c15ull;
	z = state;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

/**
 * random_below - a random number
 * @limit: it is smaller than this, or 0
 */
uint32_t random_below(uint32_t limit)
{
	return limit ? random_next() % limit : 0;
}

/**
 * random_bytes - random memory
 * @buf: where to
 * @len: how much
 */
void random_bytes(void *buf, size_t len)
{
	unsigned char *p = buf;

	while (len--)
		*p++ = random_next();
}
