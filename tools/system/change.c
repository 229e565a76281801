// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rblk_wire.h"
#include "system/change.h"

/**
 * host_identity() - fill in who this host is, where the user did not say
 * @req: its host_uuid and host_name
 * @origin: where the UUID comes from
 * @fail: why it failed
 *
 * Return: 0, or -1 with @fail filled in.
 */
int host_identity(struct request *req, const char **origin, struct rblk_failure *fail)
{
	bool known = request_has(req, OPTION_HOST_UUID);
	struct rblk_host host;
	int err = rblk_host_get(&host, origin, fail);

	/* The name is there in any case. */
	if (!request_has(req, OPTION_HOST_NAME))
		memcpy(req->host_name, host.name, sizeof(host.name));
	if (known)
		*origin = option_table[OPTION_HOST_UUID].name;
	else if (!err)
		memcpy(req->host_uuid, host.uuid, sizeof(host.uuid));
	return known ? 0 : err;
}

/**
 * struct asked - a request in the library's words, and what those point to
 * @spec: the words
 * @target: its target
 * @source: its source
 * @host: who asks
 */
struct asked {
	struct rblk_volume_spec spec;
	char target[ENDPOINT_TEXT];
	char source[ENDPOINT_TEXT];
	struct rblk_host host;
};

/* The bits of the modules for options that were given. */
static unsigned int flags_of(const struct request *req, enum option_id option,
			     unsigned int flag)
{
	return request_has(req, option) ? flag : 0;
}

/**
 * proof_fill() - how the target is to prove who it is
 * @spec: gets keys and flags
 * @req: where they come from
 */
void proof_fill(struct rblk_volume_spec *spec, const struct request *req)
{
	spec->flags |= flags_of(req, OPTION_TRUST_FIRST, RBLK_ATTACH_TRUST_FIRST) |
		       flags_of(req, OPTION_INSECURE, RBLK_ATTACH_INSECURE);
	memcpy(spec->target_key, req->target_key, sizeof(spec->target_key));
}

static int asked_fill(struct asked *to, struct request *req, struct rblk_failure *fail)
{
	struct rblk_key own;
	const char *origin;

	if (host_identity(req, &origin, fail))
		return -1;
	endpoint_text(to->target, &req->target);
	endpoint_text(to->source, &req->source);
	memcpy(to->host.uuid, req->host_uuid, sizeof(to->host.uuid));
	memcpy(to->host.name, req->host_name, sizeof(to->host.name));
	to->spec = (struct rblk_volume_spec){
		.target = to->target,
		.source = req->source.host[0] ? to->source : NULL,
		.export_name = req->export,
		.host = &to->host,
		.queues = req->queues,
		.depth = req->depth,
		.inline_read = req->inline_read,
		.queue_timeout = req->queue_timeout,
		.index = req->index,
		.poll_queues = req->poll_queues,
	};
	memcpy(to->spec.uuid, req->uuid, sizeof(to->spec.uuid));
	proof_fill(&to->spec, req);
	if (!request_has(req, OPTION_INSECURE) && !rblk_key_get(&own, fail))
		memcpy(req->own_key, own.public_key, sizeof(req->own_key));
	return 0;
}

/* Make another address of the request the first one. */
static void put_first(struct request *req, unsigned int other)
{
	struct endpoint first = req->target, source = req->source;

	req->target = req->other[other];
	req->source = req->other_source[other];
	req->other[other] = first;
	req->other_source[other] = source;
}

/* Did nobody answer, so that another address may do? */
static bool no_answer(const struct rblk_failure *fail)
{
	return fail->error != EINTR && !fail->reason &&
	       (fail->stage == RBLK_STAGE_RESOLVE || fail->stage == RBLK_STAGE_ROUTE ||
		fail->stage == RBLK_STAGE_DEVICE || fail->stage == RBLK_STAGE_CONNECT);
}

static int attach_once(struct request *req, struct rblk_ioc_attach *attach,
		       struct rblk_failure *fail)
{
	struct asked asked;

	if (asked_fill(&asked, req, fail))
		return -1;
	asked.spec.flags |= flags_of(req, OPTION_READ_ONLY, RBLK_ATTACH_READ_ONLY) |
			    flags_of(req, OPTION_SHARED, RBLK_ATTACH_SHARED) |
			    flags_of(req, OPTION_INDEX, RBLK_ATTACH_INDEX) |
			    flags_of(req, OPTION_HOST_UUID, RBLK_ATTACH_HOST_UUID) |
			    flags_of(req, OPTION_HOST_NAME, RBLK_ATTACH_HOST_NAME) |
			    flags_of(req, OPTION_INLINE_READ, RBLK_ATTACH_INLINE_READ) |
			    flags_of(req, OPTION_DIGEST, RBLK_ATTACH_DIGEST);
	return rblk_attach(rblk, &asked.spec, attach, fail);
}

