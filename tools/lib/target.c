// SPDX-License-Identifier: GPL-2.0-only
/* The target as a whole: its portals and sessions, and its pauses. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/control.h"

#define FIRST_ROOM	32
#define MAX_ROUNDS	8	/* the list may grow while we ask */

static int list_get(struct rblk *rblk, unsigned long command, size_t size, void **entries,
		    unsigned int *nr, struct rblk_failure *fail)
{
	struct rblkt_ioc_list list;
	unsigned int room = FIRST_ROOM, round;

	*entries = NULL;
	for (round = 0; round < MAX_ROUNDS; round++) {
		*entries = list_room(*entries, room, size, fail);
		if (!*entries)
			return -1;
		memset(&list, 0, sizeof(list));
		list.size = sizeof(list);
		list.room = room;
		list.entries = (uintptr_t)*entries;
		if (control_try(rblk, RBLK_TARGET, command, &list, &list.error, fail)) {
			free(*entries);
			return -1;
		}
		*nr = list.nr;
		if (list.nr <= room)
			return 0;
		room = list.nr + FIRST_ROOM;
	}
	*nr = list.room;
	return 0;
}

/**
 * rblkt_portals() - what the target listens to
 * @rblk: the caller, or NULL
 * @portals: the portals, to be freed
 * @nr: how many
 * @fail: why it failed
 *
 * Return: 0, or -1 with @fail filled in and nothing to be freed.
 */
int rblkt_portals(struct rblk *rblk, struct rblkt_ioc_portal **portals, unsigned int *nr,
		  struct rblk_failure *fail)
{
	void *list;
	int err = list_get(rblk, RBLKT_IOC_PORTAL_LIST, sizeof(**portals), &list, nr, fail);

	*portals = err ? NULL : list;
	return err;
}

/**
 * rblkt_sessions() - the hosts that are connected
 * @rblk: the caller, or NULL
 * @sessions: their sessions, to be freed
 * @nr: how many
 * @fail: why it failed
 *
 * Return: 0, or -1 with @fail filled in and nothing to be freed.
 */
int rblkt_sessions(struct rblk *rblk, struct rblk_ioc_session **sessions, unsigned int *nr,
		   struct rblk_failure *fail)
{
	void *list;
	int err = list_get(rblk, RBLKT_IOC_SESSION_LIST, sizeof(**sessions), &list, nr, fail);

	*sessions = err ? NULL : list;
	return err;
}

/**
 * rblkt_fenced() - the hosts that are fenced
 * @rblk: the caller, or NULL
 * @fenced: the hosts, to be freed
 * @nr: how many
 * @fail: why it failed
 *
 * Return: 0, or -1 with @fail filled in and nothing to be freed.
 */
int rblkt_fenced(struct rblk *rblk, struct rblkt_ioc_fenced **fenced, unsigned int *nr,
		 struct rblk_failure *fail)
{
	void *list;
	int err = list_get(rblk, RBLKT_IOC_FENCED, sizeof(**fenced), &list, nr, fail);

	*fenced = err ? NULL : list;
	return err;
}

/* Whether a session is of the host that is called so: by its key, or by its name. */
static bool is_host(const struct rblk_ioc_session *session, const char *name,
		    const __u8 key[KEY_BYTES])
{
	if (!key_is_none(key))
		return !memcmp(session->peer_key, key, KEY_BYTES);
	return !strncmp(session->peer_name, name, sizeof(session->peer_name));
}

/* The one host of this key or name that is connected. */
static int find_host(struct rblk *rblk, const char *name, __u8 uuid[RBLK_UUID_LEN],
		     struct rblk_failure *fail)
{
	const struct rblk_ioc_session *found = NULL;
	struct rblk_ioc_session *sessions;
	unsigned int nr, i, hosts = 0;
	__u8 key[KEY_BYTES];

	text_key(name, key);
	if (rblkt_sessions(rblk, &sessions, &nr, fail))
		return -1;
	for (i = 0; i < nr; i++) {
		if (!is_host(&sessions[i], name, key))
			continue;
		if (!found || memcmp(found->peer_uuid, sessions[i].peer_uuid, RBLK_UUID_LEN))
			hosts++;
		found = &sessions[i];
	}
	if (hosts == 1)
		memcpy(uuid, found->peer_uuid, RBLK_UUID_LEN);
	free(sessions);
	if (hosts == 1)
		return 0;
	if (hosts)
		failure_set(fail, EEXIST, "rblkctl session list, and its UUID instead",
			    "several hosts call themselves %s", name);
	else
		failure_set(fail, ENOENT, "rblkctl session list",
			    "no host %s is connected", name);
	return -1;
}

/**
 * rblkt_session_remove() - end the sessions of a host
 * @rblk: the caller, or NULL
 * @host: its name, UUID or key
 * @force: although it has exports attached
 * @removed: its UUID, and how many sessions there were
 * @fail: why it failed
 *
 * Return: 0, or -1 with @fail filled in.
 */
int rblkt_session_remove(struct rblk *rblk, const char *host, bool force,
			 struct rblkt_ioc_session_remove *removed, struct rblk_failure *fail)
{
	memset(removed, 0, sizeof(*removed));
	removed->size = sizeof(*removed);
	removed->flags = force ? RBLKT_REMOVE_FORCE : 0;
	if (!text_uuid(host, removed->host) && find_host(rblk, host, removed->host, fail))
		return -1;
	return control_try(rblk, RBLK_TARGET, RBLKT_IOC_SESSION_REMOVE, removed,
			   &removed->error, fail);
}

static int pause_call(struct rblk *rblk, unsigned long command, unsigned int ms,
		      struct rblkt_ioc_pause *pause, struct rblk_failure *fail)
{
	memset(pause, 0, sizeof(*pause));
	pause->size = sizeof(*pause);
	pause->ms = ms;
	return control_try(rblk, RBLK_TARGET, command, pause, &pause->error, fail);
}

/**
 * rblkt_pause() - send the hosts away by plan; they hold their I/O
 * @rblk: the caller, or NULL
 * @seconds: for how long at most
 * @pause: how many sessions ended, and what of their I/O has not
 * @fail: why it failed
 *
 * Return: 0, or -1 with @fail filled in.
 */
int rblkt_pause(struct rblk *rblk, unsigned int seconds, struct rblkt_ioc_pause *pause,
		struct rblk_failure *fail)
{
	return pause_call(rblk, RBLKT_IOC_PAUSE, seconds * 1000, pause, fail);
}

/**
 * rblkt_resume() - end the pause
 * @rblk: the caller, or NULL
 * @pause: @pause->ms is the time that was left of it
 * @fail: why it failed
 *
 * Return: 0, or -1 with @fail filled in.
 */
int rblkt_resume(struct rblk *rblk, struct rblkt_ioc_pause *pause, struct rblk_failure *fail)
{
	return pause_call(rblk, RBLKT_IOC_RESUME, 0, pause, fail);
}

/**
 * rblkt_pause_get() - whether the target is paused by plan
 * @rblk: the caller, or NULL
 * @pause: @pause->ms says for how long, 0 for not at all
 * @fail: why it is not known
 *
 * Return: 0, or -1 with @fail filled in.
 */
int rblkt_pause_get(struct rblk *rblk, struct rblkt_ioc_pause *pause,
		    struct rblk_failure *fail)
{
	return pause_call(rblk, RBLKT_IOC_PAUSE_SHOW, 0, pause, fail);
}
