// SPDX-License-Identifier: GPL-2.0-only
/* What the kernel says of volumes, by uevents. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/address.h"
#include "lib/control.h"
#include "lib/node.h"

/**
 * rblk_events_open() - hear of volumes, from now on
 * @fail: why it failed
 *
 * Return: a file descriptor to poll and to close, or -1 with @fail filled in.
 */
int rblk_events_open(struct rblk_failure *fail)
{
	int fd = node_uevents();

	if (fd >= 0)
		return fd;
	failure_set(fail, -fd, NULL, "cannot hear the kernel's uevents: %s", strerror(-fd));
	return -1;
}

/* The value when @text is of this key, else what it was. */
static void take_value(const char *text, const char *key, const char **value)
{
	size_t len = strlen(key);

	if (!strncmp(text, key, len))
		*value = text + len;
}

/* What a disk of ours has to say; false for everything else. */
static bool event_parse(const char *text, size_t len, struct rblk_event *event)
{
	const char *at, *action = "", *name = "", *type = "", *state = "", *resize = NULL;
	const char *op = "", *lba = "", *bytes = "", *change = "";
	struct selector device;

	for (at = text; at < text + len; at += strlen(at) + 1) {
		take_value(at, "ACTION=", &action);
		take_value(at, "DEVNAME=", &name);
		take_value(at, "DEVTYPE=", &type);
		take_value(at, "RBLK_STATE=", &state);
		take_value(at, "RESIZE=", &resize);
		take_value(at, "RBLK_DIGEST=", &op);
		take_value(at, "RBLK_LBA=", &lba);
		take_value(at, "RBLK_BYTES=", &bytes);
		take_value(at, "RBLK_RESERVATION=", &change);
	}
	memset(event, 0, sizeof(*event));
	if (strcmp(type, "disk") || strncmp(name, "rblk", 4) ||
	    selector_parse(name, &device) || device.kind != SELECT_INDEX)
		return false;
	event->index = device.index;
	snprintf(event->state, sizeof(event->state), "%s", state);
	snprintf(event->op, sizeof(event->op), "%s", op);
	snprintf(event->change, sizeof(event->change), "%s", change);
	event->lba = strtoull(lba, NULL, 10);
	event->bytes = strtoull(bytes, NULL, 10);
	event->what = !strcmp(action, "add") ? "attached" :
		      !strcmp(action, "remove") ? "detached" :
		      state[0] ? "state" : resize ? "resized" : op[0] ? "digest" :
		      change[0] ? "reservation" : NULL;
	return event->what;
}

/**
 * rblk_events_next() - what has happened to a volume
 * @fd: from rblk_events_open()
 * @timeout_ms: how long to wait for the kernel's next message, -1 for ever
 * @event: the result
 * @fail: why it failed: EINTR when a signal came; ENOBUFS when events have been lost, so
 *        that all volumes are to be looked at anew
 *
 * Return: 1 when something has, 0 when the time is over, -1 with @fail filled in.
 */
int rblk_events_next(int fd, int timeout_ms, struct rblk_event *event,
		     struct rblk_failure *fail)
{
	char text[8192];
	int len;

	do {
		len = node_uevent(fd, text, sizeof(text), timeout_ms);
		if (!len)
			return 0;
		if (len < 0) {
			failure_set(fail, -len, NULL, "no more uevents: %s", strerror(-len));
			return -1;
		}
	} while (!event_parse(text, len, event));
	return 1;
}
