/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A session's life: attach, recover, fail, come back, detach, and that each of
 * them ends.  One volume with requests, one work item, and everybody who queues
 * it.  Whatever ends a wait in time, a deadline or a retry, is a step that is
 * always possible; what goes wrong goes wrong a few times only.  So a run that
 * does not reach its end has been left waiting by everybody: a deadlock, which
 * the search reports.
 *
 * What a step stands for (run checks that these functions exist):
 *
 * work: the session's work item
 *   connect	driver/session/recovery.c:sess_connect driver/session/recovery.c:sess_go_live
 *		driver/session/recovery.c:sess_not_connected
 *   attach	driver/session/recovery.c:vols_attach_pending driver/session/volume.c:rblk_vol_try_attach
 *		driver/session/volume.c:vol_granted driver/session/volume.c:vol_refused
 *   recover	driver/session/recovery.c:sess_recover driver/session/volume.c:rblk_vol_lost
 *		driver/session/link.c:rblk_link_down
 *   cancel	driver/block/queue.c:cancel_rqs
 *   end	driver/session/recovery.c:sess_take_down driver/session/session.c:rblk_sess_ended
 * expire: driver/session/volume.c:vol_expire_work driver/session/volume.c:vol_fail_if_due
 * dispatch: driver/block/queue.c:queue_rq driver/block/queue.c:rq_not_live
 * trouble: driver/session/session.c:rblk_sess_lose
 * user: the verbs attach and detach
 *   attach	driver/block/device.c:dev_attach driver/session/session.c:rblk_sess_get
 *		driver/session/session.c:rblk_sess_wait_live driver/session/attach.c:rblk_sess_attach
 *   detach	driver/block/device.c:rblk_dev_detach driver/block/disk.c:disk_end_io
 *		driver/session/attach.c:rblk_sess_detach driver/session/exports.c:rblk_exports_detach
 *   put	driver/session/session.c:rblk_sess_put driver/session/session.c:sess_disown
 *		driver/session/session.c:sess_end driver/session/link.c:rblk_link_abort
 * hold, resume: driver/block/hold.c:rblk_queue_hold driver/block/hold.c:rblk_queue_resume
 *
 * Taken out with -D: see mutants.
 */
#include "states.pml"

#ifndef REQUESTS
#define REQUESTS 2
#endif
#ifndef LOSSES
#define LOSSES	2
#endif
#ifndef FAILURES
#define FAILURES 1	/* attempts to connect, after the first */
#endif
#ifndef REFUSALS
#define REFUSALS 1	/* of a volume */
#endif

byte s = S_NEW, v = V_NEW;
byte losses = LOSSES, failures = FAILURES, refusals = REFUSALS;

/* The work item, and that of the loss policy. */
bool queued, expiring, expires;

/* struct rblk_sess */
bool lost, linked, aborted, was_live, listed, used, orphan, gone, freed;
bool vols_lock;

/* struct rblk_vol and struct rblk_dev */
bool attached, refused, disk, held, hold_lock, forever;

/* A request: in the block layer, on its requeue list, in a slot, ended. */
#define R_NONE		0
#define R_QUEUED	1
#define R_REQUEUED	2
#define R_OUT		3
byte rq;
byte left = REQUESTS;
bool kicked;		/* the requeue list is being moved to the queue */
bool dispatching;	/* queue_rq() is under way */
bool freezing;		/* del_gendisk() */
bool patient;		/* the user waits for all requests before he detaches */
bool hung;		/* the target answers no I/O */

inline set_s(to)
{
	assert(MAY_SESS(s, to));
	s = to
}

inline set_v(to)
{
	assert(MAY_VOL(v, to));
	v = to
}

/* rblk_sess_lose() */
inline lose()
{
	d_step {
		if
		:: !lost ->
			lost = true;
			printf("the session is lost\n");
			if
			:: s == S_LIVE || s == S_CONNECTING ->
				set_s(S_RECOVERING);
				queued = true
			:: else
			fi
		:: else
		fi
	}
}

inline hold()
{
	atomic { !hold_lock ->
		if
		:: disk && !held -> held = true; hold_lock = true
		:: else
		fi };
	atomic { !hold_lock || !dispatching -> hold_lock = false }
}

