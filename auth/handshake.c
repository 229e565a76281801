// SPDX-License-Identifier: GPL-2.0-only
/*
 * The handshake: both sides' keys, old and new, are multiplied with each other, and
 * each side shows that it got the same result.
 *
 *	host			state		target
 *	LOGIN		-->	HELLO		knows who the host says it is
 *			<--	ANSWER		LOGIN_REPLY, CONTINUE
 *	LOGIN		-->	PROVEN		knows that it is
 *
 * Every byte that was sent is in the hash that the key and the proofs are made of.
 */
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <asm/byteorder.h>
#include "hash.h"

#define TO(state) (1u << (state))

/* By state: the states that may follow it. */
static const u8 handshake_next[RBLK_AUTH_NR_STATES] = {
	[RBLK_AUTH_OVER]	= 0,
	[RBLK_AUTH_NEW]		= TO(RBLK_AUTH_HELLO) | TO(RBLK_AUTH_OVER),
	[RBLK_AUTH_HELLO]	= TO(RBLK_AUTH_ANSWER) | TO(RBLK_AUTH_OVER),
	[RBLK_AUTH_ANSWER]	= TO(RBLK_AUTH_PROVEN) | TO(RBLK_AUTH_OVER),
	[RBLK_AUTH_PROVEN]	= TO(RBLK_AUTH_OVER),
};

/**
 * rblk_auth_may_become() - is this change of a handshake's state allowed?
 * @from: present state
 * @to: wanted state
 *
 * Context: any.
 * Return: whether it is.
 */
bool rblk_auth_may_become(enum rblk_auth_state from, enum rblk_auth_state to)
{
	return (unsigned int)from < RBLK_AUTH_NR_STATES &&
	       (unsigned int)to < RBLK_AUTH_NR_STATES &&
	       handshake_next[from] & TO(to);
}
EXPORT_SYMBOL_GPL(rblk_auth_may_become);

/**
 * rblk_auth_state_name() - name of a handshake's state, for people
 * @state: the state
 *
 * Context: any.
 * Return: the name, "?" for an unknown state.
 */
const char *rblk_auth_state_name(enum rblk_auth_state state)
{
	static const char * const text[] = {
#define RBLK_AUTH_STATE_TEXT(name, words) words,
		RBLK_AUTH_STATE_TABLE(RBLK_AUTH_STATE_TEXT)
#undef RBLK_AUTH_STATE_TEXT
	};

	return (unsigned int)state < RBLK_AUTH_NR_STATES ? text[state] : "?";
}
EXPORT_SYMBOL_GPL(rblk_auth_state_name);

/* The one setter: a step of @side that leads to @to, or else the end. */
static int handshake_become(struct rblk_auth_handshake *hs, enum rblk_auth_side side,
			    enum rblk_auth_state to)
{
	if (hs->side != side || !rblk_auth_may_become(hs->state, to)) {
		rblk_auth_end(hs);
		return -EPROTO;
	}
	hs->state = to;
	return 0;
}

static int handshake_fail(struct rblk_auth_handshake *hs, int error)
{
	rblk_auth_end(hs);
	return error;
}

static void handshake_init(struct rblk_auth_handshake *hs, enum rblk_auth_side side,
			   const struct rblk_auth_pair *own,
			   const struct rblk_auth_greeting *greeting)
{
	struct blake2s_ctx ctx;

	memset(hs, 0, sizeof(*hs));
	hs->side = side;
	hs->state = RBLK_AUTH_NEW;
	hs->own = *own;
	auth_hash_begin(&ctx, NULL, "rblkauth");
	auth_hash_greeting(&ctx, greeting);
	auth_hash_end(&ctx, hs->hash);
}

/* Take a message into the hash, as if the @tag in it were zero, if there is one. */
static void handshake_heard(struct rblk_auth_handshake *hs, const void *msg, size_t bytes,
			    const void *tag)
{
	static const u8 zero[RBLK_WIRE_TAG_LEN];
	size_t before = tag ? tag - msg : bytes;
	struct blake2s_ctx ctx;

	auth_hash_begin(&ctx, NULL, NULL);
	blake2s_update(&ctx, hs->hash, sizeof(hs->hash));
	blake2s_update(&ctx, msg, before);
	if (tag) {
		blake2s_update(&ctx, zero, sizeof(zero));
		before += sizeof(zero);
		blake2s_update(&ctx, msg + before, bytes - before);
	}
	auth_hash_end(&ctx, hs->hash);
}

