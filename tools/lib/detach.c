// SPDX-License-Identifier: GPL-2.0-only
/* Detaching a volume. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/control.h"
#include "lib/failure.h"
#include "lib/node.h"
#include "lib/users.h"

/* The module knows that it is open; who has it open is to be found in /proc. */
static void add_users(struct rblk_failure *fail, int index)
{
	size_t used = strlen(fail->text);
	char users[320];

	if (users_describe(node_root(), index, users, sizeof(users)))
		snprintf(fail->text + used, sizeof(fail->text) - used, ": %s", users);
}

/* Whoever asks for it does not mean it: without its root a machine only hangs. */
static int refuse_root(int index, struct rblk_failure *fail)
{
	failure_set(fail, EBUSY, "shut the machine down: its root goes last, by itself",
		    "/dev/rblk%d has the root file system of this machine on it, which is not detached, not by force either",
		    index);
	return -1;
}

/**
 * rblk_detach() - detach a volume
 * @rblk: the caller, or NULL
 * @index: which
 * @uuid: its UUID, or another volume of that number would be detached; NULL for any
 * @force: although it is in use
 * @fail: why it failed, and who uses it
 *
 * What has the machine's root file system on it stays in either case.
 *
 * Return: 0, or -1 with @fail filled in.
 */
int rblk_detach(struct rblk *rblk, int index, const __u8 uuid[RBLK_UUID_LEN], bool force,
		struct rblk_failure *fail)
{
	struct rblk_ioc_detach detach = {
		.size = sizeof(detach),
		.flags = force ? RBLK_DETACH_FORCE : 0,
		.index = index,
	};

	if (rblk_is_root(index))
		return refuse_root(index, fail);
	if (uuid)
		memcpy(detach.uuid, uuid, sizeof(detach.uuid));
	if (!control_try(rblk, RBLK_INITIATOR, RBLK_IOC_DETACH, &detach, &detach.error, fail))
		return 0;
	if (fail->error == EBUSY)
		add_users(fail, index);
	return -1;
}
