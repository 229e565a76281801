// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hosts that prove who they are: the target's key, and its side of the handshake.
 *
 * A handshake costs the target four multiplications, some 0.4 ms.  Strangers must not
 * make it do many of them.  So it looks a host's key up before it begins: a key that
 * nobody allows costs a look at the lists.  Keys can be overheard, however.  Therefore
 * a connection gets one handshake, handshakes take turns, and so they never take more
 * than one processor.  The limits of half-open connections (peer.c) bound how many
 * wait for their turn.  While they wait, other sessions go on: each control connection
 * has a work item of its own.
 */
#include <linux/slab.h>
#include <linux/utsname.h>
#include "session.h"

static RBLK_AUTH_STORE(keys);

/* Handshakes take turns.  It guards nothing. */
static DEFINE_MUTEX(handshake_turn);

/* Begin a handshake, if there is a key; copies what this host shares to @psk. */
static u16 handshake_begin(struct rblkt_link *link, const struct rblk_wire_login *msg, u8 *psk)
{
	struct rblk_auth_pair own;
	int ret;

	if (!rblk_auth_store_own(&keys, &own))
		return RBLK_CTL_NO_KEY;
	rblk_auth_target_init(link->handshake, &own, &link->greeting);
	rblk_auth_pair_wipe(&own);
	ret = rblk_auth_target_hello(link->handshake, msg, sizeof(*msg));
	rblk_auth_store_psk(&keys, link->handshake->peer, psk);
	return ret ? RBLK_CTL_AUTH : RBLK_CTL_OK;
}

static bool key_is_known(const u8 *key)
{
	struct rblk_ioc_host who = {};
	bool known;

	memcpy(who.key, key, sizeof(who.key));
	mutex_lock(&rblkt_mutex);
	known = rblkt_export_for(&who);
	mutex_unlock(&rblkt_mutex);
	return known;
}

/* The first LOGIN: the answer proves the target's key. */
static u16 auth_hello(struct rblkt_link *link, const struct rblk_wire_login *msg,
		      struct rblk_wire_login_reply *reply)
{
	const struct rblk_wire_auth_hello *hello = (const void *)msg->auth;
	u8 psk[RBLK_AUTH_PSK_LEN];
	u16 status;
	int ret;

	if (!key_is_known(hello->key))
		return RBLK_CTL_KEY_UNKNOWN;
	link->handshake = kzalloc(sizeof(*link->handshake), GFP_KERNEL);
	if (!link->handshake)
		return RBLK_CTL_NO_RESOURCES;
	status = handshake_begin(link, msg, psk);
	if (status)
		return status;
	rblkt_proto_ctl(reply, sizeof(*reply), RBLK_MSG_LOGIN_REPLY, msg->ctl.xid,
			RBLK_CTL_AUTH_CONTINUE);
	memcpy(reply->target, rblkt_uuid, sizeof(reply->target));
	rblk_name_make(reply->target_name, init_utsname()->nodename);
	reply->keepalive_ms = cpu_to_le32(rblkt_keepalive_ms());
	mutex_lock(&handshake_turn);
	ret = rblk_auth_target_answer_random(link->handshake, psk, reply);
	mutex_unlock(&handshake_turn);
	memzero_explicit(psk, sizeof(psk));
	return ret ? RBLK_CTL_AUTH : RBLK_CTL_AUTH_CONTINUE;
}

/* The second LOGIN proves the host's key. */
static u16 auth_proof(struct rblkt_link *link, const struct rblk_wire_login *msg)
{
	struct rblk_auth_handshake *hs = link->handshake;
	struct rblkt_sess *sess = link->sess;

	if (rblk_auth_target_check(hs, msg, sizeof(*msg)))
		return RBLK_CTL_AUTH;
	/* An earlier LOGIN of this connection may have named a UUID. */
	memset(&sess->holder.who, 0, sizeof(sess->holder.who));
	memcpy(sess->holder.who.key, hs->peer, sizeof(sess->holder.who.key));
	rblk_auth_host_id(sess->holder.host, hs->peer);
	return rblk_auth_take(hs, sess->secret) ? RBLK_CTL_AUTH : RBLK_CTL_OK;
}

/* A host without a key is whom it says it is, but none of those that have proved it. */
static u16 auth_none(struct rblkt_link *link, const struct rblk_wire_login *msg)
{
	struct rblkt_holder *holder = &link->sess->holder;
	bool admitted;

	if (rblk_auth_is_host_id(msg->host))
		return RBLK_CTL_AUTH;
	memcpy(holder->host, msg->host, sizeof(holder->host));
	memcpy(holder->who.uuid, msg->host, sizeof(holder->who.uuid));
	mutex_lock(&rblkt_mutex);
	admitted = rblkt_export_insecure();
	mutex_unlock(&rblkt_mutex);
	return admitted ? RBLK_CTL_OK : RBLK_CTL_AUTH;
}

/**
 * rblkt_auth_login - find out who logs in
 * @link: the control connection, not yet logged in
 * @msg: LOGIN, checked
 * @reply: zeroed; filled in with RBLK_CTL_AUTH_CONTINUE only
 *
 * On success the holder of the session knows who its host is.
 *
 * Context: process, the connection's receive context; takes rblkt_mutex, may sleep.
 * Return: RBLK_CTL_OK; RBLK_CTL_AUTH_CONTINUE: @reply is to be sent, and a second LOGIN
 * will come; or why the host is refused.
 */
u16 rblkt_auth_login(struct rblkt_link *link, const struct rblk_wire_login *msg,
		     struct rblk_wire_login_reply *reply)
{
	if (link->handshake)
		return auth_proof(link, msg);
	if (msg->auth_method == cpu_to_le16(RBLK_AUTH_X25519))
		return auth_hello(link, msg, reply);
	return auth_none(link, msg);
}

/**
 * rblkt_auth_end - forget a connection's handshake, however far it has come
 * @link: without messages
 *
 * Context: process; may sleep.
 */
void rblkt_auth_end(struct rblkt_link *link)
{
	kfree_sensitive(link->handshake);
	link->handshake = NULL;
}

/**
 * rblkt_auth_set - replace the target's key and its PSKs
 * @arg: of RBLKT_IOC_KEY_SET; its private key is wiped
 *
 * Context: process; may sleep.
 * Return: 0 or a negative errno.
 */
int rblkt_auth_set(struct rblk_ioc_key_set *arg)
{
	return rblk_auth_store_set(&keys, arg);
}

/**
 * rblkt_auth_show - show which key the target has
 * @arg: of RBLKT_IOC_KEY_SHOW
 *
 * Context: process; may sleep.
 * Return: 0 or -EINVAL.
 */
int rblkt_auth_show(struct rblk_ioc_key_show *arg)
{
	return rblk_auth_store_show(&keys, arg);
}

/**
 * rblkt_auth_exit - forget the target's key and its PSKs
 *
 * Context: Module exit.
 */
void rblkt_auth_exit(void)
{
	rblk_auth_store_wipe(&keys);
}
