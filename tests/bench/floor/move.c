// SPDX-License-Identifier: GPL-2.0-only
/* The messages of each pattern, client above, server below. */
#include <linux/string.h>
#include "floor.h"

/* Of sends whose completion means nothing, one in so many is signalled. */
static int signal_now(struct floor_end *end)
{
	if (++end->unsignalled < FLOOR_SIGNAL)
		return 0;
	end->unsignalled = 0;
	return IB_SEND_SIGNALED;
}

static void post(struct floor_end *end, const struct ib_send_wr *wr)
{
	int err = ib_post_send(end->id->qp, wr, NULL);

	if (err)
		floor_fail(end->run, "post", err);
}

/*
 * What a message with data in it is signalled like.  SIW hands unsignalled data
 * to TCP page by page instead of copying it, which takes more instructions.
 */
static int signal_data(struct floor_end *end)
{
	return rdma_protocol_iwarp(end->id->device, end->id->port_num) ?
	       IB_SEND_SIGNALED : signal_now(end);
}

/* A message from a slot's permanent memory, after what is chained before it. */
static void send(struct floor_slot *slot, struct ib_send_wr *before,
		 u32 data, u64 data_dma, u32 invalidate)
{
	struct floor_end *end = slot->end;
	struct ib_sge sge[2] = {
		{ .addr = slot->command_dma, .length = FLOOR_HEADER,
		  .lkey = end->pd->local_dma_lkey },
		{ .addr = data_dma, .length = data,
		  .lkey = end->pd->local_dma_lkey },
	};
	struct ib_send_wr wr = {
		.wr_cqe = &end->silent,
		.sg_list = sge,
		.num_sge = data ? 2 : 1,
		.opcode = invalidate ? IB_WR_SEND_WITH_INV : IB_WR_SEND,
		.send_flags = data ? signal_data(end) : signal_now(end),
		.ex.invalidate_rkey = invalidate,
	};
	struct ib_send_wr **last = &before;

	while (*last)
		last = &(*last)->next;
	*last = &wr;
	post(end, before);
}

static int map_pages(struct floor_slot *slot, struct scatterlist *sgl,
		     u32 entries, struct ib_reg_wr *reg, int access)
{
	ib_update_fast_reg_key(slot->mr, ib_inc_rkey(slot->mr->rkey));
	if (ib_map_mr_sg(slot->mr, sgl, entries, NULL, PAGE_SIZE) != entries)
		return -EIO;
	*reg = (struct ib_reg_wr) {
		.wr = {
			.wr_cqe = &slot->end->silent,
			.opcode = IB_WR_REG_MR,
		},
		.mr = slot->mr,
		.key = slot->mr->rkey,
		.access = access,
	};
	return 0;
}

/**
 * floor_slot_register - register a server's slot that has a region, once and for all
 * @slot: the slot
 *
 * Return: 0 or a negative errno.
 */
int floor_slot_register(struct floor_slot *slot)
{
	struct scatterlist sg;
	struct ib_reg_wr reg;
	int err;

	if (!slot->mr)
		return 0;
	sg_init_one(&sg, slot->data, slot->end->run->size);
	sg_dma_address(&sg) = slot->data_dma;
	sg_dma_len(&sg) = slot->end->run->size;
	err = map_pages(slot, &sg, 1, &reg, IB_ACCESS_LOCAL_WRITE |
					    IB_ACCESS_REMOTE_WRITE);
	return err ?: ib_post_send(slot->end->id->qp, &reg.wr, NULL);
}

