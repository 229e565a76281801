// SPDX-License-Identifier: GPL-2.0-only
/*
 * Commands to bios.
 *
 * Reads and writes use the bio in the command, on the pages that hold the data.
 * The receive handler serves all volumes of a session, so it must not sleep for
 * one device.  It submits with REQ_NOWAIT where the device supports that, and
 * takes the command in one piece.  The attachment's own work submits the rest:
 * what would have slept or must be split, and all that may take long to submit.
 *
 * Discards and zeroing are chains of bios.  The block layer's helpers cut them
 * to the device's limits and allocate them from the block layer's reserve.
 *
 * A command at the device holds att->ios, so the attachment drains and the
 * export is closed only after the last bio has ended.
 */
#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/preempt.h>
#include "command.h"

/* Of so many bytes a digest may be made in a hard interrupt: less than 2 us. */
#define HARD_DIGEST	SZ_4K

/* Leave a command to its attachment's work.  Any context. */
static void cmd_defer(struct rblkt_cmd *cmd)
{
	struct rblkt_att *att = cmd->att;
	unsigned long flags;

	rblkt_att_get(att);
	spin_lock_irqsave(&att->deferred_lock, flags);
	list_add_tail(&cmd->node, &att->deferred);
	spin_unlock_irqrestore(&att->deferred_lock, flags);
	if (!queue_work(rblkt_deferred_wq, &att->deferred_work))
		rblkt_att_put(att);
}

/**
 * rblkt_bio_read_work - end a read for whose digest an interrupt has no time
 * @work: the command's work
 *
 * Context: process; does not sleep.
 */
void rblkt_bio_read_work(struct work_struct *work)
{
	struct rblkt_cmd *cmd = container_of(work, struct rblkt_cmd, work);

	rblkt_digest_make(cmd);
	rblkt_cmd_done(cmd, RBLK_STATUS_OK);
}

/* The device has read the data. */
static void cmd_read_ended(struct rblkt_cmd *cmd)
{
	if (rblkt_digest_asked(cmd) && in_hardirq() &&
	    le32_to_cpu(cmd->wire.length) > HARD_DIGEST)
		queue_work(rblkt_wq, &cmd->work);
	else
		rblkt_bio_read_work(&cmd->work);
}

static void cmd_bio_ended(struct bio *bio)
{
	struct rblkt_cmd *cmd = bio->bi_private;
	blk_status_t status = bio->bi_status;
	bool nowait = bio->bi_opf & REQ_NOWAIT;

	bio_uninit(bio);
	/* NOTSUPP: the device has lost its support of REQ_NOWAIT since. */
	if (unlikely(nowait && (status == BLK_STS_AGAIN ||
				status == BLK_STS_NOTSUPP))) {
		cmd_defer(cmd);
		return;
	}
	cmd->ended = ktime_get_ns();
	if (cmd->wire.op == RBLK_OP_READ && status == BLK_STS_OK)
		cmd_read_ended(cmd);
	else
		rblkt_cmd_done(cmd, rblkt_proto_status(status));
}

static void cmd_chain_ended(struct bio *bio)
{
	struct rblkt_cmd *cmd = bio->bi_private;
	u16 status = rblkt_proto_status(bio->bi_status);
	u16 flags = le16_to_cpu(cmd->wire.flags);

	cmd->ended = ktime_get_ns();
	bio_put(bio);
	/* FUA of a range is a flush after it; a bio's end can't submit one. */
	if (status == RBLK_STATUS_OK && flags & RBLK_CMDF_FUA) {
		cmd->flush_only = true;
		cmd_defer(cmd);
	} else {
		rblkt_cmd_done(cmd, status);
	}
}

static blk_opf_t cmd_hints(u16 flags)
{
	blk_opf_t opf = 0;

	if (flags & RBLK_CMDF_SYNC)
		opf |= REQ_SYNC;
	if (flags & RBLK_CMDF_META)
		opf |= REQ_META;
	if (flags & RBLK_CMDF_BACKGROUND)
		opf |= REQ_BACKGROUND;
	return opf;
}

static u16 cmd_prio(const struct rblkt_cmd *cmd)
{
	u16 prio = le16_to_cpu(cmd->wire.prio);

	return prio ? rblkt_proto_prio(prio, READ_ONCE(cmd->att->export->flags) &
					     RBLKT_EXPORT_REALTIME) : 0;
}

