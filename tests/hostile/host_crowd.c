// SPDX-License-Identifier: GPL-2.0-only
/*
 * Many handshakes that come to nothing, and a host that loses its right; like a flood,
 * but all it needs is a public key.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "host.h"

#define HELD		512
#define KEEPALIVE_MS	5000	/* of the target, unless told */
#define LATE_MS		2000	/* until we hear of what happens then */

static struct sess held[HELD];

/* Hold on to what was let in until the test says so. */
static void hold(void)
{
	printf("holding\n");
	fflush(stdout);
	getchar();
}

/* The first LOGIN with that key, or with one that nobody knows. */
static int hello_by(struct sess *s, struct hello *hello, const uint8_t *key)
{
	struct auth_pair ephemeral, pair;

	auth_pair_random(&ephemeral);
	auth_pair_random(&pair);
	memset(hello, 0, sizeof(*hello));
	hello->first = *sess_fill_login(s, s->control);
	hello->first.auth_method = htole16(RBLK_AUTH_X25519);
	hello->first.auth_len = htole16(2 * AUTH_KEY);
	memcpy(hello->first.auth, ephemeral.public, AUTH_KEY);
	memcpy(hello->first.auth + AUTH_KEY, key ? key : pair.public, AUTH_KEY);
	return keyed_ask(s, hello);
}

/* unknown N, hello N: connections with a first LOGIN and no second one. */
static int crowd(unsigned int n, const uint8_t *key)
{
	unsigned int i, in = 0, out = 0, begun = 0, denied = 0;
	uint64_t since = verbs_now();
	struct hello hello;
	int status, last = 0;

	for (i = 0; i < n && in < HELD; i++) {
		struct sess *s = &held[in];

		sess_init(s);
		status = sess_control(s);
		if (status) {
			out++;
			last = status;
			continue;
		}
		in++;
		status = hello_by(s, &hello, key);
		begun += status == RBLK_CTL_AUTH_CONTINUE;
		denied += status == RBLK_CTL_KEY_UNKNOWN;
	}
	printf("crowd: %u let in, %u refused, last with %d; %u begun, %u unknown, in %u ms\n",
	       in, out, last, begun, denied, (unsigned int)(verbs_now() - since));
	hold();
	for (i = 0; i < in; i++)
		sess_close(&held[i]);
	return 0;
}

/* A second LOGIN without the private key that it takes. */
static int guess_proof(struct sess *s, struct hello *hello)
{
	struct auth_pair guess;

	auth_pair_random(&guess);
	hello->second = hello->first;
	hello->second.ctl.xid = htole32(8);
	hello->second.auth_len = htole16(AUTH_TAG);
	memset(hello->second.auth, 0, sizeof(hello->second.auth));
	memcpy(hello->second.auth, guess.public, AUTH_TAG);
	return keyed_prove(s, hello);
}

/*
 * hurry N [unknown | guess]: the same one after the other, each gone at once; or with a
 * guess at the proof.
 */
static int hurry(unsigned int n, const uint8_t *key, bool guess)
{
	unsigned int i, begun = 0, denied = 0, wrong = 0, other = 0;
	uint64_t since = verbs_now();
	struct hello hello;
	struct sess s;
	int status;

	for (i = 0; i < n; i++) {
		sess_init(&s);
		status = sess_control(&s);
		if (!status)
			status = hello_by(&s, &hello, key);
		begun += status == RBLK_CTL_AUTH_CONTINUE;
		denied += status == RBLK_CTL_KEY_UNKNOWN;
		other += status != RBLK_CTL_AUTH_CONTINUE && status != RBLK_CTL_KEY_UNKNOWN;
		if (status == RBLK_CTL_AUTH_CONTINUE && guess)
			wrong += guess_proof(&s, &hello) == RBLK_CTL_AUTH;
		sess_close(&s);
	}
	if (guess)
		printf("hurry: %u guesses refused\n", wrong);
	printf("hurry: %u begun, %u unknown, %u other, in %u ms\n", begun, denied, other,
	       (unsigned int)(verbs_now() - since));
	return 0;
}

