/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Requests and their pages: two I/O connections of one session, a tag each,
 * and a target that also lies: it replays old answers, answers without
 * invalidating, invalidates what is another's, and answers what it has not got.
 *
 * What a step stands for (run checks that these functions exist):
 *
 * queue: a hardware queue and whoever has I/O for it
 *   dispatch	driver/block/queue.c:queue_rq driver/block/queue.c:rq_submit
 *   take	driver/transport/io.c:rblk_io_take
 *   map, post	driver/transport/io.c:rblk_io_submit driver/transport/io.c:slot_prepare_data
 *		driver/transport/mr.c:rblk_mr_map driver/transport/ring.c:rblk_ring_send
 *   fail	driver/block/queue.c:rq_not_live
 * hca: what the initiator's RDMA device does with what was posted
 * target: what may arrive; the device carries out the invalidate it asks for
 * handler: receive completions
 *   deliver	driver/transport/receive.c:recv_done driver/transport/receive.c:recv_deliver
 *   check	driver/transport/io.c:io_handle_response driver/transport/io.c:io_find_answered
 *		driver/proto/proto.c:rblk_proto_check_response
 *   immediate	driver/transport/io.c:rblk_io_immediate
 *		driver/proto/proto.c:rblk_proto_check_immediate
 *		driver/transport/ring.c:rblk_ring_invalidate
 *   lies	driver/transport/io.c:io_violation driver/transport/conn.c:rblk_conn_lose
 *   finish	driver/transport/io.c:rblk_io_finish driver/transport/io.c:slot_unmap driver/block/queue.c:rq_command_done
 * poller: send completions, of which only those of local invalidations matter
 *   finish	driver/transport/io.c:rblk_io_invalidated driver/transport/ring.c:sq_poll_tasklet
 * work: the session's work
 *   hold	driver/session/volume.c:rblk_vol_lost driver/block/hold.c:rblk_queue_hold
 *   down	driver/session/link.c:rblk_link_down driver/transport/conn.c:rblk_conn_disconnect
 *		driver/transport/conn.c:rblk_conn_drain driver/session/link.c:conns_forget
 *   cancel	driver/block/queue.c:cancel_rqs driver/transport/io.c:rblk_io_cancel
 *   up		driver/session/link.c:rblk_link_up driver/session/link.c:link_io_up
 *		driver/transport/cm.c:rblk_conn_connect driver/transport/cm.c:cm_established
 *		driver/transport/conn.c:rblk_conn_ready
 *   resume	driver/block/hold.c:rblk_queue_resume
 * trouble: what ends a connection, or only the patience with it
 *   lose	driver/transport/cm.c:cm_event_handler driver/transport/ring.c:rblk_ring_failed
 *   timeout	driver/block/queue.c:rq_timed_out driver/session/session.c:rblk_sess_lose
 *   detach	driver/block/device.c:rblk_dev_detach driver/block/disk.c:disk_end_io
 *
 * The second queue is there for what one connection can do to the other: it has
 * one request, with an rkey.
 *
 * An rkey is named by the generation it was made in.  A device refuses to
 * invalidate with a key that is not the region's present one, and takes its
 * connection down; with the key of another region of the session it obliges.
 *
 * Taken out with -D: see mutants.
 */
#include "states.pml"

#ifndef REQUESTS
#define REQUESTS 2	/* by queue */
#endif
#ifndef LIES
#define LIES	2
#endif
#ifndef LOSSES
#define LOSSES	2
#endif

#define FOREIGN	255
#define IMM	254	/* not a key: told by an immediate, which invalidates nothing */

byte cs[2];		/* connections: C_* */
bool there[2];		/* their memory is */
bool qpair[2];		/* the peer can reach the session's memory through it */
bool handling[2];	/* a receive completion is being handled */

/* Slots: the one tag of each connection. */
bool busy[2];
bool keyed[2];		/* the command granted an rkey */
bool asks[2];		/* and takes an immediate for an answer */
bool answered[2];	/* which it has got */
byte gen[2];

/* The device: work requests posted and not carried out, and regions. */
bool reg[2], snd[2];
bool inv[2], inv_done[2];	/* a local invalidation */
bool polling[2];	/* its completion is being handled */
bool reading[2];	/* it may still read the request's own pages to send them */
bool valid[2];		/* the region is */
byte rkey[2];		/* its key, from when it was last registered */

/* The target: the newest command it got and has not answered. */
bool got[2];
byte lies = LIES;

/* Responses received: generation, and the key of the invalidate or 0. */
chan rq[2] = [2] of { byte, byte };

