// SPDX-License-Identifier: GPL-2.0-only
/*
 * The self test of the model adapter.  Loading this module runs all cases
 * between two devices, "devices=A,B", and writes a line for each into the
 * kernel's log.  A case passes if it ends well, and if exactly the rules that
 * it breaks on purpose were reported.
 */
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <rdma/ib_cache.h>
#include "test.h"

static char *devices = "adapter_tgt,adapter_host";
module_param(devices, charp, 0444);
MODULE_PARM_DESC(devices, "Two devices, with a comma between them");

static void on_cq_event(struct ib_event *event, void *context)
{
	struct test_side *side = context;

	side->cq_events++;
}

static void on_qp_event(struct ib_event *event, void *context)
{
	struct test_side *side = context;

	side->qp_events++;
}

static void on_completion(struct ib_cq *cq, void *context)
{
	struct test_side *side = context;
	struct rad_cq *model = rad_to(cq, cq);

	side->interrupts++;
	if (!irqs_disabled() || smp_processor_id() != model->vec->cpu)
		side->astray = true;
	if (side->awaited)
		complete(side->awaited);
}

/**
 * test_wait() - wait for a completion
 * @cq: where
 * @wc: is filled in
 * Context: may sleep.
 * Return: 0 or -ETIMEDOUT.
 */
int test_wait(struct ib_cq *cq, struct ib_wc *wc)
{
	int i;

	for (i = 0; i < 4000; i++) {
		if (ib_poll_cq(cq, 1, wc) == 1)
			return 0;
		usleep_range(500, 1000);
	}
	return -ETIMEDOUT;
}

/**
 * test_is_iwarp() - which fabric is it of?
 * @device: a model
 * Context: any.
 * Return: whether it is of iWARP.
 */
bool test_is_iwarp(struct ib_device *device)
{
	struct rad_dev *dev = rad_to(dev, device);

	return dev->profile->iwarp;
}

/* On iWARP nobody tells the sender what happened to its message. */
static enum ib_wc_status status_seen(struct ib_cq *cq, enum ib_wc_status status)
{
	switch (status) {
	case IB_WC_REM_INV_REQ_ERR:
	case IB_WC_REM_ACCESS_ERR:
	case IB_WC_REM_OP_ERR:
	case IB_WC_RETRY_EXC_ERR:
		return test_is_iwarp(cq->device) ? IB_WC_WR_FLUSH_ERR : status;
	default:
		return status;
	}
}

/**
 * test_status() - wait for a completion with a status
 * @cq: where
 * @status: expected, on RoCE
 * Context: may sleep.
 * Return: 0, -ETIMEDOUT, or -EPROTO if it has another status.
 */
int test_status(struct ib_cq *cq, enum ib_wc_status status)
{
	struct ib_wc wc;
	int ret = test_wait(cq, &wc);

	status = status_seen(cq, status);
	if (!ret && wc.status != status) {
		pr_info("test: status %s instead of %s\n",
			ib_wc_status_msg(wc.status), ib_wc_status_msg(status));
		return -EPROTO;
	}
	return ret;
}

/**
 * test_post() - post one work request
 * @side: where
 * @wr: signalled if it says so
 * Context: any.
 * Return: as ib_post_send().
 */
int test_post(struct test_side *side, struct ib_send_wr *wr)
{
	const struct ib_send_wr *bad;

	return ib_post_send(side->qp, wr, &bad);
}

/**
 * test_recv() - post a receive of the second half of the message buffer
 * @side: where
 * Context: any.
 * Return: as ib_post_recv().
 */
int test_recv(struct test_side *side)
{
	struct ib_sge sge = {
		.addr = side->msg_dma + PAGE_SIZE / 2,
		.length = PAGE_SIZE / 2,
		.lkey = side->pd->local_dma_lkey,
	};
	struct ib_recv_wr wr = { .sg_list = &sge, .num_sge = 1 };
	const struct ib_recv_wr *bad;

	return ib_post_recv(side->qp, &wr, &bad);
}

/**
 * test_error() - end a queue pair, as disconnecting does
 * @side: where
 * Context: may sleep.
 * Return: as ib_modify_qp().
 */
int test_error(struct test_side *side)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_ERR };

	return ib_modify_qp(side->qp, &attr, IB_QP_STATE);
}

static int side_memory(struct test_side *side)
{
	int i;

	side->msg = (u8 *)get_zeroed_page(GFP_KERNEL);
	if (!side->msg)
		return -ENOMEM;
	side->msg_dma = ib_dma_map_single(side->device, side->msg, PAGE_SIZE,
					  DMA_BIDIRECTIONAL);
	if (ib_dma_mapping_error(side->device, side->msg_dma))
		return -ENOMEM;
	side->msg_mapped = true;
	sg_init_table(side->sgl, TEST_PAGES);
	for (i = 0; i < TEST_PAGES; i++) {
		side->pages[i] = alloc_page(GFP_KERNEL | __GFP_ZERO);
		if (!side->pages[i])
			return -ENOMEM;
		sg_set_page(&side->sgl[i], side->pages[i], PAGE_SIZE, 0);
	}
	i = ib_dma_map_sg(side->device, side->sgl, TEST_PAGES, DMA_BIDIRECTIONAL);
	side->sgl_mapped = i > 0;
	return i > 0 ? 0 : -ENOMEM;
}

