// SPDX-License-Identifier: GPL-2.0-only
/* The self test: what iWARP does with data, where it is not as RoCE. */
#include "test.h"

/* iWARP cannot wait until there is one. */
static int iw_no_receive(struct test_pair *p)
{
	int ret = test_post_message(&p->a, IB_WR_SEND, 0) ?:
		  test_status(p->a.scq, IB_WC_WR_FLUSH_ERR) ?:
		  test_iw_once(&p->a.cm.closes) ?: test_iw_once(&p->b.cm.closes);

	return ret ?: p->b.qp_events == 1 ? 0 : -ENOMSG;
}

static int read_to_mr(struct test_pair *p, enum ib_wr_opcode opcode)
{
	struct ib_sge sge = {
		.addr = p->a.mr->iova,
		.length = PAGE_SIZE,
		.lkey = p->a.mr->lkey,
	};
	struct ib_rdma_wr wr = {
		.wr = {
			.opcode = opcode,
			.sg_list = &sge,
			.num_sge = 1,
			.send_flags = IB_SEND_SIGNALED,
			.ex.invalidate_rkey = p->a.mr->lkey,
		},
		.remote_addr = p->b.mr->iova,
		.rkey = p->b.mr->rkey,
	};

	return test_post(&p->a, &wr.wr);
}

static int iw_read(struct test_pair *p)
{
	u8 *from = page_address(p->b.pages[0]), *to = page_address(p->a.pages[0]);
	int i, ret;

	ib_dma_unmap_sg(p->b.device, p->b.sgl, TEST_PAGES, DMA_BIDIRECTIONAL);
	for (i = 0; i < PAGE_SIZE; i++)
		from[i] = 3 * i + 1;
	i = ib_dma_map_sg(p->b.device, p->b.sgl, TEST_PAGES, DMA_BIDIRECTIONAL);
	p->b.sgl_mapped = i > 0;
	ret = i > 0 ? 0 : -ENOMEM;
	ret = ret ?: test_registered(&p->b, IB_ACCESS_REMOTE_READ) ?:
	      test_registered(&p->a, IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE) ?:
	      read_to_mr(p, IB_WR_RDMA_READ) ?: test_status(p->a.scq, IB_WC_SUCCESS);
	if (ret)
		return ret;
	ib_dma_unmap_sg(p->a.device, p->a.sgl, TEST_PAGES, DMA_BIDIRECTIONAL);
	p->a.sgl_mapped = false;
	return memcmp(from + TEST_OFFSET, to + TEST_OFFSET,
		      PAGE_SIZE - TEST_OFFSET) ? -EBADE : 0;
}

/* The READ takes the key back: it can be registered again. */
static int iw_read_inv(struct test_pair *p)
{
	return test_remote_all(&p->b) ?: test_remote_all(&p->a) ?:
	       read_to_mr(p, IB_WR_RDMA_READ_WITH_INV) ?:
	       test_status(p->a.scq, IB_WC_SUCCESS) ?: test_remote_all(&p->a);
}

/* The peer gets the key of the sink, and writes with it. */
static int iw_read_right(struct test_pair *p)
{
	return test_remote_all(&p->b) ?:
	       test_registered(&p->a, IB_ACCESS_LOCAL_WRITE) ?:
	       read_to_mr(p, IB_WR_RDMA_READ) ?:
	       test_status(p->a.scq, IB_WC_LOC_PROT_ERR) ?:
	       test_iw_once(&p->a.cm.closes) ?: test_iw_once(&p->b.cm.closes);
}

static int iw_read_local(struct test_pair *p)
{
	return test_remote_all(&p->b) ?:
	       test_rdma(&p->a, IB_WR_RDMA_READ, p->b.mr->rkey, p->b.mr->iova, 8,
			 IB_WC_LOC_PROT_ERR);
}

static int iw_no_opcode(struct test_pair *p)
{
	return test_post_message(&p->a, IB_WR_SEND_WITH_IMM, 0) == -EINVAL ?
	       0 : -EBADE;
}

const struct test_case test_iw_data[] = {
	{ "iw_no_receive", iw_no_receive },
	{ "iw_read", iw_read },
	{ "iw_read_inv", iw_read_inv },
	{ "iw_read_right", iw_read_right, BIT(RAD_rights) },
	{ "iw_read_local", iw_read_local, BIT(RAD_rights) },
	{ "iw_no_opcode", iw_no_opcode, BIT(RAD_opcode) },
	{ }
};
