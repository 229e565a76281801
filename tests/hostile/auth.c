// SPDX-License-Identifier: GPL-2.0-only
#include <endian.h>
#include <stdio.h>
#include <string.h>
#include "auth.h"
#include "auth_hash.h"
#include "report.h"

static const uint8_t zeroes[AUTH_KEY];

/* A label: the word, padded to 8 bytes. */
static struct part label(const char *word)
{
	static char labels[8][8];
	static unsigned int turn;
	char *to = labels[turn++ % ARRAY_SIZE(labels)];

	memset(to, 0, 8);
	memcpy(to, word, strlen(word));
	return (struct part){ to, 8 };
}

/* h = H(h, message) */
static void absorb(struct auth *a, const void *msg, size_t len)
{
	const struct part parts[] = { { a->h, AUTH_KEY }, { msg, len } };

	hash_plain(a->h, parts, 2);
}

/* T(K; word, h), or with AUTH_KEY bytes the whole. */
static void derive(const struct auth *a, const char *word, uint8_t *out, size_t bytes)
{
	const struct part parts[] = { label(word), { a->h, AUTH_KEY } };
	uint8_t whole[AUTH_KEY];

	hash_keyed(whole, a->k, parts, 2);
	memcpy(out, whole, bytes);
}

/**
 * auth_host_id - the UUID by which a target knows a host of that key
 * @id: the result
 * @public: the host's static public key
 */
void auth_host_id(uint8_t id[16], const uint8_t public[AUTH_KEY])
{
	const struct part parts[] = { label("rblkhost"), { public, AUTH_KEY } };
	uint8_t whole[AUTH_KEY];

	hash_plain(whole, parts, 2);
	memcpy(id, whole, 16);
	id[6] = (id[6] & 0x0f) | 0x80;
	id[8] = (id[8] & 0x3f) | 0x80;
}

/**
 * auth_begin - begin a handshake
 * @a: with its own key, PSK and, on a host, the peer's; gets an ephemeral key
 * @req: the connection's request
 * @rep: its acceptance
 */
void auth_begin(struct auth *a, const struct rblk_wire_cm_req *req,
		const struct rblk_wire_cm_rep *rep)
{
	auth_pair_random(&a->ephemeral);
	auth_begin_with(a, req, rep);
}

/**
 * auth_begin_with - the same with an ephemeral key that is there
 * @a: with that as well
 * @req: the connection's request
 * @rep: its acceptance
 */
void auth_begin_with(struct auth *a, const struct rblk_wire_cm_req *req,
		     const struct rblk_wire_cm_rep *rep)
{
	const struct part parts[] = {
		label("rblkauth"), { req, sizeof(*req) }, { rep, sizeof(*rep) },
	};

	hash_plain(a->h, parts, 3);
}

/**
 * auth_host_hello - make LOGIN the first of a handshake
 * @a: begun
 * @msg: complete but for what belongs to the handshake
 */
void auth_host_hello(struct auth *a, struct rblk_wire_login *msg)
{
	msg->auth_method = htole16(RBLK_AUTH_X25519);
	msg->auth_len = htole16(2 * AUTH_KEY);
	memset(msg->auth, 0, sizeof(msg->auth));
	memcpy(msg->auth, a->ephemeral.public, AUTH_KEY);
	memcpy(msg->auth + AUTH_KEY, a->own.public, AUTH_KEY);
	auth_host_heard(a, msg);
}

/**
 * auth_host_heard - take a first LOGIN as it is sent
 * @a: begun
 * @msg: the first LOGIN
 */
void auth_host_heard(struct auth *a, const struct rblk_wire_login *msg)
{
	absorb(a, msg, sizeof(*msg));
}

/*
 * K, of the three products. A point of low order in place of our ephemeral key makes those
 * of it zero on the other side: who shows one knows that much.
 */
