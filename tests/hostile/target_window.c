// SPDX-License-Identifier: GPL-2.0-only
/*
 * Acts about the window: a target that grants one nobody asked for, none where
 * it said so, or one that is no memory of its own.
 */
#include <string.h>
#include "target.h"

#define UNASKED	"a window nobody asked for"
#define USELESS	"an unusable window"

static void grant(struct out *o, uint64_t addr, uint32_t rkey, uint32_t bytes)
{
	struct rblk_wire_bind_reply *r = (void *)o->buf;

	r->window_addr = htole64(addr);
	r->window_rkey = htole32(rkey);
	r->window_bytes = htole32(bytes);
}

static void unasked(struct fake *f, struct out *o)
{
	(void)f;
	grant(o, 0x1000, 9, 64 << 10);
}

static void none(struct fake *f, struct out *o)
{
	(void)f;
	grant(o, 0, 0, 0);
}

static void keyless(struct fake *f, struct out *o)
{
	(void)f;
	grant(o, 0x1000, 0, 64 << 10);
}

static void huge(struct fake *f, struct out *o)
{
	(void)f;
	grant(o, 0x1000, 9, 0xfffff000);
}

static void odd(struct fake *f, struct out *o)
{
	(void)f;
	grant(o, 0x1000, 9, 4096 + 512);
}

static void wraps(struct fake *f, struct out *o)
{
	(void)f;
	grant(o, -4096ull, 9, 64 << 10);
}

/* What is written there fails, and the next epoch has no window. */
static void wild(struct fake *f, struct out *o)
{
	if (f->epoch == f->first_epoch)
		grant(o, 0xffff888000000000ull, 0xdeadbeef, 512 << 10);
}

#define GRANT(id, how, reason)						\
	{ .name = id, .at = RBLK_MSG_BIND_REPLY, .window = true,	\
	  .again = true, .expect = FAILS, .words = reason, .spoil = how }

const struct act window_acts[] = {
	{ .name = "window-unasked", .at = RBLK_MSG_BIND_REPLY, .again = true,
	  .expect = FAILS, .words = UNASKED, .spoil = unasked },
	GRANT("window-none", none, USELESS),
	GRANT("window-keyless", keyless, USELESS),
	GRANT("window-huge", huge, USELESS),
	GRANT("window-odd", odd, USELESS),
	GRANT("window-wraps", wraps, USELESS),
	{ .name = "window-wild", .at = RBLK_MSG_BIND_REPLY, .window = true,
	  .again = true, .expect = RECOVERS, .words = "RDMA WRITE failed|" CLOSED,
	  .spoil = wild },
	{ .name = NULL },
};
