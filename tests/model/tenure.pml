/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tenure: hosts that take turns at an exclusive export, are lost while they
 * have it, and come back; and a target that restarts.  With -DFORGETS it forgets
 * then who wrote last, as it does without a directory to keep that in.
 *
 * What a step stands for (run checks that these functions exist):
 *
 *   attach	target/export/attachment.c:rblkt_attach target/export/tenure.c:rblkt_tenure_begin
 *		target/proto/tenure.c:rblkt_proto_tenure target/export/tenure.c:rblkt_tenure_keep
 *   go on	driver/session/exports.c:attach_fill_request target/export/attachment.c:att_superseded
 *		target/proto/tenure.c:rblkt_proto_superseded driver/session/volume.c:vol_refused
 *   lose	driver/session/volume.c:rblk_vol_lost target/session/session.c:rblkt_sess_kill
 *   detach	driver/block/device.c:rblk_dev_detach target/export/attachment.c:rblkt_detach
 *   restart	target/export/export.c:rblkt_export_add target/export/tenure.c:rblkt_tenure_load
 *
 * A host that is lost may hold writes for as long as it likes.  If it may write
 * when it comes back these writes land.  So a writer must not come back when
 * another one has had the export since.  -DEXCUSED: unless the target has forgotten
 * both.
 * And nobody is told that a writer has had the export when none has: a refusal is
 * for good, and the volume of a host that is refused fails.
 *
 * Messages and I/O are fence.pml's affair; so is what a draining attachment
 * holds back.  Shared access, which is never refused so, is not modelled.
 *
 * Taken out with -D: see cases.
 */
#define HOSTS		3
#define R		1
#define W		2

#ifndef TURNS
#define TURNS		2	/* of each host, to attach anew */
#endif
#ifndef LOSSES
#define LOSSES		2	/* of each host */
#endif
#ifndef RESTARTS
#define RESTARTS	2
#endif

/* The target: 0 until it knows of a writer. */
byte tenure;
byte held[HOSTS];	/* with which access, 0: not at all */
byte newest;		/* tenure ever given */

/* The hosts: what their volume was attached with, 0: there is none. */
byte volume[HOSTS];
byte mine[HOSTS];	/* tenure that the last reply named */
bool refused[HOSTS];

/* Has a writer been given the export since this host was? */
bool missed[HOSTS];

#define OTHERS_HOLD(h, w)	(held[((h) + 1) % HOSTS] >= (w) || \
				 held[((h) + 2) % HOSTS] >= (w))
#define CONFLICT(h, access)	((access) == W && OTHERS_HOLD(h, R) || \
				 (access) == R && OTHERS_HOLD(h, W))

#ifdef EXCUSED
#define EXCUSE		(!tenure)
#else
#define EXCUSE		false
#endif

#ifdef NO_TENURE
#define SUPERSEDED(h)		false
#else
#define SUPERSEDED(h)		(tenure && mine[h] != tenure)
#endif
#ifdef READER_TENURE
#define SETS(access)		true
#else
#define SETS(access)		((access) == W)
#endif

/* @asked: the tenure that the host names, 0 for none */
inline grant(h, asked)
{
	if
	:: SETS(volume[h]) && asked && (!tenure || asked == tenure) -> tenure = asked
#ifdef READER_TENURE
	:: volume[h] == R && tenure && asked != tenure
#endif
	:: else ->
		if
		:: SETS(volume[h]) -> newest++; tenure = newest
		:: else
		fi
	fi;
	held[h] = volume[h];
	mine[h] = (tenure -> tenure : asked);
	if
	:: volume[h] == W ->
		missed[(h + 1) % HOSTS] = true;
		missed[(h + 2) % HOSTS] = true
	:: else
	fi;
	missed[h] = false
}

proctype host(byte h)
{
	byte turns = TURNS, losses = LOSSES;

	do
	/* Attach a volume. */
	:: d_step { !volume[h] && turns && !CONFLICT(h, W) ->
		turns--;
		volume[h] = W;
		grant(h, 0);
		printf("host %d attaches to write: tenure %d\n", h, mine[h]) }
	:: d_step { !volume[h] && turns && !CONFLICT(h, R) ->
		turns--;
		volume[h] = R;
		grant(h, 0);
		printf("host %d attaches to read: tenure %d\n", h, mine[h]) }
	/* The session is lost. */
	:: d_step { held[h] && losses ->
		losses--;
		held[h] = 0;
		printf("host %d is lost\n", h) }
	/* It is back and asks for the export again. */
	:: d_step { volume[h] && !held[h] && !refused[h] && SUPERSEDED(h) ->
		printf("host %d is refused with tenure %d\n", h, mine[h]);
		assert(missed[h]);
		refused[h] = true }
	:: d_step { volume[h] && !held[h] && !refused[h] && !SUPERSEDED(h) &&
		    !CONFLICT(h, volume[h]) ->
		printf("host %d goes on with tenure %d\n", h, mine[h]);
		assert(volume[h] == R || !missed[h] || EXCUSE);
		grant(h, mine[h]) }
	:: d_step { volume[h] ->
		volume[h] = 0;
		held[h] = 0;
		refused[h] = false;
		mine[h] = 0;
		printf("host %d detaches\n", h) }
	:: !volume[h] && !turns -> break
	od
}

proctype target()
{
	byte restarts = RESTARTS;

	do
	:: d_step { restarts ->
		restarts--;
#ifdef FORGETS
		tenure = 0;
#endif
		held[0] = 0;
		held[1] = 0;
		held[2] = 0;
		printf("the target restarts\n") }
	:: !restarts -> break
	od
}

init
{
	atomic {
		run target();
		run host(0);
		run host(1);
		run host(2)
	}
}
