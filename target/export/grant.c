// SPDX-License-Identifier: GPL-2.0-only
/*
 * What an attachment is granted, and what the host is told of it.
 */
#include "export.h"

/**
 * rblkt_grant_fill - set what an attachment is granted
 * @att: not linked yet; only its size changes later
 * @export: the export
 * @msg: the checked message
 *
 * Context: Process context, with rblkt_mutex held.
 */
void rblkt_grant_fill(struct rblkt_att *att, const struct rblkt_export *export,
		      const struct rblk_wire_attach *msg)
{
	u32 access = le32_to_cpu(msg->access);

	att->access = access;
	att->device = le64_to_cpu(msg->device);
	att->bdev = export->backing.bdev;
	/* io.cost and iolatency may sleep for a control group, whatever is asked. */
	att->nowait = export->blkcg ? 0 : rblkt_bdev_nowait(att->bdev);
	att->geo = export->geo;
	att->geo.writable = access & RBLK_ACCESS_WRITE;
	if (!att->geo.writable) {
		att->geo.max_discard = 0;
		att->geo.max_write_zeroes = 0;
	}
	att->geo.digest = msg->flags & cpu_to_le32(RBLK_ATTACHF_DIGEST);
	att->read_only = export->flags & RBLKT_EXPORT_READ_ONLY;
	att->told = att->geo.blocks;
}

/**
 * rblkt_grant_tell - tell the host what an attachment is granted
 * @reply: zeroed; filled in except for its header
 * @att: linked
 * @msg: the checked message
 *
 * Context: Process context, with rblkt_mutex held.
 */
void rblkt_grant_tell(struct rblk_wire_attach_reply *reply, const struct rblkt_att *att,
		      const struct rblk_wire_attach *msg)
{
	u64 tenure = att->export->storing ?: att->export->tenure;
	struct block_device *bdev = att->bdev;
	const struct rblkt_geo *geo = &att->geo;
	u32 block = 1u << geo->block_shift;

	memcpy(reply->uuid, att->export->uuid, sizeof(reply->uuid));
	reply->capacity = cpu_to_le64(geo->blocks << geo->block_shift);
	reply->volume = cpu_to_le32(att->handle);
	reply->flags = cpu_to_le32(rblkt_bdev_flags(att->export) |
				   (geo->digest ? RBLK_EXPF_DIGEST : 0));
	reply->logical_block = cpu_to_le32(block);
	reply->physical_block = cpu_to_le32(bdev_physical_block_size(bdev));
	/* Some devices report hints that are not multiples of the block. */
	reply->io_min = cpu_to_le32(round_down(bdev_io_min(bdev), block));
	reply->io_opt = cpu_to_le32(round_down(bdev_io_opt(bdev), block));
	reply->max_discard = cpu_to_le32(geo->max_discard);
	if (geo->max_discard) {
		reply->discard_granularity =
			cpu_to_le32(round_down(bdev_discard_granularity(bdev),
					       block));
		reply->discard_alignment =
			cpu_to_le32(bdev_discard_alignment(bdev));
	}
	reply->max_write_zeroes = cpu_to_le32(geo->max_write_zeroes);
	/*
	 * While this target knows of no writer, a reader keeps the tenure that
	 * it named: it counts again once a writer has brought that back.
	 */
	reply->tenure = tenure ? cpu_to_le64(tenure) : msg->tenure;
	reply->right = cpu_to_le64(rblkt_revoke_right(att->export, att->holder));
}
