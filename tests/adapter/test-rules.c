// SPDX-License-Identifier: GPL-2.0-only
/* The self test: each rule broken on purpose.  A does something to B. */
#include <linux/delay.h>
#include "dma.h"
#include "test.h"

#define RULE(name) BIT(RAD_##name)

static int refused_write(struct test_pair *p, u32 rkey, u64 addr, u32 len)
{
	int ret = test_rdma(&p->a, IB_WR_RDMA_WRITE, rkey, addr, len,
		       IB_WC_REM_ACCESS_ERR);

	return ret ?: p->b.qp_events ? 0 : -ENOMSG;
}

static int dead_key(struct test_pair *p)
{
	int ret = test_recv(&p->b) ?: test_remote_all(&p->b) ?:
		  test_post_message(&p->a, IB_WR_SEND_WITH_INV, p->b.mr->rkey) ?:
		  test_status(p->a.scq, IB_WC_SUCCESS);

	return ret ?: refused_write(p, p->b.mr->rkey, p->b.mr->iova, 8);
}

static int old_key(struct test_pair *p)
{
	return test_remote_all(&p->b) ?:
	       refused_write(p, p->b.mr->rkey - 1, p->b.mr->iova, 8);
}

static int dead_invalidation(struct test_pair *p)
{
	return test_recv(&p->b) ?:
	       test_post_message(&p->a, IB_WR_SEND_WITH_INV, p->b.mr->rkey) ?:
	       test_status(p->a.scq, IB_WC_REM_ACCESS_ERR);
}

static int beyond(struct test_pair *p)
{
	return test_remote_all(&p->b) ?:
	       refused_write(p, p->b.mr->rkey,
			     p->b.mr->iova + p->b.mr->length - 8, 9);
}

static int foreign(struct test_pair *p)
{
	return test_enlist(&p->b, IB_ACCESS_REMOTE_WRITE) ?:
	       test_status(p->b.scq, IB_WC_MW_BIND_ERR);
}

static int peer_may_more(struct test_pair *p)
{
	return test_enlist(&p->b, IB_ACCESS_REMOTE_WRITE) ?:
	       test_status(p->b.scq, IB_WC_MW_BIND_ERR);
}

static int foreign_dma_mr(struct test_pair *p)
{
	struct rad_dev *dev = rad_to(dev, p->a.device);
	struct ib_sge sge = test_message(&p->a, 8);
	struct ib_send_wr wr = {
		.opcode = IB_WR_SEND, .sg_list = &sge, .num_sge = 1,
	};

	if (dev->profile->local_dma_lkey)
		return -EOPNOTSUPP;
	sge.lkey = p->a.other_pd->local_dma_lkey;
	return test_post(&p->a, &wr) ?:
	       test_status(p->a.scq, IB_WC_LOC_PROT_ERR);
}

static int no_right(struct test_pair *p)
{
	return test_registered(&p->b, IB_ACCESS_REMOTE_READ) ?:
	       refused_write(p, p->b.mr->rkey, p->b.mr->iova, 8);
}

static int register_twice(struct test_pair *p)
{
	return test_remote_all(&p->b) ?: test_enlist(&p->b, IB_ACCESS_REMOTE_WRITE) ?:
	       test_status(p->b.scq, IB_WC_MW_BIND_ERR);
}

static int odd_page_size(struct test_pair *p)
{
	unsigned int offset = 0;

	ib_map_mr_sg(p->b.mr, p->b.sgl, TEST_PAGES, &offset, 2048);
	return 0;
}

static int refused(int ret)
{
	return ret == -EINVAL || ret == -ENOMEM ? 0 : -EBADE;
}

static int many_sges(struct test_pair *p)
{
	struct ib_sge sge[3] = { };
	struct ib_send_wr wr = {
		.opcode = IB_WR_SEND, .sg_list = sge, .num_sge = 3,
	};

	return refused(test_post(&p->a, &wr));
}

static int no_opcode(struct test_pair *p)
{
	struct ib_send_wr wr = { .opcode = IB_WR_LOCAL_INV };

	if (rad_to(dev, p->a.device)->profile->local_inv)
		wr.opcode = IB_WR_ATOMIC_CMP_AND_SWP;
	return refused(test_post(&p->a, &wr));
}

static int too_early(struct test_pair *p)
{
	return refused(test_post_message(&p->a, IB_WR_SEND, 0));
}

