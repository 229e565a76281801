// SPDX-License-Identifier: GPL-2.0-only
/*
 * What becomes of an export's tenure, and of a host's right.  Pure, like the checks in proto.c: any
 * context may call this.
 */
#include <linux/types.h>
#include <asm/byteorder.h>
#include "proto.h"

/**
 * rblkt_proto_superseded - has a writer had the export since this host had it?
 * @tenure: the export's; 0 while this target knows of no writer
 * @msg: a checked ATTACH
 *
 * Only an attachment that can write changes the tenure: see
 * rblkt_proto_tenure().  So a host that continues with another tenure than the
 * export's, or with none, has missed a writer.  A host that only read is not
 * told when the writer whose tenure it has comes back and writes.  A target
 * that knows of no writer believes the host.  Hosts that share the export
 * expect other writers, and are never superseded.
 *
 * Context: any.
 * Return: true if the host has missed a writer.
 */
bool rblkt_proto_superseded(u64 tenure, const struct rblk_wire_attach *msg)
{
	if (!(le32_to_cpu(msg->flags) & RBLK_ATTACHF_CONTINUE) ||
	    le32_to_cpu(msg->access) & RBLK_ACCESS_SHARED)
		return false;
	return tenure && le64_to_cpu(msg->tenure) != tenure;
}

/**
 * rblkt_proto_revoked - has this host lost the export since it had it?
 * @right: the host's; 0 while this target knows of no loss
 * @msg: a checked ATTACH
 *
 * Only hosts that share the export are refused for it: others may have written, and
 * no tenure tells.  With exclusive access rblkt_proto_superseded() knows better.
 *
 * Context: any.
 * Return: true if it must not continue.
 */
bool rblkt_proto_revoked(u64 right, const struct rblk_wire_attach *msg)
{
	if (!(le32_to_cpu(msg->flags) & RBLK_ATTACHF_CONTINUE) ||
	    !(le32_to_cpu(msg->access) & RBLK_ACCESS_SHARED))
		return false;
	return right && le64_to_cpu(msg->right) != right;
}

/**
 * rblkt_proto_tenure - determine an export's tenure after an ATTACH
 * @tenure: the present one; 0 while this target knows of no writer
 * @msg: the ATTACH, about to be granted
 * @writes: it can write now: the host asks for that, and the export allows it
 * @fresh: a number that no tenure has had
 *
 * A reader leaves no writes behind that could come too late for others.  So it
 * begins no tenure, and it does not restore one to a target that has forgotten
 * it.  A writer restores its tenure even while the export is read-only: that is
 * the last one that the target can learn of.
 *
 * Context: any.
 * Return: the export's tenure from now on.
 */
u64 rblkt_proto_tenure(u64 tenure, const struct rblk_wire_attach *msg,
		       bool writes, u64 fresh)
{
	u64 asked = le64_to_cpu(msg->tenure);

	if (le32_to_cpu(msg->access) & RBLK_ACCESS_WRITE && asked &&
	    (!tenure || asked == tenure))
		return asked;
	return writes ? fresh : tenure;
}
