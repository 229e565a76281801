// SPDX-License-Identifier: GPL-2.0-only
/* Items of the configuration: which is which, and what it is called. */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "system/alloc.h"
#include "lib/resolve.h"

static const enum verb_id verb_of[ITEM_KINDS] = {
	[ITEM_PORTAL] = VERB_PORTAL_ADD,
	[ITEM_EXPORT] = VERB_EXPORT_ADD,
	[ITEM_VOLUME] = VERB_ATTACH,
};

/**
 * kind_text() - what an item is
 * @kind: its kind
 *
 * Return: a word.
 */
const char *kind_text(enum item_kind kind)
{
	static const char * const text[ITEM_KINDS] = {
		[ITEM_PORTAL] = "portal",
		[ITEM_EXPORT] = "export",
		[ITEM_VOLUME] = "volume",
	};

	return text[kind];
}

/**
 * items_add() - one more item
 * @items: the list
 * @kind: its kind
 *
 * Return: the item, which says nothing yet; valid until the next is added.
 */
struct item *items_add(struct items *items, enum item_kind kind)
{
	struct item *item;

	/* In powers of two. */
	if (!(items->nr & (items->nr - 1)))
		items->item = must_alloc(items->item, items->nr ? 2 * items->nr : 1,
					 sizeof(*items->item));
	item = &items->item[items->nr++];
	memset(item, 0, sizeof(*item));
	item->req.verb = verb_of[kind];
	item->req.queue_timeout = RBLK_QUEUE_TIMEOUT_DEFAULT;
	item->req.index = -1;
	item->index = -1;
	return item;
}

/* IPv6 addresses can be written in many ways. */
static bool same_host(const struct endpoint *a, const struct endpoint *b)
{
	unsigned char addr_a[16], addr_b[16];

	if (endpoint_equal(a, b))
		return true;
	return a->port == b->port && a->family == AF_INET6 && b->family == AF_INET6 &&
	       inet_pton(AF_INET6, a->host, addr_a) == 1 &&
	       inet_pton(AF_INET6, b->host, addr_b) == 1 &&
	       !memcmp(addr_a, addr_b, sizeof(addr_a));
}

static bool has_route(const struct request *req, const struct endpoint *target)
{
	unsigned int i;

	if (same_host(&req->target, target))
		return true;
	for (i = 0; i < req->nr_other; i++)
		if (same_host(&req->other[i], target))
			return true;
	return false;
}

/* Two volumes with a route in common have the same target. */
static bool same_target(const struct request *a, const struct request *b)
{
	unsigned int i;

	if (has_route(b, &a->target))
		return true;
	for (i = 0; i < a->nr_other; i++)
		if (has_route(b, &a->other[i]))
			return true;
	return false;
}

static bool has_routes_of(const struct request *a, const struct request *b)
{
	unsigned int i;

	if (!has_route(a, &b->target))
		return false;
	for (i = 0; i < b->nr_other; i++)
		if (!has_route(a, &b->other[i]))
			return false;
	return true;
}

/**
 * routes_same() - whether two volumes have the same routes
 * @a: one
 * @b: the other
 *
 * Return: whether they have, in any order.
 */
bool routes_same(const struct request *a, const struct request *b)
{
	return has_routes_of(a, b) && has_routes_of(b, a);
}

/**
 * routes_lack() - the routes that one volume has and another has not
 * @to: which ones
 * @has: the one
 * @lacks: the other
 *
 * Return: how many.
 */
unsigned int routes_lack(const struct endpoint *to[RBLK_MAX_ROUTES], const struct request *has,
			 const struct request *lacks)
{
	unsigned int nr = 0, i;

	if (!has_route(lacks, &has->target))
		to[nr++] = &has->target;
	for (i = 0; i < has->nr_other; i++)
		if (!has_route(lacks, &has->other[i]))
			to[nr++] = &has->other[i];
	return nr;
}

/**
 * route_source() - where a route of a volume begins
 * @req: the volume
 * @target: one of its targets
 *
 * Return: the local address, with an empty host if it has none.
 */
