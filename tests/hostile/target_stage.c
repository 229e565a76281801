// SPDX-License-Identifier: GPL-2.0-only
/*
 * Acts about when: no answer, a late one, or a closed connection, at each stage
 * of a session; and what a refusal may look like.
 */
#include <string.h>
#include "target.h"

static void keep(struct fake *f, struct out *o)
{
	(void)f;
	o->copies = 0;
}

static void hang_up(struct fake *f, struct out *o)
{
	(void)f;
	o->copies = 0;
	o->link->hang_up = true;
}

/* Answered, and closed in the same breath. */
static void hang_up_after(struct fake *f, struct out *o)
{
	(void)f;
	o->last = true;
}

static void fall_silent(struct fake *f, struct out *o)
{
	(void)o;
	f->silent = true;
}

static void go_deaf(struct fake *f, struct out *o)
{
	(void)f;
	o->link->deaf = true;
}

static void dawdle(struct fake *f, struct out *o)
{
	(void)f;
	(void)o;
	verbs_sleep(4500);
}

static void dawdle_a_list(struct fake *f, struct out *o)
{
	struct rblk_wire_list_reply *r = (void *)o->buf;

	r->next = htole32(f->done);
	verbs_sleep(1500);
}

/* Every call is answered in time, and no more. */
static void tease(struct fake *f, struct out *o)
{
	struct rblk_wire_attach_reply *r = (void *)o->buf;

	(void)f;
	memset(r->uuid, 0, sizeof(*r) - sizeof(r->ctl));
	r->ctl.status = htole16(RBLK_CTL_AGAIN);
	verbs_sleep(4500);
}

static void refuse(struct out *o, uint16_t reason, uint8_t min, uint8_t max)
{
	struct rblk_wire_cm_rej *rej = (void *)o->buf;

	memset(o->buf, 0, o->len);
	rej->magic = htole32(RBLK_WIRE_MAGIC);
	rej->size = htole16(sizeof(*rej));
	rej->version_min = min;
	rej->version_max = max;
	rej->reason = htole16(reason);
	o->len = sizeof(*rej);
	o->refuse = true;
}

static void refuse_unknown(struct fake *f, struct out *o)
{
	(void)f;
	refuse(o, 0xfffe, 1, 1);
}

static void refuse_zero(struct fake *f, struct out *o)
{
	(void)f;
	refuse(o, 0, 1, 1);
}

static void refuse_version(struct fake *f, struct out *o)
{
	(void)f;
	refuse(o, RBLK_REJ_VERSION, 7, 9);
}

static void refuse_range(struct fake *f, struct out *o)
{
	(void)f;
	refuse(o, RBLK_REJ_VERSION, 9, 7);
}

static void refuse_garbage(struct fake *f, struct out *o)
{
	(void)f;
	memset(o->buf, 0xa5, 64);
	o->len = 64;
	o->refuse = true;
}

static void refuse_mutely(struct fake *f, struct out *o)
{
	(void)f;
	o->len = 0;
	o->refuse = true;
}

static void accept_garbage(struct fake *f, struct out *o)
{
	(void)f;
	memset(o->buf, 0xa5, o->len);
}

static void accept_mutely(struct fake *f, struct out *o)
{
	(void)f;
	o->len = 0;
}

static void accept_stub(struct fake *f, struct out *o)
{
	(void)f;
	o->len = 8;
}

#define AT(id, type, how, what, reason)					\
	{ .name = id, .at = type, .again = true, .expect = what,	\
	  .words = reason, .spoil = how }
#define SLOW(id, type, how, what, reason)				\
	{ .name = id, .at = type, .again = true, .expect = what,	\
	  .words = reason, .spoil = how, .long_form = true }

#define LOST	"lost|closed"

