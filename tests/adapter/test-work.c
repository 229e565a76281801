// SPDX-License-Identifier: GPL-2.0-only
/* The self test: what works, and what fails without a broken rule. */
#include <linux/delay.h>
#include <linux/slab.h>
#include "test.h"

/**
 * test_fill() - fill the first half of a message buffer
 * @side: whose
 * Context: may sleep.
 */
void test_fill(struct test_side *side)
{
	int i;

	for (i = 0; i < PAGE_SIZE / 2; i++)
		side->msg[i] = 3 * i + 1;
	ib_dma_sync_single_for_device(side->device, side->msg_dma, PAGE_SIZE,
				      DMA_BIDIRECTIONAL);
}

/**
 * test_arrived() - has a message arrived?
 * @from: has sent it
 * @to: has received it into the second half
 * @len: bytes
 * Context: may sleep.
 * Return: whether it is the same.
 */
bool test_arrived(struct test_side *from, struct test_side *to, u32 len)
{
	ib_dma_sync_single_for_cpu(to->device, to->msg_dma, PAGE_SIZE,
				   DMA_BIDIRECTIONAL);
	return !memcmp(from->msg, to->msg + PAGE_SIZE / 2, len);
}

/**
 * test_message() - a message's element
 * @side: whose first half
 * @len: bytes
 * Context: may sleep.
 * Return: the element.
 */
struct ib_sge test_message(struct test_side *side, u32 len)
{
	return (struct ib_sge){
		.addr = side->msg_dma,
		.length = len,
		.lkey = side->pd->local_dma_lkey,
	};
}

/**
 * test_post_message() - post a signalled message of a third of a page
 * @side: sends it
 * @opcode: how
 * @ex: immediate, or key to invalidate
 * Context: may sleep.
 * Return: as ib_post_send().
 */
int test_post_message(struct test_side *side, enum ib_wr_opcode opcode, u32 ex)
{
	struct ib_sge sge = test_message(side, PAGE_SIZE / 3);
	struct ib_send_wr wr = {
		.opcode = opcode,
		.sg_list = &sge,
		.num_sge = 1,
		.send_flags = IB_SEND_SIGNALED,
		.ex.invalidate_rkey = ex,
	};

	return test_post(side, &wr);
}

/**
 * test_post_rdma() - post a signalled RDMA READ or WRITE
 * @side: asks for it
 * @wr: is filled in
 * @opcode: which
 * @rkey: the peer's key
 * @addr: where there
 * @len: bytes of the message buffer
 * Context: may sleep.
 * Return: as ib_post_send().
 */
