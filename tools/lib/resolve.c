// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "lib/lookup.h"
#include "lib/resolve.h"

#define ENOUGH_SECONDS	30	/* after them no further address is tried */

static bool addr_take(struct rblk_ioc_addr *to, const struct addrinfo *from, __u16 port)
{
	const struct sockaddr_in6 *v6 = (const void *)from->ai_addr;
	const struct sockaddr_in *v4 = (const void *)from->ai_addr;

	memset(to, 0, sizeof(*to));
	to->family = from->ai_family;
	to->port = htons(port);
	if (from->ai_family == AF_INET) {
		memcpy(to->addr, &v4->sin_addr, sizeof(v4->sin_addr));
	} else if (from->ai_family == AF_INET6) {
		memcpy(to->addr, &v6->sin6_addr, sizeof(v6->sin6_addr));
		to->scope_id = v6->sin6_scope_id;
	} else {
		return false;
	}
	return true;
}

static void unknown_host(const char *host, const char *kind, struct rblk_failure *fail)
{
	char hint[HOST_ROOM + 40];

	snprintf(hint, sizeof(hint), "getent ahosts %s; or an IP address", host);
	failure_set(fail, ENOENT, hint, "the host %s is unknown: no %saddress found", host,
		    kind);
}

static int lookup_failed(const struct endpoint *ep, int family, int error,
			 struct rblk_failure *fail)
{
	const char *kind = family == AF_INET ? "IPv4 " : family == AF_INET6 ? "IPv6 " : "";

	if (error == EAI_INTR)
		failure_set(fail, EINTR, NULL, "interrupted");
	else if (ep->family != AF_UNSPEC && error == EAI_ADDRFAMILY)
		failure_set(fail, EAFNOSUPPORT, "addresses of one family",
			    "%s and the source address are of different families", ep->host);
	else if (ep->family != AF_UNSPEC)
		failure_set(fail, EINVAL, "ip link shows this host's interfaces",
			    "%s: no interface of that name", ep->host);
	else if (error == EAI_AGAIN)
		failure_set(fail, EAGAIN, "an IP address, or once more",
			    "the name server does not answer for %s", ep->host);
	else
		unknown_host(ep->host, kind, fail);
	fail->stage = RBLK_STAGE_RESOLVE;
	return -1;
}

/* A link-local address has an interface, and no other one has. */
static int check_scope(const struct endpoint *ep, const struct addresses *to,
		       struct rblk_failure *fail)
{
	const struct in6_addr *addr = (const void *)to->addr[0].addr;
	char hint[HOST_ROOM + 40];

	if (ep->family != AF_INET6 ||
	    !!IN6_IS_ADDR_LINKLOCAL(addr) == !!to->addr[0].scope_id)
		return 0;
	snprintf(hint, sizeof(hint), "[%s%%INTERFACE]:%u", ep->host, ep->port);
	if (to->addr[0].scope_id)
		failure_set(fail, EINVAL, "the address without %INTERFACE",
			    "only a link-local address has an interface");
	else
		failure_set(fail, EINVAL, hint,
			    "a link-local address needs its interface");
	fail->stage = RBLK_STAGE_RESOLVE;
	return -1;
}

/**
 * resolve() - find the addresses of an endpoint
 * @rblk: the caller, or NULL
 * @ep: the endpoint
 * @family: AF_INET or AF_INET6 to have only those, else AF_UNSPEC
 * @to: the result, best first by the system's own order (gai.conf)
 * @fail: why it failed
 *
 * Return: 0, or -1 with @fail filled in.
 */
int resolve(struct rblk *rblk, const struct endpoint *ep, int family, struct addresses *to,
	    struct rblk_failure *fail)
{
	struct addrinfo hints = { .ai_family = family, .ai_socktype = SOCK_STREAM };
	struct addrinfo *list = NULL, *ai;
	int err;

	to->nr = 0;
	if (ep->family != AF_UNSPEC)
		hints.ai_flags = AI_NUMERICHOST;
	err = lookup(rblk, ep->host, &hints, &list);
	if (!err) {
		for (ai = list; ai && to->nr < MAX_ADDRESSES; ai = ai->ai_next)
			to->nr += addr_take(&to->addr[to->nr], ai, ep->port);
		freeaddrinfo(list);
	}
	if (!to->nr)
		return lookup_failed(ep, family, err, fail);
	return check_scope(ep, to, fail);
}

