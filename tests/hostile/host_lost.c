// SPDX-License-Identifier: GPL-2.0-only
/*
 * A host with a key has lost its session. Another one that the target lets in, too, has
 * overheard the session's UUID, and is there first: under that UUID, in the same epoch, in
 * a later one, half logged in, with connections in the places that the first one needs.
 * The host must come back all the same, as often as it likes.
 */
#include <stdio.h>
#include "host.h"

#define BEFORE_WRAP	0xfffffffeu

/*
 * From the host's own address, an I/O connection may be taken for one of the intruder's, if
 * the epoch is the same: the target tells them apart by the MAC of BIND only. Then the
 * host's next epoch is good.
 */
#define ATTEMPTS	2

/* What the intruder has under that UUID when the host comes back. */
enum hold {
	CONTROL,			/* a control connection, and no LOGIN */
	ASKED,				/* the first LOGIN */
	LOGGED_IN,
	BOUND,				/* an I/O connection as well */
};

struct lost_case {
	const char *name;
	uint32_t epoch;			/* the intruder's; the host's last one is 1 */
	enum hold hold;
};

static const struct lost_case cases[] = {
	{ "lost-session-begun", 2, CONTROL },
	{ "lost-session-asked", 2, ASKED },
	{ "lost-session-taken", 2, LOGGED_IN },
	{ "lost-session-taken-bound", 2, BOUND },
	{ "lost-session-taken-later", 1000, BOUND },
	{ "lost-session-taken-last", BEFORE_WRAP, BOUND },
	{ "lost-session-taken-former", 1, BOUND },
};

/* Whether it is let in under that UUID is no matter; it is what it then has. */
static const char *intrude(const struct lost_case *c, const struct sess *lost, const char *from,
			   struct sess *s)
{
	struct hello hello;
	int status;

	sess_init(s);
	memcpy(s->uuid, lost->uuid, sizeof(s->uuid));
	s->epoch = c->epoch;
	verbs_source = from;
	if (sess_control(s))
		return "the intruder can't connect";
	if (c->hold == CONTROL)
		return NULL;
	if (c->hold == ASKED) {
		keyed_begin(s, &hello);
		status = keyed_ask(s, &hello);
		return status == RBLK_CTL_AUTH_CONTINUE ? NULL : "the intruder can't begin";
	}
	status = sess_login(s);
	if (!status && c->hold == BOUND && sess_io(s, 1))
		return "the intruder is let in, and has no I/O connection";
	return NULL;
}

/* The next epoch, which must be as good as any. */
static const char *come_back(struct sess *s)
{
	int status;

	s->epoch++;
	s->control = NULL;
	memset(s->io, 0, sizeof(s->io));
	status = sess_control(s);
	if (status)
		return report_why("the host is not let in again: refused, %d", status);
	status = sess_login(s);
	if (status)
		return report_why("the host is not let in again: status %d", status);
	status = sess_attach_patiently(s, host_readonly, 0);
	if (status)
		return report_why("the host can't attach again: status %d", status);
	status = sess_io(s, 1);
	if (status)
		return report_why("the host has no I/O connection again: %d", status);
	if (sess_run(s, s->io[1], RBLK_OP_READ, 4096) || !sess_alive(s))
		return "the host has no I/O again";
	return NULL;
}

static const char *come_back_within(struct sess *s, unsigned int attempts)
{
	const char *why;

	do {
		why = come_back(s);
		sess_close(s);
		/* The target sees its end a moment later. */
		verbs_sleep(100);
	} while (why && --attempts);
	return why;
}

static const char *lost(const struct lost_case *c, const char *from)
{
	unsigned int attempts = from ? 1 : ATTEMPTS;
	const char *source = verbs_source, *why;
	struct sess host, intruder = { 0 };

	sess_init(&host);
	host.keyed = host_other;
	/* With another one, its machine would have restarted. */
	memcpy(host.instance, witness.s.instance, sizeof(host.instance));
	host.epoch = 0;
	why = come_back_within(&host, 1);
	if (!why)
		why = intrude(c, &host, from, &intruder);
	verbs_source = source;
	if (!why)
		why = come_back_within(&host, attempts);
	/* The intruder has not left. */
	if (!why)
		why = come_back_within(&host, attempts);
	sess_close(&intruder);
	return witness_well(why);
}

/**
 * lost_cases - run them beside the session of a host with a key
 */
void lost_cases(void)
{
	char name[64];
	size_t i;

	if (!host_keyed || !host_elsewhere)
		report_die("wants keys (-t and -k) and another address of this host (-o)");
	witness_open(host_other);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		report_case(cases[i].name, lost(&cases[i], host_elsewhere));
		snprintf(name, sizeof(name), "%s-near", cases[i].name);
		report_case(name, lost(&cases[i], NULL));
	}
	witness_close();
}
