/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Part of fence.pml.  With ROUTES its two hosts are two sessions of one device of one
 * host, which has a route to the target by each: see also paths.pml.  It has one write
 * out at a time, by any route that lives.
 *
 * What a route had when it was lost goes on in one of two ways: by that route's next
 * epoch, behind the epoch fence, or by the other route, after FENCE.  Route 0 may be
 * lost for ever; the last epoch of route 1 is not.  The target need not notice.
 *
 * With GIVES_UP a route that is lost may give the write up, if the other one is not
 * LIVE: the user hears of an error, and writes the block anew.
 *
 * With DEVICES the routes are those of two devices that are the same export, and
 * multipath sends by one what the other has given up: the target takes the export away
 * from one when the other's session ends.
 *
 * With HANGS a route may give its volume back alone, once, because its disk hangs. The
 * target answers the write with HELD, which may be handled late.
 *
 * What a step stands for:
 *
 * host	ask	driver/session/fence.c:fence_volume
 *	gives up	driver/block/hold.c:route_release
 *	blocked	driver/block/route.c:rblk_route_blocked driver/block/kin.c:rblk_kin_any
 *	is held	driver/block/hold.c:rblk_hold_request
 *	gives back	driver/block/route.c:rblk_route_live driver/session/volume.c:rblk_vol_lost
 * epoch	FENCE	target/session/fence.c:rblkt_fence target/session/fence.c:fence_end
 *		target/session/fence.c:fence_look
 *	HELD	target/io/held.c:held_post
 *	siblings	target/export/attachment.c:rblkt_att_siblings
 */
#ifdef UNDRAINED
#define DRAINS		false
#else
#define DRAINS		true
#endif

#ifdef ROUTES

/* A route looks at the other's states. */
byte sess[2] = S_NEW, vol[2] = V_NEW;
#define s		sess[h]
#define v		vol[h]
#define HOST_STATES

byte lost[2];	/* the epoch by which it had sent the write, plus one; 0: none */
byte asks[2];	/* the epoch, plus one, of the other route in our FENCE; 0: none is out */
bool again[2];	/* that was answered AGAIN */
byte given_up;	/* how often a write was given up while the target could have it */
byte before[2];	/* likewise, when the route last asked for the volume */
bool back[2];	/* it gives the volume back */
bool hung;	/* a route has done so as its disk hangs */
byte grants[NR];	/* the handle that the volume has */
bool held[NR];	/* the bio's command was answered with HELD */

#ifdef ASK_FORMER
#define FORMER		1
#else
#define FORMER		0
#endif

/* What the target finds of epoch @j when it is asked for those up to @e of a route. */
#define OLD(j, k, e)	(HOST(j) != HOST(k) && (j) < (e))
#ifdef FENCE_BIOS
#define LEFT_OVER(j)	(bio[j])
#elif defined(FENCE_LIVE)
#define LEFT_OVER(j)	(att[j] == A_HELD)
#else
#define LEFT_OVER(j)	(att[j] == A_HELD || FENCED(j))
#endif

/* rblkt_fence(), which came by epoch @k. */
inline fence(k, verdict)
{
	verdict = OK;
	j = 0;
	do
	:: j < NR ->
		if
		:: OLD(j, k, asks[HOST(k)]) ->
#ifndef NO_END
			if
			:: ts[j] == S_LIVE -> kill(j)
			:: else
			fi;
#endif
			if
			:: LEFT_OVER(j) -> verdict = AGAIN
			:: else
			fi
		:: else
		fi;
		j++
	:: else -> break
	od;
	j = 0
}

/* Something to ask for, and to ask again before it has changed is idle. */
#define STILL(j, h)	(HOST(j) != (h) && (j) < lost[1 - (h)] && \
			 (att[j] == A_HELD || FENCED(j)))
#if NR == 3
#define IDLE(h)		(again[h] && (STILL(0, h) || STILL(1, h) || STILL(2, h)))
#else
#define IDLE(h)		(again[h] && (STILL(0, h) || STILL(1, h) || STILL(2, h) || \
				      STILL(3, h)))
#endif
/* Of a session that is LIVE, the driver knows no lost epoch. */
#define ASKS(h)		(lost[1 - (h)] && sess[1 - (h)] != S_LIVE && !asks[h] && !IDLE(h))
#define ASKING(h)	asks[h]

inline ask(h, k)
{
#ifdef ASK_FORMER
	asks[h] = lost[1 - h] - 1;
#else
	asks[h] = lost[1 - h];
#endif
	again[h] = false;
	ctl_up[k] ! FENCE
}

/* What that route had is free, unless that route has sent it again itself. */
inline told(h, k)
{
	if
	:: ctl_dn[k] ? OK ->
		if
		:: lost[1 - h] && lost[1 - h] <= asks[h] + FORMER ->
			lost[1 - h] = 0;
			via = (via == 2 - h -> 0 : via)
		:: else
		fi
	:: ctl_dn[k] ? AGAIN -> again[h] = (asks[h] == lost[1 - h])
	:: ctl_dn[k] ? REFUSED
	fi;
	asks[h] = 0
}

