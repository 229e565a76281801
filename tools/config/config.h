/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The configuration, and the running state in the same form. An item is the
 * request that would make it, so that its words, its limits and what runs it
 * are those of the command line.
 */
#ifndef RBLKCTL_CONFIG_H
#define RBLKCTL_CONFIG_H

#include <stdio.h>

#include "lib/failure.h"
#include "request/request.h"

/**
 * struct item - a portal, an export or a volume
 * @req: "portal add", "export add" or "attach"
 * @line: where it stands in the configuration
 * @addr: a portal's address
 * @index: N of a running volume's /dev/rblkN, else -1
 * @uuid: of a running volume
 * @queues: of a running volume's session
 * @poll_queues: likewise
 * @depth: likewise
 * @inline_read: likewise
 * @capacity: bytes of a running export
 * @users: hosts that have a running export attached
 * @root: a running volume has this machine's root file system on it
 */
struct item {
	struct request req;
	unsigned int line;
	struct rblk_ioc_addr addr;
	int index;
	__u8 uuid[UUID_BYTES];
	unsigned int queues;
	unsigned int poll_queues;
	unsigned int depth;
	unsigned int inline_read;
	__u64 capacity;
	unsigned int users;
	bool root;
};

/**
 * struct items - the items of one kind
 * @given: false where nothing is said about that kind, which then is left alone
 * @nr: entries of @item
 * @item: the items
 */
struct items {
	bool given;
	unsigned int nr;
	struct item *item;
};

/**
 * struct config_host - a host that exports may name
 * @name: as in "allow"
 * @host: what it stands for
 */
struct config_host {
	char name[RBLK_NAME_LEN];
	struct rblk_ioc_host host;
};

/**
 * struct config - portals, exports and volumes
 * @list: by kind
 * @hosts: names for keys and UUIDs
 * @nr_hosts: entries of @hosts
 * @include: the first file that is included, or empty
 * @include_line: where
 */
struct config {
	struct items list[ITEM_KINDS];
	struct config_host *hosts;
	unsigned int nr_hosts;
	char include[RBLK_PATH_LEN];
	unsigned int include_line;
};

#define ITEM_TEXT	(RBLK_MAX_ROUTES * ENDPOINT_TEXT + RBLK_NAME_LEN)

int conf_load(const char *path, struct config *to, struct rblk_failure *fail);
void conf_free(struct config *config);
int conf_read(FILE *file, const char *path, struct config *to, struct rblk_failure *fail);

int running_lock(unsigned int seconds, struct rblk_failure *fail);
int running_share(struct rblk_failure *fail);
int running_load(unsigned int kinds, struct config *to, struct rblk_failure *fail);

struct item *items_add(struct items *items, enum item_kind kind);
struct item *items_find(const struct items *items, enum item_kind kind,
			const struct item *like);
bool item_same(enum item_kind kind, const struct item *a, const struct item *b);
bool routes_same(const struct request *a, const struct request *b);
const struct endpoint *route_source(const struct request *req, const struct endpoint *target);
void routes_order(struct request *req, const struct request *like);
unsigned int routes_lack(const struct endpoint *to[RBLK_MAX_ROUTES], const struct request *has,
			 const struct request *lacks);
void item_text(char to[ITEM_TEXT], enum item_kind kind, const struct item *item);
const char *kind_text(enum item_kind kind);

#endif /* RBLKCTL_CONFIG_H */
