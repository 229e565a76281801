// SPDX-License-Identifier: GPL-2.0-only
/*
 * Much of it: connections, sessions, log lines.  Prints what the target let in.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "host.h"

#define MANY	1024
#define SHARE	3	/* I/O connections that fit into an address's memory */

static struct verbs *held[MANY];
static struct sess sessions[MANY];

static void say(const char *what, unsigned int in, unsigned int out, int reason)
{
	printf("%s: %u let in, %u refused, last with %d\n", what, in, out, reason);
	fflush(stdout);
}

/* Hold on to what was let in until the test says so. */
static void hold(void)
{
	printf("holding\n");
	fflush(stdout);
	getchar();
}

/* The same, answering for a session that is not to fall silent. */
static void hold_alive(struct sess *s)
{
	struct pollfd fd = { .fd = 0, .events = POLLIN };

	printf("holding\n");
	fflush(stdout);
	while (!poll(&fd, 1, 1000))
		sess_alive(s);
}

/* half-open N: N control connections that don't log in, as far as let in. */
static int half_open(unsigned int n)
{
	unsigned int i, in = 0, out = 0;
	struct rblk_wire_cm_req req;
	struct sess s;
	int reason, last = 0;

	for (i = 0; i < n && in < MANY; i++) {
		sess_init(&s);
		req = sess_request(&s, 0);
		held[in] = sess_dial(&req, sizeof(req), &reason);
		in += !reason;
		out += !!reason;
		last = reason ? reason : last;
	}
	say("half-open", in, out, last);
	hold();
	for (i = 0; i < in; i++)
		verbs_close(held[i]);
	return 0;
}

/* drop N: N connections made and dropped at once. */
static int drop(unsigned int n)
{
	unsigned int i, in = 0, out = 0;
	struct rblk_wire_cm_req req;
	struct verbs *v;
	struct sess s;
	int reason, last = 0;

	for (i = 0; i < n; i++) {
		sess_init(&s);
		req = sess_request(&s, 0);
		v = sess_dial(&req, sizeof(req), &reason);
		in += !reason;
		out += !!reason;
		last = reason ? reason : last;
		verbs_close(v);
	}
	say("drop", in, out, last);
	return 0;
}

/* begin N: N requests whose answers are not looked at, a few at a time. */
static int begin(unsigned int n)
{
	static struct verbs *v[16];
	struct rblk_wire_cm_req req;
	unsigned int i;
	struct sess s;

	for (i = 0; i < n; i++) {
		sess_init(&s);
		req = sess_request(&s, 0);
		verbs_close(v[i % ARRAY_SIZE(v)]);
		v[i % ARRAY_SIZE(v)] = sess_prepare();
		if (!v[i % ARRAY_SIZE(v)])
			report_die("can't prepare a connection");
		verbs_begin_connect(v[i % ARRAY_SIZE(v)], &req, sizeof(req), 8);
	}
	for (i = 0; i < ARRAY_SIZE(v); i++)
		verbs_close(v[i]);
	printf("begun: %u\n", n);
	return 0;
}

/* sessions N [QUEUES DEPTH]: N sessions logged in, with their I/O connections. */
static int many_sessions(unsigned int n, unsigned int queues, unsigned int depth)
{
	unsigned int i, q, in = 0, out = 0;
	struct rblk_wire_cm_req req;
	int ret, last = 0;

	for (i = 0; i < n && i < MANY; i++) {
		struct sess *s = &sessions[i];

		sess_init(s);
		req = sess_request(s, 0);
		req.nr_queues = htole16(queues);
		req.depth = htole16(depth);
		s->control = sess_dial(&req, sizeof(req), &ret);
		if (!ret)
			ret = sess_login(s);
		for (q = 1; !ret && q <= queues && q <= QUEUES; q++) {
			req.qid = htole16(q);
			s->io[q] = sess_dial(&req, sizeof(req), &ret);
			if (ret)
				break;
			sess_fill_bind(s, s->io[q]);
			if (!sess_call(s->io[q], sizeof(struct rblk_wire_bind)))
				ret = -1;
		}
		in += !ret;
		out += !!ret;
		last = ret ? ret : last;
		if (ret)
			sess_close(s);
	}
	say("sessions", in, out, last);
	hold();
	for (i = 0; i < n && i < MANY; i++)
		sess_close(&sessions[i]);
	return 0;
}

/* Log in to a session whose I/O connections are to have @depth. */
static int enter(struct sess *s, unsigned int depth)
{
	struct rblk_wire_cm_req req = sess_request(s, 0);
	int ret;

	req.nr_queues = htole16(SHARE);
	req.depth = htole16(depth);
	s->control = sess_dial(&req, sizeof(req), &ret);
	return ret ? ret : sess_login(s);
}

