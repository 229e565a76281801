// SPDX-License-Identifier: GPL-2.0-only
/*
 * A message of a handshake, or the first message after it, is not what the peer has
 * sent.  Nothing but the very bytes that it sent may lead to a secret, or pass.
 */
#include "fuzz.h"
#include <linux/kernel.h>
#include "../../auth/key.c"
#include "../../auth/mac.c"
#include "../../auth/handshake.c"
#include "../kunit/auth_vectors.h"

static struct rblk_auth_pair host, target;
static struct rblk_auth_greeting greeting;

static void prepare(void)
{
	if (greeting.req.size)
		return;
	MUST(!rblk_auth_pair_from(&host, vector_host));
	MUST(!rblk_auth_pair_from(&target, vector_target));
	MUST(!memcmp(host.public, vector_host_public, 32));
	memcpy(&greeting.req, vector_req, sizeof(greeting.req));
	memcpy(&greeting.rep, vector_rep, sizeof(greeting.rep));
}

static bool over(const struct rblk_auth_handshake *hs)
{
	return hs->state == RBLK_AUTH_OVER && zeroes(hs, sizeof(*hs));
}

/* As far as they come without what the fuzzer sends. */
static void host_says_hello(struct rblk_auth_handshake *h)
{
	struct rblk_wire_login login;

	memcpy(&login, vector_login1, sizeof(login));
	rblk_auth_host_init(h, &host, &greeting);
	MUST(!rblk_auth_host_hello(h, vector_host_ephemeral, &login));
	MUST(!memcmp(&login, vector_login1, sizeof(login)));
}

static void target_answers(struct rblk_auth_handshake *t)
{
	struct rblk_wire_login_reply reply;

	memcpy(&reply, vector_reply, sizeof(reply));
	rblk_auth_target_init(t, &target, &greeting);
	MUST(!rblk_auth_target_hello(t, vector_login1, sizeof(vector_login1)));
	MUST(!rblk_auth_target_answer(t, NULL, vector_target_ephemeral, &reply));
	MUST(!memcmp(&reply, vector_reply, sizeof(reply)));
}

static void first_login(const u8 *msg, size_t size, bool good)
{
	struct rblk_auth_handshake h, t;
	struct rblk_wire_login_reply reply;
	int ret;

	memcpy(&reply, vector_reply, sizeof(reply));
	rblk_auth_target_init(&t, &target, &greeting);
	ret = rblk_auth_target_hello(&t, msg, size);
	if (ret) {
		MUST(ret == -EPROTO && !good && over(&t));
		return;
	}
	MUST(size == 248 && msg[0] == 0x20 && get(msg + 112, 2) == 1);
	MUST(get(msg + 114, 2) == 64 && zeroes(msg + 184, 64));
	MUST(!memcmp(t.peer, msg + 152, 32));
	ret = rblk_auth_target_answer(&t, NULL, vector_target_ephemeral, &reply);
	if (ret) {
		MUST(ret == -EKEYREJECTED && !good && over(&t));
		return;
	}
	host_says_hello(&h);
	MUST(!rblk_auth_host_check(&h, &reply, sizeof(reply), target.public, NULL) == good);
	rblk_auth_end(&h);
	MUST(!rblk_auth_target_check(&t, vector_login2, sizeof(vector_login2)) == good);
	rblk_auth_end(&t);
}

static void answer(const u8 *msg, size_t size, bool good)
{
	struct rblk_wire_login login;
	struct rblk_auth_handshake h;

	host_says_hello(&h);
	MUST(!rblk_auth_host_check(&h, msg, size, target.public, NULL) == good);
	if (!good) {
		MUST(over(&h));
		return;
	}
	MUST(!rblk_auth_host_prove(&h, 2, &login));
	MUST(!memcmp(&login, vector_login2, sizeof(login)));
	MUST(!memcmp(h.key, vector_secret, sizeof(h.key)));
	rblk_auth_end(&h);
}

static void second_login(const u8 *msg, size_t size, bool good)
{
	struct rblk_auth_handshake t;

	target_answers(&t);
	MUST(!rblk_auth_target_check(&t, msg, size) == good);
	MUST(good ? !memcmp(t.key, vector_secret, sizeof(t.key)) : over(&t));
	rblk_auth_end(&t);
}

static void after_login(u8 *msg, size_t size, bool good)
{
	struct rblk_auth_greeting io;
	struct rblk_auth_mac mac;
	u8 *before = message(msg, size);

	memcpy(&io.req, vector_io_req, sizeof(io.req));
	memcpy(&io.rep, vector_io_rep, sizeof(io.rep));
	rblk_auth_mac_init(&mac, vector_psk_secret, RBLK_AUTH_TO_TARGET, &io);
	MUST(!rblk_auth_check(&mac, msg, size) == good);
	MUST(mac.counter == good);
	MUST(!size || !memcmp(msg, before, size));
	free(before);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static const struct {
		const u8 *msg;
		size_t bytes;
	} sent[AUTH_NR] = {
		[AUTH_LOGIN1] = { vector_login1, sizeof(vector_login1) },
		[AUTH_REPLY] = { vector_reply, sizeof(vector_reply) },
		[AUTH_LOGIN2] = { vector_login2, sizeof(vector_login2) },
		[AUTH_MESSAGE] = { vector_command0, sizeof(vector_command0) },
	};
	struct auth_knobs k;
	size_t i, at;
	bool good;
	u8 *msg;

	if (size < sizeof(k))
		return 0;
	prepare();
	memcpy(&k, data, sizeof(k));
	at = k.at % AUTH_NR;
	size -= sizeof(k);
	msg = message(data + sizeof(k), size);
	if (k.change == 1)
		for (i = 0; i < size && i < sent[at].bytes; i++)
			msg[i] ^= sent[at].msg[i];
	good = size == sent[at].bytes && !memcmp(msg, sent[at].msg, size);
	switch (at) {
	case AUTH_LOGIN1:
		first_login(msg, size, good);
		break;
	case AUTH_REPLY:
		answer(msg, size, good);
		break;
	case AUTH_LOGIN2:
		second_login(msg, size, good);
		break;
	default:
		after_login(msg, size, good);
	}
	free(msg);
	return 0;
}
