/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Keys, handshakes and MACs of docs/protocol.md, section 12, written from its text
 * alone, with OpenSSL's primitives.  Nothing here refuses anything by itself: a hostile
 * peer goes on where an honest one stops.
 */
#ifndef RBLK_HOSTILE_AUTH_H
#define RBLK_HOSTILE_AUTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "rblk_wire.h"

#define AUTH_KEY	32
#define AUTH_TAG	16
#define AUTH_MAC	8
#define LOW_POINTS	14
#define AUTH_LAST	512
#define AUTH_TO_TARGET	0
#define AUTH_TO_HOST	1

/**
 * struct auth_pair - an X25519 key
 * @secret: the private key
 * @public: the public key to it, or whatever is to be shown in its place
 */
struct auth_pair {
	uint8_t secret[AUTH_KEY];
	uint8_t public[AUTH_KEY];
};

/**
 * struct auth - a handshake, as one side has it
 * @own: its static key
 * @ephemeral: its key for this handshake only
 * @peer: the static public key of the other side
 * @peer_ephemeral: its ephemeral one
 * @psk: what both share, or zeroes
 * @h: h0 to h3, the last one known
 * @k: K
 * @secret: M
 * @low: what we show as our ephemeral key is a point of low order
 */
struct auth {
	struct auth_pair own;
	struct auth_pair ephemeral;
	uint8_t peer[AUTH_KEY];
	uint8_t peer_ephemeral[AUTH_KEY];
	uint8_t psk[AUTH_KEY];
	uint8_t h[AUTH_KEY];
	uint8_t k[AUTH_KEY];
	uint8_t secret[AUTH_KEY];
	bool low;
};

/**
 * struct auth_mac - the MACs of one direction of a connection
 * @key: of SipHash
 * @counter: of the next message
 */
struct auth_mac {
	uint8_t key[16];
	uint64_t counter;
};

/**
 * struct auth_link - the MACs of a connection
 * @req: its request
 * @rep: its acceptance
 * @tx: of what we send
 * @rx: of what we get
 * @sends: what we send has MACs
 * @receives: what we get must have them
 * @bad: something that we got had a wrong one
 * @last: the beginning of the last message that we got, with its MAC
 * @last_len: bytes there
 */
struct auth_link {
	struct rblk_wire_cm_req req;
	struct rblk_wire_cm_rep rep;
	struct auth_mac tx;
	struct auth_mac rx;
	bool sends;
	bool receives;
	bool bad;
	uint8_t last[AUTH_LAST];
	size_t last_len;
};

/* keys */
void auth_public(struct auth_pair *pair);
void auth_pair_random(struct auth_pair *pair);
bool auth_multiply(uint8_t out[AUTH_KEY], const uint8_t secret[AUTH_KEY],
		   const uint8_t public[AUTH_KEY]);
bool auth_key_read(const char *path, uint8_t key[AUTH_KEY]);
bool auth_key_parse(const char *text, uint8_t key[AUTH_KEY]);
void auth_key_text(char text[48], const uint8_t key[AUTH_KEY]);
void low_point_get(uint8_t point[AUTH_KEY], unsigned int n);
void auth_host_id(uint8_t id[16], const uint8_t public[AUTH_KEY]);

/* the handshake, of both sides */
void auth_begin(struct auth *a, const struct rblk_wire_cm_req *req,
		const struct rblk_wire_cm_rep *rep);
void auth_begin_with(struct auth *a, const struct rblk_wire_cm_req *req,
		     const struct rblk_wire_cm_rep *rep);
void auth_host_hello(struct auth *a, struct rblk_wire_login *msg);
void auth_host_heard(struct auth *a, const struct rblk_wire_login *msg);
bool auth_host_check(struct auth *a, const struct rblk_wire_login_reply *msg);
void auth_host_proof(struct auth *a, struct rblk_wire_login *msg);
void auth_target_hello(struct auth *a, const struct rblk_wire_login *msg);
void auth_target_answer(struct auth *a, struct rblk_wire_login_reply *msg);
bool auth_target_check(struct auth *a, const struct rblk_wire_login *msg);

/* MACs */
void auth_mac_init(struct auth_mac *mac, const uint8_t secret[AUTH_KEY], uint32_t direction,
		   const struct rblk_wire_cm_req *req, const struct rblk_wire_cm_rep *rep);
size_t auth_mac_at(const void *msg, size_t len);
void auth_mac_of(const struct auth_mac *mac, const void *msg, size_t len,
		 uint64_t counter, uint8_t out[AUTH_MAC]);
size_t auth_sign(struct auth_mac *mac, void *msg, size_t len);
bool auth_check(struct auth_mac *mac, void *msg, size_t *len);

#endif
