// SPDX-License-Identifier: GPL-2.0-only
/*
 * Acts about messages as a whole: too short, too long, too many, in the wrong
 * place, or not asked for.
 */
#include <string.h>
#include "target.h"

#define FLOOD	1000

static void cut(struct fake *f, struct out *o)
{
	(void)f;
	o->len -= 1;
}

static void cut_to_nothing(struct fake *f, struct out *o)
{
	(void)f;
	o->len = 4;
}

static void empty(struct fake *f, struct out *o)
{
	(void)f;
	o->len = 0;
}

/* One byte more than its header says. */
static void longer(struct fake *f, struct out *o)
{
	(void)f;
	o->buf[o->len++] = 0;
}

/* More than there is room for at the other end. */
static void oversized(struct fake *f, struct out *o)
{
	(void)f;
	memset(o->buf + o->len, 0x5a, SEND_ROOM - o->len);
	o->len = SEND_ROOM;
	message_set_len(o->buf, o->len);
}

static void twice(struct fake *f, struct out *o)
{
	(void)f;
	o->copies = 2;
}

/* Two responses to one command in one message. */
static void twice_in_one(struct fake *f, struct out *o)
{
	struct rblk_wire_hdr *hdr = (void *)o->buf;
	char *first = o->buf + sizeof(*hdr);

	(void)f;
	memcpy(first + sizeof(struct rblk_wire_rsp), first,
	       sizeof(struct rblk_wire_rsp));
	hdr->count = 2;
	o->len += sizeof(struct rblk_wire_rsp);
	message_set_len(o->buf, o->len);
}

/* Data in the message, of a read that asked for it by RDMA. */
static void inline_data(struct fake *f, struct out *o)
{
	struct rblk_wire_hdr *hdr = (void *)o->buf;

	(void)f;
	hdr->flags = htole16(RBLK_HDRF_DATA);
	memset(o->buf + o->len, 0, RBLK_WIRE_DATA_OFFSET + 256 - o->len);
	o->len = RBLK_WIRE_DATA_OFFSET + 256;
	message_set_len(o->buf, o->len);
}

/* The answer to the first of two commands says that it is the other's. */
static void swapped(struct fake *f, struct out *o)
{
	struct rblk_wire_rsp *rsp = (void *)(o->buf + sizeof(struct rblk_wire_hdr));
	unsigned int tag = le16toh(rsp->tag), i;

	(void)f;
	for (i = 0; i < o->link->depth; i++)
		if (i != tag && o->link->cmds[i].op &&
		    o->link->cmds[i].tag != rsp->tag)
			break;
	rsp->tag = htole16(i < o->link->depth ? i : (tag + 1) % o->link->depth);
}

/* An answer with the tag's generation before this one's. */
static void stale(struct fake *f, struct out *o)
{
	struct rblk_wire_rsp *rsp = (void *)(o->buf + sizeof(struct rblk_wire_hdr));

	(void)f;
	rsp->gen = htole16(le16toh(rsp->gen) - 1);
}

/* On the control connection what belongs to an I/O connection. */
static void on_control(struct fake *f, struct out *o)
{
	struct link *control = link_control(f);

	if (control)
		o->link = control;
	o->inv = false;
}

static void send_event(struct fake *f, unsigned int kind, uint32_t volume,
		       uint64_t capacity, uint32_t ms)
{
	static char buf[SEND_ROOM];
	struct rblk_wire_event *e;
	struct out o = { .link = link_control(f), .buf = buf };

	if (!o.link)
		return;
	e = message_ctl(buf, RBLK_MSG_EVENT, sizeof(*e), 0, 0);
	e->kind = htole16(kind);
	e->volume = htole32(volume);
	e->capacity = htole64(capacity);
	e->duration_ms = htole32(ms);
	o.type = RBLK_MSG_EVENT;
	o.len = sizeof(*e);
	link_send(&o);
}

static void event_unknown(struct fake *f, struct out *o)
{
	(void)o;
	send_event(f, 77, f->volume, 0, 0);
}

static void event_foreign(struct fake *f, struct out *o)
{
	(void)o;
	send_event(f, RBLK_EVENT_REMOVED, f->volume + 1000, 0, 0);
	send_event(f, RBLK_EVENT_CAPACITY, 0xffffffff, 4096, 0);
}

