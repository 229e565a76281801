// SPDX-License-Identifier: GPL-2.0-only
/*
 * hostile-target list
 * hostile-target key
 * hostile-target ADDRESS PORT NAME
 * hostile-target ADDRESS PORT mutate SEED
 *
 * A target that is bad in one way, or in all ways at random. It says "ready"
 * and serves until it is killed; some are bad from SIGUSR1 on. "list" prints
 * for each way NAME, what must come of it, "short" or "long", the provider it
 * needs or "any", and what the reason given must match. "key" prints the public key that
 * it proves to those who log in by a handshake.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "target.h"

static const struct act honest_acts[] = {
	{ .name = "honest", .expect = HARMLESS },
	{ .name = "inline-honest", .expect = HARMLESS },
	{ .name = NULL },
};

static const struct act * const tables[] = {
	honest_acts, field_acts, message_acts, inline_acts, memory_acts,
	imm_acts, window_acts, digest_acts, batch_acts, many_acts, held_acts, stage_acts,
	auth_acts,
};

static sig_atomic_t told;

static void on_signal(int signal)
{
	(void)signal;
	told = 1;
}

static void list(void)
{
	static const char * const expect[] = {
		[FAILS] = "fails",
		[LISTS] = "lists",
		[RECOVERS] = "recovers",
		[HARMLESS] = "harmless",
		[EXPIRES] = "expires",
		[FORCED] = "forced",
		[ERRORS] = "errors",
		[MANY_HARMLESS] = "many_harmless",
		[MANY_REFUSED] = "many_refused",
		[MANY_RECOVERS] = "many_recovers",
		[MANY_RECOVER_ALL] = "many_recover_all",
		[MANY_STRANGERS] = "many_strangers",
	};
	const struct act *a;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(tables); i++)
		for (a = tables[i]; a->name; a++)
			printf("%s %s %s %s %s\n", a->name, expect[a->expect],
			       a->long_form ? "long" : "short",
			       a->provider ? a->provider : "any",
			       a->words ? a->words : "");
}

static const struct act *find(const char *name)
{
	const struct act *a;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(tables); i++)
		for (a = tables[i]; a->name; a++)
			if (!strcmp(a->name, name))
				return a;
	return NULL;
}

static void overwrite(struct out *o, const struct patch *p)
{
	uint64_t value = htole64(p->value);

	for (; p->bytes; p++, value = htole64(p->value))
		memcpy(o->buf + p->at, &value, p->bytes);
}

static bool applies(const struct fake *f, const struct out *o)
{
	const struct act *a = f->act;

	if (a->at != o->type || (f->done && !a->again) || (a->told && !told) ||
	    (a->late && f->epoch == f->first_epoch))
		return false;
	if (o->type == ACCEPTANCE)
		return !a->control || !o->link->qid;
	if (o->type != RBLK_MSG_RESPONSE && o->type != IMMEDIATE)
		return true;
	if (a->inl && !(le16toh(o->cmd->flags) & RBLK_CMDF_INLINE &&
			o->cmd->op == RBLK_OP_READ))
		return false;
	return (f->written || a->early) && (!a->op || a->op == o->cmd->op);
}

/**
 * act_out - have the act look at what is about to be sent
 * @f: the target
 * @o: what
 */
void act_out(struct fake *f, struct out *o)
{
	const struct act *a = f->act;

	if (!a) {
		mutate_out(f, o);
		return;
	}
	if (a->late && f->epoch == f->first_epoch && f->written &&
	    o->type == RBLK_MSG_RESPONSE) {
		o->copies = 0;
		o->link->hang_up = true;
		return;
	}
	if (!applies(f, o))
		return;
	f->done++;
	overwrite(o, a->patch);
	if (a->spoil)
		a->spoil(f, o);
}

static void serve(struct fake *f)
{
	unsigned int idle = 0;

	for (;;) {
		if (link_serve(f)) {
			idle = 0;
			continue;
		}
		many_send(f);
		if (idle++ % 8 == 0)
			link_manage(f);
		if (idle > 4)
			verbs_sleep(1);
	}
}

/* Each disk's last block has its name. */
static void name_disks(struct fake *f)
{
	unsigned int i;

	for (i = 0; i < EXPORTS; i++)
		snprintf(f->disk + i * DISK_STRIDE + DISK_BYTES - BLOCK, BLOCK,
			 EXPORT_NAME "%u", i);
}

static int start(struct fake *f, char **argv)
{
	f->disk = calloc(EXPORTS, DISK_STRIDE);
	f->listener = verbs_listen(argv[1], atoi(argv[2]));
	if (!f->disk || !f->listener)
		report_die("cannot listen at %s:%s", argv[1], argv[2]);
	name_disks(f);
	signal(SIGUSR1, on_signal);
	/* SIW sends in our system calls, by sockets that the peer may have closed. */
	signal(SIGPIPE, SIG_IGN);
	printf("ready\n");
	fflush(stdout);
	serve(f);
	return 0;
}

int main(int argc, char **argv)
{
	static struct fake f;

	if (argc == 2 && !strcmp(argv[1], "list")) {
		list();
		return 0;
	}
	if (argc == 2 && !strcmp(argv[1], "key")) {
		keyed_print();
		return 0;
	}
	if (argc == 5 && !strcmp(argv[3], "mutate")) {
		random_seed(strtoull(argv[4], NULL, 0));
		return start(&f, argv);
	}
	if (argc != 4)
		report_die("usage: hostile-target list | key | ADDRESS PORT NAME [SEED]");
	f.act = find(argv[3]);
	if (!f.act)
		report_die("no act '%s'", argv[3]);
	return start(&f, argv);
}
