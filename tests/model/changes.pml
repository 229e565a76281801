/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the target does about a change of registrations: decide in a copy, record,
 * enforce, answer.  Part of reservation.pml, whose variables it uses.
 *
 *   decide	target/export/reservation.c:rblkt_reserve target/export/reservation.c:resv_run
 *		target/export/reservation.c:resv_decide_in
 *		target/export/reservation.c:resv_aborted_before
 *		target/proto/reservation.c:rblkt_resv_last
 *		target/proto/reservation.c:rblkt_resv_decide
 *		target/proto/reservation.c:rblkt_resv_remember
 *   record	target/export/record.c:rblkt_record_keep target/export/store.c:store_put
 *   enforce	target/export/reservation.c:resv_commit target/export/reservation.c:resv_enforce
 *		target/export/reservation.c:att_abort target/export/export.c:rblkt_export_withdraw
 *		target/export/reservation.c:resv_look target/export/reservation.c:att_awaited
 */
typedef resv {
	byte in;		/* bits of hosts: the registrants */
	byte number[3];		/* a host's last change that was decided */
	mtype status[3];	/* what became of it */
	byte abort[3]		/* which abort it waits for; not recorded */
}
resv now, disk;
bool reserved;		/* stays as it is */
#define DENIES(r, h)	(reserved && !(r.in & BIT(h)))

/* A change is made in a copy.  One is enough, as the lock of the files keeps others out. */
#ifdef NO_LOCK
resv next[NR];
#define NEXT		next[s]
#define LOCKED		false
#else
resv next[1];
#define NEXT		next[0]
#define LOCKED		lock
#endif
bool lock;
byte stage[NR];		/* of a session's handler */
#define DECIDED		1
#define RECORDED	2
#define LATE		3

byte aborts;
byte failures = FAILURES;
bool removed;		/* the export */

#ifdef ADD_UNLOCKED
#define CAN_ADD		!ANY(LISTED, 0)
#elif defined(ADD_SHARED)
#define CAN_ADD		!lock
#else
#define CAN_ADD		(!lock && !ANY(LISTED, 0))
#endif

/* Does an attachment keep abort @n waiting? */
#if defined(NO_WAIT)
#define IS_LEFT(s)	false
#elif defined(COUNT_BIOS)
#define IS_LEFT(s)	(cmd[s] == BIO)
#else
#define IS_LEFT(s)	true
#endif
#define AWAITED(s, n)	(first[s] && first[s] <= (n) && (n) <= last[s] && IS_LEFT(s))
#define ABORTED(s, x)	(first[s] && IS_LEFT(s))

inline tidy()
{
	t = 0;
	verdict = 0;
	changed = false
}

inline copy(to, from)
{
	to.in = from.in;
	to.number[A] = from.number[A];
	to.number[B] = from.number[B];
	to.number[C] = from.number[C];
	to.status[A] = from.status[A];
	to.status[B] = from.status[B];
	to.status[C] = from.status[C];
	to.abort[A] = from.abort[A];
	to.abort[B] = from.abort[B];
	to.abort[C] = from.abort[C]
}

inline forget_aborts(r)
{
	r.abort[A] = 0;
	r.abort[B] = 0;
	r.abort[C] = 0
}

inline forget_numbers(r)
{
	r.number[A] = 0;
	r.number[B] = 0;
	r.number[C] = 0;
	r.status[A] = 0;
	r.status[B] = 0;
	r.status[C] = 0
}

inline wipe(r)
{
	r.in = 0;
	forget_numbers(r);
	forget_aborts(r)
}

inline remember(r, h, n, is)
{
	r.number[h] = n;
	r.status[h] = is;
	r.abort[h] = 0
}

inline keep(from)
{
	copy(disk, from);
	forget_aborts(disk);
#ifdef NO_NUMBERS
	forget_numbers(disk)
#endif
}

/* A restart: what was recorded is in force, and no abort waits. */
inline load()
{
	copy(now, disk);
	aborts = 0
}

/* No change of the host up to @n may be made any more. */
inline pass(h, n)
{
	if
	:: past[h] < n -> past[h] = n
	:: else
	fi
}

/* The abort of host @h, if it still wants it, is about all that is lost. */
inline owe(s, h)
{
	t = 0;
	do
	:: t < NR ->
		if
		:: lost[t] && msg[s] == number[h] -> owed[t] = owed[t] | BIT(h)
		:: else
		fi;
		t++
	:: else -> break
	od
}

/* It is answered for good. */
inline seal(h)
{
	t = 0;
	do
	:: t < NR ->
		sealed[t] = sealed[t] || owed[t] & BIT(h);
		t++
	:: else -> break
	od
}

inline reply(s, h, is)
{
	if
	:: via[h] == s + 1 -> printf("host %c is told: %e\n", NAME(h), is)
	:: else
	fi;
	/* A restart finds what is in force. */
	assert(disk.in == now.in);
	if
	:: via[h] == s + 1 ->
		via[h] = 0;
		again[h] = is == AGAIN;
		pending[h] = is == AGAIN || is == NO_VOLUME;
		assert(is != OLD_CHANGE);
		if
		:: is == OK -> assert(made[h] == msg[s])
		:: is == CONFLICT || is == NOT_KEPT ->
			assert(made[h] != msg[s]);
			pass(h, msg[s])
		:: else
		fi;
		if
		:: is == OK || is == CONFLICT -> seal(h)
		:: else
		fi
	:: else
	fi
}

/* Has the I/O ended that abort @n waits for?  Into @verdict. */
inline look(n)
{
	verdict = (ANY(AWAITED, n) -> AGAIN : OK)
}

