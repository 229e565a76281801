// SPDX-License-Identifier: GPL-2.0-only
/* The verb "events": what the kernel tells about volumes, as it tells it. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#include "lib/alloc.h"
#include "lib/interrupt.h"
#include "lib/node.h"
#include "lib/volumes.h"
#include "output/failure.h"
#include "output/output.h"
#include "output/report.h"
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

/**
 * struct uevent - one message of the kernel's about a volume
 * @index: N of /dev/rblkN
 * @event: what happened, in a word
 * @state: the state it went into, or NULL
 */
struct uevent {
	int index;
	const char *event;
	const char *state;
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

static void print_line(const char *when, const struct uevent *event,
		       const struct rblk_ioc_volume *volume, const char *state,
		       const char *reason)
{
	char line[2 * RBLK_PATH_LEN + RBLK_ERROR_LEN], clean[sizeof(line)], size[SIZE_TEXT];

	text_size(size, volume->capacity);
	snprintf(line, sizeof(line), "%s  %-8s  rblk%d  %.*s/%.*s  %s%s%s", when,
		 event->event, volume->index, RBLK_PATH_LEN, volume->target_text,
		 RBLK_NAME_LEN, volume->export,
		 strcmp(event->event, "resized") ? state : size, reason[0] ? ": " : "",
		 reason);
	text_clean(clean, sizeof(clean), line, sizeof(line));
	puts(clean);
}

static void print_object(const char *when, const struct uevent *event,
			 const struct rblk_ioc_volume *volume, const char *state,
			 const char *reason)
{
	struct json_object *obj = json_object_new_object();
	char device[32];

	snprintf(device, sizeof(device), "/dev/rblk%d", volume->index);
	put_text(obj, "time", when);
	put_text(obj, "event", event->event);
	put_text(obj, "device", device);
	put_chars(obj, "target", volume->target_text, sizeof(volume->target_text));
	put_chars(obj, "export", volume->export, sizeof(volume->export));
	put_uuid(obj, "uuid", volume->uuid);
	put_size(obj, "capacity", volume->capacity);
	put_text(obj, "state", state);
	put_chars(obj, "reason", reason, RBLK_ERROR_LEN);
	/* One line each, so that a program can read them as they come. */
	puts(json_object_to_json_string_ext(obj, JSON_C_TO_STRING_PLAIN |
						 JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(obj);
}

/* The reason is the present state's, which may be a later one. */
static void tell(const struct request *req, const struct uevent *event,
		 const struct rblk_ioc_volume *volume)
{
	const char *state = volume_state_text(volume->state), *reason = volume->reason;
	char when[40];

	if (event->state && strcmp(event->state, state)) {
		state = event->state;
		reason = "";
	}
	if (!strcmp(event->event, "resized"))
		reason = "";
	time_text(when);
	if (request_has(req, OPTION_JSON))
		print_object(when, event, volume, state, reason);
	else
		print_line(when, event, volume, state, reason);
	fflush(stdout);
}

static const char *after(const char *text, const char *prefix)
{
	size_t len = strlen(prefix);

	return strncmp(text, prefix, len) ? NULL : text + len;
}

static void take_value(const char *text, const char *key, const char **value)
{
	const char *found = after(text, key);

	if (found)
		*value = found;
}

/* What a disk of ours has to say; false for everything else. */
static bool parse(const char *text, size_t len, struct uevent *event)
{
	const char *at, *action = "", *name = "", *type = "", *resize = NULL;
	struct selector device;

	memset(event, 0, sizeof(*event));
	for (at = text; at < text + len; at += strlen(at) + 1) {
		take_value(at, "ACTION=", &action);
		take_value(at, "DEVNAME=", &name);
		take_value(at, "DEVTYPE=", &type);
		take_value(at, "RBLK_STATE=", &event->state);
		take_value(at, "RESIZE=", &resize);
	}
	if (strcmp(type, "disk") || !after(name, "rblk") ||
	    selector_parse(name, &device) || device.kind != SELECT_INDEX)
		return false;
	event->index = device.index;
	event->event = !strcmp(action, "add") ? "attached" :
		       !strcmp(action, "remove") ? "detached" :
		       event->state ? "state" : resize ? "resized" : NULL;
	return event->event;
}

/* Opened each time, as who only listens must not keep the module loaded. */
static int volume_from(int from, struct rblk_ioc_show *show, struct failure *fail)
{
	int fd = control_reach(SIDE_INITIATOR, fail), got;

	if (fd < 0)
		return control_missing(fail) ? 0 : -1;
	got = volumes_next(fd, from, show, fail);
	node_close(fd);
	return got;
}

static void handle(const struct request *req, struct known *known,
		   const struct uevent *event)
{
	struct rblk_ioc_volume *volume = known_find(known, event->index);
	bool gone = !strcmp(event->event, "detached");
	struct rblk_ioc_show show;
	struct failure fail;

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
static int look(const struct request *req, struct known *known, struct failure *fail)
{
	struct uevent event = { .event = "present" };
	struct rblk_ioc_show show;
	int at = 0, got;

	known->nr = 0;
	while ((got = volume_from(at, &show, fail)) > 0) {
		tell(req, &event, known_put(known, &show.volume));
		at = show.volume.index == INT_MAX ? -1 : show.volume.index + 1;
	}
	return got;
}

static int follow(const struct request *req, int from, struct known *known,
		  struct failure *fail)
{
	char text[8192];
	struct uevent event;
	int len;

	if (look(req, known, fail))
		return -1;
	while (!ferror(stdout) && !interrupt_pending()) {
		len = node_uevent(from, text, sizeof(text));
		if (len == -EINTR || !len)
			break;
		if (len == -ENOBUFS && !look(req, known, fail))
			continue;
		if (len < 0) {
			failure_set(fail, -len, NULL, "no more uevents: %s", strerror(-len));
			return -1;
		}
		if (parse(text, len, &event))
			handle(req, known, &event);
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
	struct failure fail;
	int from, err;

	/* Before the first look, so that nothing is missed between the two. */
	from = node_uevents();
	if (from < 0) {
		failure_set(&fail, -from, NULL, "cannot hear the kernel's uevents: %s",
			    strerror(-from));
		err = -1;
	} else {
		err = follow(req, from, &known, &fail);
		node_close(from);
	}
	free(known.volume);
	return err && fail.error != EINTR ? failure_report(req, &fail) : EXIT_OK;
}
