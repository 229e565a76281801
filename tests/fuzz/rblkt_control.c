// SPDX-License-Identifier: GPL-2.0-only
/*
 * A control message or BIND, as it arrives at the target.
 */
#include "fuzz.h"
#include "../../target/proto/proto.c"

/* How much of the exchange the first LOGIN uses, or else the second. */
static size_t login_auth(const u8 *msg)
{
	return get(msg + 114, 2) == 64 ? 64 : 16;
}

static void accepted(const u8 *msg, size_t size)
{
	must_be_ctl(msg, size);
	MUST(zeroes(msg + 12, 2));
	switch (msg[0]) {
	case RBLK_MSG_LOGIN:
		MUST(size == 248);
		MUST(!zeroes(msg + 16, 16) && !zeroes(msg + 32, 16));
		MUST(msg[48] && name(msg + 48));
		/* A method that there is; reserved; and nothing after what is used. */
		MUST(get(msg + 112, 2) <= RBLK_AUTH_X25519);
		MUST(get(msg + 114, 2) == (get(msg + 112, 2) ? login_auth(msg) : 0));
		MUST(zeroes(msg + 116, 4));
		MUST(zeroes(msg + 120 + get(msg + 114, 2), 128 - get(msg + 114, 2)));
		break;
	case RBLK_MSG_ATTACH:
		MUST(size == 128);
		MUST(msg[16] && name(msg + 16));
		MUST(get(msg + 96, 4) <= 3 && get(msg + 100, 4) <= 3);
		/* What continues nothing has no tenure and no right. */
		MUST(get(msg + 100, 4) & 1 || zeroes(msg + 104, 8));
		MUST(get(msg + 100, 4) & 1 || zeroes(msg + 120, 8));
		break;
	case RBLK_MSG_LIST:
	case RBLK_MSG_DETACH:
		MUST(size == 24 && zeroes(msg + 20, 4));
		break;
	case RBLK_MSG_BIND:
		MUST(size == 24);
		break;
	case RBLK_MSG_FENCE:
		MUST(size == 56);
		MUST(!zeroes(msg + 16, 16) && !zeroes(msg + 32, 16));
		/* An epoch, and nothing after it. */
		MUST(!zeroes(msg + 48, 4) && zeroes(msg + 52, 4));
		break;
	case RBLK_MSG_RESERVE:
		MUST(size == 56);
		/* An action and a type that fit, nothing reserved, a source and a number. */
		MUST(msg[20] >= 1 && msg[20] <= 7 && zeroes(msg + 22, 2));
		MUST(msg[20] >= 3 && msg[20] <= 6 ? msg[21] >= 1 && msg[21] <= 6 : !msg[21]);
		MUST(!zeroes(msg + 24, 8) && !zeroes(msg + 32, 8));
		/* No key that has no meaning. */
		MUST(msg[20] != 2 || zeroes(msg + 40, 8));
		MUST(msg[20] <= 2 || msg[20] == 5 || msg[20] == 6 || zeroes(msg + 48, 8));
		break;
	case RBLK_MSG_RESERVATION:
		MUST(size == 24);
		break;
	default:
		MUST(msg[0] == RBLK_MSG_KEEPALIVE || msg[0] == RBLK_MSG_PORTALS);
		MUST(size == 16);
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	enum rblkt_bad bad;
	u8 *msg;
	u8 knobs;

	if (!size)
		return 0;
	knobs = *data;
	size--;
	msg = message(data + 1, size);
	if (knobs & KNOB_LENGTH && size >= 8)
		put(msg + 4, 4, size);
	bad = rblkt_proto_check_ctl(msg, size);
	MUST(bad < RBLKT_BAD_NR && rblkt_proto_bad_text(bad)[0] != '?');
	if (!bad)
		accepted(msg, size);
	free(msg);
	return 0;
}
