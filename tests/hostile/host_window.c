// SPDX-License-Identifier: GPL-2.0-only
/*
 * The window, which we may write to by RDMA: commands that lie about it, RDMA
 * beyond it, and RDMA into it at the wrong time, which is allowed and must harm
 * nobody else.
 */
#include <stdio.h>
#include "host.h"

#define ROUNDS	100
#define PAGE	RBLK_WIRE_WINDOW_UNIT
/* Across what the target may have as one piece. */
#define LONG	(96u << 10)
/* Of the data area, behind those for bytes. */
#define LONG_PAGE	8

/**
 * window_command - a good WRITE of data in the window, in the send area
 * @s: whose
 * @tag: its tag
 * @page: where the data begins
 * @len: of it
 */
struct rblk_wire_cmd *window_command(const struct sess *s, uint16_t tag,
				     unsigned int page, size_t len)
{
	struct rblk_wire_cmd *c = message_commands(s->io[1]->out, 1);

	c->op = RBLK_OP_WRITE;
	c->flags = htole16(RBLK_CMDF_WINDOW);
	c->tag = htole16(tag);
	c->volume = htole32(s->volume);
	c->length = htole32(len);
	c->addr = htole64((uint64_t)page * PAGE);
	return c;
}

/**
 * window_fill - fill a page of the window
 * @s: whose
 * @page: which
 * @byte: with what
 */
int window_fill(const struct sess *s, unsigned int page, unsigned char byte)
{
	memset(s->io[1]->data + byte * PAGE, byte, PAGE);
	return slot_rdma(s, IBV_WR_RDMA_WRITE, byte, PAGE,
			 s->window_addr + (uint64_t)page * PAGE,
			 s->window_rkey);
}

static unsigned int last_page(const struct sess *s)
{
	return s->window_bytes / PAGE - 1;
}

struct window_case {
	const char *name;
	int op;
	const char *want;	/* the violation */
	void (*spoil)(const struct sess *s, struct rblk_wire_cmd *c);
};

static void across(const struct sess *s, struct rblk_wire_cmd *c)
{
	c->addr = htole64(last_page(s) * PAGE);
	c->length = htole32(PAGE + 512);
}

static void behind(const struct sess *s, struct rblk_wire_cmd *c)
{
	c->addr = htole64(s->window_bytes);
}

static void far_away(const struct sess *s, struct rblk_wire_cmd *c)
{
	(void)s;
	c->addr = htole64(1ull << 32);
}

static void by_address(const struct sess *s, struct rblk_wire_cmd *c)
{
	c->addr = htole64(s->window_addr);
}

static void wraps(const struct sess *s, struct rblk_wire_cmd *c)
{
	(void)s;
	c->addr = htole64(-4096ll);
	c->length = htole32(2 * PAGE);
}

static void too_long(const struct sess *s, struct rblk_wire_cmd *c)
{
	c->length = htole32(s->window_bytes + 512);
}

static void unaligned(const struct sess *s, struct rblk_wire_cmd *c)
{
	(void)s;
	c->addr = htole64(512);
}

static void odd(const struct sess *s, struct rblk_wire_cmd *c)
{
	(void)s;
	c->addr = htole64(1);
}

static void and_rkey(const struct sess *s, struct rblk_wire_cmd *c)
{
	c->rkey = htole32(s->io[1]->mr->rkey);
}

static void and_inline(const struct sess *s, struct rblk_wire_cmd *c)
{
	(void)s;
	c->flags |= htole16(RBLK_CMDF_INLINE);
}

static void and_pushed(const struct sess *s, struct rblk_wire_cmd *c)
{
	(void)s;
	c->flags |= htole16(RBLK_CMDF_PUSHED);
}

static void as_it_is(const struct sess *s, struct rblk_wire_cmd *c)
{
	(void)s;
	(void)c;
}

static void no_length(const struct sess *s, struct rblk_wire_cmd *c)
{
	(void)s;
	c->length = 0;
}

#define WINDOW	"violation: data beyond its window, or unaligned in it"
#define FLAGS	"violation: command flags not allowed here"
#define RKEY	"violation: rkey or address missing, stray or wrapping"
#define SIZE	"violation: data length out of range or unaligned"

#define READ	RBLK_OP_READ
#define WRITE	RBLK_OP_WRITE
#define FLUSH	RBLK_OP_FLUSH

static const struct window_case cases[] = {
	{ "window-across", WRITE, WINDOW, across },
	{ "window-behind", WRITE, WINDOW, behind },
	{ "window-far", WRITE, WINDOW, far_away },
	{ "window-by-address", WRITE, WINDOW, by_address },
	{ "window-wraps", WRITE, WINDOW, wraps },
	{ "window-too-long", WRITE, WINDOW, too_long },
	{ "window-unaligned", WRITE, WINDOW, unaligned },
	{ "window-odd", WRITE, WINDOW, odd },
	{ "window-and-rkey", WRITE, RKEY, and_rkey },
	{ "window-and-inline", WRITE, FLAGS, and_inline },
	{ "window-and-pushed", WRITE, FLAGS, and_pushed },
	{ "window-of-nothing", WRITE, SIZE, no_length },
	{ "window-for-read", READ, FLAGS, as_it_is },
	{ "window-for-flush", FLUSH, FLAGS, no_length },
};

static const char *spoilt(const struct window_case *p)
{
	struct rblk_wire_cmd *c;
	struct sess s;

	if (slot_open(&s))
		return "can't begin";
	c = window_command(&s, 1, 0, PAGE);
	c->op = p->op;
	p->spoil(&s, c);
	return area_refused(&s, p->want);
}