/* Its I/O connections with @depth: returns how many were let in. */
static unsigned int fill(struct sess *s, struct verbs **v, unsigned int depth,
			 int *last)
{
	struct rblk_wire_cm_req req;
	unsigned int q, in = 0;
	int ret;

	for (q = 1; q <= SHARE; q++) {
		req = sess_request(s, q);
		req.nr_queues = htole16(SHARE);
		req.depth = htole16(depth);
		v[in] = sess_dial(&req, sizeof(req), &ret);
		if (ret) {
			*last = ret;
			continue;
		}
		sess_fill_bind(s, v[in]);
		if (!sess_call(v[in++], sizeof(struct rblk_wire_bind)))
			report_die("can't bind");
	}
	return in;
}

/* cheat DEPTH: log in for little and ask for DEPTH on the I/O connections. */
static int cheat(unsigned int depth)
{
	unsigned int in;
	struct sess s;
	int last = 0;

	sess_init(&s);
	if (enter(&s, RBLK_WIRE_MIN_DEPTH))
		report_die("can't log in");
	in = fill(&s, held, depth, &last);
	say("cheat", in, SHARE - in, last);
	hold();
	while (in)
		verbs_close(held[--in]);
	sess_close(&s);
	return 0;
}

/*
 * heirs DEPTH: a session that inherits as much as its I/O connections will need
 * from its last epoch, and waits until another has taken that.
 */
static int heirs(unsigned int depth)
{
	struct verbs *former[SHARE], *others[SHARE];
	struct sess old, heir, other;
	unsigned int i, in;
	int last = 0;

	sess_init(&old);
	sess_init(&other);
	if (enter(&old, depth) || fill(&old, former, depth, &last) != SHARE)
		report_die("can't log in, %d", last);
	heir = old;
	heir.epoch++;
	if (enter(&heir, depth))
		report_die("can't log in anew");
	for (i = 0; i < SHARE; i++)
		verbs_close(former[i]);
	sess_close(&old);
	verbs_sleep(2000);
	if (enter(&other, depth) || fill(&other, others, depth, &last) != SHARE)
		report_die("the other can't log in, %d", last);
	in = fill(&heir, held, depth, &last);
	say("heirs", in, SHARE - in, last);
	hold();
	while (in)
		verbs_close(held[--in]);
	for (i = 0; i < SHARE; i++)
		verbs_close(others[i]);
	sess_close(&other);
	sess_close(&heir);
	return 0;
}

/* logins N: N sessions logged in and gone. */
static int logins(unsigned int n)
{
	unsigned int i, in = 0;
	struct sess s;

	for (i = 0; i < n; i++) {
		sess_init(&s);
		in += !sess_control(&s) && !sess_login(&s);
		sess_close(&s);
	}
	say("logins", in, n - in, 0);
	return 0;
}

/* attaches N: attach and detach, N times; LIST beside it. */
static int attaches(unsigned int n)
{
	unsigned int i, in = 0;
	struct sess s;

	sess_init(&s);
	if (sess_control(&s) || sess_login(&s))
		report_die("can't log in");
	for (i = 0; i < n; i++) {
		if (!sess_attach(&s, host_export, RBLK_ACCESS_WRITE))
			in += !sess_detach(&s, s.volume);
		sess_ctl(s.control, RBLK_MSG_LIST, sizeof(struct rblk_wire_list));
		if (!sess_call(s.control, sizeof(struct rblk_wire_list)))
			report_die("no list");
	}
	sess_close(&s);
	say("attaches", in, n - in, 0);
	return 0;
}

/*
 * volumes N: attach the exports many1 to manyN; when the test has removed them,
 * the session must still be there, and so must our receives suffice.
 */
static int volumes(unsigned int n)
{
	unsigned int i, events = 0;
	struct sess s;
	char name[32];
	char *msg;

	sess_init(&s);
	if (sess_control(&s) || sess_login(&s))
		report_die("can't log in");
	for (i = 1; i <= n; i++) {
		snprintf(name, sizeof(name), "many%u", i);
		if (sess_attach(&s, name, 0))
			report_die("can't attach %s", name);
	}
	hold();
	for (i = 0; i < n; i++) {
		sess_ctl(s.control, RBLK_MSG_KEEPALIVE, sizeof(struct rblk_wire_ctl));
		if (verbs_send(s.control, sizeof(struct rblk_wire_ctl)))
			break;
		do {
			msg = verbs_receive(s.control, WAIT_MS, NULL);
			if (!msg)
				break;
			events += *msg == RBLK_MSG_EVENT;
			verbs_post_recv(s.control, s.control->wc.wr_id);
		} while (*msg != RBLK_MSG_KEEPALIVE_REPLY);
		if (!msg)
			break;
		verbs_sleep(5);
	}
	while ((msg = verbs_receive(s.control, 200, NULL)))
		events += *msg == RBLK_MSG_EVENT;
	report_case("volumes-session-lives", i == n ? NULL :
		    report_why("no answer to keepalive %u", i));
	report_case("volumes-events", events == n ? NULL :
		    report_why("%u events of %u", events, n));
	sess_close(&s);
	return report_end();
}

