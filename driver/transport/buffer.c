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

static int map_buffer(struct rblk_conn *conn, void *buf, size_t bytes, u64 *dma,
		      enum dma_data_direction dir)
{
	*dma = ib_dma_map_single(conn->device, buf, bytes, dir);
	return ib_dma_mapping_error(conn->device, *dma) ? -ENOMEM : 0;
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
static int alloc_recv(struct rblk_conn *conn, u32 nr)
{
	struct rblk_recv *recv = &conn->recv[nr];
	u32 place = nr % recvs_per_block(conn);
	u32 left = min(conn->nr_recv - nr, recvs_per_block(conn));

	recv->conn = conn;
	if (place)
		recv->buf = recv[-1].buf + recv_stride(conn);
	else
		recv->buf = kzalloc(left * recv_stride(conn), GFP_KERNEL);
	if (!recv->buf)
		return -ENOMEM;
	if (!map_buffer(conn, recv->buf, conn->recv_size, &recv->dma,
			DMA_FROM_DEVICE))
		return 0;
	if (!place)
		kfree(recv->buf);
	return -ENOMEM;
}

static void free_receives(struct rblk_conn *conn, u32 nr)
{
	while (nr--) {
		ib_dma_unmap_single(conn->device, conn->recv[nr].dma,
				    conn->recv_size, DMA_FROM_DEVICE);
		if (nr % recvs_per_block(conn) == 0)
			kfree(conn->recv[nr].buf);
	}
	kvfree(conn->recv);
}

static int alloc_receives(struct rblk_conn *conn)
{
	int ret;
	u32 i;

	conn->recv = kvcalloc(conn->nr_recv, sizeof(*conn->recv), GFP_KERNEL);
	if (!conn->recv)
		return -ENOMEM;
	for (i = 0; i < conn->nr_recv; i++) {
		ret = alloc_recv(conn, i);
		if (ret) {
			free_receives(conn, i);
			return ret;
		}
	}
	return 0;
}

static int alloc_message(struct rblk_conn *conn)
{
	int ret;

	conn->msg = kzalloc(RBLK_WIRE_CTRL_MAX, GFP_KERNEL);
	if (!conn->msg)
		return -ENOMEM;
	ret = map_buffer(conn, conn->msg, RBLK_WIRE_CTRL_MAX, &conn->msg_dma,
			 DMA_TO_DEVICE);
	if (ret)
		kfree(conn->msg);
	return ret;
}

static void free_message(struct rblk_conn *conn)
{
	ib_dma_unmap_single(conn->device, conn->msg_dma, RBLK_WIRE_CTRL_MAX,
			    DMA_TO_DEVICE);
	kfree(conn->msg);
}

static int init_slot(struct rblk_conn *conn, u16 tag)
{
	struct rblk_slot *slot = &conn->slots[tag];
	u32 bytes = conn->offer.inline_write;

	slot->conn = conn;
	slot->tag = tag;
	slot->dir = DMA_NONE;
	slot->inv_cqe.done = rblk_io_invalidated;
	slot->sge[0].addr = conn->wire_dma + tag * RBLK_WIRE_DATA_OFFSET;
	slot->sge[0].lkey = conn->pd->local_dma_lkey;
	sg_init_table(slot->small, RBLK_SMALL_PAGES);
	if (!bytes)
		return 0;
	slot->bounce = kmalloc(bytes, GFP_KERNEL);
	if (!slot->bounce)
		return -ENOMEM;
	if (map_buffer(conn, slot->bounce, bytes, &slot->bounce_dma,
		       DMA_TO_DEVICE)) {
		kfree(slot->bounce);
		return -ENOMEM;
	}
	slot->sge[1].addr = slot->bounce_dma;
	slot->sge[1].lkey = conn->pd->local_dma_lkey;
	return 0;
}

static void exit_slots(struct rblk_conn *conn, u32 nr)
{
	u32 bytes = conn->offer.inline_write;

	while (bytes && nr--) {
		ib_dma_unmap_single(conn->device, conn->slots[nr].bounce_dma,
				    bytes, DMA_TO_DEVICE);
		kfree(conn->slots[nr].bounce);
	}
	kvfree(conn->slots);
	conn->slots = NULL;
}

static int init_slots(struct rblk_conn *conn)
{
	int ret = -ENOMEM;
	u32 i;

	conn->slots = kvcalloc(conn->offer.depth, sizeof(*conn->slots), GFP_KERNEL);
	if (!conn->slots)
		return ret;
	for (i = 0; i < conn->offer.depth; i++) {
		ret = init_slot(conn, i);
		if (ret)
			goto err_exit_slots;
	}
	ret = rblk_mr_pool_init(conn);
	if (!ret)
		return 0;
err_exit_slots:
	exit_slots(conn, i);
	return ret;
}

static int alloc_slots(struct rblk_conn *conn)
{
	size_t bytes = conn->offer.depth * RBLK_WIRE_DATA_OFFSET;
	int ret = -ENOMEM;

	conn->wire = kzalloc(bytes, GFP_KERNEL);
	if (!conn->wire)
		return ret;
	ret = map_buffer(conn, conn->wire, bytes, &conn->wire_dma, DMA_TO_DEVICE);
	if (ret)
		goto err_free_wire;
	ret = rblk_push_alloc(conn);
	if (ret)
		goto err_unmap_wire;
	ret = init_slots(conn);
	if (!ret)
		return 0;
	rblk_push_free(conn);
err_unmap_wire:
	ib_dma_unmap_single(conn->device, conn->wire_dma, bytes, DMA_TO_DEVICE);
err_free_wire:
	kfree(conn->wire);
	return ret;
}

static void free_slots(struct rblk_conn *conn)
{
	rblk_mr_pool_exit(conn);
	exit_slots(conn, conn->offer.depth);
	rblk_push_free(conn);
	ib_dma_unmap_single(conn->device, conn->wire_dma,
			    conn->offer.depth * RBLK_WIRE_DATA_OFFSET,
			    DMA_TO_DEVICE);
	kfree(conn->wire);
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

	ret = alloc_message(conn);
	if (ret)
		return ret;
	ret = alloc_receives(conn);
	if (ret)
		goto err_free_message;
	if (!conn->offer.qid)
		return 0;
	ret = alloc_slots(conn);
	if (!ret)
		return 0;
	free_receives(conn, conn->nr_recv);
err_free_message:
	free_message(conn);
	return ret;
}

/**
 * rblk_buf_free() - undo rblk_buf_alloc()
 * @conn: drained, its queue pair destroyed
 *
 * Context: may sleep.
 */
void rblk_buf_free(struct rblk_conn *conn)
{
	if (conn->slots)
		free_slots(conn);
	free_receives(conn, conn->nr_recv);
	free_message(conn);
}
