// SPDX-License-Identifier: GPL-2.0-only
/*
 * A host that the target allows, and that does not keep to the handshake: what is hashed
 * is not what is sent, proofs of something else, LOGINs in another order.
 */
#include "host.h"

/*
 * Each step of a handshake can be spoilt: @greet what was said when connecting, as it is
 * hashed; @who the keys; @sent the first LOGIN after it was hashed; @change the second
 * one before it is hashed; @spoil the same after that.
 */
struct shake_case {
	const char *name;
	int status;			/* of the second LOGIN */
	const char *bad;		/* or the violation that it is */
	void (*greet)(struct auth_link *said);
	void (*who)(struct auth *a);
	void (*sent)(struct rblk_wire_login *m);
	void (*change)(struct rblk_wire_login *m);
	void (*spoil)(struct hello *hello);
};

#define GREET(name, ...)						\
	static void name(struct auth_link *said)			\
	{								\
		__VA_ARGS__;						\
	}
#define LOGIN(name, ...)						\
	static void name(struct rblk_wire_login *m)			\
	{								\
		__VA_ARGS__;						\
	}
#define SPOIL(name, ...)						\
	static void name(struct hello *hello)				\
	{								\
		uint8_t *tag = hello->second.auth;			\
									\
		__VA_ARGS__;						\
	}

GREET(greet_version, said->req.version_max++)
GREET(greet_session, said->req.session[3] ^= 4)
GREET(greet_epoch, said->req.epoch ^= htole32(0x100))
GREET(greet_queues, said->req.nr_queues = htole16(64))
GREET(greet_features, said->req.features ^= htole32(RBLK_FEAT_WRITE_PUSH))
GREET(greet_max_io, said->req.max_io = htole32(RBLK_WIRE_MAX_IO / 2))
GREET(greet_nonce, said->rep.nonce[15] ^= 0x80)
GREET(greet_granted, said->rep.features ^= htole32(RBLK_FEAT_WRITE_WINDOW))
GREET(greet_granted_version, said->rep.version++)
GREET(greet_granted_depth, said->rep.depth = htole16(DEPTH + 1))

LOGIN(other_host, m->host[0] ^= 1)
LOGIN(other_instance, m->instance[15] ^= 1)
LOGIN(other_name, strcpy(m->host_name, "another"))
LOGIN(other_xid, m->ctl.xid = htole32(0x12345678))
LOGIN(other_reserved, m->reserved = htole32(1))
LOGIN(other_ephemeral, m->auth[5] ^= 8)
LOGIN(other_method, m->auth_method = htole16(0); m->auth_len = 0; memset(m->auth, 0, 128))

SPOIL(tag_flipped, tag[random_below(AUTH_TAG)] ^= 1 << random_below(8))
SPOIL(tag_zero, memset(tag, 0, AUTH_TAG))
SPOIL(tag_reflected, memcpy(tag, hello->answer.auth + 2 * AUTH_KEY, AUTH_TAG))
SPOIL(tag_of_secret, memcpy(tag, hello->auth.secret, AUTH_TAG))
SPOIL(tag_cut, tag[AUTH_TAG - 1] = 0; hello->second.auth_len = htole16(AUTH_TAG - 1))
SPOIL(tag_long, tag[AUTH_TAG] = 1; hello->second.auth_len = htole16(AUTH_TAG + 1))
SPOIL(tag_behind, tag[AUTH_TAG] = 1)
SPOIL(tag_moved, memmove(tag + 1, tag, AUTH_TAG); tag[0] = 0;
	hello->second.auth_len = htole16(AUTH_TAG + 1))
SPOIL(first_again, (void)tag; hello->second = hello->first)
SPOIL(name_after, (void)tag; hello->second.host_name[0] ^= 1)

/* The handshake that another target is to see. */
static void other_target(struct auth *a)
{
	struct auth_pair pair;

	auth_pair_random(&pair);
	memcpy(a->peer, pair.public, AUTH_KEY);
}

/* Ourselves. */
static void own_target(struct auth *a)
{
	memcpy(a->peer, a->own.public, AUTH_KEY);
}

static void stray_psk(struct auth *a)
{
	random_bytes(a->psk, sizeof(a->psk));
}

/* The key that is shown has another private one. */
static void other_secret(struct auth *a)
{
	random_bytes(a->own.secret, AUTH_KEY);
}

/* The same for the ephemeral key. */
static void other_ephemeral_secret(struct auth *a)
{
	random_bytes(a->ephemeral.secret, AUTH_KEY);
}

#define REFUSED	RBLK_CTL_AUTH
#define LENGTH	"violation: bad authentication method or length"

