// SPDX-License-Identifier: GPL-2.0-only
/*
 * The answer to a connection request: acceptance or refusal, as rdma_cm hands
 * it to the initiator, whoever sent it.
 */
#include "fuzz.h"
#include "../../driver/proto/proto.c"

static void accepted(const u8 *msg, size_t size,
		     const struct rblk_offer *offer, const struct rblk_grant *g)
{
	MUST(size >= 64 && !memcmp(msg, "rblk", 4));
	MUST(get(msg + 4, 2) == 64 && msg[6] == 1);
	MUST(!msg[7] && zeroes(msg + 14, 2) && zeroes(msg + 48, 16));
	MUST(g->nr_queues == get(msg + 8, 2));
	MUST(g->depth == get(msg + 10, 2));
	MUST(g->max_batch == get(msg + 12, 2));
	MUST(g->features == get(msg + 16, 4));
	MUST(g->max_io == get(msg + 20, 4));
	MUST(g->inline_read == get(msg + 24, 4));
	MUST(g->inline_write == get(msg + 28, 4));

	MUST(g->nr_queues <= offer->nr_queues);
	MUST(g->nr_queues || !offer->nr_queues);
	MUST(g->depth >= RBLK_WIRE_MIN_DEPTH && g->depth <= offer->depth);
	MUST(g->max_batch >= 1 && g->max_batch <= RBLK_WIRE_MAX_BATCH);
	MUST((g->features | offer->features) == offer->features);
	MUST(g->max_io >= RBLK_WIRE_MIN_IO && g->max_io <= offer->max_io);
	MUST(g->max_io % 4096 == 0);
	MUST(g->inline_read <= offer->inline_read);
	MUST(g->inline_write <= offer->inline_write);
}

static void refused(const u8 *msg, size_t size,
		    const struct rblk_wire_cm_rej *rej)
{
	MUST(size >= 16 && !memcmp(msg, "rblk", 4));
	MUST(get(msg + 4, 2) >= 16 && get(msg + 4, 2) <= size);
	MUST(msg[6] <= msg[7]);
	MUST(msg[6] > 1 || msg[7] < 1 || zeroes(msg + 10, 2));
	MUST(msg[6] > 1 || msg[7] < 1 || get(msg + 8, 2) == RBLK_REJ_PAUSED ||
	     zeroes(msg + 12, 4));
	MUST(!memcmp(msg, rej, 16));
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct rblk_offer offer = { .epoch = 1 };
	struct rblk_wire_cm_rej rej;
	struct rblk_grant grant;
	struct cm_knobs k;
	u8 *msg;

	if (size < sizeof(k))
		return 0;
	memcpy(&k, data, sizeof(k));
	size -= sizeof(k);
	msg = message(data + sizeof(k), size);
	offer.nr_queues = k.nr_queues;
	offer.depth = k.depth;
	offer.features = k.features;
	offer.max_io = k.max_io;
	offer.inline_read = k.inline_read;
	offer.inline_write = k.inline_write;
	if (!rblk_proto_check_cm_rep(msg, size, &offer, &grant))
		accepted(msg, size, &offer, &grant);
	if (!rblk_proto_check_cm_rej(msg, size, &rej))
		refused(msg, size, &rej);
	free(msg);
	return 0;
}
