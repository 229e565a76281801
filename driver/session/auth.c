// SPDX-License-Identifier: GPL-2.0-only
/*
 * This host's key, and its side of the handshake by which host and target prove who
 * they are: LOGIN is sent twice, and the answer to the first one has the target's proof.
 */
#include <linux/slab.h>
#include "session.h"

static RBLK_AUTH_STORE(keys);

/**
 * rblk_auth_wanted() - must the target of a session prove its key?
 * @sess: the session
 *
 * Context: any.
 * Return: whether it must.  Else neither side proves anything.
 */
bool rblk_auth_wanted(const struct rblk_sess *sess)
{
	return !(READ_ONCE(sess->args.flags) & RBLK_ATTACH_INSECURE);
}

/**
 * rblk_auth_pins() - tell which keys a session's target may prove
 * @sess: the caller keeps it alive
 * @keys: filled in, RBLK_TARGET_KEYS of them; zeroes where there is none
 *
 * Context: process; takes sess->lock.
 * Return: the session's flags of RBLK_ATTACH_PROOF.
 */
u32 rblk_auth_pins(struct rblk_sess *sess, u8 keys[RBLK_TARGET_KEYS][RBLK_KEY_LEN])
{
	u32 proof;

	spin_lock_irq(&sess->lock);
	memcpy(keys, sess->args.target_key, sizeof(sess->args.target_key));
	proof = sess->args.flags & RBLK_ATTACH_PROOF;
	spin_unlock_irq(&sess->lock);
	return proof;
}

/**
 * rblk_auth_pin() - change which keys a session's target may prove
 * @sess: not RBLK_ATTACH_INSECURE; the caller holds a use
 * @keys: RBLK_TARGET_KEYS of them, not all zeroes
 *
 * It matters from the next handshake on.  A session that waits because its target has
 * another key tries again at once.
 *
 * Context: process; takes sess->lock.
 */
void rblk_auth_pin(struct rblk_sess *sess, const u8 keys[RBLK_TARGET_KEYS][RBLK_KEY_LEN])
{
	struct rblk_sess_args *args = &sess->args;

	spin_lock_irq(&sess->lock);
	memcpy(args->target_key, keys, sizeof(args->target_key));
	/* Who reads the flags without the lock looks at others. */
	WRITE_ONCE(args->flags, args->flags & ~RBLK_ATTACH_TRUST_FIRST);
	spin_unlock_irq(&sess->lock);
	rblk_sess_kick(sess, 0);
}

/* The one that it has proved before is the one that it must have, whoever asked for what. */
static bool auth_accepts_key(struct rblk_sess *sess, const u8 *key)
{
	u8 pins[RBLK_TARGET_KEYS][RBLK_KEY_LEN];
	u32 i;

	if (rblk_auth_pins(sess, pins) & RBLK_ATTACH_TRUST_FIRST)
		return !memchr_inv(sess->peer_key, 0, sizeof(sess->peer_key)) ||
		       !memcmp(sess->peer_key, key, sizeof(sess->peer_key));
	for (i = 0; i < RBLK_TARGET_KEYS; i++)
		if (memchr_inv(pins[i], 0, RBLK_KEY_LEN) && !memcmp(pins[i], key, RBLK_KEY_LEN))
			return true;
	return false;
}

static int auth_no_key(struct rblk_ioc_error *error)
{
	return rblk_fail(error, RBLK_STAGE_LOGIN, -ENOKEY, "this host has no key");
}

static int auth_call(struct rblk_sess *sess, struct rblk_wire_login *req,
		     struct rblk_arrival *msg, struct rblk_ioc_error *error)
{
	struct rblk_call c = {
		.type = RBLK_MSG_LOGIN, .stage = RBLK_STAGE_LOGIN,
		.name = "the login", .msg = &req->ctl, .bytes = sizeof(*req),
		.timeout_ms = RBLK_CALL_MS,
	};

	return rblk_call(sess, sess->control, &c, msg, error);
}

/* Has the target answered with a proof?  @error says what it has answered instead. */
static int auth_answered(struct rblk_sess *sess, const struct rblk_arrival *msg,
			 struct rblk_ioc_error *error)
{
	const struct rblk_wire_ctl *reply = msg->data;
	struct rblk_call c = { .stage = RBLK_STAGE_LOGIN, .name = "the login" };
	const char *wrong = rblk_proto_check_login_reply(msg, sess->xid);
	int ret;

	if (!wrong && reply->status == cpu_to_le16(RBLK_CTL_AUTH_CONTINUE))
		return 0;
	ret = rblk_call_result(sess, &c, msg, wrong, error);
	if (ret)
		return ret;
	return rblk_fail(error, RBLK_STAGE_LOGIN, -EKEYREJECTED,
			 "the target let this host in without proving its key");
}

