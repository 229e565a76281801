// SPDX-License-Identifier: GPL-2.0-only
/*
 * The handshake: both sides against each other and against an independent
 * implementation; every bit counts, and so does the order.
 */
#include "../../auth/auth.h"
#include "handshake.h"

static void expect_agreed(struct kunit *test, struct run *r, const u8 *secret)
{
	u8 host[RBLK_AUTH_SECRET_LEN], target[RBLK_AUTH_SECRET_LEN];

	KUNIT_ASSERT_EQ(test, all_steps(r), 0);
	KUNIT_EXPECT_EQ(test, rblk_auth_take(&r->h, host), 0);
	KUNIT_EXPECT_EQ(test, rblk_auth_take(&r->t, target), 0);
	KUNIT_EXPECT_MEMEQ(test, host, target, sizeof(host));
	KUNIT_EXPECT_MEMEQ(test, host, secret, sizeof(host));
	expect_over(test, &r->h);
	expect_over(test, &r->t);
	/* Only once. */
	KUNIT_EXPECT_EQ(test, rblk_auth_take(&r->h, host), -EPROTO);
	KUNIT_EXPECT_NULL(test, memchr_inv(host, 0, sizeof(host)));
}

static void known_answer(struct kunit *test)
{
	struct run *r = prepare(test);

	expect_agreed(test, r, vector_secret);
	KUNIT_EXPECT_MEMEQ(test, r->host.public, vector_host_public, 32);
	KUNIT_EXPECT_MEMEQ(test, r->target.public, vector_target_public, 32);
	KUNIT_EXPECT_MEMEQ(test, &r->login1, vector_login1, sizeof(vector_login1));
	KUNIT_EXPECT_MEMEQ(test, &r->reply, vector_reply, sizeof(vector_reply));
	KUNIT_EXPECT_MEMEQ(test, &r->login2, vector_login2, sizeof(vector_login2));
}

static void known_answer_psk(struct kunit *test)
{
	struct run *r = prepare(test);

	r->host_psk = vector_psk;
	r->target_psk = vector_psk;
	expect_agreed(test, r, vector_psk_secret);
	KUNIT_EXPECT_MEMEQ(test, &r->login1, vector_psk_login1, sizeof(vector_psk_login1));
	KUNIT_EXPECT_MEMEQ(test, &r->reply, vector_psk_reply, sizeof(vector_psk_reply));
	KUNIT_EXPECT_MEMEQ(test, &r->login2, vector_psk_login2, sizeof(vector_psk_login2));
}

static void zero_psk(struct kunit *test)
{
	static const u8 zero[RBLK_AUTH_PSK_LEN];
	struct run *r = prepare(test);

	r->target_psk = zero;
	expect_agreed(test, r, vector_secret);
}

/* The same without anything fixed: nothing comes twice. */
static void drawn(struct kunit *test)
{
	struct run *r = prepare(test);
	u8 host[RBLK_AUTH_SECRET_LEN], target[RBLK_AUTH_SECRET_LEN];

	KUNIT_ASSERT_EQ(test, rblk_auth_pair_random(&r->host), 0);
	KUNIT_EXPECT_NE(test, memcmp(r->host.public, vector_host_public, 32), 0);
	fill_messages(r);
	rblk_auth_host_init(&r->h, &r->host, &r->host_sees);
	KUNIT_ASSERT_EQ(test, rblk_auth_host_hello_random(&r->h, &r->login1), 0);
	rblk_auth_target_init(&r->t, &r->target, &r->target_sees);
	KUNIT_ASSERT_EQ(test, rblk_auth_target_hello(&r->t, &r->login1, sizeof(r->login1)), 0);
	KUNIT_EXPECT_MEMEQ(test, r->t.peer, r->host.public, 32);
	KUNIT_ASSERT_EQ(test, rblk_auth_target_answer_random(&r->t, NULL, &r->reply), 0);
	KUNIT_ASSERT_EQ(test, step_prove(r), 0);
	KUNIT_ASSERT_EQ(test, step_check(r), 0);
	KUNIT_EXPECT_EQ(test, rblk_auth_take(&r->h, host), 0);
	KUNIT_EXPECT_EQ(test, rblk_auth_take(&r->t, target), 0);
	KUNIT_EXPECT_MEMEQ(test, host, target, sizeof(host));
	KUNIT_EXPECT_NE(test, memcmp(host, vector_secret, sizeof(host)), 0);
}

