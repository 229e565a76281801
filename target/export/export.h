/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The door of export/: exports with their backing devices, and attachments with
 * the fence and the tenure.
 *
 * It knows neither commands nor connections nor sessions.  The one who holds an
 * attachment is a struct rblkt_holder, which a session embeds, and hears from
 * the export through struct rblkt_holder_ops.
 */
#ifndef RBLKT_EXPORT_H
#define RBLKT_EXPORT_H

#include <linux/blkdev.h>
#include <linux/completion.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/percpu-refcount.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include "../../compat/bdev.h"
#include "../proto/reservation.h"
#include "../transport/transport.h"

#define RBLKT_MAX_RANGE		SZ_64M	/* of a DISCARD or WRITE_ZEROES */
#define RBLKT_MAX_VOLUMES	1024	/* attached by one session */
#define RBLKT_PIECE_MIN		SZ_32K	/* least contiguous piece of larger data */
#define RBLKT_WAIT_MS		8000	/* a removal waits this long */
#define RBLKT_POLL_MS		20	/* whoever waits for I/O looks so often */
#define RBLKT_MAX_RIGHTS	120	/* hosts in a table of rights */

struct rblkt_att;
struct rblkt_holder;
struct rblkt_tally;

/* What the export's file has; by rblkt_store_lock(), but @kept is constant. */
struct rblkt_stored {
	u64 serial;			/* of the newest record, 0 without one */
	u64 tenure;
	bool kept;			/* new tenures are to be written there */
};

/* A host whose right was taken: rights.c. */
struct rblkt_right {
	u8 host[RBLK_UUID_LEN];		/* as in struct rblkt_holder */
	u64 right;
	bool proven;			/* the host proves a key */
	bool fenced;			/* in the table of fences: the fence stands */
	char name[RBLK_NAME_LEN];	/* only there, for people */
	u8 key[RBLK_KEY_LEN];		/* likewise; zeroes if not known */
};

/* Never changes: see rights.c. */
struct rblkt_rights {
	u64 other[2];			/* of hosts not in the list; [1]: that prove a key */
	u32 nr;
	struct rblkt_right list[RBLKT_MAX_RIGHTS];	/* who lost it last is the last */
};

/* Who may attach an export; what it points to is the caller's. */
struct rblkt_admission {
	u32 flags;			/* RBLKT_EXPORT_* */
	u32 nr;
	const struct rblk_ioc_host *hosts;
};

/* Which host is to be fenced, or no more. */
struct rblkt_fencing {
	u8 host[RBLK_UUID_LEN];		/* as in struct rblkt_holder */
	u8 key[RBLK_KEY_LEN];		/* for people, or zeroes */
	char name[RBLK_NAME_LEN];	/* likewise, or "" */
	bool up;
};

/* A named, identified, open block device.  Freed with the last reference. */
struct rblkt_export {
	struct kref ref;
	struct list_head node;		/* in the registry until removed */
	struct list_head every;		/* in rblkt_exports_all until freed */
	struct list_head atts;		/* every attachment not yet drained */
	int nr;				/* a small number that no other export has */
	char name[RBLK_NAME_LEN];
	char path[RBLK_PATH_LEN];
	u8 uuid[RBLK_UUID_LEN];
	u32 flags;			/* RBLKT_EXPORT_* */
	u32 wire_flags;			/* RBLK_EXPF_* */
	u32 nr_hosts;
	struct rblk_ioc_host *hosts;
	struct compat_bdev backing;
	struct cgroup_subsys_state *blkcg;	/* of @group, or NULL */
	char group[RBLK_PATH_LEN];	/* control group, "" without one */
	struct rblkt_geo geo;
	u64 tenure;			/* the last writer's, 0 without one */
	u64 storing;			/* the next one while it is written, or 0 */
	struct rblkt_stored stored;
	struct rblkt_resv *resv;	/* owned; changed by rblkt_store_lock() and rblkt_mutex */
	u64 resv_serial;		/* of its newest record; by rblkt_store_lock() */
	u64 aborts;			/* preemptions with abort so far */
	struct rblkt_rights *rights;	/* by rblkt_mutex; owned; NULL: nobody lost any */
	u64 rights_serial;		/* of their file; by rblkt_store_lock() */
	struct list_head tallies;	/* of each host that had it: export/stat.c */
	unsigned int nr_tallies;
	struct work_struct free_work;
	struct completion *freed;	/* a removal waits for it, or NULL */
};