static int sq_overrun(struct test_pair *p)
{
	int i, ret = 0;

	for (i = 0; !ret && i < TEST_DEPTH; i++)
		ret = test_recv(&p->b) ?: test_post_message(&p->a, IB_WR_SEND, 0);
	/* All have completed, but until that is polled they use their entries. */
	msleep(50);
	ret = ret ?: refused(test_post_message(&p->a, IB_WR_SEND, 0));
	return ret ?: test_status(p->a.scq, IB_WC_SUCCESS) ?:
	       test_status(p->b.rcq, IB_WC_SUCCESS) ?: test_recv(&p->b) ?:
	       test_post_message(&p->a, IB_WR_SEND, 0);
}

static int rq_overrun(struct test_pair *p)
{
	int i, ret = 0;

	for (i = 0; !ret && i < TEST_DEPTH; i++)
		ret = test_recv(&p->b);
	return ret ?: refused(test_recv(&p->b));
}

static int cq_overrun(struct test_pair *p)
{
	int i, ret = 0;

	for (i = 0; !ret && i < 3; i++)
		ret = test_recv(&p->b) ?: test_post_message(&p->a, IB_WR_SEND, 0);
	msleep(100);
	/* On iWARP the failure of B ends A's connection before A's own does. */
	return ret ?: p->a.cq_events && p->b.cq_events && p->b.qp_events ?
	       0 : -ENOMSG;
}

/* What is flushed completes all at once, faster than anybody could poll. */
static int flush_overrun(struct test_pair *p)
{
	int ret = test_recv(&p->b) ?: test_recv(&p->b) ?: test_recv(&p->b) ?:
		  test_error(&p->b);

	msleep(100);
	return ret ?: p->b.cq_events ? 0 : -ENOMSG;
}

static int many_reads(struct test_pair *p)
{
	return test_remote_all(&p->b) ?:
	       test_rdma(&p->a, IB_WR_RDMA_READ, p->b.mr->rkey, p->b.mr->iova, 8,
			 IB_WC_REM_INV_REQ_ERR);
}

static int recv_unmapped(struct test_pair *p)
{
	int ret = test_recv(&p->b);

	test_unmap_msg(&p->b);
	return ret ?: test_post_message(&p->a, IB_WR_SEND, 0) ?:
	       test_status(p->b.rcq, IB_WC_LOC_PROT_ERR) ?:
	       test_status(p->a.scq, IB_WC_REM_OP_ERR);
}

static int write_unmapped(struct test_pair *p)
{
	int ret = test_remote_all(&p->b);

	ib_dma_unmap_sg(p->b.device, p->b.sgl, TEST_PAGES, DMA_BIDIRECTIONAL);
	p->b.sgl_mapped = false;
	return ret ?: refused_write(p, p->b.mr->rkey, p->b.mr->iova, 8);
}

/*
 * The peer has the message, but has not acknowledged it: the memory is the
 * device's still.
 */
static int unmapped_early(struct test_pair *p)
{
	struct rad_dev *dev = rad_to(dev, p->a.device);
	int ret;

	WRITE_ONCE(dev->delay_us, 1000000);
	ret = test_recv(&p->b) ?: test_post_message(&p->a, IB_WR_SEND, 0) ?:
	      test_status(p->b.rcq, IB_WC_SUCCESS);
	test_unmap_msg(&p->a);
	ret = ret ?: test_status(p->a.scq, IB_WC_LOC_PROT_ERR);
	WRITE_ONCE(dev->delay_us, 0);
	return ret;
}

static int direction(struct test_pair *p)
{
	int ret;

	test_unmap_msg(&p->b);
	p->b.msg_dma = ib_dma_map_single(p->b.device, p->b.msg, PAGE_SIZE,
					 DMA_TO_DEVICE);
	ret = test_recv(&p->b) ?: test_post_message(&p->a, IB_WR_SEND, 0) ?:
	      test_status(p->b.rcq, IB_WC_LOC_PROT_ERR);
	ib_dma_unmap_single(p->b.device, p->b.msg_dma, PAGE_SIZE, DMA_TO_DEVICE);
	return ret;
}

static int unmap_wrong(struct test_pair *p)
{
	ib_dma_unmap_single(p->b.device, p->b.msg_dma, PAGE_SIZE / 2,
			    DMA_BIDIRECTIONAL);
	p->b.msg_mapped = false;
	return 0;
}

/* With shadow pages the processor sees the message only once it has synced. */
static int missing_sync(struct test_pair *p)
{
	struct rad_dev *dev = rad_to(dev, p->b.device);
	int ret;

	if (!(dev->dma->habits & RAD_DMA_SHADOW))
		return -EOPNOTSUPP;
	test_fill(&p->a);
	ret = test_recv(&p->b) ?: test_post_message(&p->a, IB_WR_SEND, 0) ?:
	      test_status(p->b.rcq, IB_WC_SUCCESS);
	if (ret)
		return ret;
	if (!memcmp(p->a.msg, p->b.msg + PAGE_SIZE / 2, PAGE_SIZE / 3))
		return -EBADE;
	return test_arrived(&p->a, &p->b, PAGE_SIZE / 3) ? 0 : -EBADE;
}

