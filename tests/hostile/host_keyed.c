// SPDX-License-Identifier: GPL-2.0-only
/*
 * A session whose host and target prove who they are, as a well-behaved initiator would
 * have it, in steps that can be spoilt.
 */
#include <errno.h>
#include "host.h"

/**
 * keyed_read - learn who somebody is
 * @file: has the private key
 * @target: the target's public key
 * @keyed: the result
 */
void keyed_read(const char *file, const char *target, struct keyed *keyed)
{
	if (!auth_key_read(file, keyed->own.secret))
		report_die("no key in %s", file);
	if (!auth_key_parse(target, keyed->target))
		report_die("which key has the target? (-t)");
	auth_public(&keyed->own);
}

/**
 * keyed_send - SEND from the send area, with a MAC where messages have them
 * @v: the connection
 * @len: bytes without the MAC
 */
int keyed_send(struct verbs *v, size_t len)
{
	return verbs_send(v, v->macs.sends ? auth_sign(&v->macs.tx, v->out, len) : len);
}

/**
 * keyed_receive - the next message, as if there were no MACs
 * @v: the connection
 * @ms: how long to wait for it
 * @len: set to its bytes; may be NULL
 *
 * Return: as verbs_receive(); NULL also if the MAC is wrong.
 */
void *keyed_receive(struct verbs *v, unsigned int ms, size_t *len)
{
	struct auth_link *macs = &v->macs;
	size_t bytes = 0;
	void *msg = verbs_receive(v, ms, &bytes);

	macs->last_len = bytes < sizeof(macs->last) ? bytes : sizeof(macs->last);
	if (msg)
		memcpy(macs->last, msg, macs->last_len);
	if (msg && macs->receives && !auth_check(&macs->rx, msg, &bytes)) {
		macs->bad = true;
		return NULL;
	}
	if (len)
		*len = bytes;
	return msg;
}

/**
 * keyed_macs - messages of a connection have MACs from now on
 * @s: has its secret
 * @v: a connection of it
 */
void keyed_macs(const struct sess *s, struct verbs *v)
{
	struct auth_link *macs = &v->macs;

	auth_mac_init(&macs->tx, s->secret, AUTH_TO_TARGET, &macs->req, &macs->rep);
	auth_mac_init(&macs->rx, s->secret, AUTH_TO_HOST, &macs->req, &macs->rep);
	macs->sends = true;
	macs->receives = true;
}

/**
 * keyed_begin - begin a handshake: the first LOGIN, which is not sent yet
 * @s: with a control connection
 * @hello: filled in
 */
void keyed_begin(const struct sess *s, struct hello *hello)
{
	const struct auth_link *macs = &s->control->macs;

	memset(hello, 0, sizeof(*hello));
	hello->auth.own = s->keyed->own;
	memcpy(hello->auth.peer, s->keyed->target, AUTH_KEY);
	auth_begin(&hello->auth, &macs->req, &macs->rep);
	hello->first = *sess_fill_login(s, s->control);
	auth_host_hello(&hello->auth, &hello->first);
}

/* Send a LOGIN, and keep its answer with its length. */
static int exchange(struct sess *s, const struct rblk_wire_login *login, char *answer,
		    size_t room, size_t *len)
{
	struct verbs *v = s->control;
	char *msg;

	memcpy(v->out, login, sizeof(*login));
	if (verbs_send(v, sizeof(*login)) || verbs_sent(v, WAIT_MS) != IBV_WC_SUCCESS)
		return -EIO;
	msg = verbs_receive(v, WAIT_MS, len);
	if (!msg || *len < sizeof(struct rblk_wire_ctl) || *len > room)
		return -EIO;
	memcpy(answer, msg, *len);
	if (verbs_post_recv(v, v->wc.wr_id))
		return -EIO;
	return le16toh(((struct rblk_wire_ctl *)answer)->status);
}

/**
 * keyed_ask - send the first LOGIN
 * @s: the session
 * @hello: begun, with the LOGIN as it is to be sent; gets the answer
 *
 * Return: the answer's status, or -EIO without one.
 */
int keyed_ask(struct sess *s, struct hello *hello)
{
	size_t len = 0;
	int ret = exchange(s, &hello->first, (char *)&hello->answer, sizeof(hello->answer),
			   &len);

	return ret >= 0 && len != sizeof(hello->answer) ? -EIO : ret;
}

/**
 * keyed_answer - make the second LOGIN, whatever the target has answered
 * @hello: asked; gets the LOGIN that proves our key, and the secret
 *
 * Return: whether the target has proved its key.
 */
bool keyed_answer(struct hello *hello)
{
	bool good = auth_host_check(&hello->auth, &hello->answer);

	hello->second = hello->first;
	hello->second.ctl.xid = htole32(8);
	auth_host_proof(&hello->auth, &hello->second);
	return good;
}

/**
 * keyed_prove - send the second LOGIN
 * @s: the session; after OK its control connection has MACs
 * @hello: with the LOGIN as it is to be sent
 *
 * Return: the answer's status; -EIO without one; -EKEYREJECTED if its MAC is missing or
 * wrong.
 */
int keyed_prove(struct sess *s, struct hello *hello)
{
	char answer[sizeof(hello->reply)];
	struct rblk_wire_login_reply *rep = (void *)answer;
	struct verbs *v = s->control;
	size_t len = 0;
	int status;

	memcpy(s->secret, hello->auth.secret, AUTH_KEY);
	status = exchange(s, &hello->second, answer, sizeof(answer), &len);
	if (status < 0)
		return status;
	memcpy(hello->reply, answer, sizeof(answer));
	hello->reply_len = len;
	keyed_macs(s, v);
	if (len == sizeof(answer) && !auth_check(&v->macs.rx, answer, &len))
		return -EKEYREJECTED;
	if (!status && !v->macs.rx.counter)
		return -EKEYREJECTED;
	if (!status && rep->key)
		return -EPROTO;
	v->macs.sends = !status;
	v->macs.receives = !status;
	s->key = 0;
	return status;
}

/**
 * keyed_login - log in by a handshake
 * @s: with its control connection
 *
 * Return: enum rblk_wire_ctl_status, or a negative errno.
 */
int keyed_login(struct sess *s)
{
	struct hello hello;
	int status;

	keyed_begin(s, &hello);
	status = keyed_ask(s, &hello);
	if (status != RBLK_CTL_AUTH_CONTINUE)
		return status ? status : -EKEYREJECTED;
	return keyed_answer(&hello) ? keyed_prove(s, &hello) : -EKEYREJECTED;
}