/* ---- Changed on the way ---- */

static void flip(void *bytes, unsigned int bit)
{
	((u8 *)bytes)[bit / 8] ^= 1 << bit % 8;
}

/* The target may take a changed first LOGIN, but the host then finds out. */
static void flipped_login1(struct kunit *test)
{
	struct run *r = prepare(test);
	struct rblk_auth_handshake before;
	unsigned int bit;
	int ret;

	KUNIT_ASSERT_EQ(test, step_hello(r), 0);
	before = r->h;
	for (bit = 0; bit < 8 * sizeof(r->login1); bit++) {
		flip(&r->login1, bit);
		r->h = before;
		ret = step_answer(r) ?: step_prove(r);
		KUNIT_EXPECT_TRUE_MSG(test, ret == -EPROTO || ret == -EKEYREJECTED, "bit %u: %d",
				      bit, ret);
		flip(&r->login1, bit);
	}
	r->h = before;
	KUNIT_EXPECT_EQ(test, step_answer(r) ?: step_prove(r) ?: step_check(r), 0);
}

static void flipped_reply(struct kunit *test)
{
	struct run *r = prepare(test);
	struct rblk_auth_handshake before;
	unsigned int bit;
	int ret;

	KUNIT_ASSERT_EQ(test, step_hello(r) ?: step_answer(r), 0);
	before = r->h;
	for (bit = 0; bit < 8 * sizeof(r->reply); bit++) {
		flip(&r->reply, bit);
		r->h = before;
		ret = step_prove(r);
		KUNIT_EXPECT_TRUE_MSG(test, ret == -EPROTO || ret == -EKEYREJECTED, "bit %u: %d",
				      bit, ret);
		expect_over(test, &r->h);
		flip(&r->reply, bit);
	}
	r->h = before;
	KUNIT_EXPECT_EQ(test, step_prove(r), 0);
}

static void flipped_login2(struct kunit *test)
{
	struct run *r = prepare(test);
	struct rblk_auth_handshake before;
	unsigned int bit;
	int ret;

	KUNIT_ASSERT_EQ(test, step_hello(r) ?: step_answer(r) ?: step_prove(r), 0);
	before = r->t;
	for (bit = 0; bit < 8 * sizeof(r->login2); bit++) {
		flip(&r->login2, bit);
		r->t = before;
		ret = step_check(r);
		KUNIT_EXPECT_TRUE_MSG(test, ret == -EPROTO || ret == -EKEYREJECTED, "bit %u: %d",
				      bit, ret);
		expect_over(test, &r->t);
		flip(&r->login2, bit);
	}
	r->t = before;
	KUNIT_EXPECT_EQ(test, step_check(r), 0);
}

/* What rdma_cm carried, and what else a host and a target can see differently. */
static void flipped_connection(struct kunit *test)
{
	struct run *r = prepare(test);
	struct rblk_auth_handshake before;
	unsigned int bit;

	KUNIT_ASSERT_EQ(test, step_hello(r), 0);
	before = r->h;
	for (bit = 0; bit < 8 * sizeof(r->target_sees); bit++) {
		flip(&r->target_sees, bit);
		r->h = before;
		KUNIT_EXPECT_EQ_MSG(test, step_answer(r) ?: step_prove(r), -EKEYREJECTED,
				    "bit %u", bit);
		flip(&r->target_sees, bit);
	}
}

/* ---- Not in this order ---- */