static int side_make(struct test_side *side, const struct test_shape *shape)
{
	struct ib_cq_init_attr cq = { .cqe = shape->cqe ?: 4 * TEST_DEPTH };
	struct ib_qp_init_attr qp = {
		.event_handler = on_qp_event,
		.qp_context = side,
		.cap = {
			.max_send_wr = TEST_DEPTH,
			.max_recv_wr = TEST_DEPTH,
			.max_send_sge = 2,
			.max_recv_sge = 1,
		},
		.sq_sig_type = IB_SIGNAL_REQ_WR,
		.qp_type = IB_QPT_RC,
	};
	int ret = side_memory(side);

	if (ret)
		return ret;
	side->pd = ib_alloc_pd(side->device, 0);
	if (IS_ERR(side->pd))
		return PTR_ERR(side->pd);
	side->other_pd = ib_alloc_pd(side->device, 0);
	if (IS_ERR(side->other_pd))
		return PTR_ERR(side->other_pd);
	cq.comp_vector = side->device->num_comp_vectors - 1;
	side->scq = ib_create_cq(side->device, on_completion, on_cq_event, side,
				 &cq);
	if (IS_ERR(side->scq))
		return PTR_ERR(side->scq);
	side->rcq = ib_create_cq(side->device, on_completion, on_cq_event, side,
				 &cq);
	if (IS_ERR(side->rcq))
		return PTR_ERR(side->rcq);
	qp.send_cq = side->scq;
	qp.recv_cq = side->rcq;
	side->qp = ib_create_qp(side->pd, &qp);
	if (IS_ERR(side->qp))
		return PTR_ERR(side->qp);
	side->mr = ib_alloc_mr(shape->foreign_pd ? side->other_pd : side->pd,
			       IB_MR_TYPE_MEM_REG, TEST_PAGES);
	return PTR_ERR_OR_ZERO(side->mr);
}

/**
 * test_unmap_msg() - unmap the message buffer, in a case or after it
 * @side: whose
 * Context: any.
 */
void test_unmap_msg(struct test_side *side)
{
	if (side->msg_mapped)
		ib_dma_unmap_single(side->device, side->msg_dma, PAGE_SIZE,
				    DMA_BIDIRECTIONAL);
	side->msg_mapped = false;
}

static void side_break(struct test_side *side)
{
	int i;

	if (!IS_ERR_OR_NULL(side->qp))
		ib_destroy_qp(side->qp);
	if (!IS_ERR_OR_NULL(side->mr))
		ib_dereg_mr(side->mr);
	if (!IS_ERR_OR_NULL(side->scq))
		ib_destroy_cq(side->scq);
	if (!IS_ERR_OR_NULL(side->rcq))
		ib_destroy_cq(side->rcq);
	if (!IS_ERR_OR_NULL(side->other_pd))
		ib_dealloc_pd(side->other_pd);
	if (!IS_ERR_OR_NULL(side->pd))
		ib_dealloc_pd(side->pd);
	test_unmap_msg(side);
	if (side->sgl_mapped)
		ib_dma_unmap_sg(side->device, side->sgl, TEST_PAGES,
				DMA_BIDIRECTIONAL);
	for (i = 0; i < TEST_PAGES; i++)
		if (side->pages[i])
			__free_page(side->pages[i]);
	free_page((unsigned long)side->msg);
}

static int side_init(struct test_side *side)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_INIT,
		.port_num = 1,
		.qp_access_flags = IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_WRITE,
	};

	return ib_modify_qp(side->qp, &attr, IB_QP_STATE | IB_QP_PORT |
			    IB_QP_PKEY_INDEX | IB_QP_ACCESS_FLAGS);
}

static int side_connect(struct test_side *side, struct test_side *peer,
			const struct test_shape *shape)
{
	const struct ib_gid_attr *gid = rdma_get_gid_attr(peer->device, 1, 0);
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_RTR,
		.path_mtu = IB_MTU_1024,
		.dest_qp_num = peer->qp->qp_num,
		.max_dest_rd_atomic = shape->rd_res ?: 4,
		.min_rnr_timer = 12,
	};
	int ret;

	if (IS_ERR(gid))
		return PTR_ERR(gid);
	attr.ah_attr.type = RDMA_AH_ATTR_TYPE_ROCE;
	rdma_ah_set_port_num(&attr.ah_attr, 1);
	rdma_ah_set_grh(&attr.ah_attr, (union ib_gid *)&gid->gid, 0, 0, 64, 0);
	rdma_put_gid_attr(gid);
	ret = ib_modify_qp(side->qp, &attr, IB_QP_STATE | IB_QP_AV |
			   IB_QP_PATH_MTU | IB_QP_DEST_QPN | IB_QP_RQ_PSN |
			   IB_QP_MAX_DEST_RD_ATOMIC | IB_QP_MIN_RNR_TIMER);
	if (ret)
		return ret;
	attr.qp_state = IB_QPS_RTS;
	attr.timeout = 12;
	attr.retry_cnt = 2;
	attr.rnr_retry = shape->rnr_retry ?: 7;
	attr.max_rd_atomic = shape->rd_init ?: 4;
	return ib_modify_qp(side->qp, &attr, IB_QP_STATE | IB_QP_TIMEOUT |
			    IB_QP_RETRY_CNT | IB_QP_RNR_RETRY | IB_QP_SQ_PSN |
			    IB_QP_MAX_QP_RD_ATOMIC);
}

