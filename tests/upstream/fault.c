// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fault.h"

static void say(const char *what, const char *format, va_list args)
{
	printf("%s: ", what);
	vprintf(format, args);
}

void fault_seen(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say("fault", format, args);
	va_end(args);
	putchar('\n');
	exit(1);
}

void fault_unknown(const char *format, ...)
{
	const char *why = strerror(errno);
	va_list args;

	va_start(args, format);
	say("cannot tell", format, args);
	va_end(args);
	printf(": %s\n", why);
	exit(2);
}

void fault_not_seen(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say("right", format, args);
	va_end(args);
	putchar('\n');
	exit(0);
}

void run(const char *command)
{
	if (system(command))
		fault_unknown("%s", command);
}

uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000ull + ts.tv_nsec / 1000000;
}
