// SPDX-License-Identifier: GPL-2.0-only
/*
 * Acts about several ATTACHes on their way at once.  Answers are held until no
 * more requests come, and an act arranges them before they are sent: in another
 * order, twice, for another request, with another's volume, or not at all.
 */
#include <string.h>
#include "target.h"

/*
 * The initiator waits for all answers, so who has been still has sent all.  One
 * that is alone is kept for longer: others may gather there behind it.
 */
#define STILL_MS	150
#define ALONE_MS	3000
#define LAST(h)		((h)->nr - 1)

/**
 * many_hold - keep an answer to ATTACH until those of others are there
 * @l: where it goes
 * @msg: it
 */
void many_hold(struct link *l, const void *msg)
{
	struct held *h = &l->fake->held;

	if (h->link != l)
		h->nr = 0;
	if (h->nr == MANY_MOST)
		report_die("more than %u ATTACHes at once", MANY_MOST);
	h->link = l;
	h->since = verbs_now();
	memcpy(h->msg[h->nr++], msg, message_len(msg));
}

/**
 * many_drop - the link is closed: what is held for it goes nowhere
 * @l: the link
 */
void many_drop(struct link *l)
{
	struct held *h = &l->fake->held;

	if (h->link == l)
		memset(h, 0, sizeof(*h));
}

/* Whether what is held now, or what comes next, is what the act is about. */
static bool is_due(const struct fake *f)
{
	const struct act *a = f->act;

	return a->arrange && !f->done && !(a->late && f->epoch == f->first_epoch);
}

/* The first of all attaches is alone on purpose. */
static bool is_held(const struct fake *f)
{
	bool alone = f->held.nr == 1 && f->volume > 1 && is_due(f);

	return verbs_now() - f->held.since < (alone ? ALONE_MS : STILL_MS);
}

/**
 * many_send - send what has been held for long enough
 * @f: the target
 */
void many_send(struct fake *f)
{
	struct held *h = &f->held;
	unsigned int i;

	if (!h->nr || is_held(f))
		return;
	if (h->nr > 1 && is_due(f)) {
		f->done++;
		f->act->arrange(h);
	}
	for (i = 0; i < h->nr; i++) {
		struct out o = {
			.link = h->link, .buf = h->msg[i],
			.type = ((struct rblk_wire_hdr *)h->msg[i])->type,
			.len = message_len(h->msg[i]),
			.last = h->close && i == LAST(h),
		};

		link_send(&o);
	}
	memset(h, 0, sizeof(*h));
}

static struct rblk_wire_attach_reply *reply(struct held *h, unsigned int i)
{
	return (struct rblk_wire_attach_reply *)h->msg[i];
}

static void exchange(struct held *h, unsigned int i, unsigned int j)
{
	char msg[sizeof(h->msg[0])];

	memcpy(msg, h->msg[i], sizeof(msg));
	memcpy(h->msg[i], h->msg[j], sizeof(msg));
	memcpy(h->msg[j], msg, sizeof(msg));
}

static void refuse(struct held *h, uint16_t status, const char *holder)
{
	struct rblk_wire_attach_reply *r = reply(h, LAST(h));

	memset(r->uuid, 0, sizeof(*r) - sizeof(r->ctl));
	r->ctl.status = htole16(status);
	strcpy(r->holder, holder);
}

static void backwards(struct held *h)
{
	unsigned int i;

	for (i = 0; i < h->nr / 2; i++)
		exchange(h, i, LAST(h) - i);
}

/* Of as many answers as are awaited the last then comes to nothing. */
static void twice(struct held *h)
{
	memmove(h->msg[1], h->msg[0], h->nr * sizeof(h->msg[0]));
	h->nr++;
}

static void twice_and_once_less(struct held *h)
{
	memcpy(h->msg[LAST(h)], h->msg[0], sizeof(h->msg[0]));
}

/* That of the LOGIN, which has been answered. */
static void old_xid(struct held *h)
{
	reply(h, LAST(h))->ctl.xid = htole32(1);
}