/* All receives are used up, and large reads wait behind answers to nobody. */
static int take_no_answers(struct sess *s, struct verbs *v)
{
	unsigned int i;

	for (i = 0; i < DEPTH; i++) {
		sess_fill(s, v, RBLK_OP_FLUSH);
		if (verbs_send(v, message_len(v->out)) ||
		    verbs_sent(v, WAIT_MS) || !verbs_receive(v, WAIT_MS, NULL))
			return -1;
	}
	return 0;
}

/*
 * device N [detach]: N large commands that can't end for what we do, so that the
 * target can't let go of the backing device, also when we give the volume back.
 * On iWARP it is writes from memory that may not be read.
 */
static int device(unsigned int n, bool detach)
{
	struct rblk_wire_cmd *c;
	struct ibv_mr *mr;
	unsigned int i;
	struct verbs *v;
	struct sess s;
	int op;

	if (sess_open(&s))
		report_die("can't open a session");
	v = s.io[1];
	op = sess_is_iwarp(v) ? RBLK_OP_WRITE : RBLK_OP_READ;
	if (op == RBLK_OP_READ && take_no_answers(&s, v))
		report_die("can't use the receives up");
	mr = verbs_register(v, v->data, RBLK_WIRE_MAX_IO, IBV_ACCESS_LOCAL_WRITE);
	for (i = 0; mr && i < n && i < DEPTH; i++) {
		c = sess_fill(&s, v, op);
		c->tag = htole16(i);
		c->length = htole32(RBLK_WIRE_MAX_IO);
		if (op == RBLK_OP_WRITE)
			c->rkey = htole32(mr->rkey);
		/* Not before it has left may the next one take its place. */
		if (!verbs_send(v, message_len(v->out)) && !verbs_sent(v, WAIT_MS))
			continue;
		/* The first that SIW won't have read stops what is behind it. */
		if (!i || op == RBLK_OP_READ)
			report_die("can't send");
		break;
	}
	verbs_sleep(500);
	if (detach && sess_detach(&s, s.volume))
		report_die("can't detach");
	hold_alive(&s);
	ibv_dereg_mr(mr);
	sess_close(&s);
	return 0;
}

/*
 * undelivered 1 [read]: a large write or read, when the test says so on stdin, having
 * cut us off meanwhile from what the target sends.  Then nothing, until stdin ends.
 */
static int undelivered(bool read_it)
{
	struct rblk_wire_cmd *c;
	struct sess s;
	char word;

	if (sess_open(&s))
		report_die("can't open a session");
	printf("holding\n");
	fflush(stdout);
	if (read(STDIN_FILENO, &word, 1) != 1)
		report_die("the test says nothing");
	c = sess_fill(&s, s.io[1], read_it ? RBLK_OP_READ : RBLK_OP_WRITE);
	c->length = htole32(RBLK_WIRE_MAX_IO);
	if (verbs_send(s.io[1], message_len(s.io[1]->out)))
		report_die("can't send");
	while (read(STDIN_FILENO, &word, 1) > 0)
		;
	sess_close(&s);
	return 0;
}

/**
 * flood_main - flood KIND N [ARGUMENT...]
 * @argc: arguments
 * @argv: theirs
 */
int flood_main(int argc, char **argv)
{
	unsigned int n = argc > 1 ? atoi(argv[1]) : 0;

	if (n && !strcmp(argv[0], "half-open"))
		return half_open(n);
	if (n && !strcmp(argv[0], "drop"))
		return drop(n);
	if (n && !strcmp(argv[0], "begin"))
		return begin(n);
	if (n && !strcmp(argv[0], "sessions"))
		return many_sessions(n, argc > 2 ? atoi(argv[2]) : 0,
				     argc > 3 ? atoi(argv[3]) : DEPTH);
	if (n && !strcmp(argv[0], "cheat"))
		return cheat(n);
	if (n && !strcmp(argv[0], "heirs"))
		return heirs(n);
	if (n && !strcmp(argv[0], "logins"))
		return logins(n);
	if (n && !strcmp(argv[0], "attaches"))
		return attaches(n);
	if (n && !strcmp(argv[0], "device"))
		return device(n, argc > 2 && !strcmp(argv[2], "detach"));
	if (n && !strcmp(argv[0], "undelivered"))
		return undelivered(argc > 2 && !strcmp(argv[2], "read"));
	if (n && !strcmp(argv[0], "volumes"))
		return volumes(n);
	return 2;
}
