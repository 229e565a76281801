// SPDX-License-Identifier: GPL-2.0-only
/*
 * Arithmetic on limits; see limits.h.
 */
#include <linux/types.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include "limits.h"

/* The drain needs one work request; the rest is margin. */
#define SQ_SLACK	8
#define RQ_SLACK	4
/*
 * REG and SEND, twice: finished entries wait for a later signalled send.  A write
 * to the window may take more; without room for them it is pulled.
 */
#define SQ_PER_TAG	4
/* Plus the local invalidation that follows an immediate. */
#define SQ_PER_TAG_IMM	(SQ_PER_TAG + 1)
/* One read in SAMPLE is answered by a message, although immediates are on. */
#define SAMPLE		32

/* Larger than any stripe; a larger value from a target is ignored. */
#define MAX_IO_OPT	(64u << 20)

/**
 * rblk_limits_sq_size() - send queue entries for a depth
 * @depth: commands outstanding
 * @immediate: the target may answer reads by immediates
 *
 * Context: any.
 * Return: entries, without the drain's own.
 */
u32 rblk_limits_sq_size(u32 depth, bool immediate)
{
	return depth * (immediate ? SQ_PER_TAG_IMM : SQ_PER_TAG) + SQ_SLACK;
}

/**
 * rblk_limits_sq_reserve() - send queue entries that commands must leave free
 * @depth: commands outstanding
 * @immediate: the target may answer reads by immediates
 *
 * A command can wait for room.  The local invalidation that ends a command
 * can't, and each tag has at most one that is not known to be complete.
 *
 * Context: any.
 * Return: entries, out of rblk_limits_sq_size().
 */
u32 rblk_limits_sq_reserve(u32 depth, bool immediate)
{
	return immediate ? depth : 0;
}

/**
 * rblk_limits_asks_times() - should a message answer this read?
 * @nr: which of its volume's reads on a connection it is, from 1 on
 *
 * An immediate can't carry the target's times.  So some reads do without an
 * immediate, the first one among them.
 *
 * Context: any.
 * Return: whether the read should not ask for an immediate.
 */
bool rblk_limits_asks_times(u32 nr)
{
	return nr % SAMPLE == 1;
}

/**
 * rblk_limits_rq_size() - receive queue entries for a depth
 * @depth: commands outstanding; each gets at most one message in answer
 *
 * Context: any.
 * Return: entries, without the drain's own.
 */
u32 rblk_limits_rq_size(u32 depth)
{
	return depth + RQ_SLACK;
}

/**
 * rblk_limits_recv_bytes() - size of an I/O connection's receive buffers
 * @inline_read: largest read that comes in a response, bytes
 *
 * Any message of responses fits, and the reply to BIND.
 *
 * Context: any.
 * Return: bytes.
 */
u32 rblk_limits_recv_bytes(u32 inline_read)
{
	u32 batch = sizeof(struct rblk_wire_hdr) +
		    RBLK_WIRE_MAX_BATCH * sizeof(struct rblk_wire_rsp) +
		    RBLK_WIRE_MAC_LEN;

	return inline_read ? max(batch, RBLK_WIRE_DATA_OFFSET + inline_read) : batch;
}

/**
 * rblk_limits_batch() - how many commands may leave together
 * @max_batch: commands that the target takes in one message
 * @inline_write: bytes of the buffer that holds such a message
 *
 * Context: any.
 * Return: commands, at least 1.
 */
u32 rblk_limits_batch(u32 max_batch, u32 inline_write)
{
	const u32 more = sizeof(struct rblk_wire_hdr) + RBLK_WIRE_MAC_LEN;
	u32 fit = inline_write > more ?
		  (inline_write - more) / sizeof(struct rblk_wire_cmd) : 0;

	return clamp_t(u32, min(max_batch, fit), 1, RBLK_WIRE_MAX_BATCH);
}

