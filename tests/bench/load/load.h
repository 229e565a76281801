/* SPDX-License-Identifier: GPL-2.0-only */
/* What the parts of the load generator share. */

#ifndef BENCH_LOAD_H
#define BENCH_LOAD_H

#include <stdint.h>
#include <sys/uio.h>

/**
 * struct slot - one I/O in flight
 * @fd: its device, which never changes
 * @write: direction of what is in flight
 * @offset: where
 * @vec: its buffer, which never changes
 * @start: when it was submitted, ns
 */
struct slot {
	int fd;
	int write;
	uint64_t offset;
	struct iovec vec;
	uint64_t start;
};

/**
 * struct engine - a way to do I/O
 * @name: what -e calls it
 * @open: prepares for that many in flight; exits when it cannot
 * @submit: one system call for these @count slots
 * @reap: waits for at least @min; fills in up to @max finished slots, and exits
 *	  on an I/O error or a short one
 */
struct engine {
	const char *name;
	void (*open)(unsigned int depth);
	void (*submit)(struct slot **slots, unsigned int count);
	unsigned int (*reap)(struct slot **done, unsigned int min,
			     unsigned int max);
};

extern const struct engine engine_aio, engine_uring, engine_iopoll;

_Noreturn void fail(const char *what);
void finished(const struct slot *slot, int64_t result);

void counters_file(const char *file);
void counters_begin(void);
void counters_end(void);
void counters_print(void);

#endif
