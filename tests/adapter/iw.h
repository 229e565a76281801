/* SPDX-License-Identifier: GPL-2.0-only */
/* What iw.c and iw-ops.c share: connections of iWARP profiles. */
#ifndef RAD_IW_H
#define RAD_IW_H

#include <linux/kref.h>
#include <rdma/iw_cm.h>
#include "adapter.h"

/* An event tells the length of private data in 8 bits. */
#define RAD_IW_DATA	U8_MAX

/*
 * How long an answer may take, and how long an end of a connection tries to let
 * the other know of its end.
 */
#define RAD_IW_PATIENCE	(10 * HZ)

/**
 * struct rad_end - one end of a connection
 * @qp: referenced; NULL before this end is there and once it is closed
 * @id: the core's side of it, likewise
 * @far: as the other end sees it, also when it is gone
 * @ird: RDMA READs that it takes at a time
 * @ord: RDMA READs that it has at the other end at a time
 */
struct rad_end {
	struct rad_qp *qp;
	struct iw_cm_id *id;
	struct rad_far far;
	u32 ird;
	u32 ord;
};

enum rad_conn_state {
	RAD_CONN_CALLING,	/* looks for a listener */
	RAD_CONN_ASKED,		/* the listener's user is to accept or to reject */
	RAD_CONN_LOST,		/* that has answered, but nothing came back */
	RAD_CONN_UP,
	RAD_CONN_CLOSING,	/* one end is closed, and the other may not know */
	RAD_CONN_DONE,
};

struct rad_listener {
	struct list_head entry;
	struct rad_dev *dev;
	struct iw_cm_id *id;	/* referenced */
};

/**
 * struct rad_conn - a connection, from the call to the end of both ends
 * @ref: one for the list, one while @work is pending or runs
 * @entry: in the list of all, until it is done
 * @work: the next try, or the end of patience
 * @state: see there
 * @number: what the core calls it by until it is accepted or rejected
 * @deadline: of the state, in jiffies
 * @status: why it closes
 * @listener: that was asked, while @state is RAD_CONN_ASKED
 * @active: the end that calls
 * @passive: the end that accepts, once it has
 * @local: address of @active
 * @remote: address of @passive
 * @data: private data of the call
 * @len: bytes of that
 *
 * All but @ref is under rad_iw_mutex. An end that is there keeps its queue pair,
 * and so its device.
 */
struct rad_conn {
	struct kref ref;
	struct list_head entry;
	struct delayed_work work;
	enum rad_conn_state state;
	u32 number;
	unsigned long deadline;
	int status;
	struct rad_listener *listener;
	struct rad_end active, passive;
	struct sockaddr_storage local, remote;
	u8 len;
	u8 data[RAD_IW_DATA];
};

/* iw.c */
extern struct mutex rad_iw_mutex;
extern struct list_head rad_iw_listeners;

struct rad_conn *rad_conn_new(void);
void rad_conn_call(struct rad_conn *conn);
struct rad_conn *rad_conn_find(const void *number);
bool rad_conn_reaches(struct rad_conn *conn, struct rad_dev *dev);
void rad_conn_refuse(struct rad_conn *conn, int status, const void *data,
		     u8 len);
int rad_conn_up(struct rad_conn *conn, const struct rad_end *passive,
		const void *data, u8 len);
void rad_conn_orphan(struct rad_listener *listener);

#endif /* RAD_IW_H */