static void cmd_submit_bio(struct rblkt_cmd *cmd, struct bio *bio)
{
	const struct rblkt_att *att = cmd->att;

	bio->bi_iter.bi_sector = le64_to_cpu(cmd->wire.lba) <<
				 (att->geo.block_shift - SECTOR_SHIFT);
	bio->bi_ioprio = cmd_prio(cmd);
	bio->bi_private = cmd;
	bio->bi_end_io = cmd_bio_ended;
	submit_bio(bio);
}

/* Add the pages that hold the data, or will. */
static void cmd_add_data(struct rblkt_cmd *cmd, struct bio *bio)
{
	u32 left = le32_to_cpu(cmd->wire.length);
	u32 room = 1u << rblkt_io_of(cmd->conn)->chunk_shift;
	struct rblkt_chunk *chunk;
	void *data = cmd->slot;

	if (rblkt_window_has(cmd) && !cmd->chunks) {
		rblkt_window_add(cmd, bio);
		return;
	}
	for (chunk = cmd->chunks; chunk; chunk = chunk->next) {
		u32 len = min(left, room);

		__bio_add_page(bio, chunk->page, len, 0);
		left -= len;
	}
	if (cmd->chunks)
		return;
	if (cmd->recv)
		data = cmd->recv->data;
	__bio_add_page(bio, virt_to_page(data), left, offset_in_page(data));
}

static void cmd_submit_rw(struct rblkt_cmd *cmd, blk_opf_t nowait)
{
	u16 flags = le16_to_cpu(cmd->wire.flags);
	struct bio *bio = &cmd->bio;
	blk_opf_t opf = cmd_hints(flags) | nowait;

	if (cmd->wire.op == RBLK_OP_READ)
		opf |= REQ_OP_READ;
	else
		opf |= REQ_OP_WRITE | REQ_IDLE;
	if (flags & RBLK_CMDF_FUA)
		opf |= REQ_FUA;
	bio_init(bio, cmd->att->bdev, cmd->bvec, rblkt_io_of(cmd->conn)->nr_bvecs, opf);
	if (cmd->att->export->blkcg)
		bio_associate_blkg_from_css(bio, cmd->att->export->blkcg);
	cmd_add_data(cmd, bio);
	if (cmd->wire.op == RBLK_OP_WRITE && !rblkt_digest_check(cmd)) {
		bio_uninit(bio);
		rblkt_cmd_done(cmd, RBLK_STATUS_DIGEST);
		return;
	}
	cmd_submit_bio(cmd, bio);
}

static void cmd_submit_flush(struct rblkt_cmd *cmd)
{
	struct bio *bio = &cmd->bio;

	bio_init(bio, cmd->att->bdev, NULL, 0, REQ_OP_WRITE | REQ_PREFLUSH |
		 cmd_hints(le16_to_cpu(cmd->wire.flags)));
	bio->bi_private = cmd;
	bio->bi_end_io = cmd_bio_ended;
	submit_bio(bio);
}

static u16 cmd_chain_status(int error)
{
	switch (error) {
	case 0:
		return RBLK_STATUS_OK;
	case -EOPNOTSUPP:
		return RBLK_STATUS_NOTSUPP;
	case -ENOMEM:
		return RBLK_STATUS_RESOURCE;
	default:
		return RBLK_STATUS_IOERR;
	}
}

/* Discard or zero a range. */
static void cmd_submit_range(struct rblkt_cmd *cmd)
{
	struct block_device *bdev = cmd->att->bdev;
	u16 flags = le16_to_cpu(cmd->wire.flags);
	u32 shift = cmd->att->geo.block_shift - SECTOR_SHIFT;
	sector_t sector = le64_to_cpu(cmd->wire.lba) << shift;
	sector_t nr = le32_to_cpu(cmd->wire.length) >> SECTOR_SHIFT;
	struct bio *bio = NULL;
	int ret;

	if (cmd->wire.op == RBLK_OP_DISCARD) {
		ret = compat_bdev_discard(bdev, sector, nr, GFP_NOIO, &bio);
	} else {
		ret = __blkdev_issue_zeroout(bdev, sector, nr, GFP_NOIO, &bio,
					     flags & RBLK_CMDF_NOUNMAP ?
					     BLKDEV_ZERO_NOUNMAP : 0);
	}
	if (!bio) {
		rblkt_cmd_done(cmd, cmd_chain_status(ret));
		return;
	}
	/* The helper stopped half-way: the bios so far fail with its error. */
	if (ret) {
		bio->bi_status = errno_to_blk_status(ret);
		bio->bi_private = cmd;
		bio->bi_end_io = cmd_chain_ended;
		bio_endio(bio);
		return;
	}
	bio->bi_opf |= cmd_hints(flags);
	bio->bi_ioprio = cmd_prio(cmd);
	bio->bi_private = cmd;
	bio->bi_end_io = cmd_chain_ended;
	submit_bio(bio);
}