static const struct shake_case cases[] = {
	{ .name = "shake-good" },
	{ "shake-xid", 0, .change = other_xid },
	{ "hashed-version", REFUSED, .greet = greet_version },
	{ "hashed-session", REFUSED, .greet = greet_session },
	{ "hashed-epoch", REFUSED, .greet = greet_epoch },
	{ "hashed-queues", REFUSED, .greet = greet_queues },
	{ "hashed-features", REFUSED, .greet = greet_features },
	{ "hashed-max-io", REFUSED, .greet = greet_max_io },
	{ "hashed-nonce", REFUSED, .greet = greet_nonce },
	{ "hashed-granted-features", REFUSED, .greet = greet_granted },
	{ "hashed-granted-version", REFUSED, .greet = greet_granted_version },
	{ "hashed-granted-depth", REFUSED, .greet = greet_granted_depth },
	{ "hashed-ephemeral", REFUSED, .sent = other_ephemeral },
	{ "hashed-name", REFUSED, .sent = other_name },
	{ "key-of-other-target", REFUSED, .who = other_target },
	{ "key-of-own", REFUSED, .who = own_target },
	{ "key-other-secret", REFUSED, .who = other_secret },
	{ "key-other-ephemeral", REFUSED, .who = other_ephemeral_secret },
	{ "psk-stray", REFUSED, .who = stray_psk },
	{ "second-host", REFUSED, .change = other_host },
	{ "second-instance", REFUSED, .change = other_instance },
	{ "second-name", REFUSED, .change = other_name },
	{ "second-name-after", REFUSED, .spoil = name_after },
	{ "second-no-key", REFUSED, .change = other_method },
	{ "second-is-first", REFUSED, .spoil = first_again },
	{ "second-reserved", 0, "violation: reserved field not zero",
	  .change = other_reserved },
	{ "tag-flipped", REFUSED, .spoil = tag_flipped },
	{ "tag-zero", REFUSED, .spoil = tag_zero },
	{ "tag-reflected", REFUSED, .spoil = tag_reflected },
	{ "tag-of-secret", REFUSED, .spoil = tag_of_secret },
	{ "tag-cut", 0, LENGTH, .spoil = tag_cut },
	{ "tag-long", 0, LENGTH, .spoil = tag_long },
	{ "tag-moved", 0, LENGTH, .spoil = tag_moved },
	{ "tag-behind", 0, LENGTH, .spoil = tag_behind },
};

static int shake_first(const struct shake_case *c, struct sess *s, struct hello *hello)
{
	struct auth_link said = s->control->macs;
	struct auth *a = &hello->auth;

	memset(hello, 0, sizeof(*hello));
	a->own = s->keyed->own;
	memcpy(a->peer, s->keyed->target, AUTH_KEY);
	if (c->greet)
		c->greet(&said);
	auth_begin(a, &said.req, &said.rep);
	hello->first = *sess_fill_login(s, s->control);
	auth_host_hello(a, &hello->first);
	if (c->sent)
		c->sent(&hello->first);
	if (c->who)
		c->who(a);
	return keyed_ask(s, hello);
}

/* What a host does that looks at nothing: it answers, whatever the target has proved. */
static void shake_second(const struct shake_case *c, struct hello *hello)
{
	struct rblk_wire_login *second = &hello->second;
	struct rblk_wire_login changed;

	auth_host_check(&hello->auth, &hello->answer);
	*second = hello->first;
	second->ctl.xid = htole32(8);
	if (c->change)
		c->change(second);
	changed = *second;
	auth_host_proof(&hello->auth, second);
	if (changed.auth_method != hello->first.auth_method)
		*second = changed;
	if (c->spoil)
		c->spoil(hello);
}

static const char *shake_violation(struct sess *s, const struct hello *hello,
				   const char *reason)
{
	memcpy(s->control->out, &hello->second, sizeof(hello->second));
	if (verbs_send(s->control, sizeof(hello->second))) {
		sess_close(s);
		return "can't send";
	}
	return witness_ended(s, s->control, reason);
}

/* What is written must be what is read. */
static const char *shake_io(struct sess *s)
{
	uint8_t written[4096];

	if (sess_io(s, 1))
		return "no I/O connection";
	random_bytes(written, sizeof(written));
	memcpy(s->io[1]->data, written, sizeof(written));
	if (sess_run(s, s->io[1], RBLK_OP_WRITE, sizeof(written)))
		return "it can't write";
	memset(s->io[1]->data, 0, sizeof(written));
	if (sess_run(s, s->io[1], RBLK_OP_READ, sizeof(written)))
		return "it can't read";
	if (memcmp(s->io[1]->data, written, sizeof(written)))
		return "it has read something else than it wrote";
	if (!s->io[1]->macs.tx.counter || !s->io[1]->macs.rx.counter)
		return "there were no MACs";
	return NULL;
}

