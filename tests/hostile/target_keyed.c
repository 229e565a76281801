// SPDX-License-Identifier: GPL-2.0-only
/*
 * What an honest target does for an initiator that wants it to prove its key.  It takes
 * any host's key.
 */
#include <stdio.h>
#include <string.h>
#include "target.h"

static void pair_of(struct auth_pair *pair, const char *words)
{
	memset(pair->secret, 0, AUTH_KEY);
	memcpy(pair->secret, words, strlen(words));
	auth_public(pair);
}

static void own(struct auth_pair *pair)
{
	pair_of(pair, "the fake target's own key");
}

/**
 * keyed_other - the key of another target
 * @pair: the result
 */
void keyed_other(struct auth_pair *pair)
{
	pair_of(pair, "the key of another target");
}

/**
 * keyed_print - print our public key
 */
void keyed_print(void)
{
	struct auth_pair pair;
	char text[48];

	own(&pair);
	auth_key_text(text, pair.public);
	printf("%s\n", text);
}

/**
 * keyed_greet - keep what both sides say first
 * @l: not accepted yet
 * @req: the request
 * @rep: the acceptance, which gets a nonce
 */
void keyed_greet(struct link *l, const void *req, struct rblk_wire_cm_rep *rep)
{
	struct auth_link *macs = &l->v->macs;

	random_bytes(rep->nonce, sizeof(rep->nonce));
	memcpy(&macs->req, req, sizeof(macs->req));
	macs->rep = *rep;
}

/* Messages have MACs from now on. */
static void begin_macs(struct link *l)
{
	struct auth_link *macs = &l->v->macs;

	auth_mac_init(&macs->tx, l->fake->secret, AUTH_TO_HOST, &macs->req, &macs->rep);
	auth_mac_init(&macs->rx, l->fake->secret, AUTH_TO_TARGET, &macs->req, &macs->rep);
	macs->sends = true;
	macs->receives = true;
}

/* A host that draws the same twice would have the same secrets twice. */
static void must_be_new(struct fake *f, const uint8_t *ephemeral)
{
	static const uint8_t zeroes[AUTH_KEY];
	unsigned int i;

	if (!memcmp(ephemeral, zeroes, AUTH_KEY))
		report_die("the host has drawn zeroes");
	for (i = 0; i < f->nr_heard && i < MAX_LINKS; i++)
		if (!memcmp(f->heard[i], ephemeral, AUTH_KEY))
			report_die("the host has drawn the same key twice");
	memcpy(f->heard[f->nr_heard++ % MAX_LINKS], ephemeral, AUTH_KEY);
}

/* The first LOGIN: answer it with our proof. */
static void answer_first(struct link *l, const struct rblk_wire_login *msg, char *buf)
{
	struct out o = { .link = l, .type = PROVING, .buf = buf };

	l->asked = true;
	must_be_new(l->fake, msg->auth);
	memset(&l->auth, 0, sizeof(l->auth));
	own(&l->auth.own);
	auth_begin(&l->auth, &l->v->macs.req, &l->v->macs.rep);
	auth_target_hello(&l->auth, msg);
	if (l->fake->act)
		act_out(l->fake, &o);
	auth_target_answer(&l->auth, (void *)buf);
	o.type = ANSWER;
	o.len = message_len(buf);
	link_send(&o);
}

/**
 * keyed_login - do what belongs to a handshake
 * @l: a control connection
 * @msg: a LOGIN
 * @buf: an honest answer to it for one who wants no proof
 *
 * Return: whether that answer has been sent; otherwise it is to be.
 */
bool keyed_login(struct link *l, const struct rblk_wire_login *msg, char *buf)
{
	struct rblk_wire_login_reply *rep = (void *)buf;
	const struct act *act = l->fake->act;

	if (le16toh(msg->auth_method) != RBLK_AUTH_X25519) {
		if (act && !strncmp(act->name, "key-", 4))
			report_die("the host wants no proof");
		return false;
	}
	if (!l->asked) {
		answer_first(l, msg, buf);
		return true;
	}
	rep->key = 0;
	if (!auth_target_check(&l->auth, msg) && !(act && act->lenient))
		report_die("the host has not proved its key");
	memcpy(l->fake->secret, l->auth.secret, AUTH_KEY);
	l->fake->proven = true;
	begin_macs(l);
	return false;
}

/**
 * keyed_bind - an I/O connection of a session with keys has MACs from the start
 * @l: the connection
 */
void keyed_bind(struct link *l)
{
	if (l->fake->proven && !l->v->macs.receives)
		begin_macs(l);
}

/**
 * keyed_take - take the MAC of a message away
 * @l: where it came
 * @msg: the message
 * @len: bytes of it
 *
 * Return: whether it was right, or need not be.
 */
bool keyed_take(struct link *l, char *msg, size_t *len)
{
	struct auth_link *macs = &l->v->macs;

	macs->last_len = *len < sizeof(macs->last) ? *len : sizeof(macs->last);
	memcpy(macs->last, msg, macs->last_len);
	if (l->qid)
		keyed_bind(l);
	if (!macs->receives || auth_check(&macs->rx, msg, len))
		return true;
	printf("a wrong MAC on connection %u\n", l->qid);
	fflush(stdout);
	return l->fake->act && l->fake->act->lenient;
}

static unsigned int past_index(const struct link *l, const char *msg)
{
	return *msg == RBLK_MSG_LOGIN_REPLY && !l->v->macs.sends ? 0 :
	       (unsigned char)*msg % PAST_TYPES;
}

/**
 * keyed_note - keep a message of the first epoch, if it is the first of its type
 * @l: where it goes
 * @msg: the message, with its MAC
 * @len: bytes of it
 */
void keyed_note(struct link *l, const char *msg, size_t len)
{
	struct fake *f = l->fake;
	struct past *past = &f->past[past_index(l, msg)];

	if (f->epoch != f->first_epoch || past->len || !len || len > sizeof(past->msg))
		return;
	past->len = len;
	memcpy(past->msg, msg, len);
}

/**
 * keyed_past - what was sent in the first epoch
 * @l: where something like it goes now
 * @msg: a message of that type
 *
 * Return: it, or NULL.
 */
const struct past *keyed_past(struct link *l, const char *msg)
{
	const struct past *past = &l->fake->past[past_index(l, msg)];

	return past->len ? past : NULL;
}

/**
 * keyed_sign - give a message its MAC
 * @l: where it goes
 * @msg: the message
 * @len: bytes of it
 */
void keyed_sign(struct link *l, char *msg, size_t *len)
{
	/* What an act has made of it may be no message. */
	if (*len >= sizeof(struct rblk_wire_hdr))
		*len = auth_sign(&l->v->macs.tx, msg, *len);
}
