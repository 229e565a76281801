// SPDX-License-Identifier: GPL-2.0-only
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/alloc.h"
#include "lib/discover.h"
#include "lib/host.h"
#include "lib/node.h"
#include "lib/resolve.h"
#include "output/failure.h"
#include "output/report.h"
#include "rblk_wire.h"
#include "verbs/verbs.h"

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

static void offer_row(struct table *t, const struct rblk_ioc_offer *offer)
{
	char size[SIZE_TEXT], uuid[UUID_TEXT];

	text_size(size, offer->capacity);
	uuid_text(uuid, offer->uuid);
	table_text(t, offer->name, sizeof(offer->name));
	table_cell(t, "%s", size);
	table_cell(t, "%u", offer->block_size);
	table_cell(t, "%s", access_text(offer->flags & RBLK_EXPF_READ_ONLY,
					offer->flags & RBLK_EXPF_SHARED));
	table_cell(t, "%s", offer->flags & RBLK_EXPF_IN_USE ? "in use" : "free");
	table_cell(t, "%s", uuid);
}

static struct json_object *offer_json(const struct rblk_ioc_offer *offer)
{
	struct json_object *obj = json_object_new_object();

	put_chars(obj, "name", offer->name, sizeof(offer->name));
	put_uuid(obj, "uuid", offer->uuid);
	put_size(obj, "capacity", offer->capacity);
	put_number(obj, "block_size", offer->block_size);
	put_bool(obj, "read_only", offer->flags & RBLK_EXPF_READ_ONLY);
	put_bool(obj, "shared", offer->flags & RBLK_EXPF_SHARED);
	put_bool(obj, "in_use", offer->flags & RBLK_EXPF_IN_USE);
	return obj;
}

static void offers_print(const struct request *req, const struct rblk_ioc_discover *discover,
			 const struct rblk_ioc_offer *offers)
{
	static const char * const heading[] = {
		"EXPORT", "SIZE", "BLOCK", "ACCESS", "USE", "UUID"
	};
	struct json_object *top, *array;
	struct table t;
	unsigned int i;

	if (!request_has(req, OPTION_JSON)) {
		table_start(&t, ARRAY_SIZE(heading), heading);
		for (i = 0; i < discover->nr; i++)
			offer_row(&t, &offers[i]);
		table_print(&t);
		return;
	}
	top = json_object_new_object();
	array = json_object_new_array();
	put_uuid(top, "uuid", discover->target_uuid);
	put_chars(top, "name", discover->target_name, sizeof(discover->target_name));
	for (i = 0; i < discover->nr; i++)
		json_object_array_add(array, offer_json(&offers[i]));
	json_object_object_add(top, "exports", array);
	print_json(top);
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

/* An empty table would leave it open why. */
static void tell_nothing(const struct request *req)
{
	char hint[192];

	hint_expand(hint, sizeof(hint),
		    "on the target: rblkctl export list; rblkctl export allow NAME %H",
		    req);
	fprintf(stderr, "rblkctl: %s offers this host nothing\n  try: %s\n",
		req->target.host, hint);
}

/**
 * discover_run() - the verb "discover"
 * @req: the request
 *
 * Return: an exit status.
 */
int discover_run(struct request *req)
{
	struct rblk_ioc_discover discover;
	struct rblk_ioc_offer *offers;
	struct failure fail;

	if (discover_offers(req, &discover, &offers, &fail))
		return failure_report(req, &fail);
	offers_print(req, &discover, offers);
	if (!discover.nr && !request_has(req, OPTION_JSON))
		tell_nothing(req);
	free(offers);
	return EXIT_OK;
}