/* Requests. */
#define R_IDLE		0
#define R_WAITS		1	/* in the block layer */
#define R_OUT		2	/* in its slot */
byte rs[2];
bool dispatching[2], held, lost, deleting, ended[2];
byte losses = LOSSES;
byte vs = V_LIVE;

#define TOUCHABLE(c)	(valid[c] && (qpair[0] || qpair[1]))

inline set_cs(c, to)
{
	assert(MAY_CONN(cs[c], to));
	cs[c] = to
}

inline lose(c)
{
	if
	:: cs[c] >= C_RESOLVING && cs[c] <= C_READY ->
		if
		:: cs[c] >= C_BINDING -> lost = true
		:: else
		fi;
		set_cs(c, C_LOST)
	:: else
	fi
}

/* Rules 1 and 2: the pages become their owner's again. */
inline give_back(c)
{
	assert(!TOUCHABLE(c));
	assert(!reading[c])
}

proctype queue(byte c)
{
	byte left = (c -> 1 : REQUESTS);

	do
	:: d_step { rs[c] == R_IDLE && left > 0 && !deleting -> left--; rs[c] = R_WAITS }
	:: d_step { rs[c] == R_IDLE && (left == 0 || deleting) -> ended[c] = true } -> break
	:: atomic { rs[c] == R_WAITS && !held && vs != V_LIVE && vs != V_WAITING ->
		give_back(c);
		rs[c] = R_IDLE;
		printf("queue %d: the request fails\n", c) }
	:: atomic { rs[c] == R_WAITS && !held && vs == V_LIVE && cs[c] == C_READY ->
		dispatching[c] = true };
		/* The connection may be lost from here on, but must not be freed. */
		atomic {
			assert(there[c]);
			assert(!busy[c]);
			gen[c]++;
			if
			:: keyed[c] = true
			:: c == 0 -> keyed[c] = false
			fi;
			answered[c] = false;
			if
			:: asks[c] = keyed[c]
			:: c == 0 -> asks[c] = false
			fi;
			/* Rule 1: never remapped while it is valid. */
			assert(!keyed[c] || !valid[c]);
			assert(!keyed[c] || !reg[c]);
			assert(!inv[c] && !inv_done[c]);
			rs[c] = R_OUT;
#ifdef BUSY_EARLY
			busy[c] = true;
#endif
			printf("queue %d: maps a request, generation %d, rkey: %d\n", c,
				gen[c], keyed[c])
		};
		d_step {
			assert(there[c]);
			busy[c] = true;
			if
			:: qpair[c] && cs[c] == C_READY ->
				reg[c] = keyed[c];
				snd[c] = true;
#ifdef SEND_FROM_PAGES
				reading[c] = !keyed[c]
#endif
			:: else
			fi;
			dispatching[c] = false
		}
	od
}

proctype hca(byte c)
{
end:	do
	:: d_step { reg[c] && qpair[c] ->
		reg[c] = false;
		/* Rule 1, also for a request that ended before it was sent. */
		assert(rs[c] == R_OUT);
		rkey[c] = gen[c];
		valid[c] = true }
	:: d_step { snd[c] && !reg[c] && qpair[c] -> snd[c] = false; got[c] = true }
	/* After what was posted before it. */
	:: d_step { inv[c] && !reg[c] && !snd[c] && qpair[c] ->
		 inv[c] = false; valid[c] = false; inv_done[c] = true }
	:: d_step { reading[c] && !snd[c] ->
		reading[c] = false;
		printf("hca %d: the send completes\n", c) }
	od
}

/* A response arrives, and the key @with is invalidated, if it is one. */
inline arrive(c, which, with)
{
	if
	:: with == IMM -> rq[c] ! which, with
	:: with == FOREIGN && valid[1 - c] ->
		valid[1 - c] = false;
		rq[c] ! which, with
	:: with && with == rkey[c] ->
		valid[c] = false;
		rq[c] ! which, with
	:: !with -> rq[c] ! which, with
	:: else -> lose(c)
	fi
}

#ifdef NO_ANSWERED
#define ONCE(c)	true
#else
#define ONCE(c)	(!answered[c])
#endif
#define GOOD_IMM(c, g, key)						\
	(key == IMM && busy[c] && asks[c] && g == gen[c] && ONCE(c))
#define LYING	(lies && qpair[c] && cs[c] == C_READY && nfull(rq[c]))

