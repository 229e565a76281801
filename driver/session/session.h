/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The initiator's sessions and volumes.  They call the block layer through
 * struct rblk_sess_ops.
 *
 * Lock order, outermost first:
 *   sess->vols_lock (mutex) > registry_lock of session.c (mutex), or
 *   sess->vols_lock (mutex) > sess->call_lock (mutex) > conn->poll.lock (spin) >
 *   sess->lock (spin) >
 *   vol->lock, conn->lock (spin)
 */
#ifndef RBLK_SESSION_H
#define RBLK_SESSION_H

#include <linux/mutex.h>
#include <linux/ratelimit.h>
#include <linux/uuid.h>
#include <linux/wait.h>
#include "../transport/transport.h"
#include "volume.h"

#define RBLK_MAX_EVENTS		64
#define RBLK_EVENTS_PER_SECOND	256
/* Most control requests in flight; a target takes at least 16. */
#define RBLK_CALL_BATCH		8
#define RBLK_CALL_STRIDE	(RBLK_WIRE_CTRL_MAX / RBLK_CALL_BATCH)

struct rblk_attaching;
struct rblk_sess;

/*
 * Random for each load of the module.  A LOGIN with a new instance makes the
 * target end the sessions of this host's older instance.
 */
extern uuid_t rblk_instance;

/* ---- session.c: sessions ---- */

#define RBLK_SESS_FLAGS		(RBLK_ATTACH_HOST_UUID | RBLK_ATTACH_HOST_NAME | \
				 RBLK_ATTACH_INLINE_READ | RBLK_ATTACH_PROOF)

/**
 * struct rblk_sess_args - the parameters of a session
 * @peer: target and source address; this structure holds no reference to @net
 * @host: this host's UUID
 * @host_name: this host's name
 * @target_text: the target as the user wrote it
 * @queues: I/O connections wanted, 0 for the default
 * @poll_queues: I/O connections wanted besides, to be polled
 * @depth: commands per connection wanted, 0 for the default
 * @inline_read: with RBLK_ATTACH_INLINE_READ: largest read wanted in a response,
 *               bytes
 * @flags: RBLK_SESS_FLAGS of ATTACH
 * @target_key: of ATTACH
 * @control_only: no I/O connections, not shared: for DISCOVER
 * @patient: it goes on trying if the first connect fails: there are other routes.
 *           Also if the session was there already
 */
struct rblk_sess_args {
	struct rblk_peer peer;
	uuid_t host;
	char host_name[RBLK_NAME_LEN];
	char target_text[RBLK_PATH_LEN];
	u32 queues;
	u32 poll_queues;
	u32 depth;
	u32 inline_read;
	u32 flags;
	u8 target_key[RBLK_TARGET_KEYS][RBLK_KEY_LEN];
	bool control_only;
	bool patient;
};