static void event_away(struct fake *f, struct out *o)
{
	(void)o;
	send_event(f, RBLK_EVENT_GOING_AWAY, 0, 0, 0xffffffff);
}

static void event_away_stray(struct fake *f, struct out *o)
{
	(void)o;
	send_event(f, RBLK_EVENT_GOING_AWAY, 1, 5, 0);
}

static void event_capacity_zero(struct fake *f, struct out *o)
{
	(void)o;
	send_event(f, RBLK_EVENT_CAPACITY, f->volume, 0, 0);
}

static void event_capacity_huge(struct fake *f, struct out *o)
{
	(void)o;
	send_event(f, RBLK_EVENT_CAPACITY, f->volume, ~0ull, 0);
}

static void event_capacity_odd(struct fake *f, struct out *o)
{
	(void)o;
	send_event(f, RBLK_EVENT_CAPACITY, f->volume, 2 * DISK_BYTES + 1, 0);
}

static void event_grow(struct fake *f, struct out *o)
{
	(void)o;
	send_event(f, RBLK_EVENT_CAPACITY, f->volume, 2 * DISK_BYTES, 0);
}

static void event_shrink(struct fake *f, struct out *o)
{
	(void)o;
	send_event(f, RBLK_EVENT_CAPACITY, f->volume, DISK_BYTES / 2, 0);
}

static void event_removed(struct fake *f, struct out *o)
{
	(void)o;
	send_event(f, RBLK_EVENT_REMOVED, f->volume, 0, 0);
}

static void flood_away(struct fake *f, struct out *o)
{
	unsigned int i;

	(void)o;
	for (i = 0; i < FLOOD; i++)
		send_event(f, RBLK_EVENT_GOING_AWAY, 0, 0, i);
}

static void flood_capacity(struct fake *f, struct out *o)
{
	unsigned int i;

	(void)o;
	for (i = 0; i < FLOOD; i++)
		send_event(f, RBLK_EVENT_CAPACITY, f->volume, DISK_BYTES, 0);
}

/* A message of nobody's asking, many times. */
static void flood(struct link *l, unsigned int type, unsigned int copies)
{
	static char buf[SEND_ROOM];
	struct out o = { .link = l, .buf = buf, .type = type };

	message_ctl(buf, type, sizeof(struct rblk_wire_ctl), 3, 0);
	o.len = sizeof(struct rblk_wire_ctl);
	while (l && copies--)
		link_send(&o);
}

static void unasked_reply(struct fake *f, struct out *o)
{
	(void)o;
	flood(link_control(f), RBLK_MSG_ATTACH_REPLY, 1);
}

static void unasked_request(struct fake *f, struct out *o)
{
	(void)o;
	flood(link_control(f), RBLK_MSG_KEEPALIVE, 1);
}

static void flood_replies(struct fake *f, struct out *o)
{
	(void)o;
	flood(link_control(f), RBLK_MSG_KEEPALIVE_REPLY, FLOOD);
}

static void flood_responses(struct fake *f, struct out *o)
{
	(void)f;
	o->copies = FLOOD;
}

static void on_io(struct fake *f, struct out *o)
{
	(void)f;
	flood(o->link, RBLK_MSG_LOGIN_REPLY, 1);
}

/* As if the export had been taken away. */
static void gone(struct fake *f, struct out *o)
{
	struct rblk_wire_rsp *rsp = (void *)(o->buf + sizeof(struct rblk_wire_hdr));

	(void)f;
	rsp->status = htole16(RBLK_STATUS_GONE);
	rsp->length = 0;
}

#define MSG(id, type, how, reason)					\
	{ .name = id, .at = type, .expect = RECOVERS, .words = reason,	\
	  .spoil = how }
#define FIRST(id, type, how, reason)					\
	{ .name = id, .at = type, .expect = FAILS, .again = true,	\
	  .words = reason, .spoil = how }
#define FINE(id, how)							\
	{ .name = id, .at = RBLK_MSG_RESPONSE, .expect = HARMLESS,	\
	  .spoil = how }

