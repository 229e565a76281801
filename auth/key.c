// SPDX-License-Identifier: GPL-2.0-only
/*
 * Keys of hosts and targets, and the name that a host has by its key.
 */
#include <linux/errno.h>
#include <linux/export.h>
#include "hash.h"

/**
 * rblk_auth_pair_from() - the pair that a private key belongs to
 * @pair: filled in
 * @private: the private key, 32 bytes
 *
 * Context: process.  Some 0.1 ms of CPU time.
 * Return: 0, or -EKEYREJECTED if there is no such pair; then @pair is zero.
 */
int rblk_auth_pair_from(struct rblk_auth_pair *pair, const u8 private[RBLK_AUTH_PRIVATE_LEN])
{
	memcpy(pair->private, private, sizeof(pair->private));
	if (compat_x25519_public(pair->public, pair->private))
		return 0;
	rblk_auth_pair_wipe(pair);
	return -EKEYREJECTED;
}
EXPORT_SYMBOL_GPL(rblk_auth_pair_from);

/**
 * rblk_auth_pair_wipe() - forget a pair
 * @pair: all zero afterwards
 *
 * Context: any.
 */
void rblk_auth_pair_wipe(struct rblk_auth_pair *pair)
{
	memzero_explicit(pair, sizeof(*pair));
}
EXPORT_SYMBOL_GPL(rblk_auth_pair_wipe);

/**
 * rblk_auth_host_id() - the UUID that stands for a host that has proven its key
 * @id: filled in: a UUID of version 8
 * @public: the host's static public key
 *
 * Context: any.
 */
void rblk_auth_host_id(u8 id[RBLK_WIRE_UUID_LEN], const u8 public[RBLK_WIRE_KEY_LEN])
{
	u8 hash[RBLK_AUTH_HASH_LEN];
	struct blake2s_ctx ctx;

	auth_hash_begin(&ctx, NULL, "rblkhost");
	blake2s_update(&ctx, public, RBLK_WIRE_KEY_LEN);
	auth_hash_end(&ctx, hash);
	memcpy(id, hash, RBLK_WIRE_UUID_LEN);
	/* RFC 9562: version and variant. */
	id[6] = (id[6] & 0x0f) | 0x80;
	id[8] = (id[8] & 0x3f) | 0x80;
}
EXPORT_SYMBOL_GPL(rblk_auth_host_id);

/**
 * rblk_auth_is_host_id() - may this UUID stand for a host that has a key?
 * @uuid: a UUID
 *
 * A host without a key must not name such a UUID: it could be another host's.
 *
 * Context: any.
 * Return: whether it is a UUID of version 8.
 */
bool rblk_auth_is_host_id(const u8 uuid[RBLK_WIRE_UUID_LEN])
{
	return (uuid[6] & 0xf0) == 0x80 && (uuid[8] & 0xc0) == 0x80;
}
EXPORT_SYMBOL_GPL(rblk_auth_is_host_id);
