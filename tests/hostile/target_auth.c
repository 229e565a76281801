// SPDX-License-Identifier: GPL-2.0-only
/*
 * Acts about proofs and MACs: a target that does not have the key that it should, has
 * heard something else than what was said, or sends what it has not sent as its next
 * message.  Their names begin with "key-", so that the test wants a proof.
 */
#include <string.h>
#include "target.h"

#define ACT(name, ...)							\
	static void name(struct fake *f, struct out *o)			\
	{								\
		struct auth *a = &o->link->auth;			\
									\
		(void)f;						\
		(void)a;						\
		__VA_ARGS__;						\
	}
#define REPLY(name, ...)						\
	ACT(name, struct rblk_wire_login_reply *r = (void *)o->buf;	\
		uint8_t *tag = r->auth + 2 * AUTH_KEY; (void)tag; __VA_ARGS__)

/* What the proof is made of. */
ACT(other_pair, keyed_other(&a->own))
ACT(own_secret, random_bytes(a->own.secret, AUTH_KEY))
ACT(ephemeral_secret, random_bytes(a->ephemeral.secret, AUTH_KEY))
ACT(ephemeral_of_host, memcpy(a->ephemeral.public, a->peer_ephemeral, AUTH_KEY))
ACT(stray_psk, random_bytes(a->psk, AUTH_KEY))
ACT(another_host, a->peer[7] ^= 1)

/*
 * A point of small order in place of an ephemeral key. What comes of it is zero for
 * everybody, and so the proof is right: only who looks at the point finds it.
 */
