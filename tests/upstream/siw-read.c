// SPDX-License-Identifier: GPL-2.0-only
/*
 * A peer reads memory that was registered without the right to be read. Where the
 * fault is, it gets the data.
 */
#include <stdlib.h>
#include <string.h>

#include "cm.h"
#include "fault.h"

#define SIZE	4096

static struct rdma_cm_id *answer(struct rdma_cm_id *listener)
{
	struct rdma_cm_event *event = cm_expect(listener, RDMA_CM_EVENT_CONNECT_REQUEST);
	struct rdma_conn_param param = { .responder_resources = 4, .initiator_depth = 4 };
	struct rdma_cm_id *id = event->id;

	cm_queue(id);
	if (rdma_accept(id, &param))
		fault_unknown("accept");
	return id;
}

static struct ibv_mr *region(struct rdma_cm_id *id, uint8_t fill, int rights)
{
	uint8_t *buffer = aligned_alloc(SIZE, SIZE);
	struct ibv_mr *mr;

	memset(buffer, fill, SIZE);
	mr = ibv_reg_mr(id->pd, buffer, SIZE, rights);
	if (!mr)
		fault_unknown("a memory region");
	return mr;
}

/* read_from - what a READ completes with */
static enum ibv_wc_status read_from(struct rdma_cm_id *id, struct ibv_mr *to, struct ibv_mr *from)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)to->addr, .length = SIZE, .lkey = to->lkey,
	};
	struct ibv_send_wr *bad, wr = {
		.opcode = IBV_WR_RDMA_READ, .send_flags = IBV_SEND_SIGNALED,
		.sg_list = &sge, .num_sge = 1,
		.wr.rdma = { .remote_addr = (uintptr_t)from->addr, .rkey = from->rkey },
	};
	uint64_t end = now_ms() + 5000;
	struct ibv_wc wc;

	if (ibv_post_send(id->qp, &wr, &bad))
		fault_unknown("a READ");
	while (!ibv_poll_cq(id->send_cq, 1, &wc))
		if (now_ms() > end)
			fault_unknown("no completion");
	return wc.status;
}

int main(void)
{
	struct rdma_cm_id *listener = cm_listen(), *reader = cm_call(DEVICE_IP);
	struct rdma_cm_id *owner = answer(listener);
	struct ibv_mr *sink, *source;
	enum ibv_wc_status status;

	cm_expect(reader, RDMA_CM_EVENT_ESTABLISHED);
	sink = region(reader, 0, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	source = region(owner, 'a', IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ);
	status = read_from(reader, sink, source);
	if (status != IBV_WC_SUCCESS || *(uint8_t *)sink->addr != 'a')
		fault_unknown("READ of what may be read completes with %d", status);
	source = region(owner, 's', IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	status = read_from(reader, sink, source);
	if (*(uint8_t *)sink->addr == 's')
		fault_seen("a peer has read what it may only write");
	if (status == IBV_WC_SUCCESS)
		fault_seen("READ of what may not be read completes with success");
	fault_not_seen("READ of what may not be read: %s", ibv_wc_status_str(status));
}
