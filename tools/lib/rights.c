// SPDX-License-Identifier: GPL-2.0-only
/* Who may attach an export, and how. */
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "lib/change.h"

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
	set->size = sizeof(*set);
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

static int set_call(struct rblkt_ioc_export_set *set, struct failure *fail)
{
	return control_try(SIDE_TARGET, RBLKT_IOC_EXPORT_SET, set, &set->error, fail);
}

/**
 * export_set() - make an export that is running what is wanted
 * @old: as it is
 * @new: as it is to be, on the same device and of the same identity
 * @fail: why it failed
 *
 * Return: 0, or -1 with @fail filled in.
 */
int export_set(const struct request *old, const struct request *new, struct failure *fail)
{
	bool read_only = request_has(new, OPTION_READ_ONLY);
	bool shared = request_has(new, OPTION_SHARED);
	struct rblkt_ioc_export_set set;

	set_start(&set, old->export);
	if (strcmp(old->export, new->export))
		set_name(&set, new->export);
	if (request_has(old, OPTION_READ_ONLY) != read_only)
		set_flag(&set, RBLKT_SET_READ_ONLY, RBLKT_EXPORT_READ_ONLY, read_only);
	if (request_has(old, OPTION_SHARED) != shared)
		set_flag(&set, RBLKT_SET_SHARED, RBLKT_EXPORT_SHARED, shared);
	if (!same_hosts(old, new))
		set_hosts(&set, new);
	return set_call(&set, fail);
}

/* From what was given on the command line. */
static void set_fill(struct rblkt_ioc_export_set *set, const struct request *req)
{
	bool read_only = request_has(req, OPTION_READ_ONLY);
	bool shared = request_has(req, OPTION_SHARED);

	set_start(set, req->export);
	if (request_has(req, OPTION_ALLOW) || request_has(req, OPTION_ALLOW_ANY))
		set_hosts(set, req);
	if (read_only || request_has(req, OPTION_READ_WRITE))
		set_flag(set, RBLKT_SET_READ_ONLY, RBLKT_EXPORT_READ_ONLY, read_only);
	if (shared || request_has(req, OPTION_EXCLUSIVE))
		set_flag(set, RBLKT_SET_SHARED, RBLKT_EXPORT_SHARED, shared);
	if (request_has(req, OPTION_RENAME))
		set_name(set, req->rename);
	if (request_has(req, OPTION_FORCE))
		set->what |= RBLKT_SET_FORCE;
}

/**
 * export_change() - change an export as the command line says
 * @req: "export set", with what is to change
 * @set: what was asked of the module
 * @fail: why it failed
 *
 * Return: 0, or -1 with @fail filled in.
 */
int export_change(const struct request *req, struct rblkt_ioc_export_set *set,
		  struct failure *fail)
{
	set_fill(set, req);
	return set_call(set, fail);
}

/**
 * export_change_hosts() - allow or deny hosts to attach an export
 * @req: "export allow" or "export deny", with the hosts
 * @set: what was asked of the module
 * @fail: why it failed
 *
 * The module adds to the list and takes from it, so that two who do it at the same
 * time lose nothing of each other's.
 *
 * Return: 0, or -1 with @fail filled in.
 */
int export_change_hosts(const struct request *req, struct rblkt_ioc_export_set *set,
			struct failure *fail)
{
	set_start(set, req->export);
	set_hosts(set, req);
	set->what = req->verb == VERB_EXPORT_ALLOW ? RBLKT_SET_ALLOW : RBLKT_SET_DENY;
	if (request_has(req, OPTION_FORCE))
		set->what |= RBLKT_SET_FORCE;
	return set_call(set, fail);
}
