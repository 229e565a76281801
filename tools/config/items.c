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
		return same_host(&a->req.target, &b->req.target) &&
		       !strcmp(a->req.export, b->req.export);
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
 * @to: such as 0.0.0.0:4421, data, 10.0.0.1/data
 * @kind: its kind
 * @item: the item
 */
void item_text(char to[ITEM_TEXT], enum item_kind kind, const struct item *item)
{
	char target[ENDPOINT_TEXT];

	endpoint_text(target, &item->req.target);
	if (kind == ITEM_PORTAL && item->addr.family)
		rblk_address_text(target, &item->addr);
	if (kind == ITEM_PORTAL)
		snprintf(to, ITEM_TEXT, "%s", target);
	else if (kind == ITEM_EXPORT)
		snprintf(to, ITEM_TEXT, "%s", item->req.export);
	else
		snprintf(to, ITEM_TEXT, "%s/%s", target, item->req.export);
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
