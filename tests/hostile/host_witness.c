// SPDX-License-Identifier: GPL-2.0-only
/*
 * The session of a host that has a key and does nothing wrong.  Whoever attacks it, or
 * the target, has all of its messages, as one has who sees the network.
 */
#include "host.h"

struct witness witness;

/* What was sent last is still in the send area, with its MAC. */
static void overhear(struct heard *sent, struct heard *got, struct verbs *v)
{
	sent->len = message_len(v->out);
	if (sent->len > sizeof(sent->msg))
		report_die("a message of %zu bytes", sent->len);
	memcpy(sent->msg, v->out, sent->len);
	if (!got)
		return;
	got->len = v->macs.last_len;
	memcpy(got->msg, v->macs.last, got->len);
}

/* The same for messages of any length. */
static void note(const char *name, const void *msg, size_t len)
{
	struct said *said = &witness.said[witness.nr_said++];

	if (witness.nr_said > MOST_SAID || len > sizeof(said->msg))
		report_die("%s of %zu bytes is too much to note", name, len);
	said->name = name;
	said->len = len;
	memcpy(said->msg, msg, len);
}

static void note_call(const char *asked, const char *answered, struct verbs *v)
{
	note(asked, v->out, message_len(v->out));
	/* What is cut off would be another message. */
	if (v->macs.last_len != message_len(v->macs.last))
		report_die("%s is too long to note", answered);
	note(answered, v->macs.last, v->macs.last_len);
}

static void note_login(const struct hello *hello)
{
	note("login-first", &hello->first, sizeof(hello->first));
	note("login-continue", &hello->answer, sizeof(hello->answer));
	note("login-second", &hello->second, sizeof(hello->second));
	note("login-reply", hello->reply, hello->reply_len);
}

/* Requests that change nothing. */
static void look_around(struct witness *w)
{
	struct verbs *v = w->s.control;
	uint8_t nobody[16] = { 1 };

	sess_ctl(v, RBLK_MSG_LIST, sizeof(struct rblk_wire_list));
	if (!sess_call(v, sizeof(struct rblk_wire_list)))
		report_die("the witness gets no list");
	note_call("list", "list-reply", v);
	sess_ctl(v, RBLK_MSG_PORTALS, sizeof(struct rblk_wire_ctl));
	if (!sess_call(v, sizeof(struct rblk_wire_ctl)))
		report_die("the witness gets no portals");
	note_call("portals", "portals-reply", v);
	fence_fill(v, nobody, nobody, 1);
	if (!sess_call(v, sizeof(struct rblk_wire_fence)))
		report_die("the witness can't ask for a fence");
	note_call("fence", "fence-reply", v);
}

static bool witness_login(struct witness *w)
{
	keyed_begin(&w->s, &w->hello);
	return keyed_ask(&w->s, &w->hello) == RBLK_CTL_AUTH_CONTINUE &&
	       keyed_answer(&w->hello) && !keyed_prove(&w->s, &w->hello);
}

/**
 * witness_open - begin that session
 * @who: its host
 */
void witness_open(const struct keyed *who)
{
	struct witness *w = &witness;

	if (!who)
		report_die("wants keys (-t, -k and -K)");
	w->nr_said = 0;
	sess_init(&w->s);
	w->s.keyed = who;
	if (sess_control(&w->s) || !witness_login(w))
		report_die("the witness can't log in");
	note_login(&w->hello);
	look_around(w);
	if (sess_attach_patiently(&w->s, host_readonly, 0))
		report_die("the witness can't attach");
	if (sess_detach(&w->s, w->s.volume))
		report_die("the witness can't detach");
	note_call("detach", "detach-reply", w->s.control);
	if (sess_attach_patiently(&w->s, host_readonly, 0))
		report_die("the witness can't attach again");
	note_call("attach", "attach-reply", w->s.control);
	if (sess_io(&w->s, 1))
		report_die("the witness has no I/O connection");
	note_call("bind", "bind-reply", w->s.io[1]);
	overhear(&w->bind, &w->bound, w->s.io[1]);
	if (!sess_alive(&w->s))
		report_die("the witness's session is dead");
	note_call("keepalive", "keepalive-reply", w->s.control);
	overhear(&w->keepalive, NULL, w->s.control);
	if (sess_run(&w->s, w->s.io[1], RBLK_OP_READ, 4096))
		report_die("the witness can't read");
	note_call("command", "response", w->s.io[1]);
	overhear(&w->command, &w->response, w->s.io[1]);
}

/**
 * witness_close - end it
 */
void witness_close(void)
{
	sess_close(&witness.s);
}

/**
 * witness_well - it must go on, with good MACs
 * @why: something has failed before that, or NULL
 *
 * Return: what is wrong, or NULL.
 */
const char *witness_well(const char *why)
{
	struct sess *s = &witness.s;

	if (!why && !sess_alive(s))
		return "the witness's session is dead";
	if (!why && sess_run(s, s->io[1], RBLK_OP_READ, 4096))
		return "the witness can't read";
	return why;
}

/**
 * witness_refused - a LOGIN must have been refused, and that is all
 * @s: whose; it is closed
 * @got: the status
 * @want: what it should be
 */
const char *witness_refused(struct sess *s, int got, int want)
{
	const char *why = NULL;

	if (got != want)
		why = report_why("the status is %d, not %d", got, want);
	sess_close(s);
	if (!why)
		why = watch_end(report_why("login: %d", want), "refused: status");
	return witness_well(why);
}

/**
 * witness_ended - a connection must end for that reason, and that is all
 * @s: whose; it is closed
 * @v: the connection, on which something has been sent
 * @reason: as the target counts it
 */
const char *witness_ended(struct sess *s, struct verbs *v, const char *reason)
{
	const char *why = verbs_gone(v, WAIT_MS) ? NULL : "the connection lives";

	sess_close(s);
	if (!why)
		why = watch_end(reason, reason + strlen("violation: "));
	return witness_well(why);
}

/**
 * witness_again - a session with all that can be overheard of the witness's
 * @s: the result: its next epoch, of a host without a key, not connected
 */
void witness_again(struct sess *s)
{
	sess_init(s);
	s->keyed = NULL;
	memcpy(s->uuid, witness.s.uuid, sizeof(s->uuid));
	memcpy(s->host, witness.s.host, sizeof(s->host));
	memcpy(s->instance, witness.s.instance, sizeof(s->instance));
	s->epoch = witness.s.epoch + 1;
}
