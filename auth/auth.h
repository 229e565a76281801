/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Authentication by X25519: the keys of a host and of a target, the handshake by
 * which they prove them to each other, and the MACs of what follows.  Section 12 of
 * docs/protocol.md is the specification.
 *
 * Pure, but for store.c: messages come and go in buffers, and the caller brings what is
 * random.  Only the functions whose names end in _random draw something.  None of them
 * takes a lock or allocates; the caller sees to it that no two of them use the same
 * object at the same time.
 */
#ifndef RBLK_AUTH_H
#define RBLK_AUTH_H

#include <linux/mutex.h>
#include <linux/siphash.h>
#include <linux/types.h>
#include "rblk_ioctl.h"
#include "rblk_wire.h"

#define RBLK_AUTH_PRIVATE_LEN	32
#define RBLK_AUTH_PSK_LEN	32
#define RBLK_AUTH_SECRET_LEN	32
#define RBLK_AUTH_HASH_LEN	32

/**
 * struct rblk_auth_pair - a key of X25519
 * @private: any 32 bytes that nobody can guess
 * @public: the point that belongs to them
 */
struct rblk_auth_pair {
	u8 private[RBLK_AUTH_PRIVATE_LEN];
	u8 public[RBLK_WIRE_KEY_LEN];
};

/**
 * struct rblk_auth_greeting - a connection, as its two sides have agreed on it
 * @req: private data of its request, as sent
 * @rep: private data of its acceptance, as sent
 */
struct rblk_auth_greeting {
	struct rblk_wire_cm_req req;
	struct rblk_wire_cm_rep rep;
};

enum rblk_auth_side {
	RBLK_AUTH_HOST,		/* the initiator */
	RBLK_AUTH_TARGET,
};

/*
 * How far a handshake has come.  Memory that is all zero is one that is over.  Every
 * failure leads to OVER, and with it everything in the object is wiped.
 */
#define RBLK_AUTH_STATE_TABLE(X)					\
	X(RBLK_AUTH_OVER,	"over")					\
	X(RBLK_AUTH_NEW,	"new")					\
	X(RBLK_AUTH_HELLO,	"hello")				\
	X(RBLK_AUTH_ANSWER,	"answer")				\
	X(RBLK_AUTH_PROVEN,	"proven")

enum rblk_auth_state {
#define RBLK_AUTH_STATE_ENUM(name, text) name,
	RBLK_AUTH_STATE_TABLE(RBLK_AUTH_STATE_ENUM)
#undef RBLK_AUTH_STATE_ENUM
	RBLK_AUTH_NR_STATES
};

/**
 * struct rblk_auth_handshake - one attempt to log in, on either side
 * @side: whose
 * @state: how far it has come
 * @own: this side's static key
 * @ephemeral: this side's key for this handshake only; the host's from HELLO on,
 *             the target's only while it makes its answer
 * @peer: the other side's static public key; the host has it from ANSWER on, the
 *        target from HELLO on
 * @peer_ephemeral: the other side's key for this handshake only
 * @psk: the pre-shared key while K is derived, or zeroes
 * @hello: the first LOGIN, which the second one must equal
 * @hash: of all that was sent so far
 * @key: K of the protocol from ANSWER on, and the session's secret in PROVEN
 *
 * Whoever has it in its memory owns it, and ends it by rblk_auth_end(), however it
 * went: that wipes it.
 */
struct rblk_auth_handshake {
	enum rblk_auth_side side;
	enum rblk_auth_state state;
	struct rblk_auth_pair own;
	struct rblk_auth_pair ephemeral;
	u8 peer[RBLK_WIRE_KEY_LEN];
	u8 peer_ephemeral[RBLK_WIRE_KEY_LEN];
	u8 psk[RBLK_AUTH_PSK_LEN];
	struct rblk_wire_login hello;
	u8 hash[RBLK_AUTH_HASH_LEN];
	u8 key[RBLK_AUTH_SECRET_LEN];
};

/* Which way a message goes. */
enum rblk_auth_way {
	RBLK_AUTH_TO_TARGET	= 0,
	RBLK_AUTH_TO_HOST	= 1,
};

/**
 * struct rblk_auth_mac - signs or checks what goes one way on one connection
 * @key: of this connection and this way only
 * @counter: messages that were signed, or found good, so far
 *
 * Messages of one way must be signed in the order in which they are sent, and checked
 * in the order in which they arrive: whatever keeps that order guards this object.
 */
