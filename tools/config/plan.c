// SPDX-License-Identifier: GPL-2.0-only
/* What has to change, and in which order: pure, so that it can be tested without a module. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/plan.h"
#include "system/alloc.h"
#include "system/change.h"
#include "lib/loop.h"

/* One more reason why an item is not what is wanted. */
__printf(2, 3)
static void differ(struct change *change, const char *format, ...)
{
	size_t used = strlen(change->detail), room = sizeof(change->detail) - used;
	va_list args;

	if (used && used + 2 < sizeof(change->detail)) {
		used += snprintf(change->detail + used, room, ", ");
		room = sizeof(change->detail) - used;
	}
	va_start(args, format);
	vsnprintf(change->detail + used, room, format, args);
	va_end(args);
}

static const char *access_of(const struct request *req)
{
	return access_text(request_has(req, OPTION_READ_ONLY), request_has(req, OPTION_SHARED));
}

static void compare_access(struct change *change, const struct request *old,
			   const struct request *new)
{
	if (strcmp(access_of(old), access_of(new)))
		differ(change, "access %s -> %s", access_of(old), access_of(new));
}

static void compare_identity(struct change *change, const struct request *old,
			     const struct request *new)
{
	char was[UUID_TEXT];

	if (request_has(new, OPTION_UUID) && memcmp(old->uuid, new->uuid, UUID_BYTES)) {
		uuid_text(was, old->uuid);
		differ(change, "uuid was %s", was);
	}
}

/* Of a file the path without links is known, of a device the one it was given. */
static bool same_backing(const struct request *a, const struct request *b)
{
	if (request_has(a, OPTION_BACKING_FILE) != request_has(b, OPTION_BACKING_FILE))
		return false;
	if (request_has(a, OPTION_BACKING_FILE))
		return loop_same(a->backing, b->backing);
	return !strcmp(a->backing, b->backing);
}

static void compare_export(struct change *change)
{
	const struct request *old = &change->old->req, *new = &change->new->req;

	if (!same_backing(old, new))
		differ(change, "%s was %s",
		       request_has(old, OPTION_BACKING_FILE) ? "file" : "device", old->backing);
	if (strcmp(old->cgroup, new->cgroup))
		differ(change, "cgroup %s -> %s", old->cgroup[0] ? old->cgroup : "none",
		       new->cgroup[0] ? new->cgroup : "none");
	compare_identity(change, old, new);
	if (change->detail[0])
		change->action = ACTION_REPLACE;
	if (strcmp(old->export, new->export))
		differ(change, "name was %s", old->export);
	compare_access(change, old, new);
	if (request_has(old, OPTION_REALTIME) != request_has(new, OPTION_REALTIME))
		differ(change, request_has(new, OPTION_REALTIME) ? "real-time I/O" :
								  "no real-time I/O");
	if (request_has(old, OPTION_INSECURE) != request_has(new, OPTION_INSECURE))
		differ(change, request_has(new, OPTION_INSECURE) ? "insecure" : "only with keys");
	if (!same_hosts(old, new))
		differ(change, "allowed hosts");
	if (change->detail[0] && change->action == ACTION_KEEP)
		change->action = ACTION_SET;
}

static const char *plural(unsigned int n)
{
	return n == 1 ? "" : "s";
}

/* There are no more of them than CPUs, so the session may have fewer than it asked for. */
static bool same_poll_queues(const struct item *old, const struct request *new)
{
	return new->poll_queues == old->poll_queues || new->poll_queues == old->req.poll_queues;
}

