/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reservations: hosts share an export, change its registrations, and preempt one another,
 * with abort.  What a change promises when it is answered, also if its host repeats it or
 * gives it up, if two hosts abort the same one, and if the target restarts.
 *
 * What a step stands for (run checks that these functions exist):
 *
 * host: the user of one device, who makes one change after the other
 *   begins	driver/block/reserve.c:reserve_change driver/block/reserve.c:reserve_lock
 *   asks	driver/block/reserve.c:reserve_ask driver/block/reserve.c:reserve_find_route
 *		driver/session/reserve.c:rblk_reserve_ask
 *   loses	driver/session/session.c:rblk_sess_lose
 * session: one session of a host at the target, with its attachment
 *   attach	target/export/attachment.c:rblkt_attach target/export/attachment.c:att_arbitrate
 *		target/export/attachment.c:att_link target/export/reservation.c:rblkt_resv_access
 *   ends	target/session/session.c:rblkt_sess_kill target/export/attachment.c:rblkt_att_lose_all
 *   decide, record, enforce	see changes.pml
 *   enters	target/io/command.c:cmd_enter
 *   looks	target/io/bio.c:rblkt_bio_submit target/io/bio.c:cmd_conflicts
 *		target/io/transfer.c:rblkt_transfer_start target/io/transfer.c:rblkt_transfer_purge
 *   lands	target/io/bio.c:cmd_bio_ended target/io/command.c:rblkt_cmd_done
 *   drained	target/export/drain.c:rblkt_drain_ended target/export/drain.c:drain_ended_work
 * target:
 *   remove	target/export/export.c:rblkt_export_remove target/export/export.c:export_unlink
 *   add	target/export/export.c:rblkt_export_add target/export/export.c:export_enter
 *		target/export/bdev.c:rblkt_bdev_open target/export/record.c:rblkt_record_load
 *
 * What must hold:
 *
 * - When an abort is answered with OK, no command of the attachments that its hosts had
 *   changes the medium any more.  Nor when it is answered with CONFLICT as another abort
 *   was first.
 * - A command that was sent after the answer to a change meets that change.
 * - A change is made at most once.  It is not made after its host was told that it is
 *   refused, nor after the host has had a later one decided.
 * - What was answered is in force after a restart.  What was refused is not.
 * - Each change ends if I/O ends: else its host waits for ever.
 *
 * All preempt the same key: B has it, and A may have it, too.  If there is a reservation
 * all registrants hold it (WRITE_ALL_HOLD), and B's commands are writes.  C stays a
 * registrant, so the reservation stays.
 *
 * A message stays in its session for as long as its handler is delayed, also when its host
 * has given the session up.  A command may enter an attachment that ends, until that has
 * drained: percpu_ref_kill() takes effect at some time after it was called.
 *
 * Taken out with -D: see cases.
 */
#ifndef CHANGES
#define CHANGES	2	/* of A */
#endif
#ifndef JOINS
#define JOINS	0	/* changes of B */
#endif
#ifndef RIVAL
#define RIVAL	0	/* changes of C */
#endif
#ifndef WRITES
#define WRITES	0	/* of B */
#endif
#ifndef LOSSES
#define LOSSES	1	/* of sessions */
#endif
#ifndef RESTARTS
#define RESTARTS 0	/* of the target */
#endif
#ifndef FAILURES
#define FAILURES 0	/* to record a change */
#endif

#define A	0
#define B	1
#define C	2
#define NAME(h)	('A' + (h))
#define BIT(x)	(1 << (x))

/* Sessions: 0 and 1 are A's, 2 and 3 B's, 4 is C's. */
#define NR		5
#define HOST(s)		((s) / 2)
#define ANY(what, x)	(what(0, x) || what(1, x) || what(2, x) || what(3, x) || what(4, x))

mtype = { JOIN, LEAVE, PREEMPT, ABORT };
mtype = { OK, CONFLICT, NOT_KEPT, AGAIN, NO_VOLUME, OLD_CHANGE };

/* Hosts.  Each numbers its changes upwards; 0 is none. */
byte number[3];
mtype action[3];
bool pending[3];	/* not answered for good */
byte via[3];		/* the session by which it was asked for, plus one */
bool again[3];		/* answered with AGAIN */
byte keyed;		/* bits of those whose key is the one that is preempted */
byte losses = LOSSES, writes = WRITES;

/* A session. */
bool left[NR];		/* its host has lost it, and the target has not noticed */
byte msg[NR];		/* a message in it: the number of the change, 0: none */
mtype what[NR];

