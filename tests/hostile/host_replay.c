// SPDX-License-Identifier: GPL-2.0-only
/*
 * Each message of a session, of both sides, once more: on a connection that has said
 * nothing yet, amid a handshake, after a refusal, where BIND belongs, and in a session of
 * another host that the target has let in.
 */
#include <stdio.h>
#include "host.h"

/*
 * When it is sent. @open makes the connection, as far as it has to come. @logins: a LOGIN
 * is heard there. @asked: the first LOGIN has been. @macs: messages must have MACs.
 */
struct stage {
	const char *name;
	struct verbs *(*open)(struct sess *s);
	bool logins;
	bool asked;
	bool macs;
};

static struct verbs *open_first(struct sess *s)
{
	witness_again(s);
	return sess_control(s) ? NULL : s->control;
}

/* The LOGIN that begins the witness's own handshake. */
static struct verbs *open_asked(struct sess *s)
{
	struct hello hello = { .first = witness.hello.first };

	return open_first(s) && keyed_ask(s, &hello) == RBLK_CTL_AUTH_CONTINUE ?
	       s->control : NULL;
}

static struct verbs *open_refused(struct sess *s)
{
	struct hello hello = { 0 };

	if (!open_first(s))
		return NULL;
	/* As one without a key. */
	hello.first = *sess_fill_login(s, s->control);
	return keyed_ask(s, &hello) == RBLK_CTL_AUTH ? s->control : NULL;
}

static struct verbs *open_io(struct sess *s)
{
	struct rblk_wire_cm_req req = sess_request(&witness.s, 2);
	int reason;

	witness_again(s);
	s->io[2] = sess_dial(&req, sizeof(req), &reason);
	return s->io[2];
}

static struct verbs *open_session(struct sess *s)
{
	return sess_open(s) ? NULL : s->control;
}

static struct verbs *open_bound(struct sess *s)
{
	return sess_open(s) ? NULL : s->io[1];
}

/* What one can do who has no key. */
static const struct stage strangers[] = {
	{ "first", open_first, .logins = true },
	{ "amid", open_asked, .logins = true, .asked = true },
	{ "refused", open_refused, .logins = true },
	{ "unbound", open_io, .macs = true },
};

/* And one who has a key of his own. */
static const struct stage members[] = {
	{ "session", open_session, .macs = true },
	{ "bound", open_bound, .macs = true },
};

static bool is_login(const struct said *said)
{
	return *said->msg == RBLK_MSG_LOGIN;
}

/* A LOGIN of somebody else gets an answer, and never one that lets anybody in. */
static const char *answered(const struct stage *stage, struct sess *s, const struct said *said)
{
	struct hello hello = { 0 };
	bool first = said == &witness.said[0];
	int status;

	memcpy(&hello.first, said->msg, sizeof(hello.first));
	status = keyed_ask(s, &hello);
	if (stage->asked)
		return witness_refused(s, status, RBLK_CTL_AUTH);
	if (!first)
		return witness_refused(s, status, RBLK_CTL_KEY_UNKNOWN);
	sess_close(s);
	if (status != RBLK_CTL_AUTH_CONTINUE)
		return report_why("the status is %d", status);
	/* The proof differs each time, or what follows would be good once more. */
	if (!memcmp(hello.answer.auth, witness.hello.answer.auth, AUTH_KEY))
		return "the target's ephemeral key is the same as before";
	return witness_well(watch_end(NULL, NULL));
}

static const char *replay(const struct stage *stage, const struct said *said)
{
	const char *why = NULL;
	struct verbs *v;
	struct sess s;

	sess_init(&s);
	v = stage->open(&s);
	if (!v) {
		sess_close(&s);
		return "can't begin";
	}
	/* What it took to get there may have been a reason of its own. */
	verbs_sleep(2);
	watch_begin();
	if (stage->logins && is_login(said))
		return answered(stage, &s, said);
	memcpy(v->out, said->msg, said->len);
	if (verbs_send(v, said->len)) {
		sess_close(&s);
		return "can't send";
	}
	if (stage->macs) {
		why = witness_ended(&s, v, WRONG_MAC);
	} else {
		if (!verbs_gone(v, WAIT_MS))
			why = "the connection lives";
		sess_close(&s);
		why = witness_well(why ? why : watch_violation());
	}
	/* The place is free again once it is all gone. */
	if (stage->open == open_io)
		verbs_sleep(100);
	return why;
}

static void replay_at(const struct stage *stage)
{
	static char name[64];
	unsigned int i;

	for (i = 0; i < witness.nr_said; i++) {
		snprintf(name, sizeof(name), "replay-%s-%s", stage->name,
			 witness.said[i].name);
		if (!report_skips(name))
			report_case(name, replay(stage, &witness.said[i]));
	}
}

/**
 * replay_cases - run them beside the session of a host with a key
 *
 * With no key of our own, those that need none.
 */
void replay_cases(void)
{
	size_t i;

	witness_open(host_other);
	for (i = 0; i < ARRAY_SIZE(strangers); i++)
		replay_at(&strangers[i]);
	for (i = 0; host_keyed && i < ARRAY_SIZE(members); i++)
		replay_at(&members[i]);
	witness_close();
}