/* What a session was asked to be is not seen in what it was granted. */
static void note_session(struct change *change)
{
	const struct request *new = &change->new->req;
	const struct item *old = change->old;

	if (request_has(new, OPTION_QUEUES) && new->queues != old->queues)
		differ(change, "has %u queue%s", old->queues, plural(old->queues));
	if (request_has(new, OPTION_POLL_QUEUES) && !same_poll_queues(old, new))
		differ(change, "has %u poll queue%s", old->poll_queues,
		       plural(old->poll_queues));
	if (request_has(new, OPTION_DEPTH) && new->depth != old->depth)
		differ(change, "has depth %u", old->depth);
	if (request_has(new, OPTION_INLINE_READ) && new->inline_read != old->inline_read)
		differ(change, "has inline reads of %u bytes", old->inline_read);
}

static void compare_routes(struct change *change, const struct request *old,
			   const struct request *new)
{
	const struct endpoint *route[RBLK_MAX_ROUTES];
	char text[ENDPOINT_TEXT];
	unsigned int nr, i;

	nr = routes_lack(route, new, old);
	for (i = 0; i < nr; i++) {
		endpoint_text(text, route[i]);
		differ(change, "a route by %s", text);
	}
	nr = routes_lack(route, old, new);
	for (i = 0; i < nr; i++) {
		endpoint_text(text, route[i]);
		differ(change, "no route by %s", text);
	}
}

static bool has_target_key(const struct request *req, const __u8 key[KEY_BYTES])
{
	unsigned int i;

	for (i = 0; i < req->nr_target_keys; i++)
		if (!memcmp(req->target_key[i], key, KEY_BYTES))
			return true;
	return false;
}

/**
 * same_target_keys() - whether a volume's target may prove the same keys
 * @a: the volume
 * @b: the volume, too
 *
 * Return: whether they are the same, in any order.
 */
bool same_target_keys(const struct request *a, const struct request *b)
{
	unsigned int i;

	for (i = 0; i < a->nr_target_keys; i++)
		if (!has_target_key(b, a->target_key[i]))
			return false;
	return a->nr_target_keys == b->nr_target_keys;
}

/* A session is made with keys or without. */
static void compare_proof(struct change *change, const struct request *old,
			  const struct request *new)
{
	bool insecure = request_has(new, OPTION_INSECURE);

	if (request_has(old, OPTION_INSECURE) != insecure)
		differ(change, insecure ? "insecure" : "with keys");
}

/* A volume has digests from its first command to its last. */
static void compare_digest(struct change *change, const struct request *old,
			   const struct request *new)
{
	bool digest = request_has(new, OPTION_DIGEST);

	if (request_has(old, OPTION_DIGEST) != digest)
		differ(change, digest ? "with digests" : "without digests");
}

static void compare_volume(struct change *change)
{
	const struct request *old = &change->old->req, *new = &change->new->req;
	char was[SIZE_TEXT], becomes[SIZE_TEXT];

	compare_access(change, old, new);
	compare_identity(change, old, new);
	compare_proof(change, old, new);
	compare_digest(change, old, new);
	if (request_has(new, OPTION_INDEX) && new->index != old->index)
		differ(change, "is /dev/rblk%d", old->index);
	if (change->detail[0]) {
		change->action = ACTION_REPLACE;
		return;
	}
	if (!same_target_keys(old, new)) {
		differ(change, "the target's key");
		change->action = ACTION_SET;
	}
	if (!routes_same(old, new)) {
		compare_routes(change, old, new);
		change->action = ACTION_SET;
	}
	if (new->queue_timeout != old->queue_timeout) {
		timeout_text(was, old->queue_timeout);
		timeout_text(becomes, new->queue_timeout);
		differ(change, "queue timeout %s -> %s", was, becomes);
		change->action = ACTION_SET;
	}
	note_session(change);
}

static void plan_add(struct plan *plan, enum item_kind kind, struct item *old,
		     struct item *new)
{
	struct change *change;

	if (!(plan->nr & (plan->nr - 1)))
		plan->change = must_alloc(plan->change, plan->nr ? 2 * plan->nr : 1,
					  sizeof(*plan->change));
	change = &plan->change[plan->nr++];
	memset(change, 0, sizeof(*change));
	change->kind = kind;
	change->old = old;
	change->new = new;
	change->action = !old ? ACTION_ADD : !new ? ACTION_REMOVE : ACTION_KEEP;
	if (old && new && kind == ITEM_EXPORT)
		compare_export(change);
	if (old && new && kind == ITEM_VOLUME)
		compare_volume(change);
}

