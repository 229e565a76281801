/* SPDX-License-Identifier: GPL-2.0-only */
/* X25519 of OpenSSL, under the kernel's names. */
#ifndef SHIM_CRYPTO_CURVE25519_H
#define SHIM_CRYPTO_CURVE25519_H

#include <linux/types.h>
#include <openssl/evp.h>

#define CURVE25519_KEY_SIZE 32

static inline void curve25519_clamp_secret(u8 *secret)
{
	secret[0] &= 248;
	secret[31] = (secret[31] & 127) | 64;
}

static inline bool curve25519(u8 *product, const u8 *secret, const u8 *point)
{
	EVP_PKEY *own = EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, NULL, secret, 32);
	EVP_PKEY *peer = EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, NULL, point, 32);
	EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new(own, NULL);
	size_t bytes = 32;
	bool good;

	/* OpenSSL refuses a product of zero, too. */
	good = EVP_PKEY_derive_init(ctx) > 0 && EVP_PKEY_derive_set_peer(ctx, peer) > 0 &&
	       EVP_PKEY_derive(ctx, product, &bytes) > 0;
	if (!good)
		memset(product, 0, 32);
	EVP_PKEY_CTX_free(ctx);
	EVP_PKEY_free(peer);
	EVP_PKEY_free(own);
	return good;
}

static inline bool curve25519_generate_public(u8 *public, const u8 *secret)
{
	EVP_PKEY *own = EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, NULL, secret, 32);
	size_t bytes = 32;
	bool good;

	good = EVP_PKEY_get_raw_public_key(own, public, &bytes) > 0;
	EVP_PKEY_free(own);
	return good;
}

#endif /* SHIM_CRYPTO_CURVE25519_H */
