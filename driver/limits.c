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
/* And the local invalidation that follows an immediate. */
#define SQ_PER_TAG_IMM	(SQ_PER_TAG + 1)
/* One in so many reads is answered by a message though immediates are in force. */
#define SAMPLE		32
/* Of so many commands that have no company, so many are held for it. */
#define GATHER_ROUND	4096
#define GATHER_PROBES	16

#define MAX_SEGMENTS	256
/* Larger than any stripe; a target that says more is not believed. */
#define MAX_IO_OPT	(64u << 20)

/**
 * rblk_limits_sq_size() - send queue entries for a depth
 * @depth: commands outstanding
 * @immediate: reads may be answered by immediates
 */
u32 rblk_limits_sq_size(u32 depth, bool immediate)
{
	return depth * (immediate ? SQ_PER_TAG_IMM : SQ_PER_TAG) + SQ_SLACK;
}

/**
 * rblk_limits_sq_reserve() - of these, how many commands must leave free
 * @depth: commands outstanding
 * @immediate: reads may be answered by immediates
 *
 * A command may wait for room.  The local invalidation that ends one may not, and
 * each tag has at most one that is not known to be over.
 */
u32 rblk_limits_sq_reserve(u32 depth, bool immediate)
{
	return immediate ? depth : 0;
}

/**
 * rblk_limits_asks_times() - is this read to be answered by a message
 * @gen: generation of its tag
 *
 * An immediate can't tell how long the target took.  So some reads do without,
 * the first of each tag among them: a quiet volume has its times too.
 */
bool rblk_limits_asks_times(u16 gen)
{
	return gen % SAMPLE == 1;
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
 * rblk_limits_recv_bytes() - size of an I/O connection's receive buffers
 * @inline_read: largest read that comes in a response, bytes
 *
 * Any message of responses fits, and the reply to BIND.
 */
u32 rblk_limits_recv_bytes(u32 inline_read)
{
	u32 batch = sizeof(struct rblk_wire_hdr) +
		    RBLK_WIRE_MAX_BATCH * sizeof(struct rblk_wire_rsp);

	return inline_read ? max(batch, RBLK_WIRE_DATA_OFFSET + inline_read) : batch;
}

/**
 * rblk_limits_batch() - how many commands may leave together
 * @max_batch: that the target takes in one message
 * @inline_write: bytes of the buffer that such a message is built in
 */
u32 rblk_limits_batch(u32 max_batch, u32 inline_write)
{
	const u32 hdr = sizeof(struct rblk_wire_hdr);
	u32 fit = inline_write > hdr ?
		  (inline_write - hdr) / sizeof(struct rblk_wire_cmd) : 0;

	return clamp_t(u32, min(max_batch, fit), 1, RBLK_WIRE_MAX_BATCH);
}

/**
 * rblk_limits_gathers() - is a command to be held for a moment, for others to join
 * @lone: how many in a row had no company, of those held and of those that were
 *        not
 *
 * Who sends one at a time and waits gains nothing by it.  After some that were held
 * for nothing many are not; then some are again, since one that is sent at once may
 * be answered before the next is there, and would never find company.
 */
bool rblk_limits_gathers(u32 lone)
{
	return lone % GATHER_ROUND < GATHER_PROBES;
}

/**
 * rblk_limits_signal_from() - the size from which a send is to be signalled
 * @caps: what the device can do
 *
 * Nobody waits for sends, which are from memory that stays, and so none need be
 * signalled.  But to software iWARP a page or more that is not signalled is to
 * be sent from where it is: page by page, and header and trailer apart from it,
 * five segments of TCP instead of two.  That costs far more than copying a
 * page, which it does for sends that complete.  On other iWARP devices it costs
 * a completion that nobody is woken for.
 *
 * Return: bytes.
 */
u32 rblk_limits_signal_from(const struct rblk_caps *caps)
{
	return caps->iwarp ? caps->page_size : U32_MAX;
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
	if (min(caps->qp_wr, caps->cqe) <=
	    rblk_limits_sq_size(RBLK_WIRE_MIN_DEPTH, caps->immediate))
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

	return (entries - SQ_SLACK) /
	       (caps->immediate ? SQ_PER_TAG_IMM : SQ_PER_TAG);
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
 * @offer: its sizes are filled in; its inline_read is what the user wants
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
	offer->features = (caps->immediate ? RBLK_FEAT_READ_IMM : 0) |
			  (caps->push ? RBLK_FEAT_WRITE_PUSH : 0) |
			  (caps->gather ? RBLK_FEAT_ALONE : 0);
	offer->max_io = device_max_io(caps);
	offer->inline_read = min_t(u32, offer->inline_read, RBLK_WIRE_MAX_INLINE);
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
	/* The block layer reads ahead twice as much. */
	lim->io_opt = geo->io_opt <= MAX_IO_OPT ? geo->io_opt : 0;
	lim->max_sectors = max_io >> 9;
	lim->max_segments = min3(caps->mr_pages, max_io / caps->page_size + 1,
				 (u32)MAX_SEGMENTS);
	lim->max_write_zeroes = sectors(geo->max_write_zeroes, block);
	volume_discard(geo, lim);
}

/* The longest from one attempt to reconnect to the next. */
static u32 reconnect_ms(u32 attempt)
{
	return min(200u << min(attempt, 5u), 4000u);
}

/**
 * rblk_limits_jitter_ms() - when to try to reconnect (again)
 * @attempt: 0 for the first after a loss
 * @random: any number
 *
 * The first attempt is made within 200 ms, so that a short loss is a short
 * pause; the delay then doubles to at most 4 s.  Half of it is random, so that
 * a hundred hosts do not come back at the same moment.
 *
 * Return: milliseconds after the last attempt began.
 */
u32 rblk_limits_jitter_ms(u32 attempt, u32 random)
{
	u32 most = reconnect_ms(attempt);

	return most / 2 + random % (most / 2 + 1);
}

/**
 * rblk_limits_away_ms() - for how long a target is believed to be away
 * @announced: what it said, 0 for unknown
 *
 * Return: milliseconds; 0 if it is as if it had said nothing.
 */
u32 rblk_limits_away_ms(u32 announced)
{
	return min(announced, RBLK_WIRE_MAX_AWAY_MS);
}

/**
 * rblk_limits_away_retry_ms() - when to try whether it is back before that
 * @random: any number
 *
 * Each second is enough, as nobody is in a hurry who has said so before, and
 * I/O goes on within a second of the end.
 *
 * Return: milliseconds after the last attempt began.
 */
u32 rblk_limits_away_retry_ms(u32 random)
{
	return 500 + random % 501;
}

/**
 * rblk_limits_connect_ms() - how long to wait for an answer to a request
 * @attempt: 0 for a session that never was live, else those to reconnect
 *
 * The CM asks again after 4 s, TCP after more and more.  When the network comes
 * back meanwhile a new attempt gets through sooner, so none should take longer
 * than the time to the next, unless that is too short for a busy target.
 *
 * TCP sends its SYN at whole seconds.  None should be given up just after one: a
 * connection that the target has not accepted yet, and that goes, takes software
 * iWARP's listener with it (7.2, siw_cm_llp_state_change()).
 *
 * Return: milliseconds.
 */
u32 rblk_limits_connect_ms(u32 attempt)
{
	if (!attempt)
		return 8000;
	return reconnect_ms(attempt) < 3000 ? 1800 : 3800;
}
