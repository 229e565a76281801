// SPDX-License-Identifier: GPL-2.0-only
/*
 * Limit arithmetic; see limits.h.
 */
#include <linux/types.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include "limits.h"

/* The work request that drains a queue, and as much again to breathe. */
#define SQ_SLACK	8
#define RQ_SLACK	4
/* REG and SEND of every tag, twice: finished ones wait for a signalled one. */
#define SQ_PER_TAG	4

#define MAX_SEGMENTS	256

/**
 * rblk_limits_sq_size() - send queue entries for a depth
 * @depth: commands outstanding
 */
u32 rblk_limits_sq_size(u32 depth)
{
	return depth * SQ_PER_TAG + SQ_SLACK;
}

/**
 * rblk_limits_rq_size() - receive queue entries for a depth
 * @depth: commands outstanding; each gets at most one message in answer
 */
u32 rblk_limits_rq_size(u32 depth)
{
	return depth + RQ_SLACK;
}

/**
 * rblk_limits_check_caps() - can rblk run on this RDMA device at all
 * @caps: what it can do
 *
 * Return: NULL, or what it lacks.
 */
const char *rblk_limits_check_caps(const struct rblk_caps *caps)
{
	if (caps->mr_pages < RBLK_WIRE_MIN_IO / caps->page_size + 1)
		return "memory registrations of at least 64 KiB";
	if (caps->send_sge < 2)
		return "send requests with two elements";
	if (caps->qp_wr <= rblk_limits_sq_size(RBLK_WIRE_MIN_DEPTH) ||
	    caps->cqe <= rblk_limits_sq_size(RBLK_WIRE_MIN_DEPTH))
		return "queues of a useful size";
	return NULL;
}

/*
 * The largest depth whose queues fit the device; both queues are made with one
 * entry more, for the drain.
 */
static u32 device_depth(const struct rblk_caps *caps)
{
	u32 entries = min(caps->qp_wr, caps->cqe) - 1;

	return (entries - SQ_SLACK) / SQ_PER_TAG;
}

/* An unaligned buffer touches one page more than its size says. */
static u32 device_max_io(const struct rblk_caps *caps)
{
	u64 bytes = (u64)(caps->mr_pages - 1) * caps->page_size;

	bytes = min_t(u64, bytes, RBLK_WIRE_MAX_IO);
	return bytes - bytes % RBLK_WIRE_MIN_IO;
}

/**
 * rblk_limits_offer() - what to ask of the target
 * @caps: what the device can do, found good by rblk_limits_check_caps()
 * @queues: I/O connections the user wants, 0 for the default, or
 *          RBLK_NO_QUEUES
 * @depth: outstanding commands per connection, 0 for the default
 * @cpus: online
 * @offer: its sizes are filled in
 */
void rblk_limits_offer(const struct rblk_caps *caps, u32 queues, u32 depth,
		       u32 cpus, struct rblk_offer *offer)
{
	if (!queues)
		queues = min_t(u32, cpus, RBLK_DEFAULT_QUEUES);
	if (!depth)
		depth = RBLK_DEFAULT_DEPTH;
	depth = clamp_t(u32, depth, RBLK_WIRE_MIN_DEPTH, RBLK_WIRE_MAX_DEPTH);
	offer->nr_queues = queues == RBLK_NO_QUEUES ? 0 :
			   clamp_t(u32, queues, 1, RBLK_WIRE_MAX_QUEUES);
	offer->depth = min(depth, device_depth(caps));
	offer->features = 0;
	offer->max_io = device_max_io(caps);
	offer->inline_read = 0;
	offer->inline_write = RBLK_DEFAULT_INLINE_WRITE;
}

/**
 * rblk_limits_large_pages() - page-list entries for the largest request
 * @caps: what the device can do
 * @max_io: bytes in force
 */
u32 rblk_limits_large_pages(const struct rblk_caps *caps, u32 max_io)
{
	return min(caps->mr_pages, max_io / caps->page_size + 1);
}

/* Whole blocks, in 512-byte sectors, of a byte count from the wire. */
static u32 sectors(u32 bytes, u32 block)
{
	return (bytes - bytes % block) >> 9;
}

/*
 * The block layer never makes the granularity less than a physical block, and
 * a limit below the granularity it ignores: then there is no discard.
 */
static void volume_discard(const struct rblk_geometry *geo,
			   struct rblk_limits *lim)
{
	u32 granularity = max(geo->discard_granularity, lim->physical_block);

	if (geo->max_discard < granularity)
		return;
	lim->max_discard = sectors(geo->max_discard, lim->logical_block);
	lim->discard_granularity = granularity;
	lim->discard_alignment = geo->discard_alignment % granularity;
}

/**
 * rblk_limits_volume() - the block layer's limits of a volume
 * @geo: what the export reports, checked
 * @caps: what the device can do
 * @max_io: bytes in force
 * @lim: filled in whole
 */
void rblk_limits_volume(const struct rblk_geometry *geo,
			const struct rblk_caps *caps, u32 max_io,
			struct rblk_limits *lim)
{
	u32 block = geo->logical_block;

	memset(lim, 0, sizeof(*lim));
	lim->capacity = geo->capacity >> 9;
	lim->logical_block = block;
	lim->physical_block = min_t(u32, geo->physical_block, caps->page_size);
	lim->io_min = max(geo->io_min, lim->physical_block);
	lim->io_opt = geo->io_opt;
	lim->max_sectors = max_io >> 9;
	lim->max_segments = min3(caps->mr_pages, max_io / caps->page_size + 1,
				 (u32)MAX_SEGMENTS);
	lim->max_write_zeroes = sectors(geo->max_write_zeroes, block);
	volume_discard(geo, lim);
}

/**
 * rblk_limits_jitter_ms() - how long to wait before a reconnect
 * @attempt: 0 for the first after a loss
 * @random: any number
 *
 * The first attempt is made within 200 ms, so that a short loss is a short
 * pause; the delay then doubles to at most 4 s.  Half of it is random, so that
 * a hundred hosts do not come back at the same moment.
 *
 * Return: milliseconds.
 */
u32 rblk_limits_jitter_ms(u32 attempt, u32 random)
{
	u32 most = 200u << min(attempt, 5u);

	most = min(most, 4000u);
	return most / 2 + random % (most / 2 + 1);
}
