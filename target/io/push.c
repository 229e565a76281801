// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pushed writes: the host writes a command's data into the slot of its tag by
 * RDMA and then sends the command, which can share a message with others.  Larger
 * data it writes into the window (window.c): what is said here of slots is true
 * of the window, too.
 *
 * One memory region covers the slots of an I/O connection, another one its
 * window, and the host may write to both.  Their addresses begin at the
 * connection's number and reveal no address of the target.  They are in the
 * session's protection domain, so only queue pairs of the same epoch of the same
 * host reach them.  They are destroyed after the queue pair.  Until then the HCA
 * may write to all of this memory anyway.
 *
 * What can a host do with it?
 *
 * - Write beyond it, or with another rkey.  That ends its connection.  In RXE
 *   check_rkey() calls lookup_mr() to check rkey, domain and access rights and
 *   mr_check_range() to check the bounds, and do_class_ac_error() moves the
 *   queue pair to the error state (6.1, 7.2).  In SIW siw_proc_write() does so
 *   by siw_check_mem().
 * - Write into the slot of a command in progress.  The target trusts nothing in
 *   a slot.  So the host changes the data of that write, the data of a read on
 *   its way back, or the message with its own responses (coalesce.c): in all three
 *   cases its own data.  Into a slot it can write only one command's data, but it
 *   may name one part of the window in several commands: they then write the
 *   same data, which it could have sent for each.  But a device that needs
 *   stable pages may damage more than these blocks, such as the parity of a
 *   stripe or a checksum.  Such a device gets data from the pool, whether it was
 *   written ahead or pulled: a host has no access to it (read_mr.c).  Two gaps
 *   are left:
 *   - A device that begins to need stable pages later still has the slots and
 *     the parts of the window that it was given before.
 *   - A device that verifies what it reads in our pages (dm-integrity,
 *     dm-verity) can be made to find a fault.  These two check again in memory
 *     of their own before they report it (6.1.192, 7.2).
 *
 * What can a network do with it?  Nothing.  An RDMA WRITE that arrives again,
 * maybe after its tag was reused, is not executed again.  In RXE check_psn()
 * passes it to duplicate_request(), which acknowledges and drops it (6.1, 7.2).
 * On iWARP TCP delivers every byte once.  A response that is retransmitted from
 * a slot with newer data in it is a duplicate, which the host's device drops.
 */
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include "../../compat/mr.h"
#include "command.h"

static bool push = true;
module_param(push, bool, 0644);
MODULE_PARM_DESC(push, "Let hosts write small data into the target's buffers by themselves");

/**
 * rblkt_push_limits - may hosts push, and how many slots can they have?
 * @dev: the RDMA device of the connection
 * @limits: slot_size and slots are set, and the feature is added
 *
 * Where the device registers pages larger than slots, hosts can't push: a
 * region consists of whole pages.
 *
 * Context: any.
 */
void rblkt_push_limits(const struct ib_device *dev, struct rblkt_limits *limits)
{
	u32 page = compat_mr_page(dev->attrs.page_size_cap, PAGE_SIZE);

	limits->slot_size = 0;
	limits->slots = 0;
	if (!READ_ONCE(push) || !page || page > RBLKT_SLOT_SIZE)
		return;
	limits->features |= RBLK_FEAT_WRITE_PUSH;
	limits->slot_size = RBLKT_SLOT_SIZE;
	limits->slots = min_t(u32, RBLKT_NR_SLOTS,
			      dev->attrs.max_fast_reg_page_list_len /
			      (RBLKT_SLOT_SIZE / page));
}

static int push_map_slots(struct rblkt_conn *conn, struct scatterlist *sg)
{
	struct rblkt_io *io = rblkt_io_of(conn);
	u32 i, nr = io->conn.grant.slots;
	struct ib_mr *mr;

	sg_init_table(sg, nr);
	for (i = 0; i < nr; i++) {
		sg_set_buf(&sg[i], io->cmds[i].slot, RBLKT_SLOT_SIZE);
		sg_dma_address(&sg[i]) = io->cmds[i].slot_dma;
		sg_dma_len(&sg[i]) = RBLKT_SLOT_SIZE;
	}
	mr = ib_alloc_mr(conn->pd, IB_MR_TYPE_MEM_REG,
			 nr * (RBLKT_SLOT_SIZE / conn->mr_page));
	if (IS_ERR(mr))
		return PTR_ERR(mr);
	io->slots_mr = mr;
	if (ib_map_mr_sg(mr, sg, nr, NULL, conn->mr_page) != nr)
		return -EINVAL;
	/* Don't tell the host where the slots are in our memory. */
	mr->iova = (u64)conn->qid << 32;
	return 0;
}

