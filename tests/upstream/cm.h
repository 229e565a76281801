/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Connections by rdma_cm. Nobody closes anything: the program ends.
 */
#ifndef CM_H
#define CM_H

#include <rdma/rdma_cma.h>

#define CM_PORT	7471

/* cm_listen - on DEVICE_IP */
struct rdma_cm_id *cm_listen(void);

/* cm_expect - the next event of @id's channel, which must be @type */
struct rdma_cm_event *cm_expect(struct rdma_cm_id *id, enum rdma_cm_event_type type);

/* cm_call - ask @ip for a connection; the answer is an event of the id's channel */
struct rdma_cm_id *cm_call(const char *ip);

/* cm_queue - a protection domain, completion queue and queue pair for @id */
void cm_queue(struct rdma_cm_id *id);

#endif