static void other_login2(struct kunit *test)
{
	struct run *r = prepare(test);

	KUNIT_ASSERT_EQ(test, step_hello(r) ?: step_answer(r), 0);
	KUNIT_ASSERT_EQ(test, rblk_auth_host_check(&r->h, &r->reply, sizeof(r->reply),
						   r->expects, r->host_psk), 0);
	r->h.hello.host_name[0] = 'x';
	KUNIT_ASSERT_EQ(test, rblk_auth_host_prove(&r->h, 2, &r->login2), 0);
	KUNIT_EXPECT_EQ(test, step_check(r), -EPROTO);
}

static void other_length(struct kunit *test)
{
	struct run *r = prepare(test);
	struct rblk_auth_handshake h, t;
	size_t n;

	KUNIT_ASSERT_EQ(test, step_hello(r), 0);
	h = r->h;
	for (n = 0; n < sizeof(r->login1); n++) {
		rblk_auth_target_init(&r->t, &r->target, &r->target_sees);
		KUNIT_EXPECT_EQ(test, rblk_auth_target_hello(&r->t, exact(test, &r->login1, n), n),
				-EPROTO);
	}
	KUNIT_ASSERT_EQ(test, step_answer(r), 0);
	t = r->t;
	for (n = 0; n < sizeof(r->reply); n++) {
		r->h = h;
		KUNIT_EXPECT_EQ(test, rblk_auth_host_check(&r->h, exact(test, &r->reply, n), n,
							   r->expects, r->host_psk),
				-EPROTO);
	}
	r->h = h;
	KUNIT_ASSERT_EQ(test, step_prove(r), 0);
	for (n = 0; n < sizeof(r->login2); n++) {
		r->t = t;
		KUNIT_EXPECT_EQ(test, rblk_auth_target_check(&r->t, exact(test, &r->login2, n), n),
				-EPROTO);
	}
}

/* Step @op on any handshake.  The first three are the host's. */
static int any_step(struct run *r, unsigned int op, struct rblk_auth_handshake *hs)
{
	switch (op) {
	case 0:
		return rblk_auth_host_hello(hs, vector_host_ephemeral, &r->login1);
	case 1:
		return rblk_auth_host_check(hs, &r->reply, sizeof(r->reply), r->expects,
					    r->host_psk);
	case 2:
		return rblk_auth_host_prove(hs, 2, &r->login2);
	case 3:
		return rblk_auth_target_hello(hs, &r->login1, sizeof(r->login1));
	case 4:
		return rblk_auth_target_answer(hs, NULL, vector_target_ephemeral, &r->reply);
	default:
		return rblk_auth_target_check(hs, &r->login2, sizeof(r->login2));
	}
}

/* In each state only one step is right, and only on its side; any other is the end. */
static void wrong_state(struct kunit *test)
{
	static const unsigned int order[] = { 0, 3, 4, 1, 2, 5 };
	struct run *r = prepare(test);
	struct rblk_auth_handshake *hs, copy;
	unsigned int i, op, right;

	fill_messages(r);
	rblk_auth_host_init(&r->h, &r->host, &r->host_sees);
	rblk_auth_target_init(&r->t, &r->target, &r->target_sees);
	for (i = 0; i <= ARRAY_SIZE(order); i++) {
		for (op = 0; op < 12; op++) {
			hs = op < 6 ? &r->h : &r->t;
			right = hs->state - RBLK_AUTH_NEW + (op < 6 ? 0 : 3);
			if (op % 6 == right && hs->state < RBLK_AUTH_PROVEN)
				continue;
			copy = *hs;
			KUNIT_EXPECT_EQ_MSG(test, any_step(r, op % 6, &copy), -EPROTO,
					    "step %u after %u right ones", op, i);
			expect_over(test, &copy);
		}
		if (i < ARRAY_SIZE(order)) {
			hs = order[i] < 3 ? &r->h : &r->t;
			KUNIT_ASSERT_EQ(test, any_step(r, order[i], hs), 0);
		}
	}
	rblk_auth_end(&r->h);
	for (op = 0; op < 6; op++)
		KUNIT_EXPECT_EQ(test, any_step(r, op, &r->h), -EPROTO);
}

