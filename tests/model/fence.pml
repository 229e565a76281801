/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The epoch fence: two hosts, one exclusive export of one block, several
 * epochs each, and a backing device that ends a bio whenever it likes.
 *
 * What a step stands for (run checks that these functions exist):
 *
 * host: one initiator, its session's work and one volume
 *   new epoch	driver/session/recovery.c:sess_connect driver/session/link.c:rblk_link_up
 *		driver/session/login.c:rblk_login driver/session/login.c:rblk_login_bind
 *		driver/session/recovery.c:sess_go_live
 *   attach	driver/session/recovery.c:vols_attach_pending driver/session/volume.c:rblk_vol_try_attach
 *		driver/session/volume.c:vol_granted
 *   write	driver/block/queue.c:queue_rq driver/block/queue.c:rq_command_done
 *   lose	driver/session/session.c:rblk_sess_lose driver/session/recovery.c:sess_recover
 *		driver/session/volume.c:rblk_vol_lost driver/session/link.c:rblk_link_down
 *		driver/block/queue.c:cancel_rqs
 *   expire	driver/session/volume.c:vol_fail_if_due
 *   detach	driver/block/device.c:rblk_dev_detach driver/session/attach.c:rblk_sess_detach
 *		driver/session/session.c:rblk_sess_put
 * epoch: one session object of the target, which is one epoch of one host
 *   accepted	target/session/session.c:rblkt_sess_new target/session/session.c:rblkt_sess_add_link
 *   login	target/session/epoch.c:rblkt_epoch_login target/session/epoch.c:sess_succeed
 *   bind	target/session/login.c:rblkt_login_bind target/transport/conn.c:rblkt_conn_live
 *   attach	target/export/attachment.c:rblkt_attach target/export/attachment.c:att_arbitrate
 *   withdraw	target/export/attachment.c:rblkt_att_fence_host target/export/export.c:rblkt_export_withdraw
 *   detach	target/export/attachment.c:rblkt_detach target/export/drain.c:rblkt_drain_begin
 *   enter	target/io/command.c:cmd_enter target/io/command.c:cmd_begin target/io/bio.c:rblkt_bio_submit
 *   bio ends	target/io/bio.c:cmd_bio_ended target/io/command.c:rblkt_cmd_done
 *   reply	target/io/reply.c:rblkt_reply
 *   fails	target/transport/conn.c:rblkt_conn_kill target/session/session.c:sess_keepalive
 *   closed	target/transport/close.c:rblkt_close_work
 *		target/session/session.c:rblkt_sess_link_closed target/session/session.c:rblkt_sess_kill
 *   drained	target/export/drain.c:rblkt_drain_ended target/export/drain.c:drain_ended_work
 *
 * A message stays in its channel for as long as its handler is delayed, also
 * when the host has long given the epoch up: that is the network's delay, the
 * receive queue's and the work queue's at once.  percpu_ref_kill() takes effect
 * at some time after it was called (KILLED, then DRAINING).  A bio changes the
 * disk when it ends, which is the latest it may and so the worst.  A host
 * writes one write after the other; so each value is older than the next.
 *
 * With PATHS it is one host with two sessions, and multipath on it: see paths.pml.
 * With ROUTES, too, these are one device's: see routes.pml.
 *
 * Taken out with -D: see cases.
 */
#include "states.pml"

#ifndef EPOCHS
#define EPOCHS	3	/* of host 0 */
#endif
#ifndef OTHERS
#define OTHERS	1	/* of host 1, 0: there is none */
#endif
#ifndef WRITES
#define WRITES	2	/* of host 0 */
#endif
#define NR	(EPOCHS + OTHERS)

#define HOST(k)		((k) >= EPOCHS)
#define FIRST(h)	((h) * EPOCHS)
#define LAST(h)		((h) * OTHERS + EPOCHS - 1)

mtype = { LOGIN, BIND, ATTACH, DETACH, WRITE, FENCE };
mtype = { OK, AGAIN, BUSY, REFUSED, GONE, HELD };

