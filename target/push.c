// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pushed writes: a host writes a command's data into its tag's slot by RDMA and
 * then sends the command, which can share a message with others.
 *
 * All slots of an I/O connection are one memory region, which the host may
 * write.  Its addresses begin at the connection's number and have nothing to do
 * with ours.  It is in the session's protection domain, so what reaches it is a
 * queue pair of the same epoch of the same host, and it goes when the queue pair
 * has: until then all of it is memory that the HCA may write anyway.
 *
 * What a host can do with it:
 *
 * - Write beyond it, or under another key.  That ends its connection: in RXE
 *   check_rkey() asks lookup_mr() for key, domain and right and mr_check_range()
 *   for the bounds, and do_class_ac_error() takes the queue pair into the error
 *   state (6.1, 7.2); in SIW siw_proc_write() does so by siw_check_mem().
 * - Write into the slot of a command that is at work.  We believe nothing that
 *   is in a slot.  So it is the data of that write that changes, that of a read
 *   on its way back, or the message in which the host is answered (share.c): its
 *   own in all three cases.  But a device that wants stable pages may spoil more
 *   than these blocks, a stripe's parity or a checksum: there data goes to the
 *   device from the pool, whether it was pushed or pulled.  On iWARP that is no
 *   help against malice, as the pool is the sink of RDMA READ, see sink.c.  A
 *   device that comes to want it later still has what it was given before.  And
 *   a device that checks what it reads in our pages (dm-integrity, dm-verity) can
 *   be made to find a fault; these check again in memory of their own (6.1.192,
 *   7.2) before they say so.
 *
 * What a network can do with it: nothing.  An RDMA WRITE that arrives again,
 * maybe when its tag has been used anew, is not carried out again.  In RXE
 * check_psn() sends it to duplicate_request(), which acknowledges it and drops
 * it (6.1, 7.2); on iWARP TCP delivers every byte once.  And an answer that is
 * sent again from a slot with newer data in it is a duplicate for the host.
 */
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include "pool.h"
#include "push.h"

#define PAGES_PER_SLOT	(RBLKT_SLOT_SIZE >> PAGE_SHIFT)

static bool push = true;
module_param(push, bool, 0644);
MODULE_PARM_DESC(push, "Let hosts write small data into the target's buffers by themselves");

/**
 * rblkt_push_limits - may hosts push, and how many slots can they have?
 * @dev: the device that they come by
 * @limits: filled in; its features are set already
 *
 * Not where pages are larger than slots: a region is of whole pages.
 */
void rblkt_push_limits(const struct ib_device *dev, struct rblkt_limits *limits)
{
	limits->slot_size = 0;
	limits->max_slots = 0;
	if (!READ_ONCE(push) || !PAGES_PER_SLOT)
		return;
	limits->features |= RBLK_FEAT_WRITE_PUSH;
	limits->slot_size = RBLKT_SLOT_SIZE;
	limits->max_slots = dev->attrs.max_fast_reg_page_list_len /
			    max_t(u32, PAGES_PER_SLOT, 1);
}

static int map_slots(struct rblkt_conn *conn, struct scatterlist *sg)
{
	u32 i, nr = conn->nr_cmds;
	struct ib_mr *mr;

	sg_init_table(sg, nr);
	for (i = 0; i < nr; i++) {
		sg_set_buf(&sg[i], conn->cmds[i].slot, RBLKT_SLOT_SIZE);
		sg_dma_address(&sg[i]) = conn->cmds[i].slot_dma;
		sg_dma_len(&sg[i]) = RBLKT_SLOT_SIZE;
	}
	mr = ib_alloc_mr(conn->pd, IB_MR_TYPE_MEM_REG, nr * PAGES_PER_SLOT);
	if (IS_ERR(mr))
		return PTR_ERR(mr);
	conn->slots_mr = mr;
	if (ib_map_mr_sg(mr, sg, nr, NULL, PAGE_SIZE) != nr)
		return -EINVAL;
	/* Where they are is none of the host's business. */
	mr->iova = (u64)conn->qid << 32;
	return 0;
}

/**
 * rblkt_push_map - make the region of a connection's slots, if it is to have one
 * @conn: with its slots mapped; undone by rblkt_push_unmap()
 *
 * A device that has no region left costs the feature and not the connection.
 */
void rblkt_push_map(struct rblkt_conn *conn)
{
	struct scatterlist *sg;
	int ret = -ENOMEM;

	if (!conn->qid || !conn->grant.slot_size)
		return;
	sg = kvcalloc(conn->nr_cmds, sizeof(*sg), GFP_KERNEL);
	if (sg)
		ret = map_slots(conn, sg);
	kvfree(sg);
	if (!ret)
		return;
	rblkt_push_unmap(conn);
	conn->grant.features &= ~RBLK_FEAT_WRITE_PUSH;
	conn->grant.slot_size = 0;
}

/**
 * rblkt_push_unmap - undo rblkt_push_map()
 * @conn: with no queue pair any more, its slots still mapped
 */
void rblkt_push_unmap(struct rblkt_conn *conn)
{
	if (conn->slots_mr)
		ib_dereg_mr(conn->slots_mr);
	conn->slots_mr = NULL;
}

/**
 * rblkt_push_grant - let the host have the slots, and tell it
 * @conn: has just been bound
 * @reply: zeroed but for its header; whoever reads it finds the region valid,
 *         as the registration is ahead of it in the send queue
 */
void rblkt_push_grant(struct rblkt_conn *conn,
		      struct rblk_wire_bind_reply *reply)
{
	struct ib_mr *mr = conn->slots_mr;
	struct ib_reg_wr reg = {
		.wr.wr_cqe = &conn->plain_cqe,
		.wr.opcode = IB_WR_REG_MR,
		.mr = mr,
		.access = IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE,
	};

	if (!mr)
		return;
	reg.key = mr->rkey;
	reply->slot_addr = cpu_to_le64(mr->iova);
	reply->slot_rkey = cpu_to_le32(mr->rkey);
	reply->slot_size = cpu_to_le32(conn->grant.slot_size);
	spin_lock_irq(&conn->lock);
	conn->tx.v[RBLK_CNT_REGISTRATIONS]++;
	rblkt_queue_post(conn, &reg.wr, &reg.wr, 1);
	spin_unlock_irq(&conn->lock);
}

/**
 * rblkt_push_arrived - a command is about to be handed to its device
 * @cmd: any; if its data was pushed and has chunks it is copied there
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
 * @cmd: a read that has failed, its connection locked and LIVE
 *
 * Or what the device left of it in a cache could be written back on top of what
 * is pushed there next.  All other uses of slots hand them back by themselves.
 */
void rblkt_push_clean(const struct rblkt_cmd *cmd)
{
	if (!cmd->conn->grant.slot_size || cmd->chunks)
		return;
	ib_dma_sync_single_for_device(cmd->conn->dev, cmd->slot_dma,
				      RBLKT_SLOT_SIZE, DMA_BIDIRECTIONAL);
}
