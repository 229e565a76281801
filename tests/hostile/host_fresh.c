// SPDX-License-Identifier: GPL-2.0-only
/*
 * Handshakes that are mixed up: two of them crossed, one that was meant for another
 * target, one with the key of another host. And what must be new each time, also where
 * our own random numbers are no good.
 */
#include "host.h"

#define TIMES	8

static const uint8_t zeroes[AUTH_KEY];

/* A control connection, and a handshake on it up to the target's answer. */
static const char *ask(struct sess *s, struct hello *hello, const struct auth_pair *ephemeral)
{
	struct auth *a = &hello->auth;
	int status;

	sess_init(s);
	if (sess_control(s))
		return "can't begin";
	keyed_begin(s, hello);
	if (ephemeral) {
		a->ephemeral = *ephemeral;
		auth_begin_with(a, &s->control->macs.req, &s->control->macs.rep);
		hello->first = *sess_fill_login(s, s->control);
		auth_host_hello(a, &hello->first);
	}
	status = keyed_ask(s, hello);
	if (status != RBLK_CTL_AUTH_CONTINUE)
		return report_why("the first status is %d", status);
	return keyed_answer(hello) ? NULL : "the target has not proved its key";
}

/* Two handshakes at once, and each connection gets the proof of the other's. */
static const char *crossed(bool repeated)
{
	struct hello hello[2];
	struct auth_pair same;
	struct sess s[2] = { 0 };
	const char *why;
	int status;

	auth_pair_random(&same);
	why = ask(&s[0], &hello[0], repeated ? &same : NULL);
	if (!why)
		why = ask(&s[1], &hello[1], repeated ? &same : NULL);
	/* All else is as it should be on its connection. */
	if (!why) {
		memcpy(hello[0].second.auth, hello[1].second.auth, AUTH_TAG);
		watch_begin();
		status = keyed_prove(&s[0], &hello[0]);
		why = status == RBLK_CTL_AUTH ? watch_end("login: 9", "refused: status") :
						report_why("the status is %d", status);
	}
	/* The other one is none the worse for it. */
	if (!why && (keyed_prove(&s[1], &hello[1]) || !sess_alive(&s[1])))
		why = "the other handshake has come to nothing";
	sess_close(&s[0]);
	sess_close(&s[1]);
	return witness_well(why);
}

/* A right proof, on another connection that has begun nothing. */
static const char *proof_elsewhere(void)
{
	struct sess s, other;
	struct hello hello;
	const char *why = ask(&s, &hello, NULL);
	int status;

	sess_init(&other);
	if (!why && sess_control(&other))
		why = "can't begin";
	if (why) {
		sess_close(&s);
		sess_close(&other);
		return why;
	}
	watch_begin();
	status = keyed_prove(&other, &hello);
	sess_close(&s);
	return witness_refused(&other, status, RBLK_CTL_KEY_UNKNOWN);
}

/*
 * A host logs in to a target of ours, and we pass on what it says to the real target, as
 * if it were meant for that one.
 */
static const char *relayed(void)
{
	struct rblk_wire_login_reply reply = { 0 };
	struct hello hello, ours;
	struct auth rogue = { 0 };
	const struct auth_link *macs;
	struct sess s;
	int status;

	sess_init(&s);
	if (sess_control(&s))
		return "can't begin";
	macs = &s.control->macs;
	keyed_begin(&s, &hello);
	auth_pair_random(&rogue.own);
	auth_begin(&rogue, &macs->req, &macs->rep);
	watch_begin();
	ours = hello;
	status = keyed_ask(&s, &ours);
	if (status != RBLK_CTL_AUTH_CONTINUE) {
		sess_close(&s);
		return report_why("the first status is %d", status);
	}
	/* The host expects our target, and gets its answer. */
	memcpy(hello.auth.peer, rogue.own.public, AUTH_KEY);
	auth_target_hello(&rogue, &hello.first);
	message_ctl(&reply, RBLK_MSG_LOGIN_REPLY, sizeof(reply), 7, 0);
	auth_target_answer(&rogue, &reply);
	hello.answer = reply;
	if (!keyed_answer(&hello)) {
		sess_close(&s);
		return "the host does not believe our target";
	}
	return witness_refused(&s, keyed_prove(&s, &hello), RBLK_CTL_AUTH);
}