/* The network, by epoch: control and I/O connection, up to the target and down. */
chan ctl_up[NR] = [1] of { mtype };
chan ctl_dn[NR] = [1] of { mtype };
chan io_up[NR] = [1] of { mtype, byte };
chan io_dn[NR] = [1] of { mtype, byte };

/* The target's session objects and their connections. */
byte ts[NR], tctl[NR], tio[NR];

/* Attachments. KILLED: percpu_ref_kill() was called but is not seen yet. */
#define A_NONE		0
#define A_HELD		1
#define A_KILLED	2
#define A_DRAINING	3
#define A_DRAINED	4
byte att[NR];
byte bio[NR];		/* the value being written, 0: none */

/* What the properties speak of. */
bool overtaken[NR];	/* another had I/O admitted while our bio was out */
bool buried[NR];	/* likewise, and told its host, another, of a write */
byte applied[2];	/* youngest write of a host that reached the disk */
byte acked[2];		/* youngest write whose host was told so */
byte at[2];		/* epoch object that the host now uses, plus one */
bool ended[2];

#define FENCED(j)	(att[j] == A_KILLED || att[j] == A_DRAINING)

#include "paths.pml"
#include "routes.pml"

/* Does a draining attachment @j stand in the way of @k? */
#if defined(NO_FENCE)
#define IN_THE_WAY(j, k)	false
#elif defined(NO_EPOCH_FENCE)
#define IN_THE_WAY(j, k)	(HOST(j) != HOST(k))
#elif defined(NO_HOST_FENCE)
#define IN_THE_WAY(j, k)	(HOST(j) == HOST(k))
#else
#define IN_THE_WAY(j, k)	true
#endif

#include "registry.pml"

/*
 * May epoch @k's connections fail at the target?  Not the host's last one, as
 * long as it is used: nothing bounds the search otherwise.
 */
#ifdef NO_SILENCE
#define MAY_FAIL(k)	false
#else
#define MAY_FAIL(k)	(k != LAST(HOST(k)) || MAY_DIE(HOST(k)) || ended[HOST(k)] || \
			 at[HOST(k)] > k + 1)
#endif

/* Rule 4: no bio ends after a younger attachment had I/O admitted. */
inline enter(k)
{
	j = 0;
	do
	:: j < NR ->
		if
		:: j != k && bio[j] -> overtaken[j] = true
		:: else
		fi;
		j++
	:: else -> break
	od;
	j = 0
}

/* What is still on its way from former holders must not land on it any more. */
inline acknowledged(k)
{
	j = 0;
	do
	:: j < NR ->
		if
		:: WHO(j) != WHO(k) && bio[j] && att[k] == A_HELD -> buried[j] = true
		:: else
		fi;
		j++
	:: else -> break
	od;
	j = 0
}

inline bio_ends(k)
{
#ifndef DATA
	assert(!overtaken[k]);
#endif
	/* No older write replaces one that was acknowledged, to any host. */
	assert(!buried[k]);
	assert(bio[k] >= acked[WHO(k)]);
	if
	:: bio[k] > applied[WHO(k)] -> applied[WHO(k)] = bio[k]
	:: else
	fi
}