/**
 * struct rblk_sess - a session between one host and one target
 * @entry: in the registry, unless control_only
 * @uses: volumes and callers; guarded by registry_lock
 * @args: fixed, except for @patient, which becomes true with @lock held, and @target_key
 *        with RBLK_ATTACH_TRUST_FIRST of @flags, which rblk_auth_pin() changes with it held
 * @ops: fixed
 * @conn_ops: upcalls of its connections: rblk_link_ops, @ops->answered and
 *            @ops->done
 * @uuid: fixed
 * @stats: counters of all connections it ever had
 * @lock: guards @state, @error, @lost, @lost_why, @aborted, @paused to
 *        @pause_violations, @arriving, the pointers @control and @io, @call_open
 *        to @call_bytes, and @nr_events to @events_handled
 * @state: see proto/state.c; readers may skip @lock with READ_ONCE()
 * @error: why the last connect failed
 * @lost: a connection of the present epoch was lost
 * @lost_why: reason of the loss; does not change while @lost
 * @aborted: the last use is gone: make no more connections
 * @paused: the target has announced a pause, see pause.c
 * @pause_epoch: epoch of that announcement
 * @pause_until: jiffies; until then rblk does not warn about the loss
 * @pause_ms: length of the pause as announced
 * @pause_violations: protocol violations before the announcement
 * @unlogged: the failure of the last connect was not logged; session work only
 * @waitq: @state changed
 * @log_limit: rate limit of its log messages; each session has its own, so that one
 *        target cannot hide the messages about another
 * @epoch: generation of the connections; written by session work only
 * @attempt: reconnects tried since it last stayed LIVE; session work only
 * @live_since: jiffies; session work only
 * @linked: there may be connections; session work only
 * @was_live: it recovers from failures; before that the first failure ends it
 * @work: the session's work: it alone connects, attaches, recovers and deletes
 * @gone: the work has taken the session down
 * @orphan: the last user did not wait for @gone: the work frees the session;
 *          guarded by registry_lock
 * @put_work: gives the last use back for who must not wait
 * @fence: asks over other sessions that the target end what this one has lost
 * @lost_epoch: the last epoch that had commands, once it is drained; 0 while one may
 *              have some; guarded by vols_lock
 * @lost_at: jiffies when it was drained; likewise
 * @keepalive: sends KEEPALIVE and detects silence
 * @keepalive_ms: interval; the target's wish or less
 * @silence_ms: silence that the target tolerates, as it says; only shown
 * @control: connection 0, or NULL; set to NULL with @call_lock held, too
 * @io: I/O connections; do not change while any volume's queue is not held, so
 *      that dispatching to a LIVE volume skips @lock
 * @down: room for all connections during their teardown; session work only
 * @pools: what each connection keeps for the next epoch, by its number; session
 *         work only
 * @nr_io: number of I/O connections; fixed once the session was LIVE
 * @nr_poll: of these, the last ones, which are polled; fixed likewise
 * @poll_from: number of the first polled connection, if there are so many; fixed
 *             like @grant
 * @grant: in force
 * @vector: completion vector of the first I/O connection; fixed like @grant
 * @numa_node: of the RDMA device that made the first connection; fixed like @grant
 * @caps: the RDMA device's capabilities
 * @iwarp: the RDMA device's transport is iWARP
 * @key: without keys, binds I/O connections to this epoch
 * @secret: with keys, does the same; session work only
 * @peer_key: what the target has proved; zeroes: nothing yet, or no keys.  Guarded by @lock
 * @target: the target's UUID
 * @target_name: the target's name
 * @vols: attached volumes and those being attached; changed with @vols_lock
 *        and @lock held, so that either suffices to read it
 * @arriving: volumes to be attached that the session's work has not seen yet;
 *            guarded by @lock
 * @nr_vols: volumes in @vols and @arriving; changed with @lock held
 * @attaching: room for the volumes of one call; session work only
 * @vols_lock: guards @vols; held across control calls, so the CM's and the
 *             completions' context never take it
 * @vols_wanted: tasks that wait for @vols_lock; its holder releases it for them
 *               between two calls
 * @call_lock: serialises control calls; guards @xid and, once all replies are
 *             there, @call_reply
 * @call_done: all replies are here or will never come
 * @call_open: a call waits for replies
 * @call_conn: connection of the call
 * @call_lost: the replies will never come
 * @call_wanted: number of replies that the call waits for
 * @call_got: number of replies that have arrived
 * @call_bytes: length of each reply
 * @call_reply: the reply, or replies, RBLK_CALL_STRIDE bytes apart
 * @xid: xid of the last request
 * @event_work: handles @events in process context, once a second at most
 * @nr_events: number of @events that wait
 * @events: from the target, at most one per kind and volume; a target that
 *          sends more than fit loses the session
 * @events_heard: events since @events_since
 * @events_since: jiffies when the present second of events began
 * @events_handled: jiffies when @event_work last looked for an event
 *
 * The first attach or a DISCOVER makes it.  The last rblk_sess_put() or, if
 * that has to wait for too long, the session's work frees it.  The top of
 * session.c describes its lifetime.
 */
struct rblk_sess {
	struct list_head entry;
	unsigned int uses;
	struct rblk_sess_args args;
	const struct rblk_sess_ops *ops;
	struct rblk_conn_ops conn_ops;
	uuid_t uuid;
	struct rblk_stats __percpu *stats;