proctype target(byte c)
{
	byte g;

end:	do
	:: d_step { got[c] && qpair[c] && nfull(rq[c]) ->
		got[c] = false;
		printf("target: answers queue %d, generation %d\n", c, gen[c]);
		if
		:: asks[c] -> arrive(c, gen[c], IMM)
		:: keyed[c] -> arrive(c, gen[c], gen[c])
		:: !keyed[c] -> arrive(c, gen[c], 0)
		fi }
	/* An immediate once more, or of old; with data to wherever it may write. */
	:: atomic { LYING && c == 0 && gen[c] > 0 ->
		if
		:: g = gen[c]
		:: gen[c] > 1 -> g = gen[c] - 1
		fi;
		lies--;
		printf("target: sends queue %d an immediate, generation %d\n", c, g);
		arrive(c, g, IMM);
		g = 0 }
	/* Again what was an answer once; to a write with its data, say. */
	:: atomic { LYING && c == 0 && gen[c] > 0 ->
		if
		:: g = gen[c]
		:: gen[c] > 1 -> g = gen[c] - 1
		fi;
		lies--;
		printf("target: replays its answer to queue %d, generation %d\n", c, g);
		arrive(c, g, 0);
		g = 0 }
	/* Likewise with the invalidate that then was right, or is now. */
	:: atomic { LYING && c == 0 && gen[c] > 0 ->
		if
		:: g = gen[c]
		:: gen[c] > 1 -> g = gen[c] - 1
		fi;
		lies--;
		printf("target: answers queue %d, generation %d, with its rkey\n", c, g);
		arrive(c, g, g);
		g = 0 }
	:: d_step { LYING && busy[c] && valid[1 - c] ->
		lies--;
		printf("target: answers queue %d and invalidates the other's rkey\n", c);
		arrive(c, gen[c], FOREIGN) }
	od
}

proctype handler(byte c)
{
	byte g, key;

end:	do
	:: atomic { rq[c] ? g, key -> handling[c] = true };
		if
		:: atomic { cs[c] != C_READY -> handling[c] = false }
		:: atomic { cs[c] == C_READY ->
			if
			:: GOOD_IMM(c, g, key) ->
#ifdef IMM_EARLY
				give_back(c);
				busy[c] = false;
				goto finish
#else
				printf("handler %d: an immediate of generation %d\n", c, g);
				assert(!inv[c] && !inv_done[c]);
				answered[c] = true;
				/* Posted, whatever may become of it. */
				inv[c] = qpair[c];
				handling[c] = false
#endif
			:: !GOOD_IMM(c, g, key) && (key == IMM || answered[c] || !busy[c] ||
#ifndef NO_GENERATION
			   g != gen[c] ||
#endif
#ifdef NO_INVALIDATE_CHECK
			   false) ->
#else
			   (keyed[c] && key != gen[c]) || (!keyed[c] && key)) ->
#endif
				printf("handler %d: a violation\n", c);
				lose(c);
				handling[c] = false
			:: else ->
				/* Rule 3. */
				assert(g == gen[c]);
				printf("handler %d: generation %d completes\n", c, g);
				give_back(c);
#ifdef DONE_FIRST
				rs[c] = R_IDLE;
#else
				busy[c] = false;
#endif
				goto finish
			fi };
			if
			:: false ->
finish:				atomic {
#ifdef DONE_FIRST
					busy[c] = false;
#else
					rs[c] = R_IDLE;
#endif
					handling[c] = false }
			:: !handling[c]
			fi
		fi;
		g = 0;
		key = 0
	od
}

/* The completion of a local invalidation: the read that it follows has ended. */
proctype poller(byte c)
{
end:	do
	:: atomic { inv_done[c] -> inv_done[c] = false; polling[c] = true };
		atomic {
			assert(busy[c] && answered[c]);
			printf("poller %d: generation %d completes\n", c, gen[c]);
			give_back(c);
			busy[c] = false
		};
		atomic { rs[c] = R_IDLE; polling[c] = false }
	od
}

/*
 * ib_drain_qp(): what was posted is flushed, what was received is handled, and
 * then what has completed.
 */
inline drain(c)
{
	atomic { qpair[c] -> qpair[c] = false; reg[c] = false; snd[c] = false; got[c] = false;
		inv[c] = false;
		printf("work: drains connection %d\n", c) };
	atomic { empty(rq[c]) && !handling[c] && !reading[c] };
#ifndef NO_KILL
	atomic { !inv_done[c] && !polling[c] }
#endif
}

