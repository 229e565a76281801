// SPDX-License-Identifier: GPL-2.0-only
/*
 * Somebody who sees all messages and has no key that the target allows: LOGINs of all
 * kinds, messages of others sent once more, BINDs to a session that is not his.
 */
#include <stdio.h>
#include "host.h"

struct login_case {
	const char *name;
	int status;			/* that refuses it, or 0 */
	const char *bad;		/* the violation that it is, or NULL */
	void (*fill)(struct rblk_wire_login *m);
};

#define AUTH	"violation: bad authentication method or length"

/* A first LOGIN that shows a key. */
static void show(struct rblk_wire_login *m, const uint8_t *key)
{
	struct auth_pair ephemeral;

	auth_pair_random(&ephemeral);
	m->auth_method = htole16(RBLK_AUTH_X25519);
	m->auth_len = htole16(2 * AUTH_KEY);
	memcpy(m->auth, ephemeral.public, AUTH_KEY);
	memcpy(m->auth + AUTH_KEY, key, AUTH_KEY);
}

static const uint8_t *known_key(void)
{
	return witness.s.keyed->own.public;
}

#define FILL(name, ...)							\
	static void name(struct rblk_wire_login *m)			\
	{								\
		(void)m;						\
		__VA_ARGS__;						\
	}
/* With a key that is known, which somebody else has. */
#define KNOWN(name, ...)						\
	FILL(name, show(m, known_key()); __VA_ARGS__)
#define LEN(name, len)							\
	KNOWN(name, m->auth_len = htole16(len); memset(m->auth + (len), 0, 128 - (len)))

FILL(no_key)
FILL(uuid_of_key, auth_host_id(m->host, known_key()))
FILL(uuid_like_key, m->host[6] = 0x8f; m->host[8] = 0xbf)
FILL(proof_first, m->auth_method = htole16(1); m->auth_len = htole16(16);
	random_bytes(m->auth, 16))
FILL(proof_first_zero, m->auth_method = htole16(1); m->auth_len = htole16(16))
FILL(proof_overheard, *m = witness.hello.second)
FILL(target_key, show(m, witness.s.keyed->target))
LEN(len_zero, 0)
LEN(len_15, 15)
LEN(len_17, 17)
LEN(len_63, 63)
LEN(len_80, 80)
KNOWN(len_65, m->auth_len = htole16(65))
KNOWN(len_128, m->auth_len = htole16(128))
KNOWN(len_129, m->auth_len = htole16(129))
KNOWN(tail, m->auth[127] = 1)
KNOWN(len_of_proof, m->auth_len = htole16(16))
KNOWN(method_zero, m->auth_method = 0)
KNOWN(method_two, m->auth_method = htole16(2))
KNOWN(method_max, m->auth_method = htole16(0xffff))

static void unknown_key(struct rblk_wire_login *m)
{
	struct auth_pair pair;

	auth_pair_random(&pair);
	show(m, pair.public);
}

/* All but one bit. */
static void almost_key(struct rblk_wire_login *m)
{
	show(m, known_key());
	m->auth[AUTH_KEY + random_below(AUTH_KEY)] ^= 1;
}

static const struct login_case logins[] = {
	{ "login-no-key", RBLK_CTL_AUTH, NULL, no_key },
	{ "login-uuid-of-key", RBLK_CTL_AUTH, NULL, uuid_of_key },
	{ "login-uuid-like-key", RBLK_CTL_AUTH, NULL, uuid_like_key },
	{ "login-unknown-key", RBLK_CTL_KEY_UNKNOWN, NULL, unknown_key },
	{ "login-almost-key", RBLK_CTL_KEY_UNKNOWN, NULL, almost_key },
	{ "login-key-of-target", RBLK_CTL_KEY_UNKNOWN, NULL, target_key },
	{ "login-proof-first", RBLK_CTL_KEY_UNKNOWN, NULL, proof_first },
	{ "login-proof-first-zero", RBLK_CTL_KEY_UNKNOWN, NULL, proof_first_zero },
	{ "login-proof-overheard", RBLK_CTL_KEY_UNKNOWN, NULL, proof_overheard },
	{ "login-length-zero", 0, AUTH, len_zero },
	{ "login-length-15", 0, AUTH, len_15 },
	{ "login-length-17", 0, AUTH, len_17 },
	{ "login-length-63", 0, AUTH, len_63 },
	{ "login-length-65", 0, AUTH, len_65 },
	{ "login-length-80", 0, AUTH, len_80 },
	{ "login-length-128", 0, AUTH, len_128 },
	{ "login-length-129", 0, AUTH, len_129 },
	{ "login-bytes-behind", 0, AUTH, tail },
	{ "login-length-of-proof", 0, AUTH, len_of_proof },
	{ "login-method-none-length", 0, AUTH, method_zero },
	{ "login-method-two", 0, AUTH, method_two },
	{ "login-method-max", 0, AUTH, method_max },
};

