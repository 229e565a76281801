// SPDX-License-Identifier: GPL-2.0-only
/* What the target listens to. */
#include <sys/socket.h>

#include "lib/key.h"
#include "lib/resolve.h"

static int portal_address(struct rblk *rblk, const char *address, struct rblk_ioc_addr *addr,
			  struct rblk_failure *fail)
{
	struct addresses found;
	struct endpoint ep;
	const char *wrong = endpoint_parse_portal(address, &ep);

	if (wrong)
		return argument_wrong(fail, address, wrong);
	if (resolve(rblk, &ep, AF_UNSPEC, &found, fail))
		return -1;
	*addr = found.addr[0];
	return 0;
}

/**
 * rblkt_portal_add() - listen on an address
 * @rblk: the caller, or NULL
 * @address: HOST[:PORT], "any" or "any:PORT"
 * @addr: the address that was meant
 * @fail: why it failed
 *
 * Return: 0, or -1 with @fail filled in.
 */
int rblkt_portal_add(struct rblk *rblk, const char *address, struct rblk_ioc_addr *addr,
		     struct rblk_failure *fail)
{
	struct rblkt_ioc_portal_add add = { .size = sizeof(add) };

	/* Hosts come as soon as it listens. */
	if (portal_address(rblk, address, &add.addr, fail) ||
	    key_give(rblk, RBLK_TARGET, KEY_IF_THERE, fail))
		return -1;
	*addr = add.addr;
	return control_try(rblk, RBLK_TARGET, RBLKT_IOC_PORTAL_ADD, &add, &add.error, fail);
}

/**
 * rblkt_portal_remove() - stop listening
 * @rblk: the caller, or NULL
 * @address: as it was added
 * @force: although sessions came through it; they end
 * @addr: the address that was meant
 * @fail: why it failed
 *
 * Return: 0, or -1 with @fail filled in.
 */
int rblkt_portal_remove(struct rblk *rblk, const char *address, bool force,
			struct rblk_ioc_addr *addr, struct rblk_failure *fail)
{
	struct rblkt_ioc_portal_remove remove = {
		.size = sizeof(remove),
		.flags = force ? RBLKT_REMOVE_FORCE : 0,
	};

	if (portal_address(rblk, address, &remove.addr, fail))
		return -1;
	*addr = remove.addr;
	return control_try(rblk, RBLK_TARGET, RBLKT_IOC_PORTAL_REMOVE, &remove, &remove.error,
			   fail);
}
