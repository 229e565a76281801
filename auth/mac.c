// SPDX-License-Identifier: GPL-2.0-only
/*
 * The MACs of a connection: SipHash-2-4 under a key for each connection and way.  A
 * counter that both sides keep says which message of that way it is.  It is hashed in
 * the place where the MAC goes, so that siphash() sees one buffer and nothing is copied.
 */
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <asm/byteorder.h>
#include "hash.h"

/* A header, and the MAC. */
#define RBLK_AUTH_LEAST		(sizeof(struct rblk_wire_hdr) + RBLK_WIRE_MAC_LEN)

/**
 * rblk_auth_mac_init() - derive the key of one way of a connection
 * @mac: filled in; its counter is 0
 * @secret: the secret of the session's epoch: rblk_auth_take()
 * @way: which way the messages go
 * @greeting: the connection's
 *
 * Each connection has another nonce, so no key is derived twice, and the counter may
 * begin at 0.
 *
 * Context: any.
 */
void rblk_auth_mac_init(struct rblk_auth_mac *mac, const u8 secret[RBLK_AUTH_SECRET_LEN],
			enum rblk_auth_way way, const struct rblk_auth_greeting *greeting)
{
	__le32 numbers[] = {
		cpu_to_le32(le16_to_cpu(greeting->req.qid)), cpu_to_le32(way),
	};
	u8 hash[RBLK_AUTH_HASH_LEN];
	struct blake2s_ctx ctx;
	__le64 half[2];

	auth_hash_begin(&ctx, NULL, "rblkconn");
	auth_hash_greeting(&ctx, greeting);
	auth_hash_end(&ctx, hash);
	auth_hash_begin(&ctx, secret, "mac");
	blake2s_update(&ctx, (const u8 *)numbers, sizeof(numbers));
	blake2s_update(&ctx, hash, sizeof(hash));
	auth_hash_end(&ctx, hash);
	memcpy(half, hash, sizeof(half));
	mac->key.key[0] = le64_to_cpu(half[0]);
	mac->key.key[1] = le64_to_cpu(half[1]);
	mac->counter = 0;
	memzero_explicit(half, sizeof(half));
	memzero_explicit(hash, sizeof(hash));
}
EXPORT_SYMBOL_GPL(rblk_auth_mac_init);

/**
 * rblk_auth_mac_wipe() - forget a key
 * @mac: all zero afterwards
 *
 * Context: any.
 */
void rblk_auth_mac_wipe(struct rblk_auth_mac *mac)
{
	memzero_explicit(mac, sizeof(*mac));
}
EXPORT_SYMBOL_GPL(rblk_auth_mac_wipe);

/* The MAC of a message; leaves the counter in its place. */
static __le64 mac_compute(const struct rblk_auth_mac *mac, void *msg, size_t bytes)
{
	__le64 counter = cpu_to_le64(mac->counter);

	memcpy(msg + bytes - RBLK_WIRE_MAC_LEN, &counter, RBLK_WIRE_MAC_LEN);
	return cpu_to_le64(siphash(msg, bytes, &mac->key));
}

/**
 * rblk_auth_sign() - put the MAC into the next message of this way
 * @mac: of this connection and way
 * @msg: the message, complete but for its last 8 bytes
 * @bytes: of the message with the MAC, 16 or more.  With inline data, all before that:
 *         RBLK_WIRE_DATA_OFFSET
 *
 * Context: any; see struct rblk_auth_mac.
 */
void rblk_auth_sign(struct rblk_auth_mac *mac, void *msg, size_t bytes)
{
	__le64 code = mac_compute(mac, msg, bytes);

	memcpy(msg + bytes - RBLK_WIRE_MAC_LEN, &code, sizeof(code));
	mac->counter++;
}
EXPORT_SYMBOL_GPL(rblk_auth_sign);

/**
 * rblk_auth_check() - check the MAC of the next message of this way
 * @mac: of this connection and way
 * @msg: the message; it is written to, but the same in the end
 * @bytes: as in rblk_auth_sign(); any number
 *
 * Context: any; see struct rblk_auth_mac.
 * Return: 0, or -EBADMSG if the peer has not sent this message as its next one: then
 *         the connection has to end.
 */
int rblk_auth_check(struct rblk_auth_mac *mac, void *msg, size_t bytes)
{
	__le64 code, came;
	bool differs;

	if (bytes < RBLK_AUTH_LEAST)
		return -EBADMSG;
	memcpy(&came, msg + bytes - RBLK_WIRE_MAC_LEN, sizeof(came));
	code = mac_compute(mac, msg, bytes);
	memcpy(msg + bytes - RBLK_WIRE_MAC_LEN, &came, sizeof(came));
	differs = crypto_memneq(&code, &came, sizeof(code));
	/* It would tell a forger how to sign this message. */
	memzero_explicit(&code, sizeof(code));
	if (differs)
		return -EBADMSG;
	mac->counter++;
	return 0;
}
EXPORT_SYMBOL_GPL(rblk_auth_check);
