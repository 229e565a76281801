// SPDX-License-Identifier: GPL-2.0-only
/* The verb "events": what the kernel tells about volumes, as it tells it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#include "system/alloc.h"
#include "system/interrupt.h"
#include "lib/node.h"
#include "lib/volumes.h"
#include "output/failure.h"
#include "output/output.h"
#include "output/report.h"
#include "system/change.h"
#include "verbs/run.h"

/**
 * struct known - the volumes there are, as one that is gone cannot be asked
 * @nr: entries of @volume
 * @volume: as each was when it was last looked at
 */
struct known {
	unsigned int nr;
	struct rblk_ioc_volume *volume;
};

static struct rblk_ioc_volume *known_find(struct known *known, int index)
{
	unsigned int i;

	for (i = 0; i < known->nr; i++)
		if (known->volume[i].index == index)
			return &known->volume[i];
	return NULL;
}

static struct rblk_ioc_volume *known_put(struct known *known,
					 const struct rblk_ioc_volume *volume)
{
	struct rblk_ioc_volume *entry = known_find(known, volume->index);

	if (!entry) {
		known->volume = must_alloc(known->volume, known->nr + 1,
					   sizeof(*known->volume));
		entry = &known->volume[known->nr++];
	}
	*entry = *volume;
	return entry;
}

static void known_drop(struct known *known, const struct rblk_ioc_volume *entry)
{
	known->volume[entry - known->volume] = known->volume[--known->nr];
}

/* In local time, with its distance from UTC, to the millisecond. */
static void time_text(char to[40])
{
	struct timeval now;
	struct tm local;
	char zone[8];
	size_t used;

	gettimeofday(&now, NULL);
	localtime_r(&now.tv_sec, &local);
	used = strftime(to, 40, "%Y-%m-%dT%H:%M:%S", &local);
	strftime(zone, sizeof(zone), "%z", &local);
	snprintf(to + used, 40 - used, ".%03ld%s", (long)now.tv_usec / 1000, zone);
}

static void print_line(const char *when, const struct rblk_event *event,
		       const struct rblk_ioc_volume *volume, const char *state,
		       const char *reason)
{
	char line[2 * RBLK_PATH_LEN + RBLK_ERROR_LEN], clean[sizeof(line)], size[SIZE_TEXT];

	text_size(size, volume->capacity);
	snprintf(line, sizeof(line), "%s  %-8s  rblk%d  %.*s/%.*s  %s%s%s", when,
		 event->what, volume->index, RBLK_PATH_LEN, volume->target_text,
		 RBLK_NAME_LEN, volume->export_name,
		 strcmp(event->what, "resized") ? state : size, reason[0] ? ": " : "",
		 reason);
	text_clean(clean, sizeof(clean), line, sizeof(line));
	puts(clean);
}

