// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reservations: hosts that share an export and take it from each other.  The export is
 * on tests/faults/rblk_hold.
 */
#include <stdio.h>
#include "host.h"

static const int access_status[] = { RBLK_STATUS_RESV_CONFLICT, RBLK_STATUS_OK };

/**
 * reserve_fill - a good RESERVE in the send area
 * @v: a control connection
 * @action: RBLK_RESV_*
 * @type: likewise, or 0
 * @key: the host's
 * @new_key: the other one
 */
struct rblk_wire_reserve *reserve_fill(struct verbs *v, int action, int type, uint64_t key,
				       uint64_t new_key)
{
	struct rblk_wire_reserve *msg = sess_ctl(v, RBLK_MSG_RESERVE, sizeof(*msg));

	msg->action = action;
	msg->type = type;
	random_bytes(&msg->source, sizeof(msg->source));
	msg->number = htole64(1);
	msg->key = htole64(key);
	msg->new_key = htole64(new_key);
	return msg;
}

/* An event instead of an answer: remember it, and wait for the next message. */
static const void *past_events(struct player *p, const void *msg)
{
	static __thread char copy[RBLK_WIRE_CTRL_MAX];
	const struct rblk_wire_event *event = msg;
	struct verbs *v = p->s.control;

	while (event && event->ctl.hdr.type == RBLK_MSG_EVENT) {
		if (event->kind == htole16(RBLK_EVENT_RESERVATION))
			p->why |= le32toh(event->why);
		event = keyed_receive(v, WAIT_MS, NULL);
		if (!event)
			break;
		memcpy(copy, event, sizeof(copy));
		if (verbs_post_recv(v, v->wc.wr_id))
			return NULL;
		event = (const void *)copy;
	}
	return event;
}

static const void *ask(struct player *p, size_t len)
{
	return past_events(p, sess_call(p->s.control, len));
}

/**
 * player_change - a RESERVE, and the status of its answer
 * @source: 0 for one that nobody has used
 */
int player_change(struct player *p, int action, int type, uint64_t key, uint64_t new_key,
		  uint64_t source, uint64_t number)
{
	struct rblk_wire_reserve *msg = reserve_fill(p->s.control, action, type, key, new_key);
	const struct rblk_wire_ctl *rep;

	msg->volume = htole32(p->s.volume);
	if (source)
		msg->source = htole64(source);
	msg->number = htole64(number);
	rep = ask(p, sizeof(*msg));
	if (!rep || rep->hdr.type != RBLK_MSG_RESERVE_REPLY || rep->xid != htole32(7) ||
	    message_len(rep) != sizeof(*rep) || rep->reserved)
		return -1;
	return le16toh(rep->status);
}

/**
 * player_reserve_as - the same as the first change of a source, or again
 */
int player_reserve_as(struct player *p, int action, int type, uint64_t key,
		      uint64_t new_key, uint64_t source)
{
	return player_change(p, action, type, key, new_key, source, 1);
}

/**
 * player_reserve - the same with the key that the host has, as a new change
 */
int player_reserve(struct player *p, int action, int type, uint64_t new_key)
{
	return player_reserve_as(p, action, type, p->key, new_key, 0);
}

/**
 * player_join - register
 */
int player_join(struct player *p)
{
	return player_reserve_as(p, RBLK_RESV_REGISTER, 0, 0, p->key, 0);
}

/**
 * player_attach - ATTACH, once
 */
int player_attach(struct player *p, uint32_t access)
{
	const struct rblk_wire_attach_reply *rep;

	sess_fill_attach(p->s.control, host_export, access);
	rep = ask(p, sizeof(struct rblk_wire_attach));
	if (!rep)
		return -1;
	if (!rep->ctl.status)
		p->s.volume = le32toh(rep->volume);
	return le16toh(rep->ctl.status);
}

/**
 * player_attach_in_time - ATTACH until the fence is down
 */
int player_attach_in_time(struct player *p, uint32_t access)
{
	uint64_t end = verbs_now() + WAIT_MS;
	int status;

	do {
		status = player_attach(p, access);
		if (status != RBLK_CTL_AGAIN)
			break;
		verbs_sleep(5);
	} while (verbs_now() < end);
	return status;
}

/**
 * player_enter - a session of the host that a player was made for
 */