/* Its attachment. */
#define NONE		0
#define HELD		1
#define ENDING		2	/* in the export's list until its last command has ended */
byte att[NR];
bool denied[NR];
byte first[NR], last[NR];	/* aborts that wait for it: abort_first, abort_last */

/* A command in it: on its way, in @ios, past the look at @denied, at the device. */
#define SENT		1
#define ENTERED		2
#define LOOKED		3
#define BIO		4
byte cmd[NR];

/* What the properties speak of. */
byte made[3];		/* a host's last change that was made */
byte past[3];		/* none of its changes up to this may be made any more */
byte meets[NR];		/* bits: a command may be carried out (0), be denied (1) */
bool lost[NR];		/* an attachment: its host has lost its registration to an abort */
byte owed[NR];		/* bits of hosts whose abort is about it */
bool sealed[NR];	/* such an abort was answered, so nothing may land */

#define ENDS(s, h)	(HOST(s) == h && att[s] == ENDING)
#define LISTED(s, x)	(att[s] != NONE)

#include "changes.pml"

/* No new command, if it has not ended before. */
inline end_att(s)
{
	if
	:: att[s] == HELD -> att[s] = ENDING
	:: else
	fi
}

inline end_cmd(s)
{
	cmd[s] = 0;
	meets[s] = 0
}

/* The attachment has left the export's list. */
inline forget_att(s)
{
	att[s] = NONE;
	denied[s] = false;
	first[s] = 0;
	last[s] = 0;
	lost[s] = false;
	owed[s] = 0;
	sealed[s] = false;
	end_cmd(s)
}

proctype session(byte s)
{
	byte t, h = HOST(s);
	mtype verdict;
	bool changed;

end:	do
	/* A host gets the export anew when its own old I/O has ended. */
	:: d_step { att[s] == NONE && !left[s] && !msg[s] && !removed && !ANY(ENDS, h) ->
		att[s] = HELD;
#ifndef NO_DENIED
		denied[s] = DENIES(now, h);
#endif
		printf("host %c has the export by session %d\n", NAME(h), s) }
	/* The target notices a loss.  A handler that has begun goes on. */
	:: d_step { left[s] ->
		left[s] = false;
		end_att(s);
		if
		:: !stage[s] -> msg[s] = 0
		:: else
		fi;
		printf("target: session %d of host %c has ended\n", s, NAME(h)) }
	:: d_step { att[s] == ENDING && cmd[s] <= SENT ->
		forget_att(s);
		printf("target: the attachment of session %d has drained\n", s) }

	/* RESERVE */
	:: d_step { msg[s] && !stage[s] && !LOCKED ->
		decide(s, h);
		if
		:: changed ->
			stage[s] = DECIDED;
			lock = true
#ifdef ANSWER_FIRST
			;
			reply(s, h, OK)
#endif
		:: else ->
			reply(s, h, verdict);
			msg[s] = 0
		fi;
		tidy() }
	:: d_step { stage[s] == DECIDED ->
		stage[s] = RECORDED;
		record(s, h);
		tidy() }
	:: d_step { stage[s] == DECIDED && failures ->
		failures--;
		fail(s, h);
		reply(s, h, NOT_KEPT);
		finish(s);
		tidy() }
	:: d_step { stage[s] == RECORDED ->
		enforce(s, h);
		reply(s, h, verdict);
#ifdef DENIED_LATE
		stage[s] = LATE;
#else
		deny();
		finish(s);
#endif
		tidy() }
#ifdef DENIED_LATE
	:: d_step { stage[s] == LATE -> deny(); finish(s); tidy() }
#endif

	/* Commands */
	:: d_step { h == B && writes && att[s] == HELD && !left[s] && !cmd[s] ->
		writes--;
		cmd[s] = SENT;
		meets[s] = BIT(DENIES(now, h));
		printf("host %c sends a write by session %d\n", NAME(h), s) }
	:: d_step { cmd[s] == SENT ->
		cmd[s] = ENTERED }
	:: d_step { cmd[s] == ENTERED && att[s] == ENDING ->
		printf("target: the write by session %d is answered with GONE\n", s);
		end_cmd(s) }
	:: d_step { cmd[s] == ENTERED && denied[s] ->
		printf("target: the write by session %d is answered with RESV_CONFLICT\n", s);
		assert(meets[s] & BIT(true));
		end_cmd(s) }
	:: d_step { cmd[s] == ENTERED && !denied[s] ->
		printf("target: the write by session %d is let through\n", s);
		cmd[s] = LOOKED }
	:: d_step { cmd[s] == LOOKED ->
		cmd[s] = BIO }
	:: d_step { cmd[s] == BIO ->
		printf("device: the write by session %d is on the medium\n", s);
		assert(meets[s] & BIT(false));
		assert(!sealed[s]);
		end_cmd(s) }
	od
}