	spinlock_t lock;		/* see above */
	enum rblk_session_state state;
	struct rblk_ioc_error error;
	bool lost;
	bool aborted;
	bool paused;
	u32 pause_epoch;
	unsigned long pause_until;
	u32 pause_ms;
	u64 pause_violations;
	bool unlogged;
	char lost_why[96];
	wait_queue_head_t waitq;
	struct ratelimit_state log_limit;
	u32 epoch;
	u32 attempt;
	unsigned long live_since;
	bool linked;
	bool was_live;
	struct delayed_work work;
	struct completion gone;
	bool orphan;
	struct work_struct put_work;
	struct delayed_work fence;
	u32 lost_epoch;
	unsigned long lost_at;
	struct delayed_work keepalive;
	u32 keepalive_ms;
	u32 silence_ms;

	struct rblk_conn *control;
	struct rblk_conn **io;
	struct rblk_conn **down;
	struct rblk_pool *pools;
	u32 nr_io;
	u32 nr_poll;
	u32 poll_from;
	struct rblk_grant grant;
	u32 vector;
	int numa_node;
	struct rblk_caps caps;
	bool iwarp;
	u64 key;
	u8 secret[RBLK_AUTH_SECRET_LEN];
	u8 peer_key[RBLK_KEY_LEN];
	uuid_t target;
	char target_name[RBLK_NAME_LEN];
	struct list_head vols;
	struct list_head arriving;
	u32 nr_vols;
	struct rblk_attaching *attaching;
	struct mutex vols_lock;		/* see above */
	atomic_t vols_wanted;

	struct mutex call_lock;		/* see above */
	struct completion call_done;
	bool call_open;
	struct rblk_conn *call_conn;
	bool call_lost;
	u32 call_wanted;
	u32 call_got;
	u32 call_bytes[RBLK_CALL_BATCH];
	void *call_reply;
	u32 xid;
	struct delayed_work event_work;
	u32 nr_events;
	struct rblk_wire_event events[RBLK_MAX_EVENTS];
	u32 events_heard;
	unsigned long events_since;
	unsigned long events_handled;
};

/* I/O connections that are not polled; 0 if the session never was LIVE. */
static inline u32 rblk_sess_queues(const struct rblk_sess *sess)
{
	/* Pairs with link_settle(): @nr_poll is there, too. */
	u32 nr = smp_load_acquire(&sess->nr_io);

	return nr ? nr - sess->nr_poll : 0;
}

/* Without its lock: the state may change at any moment. */
static inline enum rblk_session_state rblk_sess_state(const struct rblk_sess *sess)
{
	return READ_ONCE(sess->state);
}

/* Log a line, unless there were too many lines about this session. */
#define rblk_sess_warn(sess, fmt, ...) do {				\
	if (__ratelimit(&(sess)->log_limit))					\
		pr_warn("rblk: %s: " fmt "\n",				\
			(sess)->args.target_text, ##__VA_ARGS__);	\
} while (0)

#define rblk_sess_info(sess, fmt, ...) do {				\
	if (__ratelimit(&(sess)->log_limit))					\
		pr_info("rblk: %s: " fmt "\n",				\
			(sess)->args.target_text, ##__VA_ARGS__);	\
} while (0)

struct rblk_sess *rblk_sess_get(const struct rblk_sess_args *args,
				const struct rblk_sess_ops *ops,
				struct rblk_ioc_error *error);
void rblk_sess_hold(struct rblk_sess *sess);
void rblk_sess_put(struct rblk_sess *sess);
void rblk_sess_put_later(struct rblk_sess *sess);
int rblk_sess_wait_live(struct rblk_sess *sess, struct rblk_ioc_error *error);
struct rblk_sess *rblk_sess_helper(struct rblk_vol *vol);
void rblk_sess_wake_fences(struct rblk_sess *sess);
void rblk_sess_lose(struct rblk_sess *sess, const char *why);
void rblk_sess_gone(struct rblk_vol *vol, const char *why);
bool rblk_sess_become_locked(struct rblk_sess *sess, enum rblk_session_state to);
bool rblk_sess_become(struct rblk_sess *sess, enum rblk_session_state to);
void rblk_sess_kick(struct rblk_sess *sess, u32 delay_ms);
void rblk_sess_ended(struct rblk_sess *sess);

