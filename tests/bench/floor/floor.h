/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * floor: nothing but the RDMA messages of one kind of I/O, in a tight loop,
 * both ends in one module, no block layer.  What remains is what the messages
 * cost: the provider, the core and the network stack.
 */

#ifndef BENCH_FLOOR_H
#define BENCH_FLOOR_H

#include <linux/completion.h>
#include <linux/scatterlist.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_cm.h>

#define FLOOR_HEADER	64	/* bytes of a command and of a response */
#define FLOOR_SIGNAL	16	/* of the unsignalled sends one in so many is */

/**
 * enum floor_pattern - which messages
 * @FLOOR_NONE: SEND -> SEND
 * @FLOOR_DIRECT: REG+SEND -> WRITE+SEND_WITH_INV
 * @FLOOR_IMMEDIATE: REG+SEND -> WRITE_WITH_IMM, then LOCAL_INV, awaited
 * @FLOOR_INLINE_READ: SEND -> SEND with data, then one memcpy
 * @FLOOR_INLINE_WRITE: SEND with data -> SEND
 * @FLOOR_PULL: REG+SEND -> READ, then SEND_WITH_INV
 * @FLOOR_PUSH: WRITE to what was registered once, SEND -> SEND
 */
enum floor_pattern {
	FLOOR_NONE,
	FLOOR_DIRECT,
	FLOOR_IMMEDIATE,
	FLOOR_INLINE_READ,
	FLOOR_INLINE_WRITE,
	FLOOR_PULL,
	FLOOR_PUSH,
};

/**
 * struct floor_command - what the client sends
 * @tag: its slot
 * @rkey: of its registered pages
 * @address: of its registered pages
 * @pad: as long as a real one
 */
struct floor_command {
	u32 tag;
	u32 rkey;
	u64 address;
	u8 pad[FLOOR_HEADER - 16];
};

/**
 * struct floor_slot - one I/O of one end
 * @end: whose
 * @tag: its number
 * @command: header that it sends, and the data after it where that is inline
 * @command_dma: its address
 * @data: client: pages one by one; server: one contiguous buffer
 * @data_dma: server: its address
 * @page_dma: client, inline write: address of its only page
 * @sgl: client: the pages, mapped
 * @moves: client, push: work requests for all its pages
 * @elements: client, push: and their scatter elements
 * @mr: client: registers @sgl per I/O; server, push, or pull on iWARP: @data, once
 * @rkey: server: of the client's pages
 * @cqe: completion of what is signalled in this slot
 */
struct floor_slot {
	struct floor_end *end;
	u32 tag;
	struct floor_command *command;
	u64 command_dma;
	void *data;
	u64 data_dma;
	u64 page_dma;
	struct scatterlist *sgl;
	struct ib_rdma_wr *moves;
	struct ib_sge *elements;
	struct ib_mr *mr;
	u32 rkey;
	struct ib_cqe cqe;
};

/**
 * struct floor_buffer - one receive buffer
 * @end: whose
 * @cqe: completion
 * @data: memory
 * @dma: its address
 */
struct floor_buffer {
	struct floor_end *end;
	struct ib_cqe cqe;
	void *data;
	u64 dma;
};

/**
 * struct floor_end - one side of the connection
 * @run: both sides
 * @id: connection
 * @pd: domain of its own
 * @cq: for both directions, in softirq
 * @slots: one per tag
 * @buffers: twice as many receive buffers
 * @receive: what a received message does
 * @unsignalled: sends since the last signalled one
 * @silent: completions that mean nothing
 */
struct floor_end {
	struct floor_run *run;
	struct rdma_cm_id *id;
	struct ib_pd *pd;
	struct ib_cq *cq;
	struct floor_slot *slots;
	struct floor_buffer *buffers;
	void (*receive)(struct floor_end *end, struct floor_buffer *buffer,
			struct ib_wc *wc);
	u32 unsignalled;
	struct ib_cqe silent;
};

/**
 * struct floor_run - one measurement
 * @pattern: messages
 * @size: data of an I/O, bytes
 * @depth: I/Os in flight
 * @pages: of an I/O
 * @issued: I/Os so far, of this pass
 * @ended: likewise
 * @total: I/Os of this pass
 * @error: what went wrong first
 * @pass: this pass has ended
 * @step: a step of the connection manager is done
 * @established: both sides are
 * @listener: listening id
 * @client: end that has the I/O
 * @server: end that answers
 *
 * One CPU's softirq runs all completions: nothing here is locked.
 */
struct floor_run {
	enum floor_pattern pattern;
	u32 size;
	u32 depth;
	u32 pages;
	u32 issued;
	u32 ended;
	u32 total;
	int error;
	struct completion pass;
	struct completion step;
	atomic_t established;
	struct rdma_cm_id *listener;
	struct floor_end client;
	struct floor_end server;
};

static inline bool floor_registers(const struct floor_run *run)
{
	return run->pattern == FLOOR_DIRECT ||
	       run->pattern == FLOOR_IMMEDIATE || run->pattern == FLOOR_PULL;
}

static inline u32 floor_message(const struct floor_run *run)
{
	return FLOOR_HEADER + (run->pattern == FLOOR_INLINE_READ ||
			       run->pattern == FLOOR_INLINE_WRITE ?
			       run->size : 0);
}

/* floor_elements - how many pages one work request of a push takes */
static inline u32 floor_elements(const struct floor_end *end)
{
	return min_t(u32, end->run->pages, end->id->device->attrs.max_send_sge);
}

/* floor_moves - how many work requests a push takes besides the message */
static inline u32 floor_moves(const struct floor_end *end)
{
	return end->run->pattern == FLOOR_PUSH ?
	       DIV_ROUND_UP(end->run->pages, floor_elements(end)) : 0;
}

void floor_fail(struct floor_run *run, const char *what, int error);

int floor_link_open(struct floor_run *run, const char *address, u16 port);
void floor_link_close(struct floor_run *run);

int floor_slots_alloc(struct floor_end *end);
void floor_slots_free(struct floor_end *end);
int floor_buffer_post(struct floor_buffer *buffer);

int floor_slot_register(struct floor_slot *slot);
void floor_issue(struct floor_slot *slot);
void floor_on_response(struct floor_end *end, struct floor_buffer *buffer,
		       struct ib_wc *wc);
void floor_on_command(struct floor_end *end, struct floor_buffer *buffer,
		      struct ib_wc *wc);

#endif
