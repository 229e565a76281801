// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registrations under any row of changes, by up to 256 hosts with 8 devices each: the state
 * stays one that could be recorded, what is refused changes nothing, nobody gets a right
 * that the type does not give, and nobody loses his registration by his own preemption.
 */
#include "fuzz.h"
#include "../../target/proto/reservation.c"

/* A change in the input.  @type: its high bit says who only reads; @key's: which device. */
struct step {
	u8 who;
	u8 action;
	u8 type;
	u8 key;
	u8 new_key;
};

static void fill(struct rblkt_resv_ask *ask, const struct step *step, u64 number)
{
	memset(ask, 0, sizeof(*ask));
	/* The six types and seven actions, which a check lets pass; and who only reads. */
	ask->action = 1 + step->action % RBLK_RESV_ACTION_LAST;
	ask->type = 1 + step->type % RBLK_RESV_TYPE_LAST;
	ask->may_write = !(step->type & 0x80);
	ask->key = step->key & 7;
	ask->new_key = step->new_key & 7;
	ask->source = 1 + (step->key >> 5);
	ask->number = number;
	ask->who.host[3] = step->who;
	ask->who.name[0] = 'h';
}

static bool all_hold(u8 type)
{
	return type >= 5;
}

/* Written anew: what a host may do. */
static u8 denied(struct rblkt_resv *resv, const u8 *host)
{
	const struct rblkt_registrant *who = rblkt_resv_find(resv, host);
	bool exempt = resv->type >= 3 ? !!who : who && who->holds;

	if (!resv->type || exempt)
		return 0;
	/* The even ones keep readers out, too. */
	return resv->type % 2 ? RBLKT_DENY_WRITE : RBLKT_DENY_WRITE | RBLKT_DENY_READ;
}

static void changed(struct rblkt_resv *resv, const struct rblkt_resv *before,
		    const struct rblkt_resv_ask *ask)
{
	bool counts = ask->action != RBLK_RESV_RESERVE && ask->action != RBLK_RESV_RELEASE;
	const struct rblkt_registrant *who = rblkt_resv_find(resv, ask->who.host);
	u32 i;

	MUST(rblkt_resv_sound(resv));
	MUST(resv->generation == before->generation + counts);
	if (ask->action == RBLK_RESV_PREEMPT || ask->action == RBLK_RESV_PREEMPT_ABORT) {
		MUST(who && who->key == ask->key);
		for (i = 0; i < resv->nr; i++)
			MUST(&resv->registrant[i] == who || !ask->new_key ||
			     resv->registrant[i].key != ask->new_key);
		MUST(ask->new_key || all_hold(before->type));
	}
	if (ask->action <= RBLK_RESV_REGISTER_IGNORE)
		MUST(ask->new_key ? who && who->key == ask->new_key : !who);
	if (ask->action == RBLK_RESV_CLEAR)
		MUST(!resv->nr && !resv->type);
}

/* The last change of a source is remembered, once, and the newest is first. */
static void remembered(struct rblkt_resv *resv, const struct rblkt_resv_ask *ask)
{
	u32 i, j, own = 0, all = 0;

	MUST(rblkt_resv_last(resv, ask) == &resv->last[0]);
	MUST(resv->last[0].number == ask->number);
	for (i = 0; i < RBLKT_RESV_LAST; i++) {
		const struct rblkt_resv_last *last = &resv->last[i];

		if (!last->number)
			continue;
		MUST(i == all++);
		MUST(!i || last->number < last[-1].number);
		own += !memcmp(last->host, ask->who.host, sizeof(last->host));
		for (j = 0; j < i; j++)
			MUST(last->source != resv->last[j].source ||
			     memcmp(last->host, resv->last[j].host, sizeof(last->host)));
	}
	MUST(own <= RBLKT_RESV_LAST_EACH);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static struct rblkt_resv resv, before;
	struct rblkt_resv_result result;
	struct rblkt_resv_ask ask;
	struct step step;
	u64 number = 0;

	memset(&resv, 0, sizeof(resv));
	for (; size >= sizeof(step); data += sizeof(step), size -= sizeof(step)) {
		memcpy(&step, data, sizeof(step));
		fill(&ask, &step, ++number);
		before = resv;
		rblkt_resv_decide(&resv, &ask, &result);
		MUST(result.status <= RBLK_CTL_LAST);
		MUST(!result.changed || !result.status);
		if (result.changed)
			changed(&resv, &before, &ask);
		else
			MUST(!memcmp(&resv, &before, sizeof(resv)));
		rblkt_resv_remember(&resv, &ask, result.status);
		remembered(&resv, &ask);
		MUST(rblkt_resv_denies(&resv, ask.who.host) == denied(&resv, ask.who.host));
	}
	return 0;
}
