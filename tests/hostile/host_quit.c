// SPDX-License-Identifier: GPL-2.0-only
/*
 * Leaving at the worst moment, and not leaving.  What is left on the target is
 * counted: nothing of ours may stay.
 */
#include <stdio.h>
#include "host.h"

#define CONNECTIONS	"/sys/kernel/debug/rblk_target/connections"

static int connections(void)
{
	FILE *f = fopen(CONNECTIONS, "r");
	int c, n = 0;

	if (!f)
		report_die("no " CONNECTIONS);
	while ((c = getc(f)) != EOF)
		n += c == '\n';
	fclose(f);
	return n;
}

static int before;

/* All of it is gone soon, and the export is ours again. */
static const char *all_gone(const char *why)
{
	uint64_t end = verbs_now() + 3 * WAIT_MS;
	struct sess s;
	int ret;

	while (!why && connections() > before) {
		if (verbs_now() >= end)
			return report_why("%d connections are left",
					  connections() - before);
		verbs_sleep(20);
	}
	if (why)
		return why;
	ret = sess_open(&s);
	sess_close(&s);
	return ret ? report_why("no new session: %d", ret) : NULL;
}

/* As many large commands as there are tags. */
static int send_many(struct sess *s, int op)
{
	struct verbs *v = s->io[1];
	struct rblk_wire_cmd *c;
	unsigned int i;
	int ret = 0;

	for (i = 0; i < DEPTH && !ret; i++) {
		c = sess_fill(s, v, op);
		c->tag = htole16(i);
		c->length = htole32(RBLK_WIRE_MAX_IO);
		ret = verbs_send(v, message_len(v->out));
	}
	return ret;
}

/* Many large commands, and gone. */
static const char *quit_amid(int op, bool hang_up)
{
	struct sess s;

	if (sess_open(&s))
		return "can't begin";
	if (send_many(&s, op))
		return "can't send";
	if (hang_up) {
		verbs_disconnect(s.io[1]);
	} else {	/* without a word: the queue pair is no more */
		verbs_ungrant(s.io[1]);
		rdma_destroy_qp(s.io[1]->id);
	}
	sess_close(&s);
	return all_gone(NULL);
}

static const char *quit_deregistered(void)
{
	struct sess s;

	if (sess_open(&s))
		return "can't begin";
	if (send_many(&s, RBLK_OP_WRITE))
		return "can't send";
	/* While it is being read. */
	verbs_ungrant(s.io[1]);
	verbs_gone(s.io[1], WAIT_MS);
	sess_close(&s);
	return all_gone(NULL);
}

static const char *connect_and_drop(void)
{
	struct rblk_wire_cm_req req;
	struct verbs *v;
	struct sess s;
	unsigned int i;
	int reason;

	for (i = 0; i < 20; i++) {
		sess_init(&s);
		req = sess_request(&s, 0);
		v = sess_dial(&req, sizeof(req), &reason);
		if (!v)
			return report_why("refused: %d", reason);
		verbs_close(v);
	}
	return all_gone(NULL);
}

/* The request goes out and its answer is never looked at. */
static const char *connect_and_forget(void)
{
	struct rblk_wire_cm_req req;
	struct verbs *v[8];
	struct sess s;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(v); i++) {
		sess_init(&s);
		req = sess_request(&s, 0);
		v[i] = sess_prepare();
		if (!v[i] || verbs_begin_connect(v[i], &req, sizeof(req), 8))
			return "can't begin";
	}
	verbs_sleep(500);
	for (i = 0; i < ARRAY_SIZE(v); i++)
		verbs_close(v[i]);
	return all_gone(NULL);
}

static const char *login_and_drop(void)
{
	struct sess s;
	unsigned int i;

	for (i = 0; i < 20; i++) {
		sess_init(&s);
		if (sess_control(&s) || sess_login(&s))
			return "can't log in";
		sess_close(&s);
	}
	return all_gone(NULL);
}

/* A LOGIN and its sender is gone before the answer is. */
static const char *login_unanswered(void)
{
	struct sess s;
	unsigned int i;

	for (i = 0; i < 10; i++) {
		sess_init(&s);
		if (sess_control(&s))
			return "can't connect";
		sess_fill_login(&s, s.control);
		verbs_send(s.control, sizeof(struct rblk_wire_login));
		sess_close(&s);
	}
	return all_gone(NULL);
}

/* Reads whose answers nobody takes; then nobody looks at what completes. */
static const char *stop_reading(bool poll)
{
	struct rblk_wire_cmd *c;
	unsigned int i;
	struct sess s;

	if (sess_open(&s))
		return "can't begin";
	for (i = 0; i < 2 * DEPTH; i++) {
		c = sess_fill(&s, s.io[1], RBLK_OP_READ);
		c->tag = htole16(i % DEPTH);
		/* A tag is free again when its answer is under way. */
		if (i >= DEPTH)
			verbs_sleep(5);
		if (verbs_send(s.io[1], message_len(s.io[1]->out)))
			return "can't send";
		if (poll && verbs_sent(s.io[1], WAIT_MS) < 0)
			break;
	}
	verbs_sleep(1000);
	sess_close(&s);
	return all_gone(NULL);
}

/**
 * quit_cases - run them
 */
void quit_cases(void)
{
	before = connections();
	report_case("quit-amid-pulls", quit_amid(RBLK_OP_WRITE, true));
	report_case("quit-amid-reads", quit_amid(RBLK_OP_READ, true));
	report_case("vanish-amid-pulls", quit_amid(RBLK_OP_WRITE, false));
	report_case("vanish-amid-reads", quit_amid(RBLK_OP_READ, false));
	report_case("deregister-amid-pulls", quit_deregistered());
	report_case("connect-and-drop", connect_and_drop());
	report_case("connect-and-forget", connect_and_forget());
	report_case("login-and-drop", login_and_drop());
	report_case("login-unanswered", login_unanswered());
	report_case("stop-receiving", stop_reading(true));
	report_case("stop-polling", stop_reading(false));
}
