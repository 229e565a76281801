/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The initiator's sessions and volumes.  They reach the block layer through
 * struct rblk_sess_ops.
 *
 * Lock order, outermost first:
 *   the registry of sess.c (mutex) > sess->vols_lock (mutex) >
 *   sess->call_lock (mutex) > sess->lock (spin) > vol->lock, conn->lock (spin)
 */
#ifndef RBLK_SESSION_H
#define RBLK_SESSION_H

#include <linux/mutex.h>
#include <linux/ratelimit.h>
#include <linux/uuid.h>
#include <linux/wait.h>
#include "transport.h"

#define RBLK_MAX_EVENTS		64
#define RBLK_EVENTS_PER_SECOND	256
/* Control requests on their way at a time; a target takes at least 16. */
#define RBLK_CALL_BATCH		8
#define RBLK_CALL_STRIDE	(RBLK_WIRE_CTRL_MAX / RBLK_CALL_BATCH)

struct rblk_attaching;
struct rblk_sess;
struct rblk_vol;

/* Made anew at each load: a LOGIN with another one ends our older sessions. */
extern guid_t rblk_instance;

/* ---- sess.c: sessions ---- */

/**
 * struct rblk_vol - a volume as its session sees it; embedded in rblk_dev
 * @entry: in sess->vols
 * @ops: the session's
 * @sess: the session, which the volume holds a use of
 * @lock: guards @state, @geo, @reason, @since, @away, @away_until and @error
 * @state: see state.c
 * @name: the export's name at the target
 * @uuid: identity required, all zeroes until the first attach
 * @access: RBLK_ACCESS_*
 * @attached: the target has accepted it in this epoch; guarded by vols_lock
 * @draining: the last refusal was for I/O that has not ended; likewise
 * @gone: the target has answered I/O with GONE since the last attach
 * @hopeless: the target has another disk under its name; don't hold I/O for it
 * @fenced: another host has written since, so it is not asked for again, although
 *          the target may forget; guarded by vols_lock
 * @news: it was LIVE when its session was lost; session work only
 * @geo: as last reported; @geo.volume is the handle of this epoch
 * @min_capacity: bytes it must have on reconnect, 0 before the first attach
 * @queue_timeout: seconds, -1 for ever
 * @since: jiffies when it was last LIVE
 * @away: its target went away by plan, and it has not been LIVE since
 * @away_until: jiffies; @queue_timeout counts from then at the earliest
 * @back: jiffies when it last was LIVE again after that
 * @expire: ends the holding of I/O after @queue_timeout
 * @waitq: @state or @error changed; its own, or each of many volumes that are
 *         attached at once would wake all of their users
 * @error: why the first attach failed
 * @reason: why it is not LIVE now, or what is wrong though it is, or empty
 */
struct rblk_vol {
	struct list_head entry;
	const struct rblk_sess_ops *ops;
	struct rblk_sess *sess;
	spinlock_t lock;		/* see above */
	enum rblk_volume_state state;
	char name[RBLK_NAME_LEN];
	u8 uuid[RBLK_UUID_LEN];
	u32 access;
	bool attached;
	bool draining;
	bool gone;
	bool hopeless;
	bool fenced;
	bool news;
	struct rblk_geometry geo;
	u64 min_capacity;
	int queue_timeout;
	unsigned long since;
	bool away;
	unsigned long away_until;
	unsigned long back;
	struct delayed_work expire;
	wait_queue_head_t waitq;
	struct rblk_ioc_error error;
	char reason[RBLK_ERROR_LEN];
};

/**
 * struct rblk_sess_ops - what a session asks of the block layer
 * @hold: stop dispatching to this volume
 * @settle: wait until nobody is still dispatching to a volume being held
 * @resume: dispatch again, what was held back first; the volume's state says
 *          whether to the target or into an error
 * @cancel: all connections are drained: take every command of the session out
 *          of its slot and hold it for a later @resume
 * @granted: the target has granted the volume, perhaps not as before; may sleep
 * @changed: the volume's state changed; may sleep
 * @resized: the target reported another capacity; may sleep
 * @release: the session goes; let go of @block
 * @answered: a command is answered; see struct rblk_conn_ops
 * @done: it has ended; likewise
 */