inline cancel(c)
{
	d_step {
		if
		:: busy[c] ->
			printf("work: takes the request of queue %d back\n", c);
			give_back(c);
			busy[c] = false;
			if
			:: vs == V_WAITING || vs == V_LIVE -> rs[c] = R_WAITS
			:: else -> rs[c] = R_IDLE
			fi
		:: else
		fi
	}
}

inline forget(c)
{
	d_step { there[c] = false; qpair[c] = false; valid[c] = false; reg[c] = false;
		 snd[c] = false; got[c] = false; gen[c] = 0; keyed[c] = false;
		 rkey[c] = 0; inv[c] = false; inv_done[c] = false; answered[c] = false;
		 asks[c] = false }
}

/* A connection comes up step by step, if nothing happens to it. */
inline connect(c)
{
	d_step { cs[c] = C_IDLE; there[c] = true; set_cs(c, C_RESOLVING) };
	d_step {
		if
		:: cs[c] == C_RESOLVING -> set_cs(c, C_CONNECTING); qpair[c] = true
		:: else
		fi };
	d_step {
		if
		:: cs[c] == C_CONNECTING -> set_cs(c, C_BINDING)
		:: else
		fi };
	d_step {
		if
		:: cs[c] == C_BINDING -> set_cs(c, C_READY)
		:: else
		fi }
}

inline close(c)
{
	d_step { set_cs(c, C_CLOSED) }
}

proctype work()
{
	byte tries;

	/* Made and ready, in the beginning. */
end:	do
	:: atomic { lost ->
		if
		:: vs == V_LIVE -> vs = V_WAITING
		:: else
		fi;
		printf("work: the session is lost\n") };
#ifndef NO_HOLD
		held = true;
		atomic { !dispatching[0] && !dispatching[1] };
		if
		:: vs != V_WAITING -> held = false
		:: else
		fi;
#endif
		close(0);
		close(1);
#if defined(NO_DRAIN)
		cancel(0);
		cancel(1);
		drain(0);
		drain(1);
#elif defined(DRAIN_OWN)
		drain(0);
		cancel(0);
		drain(1);
		cancel(1);
#else
		drain(0);
		drain(1);
		cancel(0);
		cancel(1);
#endif
		forget(0);
		forget(1);
		if
		:: atomic { vs == V_DELETING -> break }
		:: else
		fi;
		tries = 1;
		do
		:: lost = false;
			connect(0);
			connect(1);
			if
			:: atomic { cs[0] == C_READY && cs[1] == C_READY && !lost ->
				tries = 0;
				break }
			:: else ->
				close(0);
				close(1);
				if
				:: qpair[0] -> drain(0)
				:: else
				fi;
				if
				:: qpair[1] -> drain(1)
				:: else
				fi;
				forget(0);
				forget(1)
			fi
		od;
		atomic {
			if
			:: vs == V_WAITING -> vs = V_LIVE
			:: else
			fi;
			held = false;
			printf("work: connected again, the volume is live\n") }
	:: atomic { ended[0] && ended[1] && !lost -> break }
	od
}

proctype trouble()
{
end:	do
	:: d_step { losses && cs[0] >= C_RESOLVING && cs[0] <= C_READY ->
		losses--; printf("trouble: connection 0 is lost\n"); lose(0) }
	:: d_step { losses && cs[1] >= C_RESOLVING && cs[1] <= C_READY ->
		losses--; printf("trouble: connection 1 is lost\n"); lose(1) }
	/* Everything is up; only an answer is late. */
#ifdef REMAP
	/* Back into its queue, to be tried again at once. */
	:: d_step { losses && valid[0] && rs[0] == R_OUT ->
		losses--;
		printf("trouble: a request times out and is tried again\n");
		rs[0] = R_WAITS;
		busy[0] = false }
#else
	:: d_step { losses && !lost && (rs[0] == R_OUT || rs[1] == R_OUT) ->
		losses--;
		printf("trouble: a request times out\n");
		lost = true }
#endif
#ifdef DETACH
	/* A forced detach, and its patience is over. */
	:: d_step { !deleting ->
		deleting = true;
		assert(MAY_VOL(vs, V_DELETING));
		vs = V_DELETING;
		held = false;
		printf("trouble: the volume is detached by force\n") };
		if
		:: lost = true
		:: skip
		fi
#endif
	od
}

init
{
	byte c = 0;

	atomic {
		do
		:: c < 2 ->
			cs[c] = C_READY;
			there[c] = true;
			qpair[c] = true;
			run queue(c);
			run hca(c);
			run target(c);
			run handler(c);
			run poller(c);
			c++
		:: else -> break
		od;
		c = 0;
		run work();
		run trouble()
	}
}
