// SPDX-License-Identifier: GPL-2.0-only
/*
 * The areas of the target's memory that we may write to by RDMA: the slots and
 * the window.  What is wrong for one is wrong for the other.
 */
#include <stdio.h>
#include "host.h"

/**
 * area_refused - send what is in the send area, which is a violation
 * @s: whose; is closed
 * @want: the violation, as the log has it
 *
 * Return: what is wrong, or NULL.
 */
const char *area_refused(struct sess *s, const char *want)
{
	struct verbs *v = s->io[1];
	const char *why = NULL;

	watch_begin();
	if (verbs_send(v, message_len(v->out)))
		why = "can't send";
	else if (!verbs_gone(v, WAIT_MS))
		why = "the connection lives";
	sess_close(s);
	return why ? why : watch_end(want, want + strlen("violation: "));
}

/* RDMA that is not for this session's area. */
struct area_case {
	const char *name;
	int opcode;
	bool end;		/* @at is from the area's end */
	int64_t at;
	size_t len;
	uint32_t key;		/* other bits of the rkey */
};

static const struct area_case cases[] = {
	{ "before", IBV_WR_RDMA_WRITE, false, -64, 64, 0 },
	{ "into", IBV_WR_RDMA_WRITE, false, -64, 128, 0 },
	{ "behind", IBV_WR_RDMA_WRITE, true, 0, 64, 0 },
	{ "across", IBV_WR_RDMA_WRITE, true, -64, 128, 0 },
	{ "far", IBV_WR_RDMA_WRITE, false, 1ll << 40, 64, 0 },
	{ "other-key", IBV_WR_RDMA_WRITE, false, 0, 64, 1 },
	{ "read", IBV_WR_RDMA_READ, false, 0, 64, 0 },
};

static const char *ends(struct sess *s, uint64_t addr, uint32_t rkey, size_t len)
{
	watch_begin();
	if (slot_rdma(s, IBV_WR_RDMA_WRITE, 1, len, addr, rkey))
		return "can't send";
	if (!verbs_gone(s->io[1], WAIT_MS))
		return "the connection lives";
	return watch_broken(s->io[1]);
}

static const char *outside(area_of *of, const struct area_case *c)
{
	const char *why = NULL;
	struct area area;
	uint64_t addr;
	struct sess s;

	if (slot_open(&s))
		return "can't begin";
	area = of(&s);
	addr = area.addr + c->at + (c->end ? area.bytes : 0);
	/* It may not even leave here: the target takes no RDMA READs. */
	if (c->opcode != IBV_WR_RDMA_READ)
		why = ends(&s, addr, area.rkey ^ c->key, c->len);
	else if (!slot_rdma(&s, c->opcode, 1, c->len, addr, area.rkey) &&
		 verbs_sent(s.io[1], 500) == IBV_WC_SUCCESS)
		why = "it can be read";
	sess_close(&s);
	return why;
}

/* The area of a session that is over, or of another one that is not. */
static const char *of_another(area_of *of, bool over)
{
	struct sess s, other;
	struct area area;
	const char *why;

	if (slot_open(&other))
		return "can't begin";
	area = of(&other);
	if (over)
		sess_close(&other);
	else
		sess_detach(&other, other.volume);
	if (slot_open(&s))
		return "can't begin again";
	why = ends(&s, area.addr, area.rkey, 64);
	if (!why && !over &&
	    sess_run(&other, other.io[1], RBLK_OP_FLUSH, 0) != RBLK_STATUS_GONE)
		why = "the other session is not well";
	sess_close(&s);
	if (!over)
		sess_close(&other);
	return why;
}

/**
 * area_cases - RDMA that is not for the area
 * @prefix: of the cases' names
 * @of: finds a session's area
 */
void area_cases(const char *prefix, area_of *of)
{
	char name[64];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		snprintf(name, sizeof(name), "%s-%s", prefix, cases[i].name);
		if (!report_skips(name))
			report_case(name, outside(of, &cases[i]));
	}
	snprintf(name, sizeof(name), "%s-of-another", prefix);
	report_case(name, of_another(of, false));
	snprintf(name, sizeof(name), "%s-of-the-past", prefix);
	report_case(name, of_another(of, true));
}
