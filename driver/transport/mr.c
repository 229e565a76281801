// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory registrations (MRs) of an I/O connection.
 *
 * Each tag has an MR for requests of up to RBLK_SMALL_PAGES pages, which is
 * nearly all of them.  The connection's tags share a few larger MRs: one of
 * full size for each tag would waste many megabytes.
 *
 * An MR goes through three states, which no field records.  It is unmapped
 * before its first use, and after its rkey is invalidated: by the target's SEND
 * with invalidate, checked against the rkey, or after an immediate by a local
 * invalidation.  ib_map_mr_sg() makes it mapped, the posted REG request valid.
 * Only an unmapped MR is mapped.  If a command ends without such an
 * invalidation, its connection is drained and destroys the command's MR; the
 * pool keeps the others for the next epoch.  A valid MR is never reused.
 */
#include <linux/sched/mm.h>
#include "transport.h"

/**
 * rblk_mr_shape() - what an I/O connection's pool has to hold
 * @conn: with its device's capabilities and its final offer
 *
 * Context: any.
 * Return: the small MR of each tag, then the large ones.  None for the control
 * connection.
 */
struct rblk_pool_shape rblk_mr_shape(const struct rblk_conn *conn)
{
	if (!conn->offer.qid)
		return (struct rblk_pool_shape){};
	return (struct rblk_pool_shape){
		.nr = conn->offer.depth + RBLK_LARGE_PER_CONN,
		.nr_small = conn->offer.depth,
		.small = rblk_limits_small_pages(&conn->caps, conn->offer.max_io),
		.large = rblk_limits_large_pages(&conn->caps, conn->offer.max_io),
	};
}

static int mr_from_pool(struct rblk_conn *conn, u32 i, struct ib_mr **mr)
{
	struct ib_mr *new = rblk_pool_mr(conn->pool, i);

	if (IS_ERR(new))
		return PTR_ERR(new);
	*mr = new;
	return 0;
}

static int mr_make_large(struct rblk_conn *conn, u32 i)
{
	struct rblk_large *large = &conn->large[i];

	rblk_share_add_large(conn, large);
	return mr_from_pool(conn, conn->offer.depth + i, &large->mr);
}

/**
 * rblk_mr_pool_init() - get the MRs of an I/O connection
 * @conn: with its open pool, slots and offer
 *
 * Context: may sleep.
 * Return: 0 or a negative errno; rblk_mr_pool_exit() undoes this, too.
 */
int rblk_mr_pool_init(struct rblk_conn *conn)
{
	int ret = 0;
	u32 i;

	conn->large = kcalloc(RBLK_LARGE_PER_CONN, sizeof(*conn->large),
			      GFP_KERNEL);
	if (!conn->large)
		return -ENOMEM;
	for (i = 0; i < conn->offer.depth && !ret; i++)
		ret = mr_from_pool(conn, i, &conn->slots[i].mr);
	for (i = 0; i < RBLK_LARGE_PER_CONN && !ret; i++)
		ret = mr_make_large(conn, i);
	return ret;
}

/**
 * rblk_mr_pool_exit() - undo rblk_mr_pool_init(), or as much as it did
 * @conn: drained, its queue pair destroyed, every slot returned its large MR
 *
 * Context: may sleep.
 */
void rblk_mr_pool_exit(struct rblk_conn *conn)
{
	u32 i;

	for (i = 0; conn->slots && i < conn->offer.depth; i++)
		if (conn->slots[i].stale || conn->slots[i].busy)
			rblk_pool_drop(conn->pool, i);
	for (i = 0; conn->large && i < RBLK_LARGE_PER_CONN; i++)
		if (conn->large[i].stale)
			rblk_pool_drop(conn->pool, conn->offer.depth + i);
	kfree(conn->large);
	conn->large = NULL;
}

/**
 * rblk_mr_doubt() - note that a slot's MR may stay valid
 * @slot: its command ends, and nothing has invalidated its rkey
 *
 * Context: any.
 */
void rblk_mr_doubt(struct rblk_slot *slot)
{
	if (!slot->rkey)
		return;
	if (slot->large)
		slot->large->stale = true;
	else
		slot->stale = true;
}

/**
 * rblk_mr_map() - prepare the registration of a slot's mapped pages
 * @slot: its scatter list is DMA-mapped and has @slot->length bytes
 * @access: IB_ACCESS_* for the target
 *
 * Fills in @slot->reg, to be posted ahead of the command, and @slot->rkey.
 *
 * Context: any; may sleep where caps.map_sleeps says so.
 * Return: 0; -EINVAL if one registration can't describe the list; -ENOMEM.
 */
int rblk_mr_map(struct rblk_slot *slot, int access)
{
	struct ib_mr *mr = slot->large ? slot->large->mr : slot->mr;
	const struct rblk_caps *caps = &slot->conn->caps;
	unsigned int noio = 0;
	int nr;

	/* To free memory the kernel may need I/O that waits for this request. */
	if (caps->map_sleeps)
		noio = memalloc_noio_save();
	nr = ib_map_mr_sg(mr, slot->sgl, slot->nents, NULL, caps->mr_page);
	if (caps->map_sleeps)
		memalloc_noio_restore(noio);
	if (!nr && caps->map_sleeps)
		return -ENOMEM;
	if (nr < slot->nents || mr->length != slot->length)
		return -EINVAL;
	ib_update_fast_reg_key(mr, ib_inc_rkey(mr->rkey));
	slot->rkey = mr->rkey;
	slot->reg.wr.opcode = IB_WR_REG_MR;
	slot->reg.wr.wr_cqe = &slot->conn->quiet_cqe;
	slot->reg.wr.num_sge = 0;
	slot->reg.wr.send_flags = 0;
	slot->reg.wr.next = &slot->send;
	slot->reg.mr = mr;
	slot->reg.key = mr->rkey;
	slot->reg.access = access;
	return 0;
}