/* ---- attach.c: brings volumes and takes them away ---- */

int rblk_sess_attach(struct rblk_sess *sess, struct rblk_vol *vol,
		     struct rblk_ioc_error *error);
void rblk_sess_join(struct rblk_sess *sess, struct rblk_vol *vol);
bool rblk_sess_wait_vol(struct rblk_vol *vol, u32 ms);
void rblk_sess_detach(struct rblk_vol *vol);

/* ---- stat.c: what a session reports about itself ---- */

u64 rblk_stat_counter(const struct rblk_sess *sess, enum rblk_counter which);
void rblk_stat_session(struct rblk_sess *sess, struct rblk_ioc_session *out);
void rblk_stat_asked(struct rblk_sess *sess, u32 flags, struct rblk_ioc_asked *out);
int rblk_stat_check(const struct rblk_sess *sess, const struct rblk_sess_args *args,
		    struct rblk_ioc_error *error);

/* ---- recovery.c: a session's work ---- */

void rblk_recover_init(struct rblk_sess *sess);
bool rblk_recover_volume(struct rblk_vol *vol, const char *why);

/* ---- fence.c: what was lost ends before it is sent by another session ---- */

void rblk_fence_init(struct rblk_sess *sess);
void rblk_fence_begin(struct rblk_sess *sess);
bool rblk_fence_possible(const struct rblk_vol *vol);

/* ---- pause.c: planned pauses of the target ---- */

void rblk_pause_note(struct rblk_sess *sess, u32 ms);
void rblk_pause_refused(struct rblk_sess *sess, const struct rblk_conn *conn);
bool rblk_pause_active_locked(struct rblk_sess *sess);
bool rblk_pause_active(struct rblk_sess *sess);
u32 rblk_pause_left_ms(struct rblk_sess *sess);
bool rblk_pause_reason_locked(struct rblk_sess *sess, const char *why, char *to,
			      size_t room);
void rblk_pause_reason(struct rblk_sess *sess, const char *why, char *to, size_t room);
void rblk_pause_end(struct rblk_sess *sess);

/* ---- volume.c: volumes as sessions see them ---- */

void rblk_vol_init(struct rblk_vol *vol);
bool rblk_vol_set_state(struct rblk_vol *vol, enum rblk_volume_state to,
			const char *reason);
void rblk_vol_set_reason(struct rblk_vol *vol, const char *reason);
void rblk_vol_hold(struct rblk_vol *vol, const char *why);
void rblk_vol_held(struct rblk_vol *vol);
void rblk_vol_lost(struct rblk_vol *vol, const char *why);
void rblk_vol_pause(struct rblk_vol *vol);
void rblk_vol_judge(struct rblk_vol *vol);
void rblk_vol_try_attach(struct rblk_sess *sess, u32 nr);
void rblk_vol_set_timeout(struct rblk_vol *vol, int seconds);
void rblk_vol_event(struct rblk_vol *vol, const struct rblk_wire_event *event);

/* ---- link.c: makes and takes down a session's connections ---- */

extern const struct rblk_conn_ops rblk_link_ops;
int rblk_link_up(struct rblk_sess *sess, struct rblk_ioc_error *error);
void rblk_link_down(struct rblk_sess *sess);
void rblk_link_abort(struct rblk_sess *sess);
bool rblk_link_spare(struct rblk_sess *sess);

/* ---- call.c: control calls ---- */

#define RBLK_CALL_MS		5000

/**
 * struct rblk_call - a control call: requests of one kind
 * @type: enum rblk_wire_msg of the requests
 * @stage: enum rblk_stage, for errors
 * @name: name of the call, for errors
 * @msg: the first request, without its header
 * @bytes: length of a request
 * @nr: number of requests, 0 for one; several are sent one behind the other
 * @stride: bytes from one request to the next
 * @timeout_ms: how long to wait for all replies
 * @interruptible: a signal ends the wait, and then the session: only for a
 *                 session with a single user
 *
 * The caller owns it.
 */
struct rblk_call {
	u8 type;
	u32 stage;
	const char *name;
	struct rblk_wire_ctl *msg;
	u32 bytes;
	u32 nr;
	u32 stride;
	u32 timeout_ms;
	bool interruptible;
};