int test_post_rdma(struct test_side *side, struct ib_rdma_wr *wr,
		   enum ib_wr_opcode opcode, u32 rkey, u64 addr, u32 len)
{
	struct ib_sge sge = test_message(side, len);

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

/**
 * test_rdma() - do an RDMA READ or WRITE
 * @side: asks for it
 * @opcode: which
 * @rkey: the peer's key
 * @addr: where there
 * @len: bytes of the message buffer
 * @status: that it must end with
 * Context: may sleep.
 * Return: 0 or a negative errno.
 */
int test_rdma(struct test_side *side, enum ib_wr_opcode opcode, u32 rkey,
	      u64 addr, u32 len, enum ib_wc_status status)
{
	struct ib_rdma_wr wr;

	return test_post_rdma(side, &wr, opcode, rkey, addr, len) ?:
	       test_status(side->scq, status);
}

/**
 * test_enlist() - post a registration of a side's pages
 * @side: whose, all but the first TEST_OFFSET bytes
 * @access: IB_ACCESS_*
 * Context: may sleep.
 * Return: 0 or a negative errno.
 */
int test_enlist(struct test_side *side, int access)
{
	struct ib_reg_wr wr = {
		.wr.opcode = IB_WR_REG_MR,
		.wr.send_flags = IB_SEND_SIGNALED,
		.mr = side->mr,
		.access = access,
	};
	unsigned int offset = TEST_OFFSET;

	if (ib_map_mr_sg(side->mr, side->sgl, TEST_PAGES, &offset, PAGE_SIZE) <= 0)
		return -EIO;
	ib_update_fast_reg_key(side->mr, ib_inc_rkey(side->mr->rkey));
	wr.key = side->mr->rkey;
	return test_post(side, &wr.wr);
}

/**
 * test_registered() - register a side's pages
 * @side: whose
 * @access: IB_ACCESS_*
 * Context: may sleep.
 * Return: 0 or a negative errno.
 */
int test_registered(struct test_side *side, int access)
{
	return test_enlist(side, access) ?: test_status(side->scq, IB_WC_SUCCESS);
}

/**
 * test_remote_all() - register a side's pages for everything
 * @side: whose
 * Context: may sleep.
 * Return: 0 or a negative errno.
 */
int test_remote_all(struct test_side *side)
{
	return test_registered(side, IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE |
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
	same = !memcmp(copy + TEST_OFFSET, data, len);
	kfree(copy);
	return same;
}

static int send(struct test_pair *p)
{
	struct ib_wc wc;
	int ret;

	test_fill(&p->a);
	ib_req_notify_cq(p->b.rcq, IB_CQ_NEXT_COMP);
	ret = test_recv(&p->b) ?: test_post_message(&p->a, IB_WR_SEND, 0) ?:
	      test_wait(p->b.rcq, &wc) ?: test_status(p->a.scq, IB_WC_SUCCESS);
	if (ret)
		return ret;
	if (wc.status != IB_WC_SUCCESS || wc.opcode != IB_WC_RECV ||
	    wc.byte_len != PAGE_SIZE / 3 || !test_arrived(&p->a, &p->b, wc.byte_len))
		return -EBADE;
	msleep(20);
	return p->b.interrupts == 1 ? 0 : -ENOLINK;
}

/* What comes while it is hidden raises an event for who armed it before it is shown. */
static int shown_later(struct test_pair *p)
{
	struct rad_cq *cq = rad_to(cq, p->b.rcq);
	struct ib_wc wc;
	int ret;

	rad_cq_hide(cq);
	ret = test_recv(&p->b) ?: test_post_message(&p->a, IB_WR_SEND, 0) ?:
	      test_status(p->a.scq, IB_WC_SUCCESS);
	msleep(20);
	if (!ret && (ib_poll_cq(p->b.rcq, 1, &wc) ||
		     ib_req_notify_cq(p->b.rcq, IB_CQ_NEXT_COMP |
					       IB_CQ_REPORT_MISSED_EVENTS)))
		ret = -EBADE;
	rad_cq_show(cq);
	ret = ret ?: test_wait(p->b.rcq, &wc);
	msleep(20);
	return ret ?: p->b.interrupts == 1 ? 0 : -ENOLINK;
}

static int send_imm(struct test_pair *p)
{
	struct ib_wc wc;
	int ret = test_recv(&p->b) ?:
		  test_post_message(&p->a, IB_WR_SEND_WITH_IMM, 0x77) ?:
		  test_wait(p->b.rcq, &wc);

	if (ret)
		return ret;
	return wc.wc_flags == IB_WC_WITH_IMM &&
	       wc.ex.imm_data == (__force __be32)0x77 ? 0 : -EBADE;
}

static int write_pages(struct test_pair *p)
{
	int ret;

	test_fill(&p->a);
	ret = test_remote_all(&p->b) ?:
	      test_rdma(&p->a, IB_WR_RDMA_WRITE, p->b.mr->rkey, p->b.mr->iova,
			PAGE_SIZE / 2, IB_WC_SUCCESS);
	return ret ?: in_pages(&p->b, p->a.msg, PAGE_SIZE / 2) ? 0 : -EBADE;
}

static int write_imm(struct test_pair *p)
{
	struct ib_rdma_wr wr;
	struct ib_wc wc;
	int ret = test_recv(&p->b) ?: test_remote_all(&p->b) ?:
		  test_post_rdma(&p->a, &wr, IB_WR_RDMA_WRITE_WITH_IMM,
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

	test_fill(&p->a);
	ret = test_remote_all(&p->b) ?:
	      test_rdma(&p->a, IB_WR_RDMA_WRITE, p->b.mr->rkey, p->b.mr->iova,
			PAGE_SIZE / 2, IB_WC_SUCCESS);
	if (ret)
		return ret;
	p->a.msg_dma += PAGE_SIZE / 2;
	ret = test_rdma(&p->a, IB_WR_RDMA_READ, p->b.mr->rkey, p->b.mr->iova,
			PAGE_SIZE / 2, IB_WC_SUCCESS);
	p->a.msg_dma -= PAGE_SIZE / 2;
	return ret ?: test_arrived(&p->a, &p->a, PAGE_SIZE / 2) ? 0 : -EBADE;
}

static int send_inv(struct test_pair *p)
{
	struct ib_wc wc;
	int ret = test_recv(&p->b) ?: test_remote_all(&p->b) ?:
		  test_post_message(&p->a, IB_WR_SEND_WITH_INV, p->b.mr->rkey) ?:
		  test_wait(p->b.rcq, &wc);

	if (ret)
		return ret;
	if (wc.wc_flags != IB_WC_WITH_INVALIDATE ||
	    wc.ex.invalidate_rkey != p->b.mr->rkey)
		return -EBADE;
	/* It can be registered again now. */
	return test_remote_all(&p->b);
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
	return test_remote_all(&p->b) ?: invalidate(&p->b, p->b.mr->rkey) ?:
	       test_remote_all(&p->b);
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
	int ret = test_post_message(&p->a, IB_WR_SEND, 0);

	msleep(50);
	return ret ?: test_recv(&p->b) ?:
	       test_status(p->a.scq, IB_WC_SUCCESS) ?:
	       test_status(p->b.rcq, IB_WC_SUCCESS);
}

static int rnr_exceeded(struct test_pair *p)
{
	return test_post_message(&p->a, IB_WR_SEND, 0) ?:
	       test_status(p->a.scq, IB_WC_RNR_RETRY_EXC_ERR);
}

static int cut(struct test_pair *p)
{
	struct rad_dev *dev = rad_to(dev, p->b.device);
	int ret;

	WRITE_ONCE(dev->cut, true);
	ret = test_post_message(&p->a, IB_WR_SEND, 0) ?:
	      test_status(p->a.scq, IB_WC_RETRY_EXC_ERR);
	WRITE_ONCE(dev->cut, false);
	return ret;
}

/* The peer's queue pair is gone: as if it were unreachable. */
static int peer_ended(struct test_pair *p)
{
	return test_error(&p->b) ?: test_post_message(&p->a, IB_WR_SEND, 0) ?:
	       test_status(p->a.scq, IB_WC_RETRY_EXC_ERR);
}

static int too_long(struct test_pair *p)
{
	struct ib_sge sge = test_message(&p->a, PAGE_SIZE);
	struct ib_send_wr wr = {
		.opcode = IB_WR_SEND, .sg_list = &sge, .num_sge = 1,
	};

	return test_recv(&p->b) ?: test_post(&p->a, &wr) ?:
	       test_status(p->b.rcq, IB_WC_LOC_LEN_ERR) ?:
	       test_status(p->a.scq, IB_WC_REM_INV_REQ_ERR);
}

const struct test_case test_works[] = {
	{ "send", send },
	{ "shown_later", shown_later },
	{ "send_imm", send_imm, .fabric = TEST_ROCE },
	{ "send_inv", send_inv },
	{ "write", write_pages },
	{ "write_imm", write_imm },
	{ "read", read_back, .fabric = TEST_ROCE },
	{ "local_inv", local_inv },
	{ "flush", flush },
	{ "rnr", rnr, .fabric = TEST_ROCE },
	{ "rnr_exceeded", rnr_exceeded, 0, { .rnr_retry = 1 },
	  .fabric = TEST_ROCE },
	{ "cut", cut },
	{ "peer_ended", peer_ended },
	{ "too_long", too_long },
	{ }
};
