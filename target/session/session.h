/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The door of session/: portals, sessions, their connections, and what peers
 * may use.  The objects of all layers meet here, so this is the place for the
 * rules that hold between them.
 *
 * References: an object at the tail of an arrow holds one to the object at its
 * head.
 *
 *   portal <- sess <- link <- cmd (while at work)
 *   export <- att -> sess          att: an export attached by a session epoch
 *
 * Embedded: a link (session/) has an io (io/), and that has a conn (transport/);
 * a sess has a holder (export/), and a portal a listener (transport/).
 *
 * Locks, outermost first:
 *   listener->tending  guards the listener's CM id.  A mutex, because making
 *                      and destroying a listener sleeps.
 *   rblkt_mutex        guards the lists of exports, portals, sessions and
 *                      connections, the members of what is in them, and the
 *                      session states.  Process context only.  Its holder
 *                      destroys no RDMA object and opens no device.
 *   conn->poll_lock    serializes polling of the send CQ.  A mutex, because
 *                      completion handlers may submit bios.
 *   pool->lock         guards the chunks of an RDMA device and the lines of
 *                      commands that wait for them.  Interrupts off.
 *   conn->lock         guards the connection's state, all posting to its queue
 *                      pair, the count of send-queue slots, the queues of
 *                      waiting commands, and control messages.  Interrupts
 *                      off.
 *   att->deferred_lock guards att->deferred.  A leaf.  Interrupts off.
 *
 * A command at the backing device needs none of them: it holds att->ios, and
 * until it drops that its attachment cannot finish draining.
 */
#ifndef RBLKT_SESSION_H
#define RBLKT_SESSION_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include "../export/export.h"
#include "../io/io.h"
#include "../transport/transport.h"

#define RBLKT_MAX_EVENTS	4	/* sent before the host speaks again */
#define RBLKT_HANDSHAKE_MS	10000	/* a host's time to log in or bind */
#define RBLKT_HANDSHAKE_BUSY_MS	1000	/* the same while many are half open */

struct rblkt_link;
struct rblkt_sess;
struct seq_file;

/*
 * One address.  References: the list's until the portal is removed, and each
 * session's until its last connection is closed.  The last reference frees the
 * portal.  Each portal pins the module until then.  rblkt_mutex guards @node and
 * @freed.
 */
struct rblkt_portal {
	struct kref ref;
	struct list_head node;
	struct rblkt_listener listener;
	struct work_struct free_work;
	struct completion *freed;	/* a removal waits on it, or NULL */
};

/*
 * An address that connections come from.  It is freed with the last connection and
 * the last session that came from it.  rblkt_mutex guards all but @half_open.
 *
 * Two tenants may have the same addresses in network namespaces of their own.
 * Their portals' namespaces tell them apart.
 */
struct rblkt_peer {
	struct list_head node;
	u64 net;			/* cookie of the portal's namespace */
	struct rblk_ioc_addr addr;	/* without the port */
	unsigned int users;		/* connections */
	unsigned int sessions;		/* logged in */
	unsigned int holds;		/* logged in once, and not freed */
	u64 memory;			/* bytes charged to it */
	atomic_t half_open;
};

/* One epoch of a session.  Connections and attachments keep it, see session.c. */
struct rblkt_sess {
	struct rblkt_holder holder;	/* of its attachments; the names */
	struct kref ref;
	struct list_head node;		/* in the registry once logged in */
	enum rblk_session_state state;
	u32 epoch;
	u8 instance[RBLK_UUID_LEN];
	u64 key;			/* without a handshake: of BIND */
	u8 secret[RBLK_AUTH_SECRET_LEN];	/* after one; valid if @holder.who has a key */
	u16 nr_queues;
	struct rblkt_grant grant;	/* of qid 0; bounds all others */
	struct rblkt_portal *portal;	/* until the last connection closes */
	struct ib_device *dev;
	struct ib_pd *pd;		/* likewise */
	u64 net;			/* cookie of the portal's namespace */
	struct rblk_ioc_addr local;
	struct rblkt_peer *from;	/* NULL until logged in; held until the end */
	u64 inherited;			/* bytes of links whose heir it is */
	struct rblkt_link *link[RBLK_WIRE_MAX_QUEUES + 1];
	unsigned int nr_links;
	bool events_due;		/* an attachment's, or @pause_due */
	bool pause_due;			/* not yet told of the pause */
	bool leaving;			/* existed when a pause began */
	struct delayed_work keepalive;
	u32 keepalive_ms;		/* the interval its host was told */
	struct work_struct free_work;
	u64 counter[RBLK_CNT_NR];	/* of closed connections, former epochs */
};

