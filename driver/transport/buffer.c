// SPDX-License-Identifier: GPL-2.0-only
/*
 * Buffers and slots of a connection: all memory that its I/O needs.  It is
 * allocated and DMA-mapped before the connection is made, and freed after the
 * drain.
 */
#include <linux/dma-mapping.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include "transport.h"

/* A zeroed buffer, mapped for the device; NULL if memory is short. */
static void *buf_alloc_mapped(struct rblk_conn *conn, size_t bytes, u64 *dma)
{
	void *buf = kzalloc(bytes, GFP_KERNEL);

	if (!buf)
		return NULL;
	*dma = ib_dma_map_single(conn->device, buf, bytes, DMA_TO_DEVICE);
	if (!ib_dma_mapping_error(conn->device, *dma))
		return buf;
	kfree(buf);
	return NULL;
}

static void buf_free_mapped(struct rblk_conn *conn, void *buf, size_t bytes, u64 dma)
{
	if (!buf)
		return;
	ib_dma_unmap_single(conn->device, dma, bytes, DMA_TO_DEVICE);
	kfree(buf);
}

/* Receives share blocks of this size, as few have the size of a slab object. */
#define RECV_BLOCK	SZ_32K

static u32 recv_stride(const struct rblk_conn *conn)
{
	return ALIGN(conn->recv_size, max(dma_get_cache_alignment(), SZ_64));
}

static u32 recvs_per_block(const struct rblk_conn *conn)
{
	return max(1u, RECV_BLOCK / recv_stride(conn));
}

/* The first receive of a block allocates it for all. */
static int recv_alloc(struct rblk_conn *conn, u32 nr)
{
	struct rblk_recv *recv = &conn->recv[nr];
	u32 place = nr % recvs_per_block(conn);
	u32 left = min(conn->nr_recv - nr, recvs_per_block(conn));
	void *buf;

	recv->conn = conn;
	if (place)
		buf = recv[-1].buf + recv_stride(conn);
	else
		buf = kzalloc(left * recv_stride(conn), GFP_KERNEL);
	if (!buf)
		return -ENOMEM;
	recv->dma = ib_dma_map_single(conn->device, buf, conn->recv_size,
				      DMA_FROM_DEVICE);
	if (ib_dma_mapping_error(conn->device, recv->dma)) {
		if (!place)
			kfree(buf);
		return -ENOMEM;
	}
	recv->buf = buf;
	return 0;
}

static void recvs_free(struct rblk_conn *conn)
{
	u32 nr = conn->recv ? conn->nr_recv : 0;

	while (nr--) {
		if (!conn->recv[nr].buf)
			continue;
		ib_dma_unmap_single(conn->device, conn->recv[nr].dma,
				    conn->recv_size, DMA_FROM_DEVICE);
		if (nr % recvs_per_block(conn) == 0)
			kfree(conn->recv[nr].buf);
	}
	kvfree(conn->recv);
}

static int recvs_alloc(struct rblk_conn *conn)
{
	int ret = 0;
	u32 i;

	conn->recv = kvcalloc(conn->nr_recv, sizeof(*conn->recv), GFP_KERNEL);
	if (!conn->recv)
		return -ENOMEM;
	for (i = 0; i < conn->nr_recv && !ret; i++)
		ret = recv_alloc(conn, i);
	return ret;
}

static size_t wire_bytes(const struct rblk_conn *conn)
{
	return conn->offer.depth * RBLK_WIRE_DATA_OFFSET;
}

static int slot_init(struct rblk_conn *conn, u16 tag)
{
	struct rblk_slot *slot = &conn->slots[tag];
	u32 bytes = conn->offer.inline_write;

	slot->conn = conn;
	slot->tag = tag;
	slot->dir = DMA_NONE;
	slot->inv_cqe.done = rblk_io_invalidated;
	slot->sge[0].addr = conn->wire_dma + tag * RBLK_WIRE_DATA_OFFSET;
	slot->sge[0].lkey = conn->pd->local_dma_lkey;
	sg_init_table(slot->sgl, RBLK_SLOT_SGS);
	if (bytes && tag < RBLK_BOUNCES) {
		slot->bounce = buf_alloc_mapped(conn, bytes, &slot->bounce_dma);
		if (!slot->bounce)
			return -ENOMEM;
		slot->sge[1].addr = slot->bounce_dma;
		slot->sge[1].lkey = conn->pd->local_dma_lkey;
	}
	rblk_share_add_slot(slot);
	return 0;
}

static int slots_alloc(struct rblk_conn *conn)
{
	int ret;
	u32 i;

	conn->wire = buf_alloc_mapped(conn, wire_bytes(conn), &conn->wire_dma);
	conn->slots = kvcalloc(conn->offer.depth, sizeof(*conn->slots), GFP_KERNEL);
	if (!conn->wire || !conn->slots)
		return -ENOMEM;
	ret = rblk_message_alloc(conn) ?: rblk_scatter_alloc(conn);
	rblk_window_init(conn);
	/* The first tags are taken first. */
	for (i = conn->offer.depth; i && !ret; i--)
		ret = slot_init(conn, i - 1);
	return ret ?: rblk_mr_pool_init(conn);
}

static void slots_free(struct rblk_conn *conn)
{
	u32 nr = conn->slots ? conn->offer.depth : 0;

	rblk_mr_pool_exit(conn);
	while (nr--)
		buf_free_mapped(conn, conn->slots[nr].bounce,
				conn->offer.inline_write, conn->slots[nr].bounce_dma);
	rblk_window_free(conn);
	rblk_message_free(conn);
	rblk_scatter_free(conn);
	kvfree(conn->slots);
	conn->slots = NULL;
	buf_free_mapped(conn, conn->wire, wire_bytes(conn), conn->wire_dma);
}

/**
 * rblk_buf_alloc() - allocate a connection's buffers, slots and registrations
 * @conn: with its device, PD and sizes
 *
 * Context: may sleep.
 * Return: 0 or a negative errno, with nothing allocated.
 */
int rblk_buf_alloc(struct rblk_conn *conn)
{
	int ret;

	conn->msg = buf_alloc_mapped(conn, RBLK_WIRE_CTRL_MAX, &conn->msg_dma);
	ret = conn->msg ? recvs_alloc(conn) : -ENOMEM;
	if (!ret && conn->offer.qid)
		ret = slots_alloc(conn);
	if (ret)
		rblk_buf_free(conn);
	return ret;
}

/**
 * rblk_buf_free() - undo rblk_buf_alloc(), or as much of it as was done
 * @conn: drained, its queue pair destroyed
 *
 * Context: may sleep.
 */
void rblk_buf_free(struct rblk_conn *conn)
{
	slots_free(conn);
	recvs_free(conn);
	buf_free_mapped(conn, conn->msg, RBLK_WIRE_CTRL_MAX, conn->msg_dma);
}