/* One line each, so that a program can read them as they come. */
static void print_object(struct json_object *obj)
{
	puts(json_object_to_json_string_ext(obj, JSON_C_TO_STRING_PLAIN |
						 JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(obj);
}

static bool is_of(const struct rblk_event *event, const char *what)
{
	return !strcmp(event->what, what);
}

static void digest_text(char to[RBLK_ERROR_LEN], const struct rblk_event *event)
{
	snprintf(to, RBLK_ERROR_LEN,
		 "a %s of %llu bytes at LBA %llu failed: its data arrived wrong twice",
		 event->op, event->bytes, event->lba);
}

/* In other words than the program's. */
static void change_text(char to[RBLK_ERROR_LEN], const struct rblk_event *event)
{
	static const char *const texts[][2] = {
		{ "preempted",
		  "another host or the target's administrator has ended this host's registration" },
		{ "released", "its holder has given the reservation up" },
		{ "cleared", "the reservation and all registrations have ended" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(texts) && strcmp(texts[i][0], event->change); i++)
		;
	snprintf(to, RBLK_ERROR_LEN, "%s", i < ARRAY_SIZE(texts) ? texts[i][1] :
		 "the reservation or its registrants have changed");
}

static struct json_object *tell_json(const char *when, const struct rblk_event *event,
				     const struct rblk_ioc_volume *volume, const char *state,
				     const char *reason)
{
	struct json_object *obj = event_json(when, event->what, volume, state, reason);

	if (is_of(event, "reservation"))
		put_text(obj, "change", event->change);
	if (!is_of(event, "digest"))
		return obj;
	put_text(obj, "op", event->op);
	put_size(obj, "lba", event->lba);
	put_size(obj, "bytes", event->bytes);
	return obj;
}

/* The reason is the present state's, which may be a later one. */
static void tell(const struct request *req, const struct rblk_event *event,
		 const struct rblk_ioc_volume *volume)
{
	const char *state = rblk_volume_state_text(volume->state), *reason = volume->reason;
	char when[40], more[RBLK_ERROR_LEN] = "";

	if (event->state[0] && strcmp(event->state, state)) {
		state = event->state;
		reason = "";
	}
	if (is_of(event, "resized"))
		reason = "";
	if (is_of(event, "digest"))
		digest_text(more, event);
	if (is_of(event, "reservation"))
		change_text(more, event);
	if (more[0])
		reason = more;
	time_text(when);
	if (request_has(req, OPTION_JSON))
		print_object(tell_json(when, event, volume, state, reason));
	else
		print_line(when, event, volume, state, reason);
	fflush(stdout);
}

/* A module that is not loaded has no volumes. */
static int volume_from(int from, struct rblk_ioc_show *show, struct rblk_failure *fail)
{
	int got = rblk_volume_next(rblk, from, show, NULL, fail);

	return got < 0 && rblk_missing(fail) ? 0 : got;
}

static void handle(const struct request *req, struct known *known,
		   const struct rblk_event *event)
{
	struct rblk_ioc_volume *volume = known_find(known, event->index);
	bool gone = !strcmp(event->what, "detached");
	struct rblk_ioc_show show;
	struct rblk_failure fail;

	/* One that comes at the same place is another. */
	if (!gone && volume_from(event->index, &show, &fail) > 0 &&
	    show.volume.index == event->index)
		volume = known_put(known, &show.volume);
	if (!volume)
		return;
	if (gone)
		volume->state = RBLK_VOL_DELETING;
	tell(req, event, volume);
	if (gone)
		known_drop(known, volume);
}

/* All that are there: at the beginning, and when messages have been lost. */
static int look(const struct request *req, struct known *known, struct rblk_failure *fail)
{
	struct rblk_event event = { .what = "present" };
	struct rblk_ioc_show show;
	int at = 0, got;

	known->nr = 0;
	while ((got = volume_from(at, &show, fail)) > 0) {
		tell(req, &event, known_put(known, &show.volume));
		at = volume_after(&show);
	}
	return got;
}

static int follow(const struct request *req, int from, struct known *known,
		  struct rblk_failure *fail)
{
	struct rblk_event event;
	int got;

	if (look(req, known, fail))
		return -1;
	while (!ferror(stdout) && !interrupt_pending()) {
		got = rblk_events_next(from, -1, &event, fail);
		if (got > 0)
			handle(req, known, &event);
		else if (!got || fail->error == EINTR)
			break;
		else if (fail->error != ENOBUFS || look(req, known, fail))
			return -1;
	}
	return 0;
}

/**
 * events_run() - the verb "events"
 * @req: the request
 *
 * Return: an exit status.
 */
int events_run(struct request *req)
{
	struct known known = { .nr = 0 };
	struct rblk_failure fail;
	int from, err = -1;

	/* Before the first look, so that nothing is missed between the two. */
	from = rblk_events_open(&fail);
	if (from >= 0) {
		err = follow(req, from, &known, &fail);
		node_close(from);
	}
	free(known.volume);
	return err && fail.error != EINTR ? failure_report(req, &fail) : EXIT_OK;
}