/**
 * test_pair_make() - connect two queue pairs
 * @pair: zeroed; test_pair_break() is due, also if this fails
 * @a: one device
 * @b: the other
 * @shape: what is not as usual
 * Context: may sleep.
 * Return: 0 or a negative errno.
 */
int test_pair_make(struct test_pair *pair, struct ib_device *a,
		   struct ib_device *b, const struct test_shape *shape)
{
	int ret;

	pair->a.device = a;
	pair->b.device = b;
	ret = side_make(&pair->a, shape) ?: side_make(&pair->b, shape);
	ret = ret ?: side_init(&pair->a) ?: side_init(&pair->b);
	if (ret || shape->unconnected)
		return ret;
	if (test_is_iwarp(a))
		return test_iw_make(pair);
	return side_connect(&pair->a, &pair->b, shape) ?:
	       side_connect(&pair->b, &pair->a, shape);
}

/**
 * test_pair_break() - the opposite of test_pair_make()
 * @pair: as that left it
 * Context: may sleep.
 */
void test_pair_break(struct test_pair *pair)
{
	/* A call that B has not answered ends with B. */
	test_iw_break(&pair->b);
	test_iw_break(&pair->a);
	side_break(&pair->a);
	side_break(&pair->b);
}

/* Exactly the rules that the case breaks must have been seen. */
static int rules_judge(const struct test_case *c, const u32 *before)
{
	int i, ret = 0;

	for (i = 0; i < RAD_NR_RULES; i++) {
		bool seen = rad_broken(i) != before[i];

		if (seen == !!(c->rules & BIT(i)))
			continue;
		pr_info("test: %s: %s was %sreported\n", c->name,
			rad_rule_name(i), seen ? "" : "not ");
		ret = -EBADMSG;
	}
	return ret;
}

static int case_run(const struct test_case *c, struct ib_device *a,
		    struct ib_device *b)
{
	u32 before[RAD_NR_RULES];
	struct test_pair *pair;
	int i, ret;

	pair = kzalloc(sizeof(*pair), GFP_KERNEL);
	if (!pair)
		return -ENOMEM;
	for (i = 0; i < RAD_NR_RULES; i++)
		before[i] = rad_broken(i);
	rad_expect(c->rules);
	ret = test_pair_make(pair, a, b, &c->shape);
	if (!ret)
		ret = c->run(pair);
	if (!ret && (pair->a.astray || pair->b.astray))
		ret = -EXDEV;
	test_pair_break(pair);
	rad_expect(0);
	kfree(pair);
	return ret == -EOPNOTSUPP ? ret : ret ?: rules_judge(c, before);
}

static bool case_applies(const struct test_case *c, struct ib_device *device)
{
	if (c->wants_dma && ib_uses_virt_dma(device))
		return false;
	return c->fabric == TEST_ANY ||
	       (c->fabric == TEST_IWARP) == test_is_iwarp(device);
}

static void run_all(const struct test_case *c, struct ib_device *a,
		    struct ib_device *b)
{
	for (; c->name; c++) {
		int ret = -EOPNOTSUPP;

		if (case_applies(c, a))
			ret = case_run(c, a, b);
		if (ret == -EOPNOTSUPP)
			pr_info("test: skip %s\n", c->name);
		else if (ret)
			pr_info("test: not ok %s: %d\n", c->name, ret);
		else
			pr_info("test: ok %s\n", c->name);
	}
}

static void run_iwarp(struct ib_device *a, struct ib_device *b)
{
	run_all(test_iwarp, a, b);
	run_all(test_iw_data, a, b);
}

static int __init test_init(void)
{
	char *names = kstrdup(devices, GFP_KERNEL), *second = names;
	struct ib_device *a = NULL, *b = NULL;
	int ret = -ENODEV;
	char *first;

	if (!names)
		return -ENOMEM;
	first = strsep(&second, ",");
	if (second) {
		a = rad_dev_find(first);
		b = rad_dev_find(second);
	}
	if (a && b) {
		run_all(test_works, a, b);
		run_all(test_rules, a, b);
		if (test_is_iwarp(a))
			run_iwarp(a, b);
		run_all(test_clock, a, b);
		pr_info("test: end\n");
		ret = 0;
	}
	if (a)
		ib_device_put(a);
	if (b)
		ib_device_put(b);
	kfree(names);
	return ret;
}

static void __exit test_exit(void)
{
}

module_init(test_init);
module_exit(test_exit);
MODULE_DESCRIPTION("Self test of rblk's model adapter");
MODULE_LICENSE("GPL");