/**
 * struct rblkt_holder_ops - what an attachment needs from the one who holds it
 * @get: take a reference to the holder; any context
 * @put: drop one; any context
 * @may_attach: is the holder still there, and the target not paused?  With
 *              rblkt_mutex held
 * @charge: count memory of the host towards the limits; false if they forbid it.
 *          With rblkt_mutex held
 * @uncharge: take that back.  With rblkt_mutex held
 * @event: tell the host that the export has changed.  With rblkt_mutex held, and
 *         the attachment still in the holder's table
 * @purge: answer the commands that wait for memory, of all attachments that
 *         drain.  With rblkt_mutex held; does not wait
 * @hold: answer the commands of this attachment, which drains, although they are at
 *        the backing device; true if some are left to answer.  With rblkt_mutex
 *        held; does not wait
 * @deferred: the work function that submits what may block
 */
struct rblkt_holder_ops {
	void (*get)(struct rblkt_holder *holder);
	void (*put)(struct rblkt_holder *holder);
	bool (*may_attach)(const struct rblkt_holder *holder);
	bool (*charge)(struct rblkt_holder *holder, u64 bytes);
	void (*uncharge)(struct rblkt_holder *holder, u64 bytes);
	void (*event)(struct rblkt_att *att, enum rblk_wire_event_kind kind);
	void (*purge)(struct rblkt_holder *holder);
	bool (*hold)(struct rblkt_att *att);
	work_func_t deferred;
};

/*
 * Who holds attachments: one epoch of a session, as far as exports know it.
 * @uuid, @host, @who, @host_name and @peer don't change once it is logged in.
 *
 * @host tells hosts apart, and @who says what they may have.  A host that has proved a
 * key is @host by that key, whatever UUID it names: see rblk_auth_host_id().
 * rblkt_mutex guards the rest, except that commands read @atts under RCU and
 * @last_handle by READ_ONCE().
 */
struct rblkt_holder {
	const struct rblkt_holder_ops *ops;
	u8 uuid[RBLK_UUID_LEN];		/* of the session */
	u8 host[RBLK_UUID_LEN];
	struct rblk_ioc_host who;
	char host_name[RBLK_NAME_LEN];
	struct rblk_ioc_addr peer;
	struct xarray atts;		/* by handle */
	unsigned int nr_atts;
	u32 last_handle;
};

/* An export attached by one session epoch.  Freed by RCU after the last put. */
struct rblkt_att {
	struct percpu_ref ios;		/* commands at the backing device */
	unsigned int __percpu *inflight;
	struct list_head node;		/* in export->atts until drained */
	struct rblkt_export *export;
	struct rblkt_tally *tally;	/* valid until it has drained */
	struct rblkt_holder *holder;
	struct block_device *bdev;
	struct rblkt_geo geo;		/* with writable as attached */
	u32 access;			/* RBLK_ACCESS_* */
	u32 handle;
	u64 device;			/* the host's, that siblings have in common; or 0 */
	u64 told;			/* size last told the host, blocks */
	unsigned int events_due;	/* bits of RBLK_EVENT_*, not yet sent */
	u32 resv_why;			/* RBLK_RESV_*, for that event */
	u64 abort_first;		/* aborts that wait for it, 0 for none ... */
	u64 abort_last;			/* ... to this one */
	u64 abort_key;			/* that its host had; 0 for none */
	bool draining;
	u8 denied;			/* RBLKT_DENY_*: commands look without a lock */
	bool read_only;			/* the export was, when attached */
	u32 nowait;			/* most bytes that need not block; 0: may */
	/* only commands that may block write from here on */
	spinlock_t deferred_lock ____cacheline_aligned;	/* @deferred */
	struct list_head deferred;	/* commands that may block */
	struct work_struct deferred_work;
	struct kref ref;		/* by the table, @ios, @deferred_work */
	struct work_struct drained_work;
	struct delayed_work overdue_work;	/* from the drain's begin to its end */
	struct rcu_work free_work;	/* commands look it up under RCU */
};

/* Has the host proved a key?  Any context. */
static inline bool rblkt_host_proven(const struct rblk_ioc_host *who)
{
	return memchr_inv(who->key, 0, sizeof(who->key));
}

/* ---- registry.c ---- */

