/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Batches: two volumes share an I/O connection and the commands that are gathered
 * on it.  Every command that was gathered is posted by somebody, and before its
 * connection is drained.
 *
 * What a step stands for (run checks that these functions exist):
 *
 * dispatch: the block layer, which hands down a volume's requests
 *   check	driver/block/queue.c:queue_rq
 *   add	driver/transport/io.c:rblk_io_submit driver/transport/batch.c:rblk_batch_add
 *   commit	driver/block/queue.c:commit_rqs driver/transport/batch.c:rblk_batch_post
 * work: the session's work
 *   gone	driver/session/volume.c:rblk_vol_lost
 *   lost	driver/session/recovery.c:vols_hold_all driver/session/link.c:rblk_link_down
 *   settle	driver/block/hold.c:rblk_queues_settle
 * marker: with HOLD, the completion that posts what waited for it
 *   seen	driver/transport/ring.c:marker_done driver/transport/batch.c:batch_must_wait
 * trouble: somebody detaches volume 0 while it is used
 *   detach	driver/block/device.c:rblk_dev_detach driver/block/hold.c:rblk_queue_resume
 *
 * The block layer is that of 7.2, which promises least: commit_rqs comes only
 * where the last request it handed down was refused.  It looks before each one
 * whether the queue is quiesced, and then keeps it and says nothing.
 *
 * Taken out with -D: see mutants.
 */
#include "states.pml"

#ifndef REQUESTS
#define REQUESTS 3	/* by volume */
#endif

byte vs[2] = V_LIVE;
bool held[2], dispatching[2], ended[2];
bool turn[2];		/* another with each time that dispatching begins */
bool linked = true;	/* the connection is not drained */
bool marking, lost;	/* a completion is to come, but not to a lost connection */
byte trouble_left = TROUBLE;

/* Requests: in the block layer, gathered, posted. */
byte waits[2] = REQUESTS, gathered[2], sent[2];

inline post()
{
	assert(linked || gathered[0] + gathered[1] == 0);
#ifdef HOLD
	marking = marking || gathered[0] + gathered[1] > 0;
#endif
	sent[0] = sent[0] + gathered[0];
	sent[1] = sent[1] + gathered[1];
	gathered[0] = 0;
	gathered[1] = 0
}

proctype dispatch(byte v)
{
	byte left;
	bool live, refused, wait;

	do
	:: atomic { waits[v] > 0 && !held[v] ->
		dispatching[v] = true;
		turn[v] = !turn[v];
		left = waits[v];
		refused = false };
		do
		:: left == 0 -> break
		:: d_step { left > 0 && held[v] ->
			left--;
			refused = false;
			printf("dispatch %d: keeps a request\n", v) }
		/* Tags, memory or the send queue: to be tried again. */
		:: d_step { left > 0 && !held[v] ->
			left = 0;
			refused = true;
			printf("dispatch %d: breaks off\n", v) }
		:: d_step { left > 0 && !held[v] ->
				live = vs[v] == V_LIVE;
				wait = marking };
			atomic {
				left--;
#ifndef UNLOCKED
				wait = marking;
#endif
				if
				:: live ->
					assert(linked);
					waits[v]--;
					gathered[v]++;
					refused = false;
					printf("dispatch %d: adds a command\n", v);
					if
#ifdef HOLD
					:: left == 0 && wait
					:: left == 0 && !wait -> post()
#else
					:: left == 0 -> post()
#endif
					:: left > 0
					fi
				/* The request fails, and that is its end. */
				:: !live && vs[v] == V_DELETING ->
					waits[v]--;
					refused = true
				:: else ->
					left = 0;
					refused = true
				fi
			}
		od;
		atomic {
			if
			:: refused ->
#ifdef COMMIT_LIVE
				if
				:: vs[v] == V_LIVE -> post()
				:: else
				fi
#elif !defined(NO_COMMIT)
				post()
#else
				skip
#endif
			:: else
			fi;
			dispatching[v] = false
		}
	:: d_step { waits[v] + gathered[v] + sent[v] == 0 -> ended[v] = true } -> break
	od
}

proctype marker()
{
end:	do
	:: d_step { marking && !lost ->
		marking = false;
		printf("marker: has completed\n") };
#ifndef NO_MARKER_POST
		d_step { post() }
#endif
	od
}

proctype target()
{
end:	do
	:: d_step { linked && sent[0] > 0 -> sent[0]-- }
	:: d_step { linked && sent[1] > 0 -> sent[1]-- }
	od
}

inline hold(v)
{
	d_step {
		if
		:: vs[v] == V_LIVE -> vs[v] = V_WAITING
		:: else
		fi };
	d_step { held[v] = true; printf("work: holds volume %d\n", v) }
}

/* Whoever is dispatching now has left. */
inline settle()
{
	d_step { t0 = turn[0]; t1 = turn[1] };
	!dispatching[0] || turn[0] != t0;
	!dispatching[1] || turn[1] != t1;
#ifndef NO_SETTLE_POST
	d_step { post() }
#else
	skip
#endif
}

inline resume(v)
{
	d_step {
		if
		:: vs[v] == V_WAITING -> vs[v] = V_LIVE
		:: else
		fi;
		held[v] = false
	}
}

proctype work()
{
	bool t0, t1;

end:	do
	/* One volume is lost, and the connection goes on. */
	:: d_step { trouble_left > 0 && vs[0] == V_LIVE -> trouble_left-- };
		hold(0);
		settle();
		resume(0)
	/* All of the session is. */
	:: d_step { trouble_left > 0 -> trouble_left--; lost = true };
		hold(0);
		hold(1);
		settle();
		d_step { linked = false; printf("work: drains the connection\n") };
		d_step {
			assert(gathered[0] + gathered[1] == 0);
			waits[0] = waits[0] + sent[0];
			waits[1] = waits[1] + sent[1];
			sent[0] = 0;
			sent[1] = 0
		};
		d_step {
			linked = true;
			lost = false;
			marking = false;
			printf("work: has a new connection\n") };
		resume(0);
		resume(1)
	od
}

proctype trouble()
{
end:	if
	:: d_step { vs[0] != V_DELETING ->
		vs[0] = V_DELETING;
		printf("trouble: volume 0 is detached\n") };
		held[0] = false
	fi
}

init
{
	atomic {
		run dispatch(0);
		run dispatch(1);
		run target();
		run marker();
		run work();
		run trouble()
	}
}
