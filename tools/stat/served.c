// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/alloc.h"
#include "lib/node.h"
#include "stat/served.h"

static void keep(struct served *served, const char *export,
		 const struct rblkt_ioc_host_stat *stat, unsigned int nr)
{
	struct serving *to;
	unsigned int i;

	served->serving = must_alloc(served->serving, served->nr + nr,
				     sizeof(*served->serving));
	for (i = 0; i < nr; i++) {
		to = &served->serving[served->nr++];
		memcpy(to->export, export, sizeof(to->export));
		to->stat = stat[i];
	}
}

/* All hosts of an export, some at a time. */
static int take_export(int fd, struct served *served, const char *export,
		       struct failure *fail)
{
	struct rblkt_ioc_host_stat *hosts = must_alloc(NULL, RBLKT_STAT_HOSTS,
						       sizeof(*hosts));
	struct rblkt_ioc_stat stat;
	unsigned int seen = 0;
	int err;

	do {
		memset(&stat, 0, sizeof(stat));
		stat.size = sizeof(stat);
		stat.skip = seen;
		stat.room = RBLKT_STAT_HOSTS;
		stat.hosts = (uintptr_t)hosts;
		memcpy(stat.name, export, sizeof(stat.name));
		err = control_call(fd, RBLKT_IOC_STAT, &stat, &stat.error, fail);
		if (err || stat.nr <= seen)
			break;
		if (stat.room > stat.nr - seen)
			stat.room = stat.nr - seen;
		keep(served, export, hosts, stat.room);
		seen += stat.room;
	} while (stat.room && seen < stat.nr);
	free(hosts);
	return err;
}

static int take_all(int fd, struct served *served, struct failure *fail)
{
	struct rblkt_ioc_export_show show;
	char name[RBLK_NAME_LEN] = "";

	for (;;) {
		memset(&show, 0, sizeof(show));
		show.size = sizeof(show);
		show.flags = RBLKT_SHOW_NEXT;
		memcpy(show.name, name, sizeof(show.name));
		if (control_call(fd, RBLKT_IOC_EXPORT_SHOW, &show, &show.error, fail))
			return fail->error == ENOENT ? 0 : -1;
		memcpy(name, show.name, sizeof(name));
		/* It may have been removed meanwhile. */
		if (take_export(fd, served, name, fail) && fail->error != ENOENT)
			return -1;
	}
}

/**
 * served_take() - look at what the target does
 * @served: the result, to be freed in either case
 * @export: the only one that is wanted, or empty
 * @fail: why it failed
 *
 * Return: 0, or -1 with @fail filled in.
 */
int served_take(struct served *served, const char *export, struct failure *fail)
{
	int fd, err;

	memset(served, 0, sizeof(*served));
	fd = control_reach(SIDE_TARGET, fail);
	if (fd < 0)
		return -1;
	err = export[0] ? take_export(fd, served, export, fail) :
			  take_all(fd, served, fail);
	node_close(fd);
	served->time = node_time();
	return err;
}

/**
 * served_free() - free what was looked at
 * @served: from served_take()
 */
void served_free(struct served *served)
{
	free(served->serving);
	memset(served, 0, sizeof(*served));
}

/**
 * served_find() - the same export and host in another look
 * @served: the look
 * @like: in a later one
 *
 * Return: what was done then, or one that has done nothing yet.
 */
const struct serving *served_find(const struct served *served, const struct serving *like)
{
	static const struct serving never;
	const struct serving *at;
	unsigned int i;

	for (i = 0; i < served->nr; i++) {
		at = &served->serving[i];
		if (!strncmp(at->export, like->export, sizeof(at->export)) &&
		    !memcmp(at->stat.host, like->stat.host, UUID_BYTES))
			return at;
	}
	return &never;
}
