/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What authentication method 1 does after the handshake: BIND, and the MACs of all
 * messages of an I/O connection in both directions.
 *
 * login.pml shows that a host and a target that have the same M are alone with it.
 * Here they have two: of epochs 0 and 1.  The network is the attacker, as there.
 *
 * Each side has two connections.  Those of the host are of qid 1 and 2 of epoch 0,
 * or with -DEPOCHS of qid 1 of both.  What a host sends on one are BIND and two
 * commands, with counters 0, 1 and 2; what the target sends are their answers.  Both
 * send all of that as soon as they can: so the attacker has it at once.
 *
 *   open	a host's connection: cm_req is sent, some cm_rep comes
 *   bind	a target's connection: some cm_req comes, then a BIND that it believes
 *   take	a message that the target believes
 *   answer	a message that the host believes
 *
 * What must hold:
 *
 *   bound	a BIND that is believed is one connection's of the host, of that epoch
 *		and qid, with the same cm_req and cm_rep, and is believed once
 *   sent	a message that is believed was sent by the other side, on that
 *		connection, with that counter, and in that direction
 *
 * The host's own part: it opens each qid once in an epoch.  Its cm_req has no nonce, so
 * otherwise the attacker gives it the same cm_rep again, and thus the same key.
 *
 * A message is a content here, so nothing is said of its type.  Data that RDMA moves or
 * that follows a MAC is not covered, and not modelled.
 *
 * Taken out with -D: see cases.
 */
#define MESSAGES	3
#define CONTENTS	13	/* of messages: 2 sides, 2 connections, 3 each; the attacker's */

bool h_open[2];
byte h_rep[2], h_got[2];
byte t_req[2], t_got[2], t_from[2];	/* whose BIND was believed */
bool bad_bind, bad_sender;
byte who, pick0, pick1;
bool possible;

c_decl {
\#include "auth/terms.h"

enum {
	M = 1, PUBLIC = M + 2, NONCE = PUBLIC, FULL = NONCE + 3, LESS,
	QID, DIR = QID + 3, COUNTER = DIR + 2, CONTENT = COUNTER + 3,
	CM_REQ = CONTENT + 13, CM_REP, CONNECTION, MAC_KEY, MAC, EPOCH,
};

};

c_code {

static int name_known(int label)
{
	return label >= PUBLIC;
}

static int epoch_of(int c)
{
#ifdef EPOCHS
	return c;
#else
	return 0;
#endif
}

static int qid_of(int c)
{
#if defined(EPOCHS) || defined(REUSE)
	return 1;
#else
	return 1 + c;
#endif
}

/* The cm_req that the host's connection @c sent, maybe with changed features. */
static unsigned short request(int c, int less)
{
	int qid = qid_of(c);

#ifdef NO_QID
	qid = 0;
#endif
	return f(CM_REQ, name(EPOCH + epoch_of(c)), name(QID + qid),
		 name(less ? LESS : FULL), 0);
}

static unsigned short reply(int nonce, int less)
{
#ifdef NO_NONCE
	nonce = 0;
#endif
	return f(CM_REP, name(NONCE + nonce), name(less ? LESS : FULL), 0);
}

/* A connection as one side sees it. */
struct view {
	int epoch, qid;
	unsigned short req, rep;
};

static void host_view(int c, struct view *v)
{
	v->epoch = epoch_of(c);
	v->qid = qid_of(c);
	v->req = request(c, 0);
	v->rep = reply(now.h_rep[c] / 2, now.h_rep[c] % 2);
}

static void target_view(int c, struct view *v)
{
	v->epoch = epoch_of(now.t_req[c] / 2);
	v->qid = qid_of(now.t_req[c] / 2);
	v->req = request(now.t_req[c] / 2, now.t_req[c] % 2);
	v->rep = reply(c, now.t_req[c] % 2);
}

static int same(const struct view *a, const struct view *b)
{
	return a->epoch == b->epoch && a->qid == b->qid && a->req == b->req &&
	       a->rep == b->rep;
}

static unsigned short mac(const struct view *v, int dir, int counter, int content)
{
	unsigned short connection, qid = name(QID + v->qid), way = name(DIR + dir);
	unsigned short count = name(COUNTER + counter);

#ifdef NO_CONNECTION
	connection = name(PUBLIC);
#elif defined(NO_REQUEST)
	connection = f(CONNECTION, v->rep, 0);
#else
	connection = f(CONNECTION, v->req, v->rep, 0);
#endif
#if defined(NO_QID) || defined(NO_KEY_QID)
	qid = name(PUBLIC);
#endif
#ifdef NO_DIRECTION
	way = name(PUBLIC);
#endif
#ifdef NO_COUNTER
	count = name(PUBLIC);
#endif
	return f(MAC, f(MAC_KEY, name(M + v->epoch), qid, way, connection, 0), count,
		 name(CONTENT + content), 0);
}

/* What the @nr-th message of connection @c of a side says. */
static int content(int target, int c, int nr)
{
	return (target * 2 + c) * 3 + nr;
}

static int term_sent(unsigned short t)
{
	struct view v;
	int c, nr;

	if (term_table[t].kind != TERM_FUNCTION || term_table[t].label != MAC)
		return 0;
	for (c = 0; c < 2; c++) {
		if (now.h_open[c]) {
			host_view(c, &v);
			for (nr = 0; nr < 3; nr++) {
				if (mac(&v, 0, nr, content(0, c, nr)) == t)
					return 1;
			}
		}
		if (now.t_got[c]) {
			target_view(c, &v);
			for (nr = 0; nr < 3; nr++) {
				if (mac(&v, 1, nr, content(1, c, nr)) == t)
					return 1;
			}
		}
	}
	return 0;
}

/* May the target take content @what as the next message of its connection @c? */
static int may_take(int c, int what)
{
	struct view v, other;

	target_view(c, &v);
#ifndef TWICE
	/* A qid of an epoch is bound once. */
	if (!now.t_got[c] && now.t_got[!c]) {
		target_view(!c, &other);
		if (other.epoch == v.epoch && other.qid == v.qid)
			return 0;
	}
#endif
	return knows(mac(&v, 0, now.t_got[c], what));
}

static int may_answer(int c, int what)
{
	struct view v;

	host_view(c, &v);
	return knows(mac(&v, 1, now.h_got[c], what));
}

/* The target took @what as message @nr of its connection @c: was that right? */
static void judge_taken(int c, int nr, int what)
{
	struct view v, its;
	int from = what / 3;

	if (from > 1 || what % 3 != nr || !now.h_open[from]) {
		now.bad_sender = 1;
		return;
	}
	target_view(c, &v);
	host_view(from, &its);
	if (nr) {
		now.bad_sender |= from != now.t_from[c];
		return;
	}
	now.bad_bind |= !same(&v, &its) || (now.t_got[!c] && now.t_from[!c] == from);
	now.t_from[c] = from;
}

/* Likewise for the host. */
static void judge_answered(int c, int nr, int what)
{
	struct view v, its;
	int from = what / 3 - 2;

	if (from < 0 || from > 1 || what % 3 != nr || !now.t_got[from]) {
		now.bad_sender = 1;
		return;
	}
	host_view(c, &v);
	target_view(from, &its);
	now.bad_sender |= !same(&v, &its);
}

};

