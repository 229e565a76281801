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

static int asked_fill(struct asked *to, struct request *req, struct rblk_failure *fail)
{
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
	return 0;
}

/* The bits of the modules for options that were given. */
static unsigned int flags_of(const struct request *req, enum option_id option,
			     unsigned int flag)
{
	return request_has(req, option) ? flag : 0;
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
	asked.spec.flags = flags_of(req, OPTION_READ_ONLY, RBLK_ATTACH_READ_ONLY) |
			   flags_of(req, OPTION_SHARED, RBLK_ATTACH_SHARED) |
			   flags_of(req, OPTION_INDEX, RBLK_ATTACH_INDEX) |
			   flags_of(req, OPTION_HOST_UUID, RBLK_ATTACH_HOST_UUID) |
			   flags_of(req, OPTION_HOST_NAME, RBLK_ATTACH_HOST_NAME) |
			   flags_of(req, OPTION_INLINE_READ, RBLK_ATTACH_INLINE_READ);
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
		volume_all_routes(req, attach->index, attach->uuid);
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
 * export_add() - offer a block device, or a file
 * @req: which, and to whom
 * @add: what was asked of the module
 * @fail: why it failed
 *
 * Return: 0, or -1 with @fail filled in.
 */
int export_add(const struct request *req, struct rblkt_ioc_export_add *add,
	       struct rblk_failure *fail)
{
	struct rblk_export_spec spec = {
		.name = req->export,
		.backing = req->backing,
		.file = request_has(req, OPTION_BACKING_FILE),
		.size = req->size,
		.cgroup = request_has(req, OPTION_CGROUP) ? req->cgroup : NULL,
		.flags = flags_of(req, OPTION_READ_ONLY, RBLKT_EXPORT_READ_ONLY) |
			 flags_of(req, OPTION_SHARED, RBLKT_EXPORT_SHARED) |
			 flags_of(req, OPTION_REALTIME, RBLKT_EXPORT_REALTIME) |
			 flags_of(req, OPTION_FORGET, RBLKT_EXPORT_FORGET) |
			 flags_of(req, OPTION_ALLOW_ANY, RBLKT_EXPORT_ALLOW_ANY),
		.hosts = req->allowed[0],
		.nr_hosts = req->nr_allowed,
	};
	int err;

	if (request_has(req, OPTION_UUID))
		memcpy(spec.uuid, req->uuid, sizeof(spec.uuid));
	err = rblkt_export_add(rblk, &spec, add, fail);
	if (err > 0)
		fprintf(stderr, "rblkctl: %s has no direct I/O, the page cache is used\n",
			req->backing);
	return err < 0 ? -1 : 0;
}

static bool is_allowed(const struct request *req, const __u8 uuid[UUID_BYTES])
{
	unsigned int i;

	for (i = 0; i < req->nr_allowed; i++)
		if (!memcmp(req->allowed[i], uuid, UUID_BYTES))
			return true;
	return false;
}

/**
 * same_hosts() - whether two exports are for the same hosts
 * @a: one
 * @b: the other; none of their hosts is in a list twice
 *
 * Return: whether they are, in any order.
 */
bool same_hosts(const struct request *a, const struct request *b)
{
	unsigned int i;

	if (request_has(a, OPTION_ALLOW_ANY) != request_has(b, OPTION_ALLOW_ANY) ||
	    a->nr_allowed != b->nr_allowed)
		return false;
	for (i = 0; i < a->nr_allowed; i++)
		if (!is_allowed(b, a->allowed[i]))
			return false;
	return true;
}

static void set_start(struct rblkt_ioc_export_set *set, const char *name)
{
	memset(set, 0, sizeof(*set));
	memcpy(set->name, name, sizeof(set->name));
}

static void set_hosts(struct rblkt_ioc_export_set *set, const struct request *req)
{
	set->what |= RBLKT_SET_HOSTS;
	set->nr_hosts = req->nr_allowed;
	set->hosts = req->nr_allowed ? (uintptr_t)req->allowed : 0;
	if (request_has(req, OPTION_ALLOW_ANY))
		set->flags |= RBLKT_EXPORT_ALLOW_ANY;
}

static void set_flag(struct rblkt_ioc_export_set *set, unsigned int what,
		     unsigned int flag, bool on)
{
	set->what |= what;
	if (on)
		set->flags |= flag;
}

static void set_name(struct rblkt_ioc_export_set *set, const char *name)
{
	set->what |= RBLKT_SET_NAME;
	memcpy(set->new_name, name, sizeof(set->new_name));
}

/**
 * export_set() - make an export that is running what is wanted
 * @old: as it is
 * @new: as it is to be, on the same device and of the same identity
 * @fail: why it failed
 *
 * Return: 0, or -1 with @fail filled in.
 */
int export_set(const struct request *old, const struct request *new, struct rblk_failure *fail)
{
	bool read_only = request_has(new, OPTION_READ_ONLY);
	bool shared = request_has(new, OPTION_SHARED);
	bool realtime = request_has(new, OPTION_REALTIME);
	struct rblkt_ioc_export_set set;

	set_start(&set, old->export);
	if (strcmp(old->export, new->export))
		set_name(&set, new->export);
	if (request_has(old, OPTION_READ_ONLY) != read_only)
		set_flag(&set, RBLKT_SET_READ_ONLY, RBLKT_EXPORT_READ_ONLY, read_only);
	if (request_has(old, OPTION_SHARED) != shared)
		set_flag(&set, RBLKT_SET_SHARED, RBLKT_EXPORT_SHARED, shared);
	if (request_has(old, OPTION_REALTIME) != realtime)
		set_flag(&set, RBLKT_SET_REALTIME, RBLKT_EXPORT_REALTIME, realtime);
	if (!same_hosts(old, new))
		set_hosts(&set, new);
	return rblkt_export_set(rblk, &set, fail);
}

/* From what was given on the command line. */
static void set_fill(struct rblkt_ioc_export_set *set, const struct request *req)
{
	bool read_only = request_has(req, OPTION_READ_ONLY);
	bool shared = request_has(req, OPTION_SHARED);
	bool realtime = request_has(req, OPTION_REALTIME);

	set_start(set, req->export);
	if (req->verb != VERB_EXPORT_SET) {
		set_hosts(set, req);
		set->what = req->verb == VERB_EXPORT_ALLOW ? RBLKT_SET_ALLOW : RBLKT_SET_DENY;
	} else if (request_has(req, OPTION_ALLOW) || request_has(req, OPTION_ALLOW_ANY)) {
		set_hosts(set, req);
	}
	if (read_only || request_has(req, OPTION_READ_WRITE))
		set_flag(set, RBLKT_SET_READ_ONLY, RBLKT_EXPORT_READ_ONLY, read_only);
	if (shared || request_has(req, OPTION_EXCLUSIVE))
		set_flag(set, RBLKT_SET_SHARED, RBLKT_EXPORT_SHARED, shared);
	if (realtime || request_has(req, OPTION_NO_REALTIME))
		set_flag(set, RBLKT_SET_REALTIME, RBLKT_EXPORT_REALTIME, realtime);
	if (request_has(req, OPTION_RENAME))
		set_name(set, req->rename);
	if (request_has(req, OPTION_FORCE))
		set->what |= RBLKT_SET_FORCE;
}

/**
 * export_change() - change an export as the command line says
 * @req: "export set", with what is to change; "export allow" and "deny", with the hosts
 * @set: what was asked of the module
 * @fail: why it failed
 *
 * The module adds hosts to its list and takes them from it, so that two who do it at the
 * same time lose nothing of each other's.
 *
 * Return: 0, or -1 with @fail filled in.
 */
int export_change(const struct request *req, struct rblkt_ioc_export_set *set,
		  struct rblk_failure *fail)
{
	set_fill(set, req);
	return rblkt_export_set(rblk, set, fail);
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
