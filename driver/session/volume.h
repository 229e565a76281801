/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A volume as its session sees it, and what a session asks of the block layer about
 * volumes.  session.h, the door of this layer, includes it.
 */
#ifndef RBLK_VOLUME_H
#define RBLK_VOLUME_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/uuid.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "rblk_ioctl.h"
#include "../proto/proto.h"

struct rblk_sess;
struct rblk_slot;

/**
 * struct rblk_vol - a volume as its session sees it
 * @entry: in sess->arriving, then in sess->vols
 * @ops: the session's ops
 * @sess: the session; the volume holds a use of it
 * @lock: guards @state, @geo, @reason, @since, @paused, @pause_until and @error
 * @state: see proto/state.c; readers may skip @lock with READ_ONCE() or, before they
 *         use the connections, with an acquire
 * @name: the export's name at the target
 * @uuid: required identity; if zero, the first attach accepts any and stores it
 * @access: RBLK_ACCESS_*
 * @digest: reads and writes must have a digest
 * @device: names the device to the target, which may have the volume by several
 *          sessions
 * @patient: it has other routes, so that what it was refused at first is asked for
 *           again; fixed while the session knows it
 * @attached: the target has granted it in this epoch; guarded by vols_lock
 * @draining: the target refused the last attach because I/O of an earlier
 *            holder has not ended; guarded by vols_lock
 * @gone: why it is lost since the last attach though its session is not, or NULL
 * @stale: the export is another disk now, or fenced: do not hold I/O
 * @fenced: another host has written since: do not ask for it again, as the
 *          target may forget that; guarded by vols_lock
 * @was_live: it was LIVE when it was lost; guarded by vols_lock
 * @fencing: since the loss of its session, sess->fence has not found yet that no other
 *           session can ask for it; written with vols_lock held
 * @geo: geometry as last reported; @geo.volume is the handle of this epoch.
 *       Written with vols_lock held, too; I/O of a LIVE volume skips @lock
 * @min_capacity: bytes it must have on reconnect, 0 before the first attach
 * @queue_timeout: seconds, -1 for ever
 * @since: jiffies when it was last LIVE
 * @paused: its target has paused, and it has not been LIVE since
 * @pause_until: jiffies; @queue_timeout counts from then at the earliest
 * @unpaused: jiffies when it was LIVE again after its target's last pause
 * @expire: ends the holding of I/O after @queue_timeout
 * @waitq: @state, @stale or @error changed.  Each volume has its own: many volumes may
 *         be attached at once, and each change would wake all of their users
 * @error: why the first attach failed
 * @reason: why it is not LIVE, or what is wrong although it is LIVE, or empty
 *
 * Embedded in struct rblk_dev, which owns it.  The session knows it from
 * rblk_sess_attach() to rblk_sess_detach().
 */
struct rblk_vol {
	struct list_head entry;
	const struct rblk_sess_ops *ops;
	struct rblk_sess *sess;
	spinlock_t lock;		/* see above */
	enum rblk_volume_state state;
	char name[RBLK_NAME_LEN];
	uuid_t uuid;
	u32 access;
	bool digest;
	u64 device;
	bool patient;
	bool attached;
	bool draining;
	const char *gone;
	bool stale;
	bool fenced;
	bool was_live;
	bool fencing;
	struct rblk_geometry geo;
	u64 min_capacity;
	int queue_timeout;
	unsigned long since;
	bool paused;
	unsigned long pause_until;
	unsigned long unpaused;
	struct delayed_work expire;
	wait_queue_head_t waitq;
	struct rblk_ioc_error error;
	char reason[RBLK_ERROR_LEN];
};

/**
 * struct rblk_sess_ops - what a session asks of the block layer
 * @hold: stop dispatching to this volume; may sleep
 * @settle: wait until no CPU dispatches to a held volume any more; may sleep
 * @resume: dispatch again, held requests first; the volume's state decides
 *          whether they go to the target or fail; may sleep
 * @cancel: all connections are drained: take every command of the session out
 *          of its slot, to wait for @resume; may sleep
 * @admit: the target has granted the volume so: may this session serve it?  May sleep
 * @granted: the target has granted the volume, perhaps with other properties;
 *           may sleep
 * @unfenced: may the target still have commands that were lost with the volume?
 * @fenced: it has none, or at least has ended the session; may sleep
 * @blocked: must the volume wait until other lost sessions have been fenced?  May sleep
 * @live: make the granted volume LIVE, unless I/O of such a session was given up after
 *        @blocked was asked; may sleep
 * @kin: has another session the same volume of the same target?
 * @spare: has another session that is LIVE?
 * @serves: is the volume LIVE by this session?  Then also its handle; call_lock held
 * @reserved: its reservation changed, or a registration: RBLK_RESV_*; may sleep
 * @changed: the volume's state or reason changed; may sleep
 * @resized: the target reported another capacity; may sleep
 * @answered: a command's answer arrived; see struct rblk_conn_ops
 * @done: a command has ended; see struct rblk_conn_ops
 */
struct rblk_sess_ops {
	void (*hold)(struct rblk_vol *vol);
	void (*settle)(struct rblk_sess *sess);
	void (*resume)(struct rblk_vol *vol);
	void (*cancel)(struct rblk_sess *sess);
	int (*admit)(struct rblk_vol *vol, const struct rblk_geometry *geo,
		     struct rblk_ioc_error *error);
	void (*granted)(struct rblk_vol *vol);
	bool (*unfenced)(struct rblk_vol *vol);
	void (*fenced)(struct rblk_vol *vol, bool ended);
	bool (*blocked)(struct rblk_vol *vol);
	bool (*live)(struct rblk_vol *vol);
	bool (*kin)(struct rblk_vol *vol, const struct rblk_sess *sess);
	bool (*spare)(struct rblk_vol *vol);
	bool (*serves)(struct rblk_vol *vol, const struct rblk_sess *sess, u32 *handle);
	void (*reserved)(struct rblk_vol *vol, u32 why);
	void (*changed)(struct rblk_vol *vol);
	void (*resized)(struct rblk_vol *vol);
	void (*answered)(void *owner, const struct rblk_slot *slot);
	void (*done)(void *owner, struct rblk_slot *slot);
};

#endif /* RBLK_VOLUME_H */
