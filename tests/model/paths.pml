/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Part of fence.pml.  With PATHS its two hosts are two sessions of one host,
 * which share the export, and multipath on them: it has one write out at a time,
 * by any path that lives; what a path has given up it sends again by another.
 *
 * A path gives up only when queue_timeout is over, and that is longer than the
 * target takes to end a session that it hears nothing of, and its attachment with
 * it (quiet).  Milliseconds pass between percpu_ref_kill() and its effect, where
 * queue_timeout has seconds.
 */
#ifdef PATHS
#define WHO(k)		0
#define LEFT		left
#ifdef ROUTES
#define MINE		(via == h + 1 && !lost[h])
#else
#define MINE		(via == h + 1)
#endif
#define ANSWERABLE	(v == V_LIVE || v == V_WAITING)
#ifndef ROUTES
#define EXPIRED		(!sent && ALL_QUIET(h))
#define GIVE_UP		via = (via == h + 1 -> 0 : via);
#endif
#define TAKE		via = h + 1;
#define DONE		pending = false; via = 0;
#define USED(k)		used[k] = true;
#define UNUSED(k)	used[k] = false;

byte newest;		/* write */
byte left = WRITES;	/* to come */
bool pending;		/* it is not answered */
byte via;		/* the path that has it, plus one; 0: none, it is queued */
byte other;		/* only counts */
bool used[NR];		/* it was sent by this epoch's attachment */

#ifdef SHORT_WAIT
#define QUIET(j, h)	true
#else
#define QUIET(j, h)	(att[j] != A_KILLED && \
			 !(HOST(j) == h && used[j] && att[j] == A_HELD))
#endif
#if NR == 3
#define ALL_QUIET(h)	(QUIET(0, h) && QUIET(1, h) && QUIET(2, h))
#else
#define ALL_QUIET(h)	(QUIET(0, h) && QUIET(1, h) && QUIET(2, h) && QUIET(3, h))
#endif

/* rblkt_att_fence_host(): @k has begun to drain because its session ended. */
inline withdraw(k)
{
#if defined(NO_WITHDRAWAL) || (defined(ROUTES) && !defined(DEVICES))
	skip
#else
	other = 0;
	do
	:: other < NR ->
		if
		:: HOST(other) != HOST(k) && att[other] == A_HELD -> att[other] = A_KILLED
		:: else
		fi;
		other++
	:: else -> break
	od;
	other = 0
#endif
}
#else
#define WHO(k)		HOST(k)
#define LEFT		writes
#define MINE		pending
#define ANSWERABLE	(v == V_LIVE)
#define EXPIRED		true
#define TAKE
#define DONE		pending = false;
#define GIVE_UP		pending = false;
#define USED(k)
#define UNUSED(k)
#define withdraw(k)	skip
#endif