/* The export in @to that has another name there than in @from, and is the same. */
static struct item *renamed(const struct items *to, const struct items *from,
			    enum item_kind kind, const struct item *item)
{
	unsigned int i;

	for (i = 0; kind == ITEM_EXPORT && i < to->nr; i++)
		if (!memcmp(to->item[i].req.uuid, item->req.uuid, UUID_BYTES) &&
		    !items_find(from, kind, &to->item[i]))
			return &to->item[i];
	return NULL;
}

static struct item *counterpart(const struct items *to, const struct items *from,
				enum item_kind kind, const struct item *item)
{
	struct item *found = items_find(to, kind, item);

	return found ? found : renamed(to, from, kind, item);
}

/**
 * plan_make() - compare
 * @plan: the result, which points into the other two
 * @running: what is there
 * @wanted: what is to be; lists that it does not give are left alone, and so is the
 *          volume that root is on where its list lacks it
 */
void plan_make(struct plan *plan, const struct config *running, const struct config *wanted)
{
	const struct items *old, *new;
	enum item_kind kind;
	unsigned int i;

	memset(plan, 0, sizeof(*plan));
	for (kind = 0; kind < ITEM_KINDS; kind++) {
		old = &running->list[kind];
		new = &wanted->list[kind];
		if (!new->given)
			continue;
		/* Root is the initial RAM disk's affair, and never to be removed. */
		for (i = 0; i < old->nr; i++)
			if (!old->item[i].root && !counterpart(new, old, kind, &old->item[i]))
				plan_add(plan, kind, &old->item[i], NULL);
		for (i = 0; i < new->nr; i++)
			plan_add(plan, kind, counterpart(old, new, kind, &new->item[i]),
				 &new->item[i]);
	}
}

/**
 * plan_free() - free a plan
 * @plan: the plan
 */
void plan_free(struct plan *plan)
{
	free(plan->change);
	memset(plan, 0, sizeof(*plan));
}

/**
 * plan_empty() - whether all is as it is wanted
 * @plan: the plan
 *
 * Return: whether it is.
 */
bool plan_empty(const struct plan *plan)
{
	unsigned int i;

	for (i = 0; i < plan->nr; i++)
		if (plan->change[i].action != ACTION_KEEP)
			return false;
	return true;
}

/**
 * change_item() - what a change is about
 * @change: the change
 *
 * Return: the item as it is wanted, or as it was.
 */
const struct item *change_item(const struct change *change)
{
	return change->new ? change->new : change->old;
}

/**
 * plan_next() - the next change at a step
 * @plan: all changes
 * @pass: which step: removals, then all else, by kind; 2 * ITEM_KINDS of them
 * @at: where to look on, 0 at first
 *
 * What goes, goes before what comes, as that may want the same device, name or
 * number; what is used goes before what uses it comes, and the other way round.
 *
 * Return: the change, or NULL after the last.
 */
struct change *plan_next(struct plan *plan, unsigned int pass, unsigned int *at)
{
	static const enum item_kind order[] = { ITEM_VOLUME, ITEM_EXPORT, ITEM_PORTAL };
	bool removal = pass < ITEM_KINDS;
	enum item_kind kind = removal ? order[pass] : pass - ITEM_KINDS;
	struct change *change;

	while (*at < plan->nr) {
		change = &plan->change[(*at)++];
		if (change->kind != kind || change->action == ACTION_KEEP)
			continue;
		if (change->action == (removal ? ACTION_REMOVE : ACTION_ADD) ||
		    change->action == ACTION_REPLACE ||
		    (change->action == ACTION_SET && !removal))
			return change;
	}
	return NULL;
}