extern struct list_head rblkt_exports;
extern struct list_head rblkt_exports_all;
struct rblkt_export *rblkt_export_find(const char *name);
struct rblkt_export *rblkt_export_known(const u8 *uuid);
struct rblkt_export *rblkt_export_next(const char *name);
bool rblkt_export_admits(u32 flags, const struct rblk_ioc_host *hosts, u32 nr,
			 const struct rblk_ioc_host *who);
bool rblkt_export_allows(const struct rblkt_export *export, const struct rblk_ioc_host *who);
bool rblkt_export_for(const struct rblk_ioc_host *who);
bool rblkt_export_insecure(void);
u32 rblkt_export_list(const struct rblkt_holder *holder, u32 start,
		      struct rblk_wire_list_entry *entry, u32 room, u32 *next);

/* ---- export.c ---- */

void rblkt_export_put(struct rblkt_export *export);
int rblkt_export_add(struct rblkt_ioc_export_add *arg);
int rblkt_export_remove(struct rblkt_ioc_export_remove *arg);
int rblkt_export_unique(const char *name, const u8 *uuid,
			const struct rblkt_export *except,
			struct rblk_ioc_error *err);
void *rblkt_export_hosts(u64 from, u32 nr, struct rblk_ioc_error *err);
int rblkt_export_check_hosts(u32 flags, const struct rblk_ioc_host *hosts, u32 nr,
			     struct rblk_ioc_error *err);
int rblkt_export_in_use(const struct rblkt_export *export,
			const struct rblkt_holder *user, unsigned int nr,
			struct rblk_ioc_error *err);
void rblkt_export_drain(struct rblkt_att *att);
void rblkt_export_withdraw(struct rblkt_att *att);

/* ---- store.c: files ---- */

/* A kind of file. */
struct rblkt_store {
	const char *suffix;	/* of its name, behind the export's UUID */
	u32 magic;
	u32 version;
	u32 bytes;		/* of a record, with its beginning and the CRC at its end */
	u32 stride;		/* from the first record to the second */
};

/* How each record begins. */
struct rblkt_record {
	__le32 magic;
	__le32 version;
	__le64 serial;		/* the higher of the two counts */
	u8 uuid[RBLK_UUID_LEN];
};

void rblkt_store_init(void);
void rblkt_store_lock(const u8 *uuid);
void rblkt_store_unlock(const u8 *uuid);
const char *rblkt_store_dir_name(void);
int rblkt_store_has_dir(void);
int rblkt_store_read(const struct rblkt_store *store, const u8 *uuid, void *record);
int rblkt_store_write(const struct rblkt_store *store, const u8 *uuid, u64 serial,
		      void *record);

/* ---- tenure.c ---- */

int rblkt_tenure_load(struct rblkt_export *export, bool forget,
		      struct rblk_ioc_error *err);
bool rblkt_tenure_begin(const struct rblkt_att *att, const struct rblk_wire_attach *msg);
u16 rblkt_tenure_keep(struct rblkt_export *export, struct rblkt_holder *holder, u32 handle);

/* ---- record.c ---- */

int rblkt_record_load(struct rblkt_export *export, bool forget, struct rblk_ioc_error *err);
int rblkt_record_keep(struct rblkt_export *export, const struct rblkt_resv *resv);

/* ---- reservation.c ---- */

u16 rblkt_reserve(struct rblkt_holder *holder, const struct rblk_wire_reserve *msg);
u16 rblkt_resv_report(struct rblkt_holder *holder, const struct rblk_wire_reservation *msg,
		      struct rblk_wire_reservation_reply *reply);
u8 rblkt_resv_access(const struct rblkt_export *export, const u8 *host);
u32 rblkt_resv_aborting(const struct rblkt_export *export);
int rblkt_resv_force(struct rblkt_ioc_reservation_set *arg);
/* ---- rights.c ---- */

struct rblkt_right *rblkt_rights_entry(struct rblkt_rights *rights, const u8 *host);
u64 rblkt_rights_of(struct rblkt_rights *rights, const u8 *host, bool proven);
struct rblkt_rights *rblkt_rights_copy(const struct rblkt_rights *rights);
struct rblkt_right *rblkt_rights_add(struct rblkt_rights *rights, const u8 *host, u64 right);
struct rblkt_right *rblkt_rights_revoke(struct rblkt_rights *rights, const u8 *host);
struct rblkt_rights *rblkt_rights_load(const u8 *uuid, u64 *serial);
int rblkt_rights_store(const struct rblkt_rights *rights, const u8 *uuid, u64 *serial);

/* ---- revoke.c ---- */

