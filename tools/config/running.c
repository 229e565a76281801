// SPDX-License-Identifier: GPL-2.0-only
/* The running state in the form of a configuration. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "lib/loop.h"
#include "lib/volumes.h"
#include "system/change.h"

static void give(struct request *req, enum option_id option, bool given)
{
	if (given)
		req->given |= OPTION_BIT(option);
}

/* What the module gives back is an endpoint, too. */
static void set_address(struct endpoint *ep, const struct rblk_ioc_addr *addr)
{
	char text[RBLK_ADDRESS_TEXT];

	rblk_address_text(text, addr);
	endpoint_parse(text, ep);
}

static int load_portals(struct items *items, struct rblk_failure *fail)
{
	struct rblkt_ioc_portal *portals;
	struct item *item;
	unsigned int nr, i;

	if (rblkt_portals(rblk, &portals, &nr, fail))
		return -1;
	for (i = 0; i < nr; i++) {
		item = items_add(items, ITEM_PORTAL);
		item->addr = portals[i].addr;
		set_address(&item->req.target, &portals[i].addr);
	}
	free(portals);
	return 0;
}

static void take_export(struct item *item, const struct rblkt_ioc_export_show *show)
{
	struct request *req = &item->req;

	text_copy(req->export, sizeof(req->export), show->name,
		  strnlen(show->name, sizeof(show->name)));
	text_copy(req->backing, sizeof(req->backing), show->path,
		  strnlen(show->path, sizeof(show->path)));
	give(req, OPTION_BACKING_FILE, loop_file(req->backing, req->backing));
	text_copy(req->cgroup, sizeof(req->cgroup), show->cgroup,
		  strnlen(show->cgroup, sizeof(show->cgroup)));
	give(req, OPTION_CGROUP, req->cgroup[0]);
	memcpy(req->uuid, show->uuid, UUID_BYTES);
	item->capacity = show->capacity;
	item->users = show->nr_users;
	give(req, OPTION_UUID, true);
	give(req, OPTION_READ_ONLY, show->export_flags & RBLKT_EXPORT_READ_ONLY);
	give(req, OPTION_SHARED, show->export_flags & RBLKT_EXPORT_SHARED);
	give(req, OPTION_REALTIME, show->export_flags & RBLKT_EXPORT_REALTIME);
	give(req, OPTION_INSECURE, show->export_flags & RBLKT_EXPORT_INSECURE);
	give(req, OPTION_ALLOW_ANY, show->export_flags & RBLKT_EXPORT_ALLOW_ANY);
	req->nr_allowed = show->nr_hosts < RBLK_MAX_HOSTS ? show->nr_hosts : RBLK_MAX_HOSTS;
	give(req, OPTION_ALLOW, req->nr_allowed);
}

static int load_exports(struct items *items, struct rblk_failure *fail)
{
	struct rblkt_ioc_export_show show = { .name = "" };
	struct item *item;
	int got;

	for (;;) {
		item = items_add(items, ITEM_EXPORT);
		got = rblkt_export_next(rblk, show.name, &show, item->req.allowed, fail);
		if (got <= 0)
			break;
		take_export(item, &show);
	}
	items->nr--;
	return got;
}

/* The keys in force: those that were asked for, or the one that was trusted. */
static void take_keys(struct request *req, const struct rblk_ioc_asked *asked)
{
	unsigned int i;

	for (i = 0; i < RBLK_TARGET_KEYS; i++)
		if (!key_is_none(asked->target_key[i]))
			memcpy(req->target_key[req->nr_target_keys++], asked->target_key[i],
			       KEY_BYTES);
	give(req, OPTION_TARGET_KEY, req->nr_target_keys);
	give(req, OPTION_INSECURE, asked->flags & RBLK_ATTACH_INSECURE);
}

static void take_asked(struct request *req, const struct rblk_ioc_asked *asked)
{
	req->queues = asked->queues;
	req->poll_queues = asked->poll_queues;
	req->depth = asked->depth;
	req->inline_read = asked->inline_read;
	memcpy(req->host_uuid, asked->host, UUID_BYTES);
	text_copy(req->host_name, sizeof(req->host_name), asked->host_name,
		  strnlen(asked->host_name, sizeof(asked->host_name)));
	give(req, OPTION_INDEX, asked->flags & RBLK_ATTACH_INDEX);
	give(req, OPTION_HOST_UUID, asked->flags & RBLK_ATTACH_HOST_UUID);
	give(req, OPTION_HOST_NAME, asked->flags & RBLK_ATTACH_HOST_NAME);
	give(req, OPTION_QUEUES, req->queues);
	give(req, OPTION_POLL_QUEUES, req->poll_queues);
	give(req, OPTION_DEPTH, req->depth);
	give(req, OPTION_INLINE_READ, asked->flags & RBLK_ATTACH_INLINE_READ);
	give(req, OPTION_DIGEST, asked->flags & RBLK_ATTACH_DIGEST);
	take_keys(req, asked);
	if (!asked->source.family)
		return;
	set_address(&req->source, &asked->source);
	req->source.port = 0;
	give(req, OPTION_SOURCE, true);
}

