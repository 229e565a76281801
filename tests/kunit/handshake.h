/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the suites of the handshake share: a host and a target that take it step by step.
 */
#ifndef RBLK_KUNIT_HANDSHAKE_H
#define RBLK_KUNIT_HANDSHAKE_H

#include "../../auth/auth.h"
#include "auth_vectors.h"
#include "message.h"

/**
 * struct run - a host, a target, and what they send each other
 * @host: the host's static key
 * @target: the target's
 * @expects: the key that the host expects of the target
 * @host_psk: the host's pre-shared key, or NULL
 * @target_psk: what the target takes for it
 * @host_sees: the connection, as the host sees it
 * @target_sees: as the target does
 * @h: the host's handshake
 * @t: the target's
 * @login1: the first LOGIN
 * @reply: the LOGIN_REPLY
 * @login2: the second LOGIN
 */
struct run {
	struct rblk_auth_pair host;
	struct rblk_auth_pair target;
	u8 expects[32];
	const u8 *host_psk;
	const u8 *target_psk;
	struct rblk_auth_greeting host_sees;
	struct rblk_auth_greeting target_sees;
	struct rblk_auth_handshake h;
	struct rblk_auth_handshake t;
	struct rblk_wire_login login1;
	struct rblk_wire_login_reply reply;
	struct rblk_wire_login login2;
};

/* The connection and the keys of the vectors. */
static inline struct run *prepare(struct kunit *test)
{
	struct run *r = kunit_kzalloc(test, sizeof(*r), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, r);
	KUNIT_ASSERT_EQ(test, rblk_auth_pair_from(&r->host, vector_host), 0);
	KUNIT_ASSERT_EQ(test, rblk_auth_pair_from(&r->target, vector_target), 0);
	memcpy(r->expects, r->target.public, sizeof(r->expects));
	memcpy(&r->host_sees.req, vector_req, sizeof(r->host_sees.req));
	memcpy(&r->host_sees.rep, vector_rep, sizeof(r->host_sees.rep));
	r->target_sees = r->host_sees;
	return r;
}

/* What the two sides write before auth/ adds its part, and what it must overwrite. */
static inline void fill_messages(struct run *r)
{
	memcpy(&r->login1, vector_login1, sizeof(r->login1));
	r->login1.auth_method = 0xffff;
	r->login1.auth_len = 0xffff;
	memset(r->login1.auth, 0xff, sizeof(r->login1.auth));
	memcpy(&r->reply, vector_reply, sizeof(r->reply));
	r->reply.ctl.status = 0xffff;
	r->reply.auth_len = 0xffff;
	memset(r->reply.auth, 0xff, sizeof(r->reply.auth));
	memset(&r->login2, 0xff, sizeof(r->login2));
}

/* The steps, in order.  Each returns what auth/ says. */
static inline int step_hello(struct run *r)
{
	fill_messages(r);
	rblk_auth_host_init(&r->h, &r->host, &r->host_sees);
	return rblk_auth_host_hello(&r->h, vector_host_ephemeral, &r->login1);
}

static inline int step_answer(struct run *r)
{
	int ret;

	rblk_auth_target_init(&r->t, &r->target, &r->target_sees);
	ret = rblk_auth_target_hello(&r->t, &r->login1, sizeof(r->login1));
	return ret ?: rblk_auth_target_answer(&r->t, r->target_psk, vector_target_ephemeral,
					      &r->reply);
}

static inline int step_prove(struct run *r)
{
	int ret;

	ret = rblk_auth_host_check(&r->h, &r->reply, sizeof(r->reply), r->expects, r->host_psk);
	return ret ?: rblk_auth_host_prove(&r->h, 2, &r->login2);
}

static inline int step_check(struct run *r)
{
	return rblk_auth_target_check(&r->t, &r->login2, sizeof(r->login2));
}

static inline int all_steps(struct run *r)
{
	return step_hello(r) ?: step_answer(r) ?: step_prove(r) ?: step_check(r);
}

static inline void expect_over(struct kunit *test, const struct rblk_auth_handshake *hs)
{
	KUNIT_EXPECT_EQ(test, hs->state, RBLK_AUTH_OVER);
	KUNIT_EXPECT_NULL(test, memchr_inv(hs, 0, sizeof(*hs)));
}

#endif /* RBLK_KUNIT_HANDSHAKE_H */