const struct endpoint *route_source(const struct request *req, const struct endpoint *target)
{
	return target == &req->target ? &req->source : &req->other_source[target - req->other];
}

static struct endpoint *nth_target(struct request *req, unsigned int n)
{
	return n ? &req->other[n - 1] : &req->target;
}

static struct endpoint *nth_source(struct request *req, unsigned int n)
{
	return n ? &req->other_source[n - 1] : &req->source;
}

static void endpoint_swap(struct endpoint *a, struct endpoint *b)
{
	struct endpoint old = *a;

	*a = *b;
	*b = old;
}

/**
 * routes_order() - put the routes of a volume in another one's order, and spelling
 * @req: the volume
 * @like: the other; routes that it lacks come last
 */
void routes_order(struct request *req, const struct request *like)
{
	unsigned int at = 0, i, j;
	const struct endpoint *to;

	for (i = 0; i <= like->nr_other; i++) {
		to = i ? &like->other[i - 1] : &like->target;
		for (j = at; j <= req->nr_other; j++)
			if (same_host(nth_target(req, j), to))
				break;
		if (j > req->nr_other)
			continue;
		if (j != at) {
			endpoint_swap(nth_target(req, at), nth_target(req, j));
			endpoint_swap(nth_source(req, at), nth_source(req, j));
		}
		*nth_target(req, at++) = *to;
	}
}

/**
 * item_same() - whether two items are one, whatever else is said of them
 * @kind: their kind
 * @a: one
 * @b: the other
 *
 * Return: whether they are.
 */
bool item_same(enum item_kind kind, const struct item *a, const struct item *b)
{
	switch (kind) {
	case ITEM_PORTAL:
		if (!a->addr.family || !b->addr.family)
			return same_host(&a->req.target, &b->req.target);
		return !memcmp(&a->addr, &b->addr, sizeof(a->addr));
	case ITEM_EXPORT:
		return !strcmp(a->req.export, b->req.export);
	default:
		return !strcmp(a->req.export, b->req.export) && same_target(&a->req, &b->req);
	}
}

/**
 * items_find() - an item in a list
 * @items: the list
 * @kind: their kind
 * @like: the item
 *
 * Return: the one that is the same, or NULL.
 */
struct item *items_find(const struct items *items, enum item_kind kind,
			const struct item *like)
{
	unsigned int i;

	for (i = 0; i < items->nr; i++)
		if (item_same(kind, &items->item[i], like))
			return &items->item[i];
	return NULL;
}

/**
 * item_text() - what an item is called
 * @to: such as 0.0.0.0:4421, data, 10.0.0.1/data, 10.0.0.1,10.1.0.1/data
 * @kind: its kind
 * @item: the item
 */
void item_text(char to[ITEM_TEXT], enum item_kind kind, const struct item *item)
{
	char target[ENDPOINT_TEXT];
	unsigned int i;
	int at;

	endpoint_text(target, &item->req.target);
	if (kind == ITEM_PORTAL && item->addr.family)
		rblk_address_text(target, &item->addr);
	if (kind == ITEM_PORTAL)
		snprintf(to, ITEM_TEXT, "%s", target);
	else if (kind == ITEM_EXPORT)
		snprintf(to, ITEM_TEXT, "%s", item->req.export);
	if (kind != ITEM_VOLUME)
		return;
	at = snprintf(to, ITEM_TEXT, "%s", target);
	for (i = 0; i < item->req.nr_other; i++) {
		endpoint_text(target, &item->req.other[i]);
		at += snprintf(to + at, ITEM_TEXT - at, ",%s", target);
	}
	snprintf(to + at, ITEM_TEXT - at, "/%s", item->req.export);
}

/**
 * conf_free() - free what a configuration holds
 * @config: the configuration
 */
void conf_free(struct config *config)
{
	unsigned int kind;

	for (kind = 0; kind < ITEM_KINDS; kind++)
		free(config->list[kind].item);
	free(config->hosts);
	memset(config, 0, sizeof(*config));
}