struct rblk_sess_ops {
	void (*hold)(struct rblk_vol *vol);
	void (*settle)(struct rblk_sess *sess);
	void (*resume)(struct rblk_vol *vol);
	void (*cancel)(struct rblk_sess *sess);
	void (*granted)(struct rblk_vol *vol);
	void (*changed)(struct rblk_vol *vol);
	void (*resized)(struct rblk_vol *vol);
	void (*release)(struct rblk_sess *sess);
	void (*answered)(void *owner, const struct rblk_slot *slot);
	void (*done)(void *owner, const struct rblk_slot *slot);
};

#define RBLK_SESS_FLAGS		(RBLK_ATTACH_HOST_UUID | RBLK_ATTACH_HOST_NAME)

/**
 * struct rblk_sess_args - what makes a session the one it is
 * @peer: whom to reach; @net is not referenced by this structure
 * @host: this host's UUID
 * @host_name: its name
 * @target_text: the target as the user wrote it
 * @queues: wanted, 0 for the default
 * @depth: wanted, 0 for the default
 * @inline_read: wanted, bytes
 * @flags: RBLK_SESS_FLAGS of ATTACH, for SHOW
 * @control_only: no I/O connections, not shared: for DISCOVER
 */
struct rblk_sess_args {
	struct rblk_peer peer;
	u8 host[RBLK_UUID_LEN];
	char host_name[RBLK_NAME_LEN];
	char target_text[RBLK_PATH_LEN];
	u32 queues;
	u32 depth;
	u32 inline_read;
	u32 flags;
	bool control_only;
};

/**
 * struct rblk_sess - one host's relation to one target
 * @entry: in the registry, unless control_only
 * @uses: volumes and callers; guarded by the registry's mutex
 * @args: fixed
 * @ops: fixed
 * @conn_ops: what its connections call: rblk_link_ops, @ops->answered and
 *            @ops->done
 * @uuid: fixed
 * @stats: counters of all connections it ever had
 * @lock: guards @state, @error, @lost, @lost_why, @aborted, @away ..
 *        @away_violations, @control and @io as pointers, and @call_open ..
 *        @call_bytes
 * @state: see state.c
 * @error: why the last connect failed
 * @lost: a connection of the present epoch was lost
 * @lost_why: why
 * @aborted: nobody wants it any more: connect no further
 * @away: the target has said that it goes away by plan, see away.c
 * @away_epoch: in which that was
 * @away_until: jiffies; until then nobody is alarmed
 * @away_ms: how long that was when it was said
 * @away_violations: of the protocol, before it was said
 * @hushed: why the last connect failed was not logged; session work only
 * @waitq: @state changed
 * @said: limits what is said of it in the log; its own, so that what one target
 *        does cannot hide what is said of another
 * @epoch: generation; session work only
 * @attempt: reconnects tried since it last kept LIVE; session work only
 * @live_since: jiffies; session work only
 * @linked: there may be connections; session work only
 * @was_live: it recovers from failures; else the first one ends it
 * @work: connects, attaches, recovers, deletes: the only place that does
 * @gone: the work has done its last
 * @orphan: nobody waits for that: the work frees the session; guarded by the
 *          registry's mutex
 * @keepalive: sends KEEPALIVE and notices silence
 * @keepalive_ms: as the target wishes, or less
 * @silence_ms: that the target bears, as it says; for people
 * @control: connection 0, or NULL
 * @io: I/O connections; stable while any volume's queue is not held
 * @down: room for all of them while they are taken down; session work only
 * @nr_io: how many; fixed once the session was live
 * @grant: in force
 * @caps: of the device
 * @iwarp: its transport
 * @key: binds I/O connections to this epoch
 * @target: its UUID
 * @target_name: its name
 * @vols: attached volumes and those being attached
 * @arriving: those to be attached that the session's work has not seen yet;
 *            guarded by @lock
 * @attaching: room for those of one call; session work only
 * @vols_lock: guards @vols; held across control calls, so never in the CM's or
 *             a completion's context
 * @vols_wanted: those who wait for it, and are let in between two calls
 * @call_lock: serialises control calls
 * @call_done: all replies are here or will never come
 * @call_open: replies are awaited
 * @call_conn: on this connection
 * @call_lost: they will never come
 * @call_wanted: how many there will be
 * @call_got: how many are here
 * @call_bytes: of each reply
 * @call_reply: the reply, or replies, RBLK_CALL_STRIDE bytes each
 * @xid: of the last request
 * @event_work: handles @events in process context, once a second at most
 * @nr_events: waiting in @events; these five are guarded by @lock
 * @events: from the target, one of a kind and volume; a target that sends more
 *          loses the session
 * @events_heard: since @events_since
 * @events_since: jiffies, at most a second ago
 * @events_handled: jiffies when @event_work last did anything
 * @block: the block layer's share, see blk.c
 *
 * Made by the first attach, freed by the last rblk_sess_put(); the lifetime is
 * told at the top of sess.c.
 */