/* All pages into the server's slot, which the command that follows is about. */
static void push(struct floor_slot *slot)
{
	struct floor_end *end = slot->end;
	struct floor_slot *there = &end->run->server.slots[slot->tag];
	u32 i, most = floor_elements(end), pages = end->run->pages;

	for (i = 0; i < pages; i++)
		slot->elements[i] = (struct ib_sge) {
			.addr = sg_dma_address(&slot->sgl[i]),
			.length = PAGE_SIZE,
			.lkey = end->pd->local_dma_lkey,
		};
	for (i = 0; i * most < pages; i++) {
		slot->moves[i] = (struct ib_rdma_wr) {
			.wr = {
				.wr_cqe = &end->silent,
				.sg_list = &slot->elements[i * most],
				.num_sge = min(most, pages - i * most),
				.opcode = IB_WR_RDMA_WRITE,
			},
			.remote_addr = there->mr->iova +
				       (u64)i * most * PAGE_SIZE,
			.rkey = there->mr->rkey,
		};
		if (i)
			slot->moves[i - 1].wr.next = &slot->moves[i].wr;
	}
	send(slot, &slot->moves[0].wr, 0, 0, 0);
}

/**
 * floor_issue - the client begins the I/O of a slot
 * @slot: its slot, free
 */
void floor_issue(struct floor_slot *slot)
{
	struct floor_run *run = slot->end->run;
	struct ib_reg_wr reg;

	slot->command->tag = slot->tag;
	if (run->pattern == FLOOR_PUSH) {
		push(slot);
		return;
	}
	if (!floor_registers(run)) {
		send(slot, NULL, run->pattern == FLOOR_INLINE_WRITE ?
		     run->size : 0, slot->page_dma, 0);
		return;
	}
	if (map_pages(slot, slot->sgl, run->pages, &reg,
		      run->pattern == FLOOR_PULL ? IB_ACCESS_REMOTE_READ :
		      IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE)) {
		floor_fail(run, "map", -EIO);
		return;
	}
	slot->command->rkey = slot->mr->rkey;
	slot->command->address = slot->mr->iova;
	send(slot, &reg.wr, 0, 0, 0);
}

static void end_io(struct floor_slot *slot)
{
	struct floor_run *run = slot->end->run;

	if (++run->ended == run->total) {
		complete(&run->pass);
	} else if (run->issued < run->total) {
		run->issued++;
		floor_issue(slot);
	}
}

static void on_invalidated(struct ib_cq *cq, struct ib_wc *wc)
{
	struct floor_slot *slot = container_of(wc->wr_cqe, struct floor_slot,
					       cqe);

	if (wc->status == IB_WC_SUCCESS)
		end_io(slot);
	else if (wc->status != IB_WC_WR_FLUSH_ERR)
		floor_fail(slot->end->run, "invalidate", -EIO);
}

static void invalidate(struct floor_slot *slot)
{
	struct ib_send_wr wr = {
		.wr_cqe = &slot->cqe,
		.opcode = IB_WR_LOCAL_INV,
		.send_flags = IB_SEND_SIGNALED,
		.ex.invalidate_rkey = slot->mr->rkey,
	};

	slot->cqe.done = on_invalidated;
	post(slot->end, &wr);
}

/* The slot that a response is about; NULL after a failure. */
static struct floor_slot *responded(struct floor_end *end,
				    struct floor_buffer *buffer,
				    struct ib_wc *wc)
{
	struct floor_command *response = buffer->data;
	struct floor_run *run = end->run;
	u32 tag = run->pattern == FLOOR_IMMEDIATE ?
		  be32_to_cpu(wc->ex.imm_data) : response->tag;

	if (tag >= run->depth) {
		floor_fail(run, "tag", -EPROTO);
		return NULL;
	}
	if ((run->pattern == FLOOR_DIRECT || run->pattern == FLOOR_PULL) &&
	    (!(wc->wc_flags & IB_WC_WITH_INVALIDATE) ||
	     wc->ex.invalidate_rkey != end->slots[tag].mr->rkey)) {
		floor_fail(run, "invalidated another key", -EPROTO);
		return NULL;
	}
	return &end->slots[tag];
}

/**
 * floor_on_response - the client has received
 * @end: the client
 * @buffer: what
 * @wc: its completion
 */
void floor_on_response(struct floor_end *end, struct floor_buffer *buffer,
		       struct ib_wc *wc)
{
	struct floor_slot *slot = responded(end, buffer, wc);

