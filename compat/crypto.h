/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The cryptographic functions that all kernels export to modules: X25519,
 * BLAKE2s, SipHash and comparing in constant time.
 *
 * BLAKE2s is used by blake2s_init(), _init_key(), _update() and _final(), which
 * are the same everywhere but for the name of their structure.  The arguments
 * of blake2s() itself have changed their order, so nobody here calls it.  siphash()
 * and crypto_memneq() have never changed.
 */
#ifndef RBLK_COMPAT_CRYPTO_H
#define RBLK_COMPAT_CRYPTO_H

#include <crypto/blake2s.h>
#include <crypto/curve25519.h>
#include <linux/siphash.h>
#include <linux/string.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 4, 0)
#include <crypto/utils.h>
#else
#include <crypto/algapi.h>
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 19, 0)
#define blake2s_ctx blake2s_state
#endif

/* Make the private key one of those that RFC 7748 multiplies by. */
static inline void compat_x25519_scalar(u8 *scalar, const u8 *private)
{
	memcpy(scalar, private, CURVE25519_KEY_SIZE);
	curve25519_clamp_secret(scalar);
}

/*
 * The product of a private key and a point: X25519() of RFC 7748.  It clamps the
 * private key itself, as not every kernel's curve25519() may on every processor.
 *
 * Context: any in which the vector unit may be used: no hard interrupt.  Some
 *          0.1 ms of CPU time.
 * Return: false if the product is all zero, which means that @point has a low
 * order, and so that the product is no secret.
 */
static inline bool compat_x25519(u8 *product, const u8 *private, const u8 *point)
{
	u8 scalar[CURVE25519_KEY_SIZE];
	bool good;

	compat_x25519_scalar(scalar, private);
	good = curve25519(product, scalar, point);
	memzero_explicit(scalar, sizeof(scalar));
	return good;
}

/*
 * The public key to a private key.
 *
 * Context: as compat_x25519().
 * Return: true; no private key has none.
 */
static inline bool compat_x25519_public(u8 *public, const u8 *private)
{
	u8 scalar[CURVE25519_KEY_SIZE];
	bool good;

	compat_x25519_scalar(scalar, private);
	good = curve25519_generate_public(public, scalar);
	memzero_explicit(scalar, sizeof(scalar));
	return good;
}

#endif /* RBLK_COMPAT_CRYPTO_H */
