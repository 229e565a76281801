// SPDX-License-Identifier: GPL-2.0-only
/* Detaching a volume. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/change.h"
#include "lib/node.h"
#include "lib/users.h"

/* The module knows that it is open; who has it open is to be found in /proc. */
static void add_users(struct failure *fail, int index)
{
	size_t used = strlen(fail->text);
	char users[320];

	if (users_describe(node_root(), index, users, sizeof(users)))
		snprintf(fail->text + used, sizeof(fail->text) - used, ": %s", users);
}

/**
 * volume_detach() - detach a volume
 * @req: with --force or without
 * @index: which
 * @uuid: its UUID, or another volume of that number would be detached
 * @fail: why it failed, and who uses it
 *
 * Return: 0, or -1 with @fail filled in.
 */
int volume_detach(const struct request *req, int index, const __u8 uuid[UUID_BYTES],
		  struct failure *fail)
{
	struct rblk_ioc_detach detach = {
		.size = sizeof(detach),
		.flags = request_has(req, OPTION_FORCE) ? RBLK_DETACH_FORCE : 0,
		.index = index,
	};

	memcpy(detach.uuid, uuid, UUID_BYTES);
	if (!control_try(SIDE_INITIATOR, RBLK_IOC_DETACH, &detach, &detach.error, fail))
		return 0;
	if (fail->error == EBUSY)
		add_users(fail, index);
	return -1;
}
