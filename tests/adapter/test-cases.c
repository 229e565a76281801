// SPDX-License-Identifier: GPL-2.0-only
/*
 * The cases of the self test: first what works, then each rule broken on
 * purpose.  In all of them A does something to B.
 */
#include <linux/delay.h>
#include "dma.h"
#include "test.h"

#define RULE(name) BIT(RAD_##name)
#define OFFSET 100	/* so that nothing begins at a page */

static void fill(struct test_side *side)
{
	int i;

	for (i = 0; i < PAGE_SIZE / 2; i++)
		side->msg[i] = 3 * i + 1;
	ib_dma_sync_single_for_device(side->device, side->msg_dma, PAGE_SIZE,
				      DMA_BIDIRECTIONAL);
}

static bool arrived(struct test_side *from, struct test_side *to, u32 len)
{
	ib_dma_sync_single_for_cpu(to->device, to->msg_dma, PAGE_SIZE,
				   DMA_BIDIRECTIONAL);
	return !memcmp(from->msg, to->msg + PAGE_SIZE / 2, len);
}

static struct ib_sge message(struct test_side *side, u32 len)
{
	return (struct ib_sge){
		.addr = side->msg_dma,
		.length = len,
		.lkey = side->pd->local_dma_lkey,
	};
}

/* A message of a third of a page, signalled. */
static int post_message(struct test_side *side, enum ib_wr_opcode opcode, u32 ex)
{
	struct ib_sge sge = message(side, PAGE_SIZE / 3);
	struct ib_send_wr wr = {
		.opcode = opcode,
		.sg_list = &sge,
		.num_sge = 1,
		.send_flags = IB_SEND_SIGNALED,
		.ex.invalidate_rkey = ex,
	};

	return test_post(side, &wr);
}

static int post_rdma(struct test_side *side, struct ib_rdma_wr *wr,
		     enum ib_wr_opcode opcode, u32 rkey, u64 addr, u32 len)
{
	struct ib_sge sge = message(side, len);

	*wr = (struct ib_rdma_wr){
		.wr = {
			.opcode = opcode,
			.sg_list = &sge,
			.num_sge = 1,
			.send_flags = IB_SEND_SIGNALED,
			.ex.imm_data = cpu_to_be32(0x1234),
		},
		.remote_addr = addr,
		.rkey = rkey,
	};
	return test_post(side, &wr->wr);
}

static int rdma(struct test_side *side, enum ib_wr_opcode opcode, u32 rkey,
		u64 addr, u32 len, enum ib_wc_status status)
{
	struct ib_rdma_wr wr;

	return post_rdma(side, &wr, opcode, rkey, addr, len) ?:
	       test_status(side->scq, status);
}

/* Register the side's pages, all but the first OFFSET bytes, with a new key. */
static int enlist(struct test_side *side, int access)
{
	struct ib_reg_wr wr = {
		.wr.opcode = IB_WR_REG_MR,
		.wr.send_flags = IB_SEND_SIGNALED,
		.mr = side->mr,
		.access = access,
	};
	unsigned int offset = OFFSET;

	if (ib_map_mr_sg(side->mr, side->sgl, TEST_PAGES, &offset, PAGE_SIZE) <= 0)
		return -EIO;
	ib_update_fast_reg_key(side->mr, ib_inc_rkey(side->mr->rkey));
	wr.key = side->mr->rkey;
	return test_post(side, &wr.wr);
}

static int registered(struct test_side *side, int access)
{
	return enlist(side, access) ?: test_status(side->scq, IB_WC_SUCCESS);
}

static int remote_all(struct test_side *side)
{
	return registered(side, IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE |
			  IB_ACCESS_REMOTE_READ);
}

static bool in_pages(struct test_side *side, const u8 *data, u32 len)
{
	u8 *copy = kmalloc(TEST_BYTES, GFP_KERNEL);
	bool same;

	if (!copy)
		return false;
	ib_dma_unmap_sg(side->device, side->sgl, TEST_PAGES, DMA_BIDIRECTIONAL);
	side->sgl_mapped = false;
	sg_copy_to_buffer(side->sgl, TEST_PAGES, copy, TEST_BYTES);
	same = !memcmp(copy + OFFSET, data, len);
	kfree(copy);
	return same;
}