/**
 * rblk_limits_signal_from() - the size from which a send is signalled
 * @caps: what the device can do
 *
 * The memory of sends stays and no task waits for them, so none needs a signal.
 * But software iWARP sends unsignalled data of a page or more from where it is:
 * page by page, header and trailer apart, in five TCP segments instead of two.
 * That costs far more than to copy a page, which it does for signalled sends.
 * On other iWARP devices the signal costs a completion that wakes no task.
 *
 * Context: any.
 * Return: bytes.
 */
u32 rblk_limits_signal_from(const struct rblk_caps *caps)
{
	return caps->iwarp ? caps->page_size : U32_MAX;
}

/**
 * rblk_limits_window_sges() - elements of an RDMA WRITE to the window
 * @caps: what the device can do
 *
 * Few, as some devices reserve room for the most in each entry of the queue.
 * Beside a registration's entry this many cost nothing.
 *
 * Context: any.
 * Return: elements.
 */
u32 rblk_limits_window_sges(const struct rblk_caps *caps)
{
	return min_t(u32, caps->send_sge, RBLK_WINDOW_SGES);
}

/**
 * rblk_limits_window_pieces() - into how many pieces a window's write may fall
 * @caps: what the device can do
 * @units: units of the window that its data takes
 *
 * Context: any.
 * Return: pieces, at most.
 */
u32 rblk_limits_window_pieces(const struct rblk_caps *caps, u32 units)
{
	u32 wrs = min_t(u32, units, RBLK_WINDOW_WRS);
	u32 pieces = min_t(u32, units, RBLK_WINDOW_PIECES) * RBLK_WINDOW_UNIT_PIECES;

	return min3(wrs * rblk_limits_window_sges(caps), pieces, (u32)RBLK_WINDOW_PIECES);
}

/**
 * rblk_limits_window_fits() - may a write's data go through the window?
 * @window: bytes of it, 0 for none
 * @length: bytes of data
 * @stable: the backing device needs data that does not change
 *
 * Context: any.
 * Return: whether it may, if there is a range for it.
 */
bool rblk_limits_window_fits(u32 window, u32 length, bool stable)
{
	return length <= (stable ? min(window, RBLK_WINDOW_STABLE) : window);
}

/**
 * rblk_limits_check_caps() - can rblk use this RDMA device at all?
 * @caps: what the device can do
 *
 * Context: any.
 * Return: NULL, or what the device lacks.
 */
const char *rblk_limits_check_caps(const struct rblk_caps *caps)
{
	if (!caps->mr_page)
		return "a page size for registrations, from 4 KiB to that of the kernel";
	if (caps->mr_pages < RBLK_WIRE_MIN_IO / caps->mr_page + 1)
		return "memory registrations of at least 64 KiB";
	if (caps->dma_max < RBLK_WIRE_MIN_IO)
		return "DMA mappings of at least 64 KiB";
	if (caps->send_sge < 2)
		return "send requests with two elements";
	if (min(caps->qp_wr, caps->cqe) <=
	    rblk_limits_sq_size(RBLK_WIRE_MIN_DEPTH, caps->immediate))
		return "queues of a useful size";
	return NULL;
}

/*
 * The largest depth whose queues fit the device.  Both queues get one entry
 * more, for the drain.
 */
static u32 device_depth(const struct rblk_caps *caps)
{
	u32 entries = min(caps->qp_wr, caps->cqe) - 1;

	return (entries - SQ_SLACK) /
	       (caps->immediate ? SQ_PER_TAG_IMM : SQ_PER_TAG);
}

/* An unaligned buffer touches one page more than its size says. */
static u32 device_max_io(const struct rblk_caps *caps)
{
	u64 bytes = (u64)(caps->mr_pages - 1) * caps->mr_page;

	bytes = min3(bytes, (u64)caps->dma_max, (u64)RBLK_WIRE_MAX_IO);
	return bytes - bytes % RBLK_WIRE_MIN_IO;
}

