// SPDX-License-Identifier: GPL-2.0-only
/* The verb "discover". */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "system/change.h"
#include "output/failure.h"
#include "output/output.h"
#include "output/report.h"
#include "rblk_wire.h"
#include "verbs/run.h"

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

static unsigned int portals_known(const struct rblk_ioc_discover *discover)
{
	return discover->nr_portals < discover->portal_room ? discover->nr_portals :
							      discover->portal_room;
}

/* Where there is a choice. */
static void portals_print(const struct rblk_ioc_discover *discover,
			  const struct rblk_ioc_addr *portals)
{
	char addr[RBLK_ADDRESS_TEXT];
	unsigned int i;

	if (portals_known(discover) < 2)
		return;
	fputs("\nportals", stdout);
	for (i = 0; i < portals_known(discover); i++) {
		rblk_address_text(addr, &portals[i]);
		printf("%s%s", i ? ", " : "  ", addr);
	}
	putchar('\n');
}

static void offers_print(const struct request *req, const struct rblk_ioc_discover *discover,
			 const struct rblk_ioc_offer *offers,
			 const struct rblk_ioc_addr *portals)
{
	struct json_object *top, *array;
	char addr[RBLK_ADDRESS_TEXT];
	struct table t;
	unsigned int i;

	if (!request_has(req, OPTION_JSON)) {
		table_start(&t, req);
		for (i = 0; i < discover->nr; i++)
			offer_row(&t, &offers[i]);
		table_print(&t);
		portals_print(discover, portals);
		return;
	}
	top = json_object_new_object();
	array = json_object_new_array();
	put_uuid(top, "uuid", discover->target_uuid);
	put_key(top, "key", discover->peer_key);
	put_chars(top, "name", discover->target_name, sizeof(discover->target_name));
	for (i = 0; i < discover->nr; i++)
		json_object_array_add(array, rblk_offer_json(&offers[i]));
	json_object_object_add(top, "exports", array);
	array = json_object_new_array();
	for (i = 0; i < portals_known(discover); i++) {
		rblk_address_text(addr, &portals[i]);
		json_object_array_add(array, json_object_new_string(addr));
	}
	json_object_object_add(top, "portals", array);
	print_json(top);
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
	struct rblk_ioc_addr portals[RBLK_WIRE_MAX_PORTALS];
	struct rblk_ioc_discover discover = {
		.portals = (uintptr_t)portals, .portal_room = ARRAY_SIZE(portals),
	};
	struct rblk_ioc_offer *offers;
	struct rblk_failure fail;

	if (discover_offers(req, &discover, &offers, &fail))
		return failure_report(req, &fail);
	offers_print(req, &discover, offers, portals);
	pin_tell(req, discover.peer_key);
	if (!discover.nr && !request_has(req, OPTION_JSON))
		tell_nothing(req);
	free(offers);
	return EXIT_OK;
}
