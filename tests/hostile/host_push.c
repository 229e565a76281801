// SPDX-License-Identifier: GPL-2.0-only
/*
 * Slots that we may write to by RDMA: commands that lie about them, RDMA that
 * goes beyond them, and RDMA into them at the wrong time, which is allowed and
 * must harm nobody else.
 */
#include <stdio.h>
#include "host.h"

#define ROUNDS	100
#define LAST	(SLOTS - 1)

struct push_case {
	const char *name;
	int op;
	const char *want;	/* the violation */
	void (*spoil)(struct verbs *v, struct rblk_wire_cmd *c);
};

static void too_long(struct verbs *v, struct rblk_wire_cmd *c)
{
	(void)v;
	c->length = htole32(SLOT_SIZE + 512);
}

static void far_too_long(struct verbs *v, struct rblk_wire_cmd *c)
{
	(void)v;
	c->length = htole32(RBLK_WIRE_MAX_IO);
}

static void and_inline(struct verbs *v, struct rblk_wire_cmd *c)
{
	(void)v;
	c->flags |= htole16(RBLK_CMDF_INLINE);
}

static void and_rkey(struct verbs *v, struct rblk_wire_cmd *c)
{
	c->rkey = htole32(v->mr->rkey);
}

static void and_address(struct verbs *v, struct rblk_wire_cmd *c)
{
	c->addr = htole64((uintptr_t)v->data);
}

static void with_data(struct verbs *v, struct rblk_wire_cmd *c)
{
	struct rblk_wire_hdr *h = (void *)v->out;

	(void)c;
	memset(v->out + message_len(h), 0, RBLK_WIRE_DATA_OFFSET);
	h->flags = htole16(RBLK_HDRF_DATA);
	message_set_len(h, RBLK_WIRE_DATA_OFFSET + SLOT_SIZE);
}

static void as_it_is(struct verbs *v, struct rblk_wire_cmd *c)
{
	(void)v;
	(void)c;
}

static void without_slot(struct verbs *v, struct rblk_wire_cmd *c)
{
	(void)v;
	c->tag = htole16(SLOTS);
}

static void last_tag(struct verbs *v, struct rblk_wire_cmd *c)
{
	(void)v;
	c->tag = htole16(DEPTH - 1);
}

static void no_length(struct verbs *v, struct rblk_wire_cmd *c)
{
	(void)v;
	c->length = 0;
}

#define SLOT	"violation: pushed data that its tag has no slot for"
#define FLAGS	"violation: command flags not allowed here"
#define RKEY	"violation: rkey or address missing, stray or wrapping"
#define INLINE	"violation: inline data missing, stray or too long"
#define SIZE	"violation: data length out of range or unaligned"

#define READ	RBLK_OP_READ
#define WRITE	RBLK_OP_WRITE
#define FLUSH	RBLK_OP_FLUSH

static const struct push_case cases[] = {
	{ "push-too-long", WRITE, SLOT, too_long },
	{ "push-far-too-long", WRITE, SLOT, far_too_long },
	{ "push-without-slot", WRITE, SLOT, without_slot },
	{ "push-last-tag", WRITE, SLOT, last_tag },
	{ "push-and-inline", WRITE, FLAGS, and_inline },
	{ "push-and-rkey", WRITE, RKEY, and_rkey },
	{ "push-and-address", WRITE, RKEY, and_address },
	{ "push-with-data", WRITE, INLINE, with_data },
	{ "push-of-nothing", WRITE, SIZE, no_length },
	{ "push-read", READ, FLAGS, as_it_is },
	{ "push-read-inline", READ, FLAGS, and_inline },
	{ "push-flush", FLUSH, FLAGS, no_length },
};

static const char *spoilt(const struct push_case *p)
{
	struct rblk_wire_cmd *c;
	struct sess s;

	if (slot_open(&s))
		return "can't begin";
	c = slot_command(&s, 1);
	c->op = p->op;
	p->spoil(s.io[1], c);
	return area_refused(&s, p->want);
}

static struct area slots_of(const struct sess *s)
{
	return (struct area){ s->slot_addr, s->slot_rkey,
			      (uint64_t)s->slots * SLOT_SIZE };
}