/**
 * rblkt_push_map - make the region of a connection's slots, if it may push
 * @conn: with its slots mapped; undone by rblkt_push_unmap()
 *
 * If the device has no region left, the connection loses the feature but works.
 *
 * Context: process; may sleep.
 */
void rblkt_push_map(struct rblkt_conn *conn)
{
	struct scatterlist *sg;
	int ret = -ENOMEM;

	if (!conn->grant.slot_size)
		return;
	sg = kvcalloc(conn->grant.slots, sizeof(*sg), GFP_KERNEL);
	if (sg)
		ret = push_map_slots(conn, sg);
	kvfree(sg);
	if (!ret)
		return;
	rblkt_push_unmap(conn);
	conn->grant.features &= ~RBLK_FEAT_WRITE_PUSH;
	conn->grant.slot_size = 0;
	conn->grant.slots = 0;
}

/**
 * rblkt_push_unmap - undo rblkt_push_map()
 * @conn: with no queue pair any more, its slots still mapped
 *
 * Context: process; may sleep.
 */
void rblkt_push_unmap(struct rblkt_conn *conn)
{
	struct rblkt_io *io = rblkt_io_of(conn);

	if (io->slots_mr)
		ib_dereg_mr(io->slots_mr);
	io->slots_mr = NULL;
}

/**
 * rblkt_push_register - let the host write to a region
 * @conn: has just been bound
 * @mr: mapped
 *
 * Context: process; does not sleep.
 */
void rblkt_push_register(struct rblkt_conn *conn, struct ib_mr *mr)
{
	struct ib_reg_wr reg = {
		.wr.wr_cqe = &conn->plain_cqe,
		.wr.opcode = IB_WR_REG_MR,
		.mr = mr,
		.key = mr->rkey,
		.access = IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE,
	};

	spin_lock_irq(&conn->lock);
	conn->tx.v[RBLK_CNT_REGISTRATIONS]++;
	rblkt_queue_post(conn, &reg.wr, &reg.wr, 1);
	spin_unlock_irq(&conn->lock);
}

/**
 * rblkt_push_grant - give the host access to the slots, and tell it
 * @conn: has just been bound
 * @reply: its header is filled in, the rest zero
 *
 * The registration precedes the reply in the send queue, so the region is valid
 * when the host reads the reply.
 *
 * Context: process; does not sleep.
 */
void rblkt_push_grant(struct rblkt_conn *conn,
		      struct rblk_wire_bind_reply *reply)
{
	struct ib_mr *mr = rblkt_io_of(conn)->slots_mr;

	if (!mr)
		return;
	reply->slot_addr = cpu_to_le64(mr->iova);
	reply->slot_rkey = cpu_to_le32(mr->rkey);
	reply->slot_size = cpu_to_le16(conn->grant.slot_size);
	reply->slots = cpu_to_le16(conn->grant.slots);
	rblkt_push_register(conn, mr);
}

/**
 * rblkt_push_arrived - prepare pushed data for the backing device
 * @cmd: any command; without pushed data nothing happens
 *
 * If the command has chunks, its data is copied there.
 *
 * Context: any.
 */
void rblkt_push_arrived(struct rblkt_cmd *cmd)
{
	u32 len = le32_to_cpu(cmd->wire.length);

	if (!rblkt_push_has(cmd))
		return;
	ib_dma_sync_single_for_cpu(cmd->conn->dev, cmd->slot_dma, len,
				   DMA_BIDIRECTIONAL);
	if (cmd->chunks)
		memcpy(page_address(cmd->chunks->page), cmd->slot, len);
}

/**
 * rblkt_push_clean - hand a slot back to the HCA
 * @cmd: a failed read of a LIVE connection
 *
 * Otherwise cache lines dirtied by the backing device could be written back
 * over the data that is pushed there next.  All other uses of a slot sync it.
 *
 * Context: any, with conn->lock held.
 */
void rblkt_push_clean(const struct rblkt_cmd *cmd)
{
	if (!cmd->slot || !cmd->conn->grant.slot_size)
		return;
	ib_dma_sync_single_for_device(cmd->conn->dev, cmd->slot_dma,
				      RBLKT_SLOT_SIZE, DMA_BIDIRECTIONAL);
}