static int auth_check_answer(struct rblk_sess *sess, struct rblk_auth_handshake *hs,
			     const struct rblk_arrival *msg, struct rblk_ioc_error *error)
{
	const struct rblk_wire_login_reply *reply = msg->data;
	const struct rblk_wire_auth_answer *answer = (const void *)reply->auth;
	u8 psk[RBLK_AUTH_PSK_LEN];
	int ret;

	if (!auth_accepts_key(sess, answer->key))
		return rblk_fail(error, RBLK_STAGE_LOGIN, -EKEYREJECTED,
				 "the target has another key than it should");
	rblk_auth_store_psk(&keys, answer->key, psk);
	ret = rblk_auth_host_check(hs, reply, msg->bytes, answer->key, psk);
	memzero_explicit(psk, sizeof(psk));
	if (ret)
		return rblk_fail(error, RBLK_STAGE_LOGIN, -EKEYREJECTED,
				 "the target could not prove its key, or has another pre-shared key");
	return 0;
}

/* Both LOGINs.  What is hashed has to be what is sent, so their headers come first. */
static int auth_exchange(struct rblk_sess *sess, struct rblk_auth_handshake *hs,
			 struct rblk_wire_login *req, struct rblk_arrival *msg,
			 struct rblk_ioc_error *error)
{
	int ret;

	rblk_proto_encode_ctl(&req->ctl, RBLK_MSG_LOGIN, sizeof(*req), sess->xid + 1);
	ret = rblk_auth_host_hello_random(hs, req);
	if (ret)
		return rblk_fail(error, RBLK_STAGE_LOGIN, ret, "this host's key can't be used");
	ret = auth_call(sess, req, msg, error);
	ret = ret ?: auth_answered(sess, msg, error);
	ret = ret ?: auth_check_answer(sess, hs, msg, error);
	if (ret)
		return ret;
	spin_lock_irq(&sess->lock);
	memcpy(sess->peer_key, hs->peer, sizeof(sess->peer_key));
	spin_unlock_irq(&sess->lock);
	ret = rblk_auth_host_prove(hs, sess->xid + 1, req);
	ret = ret ?: rblk_auth_take(hs, sess->secret);
	if (ret)
		return rblk_fail(error, RBLK_STAGE_LOGIN, ret, "the handshake failed");
	/* The answer has a MAC, this LOGIN has none. */
	rblk_sign_init(sess->control, sess->secret);
	ret = auth_call(sess, req, msg, error);
	if (!ret)
		rblk_sign_begin(sess->control);
	return ret;
}

/**
 * rblk_auth_login() - log in by a handshake
 * @sess: CONNECTING, with a control connection
 * @req: complete but for what belongs to the handshake
 * @msg: filled in with the target's last answer; the caller has to check it
 * @error: filled in on failure
 *
 * Context: call_lock held; may sleep, at most 10 s.
 * Return: 0 or a negative errno.
 */
int rblk_auth_login(struct rblk_sess *sess, struct rblk_wire_login *req,
		    struct rblk_arrival *msg, struct rblk_ioc_error *error)
{
	struct rblk_auth_handshake *hs;
	struct rblk_auth_pair own;
	int ret;

	lockdep_assert_held(&sess->call_lock);
	if (!sess->control)
		return rblk_fail(error, RBLK_STAGE_LOGIN, -ECONNRESET,
				 "the connection was lost before the login");
	if (!rblk_auth_store_own(&keys, &own))
		return auth_no_key(error);
	hs = kzalloc(sizeof(*hs), GFP_KERNEL);
	if (hs) {
		rblk_auth_host_init(hs, &own, &sess->control->greeting);
		ret = auth_exchange(sess, hs, req, msg, error);
	} else {
		ret = rblk_fail(error, RBLK_STAGE_LOGIN, -ENOMEM, "out of memory");
	}
	kfree_sensitive(hs);
	rblk_auth_pair_wipe(&own);
	return ret;
}

/**
 * rblk_auth_peer() - tell which key a session's target has proved
 * @sess: the caller keeps it alive
 * @key: filled in; zeroes if it has proved none
 *
 * Context: any.
 */
void rblk_auth_peer(struct rblk_sess *sess, u8 key[RBLK_KEY_LEN])
{
	unsigned long flags;

	spin_lock_irqsave(&sess->lock, flags);
	memcpy(key, sess->peer_key, RBLK_KEY_LEN);
	spin_unlock_irqrestore(&sess->lock, flags);
}

/**
 * rblk_auth_set() - replace this host's key and its PSKs
 * @arg: of RBLK_IOC_KEY_SET; its private key is wiped
 *
 * Context: process; may sleep.
 * Return: 0 or a negative errno.
 */
int rblk_auth_set(struct rblk_ioc_key_set *arg)
{
	return rblk_auth_store_set(&keys, arg);
}

/**
 * rblk_auth_show() - show which key this host has
 * @arg: of RBLK_IOC_KEY_SHOW
 *
 * Context: process; may sleep.
 * Return: 0 or -EINVAL.
 */
int rblk_auth_show(struct rblk_ioc_key_show *arg)
{
	return rblk_auth_store_show(&keys, arg);
}

/**
 * rblk_auth_exit() - forget this host's key and its PSKs
 *
 * Context: module exit.
 */
void rblk_auth_exit(void)
{
	rblk_auth_store_wipe(&keys);
}
