// SPDX-License-Identifier: GPL-2.0-only
/*
 * Acts about reads whose data comes with the response: too much or too little
 * of it, none, where none belongs, or of another read's.
 */
#include <string.h>
#include "target.h"

static struct rblk_wire_rsp *response(struct out *o)
{
	return (void *)(o->buf + sizeof(struct rblk_wire_hdr));
}

static void shrink(struct out *o, size_t bytes)
{
	o->len -= bytes;
	message_set_len(o->buf, o->len);
}

static void grow(struct out *o, size_t bytes)
{
	memset(o->buf + o->len, 0x5a, bytes);
	o->len += bytes;
	message_set_len(o->buf, o->len);
}

static void block_less(struct fake *f, struct out *o)
{
	(void)f;
	shrink(o, BLOCK);
}

static void byte_more(struct fake *f, struct out *o)
{
	(void)f;
	grow(o, 1);
}

/* Fits the buffer it comes to, as the reads are of less than was granted. */
static void block_more(struct fake *f, struct out *o)
{
	(void)f;
	grow(o, BLOCK);
}

/* More and says so: the length is right for the data, not for the command. */
static void block_more_said(struct fake *f, struct out *o)
{
	block_more(f, o);
	response(o)->length = htole32(o->len - RBLK_WIRE_DATA_OFFSET);
}

static void oversized(struct fake *f, struct out *o)
{
	(void)f;
	grow(o, SEND_ROOM - o->len);
}

/* Fits the buffer it comes to, but not where control messages are kept. */
static void bind_long(struct fake *f, struct out *o)
{
	(void)f;
	grow(o, RBLK_WIRE_CTRL_MAX + RBLK_WIRE_DATA_OFFSET - o->len);
}

static void no_bytes(struct fake *f, struct out *o)
{
	(void)f;
	shrink(o, o->len - RBLK_WIRE_DATA_OFFSET);
}

/* As if it had been a read by RDMA. */
static void no_data(struct fake *f, struct out *o)
{
	struct rblk_wire_hdr *hdr = (void *)o->buf;

	(void)f;
	hdr->flags = 0;
	shrink(o, o->len - sizeof(*hdr) - sizeof(struct rblk_wire_rsp));
}

static void error_and_data(struct fake *f, struct out *o)
{
	(void)f;
	response(o)->status = htole16(RBLK_STATUS_MEDIUM);
	response(o)->length = 0;
}

static void gap(struct fake *f, struct out *o)
{
	(void)f;
	o->buf[RBLK_WIRE_DATA_OFFSET - 1] = 1;
}

static void two(struct fake *f, struct out *o)
{
	(void)f;
	((struct rblk_wire_hdr *)o->buf)->count = 2;
}

static void stale(struct fake *f, struct out *o)
{
	(void)f;
	response(o)->gen = htole16(le16toh(response(o)->gen) - 1);
}

/* See target_imm.c. */
static void free_tag(struct fake *f, struct out *o)
{
	unsigned int tag = le16toh(response(o)->tag);

	(void)f;
	response(o)->tag = htole16((tag + 1) % o->link->depth);
	response(o)->gen = htole16(~le16toh(response(o)->gen));
}

static void twice(struct fake *f, struct out *o)
{
	(void)f;
	o->copies = 2;
}

/* After the answer the target says it again with other data. */
static void twice_differently(struct fake *f, struct out *o)
{
	static char first[SEND_ROOM];
	struct out copy = *o;

	(void)f;
	copy.buf = first;
	memcpy(first, o->buf, o->len);
	link_send(&copy);
	memset(o->buf + RBLK_WIRE_DATA_OFFSET, 0xee,
	       o->len - RBLK_WIRE_DATA_OFFSET);
}

/* An honest error, which has no data. */
static void failed(struct fake *f, struct out *o)
{
	no_data(f, o);
	response(o)->status = htole16(RBLK_STATUS_MEDIUM);
	response(o)->length = 0;
}

#define READ(id, how, reason)						\
	{ .name = id, .at = RBLK_MSG_RESPONSE, .inl = true,		\
	  .expect = RECOVERS, .words = reason, .spoil = how }

const struct act inline_acts[] = {
	{ .name = "inline-bind-long", .at = RBLK_MSG_BIND_REPLY, .expect = FAILS,
	  .again = true, .words = "longer than any", .spoil = bind_long },
	READ("inline-short", block_less, "inline data of a wrong length"),
	READ("inline-byte-more", byte_more, "inline data of a wrong length"),
	READ("inline-long", block_more, "inline data of a wrong length"),
	READ("inline-long-said", block_more_said, "response with a wrong length"),
	READ("inline-oversized", oversized, "error|closed|flushed|failed"),
	READ("inline-no-bytes", no_bytes, "inline data without room"),
	READ("inline-missing", no_data, "inline data where none"),
	READ("inline-of-error", error_and_data, "inline data where none"),
	READ("inline-gap", gap, "gap before inline data"),
	READ("inline-two", two, "inline data without room"),
	READ("inline-stale", stale, "another generation"),
	READ("inline-free-tag", free_tag, "not out|generation"),
	READ("inline-twice", twice, "not out|generation"),
	READ("inline-twice-differently", twice_differently, "not out|generation"),
	{ .name = "inline-failed", .at = RBLK_MSG_RESPONSE, .inl = true,
	  .again = true, .expect = ERRORS, .spoil = failed },
	{ .name = NULL },
};