void rblkt_host_id(u8 id[RBLK_UUID_LEN], const struct rblk_ioc_host *who);
int rblkt_revoke_load(struct rblkt_export *export, bool forget, struct rblk_ioc_error *err);
u64 rblkt_revoke_right(const struct rblkt_export *export, const struct rblkt_holder *holder);
struct rblkt_rights *rblkt_revoke_next(const struct rblkt_export *export,
				       const struct rblkt_admission *then);
int rblkt_revoke_keep(struct rblkt_export *export, const struct rblkt_rights *rights,
		      struct rblk_ioc_error *err);
bool rblkt_fence_stands(const u8 *host);
int rblkt_fence_load(struct rblk_ioc_error *err);
int rblkt_fence_set(const struct rblkt_fencing *fencing, struct rblk_ioc_error *err);
u32 rblkt_fence_list(struct rblkt_ioc_fenced *entry, u32 room);
void rblkt_fence_exit(void);

/* ---- change.c ---- */

int rblkt_change(struct rblkt_ioc_export_set *arg);

/* ---- bdev.c ---- */

u32 rblkt_bdev_flags(const struct rblkt_export *export);
u32 rblkt_bdev_nowait(struct block_device *bdev);
void rblkt_bdev_measure(struct rblkt_export *export);
int rblkt_bdev_open(struct rblkt_export *export, struct rblk_ioc_error *err);
int rblkt_bdev_reopen(struct rblkt_export *export, struct compat_bdev *anew,
		      struct rblk_ioc_error *err);

/* ---- cgroup.c ---- */

int rblkt_cgroup_join(struct rblkt_export *export, int fd,
		      struct rblk_ioc_error *err);
void rblkt_cgroup_leave(struct rblkt_export *export);

/* ---- resize.c ---- */

void rblkt_resize_check(struct rblkt_export *export);
void rblkt_resize_watch(void);
void rblkt_resize_stop(void);

/* ---- grant.c ---- */

void rblkt_grant_fill(struct rblkt_att *att, const struct rblkt_export *export,
		      const struct rblk_wire_attach *msg);
void rblkt_grant_tell(struct rblk_wire_attach_reply *reply, const struct rblkt_att *att,
		      const struct rblk_wire_attach *msg);

/* ---- attachment.c ---- */

u16 rblkt_attach(struct rblkt_holder *holder, const struct rblk_wire_attach *msg,
		 struct rblk_wire_attach_reply *reply);
u16 rblkt_detach(struct rblkt_holder *holder, u32 handle);
void rblkt_att_get(struct rblkt_att *att);
void rblkt_att_put(struct rblkt_att *att);
void rblkt_att_fence_host(const struct rblkt_att *lost);
void rblkt_att_lose_all(struct rblkt_holder *holder);
bool rblkt_att_conflict(u32 a, u32 b);
bool rblkt_att_siblings(const struct rblkt_att *a, const struct rblkt_att *b);
unsigned int rblkt_att_inflight(const struct rblkt_att *att);

/* A command leaves its attachment, maybe as the last one.  Any context. */
static inline void rblkt_att_end(struct rblkt_att *att)
{
	this_cpu_dec(*att->inflight);
	percpu_ref_put(&att->ios);
}

/* ---- drain.c ---- */

bool rblkt_fence_up(void);
void rblkt_drain_init(struct rblkt_att *att);
void rblkt_drain_begin(struct rblkt_att *att);
void rblkt_drain_ended(struct percpu_ref *ios);

/* ---- stat.c: how long operations took, by export and host ---- */

u64 rblkt_att_bytes(void);
struct rblkt_tally *rblkt_stat_alloc(void);
void rblkt_stat_free(struct rblkt_tally *tally);
struct rblkt_tally *rblkt_stat_get(struct rblkt_export *export,
				   const struct rblkt_holder *holder,
				   struct rblkt_tally **spare);
void rblkt_stat_put(struct rblkt_export *export, struct rblkt_tally *tally);
void rblkt_stat_count(struct rblkt_tally *tally, u8 op, u32 bytes, u64 target_ns,
		      u64 device_ns);
void rblkt_stat_fail(struct rblkt_tally *tally, u8 op);
void rblkt_stat_clear(struct rblkt_export *export);
bool rblkt_stat_knows(const struct rblkt_export *export, const u8 *host);
int rblkt_stat_show(struct rblkt_ioc_stat *arg);

#endif /* RBLKT_EXPORT_H */
