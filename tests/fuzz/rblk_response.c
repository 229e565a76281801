// SPDX-License-Identifier: GPL-2.0-only
/*
 * A message on a bound I/O connection, and each of its responses against a
 * command that waits for one.
 */
#include "fuzz.h"
#include "../../driver/proto/proto.c"

/* A request may be completed on the strength of this. */
static void accepted(const u8 *msg, size_t size, const u8 *rsp,
		     const struct rblk_arrival *arrival,
		     const struct rblk_awaited *want)
{
	u64 status = FIELD(rsp, rblk_wire_rsp, status);
	u64 length = FIELD(rsp, rblk_wire_rsp, length);
	bool data = msg[2] & RBLK_HDRF_DATA;

	MUST(FIELD(rsp, rblk_wire_rsp, gen) == want->gen);
	MUST(status < RBLK_STATUS_NR);
	MUST(status != RBLK_STATUS_HELD || want->may_hold);
	MUST(status == RBLK_STATUS_GONE || !want->held);
	MUST(length == (status ? 0 : want->length));
	MUST(status != RBLK_STATUS_DIGEST || want->digest_sent);
	if (want->digest_wanted && !status)
		MUST(FIELD(rsp, rblk_wire_rsp, flags) == RBLK_RSPF_DIGEST);
	else
		MUST(zeroes(rsp + 6, 2) && zeroes(rsp + 12, 4));
	MUST(zeroes(rsp + 24, 8));
	if (want->rkey)
		MUST(arrival->invalidated && arrival->rkey == want->rkey);
	else
		MUST(!arrival->invalidated);
	MUST(data == (want->inline_data && !status));
	/* All of the data is there, and nothing else. */
	if (data)
		MUST(size == RBLK_WIRE_DATA_OFFSET + (size_t)want->length);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct rblk_arrival arrival = {};
	struct rblk_awaited want = {};
	struct response_knobs k;
	unsigned int i;
	u8 *msg;

	if (size < sizeof(k))
		return 0;
	memcpy(&k, data, sizeof(k));
	size -= sizeof(k);
	if (k.knobs & KNOB_COUNT)
		size -= odd(size, 8, 32);
	msg = message(data + sizeof(k), size);
	if (k.knobs & KNOB_COUNT && size >= 8)
		msg[1] = (size - 8) / 32;
	if (k.knobs & KNOB_LENGTH && size >= 8)
		put(msg + 4, 4, size);
	arrival.data = msg;
	arrival.bytes = size;
	arrival.invalidated = k.knobs & KNOB_INVALIDATED;
	arrival.rkey = arrival.invalidated ? k.invalidated : 0;
	want.gen = k.gen;
	want.length = k.length % (RBLK_WIRE_MAX_IO + 1);
	want.rkey = k.rkey;
	want.inline_data = k.knobs & KNOB_INLINE;
	want.may_hold = k.knobs & KNOB_FEATURES;
	want.held = k.knobs & KNOB_HELD;
	want.digest_sent = k.knobs & KNOB_DIGEST;
	want.digest_wanted = k.knobs & KNOB_DIGEST_BACK;
	if (rblk_proto_check_response_message(&arrival))
		goto out;

	MUST(size >= 40 && msg[0] == RBLK_MSG_RESPONSE);
	MUST(get(msg + 4, 4) == size);
	MUST(msg[1] >= 1 && msg[1] <= RBLK_WIRE_MAX_BATCH);
	MUST(!(get(msg + 2, 2) & ~RBLK_HDRF_DATA));
	if (msg[2])
		MUST(msg[1] == 1 && size > 64 && zeroes(msg + 40, 24));
	else
		MUST(size == 8 + msg[1] * 32u);
	for (i = 0; i < msg[1]; i++) {
		const u8 *rsp = msg + 8 + i * 32;

		if (!rblk_proto_check_response((const void *)rsp, &arrival, &want))
			accepted(msg, size, rsp, &arrival, &want);
	}
out:
	free(msg);
	return 0;
}
