// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measures how long a volume's operations take, and where.
 *
 * A device has one set of histograms per route and I/O connection.  The driver handles
 * the responses of a connection one at a time, so each set has one writer, who
 * needs neither a lock nor an atomic operation.  Readers add the sets up and
 * may miss an operation that is being counted.  The sets belong to the device
 * and outlive its connections.
 */
#include <linux/ktime.h>
#include "block.h"

static_assert(sizeof(struct rblk_latency) % SMP_CACHE_BYTES == 0);

static void histogram_add(struct rblk_ioc_latency *op, enum rblk_latency_part part, u64 ns)
{
	struct rblk_ioc_histogram *to = &op->part[part];

	to->sum += ns;
	to->bucket[rblk_latency_bucket(ns)]++;
}

static u64 ns_minus(u64 whole, u64 part)
{
	return whole > part ? whole - part : 0;
}

/**
 * rblk_latency_count() - count an operation whose answer has arrived
 * @route: that answers
 * @rq: the request
 * @slot: the slot with its response
 * @sent: ns, when the slot was submitted
 *
 * The target reports its own times.  If a response has none, this leaves out
 * the parts that need them.  Without iostats the block layer does not note when
 * a request began; then this leaves out the host's part and counts the total
 * from @sent.
 *
 * The time ends with the answer.  It does not include the invalidation of the key
 * after an immediate, nor the completion of RDMA WRITEs to the window.
 *
 * Context: softirq, or a task that polls; one at a time per connection.
 */
void rblk_latency_count(struct rblk_route *route, const struct request *rq,
			const struct rblk_slot *slot, u64 sent)
{
	const struct rblk_conn *conn = slot->conn;
	struct rblk_latency *set = &route->latency[conn->offer.qid - 1];
	struct rblk_ioc_latency *op = &set->op[slot->op - RBLK_OP_READ];
	u64 round_trip = ns_minus(conn->arrived, sent);
	u64 began = rq->start_time_ns;

	if (unlikely(slot->status)) {
		op->failed++;
		return;
	}
	op->bytes += slot->length;
	histogram_add(op, RBLK_LATENCY_TOTAL, began ? ns_minus(conn->arrived, began) : round_trip);
	if (began)
		histogram_add(op, RBLK_LATENCY_HOST, ns_minus(sent, began));
	if (!slot->target_ns)
		return;
	histogram_add(op, RBLK_LATENCY_WIRE, ns_minus(round_trip, slot->target_ns));
	histogram_add(op, RBLK_LATENCY_TARGET, ns_minus(slot->target_ns, slot->device_ns));
	histogram_add(op, RBLK_LATENCY_DEVICE, slot->device_ns);
}

/* The structure consists of u64 only, so this adds it up as an array. */
static void latency_add(struct rblk_latency *sum, const struct rblk_latency *set)
{
	const u64 *from = (const u64 *)set;
	u64 *to = (u64 *)sum;
	size_t i;

	for (i = 0; i < sizeof(*sum) / sizeof(*to); i++)
		to[i] += READ_ONCE(from[i]);
}

/**
 * rblk_latency_keep() - keep the histograms of a route that goes
 * @route: without requests
 *
 * Context: any; the caller holds devs_lock.
 */
void rblk_latency_keep(struct rblk_route *route)
{
	u32 i;

	for (i = 0; route->latency && i < route->vol.sess->nr_io; i++)
		latency_add(&route->dev->past, &route->latency[i]);
}

/**
 * rblk_latency_sum() - add up a device's histograms
 * @dev: on the list and ready
 * @sum: zeroed; filled in
 *
 * Context: any; the caller holds devs_lock.
 */
void rblk_latency_sum(struct rblk_dev *dev, struct rblk_latency *sum)
{
	struct rblk_route *route;
	u32 i;

	latency_add(sum, &dev->past);
	rblk_for_each_route(dev, route)
		for (i = 0; route->used && route->latency && i < route->vol.sess->nr_io; i++)
			latency_add(sum, &route->latency[i]);
}