/* Route @h is lost in epoch @k. */
inline lose(h, k)
{
	asks[h] = 0;
	again[h] = false;
	again[1 - h] = false;
	back[h] = false;
	if
	:: via == h + 1 && sent ->
#ifdef NO_ASKING
		via = 0
#else
		lost[h] = k + 1
#endif
	/* It has not been on its way, or is lost already. */
	:: via == h + 1 && !sent && !lost[h] -> via = 0
	:: else
	fi
}

#define TARGET_FENCE \
	:: d_step { (tctl[k] == T_LIVE || tctl[k] == T_CLOSING) && ctl_up[k] ? [FENCE] -> \
		ctl_up[k] ? FENCE; \
		fence(k, verdict); \
		answer(k, verdict); \
		printf("target: FENCE by host %d, epoch %d: %e\n", \
			HOST(k), k - FIRST(HOST(k)) + 1, verdict); \
		verdict = 0 } \
	TARGET_HELD

#ifdef HANGS
#define TARGET_HELD \
	:: d_step { bio[k] && !held[k] && FENCED(k) && tio[k] == T_LIVE && \
		    at[HOST(k)] == k + 1 && !ended[HOST(k)] && nfull(io_dn[k]) -> \
		held[k] = true; \
		io_dn[k] ! HELD, grants[k]; \
		printf("target: HELD to host %d, epoch %d\n", HOST(k), k - FIRST(HOST(k)) + 1) }
#define HOST_HELD \
	:: d_step { s == S_LIVE && v == V_LIVE && attached && sent && !call && !hung && \
		    nfull(ctl_up[k]) -> \
		hung = true; \
		v = V_WAITING; \
		attached = false; \
		ctl_up[k] ! DETACH; \
		call = true; \
		back[h] = true; \
		printf("host %d: epoch %d: gives the volume back\n", h, k - FIRST(h) + 1) } \
	:: d_step { sent && io_dn[k] ? [HELD, got] -> \
		io_dn[k] ? HELD, got; \
		sent = false; \
		if \
		:: LATE(got, k) -> via = 0 \
		:: else -> lost[h] = k + 1 \
		fi; \
		got = 0 }
#else
#define TARGET_HELD
#define HOST_HELD
#endif
#ifdef HOLD_LATE
#define LATE(got, k)	false
#else
#define LATE(got, k)	(got != grants[k])
#endif

#define HOST_FENCE \
	:: d_step { s == S_LIVE && v != V_DELETING && !call && ASKS(h) && nfull(ctl_up[k]) -> \
		ask(h, k); \
		call = true } \
	:: d_step { s == S_LIVE && call && ASKING(h) && nempty(ctl_dn[k]) -> \
		told(h, k); \
		call = false } \
	:: d_step { s == S_LIVE && v != V_DELETING && call && GIVES_BACK(h, k) -> \
		ctl_dn[k] ? OK; \
		call = !back[h]; \
		back[h] = call; \
		if \
		:: call -> ctl_up[k] ! DETACH \
		:: else \
		fi } \
	HOST_HELD

/* The volume is granted, but another route's write was given up since it was asked for. */
#ifdef NO_LOOK
#define GIVES_BACK(h, k) false
#else
#define GIVES_BACK(h, k) (ctl_dn[k] ? [OK] && !asks[h] && \
			 (back[h] || before[h] != given_up))
#endif
#ifdef NO_BLOCK
#define BLOCKED(h)	false
#else
#define BLOCKED(h)	(lost[1 - h] && sess[1 - h] != S_LIVE)
#endif
/* A second response only frees the tag. */
#define HELD_BACK(k)	held[k]
#define FREED(k)	held[k] = false;
#define ASKED(h)	before[h] = given_up;
/* The target grants it only behind the fence. */
#ifdef HANGS
#define GRANTED(h)	lost[h] = 0; grants[k]++;
#else
#define GRANTED(h)	lost[h] = 0;
#endif
#define MAY_DIE(h)	((h) == 0)
#define DEAD(h, k)	((h) == 0 && s == S_RECOVERING && (k) == last && \
			 (v == V_NEW || v == V_WAITING))
#if !defined(GIVES_UP)
#define EXPIRED		false
#elif defined(BESIDE)
#define EXPIRED		(lost[h] && via == h + 1)
#else
#define EXPIRED		(via == h + 1 && (!sent && !lost[h] || lost[h] && vol[1 - h] != V_LIVE))
#endif
#define GIVE_UP		pending = false; via = 0; given_up++;

#else
#define HOST_STATES	byte s = S_NEW, v = V_NEW;
#define TARGET_FENCE
#define HOST_FENCE
#define lose(h, k)	skip
#define ASKING(h)	false
#define GIVES_BACK(h, k) false
#define BLOCKED(h)	false
#define ASKED(h)
#define GRANTED(h)
#define HELD_BACK(k)	false
#define FREED(k)
#define MAY_DIE(h)	false
#define DEAD(h, k)	false
#endif
