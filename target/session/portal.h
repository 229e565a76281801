/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Portals, the addresses where the target listens: portal.c and transport/listener.c.
 */
#ifndef RBLKT_PORTAL_H
#define RBLKT_PORTAL_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/socket.h>
#include <linux/workqueue.h>
#include <rdma/rdma_cm.h>
#include "rblk_ioctl.h"

struct completion;
struct net;

/**
 * struct rblkt_listener - the CM id that listens on one address
 * @net: network namespace of the address
 * @addr: the address
 * @sa: the same for the CM
 * @connect: told of each connection request, in the CM handler.  Returns 0 if
 *           it takes @id, or a negative errno to have it destroyed
 * @tending: guards @id
 * @id: NULL while not listening
 * @look: the check; queued only while not @removed
 * @removed: its owner ends it
 * @lost: @id has lost its device or address
 * @last_error: positive errno, 0 while it listens
 *
 * @net, @addr, @sa and @connect never change.  rblkt_mutex guards @look,
 * @removed, @lost and @last_error.
 */
struct rblkt_listener {
	struct net *net;
	struct rblk_ioc_addr addr;
	struct sockaddr_storage sa;
	int (*connect)(struct rblkt_listener *listener, struct rdma_cm_id *id,
		       const struct rdma_conn_param *param);
	struct mutex tending;
	struct rdma_cm_id *id;
	struct delayed_work look;
	bool removed;
	bool lost;
	int last_error;
};

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

/* listen */
void rblkt_listen_init(struct rblkt_listener *listener);
int rblkt_listen_start(struct rblkt_listener *listener);
void rblkt_listen_stop(struct rblkt_listener *listener);

/* portal */
extern struct list_head rblkt_portals;
int rblkt_admit(struct rblkt_listener *listener, struct rdma_cm_id *id,
		const struct rdma_conn_param *param);
void rblkt_portal_put(struct rblkt_portal *portal);

#endif /* RBLKT_PORTAL_H */
