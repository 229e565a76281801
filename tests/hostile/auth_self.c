// SPDX-License-Identifier: GPL-2.0-only
/*
 * hostile-auth                 is auth.c right?  By the known answers of section 12.6
 * hostile-auth new FILE        a new key: the private one to FILE, the public one is printed
 * hostile-auth id KEY          the UUID by which targets know the host of that public key
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "auth.h"
#include "report.h"

typedef uint8_t u8;
#define __maybe_unused	__attribute((unused))
#include "../kunit/auth_vectors.h"

#define SAME(got, wanted, what)						\
	(memcmp(got, wanted, sizeof(wanted)) ? what " differs" : NULL)

/* One handshake, of both sides; its bytes must be those of the example. */
struct example {
	const u8 *psk;
	const u8 *login1;
	const u8 *reply;
	const u8 *login2;
	const u8 *secret;
};

static void sides(struct auth *host, struct auth *target, const struct example *e)
{
	const void *req = vector_req, *rep = vector_rep;

	memset(host, 0, sizeof(*host));
	memset(target, 0, sizeof(*target));
	memcpy(host->own.secret, vector_host, AUTH_KEY);
	memcpy(target->own.secret, vector_target, AUTH_KEY);
	auth_public(&host->own);
	auth_public(&target->own);
	memcpy(host->peer, target->own.public, AUTH_KEY);
	if (e->psk) {
		memcpy(host->psk, e->psk, AUTH_KEY);
		memcpy(target->psk, e->psk, AUTH_KEY);
	}
	auth_begin(host, req, rep);
	auth_begin(target, req, rep);
	memcpy(host->ephemeral.secret, vector_host_ephemeral, AUTH_KEY);
	memcpy(target->ephemeral.secret, vector_target_ephemeral, AUTH_KEY);
	auth_public(&host->ephemeral);
	auth_public(&target->ephemeral);
}

static const char *handshake(const struct example *e)
{
	struct rblk_wire_login_reply reply;
	struct rblk_wire_login login;
	struct auth host, target;

	sides(&host, &target, e);
	memcpy(&login, e->login1, sizeof(login));
	auth_host_hello(&host, &login);
	if (memcmp(&login, e->login1, sizeof(login)))
		return "the first LOGIN differs";
	auth_target_hello(&target, &login);
	memcpy(&reply, e->reply, sizeof(reply));
	auth_target_answer(&target, &reply);
	if (memcmp(&reply, e->reply, sizeof(reply)))
		return "its answer differs";
	if (!auth_host_check(&host, &reply))
		return "the host refuses the answer";
	memcpy(&login, e->login2, sizeof(login));
	auth_host_proof(&host, &login);
	if (memcmp(&login, e->login2, sizeof(login)))
		return "the second LOGIN differs";
	if (!auth_target_check(&target, &login))
		return "the target refuses the second LOGIN";
	if (memcmp(host.secret, e->secret, AUTH_KEY) ||
	    memcmp(target.secret, e->secret, AUTH_KEY))
		return "the secret differs";
	return NULL;
}

static const char *messages(uint32_t direction, const u8 *first, const u8 *second)
{
	struct auth_mac tx, rx;
	const u8 *want[] = { first, second };
	u8 msg[64];
	size_t len;
	int i;

	auth_mac_init(&tx, vector_psk_secret, direction, (const void *)vector_io_req,
		      (const void *)vector_io_rep);
	rx = tx;
	for (i = 0; i < 2; i++) {
		memcpy(msg, want[i], sizeof(msg));
		len = sizeof(msg);
		if (!auth_check(&rx, msg, &len) || len != sizeof(msg) - AUTH_MAC)
			return "a good MAC is refused";
		if (auth_sign(&tx, msg, len) != sizeof(msg) ||
		    memcmp(msg, want[i], sizeof(msg)))
			return "a message differs";
	}
	/* Its counter is the next one now. */
	len = sizeof(msg);
	return auth_check(&rx, msg, &len) ? "a repeated message is taken" : NULL;
}

static const char *publics(void)
{
	struct auth_pair pair;

	memcpy(pair.secret, vector_host, AUTH_KEY);
	auth_public(&pair);
	return SAME(pair.public, vector_host_public, "the host's public key");
}

static const char *identity(void)
{
	u8 id[16];

	auth_host_id(id, vector_host_public);
	return SAME(id, vector_host_id, "the host's UUID");
}

static const char *low_order(void)
{
	static const u8 zero[AUTH_KEY];
	u8 out[AUTH_KEY];

	return auth_multiply(out, vector_host, zero) ? "the zero point is taken" : NULL;
}

static const char *text(void)
{
	char line[48];
	u8 key[AUTH_KEY];

	auth_key_text(line, vector_host);
	return auth_key_parse(line, key) ? SAME(key, vector_host, "a key") : "it is refused";
}

static int self_test(void)
{
	const struct example plain = {
		NULL, vector_login1, vector_reply, vector_login2, vector_secret,
	};
	const struct example shared = {
		vector_psk, vector_psk_login1, vector_psk_reply, vector_psk_login2,
		vector_psk_secret,
	};

	report_case("public-key", publics());
	report_case("host-uuid", identity());
	report_case("low-order", low_order());
	report_case("key-as-text", text());
	report_case("handshake", handshake(&plain));
	report_case("handshake-psk", handshake(&shared));
	report_case("macs-to-target", messages(AUTH_TO_TARGET, vector_command0, vector_command1));
	report_case("macs-to-host", messages(AUTH_TO_HOST, vector_response0, vector_response1));
	return report_end();
}

static int new_key(const char *path)
{
	struct auth_pair pair;
	char line[48];
	FILE *f;

	auth_pair_random(&pair);
	f = fopen(path, "w");
	if (!f)
		report_die("cannot make %s", path);
	auth_key_text(line, pair.secret);
	fprintf(f, "%s\n", line);
	fclose(f);
	auth_key_text(line, pair.public);
	printf("%s\n", line);
	return 0;
}

static int print_id(const char *key)
{
	u8 public[AUTH_KEY], id[16];
	int i;

	if (!auth_key_parse(key, public))
		report_die("not a key: %s", key);
	auth_host_id(id, public);
	for (i = 0; i < 16; i++)
		printf("%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", id[i]);
	printf("\n");
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 1)
		return self_test();
	if (argc == 3 && !strcmp(argv[1], "new"))
		return new_key(argv[2]);
	if (argc == 3 && !strcmp(argv[1], "id"))
		return print_id(argv[2]);
	report_die("usage: hostile-auth [new FILE | id KEY]");
}
