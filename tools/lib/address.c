// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "rblk_wire.h"
#include "lib/address.h"

static bool is_alnum(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z');
}

/* The family of an address, with or without %zone; AF_UNSPEC for a name. */
static int host_family(const char *host)
{
	const char *zone = strchr(host, '%');
	char plain[INET6_ADDRSTRLEN];
	struct in6_addr addr;

	if (!text_copy(plain, sizeof(plain), host,
		       zone ? (size_t)(zone - host) : strlen(host)))
		return AF_UNSPEC;
	if (!zone && inet_pton(AF_INET, plain, &addr) == 1)
		return AF_INET;
	if (inet_pton(AF_INET6, plain, &addr) == 1 && (!zone || zone[1]))
		return AF_INET6;
	return AF_UNSPEC;
}

static const char *host_name_check(const char *host)
{
	const char *p;
	bool letters = false;

	for (p = host; *p; p++) {
		if (!is_alnum(*p) && !strchr("-._", *p))
			return "the host is neither an IP address nor a host name";
		letters = letters || (*p != '.' && (*p < '0' || *p > '9'));
	}
	if (host[0] == '-' || host[0] == '.')
		return "a host name starts with a letter or digit";
	/* The resolver would take "10.1" for 10.0.0.1. */
	if (!letters)
		return "the host is not a complete IPv4 address";
	return NULL;
}

/* What may follow '%': an interface's name or number. */
static const char *zone_check(const char *host)
{
	const char *zone = strchr(host, '%');

	for (; zone && *zone; zone++)
		if (*zone == '/' || *zone <= ' ' || *zone > '~')
			return "what follows % is not an interface name";
	return NULL;
}

static const char *port_parse(const char *text, __u16 *port)
{
	long long n;

	if (!text_number(text, 1, 65535, &n))
		return "the port is not a number from 1 to 65535";
	*port = n;
	return NULL;
}

/* Find the end of the host in @text, and its port if there is one. */
static const char *host_split(const char *text, const char **host, size_t *len,
			      const char **port)
{
	const char *end;

	*host = text;
	*port = NULL;
	if (text[0] == '[') {
		end = strchr(text, ']');
		if (!end)
			return "an IPv6 address's bracket is not closed";
		if (end[1] && end[1] != ':')
			return "only :PORT may follow an IPv6 address's bracket";
		*host = text + 1;
		*len = end - text - 1;
		if (end[1])
			*port = end + 2;
		return NULL;
	}
	end = strchr(text, ':');
	if (end && !strchr(end + 1, ':')) {
		*len = end - text;
		*port = end + 1;
	} else {
		*len = strlen(text);	/* none, or an IPv6 address */
	}
	return NULL;
}

/**
 * endpoint_parse() - parse HOST[:PORT], IPv6 in brackets where a port follows
 * @text: what the user wrote
 * @ep: the result
 *
 * Return: NULL, or what is wrong.
 */
const char *endpoint_parse(const char *text, struct endpoint *ep)
{
	const char *host, *port, *wrong;
	size_t len;

	wrong = host_split(text, &host, &len, &port);
	if (wrong)
		return wrong;
	if (!len)
		return "the host is missing";
	if (!text_copy(ep->host, sizeof(ep->host), host, len))
		return "the host is too long";
	ep->port = RBLK_DEFAULT_PORT;
	ep->family = host_family(ep->host);
	if (text[0] == '[' && ep->family != AF_INET6)
		return "what is in brackets is not an IPv6 address";
	if (ep->family == AF_UNSPEC)
		wrong = strchr(ep->host, ':') ? "the host is not an IPv6 address" :
						host_name_check(ep->host);
	else
		wrong = zone_check(ep->host);
	if (wrong)
		return wrong;
	return port ? port_parse(port, &ep->port) : NULL;
}

/**
 * endpoint_parse_export() - parse TARGET[:PORT]/EXPORT
 * @text: what the user wrote
 * @ep: the target
 * @export: the export's name
 *
 * Return: NULL, or what is wrong.
 */