	if (!slot)
		return;
	if (end->run->pattern == FLOOR_INLINE_READ)
		memcpy(sg_virt(slot->sgl), buffer->data + FLOOR_HEADER,
		       end->run->size);
	if (floor_buffer_post(buffer)) {
		floor_fail(end->run, "post", -EIO);
		return;
	}
	if (end->run->pattern == FLOOR_IMMEDIATE)
		invalidate(slot);
	else
		end_io(slot);
}

/* READ of the client's pages, or WRITE to them. */
static void fill_move(struct floor_slot *slot, u64 address,
		      enum ib_wr_opcode opcode, struct ib_sge *sge,
		      struct ib_rdma_wr *wr)
{
	*sge = (struct ib_sge) {
		.addr = slot->data_dma,
		.length = slot->end->run->size,
		.lkey = slot->mr ? slot->mr->lkey :
				   slot->end->pd->local_dma_lkey,
	};
	*wr = (struct ib_rdma_wr) {
		.wr = {
			.wr_cqe = &slot->end->silent,
			.sg_list = sge,
			.num_sge = 1,
			.opcode = opcode,
		},
		.remote_addr = address,
		.rkey = slot->rkey,
	};
}

static void write_back(struct floor_slot *slot, u64 address)
{
	struct ib_rdma_wr wr;
	struct ib_sge sge;

	fill_move(slot, address, IB_WR_RDMA_WRITE, &sge, &wr);
	wr.wr.send_flags = signal_data(slot->end);
	send(slot, &wr.wr, 0, 0, slot->rkey);
}

static void write_immediate(struct floor_slot *slot, u64 address)
{
	struct ib_rdma_wr wr;
	struct ib_sge sge;

	fill_move(slot, address, IB_WR_RDMA_WRITE_WITH_IMM, &sge, &wr);
	wr.wr.ex.imm_data = cpu_to_be32(slot->tag);
	wr.wr.send_flags = signal_now(slot->end);
	post(slot->end, &wr.wr);
}

static void on_pulled(struct ib_cq *cq, struct ib_wc *wc)
{
	struct floor_slot *slot = container_of(wc->wr_cqe, struct floor_slot,
					       cqe);

	if (wc->status == IB_WC_SUCCESS)
		send(slot, NULL, 0, 0, slot->rkey);
	else if (wc->status != IB_WC_WR_FLUSH_ERR)
		floor_fail(slot->end->run, ib_wc_status_msg(wc->status), -EIO);
}

static void pull(struct floor_slot *slot, u64 address)
{
	struct ib_rdma_wr wr;
	struct ib_sge sge;

	fill_move(slot, address, IB_WR_RDMA_READ, &sge, &wr);
	slot->cqe.done = on_pulled;
	wr.wr.wr_cqe = &slot->cqe;
	wr.wr.send_flags = IB_SEND_SIGNALED;
	post(slot->end, &wr.wr);
}

static void respond(struct floor_slot *slot, u64 address)
{
	struct floor_run *run = slot->end->run;

	switch (run->pattern) {
	case FLOOR_DIRECT:
		write_back(slot, address);
		break;
	case FLOOR_IMMEDIATE:
		write_immediate(slot, address);
		break;
	case FLOOR_PULL:
		pull(slot, address);
		break;
	case FLOOR_INLINE_READ:
		send(slot, NULL, run->size, slot->data_dma, 0);
		break;
	default:
		send(slot, NULL, 0, 0, 0);
	}
}

/**
 * floor_on_command - the server has received
 * @end: the server
 * @buffer: what
 * @wc: its completion
 */
void floor_on_command(struct floor_end *end, struct floor_buffer *buffer,
		      struct ib_wc *wc)
{
	struct floor_command *command = buffer->data;
	u64 address = command->address;
	struct floor_slot *slot;

	if (command->tag >= end->run->depth) {
		floor_fail(end->run, "tag", -EPROTO);
		return;
	}
	slot = &end->slots[command->tag];
	slot->rkey = command->rkey;
	slot->command->tag = slot->tag;
	/* Before the response: its successor may already be on its way. */
	if (floor_buffer_post(buffer))
		floor_fail(end->run, "post", -EIO);
	else
		respond(slot, address);
}