static int send(struct test_pair *p)
{
	struct ib_wc wc;
	int ret;

	fill(&p->a);
	ib_req_notify_cq(p->b.rcq, IB_CQ_NEXT_COMP);
	ret = test_recv(&p->b) ?: post_message(&p->a, IB_WR_SEND, 0) ?:
	      test_wait(p->b.rcq, &wc) ?: test_status(p->a.scq, IB_WC_SUCCESS);
	if (ret)
		return ret;
	if (wc.status != IB_WC_SUCCESS || wc.opcode != IB_WC_RECV ||
	    wc.byte_len != PAGE_SIZE / 3 || !arrived(&p->a, &p->b, wc.byte_len))
		return -EBADE;
	msleep(20);
	return p->b.interrupts == 1 ? 0 : -ENOLINK;
}

static int send_imm(struct test_pair *p)
{
	struct ib_wc wc;
	int ret = test_recv(&p->b) ?:
		  post_message(&p->a, IB_WR_SEND_WITH_IMM, 0x77) ?:
		  test_wait(p->b.rcq, &wc);

	if (ret)
		return ret;
	return wc.wc_flags == IB_WC_WITH_IMM &&
	       wc.ex.imm_data == (__force __be32)0x77 ? 0 : -EBADE;
}

static int write_pages(struct test_pair *p)
{
	int ret;

	fill(&p->a);
	ret = remote_all(&p->b) ?:
	      rdma(&p->a, IB_WR_RDMA_WRITE, p->b.mr->rkey, p->b.mr->iova,
		   PAGE_SIZE / 2, IB_WC_SUCCESS);
	return ret ?: in_pages(&p->b, p->a.msg, PAGE_SIZE / 2) ? 0 : -EBADE;
}

static int write_imm(struct test_pair *p)
{
	struct ib_rdma_wr wr;
	struct ib_wc wc;
	int ret = test_recv(&p->b) ?: remote_all(&p->b) ?:
		  post_rdma(&p->a, &wr, IB_WR_RDMA_WRITE_WITH_IMM,
			    p->b.mr->rkey, p->b.mr->iova, 512) ?:
		  test_wait(p->b.rcq, &wc);

	if (ret)
		return ret;
	return wc.opcode == IB_WC_RECV_RDMA_WITH_IMM && wc.byte_len == 512 &&
	       wc.ex.imm_data == cpu_to_be32(0x1234) ? 0 : -EBADE;
}

/* What A wrote to B it reads again, into the half that it received into. */
static int read_back(struct test_pair *p)
{
	int ret;

	fill(&p->a);
	ret = remote_all(&p->b) ?:
	      rdma(&p->a, IB_WR_RDMA_WRITE, p->b.mr->rkey, p->b.mr->iova,
		   PAGE_SIZE / 2, IB_WC_SUCCESS);
	if (ret)
		return ret;
	p->a.msg_dma += PAGE_SIZE / 2;
	ret = rdma(&p->a, IB_WR_RDMA_READ, p->b.mr->rkey, p->b.mr->iova,
		   PAGE_SIZE / 2, IB_WC_SUCCESS);
	p->a.msg_dma -= PAGE_SIZE / 2;
	return ret ?: arrived(&p->a, &p->a, PAGE_SIZE / 2) ? 0 : -EBADE;
}

static int send_inv(struct test_pair *p)
{
	struct ib_wc wc;
	int ret = test_recv(&p->b) ?: remote_all(&p->b) ?:
		  post_message(&p->a, IB_WR_SEND_WITH_INV, p->b.mr->rkey) ?:
		  test_wait(p->b.rcq, &wc);

	if (ret)
		return ret;
	if (wc.wc_flags != IB_WC_WITH_INVALIDATE ||
	    wc.ex.invalidate_rkey != p->b.mr->rkey)
		return -EBADE;
	/* It can be registered again now. */
	return remote_all(&p->b);
}

static int invalidate(struct test_side *side, u32 key)
{
	struct ib_send_wr wr = {
		.opcode = IB_WR_LOCAL_INV,
		.send_flags = IB_SEND_SIGNALED,
		.ex.invalidate_rkey = key,
	};

	return test_post(side, &wr) ?: test_status(side->scq, IB_WC_SUCCESS);
}

static int local_inv(struct test_pair *p)
{
	if (!rad_to(dev, p->b.device)->profile->local_inv)
		return -EOPNOTSUPP;
	return remote_all(&p->b) ?: invalidate(&p->b, p->b.mr->rkey) ?:
	       remote_all(&p->b);
}