/**
 * asking_begin() - who asks whom
 * @ask: the result
 * @rblk: the caller, or NULL
 * @spec: in its words
 * @fail: why that cannot be
 *
 * Return: 0, or -1 with @fail filled in.
 */
int asking_begin(struct asking *ask, struct rblk *rblk, const struct rblk_volume_spec *spec,
		 struct rblk_failure *fail)
{
	const char *origin, *wrong;

	memset(ask, 0, sizeof(*ask));
	ask->rblk = rblk;
	wrong = endpoint_parse(spec->target ? spec->target : "", &ask->target);
	if (wrong)
		return argument_wrong(fail, spec->target, wrong);
	wrong = spec->source ? endpoint_parse_source(spec->source, &ask->source) : NULL;
	if (wrong)
		return argument_wrong(fail, spec->source, wrong);
	if (!spec->host)
		return rblk_host_get(&ask->host, &origin, fail);
	ask->host = *spec->host;
	return 0;
}

/* Where to connect, in this order, and from where: all zeroes for anywhere. */
static int resolve_both(struct asking *ask, struct addresses *targets,
			struct rblk_failure *fail)
{
	struct addresses sources;
	int family = AF_UNSPEC;

	if (ask->source.host[0]) {
		if (resolve(ask->rblk, &ask->source, AF_UNSPEC, &sources, fail))
			return -1;
		ask->from = sources.addr[0];
		family = ask->from.family;
	}
	return resolve(ask->rblk, &ask->target, family, targets, fail);
}

/* Whether another address may do better: once a target answers, that counts. */
static bool try_next(const struct rblk_failure *fail)
{
	if (fail->error == EINTR || fail->reason)
		return false;
	return fail->stage == RBLK_STAGE_RESOLVE || fail->stage == RBLK_STAGE_ROUTE ||
	       fail->stage == RBLK_STAGE_DEVICE || fail->stage == RBLK_STAGE_CONNECT;
}

static time_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

/**
 * resolve_each() - try the addresses of a target's name in turn
 * @ask: from asking_begin()
 * @attempt: makes one attempt at @ask->to; returns 0, or -1 with its @fail filled in
 * @ctx: for @attempt
 * @best: of all failures the one that came furthest
 *
 * Return: 0, or -1 with @best filled in.
 */
int resolve_each(struct asking *ask, attempt_fn attempt, void *ctx, struct rblk_failure *best)
{
	struct addresses targets;
	struct rblk_failure fail;
	time_t start = now();
	unsigned int i;

	if (resolve_both(ask, &targets, best))
		return -1;
	for (i = 0; i < targets.nr; i++) {
		if (i && now() - start >= ENOUGH_SECONDS)
			break;
		ask->to = targets.addr[i];
		if (!attempt(ctx, ask, &fail))
			return 0;
		if (targets.nr > 1)
			rblk_address_text(fail.at, &ask->to);
		if (!i || fail.error == EINTR || fail.stage > best->stage)
			*best = fail;
		if (!try_next(&fail))
			break;
	}
	return -1;
}

/**
 * rblk_address_text() - an address and port
 * @to: such as 10.0.0.1:4421, [fe80::1%eth0]:4421
 * @addr: from the module
 */
void rblk_address_text(char to[RBLK_ADDRESS_TEXT], const struct rblk_ioc_addr *addr)
{
	char host[INET6_ADDRSTRLEN] = "?", zone[IF_NAMESIZE + 1] = "";
	unsigned int port = ntohs(addr->port);

	if (addr->family != AF_INET && addr->family != AF_INET6) {
		snprintf(to, RBLK_ADDRESS_TEXT, "-");
		return;
	}
	inet_ntop(addr->family, addr->addr, host, sizeof(host));
	if (addr->family == AF_INET) {
		snprintf(to, RBLK_ADDRESS_TEXT, "%s:%u", host, port);
		return;
	}
	if (addr->scope_id) {
		zone[0] = '%';
		if (!if_indextoname(addr->scope_id, zone + 1))
			snprintf(zone + 1, sizeof(zone) - 1, "%u", addr->scope_id);
	}
	snprintf(to, RBLK_ADDRESS_TEXT, "[%s%s]:%u", host, zone, port);
}
