// SPDX-License-Identifier: GPL-2.0-only
/*
 * A connection request, as rdma_cm hands it to the target, what it is granted,
 * and whether an initiator that had asked so would take the answer.
 */
#include "fuzz.h"
#include "../../target/proto/proto.c"
#include "../../target/proto/encoder.c"
#define all_zero	initiator_all_zero
#include "../../driver/proto/proto.c"
#undef all_zero

static void decoded(const u8 *msg, size_t size, const struct rblkt_req *req)
{
	MUST(size >= 56 && !memcmp(msg, "rblk", 4));
	MUST(get(msg + 4, 2) >= 56 && get(msg + 4, 2) <= size);
	MUST(msg[6] <= 1 && msg[7] >= 1);
	MUST(!zeroes(msg + 8, 16) && !memcmp(req->session, msg + 8, 16));
	MUST(req->epoch && req->epoch == get(msg + 24, 4));
	MUST(req->qid == get(msg + 28, 2));
	MUST(req->nr_queues == get(msg + 30, 2));
	MUST(req->depth == get(msg + 32, 2));
	MUST(zeroes(msg + 34, 2) && zeroes(msg + 52, 4));
	MUST(req->features == get(msg + 36, 4));
	MUST(req->max_io == get(msg + 40, 4));
	MUST(req->inline_read == get(msg + 44, 4));
	MUST(req->inline_write == get(msg + 48, 4));
}

static void granted(const struct rblkt_req *req,
		    const struct rblkt_limits *limits,
		    const struct rblkt_grant *grant)
{
	struct rblk_offer offer = {
		.nr_queues = req->nr_queues, .depth = req->depth,
		.features = req->features, .max_io = req->max_io,
		.inline_read = req->inline_read,
		.inline_write = req->inline_write,
	};
	struct rblk_wire_cm_rep rep;
	struct rblk_grant understood;

	MUST(req->qid <= req->nr_queues && req->qid <= limits->max_queues);
	MUST(grant->nr_queues <= RBLK_WIRE_MAX_QUEUES);
	MUST(grant->nr_queues <= limits->max_queues);
	MUST(req->qid <= grant->nr_queues);
	MUST(grant->depth <= limits->max_depth);
	MUST(grant->max_io <= limits->max_io);
	MUST(grant->inline_read <= limits->inline_read);
	MUST(grant->inline_write <= limits->inline_write);
	MUST(grant->slot_size <= limits->slot_size);
	/* Some slots, of tags that there are, or the host does not hear of them. */
	MUST(!(grant->features & RBLK_FEAT_WRITE_PUSH) == !grant->slot_size);
	MUST(!grant->slot_size == !grant->slots);
	MUST(grant->slots <= grant->depth && grant->slots <= limits->slots);
	MUST(!(grant->features & RBLK_FEAT_WRITE_WINDOW) == !grant->window);
	MUST(grant->window <= limits->window);
	/* Initiators ask for multiples of it. */
	if (req->max_io % RBLK_WIRE_MIN_IO)
		return;
	rblkt_proto_rep(&rep, grant);
	MUST(!rblk_proto_check_cm_rep(&rep, sizeof(rep), &offer, &understood));
	MUST(understood.nr_queues == grant->nr_queues);
	MUST(understood.depth == grant->depth);
	MUST(understood.max_io == grant->max_io);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct rblkt_limits limits;
	struct rblkt_grant grant;
	struct rblkt_req req;
	struct cm_knobs k;
	u8 *msg;

	if (size < sizeof(k))
		return 0;
	memcpy(&k, data, sizeof(k));
	size -= sizeof(k);
	msg = message(data + sizeof(k), size);
	/* Any limits that a target may have. */
	limits.max_queues = 1 + k.nr_queues % RBLK_WIRE_MAX_QUEUES;
	limits.max_depth = clamp_t(u16, k.depth, RBLK_WIRE_MIN_DEPTH,
				   RBLK_WIRE_MAX_DEPTH);
	limits.max_io = (1 + k.max_io % 16) * RBLK_WIRE_MIN_IO;
	limits.inline_read = k.inline_read % (RBLK_WIRE_MAX_INLINE + 1);
	limits.inline_write = k.inline_write % (RBLK_WIRE_MAX_INLINE + 1);
	limits.features = k.features;
	limits.slots = 1 + (k.inline_read >> 17);
	limits.slot_size = 1 + k.inline_write % RBLK_WIRE_MAX_INLINE;
	limits.window = (1 + k.inline_write % 4096) * RBLK_WIRE_WINDOW_UNIT;
	if (!rblkt_proto_check_req(msg, size, &req)) {
		decoded(msg, size, &req);
		if (!rblkt_proto_grant(&req, &limits, &grant))
			granted(&req, &limits, &grant);
	}
	free(msg);
	return 0;
}