inline resume_locked()
{
	if
	:: disk && held -> held = false; kicked = true
	:: else
	fi
}

inline resume()
{
	d_step { !hold_lock -> resume_locked() }
}

/* rblk_link_down(): all drained; the request comes out of its slot. */
inline link_down()
{
	byte saw;

	if
	:: d_step { linked -> saw = v };
		/* rblk_hold_request() has looked at the volume's state; it may change. */
		d_step {
			if
			:: rq == R_OUT && (saw == V_LIVE || saw == V_WAITING) ->
				rq = R_REQUEUED;
#ifndef NO_KICK
				kicked = true;
#endif
				printf("work: takes the request back\n")
			:: rq == R_OUT && saw != V_LIVE && saw != V_WAITING ->
				rq = R_NONE;
				printf("work: fails the request\n")
			:: else
			fi;
			saw = 0;
			linked = false
		}
	:: else
	fi
}

inline connect()
{
	lost = false;
	d_step {
		if
		:: s == S_NEW || s == S_RECOVERING ->
			set_s(S_CONNECTING);
			linked = true;
			up = true
		:: else
		fi
	};
	if
	:: up ->
		/* The network decides; or the user, who has gone. */
		if
		:: skip
		:: atomic { failures > 0 -> failures--; up = false }
		fi;
		atomic {
			if
			:: up && !lost && !aborted && s == S_CONNECTING ->
				set_s(S_LIVE);
				was_live = true;
				queued = true;
				printf("work: connected\n")
			:: else -> up = false
			fi
		};
		if
		:: !up ->
			link_down();
			d_step {
				printf("work: not connected\n");
				if
				:: s != S_DELETING && !was_live -> set_s(S_DELETING)
				:: s == S_CONNECTING && was_live ->
					set_s(S_RECOVERING);
#ifndef NO_RETRY
					queued = true
#endif
				:: else	/* whoever changed the state has queued us */
				fi
			}
		:: else
		fi
	:: else
	fi;
	up = false
}

inline attach_pending()
{
	atomic { !vols_lock -> vols_lock = true };
	if
	:: atomic { listed && !attached && !refused && v != V_DELETING && s == S_LIVE ->
		up = true };
		if
		:: atomic { refusals > 0 ->
			refusals--;
			up = false;
			/* Final for a new volume, unless it is only to wait. */
			if
			:: v == V_NEW -> refused = true
			:: v == V_WAITING -> expires = true	/* another disk: hopeless */
			:: skip
			fi }
		:: atomic { lost -> up = false }
		:: skip
		fi;
		if
		:: atomic { up && !lost ->
			attached = true;
			up = false;
			if
			:: v != V_DELETING ->
				set_v(V_LIVE);
				up = true;
				printf("work: the volume is live\n")
			:: else
			fi };
			if
			:: atomic { up -> expires = false; up = false };
				resume()
			:: else
			fi
		:: atomic { else -> up = false };
#ifndef NO_RETRY
			if
			:: atomic { s == S_LIVE && !refused -> queued = true }
			:: else
			fi
#endif
		fi
	:: else
	fi;
	vols_lock = false
}

inline vol_lost()
{
	if
	:: d_step { v == V_LIVE -> set_v(V_WAITING); up = true }
	:: else
	fi;
	hold();
#ifndef NO_RECHECK
	if
	:: v != V_WAITING -> resume()
	:: else
	fi;
#endif
	d_step {
		attached = false;
		if
		:: up && !forever -> expires = true
		:: else
		fi;
		up = false
	}
}

proctype work()
{
	bool up;

end:	do
	:: atomic { queued ->
		assert(!freed);
		queued = false;
		if
		:: s == S_NEW || (s == S_RECOVERING && !linked) -> goto connecting
		:: s == S_LIVE -> goto attaching
		:: s == S_RECOVERING && linked -> goto recovering
		:: s == S_DELETING -> goto deleting
		:: else
		fi }
	:: false ->
connecting:
		connect()
	:: false ->
attaching:
		attach_pending()
	:: false ->
recovering:
		atomic { !vols_lock -> vols_lock = true };
		if
		:: listed -> vol_lost()
		:: else
		fi;
		link_down();
		d_step { vols_lock = false; queued = true }
	:: false ->
deleting:
		link_down();
		d_step {
			if
			:: !used && !orphan -> gone = true
			:: orphan ->
				freed = true;
				queued = false;
				printf("work: frees the session\n")
			:: else
			fi
		}
	od
}

