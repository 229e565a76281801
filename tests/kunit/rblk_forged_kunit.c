// SPDX-License-Identifier: GPL-2.0-only
/*
 * Handshakes with somebody who is not the other side.
 */
#include "../../auth/hash.h"
#include "handshake.h"

/* The host notices, before it has shown anything. */
static void expect_host_refuses(struct kunit *test, struct run *r)
{
	KUNIT_ASSERT_EQ(test, step_hello(r), 0);
	KUNIT_ASSERT_EQ(test, step_answer(r), 0);
	KUNIT_EXPECT_EQ(test, step_prove(r), -EKEYREJECTED);
	expect_over(test, &r->h);
}

static void other_target(struct kunit *test)
{
	struct run *r = prepare(test);

	r->expects[0] ^= 1;
	expect_host_refuses(test, r);
	/* One that says the right key, but has not got it. */
	r->expects[0] ^= 1;
	r->target.private[5] ^= 1;
	expect_host_refuses(test, r);
}

static void other_host(struct kunit *test)
{
	struct run *r = prepare(test);

	/* It says a key that it has not got, and so cannot even read the answer. */
	r->host.private[5] ^= 1;
	expect_host_refuses(test, r);
	/* So it guesses. */
	memcpy(&r->login2, vector_login2, sizeof(r->login2));
	KUNIT_ASSERT_EQ(test, step_answer(r), 0);
	memset(r->login2.auth, 0, sizeof(r->login2.auth));
	KUNIT_EXPECT_EQ(test, step_check(r), -EKEYREJECTED);
	expect_over(test, &r->t);
}

static void other_psk(struct kunit *test)
{
	static const u8 close[RBLK_AUTH_PSK_LEN] = { 1 };
	struct run *r = prepare(test);

	r->host_psk = vector_psk;
	expect_host_refuses(test, r);
	r->target_psk = close;
	expect_host_refuses(test, r);
	r->host_psk = NULL;
	expect_host_refuses(test, r);
}

static void low_order_host(struct kunit *test)
{
	struct run *r = prepare(test);
	struct rblk_wire_auth_hello *hello = (struct rblk_wire_auth_hello *)r->login1.auth;

	KUNIT_ASSERT_EQ(test, step_hello(r), 0);
	memset(hello->ephemeral, 0, sizeof(hello->ephemeral));
	KUNIT_EXPECT_EQ(test, step_answer(r), -EKEYREJECTED);
	expect_over(test, &r->t);
	KUNIT_ASSERT_EQ(test, step_hello(r), 0);
	memset(hello->key, 0, sizeof(hello->key));
	hello->key[0] = 1;
	KUNIT_EXPECT_EQ(test, step_answer(r), -EKEYREJECTED);
	expect_over(test, &r->t);
}

/* All products are zero, so anybody can make the key and the proof. */
static void low_order_target(struct kunit *test)
{
	struct run *r = prepare(test);
	struct rblk_wire_auth_answer *answer = (struct rblk_wire_auth_answer *)r->reply.auth;
	u8 zero[96] = {}, key[32], hash[32];
	struct blake2s_ctx ctx;

	memset(r->expects, 0, sizeof(r->expects));
	KUNIT_ASSERT_EQ(test, step_hello(r), 0);
	memset(&r->reply.auth, 0, sizeof(r->reply.auth));
	r->reply.ctl.status = cpu_to_le16(RBLK_CTL_AUTH_CONTINUE);
	r->reply.auth_len = cpu_to_le16(sizeof(*answer));
	auth_hash_begin(&ctx, NULL, NULL);
	blake2s_update(&ctx, r->h.hash, sizeof(r->h.hash));
	blake2s_update(&ctx, (u8 *)&r->reply, sizeof(r->reply));
	auth_hash_end(&ctx, hash);
	auth_hash_begin(&ctx, zero, NULL);
	blake2s_update(&ctx, zero, sizeof(zero));
	blake2s_update(&ctx, hash, sizeof(hash));
	auth_hash_end(&ctx, key);
	auth_hash_begin(&ctx, key, "target");
	blake2s_update(&ctx, hash, sizeof(hash));
	auth_hash_end(&ctx, hash);
	memcpy(answer->tag, hash, sizeof(answer->tag));
	KUNIT_EXPECT_EQ(test, step_prove(r), -EKEYREJECTED);
}

/* The same machine is host and target, and hears itself. */
static void reflected(struct kunit *test)
{
	struct run *r = prepare(test);
	struct rblk_wire_auth_answer *answer = (struct rblk_wire_auth_answer *)r->reply.auth;

	memcpy(r->expects, r->host.public, sizeof(r->expects));
	KUNIT_ASSERT_EQ(test, step_hello(r), 0);
	memcpy(r->reply.auth, r->login1.auth, sizeof(r->reply.auth));
	r->reply.ctl.status = cpu_to_le16(RBLK_CTL_AUTH_CONTINUE);
	r->reply.auth_len = cpu_to_le16(sizeof(*answer));
	KUNIT_EXPECT_EQ(test, step_prove(r), -EKEYREJECTED);
	r->target = r->host;
	KUNIT_ASSERT_EQ(test, all_steps(r), 0);
	KUNIT_ASSERT_EQ(test, step_answer(r), 0);
	memcpy(r->login2.auth, answer->tag, sizeof(answer->tag));
	KUNIT_EXPECT_EQ(test, step_check(r), -EKEYREJECTED);
}

static void replayed(struct kunit *test)
{
	struct run *r = prepare(test);

	/* To a target that draws another key. */
	KUNIT_ASSERT_EQ(test, all_steps(r), 0);
	rblk_auth_target_init(&r->t, &r->target, &r->target_sees);
	KUNIT_EXPECT_EQ(test, rblk_auth_target_hello(&r->t, &r->login1, sizeof(r->login1)), 0);
	KUNIT_EXPECT_EQ(test, rblk_auth_target_answer_random(&r->t, NULL, &r->reply), 0);
	KUNIT_EXPECT_EQ(test, step_check(r), -EKEYREJECTED);
	/* To a host that draws another key. */
	KUNIT_ASSERT_EQ(test, all_steps(r), 0);
	rblk_auth_host_init(&r->h, &r->host, &r->host_sees);
	KUNIT_EXPECT_EQ(test, rblk_auth_host_hello_random(&r->h, &r->login1), 0);
	KUNIT_EXPECT_EQ(test, step_prove(r), -EKEYREJECTED);
	/* On a connection that differs in its nonce only, from a target that does not draw. */
	KUNIT_ASSERT_EQ(test, all_steps(r), 0);
	r->target_sees.rep.nonce[0] ^= 1;
	KUNIT_EXPECT_EQ(test, step_answer(r), 0);
	KUNIT_EXPECT_EQ(test, step_check(r), -EKEYREJECTED);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(other_target),
	KUNIT_CASE(other_host),
	KUNIT_CASE(other_psk),
	KUNIT_CASE(low_order_host),
	KUNIT_CASE(low_order_target),
	KUNIT_CASE(reflected),
	KUNIT_CASE(replayed),
	{}
};

static struct kunit_suite suite = {
	.name = "rblk_forged",
	.test_cases = cases,
};

kunit_test_suite(suite);

MODULE_DESCRIPTION("KUnit: handshakes with somebody else");
MODULE_LICENSE("GPL");
