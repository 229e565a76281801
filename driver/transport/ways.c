// SPDX-License-Identifier: GPL-2.0-only
/*
 * The way that a command's data takes.  It is chosen here and nowhere else.
 *
 * The first row that fits is taken.  The last column says what a row saves,
 * beside RDMA.
 *
 *   op     bytes, at most      where               way        saves
 *   WRITE  grant.inline_write  where the slot has  inline     registration, RDMA READ,
 *                              a bounce buffer                invalidation; costs a copy
 *    "     grant.slot_size     with others, where  pushed     likewise, and messages;
 *                              the tag has a slot             costs an RDMA WRITE
 *                              at the target
 *   WRITE  window, if there    everywhere          window     registration, a round trip,
 *          is a range; 16 KiB                                 invalidation; costs an
 *          where the device                                   RDMA WRITE and its completion
 *          needs stable data
 *   READ   grant.inline_read   SIW, or the user    inline     registration, RDMA WRITE,
 *                              wants it                       invalidation; costs a copy
 *   READ   any, 31 of 32,      where the device    immediate  the response; costs a local
 *          without a digest    has immediates                 invalidation
 *   both   any                 everywhere          RDMA       -
 *
 * Data in the memory of another PCI device never goes inline: way_may_copy().
 *
 * The first RBLK_BOUNCES tags have bounce buffers.  More small writes than that are out
 * only where there are many at a time, and then the buffers would take half of the
 * connection's memory.
 *
 * Small writes could be sent from the request's own pages.  That was measured:
 * on RXE the response overtakes the send completion in 4 of 10 writes, and the
 * wakeups for that cost far more than copying 4 KiB.
 *
 * docs/performance.md has the figures.
 */
#include <linux/memremap.h>
#include <linux/moduleparam.h>
#include "transport.h"

static int read_imm = -1;
module_param(read_imm, int, 0644);
MODULE_PARM_DESC(read_imm, "have reads answered by RDMA WRITE with immediate: 1, 0, or -1 where that is known to be cheaper");

static int gather = -1;
module_param(gather, int, 0644);
MODULE_PARM_DESC(gather, "hold commands while one before has not left, so that they share messages: 1, 0, or -1 where that is known to be cheaper: everywhere");

static int push = -1;
module_param(push, int, 0644);
MODULE_PARM_DESC(push, "RDMA WRITE the data of small writes that leave together: 1, 0, or -1 where that is known to be cheaper: everywhere");

static int window = -1;
module_param(window, int, 0644);
MODULE_PARM_DESC(window, "RDMA WRITE the data of larger writes into memory that the target has granted: 1, 0, or -1 where that is known to be cheaper: everywhere");

/*
 * What is known to be cheaper on some devices only; what is everywhere has no
 * column.
 *
 * And what no attribute tells.  hns has fast registration but not the local
 * invalidation that goes with it, and allocates memory when it maps one
 * (hns_roce_hw_v2.c, hns_roce_mr.c; 6.1, 7.2).
 */
static const struct rblk_device_ways {
	enum rdma_driver_id driver;
	bool immediate;		/* of reads */
	u32 inline_read;	/* bytes, at most */
	bool no_local_inv;	/* a work request that it lacks */
	bool map_sleeps;	/* ib_map_mr_sg() does */
	bool late_reader;	/* see rblk_conn_zero_write() */
} device_ways[] = {
	{ RDMA_DRIVER_RXE, .immediate = true },
	{ RDMA_DRIVER_SIW, .inline_read = 4096, .late_reader = true },
	{ RDMA_DRIVER_HNS, .no_local_inv = true, .map_sleeps = true },
};

static struct rblk_device_ways device_known_ways(const struct ib_device *device)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(device_ways); i++)
		if (device_ways[i].driver == device->ops.driver_id)
			return device_ways[i];
	return (struct rblk_device_ways){};
}

/**
 * rblk_way_caps() - which ways a connection may take
 * @conn: with its device; its @conn->caps are filled in
 *
 * A device that can't invalidate gets no immediates, even if the user wants them:
 * the first such read would end the connection.  With keys there are none, either: an
 * immediate has no MAC, and says that a read's data has come.
 *
 * Context: any.
 */
