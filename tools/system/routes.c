// SPDX-License-Identifier: GPL-2.0-only
/* The other routes of a volume that is attached. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rblk_wire.h"
#include "system/change.h"

static void route_warn(int index, const char *target, const char *why)
{
	fprintf(stderr, "rblkctl: /dev/rblk%d: no route by %s yet: %s\n"
		"  try: rblkctl route list rblk%d\n", index, target, why, index);
}

/**
 * volume_routes() - add the routes of a volume that it does not have
 * @req: its targets
 * @index: N of its device
 * @uuid: its UUID
 *
 * What can't be added, or not be used yet, is said on standard error.
 */
void volume_routes(const struct request *req, int index, const __u8 uuid[UUID_BYTES])
{
	char target[ENDPOINT_TEXT], source[ENDPOINT_TEXT];
	struct rblk_volume_spec spec = { .target = target };
	struct rblk_ioc_route_change change;
	struct rblk_failure fail;
	unsigned int i;

	for (i = 0; i < req->nr_other; i++) {
		endpoint_text(target, &req->other[i]);
		endpoint_text(source, &req->other_source[i]);
		spec.source = source[0] ? source : NULL;
		if (rblk_route_add(rblk, index, uuid, &spec, ROUTE_WAIT_MS, &change, &fail)) {
			if (fail.error != EEXIST)
				route_warn(index, target, fail.text);
		} else if (change.state != RBLK_VOL_LIVE) {
			route_warn(index, target, change.reason[0] ? change.reason :
				   "it does not answer");
		}
	}
}

/* What this host can't reach is no route for it. */
static void route_try(int index, const __u8 uuid[UUID_BYTES], const struct rblk_ioc_addr *addr)
{
	struct rblk_ioc_route_change change;
	char target[RBLK_ADDRESS_TEXT];
	const struct rblk_volume_spec spec = { .target = target };
	struct rblk_failure fail;

	rblk_address_text(target, addr);
	if (rblk_route_add(rblk, index, uuid, &spec, ROUTE_WAIT_MS, &change, &fail)) {
		if (fail.error != EEXIST)
			fprintf(stderr, "rblkctl: /dev/rblk%d: no route by %s: %s\n", index,
				target, fail.text);
		return;
	}
	if (change.state == RBLK_VOL_LIVE)
		return;
	fprintf(stderr, "rblkctl: /dev/rblk%d: no route by %s: %.*s\n", index, target,
		RBLK_ERROR_LEN, change.reason[0] ? change.reason : "it does not answer");
	rblk_route_remove(rblk, index, uuid, target, NULL, &fail);
}

/* Also one with a source, which the module takes for another than one without. */
static bool is_reached(const struct rblk_ioc_route *routes, unsigned int nr,
		       const struct rblk_ioc_addr *addr)
{
	const struct rblk_ioc_addr *peer;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		peer = &routes[i].session.peer;
		if (peer->family == addr->family && peer->port == addr->port &&
		    !memcmp(peer->addr, addr->addr, sizeof(addr->addr)))
			return true;
	}
	return false;
}

/**
 * volume_all_routes() - add routes by all other addresses at which the target listens
 * @req: how the volume was attached
 * @index: N of its device
 * @uuid: its UUID
 *
 * What this host can't reach is left out, which is said on standard error.
 */
void volume_all_routes(struct request *req, int index, const __u8 uuid[UUID_BYTES])
{
	struct rblk_ioc_addr portals[RBLK_WIRE_MAX_PORTALS];
	struct rblk_ioc_discover discover = {
		.portals = (uintptr_t)portals, .portal_room = ARRAY_SIZE(portals),
	};
	struct rblk_ioc_route routes[RBLK_MAX_ROUTES];
	struct rblk_ioc_offer *offers;
	struct rblk_failure fail;
	unsigned int nr = 0, i;

	rblk_routes(rblk, index, routes, &nr, &fail);
	if (discover_offers(req, &discover, &offers, &fail)) {
		fprintf(stderr, "rblkctl: the target does not say where else it listens: %s\n",
			fail.text);
		return;
	}
	free(offers);
	if (!discover.nr_portals)
		fputs("rblkctl: the target names no address at which it listens\n"
		      "  try: on the target, a portal for each address in place of any\n", stderr);
	for (i = 0; i < discover.nr_portals && i < discover.portal_room; i++)
		if (!is_reached(routes, nr, &portals[i]))
			route_try(index, uuid, &portals[i]);
}
