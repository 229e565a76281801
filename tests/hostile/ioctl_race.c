// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where an argument lies during a call, and what happens to it meanwhile.
 *
 * Two pages and a hole: an argument may lie well, at the very end, on no
 * alignment, with its end in the hole, or in memory that can't be written; or a
 * second thread rewrites it, takes the memory away or closes the file.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include "ioctl.h"
#include "report.h"

#define PAGE	4096ul

enum job { NOTHING, SCRIBBLE, PROTECT, UNMAP, CLOSE };

static unsigned char *pages;	/* two, and a hole after them */
static _Atomic enum job job;
static atomic_bool stop;
static struct {
	unsigned char *arg;
	size_t bytes;
	size_t keep, keep_bytes;
	int fd;
	uint64_t random;
} about;

static void map(void)
{
	if (mmap(pages, 2 * PAGE, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
		report_die("no memory");
}

/* Until the call is over; the size stays, or there would be little to race. */
static void scribble(void)
{
	while (!stop) {
		size_t at = 4 + about.random % (about.bytes - 4);

		about.random = about.random * 6364136223846793005ull + 1442695040888963407ull;
		if (at >= about.keep && at < about.keep + about.keep_bytes)
			continue;
		__atomic_fetch_xor(&about.arg[at], about.random >> 56,
				   __ATOMIC_RELAXED);
	}
}

static void protect(void)
{
	while (!stop) {
		mprotect(pages, 2 * PAGE, PROT_NONE);
		mprotect(pages, 2 * PAGE, PROT_READ);
		mprotect(pages, 2 * PAGE, PROT_READ | PROT_WRITE);
	}
}

static void *racer(void *unused)
{
	(void)unused;
	for (;;) {
		switch (job) {
		case SCRIBBLE:
			scribble();
			break;
		case PROTECT:
			protect();
			break;
		case UNMAP:
			munmap(pages, 2 * PAGE);
			break;
		case CLOSE:
			close(about.fd);
			break;
		default:
			usleep(200);
			continue;
		}
		job = NOTHING;
	}
	return NULL;
}

/**
 * race_init - once in each process
 */
void race_init(void)
{
	pthread_t thread;

	pages = mmap(NULL, 3 * PAGE, PROT_NONE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (pages == MAP_FAILED || pthread_create(&thread, NULL, racer, NULL))
		report_die("no memory, or no thread");
	map();
}

/* Is there a 32-bit entry, and one of the kernel under test? */
static bool has_compat(void)
{
#ifdef __x86_64__
	char line[256];
	bool uml = false;
	FILE *file;

	if (access("/proc/sys/abi/vsyscall32", F_OK) &&
	    access("/proc/sys/abi/ldt16", F_OK))
		return false;
	file = fopen("/proc/cpuinfo", "r");
	while (file && fgets(line, sizeof(line), file))
		if (strstr(line, "User Mode Linux"))
			uml = true;
	if (file)
		fclose(file);
	return file && !uml;
#else
	return false;
#endif
}

/**
 * race_compat - can this be called as by a 32-bit program?
 */
bool race_compat(void)
{
	static int can = -1;

	if (can < 0)
		can = has_compat();
	return can;
}

/* ioctl() of a 32-bit program, whose memory is below 4 GiB. */
static int compat_call(int fd, unsigned long cmd, const void *arg, size_t bytes,
		       void *out)
{
#ifdef __x86_64__
	void *low = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	long ret;

	if (low == MAP_FAILED)
		report_die("no memory below 4 GiB");
	memcpy(low, arg, bytes);
	__asm__ volatile("int $0x80" : "=a" (ret)
			 : "a" (54), "b" (fd), "c" (cmd), "d" (low)
			 : "memory", "r8", "r9", "r10", "r11");
	memcpy(out, low, bytes);
	munmap(low, PAGE);
	if (ret < 0) {
		errno = -ret;
		return -1;
	}
	return ret;
#else
	(void)fd, (void)cmd, (void)arg, (void)bytes, (void)out;
	errno = EOPNOTSUPP;
	return -1;
#endif
}

static int plain_call(int fd, unsigned long cmd, const void *arg, size_t bytes,
		      void *out)
{
	unsigned char *at;
	int ret, error;

	switch (random_below(8)) {
	case 0:		/* its end is missing */
		at = pages + 2 * PAGE - random_below(bytes);
		memcpy(at, arg, pages + 2 * PAGE - at);
		return ioctl(fd, cmd, at);
	case 1:		/* nothing is there, or what is not the caller's */
		at = (void *)(random_below(2) ? -PAGE * (1 + random_below(64)) :
			      random_below(PAGE));
		return ioctl(fd, cmd, at);
	case 2:		/* it can't be written */
		memcpy(pages, arg, bytes);
		mprotect(pages, 2 * PAGE, PROT_READ);
		ret = ioctl(fd, cmd, pages);
		error = errno;
		mprotect(pages, 2 * PAGE, PROT_READ | PROT_WRITE);
		errno = error;
		return ret;
	case 3:		/* nothing behind it */
		at = pages + 2 * PAGE - bytes;
		break;
	default:	/* on any alignment, across two pages or not */
		at = pages + random_below(2 * PAGE - bytes);
	}
	memcpy(at, arg, bytes);
	ret = ioctl(fd, cmd, at);
	memcpy(out, at, bytes);
	return ret;
}

static int raced_call(int fd, const char *path, const struct verb *verb,
		      unsigned long cmd, const void *arg)
{
	int own = -1, ret, error;

	about.bytes = _IOC_SIZE(verb->cmd);
	about.arg = pages + random_below(2 * PAGE - about.bytes);
	about.keep = verb->keep;
	about.keep_bytes = verb->keep_bytes;
	about.random = random_next();
	memcpy(about.arg, arg, about.bytes);
	stop = false;
	switch (random_below(5)) {
	case 0:
		own = open(path, O_RDWR);
		about.fd = own;
		job = CLOSE;
		break;
	case 1:
		job = UNMAP;
		break;
	case 2:
		job = PROTECT;
		break;
	default:
		job = SCRIBBLE;
	}
	usleep(random_below(300));
	ret = ioctl(own >= 0 ? own : fd, cmd, about.arg);
	error = errno;
	stop = true;
	while (job != NOTHING)
		usleep(100);
	map();
	errno = error;
	return ret;
}

/**
 * race_call - call with the argument somewhere, and perhaps something going on
 * @fd: the device
 * @path: the same
 * @verb: what is called, or nearly
 * @cmd: the number to call it by
 * @arg: the argument
 * @out: what has become of it, where that can be told
 *
 * Return: what ioctl() does, with errno.
 */
int race_call(int fd, const char *path, const struct verb *verb,
	      unsigned long cmd, const void *arg, void *out)
{
	size_t bytes = _IOC_SIZE(verb->cmd);

	memcpy(out, arg, bytes);
	switch (random_below(4)) {
	case 0:
		return raced_call(fd, path, verb, cmd, arg);
	case 1:
		if (race_compat())
			return compat_call(fd, cmd, arg, bytes, out);
		/* fall through */
	default:
		return plain_call(fd, cmd, arg, bytes, out);
	}
}
