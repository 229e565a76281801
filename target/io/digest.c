// SPDX-License-Identifier: GPL-2.0-only
/*
 * The digest of a command's data: CRC32C over what the backing device has read, or is to
 * write, where it lies in the target's memory.  All of that memory is the kernel's own, and
 * each element of the bio is contiguous there.
 *
 * A write is checked as soon as its bio is made, and goes to the device only if it is good.
 * From then on a host could still change data in a slot or in the window (push.c), and so
 * could an RDMA device that is sick.  For a device that needs stable data it lies in chunks,
 * which nobody can reach.  Elsewhere a host can only spoil its own data by that.
 *
 * For a read the digest is made before the data leaves, so it covers the way to the host
 * and what happens to the data in its memory until it is checked.  Data that the device
 * has read wrong gets the digest that belongs to it.
 */
#include <linux/crc32c.h>
#include "../../compat/spoil.h"
#include "command.h"

RBLK_SPOIL_PARAM(spoil_read, "Spoil the data of reads once it has a digest");
RBLK_SPOIL_PARAM(spoil_write, "Spoil the data of writes before it is checked");

static u32 digest_of_bio(const struct bio *bio)
{
	u32 crc = ~0;
	int i;

	for (i = 0; i < bio->bi_vcnt; i++) {
		struct bio_vec *bv = &bio->bi_io_vec[i];

		crc = crc32c(crc, bvec_virt(bv), bv->bv_len);
	}
	return ~crc;
}

static void digest_spoil(const struct bio *bio, bool now)
{
	u8 *byte = bvec_virt(bio->bi_io_vec);

	if (now)
		*byte ^= 1;
}

/**
 * rblkt_digest_asked - has, or shall have, this command's data a digest?
 * @cmd: checked
 *
 * Context: any.
 * Return: true if it has or shall.
 */
bool rblkt_digest_asked(const struct rblkt_cmd *cmd)
{
	return cmd->wire.flags & cpu_to_le16(RBLK_CMDF_DIGEST);
}

/**
 * rblkt_digest_check - is the data of a write what its host has sent?
 * @cmd: a write, with its bio made and not submitted
 *
 * Context: process; without any conn->lock.
 * Return: false if its digest is wrong.
 */
bool rblkt_digest_check(struct rblkt_cmd *cmd)
{
	struct rblkt_conn *conn = cmd->conn;

	digest_spoil(&cmd->bio, rblk_spoil_now(true, &spoil_write));
	if (!rblkt_digest_asked(cmd) ||
	    digest_of_bio(&cmd->bio) == le32_to_cpu(cmd->wire.digest))
		return true;
	spin_lock_irq(&conn->lock);
	conn->tx.v[RBLK_CNT_DIGEST_ERRORS]++;
	spin_unlock_irq(&conn->lock);
	pr_warn_ratelimited("export %s: the digest of a write from host %s is wrong: %u bytes at block %llu\n",
			    cmd->att->export->name, cmd->att->holder->host_name,
			    le32_to_cpu(cmd->wire.length), le64_to_cpu(cmd->wire.lba));
	return false;
}

/**
 * rblkt_digest_make - make the digest of a read
 * @cmd: a read that the device has carried out
 *
 * Context: any; long for a hard interrupt if the read is.
 */
void rblkt_digest_make(struct rblkt_cmd *cmd)
{
	if (rblkt_digest_asked(cmd))
		cmd->digest = digest_of_bio(&cmd->bio);
	digest_spoil(&cmd->bio, rblk_spoil_now(true, &spoil_read));
}