int player_enter(struct player *p, uint32_t access)
{
	int ret = sess_control(&p->s);

	if (!ret)
		ret = sess_login(&p->s);
	if (!ret)
		ret = player_attach_in_time(p, access);
	return ret ? ret : sess_io(&p->s, 1);
}

/**
 * player_open - a player, with a session
 */
int player_open(struct player *p, unsigned int nr)
{
	memset(p, 0, sizeof(*p));
	sess_init(&p->s);
	p->s.features = RBLK_FEAT_RESERVATION;
	p->key = 0xbead000000000000ull + nr;
	return player_enter(p, PLAYER_SHARED);
}

static int open_players(struct player *p, unsigned int nr)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; !ret && i < nr; i++)
		ret = player_open(&p[i], i + 1);
	return ret;
}

/* Nothing stays registered. */
static void close_players(struct player *p, unsigned int nr)
{
	unsigned int i;

	if (nr && p[0].s.control &&
	    !player_reserve_as(&p[0], RBLK_RESV_REGISTER_IGNORE, 0, 0, p[0].key, 0))
		player_reserve(&p[0], RBLK_RESV_CLEAR, 0, 0);
	for (i = 0; i < nr; i++)
		sess_close(&p[i].s);
}

/**
 * player_write_begin - send a WRITE, and do not wait for its answer
 */
int player_write_begin(struct sess *s, unsigned char byte)
{
	struct verbs *v = s->io[1];
	struct rblk_wire_cmd *c;

	memset(v->data, byte, PLAYER_BYTES);
	c = sess_fill(s, v, RBLK_OP_WRITE);
	c->lba = htole64(PLAYER_LBA);
	return verbs_send(v, message_len(v->out));
}

/**
 * player_write - send a WRITE, and wait for its status
 */
int player_write(struct sess *s, unsigned char byte)
{
	if (player_write_begin(s, byte) || verbs_sent(s->io[1], WAIT_MS))
		return -1;
	return sess_status(s->io[1], WAIT_MS);
}

/**
 * player_wants - what is wrong with a status, or NULL
 */
const char *player_wants(const char *what, int got, int want)
{
	return got == want ? NULL : report_why("%s is answered %d, not %d", what, got, want);
}

/**
 * player_report - one page of the report, checked for itself
 */
const struct rblk_wire_reservation_reply *player_report(struct player *p, uint32_t start)
{
	struct rblk_wire_reservation *msg =
		sess_ctl(p->s.control, RBLK_MSG_RESERVATION, sizeof(*msg));
	const struct rblk_wire_reservation_reply *rep;

	msg->volume = htole32(p->s.volume);
	msg->start = htole32(start);
	rep = ask(p, sizeof(*msg));
	if (!rep || rep->ctl.hdr.type != RBLK_MSG_RESERVATION_REPLY ||
	    message_len(rep) != sizeof(*rep) + le32toh(rep->nr) * sizeof(rep->entry[0]))
		return NULL;
	return rep;
}

/**
 * player_sees - what is wrong with the report, or NULL
 */
const char *player_sees(struct player *p, unsigned int total, int type)
{
	const struct rblk_wire_reservation_reply *rep = player_report(p, 0);

	if (!rep)
		return "no report";
	if (le32toh(rep->total) != total || rep->type != type)
		return report_why("%u registrants and type %u, not %u and %d",
				  le32toh(rep->total), rep->type, total, type);
	return NULL;
}

