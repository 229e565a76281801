/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The two hashes of the protocol, H(x) and HK(k; x): BLAKE2s of 32 bytes, without and
 * with a key.  No two uses of one key, or of none, hash the same: they have another label
 * or another length.
 */
#ifndef RBLK_AUTH_HASH_H
#define RBLK_AUTH_HASH_H

#include "../compat/crypto.h"
#include "auth.h"

#define RBLK_AUTH_LABEL_LEN	8

/*
 * Begin HK under @key, 32 bytes, or H if it is NULL.  A @label has at most 8 characters;
 * the zeroes after them are hashed, too.  NULL stands for none.
 *
 * Context: any.
 */
static inline void auth_hash_begin(struct blake2s_ctx *ctx, const u8 *key, const char *label)
{
	u8 padded[RBLK_AUTH_LABEL_LEN] = {};

	if (key)
		blake2s_init_key(ctx, RBLK_AUTH_HASH_LEN, key, RBLK_AUTH_SECRET_LEN);
	else
		blake2s_init(ctx, RBLK_AUTH_HASH_LEN);
	if (!label)
		return;
	memcpy(padded, label, strnlen(label, sizeof(padded)));
	blake2s_update(ctx, padded, sizeof(padded));
}

/* The result, 32 bytes.  Nothing else of it stays in memory.  Context: any. */
static inline void auth_hash_end(struct blake2s_ctx *ctx, u8 *result)
{
	blake2s_final(ctx, result);
	memzero_explicit(ctx, sizeof(*ctx));
}

/* What identifies a connection.  Context: any. */
static inline void auth_hash_greeting(struct blake2s_ctx *ctx,
				      const struct rblk_auth_greeting *greeting)
{
	blake2s_update(ctx, (const u8 *)&greeting->req, sizeof(greeting->req));
	blake2s_update(ctx, (const u8 *)&greeting->rep, sizeof(greeting->rep));
}

#endif /* RBLK_AUTH_HASH_H */