static struct area window_of(const struct sess *s)
{
	return (struct area){ s->window_addr, s->window_rkey, s->window_bytes };
}

static const char *written(struct sess *s, unsigned int sends)
{
	struct verbs *v = s->io[1];

	return verbs_send(v, message_len(v->out)) || slot_sent(v, sends) ||
	       sess_status(v, WAIT_MS) ? "can't write" : NULL;
}

/* First and last page, and more than the target has in one piece. */
static const char *exact(struct sess *s)
{
	unsigned int i, pages = LONG / PAGE, last = last_page(s);
	const char *why;

	if (window_fill(s, 0, 0x11))
		return "can't fill the first page";
	window_command(s, 0, 0, PAGE)->lba = htole64(8);
	why = written(s, 2);
	if (why || window_fill(s, last, 0x12))
		return why ? why : "can't fill the last page";
	window_command(s, DEPTH - 1, last, PAGE)->lba = htole64(16);
	why = written(s, 2);
	for (i = 0; !why && i < pages; i++)
		if (window_fill(s, LONG_PAGE + i, 0x20 + i) ||
		    slot_sent(s->io[1], 1))
			why = "can't fill a page";
	if (why)
		return why;
	window_command(s, 2, LONG_PAGE, LONG)->lba = htole64(64);
	why = written(s, 1);
	for (i = 0; !why && i < pages; i++)
		why = slot_holds(s, 64 + 8 * i, 0x20 + i, 0x20 + i);
	why = why ? why : slot_holds(s, 8, 0x11, 0x11);
	return why ? why : slot_holds(s, 16, 0x12, 0x12);
}

/* Two commands that name the same page: our data, at both places. */
static const char *shared(struct sess *s)
{
	struct verbs *v = s->io[1];
	struct rblk_wire_cmd *c;
	const char *why;
	unsigned int i;

	if (window_fill(s, 5, 0x13))
		return "can't fill";
	c = message_commands(v->out, 2);
	for (i = 0; i < 2; i++) {
		c[i].op = WRITE;
		c[i].flags = htole16(RBLK_CMDF_WINDOW);
		c[i].tag = htole16(i);
		c[i].volume = htole32(s->volume);
		c[i].length = htole32(PAGE);
		c[i].lba = htole64(400 + 8 * i);
		c[i].addr = htole64(5 * PAGE);
	}
	if (verbs_send(v, message_len(v->out)) || slot_sent(v, 2))
		return "can't send";
	if (sess_status(v, WAIT_MS))
		return "an error";
	/* One message or two. */
	sess_status(v, 100);
	why = slot_holds(s, 400, 0x13, 0x13);
	return why ? why : slot_holds(s, 408, 0x13, 0x13);
}

/* Our own data may be either then, and nothing else may happen. */
static const char *meanwhile(struct sess *s)
{
	struct verbs *v = s->io[1];
	const char *why = NULL;
	unsigned int i;

	for (i = 0; !why && i < ROUNDS; i++) {
		if (window_fill(s, 3, 0x31))
			return "can't fill";
		window_command(s, 3, 3, PAGE)->lba = htole64(24);
		if (verbs_send(v, message_len(v->out)) ||
		    window_fill(s, 3, 0x32) || window_fill(s, 3, 0x31) ||
		    window_fill(s, 3, 0x32) || slot_sent(v, 5))
			why = report_why("can't send, round %u", i);
		else if (sess_status(v, WAIT_MS))
			why = report_why("an error, round %u", i);
	}
	return why ? why : slot_holds(s, 24, 0x31, 0x32);
}

/* After the answer it is on the device. */
static const char *afterwards(struct sess *s)
{
	const char *why;

	if (window_fill(s, 4, 0x33))
		return "can't fill";
	window_command(s, 4, 4, PAGE)->lba = htole64(32);
	why = written(s, 2);
	if (why || window_fill(s, 4, 0x34) || slot_sent(s->io[1], 1))
		return why ? why : "can't fill it again";
	return slot_holds(s, 32, 0x33, 0x33);
}

/**
 * window_cases - run them
 */
void window_cases(void)
{
	struct sess s;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		if (!report_skips(cases[i].name))
			report_case(cases[i].name, spoilt(&cases[i]));
	area_cases("window-rdma", window_of);
	if (slot_open(&s))
		report_die("can't open a session");
	watch_begin();
	report_case("window-exact", exact(&s));
	report_case("window-shared", shared(&s));
	report_case("window-meanwhile", meanwhile(&s));
	report_case("window-afterwards", afterwards(&s));
	report_case("window-no-reason", watch_end(NULL, NULL));
	sess_close(&s);
}

static const char *not_offered(void)
{
	struct rblk_wire_cm_rep rep;
	const char *why;
	struct sess s;
	bool granted;

	if (sess_open_with(&s, RBLK_FEAT_WRITE_WINDOW))
		return "can't begin";
	memcpy(&rep, s.io[1]->private, sizeof(rep));
	granted = rep.features || s.window_addr || s.window_rkey ||
		  s.window_bytes;
	window_command(&s, 1, 0, PAGE);
	why = area_refused(&s, FLAGS);
	return granted ? "something is granted" : why;
}

/**
 * windowless_cases - of a target that grants no window
 */
void windowless_cases(void)
{
	report_case("window-not-offered", not_offered());
}
