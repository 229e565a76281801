// SPDX-License-Identifier: GPL-2.0-only
/*
 * A queue pair invalidates a memory region of another protection domain. That is
 * an error. Where the fault is, it succeeds. A peer that sends with invalidate
 * comes by the same way, rxe_invalidate_mr(). All is done when the module loads.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/delay.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_verbs.h>

#define PSN	0x1000
#define TRIES	100

struct parts {
	struct ib_pd *own, *foreign;
	struct ib_cq *cq;
	struct ib_qp *qp;
	struct ib_mr *own_mr, *foreign_mr;
	struct ib_cqe cqe;
};

static int connect_to_self(struct ib_qp *qp)
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
		.dest_qp_num = qp->qp_num, .rq_psn = PSN, .max_dest_rd_atomic = 1,
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
		.qp_state = IB_QPS_RTS, .sq_psn = PSN, .timeout = 14, .retry_cnt = 7,
		.rnr_retry = 7, .max_rd_atomic = 1,
	};
	ret = ib_modify_qp(qp, &attr, IB_QP_STATE | IB_QP_SQ_PSN | IB_QP_TIMEOUT |
			   IB_QP_RETRY_CNT | IB_QP_RNR_RETRY | IB_QP_MAX_QP_RD_ATOMIC);
out:
	rdma_put_gid_attr(gid);
	return ret;
}

static void free_parts(struct parts *p)
{
	if (!IS_ERR_OR_NULL(p->qp))
		ib_destroy_qp(p->qp);
	if (!IS_ERR_OR_NULL(p->cq))
		ib_free_cq(p->cq);
	if (!IS_ERR_OR_NULL(p->foreign_mr))
		ib_dereg_mr(p->foreign_mr);
	if (!IS_ERR_OR_NULL(p->own_mr))
		ib_dereg_mr(p->own_mr);
	if (!IS_ERR_OR_NULL(p->foreign))
		ib_dealloc_pd(p->foreign);
	if (!IS_ERR_OR_NULL(p->own))
		ib_dealloc_pd(p->own);
}

static int make_parts(struct parts *p, struct ib_device *device)
{
	struct ib_qp_init_attr init = {
		.qp_type = IB_QPT_RC, .sq_sig_type = IB_SIGNAL_ALL_WR,
		.cap = { .max_send_wr = 4, .max_recv_wr = 4,
			 .max_send_sge = 1, .max_recv_sge = 1 },
	};

	p->own = ib_alloc_pd(device, 0);
	p->foreign = ib_alloc_pd(device, 0);
	p->cq = ib_alloc_cq(device, NULL, 8, 0, IB_POLL_DIRECT);
	if (IS_ERR(p->own) || IS_ERR(p->foreign) || IS_ERR(p->cq))
		return -ENOMEM;
	p->own_mr = ib_alloc_mr(p->own, IB_MR_TYPE_MEM_REG, 4);
	p->foreign_mr = ib_alloc_mr(p->foreign, IB_MR_TYPE_MEM_REG, 4);
	init.send_cq = p->cq;
	init.recv_cq = p->cq;
	p->qp = ib_create_qp(p->own, &init);
	if (IS_ERR(p->own_mr) || IS_ERR(p->foreign_mr) || IS_ERR(p->qp))
		return -ENOMEM;
	return connect_to_self(p->qp);
}

/* What the invalidation of @mr completes with, or a negative error. */
static int invalidate(struct parts *p, struct ib_mr *mr)
{
	struct ib_send_wr wr = {
		.wr_cqe = &p->cqe, .opcode = IB_WR_LOCAL_INV,
		.ex.invalidate_rkey = mr->rkey,
	};
	int ret = ib_post_send(p->qp, &wr, NULL), n;
	struct ib_wc wc;

	if (ret)
		return ret;
	for (n = 0; n < TRIES; n++) {
		if (ib_poll_cq(p->cq, 1, &wc) == 1)
			return wc.status;
		msleep(20);
	}
	return -ETIMEDOUT;
}

static void look(struct ib_device *device)
{
	struct parts p = {};
	int ret = make_parts(&p, device), own, foreign;

	if (ret) {
		pr_info("cannot tell: making a queue pair: %d\n", ret);
		goto out;
	}
	own = invalidate(&p, p.own_mr);
	foreign = own ? -ECANCELED : invalidate(&p, p.foreign_mr);
	if (foreign < 0)
		pr_info("cannot tell: %d, %d\n", own, foreign);
	else if (foreign == IB_WC_SUCCESS)
		pr_info("fault: a queue pair invalidated an MR of another domain\n");
	else
		pr_info("right: an MR of another domain: %s\n", ib_wc_status_msg(foreign));
out:
	free_parts(&p);
}

static int __init foreign_init(void)
{
	struct net_device *ndev = dev_get_by_name(&init_net, "vrxe");
	struct ib_device *device;

	if (!ndev)
		return -ENODEV;
	device = ib_device_get_by_netdev(ndev, RDMA_DRIVER_RXE);
	dev_put(ndev);
	if (!device)
		return -ENODEV;
	look(device);
	ib_device_put(device);
	return 0;
}
module_init(foreign_init);

static void __exit foreign_exit(void)
{
}
module_exit(foreign_exit);

MODULE_DESCRIPTION("Invalidation of a memory region of another protection domain");
MODULE_LICENSE("GPL");
