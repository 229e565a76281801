// SPDX-License-Identifier: GPL-2.0-only
/*
 * Takes auth/ through the example that reference.py has printed, in user space, and says
 * where the two differ.
 */
#include <stdio.h>
#include <linux/kernel.h>
#include "../../auth/key.c"
#include "../../auth/mac.c"
#include "../../auth/handshake.c"
#include "../kunit/auth_vectors.h"

static int differences;

static void compare(const char *what, const void *got, const void *want, size_t bytes)
{
	if (!memcmp(got, want, bytes))
		return;
	printf("auth: %s differs from reference.py\n", what);
	differences++;
}

static void expect(const char *what, int ret)
{
	if (!ret)
		return;
	printf("auth: %s fails with %d\n", what, ret);
	differences++;
}

static struct rblk_auth_greeting connection(const u8 *req, const u8 *rep)
{
	struct rblk_auth_greeting greeting;

	memcpy(&greeting.req, req, sizeof(greeting.req));
	memcpy(&greeting.rep, rep, sizeof(greeting.rep));
	return greeting;
}

static void keys(struct rblk_auth_pair *host, struct rblk_auth_pair *target)
{
	u8 id[RBLK_WIRE_UUID_LEN];

	expect("the host's key", rblk_auth_pair_from(host, vector_host));
	expect("the target's key", rblk_auth_pair_from(target, vector_target));
	compare("the host's key", host->public, vector_host_public, sizeof(host->public));
	compare("the target's key", target->public, vector_target_public, sizeof(target->public));
	rblk_auth_host_id(id, host->public);
	compare("the host's UUID", id, vector_host_id, sizeof(id));
}

static void handshake(const u8 *psk, const u8 *first, const u8 *answer, const u8 *second,
		      const u8 *secret)
{
	const struct rblk_auth_greeting greeting = connection(vector_req, vector_rep);
	struct rblk_wire_login_reply reply;
	struct rblk_auth_handshake h, t;
	struct rblk_auth_pair host, target;
	struct rblk_wire_login login;
	u8 got[RBLK_AUTH_SECRET_LEN];

	keys(&host, &target);
	memcpy(&login, vector_login1, sizeof(login));
	memset(login.auth, 0xff, sizeof(login.auth));
	memcpy(&reply, vector_reply, sizeof(reply));
	memset(reply.auth, 0xff, sizeof(reply.auth));
	rblk_auth_host_init(&h, &host, &greeting);
	rblk_auth_target_init(&t, &target, &greeting);
	expect("the first LOGIN", rblk_auth_host_hello(&h, vector_host_ephemeral, &login));
	compare("the first LOGIN", &login, first, sizeof(login));
	expect("taking it", rblk_auth_target_hello(&t, &login, sizeof(login)));
	expect("the answer", rblk_auth_target_answer(&t, psk, vector_target_ephemeral, &reply));
	compare("the answer", &reply, answer, sizeof(reply));
	expect("taking that", rblk_auth_host_check(&h, &reply, sizeof(reply),
						     target.public, psk));
	expect("the second LOGIN", rblk_auth_host_prove(&h, 2, &login));
	compare("the second LOGIN", &login, second, sizeof(login));
	expect("taking this", rblk_auth_target_check(&t, &login, sizeof(login)));
	expect("the host's secret", rblk_auth_take(&h, got));
	compare("the host's secret", got, secret, sizeof(got));
	expect("the target's secret", rblk_auth_take(&t, got));
	compare("the target's secret", got, secret, sizeof(got));
}

static void messages(enum rblk_auth_way way, const u8 *first, const u8 *second)
{
	const struct rblk_auth_greeting greeting = connection(vector_io_req, vector_io_rep);
	const u8 *const want[] = { first, second };
	struct rblk_auth_mac mac;
	unsigned int i;
	u8 msg[64];

	rblk_auth_mac_init(&mac, vector_psk_secret, way, &greeting);
	for (i = 0; i < ARRAY_SIZE(want); i++) {
		memcpy(msg, want[i], sizeof(msg));
		memset(msg + 56, 0xff, RBLK_WIRE_MAC_LEN);
		rblk_auth_sign(&mac, msg, sizeof(msg));
		compare("a signed message", msg, want[i], sizeof(msg));
	}
}

int main(void)
{
	handshake(NULL, vector_login1, vector_reply, vector_login2, vector_secret);
	handshake(vector_psk, vector_psk_login1, vector_psk_reply, vector_psk_login2,
		  vector_psk_secret);
	messages(RBLK_AUTH_TO_TARGET, vector_command0, vector_command1);
	messages(RBLK_AUTH_TO_HOST, vector_response0, vector_response1);
	return !!differences;
}