/* First and last slot, all and part of them. */
static const char *exact(struct sess *s)
{
	struct verbs *v = s->io[1];
	struct rblk_wire_cmd *c;
	const char *why;

	if (slot_fill(s, 0, 0x11))
		return "can't push";
	c = slot_command(s, 0);
	c->lba = htole64(8);
	if (verbs_send(v, message_len(v->out)) || slot_sent(v, 2) ||
	    sess_status(v, WAIT_MS))
		return "can't write";
	if (slot_fill(s, LAST, 0x12))
		return "can't push to the last slot";
	c = slot_command(s, LAST);
	c->lba = htole64(16);
	c->flags |= htole16(RBLK_CMDF_FUA);
	if (verbs_send(v, message_len(v->out)) || slot_sent(v, 2) ||
	    sess_status(v, WAIT_MS))
		return "can't write from the last slot";
	c = slot_command(s, LAST);
	c->lba = htole64(8);
	c->length = htole32(512);
	if (verbs_send(v, message_len(v->out)) || slot_sent(v, 1) ||
	    sess_status(v, WAIT_MS))
		return "can't write a block";
	why = slot_holds(s, 8, 0x12, 0x11);
	if (!why)
		why = slot_holds(s, 16, 0x12, 0x12);
	return why;
}

/* Responses until there are @nr; true if each is good. */
static bool all_good(struct verbs *v, unsigned int nr)
{
	const struct rblk_wire_hdr *hdr;
	const struct rblk_wire_rsp *rsp;
	unsigned int i, seen = 0;

	while (seen < nr) {
		hdr = verbs_receive(v, WAIT_MS, NULL);
		if (!hdr)
			return false;
		rsp = (const void *)(hdr + 1);
		for (i = 0; i < hdr->count; i++)
			if (rsp[i].status)
				return false;
		seen += hdr->count;
		verbs_post_recv(v, v->wc.wr_id);
	}
	return seen == nr;
}

/* One message for all of them, and something else among them. */
static const char *batch(struct sess *s)
{
	struct verbs *v = s->io[1];
	struct rblk_wire_cmd *c;
	const char *why = NULL;
	unsigned int i, n = RBLK_WIRE_MAX_BATCH;

	for (i = 0; i < n; i++)
		if (slot_fill(s, i, 0x20 + i))
			return "can't push";
	c = message_commands(v->out, n);
	for (i = 0; i < n; i++) {
		c[i].op = i == 5 ? FLUSH : WRITE;
		c[i].tag = htole16(i);
		c[i].volume = htole32(s->volume);
		if (i == 5)
			continue;
		c[i].flags = htole16(RBLK_CMDF_PUSHED);
		c[i].length = htole32(SLOT_SIZE);
		c[i].lba = htole64(64 + 8 * i);
	}
	if (verbs_send(v, message_len(v->out)) || slot_sent(v, n + 1))
		return "can't send";
	if (!all_good(v, n))
		return "an answer is missing or an error";
	for (i = 0; !why && i < n; i++)
		if (i != 5)
			why = slot_holds(s, 64 + 8 * i, 0x20 + i, 0x20 + i);
	return why;
}

/* Our own data may be either then, and nothing else may happen. */
static const char *meanwhile(struct sess *s)
{
	struct verbs *v = s->io[1];
	struct rblk_wire_cmd *c;
	const char *why = NULL;
	unsigned int i;

	for (i = 0; !why && i < ROUNDS; i++) {
		c = slot_command(s, 3);
		c->lba = htole64(24);
		if (slot_fill(s, 3, 0x31) || verbs_send(v, message_len(v->out)) ||
		    slot_fill(s, 3, 0x32) || slot_fill(s, 3, 0x31) || slot_fill(s, 3, 0x32) ||
		    slot_sent(v, 5))
			why = report_why("can't send, round %u", i);
		else if (sess_status(v, WAIT_MS))
			why = report_why("an error, round %u", i);
	}
	return why ? why : slot_holds(s, 24, 0x31, 0x32);
}

/* What is read goes out of the slot, too. */
static const char *while_read(struct sess *s)
{
	struct verbs *v = s->io[1];
	const char *why = NULL;
	unsigned int i;

	for (i = 0; !why && i < ROUNDS; i++) {
		sess_fill(s, v, READ);
		if (verbs_send(v, message_len(v->out)) || slot_fill(s, 1, 0x41) ||
		    slot_fill(s, 1, 0x42) || slot_sent(v, 3))
			why = report_why("can't send, round %u", i);
		else if (sess_status(v, WAIT_MS))
			why = report_why("an error, round %u", i);
	}
	return why;
}

