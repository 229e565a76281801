// SPDX-License-Identifier: GPL-2.0-only
/*
 * The MACs of messages: against an independent implementation, and against whoever
 * changes, repeats, drops or redirects a message.
 */
#include "../../auth/auth.h"
#include "auth_vectors.h"
#include "message.h"

/* A command with inline data, to which the MAC does not extend, or a response. */
#define SIGNED		64
#define LONGEST		RBLK_WIRE_CTRL_MAX

static struct rblk_auth_greeting io_greeting(void)
{
	struct rblk_auth_greeting greeting;

	memcpy(&greeting.req, vector_io_req, sizeof(greeting.req));
	memcpy(&greeting.rep, vector_io_rep, sizeof(greeting.rep));
	return greeting;
}

static struct rblk_auth_mac mac(enum rblk_auth_way way)
{
	const struct rblk_auth_greeting greeting = io_greeting();
	struct rblk_auth_mac mac;

	rblk_auth_mac_init(&mac, vector_psk_secret, way, &greeting);
	return mac;
}

/* A message without its MAC, in an allocation of its size. */
static u8 *unsigned_message(struct kunit *test, size_t bytes)
{
	u8 *msg = kunit_kmalloc(test, bytes, GFP_KERNEL);
	size_t i;

	KUNIT_ASSERT_NOT_NULL(test, msg);
	for (i = 0; i < bytes; i++)
		msg[i] = i * 7 + i / 256;
	return msg;
}

static void expect_signed(struct kunit *test, enum rblk_auth_way way, const u8 *first,
			  const u8 *second)
{
	const u8 *const want[] = { first, second };
	struct rblk_auth_mac sender = mac(way), receiver = mac(way);
	u8 *msg = kunit_kmalloc(test, SIGNED, GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, msg);
	for (i = 0; i < ARRAY_SIZE(want); i++) {
		memcpy(msg, want[i], SIGNED);
		memset(msg + SIGNED - RBLK_WIRE_MAC_LEN, 0xee, RBLK_WIRE_MAC_LEN);
		rblk_auth_sign(&sender, msg, SIGNED);
		KUNIT_EXPECT_MEMEQ(test, msg, want[i], SIGNED);
		KUNIT_EXPECT_EQ(test, rblk_auth_check(&receiver, msg, SIGNED), 0);
		/* Nothing is left of the counter that was in the MAC's place. */
		KUNIT_EXPECT_MEMEQ(test, msg, want[i], SIGNED);
	}
	KUNIT_EXPECT_EQ(test, sender.counter, 2);
	KUNIT_EXPECT_EQ(test, receiver.counter, 2);
}

static void known_answer(struct kunit *test)
{
	expect_signed(test, RBLK_AUTH_TO_TARGET, vector_command0, vector_command1);
	expect_signed(test, RBLK_AUTH_TO_HOST, vector_response0, vector_response1);
}

static void all_lengths(struct kunit *test)
{
	struct rblk_auth_mac sender = mac(RBLK_AUTH_TO_HOST), receiver = sender;
	size_t bytes;
	u8 *msg;

	for (bytes = 16; bytes <= LONGEST; bytes += bytes < 128 ? 1 : 248) {
		msg = unsigned_message(test, bytes);
		rblk_auth_sign(&sender, msg, bytes);
		KUNIT_EXPECT_EQ_MSG(test, rblk_auth_check(&receiver, msg, bytes), 0,
				    "%zu bytes", bytes);
	}
}

/* Also at a place that is not aligned. */
static void unaligned(struct kunit *test)
{
	struct rblk_auth_mac sender = mac(RBLK_AUTH_TO_HOST), receiver = sender;
	u8 *msg = unsigned_message(test, 1 + SIGNED), *copy = kunit_kmalloc(test, SIGNED,
									    GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, copy);
	rblk_auth_sign(&sender, msg + 1, SIGNED);
	memcpy(copy, msg + 1, SIGNED);
	KUNIT_EXPECT_EQ(test, rblk_auth_check(&receiver, copy, SIGNED), 0);
}

static void truncated(struct kunit *test)
{
	struct rblk_auth_mac sender = mac(RBLK_AUTH_TO_TARGET), receiver = sender;
	u8 *msg = unsigned_message(test, 248), *cut;
	size_t bytes;

	rblk_auth_sign(&sender, msg, 248);
	for (bytes = 0; bytes < 248; bytes++) {
		cut = exact(test, msg, bytes);
		KUNIT_EXPECT_EQ_MSG(test, rblk_auth_check(&receiver, cut, bytes), -EBADMSG,
				    "%zu bytes", bytes);
	}
	cut = kunit_kzalloc(test, 256, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, cut);
	memcpy(cut, msg, 248);
	KUNIT_EXPECT_EQ(test, rblk_auth_check(&receiver, cut, 256), -EBADMSG);
	/* None of these counted. */
	KUNIT_EXPECT_EQ(test, rblk_auth_check(&receiver, msg, 248), 0);
}

static void flipped(struct kunit *test)
{
	struct rblk_auth_mac sender = mac(RBLK_AUTH_TO_TARGET), receiver = sender;
	u8 *msg = unsigned_message(test, SIGNED);
	unsigned int i;

	rblk_auth_sign(&sender, msg, SIGNED);
	for (i = 0; i < 8 * SIGNED; i++) {
		msg[i / 8] ^= 1 << i % 8;
		KUNIT_EXPECT_EQ_MSG(test, rblk_auth_check(&receiver, msg, SIGNED), -EBADMSG,
				    "bit %u", i);
		msg[i / 8] ^= 1 << i % 8;
	}
	KUNIT_EXPECT_EQ(test, rblk_auth_check(&receiver, msg, SIGNED), 0);
}

