// SPDX-License-Identifier: GPL-2.0-only
/* The running state in the form of a configuration. */
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "lib/loop.h"
#include "lib/node.h"
#include "lib/resolve.h"
#include "lib/target.h"
#include "lib/volumes.h"

static void give(struct request *req, enum option_id option, bool given)
{
	if (given)
		req->given |= OPTION_BIT(option);
}

/* What the module gives back is an endpoint, too. */
static void set_address(struct endpoint *ep, const struct rblk_ioc_addr *addr)
{
	char text[ADDR_TEXT];

	addr_text(text, addr);
	endpoint_parse(text, ep);
}

static int load_portals(struct items *items, struct failure *fail)
{
	const struct rblkt_ioc_portal *portal;
	struct item *item;
	void *entries;
	unsigned int nr, i;

	if (target_get(RBLKT_IOC_PORTAL_LIST, sizeof(*portal), &entries, &nr, fail))
		return -1;
	for (i = 0; i < nr; i++) {
		portal = (const struct rblkt_ioc_portal *)entries + i;
		item = items_add(items, ITEM_PORTAL);
		item->addr = portal->addr;
		set_address(&item->req.target, &portal->addr);
	}
	free(entries);
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
	give(req, OPTION_ALLOW_ANY, show->export_flags & RBLKT_EXPORT_ALLOW_ANY);
	req->nr_allowed = show->nr_hosts < RBLK_MAX_HOSTS ? show->nr_hosts : RBLK_MAX_HOSTS;
	give(req, OPTION_ALLOW, req->nr_allowed);
}

static int load_exports(int fd, struct items *items, struct failure *fail)
{
	struct rblkt_ioc_export_show show;
	char after[RBLK_NAME_LEN] = "";
	struct item *item;

	for (;;) {
		item = items_add(items, ITEM_EXPORT);
		memset(&show, 0, sizeof(show));
		show.size = sizeof(show);
		show.flags = RBLKT_SHOW_NEXT;
		memcpy(show.name, after, sizeof(after));
		show.host_room = RBLK_MAX_HOSTS;
		show.hosts = (uintptr_t)item->req.allowed;
		if (control_call(fd, RBLKT_IOC_EXPORT_SHOW, &show, &show.error, fail))
			break;
		take_export(item, &show);
		memcpy(after, show.name, sizeof(after));
	}
	items->nr--;
	return fail->error == ENOENT ? 0 : -1;
}

static void take_asked(struct request *req, const struct rblk_ioc_asked *asked)
{
	req->queues = asked->queues;
	req->depth = asked->depth;
	req->inline_read = asked->inline_read;
	memcpy(req->host_uuid, asked->host, UUID_BYTES);
	text_copy(req->host_name, sizeof(req->host_name), asked->host_name,
		  strnlen(asked->host_name, sizeof(asked->host_name)));
	give(req, OPTION_INDEX, asked->flags & RBLK_ATTACH_INDEX);
	give(req, OPTION_HOST_UUID, asked->flags & RBLK_ATTACH_HOST_UUID);
	give(req, OPTION_HOST_NAME, asked->flags & RBLK_ATTACH_HOST_NAME);
	give(req, OPTION_QUEUES, req->queues);
	give(req, OPTION_DEPTH, req->depth);
	give(req, OPTION_INLINE_READ, req->inline_read);
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
	memcpy(item->uuid, volume->uuid, UUID_BYTES);
	item->queues = show->session.queues;
	item->depth = show->session.depth;
	item->inline_read = show->session.inline_read;
	text_clean(target, sizeof(target), volume->target_text, sizeof(volume->target_text));
	endpoint_parse(target, &req->target);
	text_copy(req->export, sizeof(req->export), volume->export,
		  strnlen(volume->export, sizeof(volume->export)));
	memcpy(req->uuid, volume->uuid, UUID_BYTES);
	req->index = volume->index;
	req->queue_timeout = volume->queue_timeout;
	give(req, OPTION_UUID, true);
	give(req, OPTION_QUEUE_TIMEOUT, true);
	give(req, OPTION_READ_ONLY, volume->access & RBLK_ATTACH_READ_ONLY);
	give(req, OPTION_SHARED, volume->access & RBLK_ATTACH_SHARED);
	take_asked(req, &show->asked);
}

static int load_volumes(int fd, struct items *items, struct failure *fail)
{
	struct rblk_ioc_show show;
	int at = 0, got;

	while ((got = volumes_next(fd, at, &show, fail)) > 0) {
		take_volume(items_add(items, ITEM_VOLUME), &show);
		at = show.volume.index == INT_MAX ? -1 : show.volume.index + 1;
	}
	return got;
}

/* Return: a node, -1 where its module is not loaded, -2 with @fail filled in. */
static int reach(enum side side, struct failure *fail)
{
	int fd = control_reach(side, fail);

	if (fd >= 0)
		return fd;
	return control_missing(fail) ? -1 : -2;
}

static int load_target(unsigned int kinds, struct config *to, struct failure *fail)
{
	struct items *portals = &to->list[ITEM_PORTAL], *exports = &to->list[ITEM_EXPORT];
	int fd = reach(SIDE_TARGET, fail), err = 0;

	if (fd < 0)
		return fd == -1 ? 0 : -1;
	if (kinds & ITEM_BIT(ITEM_PORTAL)) {
		portals->given = true;
		err = load_portals(portals, fail);
	}
	if (!err && (kinds & ITEM_BIT(ITEM_EXPORT))) {
		exports->given = true;
		err = load_exports(fd, exports, fail);
	}
	node_close(fd);
	return err;
}

static int load_initiator(struct config *to, struct failure *fail)
{
	int fd = reach(SIDE_INITIATOR, fail), err;

	if (fd < 0)
		return fd == -1 ? 0 : -1;
	to->list[ITEM_VOLUME].given = true;
	err = load_volumes(fd, &to->list[ITEM_VOLUME], fail);
	node_close(fd);
	return err;
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
int running_load(unsigned int kinds, struct config *to, struct failure *fail)
{
	memset(to, 0, sizeof(*to));
	if ((kinds & ITEMS_TARGET) && load_target(kinds, to, fail))
		return -1;
	if ((kinds & ITEMS_VOLUMES) && load_initiator(to, fail))
		return -1;
	return 0;
}