static void transitions(struct kunit *test)
{
	static const char * const next[] = {
		/* OVER NEW HELLO ANSWER PROVEN */
		[RBLK_AUTH_OVER]	= ".....",
		[RBLK_AUTH_NEW]		= "x.x..",
		[RBLK_AUTH_HELLO]	= "x..x.",
		[RBLK_AUTH_ANSWER]	= "x...x",
		[RBLK_AUTH_PROVEN]	= "x....",
	};
	unsigned int from, to;

	KUNIT_ASSERT_EQ(test, RBLK_AUTH_NR_STATES, 5);
	for (from = 0; from < 5; from++)
		for (to = 0; to < 5; to++)
			KUNIT_EXPECT_EQ_MSG(test, rblk_auth_may_become(from, to),
					    next[from][to] == 'x', "%u to %u", from, to);
	KUNIT_EXPECT_FALSE(test, rblk_auth_may_become(5, 0));
	KUNIT_EXPECT_FALSE(test, rblk_auth_may_become(1, 34));
	KUNIT_EXPECT_STREQ(test, rblk_auth_state_name(RBLK_AUTH_ANSWER), "answer");
	KUNIT_EXPECT_STREQ(test, rblk_auth_state_name(5), "?");
}

/* Once the key is made, nothing is left of what it was made of. */
static void forgotten(struct kunit *test)
{
	struct run *r = prepare(test);

	r->host_psk = vector_psk;
	r->target_psk = vector_psk;
	KUNIT_ASSERT_EQ(test, step_hello(r) ?: step_answer(r) ?: step_prove(r), 0);
	KUNIT_EXPECT_NULL(test, memchr_inv(&r->t.own, 0, sizeof(r->t.own)));
	KUNIT_EXPECT_NULL(test, memchr_inv(&r->t.ephemeral, 0, sizeof(r->t.ephemeral)));
	KUNIT_EXPECT_NULL(test, memchr_inv(&r->t.psk, 0, sizeof(r->t.psk)));
	KUNIT_EXPECT_NULL(test, memchr_inv(&r->h.own, 0, sizeof(r->h.own)));
	KUNIT_EXPECT_NULL(test, memchr_inv(&r->h.ephemeral, 0, sizeof(r->h.ephemeral)));
	KUNIT_EXPECT_NULL(test, memchr_inv(&r->h.psk, 0, sizeof(r->h.psk)));
	rblk_auth_end(&r->h);
	expect_over(test, &r->h);
}

static void host_ids(struct kunit *test)
{
	u8 id[RBLK_WIRE_UUID_LEN], no[RBLK_WIRE_UUID_LEN] = {};

	rblk_auth_host_id(id, vector_host_public);
	KUNIT_EXPECT_MEMEQ(test, id, vector_host_id, sizeof(id));
	KUNIT_EXPECT_TRUE(test, rblk_auth_is_host_id(id));
	KUNIT_EXPECT_FALSE(test, rblk_auth_is_host_id(no));
	no[6] = 0x80;
	KUNIT_EXPECT_FALSE(test, rblk_auth_is_host_id(no));
	no[8] = 0xbf;
	KUNIT_EXPECT_TRUE(test, rblk_auth_is_host_id(no));
	no[6] = 0x4f;
	KUNIT_EXPECT_FALSE(test, rblk_auth_is_host_id(no));
}

static struct kunit_case cases[] = {
	KUNIT_CASE(known_answer),
	KUNIT_CASE(known_answer_psk),
	KUNIT_CASE(zero_psk),
	KUNIT_CASE(drawn),
	KUNIT_CASE(flipped_login1),
	KUNIT_CASE(flipped_reply),
	KUNIT_CASE(flipped_login2),
	KUNIT_CASE(flipped_connection),
	KUNIT_CASE(other_login2),
	KUNIT_CASE(other_length),
	KUNIT_CASE(wrong_state),
	KUNIT_CASE(transitions),
	KUNIT_CASE(forgotten),
	KUNIT_CASE(host_ids),
	{}
};

static struct kunit_suite suite = {
	.name = "rblk_auth",
	.test_cases = cases,
};

kunit_test_suite(suite);

MODULE_DESCRIPTION("KUnit: the handshake");
MODULE_LICENSE("GPL");