/* One more address that did not answer, with its reason. */
static void add_silent(struct rblk_failure *all, const struct request *req,
		       const struct rblk_failure *fail)
{
	char target[ENDPOINT_TEXT];
	size_t used;

	endpoint_text(target, &req->target);
	used = strlen(all->text);
	snprintf(all->text + used, sizeof(all->text) - used, "%s%s: %s", used ? "; " : "",
		 target, fail->text);
}

/*
 * By the first address that answers; the others come later. If none does, the failure
 * is the first one's, and names all.
 */
static int attach_any(struct request *req, struct rblk_ioc_attach *attach,
		      struct rblk_failure *fail)
{
	int err = attach_once(req, attach, fail);
	struct rblk_failure all;
	unsigned int i;

	if (err >= 0 || !req->nr_other || !no_answer(fail))
		return err;
	all = *fail;
	all.text[0] = '\0';
	all.at[0] = '\0';
	add_silent(&all, req, fail);
	for (i = 0; err < 0 && i < req->nr_other && no_answer(fail); i++) {
		put_first(req, i);
		err = attach_once(req, attach, fail);
		if (err >= 0)
			break;
		add_silent(&all, req, fail);
		put_first(req, i);
	}
	if (err < 0 && no_answer(fail))
		*fail = all;
	return err;
}

/* Once trusted, the key has to be the same. */
static void find_routes(struct request *req, const struct rblk_ioc_attach *attach)
{
	__u64 given = req->given;

	if (request_has(req, OPTION_TRUST_FIRST)) {
		req->given &= ~OPTION_BIT(OPTION_TRUST_FIRST);
		memcpy(req->target_key[0], attach->peer_key, KEY_BYTES);
	}
	volume_all_routes(req, attach->index, attach->uuid);
	req->given = given;
}

/**
 * volume_attach() - attach an export, wait for its node, and add its other routes
 * @req: which, and how
 * @attach: the result
 * @fail: why it failed
 *
 * Return: 0, or -1 with @fail filled in.
 */
int volume_attach(struct request *req, struct rblk_ioc_attach *attach,
		  struct rblk_failure *fail)
{
	int err = attach_any(req, attach, fail);

	if (err < 0)
		return -1;
	if (err > 0)
		fprintf(stderr, "rblkctl: attached, but there is no /dev/rblk%d yet\n"
			"  try: is devtmpfs mounted on /dev, or udev running?\n",
			attach->index);
	volume_routes(req, attach->index, attach->uuid);
	if (request_has(req, OPTION_ALL_ROUTES))
		find_routes(req, attach);
	return 0;
}

/**
 * discover_offers() - ask a target what it offers
 * @req: the target, and who this host is
 * @discover: the answer; @discover->nr is how many offers there are
 * @offers: the offers, to be freed
 * @fail: why it failed
 *
 * Return: 0, or -1 with @fail filled in and nothing to be freed.
 */
int discover_offers(struct request *req, struct rblk_ioc_discover *discover,
		    struct rblk_ioc_offer **offers, struct rblk_failure *fail)
{
	struct asked asked;

	if (asked_fill(&asked, req, fail))
		return -1;
	return rblk_discover(rblk, &asked.spec, discover, offers, fail);
}

/**
 * portal_add() - listen on an address
 * @req: which
 * @addr: the address that was meant
 * @fail: why it failed
 *
 * Return: 0, or -1 with @fail filled in.
 */
int portal_add(const struct request *req, struct rblk_ioc_addr *addr,
	       struct rblk_failure *fail)
{
	char address[ENDPOINT_TEXT];

	endpoint_text(address, &req->target);
	return rblkt_portal_add(rblk, address, addr, fail);
}

/**
 * portal_remove() - stop listening
 * @req: where, with --force or without
 * @addr: the address that was meant
 * @fail: why it failed
 *
 * Return: 0, or -1 with @fail filled in.
 */
int portal_remove(const struct request *req, struct rblk_ioc_addr *addr,
		  struct rblk_failure *fail)
{
	char address[ENDPOINT_TEXT];

	endpoint_text(address, &req->target);
	return rblkt_portal_remove(rblk, address, request_has(req, OPTION_FORCE), addr, fail);
}