/**
 * rblk_limits_offer() - what to ask of the target
 * @caps: what the device can do, checked by rblk_limits_check_caps()
 * @queues: I/O connections the user wants, 0 for the default, or RBLK_NO_QUEUES
 * @depth: outstanding commands per connection, 0 for the default
 * @cpus: CPUs online
 * @offer: its sizes are filled in; in: inline_read, or RBLK_BEST_INLINE_READ, and
 *         poll_queues that the user wants
 *
 * Poll queues come on top of @queues, as far as there is room for them.
 *
 * Context: any.
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
	offer->poll_queues = !offer->nr_queues ? 0 :
			     min_t(u32, offer->poll_queues,
				   RBLK_WIRE_MAX_QUEUES - offer->nr_queues);
	offer->nr_queues += offer->poll_queues;
	offer->depth = min(depth, device_depth(caps));
	offer->features = RBLK_FEAT_HELD | RBLK_FEAT_DIGEST | RBLK_FEAT_RESERVATION |
			  (caps->immediate ? RBLK_FEAT_READ_IMM : 0) |
			  (caps->push ? RBLK_FEAT_WRITE_PUSH : 0) |
			  (caps->window ? RBLK_FEAT_WRITE_WINDOW : 0);
	offer->max_io = device_max_io(caps);
	if (offer->inline_read == RBLK_BEST_INLINE_READ)
		offer->inline_read = caps->inline_read;
	offer->inline_read = min_t(u32, offer->inline_read, RBLK_WIRE_MAX_INLINE);
	offer->inline_write = RBLK_DEFAULT_INLINE_WRITE;
}

/**
 * rblk_limits_large_pages() - page-list entries for the largest request
 * @caps: what the device can do
 * @max_io: bytes in force
 *
 * Context: any.
 * Return: entries.
 */
u32 rblk_limits_large_pages(const struct rblk_caps *caps, u32 max_io)
{
	return min(caps->mr_pages, max_io / caps->mr_page + 1);
}

/**
 * rblk_limits_small_pages() - page-list entries for RBLK_SMALL_PAGES
 * @caps: what the device can do
 * @max_io: bytes in force
 *
 * Context: any.
 * Return: entries, no more than the largest request needs.
 */
u32 rblk_limits_small_pages(const struct rblk_caps *caps, u32 max_io)
{
	u32 each = caps->page_size / caps->mr_page;

	return min(rblk_limits_large_pages(caps, max_io),
		   (RBLK_SMALL_PAGES - 1) * each + 1);
}

/**
 * rblk_limits_segments() - scatter elements of the largest request
 * @caps: what the device can do
 * @max_io: bytes in force
 *
 * Context: any.
 * Return: elements.
 */
u32 rblk_limits_segments(const struct rblk_caps *caps, u32 max_io)
{
	if (caps->one_segment)
		return 1;
	return min_t(u32, rblk_limits_large_pages(caps, max_io), RBLK_MAX_SEGMENTS);
}

/**
 * rblk_limits_sg_blocks() - blocks of scatter elements that a request borrows
 * @segments: of the request
 *
 * The last of a slot's own elements, and the last one of each block, lead to the next
 * block, if there is one.  So each block adds one element less than it has.
 *
 * Context: any.
 * Return: blocks, 0 if the slot's own elements are enough.
 */
u32 rblk_limits_sg_blocks(u32 segments)
{
	if (segments <= RBLK_SLOT_SGS)
		return 0;
	return (segments - RBLK_SLOT_SGS - 1) / (RBLK_BLOCK_SGS - 1) + 1;
}

/**
 * rblk_limits_sg_total() - blocks of scatter elements that a connection has
 * @depth: commands outstanding
 * @segments: of the largest request
 *
 * One for each slot, which is enough for 64 KiB there.  But two sick users leave a ninth
 * to others, rounded up (transport/share.c), and that has to be enough for the largest
 * request.
 *
 * Context: any.
 * Return: blocks, 0 if no request needs any.
 */
u32 rblk_limits_sg_total(u32 depth, u32 segments)
{
	u32 most = rblk_limits_sg_blocks(segments);

	return most ? max(depth, 9 * (most - 1) + 1) : 0;
}

