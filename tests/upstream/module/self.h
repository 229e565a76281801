/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A queue pair of RXE that is connected with itself, for modules that look for a
 * fault while they load. They are built one by one, so each has a copy of this.
 */
#ifndef SELF_H
#define SELF_H

#include <linux/delay.h>
#include <linux/netdevice.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_verbs.h>

#define SELF_PSN	0x1000
#define SELF_TRIES	100

struct self {
	struct ib_pd *pd;
	struct ib_cq *cq;
	struct ib_qp *qp;
	struct ib_cqe cqe;
};

/* self_device - RXE on the guest's interface; the caller puts it */
static struct ib_device *self_device(void)
{
	struct net_device *ndev = dev_get_by_name(&init_net, "vrxe");
	struct ib_device *device;

	if (!ndev)
		return NULL;
	device = ib_device_get_by_netdev(ndev, RDMA_DRIVER_RXE);
	dev_put(ndev);
	return device;
}

static int self_connect(struct ib_qp *qp)
{
	const struct ib_gid_attr *gid = rdma_get_gid_attr(qp->device, 1, 0);
	struct ib_qp_attr attr = { .qp_state = IB_QPS_INIT, .port_num = 1 };
	int ret;

	if (IS_ERR(gid))
		return PTR_ERR(gid);
	ret = ib_modify_qp(qp, &attr, IB_QP_STATE | IB_QP_PKEY_INDEX | IB_QP_PORT |
			   IB_QP_ACCESS_FLAGS);
	if (ret)
		goto out;
	attr = (struct ib_qp_attr){
		.qp_state = IB_QPS_RTR, .path_mtu = IB_MTU_1024,
		.dest_qp_num = qp->qp_num, .rq_psn = SELF_PSN, .max_dest_rd_atomic = 1,
	};
	attr.ah_attr.type = rdma_ah_find_type(qp->device, 1);
	rdma_ah_set_port_num(&attr.ah_attr, 1);
	rdma_ah_set_grh(&attr.ah_attr, (union ib_gid *)&gid->gid, 0, gid->index, 64, 0);
	ret = ib_modify_qp(qp, &attr, IB_QP_STATE | IB_QP_AV | IB_QP_PATH_MTU |
			   IB_QP_DEST_QPN | IB_QP_RQ_PSN | IB_QP_MAX_DEST_RD_ATOMIC |
			   IB_QP_MIN_RNR_TIMER);
	if (ret)
		goto out;
	attr = (struct ib_qp_attr){
		.qp_state = IB_QPS_RTS, .sq_psn = SELF_PSN, .timeout = 14, .retry_cnt = 7,
		.rnr_retry = 7, .max_rd_atomic = 1,
	};
	ret = ib_modify_qp(qp, &attr, IB_QP_STATE | IB_QP_SQ_PSN | IB_QP_TIMEOUT |
			   IB_QP_RETRY_CNT | IB_QP_RNR_RETRY | IB_QP_MAX_QP_RD_ATOMIC);
out:
	rdma_put_gid_attr(gid);
	return ret;
}

/* self_free - whatever self_make() made, also of less than all */
static void self_free(struct self *self)
{
	if (!IS_ERR_OR_NULL(self->qp))
		ib_destroy_qp(self->qp);
	if (!IS_ERR_OR_NULL(self->cq))
		ib_free_cq(self->cq);
	if (!IS_ERR_OR_NULL(self->pd))
		ib_dealloc_pd(self->pd);
}

/* self_make - 0, or a negative error; self_free() follows either */
static int self_make(struct self *self, struct ib_device *device)
{
	struct ib_qp_init_attr init = {
		.qp_type = IB_QPT_RC, .sq_sig_type = IB_SIGNAL_ALL_WR,
		.cap = { .max_send_wr = 4, .max_recv_wr = 4,
			 .max_send_sge = 1, .max_recv_sge = 1 },
	};

	self->pd = ib_alloc_pd(device, 0);
	self->cq = ib_alloc_cq(device, NULL, 8, 0, IB_POLL_DIRECT);
	if (IS_ERR(self->pd) || IS_ERR(self->cq))
		return -ENOMEM;
	init.send_cq = self->cq;
	init.recv_cq = self->cq;
	self->qp = ib_create_qp(self->pd, &init);
	if (IS_ERR(self->qp))
		return PTR_ERR(self->qp);
	return self_connect(self->qp);
}

/* self_do - what the request completes with, or a negative error */
static int self_do(struct self *self, struct ib_send_wr *wr)
{
	struct ib_wc wc;
	int ret, n;

	wr->wr_cqe = &self->cqe;
	ret = ib_post_send(self->qp, wr, NULL);
	if (ret)
		return ret;
	for (n = 0; n < SELF_TRIES; n++) {
		if (ib_poll_cq(self->cq, 1, &wc) == 1)
			return wc.status;
		msleep(20);
	}
	return -ETIMEDOUT;
}

#endif