const struct act message_acts[] = {
	FIRST("login-short", RBLK_MSG_LOGIN_REPLY, cut, "length differs"),
	FIRST("login-stub", RBLK_MSG_LOGIN_REPLY, cut_to_nothing, "shorter than"),
	FIRST("login-empty", RBLK_MSG_LOGIN_REPLY, empty, "shorter than"),
	FIRST("login-long", RBLK_MSG_LOGIN_REPLY, longer, "length differs"),
	FIRST("login-oversized", RBLK_MSG_LOGIN_REPLY, oversized,
	      "error|closed|flushed|failed"),
	FIRST("login-twice", RBLK_MSG_LOGIN_REPLY, twice, "a reply to nothing"),
	FIRST("bind-short", RBLK_MSG_BIND_REPLY, cut, "length differs"),
	FIRST("bind-oversized", RBLK_MSG_BIND_REPLY, oversized,
	      "error|closed|flushed|failed"),
	FIRST("bind-twice", RBLK_MSG_BIND_REPLY, twice,
	      "reply to nothing|not a response|shorter than"),
	FIRST("bind-on-control", RBLK_MSG_BIND_REPLY, on_control,
	      "another connection"),
	FIRST("attach-short", RBLK_MSG_ATTACH_REPLY, cut, "length differs"),
	MSG("response-short", RBLK_MSG_RESPONSE, cut, "shorter than"),
	MSG("response-stub", RBLK_MSG_RESPONSE, cut_to_nothing, "shorter than"),
	MSG("response-empty", RBLK_MSG_RESPONSE, empty, "shorter than"),
	MSG("response-long", RBLK_MSG_RESPONSE, longer, "length differs"),
	MSG("response-oversized", RBLK_MSG_RESPONSE, oversized,
	    "error|closed|flushed|failed"),
	MSG("response-twice", RBLK_MSG_RESPONSE, twice,
	    "not out|generation|does not invalidate|rkey|error|closed|failed|flushed"),
	MSG("response-twice-in-one", RBLK_MSG_RESPONSE, twice_in_one,
	    "not out|generation"),
	MSG("response-swapped", RBLK_MSG_RESPONSE, swapped,
	    "not out|generation|wrong length|does not invalidate"),
	MSG("response-stale", RBLK_MSG_RESPONSE, stale, "another generation"),
	MSG("response-inline", RBLK_MSG_RESPONSE, inline_data, "inline data"),
	MSG("response-on-control", RBLK_MSG_RESPONSE, on_control,
	    "a reply to nothing|another request|another kind|count, flag or reserved"),
	MSG("response-flood", RBLK_MSG_RESPONSE, flood_responses,
	    "not out|generation|does not invalidate|rkey|error|closed|failed|flushed"),
	MSG("reply-unasked", RBLK_MSG_RESPONSE, unasked_reply,
	    "reply to nothing|another request|another kind"),
	MSG("request-from-target", RBLK_MSG_RESPONSE, unasked_request,
	    "reply to nothing|another request|another kind"),
	MSG("reply-flood", RBLK_MSG_RESPONSE, flood_replies,
	    "reply to nothing|another request|another kind"),
	MSG("control-on-io", RBLK_MSG_RESPONSE, on_io, "shorter than|not a response"),
	MSG("keepalive-short", RBLK_MSG_KEEPALIVE_REPLY, cut_to_nothing,
	    "shorter than"),
	MSG("keepalive-twice", RBLK_MSG_KEEPALIVE_REPLY, twice,
	    "a reply to nothing"),
	MSG("event-unknown", RBLK_MSG_RESPONSE, event_unknown, "unknown event"),
	MSG("event-away-stray", RBLK_MSG_RESPONSE, event_away_stray,
	    "going-away event with a stray"),
	MSG("event-capacity-zero", RBLK_MSG_RESPONSE, event_capacity_zero,
	    "capacity event with an unusable"),
	MSG("event-capacity-huge", RBLK_MSG_RESPONSE, event_capacity_huge,
	    "capacity event with an unusable"),
	MSG("event-flood", RBLK_MSG_RESPONSE, flood_away, "flood of events"),
	MSG("event-capacity-flood", RBLK_MSG_RESPONSE, flood_capacity,
	    "flood of events"),
	FINE("event-away-huge", event_away),
	FINE("event-foreign", event_foreign),
	FINE("event-grow", event_grow),
	FINE("event-shrink", event_shrink),
	FINE("event-capacity-odd", event_capacity_odd),
	FINE("event-removed", event_removed),
	FINE("response-gone", gone),
	{ .name = "response-gone-for-ever", .at = RBLK_MSG_RESPONSE,
	  .again = true, .expect = ERRORS, .long_form = true, .spoil = gone },
	{ .name = NULL },
};
