// SPDX-License-Identifier: GPL-2.0-only
/* One change, and the way back. */
#include <stdio.h>
#include <string.h>

#include "config/plan.h"
#include "system/change.h"

/**
 * item_add() - make what an item says
 * @kind: its kind
 * @item: the item; a volume's index is filled in
 * @fail: why it failed
 *
 * Return: 0, or -1 with @fail filled in.
 */
int item_add(enum item_kind kind, struct item *item, struct rblk_failure *fail)
{
	struct rblkt_ioc_export_add add;
	struct rblk_ioc_attach attach;

	switch (kind) {
	case ITEM_PORTAL:
		return portal_add(&item->req, &item->addr, fail);
	case ITEM_EXPORT:
		return export_add(&item->req, &add, fail);
	default:
		if (volume_attach(&item->req, &attach, fail))
			return -1;
		item->index = attach.index;
		memcpy(item->uuid, attach.uuid, UUID_BYTES);
		return 0;
	}
}

static int item_remove(enum item_kind kind, const struct item *item, struct rblk_failure *fail)
{
	bool force = request_has(&item->req, OPTION_FORCE);
	struct rblk_ioc_addr addr;

	switch (kind) {
	case ITEM_PORTAL:
		return portal_remove(&item->req, &addr, fail);
	case ITEM_EXPORT:
		return rblkt_export_remove(rblk, item->req.export, force, fail);
	default:
		return rblk_detach(rblk, item->index, item->uuid, force, fail);
	}
}

static int ended(struct change *change, int err)
{
	change->outcome = err ? OUTCOME_FAILED : OUTCOME_DONE;
	return err;
}

/**
 * change_remove() - remove what is there
 * @change: with ACTION_REMOVE or ACTION_REPLACE
 *
 * Return: 0, or -1 with its failure filled in.
 */
int change_remove(struct change *change)
{
	int err = item_remove(change->kind, change->old, &change->fail);

	change->removed = !err;
	if (!err && change->action == ACTION_REPLACE)
		return 0;
	return ended(change, err);
}

/**
 * change_add() - add what is wanted
 * @change: with ACTION_ADD or ACTION_REPLACE
 *
 * Return: 0, or -1 with its failure filled in.
 */
int change_add(struct change *change)
{
	int err = item_add(change->kind, change->new, &change->fail);

	change->tried = true;
	change->added = !err;
	return ended(change, err);
}

/* New ones first, as the last route can't be removed. */
static int set_routes(const struct item *running, const struct item *from,
		      const struct item *to, struct rblk_failure *fail)
{
	const struct endpoint *route[RBLK_MAX_ROUTES];
	struct rblk_ioc_route_change change;
	char target[ENDPOINT_TEXT], source[ENDPOINT_TEXT];
	struct rblk_volume_spec spec = { .target = target };
	unsigned int nr, i;

	nr = routes_lack(route, &to->req, &from->req);
	for (i = 0; i < nr; i++) {
		endpoint_text(target, route[i]);
		endpoint_text(source, route_source(&to->req, route[i]));
		spec.source = source[0] ? source : NULL;
		if (rblk_route_add(rblk, running->index, running->uuid, &spec, ROUTE_WAIT_MS,
				   &change, fail))
			return -1;
	}
	nr = routes_lack(route, &from->req, &to->req);
	for (i = 0; i < nr; i++) {
		endpoint_text(target, route[i]);
		endpoint_text(source, route_source(&from->req, route[i]));
		if (rblk_route_remove(rblk, running->index, running->uuid, target,
				      source[0] ? source : NULL, fail))
			return -1;
	}
	return 0;
}

/* @running: what is there, of which a volume's number and UUID stay */
static int item_set(const struct item *running, enum item_kind kind, const struct item *from,
		    const struct item *to, struct rblk_failure *fail)
{
	if (kind == ITEM_EXPORT)
		return export_set(&from->req, &to->req, fail);
	/* Before the routes, as a new one takes the keys of the others. */
	if (!same_target_keys(&from->req, &to->req) &&
	    rblk_set_target_keys(rblk, running->index, running->uuid, to->req.target_key, fail))
		return -1;
	if (rblk_set_queue_timeout(rblk, running->index, running->uuid, to->req.queue_timeout,
				   fail))
		return -1;
	return set_routes(running, from, to, fail);
}

/**
 * change_set() - change what can be changed in use
 * @change: with ACTION_SET
 *
 * Return: 0, or -1 with its failure filled in.
 */
int change_set(struct change *change)
{
	return ended(change, item_set(change->old, change->kind, change->old, change->new,
				      &change->fail));
}

/* Back over one step, which has been taken. */
static int undo(struct change *change, bool removal, struct rblk_failure *fail)
{
	if (removal)
		return item_add(change->kind, change->old, fail);
	if (change->action == ACTION_SET)
		return item_set(change->old, change->kind, change->new, change->old, fail);
	return item_remove(change->kind, change->new, fail);
}

/* Why it failed in the first place is not forgotten over why it got stuck. */
static void note_stuck(struct change *change, const struct rblk_failure *fail)
{
	size_t used = strlen(change->fail.text);

	if (change->outcome == OUTCOME_FAILED)
		snprintf(change->fail.text + used, sizeof(change->fail.text) - used,
			 "; to put it back: %s", fail->text);
	else
		change->fail = *fail;
	change->outcome = OUTCOME_STUCK;
}

/**
 * change_undo() - take back one step
 * @change: the change
 * @removal: whether the step was change_remove(), or change_add() or _set()
 *
 * Sets its outcome; a failure that made the undoing necessary stays.
 */
void change_undo(struct change *change, bool removal)
{
	struct rblk_failure fail;

	if (undo(change, removal, &fail)) {
		note_stuck(change, &fail);
		return;
	}
	if (removal)
		change->removed = false;
	else
		change->added = false;
	if (change->outcome == OUTCOME_NONE || change->outcome == OUTCOME_DONE)
		change->outcome = OUTCOME_UNDONE;
}