proctype epoch(byte k)
{
	mtype verdict;
	byte value, j;

end:	do
	/* Control connection, one message after the other. */
	:: d_step { (tctl[k] == T_NEW || tctl[k] == T_CLOSING) && ctl_up[k] ? [LOGIN] ->
		ctl_up[k] ? LOGIN;
		if
		:: tctl[k] == T_NEW -> set_tc(tctl[k], T_OPEN)
		:: else
		fi;
		login(k, verdict);
		answer(k, verdict);
		printf("target: LOGIN of host %d, epoch %d: %e\n",
			HOST(k), k - FIRST(HOST(k)) + 1, verdict);
		verdict = 0 }
	:: d_step { (tctl[k] == T_LIVE || tctl[k] == T_CLOSING) && ctl_up[k] ? [ATTACH] ->
		ctl_up[k] ? ATTACH;
		arbitrate(k, verdict);
		if
#ifndef NO_ATTACH_STATE
		:: ts[k] != S_LIVE -> verdict = REFUSED
#endif
		:: else
		fi;
		if
		:: verdict == OK ->
			UNUSED(k)
			att[k] = A_HELD
		:: else
		fi;
		answer(k, verdict);
		printf("target: ATTACH of host %d, epoch %d: %e\n",
			HOST(k), k - FIRST(HOST(k)) + 1, verdict);
		verdict = 0 }
	:: d_step { (tctl[k] == T_LIVE || tctl[k] == T_CLOSING) && ctl_up[k] ? [DETACH] ->
		ctl_up[k] ? DETACH;
		if
		:: att[k] == A_HELD -> att[k] = A_KILLED
		:: else
		fi;
		answer(k, OK);
		printf("target: DETACH of host %d, epoch %d\n",
			HOST(k), k - FIRST(HOST(k)) + 1) }
	TARGET_FENCE

	/* I/O connection. */
	:: d_step { tio[k] == T_NEW && io_up[k] ? [BIND, value] ->
		io_up[k] ? BIND, value;
		set_tc(tio[k], T_OPEN);
		set_tc(tio[k], T_LIVE);
		if
		:: at[HOST(k)] == k + 1 -> io_dn[k] ! OK, 0
		:: else
		fi;
		value = 0 }
#ifdef NO_ADMISSION
	:: d_step { (tio[k] == T_LIVE || tio[k] == T_CLOSING) && att[k] &&
#else
	:: d_step { (tio[k] == T_LIVE || tio[k] == T_CLOSING) &&
		    (att[k] == A_HELD || att[k] == A_KILLED) &&
#endif
		    io_up[k] ? [WRITE, value] ->
		io_up[k] ? WRITE, value;
		bio[k] = value;
		enter(k);
		printf("target: host %d, epoch %d: write %d goes to the device\n",
			HOST(k), k - FIRST(HOST(k)) + 1, value);
#ifdef EARLY_ACK
		io_dn[k] ! OK, value;
#endif
		value = 0 }
#ifdef PATHS
	/* Into an attachment that was withdrawn from a session that lives on. */
	:: d_step { tio[k] == T_LIVE && att[k] > A_KILLED && io_up[k] ? [WRITE, value] ->
		io_up[k] ? WRITE, value;
		if
		:: at[HOST(k)] == k + 1 && !ended[HOST(k)] -> io_dn[k] ! GONE, value
		:: else
		fi;
		value = 0 }
#endif
	/* The device ends the bio, and percpu_ref_put(). */
	:: d_step { bio[k] ->
		printf("device: write %d of host %d, epoch %d, is on the disk\n",
			bio[k], HOST(k), k - FIRST(HOST(k)) + 1);
		bio_ends(k);
#ifndef EARLY_ACK
		if
		:: tio[k] == T_LIVE && at[HOST(k)] == k + 1 && !ended[HOST(k)] && !HELD_BACK(k) ->
			io_dn[k] ! OK, bio[k]
		:: else
		fi;
#endif
		overtaken[k] = false;
		buried[k] = false;
		FREED(k)
		bio[k] = 0 }

	/* A connection fails: the network, silence, the administrator. */
	:: d_step { tctl[k] == T_LIVE && MAY_FAIL(k) ->
		printf("target: host %d, epoch %d: the control connection fails\n",
			HOST(k), k - FIRST(HOST(k)) + 1);
		set_tc(tctl[k], T_CLOSING) }
	:: d_step { tio[k] == T_LIVE && MAY_FAIL(k) ->
		printf("target: host %d, epoch %d: the I/O connection fails\n",
			HOST(k), k - FIRST(HOST(k)) + 1);
		set_tc(tio[k], T_CLOSING) }
	/* Drained: what came and was not handled is forgotten. */
	:: d_step { tctl[k] == T_CLOSING ->
		set_tc(tctl[k], T_DEAD);
		do
		:: ctl_up[k] ? _
		:: empty(ctl_up[k]) -> break
		od;
		kill(k) }
	:: d_step { tio[k] == T_CLOSING ->
		set_tc(tio[k], T_DEAD);
		do
		:: io_up[k] ? _, _
		:: empty(io_up[k]) -> break
		od;
		kill(k) }

	/* An attachment drains. */
	:: d_step { att[k] == A_KILLED -> att[k] = A_DRAINING }
	:: d_step { att[k] == A_DRAINING && !bio[k] ->
		printf("target: host %d, epoch %d: the attachment has drained\n",
			HOST(k), k - FIRST(HOST(k)) + 1);
		att[k] = A_DRAINED }
	od
}

proctype host(byte h, last, writes)
{
	byte k = FIRST(h), got, j;
	HOST_STATES
#ifndef PATHS
	byte newest;	/* of the newest write */
	bool pending;	/* it is not answered */
#endif
	bool sent;	/* in this epoch */
	bool call;	/* a control call is out */
	bool asked;	/* the export was refused in this epoch */
	bool attached;

	do
	/* sess_connect(): a new epoch */
	:: atomic { (s == S_NEW || s == S_RECOVERING) && (s == S_NEW || k < last) ->
		d_step {
			if
			:: s == S_RECOVERING -> k++
			:: else
			fi;
			assert(MAY_SESS(s, S_CONNECTING));
			s = S_CONNECTING;
			sent = false;
			at[h] = k + 1;
			ts[k] = S_NEW;
			set_ts(k, S_CONNECTING);
			tctl[k] = T_NEW;
			ctl_up[k] ! LOGIN;
			call = true;
			printf("host %d: epoch %d: connects\n", h, k - FIRST(h) + 1)
		} }
	:: d_step { s == S_CONNECTING && call && ctl_dn[k] ? [OK] ->
		ctl_dn[k] ? OK;
		call = false;
		tio[k] = T_NEW;
		io_up[k] ! BIND, 0 }
	:: d_step { s == S_CONNECTING && !call && io_dn[k] ? [OK, got] ->
		io_dn[k] ? OK, got;
		got = 0;
		assert(MAY_SESS(s, S_LIVE));
		s = S_LIVE;
		printf("host %d: epoch %d: is live\n", h, k - FIRST(h) + 1) }
	:: d_step { s == S_CONNECTING && call && ctl_dn[k] ? [REFUSED] ->
		ctl_dn[k] ? REFUSED;
		call = false;
		assert(MAY_SESS(s, S_RECOVERING));
		s = S_RECOVERING }

	/* attach_pending() */
	:: d_step { s == S_LIVE && v != V_DELETING && !attached && !call && !asked &&
		    nfull(ctl_up[k]) && !BLOCKED(h) ->
		ctl_up[k] ! ATTACH;
		ASKED(h)
		call = true }
	:: d_step { s == S_LIVE && v != V_DELETING && asked && nfull(ctl_up[k]) &&
		    GRANTABLE(k) ->
		asked = false }
	:: d_step { s == S_LIVE && v != V_DELETING && call && !ASKING(h) && nempty(ctl_dn[k]) &&
		    !GIVES_BACK(h, k) ->
		if
		:: ctl_dn[k] ? OK ->
			attached = true;
			GRANTED(h)
			assert(MAY_VOL(v, V_LIVE));
			v = V_LIVE;
			printf("host %d: epoch %d: has the volume\n", h,
				k - FIRST(h) + 1)
		:: ctl_dn[k] ? AGAIN -> asked = true
		:: ctl_dn[k] ? BUSY -> asked = true
		:: ctl_dn[k] ? REFUSED -> asked = true
		fi;
		call = false }

	/* Writes, one after the other. */
	:: d_step { v == V_LIVE && !pending && LEFT > 0 ->
		LEFT--;
		newest++;
		pending = true;
		TAKE
		sent = false }
	:: d_step { v == V_LIVE && MINE && !sent && nfull(io_up[k]) ->
		io_up[k] ! WRITE, newest;
		sent = true;
		USED(k)
		printf("host %d: epoch %d: sends write %d\n", h, k - FIRST(h) + 1,
			newest) }
	:: d_step { ANSWERABLE && sent && io_dn[k] ? [OK, got] ->
		io_dn[k] ? OK, got;
		assert(got == newest);
		/* No write is lost. */
		assert(applied[WHO(k)] >= newest);
		acked[WHO(k)] = newest;
		acknowledged(k);
		DONE
		sent = false;
		got = 0;
		printf("host %d: write %d is acknowledged\n", h, newest) }

	HOST_FENCE
#ifdef PATHS
	/* What another path has given up. */
	:: d_step { v == V_LIVE && pending && !via ->
		TAKE
		sent = false }
	/* The export is withdrawn, of which an event and the next answer tell. */
	:: d_step { sent && io_dn[k] ? [GONE, got] ->
		io_dn[k] ? GONE, got;
		sent = false;
		got = 0 }
	:: d_step { v == V_LIVE && attached && ts[k] == S_LIVE && att[k] != A_HELD ->
		assert(MAY_VOL(v, V_WAITING));
		v = V_WAITING;
		attached = false;
		printf("host %d: epoch %d: the export is withdrawn\n", h,
			k - FIRST(h) + 1) }
#endif

	/* rblk_sess_lose() and sess_recover(): the target need not notice. */
	:: d_step { (s == S_CONNECTING || s == S_LIVE) && (k < last || MAY_DIE(h)) ->
		assert(MAY_SESS(s, S_RECOVERING));
		s = S_RECOVERING;
		if
		:: v == V_LIVE ->
			assert(MAY_VOL(v, V_WAITING));
			v = V_WAITING
		:: else
		fi;
		attached = false;
		lose(h, k);
		sent = sent && !DRAINS;
		call = false;
		asked = false;
		do
		:: ctl_dn[k] ? _
		:: DRAINS && nempty(io_dn[k]) -> io_dn[k] ? _, _
		:: empty(ctl_dn[k]) && (empty(io_dn[k]) || !DRAINS) -> break
		od;
		printf("host %d: loses epoch %d and holds its I/O\n", h,
			k - FIRST(h) + 1) }
	/* The loss policy: the write fails, and may or may not be on the disk. */
	:: d_step { v == V_WAITING && EXPIRED ->
		assert(MAY_VOL(v, V_FAILED));
		v = V_FAILED;
		GIVE_UP
		printf("host %d: fails its I/O\n", h) }

	/* Detach, when all is written; or without a single write. */
	:: d_step { (v == V_LIVE || v == V_FAILED || DEAD(h, k)) && !ASKING(h) &&
		    !pending && LEFT == 0 ->
		assert(MAY_VOL(v, V_DELETING));
		v = V_DELETING;
		if
		:: s == S_LIVE && attached ->
			ctl_up[k] ! DETACH;
			call = true
		:: else -> call = false
		fi }
	:: atomic { v == V_DELETING && (!call || s != S_LIVE || nempty(ctl_dn[k])) ->
		if
		:: s != S_DELETING ->
			assert(MAY_SESS(s, S_DELETING));
			s = S_DELETING
		:: else
		fi;
		do
		:: ctl_dn[k] ? _
		:: io_dn[k] ? _, _
		:: empty(ctl_dn[k]) && empty(io_dn[k]) -> break
		od;
		ended[h] = true;
		printf("host %d: has detached\n", h);
		break }
	od
}

init
{
	byte k = 0;

	atomic {
		do
		:: k < NR -> run epoch(k); k++
		:: else -> break
		od;
		run host(0, EPOCHS - 1, WRITES);
#if OTHERS
		run host(1, NR - 1, 1);
#else
		ended[1] = true;
#endif
		k = 0
	}
}
