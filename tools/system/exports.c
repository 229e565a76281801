// SPDX-License-Identifier: GPL-2.0-only
/* From a request to exports, and who may attach them. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/protection.h"
#include "system/change.h"

/* The bits of the module for options that were given. */
static unsigned int flags_of(const struct request *req, enum option_id option,
			     unsigned int flag)
{
	return request_has(req, option) ? flag : 0;
}

/* It ends here, which hosts cannot see. */
static void tell_protection(const char *device)
{
	struct protection disk;

	if (protection_find(device, &disk))
		fprintf(stderr,
			"rblkctl: %s has protection information (%s): this machine makes and checks it, hosts do not see it\n",
			disk.disk, disk.format);
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
			 flags_of(req, OPTION_INSECURE, RBLKT_EXPORT_INSECURE) |
			 flags_of(req, OPTION_ALLOW_ANY, RBLKT_EXPORT_ALLOW_ANY),
		.hosts = req->allowed,
		.nr_hosts = req->nr_allowed,
	};
	int err;

	if (request_has(req, OPTION_UUID))
		memcpy(spec.uuid, req->uuid, sizeof(spec.uuid));
	err = rblkt_export_add(rblk, &spec, add, fail);
	if (err > 0)
		fprintf(stderr, "rblkctl: %s has no direct I/O, the page cache is used\n",
			req->backing);
	if (err >= 0 && !spec.file)
		tell_protection(add->path);
	return err < 0 ? -1 : 0;
}

static bool is_allowed(const struct request *req, const struct rblk_ioc_host *host)
{
	unsigned int i;

	for (i = 0; i < req->nr_allowed; i++)
		if (!memcmp(&req->allowed[i], host, sizeof(*host)))
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
		if (!is_allowed(b, &a->allowed[i]))
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
	bool insecure = request_has(new, OPTION_INSECURE);
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
	if (request_has(old, OPTION_INSECURE) != insecure)
		set_flag(&set, RBLKT_SET_INSECURE, RBLKT_EXPORT_INSECURE, insecure);
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
	bool insecure = request_has(req, OPTION_INSECURE);

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
	if (insecure || request_has(req, OPTION_SECURE))
		set_flag(set, RBLKT_SET_INSECURE, RBLKT_EXPORT_INSECURE, insecure);
	if (request_has(req, OPTION_RENAME))
		set_name(set, req->rename);
	if (request_has(req, OPTION_FORCE))
		set->what |= RBLKT_SET_FORCE;
}

static bool lists_uuid(const struct rblk_ioc_host *hosts, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (key_is_none(hosts[i].key))
			return true;
	return false;
}

/* A UUID is in no list of an export that takes only keys. */
static int check_proof(const struct request *req, struct rblk_failure *fail)
{
	struct rblk_ioc_host hosts[RBLK_MAX_HOSTS];
	struct rblkt_ioc_export_show show;
	struct rblkt_ioc_user *users;
	bool by_uuid = req->verb != VERB_EXPORT_DENY && allows_by_uuid(req);
	bool secure = request_has(req, OPTION_SECURE);

	if (request_has(req, OPTION_INSECURE) || !(by_uuid || secure))
		return 0;
	if (rblkt_export_get(rblk, req->export, &show, hosts, &users, fail))
		return -1;
	free(users);
	if (by_uuid && (secure || !(show.export_flags & RBLKT_EXPORT_INSECURE))) {
		failure_set(fail, EINVAL, NULL, "%s", uuid_proves_nothing);
	} else if (secure && !request_has(req, OPTION_ALLOW) &&
		   !request_has(req, OPTION_ALLOW_ANY) && lists_uuid(hosts, show.nr_hosts)) {
		failure_set(fail, EINVAL, "rblkctl export set %E --secure --allow KEY",
			    "hosts in its list have only a UUID, which proves nothing");
	} else {
		return 0;
	}
	fail->stage = RBLK_STAGE_ARGUMENTS;
	return -1;
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
	if (check_proof(req, fail))
		return -1;
	set_fill(set, req);
	return rblkt_export_set(rblk, set, fail);
}