/* Repeated, dropped, and in another order. */
static void wrong_counter(struct kunit *test)
{
	struct rblk_auth_mac sender = mac(RBLK_AUTH_TO_TARGET), receiver = sender;
	u8 *msg[3];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(msg); i++) {
		msg[i] = unsigned_message(test, SIGNED);
		rblk_auth_sign(&sender, msg[i], SIGNED);
	}
	KUNIT_EXPECT_EQ(test, rblk_auth_check(&receiver, msg[1], SIGNED), -EBADMSG);
	KUNIT_EXPECT_EQ(test, rblk_auth_check(&receiver, msg[0], SIGNED), 0);
	KUNIT_EXPECT_EQ(test, rblk_auth_check(&receiver, msg[0], SIGNED), -EBADMSG);
	KUNIT_EXPECT_EQ(test, rblk_auth_check(&receiver, msg[2], SIGNED), -EBADMSG);
	KUNIT_EXPECT_EQ(test, rblk_auth_check(&receiver, msg[1], SIGNED), 0);
	KUNIT_EXPECT_EQ(test, rblk_auth_check(&receiver, msg[2], SIGNED), 0);
	/* The counter has 64 bits. */
	sender.counter = 1ull << 32;
	rblk_auth_sign(&sender, msg[0], SIGNED);
	receiver.counter = 0;
	KUNIT_EXPECT_EQ(test, rblk_auth_check(&receiver, msg[0], SIGNED), -EBADMSG);
	receiver.counter = 1ull << 32;
	KUNIT_EXPECT_EQ(test, rblk_auth_check(&receiver, msg[0], SIGNED), 0);
}

static void wrong_way(struct kunit *test)
{
	struct rblk_auth_mac sender = mac(RBLK_AUTH_TO_TARGET), receiver = mac(RBLK_AUTH_TO_HOST);
	u8 *msg = unsigned_message(test, SIGNED);

	rblk_auth_sign(&sender, msg, SIGNED);
	KUNIT_EXPECT_EQ(test, rblk_auth_check(&receiver, msg, SIGNED), -EBADMSG);
}

/* Each bit of the request and the acceptance makes another key: qid, nonce, all of it. */
static void wrong_connection(struct kunit *test)
{
	const struct rblk_auth_mac good = mac(RBLK_AUTH_TO_TARGET);
	struct rblk_auth_greeting greeting = io_greeting();
	u8 *bytes = (u8 *)&greeting;
	struct rblk_auth_mac other;
	unsigned int i;

	for (i = 0; i < 8 * sizeof(greeting); i++) {
		bytes[i / 8] ^= 1 << i % 8;
		rblk_auth_mac_init(&other, vector_psk_secret, RBLK_AUTH_TO_TARGET, &greeting);
		KUNIT_EXPECT_NE_MSG(test, other.key.key[0], good.key.key[0], "bit %u", i);
		KUNIT_EXPECT_NE_MSG(test, other.key.key[1], good.key.key[1], "bit %u", i);
		bytes[i / 8] ^= 1 << i % 8;
	}
}

static void wrong_qid(struct kunit *test)
{
	struct rblk_auth_greeting greeting = io_greeting();
	struct rblk_auth_mac sender = mac(RBLK_AUTH_TO_TARGET), receiver;
	u8 *msg = unsigned_message(test, SIGNED);

	greeting.req.qid = cpu_to_le16(2);
	rblk_auth_mac_init(&receiver, vector_psk_secret, RBLK_AUTH_TO_TARGET, &greeting);
	rblk_auth_sign(&sender, msg, SIGNED);
	KUNIT_EXPECT_EQ(test, rblk_auth_check(&receiver, msg, SIGNED), -EBADMSG);
}

static void wrong_secret(struct kunit *test)
{
	const struct rblk_auth_greeting greeting = io_greeting();
	struct rblk_auth_mac sender = mac(RBLK_AUTH_TO_TARGET), receiver;
	u8 secret[RBLK_AUTH_SECRET_LEN];
	u8 *msg = unsigned_message(test, SIGNED);
	unsigned int i;

	rblk_auth_sign(&sender, msg, SIGNED);
	memcpy(secret, vector_psk_secret, sizeof(secret));
	for (i = 0; i < 8 * sizeof(secret); i++) {
		secret[i / 8] ^= 1 << i % 8;
		rblk_auth_mac_init(&receiver, secret, RBLK_AUTH_TO_TARGET, &greeting);
		KUNIT_EXPECT_EQ_MSG(test, rblk_auth_check(&receiver, msg, SIGNED), -EBADMSG,
				    "bit %u", i);
		secret[i / 8] ^= 1 << i % 8;
	}
}

static void wiped(struct kunit *test)
{
	struct rblk_auth_mac gone = mac(RBLK_AUTH_TO_TARGET);

	rblk_auth_mac_wipe(&gone);
	KUNIT_EXPECT_NULL(test, memchr_inv(&gone, 0, sizeof(gone)));
}

static struct kunit_case cases[] = {
	KUNIT_CASE(known_answer),
	KUNIT_CASE(all_lengths),
	KUNIT_CASE(unaligned),
	KUNIT_CASE(truncated),
	KUNIT_CASE(flipped),
	KUNIT_CASE(wrong_counter),
	KUNIT_CASE(wrong_way),
	KUNIT_CASE(wrong_connection),
	KUNIT_CASE(wrong_qid),
	KUNIT_CASE(wrong_secret),
	KUNIT_CASE(wiped),
	{}
};

static struct kunit_suite suite = {
	.name = "rblk_mac",
	.test_cases = cases,
};

kunit_test_suite(suite);

MODULE_DESCRIPTION("KUnit: MACs of messages");
MODULE_LICENSE("GPL");