/* rblkt_resv_decide(), in the copy; into @verdict. */
#define OTHERS		(keyed & ~BIT(h))
inline judge(does, h)
{
	verdict = OK;
	if
	:: does == JOIN && !(now.in & BIT(h)) -> NEXT.in = now.in | BIT(h)
	:: does == LEAVE && now.in & BIT(h) -> NEXT.in = now.in & ~BIT(h)
	:: (does == PREEMPT || does == ABORT) && now.in & BIT(h) &&
	   (now.in & OTHERS || keyed & BIT(h)) -> NEXT.in = now.in & ~OTHERS
	:: else -> verdict = CONFLICT
	fi
}

inline refuse(s, h)
{
#ifndef NO_REFUSALS
	remember(now, h, msg[s], CONFLICT);
#endif
	pass(h, msg[s] - 1);
	if
	:: what[s] == ABORT && now.in & BIT(h) -> owe(s, h)
	:: else
	fi
}

#ifdef NO_VOLUMES
#define USABLE(s)	true
#else
#define USABLE(s)	(att[s] == HELD)
#endif

/* resv_decide_in() */
inline decide(s, h)
{
	if
	:: !USABLE(s) -> verdict = NO_VOLUME
#ifndef NO_LOWER
	:: USABLE(s) && msg[s] < now.number[h] -> verdict = OLD_CHANGE
#endif
#ifndef NO_REPEAT
	:: USABLE(s) && msg[s] == now.number[h] && now.status[h] != OK ->
		verdict = now.status[h]
	:: USABLE(s) && msg[s] == now.number[h] && now.status[h] == OK ->
		look(now.abort[h])
#endif
	:: else ->
		copy(NEXT, now);
		judge(what[s], h);
		if
		:: verdict == OK ->
			remember(NEXT, h, msg[s], OK);
			changed = true
#ifndef NO_BEFORE
		:: verdict == CONFLICT && what[s] == ABORT && now.in & BIT(h) &&
		   ANY(ABORTED, 0) ->
#ifdef AGAIN_DECIDES
			refuse(s, h);
#endif
			verdict = AGAIN
#endif
		:: else -> refuse(s, h)
		fi;
		if
		:: !changed -> wipe(NEXT)
		:: else
		fi
	fi;
	printf("target: change %d of host %c, by session %d, is %e\n", msg[s], NAME(h), s, verdict)
}

inline record(s, h)
{
	keep(NEXT);
	assert(msg[s] > past[h]);
	pass(h, msg[s]);
	made[h] = msg[s];
	printf("target: change %d of host %c is recorded\n", msg[s], NAME(h))
}

/* It can't be recorded. */
inline fail(s, h)
{
#ifdef NO_BLANK
	keep(NEXT);
#endif
#ifndef FORGET_FAILED
	remember(now, h, msg[s], NOT_KEPT);
#endif
	pass(h, msg[s] - 1);
	printf("target: change %d of host %c can't be recorded\n", msg[s], NAME(h))
}

/* Whom does an abort leave out? */
#ifdef LIVE_ONLY
#define LEFT_OUT(t)	(att[t] != HELD)
#elif defined(ONE_SESSION)
#define LEFT_OUT(t)	(t % 2)
#else
#define LEFT_OUT(t)	false
#endif

/* att_abort() */
inline abort_att(t)
{
#ifndef LAST_ONLY
	if
	:: !first[t] -> first[t] = aborts
	:: else
	fi;
#else
	first[t] = aborts;
#endif
	last[t] = aborts;
#ifndef NO_WITHDRAWAL
	end_att(t)
#endif
}

/* resv_enforce(), of an abort; with the former state in @now */
inline enforce_abort(s, h)
{
	aborts++;
#ifndef NO_ABORT
	NEXT.abort[h] = aborts;
#endif
	t = 0;
	do
	:: t < NR ->
		if
		:: att[t] == NONE || HOST(t) == h
		:: att[t] != NONE && HOST(t) != h && now.in & ~NEXT.in & BIT(HOST(t)) ->
			lost[t] = true;
			if
			:: !LEFT_OUT(t) -> abort_att(t)
			:: else
			fi
		:: else ->
			if
			:: first[t] ->
#ifdef LAST_ONLY
				first[t] = aborts;
#endif
#ifndef NO_SECOND
				last[t] = aborts
#endif
			:: else
			fi
		fi;
		t++
	:: else -> break
	od;
	owe(s, h)
}

/* What is under way may meet the former state or this one. */
inline meet()
{
	t = 0;
	do
	:: t < NR ->
		if
		:: cmd[t] -> meets[t] = meets[t] | BIT(DENIES(now, HOST(t)))
		:: else
		fi;
		t++
	:: else -> break
	od
}

inline enforce(s, h)
{
	if
	:: what[s] == ABORT -> enforce_abort(s, h)
	:: else
	fi;
#ifdef ADD_UNLOCKED
	if
	:: !lock	/* there is another export by now */
	:: else -> copy(now, NEXT)
	fi;
#else
	copy(now, NEXT);
#endif
	meet();
	if
	:: what[s] == ABORT -> look(aborts)
	:: else -> verdict = OK
	fi;
	printf("target: change %d of host %c is in force\n", msg[s], NAME(h))
}

inline deny()
{
	t = 0;
	do
	:: t < NR ->
		denied[t] = att[t] != NONE && DENIES(now, HOST(t));
		t++
	:: else -> break
	od
}

inline finish(s)
{
	stage[s] = 0;
	lock = false;
	msg[s] = 0;
	wipe(NEXT)
}
