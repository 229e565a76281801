/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pushed writes: the host writes its data into the target's slots by RDMA
 * (RBLK_FEAT_WRITE_PUSH).
 */
#ifndef RBLKT_PUSH_H
#define RBLKT_PUSH_H

#include "../core.h"

/**
 * rblkt_push_has - did the host push this command's data into its slot?
 * @cmd: the command
 *
 * Context: any.
 * Return: true if it did.
 */
static inline bool rblkt_push_has(const struct rblkt_cmd *cmd)
{
	return cmd->wire.flags & cpu_to_le16(RBLK_CMDF_PUSHED);
}

/**
 * rblkt_push_unstable - does the device need data that the host can't change?
 * @cmd: a write with its attachment
 *
 * The host can change data in a slot at any time: see push.c.
 *
 * Context: any.
 * Return: true if the data must be in chunks.
 */
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
