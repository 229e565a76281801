// SPDX-License-Identifier: GPL-2.0-only
/*
 * load: a fixed number of direct I/Os at a fixed depth, from the first
 * submission to the last completion, with the clock read at these two ends and
 * around each I/O; prints one line of JSON.
 *
 * fio is what people trust, and what tests/bench/hosts uses. It counts its run
 * time in milliseconds and spends several times as long on starting as on the
 * few hundred I/Os that suffice where the clock counts instructions.
 *
 * The same arguments give the same offsets in the same order. Neighbouring
 * pages of a buffer are not neighbours in memory, as in a page cache that has
 * aged: otherwise the number of segments would depend on what ran before.
 */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include "load.h"

enum { PAGE = 4096 };

static const struct engine *engine = &engine_aio;
static unsigned int depth = 1, size = PAGE, reads = 100, batch = 1;
static unsigned long count = 1000, warm = 100;
static uint64_t span = 1ull << 30;
static int sequential;
static struct slot *slots;
static struct slot **idle, **done;
static uint64_t *latency;
static unsigned long ended;

void fail(const char *what)
{
	fprintf(stderr, "load: %s: %s\n", what, strerror(errno));
	exit(1);
}

void finished(const struct slot *slot, int64_t result)
{
	if (result == (int64_t)slot->vec.iov_len)
		return;
	fprintf(stderr, "load: %s at %" PRIu64 ": result %" PRId64 "\n",
		slot->write ? "write" : "read", slot->offset, result);
	exit(1);
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static uint64_t draw(void)
{
	static uint64_t x = 88172645463325252ull;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return x;
}

static void *buffer(void)
{
	size_t length = size < PAGE ? PAGE : size, i;
	char *p = mmap(NULL, length, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		fail("memory");
	madvise(p, length, MADV_NOHUGEPAGE);
	for (i = 0; i < length; i += 2 * PAGE)
		p[i] = 1;
	for (i = PAGE; i < length; i += 2 * PAGE)
		p[i] = 1;
	return p;
}

static void prepare(char **names, unsigned int devices)
{
	unsigned int i, total = devices * depth;

	slots = calloc(total, sizeof(*slots));
	idle = calloc(total, sizeof(*idle));
	done = calloc(total, sizeof(*done));
	latency = calloc(count, sizeof(*latency));
	if (!slots || !idle || !done || !latency)
		fail("memory");
	for (i = 0; i < total; i++) {
		/* Neighbouring slots are on different devices. */
		slots[i].fd = i < devices ?
			      open(names[i], O_RDWR | O_DIRECT) :
			      slots[i - devices].fd;
		if (slots[i].fd < 0)
			fail(names[i]);
		slots[i].vec.iov_base = buffer();
		slots[i].vec.iov_len = size;
	}
	engine->open(total);
}

static void choose(struct slot *s)
{
	static uint64_t next;
	uint64_t block = sequential ? next++ : draw();

	s->offset = block % (span / size) * size;
	s->write = reads < 100 && draw() % 100 >= reads;
	s->start = now();
}

/*
 * reap: waits for as many as are submitted together, so that they always are;
 * one by one, whatever has ended is taken.
 */
static unsigned int reap(unsigned long in_flight, unsigned int width)
{
	if (batch == 1)
		return engine->reap(done, 1, width);
	return engine->reap(done, in_flight < batch ? in_flight : batch, batch);
}

/* pass: so many I/Os, from nothing in flight to nothing in flight. */
static uint64_t pass(unsigned long total, unsigned int width)
{
	unsigned long sent = 0;
	unsigned int i, n, free = width;
	uint64_t begin = now();

	ended = 0;
	for (i = 0; i < width; i++)
		idle[i] = &slots[i];
	while (ended < total) {
		for (i = 0; i < free && sent < total; i += n) {
			for (n = 0; n < batch && i + n < free && sent < total;
			     n++, sent++)
				choose(idle[i + n]);
			engine->submit(idle + i, n);
		}
		free = reap(sent - ended, width);
		for (i = 0; i < free; i++) {
			latency[ended++] = now() - done[i]->start;
			idle[i] = done[i];
		}
	}
	return now() - begin;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static uint64_t percentile(unsigned int per_mille)
{
	return latency[(count - 1) * per_mille / 1000];
}

static void report(uint64_t ns)
{
	uint64_t sum = 0;
	unsigned long i;

	qsort(latency, count, sizeof(*latency), compare);
	for (i = 0; i < count; i++)
		sum += latency[i];
	printf("{\"ios\": %lu, \"ns\": %" PRIu64 ", \"mean\": %" PRIu64
	       ", \"p50\": %" PRIu64 ", \"p99\": %" PRIu64
	       ", \"p999\": %" PRIu64, count, ns, sum / count,
	       percentile(500), percentile(990), percentile(999));
	counters_print();
	printf("}\n");
}

static void usage(void)
{
	fprintf(stderr, "usage: load [-e libaio|io_uring|iopoll] [-b BYTES] "
		"[-d DEPTH] [-r READ_PERCENT] [-S] [-s SPAN] [-B BATCH] "
		"[-w WARM] [-n COUNT] [-c FILE]... DEVICE...\n"
		"DEPTH is per device; -S is sequential; BATCH are submitted and "
		"reaped together;\nFILEs hold a number\n");
	exit(2);
}

static void choose_engine(const char *name)
{
	static const struct engine * const engines[] = {
		&engine_aio, &engine_uring, &engine_iopoll, NULL,
	};
	const struct engine * const *e = engines;

	while (*e && strcmp(name, (*e)->name))
		e++;
	if (!*e)
		usage();
	engine = *e;
}

static void options(int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "e:b:d:r:Ss:B:w:n:c:")) != -1) {
		switch (c) {
		case 'e':
			choose_engine(optarg);
			break;
		case 'c':
			counters_file(optarg);
			break;
		case 'b':
			size = strtoul(optarg, NULL, 0);
			break;
		case 'd':
			depth = strtoul(optarg, NULL, 0);
			break;
		case 'r':
			reads = strtoul(optarg, NULL, 0);
			break;
		case 'S':
			sequential = 1;
			break;
		case 's':
			span = strtoull(optarg, NULL, 0);
			break;
		case 'B':
			batch = strtoul(optarg, NULL, 0);
			break;
		case 'w':
			warm = strtoul(optarg, NULL, 0);
			break;
		case 'n':
			count = strtoul(optarg, NULL, 0);
			break;
		default:
			usage();
		}
	}
}

int main(int argc, char **argv)
{
	unsigned int width;
	uint64_t ns;

	options(argc, argv);
	if (optind == argc || !depth || !batch || size < 512 || span < size ||
	    reads > 100 || !count || warm > count ||
	    batch > depth * (argc - optind))
		usage();
	width = depth * (argc - optind);
	prepare(argv + optind, argc - optind);
	if (warm)
		pass(warm, width);
	counters_begin();
	ns = pass(count, width);
	counters_end();
	report(ns);
	return 0;
}
