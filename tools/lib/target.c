// SPDX-License-Identifier: GPL-2.0-only
/* What the target says of itself. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/alloc.h"
#include "lib/target.h"

#define FIRST_ROOM	32
#define MAX_ROUNDS	8	/* the list may grow while we ask */

/**
 * target_get() - a whole list of the target's
 * @command: RBLKT_IOC_PORTAL_LIST or RBLKT_IOC_SESSION_LIST
 * @size: of each entry
 * @entries: the entries, to be freed by the caller
 * @nr: how many there are
 * @fail: why it failed
 *
 * Return: 0, or -1 with @fail filled in.
 */
int target_get(unsigned long command, size_t size, void **entries, unsigned int *nr,
	       struct failure *fail)
{
	struct rblkt_ioc_list list;
	unsigned int room = FIRST_ROOM, round;

	*entries = NULL;
	for (round = 0; round < MAX_ROUNDS; round++) {
		*entries = must_alloc(*entries, room, size);
		memset(&list, 0, sizeof(list));
		list.size = sizeof(list);
		list.room = room;
		list.entries = (uintptr_t)*entries;
		if (control_try(SIDE_TARGET, command, &list, &list.error, fail)) {
			free(*entries);
			return -1;
		}
		*nr = list.nr;
		if (list.nr <= room)
			return 0;
		room = list.nr + FIRST_ROOM;
	}
	*nr = list.room;
	return 0;
}

/**
 * target_pause_get() - is the target paused by plan
 * @pause: out: for how long
 * @fail: why it is not known
 *
 * Return: 0, or -1 with @fail filled in.
 */
int target_pause_get(struct rblkt_ioc_pause *pause, struct failure *fail)
{
	memset(pause, 0, sizeof(*pause));
	pause->size = sizeof(*pause);
	return control_try(SIDE_TARGET, RBLKT_IOC_PAUSE_SHOW, pause, &pause->error, fail);
}