/* As it was asked for, so that it can be attached again in the same way. */
static void take_volume(struct item *item, const struct rblk_ioc_show *show)
{
	const struct rblk_ioc_volume *volume = &show->volume;
	struct request *req = &item->req;
	char target[RBLK_PATH_LEN];

	item->index = volume->index;
	item->root = rblk_is_root(volume->index);
	memcpy(item->uuid, volume->uuid, UUID_BYTES);
	item->queues = show->session.queues;
	item->poll_queues = show->session.poll_queues;
	item->depth = show->session.depth;
	item->inline_read = show->session.inline_read;
	text_clean(target, sizeof(target), volume->target_text, sizeof(volume->target_text));
	endpoint_parse(target, &req->target);
	text_copy(req->export, sizeof(req->export), volume->export_name,
		  strnlen(volume->export_name, sizeof(volume->export_name)));
	memcpy(req->uuid, volume->uuid, UUID_BYTES);
	req->index = volume->index;
	req->queue_timeout = volume->queue_timeout;
	give(req, OPTION_UUID, true);
	give(req, OPTION_QUEUE_TIMEOUT, true);
	give(req, OPTION_READ_ONLY, volume->access & RBLK_ATTACH_READ_ONLY);
	give(req, OPTION_SHARED, volume->access & RBLK_ATTACH_SHARED);
	take_asked(req, &show->asked);
}

static void take_route(struct request *req, unsigned int n, const struct rblk_ioc_route *route)
{
	struct endpoint *source = n ? &req->other_source[n - 1] : &req->source;
	char target[RBLK_PATH_LEN];

	text_clean(target, sizeof(target), route->target_text, sizeof(route->target_text));
	endpoint_parse(target, n ? &req->other[n - 1] : &req->target);
	memset(source, 0, sizeof(*source));
	if (!route->source.family)
		return;
	set_address(source, &route->source);
	source->port = 0;
	give(req, OPTION_SOURCE, true);
}

/*
 * The first route is the target, the others are its other addresses. What the volume was
 * asked with may be any route's.
 */
static void take_routes(struct request *req, int index)
{
	struct rblk_ioc_route routes[RBLK_MAX_ROUTES];
	struct rblk_failure fail;
	unsigned int nr, i;

	/* One that is gone meanwhile has none. */
	if (rblk_routes(rblk, index, routes, &nr, &fail))
		return;
	req->given &= ~OPTION_BIT(OPTION_SOURCE);
	req->nr_other = nr ? nr - 1 : 0;
	req->nr_other_source = req->nr_other;
	for (i = 0; i < nr; i++)
		take_route(req, i, &routes[i]);
}

static int load_volumes(struct items *items, struct rblk_failure *fail)
{
	struct rblk_ioc_show show;
	struct item *item;
	int at = 0, got;

	while ((got = rblk_volume_next(rblk, at, &show, NULL, fail)) > 0) {
		item = items_add(items, ITEM_VOLUME);
		take_volume(item, &show);
		if (show.volume.routes > 1)
			take_routes(&item->req, show.volume.index);
		at = volume_after(&show);
	}
	return got;
}

/* Return: 1, 0 where the module is not loaded, -1 with @fail filled in. */
static int is_loaded(enum rblk_side side, struct rblk_failure *fail)
{
	struct rblk_ioc_info info;

	if (!rblk_info(rblk, side, &info, fail))
		return 1;
	return rblk_missing(fail) ? 0 : -1;
}

static int load_target(unsigned int kinds, struct config *to, struct rblk_failure *fail)
{
	struct items *portals = &to->list[ITEM_PORTAL], *exports = &to->list[ITEM_EXPORT];
	int loaded = is_loaded(RBLK_TARGET, fail), err = 0;

	if (loaded <= 0)
		return loaded;
	if (kinds & ITEM_BIT(ITEM_PORTAL)) {
		portals->given = true;
		err = load_portals(portals, fail);
	}
	if (!err && (kinds & ITEM_BIT(ITEM_EXPORT))) {
		exports->given = true;
		err = load_exports(exports, fail);
	}
	return err;
}

static int load_initiator(struct config *to, struct rblk_failure *fail)
{
	int loaded = is_loaded(RBLK_INITIATOR, fail);

	if (loaded <= 0)
		return loaded;
	to->list[ITEM_VOLUME].given = true;
	return load_volumes(&to->list[ITEM_VOLUME], fail);
}

/**
 * running_load() - what is there now
 * @kinds: ITEM_BIT() of what to ask for
 * @to: the result, to be freed in either case; lists of a module that is not
 *      loaded are not given
 * @fail: why it failed
 *
 * Return: 0, or -1 with @fail filled in.
 */
int running_load(unsigned int kinds, struct config *to, struct rblk_failure *fail)
{
	memset(to, 0, sizeof(*to));
	if ((kinds & ITEMS_TARGET) && load_target(kinds, to, fail))
		return -1;
	if ((kinds & ITEMS_VOLUMES) && load_initiator(to, fail))
		return -1;
	return 0;
}