static bool mix(struct auth *a, bool host)
{
	const uint8_t *own_s = a->own.secret, *own_e = a->ephemeral.secret;
	uint8_t x[3][AUTH_KEY];
	const struct part parts[] = { { x, sizeof(x) }, { a->h, AUTH_KEY } };
	bool good;

	/* X(E_h, E_t), X(E_h, S_t), X(S_h, E_t) */
	good = auth_multiply(x[0], own_e, a->peer_ephemeral);
	good &= auth_multiply(x[1], host ? own_e : own_s,
			      host ? a->peer : a->peer_ephemeral);
	good &= auth_multiply(x[2], host ? own_s : own_e,
			      host ? a->peer_ephemeral : a->peer);
	if (a->low) {
		memset(x[0], 0, AUTH_KEY);
		memset(x[host ? 1 : 2], 0, AUTH_KEY);
	}
	hash_keyed(a->k, a->psk, parts, 2);
	return good;
}

/**
 * auth_host_check - take the target's answer to the first LOGIN
 * @a: after auth_host_hello()
 * @msg: the answer, with AUTH_CONTINUE
 *
 * Return: whether the target has proved that it has the key @a->peer.
 */
bool auth_host_check(struct auth *a, const struct rblk_wire_login_reply *msg)
{
	struct rblk_wire_login_reply copy = *msg;
	uint8_t tag[AUTH_TAG];
	bool good;

	memcpy(a->peer_ephemeral, msg->auth, AUTH_KEY);
	memset(copy.auth + 2 * AUTH_KEY, 0, AUTH_TAG);
	absorb(a, &copy, sizeof(copy));
	good = mix(a, true);
	derive(a, "target", tag, sizeof(tag));
	return good && le16toh(msg->auth_len) == 2 * AUTH_KEY + AUTH_TAG &&
	       !memcmp(msg->auth + AUTH_KEY, a->peer, AUTH_KEY) &&
	       !memcmp(msg->auth + 2 * AUTH_KEY, tag, sizeof(tag)) &&
	       !memcmp(msg->auth + 2 * AUTH_KEY + AUTH_TAG, zeroes, AUTH_KEY);
}

/**
 * auth_host_proof - make LOGIN the second of a handshake
 * @a: after auth_host_check(); has the epoch's secret afterwards
 * @msg: the first LOGIN, with another xid
 */
void auth_host_proof(struct auth *a, struct rblk_wire_login *msg)
{
	msg->auth_len = htole16(AUTH_TAG);
	memset(msg->auth, 0, sizeof(msg->auth));
	absorb(a, msg, sizeof(*msg));
	derive(a, "host", msg->auth, AUTH_TAG);
	derive(a, "session", a->secret, AUTH_KEY);
}

/**
 * auth_target_hello - take a host's first LOGIN
 * @a: begun
 * @msg: that LOGIN
 */
void auth_target_hello(struct auth *a, const struct rblk_wire_login *msg)
{
	memcpy(a->peer_ephemeral, msg->auth, AUTH_KEY);
	memcpy(a->peer, msg->auth + AUTH_KEY, AUTH_KEY);
	absorb(a, msg, sizeof(*msg));
}

/**
 * auth_target_answer - prove the target's key
 * @a: after auth_target_hello()
 * @msg: an answer to LOGIN, complete but for what belongs to the handshake
 */
void auth_target_answer(struct auth *a, struct rblk_wire_login_reply *msg)
{
	msg->ctl.status = htole16(RBLK_CTL_AUTH_CONTINUE);
	msg->key = 0;
	msg->auth_len = htole16(2 * AUTH_KEY + AUTH_TAG);
	memset(msg->auth, 0, sizeof(msg->auth));
	memcpy(msg->auth, a->ephemeral.public, AUTH_KEY);
	memcpy(msg->auth + AUTH_KEY, a->own.public, AUTH_KEY);
	absorb(a, msg, sizeof(*msg));
	mix(a, false);
	derive(a, "target", msg->auth + 2 * AUTH_KEY, AUTH_TAG);
}

/**
 * auth_target_check - take a host's second LOGIN
 * @a: after auth_target_answer(); has the epoch's secret afterwards
 * @msg: that LOGIN
 *
 * Return: whether the host has proved its key.
 */
