// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory that is not what a command says: the target's RDMA fails, and the
 * connection ends.  And what is right on the edge, which must work.
 */
#include <stdlib.h>
#include "host.h"

struct data_case {
	const char *name;
	int op;
	uint32_t length;
	void (*spoil)(struct verbs *v, struct rblk_wire_cmd *c);
};

#define LOCAL	IBV_ACCESS_LOCAL_WRITE
#define READ_OK	(LOCAL | IBV_ACCESS_REMOTE_WRITE)	/* for a READ */
#define WRITE_OK (LOCAL | IBV_ACCESS_REMOTE_READ)	/* for a WRITE */

static struct ibv_mr *other;	/* another region; closed by the case's end */
static struct verbs *stranger;	/* a connection with a domain of its own */

static void use(struct rblk_wire_cmd *c, const struct ibv_mr *mr)
{
	c->addr = htole64((uintptr_t)mr->addr);
	c->rkey = htole32(mr->rkey);
}

static void region(struct verbs *v, struct rblk_wire_cmd *c, size_t len,
		   int access)
{
	other = verbs_register(v, v->data, len, access);
	if (!other)
		report_die("can't register memory");
	use(c, other);
}

static void unknown(struct verbs *v, struct rblk_wire_cmd *c)
{
	c->rkey = htole32(v->mr->rkey ^ 0x5a00);
}

static void key_byte(struct verbs *v, struct rblk_wire_cmd *c)
{
	c->rkey = htole32(v->mr->rkey ^ 1);
}

static void before(struct verbs *v, struct rblk_wire_cmd *c)
{
	c->addr = htole64((uintptr_t)v->buf - 4096);
}

static void behind(struct verbs *v, struct rblk_wire_cmd *c)
{
	c->addr = htole64((uintptr_t)v->mr->addr + v->mr->length - 4096 + 512);
}

static void address_zero(struct verbs *v, struct rblk_wire_cmd *c)
{
	(void)v;
	c->addr = 0;
}

static void too_short(struct verbs *v, struct rblk_wire_cmd *c)
{
	region(v, c, le32toh(c->length) - 512,
	       LOCAL | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE);
}

static void not_writable(struct verbs *v, struct rblk_wire_cmd *c)
{
	region(v, c, RBLK_WIRE_MAX_IO, WRITE_OK);
}

static void not_readable(struct verbs *v, struct rblk_wire_cmd *c)
{
	region(v, c, RBLK_WIRE_MAX_IO, READ_OK);
}

static void local_only(struct verbs *v, struct rblk_wire_cmd *c)
{
	region(v, c, RBLK_WIRE_MAX_IO, LOCAL);
}

static void gone_region(struct verbs *v, struct rblk_wire_cmd *c)
{
	region(v, c, RBLK_WIRE_MAX_IO, READ_OK | WRITE_OK);
	ibv_dereg_mr(other);
	other = NULL;
}

static void foreign(struct verbs *v, struct rblk_wire_cmd *c)
{
	(void)v;
	use(c, stranger->mr);
}

#define READ	RBLK_OP_READ
#define WRITE	RBLK_OP_WRITE
#define BIG	RBLK_WIRE_MAX_IO

static const struct data_case cases[] = {
	{ "rkey-unknown-read", READ, 4096, unknown },
	{ "rkey-unknown-read-big", READ, BIG, unknown },
	{ "rkey-unknown-write", WRITE, 8192, unknown },
	{ "rkey-unknown-write-big", WRITE, BIG, unknown },
	{ "rkey-other-key-read", READ, 4096, key_byte },
	{ "rkey-other-key-write", WRITE, 65536, key_byte },
	{ "rkey-before-read", READ, 4096, before },
	{ "rkey-behind-read", READ, 4096, behind },
	{ "rkey-behind-write", WRITE, 4096, behind },
	{ "rkey-address-zero", READ, 4096, address_zero },
	{ "rkey-short-read", READ, 8192, too_short },
	{ "rkey-short-read-big", READ, BIG, too_short },
	{ "rkey-short-write", WRITE, 8192, too_short },
	{ "rkey-short-write-big", WRITE, BIG, too_short },
	{ "rkey-not-writable", READ, 4096, not_writable },
	{ "rkey-not-readable", WRITE, 8192, not_readable },
	{ "rkey-local-read", READ, 4096, local_only },
	{ "rkey-local-write", WRITE, 8192, local_only },
	{ "rkey-deregistered", READ, 4096, gone_region },
	{ "rkey-foreign-read", READ, 4096, foreign },
	{ "rkey-foreign-write", WRITE, 8192, foreign },
};