const char *endpoint_parse_export(const char *text, struct endpoint *ep,
				  char export[RBLK_NAME_LEN])
{
	const char *slash = strchr(text, '/');
	char target[RBLK_PATH_LEN];
	const char *wrong;

	if (!slash)
		return "the form is TARGET[:PORT]/EXPORT";
	if (!text_copy(target, sizeof(target), text, slash - text))
		return "the target is too long";
	wrong = endpoint_parse(target, ep);
	return wrong ? wrong : export_name_parse(slash + 1, export);
}

/* The addresses behind the first comma, up to @end. */
static const char *parse_others(const char *text, const char *end,
				struct endpoint other[RBLK_MAX_ROUTES - 1], unsigned int *nr)
{
	const char *comma, *wrong = NULL;
	char one[RBLK_PATH_LEN];

	for (*nr = 0; !wrong; text = comma + 1) {
		comma = memchr(text, ',', end - text);
		if (!comma)
			comma = end;
		if (*nr == RBLK_MAX_ROUTES - 1)
			return "there can be at most 8 addresses";
		if (!text_copy(one, sizeof(one), text, comma - text))
			return "the target is too long";
		wrong = endpoint_parse(one, &other[(*nr)++]);
		if (comma == end)
			break;
	}
	return wrong;
}

/**
 * endpoint_parse_routes() - parse TARGET[:PORT][,TARGET[:PORT]...]/EXPORT
 * @text: what the user wrote
 * @first: the first target
 * @other: the others, more addresses of it
 * @nr: how many of them
 * @export: the export's name
 *
 * Return: NULL, or what is wrong.
 */
const char *endpoint_parse_routes(const char *text, struct endpoint *first,
				  struct endpoint other[RBLK_MAX_ROUTES - 1], unsigned int *nr,
				  char export[RBLK_NAME_LEN])
{
	const char *slash = strchr(text, '/');
	const char *comma = slash ? memchr(text, ',', slash - text) : NULL;
	char one[RBLK_PATH_LEN + RBLK_NAME_LEN];
	const char *wrong;

	*nr = 0;
	if (!comma)
		return endpoint_parse_export(text, first, export);
	if (snprintf(one, sizeof(one), "%.*s%s", (int)(comma - text), text, slash) >=
	    (int)sizeof(one))
		return "the target is too long";
	wrong = endpoint_parse_export(one, first, export);
	return wrong ? wrong : parse_others(comma + 1, slash, other, nr);
}

/**
 * endpoint_parse_portal() - parse a portal: an address, or * or any
 * @text: what the user wrote
 * @ep: the result; * and any become 0.0.0.0
 *
 * Return: NULL, or what is wrong.
 */
const char *endpoint_parse_portal(const char *text, struct endpoint *ep)
{
	char address[RBLK_PATH_LEN];
	size_t any = 0;

	if (text[0] == '*')
		any = 1;
	else if (!strncmp(text, "any", 3))
		any = 3;
	if (!any || (text[any] && text[any] != ':'))
		return endpoint_parse(text, ep);
	if (strlen(text) > 16)
		return "the port is not a number from 1 to 65535";
	snprintf(address, sizeof(address), "0.0.0.0%s", text + any);
	return endpoint_parse(address, ep);
}

/**
 * endpoint_parse_source() - parse a local address, which has no port
 * @text: what the user wrote
 * @ep: the result, with port 0
 *
 * Return: NULL, or what is wrong.
 */
const char *endpoint_parse_source(const char *text, struct endpoint *ep)
{
	const char *host, *port, *wrong;
	size_t len;

	wrong = host_split(text, &host, &len, &port);
	if (!wrong && port)
		return "a source address has no port";
	wrong = endpoint_parse(text, ep);
	if (!wrong && ep->family == AF_UNSPEC)
		return "the source is not an IP address";
	ep->port = 0;
	return wrong;
}

/* Nothing between two commas is no address. */
static const char *parse_source_at(const char *text, size_t len, struct endpoint *ep)
{
	char one[RBLK_PATH_LEN];

	memset(ep, 0, sizeof(*ep));
	if (!len)
		return NULL;
	if (!text_copy(one, sizeof(one), text, len))
		return "the source is too long";
	return endpoint_parse_source(one, ep);
}

