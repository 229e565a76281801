// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "system/alloc.h"
#include "system/change.h"
#include "system/program.h"
#include "stat/served.h"

/* All hosts of an export. */
static int take_export(struct served *served, const char *export, struct rblk_failure *fail)
{
	struct rblkt_ioc_host_stat *hosts;
	struct serving *to;
	unsigned int nr, i;

	if (rblkt_export_stat(rblk, export, &hosts, &nr, fail))
		return -1;
	served->serving = must_alloc(served->serving, served->nr + nr,
				     sizeof(*served->serving));
	for (i = 0; i < nr; i++) {
		to = &served->serving[served->nr++];
		memcpy(to->export, export, sizeof(to->export));
		to->stat = hosts[i];
	}
	free(hosts);
	return 0;
}

static int take_all(struct served *served, struct rblk_failure *fail)
{
	struct rblkt_ioc_export_show show = { .name = "" };
	int got;

	while ((got = rblkt_export_next(rblk, show.name, &show, NULL, fail)) > 0)
		/* It may have been removed meanwhile. */
		if (take_export(served, show.name, fail) && fail->error != ENOENT)
			return -1;
	return got;
}

/**
 * served_take() - look at what the target does
 * @served: the result, to be freed in either case
 * @export: the only one that is wanted, or empty
 * @fail: why it failed
 *
 * Return: 0, or -1 with @fail filled in.
 */
int served_take(struct served *served, const char *export, struct rblk_failure *fail)
{
	int err;

	memset(served, 0, sizeof(*served));
	err = export[0] ? take_export(served, export, fail) : take_all(served, fail);
	served->time = system_time();
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
