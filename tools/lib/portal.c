// SPDX-License-Identifier: GPL-2.0-only
/* What the target listens to. */
#include <sys/socket.h>

#include "lib/change.h"
#include "lib/resolve.h"

static int portal_address(const struct request *req, struct rblk_ioc_addr *addr,
			  struct failure *fail)
{
	struct addresses found;

	if (resolve(&req->target, AF_UNSPEC, &found, fail))
		return -1;
	*addr = found.addr[0];
	return 0;
}

/**
 * portal_add() - listen on an address
 * @req: which
 * @addr: the address that was meant
 * @fail: why it failed
 *
 * Return: 0, or -1 with @fail filled in.
 */
int portal_add(const struct request *req, struct rblk_ioc_addr *addr, struct failure *fail)
{
	struct rblkt_ioc_portal_add add = { .size = sizeof(add) };

	if (portal_address(req, &add.addr, fail))
		return -1;
	*addr = add.addr;
	return control_try(SIDE_TARGET, RBLKT_IOC_PORTAL_ADD, &add, &add.error, fail);
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
		  struct failure *fail)
{
	struct rblkt_ioc_portal_remove remove = {
		.size = sizeof(remove),
		.flags = request_has(req, OPTION_FORCE) ? RBLKT_REMOVE_FORCE : 0,
	};

	if (portal_address(req, &remove.addr, fail))
		return -1;
	*addr = remove.addr;
	return control_try(SIDE_TARGET, RBLKT_IOC_PORTAL_REMOVE, &remove, &remove.error, fail);
}
