// SPDX-License-Identifier: GPL-2.0-only
/*
 * Checks what a target says of an export's registrations.  Pure: see proto.h.
 */
#include <linux/types.h>
#include <linux/string.h>
#include <asm/byteorder.h>
#include "proto.h"

static const char *check_registrant(const struct rblk_wire_registrant *reg)
{
	if (!reg->key || reg->reserved || le32_to_cpu(reg->flags) & ~RBLK_REGF_ALL)
		return "RESERVATION reply with a malformed registrant";
	if (!rblk_name_ok(reg->name))
		return "RESERVATION reply with a registrant of a bad name";
	return NULL;
}

/* There is nothing in a refusal, and as many entries as its numbers say in all else. */
static const char *check_numbers(const struct rblk_wire_reservation_reply *r, u32 start)
{
	u32 nr = le32_to_cpu(r->nr), next = le32_to_cpu(r->next), total = le32_to_cpu(r->total);

	if (r->ctl.status)
		return nr || next || total || r->generation || r->type ?
		       "refused RESERVATION with a stray field" : NULL;
	if (total > RBLK_WIRE_MAX_REGISTRANTS || r->type > RBLK_RESV_TYPE_LAST)
		return "RESERVATION reply with too many registrants, or an unknown type";
	if (next ? !nr || next != start + nr || next >= total : start + nr < total)
		return "RESERVATION reply that leads nowhere";
	if (nr && start + nr > total)
		return "RESERVATION reply with more registrants than there are";
	return NULL;
}

/**
 * rblk_proto_check_reservation_reply() - check a RESERVATION_REPLY and all of its entries
 * @msg: the message
 * @xid: xid of the RESERVATION
 * @start: start of the RESERVATION, at most RBLK_WIRE_MAX_REGISTRANTS.  The reply must
 *         lead on from there: a caller that follows @next comes to an end
 *
 * Context: any.
 * Return: NULL, or what is wrong.
 */
const char *rblk_proto_check_reservation_reply(const struct rblk_arrival *msg, u32 xid,
					       u32 start)
{
	const struct rblk_wire_reservation_reply *r = msg->data;
	const char *wrong;
	u32 nr, i;

	if (msg->bytes < sizeof(*r))
		return "RESERVATION reply too short";
	nr = le32_to_cpu(r->nr);
	if (nr > RBLK_WIRE_REGISTRANTS_MAX)
		return "RESERVATION reply with too many entries";
	wrong = rblk_proto_check_ctl_reply(msg, RBLK_MSG_RESERVATION, xid,
					   sizeof(*r) + nr * sizeof(r->entry[0]));
	if (wrong)
		return wrong;
	for (i = 0; i < sizeof(r->reserved); i++)
		if (r->reserved[i])
			return "reserved field of a RESERVATION reply not zero";
	wrong = check_numbers(r, start);
	for (i = 0; i < nr && !wrong; i++)
		wrong = check_registrant(&r->entry[i]);
	return wrong;
}

/**
 * rblk_proto_holders_fit() - has a reservation as many holders as its type wants?
 * @type: enum rblk_wire_resv_type
 * @entry: all registrants
 * @nr: how many
 *
 * Between two pages of them the reservation may have gone to another host, which no number
 * in the pages tells.
 *
 * Context: any.
 */
bool rblk_proto_holders_fit(u32 type, const struct rblk_wire_registrant *entry, u32 nr)
{
	u32 i, holders = 0;

	for (i = 0; i < nr; i++)
		holders += !!(le32_to_cpu(entry[i].flags) & RBLK_REGF_HOLDER);
	switch (type) {
	case RBLK_RESV_NONE:
		return !holders;
	case RBLK_RESV_WRITE_ALL_HOLD:
	case RBLK_RESV_ACCESS_ALL_HOLD:
		return holders == nr;
	default:
		return holders == 1;
	}
}
