// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the target says of it: the reasons it counts in debugfs and its lines in
 * the kernel's log, both of the machine that we and the target run on.
 *
 * The log is limited to ten lines of a kind in five seconds, those before our
 * time included.  Paced, we keep below that, and then every case must have its
 * line; else a line may be missing once ten have been seen.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "host.h"

#define REASONS		"/sys/kernel/debug/rblk_target/reasons"
#define MAX_REASONS	128
#define BURST		10
#define WINDOW_MS	5200

struct reason {
	long count;
	char text[120];
};

struct reasons {
	unsigned int nr;
	struct reason reason[MAX_REASONS];
};

static struct reasons before;
static bool was_limited;	/* when that began */
static int kmsg = -1;
static uint64_t seen[BURST];	/* when the last lines were printed */
static unsigned int nr_seen;

static void read_reasons(struct reasons *r)
{
	FILE *f = fopen(REASONS, "r");

	if (!f)
		report_die("no " REASONS);
	r->nr = 0;
	while (r->nr < MAX_REASONS &&
	       fscanf(f, "%ld %119[^\n]", &r->reason[r->nr].count,
		      r->reason[r->nr].text) == 2)
		r->nr++;
	fclose(f);
}

static long count_of(const struct reasons *r, const char *text)
{
	unsigned int i;

	for (i = 0; i < r->nr; i++)
		if (!strcmp(r->reason[i].text, text))
			return r->reason[i].count;
	return 0;
}

/* When a record of the log was printed: its third number is in microseconds. */
static uint64_t printed(const char *record)
{
	unsigned long long us;

	if (sscanf(record, "%*u,%*u,%llu,", &us) != 1)
		report_die("/dev/kmsg has no times");
	return us / 1000;
}

/* Does the log have @text since the last look?  Empty for any line of ours. */
static bool log_has(const char *text)
{
	char line[2048];
	bool found = false;
	ssize_t n;

	for (;;) {
		n = read(kmsg, line, sizeof(line) - 1);
		if (n < 0 && errno == EPIPE)
			continue;
		if (n <= 0)
			break;
		line[n] = 0;
		if (!strstr(line, "rblk_target: "))
			continue;
		if (strstr(line, "connection ended: ") ||
		    strstr(line, " refused: "))
			seen[nr_seen++ % BURST] = printed(line);
		if (strstr(line, text))
			found = true;
	}
	return found;
}

static bool limited(void)
{
	/* The two clocks are the same but for some milliseconds. */
	return nr_seen >= BURST &&
	       (int64_t)(verbs_now() - seen[nr_seen % BURST]) < WINDOW_MS;
}

/**
 * watch_open - begin to look at the log, when it has room for our lines
 */
void watch_open(void)
{
	kmsg = open("/dev/kmsg", O_RDONLY | O_NONBLOCK);
	if (kmsg < 0)
		report_die("/dev/kmsg can't be read");
	/* Those of who was here before us count, too. */
	log_has("");
	while (limited())
		verbs_sleep(100);
}

/**
 * watch_begin - something bad is about to be done
 */
void watch_begin(void)
{
	log_has("");
	while (host_paced && limited())
		verbs_sleep(100);
	was_limited = limited();
	read_reasons(&before);
}

/*
 * We may leave while the target still sends.  RoCE then says nothing, and iWARP that the
 * queue pair has failed.  The target counts that unless it has ended the connection.
 */
static bool is_our_leaving(const char *text)
{
	return host_iwarp && !strcmp(text, "event: QP fatal error");
}

/* The first reason that has become more, other than @but. */
static const char *other_reason(const struct reasons *now, const char *but)
{
	unsigned int i;

	for (i = 0; i < now->nr; i++) {
		const struct reason *r = &now->reason[i];

		if (r->count > count_of(&before, r->text) &&
		    (!but || strcmp(r->text, but)) && !is_our_leaving(r->text))
			return r->text;
	}
	return NULL;
}

/**
 * watch_end - it has been done
 * @reason: what must have become one more, or NULL for nothing
 * @log: words that the log must have, or NULL for none
 *
 * Return: what is wrong, or NULL.
 */
const char *watch_end(const char *reason, const char *log)
{
	uint64_t end = verbs_now() + WAIT_MS;
	struct reasons now;
	const char *other;
	bool found = false;

	for (;;) {
		read_reasons(&now);
		found = found || !log || log_has(log);
		if ((!reason || count_of(&now, reason) >
		     count_of(&before, reason)) && (found || was_limited))
			break;
		if (verbs_now() >= end)
			break;
		verbs_sleep(2);
	}
	other = other_reason(&now, reason);
	if (reason && count_of(&now, reason) != count_of(&before, reason) + 1)
		return report_why("reason '%s' was counted %ld times%s%s",
				  reason, count_of(&now, reason) -
				  count_of(&before, reason),
				  other ? ", but so was " : "",
				  other ? other : "");
	if (other)
		return report_why("reason '%s' was counted", other);
	if (!found && !was_limited)
		return report_why("the log does not say '%s'", log);
	return NULL;
}

/**
 * watch_either - it has been done, and may end for one of two reasons
 * @first: one of them
 * @second: the other
 *
 * Return: the one that has become more, for watch_end(); @first if neither has.
 */
const char *watch_either(const char *first, const char *second)
{
	uint64_t end = verbs_now() + WAIT_MS;
	struct reasons now;

	for (;;) {
		read_reasons(&now);
		if (count_of(&now, first) > count_of(&before, first))
			return first;
		if (count_of(&now, second) > count_of(&before, second))
			return second;
		if (verbs_now() >= end)
			return first;
		verbs_sleep(2);
	}
}

/**
 * watch_violation - it has been done, and is a violation, whatever its name
 *
 * Return: what is wrong, or NULL.
 */
const char *watch_violation(void)
{
	uint64_t end = verbs_now() + WAIT_MS;
	const char *found;
	struct reasons now;

	do {
		read_reasons(&now);
		found = other_reason(&now, NULL);
		if (found)
			return strncmp(found, "violation: ", 11) ?
			       report_why("reason '%s' was counted", found) :
			       watch_end(found, found + strlen("violation: "));
		verbs_sleep(2);
	} while (verbs_now() < end);
	return "no reason was counted";
}

/**
 * watch_broken - it has been done, and RDMA itself has ended the connection
 * @v: any connection of the same kind
 *
 * RoCE tells the target with a failed work request; on iWARP it may hear no
 * more than that the connection is closed.
 *
 * Return: what is wrong, or NULL.
 */
const char *watch_broken(const struct verbs *v)
{
	uint64_t end = verbs_now() + (sess_is_iwarp(v) ? 500 : WAIT_MS);
	const char *found;
	struct reasons now;

	do {
		read_reasons(&now);
		found = other_reason(&now, NULL);
		if (found && (!strncmp(found, "fault: ", 7) ||
			      !strncmp(found, "event: ", 7) ||
			      !strcmp(found, "overdue")))
			return NULL;
		if (found)
			return report_why("reason '%s' was counted", found);
		verbs_sleep(2);
	} while (verbs_now() < end);
	return sess_is_iwarp(v) ? NULL : "no reason was counted";
}
