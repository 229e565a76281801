// SPDX-License-Identifier: GPL-2.0-only
/* What a target offers. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/key.h"
#include "lib/resolve.h"

#define FIRST_ROOM	1024
#define MAX_ROUNDS	3	/* the list may grow while we ask */

/**
 * struct found - a target's answer
 * @spec: what was asked for
 * @discover: the command
 * @offers: as many as @discover.nr, at most @discover.room
 */
struct found {
	const struct rblk_volume_spec *spec;
	struct rblk_ioc_discover discover;
	struct rblk_ioc_offer *offers;
};

static int discover_fill(struct found *found, const struct asking *ask, unsigned int room,
			 struct rblk_failure *fail)
{
	struct rblk_ioc_discover *discover = &found->discover;
	unsigned int portal_room;
	__u64 portals;

	found->offers = list_room(found->offers, room, sizeof(*found->offers), fail);
	if (!found->offers)
		return -1;
	memset(found->offers, 0, room * sizeof(*found->offers));
	portals = discover->portals;
	portal_room = discover->portal_room;
	memset(discover, 0, sizeof(*discover));
	discover->portals = portals;
	discover->portal_room = portal_room;
	discover->size = sizeof(*discover);
	discover->flags = found->spec->flags & RBLK_ATTACH_PROOF;
	memcpy(discover->target_key, found->spec->target_key, sizeof(discover->target_key));
	discover->target = ask->to;
	discover->source = ask->from;
	memcpy(discover->host, ask->host.uuid, sizeof(discover->host));
	memcpy(discover->host_name, ask->host.name, sizeof(discover->host_name));
	discover->offers = (uintptr_t)found->offers;
	discover->room = room;
	return 0;
}

/* The module may have written fewer than there are; no offer is nameless. */
static void count_written(struct found *found)
{
	struct rblk_ioc_discover *discover = &found->discover;
	unsigned int nr = 0;

	while (nr < discover->nr && nr < discover->room && found->offers[nr].name[0])
		nr++;
	discover->nr = nr;
}

static int discover_attempt(void *ctx, const struct asking *ask, struct rblk_failure *fail)
{
	unsigned int room = FIRST_ROOM, round;
	struct found *found = ctx;

	for (round = 0; round < MAX_ROUNDS; round++) {
		if (discover_fill(found, ask, room, fail) ||
		    control_try(ask->rblk, RBLK_INITIATOR, RBLK_IOC_DISCOVER, &found->discover,
				&found->discover.error, fail))
			return -1;
		if (found->discover.nr <= room)
			break;
		room = found->discover.nr + FIRST_ROOM;
	}
	count_written(found);
	return 0;
}

/**
 * rblk_discover() - ask a target what it offers
 * @rblk: the caller, or NULL
 * @spec: the target, its keys, the source, and who asks; the rest does not matter
 * @discover: in: zeroes, or where to put the target's portals and the room there; the
 *            answer: @discover->nr is how many offers there are
 * @offers: the offers, to be freed
 * @fail: why it failed
 *
 * Return: 0, or -1 with @fail filled in and nothing to be freed.
 */
int rblk_discover(struct rblk *rblk, const struct rblk_volume_spec *spec,
		  struct rblk_ioc_discover *discover, struct rblk_ioc_offer **offers,
		  struct rblk_failure *fail)
{
	struct found found = {
		.spec = spec,
		.discover.portals = discover->portals,
		.discover.portal_room = discover->portal_room,
	};
	struct asking ask;

	if (asking_begin(&ask, rblk, spec, fail) ||
	    (!(spec->flags & RBLK_ATTACH_INSECURE) &&
	     key_give(rblk, RBLK_INITIATOR, KEY_NEEDED, fail)) ||
	    resolve_each(&ask, discover_attempt, &found, fail)) {
		free(found.offers);
		return -1;
	}
	*discover = found.discover;
	*offers = found.offers;
	return 0;
}
