// SPDX-License-Identifier: GPL-2.0-only
/*
 * Checks where a target says that it listens.  Pure: see proto.h.
 */
#include <linux/types.h>
#include <asm/byteorder.h>
#include "proto.h"

static bool portal_ok(const struct rblk_wire_portal *portal)
{
	u16 family = le16_to_cpu(portal->family);
	u32 i;

	if (portal->reserved || !portal->port)
		return false;
	for (i = 4; family == RBLK_WIRE_FAMILY_IPV4 && i < sizeof(portal->addr); i++)
		if (portal->addr[i])
			return false;
	return family == RBLK_WIRE_FAMILY_IPV4 || family == RBLK_WIRE_FAMILY_IPV6;
}

/**
 * rblk_proto_check_portals_reply() - check a PORTALS_REPLY and all of its entries
 * @msg: the message
 * @xid: xid of the PORTALS
 *
 * Context: any.
 * Return: NULL, or what is wrong.
 */
const char *rblk_proto_check_portals_reply(const struct rblk_arrival *msg, u32 xid)
{
	const struct rblk_wire_portals_reply *r = msg->data;
	const char *wrong;
	u32 nr, i;

	if (msg->bytes < sizeof(*r))
		return "PORTALS reply too short";
	nr = le32_to_cpu(r->nr);
	if (nr > RBLK_WIRE_MAX_PORTALS)
		return "PORTALS reply with too many entries";
	wrong = rblk_proto_check_ctl_reply(msg, RBLK_MSG_PORTALS, xid,
					   sizeof(*r) + nr * sizeof(r->portal[0]));
	if (wrong)
		return wrong;
	if (r->reserved || (r->ctl.status && nr))
		return "PORTALS reply with a reserved field set, or with entries in a refusal";
	for (i = 0; i < nr; i++)
		if (!portal_ok(&r->portal[i]))
			return "PORTALS reply with a malformed address";
	return NULL;
}
