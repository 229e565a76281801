// SPDX-License-Identifier: GPL-2.0-only
/*
 * Slots: what a well-behaved host does with them, and what becomes of data there
 * that is changed while the backing device has not read it yet.  For that the
 * export is on tests/faults/rblk_hold.
 */
#include <stdio.h>
#include "host.h"

#define HOLD	"/sys/module/rblk_hold/parameters/"

/**
 * slot_open - a session with slots and a window
 * @s: fresh
 */
int slot_open(struct sess *s)
{
	int ret = sess_open_with(s, RBLK_FEAT_WRITE_PUSH | RBLK_FEAT_WRITE_WINDOW);

	if (!ret && (s->slot_size != SLOT_SIZE || s->slots != SLOTS || !s->window_bytes))
		ret = -1;
	return ret;
}

/**
 * slot_command - a good WRITE of a whole slot, in the send area
 * @s: whose
 * @tag: its tag
 */
struct rblk_wire_cmd *slot_command(const struct sess *s, uint16_t tag)
{
	struct rblk_wire_cmd *c = message_commands(s->io[1]->out, 1);

	c->op = RBLK_OP_WRITE;
	c->flags = htole16(RBLK_CMDF_PUSHED);
	c->tag = htole16(tag);
	c->volume = htole32(s->volume);
	c->length = htole32(SLOT_SIZE);
	return c;
}

/**
 * slot_rdma - RDMA between the target's memory and our data area
 * @s: whose
 * @opcode: IBV_WR_RDMA_*
 * @page: of the data area
 * @len: bytes
 * @addr: of the target
 * @rkey: of the target
 */
int slot_rdma(const struct sess *s, int opcode, unsigned int page, size_t len,
	      uint64_t addr, uint32_t rkey)
{
	struct verbs *v = s->io[1];
	struct ibv_sge sge = {
		.addr = (uintptr_t)v->data + page * SLOT_SIZE,
		.length = len,
		.lkey = v->mr->lkey,
	};
	struct ibv_send_wr wr = {
		.opcode = opcode,
		.sg_list = &sge,
		.num_sge = 1,
		.wr.rdma = { .remote_addr = addr, .rkey = rkey },
	};

	return verbs_post(v, &wr);
}

/**
 * slot_fill - fill a slot
 * @s: whose
 * @tag: which
 * @byte: with what
 */
int slot_fill(const struct sess *s, uint16_t tag, unsigned char byte)
{
	memset(s->io[1]->data + byte * SLOT_SIZE, byte, SLOT_SIZE);
	return slot_rdma(s, IBV_WR_RDMA_WRITE, byte, SLOT_SIZE,
			 s->slot_addr + (uint64_t)tag * SLOT_SIZE,
			 s->slot_rkey);
}

/**
 * slot_sent - wait for sends to complete
 * @v: the connection
 * @nr: how many
 */
int slot_sent(struct verbs *v, unsigned int nr)
{
	int ret = 0;

	while (nr-- && !ret)
		ret = verbs_sent(v, WAIT_MS);
	return ret;
}

/**
 * slot_holds - what has the volume got?
 * @s: whose
 * @lba: there
 * @a: what each byte may be
 * @b: what else it may be
 *
 * Return: what is wrong, or NULL.
 */
const char *slot_holds(struct sess *s, uint64_t lba, unsigned char a,
		       unsigned char b)
{
	struct rblk_wire_cmd *c = sess_fill(s, s->io[1], RBLK_OP_FLUSH);
	const unsigned char *data;
	const char *msg;
	size_t i;

	c->op = RBLK_OP_READ;
	c->flags = htole16(RBLK_CMDF_INLINE);
	c->tag = htole16(DEPTH - 2);
	c->lba = htole64(lba);
	c->length = htole32(SLOT_SIZE);
	msg = sess_call(s->io[1], message_len(s->io[1]->out));
	if (!msg || message_len(msg) != RBLK_WIRE_DATA_OFFSET + SLOT_SIZE)
		return "can't read it back";
	data = (const void *)(msg + RBLK_WIRE_DATA_OFFSET);
	for (i = 0; i < SLOT_SIZE; i++)
		if (data[i] != a && data[i] != b)
			return report_why("byte %zu is 0x%x", i, data[i]);
	return NULL;
}

/**
 * hold_set - tell the backing device
 * @name: hold, or release
 * @value: how many writes to keep, or anything
 */