/* Statuses, in an order in which each state is there once. */
static const char *answers(struct player *p)
{
	const struct step {
		const char *what;
		int who, action, type;
		uint64_t key, new_key;
		int want;
	} steps[] = {
		{ "RESERVE by a stranger", 0, RBLK_RESV_RESERVE, 1, p[0].key, 0,
		  RBLK_CTL_CONFLICT },
		{ "CLEAR by a stranger", 0, RBLK_RESV_CLEAR, 0, 0, 0, RBLK_CTL_CONFLICT },
		{ "REGISTER with a foreign key", 0, RBLK_RESV_REGISTER, 0, p[1].key, 5,
		  RBLK_CTL_CONFLICT },
		{ "REGISTER", 0, RBLK_RESV_REGISTER, 0, 0, p[0].key, 0 },
		{ "REGISTER", 1, RBLK_RESV_REGISTER, 0, 0, p[1].key, 0 },
		{ "REGISTER once more", 1, RBLK_RESV_REGISTER, 0, 0, 6, RBLK_CTL_CONFLICT },
		{ "RESERVE with a foreign key", 0, RBLK_RESV_RESERVE, 1, p[1].key, 0,
		  RBLK_CTL_CONFLICT },
		{ "PREEMPT of nobody", 0, RBLK_RESV_PREEMPT, 1, p[0].key, 77, RBLK_CTL_CONFLICT },
		{ "PREEMPT of none", 0, RBLK_RESV_PREEMPT, 1, p[0].key, 0, RBLK_CTL_WRONG_TYPE },
		{ "RESERVE", 0, RBLK_RESV_RESERVE, 1, p[0].key, 0, 0 },
		{ "RESERVE twice", 0, RBLK_RESV_RESERVE, 1, p[0].key, 0, 0 },
		{ "RESERVE of another type", 0, RBLK_RESV_RESERVE, 2, p[0].key, 0,
		  RBLK_CTL_CONFLICT },
		{ "RESERVE by another host", 1, RBLK_RESV_RESERVE, 1, p[1].key, 0,
		  RBLK_CTL_CONFLICT },
		{ "RELEASE by another host", 1, RBLK_RESV_RELEASE, 1, p[1].key, 0, 0 },
		{ "RELEASE of another type", 0, RBLK_RESV_RELEASE, 2, p[0].key, 0,
		  RBLK_CTL_WRONG_TYPE },
		{ "PREEMPT of itself", 0, RBLK_RESV_PREEMPT_ABORT, 3, p[0].key, p[0].key, 0 },
		{ "RELEASE", 0, RBLK_RESV_RELEASE, 3, p[0].key, 0, 0 },
		{ "RELEASE twice", 0, RBLK_RESV_RELEASE, 3, p[0].key, 0, 0 },
		{ "CLEAR with a foreign key", 0, RBLK_RESV_CLEAR, 0, p[1].key, 0,
		  RBLK_CTL_CONFLICT },
		{ "CLEAR", 1, RBLK_RESV_CLEAR, 0, p[1].key, 0, 0 },
		{ "CLEAR twice", 1, RBLK_RESV_CLEAR, 0, p[1].key, 0, RBLK_CTL_CONFLICT },
	};
	const char *why = NULL;
	size_t i;

	for (i = 0; !why && i < ARRAY_SIZE(steps); i++) {
		const struct step *s = &steps[i];
		int got = player_reserve_as(&p[s->who], s->action, s->type, s->key, s->new_key, 0);

		why = player_wants(s->what, got, s->want);
	}
	p[0].s.volume += 1000;
	why = why ? why
		  : player_wants("REGISTER of no volume", player_join(&p[0]),
				 RBLK_CTL_NO_VOLUME);
	p[0].s.volume -= 1000;
	return why ? why : player_sees(&p[1], 0, 0);
}

/* What I/O by holder, registrant and stranger is answered, under each type. */
static const char *types(struct player *p)
{
	static const char * const may[RBLK_RESV_TYPE_LAST + 1][3] = {
		[1] = { "rw", "r", "r" }, [2] = { "rw", "", "" }, [3] = { "rw", "rw", "r" },
		[4] = { "rw", "rw", "" }, [5] = { "rw", "rw", "r" }, [6] = { "rw", "rw", "" },
	};
	const char *why = NULL;
	int type, who, op;
	char what[64];

	if (player_join(&p[0]) || player_join(&p[1]))
		return "can't register";
	for (type = 1; !why && type <= RBLK_RESV_TYPE_LAST; type++) {
		why = player_wants("RESERVE", player_reserve(&p[0], RBLK_RESV_RESERVE, type, 0), 0);
		for (who = 0; !why && who < 3; who++)
			for (op = RBLK_OP_READ; !why && op <= RBLK_OP_FLUSH; op++) {
				bool may_do = strchr(may[type][who],
						     op == RBLK_OP_READ ? 'r' : 'w');
				uint32_t len = op == RBLK_OP_FLUSH ? 0 : PLAYER_BYTES;

				int got = sess_run(&p[who].s, p[who].s.io[1], op, len);

				snprintf(what, sizeof(what), "op %d of host %d under type %d",
					 op, who, type);
				why = player_wants(what, got, access_status[may_do]);
			}
		if (!why && player_reserve(&p[0], RBLK_RESV_RELEASE, type, 0))
			why = "can't release";
	}
	return why;
}