/* Wait for the end, but not for that of silence. */
static bool gone_alive(struct sess *s, unsigned int ms)
{
	uint64_t end = verbs_now() + ms;

	while (!verbs_gone(s->io[1], 1000)) {
		if (verbs_now() >= end)
			return false;
		sess_alive(s);
	}
	return true;
}

/* SIW (7.2) lets any memory be read that is registered: no harm to the target. */
static bool siw_allows(const struct verbs *v, const struct data_case *c)
{
	return sess_is_iwarp(v) && c->op == WRITE &&
	       (c->spoil == not_readable || c->spoil == local_only);
}

/* It was carried out, then. */
static const char *allowed(struct sess *s)
{
	int status = sess_status(s->io[1], WAIT_MS);

	return status ? report_why("the answer is %d", status) : NULL;
}

static const char *spoilt(const struct data_case *c)
{
	struct rblk_wire_cmd *cmd;
	unsigned int limit = WAIT_MS;
	const char *why = NULL;
	struct sess s;
	int ret;

	ret = sess_open(&s);
	if (ret)
		return report_why("can't begin: %d", ret);
	cmd = sess_fill(&s, s.io[1], c->op);
	cmd->length = htole32(c->length);
	c->spoil(s.io[1], cmd);
	/* SIW refuses to be read without a word; the target waits so long. */
	if (sess_is_iwarp(s.io[1]) && c->op == RBLK_OP_WRITE)
		limit = 35000;
	watch_begin();
	if (verbs_send(s.io[1], message_len(s.io[1]->out)))
		why = "can't send";
	else if (siw_allows(s.io[1], c))
		why = allowed(&s);
	else if (!gone_alive(&s, limit))
		why = "the connection lives";
	else if (!verbs_gone(s.control, WAIT_MS))
		why = "the session outlives its connection";
	else
		why = watch_broken(s.io[1]);
	if (other)
		ibv_dereg_mr(other);
	other = NULL;
	sess_close(&s);
	return why;
}

/* Nothing may come back outside what was granted, and that as it was written. */
static const char *exact(struct sess *s)
{
	struct verbs *v = s->io[1];
	struct rblk_wire_cmd *c;
	size_t i;

	memset(v->data, 0x11, 65536);
	c = sess_fill(s, v, WRITE);
	c->lba = htole64(s->blocks - 16);
	c->length = htole32(8192);
	if (verbs_send(v, message_len(v->out)) || sess_status(v, WAIT_MS))
		return "can't write";
	memset(v->data, 0x22, 65536);
	c = sess_fill(s, v, READ);
	c->lba = htole64(s->blocks - 1);
	c->length = htole32(512);
	c->addr = htole64((uintptr_t)v->data + 512);
	if (verbs_send(v, message_len(v->out)) || sess_status(v, WAIT_MS))
		return "can't read";
	for (i = 0; i < 65536; i++)
		if (v->data[i] != (i >= 512 && i < 1024 ? 0x11 : 0x22))
			return report_why("byte %zu is 0x%x", i, v->data[i]);
	return NULL;
}