struct rblk_sess {
	struct list_head entry;
	unsigned int uses;
	struct rblk_sess_args args;
	const struct rblk_sess_ops *ops;
	struct rblk_conn_ops conn_ops;
	u8 uuid[RBLK_UUID_LEN];
	struct rblk_stats __percpu *stats;

	spinlock_t lock;		/* see above */
	enum rblk_session_state state;
	struct rblk_ioc_error error;
	bool lost;
	bool aborted;
	bool away;
	u32 away_epoch;
	unsigned long away_until;
	u32 away_ms;
	u64 away_violations;
	bool hushed;
	char lost_why[96];
	wait_queue_head_t waitq;
	struct ratelimit_state said;
	u32 epoch;
	u32 attempt;
	unsigned long live_since;
	bool linked;
	bool was_live;
	struct delayed_work work;
	struct completion gone;
	bool orphan;
	struct delayed_work keepalive;
	u32 keepalive_ms;
	u32 silence_ms;

	struct rblk_conn *control;
	struct rblk_conn **io;
	struct rblk_conn **down;
	u32 nr_io;
	struct rblk_grant grant;
	struct rblk_caps caps;
	bool iwarp;
	u64 key;
	u8 target[RBLK_UUID_LEN];
	char target_name[RBLK_NAME_LEN];
	struct list_head vols;
	struct list_head arriving;
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

	void *block;
};

/* A line in the log, unless there were too many about this session. */
#define rblk_sess_warn(sess, fmt, ...) do {				\
	if (__ratelimit(&(sess)->said))					\
		pr_warn("rblk: %s: " fmt "\n",				\
			(sess)->args.target_text, ##__VA_ARGS__);	\
} while (0)

#define rblk_sess_info(sess, fmt, ...) do {				\
	if (__ratelimit(&(sess)->said))					\
		pr_info("rblk: %s: " fmt "\n",				\
			(sess)->args.target_text, ##__VA_ARGS__);	\
} while (0)

struct rblk_sess *rblk_sess_get(const struct rblk_sess_args *args,
				const struct rblk_sess_ops *ops,
				struct rblk_ioc_error *error);
void rblk_sess_put(struct rblk_sess *sess);
int rblk_sess_wait_live(struct rblk_sess *sess, struct rblk_ioc_error *error);
int rblk_sess_attach(struct rblk_sess *sess, struct rblk_vol *vol,
		     struct rblk_ioc_error *error);
void rblk_sess_detach(struct rblk_vol *vol);
void rblk_sess_lose(struct rblk_sess *sess, const char *why);
void rblk_sess_gone(struct rblk_vol *vol);
bool rblk_lock_patiently(struct mutex *lock, unsigned int ms);
enum rblk_session_state rblk_sess_state(struct rblk_sess *sess);
bool rblk_sess_become_locked(struct rblk_sess *sess, enum rblk_session_state to);
bool rblk_sess_become(struct rblk_sess *sess, enum rblk_session_state to);
void rblk_sess_kick(struct rblk_sess *sess, u32 delay_ms);
void rblk_sess_ended(struct rblk_sess *sess);