/* The first bytes of HK(key; label, hash): a proof of 16 bytes, or a secret of 32. */
static void handshake_derive(const struct rblk_auth_handshake *hs, const char *label, u8 *result,
			     size_t bytes)
{
	u8 hash[RBLK_AUTH_HASH_LEN];
	struct blake2s_ctx ctx;

	auth_hash_begin(&ctx, hs->key, label);
	blake2s_update(&ctx, hs->hash, sizeof(hs->hash));
	auth_hash_end(&ctx, hash);
	memcpy(result, hash, bytes);
	memzero_explicit(hash, sizeof(hash));
}

/*
 * K: what both sides' keys give when they are multiplied, and all that was said.  What
 * it was made of is wiped: from here on nobody can make it again.
 */
static int handshake_key(struct rblk_auth_handshake *hs)
{
	bool host = hs->side == RBLK_AUTH_HOST;
	struct blake2s_ctx ctx;
	u8 product[3][32];
	bool good;

	good = compat_x25519(product[0], hs->ephemeral.private, hs->peer_ephemeral);
	/* The host's ephemeral key and the target's static one. */
	good &= compat_x25519(product[1], host ? hs->ephemeral.private : hs->own.private,
			      host ? hs->peer : hs->peer_ephemeral);
	/* The host's static key and the target's ephemeral one. */
	good &= compat_x25519(product[2], host ? hs->own.private : hs->ephemeral.private,
			      host ? hs->peer_ephemeral : hs->peer);
	auth_hash_begin(&ctx, hs->psk, NULL);
	blake2s_update(&ctx, (const u8 *)product, sizeof(product));
	blake2s_update(&ctx, hs->hash, sizeof(hs->hash));
	auth_hash_end(&ctx, hs->key);
	memzero_explicit(product, sizeof(product));
	rblk_auth_pair_wipe(&hs->own);
	rblk_auth_pair_wipe(&hs->ephemeral);
	memzero_explicit(hs->psk, sizeof(hs->psk));
	/* A point of low order is nobody's key. */
	return good ? 0 : -EKEYREJECTED;
}

/* Is it the proof that the other side must give?  The message is in the hash already. */
static int handshake_proven(const struct rblk_auth_handshake *hs, const char *label, const u8 *tag)
{
	u8 want[RBLK_WIRE_TAG_LEN];
	bool differs;

	handshake_derive(hs, label, want, sizeof(want));
	differs = crypto_memneq(want, tag, sizeof(want));
	memzero_explicit(want, sizeof(want));
	return differs ? -EKEYREJECTED : 0;
}

/* A field of a LOGIN or its reply has @used bytes and zeroes after them. */
static bool auth_field_is(const u8 *auth, __le16 len, size_t used)
{
	return le16_to_cpu(len) == used &&
	       !memchr_inv(auth + used, 0, RBLK_WIRE_AUTH_LEN - used);
}

static bool login_is(const struct rblk_wire_login *login, size_t bytes, size_t used)
{
	return bytes == sizeof(*login) && login->ctl.hdr.type == RBLK_MSG_LOGIN &&
	       login->auth_method == cpu_to_le16(RBLK_AUTH_X25519) &&
	       auth_field_is(login->auth, login->auth_len, used);
}

/**
 * rblk_auth_host_init() - begin a handshake, as host
 * @hs: filled in; in the end, the caller calls rblk_auth_end() for it
 * @own: the host's static key
 * @greeting: of the control connection
 *
 * Context: any.
 */
void rblk_auth_host_init(struct rblk_auth_handshake *hs, const struct rblk_auth_pair *own,
			 const struct rblk_auth_greeting *greeting)
{
	handshake_init(hs, RBLK_AUTH_HOST, own, greeting);
}
EXPORT_SYMBOL_GPL(rblk_auth_host_init);

