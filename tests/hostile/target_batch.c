// SPDX-License-Identifier: GPL-2.0-only
/*
 * Acts about several answers in one message, which a target gives that was sent
 * several commands in one: too few or too many for what the message says, twice
 * the same, one that is wrong behind others that are right, and one that must
 * have come by itself.
 */
#include <string.h>
#include "target.h"

static struct rblk_wire_rsp *answer(const struct out *o, unsigned int i)
{
	return (struct rblk_wire_rsp *)(o->buf + sizeof(struct rblk_wire_hdr)) + i;
}

/* How many there are; where there is only one the act waits for the next. */
static unsigned int several(struct fake *f, const struct out *o)
{
	const struct rblk_wire_hdr *hdr = (const void *)o->buf;

	if (hdr->count < 2)
		f->done--;
	return hdr->count < 2 ? 0 : hdr->count;
}

static void resize(struct out *o, unsigned int nr)
{
	o->len = sizeof(struct rblk_wire_hdr) + nr * sizeof(struct rblk_wire_rsp);
	message_set_len(o->buf, o->len);
}

static void same_tag(struct fake *f, struct out *o)
{
	unsigned int nr = several(f, o);

	if (nr)
		*answer(o, nr - 1) = *answer(o, 0);
}

static void stale_last(struct fake *f, struct out *o)
{
	unsigned int nr = several(f, o);
	struct rblk_wire_rsp *last;

	if (!nr)
		return;
	last = answer(o, nr - 1);
	last->gen = htole16(le16toh(last->gen) - 1);
}

/* The message ends before its last answer, and says so. */
static void less_than_count(struct fake *f, struct out *o)
{
	unsigned int nr = several(f, o);

	if (nr)
		resize(o, nr - 1);
}

/* In the middle of it. */
static void half_an_answer(struct fake *f, struct out *o)
{
	if (!several(f, o))
		return;
	o->len -= sizeof(struct rblk_wire_rsp) / 2;
	message_set_len(o->buf, o->len);
}

static void more_than_count(struct fake *f, struct out *o)
{
	unsigned int nr = several(f, o);

	if (nr)
		((struct rblk_wire_hdr *)o->buf)->count = nr - 1;
}

/* More than a message may have, of a length that there is room for. */
static void too_many(struct fake *f, struct out *o)
{
	unsigned int nr = several(f, o), i;

	if (!nr)
		return;
	for (i = nr; i <= RBLK_WIRE_MAX_BATCH; i++)
		*answer(o, i) = *answer(o, 0);
	((struct rblk_wire_hdr *)o->buf)->count = i;
	resize(o, i);
}

/* With the answer to one write that to another, whose key stays valid. */
static void with_another(struct fake *f, struct out *o)
{
	const struct rblk_wire_cmd *other = &o->link->cmds[o->link->last];

	if (other->tag == o->cmd->tag || !other->rkey || other->op != o->cmd->op) {
		f->done--;
		return;
	}
	*answer(o, 1) = *answer(o, 0);
	answer(o, 1)->tag = other->tag;
	answer(o, 1)->gen = other->gen;
	answer(o, 1)->length = other->length;
	((struct rblk_wire_hdr *)o->buf)->count = 2;
	resize(o, 2);
}

/* Of discards, as they have no key: all of a message can be answered in one. */
#define DISCARDS(id, how, reason)					\
	{ .name = id, .at = RBLK_MSG_RESPONSE, .op = RBLK_OP_DISCARD,	\
	  .batch = true, .expect = RECOVERS, .words = reason, .spoil = how }

#define COUNT	"count and length of a message disagree"

const struct act batch_acts[] = {
	{ .name = "batch-honest", .batch = true, .imm = true, .expect = HARMLESS },
	DISCARDS("batch-same-tag", same_tag, "not out|generation"),
	DISCARDS("batch-stale-last", stale_last, "another generation"),
	DISCARDS("batch-less", less_than_count, COUNT),
	DISCARDS("batch-half", half_an_answer, COUNT),
	DISCARDS("batch-more", more_than_count, COUNT),
	/* Only a host that has inline reads receives so much. */
	DISCARDS("inline-batch-too-many", too_many, "too many responses"),
	{ .name = "batch-with-another", .at = RBLK_MSG_RESPONSE,
	  .op = RBLK_OP_WRITE, .batch = true, .expect = RECOVERS,
	  .words = "does not invalidate", .spoil = with_another },
	{ .name = NULL },
};