#define LOW(n)								\
	ACT(low_##n, low_point_get(a->ephemeral.public, n); a->low = true)
LOW(0)
LOW(1)
LOW(2)
LOW(3)
LOW(4)
LOW(5)
LOW(6)
LOW(9)

/* The proof itself, and the message that has it. */
REPLY(tag_flipped, tag[3] ^= 0x10)
REPLY(tag_zero, memset(tag, 0, AUTH_TAG))
REPLY(tag_cut, tag[AUTH_TAG - 1] = 0; r->auth_len = htole16(2 * AUTH_KEY + AUTH_TAG - 1))
REPLY(tag_long, r->auth_len = htole16(2 * AUTH_KEY + AUTH_TAG + 1))
REPLY(tag_most, r->auth_len = htole16(0xffff))
REPLY(tag_behind, tag[AUTH_TAG] = 1)
REPLY(key_stray, r->key = 1)
REPLY(name_changed, strcpy(r->target_name, "another"))
REPLY(keepalive_changed, r->keepalive_ms = htole32(100000))
REPLY(ephemeral_changed, r->auth[0] ^= 2)
REPLY(shown_changed, r->auth[AUTH_KEY] ^= 2)
/* What the host has said, sent back. */
REPLY(reflected, memcpy(r->auth, a->peer_ephemeral, AUTH_KEY);
	memcpy(r->auth + AUTH_KEY, a->peer, AUTH_KEY))
REPLY(tag_none, r->auth_len = htole16(2 * AUTH_KEY))

/* As if keys were no matter: let in at once. */
static void let_in(struct fake *f, struct out *o)
{
	struct rblk_wire_login_reply *r = (void *)o->buf;

	(void)f;
	r->ctl.status = 0;
	r->key = htole64(0x6b6579);
	r->auth_len = 0;
	memset(r->auth, 0, sizeof(r->auth));
}

/* What the host has heard is not what is hashed. */
#define HEARD(name, ...)						\
	ACT(name, struct rblk_wire_cm_rep *rep = (void *)o->buf; __VA_ARGS__)
HEARD(nonce_changed, rep->nonce[0] ^= 1)
HEARD(features_changed, rep->features ^= htole32(RBLK_FEAT_HELD))
HEARD(max_io_changed, rep->max_io = htole32(65536))
HEARD(io_nonce_changed, rep->nonce[0] ^= !!o->link->qid)

/* This is hashed as it is sent: a grant of what a host with keys must not ask for. */
HEARD(immediates_granted, rep->features |= htole32(RBLK_FEAT_READ_IMM);
	o->link->v->macs.rep = *rep)

/* Ways to sign. */
static void not_at_all(struct link *l, char *msg, size_t *len)
{
	(void)l;
	(void)msg;
	(void)len;
}

static void ahead(struct link *l, char *msg, size_t *len)
{
	l->v->macs.tx.counter++;
	keyed_sign(l, msg, len);
}

static void behind(struct link *l, char *msg, size_t *len)
{
	l->v->macs.tx.counter--;
	keyed_sign(l, msg, len);
}

static void flipped(struct link *l, char *msg, size_t *len)
{
	keyed_sign(l, msg, len);
	msg[10] ^= 1;
}

static void mac_flipped(struct link *l, char *msg, size_t *len)
{
	keyed_sign(l, msg, len);
	msg[auth_mac_at(msg, *len)] ^= 1;
}

static void cut(struct link *l, char *msg, size_t *len)
{
	keyed_sign(l, msg, len);
	message_set_len(msg, --*len);
}

static void by_other_direction(struct link *l, char *msg, size_t *len)
{
	memcpy(l->v->macs.tx.key, l->v->macs.rx.key, sizeof(l->v->macs.tx.key));
	keyed_sign(l, msg, len);
}

static void by_control(struct link *l, char *msg, size_t *len)
{
	struct link *control = link_control(l->fake);

	if (control)
		memcpy(l->v->macs.tx.key, control->v->macs.tx.key,
		       sizeof(l->v->macs.tx.key));
	keyed_sign(l, msg, len);
}

static void by_other_io(struct link *l, char *msg, size_t *len)
{
	struct link *other = link_other(l);

	if (other)
		memcpy(l->v->macs.tx.key, other->v->macs.tx.key,
		       sizeof(l->v->macs.tx.key));
	else
		l->v->macs.tx.key[0] ^= 1;
	keyed_sign(l, msg, len);
}

/*
 * The session's first message of that type, byte by byte. What has no MAC yet could be
 * known by its number alone, and so that is this request's.
 */
static void of_former_epoch(struct link *l, char *msg, size_t *len)
{
	const struct past *past = keyed_past(l, msg);
	struct rblk_wire_ctl *ctl = (void *)msg;
	uint32_t xid = ctl->xid;

	if (!past)
		report_die("nothing of type %u in the former epoch", *msg);
	memcpy(msg, past->msg, past->len);
	*len = past->len;
	if (!l->v->macs.sends)
		ctl->xid = xid;
}

/* Where it would be if there were no data. */
static void behind_data(struct link *l, char *msg, size_t *len)
{
	message_set_len(msg, *len + AUTH_MAC);
	auth_mac_of(&l->v->macs.tx, msg, *len, l->v->macs.tx.counter, (uint8_t *)msg + *len);
	*len += AUTH_MAC;
}

/* MACs do not cover the data, so this is about what the MAC does cover. */
static void data_flag_gone(struct link *l, char *msg, size_t *len)
{
	keyed_sign(l, msg, len);
	msg[2] = 0;
}

/* The second time exactly as the first time. */
static void same(struct link *l, char *msg, size_t *len)
{
	static unsigned int turn;

	if (turn++ % 2)
		l->v->macs.tx.counter--;
	keyed_sign(l, msg, len);
}

#define SIGNS(name)							\
	ACT(sign_##name, o->sign = name)
SIGNS(not_at_all)
SIGNS(ahead)
SIGNS(behind)
SIGNS(flipped)
SIGNS(mac_flipped)
SIGNS(cut)
SIGNS(by_other_direction)
SIGNS(by_control)
SIGNS(by_other_io)
SIGNS(of_former_epoch)
SIGNS(behind_data)
SIGNS(data_flag_gone)
ACT(repeat, o->sign = same; o->copies = 2)
ACT(twice, o->copies = 2)
ACT(hang_up, o->copies = 0; o->link->hang_up = true)

/* What the initiator sent, once more. */
ACT(reflect, o->sign = not_at_all; o->inv = false; o->len = o->link->v->macs.last_len;
	memcpy(o->buf, o->link->v->macs.last, o->len))

/* A refusal, with a MAC or without. */
static void refuse(struct out *o, uint16_t status)
{
	struct rblk_wire_login_reply *r = (void *)o->buf;

	memset(o->buf + sizeof(r->ctl), 0, sizeof(*r) - sizeof(r->ctl));
	r->ctl.status = htole16(status);
}

ACT(refuse_signed, refuse(o, RBLK_CTL_SESSIONS))
ACT(refuse_unsigned, refuse(o, RBLK_CTL_AUTH); o->sign = not_at_all)
ACT(refuse_flipped, refuse(o, RBLK_CTL_SESSIONS); o->sign = flipped)
ACT(refuse_first, refuse(o, RBLK_CTL_KEY_UNKNOWN))
ACT(continue_again, refuse(o, RBLK_CTL_AUTH_CONTINUE); o->sign = not_at_all)

/* An event that is not what was sent next, before a good response. */
static void event(struct fake *f, void (*sign)(struct link *l, char *msg, size_t *len))
{
	static char buf[SEND_ROOM];
	struct out event = {
		.link = link_control(f), .buf = buf, .type = RBLK_MSG_EVENT,
		.len = sizeof(struct rblk_wire_event), .sign = sign,
	};
	struct rblk_wire_event *e;

	if (!event.link)
		return;
	e = message_ctl(buf, RBLK_MSG_EVENT, sizeof(*e), 0, 0);
	e->kind = htole16(RBLK_EVENT_REMOVED);
	e->volume = htole32(f->volume);
	link_send(&event);
}

static void event_unsigned(struct fake *f, struct out *o)
{
	(void)o;
	event(f, not_at_all);
}

static void event_ahead(struct fake *f, struct out *o)
{
	(void)o;
	event(f, ahead);
}

static void event_flipped(struct fake *f, struct out *o)
{
	(void)o;
	event(f, flipped);
}

#define NOT_NEXT	"has not sent as its next"
#define NO_PROOF	"could not prove its key"

#define FIRST(id, when, how, reason)					\
	{ .name = "key-" id, .at = when, .expect = FAILS, .again = true,	\
	  .lenient = true, .words = reason, .spoil = how }
#define ONCE(id, when, how)						\
	{ .name = "key-" id, .at = when, .expect = RECOVERS,		\
	  .words = NOT_NEXT, .spoil = how }
#define RESPONSE(id, how)	ONCE("response-" id, RBLK_MSG_RESPONSE, how)
#define INLINE(id, how)							\
	{ .name = "key-inline-" id, .at = RBLK_MSG_RESPONSE, .inl = true,	\
	  .expect = RECOVERS, .words = NOT_NEXT, .spoil = how }
#define LATER(id, when, how, reason)					\
	{ .name = "key-later-" id, .at = when, .expect = EXPIRES, .again = true, \
	  .late = true, .lenient = true, .words = reason, .spoil = how }
#define HASHED(id, how)							\
	{ .name = "key-hashed-" id, .at = ACCEPTANCE, .expect = FAILS, .again = true, \
	  .control = true, .lenient = true, .words = NO_PROOF, .spoil = how }

const struct act auth_acts[] = {
	{ .name = "key-honest", .expect = HARMLESS },
	{ .name = "key-inline-honest", .expect = HARMLESS },
	{ .name = "key-batch-honest", .expect = HARMLESS, .batch = true },
	{ .name = "key-close", .at = RBLK_MSG_RESPONSE, .expect = RECOVERS, .words = CLOSED,
	  .spoil = hang_up },
	FIRST("none", ANSWER, let_in, "without proving its key"),
	FIRST("other", PROVING, other_pair, "another key than it should"),
	FIRST("shown-changed", ANSWER, shown_changed, "another key than it should"),
	FIRST("shown-only", PROVING, own_secret, NO_PROOF),
	FIRST("ephemeral-secret", PROVING, ephemeral_secret, NO_PROOF),
	FIRST("ephemeral-of-host", PROVING, ephemeral_of_host, NO_PROOF),
	FIRST("low-order-0", PROVING, low_0, NO_PROOF),
	FIRST("low-order-1", PROVING, low_1, NO_PROOF),
	FIRST("low-order-2", PROVING, low_2, NO_PROOF),
	FIRST("low-order-3", PROVING, low_3, NO_PROOF),
	FIRST("low-order-4", PROVING, low_4, NO_PROOF),
	FIRST("low-order-5", PROVING, low_5, NO_PROOF),
	FIRST("low-order-6", PROVING, low_6, NO_PROOF),
	FIRST("low-order-2-high-bit", PROVING, low_9, NO_PROOF),
	FIRST("answer-reflected", ANSWER, reflected, "another key than it should"),
	FIRST("tag-none", ANSWER, tag_none, NULL),
	FIRST("ephemeral-changed", ANSWER, ephemeral_changed, NO_PROOF),
	FIRST("psk-stray", PROVING, stray_psk, NO_PROOF),
	FIRST("another-host", PROVING, another_host, NO_PROOF),
	FIRST("tag-flipped", ANSWER, tag_flipped, NO_PROOF),
	FIRST("tag-zero", ANSWER, tag_zero, NO_PROOF),
	FIRST("tag-cut", ANSWER, tag_cut, NULL),
	FIRST("tag-long", ANSWER, tag_long, NULL),
	FIRST("tag-most", ANSWER, tag_most, NULL),
	FIRST("tag-behind", ANSWER, tag_behind, NULL),
	FIRST("stray-session-key", ANSWER, key_stray, NULL),
	FIRST("name-changed", ANSWER, name_changed, NO_PROOF),
	FIRST("keepalive-changed", ANSWER, keepalive_changed, NO_PROOF),
	FIRST("event-early", ANSWER, event_unsigned, "event of a target that has not proved"),
	FIRST("refused-first", ANSWER, refuse_first, "no export of the target allows"),
	HASHED("nonce", nonce_changed),
	HASHED("features", features_changed),
	HASHED("max-io", max_io_changed),
	FIRST("hashed-io-nonce", ACCEPTANCE, io_nonce_changed, NOT_NEXT),
	FIRST("login-unsigned", RBLK_MSG_LOGIN_REPLY, sign_not_at_all, NOT_NEXT),
	FIRST("login-flipped", RBLK_MSG_LOGIN_REPLY, sign_flipped, NOT_NEXT),
	FIRST("login-ahead", RBLK_MSG_LOGIN_REPLY, sign_ahead, NOT_NEXT),
	FIRST("login-direction", RBLK_MSG_LOGIN_REPLY, sign_by_other_direction, NOT_NEXT),
	FIRST("login-repeated", RBLK_MSG_LOGIN_REPLY, repeat, NOT_NEXT),
	FIRST("login-twice", RBLK_MSG_LOGIN_REPLY, twice, "a reply to nothing"),
	FIRST("login-continue", RBLK_MSG_LOGIN_REPLY, continue_again, NULL),
	FIRST("refused-signed", RBLK_MSG_LOGIN_REPLY, refuse_signed, "sessions"),
	FIRST("refused-unsigned", RBLK_MSG_LOGIN_REPLY, refuse_unsigned, "prove their key"),
	FIRST("refused-flipped", RBLK_MSG_LOGIN_REPLY, refuse_flipped, NOT_NEXT),
	FIRST("bind-unsigned", RBLK_MSG_BIND_REPLY, sign_not_at_all, NOT_NEXT),
	FIRST("bind-ahead", RBLK_MSG_BIND_REPLY, sign_ahead, NOT_NEXT),
	FIRST("bind-by-control", RBLK_MSG_BIND_REPLY, sign_by_control, NOT_NEXT),
	FIRST("bind-reflected", RBLK_MSG_BIND_REPLY, reflect, NOT_NEXT),
	FIRST("attach-unsigned", RBLK_MSG_ATTACH_REPLY, sign_not_at_all, NOT_NEXT),
	FIRST("attach-flipped", RBLK_MSG_ATTACH_REPLY, sign_flipped, NOT_NEXT),
	RESPONSE("unsigned", sign_not_at_all), RESPONSE("ahead", sign_ahead),
	RESPONSE("behind", sign_behind), RESPONSE("flipped", sign_flipped),
	RESPONSE("mac-flipped", sign_mac_flipped), RESPONSE("cut", sign_cut),
	RESPONSE("direction", sign_by_other_direction),
	RESPONSE("by-control", sign_by_control), RESPONSE("reflected", reflect),
	RESPONSE("by-other-io", sign_by_other_io),
	/* What it invalidates is gone: the transport may be the first to say so. */
	{ .name = "key-response-repeated", .at = RBLK_MSG_RESPONSE, .expect = RECOVERS,
	  .words = NOT_NEXT "|" CLOSED "|failed", .spoil = repeat },
	INLINE("unsigned", sign_not_at_all), INLINE("behind-data", sign_behind_data),
	INLINE("flag-gone", sign_data_flag_gone), INLINE("ahead", sign_ahead),
	ONCE("keepalive-unsigned", RBLK_MSG_KEEPALIVE_REPLY, sign_not_at_all),
	ONCE("keepalive-repeated", RBLK_MSG_KEEPALIVE_REPLY, repeat),
	ONCE("event-unsigned", RBLK_MSG_RESPONSE, event_unsigned),
	ONCE("event-ahead", RBLK_MSG_RESPONSE, event_ahead),
	ONCE("event-flipped", RBLK_MSG_RESPONSE, event_flipped),
	/* An immediate has no MAC, so it can be no answer. */
	{ .name = "key-immediate", .at = RBLK_MSG_RESPONSE, .op = RBLK_OP_READ,
	  .provider = "rxe", .expect = RECOVERS, .spoil = imm_unasked,
	  .words = "asked for none|unexpected kind" },
	{ .name = "key-immediate-for-write", .at = RBLK_MSG_RESPONSE, .op = RBLK_OP_WRITE,
	  .provider = "rxe", .expect = RECOVERS, .spoil = imm_unasked,
	  .words = "asked for none|unexpected kind" },
	{ .name = "key-immediate-granted", .at = ACCEPTANCE, .provider = "rxe",
	  .expect = FAILS, .again = true, .spoil = immediates_granted,
	  .words = "granted more" },
	{ .name = "key-list-unsigned", .at = RBLK_MSG_LIST_REPLY, .expect = LISTS,
	  .again = true, .lenient = true, .words = NOT_NEXT, .spoil = sign_not_at_all },
	{ .name = "key-list-flipped", .at = RBLK_MSG_LIST_REPLY, .expect = LISTS,
	  .again = true, .lenient = true, .words = NOT_NEXT, .spoil = sign_flipped },
	{ .name = "key-list-none", .at = ANSWER, .expect = LISTS, .again = true,
	  .lenient = true, .words = "without proving its key", .spoil = let_in },
	{ .name = "key-list-other", .at = PROVING, .expect = LISTS, .again = true,
	  .lenient = true, .words = "another key than it should", .spoil = other_pair },
	LATER("other", PROVING, other_pair, "another key than it should"),
	LATER("none", ANSWER, let_in, "without proving its key"),
	LATER("tag-flipped", ANSWER, tag_flipped, NO_PROOF),
	LATER("login-unsigned", RBLK_MSG_LOGIN_REPLY, sign_not_at_all, NOT_NEXT),
	LATER("answer-of-former", ANSWER, sign_of_former_epoch, NO_PROOF),
	LATER("login-of-former", RBLK_MSG_LOGIN_REPLY, sign_of_former_epoch, NOT_NEXT),
	LATER("bind-of-former", RBLK_MSG_BIND_REPLY, sign_of_former_epoch, NOT_NEXT),
	{ .name = "key-response-of-former", .at = RBLK_MSG_RESPONSE, .expect = RECOVERS,
	  .late = true, .words = NOT_NEXT, .spoil = sign_of_former_epoch },
	LATER("attach-of-former", RBLK_MSG_ATTACH_REPLY, sign_of_former_epoch, NOT_NEXT),
	{ .name = NULL },
};
