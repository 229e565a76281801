/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Slots that a host writes its data into by itself: RBLK_FEAT_WRITE_PUSH.
 */
#ifndef RBLKT_PUSH_H
#define RBLKT_PUSH_H

#include "rblkt.h"

/* Is it a write whose data was in its slot before it came? */
static inline bool rblkt_push_has(const struct rblkt_cmd *cmd)
{
	return cmd->wire.flags & cpu_to_le16(RBLK_CMDF_PUSHED);
}

/* Must its data not be given to the device in a slot, as the host may change it? */
static inline bool rblkt_push_unstable(const struct rblkt_cmd *cmd)
{
	return cmd->conn->grant.slot_size && bdev_stable_writes(cmd->att->bdev);
}

void rblkt_push_limits(const struct ib_device *dev,
		       struct rblkt_limits *limits);
void rblkt_push_map(struct rblkt_conn *conn);
void rblkt_push_unmap(struct rblkt_conn *conn);
void rblkt_push_grant(struct rblkt_conn *conn,
		      struct rblk_wire_bind_reply *reply);
void rblkt_push_arrived(struct rblkt_cmd *cmd);
void rblkt_push_clean(const struct rblkt_cmd *cmd);

#endif /* RBLKT_PUSH_H */