/**
 * rblk_auth_host_hello() - make the first LOGIN
 * @hs: in NEW; in HELLO afterwards
 * @private: the ephemeral private key, 32 random bytes that serve only this once
 * @login: complete but for auth_method, auth_len and auth, which are filled in.  It must
 *         be sent as it is then
 *
 * Context: process.  Some 0.1 ms of CPU time.
 * Return: 0, or a negative errno; then the handshake is over.
 */
int rblk_auth_host_hello(struct rblk_auth_handshake *hs, const u8 private[RBLK_AUTH_PRIVATE_LEN],
			 struct rblk_wire_login *login)
{
	struct rblk_wire_auth_hello *hello = (struct rblk_wire_auth_hello *)login->auth;
	int ret;

	ret = handshake_become(hs, RBLK_AUTH_HOST, RBLK_AUTH_HELLO);
	if (ret)
		return ret;
	ret = rblk_auth_pair_from(&hs->ephemeral, private);
	if (ret)
		return handshake_fail(hs, ret);
	login->auth_method = cpu_to_le16(RBLK_AUTH_X25519);
	login->auth_len = cpu_to_le16(sizeof(*hello));
	memset(login->auth, 0, sizeof(login->auth));
	memcpy(hello->ephemeral, hs->ephemeral.public, sizeof(hello->ephemeral));
	memcpy(hello->key, hs->own.public, sizeof(hello->key));
	hs->hello = *login;
	handshake_heard(hs, login, sizeof(*login), NULL);
	return 0;
}
EXPORT_SYMBOL_GPL(rblk_auth_host_hello);

/**
 * rblk_auth_host_check() - has the target proven that it is the one?
 * @hs: in HELLO; in ANSWER afterwards
 * @reply: what the target answered to the first LOGIN, if its status is CONTINUE
 * @bytes: its length
 * @target: the static public key that the target must have: the caller may have read it
 *          in @reply, if it would accept that
 * @psk: the pre-shared key, 32 bytes; NULL is the same as zeroes
 *
 * Context: process.  Some 0.3 ms of CPU time.
 * Return: 0; -EPROTO if it is no such message; -EKEYREJECTED if the target has another
 *         key than it should, or did not prove it, or another pre-shared key.  Unless
 *         it is 0, the handshake is over.
 */
int rblk_auth_host_check(struct rblk_auth_handshake *hs, const void *reply, size_t bytes,
			 const u8 target[RBLK_WIRE_KEY_LEN], const u8 *psk)
{
	const struct rblk_wire_login_reply *r = reply;
	const struct rblk_wire_auth_answer *answer;
	int ret;

	ret = handshake_become(hs, RBLK_AUTH_HOST, RBLK_AUTH_ANSWER);
	if (ret)
		return ret;
	if (bytes != sizeof(*r) || r->ctl.hdr.type != RBLK_MSG_LOGIN_REPLY ||
	    r->ctl.status != cpu_to_le16(RBLK_CTL_AUTH_CONTINUE) ||
	    !auth_field_is(r->auth, r->auth_len, sizeof(*answer)))
		return handshake_fail(hs, -EPROTO);
	answer = (const struct rblk_wire_auth_answer *)r->auth;
	if (crypto_memneq(answer->key, target, sizeof(answer->key)))
		return handshake_fail(hs, -EKEYREJECTED);
	memcpy(hs->peer, answer->key, sizeof(hs->peer));
	if (psk)
		memcpy(hs->psk, psk, sizeof(hs->psk));
	memcpy(hs->peer_ephemeral, answer->ephemeral, sizeof(hs->peer_ephemeral));
	handshake_heard(hs, r, sizeof(*r), answer->tag);
	ret = handshake_key(hs);
	ret = ret ?: handshake_proven(hs, "target", answer->tag);
	return ret ? handshake_fail(hs, ret) : 0;
}
EXPORT_SYMBOL_GPL(rblk_auth_host_check);

