// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the rest of the module leaves to its callers: to draw private keys.
 */
#include <linux/export.h>
#include <linux/random.h>
#include <linux/string.h>
#include "auth.h"

/**
 * rblk_auth_pair_random() - draw a new pair
 * @pair: filled in
 *
 * Context: process.  Soon after boot, it sleeps until the kernel can draw numbers that
 *          nobody can guess; a signal ends that.
 * Return: 0, or a negative errno; then @pair is zero.
 */
int rblk_auth_pair_random(struct rblk_auth_pair *pair)
{
	u8 private[RBLK_AUTH_PRIVATE_LEN];
	int ret;

	ret = get_random_bytes_wait(private, sizeof(private));
	if (ret)
		rblk_auth_pair_wipe(pair);
	else
		ret = rblk_auth_pair_from(pair, private);
	memzero_explicit(private, sizeof(private));
	return ret;
}
EXPORT_SYMBOL_GPL(rblk_auth_pair_random);

/**
 * rblk_auth_host_hello_random() - make the first LOGIN with a key that it draws
 * @hs: as rblk_auth_host_hello()
 * @login: as rblk_auth_host_hello()
 *
 * Context: process; may sleep, as rblk_auth_pair_random().
 * Return: as rblk_auth_host_hello(), or -ERESTARTSYS after a signal.
 */
int rblk_auth_host_hello_random(struct rblk_auth_handshake *hs, struct rblk_wire_login *login)
{
	u8 private[RBLK_AUTH_PRIVATE_LEN];
	int ret;

	ret = get_random_bytes_wait(private, sizeof(private));
	if (ret)
		rblk_auth_end(hs);
	else
		ret = rblk_auth_host_hello(hs, private, login);
	memzero_explicit(private, sizeof(private));
	return ret;
}
EXPORT_SYMBOL_GPL(rblk_auth_host_hello_random);

/**
 * rblk_auth_target_answer_random() - make the reply to the first LOGIN with a key that it draws
 * @hs: as rblk_auth_target_answer()
 * @psk: as rblk_auth_target_answer()
 * @reply: as rblk_auth_target_answer()
 *
 * Context: process; may sleep, as rblk_auth_pair_random().
 * Return: as rblk_auth_target_answer(), or -ERESTARTSYS after a signal.
 */
int rblk_auth_target_answer_random(struct rblk_auth_handshake *hs, const u8 *psk,
				   struct rblk_wire_login_reply *reply)
{
	u8 private[RBLK_AUTH_PRIVATE_LEN];
	int ret;

	ret = get_random_bytes_wait(private, sizeof(private));
	if (ret)
		rblk_auth_end(hs);
	else
		ret = rblk_auth_target_answer(hs, psk, private, reply);
	memzero_explicit(private, sizeof(private));
	return ret;
}
EXPORT_SYMBOL_GPL(rblk_auth_target_answer_random);
