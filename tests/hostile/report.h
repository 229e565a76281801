/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a hostile program prints, and its random numbers.  A test reads "case
 * NAME: ok" or "case NAME: FAILED why", one line each, and at the end "cases:
 * N, failed: N".
 */
#ifndef RBLK_HOSTILE_REPORT_H
#define RBLK_HOSTILE_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define __printf(text, first)	__attribute((format(printf, text, first)))
#define __noreturn		__attribute((noreturn))

extern unsigned int report_every, report_phase;

bool report_skips(const char *name);
bool report_case(const char *name, const char *why);
int report_end(void);
void report_die(const char *fmt, ...) __printf(1, 2) __noreturn;
const char *report_why(const char *fmt, ...) __printf(1, 2);

void random_seed(uint64_t seed);
uint64_t random_next(void);
uint32_t random_below(uint32_t limit);
void random_bytes(void *buf, size_t len);

#endif