/* Pages that adjoin make one segment, as long as its mappings are all there. */
static int merged(struct test_pair *p)
{
	struct rad_dev *dev = rad_to(dev, p->b.device);

	if (!(dev->dma->habits & RAD_DMA_MERGE))
		return -EOPNOTSUPP;
	return sg_dma_len(p->b.sgl) == TEST_BYTES ? 0 : -EBADE;
}

/* The device's address says nothing of where in its page the memory begins. */
static int lost_offset(struct test_pair *p)
{
	struct rad_dev *dev = rad_to(dev, p->b.device);
	u64 dma;

	if (!(dev->dma->habits & RAD_DMA_OFFSETS))
		return -EOPNOTSUPP;
	dma = ib_dma_map_single(p->b.device, p->b.msg + 100, 8, DMA_TO_DEVICE);
	ib_dma_unmap_single(p->b.device, dma, 8, DMA_TO_DEVICE);
	return offset_in_page(dma) ? -EBADE : 0;
}

/* Mappings fail when they are too large, or when it is their turn. */
static int mapping_fails(struct test_pair *p)
{
	struct rad_dma *dma = rad_to(dev, p->b.device)->dma;
	u64 first, second;

	WRITE_ONCE(dma->max, 8);
	first = ib_dma_map_single(p->b.device, p->b.msg, 9, DMA_TO_DEVICE);
	WRITE_ONCE(dma->max, 0);
	WRITE_ONCE(dma->fail, 1);
	second = ib_dma_map_single(p->b.device, p->b.msg, 8, DMA_TO_DEVICE);
	WRITE_ONCE(dma->fail, 0);
	return ib_dma_mapping_error(p->b.device, first) &&
	       ib_dma_mapping_error(p->b.device, second) ? 0 : -EBADE;
}

static int never_again(struct test_pair *p)
{
	u64 first = p->a.msg_dma;

	test_unmap_msg(&p->a);
	p->a.msg_dma = ib_dma_map_single(p->a.device, p->a.msg, PAGE_SIZE,
					 DMA_BIDIRECTIONAL);
	p->a.msg_mapped = true;
	return p->a.msg_dma > first + PAGE_SIZE ? 0 : -EBADE;
}

const struct test_case test_rules[] = {
	{ "dead_key", dead_key, RULE(key) },
	{ "old_key", old_key, RULE(key) },
	{ "dead_invalidation", dead_invalidation, RULE(key) },
	{ "beyond", beyond, RULE(bounds) },
	{ "foreign", foreign, RULE(registration), { .foreign_pd = true } },
	{ "peer_may_more", peer_may_more, RULE(registration) },
	{ "foreign_dma_mr", foreign_dma_mr, RULE(domain) },
	{ "no_right", no_right, RULE(rights) },
	{ "register_twice", register_twice, RULE(registration) },
	{ "odd_page_size", odd_page_size, RULE(page_size) },
	{ "many_sges", many_sges, RULE(sges) },
	{ "no_opcode", no_opcode, RULE(opcode) },
	{ "too_early", too_early, RULE(state), { .unconnected = true } },
	{ "sq_overrun", sq_overrun, RULE(sq_overrun) },
	{ "rq_overrun", rq_overrun, RULE(rq_overrun) },
	{ "cq_overrun", cq_overrun, RULE(cq_overrun), { .cqe = 2 } },
	{ "flush_overrun", flush_overrun, RULE(cq_overrun), { .cqe = 2 } },
	/* iWARP agrees on how many there may be. */
	{ "many_reads", many_reads, RULE(reads), { .rd_init = 8, .rd_res = 2 },
	  .fabric = TEST_ROCE },
	{ "recv_unmapped", recv_unmapped, RULE(dma_access), { }, true },
	{ "write_unmapped", write_unmapped, RULE(dma_access), { }, true },
	{ "unmapped_early", unmapped_early, RULE(dma_access), { }, true },
	{ "direction", direction, RULE(dma_direction), { }, true },
	{ "unmap_wrong", unmap_wrong, RULE(dma_api), { }, true },
	{ "missing_sync", missing_sync, 0, { }, true },
	{ "merged", merged, 0, { }, true },
	{ "lost_offset", lost_offset, 0, { }, true },
	{ "mapping_fails", mapping_fails, 0, { }, true },
	{ "never_again", never_again, 0, { }, true },
	{ }
};