/* What a host may that only reads. */
static const char *reader(struct player *p)
{
	const char *why;
	struct player r;

	memset(&r, 0, sizeof(r));
	sess_init(&r.s);
	r.s.features = RBLK_FEAT_RESERVATION;
	r.key = 9;
	if (player_join(&p[0]) ||
	    player_reserve(&p[0], RBLK_RESV_RESERVE, RBLK_RESV_ACCESS_REGISTRANTS, 0) ||
	    player_enter(&r, RBLK_ACCESS_SHARED))
		return "can't begin";
	why = player_wants("READ", sess_run(&r.s, r.s.io[1], RBLK_OP_READ, PLAYER_BYTES),
		    RBLK_STATUS_RESV_CONFLICT);
	why = why ? why : player_wants("REGISTER", player_join(&r), 0);
	why = why ? why
		  : player_wants("READ",
				 sess_run(&r.s, r.s.io[1], RBLK_OP_READ, PLAYER_BYTES), 0);
	why = why ? why
		  : player_wants("PREEMPT",
				 player_reserve(&r, RBLK_RESV_PREEMPT_ABORT, 1, p[0].key),
				 RBLK_CTL_READ_ONLY);
	why = why ? why : player_wants("CLEAR", player_reserve(&r, RBLK_RESV_CLEAR, 0, 0),
				RBLK_CTL_READ_ONLY);
	sess_close(&r.s);
	return why;
}

static const char *told(struct player *p, uint32_t why)
{
	uint32_t got;

	/* What was due while this host was silent comes after the first answer. */
	if (!player_report(p, 0) || !player_report(p, 0))
		return "no report";
	got = p->why;
	p->why = 0;
	return got == why ? NULL : report_why("an event says 0x%x, not 0x%x", got, why);
}

static const char *events(struct player *p)
{
	const char *why;

	if (player_join(&p[0]))
		return "can't register";
	why = told(&p[1], RBLK_RESV_CHANGED);
	if (!why && (player_join(&p[1]) || player_reserve(&p[0], RBLK_RESV_RESERVE, 1, 0)))
		why = "can't reserve";
	why = why ? why : told(&p[1], RBLK_RESV_CHANGED);
	if (!why && player_reserve(&p[0], RBLK_RESV_RELEASE, 1, 0))
		why = "can't release";
	why = why ? why : told(&p[1], RBLK_RESV_RELEASED);
	if (!why && player_reserve(&p[0], RBLK_RESV_PREEMPT, 1, p[1].key))
		why = "can't preempt";
	why = why ? why : told(&p[1], RBLK_RESV_PREEMPTED);
	why = why ? why : told(&p[2], RBLK_RESV_CHANGED | RBLK_RESV_RELEASED);
	if (!why && player_reserve(&p[0], RBLK_RESV_CLEAR, 0, 0))
		why = "can't clear";
	why = why ? why : told(&p[2], RBLK_RESV_CLEARED);
	/* Who makes a change hears nothing of it; only what the other one did. */
	return why ? why : told(&p[0], RBLK_RESV_CHANGED);
}

static void run(const char *name, unsigned int nr, const char *(*play)(struct player *p))
{
	struct player p[4];
	const char *why;

	memset(p, 0, sizeof(p));
	why = open_players(p, nr) ? "can't begin" : play(p);
	close_players(p, nr);
	report_case(name, why);
}

/**
 * reserve_cases - run them; the last one leaves a reservation behind
 */
void reserve_cases(void)
{
	run("reserve-answers", 2, answers);
	run("reserve-types", 3, types);
	run("reserve-reader", 1, reader);
	run("reserve-events", 3, events);
	run("reserve-order", 1, order_of_host);
	run("reserve-abort-kept-write", 4, abort_of_kept);
	run("reserve-abort-races", 2, abort_races);
	run("reserve-crowd", 1, reserve_crowd);
	run("reserve-flood", 3, reserve_flood);
	reserve_keep_case();
}