/* It must be let in, and its session be good. */
static const char *shake_good(struct sess *s, int status)
{
	const char *why = NULL;

	if (status)
		why = report_why("the status is %d", status);
	else if (!sess_alive(s) || sess_attach_patiently(s, host_export, RBLK_ACCESS_WRITE))
		why = "the session is no good";
	else
		why = shake_io(s);
	sess_close(s);
	return witness_well(why ? why : watch_end(NULL, NULL));
}

static const char *shake(const struct shake_case *c)
{
	struct hello hello;
	struct sess s;
	int status;

	sess_init(&s);
	watch_begin();
	if (sess_control(&s))
		return "can't begin";
	status = shake_first(c, &s, &hello);
	if (status != RBLK_CTL_AUTH_CONTINUE) {
		sess_close(&s);
		return report_why("the first status is %d", status);
	}
	shake_second(c, &hello);
	if (c->bad)
		return shake_violation(&s, &hello, c->bad);
	status = keyed_prove(&s, &hello);
	return c->status ? witness_refused(&s, status, c->status) : shake_good(&s, status);
}

/* Whoever has been refused once has no second try with the same handshake. */
static const char *right_after_wrong(void)
{
	static const struct shake_case plain;
	struct hello hello;
	const char *why;
	struct sess s;
	int status;

	sess_init(&s);
	watch_begin();
	if (sess_control(&s) || shake_first(&plain, &s, &hello) != RBLK_CTL_AUTH_CONTINUE)
		return "can't begin";
	shake_second(&plain, &hello);
	hello.second.auth[0] ^= 1;
	status = keyed_prove(&s, &hello);
	why = watch_end("login: 9", "refused: status");
	if (status != RBLK_CTL_AUTH || why) {
		sess_close(&s);
		return why ? why : report_why("the first time it is %d", status);
	}
	hello.second.auth[0] ^= 1;
	watch_begin();
	return witness_refused(&s, keyed_prove(&s, &hello), RBLK_CTL_AUTH);
}

/* Whoever has been refused without a key may try again with one. */
static const char *key_after_none(void)
{
	const char *why;
	struct sess s;
	int status;

	sess_init(&s);
	s.keyed = NULL;
	watch_begin();
	if (sess_control(&s))
		return "can't begin";
	status = sess_login(&s);
	why = watch_end("login: 9", "refused: status");
	if (status != RBLK_CTL_AUTH || why) {
		sess_close(&s);
		return why ? why : report_why("without a key it is %d", status);
	}
	s.keyed = host_keyed;
	watch_begin();
	return shake_good(&s, sess_login(&s));
}

/* LOGIN once more after it has succeeded. */
static const char *third_login(bool sign)
{
	struct verbs *v;
	struct sess s;

	sess_init(&s);
	if (sess_control(&s) || sess_login(&s))
		return "can't begin";
	watch_begin();
	v = s.control;
	sess_fill_login(&s, v);
	if (sign ? keyed_send(v, sizeof(struct rblk_wire_login)) :
		   verbs_send(v, sizeof(struct rblk_wire_login))) {
		sess_close(&s);
		return "can't send";
	}
	return witness_ended(&s, v, sign ? "violation: message out of order" : WRONG_MAC);
}

/* The first LOGIN, and then something else. */
static const char *not_a_login(void)
{
	static const struct shake_case plain;
	struct hello hello;
	struct sess s;

	sess_init(&s);
	watch_begin();
	if (sess_control(&s) || shake_first(&plain, &s, &hello) != RBLK_CTL_AUTH_CONTINUE)
		return "can't begin";
	sess_fill_attach(s.control, host_export, RBLK_ACCESS_WRITE);
	if (verbs_send(s.control, sizeof(struct rblk_wire_attach))) {
		sess_close(&s);
		return "can't send";
	}
	return witness_ended(&s, s.control, "violation: message out of order");
}

/**
 * handshake_cases - run them beside the session of another host with a key
 */
void handshake_cases(void)
{
	size_t i;

	if (!host_keyed)
		report_die("wants keys (-t and -k)");
	witness_open(host_other);
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		report_case(cases[i].name, shake(&cases[i]));
	report_case("tag-right-after-wrong", right_after_wrong());
	report_case("login-third-signed", third_login(true));
	report_case("login-third-unsigned", third_login(false));
	report_case("attach-after-first", not_a_login());
	witness_close();
}

/**
 * retry_cases - a host that is refused, and comes again on the same connection
 */
void retry_cases(void)
{
	witness_open(host_other);
	report_case("login-key-after-none", key_after_none());
	witness_close();
}
