// SPDX-License-Identifier: GPL-2.0-only
/*
 * An address, export, portal, source or device as people write them. What is
 * accepted means the same when it is written out and read again.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "lib/address.h"

#define MUST(condition)			\
	do {				\
		if (!(condition))	\
			abort();	\
	} while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_endpoint(const struct endpoint *ep, const char *wrong, bool port)
{
	char text[ENDPOINT_TEXT];
	struct endpoint again;

	if (wrong) {
		MUST(*wrong);
		return;
	}
	MUST(ep->host[0] && memchr(ep->host, '\0', sizeof(ep->host)));
	MUST(!strchr(ep->host, '/'));
	MUST(!port == !ep->port);
	endpoint_text(text, ep);
	MUST(!endpoint_parse(text, &again));
	MUST(!strcmp(again.host, ep->host) && again.family == ep->family);
	MUST(!port || again.port == ep->port);
}

static void check_export(const char *text)
{
	char export[RBLK_NAME_LEN], both[RBLK_PATH_LEN + RBLK_NAME_LEN + 1];
	char export2[RBLK_NAME_LEN];
	struct endpoint ep, again;
	const char *wrong = endpoint_parse_export(text, &ep, export);

	check_endpoint(&ep, wrong, true);
	if (wrong)
		return;
	endpoint_text(both, &ep);
	strcat(both, "/");
	strcat(both, export);
	MUST(!endpoint_parse_export(both, &again, export2));
	MUST(endpoint_equal(&ep, &again) && !strcmp(export, export2));
}

/* The targets of a volume, first of all @first, as they are written. */
static void list_text(char *to, const struct endpoint *first, const struct endpoint *other,
		      unsigned int nr)
{
	char one[ENDPOINT_TEXT];
	unsigned int i;

	endpoint_text(to, first);
	for (i = 0; i < nr; i++) {
		endpoint_text(one, &other[i]);
		strcat(to, ",");
		strcat(to, one);
	}
}

static void check_routes(const char *text)
{
	struct endpoint first, other[RBLK_MAX_ROUTES - 1], again, more[RBLK_MAX_ROUTES - 1];
	char list[RBLK_MAX_ROUTES * ENDPOINT_TEXT + RBLK_NAME_LEN];
	char export[RBLK_NAME_LEN], export2[RBLK_NAME_LEN];
	unsigned int nr, nr2, i;

	if (endpoint_parse_routes(text, &first, other, &nr, export))
		return;
	MUST(nr < RBLK_MAX_ROUTES);
	check_endpoint(&first, NULL, true);
	for (i = 0; i < nr; i++)
		check_endpoint(&other[i], NULL, true);
	list_text(list, &first, other, nr);
	strcat(list, "/");
	strcat(list, export);
	MUST(!endpoint_parse_routes(list, &again, more, &nr2, export2));
	MUST(nr == nr2 && endpoint_equal(&first, &again) && !strcmp(export, export2));
	for (i = 0; i < nr; i++)
		MUST(endpoint_equal(&other[i], &more[i]));
}

static void check_sources(const char *text)
{
	struct endpoint first, other[RBLK_MAX_ROUTES - 1], again, more[RBLK_MAX_ROUTES - 1];
	char list[RBLK_MAX_ROUTES * ENDPOINT_TEXT];
	unsigned int nr, nr2, i;

	if (endpoint_parse_sources(text, &first, other, &nr))
		return;
	MUST(nr < RBLK_MAX_ROUTES && (nr || first.host[0]));
	list_text(list, &first, other, nr);
	MUST(!endpoint_parse_sources(list, &again, more, &nr2));
	MUST(nr == nr2 && endpoint_equal(&first, &again));
	for (i = 0; i < nr; i++)
		MUST(endpoint_equal(&other[i], &more[i]) && !other[i].port);
}

static void check_selector(const char *text)
{
	struct selector sel;

	memset(&sel, 0, sizeof(sel));
	if (selector_parse(text, &sel))
		return;
	MUST(!strcmp(sel.text, text));
	switch (sel.kind) {
	case SELECT_INDEX:
		MUST(sel.index >= 0);
		break;
	case SELECT_BOTH:
		check_endpoint(&sel.target, NULL, true);
		/* fall through */
	case SELECT_EXPORT:
		MUST(sel.export[0]);
		break;
	case SELECT_PATH:
		MUST(text[0] == '/');
		break;
	case SELECT_UUID:
		break;
	}
}

static void check_clean(const char *text, size_t size)
{
	char clean[64], again[64];

	text_clean(clean, sizeof(clean), text, size);
	text_clean(again, sizeof(again), clean, sizeof(clean));
	MUST(!strcmp(clean, again));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct endpoint ep;
	char *text;

	text = malloc(size + 1);
	MUST(text);
	memcpy(text, data, size);
	text[size] = '\0';
	memset(&ep, 0, sizeof(ep));
	check_endpoint(&ep, endpoint_parse(text, &ep), true);
	check_endpoint(&ep, endpoint_parse_portal(text, &ep), true);
	check_endpoint(&ep, endpoint_parse_source(text, &ep), false);
	check_export(text);
	check_routes(text);
	check_sources(text);
	check_selector(text);
	check_clean((const char *)data, size);
	free(text);
	return 0;
}