void rblk_way_caps(struct rblk_conn *conn)
{
	struct rblk_device_ways known = device_known_ways(conn->device);
	int imm = READ_ONCE(read_imm);
	struct rblk_caps *caps = &conn->caps;

	caps->iwarp = rdma_protocol_iwarp(conn->device, conn->id->port_num);
	caps->immediate = !caps->iwarp && !known.no_local_inv && !conn->sign.wanted &&
			  (imm < 0 ? known.immediate : imm);
	caps->map_sleeps = known.map_sleeps;
	caps->late_reader = known.late_reader;
	if (imm > 0 && known.no_local_inv && !conn->offer.qid)
		pr_info_ratelimited("rblk: RDMA device %s lacks local invalidation: reads do without immediates\n",
				    dev_name(&conn->device->dev));
	/* Who polls waits for each of its commands: hold none. */
	caps->hold = !conn->poll.on && READ_ONCE(gather);
	caps->inline_read = known.inline_read;
	caps->push = READ_ONCE(push);
	caps->window = READ_ONCE(window);
}

/*
 * May the processor copy the data?  Not if it is in the memory of another PCI
 * device.  That memory is mapped, so a copy would work, but it is not cached:
 * every few bytes that are read take a round trip over the bus, far more than
 * a registration costs.  And the point of such I/O is that only the RDMA device
 * touches the data.
 *
 * The block layer does not mix memory in a request, so its first page tells.
 */
static bool way_may_copy(struct rblk_slot *slot)
{
	return !slot->conn->caps.peer_memory ||
	       !is_pci_p2pdma_page(sg_page(slot->sgl));
}

/* Is the data small enough to travel with its command, and can it be copied? */
static bool way_is_inline(struct rblk_slot *slot)
{
	const struct rblk_grant *grant = &slot->conn->grant;

	if (slot->op == RBLK_OP_WRITE)
		return slot->bounce && slot->length <= grant->inline_write &&
		       way_may_copy(slot);
	return slot->length <= grant->inline_read && way_may_copy(slot);
}

/*
 * Not by tag or generation: tags are used again in no fair turn.  Who reads at the same
 * time may count as one, then one read more or less tells the times.
 */
static bool way_asks_times(struct rblk_share *share)
{
	u32 nr = READ_ONCE(share->reads) + 1;

	WRITE_ONCE(share->reads, nr);
	return rblk_limits_asks_times(nr);
}

/**
 * rblk_way_choose() - which way the data of a command takes
 * @slot: with its op, length and scatter list
 * @cmd: the command
 *
 * An inline write may still be pushed: rblk_way_pushes().  Without a range in the
 * window, or room in the send queue, a write goes by RDMA.
 *
 * Context: any.
 * Return: the way.
 */
enum rblk_way rblk_way_choose(struct rblk_slot *slot,
			      const struct rblk_command *cmd)
{
	const struct rblk_conn *conn = slot->conn;

	if (way_is_inline(slot))
		return RBLK_WAY_INLINE;
	if (slot->op == RBLK_OP_WRITE)
		return rblk_limits_window_fits(conn->window.bytes, slot->length,
					       cmd->stable) ?
		       RBLK_WAY_WINDOW : RBLK_WAY_RDMA;
	if (conn->grant.features & RBLK_FEAT_READ_IMM &&
	    !(cmd->flags & RBLK_CMDF_DIGEST) && !way_asks_times(slot->share))
		return RBLK_WAY_IMMEDIATE;
	return RBLK_WAY_RDMA;
}

/**
 * rblk_way_pushes() - push the data of an inline write that leaves with others?
 * @slot: slot of the write
 * @cmd: the write
 *
 * Where the backing device needs data that does not change (@cmd->stable), the
 * target would have to copy pushed data.  Inline data it need not copy: the
 * initiator can't change it there.
 *
 * Context: any.
 * Return: whether to push it.
 */
bool rblk_way_pushes(const struct rblk_slot *slot, const struct rblk_command *cmd)
{
	const struct rblk_push *push = &slot->conn->push;

	return slot->tag < push->slots && slot->length <= push->size && !cmd->stable;
}