/**
 * rblk_auth_host_prove() - make the second LOGIN
 * @hs: in ANSWER; in PROVEN afterwards, with the session's secret
 * @xid: the message's own, in host order
 * @login: filled in as a whole
 *
 * Context: any.
 * Return: 0, or -EPROTO; then the handshake is over.
 */
int rblk_auth_host_prove(struct rblk_auth_handshake *hs, u32 xid, struct rblk_wire_login *login)
{
	struct rblk_wire_auth_proof *proof = (struct rblk_wire_auth_proof *)login->auth;
	int ret;

	ret = handshake_become(hs, RBLK_AUTH_HOST, RBLK_AUTH_PROVEN);
	if (ret)
		return ret;
	*login = hs->hello;
	login->ctl.xid = cpu_to_le32(xid);
	login->auth_len = cpu_to_le16(sizeof(*proof));
	memset(login->auth, 0, sizeof(login->auth));
	handshake_heard(hs, login, sizeof(*login), proof->tag);
	handshake_derive(hs, "host", proof->tag, sizeof(proof->tag));
	handshake_derive(hs, "session", hs->key, sizeof(hs->key));
	return 0;
}
EXPORT_SYMBOL_GPL(rblk_auth_host_prove);

/**
 * rblk_auth_target_init() - begin a handshake, as target
 * @hs: filled in; in the end, the caller calls rblk_auth_end() for it
 * @own: the target's static key
 * @greeting: of the control connection
 *
 * Context: any.
 */
void rblk_auth_target_init(struct rblk_auth_handshake *hs, const struct rblk_auth_pair *own,
			   const struct rblk_auth_greeting *greeting)
{
	handshake_init(hs, RBLK_AUTH_TARGET, own, greeting);
}
EXPORT_SYMBOL_GPL(rblk_auth_target_init);

/**
 * rblk_auth_target_hello() - take the first LOGIN
 * @hs: in NEW; in HELLO afterwards
 * @login: the message
 * @bytes: its length
 *
 * Nothing is multiplied here.  So the caller can look up @hs->peer, the key that the
 * host says it has, and go on only if somebody allows that.
 *
 * Context: any.
 * Return: 0, or -EPROTO if it is no such message; then the handshake is over.
 */
int rblk_auth_target_hello(struct rblk_auth_handshake *hs, const void *login, size_t bytes)
{
	const struct rblk_wire_auth_hello *hello;
	int ret;

	ret = handshake_become(hs, RBLK_AUTH_TARGET, RBLK_AUTH_HELLO);
	if (ret)
		return ret;
	if (!login_is(login, bytes, sizeof(*hello)))
		return handshake_fail(hs, -EPROTO);
	memcpy(&hs->hello, login, sizeof(hs->hello));
	hello = (const struct rblk_wire_auth_hello *)hs->hello.auth;
	memcpy(hs->peer_ephemeral, hello->ephemeral, sizeof(hs->peer_ephemeral));
	memcpy(hs->peer, hello->key, sizeof(hs->peer));
	handshake_heard(hs, login, bytes, NULL);
	return 0;
}
EXPORT_SYMBOL_GPL(rblk_auth_target_hello);

/**
 * rblk_auth_target_answer() - make the reply to the first LOGIN
 * @hs: in HELLO; in ANSWER afterwards
 * @psk: the pre-shared key of this host, 32 bytes; NULL is the same as zeroes
 * @private: the ephemeral private key, 32 random bytes that serve only this once
 * @reply: complete but for status, auth_len and auth, which are filled in.  It must be
 *         sent as it is then
 *
 * Context: process.  Some 0.4 ms of CPU time.
 * Return: 0; -EPROTO in another state; -EKEYREJECTED if the host's keys are of low
 *         order.  Unless it is 0, the handshake is over.
 */
int rblk_auth_target_answer(struct rblk_auth_handshake *hs, const u8 *psk,
			    const u8 private[RBLK_AUTH_PRIVATE_LEN],
			    struct rblk_wire_login_reply *reply)
{
	struct rblk_wire_auth_answer *answer = (struct rblk_wire_auth_answer *)reply->auth;
	int ret;

