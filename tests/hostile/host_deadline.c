// SPDX-License-Identifier: GPL-2.0-only
/*
 * Doing nothing: everybody who waits for us has a deadline.  All wait at once.
 * The test has set keepalive_ms to less than a third of HANDSHAKE_MS, so that it
 * shows which of the two ended a session.
 */
#include <stdio.h>
#include "host.h"

#define KEEPALIVE	"/sys/module/rblk_target/parameters/keepalive_ms"
#define HANDSHAKE_MS	10000

struct idler {
	const char *name;
	bool silent;			/* having logged in; else it never does */
	struct sess s;
	struct verbs *v;		/* whose end it is */
	uint64_t begin;
	unsigned int took;
};

static struct idler idlers[] = {
	{ .name = "never-logs-in" },
	{ .name = "never-binds" },
	{ .name = "falls-silent", .silent = true },
	{ .name = "falls-silent-attached", .silent = true },
};

enum { NO_LOGIN, NO_BIND, SILENT, SILENT_ATTACHED };

static int start(struct idler *idler, int kind)
{
	struct rblk_wire_cm_req req;
	struct sess *s = &idler->s;
	int ret = 0;

	if (kind == SILENT_ATTACHED) {
		ret = sess_open(s);
		idler->v = s->io[1];
	} else {
		sess_init(s);
		ret = sess_control(s);
		idler->v = s->control;
	}
	if (!ret && (kind == NO_BIND || kind == SILENT))
		ret = sess_login(s);
	if (!ret && kind == NO_BIND) {
		req = sess_request(s, 1);
		s->io[1] = sess_dial(&req, sizeof(req), &ret);
		idler->v = s->io[1];
	}
	idler->begin = verbs_now();
	return ret;
}

static bool look(struct idler *idler)
{
	if (idler->took)
		return true;
	if (!verbs_gone(idler->v, 0))
		return false;
	idler->took = verbs_now() - idler->begin;
	printf("%s: ended after %u ms\n", idler->name, idler->took);
	return true;
}

static unsigned int read_keepalive(void)
{
	FILE *file = fopen(KEEPALIVE, "re");
	unsigned int ms;

	if (!file || fscanf(file, "%u", &ms) != 1)
		report_die("can't read %s", KEEPALIVE);
	fclose(file);
	return ms;
}

/*
 * Up to a keepalive early, as we may stand still before we look at the clock; and as
 * late as tells silence from a handshake.
 */
static const char *judge(const struct idler *idler, unsigned int keepalive)
{
	unsigned int due = idler->silent ? 3 * keepalive : HANDSHAKE_MS;
	unsigned int late = 3000;

	if (idler->silent && due + late >= HANDSHAKE_MS)
		late = HANDSHAKE_MS - 1 - due;
	if (!idler->took)
		return "the connection lives";
	if (idler->took < due - keepalive || idler->took > due + late)
		return report_why("it took %u ms", idler->took);
	return NULL;
}

/**
 * deadline_cases - run them, beside a session that only sends keepalives
 */
void deadline_cases(void)
{
	unsigned int i, keepalive = read_keepalive(), ended = 0;
	const char *late;
	struct sess lively;
	bool alive = true;
	uint64_t end;

	watch_begin();
	sess_init(&lively);
	if (sess_control(&lively) || sess_login(&lively))
		report_die("can't log in");
	for (i = 0; i < ARRAY_SIZE(idlers); i++)
		if (start(&idlers[i], i))
			report_die("can't begin %s", idlers[i].name);
	end = verbs_now() + HANDSHAKE_MS + 3 * WAIT_MS;
	while (ended < ARRAY_SIZE(idlers) && verbs_now() < end) {
		alive = alive && sess_alive(&lively);
		/* The one that does not bind keeps its session up. */
		if (!idlers[NO_BIND].took)
			sess_alive(&idlers[NO_BIND].s);
		verbs_sleep(100);
		for (i = 0, ended = 0; i < ARRAY_SIZE(idlers); i++)
			ended += look(&idlers[i]);
	}
	for (i = 0; i < ARRAY_SIZE(idlers); i++) {
		report_case(idlers[i].name, judge(&idlers[i], keepalive));
		sess_close(&idlers[i].s);
	}
	report_case("only-keepalives", alive ? NULL : "it was ended");
	late = watch_end("late", NULL);
	report_case("late-counted", late && strstr(late, "counted 2 times") ?
		    NULL : late ? late : "only one was counted");
	sess_close(&lively);
}