/* A buffer for a control message to the host: a reply or an event. */
struct rblkt_ctl {
	struct ib_cqe cqe;
	struct list_head node;
	struct rblkt_link *link;
	void *msg;
	u64 dma;
	u32 seq;			/* of its send */
	bool event;			/* its send is an event */
};

/* A connection as its session knows it; @io.conn.ref keeps it. */
struct rblkt_link {
	struct rblkt_io io;
	struct rblkt_sess *sess;
	struct rblkt_peer *peer;	/* the address it comes from */
	u64 charged;			/* bytes charged to @peer */
	struct rblkt_sess *heir;	/* its LOGIN ended us, or NULL */
	struct rblk_auth_greeting greeting;
	struct rblk_auth_handshake *handshake;	/* begun on qid 0, or NULL; receive context */
	struct rblkt_ctl *ctls;
	u32 nr_ctls;
	u32 mapped_ctls;		/* DMA-mapped so far */

	/* by the connection's lock */
	struct list_head free_ctls;
	u32 nr_free_ctls;
	u32 events;			/* sent since the host was heard */
	u32 events_out;			/* their sends have not completed */
	bool events_wait;		/* wake us as one of these completes */
};

/* The link that a connection is in.  Any context. */
static inline struct rblkt_link *rblkt_link_of(const struct rblkt_conn *conn)
{
	return container_of(conn, struct rblkt_link, io.conn);
}

/* The session that a holder is part of.  Any context. */
static inline struct rblkt_sess *rblkt_sess_of(const struct rblkt_holder *holder)
{
	return container_of(holder, struct rblkt_sess, holder);
}

/* ---- portal.c ---- */

extern struct list_head rblkt_portals;
int rblkt_portal_add(struct rblkt_ioc_portal_add *arg);
int rblkt_portal_remove(struct rblkt_ioc_portal_remove *arg);
void rblkt_portal_put(struct rblkt_portal *portal);
u32 rblkt_portal_list(u64 net, struct rblk_wire_portal *entry, u32 room);

/* ---- admit.c ---- */

int rblkt_admit(struct rblkt_listener *listener, struct rdma_cm_id *id,
		const struct rdma_conn_param *param);

/* ---- session.c ---- */

extern struct list_head rblkt_sessions;
struct rblkt_sess *rblkt_sess_new(struct rblkt_portal *portal,
				  struct rdma_cm_id *id,
				  const struct rblkt_req *req,
				  enum rblk_wire_reject *why);
enum rblk_wire_reject rblkt_sess_add_link(struct rblkt_sess *sess,
					  struct rblkt_link *link);
void rblkt_sess_unreserve(struct rblkt_sess *sess);
void rblkt_sess_link_closed(struct rblkt_link *link);
void rblkt_sess_set(struct rblkt_sess *sess, enum rblk_session_state state);
void rblkt_sess_kill(struct rblkt_sess *sess, const char *why);
void rblkt_sess_kill_portal(const struct rblkt_portal *portal);
void rblkt_sess_get(struct rblkt_sess *sess);
void rblkt_sess_put(struct rblkt_sess *sess);
void rblkt_sess_count(struct rblkt_sess *sess, u64 *counter);
u32 rblkt_keepalive_ms(void);

/* ---- lookup.c ---- */

bool rblkt_sess_same(const struct rblkt_holder *a, const struct rblkt_holder *b);
struct rblkt_sess *rblkt_sess_lookup(const u8 *host, const u8 *uuid);
struct rblkt_sess *rblkt_sess_find(const struct rblkt_portal *portal,
				   const struct rdma_cm_id *id,
				   const struct rblkt_req *req,
				   enum rblk_wire_reject *why);