/* storm MS: the same for so long, each with a proof that is wrong. */
static int storm(unsigned int ms, const struct keyed *who)
{
	uint64_t end = verbs_now() + ms;
	unsigned int begun = 0, refused = 0, other = 0;
	struct hello hello;
	struct sess s;

	while (verbs_now() < end) {
		sess_init(&s);
		s.keyed = who;
		if (sess_control(&s)) {
			other++;
			continue;
		}
		keyed_begin(&s, &hello);
		if (keyed_ask(&s, &hello) == RBLK_CTL_AUTH_CONTINUE) {
			begun++;
			keyed_answer(&hello);
			hello.second.auth[0] ^= 1;
			refused += keyed_prove(&s, &hello) == RBLK_CTL_AUTH;
		}
		sess_close(&s);
	}
	printf("storm: %u begun, %u refused, %u other\n", begun, refused, other);
	return 0;
}

/* between: its right is taken after it has begun a handshake, and before it ends it. */
static int between(void)
{
	const char *why = NULL;
	struct hello hello;
	struct sess s;
	int status;

	sess_init(&s);
	if (sess_control(&s))
		report_die("can't connect");
	keyed_begin(&s, &hello);
	if (keyed_ask(&s, &hello) != RBLK_CTL_AUTH_CONTINUE || !keyed_answer(&hello))
		report_die("can't begin");
	hold();
	status = keyed_prove(&s, &hello);
	if (status != RBLK_CTL_NOTHING && status != RBLK_CTL_KEY_UNKNOWN)
		why = report_why("the status is %d", status);
	sess_close(&s);
	report_case("right-taken-amid-handshake", why);
	return report_end();
}

/* What comes of a command while the right may be gone: is it over? */
static bool right_gone(struct sess *s)
{
	int status = sess_run(s, s->io[1], RBLK_OP_WRITE, 4096);

	if (status > 0 && status != RBLK_STATUS_GONE)
		printf("a command ended with %d\n", status);
	return status != 0;
}

/* The answer to an ATTACH, behind the events that say that something has changed. */
static int attach_behind_events(struct sess *s)
{
	const struct rblk_wire_ctl *ctl;
	unsigned int i;
	int status;

	sess_fill_attach(s->control, host_export, RBLK_ACCESS_WRITE);
	if (keyed_send(s->control, sizeof(struct rblk_wire_attach)))
		return -1;
	for (i = 0; i < 8; i++) {
		ctl = keyed_receive(s->control, WAIT_MS, NULL);
		if (!ctl)
			break;
		status = le16toh(ctl->status);
		if (ctl->hdr.type == RBLK_MSG_ATTACH_REPLY)
			return status;
		verbs_post_recv(s->control, s->control->wc.wr_id);
	}
	return -1;
}

/* denied MS: writes until its right is taken, which must end it within that time. */
static int denied(unsigned int ms)
{
	const char *why = NULL;
	uint64_t since, end;
	unsigned int n = 0;
	struct sess s;

	if (sess_open(&s))
		report_die("can't open a session");
	printf("holding\n");
	fflush(stdout);
	end = verbs_now() + ms;
	while (!right_gone(&s) && verbs_now() < end)
		n++;
	since = verbs_now();
	if (since >= end)
		why = "it can still write";
	else if (!n)
		why = "it could not write at all";
	if (!why && attach_behind_events(&s) == RBLK_CTL_OK)
		why = "it can attach again";
	printf("%u writes before that\n", n);
	report_case("right-taken", why);
	/* It has no right to anything else either. */
	report_case("right-taken-session-ends",
		    verbs_gone(s.control, KEEPALIVE_MS + LATE_MS) ? NULL :
		    "its session lives after a keepalive time");
	sess_close(&s);
	return report_end();
}

/**
 * crowd_main - hello N, unknown N, hurry N [unknown | guess], storm MS, denied MS, or between
 * @argc: of these
 * @argv: these
 */
int crowd_main(int argc, char **argv)
{
	unsigned int n = argc > 1 ? atoi(argv[1]) : 0;
	const uint8_t *key = host_other ? host_other->own.public : NULL;

	if (argc && !strcmp(argv[0], "between"))
		return between();
	if (argc < 2)
		report_die("crowd KIND N");
	if (!strcmp(argv[0], "storm") && host_other)
		return storm(n, host_other);
	if (!strcmp(argv[0], "unknown"))
		return crowd(n, NULL);
	if (!strcmp(argv[0], "denied"))
		return denied(n);
	if (!strcmp(argv[0], "hurry")) {
		bool guess = argc > 2 && !strcmp(argv[2], "guess");

		return hurry(n, argc > 2 && !guess ? NULL : key, guess);
	}
	if (strcmp(argv[0], "hello") || !key)
		report_die("no crowd %s, or no key for it (-K)", argv[0]);
	return crowd(n, key);
}
