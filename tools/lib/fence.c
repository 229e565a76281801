// SPDX-License-Identifier: GPL-2.0-only
/* The hosts that a target knows, and fencing one of them. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/control.h"
#include "lib/json.h"

static struct rblkt_host *host_find(struct rblkt_host *hosts, unsigned int nr,
				    const __u8 uuid[RBLK_UUID_LEN])
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (!memcmp(hosts[i].uuid, uuid, RBLK_UUID_LEN))
			return &hosts[i];
	return NULL;
}

/* The host's entry, made if it is not there; NULL without memory. What is known stays. */
static struct rblkt_host *host_entry(struct rblkt_host **hosts, unsigned int *nr,
				     const __u8 uuid[RBLK_UUID_LEN], const char *name,
				     const __u8 key[RBLK_KEY_LEN], struct rblk_failure *fail)
{
	struct rblkt_host *host = host_find(*hosts, *nr, uuid);

	if (!host) {
		host = list_room(*hosts, *nr + 1, sizeof(*host), fail);
		*hosts = host;
		if (!host)
			return NULL;
		host += (*nr)++;
		memset(host, 0, sizeof(*host));
		memcpy(host->uuid, uuid, RBLK_UUID_LEN);
	}
	if (!host->name[0])
		text_copy(host->name, sizeof(host->name), name, strnlen(name, RBLK_NAME_LEN - 1));
	if (key && key_is_none(host->key))
		memcpy(host->key, key, RBLK_KEY_LEN);
	return host;
}

static int add_sessions(struct rblk *rblk, struct rblkt_host **hosts, unsigned int *nr,
			struct rblk_failure *fail)
{
	struct rblk_ioc_session *sessions;
	struct rblkt_host *host = NULL;
	unsigned int found, i;

	if (rblkt_sessions(rblk, &sessions, &found, fail))
		return -1;
	for (i = 0; i < found; i++) {
		host = host_entry(hosts, nr, sessions[i].peer_uuid, sessions[i].peer_name,
				  sessions[i].peer_key, fail);
		if (!host)
			break;
		host->sessions++;
	}
	free(sessions);
	return i == found ? 0 : -1;
}

static int add_fenced(struct rblk *rblk, struct rblkt_host **hosts, unsigned int *nr,
		      struct rblk_failure *fail)
{
	struct rblkt_ioc_fenced *fenced;
	struct rblkt_host *host;
	unsigned int found, i;

	if (rblkt_fenced(rblk, &fenced, &found, fail))
		return -1;
	for (i = 0; i < found; i++) {
		host = host_entry(hosts, nr, fenced[i].host, fenced[i].name, fenced[i].key, fail);
		if (!host)
			break;
		host->fenced = true;
		host->left = fenced[i].left;
	}
	free(fenced);
	return i == found ? 0 : -1;
}

/* Those that have had an export and are not connected: whoever is to be fenced, mostly. */
static int add_former(struct rblk *rblk, struct rblkt_host **hosts, unsigned int *nr,
		      struct rblk_failure *fail)
{
	struct rblkt_ioc_export_show show = { .name = "" };
	struct rblkt_ioc_host_stat *stat;
	unsigned int found, i;
	int got;

	while ((got = rblkt_export_next(rblk, show.name, &show, NULL, fail)) > 0) {
		if (rblkt_export_stat(rblk, show.name, &stat, &found, fail)) {
			if (fail->error == ENOENT)
				continue;
			return -1;
		}
		for (i = 0; i < found; i++)
			if (!host_entry(hosts, nr, stat[i].host, stat[i].name, NULL, fail))
				break;
		free(stat);
		if (i < found)
			return -1;
	}
	return got;
}

/**
 * rblkt_hosts() - the hosts that the target knows
 * @rblk: the caller, or NULL
 * @hosts: those that are connected, are fenced, or have had an export that is there; to be
 *         freed
 * @nr: how many
 * @fail: why it failed
 *
 * Return: 0, or -1 with @fail filled in and nothing to be freed.
 */
int rblkt_hosts(struct rblk *rblk, struct rblkt_host **hosts, unsigned int *nr,
		struct rblk_failure *fail)
{
	*hosts = NULL;
	*nr = 0;
	if (!add_sessions(rblk, hosts, nr, fail) && !add_fenced(rblk, hosts, nr, fail) &&
	    !add_former(rblk, hosts, nr, fail))
		return 0;
	free(*hosts);
	*hosts = NULL;
	return -1;
}

/* The one host that calls itself so. */
static int find_named(struct rblk *rblk, const char *name, struct rblk_ioc_host *who,
		      struct rblk_failure *fail)
{
	unsigned int nr, i, found = 0;
	struct rblkt_host *hosts;

	if (rblkt_hosts(rblk, &hosts, &nr, fail))
		return -1;
	for (i = 0; i < nr; i++) {
		if (strncmp(hosts[i].name, name, sizeof(hosts[i].name)))
			continue;
		memcpy(who->uuid, hosts[i].uuid, sizeof(who->uuid));
		found++;
	}
	free(hosts);
	if (found == 1)
		return 0;
	if (found)
		failure_set(fail, EEXIST, "rblkctl host list, and its key instead",
			    "several hosts call themselves %s", name);
	else
		failure_set(fail, ENOENT, "rblkctl host list; its key instead",
			    "the target knows no host %s", name);
	return -1;
}

/**
 * rblkt_host_fence() - take all rights of a host, or give them back
 * @rblk: the caller, or NULL
 * @host: its name, UUID or key
 * @up: take them
 * @fence: how many sessions ended, and on how many volumes it still has I/O
 * @fail: why it failed
 *
 * To fence a host that is fenced changes nothing, and says anew what is left.
 *
 * Return: 0, or -1 with @fail filled in.
 */
int rblkt_host_fence(struct rblk *rblk, const char *host, bool up,
		     struct rblkt_ioc_host_fence *fence, struct rblk_failure *fail)
{
	memset(fence, 0, sizeof(*fence));
	fence->size = sizeof(*fence);
	fence->flags = up ? 0 : RBLKT_FENCE_DOWN;
	if (!text_host(host, &fence->host)) {
		memset(&fence->host, 0, sizeof(fence->host));
		if (find_named(rblk, host, &fence->host, fail))
			return -1;
		text_copy(fence->name, sizeof(fence->name), host, strlen(host));
	}
	return control_try(rblk, RBLK_TARGET, RBLKT_IOC_HOST_FENCE, fence, &fence->error, fail);
}

/**
 * rblkt_host_json() - a host that a target knows
 * @host: the host
 *
 * Return: a new object.
 */
struct json_object *rblkt_host_json(const struct rblkt_host *host)
{
	struct json_object *obj = json_object_new_object();

	put_chars(obj, "name", host->name, sizeof(host->name));
	put_uuid(obj, "uuid", host->uuid);
	put_key(obj, "key", host->key);
	put_number(obj, "sessions", host->sessions);
	put_bool(obj, "fenced", host->fenced);
	put_number(obj, "left", host->left);
	return obj;
}