/* One of @nr, told to @to. */
inline one_of(to, nr)
{
	to = 0;
	do
	:: to < nr - 1 -> to++
	:: break
	od
}

inline check()
{
	if
	:: bad_bind -> printf("failed: that BIND was for another connection, or believed before\n")
	:: bad_sender -> printf("failed: the other side did not send that here, now\n")
	:: else
	fi;
	assert(!bad_bind && !bad_sender)
}

inline open()
{
	one_of(pick0, 6);
	h_rep[who] = pick0;
	h_open[who] = true;
	c_code {
		Printf("host connection %d gets cm_rep %d%s, sends BIND and 2 commands\n",
		       now.who, now.pick0 / 2,
		       now.pick0 % 2 ? " with fewer features" : "");
	}
}

/* What it sends is told to the attacker, too. */
inline take()
{
	if
	:: !t_got[who] -> one_of(pick1, 4); t_req[who] = pick1
	:: else
	fi;
	one_of(pick0, CONTENTS);
	c_code { now.possible = may_take(now.who, now.pick0); };
	if
	:: possible ->
		c_code {
			judge_taken(now.who, now.t_got[now.who], now.pick0);
			Printf("target connection %d, of cm_req %d%s, believes message %d of host connection %d as its %d\n",
			       now.who, now.t_req[now.who] / 2,
			       now.t_req[now.who] % 2 ? " with fewer features" : "",
			       now.pick0 % 3, now.pick0 / 3, now.t_got[now.who]);
		};
		t_got[who]++;
		check()
	:: !possible && !t_got[who] -> t_req[who] = 0
	:: else
	fi
}

inline answer()
{
	one_of(pick0, CONTENTS);
	c_code { now.possible = may_answer(now.who, now.pick0); };
	if
	:: possible ->
		c_code {
			judge_answered(now.who, now.h_got[now.who], now.pick0);
			Printf("host connection %d believes message %d of %s connection %d as answer %d\n",
			       now.who, now.pick0 % 3, now.pick0 / 6 ? "target" : "host",
			       now.pick0 / 3 % 2, now.h_got[now.who]);
		};
		h_got[who]++;
		check()
	:: else
	fi
}

inline forget()
{
	possible = false;
	who = 0;
	pick0 = 0;
	pick1 = 0
}

active proctype network()
{
end:	do
	:: atomic {
		one_of(who, 2);
		if
		:: !h_open[who] -> open()
		:: h_open[who] && h_got[who] < MESSAGES -> answer()
		:: else
		fi;
		forget()
	   }
	:: atomic {
		one_of(who, 2);
		if
		:: t_got[who] < MESSAGES -> take()
		:: else
		fi;
		forget()
	   }
#ifdef REACHES
	:: atomic {
		h_got[0] == MESSAGES && h_got[1] == MESSAGES && t_got[0] == MESSAGES &&
		t_got[1] == MESSAGES -> assert(false)
	   }
#endif
	od
}
