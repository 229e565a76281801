// SPDX-License-Identifier: GPL-2.0-only
/*
 * Acts about held tags: a response that ends a command but keeps its tag, and
 * what comes after it.
 */
#include <string.h>
#include "target.h"

/* Send it as HELD. */
static void hold(struct fake *f, struct out *o)
{
	struct rblk_wire_rsp *rsp = (void *)(o->buf + sizeof(struct rblk_wire_hdr));

	(void)f;
	rsp->status = htole16(RBLK_STATUS_HELD);
	rsp->length = 0;
}

/* Send what is in @o, and then a second response with @status. */
static void second(struct out *o, uint16_t status, bool inv)
{
	struct out after = { .link = o->link };
	static char buf[SEND_ROOM];
	struct rblk_wire_rsp *rsp = (void *)(buf + sizeof(struct rblk_wire_hdr));

	link_send(o);
	io_response(&after, buf, o->cmd);
	rsp->status = htole16(status);
	rsp->length = 0;
	after.inv = inv;
	link_send(&after);
	o->copies = 0;
}

static void hold_and_free(struct fake *f, struct out *o)
{
	hold(f, o);
	second(o, RBLK_STATUS_GONE, false);
}

static void hold_and_succeed(struct fake *f, struct out *o)
{
	hold(f, o);
	second(o, RBLK_STATUS_OK, false);
}

static void hold_and_fail(struct fake *f, struct out *o)
{
	hold(f, o);
	second(o, RBLK_STATUS_IOERR, false);
}

static void hold_twice(struct fake *f, struct out *o)
{
	hold(f, o);
	second(o, RBLK_STATUS_HELD, false);
}

static void free_twice(struct fake *f, struct out *o)
{
	hold(f, o);
	second(o, RBLK_STATUS_GONE, false);
	o->inv = false;
	o->copies = 1;
}

static void free_and_invalidate(struct fake *f, struct out *o)
{
	hold(f, o);
	second(o, RBLK_STATUS_GONE, true);
}

/* The rkey is dead. */
static void write_after(struct fake *f, struct out *o)
{
	hold(f, o);
	link_send(o);
	link_rdma(o->link, IBV_WR_RDMA_WRITE, link_spare(o->link), BLOCK,
		  le64toh(o->cmd->addr), le32toh(o->cmd->rkey));
	o->copies = 0;
}

/* Until no tag is left. */
static void hold_all(struct fake *f, struct out *o)
{
	if (f->epoch == f->first_epoch)
		hold(f, o);
}

#define HELD(id, how, reason)						\
	{ .name = id, .at = RBLK_MSG_RESPONSE, .held = true,		\
	  .expect = RECOVERS, .words = reason, .spoil = how }

#define DEAD	"error|access|failed|flushed|closed"

const struct act held_acts[] = {
	{ .name = "held-honest", .at = RBLK_MSG_RESPONSE, .held = true,
	  .expect = HARMLESS, .spoil = hold_and_free },
	{ .name = "held-for-ever", .at = RBLK_MSG_RESPONSE, .held = true,
	  .expect = HARMLESS, .spoil = hold },
	{ .name = "held-unasked", .at = RBLK_MSG_RESPONSE, .expect = RECOVERS,
	  .words = "held that may not be", .spoil = hold },
	HELD("held-and-ok", hold_and_succeed, "does not free a held tag"),
	HELD("held-and-error", hold_and_fail, "does not free a held tag"),
	HELD("held-twice", hold_twice, "held that may not be"),
	HELD("held-freed-twice", free_twice, "not out|generation"),
	{ .name = "held-key-twice", .at = RBLK_MSG_RESPONSE, .op = RBLK_OP_READ,
	  .held = true, .expect = RECOVERS, .words = "foreign rkey|" DEAD,
	  .spoil = free_and_invalidate },
	{ .name = "held-write-after", .at = RBLK_MSG_RESPONSE, .op = RBLK_OP_READ,
	  .held = true, .expect = RECOVERS, .words = DEAD, .spoil = write_after },
	{ .name = "held-all", .at = RBLK_MSG_RESPONSE, .held = true, .again = true,
	  .expect = RECOVERS, .words = "no tag was free in time",
	  .long_form = true, .spoil = hold_all },
	{ .name = NULL },
};