void hold_set(const char *name, unsigned int value)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), HOLD "%s", name);
	f = fopen(path, "w");
	if (!f || fprintf(f, "%u\n", value) < 0 || fclose(f))
		report_die("can't set %s", path);
}

/**
 * hold_keeps - does the backing device keep a write, soon?
 */
bool hold_keeps(void)
{
	uint64_t end = verbs_now() + WAIT_MS;
	unsigned int nr = 0;
	FILE *f;

	do {
		verbs_sleep(2);
		f = fopen(HOLD "held", "r");
		if (!f || fscanf(f, "%u", &nr) != 1)
			report_die("no " HOLD "held");
		fclose(f);
	} while (!nr && verbs_now() < end);
	return nr;
}

enum way { PUSH, PULL, INLINE, WINDOW };

/* Where data is that is written ahead. */
static int ahead_fill(const struct sess *s, enum way how, unsigned char byte)
{
	return how == WINDOW ? window_fill(s, 3, byte) : slot_fill(s, 1, byte);
}

/* A WRITE of 0x51 under tag 1, by one of the ways. */
static int write_by(struct sess *s, enum way way)
{
	struct verbs *v = s->io[1];
	struct rblk_wire_hdr *h = (void *)v->out;
	struct rblk_wire_cmd *c;

	if (way == PUSH || way == WINDOW) {
		if (ahead_fill(s, way, 0x51) || slot_sent(v, 1))
			return -1;
		if (way == PUSH)
			slot_command(s, 1);
		else
			window_command(s, 1, 3, SLOT_SIZE);
	} else {
		memset(v->data, 0x51, SLOT_SIZE);
		c = sess_fill(s, v, RBLK_OP_WRITE);
		if (way == INLINE) {
			c->flags = htole16(RBLK_CMDF_INLINE);
			c->rkey = 0;
			c->addr = 0;
			h->flags = htole16(RBLK_HDRF_DATA);
			message_set_len(h, RBLK_WIRE_DATA_OFFSET + SLOT_SIZE);
			memset(v->out + RBLK_WIRE_DATA_OFFSET, 0x51, SLOT_SIZE);
		}
	}
	return verbs_send(v, message_len(h)) || slot_sent(v, 1);
}

/* The device keeps a write; meanwhile its data is overwritten with 0x52. */
static const char *changed(enum way way, unsigned char want)
{
	const char *why = NULL;
	struct sess s;

	if (slot_open(&s))
		return "can't begin";
	hold_set("hold", 1);
	if (write_by(&s, way))
		why = "can't send";
	else if (!hold_keeps())
		why = "the device did not keep it";
	else if (ahead_fill(&s, way, 0x52) || slot_sent(s.io[1], 1))
		why = "can't change it";
	else if (!slot_holds(&s, 0, 0x51, 0x52))
		why = "it was there already";
	hold_set("hold", 0);
	hold_set("release", 1);
	if (!why && sess_status(s.io[1], WAIT_MS))
		why = "an error";
	if (!why)
		why = slot_holds(&s, 0, want, want);
	/* Something else for the next one to change. */
	memset(s.io[1]->data, 0, SLOT_SIZE);
	if (sess_run(&s, s.io[1], RBLK_OP_WRITE, SLOT_SIZE) && !why)
		why = "can't clear it";
	sess_close(&s);
	return why;
}

/**
 * held_cases - a device that takes what there is when it looks
 */
void held_cases(void)
{
	struct verbs *v = sess_prepare();
	bool iwarp;

	if (!v)
		report_die("can't prepare a connection");
	iwarp = sess_is_iwarp(v);
	verbs_close(v);
	report_case("held-pushed", changed(PUSH, 0x52));
	report_case("held-window", changed(WINDOW, 0x52));
	/* On iWARP it is pulled into the pool. */
	report_case("held-pulled", changed(PULL, iwarp ? 0x51 : 0x52));
	report_case("held-inline", changed(INLINE, 0x51));
}

/**
 * held_stable_cases - a device that wants what it takes not to change
 */
void held_stable_cases(void)
{
	report_case("stable-pushed", changed(PUSH, 0x51));
	report_case("stable-window", changed(WINDOW, 0x51));
	report_case("stable-pulled", changed(PULL, 0x51));
	report_case("stable-inline", changed(INLINE, 0x51));
}