/* Tags and generations are the host's to choose. */
static const char *echo(struct sess *s, uint16_t tag, uint16_t gen)
{
	struct rblk_wire_cmd *c = sess_fill(s, s->io[1], RBLK_OP_FLUSH);
	const struct rblk_wire_rsp *rsp;
	char *msg;

	c->tag = htole16(tag);
	c->gen = htole16(gen);
	msg = sess_call(s->io[1], message_len(s->io[1]->out));
	if (!msg)
		return "no answer";
	rsp = (void *)(msg + sizeof(struct rblk_wire_hdr));
	if (le16toh(rsp->tag) != tag || le16toh(rsp->gen) != gen)
		return "another tag or generation came back";
	return NULL;
}

static struct rblk_wire_cmd *inline_fill(struct sess *s, struct verbs *v, int op,
					 uint32_t length)
{
	struct rblk_wire_cmd *c = sess_fill(s, v, op);

	c->flags = htole16(RBLK_CMDF_INLINE);
	c->rkey = 0;
	c->addr = 0;
	c->length = htole32(length);
	return c;
}

/* The last block again, with the response this time. */
static const char *exact_inline(struct sess *s)
{
	struct verbs *v = s->io[1];
	const struct rblk_wire_hdr *hdr;
	const char *msg;
	size_t i;

	inline_fill(s, v, READ, 512)->lba = htole64(s->blocks - 1);
	msg = sess_call(v, message_len(v->out));
	if (!msg)
		return "no answer";
	hdr = (const void *)msg;
	if (message_len(msg) != RBLK_WIRE_DATA_OFFSET + 512 || hdr->count != 1 ||
	    le16toh(hdr->flags) != RBLK_HDRF_DATA)
		return "the answer is not 512 bytes of data";
	for (i = 40; i < RBLK_WIRE_DATA_OFFSET + 512; i++)
		if (msg[i] != (i < RBLK_WIRE_DATA_OFFSET ? 0 : 0x11))
			return report_why("byte %zu is 0x%x", i, msg[i]);
	return NULL;
}

/*
 * Data inline, one way or the other, which this connection was not granted. It
 * fits the buffer, which has room for a batch of commands; more would not.
 */
static const char *inline_ungranted(int op)
{
	struct rblk_wire_cm_req req;
	const char *why = NULL;
	struct rblk_wire_hdr *h;
	struct sess s;
	int reason;

	if (sess_open(&s))
		return "can't begin";
	req = sess_request(&s, 2);
	req.inline_read = 0;
	req.inline_write = 0;
	s.io[2] = sess_dial(&req, sizeof(req), &reason);
	sess_fill_bind(&s, s.io[2]);
	if (reason || !sess_call(s.io[2], sizeof(struct rblk_wire_bind)))
		return "can't bind";
	inline_fill(&s, s.io[2], op, 512);
	h = (void *)s.io[2]->out;
	if (op == WRITE) {
		h->flags = htole16(RBLK_HDRF_DATA);
		message_set_len(h, RBLK_WIRE_DATA_OFFSET + 512);
	}
	watch_begin();
	if (verbs_send(s.io[2], message_len(h)) ||
	    !verbs_gone(s.io[2], WAIT_MS))
		why = "the connection lives";
	sess_close(&s);
	return why ? why : watch_end("violation: inline data missing, stray or too long",
				     "inline data");
}

/**
 * data_cases - run them
 */
void data_cases(void)
{
	struct sess s;
	size_t i;

	stranger = sess_prepare();
	if (!stranger)
		report_die("can't prepare a connection");
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		if (!report_skips(cases[i].name))
			report_case(cases[i].name, spoilt(&cases[i]));
	verbs_close(stranger);
	report_case("inline-write-not-granted", inline_ungranted(WRITE));
	report_case("inline-read-not-granted", inline_ungranted(READ));
	if (sess_open(&s))
		report_die("can't open a session");
	report_case("data-exact", exact(&s));
	report_case("data-exact-inline", exact_inline(&s));
	report_case("tag-zero-generation-zero", echo(&s, 0, 0));
	report_case("tag-last-generation-max", echo(&s, DEPTH - 1, 0xffff));
	report_case("generation-older", echo(&s, DEPTH - 1, 0xfffe));
	sess_close(&s);
}