/* Our own key is allowed, but we show that of the witness. */
static const char *shown(void)
{
	struct keyed who = *host_keyed;
	struct hello hello;
	struct sess s;
	int status;

	memcpy(who.own.public, witness.s.keyed->own.public, AUTH_KEY);
	witness_again(&s);
	s.keyed = &who;
	if (sess_control(&s))
		return "can't begin";
	watch_begin();
	keyed_begin(&s, &hello);
	status = keyed_ask(&s, &hello);
	if (status != RBLK_CTL_AUTH_CONTINUE) {
		sess_close(&s);
		return report_why("the first status is %d", status);
	}
	keyed_answer(&hello);
	return witness_refused(&s, keyed_prove(&s, &hello), RBLK_CTL_AUTH);
}

/* What the target draws for a handshake. */
struct drawn {
	uint8_t nonce[sizeof(((struct rblk_wire_cm_rep *)0)->nonce)];
	uint8_t ephemeral[AUTH_KEY];
	uint8_t secret[AUTH_KEY];
};

static bool differ(const struct drawn *a, const struct drawn *b)
{
	return memcmp(a->nonce, b->nonce, sizeof(a->nonce)) &&
	       memcmp(a->ephemeral, b->ephemeral, AUTH_KEY) &&
	       memcmp(a->secret, b->secret, AUTH_KEY);
}

/* Log in with an ephemeral key that is the same each time. */
static const char *draw(const struct auth_pair *same, struct drawn *drawn)
{
	struct hello hello;
	struct sess s;
	const char *why = ask(&s, &hello, same);
	int status;

	if (!why) {
		memcpy(drawn->nonce, s.control->macs.rep.nonce, sizeof(drawn->nonce));
		memcpy(drawn->ephemeral, hello.answer.auth, AUTH_KEY);
		status = keyed_prove(&s, &hello);
		memcpy(drawn->secret, s.secret, AUTH_KEY);
		if (status || !sess_alive(&s))
			why = report_why("the status is %d", status);
	}
	sess_close(&s);
	return why;
}

/* A host whose random numbers repeat: no two sessions may have the same secret. */
static const char *repeated(void)
{
	static struct drawn drawn[TIMES];
	struct auth_pair same;
	const char *why = NULL;
	unsigned int i, j;

	auth_pair_random(&same);
	watch_begin();
	for (i = 0; i < TIMES && !why; i++) {
		why = draw(&same, &drawn[i]);
		for (j = 0; j < i && !why; j++)
			if (!differ(&drawn[i], &drawn[j]))
				why = "the target has drawn the same twice";
		if (!why && (!memcmp(drawn[i].nonce, zeroes, sizeof(drawn[i].nonce)) ||
			     !memcmp(drawn[i].ephemeral, zeroes, AUTH_KEY)))
			why = "the target has drawn zeroes";
	}
	return witness_well(why ? why : watch_end(NULL, NULL));
}

/* A host that draws nothing but zeroes: its private key is clamped, and so is a key. */
static const char *drawn_zero(void)
{
	struct auth_pair zero = { 0 };
	struct drawn drawn;
	const char *why;

	auth_public(&zero);
	watch_begin();
	why = draw(&zero, &drawn);
	return witness_well(why ? why : watch_end(NULL, NULL));
}

/* The target's own ephemeral key of another handshake, which it may know again. */
static const char *ephemeral_of_target(void)
{
	struct auth_pair theirs;
	struct sess s, other;
	struct hello hello;
	const char *why = ask(&other, &hello, NULL);
	int status;

	random_bytes(theirs.secret, AUTH_KEY);
	memcpy(theirs.public, hello.answer.auth, AUTH_KEY);
	if (why) {
		sess_close(&other);
		return why;
	}
	watch_begin();
	why = ask(&s, &hello, &theirs);
	/* We can't even see that it is genuine, as we don't have the private key. */
	if (!why)
		why = "the target's proof fits a key that nobody has";
	else if (!strcmp(why, "the target has not proved its key"))
		why = NULL;
	status = why ? 0 : keyed_prove(&s, &hello);
	sess_close(&other);
	if (why) {
		sess_close(&s);
		return why;
	}
	return witness_refused(&s, status, RBLK_CTL_AUTH);
}

/**
 * fresh_cases - run them beside the session of another host with a key
 */
void fresh_cases(void)
{
	if (!host_keyed)
		report_die("wants keys (-t and -k)");
	witness_open(host_other);
	report_case("crossed-proofs", crossed(false));
	report_case("crossed-proofs-same-ephemeral", crossed(true));
	report_case("crossed-connection", proof_elsewhere());
	report_case("relayed-from-another-target", relayed());
	report_case("shown-key-of-another", shown());
	report_case("random-repeated", repeated());
	report_case("random-zero", drawn_zero());
	report_case("ephemeral-of-target", ephemeral_of_target());
	witness_close();
}
