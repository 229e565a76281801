// SPDX-License-Identifier: GPL-2.0-only
/*
 * How long a volume's operations took, and where.
 *
 * Each volume has a set of histograms per I/O connection.  Responses of a
 * connection are handled one at a time, so each set has one writer, who needs
 * neither a lock nor an atomic operation; readers add the sets up, and may miss
 * what is being counted.  The sets belong to the device and outlive its
 * connections.
 */
#include <linux/ktime.h>
#include <linux/slab.h>
#include "rblk.h"

static_assert(sizeof(struct rblk_latency) % SMP_CACHE_BYTES == 0);

/**
 * rblk_latency_init() - make a device's histograms
 * @dev: its session has been live
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int rblk_latency_init(struct rblk_dev *dev)
{
	dev->latency = kvcalloc(dev->vol.sess->nr_io, sizeof(*dev->latency),
				GFP_KERNEL);
	return dev->latency ? 0 : -ENOMEM;
}

/**
 * rblk_latency_free() - undo rblk_latency_init(), which may not have been
 * @dev: nothing of it is out
 */
void rblk_latency_free(struct rblk_dev *dev)
{
	kvfree(dev->latency);
}

static void add(struct rblk_ioc_latency *op, enum rblk_latency_part part, u64 ns)
{
	struct rblk_ioc_histogram *to = &op->part[part];

	to->sum += ns;
	to->bucket[rblk_latency_bucket(ns)]++;
}

static u64 less(u64 whole, u64 part)
{
	return whole > part ? whole - part : 0;
}

/**
 * rblk_latency_count() - an operation has ended
 * @dev: whose
 * @rq: its request
 * @slot: with its response
 * @sent: ns, when the slot was submitted
 *
 * The target's times are what it says.  A response without them, or one for a
 * queue without iostats, where nobody notes when a request began, leaves those
 * parts out.
 *
 * It ends with the answer: what an immediate still takes to invalidate the key
 * is not in it.
 *
 * Context: that of the response, one at a time per connection.
 */
void rblk_latency_count(struct rblk_dev *dev, const struct request *rq,
			const struct rblk_slot *slot, u64 sent)
{
	const struct rblk_conn *conn = slot->conn;
	struct rblk_latency *set = &dev->latency[conn->offer.qid - 1];
	struct rblk_ioc_latency *op = &set->op[slot->op - RBLK_OP_READ];
	u64 round_trip = less(conn->arrived, sent);
	u64 began = rq->start_time_ns;

	if (unlikely(slot->status)) {
		op->failed++;
		return;
	}
	op->bytes += slot->length;
	add(op, RBLK_LATENCY_TOTAL, began ? less(conn->arrived, began) : round_trip);
	if (began)
		add(op, RBLK_LATENCY_HOST, less(sent, began));
	if (!slot->target_ns)
		return;
	add(op, RBLK_LATENCY_WIRE, less(round_trip, slot->target_ns));
	add(op, RBLK_LATENCY_TARGET, less(slot->target_ns, slot->device_ns));
	add(op, RBLK_LATENCY_DEVICE, slot->device_ns);
}

/* All of it is made of u64, and is added up like that. */
static void add_up(struct rblk_latency *sum, const struct rblk_latency *set)
{
	const u64 *from = (const u64 *)set;
	u64 *to = (u64 *)sum;
	size_t i;

	for (i = 0; i < sizeof(*sum) / sizeof(*to); i++)
		to[i] += READ_ONCE(from[i]);
}

/**
 * rblk_latency_sum() - a device's histograms, added up
 * @dev: with its list's mutex held
 * @sum: zeroed
 */
void rblk_latency_sum(struct rblk_dev *dev, struct rblk_latency *sum)
{
	u32 i;

	for (i = 0; i < dev->vol.sess->nr_io; i++)
		add_up(sum, &dev->latency[i]);
}