/* A byte count from the wire, cut to whole blocks, in 512-byte sectors. */
static u32 whole_sectors(u32 bytes, u32 block)
{
	return (bytes - bytes % block) >> 9;
}

/*
 * The block layer raises the granularity to at least a physical block, and
 * ignores a limit below the granularity: then there is no discard.
 */
static void volume_discard(const struct rblk_geometry *geo,
			   struct rblk_limits *lim)
{
	u32 granularity = max(geo->discard_granularity, lim->physical_block);

	if (geo->max_discard < granularity)
		return;
	lim->max_discard = whole_sectors(geo->max_discard, lim->logical_block);
	lim->discard_granularity = granularity;
	lim->discard_alignment = geo->discard_alignment % granularity;
}

/**
 * rblk_limits_volume() - a volume's limits for the block layer
 * @geo: what the export reports, checked
 * @caps: what the device can do
 * @max_io: bytes in force
 * @lim: filled in whole
 *
 * Context: any.
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
	/* The block layer reads ahead twice as much. */
	lim->io_opt = geo->io_opt <= MAX_IO_OPT ? geo->io_opt : 0;
	lim->max_sectors = max_io >> 9;
	lim->max_segments = rblk_limits_segments(caps, max_io);
	lim->virt_boundary = caps->mr_page - 1;
	lim->max_write_zeroes = whole_sectors(geo->max_write_zeroes, block);
	volume_discard(geo, lim);
}

/* The longest delay from one attempt to reconnect to the next. */
static u32 reconnect_ms(u32 attempt)
{
	return min(200u << min(attempt, 5u), 4000u);
}

/**
 * rblk_limits_jitter_ms() - when to make the next attempt to reconnect
 * @attempt: 0 for the first after a loss
 * @random: any number
 *
 * The first attempt comes within 200 ms, so that a short loss is a short pause.
 * The delay then doubles up to 4 s.  Half of it is random, so that a hundred
 * hosts do not come back at the same moment.
 *
 * Context: any.
 * Return: milliseconds after the last attempt began.
 */
u32 rblk_limits_jitter_ms(u32 attempt, u32 random)
{
	u32 most = reconnect_ms(attempt);

	return most / 2 + random % (most / 2 + 1);
}

/**
 * rblk_limits_pause_ms() - for how long to believe that a target is paused
 * @announced: what the target said, 0 for unknown
 *
 * Context: any.
 * Return: milliseconds; 0 as if the target had said nothing.
 */
u32 rblk_limits_pause_ms(u32 announced)
{
	return min(announced, RBLK_WIRE_MAX_AWAY_MS);
}

/**
 * rblk_limits_pause_retry_ms() - when to try again while a target is paused
 * @random: any number
 *
 * An attempt per second is enough: the target announced the pause, and I/O goes
 * on within a second of its end.
 *
 * Context: any.
 * Return: milliseconds after the last attempt began.
 */
u32 rblk_limits_pause_retry_ms(u32 random)
{
	return 500 + random % 501;
}

/**
 * rblk_limits_connect_ms() - how long to wait for a connection
 * @attempt: 0 for a session that never was live, else attempts to reconnect
 *
 * The CM repeats a request after 4 s, TCP at growing intervals.  When the
 * network comes back, a new attempt gets through sooner than a repeated one.
 * So no attempt should take longer than the delay to the next, unless that is
 * too short for a busy target.
 *
 * TCP repeats its SYN at whole seconds, so no attempt should give up just after
 * one: if a connection ends that the target has not accepted yet, it takes
 * software iWARP's listener with it (7.2, siw_cm_llp_state_change()).
 *
 * Context: any.
 * Return: milliseconds.
 */
u32 rblk_limits_connect_ms(u32 attempt)
{
	if (!attempt)
		return 8000;
	return reconnect_ms(attempt) < 3000 ? 1800 : 3800;
}
