// SPDX-License-Identifier: GPL-2.0-only
/*
 * What OpenSSL does for auth.c: X25519, BLAKE2s with and without a key, SipHash, base64.
 */
#include <stdio.h>
#include <string.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include "auth.h"
#include "auth_hash.h"
#include "report.h"

/**
 * hash_plain - BLAKE2s-256
 * @out: the result; may be one of the parts
 * @parts: of what
 * @nr: how many
 */
void hash_plain(uint8_t out[32], const struct part *parts, size_t nr)
{
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();
	unsigned int len = 0;
	size_t i;

	if (!ctx || !EVP_DigestInit_ex(ctx, EVP_blake2s256(), NULL))
		report_die("no BLAKE2s");
	for (i = 0; i < nr; i++)
		EVP_DigestUpdate(ctx, parts[i].data, parts[i].len);
	if (!EVP_DigestFinal_ex(ctx, out, &len) || len != 32)
		report_die("BLAKE2s failed");
	EVP_MD_CTX_free(ctx);
}

static void mac_of(const char *name, uint8_t *out, size_t bytes, const uint8_t *key,
		   size_t key_len, const struct part *parts, size_t nr)
{
	EVP_MAC *mac = EVP_MAC_fetch(NULL, name, NULL);
	EVP_MAC_CTX *ctx = mac ? EVP_MAC_CTX_new(mac) : NULL;
	size_t len = 0, size = bytes, i;
	const OSSL_PARAM params[] = {
		OSSL_PARAM_construct_size_t(OSSL_MAC_PARAM_SIZE, &size),
		OSSL_PARAM_construct_end(),
	};

	if (!ctx || !EVP_MAC_init(ctx, key, key_len, params))
		report_die("no %s", name);
	for (i = 0; i < nr; i++)
		EVP_MAC_update(ctx, parts[i].data, parts[i].len);
	if (!EVP_MAC_final(ctx, out, &len, bytes) || len != bytes)
		report_die("%s failed", name);
	EVP_MAC_CTX_free(ctx);
	EVP_MAC_free(mac);
}

/**
 * hash_keyed - BLAKE2s-256 with a key
 * @out: the result
 * @key: the key
 * @parts: of what
 * @nr: how many
 */
void hash_keyed(uint8_t out[32], const uint8_t key[32], const struct part *parts, size_t nr)
{
	mac_of("BLAKE2SMAC", out, 32, key, 32, parts, nr);
}

/**
 * hash_sip - SipHash-2-4 of 64 bits
 * @out: the result, little-endian
 * @key: the key
 * @parts: of what
 * @nr: how many
 */
void hash_sip(uint8_t out[8], const uint8_t key[16], const struct part *parts, size_t nr)
{
	mac_of("SIPHASH", out, 8, key, 16, parts, nr);
}

/**
 * auth_public - the public key to a private one
 * @pair: its private key is known
 */
void auth_public(struct auth_pair *pair)
{
	EVP_PKEY *key = EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, NULL, pair->secret,
						     AUTH_KEY);
	size_t len = AUTH_KEY;

	if (!key || !EVP_PKEY_get_raw_public_key(key, pair->public, &len))
		report_die("no X25519");
	EVP_PKEY_free(key);
}

/**
 * auth_pair_random - a new key
 * @pair: the result
 */
void auth_pair_random(struct auth_pair *pair)
{
	if (RAND_bytes(pair->secret, AUTH_KEY) != 1)
		report_die("no random bytes");
	auth_public(pair);
}

/**
 * auth_multiply - X25519
 * @out: the result; zeroes where that is what comes out
 * @secret: a private key
 * @public: a public key
 *
 * Return: whether an honest side goes on with that result.
 */
bool auth_multiply(uint8_t out[AUTH_KEY], const uint8_t secret[AUTH_KEY],
		   const uint8_t public[AUTH_KEY])
{
	EVP_PKEY *own = EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, NULL, secret, AUTH_KEY);
	EVP_PKEY *peer = EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, NULL, public, AUTH_KEY);
	EVP_PKEY_CTX *ctx = own ? EVP_PKEY_CTX_new(own, NULL) : NULL;
	size_t len = AUTH_KEY;
	bool good;

	if (!ctx || !peer || EVP_PKEY_derive_init(ctx) <= 0)
		report_die("no X25519");
	/* OpenSSL refuses a result that is all zero. */
	good = EVP_PKEY_derive_set_peer_ex(ctx, peer, 0) > 0 &&
	       EVP_PKEY_derive(ctx, out, &len) > 0;
	if (!good)
		memset(out, 0, AUTH_KEY);
	EVP_PKEY_CTX_free(ctx);
	EVP_PKEY_free(peer);
	EVP_PKEY_free(own);
	return good;
}

/**
 * auth_key_parse - a key as rblkctl writes it
 * @text: 44 characters of base64
 * @key: the result
 */
bool auth_key_parse(const char *text, uint8_t key[AUTH_KEY])
{
	uint8_t bytes[AUTH_KEY + 1];

	if (strlen(text) != 44 ||
	    EVP_DecodeBlock(bytes, (const unsigned char *)text, 44) != sizeof(bytes))
		return false;
	memcpy(key, bytes, AUTH_KEY);
	return true;
}

/**
 * auth_key_text - a key as rblkctl writes it
 * @text: the result
 * @key: the key
 */
void auth_key_text(char text[48], const uint8_t key[AUTH_KEY])
{
	EVP_EncodeBlock((unsigned char *)text, key, AUTH_KEY);
}

/**
 * auth_key_read - a key out of a file
 * @path: of a file like /etc/rblk/key
 * @key: the result
 */
bool auth_key_read(const char *path, uint8_t key[AUTH_KEY])
{
	FILE *f = fopen(path, "r");
	char line[64] = "";
	bool got;

	if (!f)
		return false;
	got = fgets(line, sizeof(line), f);
	fclose(f);
	line[strcspn(line, "\n")] = 0;
	return got && auth_key_parse(line, key);
}