proctype expire()
{
end:	do
	:: atomic { expires ->
		expires = false;
		if
		:: v == V_WAITING ->
			set_v(V_FAILED);
			expiring = true;
			printf("expire: the volume has failed\n")
		:: else
		fi }
	:: d_step { expiring && !hold_lock ->
		resume_locked();
		expiring = false }
	od
}

proctype dispatch()
{
end:	do
	/* The application: one request after the other. */
	:: d_step { disk && !freezing && rq == R_NONE && left > 0 ->
		left--;
		rq = R_QUEUED }
	:: d_step { kicked ->
		kicked = false;
		if
		:: rq == R_REQUEUED -> rq = R_QUEUED
		:: else
		fi }
	/* Anything else comes back as RESOURCE, and is tried again in a while. */
	:: atomic { rq == R_QUEUED && !held && (v == V_FAILED || v == V_DELETING ||
		    (v == V_LIVE && linked && !lost)) -> dispatching = true };
		d_step {
			if
			:: v == V_FAILED || v == V_DELETING ->
				rq = R_NONE;
				printf("dispatch: the request fails\n")
			:: v == V_LIVE && linked && !lost -> rq = R_OUT
			:: else
			fi;
			dispatching = false
		}
	/* The target answers. */
	:: d_step { rq == R_OUT && linked && !lost && !hung -> rq = R_NONE }
	od
}

proctype trouble()
{
end:	do
	:: atomic { losses > 0 && linked && !lost -> losses--; lose() }
	:: d_step { disk && !patient && !hung ->
		hung = true;
		printf("trouble: the target answers no I/O any more\n") }
	od
}

/* rblk_sess_put() */
inline put()
{
	d_step {
		used = false;
		if
		:: s != S_DELETING -> set_s(S_DELETING)
		:: else
		fi;
		aborted = true
	};
	queued = true;
	if
	:: gone
	:: !gone ->
		/* PUT_SECONDS have passed. */
		d_step { if
			:: !gone -> orphan = true
			:: else
			fi
		}
	fi;
	if
	:: orphan
	:: atomic { !orphan ->
		assert(!freed);
		queued = false;
		freed = true;
		printf("user: frees the session\n") }
	fi
}

/* rblk_sess_detach() */
inline leave()
{
	d_step { !vols_lock -> listed = false };
	d_step { expires = false };
	!expiring;
	/* A DETACH that is not answered loses the session. */
	if
	:: attached && s == S_LIVE && losses > 0 -> losses--; lose()
	:: skip
	fi;
	put()
}

proctype user()
{
	d_step { used = true; queued = true };
	if
	:: s == S_LIVE
	:: s == S_DELETING || skip -> put(); goto out	/* failed, or interrupted */
	fi;
	d_step { !vols_lock -> listed = true };
	queued = true;
	if
	:: atomic { v == V_LIVE || v == V_WAITING || v == V_FAILED -> disk = true }
	/* Refused; or the deadline passed; or interrupted. */
	:: d_step { v == V_NEW -> set_v(V_DELETING) };
		leave();
		goto out
	fi;
	/* The volume is there, for a time. */
	if
	:: forever = true
	:: forever = false
	fi;
	/* Detached by force: when all I/O has ended, which it must, or any time. */
	if
	:: atomic { !hung -> patient = true };
		atomic { left == 0 && rq == R_NONE -> skip }
	:: skip
	fi;
	d_step {
		set_v(V_DELETING);
		printf("user: detaches\n")
	};
#ifndef NO_DETACH_RESUME
	resume();
#endif
	if
	:: rq != R_OUT
#ifdef NO_LOSE
	:: rq == R_OUT
#else
	:: rq == R_OUT -> lose()
#endif
	fi;
	/* del_gendisk() waits for all requests. */
	freezing = true;
	atomic { rq == R_NONE };
	d_step { !hold_lock -> disk = false };
	leave();
out:
	/* However it ended, the session goes. */
	atomic { freed -> printf("user: the session has gone\n") }
}

init
{
	atomic {
		run work();
		run expire();
		run dispatch();
		run trouble();
		run user()
	}
}
