/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How people write targets, portals and devices. Pure: no look-up of names,
 * no system call, so that it can be fuzzed.
 *
 * Parsers return NULL, or a sentence that says what is wrong.
 */
#ifndef LIBRBLK_ADDRESS_H
#define LIBRBLK_ADDRESS_H

#include "rblk_ioctl.h"
#include "lib/text.h"

/* "[HOST]:65535" must fit into RBLK_PATH_LEN. */
#define HOST_ROOM	(RBLK_PATH_LEN - 8)
#define ENDPOINT_TEXT	RBLK_PATH_LEN
#define LINK_TEXT	(sizeof("/dev/rblk//") + RBLK_PATH_LEN + RBLK_NAME_LEN)

/**
 * struct endpoint - an address and port, before any look-up
 * @host: as written, without brackets
 * @port: host byte order
 * @family: AF_INET or AF_INET6 for an address, AF_UNSPEC for a name
 */
struct endpoint {
	char host[HOST_ROOM];
	__u16 port;
	int family;
};

enum selector_kind {
	SELECT_INDEX,	/* rblk0, /dev/rblk0 */
	SELECT_UUID,	/* UUID, /dev/disk/by-id/rblk-UUID */
	SELECT_BOTH,	/* TARGET/EXPORT, /dev/rblk/TARGET/EXPORT */
	SELECT_EXPORT,	/* EXPORT */
	SELECT_PATH,	/* any other absolute path */
};

/**
 * struct selector - which volume is meant
 * @kind: which of the others are set
 * @text: as written
 * @index: with SELECT_INDEX
 * @uuid: with SELECT_UUID
 * @target: with SELECT_BOTH
 * @other: with SELECT_BOTH: more addresses of the target
 * @nr_other: how many
 * @export: with SELECT_BOTH and SELECT_EXPORT
 */
struct selector {
	enum selector_kind kind;
	char text[RBLK_PATH_LEN];
	int index;
	__u8 uuid[UUID_BYTES];
	struct endpoint target;
	struct endpoint other[RBLK_MAX_ROUTES - 1];
	unsigned int nr_other;
	char export[RBLK_NAME_LEN];
};

const char *endpoint_parse(const char *text, struct endpoint *ep);
const char *endpoint_parse_export(const char *text, struct endpoint *ep,
				  char export[RBLK_NAME_LEN]);
const char *endpoint_parse_routes(const char *text, struct endpoint *first,
				  struct endpoint other[RBLK_MAX_ROUTES - 1], unsigned int *nr,
				  char export[RBLK_NAME_LEN]);
const char *endpoint_parse_portal(const char *text, struct endpoint *ep);
const char *endpoint_parse_source(const char *text, struct endpoint *ep);
const char *endpoint_parse_sources(const char *text, struct endpoint *first,
				   struct endpoint other[RBLK_MAX_ROUTES - 1], unsigned int *nr);
void endpoint_text(char to[ENDPOINT_TEXT], const struct endpoint *ep);
void link_text(char to[LINK_TEXT], const char *target, const char *export);
void volume_link(char to[LINK_TEXT], const struct rblk_ioc_volume *volume);
bool endpoint_equal(const struct endpoint *a, const struct endpoint *b);
const char *export_name_parse(const char *text, char name[RBLK_NAME_LEN]);
const char *selector_parse(const char *text, struct selector *sel);

#endif /* LIBRBLK_ADDRESS_H */
