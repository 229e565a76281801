/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which numbers are in force, given what the user asks for, the RDMA device can
 * do, the target grants and the export reports.  Pure arithmetic.
 */
#ifndef RBLK_LIMITS_H
#define RBLK_LIMITS_H

#include <linux/types.h>
#include "proto.h"

#define RBLK_DEFAULT_QUEUES	4
#define RBLK_DEFAULT_DEPTH	128
/* As the number of queues wanted: none, for a session that only asks. */
#define RBLK_NO_QUEUES		0xffffffffu
/* As the bytes of inline reads wanted: those that are cheapest on the device. */
#define RBLK_BEST_INLINE_READ	0xffffffffu
#define RBLK_DEFAULT_INLINE_WRITE 4096
/* So many tags of a connection, the first ones, are for small data: see share.c. */
#define RBLK_BOUNCES		32

/* Pages (and segments) that a tag's own MR can hold. */
#define RBLK_SMALL_PAGES	33
/* Larger requests borrow one of these; so many per connection. */
#define RBLK_LARGE_PER_CONN	8
/* Segments of a request at most, however many pages it has. */
#define RBLK_MAX_SEGMENTS	256
/*
 * Scatter elements of a slot, and of a block that it may borrow.  A small write at any
 * address needs no block, 64 KiB one, and RBLK_SMALL_PAGES two.
 */
#define RBLK_SLOT_SGS		3
#define RBLK_BLOCK_SGS		16

/*
 * The RDMA WRITEs that send a write's data ahead, the elements of each, and of all; a
 * unit of the window has room for one of them, and for so many elements.
 */
#define RBLK_WINDOW_WRS		6
#define RBLK_WINDOW_SGES	8
#define RBLK_WINDOW_PIECES	32
#define RBLK_WINDOW_UNIT_PIECES	4
/* A target copies what a device needs stable: then larger writes are pulled. */
#define RBLK_WINDOW_STABLE	(16u << 10)

/**
 * struct rblk_caps - what the RDMA device can do, and how to use it
 * @mr_pages: entries of a fast-registration page list
 * @send_sge: scatter elements of a send work request
 * @qp_wr: work requests of one queue
 * @cqe: entries of one completion queue
 * @page_size: PAGE_SIZE
 * @mr_page: bytes of an entry of such a list, at most @page_size; 0 if the
 *           device has no size that fits
 * @dma_max: bytes that can be mapped at a time, less than all where the kernel
 *           copies to bounce buffers
 * @one_segment: mappings lose their offset within a page
 * @inline_read: bytes of the largest read that is cheapest in a response
 * @iwarp: its transport is iWARP
 * @immediate: it has RDMA WRITE with immediate, and reads shall use it
 * @hold: hold commands while an earlier post has not left
 * @push: push small writes that leave together
 * @window: send the data of larger writes ahead, into the target's window
 * @map_sleeps: to prepare a registration may sleep
 * @late_reader: a peer of this kind may miss the first message
 * @peer_memory: it may reach the memory of other PCI devices; whether it reaches
 *               a certain one shows when that memory is mapped
 *
 * The first four, and @mr_page, come from ib_device_attr.
 */
struct rblk_caps {
	u32 mr_pages;
	u32 send_sge;
	u32 qp_wr;
	u32 cqe;
	u32 page_size;
	u32 mr_page;
	u32 dma_max;
	u32 inline_read;
	bool iwarp;
	bool immediate;
	bool hold;
	bool push;
	bool window;
	bool map_sleeps;
	bool late_reader;
	bool one_segment;
	bool peer_memory;
};

/**
 * struct rblk_limits - a volume's limits in the block layer's terms
 * @capacity: 512-byte sectors
 * @logical_block: bytes
 * @physical_block: bytes
 * @io_min: bytes
 * @io_opt: bytes, 0 for none
 * @max_sectors: 512-byte sectors of one request
 * @max_segments: segments of one request
 * @virt_boundary: mask; only the first and last page that this makes of a
 *                 request may be partial
 * @max_discard: 512-byte sectors, 0 for none
 * @discard_granularity: bytes
 * @discard_alignment: bytes
 * @max_write_zeroes: 512-byte sectors, 0 for none
 */
struct rblk_limits {
	u64 capacity;
	u32 logical_block;
	u32 physical_block;
	u32 io_min;
	u32 io_opt;
	u32 max_sectors;
	u16 max_segments;
	u32 virt_boundary;
	u32 max_discard;
	u32 discard_granularity;
	u32 discard_alignment;
	u32 max_write_zeroes;
};

const char *rblk_limits_check_caps(const struct rblk_caps *caps);
void rblk_limits_offer(const struct rblk_caps *caps, u32 queues, u32 depth,
		       u32 cpus, struct rblk_offer *offer);
u32 rblk_limits_large_pages(const struct rblk_caps *caps, u32 max_io);
u32 rblk_limits_small_pages(const struct rblk_caps *caps, u32 max_io);
u32 rblk_limits_segments(const struct rblk_caps *caps, u32 max_io);
u32 rblk_limits_sg_blocks(u32 segments);
u32 rblk_limits_sg_total(u32 depth, u32 segments);
void rblk_limits_volume(const struct rblk_geometry *geo,
			const struct rblk_caps *caps, u32 max_io,
			struct rblk_limits *lim);
u32 rblk_limits_sq_size(u32 depth, bool immediate);
u32 rblk_limits_sq_reserve(u32 depth, bool immediate);
bool rblk_limits_asks_times(u32 nr);
u32 rblk_limits_rq_size(u32 depth);
u32 rblk_limits_recv_bytes(u32 inline_read);
u32 rblk_limits_batch(u32 max_batch, u32 inline_write);
u32 rblk_limits_window_sges(const struct rblk_caps *caps);
u32 rblk_limits_window_pieces(const struct rblk_caps *caps, u32 units);
bool rblk_limits_window_fits(u32 window, u32 length, bool stable);
u32 rblk_limits_signal_from(const struct rblk_caps *caps);
u32 rblk_limits_jitter_ms(u32 attempt, u32 random);
u32 rblk_limits_pause_ms(u32 announced);
u32 rblk_limits_pause_retry_ms(u32 random);
u32 rblk_limits_connect_ms(u32 attempt);

#endif /* RBLK_LIMITS_H */
