// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the transport can do and the protocol has no use for, and more of it
 * than was granted.
 */
#include <stdio.h>
#include "host.h"

#define GUESSES	8
#define TRIES	20
#define TAG_BUSY "violation: tag already in use"
#define NO_ACCESS "fault: remote access error"

/* Whatever it was: it must end, for the reason given or a transport's. */
static const char *ended(struct sess *s, struct verbs *v, const char *want,
			 const char *log)
{
	const char *why = NULL;
	bool iwarp = sess_is_iwarp(v);

	if (!verbs_gone(v, WAIT_MS))
		why = "the connection lives";
	if (!why && want && !iwarp)
		why = watch_end(want, log);
	else if (!why && !want)
		why = watch_broken(v);
	sess_close(s);
	return why;
}

/* A session with a good message that waits to be sent on the connection. */
static struct verbs *prepared(struct sess *s, bool control)
{
	if (sess_open(s))
		return NULL;
	if (!control) {
		sess_fill(s, s->io[1], RBLK_OP_FLUSH);
		return s->io[1];
	}
	sess_ctl(s->control, RBLK_MSG_KEEPALIVE, sizeof(struct rblk_wire_ctl));
	return s->control;
}

static const char *send_inv(bool control)
{
	struct verbs *v;
	struct sess s;

	v = prepared(&s, control);
	if (!v)
		return "can't begin";
	watch_begin();
	if (verbs_send_inv(v, message_len(v->out), v->mr->rkey)) {
		sess_close(&s);
		return "can't send";
	}
	/* A region that is not there may fail the transport before us. */
	if (!verbs_gone(v, WAIT_MS)) {
		sess_close(&s);
		return "the connection lives";
	}
	sess_close(&s);
	return NULL;
}

static const char *send_imm(bool control)
{
	struct verbs *v;
	struct sess s;

	v = prepared(&s, control);
	if (!v)
		return "can't begin";
	watch_begin();
	if (verbs_send_imm(v, message_len(v->out), 7)) {
		sess_close(&s);
		return "can't send";
	}
	return ended(&s, v, "violation: receive carries immediate data",
		     "immediate data");
}

static const char *write_imm(void)
{
	struct sess s;

	if (sess_open(&s))
		return "can't begin";
	watch_begin();
	if (verbs_write_imm(s.io[1], 0, 0, 0, 7))
		return "can't send";
	return ended(&s, s.io[1], "violation: receive carries immediate data",
		     "immediate data");
}

/* RDMA into the target: there is nothing there for us. */
static const char *guess(bool write)
{
	static const uint64_t addr[] = { 0, 4096, 0x60000000, 1ull << 47,
					 0xffff888000100000ull };
	const char *why = NULL;
	struct sess s;
	uint32_t rkey;
	unsigned int i;

	for (i = 0; i < GUESSES && !why; i++) {
		if (sess_open(&s))
			return "can't begin";
		rkey = i ? (uint32_t)random_next() : 0;
		if (i & 1)
			rkey = s.io[1]->mr->rkey + 0x100 * (i - 3);
		if (write)
			verbs_write(s.io[1], 64, addr[i % ARRAY_SIZE(addr)], rkey);
		else
			verbs_read(s.io[1], 64, addr[i % ARRAY_SIZE(addr)], rkey);
		/* What was never granted may also just never leave here. */
		if (verbs_sent(s.io[1], write ? WAIT_MS : 500) ==
		    IBV_WC_SUCCESS && !verbs_gone(s.io[1], WAIT_MS))
			why = report_why("rkey 0x%x was good for it", rkey);
		sess_close(&s);
	}
	return why;
}

/* Requests without ever taking an answer. */
static const char *control_credits(void)
{
	unsigned int i;
	struct sess s;

	if (sess_open(&s))
		return "can't begin";
	watch_begin();
	for (i = 0; i < 100; i++) {
		sess_ctl(s.control, RBLK_MSG_LIST, sizeof(struct rblk_wire_list));
		if (verbs_send(s.control, sizeof(struct rblk_wire_list)))
			break;
	}
	return ended(&s, s.control,
		     "violation: more requests outstanding than granted",
		     "more requests outstanding");
}

