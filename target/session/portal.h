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

/*
 * One address.  References: the list's until the portal is removed, and each
 * session's until its last connection is closed.  The last reference frees the
 * portal.  Each portal pins the module until then.
 *
 * @net, @addr and @sa never change.
 */
struct rblkt_portal {
	struct kref ref;
	struct list_head node;
	struct net *net;
	struct rblk_ioc_addr addr;
	struct sockaddr_storage sa;
	struct mutex tending;		/* guards @id */
	struct rdma_cm_id *id;		/* NULL while not listening */
	/* rblkt_mutex guards the rest, and @node */
	struct delayed_work look;	/* queued only while not @removed */
	bool removed;
	bool lost;			/* @id has lost its device or address */
	int last_error;			/* positive errno, 0 while it listens */
	struct work_struct free_work;
	struct completion *freed;	/* a removal waits on it, or NULL */
};

/* listen */
void rblkt_listen_init(struct rblkt_portal *portal);
int rblkt_listen_start(struct rblkt_portal *portal);
void rblkt_listen_stop(struct rblkt_portal *portal);

/* portal */
extern struct list_head rblkt_portals;
int rblkt_portal_connect(struct rblkt_portal *portal, struct rdma_cm_id *id,
			 const struct rdma_conn_param *param);
void rblkt_portal_put(struct rblkt_portal *portal);

#endif /* RBLKT_PORTAL_H */
