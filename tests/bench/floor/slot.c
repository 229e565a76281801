// SPDX-License-Identifier: GPL-2.0-only
/* Memory of both ends: a slot per I/O, two receive buffers per slot. */
#include <linux/gfp.h>
#include <linux/slab.h>
#include "floor.h"

static void on_receive(struct ib_cq *cq, struct ib_wc *wc)
{
	struct floor_buffer *buffer = container_of(wc->wr_cqe,
						   struct floor_buffer, cqe);

	if (wc->status == IB_WC_SUCCESS)
		buffer->end->receive(buffer->end, buffer, wc);
	else if (wc->status != IB_WC_WR_FLUSH_ERR)
		floor_fail(buffer->end->run, ib_wc_status_msg(wc->status), -EIO);
}

static void on_silent(struct ib_cq *cq, struct ib_wc *wc)
{
	struct floor_end *end = container_of(wc->wr_cqe, struct floor_end,
					     silent);

	if (wc->status != IB_WC_SUCCESS && wc->status != IB_WC_WR_FLUSH_ERR)
		floor_fail(end->run, ib_wc_status_msg(wc->status), -EIO);
}

/**
 * floor_buffer_post - give a receive buffer to the provider
 * @buffer: the buffer
 *
 * Return: 0 or a negative errno.
 */
int floor_buffer_post(struct floor_buffer *buffer)
{
	struct floor_end *end = buffer->end;
	struct ib_sge sge = {
		.addr = buffer->dma,
		.length = floor_message(end->run),
		.lkey = end->pd->local_dma_lkey,
	};
	struct ib_recv_wr wr = {
		.wr_cqe = &buffer->cqe,
		.sg_list = &sge,
		.num_sge = 1,
	};

	return ib_post_recv(end->id->qp, &wr, NULL);
}

static void *map(struct floor_end *end, u32 length, u64 *dma)
{
	struct ib_device *dev = end->id->device;
	void *p = alloc_pages_exact(length, GFP_KERNEL | __GFP_ZERO);

	if (!p)
		return NULL;
	*dma = ib_dma_map_single(dev, p, length, DMA_BIDIRECTIONAL);
	if (!ib_dma_mapping_error(dev, *dma))
		return p;
	free_pages_exact(p, length);
	return NULL;
}

static void unmap(struct floor_end *end, void *p, u32 length, u64 dma)
{
	if (!p)
		return;
	ib_dma_unmap_single(end->id->device, dma, length, DMA_BIDIRECTIONAL);
	free_pages_exact(p, length);
}

/* The client's pages are what a request has: one by one. */
static int alloc_pages_of(struct floor_slot *slot)
{
	struct ib_device *dev = slot->end->id->device;
	u32 i, pages = slot->end->run->pages;

	slot->sgl = kcalloc(pages, sizeof(*slot->sgl), GFP_KERNEL);
	if (!slot->sgl)
		return -ENOMEM;
	sg_init_table(slot->sgl, pages);
	for (i = 0; i < pages; i++) {
		struct page *page = alloc_page(GFP_KERNEL);

		if (!page)
			return -ENOMEM;
		sg_set_page(&slot->sgl[i], page, PAGE_SIZE, 0);
	}
	if (ib_dma_map_sg(dev, slot->sgl, pages, DMA_BIDIRECTIONAL) != pages)
		return -EIO;
	slot->page_dma = sg_dma_address(slot->sgl);
	return 0;
}

static int alloc_mr(struct floor_slot *slot)
{
	slot->mr = ib_alloc_mr(slot->end->pd, IB_MR_TYPE_MEM_REG,
			       slot->end->run->pages);
	if (!IS_ERR(slot->mr))
		return 0;
	slot->mr = NULL;
	return -ENOMEM;
}

static int alloc_moves(struct floor_slot *slot)
{
	slot->moves = kcalloc(floor_moves(slot->end), sizeof(*slot->moves),
			      GFP_KERNEL);
	slot->elements = kcalloc(slot->end->run->pages, sizeof(*slot->elements),
				 GFP_KERNEL);
	return slot->moves && slot->elements ? 0 : -ENOMEM;
}