struct rblk_auth_mac {
	siphash_key_t key;
	u64 counter;
};

/**
 * struct rblk_auth_store - the keys of a machine
 * @lock: guards all the rest, for moments
 * @own: its own key; all zeroes: none
 * @psks: secrets that it shares with others, or NULL
 * @nr_psks: how many
 *
 * Static in its module, which wipes it when it goes.
 */
struct rblk_auth_store {
	struct mutex lock;	/* see above */
	struct rblk_auth_pair own;
	struct rblk_ioc_psk *psks;
	u32 nr_psks;
};

#define RBLK_AUTH_STORE(name)							\
	struct rblk_auth_store name = { .lock = __MUTEX_INITIALIZER((name).lock) }

/* store.c */
int rblk_auth_store_set(struct rblk_auth_store *store, struct rblk_ioc_key_set *arg);
int rblk_auth_store_show(struct rblk_auth_store *store, struct rblk_ioc_key_show *arg);
bool rblk_auth_store_own(struct rblk_auth_store *store, struct rblk_auth_pair *own);
void rblk_auth_store_psk(struct rblk_auth_store *store, const u8 peer[RBLK_WIRE_KEY_LEN],
			 u8 psk[RBLK_AUTH_PSK_LEN]);
void rblk_auth_store_wipe(struct rblk_auth_store *store);

/* key.c */
int rblk_auth_pair_from(struct rblk_auth_pair *pair, const u8 private[RBLK_AUTH_PRIVATE_LEN]);
void rblk_auth_pair_wipe(struct rblk_auth_pair *pair);
void rblk_auth_host_id(u8 id[RBLK_WIRE_UUID_LEN], const u8 public[RBLK_WIRE_KEY_LEN]);
bool rblk_auth_is_host_id(const u8 uuid[RBLK_WIRE_UUID_LEN]);

/* handshake.c */
void rblk_auth_host_init(struct rblk_auth_handshake *hs, const struct rblk_auth_pair *own,
			 const struct rblk_auth_greeting *greeting);
int rblk_auth_host_hello(struct rblk_auth_handshake *hs, const u8 private[RBLK_AUTH_PRIVATE_LEN],
			 struct rblk_wire_login *login);
int rblk_auth_host_check(struct rblk_auth_handshake *hs, const void *reply, size_t bytes,
			 const u8 target[RBLK_WIRE_KEY_LEN], const u8 *psk);
int rblk_auth_host_prove(struct rblk_auth_handshake *hs, u32 xid, struct rblk_wire_login *login);

void rblk_auth_target_init(struct rblk_auth_handshake *hs, const struct rblk_auth_pair *own,
			   const struct rblk_auth_greeting *greeting);
int rblk_auth_target_hello(struct rblk_auth_handshake *hs, const void *login, size_t bytes);
int rblk_auth_target_answer(struct rblk_auth_handshake *hs, const u8 *psk,
			    const u8 private[RBLK_AUTH_PRIVATE_LEN],
			    struct rblk_wire_login_reply *reply);
int rblk_auth_target_check(struct rblk_auth_handshake *hs, const void *login, size_t bytes);

int rblk_auth_take(struct rblk_auth_handshake *hs, u8 secret[RBLK_AUTH_SECRET_LEN]);
void rblk_auth_end(struct rblk_auth_handshake *hs);

bool rblk_auth_may_become(enum rblk_auth_state from, enum rblk_auth_state to);
const char *rblk_auth_state_name(enum rblk_auth_state state);

/* mac.c */
void rblk_auth_mac_init(struct rblk_auth_mac *mac, const u8 secret[RBLK_AUTH_SECRET_LEN],
			enum rblk_auth_way way, const struct rblk_auth_greeting *greeting);
void rblk_auth_mac_wipe(struct rblk_auth_mac *mac);
void rblk_auth_sign(struct rblk_auth_mac *mac, void *msg, size_t bytes);
int rblk_auth_check(struct rblk_auth_mac *mac, void *msg, size_t bytes);

/* random.c */
int rblk_auth_pair_random(struct rblk_auth_pair *pair);
int rblk_auth_host_hello_random(struct rblk_auth_handshake *hs, struct rblk_wire_login *login);
int rblk_auth_target_answer_random(struct rblk_auth_handshake *hs, const u8 *psk,
				   struct rblk_wire_login_reply *reply);

#endif /* RBLK_AUTH_H */