/* A host gives a change without an answer up, or has none, and begins the next. */
#define IDLE(h)		(!via[h] && changes)

inline begins(does)
{
	changes--;
	number[h]++;
	action[h] = does;
	pending[h] = true;
	again[h] = false;
	t = 0;
	do
	:: t < NR -> owed[t] = owed[t] & ~BIT(h); t++
	:: else -> break
	od;
	t = 0;
	printf("host %c begins change %d: %e\n", NAME(h), number[h], does)
}

/* It asks again when it may hope for another answer: so the search ends. */
#define UNREADY(h)	(again[h] && (now.number[h] == number[h] -> \
				      ANY(AWAITED, now.abort[h]) : ANY(ABORTED, 0)))
#define CAN_ASK(h, s)	(pending[h] && !via[h] && att[s] == HELD && !left[s] && !msg[s] && \
			 !UNREADY(h))

inline asks(s)
{
	via[h] = s + 1;
	msg[s] = number[h];
	what[s] = action[h];
	again[h] = false;
	printf("host %c asks for change %d by session %d\n", NAME(h), number[h], s)
}

/* What a session was asked may be asked again by another. */
inline loses(s)
{
	losses--;
	left[s] = true;
	if
	:: via[h] == s + 1 -> via[h] = 0
	:: else
	fi;
	printf("host %c loses session %d\n", NAME(h), s)
}

proctype host(byte h, changes)
{
	byte t;

	do
	:: d_step { IDLE(h) && h != B -> begins(ABORT) }
	:: d_step { IDLE(h) && h == A && !RIVAL -> begins(PREEMPT) }
	:: d_step { IDLE(h) && JOINS && h != C && !(now.in & BIT(h)) -> begins(JOIN) }
	:: d_step { IDLE(h) && JOINS && h != C && now.in & BIT(h) -> begins(LEAVE) }
	:: d_step { CAN_ASK(h, 2 * h) -> asks(2 * h) }
	:: d_step { h != C && CAN_ASK(h, 2 * h + 1) -> asks(2 * h + 1) }
	:: d_step { losses && att[2 * h] == HELD && !left[2 * h] -> loses(2 * h) }
	:: !pending[h] && !changes -> break
	od
}

#if RESTARTS
proctype target()
{
	byte restarts = RESTARTS, t;

	do
	/* The machine stops, and all I/O and messages are lost with it. */
	:: d_step { restarts ->
		restarts--;
		printf("the target's machine stops\n");
		t = 0;
		do
		:: t < NR ->
			forget_att(t);
			msg[t] = 0;
			left[t] = false;
			stage[t] = 0;
			t++
		:: else -> break
		od;
		t = 0;
		via[A] = 0;
		via[B] = 0;
		via[C] = 0;
		lock = false;
		removed = false;
		wipe(next[0]);
		load() }
	/* Or only the export, with the module or without, and the sessions may live on. */
	:: d_step { restarts && !removed ->
		restarts--;
		removed = true;
		printf("the export is removed\n");
		t = 0;
		do
		:: t < NR -> end_att(t); t++
		:: else -> break
		od;
		t = 0 }
	/* Its UUID is refused until the last bio of before has ended: export_check_lingering(). */
	:: d_step { removed && CAN_ADD ->
		removed = false;
		lock = false;
		load();
		printf("the export is added again\n") }
	:: !restarts && !removed -> break
	od
}
#endif

init
{
	atomic {
		if
		:: keyed = BIT(B)
#if RIVAL
		:: keyed = BIT(B) | BIT(A)
#endif
		fi;
		if
		:: reserved = false
#if WRITES
		:: reserved = true
#endif
		fi;
		now.in = BIT(A) | BIT(B) | BIT(C);
		disk.in = now.in;
		run session(0);
		run session(1);
		run session(2);
#ifdef TWICE
		run session(3);
#endif
		run host(A, CHANGES);
		run host(B, JOINS);
#if RIVAL
		run session(4);
		run host(C, RIVAL);
#endif
#if RESTARTS
		run target();
#endif
	}
}