static const char *login_once(const struct login_case *c)
{
	struct hello hello = { 0 };
	struct sess s;
	int status;

	witness_again(&s);
	watch_begin();
	if (sess_control(&s))
		return "can't begin";
	hello.first = *sess_fill_login(&s, s.control);
	c->fill(&hello.first);
	if (!c->bad) {
		status = keyed_ask(&s, &hello);
		return witness_refused(&s, status, c->status);
	}
	memcpy(s.control->out, &hello.first, sizeof(hello.first));
	if (verbs_send(s.control, sizeof(hello.first))) {
		sess_close(&s);
		return "can't send";
	}
	return witness_ended(&s, s.control, c->bad);
}

/* What is no point that anybody has a private key to. */
static const char *low_order(unsigned int n, bool key)
{
	struct hello hello = { 0 };
	uint8_t point[AUTH_KEY];
	struct sess s;
	int status;

	low_point_get(point, n);
	witness_again(&s);
	watch_begin();
	if (sess_control(&s))
		return "can't begin";
	hello.first = *sess_fill_login(&s, s.control);
	show(&hello.first, key ? point : known_key());
	if (!key)
		memcpy(hello.first.auth, point, AUTH_KEY);
	status = keyed_ask(&s, &hello);
	return witness_refused(&s, status, key ? RBLK_CTL_KEY_UNKNOWN : RBLK_CTL_AUTH);
}

/* A handshake with a key that somebody else has, up to its proof. */
static const char *proof_with(bool replayed, void (*spoil)(struct hello *hello))
{
	struct keyed thief = *witness.s.keyed;
	struct hello hello;
	struct sess s;
	int status;

	random_bytes(thief.own.secret, AUTH_KEY);
	witness_again(&s);
	s.keyed = &thief;
	watch_begin();
	if (sess_control(&s))
		return "can't begin";
	keyed_begin(&s, &hello);
	if (replayed)
		hello.first = witness.hello.first;
	status = keyed_ask(&s, &hello);
	if (status != RBLK_CTL_AUTH_CONTINUE) {
		sess_close(&s);
		return report_why("the first status is %d", status);
	}
	hello.second = hello.first;
	hello.second.auth_len = htole16(AUTH_TAG);
	memset(hello.second.auth, 0, sizeof(hello.second.auth));
	spoil(&hello);
	status = keyed_prove(&s, &hello);
	return witness_refused(&s, status, RBLK_CTL_AUTH);
}

static void tag_zero(struct hello *hello)
{
	(void)hello;
}

static void tag_random(struct hello *hello)
{
	random_bytes(hello->second.auth, AUTH_TAG);
}

/* The target's own proof, sent back. */
static void tag_reflected(struct hello *hello)
{
	memcpy(hello->second.auth, hello->answer.auth + 2 * AUTH_KEY, AUTH_TAG);
}

static void tag_overheard(struct hello *hello)
{
	hello->second = witness.hello.second;
}

/* All is right but the private key. */
static void tag_of_thief(struct hello *hello)
{
	auth_host_check(&hello->auth, &hello->answer);
	auth_host_proof(&hello->auth, &hello->second);
}

static void first_again(struct hello *hello)
{
	hello->second = hello->first;
}

static void no_key_then(struct hello *hello)
{
	hello->second.auth_method = 0;
	hello->second.auth_len = 0;
}

/* A message on the witness's second I/O connection, which it has not made. */
static const char *bind_by(const void *msg, size_t len, const char *reason)
{
	struct rblk_wire_cm_req req = sess_request(&witness.s, 2);
	const char *why;
	struct sess s;
	int reject;

	witness_again(&s);
	watch_begin();
	s.io[2] = sess_dial(&req, sizeof(req), &reject);
	if (!s.io[2])
		return report_why("refused: %d", reject);
	memcpy(s.io[2]->out, msg, len);
	if (verbs_send(s.io[2], len)) {
		sess_close(&s);
		return "can't send";
	}
	why = witness_ended(&s, s.io[2], reason);
	/* The place is free again once it is all gone. */
	verbs_sleep(300);
	return why;
}