static int alloc_client(struct floor_slot *slot)
{
	int err = alloc_pages_of(slot);

	if (!err && floor_registers(slot->end->run))
		err = alloc_mr(slot);
	if (!err && floor_moves(slot->end))
		err = alloc_moves(slot);
	return err;
}

static int alloc_server(struct floor_slot *slot)
{
	struct floor_end *end = slot->end;

	slot->data = map(end, end->run->size, &slot->data_dma);
	if (!slot->data)
		return -ENOMEM;
	/* What is pushed to, or the sink of an iWARP READ, is a region. */
	if (end->run->pattern == FLOOR_PUSH ||
	    (end->run->pattern == FLOOR_PULL &&
	     rdma_protocol_iwarp(end->id->device, end->id->port_num)))
		return alloc_mr(slot);
	return 0;
}

static int alloc_buffers(struct floor_end *end)
{
	u32 i, n = end->run->depth * 2, length = floor_message(end->run);
	int err;

	end->buffers = kcalloc(n, sizeof(*end->buffers), GFP_KERNEL);
	if (!end->buffers)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		struct floor_buffer *buffer = &end->buffers[i];

		buffer->end = end;
		buffer->cqe.done = on_receive;
		buffer->data = map(end, length, &buffer->dma);
		if (!buffer->data)
			return -ENOMEM;
		err = floor_buffer_post(buffer);
		if (err)
			return err;
	}
	return 0;
}

/**
 * floor_slots_alloc - memory of one end, its receive buffers posted
 * @end: has its queue pair
 *
 * Return: 0 or a negative errno; floor_slots_free() follows in any case.
 */
int floor_slots_alloc(struct floor_end *end)
{
	struct floor_run *run = end->run;
	u32 i;
	int err;

	end->silent.done = on_silent;
	end->slots = kcalloc(run->depth, sizeof(*end->slots), GFP_KERNEL);
	if (!end->slots)
		return -ENOMEM;
	for (i = 0; i < run->depth; i++) {
		struct floor_slot *slot = &end->slots[i];

		slot->end = end;
		slot->tag = i;
		slot->command = map(end, floor_message(run),
				    &slot->command_dma);
		if (!slot->command)
			return -ENOMEM;
		if (!run->pages)
			continue;
		err = end == &run->client ? alloc_client(slot) :
					    alloc_server(slot);
		if (err)
			return err;
	}
	return alloc_buffers(end);
}

static void free_pages_of(struct floor_slot *slot)
{
	u32 i, pages = slot->end->run->pages;

	if (slot->page_dma)
		ib_dma_unmap_sg(slot->end->id->device, slot->sgl, pages,
				DMA_BIDIRECTIONAL);
	for (i = 0; slot->sgl && i < pages; i++)
		if (sg_page(&slot->sgl[i]))
			__free_page(sg_page(&slot->sgl[i]));
	kfree(slot->sgl);
	kfree(slot->moves);
	kfree(slot->elements);
}

/**
 * floor_slots_free - free what floor_slots_alloc() made, all or some
 * @end: its queue pair is drained
 */
void floor_slots_free(struct floor_end *end)
{
	u32 i, length = floor_message(end->run);

	for (i = 0; end->slots && i < end->run->depth; i++) {
		struct floor_slot *slot = &end->slots[i];

		if (!slot->end)
			break;
		if (slot->mr)
			ib_dereg_mr(slot->mr);
		unmap(end, slot->command, length, slot->command_dma);
		unmap(end, slot->data, end->run->size, slot->data_dma);
		free_pages_of(slot);
	}
	for (i = 0; end->buffers && i < end->run->depth * 2; i++)
		unmap(end, end->buffers[i].data, length, end->buffers[i].dma);
	kfree(end->slots);
	kfree(end->buffers);
}
