// SPDX-License-Identifier: GPL-2.0-only
/* The check of what a target grants in its reply to BIND; see proto.h. */
#include <linux/types.h>
#include <linux/kernel.h>
#include <asm/byteorder.h>
#include "proto.h"

static const char *check_slots(const struct rblk_wire_bind_reply *r,
			       const struct rblk_grant *grant)
{
	u32 size = le16_to_cpu(r->slot_size), nr = le16_to_cpu(r->slots);
	u64 addr = le64_to_cpu(r->slot_addr);

	if (!(grant->features & RBLK_FEAT_WRITE_PUSH) || r->ctl.status)
		return r->slot_addr || r->slot_rkey || size || nr ?
		       "BIND reply that grants slots nobody asked for" : NULL;
	if (!r->slot_rkey || !size || size > RBLK_WIRE_MAX_INLINE || !nr ||
	    nr > grant->depth || addr + (u64)size * nr < addr)
		return "BIND reply that grants unusable slots";
	return NULL;
}

static const char *check_window(const struct rblk_wire_bind_reply *r,
				const struct rblk_grant *grant)
{
	u32 bytes = le32_to_cpu(r->window_bytes);
	u64 addr = le64_to_cpu(r->window_addr);

	if (!(grant->features & RBLK_FEAT_WRITE_WINDOW) || r->ctl.status)
		return r->window_addr || r->window_rkey || r->window_bytes ?
		       "BIND reply that grants a window nobody asked for" : NULL;
	if (!r->window_rkey || !bytes || bytes > RBLK_WIRE_MAX_WINDOW ||
	    bytes % RBLK_WIRE_WINDOW_UNIT || addr + bytes < addr)
		return "BIND reply that grants an unusable window";
	return NULL;
}

/**
 * rblk_proto_check_bind_reply() - check a BIND_REPLY
 * @msg: the message
 * @xid: xid of the BIND
 * @grant: what is in force on this connection
 *
 * Context: any.
 * Return: NULL, or what is wrong.
 */
const char *rblk_proto_check_bind_reply(const struct rblk_arrival *msg, u32 xid,
					const struct rblk_grant *grant)
{
	const struct rblk_wire_bind_reply *r = msg->data;
	const char *wrong = rblk_proto_check_ctl_reply(msg, RBLK_MSG_BIND, xid,
						       sizeof(*r));

	wrong = wrong ?: check_slots(r, grant);
	return wrong ?: check_window(r, grant);
}
