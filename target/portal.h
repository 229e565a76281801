/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where the target listens: portal.c and listen.c.
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

struct rblkt_portal {
	struct kref ref;
	struct list_head node;
	struct net *net;
	struct rblk_ioc_addr addr;
	struct sockaddr_storage sa;
	struct mutex tending;		/* @id */
	struct rdma_cm_id *id;		/* NULL while not listening */
	/* the rest by rblkt_mutex */
	struct delayed_work look;	/* queued only while not @removed */
	bool removed;
	bool lost;			/* @id has lost its device or address */
	int last_error;			/* positive errno, 0 while it listens */
	struct work_struct free_work;
	struct completion *freed;
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