	ret = handshake_become(hs, RBLK_AUTH_TARGET, RBLK_AUTH_ANSWER);
	if (ret)
		return ret;
	ret = rblk_auth_pair_from(&hs->ephemeral, private);
	if (ret)
		return handshake_fail(hs, ret);
	if (psk)
		memcpy(hs->psk, psk, sizeof(hs->psk));
	reply->ctl.status = cpu_to_le16(RBLK_CTL_AUTH_CONTINUE);
	reply->auth_len = cpu_to_le16(sizeof(*answer));
	memset(reply->auth, 0, sizeof(reply->auth));
	memcpy(answer->ephemeral, hs->ephemeral.public, sizeof(answer->ephemeral));
	memcpy(answer->key, hs->own.public, sizeof(answer->key));
	handshake_heard(hs, reply, sizeof(*reply), answer->tag);
	ret = handshake_key(hs);
	if (ret)
		return handshake_fail(hs, ret);
	handshake_derive(hs, "target", answer->tag, sizeof(answer->tag));
	return 0;
}
EXPORT_SYMBOL_GPL(rblk_auth_target_answer);

/* The second LOGIN says the same as the first, but for what belongs to the handshake. */
static bool login_repeats(const struct rblk_wire_login *login, const struct rblk_wire_login *first)
{
	struct rblk_wire_login same = *login;

	same.ctl.xid = first->ctl.xid;
	same.auth_len = first->auth_len;
	memcpy(same.auth, first->auth, sizeof(same.auth));
	return !memcmp(&same, first, sizeof(same));
}

/**
 * rblk_auth_target_check() - has the host proven that it is the one?
 * @hs: in ANSWER; in PROVEN afterwards, with the session's secret
 * @login: the second LOGIN
 * @bytes: its length
 *
 * Context: any.
 * Return: 0; -EPROTO if it is no such message; -EKEYREJECTED if the host did not prove
 *         its key, or has another pre-shared key.  Unless it is 0, the handshake is over.
 */
int rblk_auth_target_check(struct rblk_auth_handshake *hs, const void *login, size_t bytes)
{
	const struct rblk_wire_auth_proof *proof;
	const struct rblk_wire_login *second = login;
	int ret;

	ret = handshake_become(hs, RBLK_AUTH_TARGET, RBLK_AUTH_PROVEN);
	if (ret)
		return ret;
	if (!login_is(second, bytes, sizeof(*proof)) || !login_repeats(second, &hs->hello))
		return handshake_fail(hs, -EPROTO);
	proof = (const struct rblk_wire_auth_proof *)second->auth;
	handshake_heard(hs, second, bytes, proof->tag);
	ret = handshake_proven(hs, "host", proof->tag);
	if (ret)
		return handshake_fail(hs, ret);
	handshake_derive(hs, "session", hs->key, sizeof(hs->key));
	return 0;
}
EXPORT_SYMBOL_GPL(rblk_auth_target_check);

/**
 * rblk_auth_take() - take the secret of the session's epoch, once
 * @hs: in PROVEN; over afterwards
 * @secret: filled in, 32 bytes; zero if it fails
 *
 * Context: any.
 * Return: 0, or -EPROTO in another state.
 */
int rblk_auth_take(struct rblk_auth_handshake *hs, u8 secret[RBLK_AUTH_SECRET_LEN])
{
	bool proven = hs->state == RBLK_AUTH_PROVEN;

	if (proven)
		memcpy(secret, hs->key, RBLK_AUTH_SECRET_LEN);
	else
		memset(secret, 0, RBLK_AUTH_SECRET_LEN);
	rblk_auth_end(hs);
	return proven ? 0 : -EPROTO;
}
EXPORT_SYMBOL_GPL(rblk_auth_take);

/**
 * rblk_auth_end() - end a handshake, however far it has come
 * @hs: all zero afterwards, which is OVER
 *
 * Context: any.
 */
void rblk_auth_end(struct rblk_auth_handshake *hs)
{
	memzero_explicit(hs, sizeof(*hs));
}
EXPORT_SYMBOL_GPL(rblk_auth_end);