/* ---- link.c ---- */

struct rblkt_link *rblkt_link_new(struct rblkt_sess *sess, struct rdma_cm_id *id,
				  const struct rblkt_req *req,
				  const struct rblkt_grant *grant,
				  enum rblk_wire_reject *why);
bool rblkt_link_live(struct rblkt_link *link);
void rblkt_link_purge(struct rblkt_holder *holder);
bool rblkt_link_hold(struct rblkt_att *att);
size_t rblkt_link_bytes(const struct ib_device *dev, const struct rblkt_grant *grant,
			u16 qid);

/* ---- ctl.c: buffers of control messages ---- */

size_t rblkt_ctl_bytes(u16 qid);
int rblkt_ctl_alloc(struct rblkt_link *link);
int rblkt_ctl_map(struct rblkt_link *link);
void rblkt_ctl_unmap(struct rblkt_link *link);
void rblkt_ctl_free(struct rblkt_link *link);
struct rblkt_ctl *rblkt_ctl_get(struct rblkt_link *link);
struct rblkt_ctl *rblkt_ctl_take(struct rblkt_link *link);
void rblkt_ctl_send(struct rblkt_link *link, struct rblkt_ctl *ctl);

/* ---- login.c ---- */

void rblkt_login_receive(struct rblkt_conn *conn, struct rblkt_recv *recv,
			 u32 len);
void rblkt_login_bind(struct rblkt_conn *conn, struct rblkt_recv *recv,
		      u32 len);

/* ---- auth.c ---- */

u16 rblkt_auth_login(struct rblkt_link *link, const struct rblk_wire_login *msg,
		     struct rblk_wire_login_reply *reply);
void rblkt_auth_end(struct rblkt_link *link);
int rblkt_auth_set(struct rblk_ioc_key_set *arg);
int rblkt_auth_show(struct rblk_ioc_key_show *arg);
void rblkt_auth_exit(void);

/* ---- event.c ---- */

void rblkt_event_send(struct rblkt_att *att, enum rblk_wire_event_kind kind);
void rblkt_event_pause(struct rblkt_sess *sess);
bool rblkt_event_told(const struct rblkt_sess *sess);
void rblkt_event_heard(struct rblkt_link *link);
void rblkt_event_resume(struct rblkt_conn *conn);

/* ---- epoch.c ---- */

extern u8 rblkt_uuid[RBLK_UUID_LEN];
u16 rblkt_epoch_login(struct rblkt_sess *sess,
		      const struct rblk_wire_login *msg);

/* ---- fence.c ---- */

u16 rblkt_fence(const struct rblkt_sess *sess, const struct rblk_wire_fence *msg);

/* ---- peer.c ---- */

void rblkt_peer_init(void);
bool rblkt_peer_same(u64 net, const struct rblk_ioc_addr *addr,
		     u64 other_net, const struct rblk_ioc_addr *other);
enum rblk_wire_reject rblkt_peer_enter(struct rblkt_link *link);
void rblkt_peer_known(struct rblkt_link *link);
void rblkt_peer_leave(struct rblkt_link *link);
unsigned int rblkt_peer_handshake_ms(void);
void rblkt_peer_hold(struct rblkt_sess *sess, struct rblkt_peer *peer);
void rblkt_peer_release(struct rblkt_sess *sess);
bool rblkt_peer_charge(struct rblkt_holder *holder, u64 bytes);
void rblkt_peer_uncharge(struct rblkt_holder *holder, u64 bytes);
u16 rblkt_peer_login(const struct rblkt_link *link, struct rblkt_grant *grant,
		     u64 inherited, unsigned int ending);
void rblkt_peer_show(struct seq_file *m);

/* ---- pause.c ---- */

u32 rblkt_pause_left(void);
u32 rblkt_pause_ms(void);
void rblkt_pause_set(u32 ms);
void rblkt_pause_clear(void);
void rblkt_pause_stop(void);

#endif /* RBLKT_SESSION_H */