static const char *bind_heard(const struct heard *heard)
{
	return bind_by(heard->msg, heard->len, WRONG_MAC);
}

/* BIND as it is without keys, or longer, with a MAC that is a guess. */
static const char *bind_made(size_t more, uint8_t byte)
{
	char buf[RBLK_WIRE_DATA_OFFSET];
	size_t len = sizeof(struct rblk_wire_bind) + more;

	message_ctl(buf, RBLK_MSG_BIND, len, 7, 0);
	memset(buf + len - more, byte, more);
	return bind_by(buf, len, WRONG_MAC);
}

static const char *bind_short(size_t len)
{
	char buf[RBLK_WIRE_DATA_OFFSET];

	message_ctl(buf, RBLK_MSG_BIND, len, 7, 0);
	return bind_by(buf, len, "violation: message shorter than its header");
}

/* The place of a connection that is there. */
static const char *bind_taken(void)
{
	struct rblk_wire_cm_req req = sess_request(&witness.s, 1);
	struct verbs *v;
	int reason;

	watch_begin();
	v = sess_dial(&req, sizeof(req), &reason);
	verbs_close(v);
	if (reason != RBLK_REJ_DUPLICATE &&
	    !(reason == SESS_NO_REASON && sess_is_iwarp(witness.s.control)))
		return report_why("the answer is %d", reason);
	return witness_well(watch_end("refused: 6", "refused"));
}

/* A place that is free, from an address that the session does not come from. */
static const char *bind_elsewhere(void)
{
	struct rblk_wire_cm_req req = sess_request(&witness.s, 2);
	const char *source = verbs_source;
	struct verbs *v;
	int reason;

	watch_begin();
	verbs_source = host_elsewhere;
	v = sess_dial(&req, sizeof(req), &reason);
	verbs_source = source;
	verbs_close(v);
	if (reason != RBLK_REJ_NO_SESSION &&
	    !(reason == SESS_NO_REASON && sess_is_iwarp(witness.s.control)))
		return report_why("the answer is %d", reason);
	return witness_well(watch_end("refused: 4", "refused"));
}

static void proofs(void)
{
	report_case("proof-zero", proof_with(false, tag_zero));
	report_case("proof-random", proof_with(false, tag_random));
	report_case("proof-reflected", proof_with(false, tag_reflected));
	report_case("proof-without-secret", proof_with(false, tag_of_thief));
	report_case("proof-of-another", proof_with(false, tag_overheard));
	report_case("handshake-overheard", proof_with(true, tag_overheard));
	report_case("handshake-first-twice", proof_with(false, first_again));
	report_case("handshake-then-no-key", proof_with(false, no_key_then));
}

static void binds(void)
{
	report_case("bind-no-mac", bind_made(0, 0));
	report_case("bind-mac-zero", bind_made(8, 0));
	report_case("bind-mac-guessed", bind_made(8, 0x5a));
	report_case("bind-overheard", bind_heard(&witness.bind));
	report_case("bind-reply-reflected", bind_heard(&witness.bound));
	report_case("bind-keepalive-overheard", bind_heard(&witness.keepalive));
	report_case("bind-command-overheard", bind_heard(&witness.command));
	report_case("bind-response-reflected", bind_heard(&witness.response));
	report_case("bind-header-only", bind_short(8));
	report_case("bind-too-short", bind_short(15));
	report_case("bind-place-taken", bind_taken());
	report_case("bind-place-elsewhere", bind_elsewhere());
}

/**
 * stranger_cases - run them beside the session of a host with a key
 */
void stranger_cases(void)
{
	static char name[2 * LOW_POINTS][32];
	unsigned int i;

	if (!host_elsewhere)
		report_die("wants another address of this host (-o)");
	witness_open(host_keyed);
	for (i = 0; i < ARRAY_SIZE(logins); i++)
		report_case(logins[i].name, login_once(&logins[i]));
	for (i = 0; i < 2 * LOW_POINTS; i++) {
		snprintf(name[i], sizeof(name[i]), "%s-low-order-%u",
			 i < LOW_POINTS ? "ephemeral" : "key", i % LOW_POINTS);
		report_case(name[i], low_order(i % LOW_POINTS, i >= LOW_POINTS));
	}
	proofs();
	binds();
	witness_close();
}