/* Does the volume have this operation, as the attach reply said? */
static bool cmd_supported(const struct rblkt_cmd *cmd)
{
	const struct rblkt_geo *geo = &cmd->att->geo;

	if (cmd->wire.op == RBLK_OP_DISCARD)
		return geo->max_discard;
	if (cmd->wire.op == RBLK_OP_WRITE_ZEROES)
		return geo->max_write_zeroes;
	return true;
}

/*
 * Does it change an export that was read-only when the host attached it?  A
 * host that continued after a loss keeps its right to write, but can't use it.
 */
static bool cmd_refused(const struct rblkt_cmd *cmd)
{
	return cmd->att->read_only && cmd->wire.op != RBLK_OP_READ &&
	       cmd->wire.op != RBLK_OP_FLUSH;
}

/*
 * Does a reservation keep it out?  That may change while a command waits, but what is
 * half done goes on.
 */
static bool cmd_conflicts(const struct rblkt_cmd *cmd)
{
	return !cmd->flush_only &&
	       rblkt_resv_refuses(READ_ONCE(cmd->att->denied), cmd->wire.op);
}

static void cmd_submit_deferred(struct rblkt_cmd *cmd)
{
	struct rblkt_att *att = cmd->att;

	/* If its connection is gone, its host will send it again. */
	if (READ_ONCE(cmd->conn->state) != RBLKT_CONN_LIVE)
		rblkt_cmd_drop(cmd);
	else if (READ_ONCE(att->draining))
		rblkt_cmd_done(cmd, RBLK_STATUS_GONE);
	else if (unlikely(cmd_conflicts(cmd)))
		rblkt_cmd_done(cmd, RBLK_STATUS_RESV_CONFLICT);
	else if (cmd->wire.op == RBLK_OP_FLUSH || cmd->flush_only)
		cmd_submit_flush(cmd);
	else if (cmd->wire.op == RBLK_OP_READ || cmd->wire.op == RBLK_OP_WRITE)
		cmd_submit_rw(cmd, 0);
	else
		cmd_submit_range(cmd);
}

/**
 * rblkt_bio_deferred_work - submit the commands that may block, in order
 * @work: the attachment's deferred_work, which holds a reference
 *
 * Context: process; may sleep.
 */
void rblkt_bio_deferred_work(struct work_struct *work)
{
	struct rblkt_att *att = container_of(work, struct rblkt_att,
					     deferred_work);
	struct rblkt_cmd *cmd;

	for (;;) {
		spin_lock_irq(&att->deferred_lock);
		cmd = list_first_entry_or_null(&att->deferred, struct rblkt_cmd,
					       node);
		if (cmd)
			list_del(&cmd->node);
		spin_unlock_irq(&att->deferred_lock);
		if (!cmd)
			break;
		/*
		 * The block layer's helpers charge their bios to the thread's
		 * control group.  The command keeps the export: our reference
		 * to the attachment doesn't, as that may have drained.
		 */
		kthread_associate_blkcg(att->export->blkcg);
		cmd_submit_deferred(cmd);
		kthread_associate_blkcg(NULL);
	}
	rblkt_att_put(att);
}

/**
 * rblkt_bio_submit - hand a command to the backing device
 * @cmd: in its attachment, with its chunks, and the data of a write in place
 *
 * Context: process; submits a bio, but does not wait for the device.
 */
void rblkt_bio_submit(struct rblkt_cmd *cmd)
{
	u8 op = cmd->wire.op;

	if (unlikely(cmd_refused(cmd)))
		rblkt_cmd_done(cmd, RBLK_STATUS_TARGET);
	else if (unlikely(cmd_conflicts(cmd)))
		rblkt_cmd_done(cmd, RBLK_STATUS_RESV_CONFLICT);
	else if (!cmd_supported(cmd))
		rblkt_cmd_done(cmd, RBLK_STATUS_NOTSUPP);
	else if ((op == RBLK_OP_READ || op == RBLK_OP_WRITE) &&
		 le32_to_cpu(cmd->wire.length) <= cmd->att->nowait)
		cmd_submit_rw(cmd, REQ_NOWAIT);
	else
		cmd_defer(cmd);
}