/**
 * endpoint_parse_sources() - parse ADDRESS[,ADDRESS...], local addresses for routes
 * @text: what the user wrote; an address may be missing if there is a comma
 * @first: that of the first route, with an empty host if it is missing
 * @other: those of the others, likewise
 * @nr: how many of them
 *
 * Return: NULL, or what is wrong.
 */
const char *endpoint_parse_sources(const char *text, struct endpoint *first,
				   struct endpoint other[RBLK_MAX_ROUTES - 1], unsigned int *nr)
{
	const char *wrong;
	size_t len;

	*nr = 0;
	if (!strchr(text, ','))
		return endpoint_parse_source(text, first);
	len = strcspn(text, ",");
	wrong = parse_source_at(text, len, first);
	while (!wrong && text[len]) {
		text += len + 1;
		len = strcspn(text, ",");
		if (*nr == RBLK_MAX_ROUTES - 1)
			return "there can be at most 8 addresses";
		wrong = parse_source_at(text, len, &other[(*nr)++]);
	}
	return wrong;
}

/**
 * endpoint_text() - the one way to write an endpoint
 * @to: the result; endpoint_parse() makes the same endpoint of it
 * @ep: the endpoint
 *
 * The default port is left out and brackets with it, so that it can stand in
 * a file name.
 */
void endpoint_text(char to[ENDPOINT_TEXT], const struct endpoint *ep)
{
	bool brackets = ep->family == AF_INET6;

	if (ep->port == RBLK_DEFAULT_PORT || !ep->port)
		snprintf(to, ENDPOINT_TEXT, "%s", ep->host);
	else
		snprintf(to, ENDPOINT_TEXT, "%s%s%s:%u", brackets ? "[" : "",
			 ep->host, brackets ? "]" : "", ep->port);
}

/**
 * link_text() - the link that udev makes to a volume
 * @to: the result
 * @target: as endpoint_text() writes it, so that there is one way to write it
 * @export: the export's name
 *
 * udev keeps these characters and writes an underscore for all others: for the
 * brackets around an IPv6 address, and before an interface. Neither makes two
 * targets one: before the interface stands an IPv6 address, which has no
 * underscore, and a host name has no two colons. Only names of interfaces that
 * differ in nothing but characters that udev replaces would.
 */
void link_text(char to[LINK_TEXT], const char *target, const char *export)
{
	char *at;

	snprintf(to, LINK_TEXT, "/dev/rblk/%s/%s", target, export);
	for (at = to; *at; at++)
		if (!is_alnum(*at) && !strchr("/#+-.:=@_", *at))
			*at = '_';
}

/**
 * volume_link() - the link that udev makes to a volume
 * @to: the result
 * @volume: the volume
 */
void volume_link(char to[LINK_TEXT], const struct rblk_ioc_volume *volume)
{
	char target[RBLK_PATH_LEN], export[RBLK_NAME_LEN];

	text_clean(target, sizeof(target), volume->target_text, sizeof(volume->target_text));
	text_clean(export, sizeof(export), volume->export_name, sizeof(volume->export_name));
	link_text(to, target, export);
}

/**
 * endpoint_equal() - whether two endpoints are written alike
 * @a: one
 * @b: the other
 *
 * A name and its address are not equal: that would take a look-up.
 *
 * Return: whether they are.
 */
bool endpoint_equal(const struct endpoint *a, const struct endpoint *b)
{
	return a->port == b->port && !strcasecmp(a->host, b->host);
}

/**
 * export_name_parse() - check an export's name by the rule of the control ABI
 * @text: what the user wrote
 * @name: the result
 *
 * Return: NULL, or what is wrong.
 */
const char *export_name_parse(const char *text, char name[RBLK_NAME_LEN])
{
	const char *p;

	if (!*text)
		return "the export's name is missing";
	if (*text == '.' || *text == '-')
		return "an export's name starts with neither dot nor dash";
	for (p = text; *p; p++)
		if (!rblk_name_char(*p))
			return "an export's name has only letters, digits and ._:+-";
	if (!text_copy(name, RBLK_NAME_LEN, text, p - text))
		return "an export's name has at most 63 characters";
	return NULL;
}
