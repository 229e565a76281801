// SPDX-License-Identifier: GPL-2.0-only
/* The part of the made-up module that answers about routes: see fake.c. */
#include <errno.h>
#include <stdint.h>

#include "tool.h"

int fake_route_add(struct rblk_ioc_route_change *change)
{
	struct rblk_ioc_route *route = &fake.routes[fake.nr_routes];

	fake.route_added = *change;
	change->state = fake.route_is_down ? RBLK_VOL_NEW : RBLK_VOL_LIVE;
	if (fake.route_is_down)
		snprintf(change->reason, sizeof(change->reason), "nobody is there");
	if (fake.nr_routes == RBLK_MAX_ROUTES)
		return fake_fail_at(&change->error, RBLK_STAGE_ARGUMENTS, ENOSPC);
	memset(route, 0, sizeof(*route));
	memcpy(route->target_text, change->target_text, sizeof(route->target_text));
	memcpy(route->reason, change->reason, sizeof(route->reason));
	route->session.peer = change->target;
	route->state = change->state;
	fake.nr_routes++;
	return 0;
}

int fake_route_remove(struct rblk_ioc_route_change *change)
{
	unsigned int i;

	fake.route_removed = *change;
	for (i = 0; i < fake.nr_routes; i++)
		if (!memcmp(&fake.routes[i].session.peer, &change->target,
			    sizeof(change->target)))
			break;
	if (i == fake.nr_routes)
		return fake_fail_at(&change->error, RBLK_STAGE_LOOKUP, ENOENT);
	memmove(&fake.routes[i], &fake.routes[i + 1],
		(fake.nr_routes - i - 1) * sizeof(fake.routes[0]));
	fake.nr_routes--;
	return 0;
}

/* Every volume has one. */
static bool only_route(struct rblk_ioc_route *to, int index)
{
	const struct rblk_ioc_show *show;
	unsigned int i;

	for (i = 0; i < fake.nr_volumes; i++) {
		show = &fake.volumes[i];
		if (show->volume.index != index)
			continue;
		memset(to, 0, sizeof(*to));
		memcpy(to->target_text, show->volume.target_text, sizeof(to->target_text));
		to->state = show->volume.state;
		to->session = show->session;
		return true;
	}
	return false;
}

int fake_route_list(struct rblk_ioc_route_list *list)
{
	struct rblk_ioc_route *to = (void *)(uintptr_t)list->routes;
	unsigned int i;

	if (!fake.nr_routes) {
		list->nr = 1;
		return only_route(to, list->index) ? 0 :
		       fake_fail_at(&list->error, RBLK_STAGE_LOOKUP, ENOENT);
	}

	for (i = 0; i < fake.nr_routes && i < list->room; i++)
		to[i] = fake.routes[i];
	list->nr = fake.nr_routes;
	return 0;
}

/* What DISCOVER says of where the target listens. */
void fake_portals(struct rblk_ioc_discover *discover)
{
	struct rblk_ioc_addr *to = (void *)(uintptr_t)discover->portals;
	unsigned int i;

	for (i = 0; i < fake.nr_portals && i < discover->portal_room; i++)
		to[i] = fake.portals[i].addr;
	discover->nr_portals = discover->portal_room ? fake.nr_portals : 0;
}