/* Did tag 1 get its answer, with which the target took the grant back? */
static bool answered(struct verbs *v)
{
	const struct rblk_wire_hdr *hdr = verbs_receive(v, 0, NULL);
	const struct rblk_wire_rsp *rsp;

	if (!hdr)
		return false;
	rsp = (const void *)(hdr + 1);
	return hdr->type == RBLK_MSG_RESPONSE && hdr->count == 1 &&
	       rsp->tag == htole16(1) && !rsp->status;
}

/*
 * How did it end?  The target frees a tag before it posts the answer, and the
 * answer invalidates our grant.  If this process stands still between two sends,
 * the first command is over by then: the second one breaks no rule, and the READ
 * for it fails at our end.  Only that answer makes the fault a good end.
 */
static const char *one_tag_met(struct verbs *v, const char **met)
{
	const char *why;

	if (!verbs_gone(v, WAIT_MS))
		return "the connection lives";
	*met = "hung up";
	if (sess_is_iwarp(v))
		return NULL;
	*met = watch_either(TAG_BUSY, NO_ACCESS);
	why = watch_end(*met, strstr(*met, ": ") + 2);
	if (!why && !strcmp(*met, NO_ACCESS) && !answered(v))
		why = "'" NO_ACCESS "' without an answer that took the grant back";
	return why;
}

/* One tag, again and again, without waiting for its answers. */
static const char *one_tag(const char **met)
{
	struct rblk_wire_cmd *c;
	const char *why;
	unsigned int i;
	struct sess s;

	if (sess_open(&s))
		return "can't begin";
	c = sess_fill(&s, s.io[1], RBLK_OP_WRITE);
	c->length = htole32(RBLK_WIRE_MAX_IO);
	watch_begin();
	for (i = 0; i < 64; i++)
		if (verbs_send(s.io[1], message_len(s.io[1]->out)))
			break;
	why = one_tag_met(s.io[1], met);
	sess_close(&s);
	return why;
}

/* The fault alone shows nothing of the rule: the violation must be seen, too. */
static const char *command_credits(void)
{
	const char *why, *met;
	unsigned int i;

	for (i = 0; i < TRIES; i++) {
		why = one_tag(&met);
		if (why)
			return why;
		printf("credits-commands: try %u ended with '%s'\n", i + 1, met);
		if (strcmp(met, NO_ACCESS))
			return NULL;
	}
	return report_why("'" TAG_BUSY "' was not counted in %u tries", TRIES);
}

/* Full batches of all tags, in one go: right at the limit, and answered. */
static const char *full_depth(void)
{
	struct rblk_wire_cmd *c;
	const char *why = NULL;
	unsigned int i, j, n;
	struct sess s;

	if (sess_open(&s))
		return "can't begin";
	watch_begin();
	for (i = 0; i < DEPTH; i += RBLK_WIRE_MAX_BATCH) {
		c = message_commands(s.io[1]->out, RBLK_WIRE_MAX_BATCH);
		for (j = 0; j < RBLK_WIRE_MAX_BATCH; j++) {
			c[j].op = RBLK_OP_READ;
			c[j].tag = htole16(i + j);
			c[j].volume = htole32(s.volume);
			c[j].length = htole32(32768);
			c[j].addr = htole64((uintptr_t)s.io[1]->data);
			c[j].rkey = htole32(verbs_grant(s.io[1]));
		}
		if (verbs_send(s.io[1], message_len(s.io[1]->out)) ||
		    verbs_sent(s.io[1], WAIT_MS))
			why = "can't send";
	}
	for (n = 0; !why && n < DEPTH; n++)
		if (sess_status(s.io[1], WAIT_MS))
			why = report_why("answer %u is missing or an error", n);
	sess_close(&s);
	return why ? why : watch_end(NULL, NULL);
}

/**
 * transport_cases - run them
 */
void transport_cases(void)
{
	struct verbs *v = sess_prepare();
	bool iwarp;

	if (!v)
		report_die("can't prepare a connection");
	iwarp = sess_is_iwarp(v);
	verbs_close(v);
	report_case("send-with-invalidate", send_inv(false));
	report_case("send-with-invalidate-control", send_inv(true));
	if (!iwarp) {
		report_case("send-with-immediate", send_imm(false));
		report_case("send-with-immediate-control", send_imm(true));
		report_case("write-with-immediate", write_imm());
	}
	report_case("rdma-write-guessed", guess(true));
	report_case("rdma-read-guessed", guess(false));
	report_case("credits-control", control_credits());
	report_case("credits-commands", command_credits());
	report_case("credits-all-used", full_depth());
}