bool auth_target_check(struct auth *a, const struct rblk_wire_login *msg)
{
	struct rblk_wire_login copy = *msg;
	uint8_t tag[AUTH_TAG];

	memset(copy.auth, 0, AUTH_TAG);
	absorb(a, &copy, sizeof(copy));
	derive(a, "host", tag, sizeof(tag));
	derive(a, "session", a->secret, AUTH_KEY);
	return le16toh(msg->auth_len) == AUTH_TAG && !memcmp(msg->auth, tag, sizeof(tag));
}

/**
 * auth_mac_init - MACs of a connection and direction, from the first
 * @mac: the result
 * @secret: of the epoch
 * @direction: AUTH_TO_TARGET or AUTH_TO_HOST
 * @req: the connection's request
 * @rep: its acceptance
 */
void auth_mac_init(struct auth_mac *mac, const uint8_t secret[AUTH_KEY], uint32_t direction,
		   const struct rblk_wire_cm_req *req, const struct rblk_wire_cm_rep *rep)
{
	uint8_t both[AUTH_KEY], whole[AUTH_KEY];
	uint32_t qid = htole32(le16toh(req->qid)), dir = htole32(direction);
	const struct part conn[] = {
		label("rblkconn"), { req, sizeof(*req) }, { rep, sizeof(*rep) },
	};
	const struct part parts[] = {
		label("mac"), { &qid, 4 }, { &dir, 4 }, { both, sizeof(both) },
	};

	hash_plain(both, conn, 3);
	hash_keyed(whole, secret, parts, 4);
	memcpy(mac->key, whole, sizeof(mac->key));
	mac->counter = 0;
}

/**
 * auth_mac_at - where a message that has a MAC has it
 * @msg: the message
 * @len: bytes of it
 */
size_t auth_mac_at(const void *msg, size_t len)
{
	const struct rblk_wire_hdr *hdr = msg;

	return (le16toh(hdr->flags) & RBLK_HDRF_DATA ? RBLK_WIRE_DATA_OFFSET : len) - AUTH_MAC;
}

/**
 * auth_mac_of - the MAC of a message
 * @mac: of its connection and direction
 * @msg: the message
 * @len: bytes before the MAC
 * @counter: which message it is
 * @out: the result
 */
void auth_mac_of(const struct auth_mac *mac, const void *msg, size_t len,
		 uint64_t counter, uint8_t out[AUTH_MAC])
{
	uint64_t number = htole64(counter);
	const struct part parts[] = { { msg, len }, { &number, sizeof(number) } };

	hash_sip(out, mac->key, parts, 2);
}

/**
 * auth_sign - give a message its MAC
 * @mac: of its connection and direction; counts
 * @msg: the message, with room for a MAC at the end
 * @len: bytes of it without
 *
 * Return: bytes of it with its MAC.
 */
size_t auth_sign(struct auth_mac *mac, void *msg, size_t len)
{
	struct rblk_wire_hdr *hdr = msg;
	size_t at;

	if (!(le16toh(hdr->flags) & RBLK_HDRF_DATA)) {
		len += AUTH_MAC;
		hdr->length = htole32(le32toh(hdr->length) + AUTH_MAC);
	}
	at = auth_mac_at(msg, len);
	auth_mac_of(mac, msg, at, mac->counter++, msg + at);
	return len;
}

/**
 * auth_check - check the MAC of a message, and take it away whatever it is
 * @mac: of its connection and direction; counts
 * @msg: the message
 * @len: bytes of it; afterwards what it would have been without a MAC
 */
bool auth_check(struct auth_mac *mac, void *msg, size_t *len)
{
	struct rblk_wire_hdr *hdr = msg;
	uint8_t wanted[AUTH_MAC];
	size_t at;
	bool good;

	if (*len < sizeof(*hdr) + AUTH_MAC || le32toh(hdr->length) != *len)
		return false;
	at = auth_mac_at(msg, *len);
	if (at + AUTH_MAC > *len)
		return false;
	auth_mac_of(mac, msg, at, mac->counter++, wanted);
	good = !memcmp(msg + at, wanted, AUTH_MAC);
	memset(msg + at, 0, AUTH_MAC);
	if (!(le16toh(hdr->flags) & RBLK_HDRF_DATA)) {
		*len = at;
		hdr->length = htole32(at);
	}
	return good;
}
