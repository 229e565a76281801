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
	check_selector(text);
	check_clean((const char *)data, size);
	free(text);
	return 0;
}
