// SPDX-License-Identifier: GPL-2.0-only
/* What a target offers. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/alloc.h"
#include "lib/discover.h"
#include "lib/host.h"
#include "lib/node.h"
#include "lib/resolve.h"

#define FIRST_ROOM	1024
#define MAX_ROUNDS	3	/* the list may grow while we ask */

/**
 * struct found - a target's answer
 * @fd: initiator's node
 * @req: the request
 * @discover: the command
 * @offers: as many as @discover.nr, at most @discover.room
 */
struct found {
	int fd;
	const struct request *req;
	struct rblk_ioc_discover discover;
	struct rblk_ioc_offer *offers;
};

static void discover_fill(struct found *found, const struct rblk_ioc_addr *target,
			  const struct rblk_ioc_addr *source, unsigned int room)
{
	const struct request *req = found->req;
	struct rblk_ioc_discover *discover = &found->discover;

	found->offers = must_alloc(found->offers, room, sizeof(*found->offers));
	memset(found->offers, 0, room * sizeof(*found->offers));
	memset(discover, 0, sizeof(*discover));
	discover->size = sizeof(*discover);
	discover->target = *target;
	discover->source = *source;
	memcpy(discover->host, req->host_uuid, sizeof(discover->host));
	memcpy(discover->host_name, req->host_name, sizeof(discover->host_name));
	discover->offers = (uintptr_t)found->offers;
	discover->room = room;
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

static int discover_attempt(void *ctx, const struct rblk_ioc_addr *target,
			    const struct rblk_ioc_addr *source, struct failure *fail)
{
	unsigned int room = FIRST_ROOM, round;
	struct found *found = ctx;

	for (round = 0; round < MAX_ROUNDS; round++) {
		discover_fill(found, target, source, room);
		if (control_call(found->fd, RBLK_IOC_DISCOVER, &found->discover,
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
 * discover_offers() - ask a target what it offers
 * @req: the target, and who this host is
 * @discover: the answer; @discover->nr is how many offers there are
 * @offers: the offers, to be freed
 * @fail: why it failed
 *
 * Return: 0, or -1 with @fail filled in and nothing to be freed.
 */
int discover_offers(struct request *req, struct rblk_ioc_discover *discover,
		    struct rblk_ioc_offer **offers, struct failure *fail)
{
	struct found found = { .req = req };
	const char *origin;
	int err;

	if (host_identity(req, &origin, fail))
		return -1;
	found.fd = control_reach(SIDE_INITIATOR, fail);
	if (found.fd < 0)
		return -1;
	err = resolve_each(req, discover_attempt, &found, fail);
	node_close(found.fd);
	if (err) {
		free(found.offers);
		return -1;
	}
	*discover = found.discover;
	*offers = found.offers;
	return 0;
}