/* Nothing is signalled, but all that fails completes, on both queues. */
static int flush(struct test_pair *p)
{
	struct ib_send_wr wr = { .opcode = IB_WR_SEND };
	int i, ret = 0;

	for (i = 0; !ret && i < 3; i++)
		ret = test_recv(&p->a);
	ret = ret ?: test_error(&p->a);
	for (i = 0; !ret && i < 3; i++)
		ret = test_post(&p->a, &wr);
	for (i = 0; !ret && i < 3; i++)
		ret = test_status(p->a.scq, IB_WC_WR_FLUSH_ERR) ?:
		      test_status(p->a.rcq, IB_WC_WR_FLUSH_ERR);
	return ret;
}

static int rnr(struct test_pair *p)
{
	int ret = post_message(&p->a, IB_WR_SEND, 0);

	msleep(50);
	return ret ?: test_recv(&p->b) ?:
	       test_status(p->a.scq, IB_WC_SUCCESS) ?:
	       test_status(p->b.rcq, IB_WC_SUCCESS);
}

static int rnr_exceeded(struct test_pair *p)
{
	return post_message(&p->a, IB_WR_SEND, 0) ?:
	       test_status(p->a.scq, IB_WC_RNR_RETRY_EXC_ERR);
}

static int cut(struct test_pair *p)
{
	struct rad_dev *dev = rad_to(dev, p->b.device);
	int ret;

	WRITE_ONCE(dev->cut, true);
	ret = post_message(&p->a, IB_WR_SEND, 0) ?:
	      test_status(p->a.scq, IB_WC_RETRY_EXC_ERR);
	WRITE_ONCE(dev->cut, false);
	return ret;
}

/* The peer's queue pair is gone: as if it were unreachable. */
static int peer_ended(struct test_pair *p)
{
	return test_error(&p->b) ?: post_message(&p->a, IB_WR_SEND, 0) ?:
	       test_status(p->a.scq, IB_WC_RETRY_EXC_ERR);
}

static int too_long(struct test_pair *p)
{
	struct ib_sge sge = message(&p->a, PAGE_SIZE);
	struct ib_send_wr wr = {
		.opcode = IB_WR_SEND, .sg_list = &sge, .num_sge = 1,
	};

	return test_recv(&p->b) ?: test_post(&p->a, &wr) ?:
	       test_status(p->b.rcq, IB_WC_LOC_LEN_ERR) ?:
	       test_status(p->a.scq, IB_WC_REM_INV_REQ_ERR);
}

static int refused_write(struct test_pair *p, u32 rkey, u64 addr, u32 len)
{
	int ret = rdma(&p->a, IB_WR_RDMA_WRITE, rkey, addr, len,
		       IB_WC_REM_ACCESS_ERR);

	return ret ?: p->b.qp_events ? 0 : -ENOMSG;
}

static int dead_key(struct test_pair *p)
{
	int ret = test_recv(&p->b) ?: remote_all(&p->b) ?:
		  post_message(&p->a, IB_WR_SEND_WITH_INV, p->b.mr->rkey) ?:
		  test_status(p->a.scq, IB_WC_SUCCESS);

	return ret ?: refused_write(p, p->b.mr->rkey, p->b.mr->iova, 8);
}

static int old_key(struct test_pair *p)
{
	return remote_all(&p->b) ?:
	       refused_write(p, p->b.mr->rkey - 1, p->b.mr->iova, 8);
}

static int dead_invalidation(struct test_pair *p)
{
	return test_recv(&p->b) ?:
	       post_message(&p->a, IB_WR_SEND_WITH_INV, p->b.mr->rkey) ?:
	       test_status(p->a.scq, IB_WC_REM_ACCESS_ERR);
}

static int beyond(struct test_pair *p)
{
	return remote_all(&p->b) ?:
	       refused_write(p, p->b.mr->rkey,
			     p->b.mr->iova + p->b.mr->length - 8, 9);
}

static int foreign(struct test_pair *p)
{
	return enlist(&p->b, IB_ACCESS_REMOTE_WRITE) ?:
	       test_status(p->b.scq, IB_WC_MW_BIND_ERR);
}

static int foreign_dma_mr(struct test_pair *p)
{
	struct rad_dev *dev = rad_to(dev, p->a.device);
	struct ib_sge sge = message(&p->a, 8);
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
	return registered(&p->b, IB_ACCESS_REMOTE_READ) ?:
	       refused_write(p, p->b.mr->rkey, p->b.mr->iova, 8);
}

