// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fault.h"
#include "verbs.h"

#define RIGHTS	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ |	\
		 IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC |	\
		 IBV_ACCESS_MW_BIND)

static void gid_of(const char *ip, union ibv_gid *gid)
{
	memset(gid, 0, sizeof(*gid));
	gid->raw[10] = 0xff;
	gid->raw[11] = 0xff;
	inet_pton(AF_INET, ip, gid->raw + 12);
}

static int gid_index(struct ibv_context *context, const char *ip)
{
	union ibv_gid wanted, gid;
	int i;

	gid_of(ip, &wanted);
	for (i = 0; !ibv_query_gid(context, 1, i, &gid); i++)
		if (!memcmp(&gid, &wanted, sizeof(gid)))
			return i;
	fault_unknown("no GID of %s", ip);
}

void device_open(struct device *device, const char *name, const char *ip)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	int i;

	for (i = 0; list && list[i]; i++)
		if (!strcmp(ibv_get_device_name(list[i]), name))
			break;
	device->context = list && list[i] ? ibv_open_device(list[i]) : NULL;
	if (!device->context)
		fault_unknown("no RDMA device %s", name);
	device->gid_index = gid_index(device->context, ip);
}

void end_make(struct end *end, struct device *device, struct ibv_pd *pd)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = 16, .max_recv_wr = 16,
			 .max_send_sge = 1, .max_recv_sge = 1 },
	};
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT, .port_num = 1, .qp_access_flags = RIGHTS,
	};

	end->device = device;
	end->pd = pd ? pd : ibv_alloc_pd(device->context);
	end->cq = ibv_create_cq(device->context, 64, NULL, NULL, 0);
	end->buffer = aligned_alloc(BUFFER, BUFFER);
	if (!end->pd || !end->cq || !end->buffer)
		fault_unknown("protection domain, completion queue, buffer");
	memset(end->buffer, 0, BUFFER);
	end->mr = ibv_reg_mr(end->pd, end->buffer, BUFFER, RIGHTS);
	init.send_cq = end->cq;
	init.recv_cq = end->cq;
	end->qp = ibv_create_qp(end->pd, &init);
	if (!end->mr || !end->qp ||
	    ibv_modify_qp(end->qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			  IBV_QP_ACCESS_FLAGS))
		fault_unknown("memory region, queue pair");
}

void end_connect(struct end *end, const char *ip, uint32_t qpn)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_1024, .dest_qp_num = qpn,
		.rq_psn = FIRST_PSN, .max_dest_rd_atomic = 4, .min_rnr_timer = 1,
		.ah_attr = { .is_global = 1, .port_num = 1,
			     .grh = { .sgid_index = end->device->gid_index, .hop_limit = 64 } },
	};

	gid_of(ip, &attr.ah_attr.grh.dgid);
	if (ibv_modify_qp(end->qp, &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
			  IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
			  IBV_QP_MIN_RNR_TIMER))
		fault_unknown("queue pair to RTR");
	attr = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTS, .sq_psn = FIRST_PSN, .max_rd_atomic = 4,
		.timeout = 14, .retry_cnt = 7, .rnr_retry = 7,
	};
	if (ibv_modify_qp(end->qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT |
			  IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC))
		fault_unknown("queue pair to RTS");
}

void end_pair(struct end *a, struct end *b, struct device *device)
{
	end_make(a, device, NULL);
	end_make(b, device, NULL);
	end_connect(a, DEVICE_IP, b->qp->qp_num);
	end_connect(b, DEVICE_IP, a->qp->qp_num);
}

void end_post(struct end *end, struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad;

	wr->send_flags |= IBV_SEND_SIGNALED;
	errno = ibv_post_send(end->qp, wr, &bad);
	if (errno)
		fault_unknown("request %d", wr->opcode);
}

static void end_post_data(struct end *end, struct ibv_send_wr *wr, uint32_t length)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)end->buffer, .length = length, .lkey = end->mr->lkey,
	};

	wr->sg_list = &sge;
	wr->num_sge = 1;
	end_post(end, wr);
}

void end_send(struct end *end, uint64_t id, uint32_t length)
{
	struct ibv_send_wr wr = { .wr_id = id, .opcode = IBV_WR_SEND };

	end_post_data(end, &wr, length);
}

void end_read(struct end *end, uint64_t id, uint64_t from, uint32_t rkey, uint32_t length)
{
	struct ibv_send_wr wr = {
		.wr_id = id, .opcode = IBV_WR_RDMA_READ,
		.wr.rdma = { .remote_addr = from, .rkey = rkey },
	};

	end_post_data(end, &wr, length);
}

void end_receive(struct end *end, uint64_t id)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)end->buffer, .length = BUFFER, .lkey = end->mr->lkey,
	};
	struct ibv_recv_wr wr = { .wr_id = id, .sg_list = &sge, .num_sge = 1 }, *bad;

	errno = ibv_post_recv(end->qp, &wr, &bad);
	if (errno)
		fault_unknown("receive");
}

int end_poll(struct end *end, struct ibv_wc *wc, unsigned int ms)
{
	uint64_t until = now_ms() + ms;
	int n;

	do {
		n = ibv_poll_cq(end->cq, 1, wc);
		if (n)
			return n;
		usleep(1000);
	} while (now_ms() < until);
	return 0;
}

void end_must(struct end *end, struct ibv_wc *wc)
{
	errno = ETIMEDOUT;
	if (end_poll(end, wc, 5000) != 1)
		fault_unknown("no completion");
}

struct ibv_mw *end_window(struct end *end)
{
	struct ibv_mw *mw = ibv_alloc_mw(end->pd, IBV_MW_TYPE_2);

	if (!mw)
		fault_unknown("memory window");
	return mw;
}

uint32_t end_bind(struct end *end, uint64_t id, struct ibv_mw *mw)
{
	struct ibv_send_wr wr = {
		.wr_id = id, .opcode = IBV_WR_BIND_MW,
		.bind_mw = {
			.mw = mw, .rkey = ibv_inc_rkey(mw->rkey),
			.bind_info = {
				.mr = end->mr, .addr = (uintptr_t)end->buffer,
				.length = BUFFER,
				.mw_access_flags = IBV_ACCESS_REMOTE_READ,
			},
		},
	};

	end_post(end, &wr);
	return wr.bind_mw.rkey;
}
