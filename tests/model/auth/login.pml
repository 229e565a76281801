/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The handshake of authentication method 1: who else may be at the other end, and
 * who else may have the epoch's secret.
 *
 * The network is the attacker (Dolev and Yao's): he reads, drops, keeps, changes and
 * invents messages, and has keys of his own that both sides allow.  So a step of an
 * honest side takes any message that the attacker can make at that moment: see
 * terms.h.  He learns static keys of the others at any moment, and all secrets of
 * Diffie-Hellman with -DBROKEN.
 *
 * HOSTS runs of a host (reconnects: each has a cm_req of its own) and TARGETS
 * connections that a target takes.  With -DFEW and -DFEWER the attacker tries fewer
 * values in some fields; which run is the first of its side is of no account.
 *
 *   start	cm_req is sent, some cm_rep comes, and LOGIN 1 is sent
 *   answer	some cm_req and some LOGIN 1 come; cm_rep and AUTH_CONTINUE are sent
 *   confirm	some AUTH_CONTINUE comes; the host believes tag_T and sends LOGIN 2
 *   publish	some LOGIN 2 comes; the target believes tag_I, publishes, answers OK
 *   live	some OK comes; the host believes its MAC
 *
 * What must hold, if the peer is honest and its static key was not known before:
 *
 *   secret	nobody else ever has M, whatever is revealed later
 *   host-knows	 who believes tag_T or the OK: the target answered or published just so
 *   target-knows who publishes: that host, in one run only, confirmed just so
 *   own	equal M means equal views, so also of who is who, and one run a side
 *   nobody	no epoch is published for a key that belongs to nobody
 *
 * "Just so": the same keys, host UUID, instance, rest of LOGIN, cm_req, cm_rep, and M.
 * One's own key may be known before: that is impersonation after a compromise.
 *
 * Taken out with -D: see cases.
 */
#ifndef HOSTS
#define HOSTS		1
#endif
#ifndef TARGETS
#define TARGETS		2
#endif

/* States of a run of either side, in this order. */
#define IDLE		0
#define BEGUN		1	/* host: LOGIN 1 sent; target: AUTH_CONTINUE sent */
#define SURE		2	/* host: LOGIN 2 sent; target: published */
#define LIVE		3

byte h_state[2], h_peer[2], h_rep[2], h_rest[2], h_e[2];
bool h_sound[2];	/* the peer's key was still its own when it was believed */
byte t_state[2], t_req[2], t_name[2], t_e[2], t_s[2];
bool t_sound[2];
bool h_revealed, t_revealed, possible;
byte who, pick0, pick1, pick2, pick3, failed;

/* What the attacker can put in the place of an ephemeral: see ephemeral_words. */
#ifdef FEWER
#define EPHEMERALS	5
#define NAMES		1
#define RESTS		1
#define FORMS		1
#else
#ifdef FEW
#define EPHEMERALS	5
#define NAMES		2
#define RESTS		1
#else
#define EPHEMERALS	9
#define NAMES		3
#define RESTS		2
#endif
#define FORMS		2	/* of features */
#endif
#ifdef ONE_KEY
#define THEIRS(revealed)	(h_revealed || t_revealed)
#else
#define THEIRS(revealed)	(revealed)
#endif
#ifdef ZERO_KEY
#define KEYS		3	/* somebody has allowed a key of zeroes */
#else
#define KEYS		2
#endif

c_decl {
\#include "auth/terms.h"

enum {
	/* secrets */
	S_HOST = 1,
#ifdef ONE_KEY
	S_TARGET = S_HOST,	/* a machine that is both */
#else
	S_TARGET,
#endif
	S_X, E_HOST, E_TARGET = E_HOST + 2, PSK = E_TARGET + 2,
	/* what everybody knows */
	PUBLIC, NONCE = PUBLIC, FULL = NONCE + 3, LESS, UUID, INSTANCE = UUID + 2,
	REST = INSTANCE + 2, SESSION = REST + 2, ZERO_PSK = SESSION + 3,
	/* functions, among them labels of the protocol */
	CM_REQ, CM_REP, H0, H1, H2, H3, KEY, TAG_T, TAG_I, M, MAC_KEY, MAC,
};

/* The views of a run: what goes into it, as this side sees it. */
struct view {
	unsigned short features_asked, session, features, nonce, uuid, instance, rest;
	unsigned short e_h, s_h, e_t, s_t;
	unsigned short k, tag_t, tag_i, m, ok;
};

};

c_code {

/* Host keys that the target allows, and target keys that the host does. */
static unsigned short host_key(int nr)
{
	return nr == 0 ? dh(S_HOST, 0) : nr == 1 ? dh(S_X, 0) : dh_zero();
}

static unsigned short target_key(int nr)
{
	return nr == 0 ? dh(S_TARGET, 0) : dh(S_X, 0);
}

static const char *const ephemeral_words[] = {
	"run 0's E_h", "run 1's E_h", "connection 0's E_t", "connection 1's E_t",
	"the attacker's", "zero", "run 0's E_h, multiplied", "S_h", "S_t",
};

/* 0: not yet sent */
static unsigned short ephemeral(int nr)
{
	switch (nr) {
	case 0: case 1:
		return now.h_state[nr] ? dh(E_HOST + nr, 0) : 0;
	case 2: case 3:
		return now.t_state[nr - 2] ? dh(E_TARGET + nr - 2, 0) : 0;
	case 4:
		return dh(S_X, 0);
	case 5:
		return dh_zero();
	case 6:
		return now.h_state[0] ? dh(S_X, dh(E_HOST, 0)) : 0;
	case 7:
		return dh(S_HOST, 0);
	default:
		return dh(S_TARGET, 0);
	}
}

/* The messages that a view stands for, as far as it has come. */
static void derive(struct view *v, int own_e, int own_s, int host)
{
	unsigned short x1, x2, x3, req, rep, h0, h1, h2, h3, psk = name(ZERO_PSK);

#ifdef NO_CM_REQ
	req = name(ZERO_PSK);
#else
	req = f(CM_REQ, v->features_asked, v->session, 0);
#endif
#ifdef NO_CM_REP
	rep = name(ZERO_PSK);
#else
	rep = f(CM_REP, v->features, v->nonce, 0);
#endif
	h0 = f(H0, req, rep, 0);
#ifdef NO_IDENTITY
	h1 = f(H1, h0, v->rest, v->e_h, v->s_h, 0);
#else
	h1 = f(H1, h0, v->uuid, v->instance, v->e_h, v->s_h, 0);
#endif
	h2 = f(H2, h1, v->rest, v->e_t, v->s_t, 0);
	/* LOGIN 2 repeats LOGIN 1, but for what is in tag_I. */
	h3 = f(H3, h2, 0);
	if (host) {
		x1 = dh(own_e, v->e_t);
		x2 = dh(own_e, v->s_t);
		x3 = dh(own_s, v->e_t);
	} else {
		x1 = dh(own_e, v->e_h);
		x2 = dh(own_s, v->e_h);
		x3 = dh(own_e, v->s_h);
	}
#ifdef NO_E_T
	x1 = host ? dh(own_e, v->s_t) : dh(own_s, v->e_h);
	x3 = host ? dh(own_s, v->s_t) : dh(own_s, v->s_h);
#endif
#ifdef NO_E_H
	x1 = host ? dh(own_s, v->e_t) : dh(own_e, v->s_h);
	x2 = host ? dh(own_s, v->s_t) : dh(own_s, v->s_h);
#endif
#ifdef NO_EE
	x1 = name(ZERO_PSK);
#endif
#ifdef NO_S_T
	x2 = name(ZERO_PSK);
#endif
#ifdef NO_S_H
	x3 = name(ZERO_PSK);
#endif
#ifdef WITH_PSK
	/* The pair of host and target has one, and the attacker's own do not. */
	if (host ? v->s_t != target_key(1) : v->s_h != host_key(1))
		psk = name(PSK);
#endif
#ifdef NO_H2_KEY
	v->k = f(KEY, psk, x1, x2, x3, 0);
#else
	v->k = f(KEY, psk, x1, x2, x3, h2, 0);
#endif
#ifdef NO_H2_TAGS
	h2 = h3 = name(ZERO_PSK);
#endif
	v->tag_t = f(TAG_T, v->k, h2, 0);
	v->tag_i = f(TAG_I, v->k, h3, 0);
	v->m = f(M, v->k, h3, 0);
	v->ok = f(MAC, f(MAC_KEY, v->m, 0), 0);
#ifndef ZERO_OK
	/* Whoever finds an all-zero result stops: as if no tag were right. */
	if (x1 == dh_zero() || x2 == dh_zero() || x3 == dh_zero())
		v->k = 0;
#endif
}

static void host_view(int i, struct view *v)
{
	v->features_asked = name(FULL);
	v->session = name(SESSION + i);
	v->features = name(now.h_rep[i] % 2 ? LESS : FULL);
	v->nonce = name(NONCE + now.h_rep[i] / 2);
	v->uuid = name(UUID);
	v->instance = name(INSTANCE);
	v->rest = name(REST + now.h_rest[i]);
	v->e_h = dh(E_HOST + i, 0);
	v->s_h = dh(S_HOST, 0);
	v->e_t = ephemeral(now.h_e[i]);
	v->s_t = target_key(now.h_peer[i]);
	derive(v, E_HOST + i, S_HOST, 1);
}

static void target_view(int i, struct view *v)
{
	v->features_asked = name(now.t_req[i] % 2 ? LESS : FULL);
	v->session = name(SESSION + now.t_req[i] / 2);
	v->features = v->features_asked;
	v->nonce = name(NONCE + i);
	v->uuid = name(UUID + now.t_name[i] % 2);
	v->instance = name(INSTANCE + now.t_name[i] / 2);
	v->rest = name(REST);
	v->e_h = ephemeral(now.t_e[i]);
	v->s_h = host_key(now.t_s[i]);
	v->e_t = dh(E_TARGET + i, 0);
	v->s_t = dh(S_TARGET, 0);
	derive(v, E_TARGET + i, S_TARGET, 0);
}

static int name_known(int label)
{
#ifdef BROKEN
	if (label < PSK)
		return 1;
#endif
	if (label == S_HOST && now.h_revealed)
		return 1;
	if (label == S_TARGET && now.t_revealed)
		return 1;
	if (label == S_X)
		return 1;
	return label >= PUBLIC;
}

/* What honest sides have sent and nobody else can make. */
static int term_sent(unsigned short t)
{
	int label = term_table[t].label, i;
	struct view v;

	if (term_table[t].kind != TERM_FUNCTION)
		return 0;
	for (i = 0; i < 2; i++) {
		if (label == TAG_I && now.h_state[i] >= SURE) {
			host_view(i, &v);
			if (v.tag_i == t)
				return 1;
		}
		if ((label == TAG_T && now.t_state[i] >= BEGUN) ||
		    (label == MAC && now.t_state[i] >= SURE)) {
			target_view(i, &v);
			if ((label == TAG_T ? v.tag_t : v.ok) == t)
				return 1;
		}
	}
	return 0;
}

static int may_confirm(int i)
{
	struct view v;

	if (!ephemeral(now.h_e[i]))
		return 0;
	host_view(i, &v);
#ifdef NO_TAG_T
	return v.k != 0;
#endif
	return v.k && knows(v.tag_t);
}

static int may_answer(int i)
{
	struct view v;

	if (!ephemeral(now.t_e[i]))
		return 0;
	target_view(i, &v);
	return v.k != 0;
}

static int may_publish(int i)
{
	struct view v;

	target_view(i, &v);
#ifdef NO_TAG_I
	return v.k != 0;
#endif
	return v.k && knows(v.tag_i);
}

static int may_live(int i)
{
	struct view v;

	host_view(i, &v);
	return knows(v.ok);
}

static int same(const struct view *a, const struct view *b)
{
	return a->features_asked == b->features_asked && a->session == b->session &&
	       a->features == b->features && a->nonce == b->nonce && a->uuid == b->uuid &&
	       a->instance == b->instance && a->rest == b->rest && a->e_h == b->e_h &&
	       a->s_h == b->s_h && a->e_t == b->e_t && a->s_t == b->s_t && a->m == b->m;
}

/* Which of the properties does not hold?  0: all do. */
static int violated(void)
{
	struct view h[2], t[2];
	int i, j, nr;

	for (i = 0; i < 2; i++) {
		if (now.h_state[i] >= SURE)
			host_view(i, &h[i]);
		if (now.t_state[i] >= BEGUN)
			target_view(i, &t[i]);
	}
	for (i = 0; i < 2; i++) {
		if (now.t_state[i] >= SURE && now.t_s[i] == 2)
			return 5;
		if (now.t_state[i] >= SURE && now.t_s[i] == 0 && now.t_sound[i]) {
			for (nr = j = 0; j < 2; j++)
				nr += now.h_state[j] >= SURE && same(&h[j], &t[i]);
			if (nr != 1)
				return 3;
			if (knows(t[i].m))
				return 1;
		}
		if (now.h_state[i] >= SURE && now.h_peer[i] == 0 && now.h_sound[i]) {
			for (nr = j = 0; j < 2; j++)
				nr += now.t_state[j] >= BEGUN && same(&h[i], &t[j]);
			if (nr != 1)
				return 2;
			if (knows(h[i].m))
				return 1;
		}
		if (now.h_state[i] == LIVE && now.h_peer[i] == 0 && now.h_sound[i]) {
			for (nr = j = 0; j < 2; j++)
				nr += now.t_state[j] >= SURE && same(&h[i], &t[j]);
			if (nr != 1)
				return 2;
		}
		for (j = 0; j < 2; j++) {
			if (now.h_state[i] >= SURE && now.t_state[j] >= SURE &&
			    h[i].m == t[j].m && !same(&h[i], &t[j]))
				return 4;
		}
	}
	if (now.h_state[0] >= SURE && now.h_state[1] >= SURE && h[0].m == h[1].m)
		return 4;
	if (now.t_state[0] >= SURE && now.t_state[1] >= SURE && t[0].m == t[1].m)
		return 4;
	return 0;
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
	c_code { now.failed = violated(); };
	if
	:: failed == 1 -> printf("failed: somebody else has M\n")
	:: failed == 2 -> printf("failed: the host believes what its target did not say\n")
	:: failed == 3 -> printf("failed: the target publishes what no host confirmed\n")
	:: failed == 4 -> printf("failed: one M in two runs, or for two views\n")
	:: failed == 5 -> printf("failed: a key that is nobody's has an epoch\n")
	:: else
	fi;
	assert(failed == 0)
}

/* Attempts that the other side refuses leave all as it was. */
inline start()
{
	one_of(pick0, 2);
	one_of(pick1, TARGETS + 1);
	one_of(pick2, FORMS);
	h_peer[who] = pick0;
	pick1 = 2 * pick1 + pick2;
	h_rep[who] = pick1;
	h_state[who] = BEGUN;
	c_code {
		Printf("host run %d calls %s, gets cm_rep %d%s, sends LOGIN 1\n", now.who,
		       now.pick0 ? "the attacker" : "the target", now.pick1 / 2,
		       now.pick1 % 2 ? " with fewer features" : "");
	}
}

inline confirm()
{
	one_of(pick0, RESTS);
	one_of(pick1, EPHEMERALS);
	h_rest[who] = pick0;
	h_e[who] = pick1;
	c_code { now.possible = may_confirm(now.who); };
	if
	:: possible ->
		h_sound[who] = !h_peer[who] && !THEIRS(t_revealed);
		h_state[who] = SURE;
		c_code {
			Printf("host run %d believes AUTH_CONTINUE with %s as E_t%s, sends LOGIN 2\n",
			       now.who, ephemeral_words[now.pick1],
			       now.pick0 ? ", other fields changed" : "");
		};
		check()
	:: else ->
		h_rest[who] = 0;
		h_e[who] = 0
	fi
}

inline answer()
{
	one_of(pick0, HOSTS + 1);
	one_of(pick1, FORMS);
	pick0 = 2 * pick0 + pick1;
	one_of(pick1, NAMES);
	one_of(pick2, EPHEMERALS);
	one_of(pick3, KEYS);
	t_req[who] = pick0;
	t_name[who] = pick1;
	t_e[who] = pick2;
	t_s[who] = pick3;
	c_code { now.possible = may_answer(now.who); };
	if
	:: possible ->
		t_state[who] = BEGUN;
		c_code {
			Printf("target connection %d gets cm_req %d%s, and LOGIN 1 with ",
			       now.who, now.pick0 / 2,
			       now.pick0 % 2 ? " with fewer features" : "");
			Printf("%s as E_h, %s S_h%s, answers\n", ephemeral_words[now.pick2],
			       now.pick3 == 0 ? "the host's" : now.pick3 == 1 ?
			       "the attacker's" : "zero as", now.pick1 == 0 ? "" :
			       now.pick1 == 1 ? ", another UUID" : ", another instance");
		}
	:: else ->
		t_req[who] = 0;
		t_name[who] = 0;
		t_e[who] = 0;
		t_s[who] = 0
	fi
}

inline publish()
{
	c_code { now.possible = may_publish(now.who); };
	if
	:: possible ->
		t_sound[who] = !t_s[who] && !THEIRS(h_revealed);
		t_state[who] = SURE;
		printf("target connection %d believes LOGIN 2, publishes, sends OK\n", who);
		check()
	:: else
	fi
}

inline live()
{
	c_code { now.possible = may_live(now.who); };
	if
	:: possible ->
		h_state[who] = LIVE;
#ifdef REACHES
		assert(h_peer[who] || h_revealed || t_revealed);
#endif
		printf("host run %d believes OK\n", who);
		check()
	:: else
	fi
}

inline forget()
{
	possible = false;
	who = 0;
	pick0 = 0;
	pick1 = 0;
	pick2 = 0;
	pick3 = 0
}

active proctype network()
{
end:	do
	:: atomic {
		one_of(who, HOSTS);
		if
		:: h_state[who] == IDLE && (!who || h_state[0]) -> start()
		:: h_state[who] == BEGUN -> confirm()
		:: h_state[who] == SURE -> live()
		:: else
		fi;
		forget()
	   }
	:: atomic {
		one_of(who, TARGETS);
		if
		:: t_state[who] == IDLE && (!who || t_state[0]) -> answer()
		:: t_state[who] == BEGUN -> publish()
		:: else
		fi;
		forget()
	   }
	:: atomic {
		!h_revealed ->
		h_revealed = true;
		printf("the attacker learns the host's static key\n");
		check()
	   }
	:: atomic {
		!t_revealed ->
		t_revealed = true;
		printf("the attacker learns the target's static key\n");
		check()
	   }
	od
}