const struct act stage_acts[] = {
	AT("refuse-unknown", ACCEPTANCE, refuse_unknown, FAILS, "unknown reason"),
	AT("refuse-zero", ACCEPTANCE, refuse_zero, FAILS, "unknown reason"),
	AT("refuse-version", ACCEPTANCE, refuse_version, FAILS,
	   "no common protocol version"),
	AT("refuse-range", ACCEPTANCE, refuse_range, FAILS, "no rblk target"),
	AT("refuse-garbage", ACCEPTANCE, refuse_garbage, FAILS, "no rblk target"),
	AT("refuse-mutely", ACCEPTANCE, refuse_mutely, FAILS, "no rblk target"),
	AT("accept-garbage", ACCEPTANCE, accept_garbage, FAILS, "no rblk target"),
	AT("accept-mutely", ACCEPTANCE, accept_mutely, FAILS, "no rblk target"),
	AT("accept-stub", ACCEPTANCE, accept_stub, FAILS,
	   "no rblk target|no I/O connection"),
	AT("close-login", RBLK_MSG_LOGIN_REPLY, hang_up, FAILS, LOST),
	AT("close-after-login", RBLK_MSG_LOGIN_REPLY, hang_up_after, FAILS, LOST),
	AT("close-bind", RBLK_MSG_BIND_REPLY, hang_up, FAILS, LOST),
	AT("close-attach", RBLK_MSG_ATTACH_REPLY, hang_up, FAILS, LOST),
	AT("close-list", RBLK_MSG_LIST_REPLY, hang_up, LISTS, LOST),
	{ .name = "close-io", .at = RBLK_MSG_RESPONSE, .expect = RECOVERS,
	  .words = CLOSED, .spoil = hang_up },
	{ .name = "close-after-io", .at = RBLK_MSG_RESPONSE, .expect = RECOVERS,
	  .words = CLOSED, .spoil = hang_up_after },
	{ .name = "close-keepalive", .at = RBLK_MSG_KEEPALIVE_REPLY,
	  .expect = RECOVERS, .words = CLOSED, .spoil = hang_up },
	AT("close-detach", RBLK_MSG_DETACH_REPLY, hang_up, HARMLESS, NULL),
	AT("close-every-io", RBLK_MSG_RESPONSE, hang_up, FORCED, NULL),
	SLOW("silent-connect", ACCEPTANCE, keep, FAILS,
	     "no answer to the connection request|refused|failed"),
	SLOW("silent-login", RBLK_MSG_LOGIN_REPLY, keep, FAILS,
	     "did not answer the login"),
	SLOW("silent-bind", RBLK_MSG_BIND_REPLY, keep, FAILS,
	     "did not answer the binding"),
	SLOW("silent-attach", RBLK_MSG_ATTACH_REPLY, keep, FAILS,
	     "did not answer the attach"),
	SLOW("silent-list", RBLK_MSG_LIST_REPLY, keep, LISTS,
	     "did not answer the listing"),
	SLOW("silent-detach", RBLK_MSG_DETACH_REPLY, keep, HARMLESS, NULL),
	SLOW("silent-io", RBLK_MSG_RESPONSE, keep, FORCED, NULL),
	{ .name = "silent-when-told", .at = RBLK_MSG_RESPONSE, .again = true,
	  .told = true, .early = true, .expect = HARMLESS, .spoil = keep },
	SLOW("silent-io-for-ever", RBLK_MSG_RESPONSE, keep, ERRORS, NULL),
	{ .name = "silent-io-once", .at = RBLK_MSG_RESPONSE, .expect = RECOVERS,
	  .words = "not answered in time", .spoil = keep, .long_form = true },
	{ .name = "silent-scan", .at = RBLK_MSG_RESPONSE, .again = true,
	  .early = true, .expect = FAILS, .words = "partitions",
	  .spoil = keep, .long_form = true },
	{ .name = "silent-keepalive", .at = RBLK_MSG_KEEPALIVE_REPLY,
	  .expect = RECOVERS, .words = "does not answer control calls",
	  .spoil = keep, .long_form = true },
	SLOW("silent-all", RBLK_MSG_RESPONSE, fall_silent, FORCED, NULL),
	{ .name = "deaf-io", .at = RBLK_MSG_BIND_REPLY, .expect = RECOVERS,
	  .recvs = 3, .words = "not answered in time|closed|flushed|failed|error",
	  .spoil = go_deaf, .long_form = true },
	SLOW("slow-login", RBLK_MSG_LOGIN_REPLY, dawdle, HARMLESS, NULL),
	SLOW("slow-attach", RBLK_MSG_ATTACH_REPLY, dawdle, HARMLESS, NULL),
	SLOW("slow-again", RBLK_MSG_ATTACH_REPLY, tease, FAILS,
	     "former holder has not ended"),
	SLOW("slow-detach", RBLK_MSG_DETACH_REPLY, dawdle, HARMLESS, NULL),
	SLOW("slow-keepalive", RBLK_MSG_KEEPALIVE_REPLY, dawdle, RECOVERS,
	     "does not answer control calls"),
	SLOW("slow-list", RBLK_MSG_LIST_REPLY, dawdle_a_list, LISTS,
	     "within|no end|never ends"),
	{ .name = NULL },
};