/* The answer to @tag alone, among others that may say anything. */
static bool answered(struct verbs *v, uint16_t tag)
{
	uint64_t end = verbs_now() + WAIT_MS;
	const struct rblk_wire_hdr *hdr;
	const struct rblk_wire_rsp *rsp;
	bool found = false;

	while (!found && verbs_now() < end) {
		hdr = verbs_receive(v, WAIT_MS, NULL);
		if (!hdr)
			break;
		rsp = (const void *)(hdr + 1);
		found = hdr->type == RBLK_MSG_RESPONSE && hdr->count == 1 &&
			rsp->tag == htole16(tag) && !rsp->status;
		verbs_post_recv(v, v->wc.wr_id);
	}
	return found;
}

/* Answers that share a message are not written in a slot: all of them arrive. */
static const char *while_answered(struct sess *s)
{
	struct verbs *v = s->io[1];
	struct rblk_wire_cmd *c;
	unsigned int i, n = RBLK_WIRE_MAX_BATCH;

	c = message_commands(v->out, n);
	for (i = 0; i < n; i++) {
		c[i].op = FLUSH;
		c[i].tag = htole16(i);
		c[i].volume = htole32(s->volume);
	}
	if (verbs_send(v, message_len(v->out)))
		return "can't send";
	for (i = 0; i < 4 * n; i++)
		if (slot_fill(s, i % n, 0xff))
			return "can't push";
	if (slot_sent(v, 1 + 4 * n))
		return "the connection is gone";
	if (!all_good(v, n))
		return "no good answer";
	sess_fill(s, v, FLUSH)->tag = htole16(20);
	if (verbs_send(v, message_len(v->out)) || slot_sent(v, 1) ||
	    !answered(v, 20))
		return "no answer afterwards";
	return NULL;
}

/* However many tags there are, only the first ones have slots. */
static const char *deep(void)
{
	struct rblk_wire_cm_req req;
	struct rblk_wire_cm_rep rep;
	const char *why = NULL;
	struct sess s;
	int reason;

	sess_init(&s);
	req = sess_request(&s, 0);
	req.features = htole32(RBLK_FEAT_WRITE_PUSH);
	req.depth = htole16(RBLK_WIRE_MAX_DEPTH);
	s.control = sess_dial(&req, sizeof(req), &reason);
	if (!s.control)
		return report_why("refused: %d", reason);
	memcpy(&rep, s.control->private, sizeof(rep));
	if (le16toh(rep.depth) != RBLK_WIRE_MAX_DEPTH ||
	    rep.features != htole32(RBLK_FEAT_WRITE_PUSH))
		why = report_why("granted features 0x%x and depth %u",
				 le32toh(rep.features), le16toh(rep.depth));
	sess_close(&s);
	return why;
}

/**
 * push_cases - run them
 */
void push_cases(void)
{
	struct sess s;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		if (!report_skips(cases[i].name))
			report_case(cases[i].name, spoilt(&cases[i]));
	area_cases("slots", slots_of);
	report_case("slots-deep", deep());
	if (slot_open(&s))
		report_die("can't open a session");
	watch_begin();
	report_case("push-exact", exact(&s));
	report_case("push-batch", batch(&s));
	report_case("push-meanwhile", meanwhile(&s));
	report_case("push-while-read", while_read(&s));
	report_case("push-while-answered", while_answered(&s));
	report_case("push-no-reason", watch_end(NULL, NULL));
	sess_close(&s);
}

static const char *not_offered(void)
{
	struct rblk_wire_cm_rep rep;
	const char *why;
	struct sess s;
	bool granted;

	if (sess_open_with(&s, RBLK_FEAT_WRITE_PUSH))
		return "can't begin";
	memcpy(&rep, s.io[1]->private, sizeof(rep));
	granted = rep.features || s.slot_addr || s.slot_rkey || s.slot_size ||
		  s.slots;
	slot_command(&s, 1);
	why = area_refused(&s, FLAGS);
	return granted ? "something is granted" : why;
}

/**
 * unpushed_cases - of a target that does not let hosts push
 */
void unpushed_cases(void)
{
	report_case("push-not-offered", not_offered());
}