int rblk_call(struct rblk_sess *sess, struct rblk_conn *conn,
	      const struct rblk_call *c, struct rblk_arrival *msg,
	      struct rblk_ioc_error *error);
void rblk_call_plain(struct rblk_sess *sess, struct rblk_call *c);
int rblk_call_result(struct rblk_sess *sess, const struct rblk_call *c,
		     const struct rblk_arrival *msg, const char *wrong,
		     struct rblk_ioc_error *error);
void rblk_call_message(void *ctx, struct rblk_conn *conn,
		       const struct rblk_arrival *msg);
void rblk_call_abort(struct rblk_sess *sess);
bool rblk_mutex_lock_timeout(struct mutex *lock, unsigned int ms);

/* ---- auth.c: proving who is who ---- */

int rblk_auth_login(struct rblk_sess *sess, struct rblk_wire_login *req,
		    struct rblk_arrival *msg, struct rblk_ioc_error *error);
bool rblk_auth_wanted(const struct rblk_sess *sess);
u32 rblk_auth_pins(struct rblk_sess *sess, u8 keys[RBLK_TARGET_KEYS][RBLK_KEY_LEN]);
void rblk_auth_pin(struct rblk_sess *sess, const u8 keys[RBLK_TARGET_KEYS][RBLK_KEY_LEN]);
void rblk_auth_peer(struct rblk_sess *sess, u8 key[RBLK_KEY_LEN]);
int rblk_auth_set(struct rblk_ioc_key_set *arg);
int rblk_auth_show(struct rblk_ioc_key_show *arg);
void rblk_auth_exit(void);

/* ---- login.c: LOGIN, BIND, KEEPALIVE ---- */

int rblk_login(struct rblk_sess *sess, struct rblk_ioc_error *error);
int rblk_login_bind(struct rblk_sess *sess, struct rblk_conn *conn,
		    struct rblk_ioc_error *error);
bool rblk_login_keepalive(struct rblk_sess *sess);

/* ---- exports.c: LIST, ATTACH, DETACH ---- */

int rblk_exports_list(struct rblk_sess *sess, struct rblk_ioc_discover *arg,
		      struct rblk_ioc_offer *offers, u32 room, unsigned long until);
/**
 * struct rblk_attaching - one ATTACH of several that are sent together
 * @vol: the volume: its name, access, required UUID and the tenure to continue
 * @geo: filled in on success
 * @error: filled in on failure, with the target's reason
 * @ret: 0; -EAGAIN while I/O of an earlier holder drains; or another negative
 *       errno
 * @msg: the request
 *
 * An element of sess->attaching; valid for one rblk_vol_try_attach().
 */
struct rblk_attaching {
	struct rblk_vol *vol;
	struct rblk_geometry geo;
	struct rblk_ioc_error error;
	int ret;
	struct rblk_wire_attach msg;
};

void rblk_exports_attach(struct rblk_sess *sess, u32 nr);
void rblk_exports_detach(struct rblk_sess *sess, u32 volume);
int rblk_exports_portals(struct rblk_sess *sess, struct rblk_ioc_discover *arg,
			 struct rblk_ioc_addr *portals, u32 room);

/* ---- reserve.c: RESERVE, RESERVATION ---- */

/**
 * struct rblk_registrations - what a target says of an export's registrations
 * @generation: changes with each registration made or ended
 * @type: enum rblk_wire_resv_type
 * @nr: entries
 * @whole: these are all, at one moment
 * @entry: registrants
 *
 * The caller of rblk_reserve_read() owns it; too large for the stack.
 */
struct rblk_registrations {
	u32 generation;
	u32 type;
	u32 nr;
	bool whole;
	struct rblk_wire_registrant entry[RBLK_WIRE_MAX_REGISTRANTS];
};

int rblk_reserve_ask(struct rblk_sess *sess, struct rblk_vol *vol,
		     struct rblk_wire_reserve *req, unsigned long until, u16 *status);
int rblk_reserve_read(struct rblk_sess *sess, struct rblk_vol *vol,
		      struct rblk_registrations *regs, unsigned long until);

#endif /* RBLK_SESSION_H */