static int register_twice(struct test_pair *p)
{
	return remote_all(&p->b) ?: enlist(&p->b, IB_ACCESS_REMOTE_WRITE) ?:
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
	return refused(post_message(&p->a, IB_WR_SEND, 0));
}

static int sq_overrun(struct test_pair *p)
{
	int i, ret = 0;

	for (i = 0; !ret && i < TEST_DEPTH; i++)
		ret = test_recv(&p->b) ?: post_message(&p->a, IB_WR_SEND, 0);
	/* All have completed, but until that is polled they use their entries. */
	msleep(50);
	ret = ret ?: refused(post_message(&p->a, IB_WR_SEND, 0));
	return ret ?: test_status(p->a.scq, IB_WC_SUCCESS) ?:
	       test_status(p->b.rcq, IB_WC_SUCCESS) ?: test_recv(&p->b) ?:
	       post_message(&p->a, IB_WR_SEND, 0);
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
		ret = test_recv(&p->b) ?: post_message(&p->a, IB_WR_SEND, 0);
	msleep(100);
	return ret ?: p->a.cq_events && p->a.qp_events ? 0 : -ENOMSG;
}

static int many_reads(struct test_pair *p)
{
	return remote_all(&p->b) ?:
	       rdma(&p->a, IB_WR_RDMA_READ, p->b.mr->rkey, p->b.mr->iova, 8,
		    IB_WC_REM_INV_REQ_ERR);
}

static int recv_unmapped(struct test_pair *p)
{
	int ret = test_recv(&p->b);

	test_unmap_msg(&p->b);
	return ret ?: post_message(&p->a, IB_WR_SEND, 0) ?:
	       test_status(p->b.rcq, IB_WC_LOC_PROT_ERR) ?:
	       test_status(p->a.scq, IB_WC_REM_OP_ERR);
}

static int write_unmapped(struct test_pair *p)
{
	int ret = remote_all(&p->b);

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
	ret = test_recv(&p->b) ?: post_message(&p->a, IB_WR_SEND, 0) ?:
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
	ret = test_recv(&p->b) ?: post_message(&p->a, IB_WR_SEND, 0) ?:
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
	fill(&p->a);
	ret = test_recv(&p->b) ?: post_message(&p->a, IB_WR_SEND, 0) ?:
	      test_status(p->b.rcq, IB_WC_SUCCESS);
	if (ret)
		return ret;
	if (!memcmp(p->a.msg, p->b.msg + PAGE_SIZE / 2, PAGE_SIZE / 3))
		return -EBADE;
	return arrived(&p->a, &p->b, PAGE_SIZE / 3) ? 0 : -EBADE;
}

/* Pages that adjoin make one segment, as long as its mappings are all there. */
static int merged(struct test_pair *p)
{
	struct rad_dev *dev = rad_to(dev, p->b.device);

	if (!(dev->dma->habits & RAD_DMA_MERGE))
		return -EOPNOTSUPP;
	return sg_dma_len(p->b.sgl) == TEST_BYTES ? 0 : -EBADE;
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

const struct test_case test_cases[] = {
	{ "send", send },
	{ "send_imm", send_imm },
	{ "send_inv", send_inv },
	{ "write", write_pages },
	{ "write_imm", write_imm },
	{ "read", read_back },
	{ "local_inv", local_inv },
	{ "flush", flush },
	{ "rnr", rnr },
	{ "rnr_exceeded", rnr_exceeded, 0, { .rnr_retry = 1 } },
	{ "cut", cut },
	{ "peer_ended", peer_ended },
	{ "too_long", too_long },
	{ "dead_key", dead_key, RULE(key) },
	{ "old_key", old_key, RULE(key) },
	{ "dead_invalidation", dead_invalidation, RULE(key) },
	{ "beyond", beyond, RULE(bounds) },
	{ "foreign", foreign, RULE(registration), { .foreign_pd = true } },
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
	{ "many_reads", many_reads, RULE(reads), { .rd_init = 8, .rd_res = 2 } },
	{ "recv_unmapped", recv_unmapped, RULE(dma_access), { }, true },
	{ "write_unmapped", write_unmapped, RULE(dma_access), { }, true },
	{ "unmapped_early", unmapped_early, RULE(dma_access), { }, true },
	{ "direction", direction, RULE(dma_direction), { }, true },
	{ "unmap_wrong", unmap_wrong, RULE(dma_api), { }, true },
	{ "missing_sync", missing_sync, 0, { }, true },
	{ "merged", merged, 0, { }, true },
	{ "never_again", never_again, 0, { }, true },
	{ }
};