static void next_xid(struct held *h)
{
	reply(h, 0)->ctl.xid = htole32(le32toh(reply(h, LAST(h))->ctl.xid) + 1);
}

static void same_handle(struct held *h)
{
	reply(h, LAST(h))->volume = reply(h, 0)->volume;
}

/* Of the first, which was attached before these. */
static void known_handle(struct held *h)
{
	reply(h, 0)->volume = htole32(1);
}

/* All but what says which request each answers. */
static void swapped(struct held *h)
{
	struct rblk_wire_ctl first = reply(h, 0)->ctl, last = reply(h, LAST(h))->ctl;

	exchange(h, 0, LAST(h));
	reply(h, 0)->ctl = first;
	reply(h, LAST(h))->ctl = last;
}

/* More than an initiator has room for that waits for eight. */
static void too_long(struct held *h)
{
	message_set_len(h->msg[0], RBLK_WIRE_CTRL_MAX / 8 + 8);
}

static void other_kind(struct held *h)
{
	reply(h, LAST(h))->ctl.hdr.type = RBLK_MSG_DETACH_REPLY;
}

static void one_less(struct held *h)
{
	h->nr--;
}

static void close_amid(struct held *h)
{
	h->nr = 1;
	h->close = true;
}

static void one_busy(struct held *h)
{
	refuse(h, RBLK_CTL_BUSY, "someone");
}

static void one_later(struct held *h)
{
	refuse(h, RBLK_CTL_AGAIN, "");
}

/* Volumes that it has not been granted yet are withdrawn. */
static void removed_first(struct held *h)
{
	struct rblk_wire_event *e;

	memmove(h->msg[1], h->msg[0], h->nr * sizeof(h->msg[0]));
	h->nr++;
	e = message_ctl(h->msg[0], RBLK_MSG_EVENT, sizeof(*e), 0, 0);
	e->kind = htole16(RBLK_EVENT_REMOVED);
	e->volume = reply(h, LAST(h))->volume;
}

#define MANY(id, how, what, reason)					\
	{ .name = "many-" id, .many = true, .expect = what, .words = reason,	\
	  .arrange = how }
#define LATE(id, how, reason)						\
	{ .name = "many-late-" id, .many = true, .late = true,		\
	  .expect = MANY_RECOVER_ALL, .words = reason, .arrange = how }

#define OTHER	"reply to another request"
#define HANDLE	"handle of another volume"

const struct act many_acts[] = {
	MANY("honest", NULL, MANY_HARMLESS, NULL),
	MANY("backwards", backwards, MANY_HARMLESS, NULL),
	MANY("one-later", one_later, MANY_HARMLESS, NULL),
	MANY("removed-first", removed_first, MANY_HARMLESS, NULL),
	MANY("one-busy", one_busy, MANY_REFUSED, "is held by host someone"),
	MANY("swapped", swapped, MANY_REFUSED, "has another UUID"),
	MANY("twice", twice, MANY_RECOVERS, OTHER "|reply to nothing"),
	MANY("twice-and-once-less", twice_and_once_less, MANY_RECOVERS, OTHER),
	MANY("old-xid", old_xid, MANY_RECOVERS, OTHER),
	MANY("next-xid", next_xid, MANY_RECOVERS, OTHER),
	MANY("same-handle", same_handle, MANY_RECOVERS, HANDLE),
	MANY("known-handle", known_handle, MANY_RECOVERS, HANDLE),
	MANY("too-long", too_long, MANY_RECOVERS, "too long"),
	MANY("other-kind", other_kind, MANY_RECOVERS, "another kind"),
	MANY("close-amid", close_amid, MANY_RECOVERS, CLOSED "|lost during"),
	{ .name = "many-one-less", .many = true, .expect = MANY_RECOVERS,
	  .words = "not answer", .arrange = one_less, .long_form = true },
	LATE("backwards", backwards, CLOSED),
	LATE("same-handle", same_handle, HANDLE),
	{ .name = "many-late-swapped", .many = true, .late = true,
	  .expect = MANY_STRANGERS, .words = "has another UUID", .arrange = swapped },
	{ .name = NULL },
};
