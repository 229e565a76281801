/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The little of verbs that the programs for soft RoCE need: a device, and
 * reliable connections that nobody has to agree on.
 */
#ifndef VERBS_H
#define VERBS_H

#include <infiniband/verbs.h>

#define FIRST_PSN	0x1000	/* of both directions */
#define BUFFER		8192	/* bytes of a buffer */

struct device {
	struct ibv_context *context;
	int gid_index;		/* of its address */
};

/* One end of a connection, with a protection domain and a buffer of its own. */
struct end {
	struct device *device;
	struct ibv_pd *pd;
	struct ibv_cq *cq;	/* of sends and receives */
	struct ibv_qp *qp;
	struct ibv_mr *mr;	/* @buffer, with all rights */
	uint8_t *buffer;
};

/* device_open - the RDMA device @name, which has the address @ip */
void device_open(struct device *device, const char *name, const char *ip);

/* end_make - a queue pair that is not connected; @pd: share this, or NULL */
void end_make(struct end *end, struct device *device, struct ibv_pd *pd);

/*
 * end_connect - to queue pair @qpn at address @ip; requests are sent again
 * after 67 ms, 7 times
 */
void end_connect(struct end *end, const char *ip, uint32_t qpn);

/* end_pair - two ends of one device, connected with each other */
void end_pair(struct end *a, struct end *b, struct device *device);

/* end_post - one request, or fault_unknown() */
void end_post(struct end *end, struct ibv_send_wr *wr);

/* end_send - SEND of @length bytes of the buffer, which completes as @id */
void end_send(struct end *end, uint64_t id, uint32_t length);

/* end_read - RDMA READ of @length bytes into the buffer, which completes as @id */
void end_read(struct end *end, uint64_t id, uint64_t from, uint32_t rkey, uint32_t length);

/* end_receive - post a receive that takes the whole buffer */
void end_receive(struct end *end, uint64_t id);

/* end_poll - the next completion within @ms, or 0 */
int end_poll(struct end *end, struct ibv_wc *wc, unsigned int ms);

/* end_must - the next completion, which must come */
void end_must(struct end *end, struct ibv_wc *wc);

/* end_window - a memory window of type 2 for the end's protection domain */
struct ibv_mw *end_window(struct end *end);

/* end_bind - post the binding of @mw to the buffer; returns the key it gets */
uint32_t end_bind(struct end *end, uint64_t id, struct ibv_mw *mw);

#endif