/* ---- stat.c: a session for people and programs ---- */

u64 rblk_stat_counter(const struct rblk_sess *sess, enum rblk_counter which);
void rblk_stat_session(struct rblk_sess *sess, struct rblk_ioc_session *out);
void rblk_stat_asked(const struct rblk_sess *sess, u32 flags, struct rblk_ioc_asked *out);

/* ---- recover.c: the work of a session ---- */

void rblk_recover_init(struct rblk_sess *sess);

/* ---- away.c: targets that go away by plan ---- */

void rblk_away_note(struct rblk_sess *sess, u32 ms);
void rblk_away_refused(struct rblk_sess *sess, const struct rblk_conn *conn);
bool rblk_away_locked(struct rblk_sess *sess);
bool rblk_away(struct rblk_sess *sess);
u32 rblk_away_left_ms(struct rblk_sess *sess);
bool rblk_away_why_locked(struct rblk_sess *sess, const char *why, char *to,
			  size_t room);
void rblk_away_why(struct rblk_sess *sess, const char *why, char *to, size_t room);
void rblk_away_end(struct rblk_sess *sess);

/* ---- vol.c: volumes as sessions see them ---- */

void rblk_vol_init(struct rblk_vol *vol);
bool rblk_vol_set_state(struct rblk_vol *vol, enum rblk_volume_state to,
			const char *reason);
void rblk_vol_set_reason(struct rblk_vol *vol, const char *reason);
bool rblk_vol_hold(struct rblk_vol *vol, const char *why);
void rblk_vol_held(struct rblk_vol *vol, bool news);
void rblk_vol_lost(struct rblk_vol *vol, const char *why);
void rblk_vol_away(struct rblk_vol *vol);
void rblk_vol_try_attach(struct rblk_sess *sess, u32 nr);
void rblk_vol_set_timeout(struct rblk_vol *vol, int seconds);
void rblk_vol_event(struct rblk_vol *vol, const struct rblk_wire_event *event);

/* ---- link.c: making and unmaking a session's connections ---- */

extern const struct rblk_conn_ops rblk_link_ops;
int rblk_link_up(struct rblk_sess *sess, struct rblk_ioc_error *error);
void rblk_link_down(struct rblk_sess *sess);
void rblk_link_abort(struct rblk_sess *sess);

/* ---- call.c: control calls ---- */

#define RBLK_CALL_MS		5000

/**
 * struct rblk_call - requests of one kind and what to do with their replies
 * @type: enum rblk_wire_msg of the request
 * @stage: for errors
 * @name: for errors
 * @msg: the request, without its header
 * @bytes: of it
 * @nr: of requests, 0 for one; more than one are sent together
 * @stride: bytes from one of them to the next
 * @timeout_ms: how long to wait
 * @interruptible: a signal ends the wait, and with it the session: only for one
 *                 that nobody else uses
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
int rblk_call_bad_reply(struct rblk_sess *sess, const struct rblk_call *c,
			const char *wrong, struct rblk_ioc_error *error);
int rblk_call_refused(const struct rblk_call *c, u16 status,
		      struct rblk_ioc_error *error);
u16 rblk_call_status(const struct rblk_arrival *msg);
void rblk_call_message(void *ctx, struct rblk_conn *conn,
		       const struct rblk_arrival *msg);
void rblk_call_abort(struct rblk_sess *sess);

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
 * @vol: name, access, the UUID it must have, and the tenure it continues
 * @geo: filled in on success
 * @error: filled in on failure, with the target's reason
 * @ret: 0; -EAGAIN while I/O of an earlier holder drains; or another negative
 *       errno
 * @msg: the request
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

#endif /* RBLK_SESSION_H */
