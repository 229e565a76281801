// SPDX-License-Identifier: GPL-2.0-only
/*
 * The adapters that the model can be: what their drivers in Linux 7.2 tell the
 * core, a row each.  Where firmware decides, the row has a value that is said
 * to be so.  Read in drivers/infiniband/hw:
 *
 *   mlx5	mlx5/main.c:1101-1128, 30 elements by a 512-byte WQE; bytes of a
 *		send queue: qp.c:598-641; queue sizes, READs and pages by
 *		firmware; no local_dma_lkey
 *   irdma	irdma/ctrl.c:6512-6526, icrdma_hw.c:193-196, verbs.c:31-62
 *   bnxt_re	bnxt_re/qplib_sp.c:127-155 (static WQEs), ib_verbs.c:203-255;
 *		queue sizes by firmware
 *   hns	hns/hns_roce_main.c:239-276 (HIP09); no LOCAL_INV:
 *		hns_roce_hw_v2.c:517-556; flush: hns_roce_qp.c:106; map_mr_sg
 *		allocates: hns_roce_mr.c, hns_roce_map_mr_sg()
 *   erdma	erdma/erdma_verbs.c:333-349, erdma_verbs.h:17-25
 *   qedr	qedr/verbs.c:126-159, qedr.h; READs and pages by firmware
 *
 * Of iWARP:
 *
 *   irdma-x722	irdma/i40iw_hw.h:132-156, i40iw_hw.c:243-260, cm.h:14; depths:
 *		cm.c:184 and 955-1000.  Takes RDMA WRITE with immediate, and no
 *		SEND with it: verbs.c:1073
 *   cxgb4	cxgb4/provider.c:262-302, t4.h:66-94, device.c:998-1010,
 *		iw_cxgb4.h:702; pages with DSGL; READs as where firmware does not
 *		tell (cxgb4_main.c:5275).  Takes RDMA WRITE with immediate where
 *		its firmware does (qp.c:1161), as the model, and no SEND with it
 */
#include <linux/log2.h>
#include <linux/sizes.h>
#include <linux/string.h>
#include "adapter.h"

static const struct rad_profile profiles[] = {
	{
		.name = "mlx5", .driver = RDMA_DRIVER_MLX5,
		.max_send_sge = 30, .max_recv_sge = 32,
		.max_sge_rd = 30, .max_inline = 512, .max_qp_wr = 8192,
		.sq_bytes = SZ_2M, .sq_overhead = 132,
		.max_cqe = 4194303, .fr_pages = 65536, .rd_res = 16,
		.rd_init = 16, .page_sizes = ~(u64)(SZ_4K - 1),
		.local_inv = true,
	}, {
		.name = "irdma", .driver = RDMA_DRIVER_IRDMA,
		.max_send_sge = 13, .max_recv_sge = 13,
		.max_sge_rd = 13, .max_inline = 101, .max_qp_wr = 4063,
		.max_cqe = 1048574, .fr_pages = 262144, .rd_res = 127,
		.rd_init = 255, .page_sizes = SZ_4K | SZ_2M | SZ_1G,
		.local_dma_lkey = true, .local_inv = true,
	}, {
		.name = "bnxt_re", .driver = RDMA_DRIVER_BNXT_RE,
		.max_send_sge = 6, .max_recv_sge = 6,
		.max_sge_rd = 6, .max_inline = 96, .max_qp_wr = 4095,
		.max_cqe = 1048575, .fr_pages = 512, .rd_res = 126,
		.rd_init = 126, .page_sizes = 0x7ffff000,
		.local_dma_lkey = true, .local_inv = true,
	}, {
		.name = "hns", .driver = RDMA_DRIVER_HNS,
		.max_send_sge = 64, .max_recv_sge = 64,
		.max_sge_rd = 64, .max_inline = 1024, .max_qp_wr = 32768,
		.max_cqe = 4194304, .fr_pages = 512, .rd_res = 128,
		.rd_init = 128, .page_sizes = 0xffff000,
		.map_sleeps = true, .flush = RAD_FLUSH_AFTER_POLL,
	}, {
		.name = "erdma", .driver = RDMA_DRIVER_ERDMA,
		.max_send_sge = 6, .max_recv_sge = 1,
		.max_sge_rd = 1, .max_inline = 96, .max_qp_wr = 8192,
		.max_cqe = 1048576, .fr_pages = 512, .rd_res = 128,
		.rd_init = 128, .page_sizes = 0x7ffff000,
		.local_dma_lkey = true, .local_inv = true,
	}, {
		.name = "qedr", .driver = RDMA_DRIVER_QEDR,
		.max_send_sge = 4, .max_recv_sge = 4,
		.max_sge_rd = 4, .max_inline = 256, .max_qp_wr = 32767,
		.max_cqe = 65535, .fr_pages = 16384, .rd_res = 16,
		.rd_init = 16, .page_sizes = 0xfffff000,
		.local_dma_lkey = true, .local_inv = true,
	}, {
		.name = "irdma-x722", .driver = RDMA_DRIVER_IRDMA,
		.max_send_sge = 3, .max_recv_sge = 3,
		.max_sge_rd = 1, .max_inline = 48, .max_qp_wr = 895,
		.max_cqe = 1048574, .fr_pages = 262144, .rd_res = 63,
		.rd_init = 127, .page_sizes = SZ_4K | SZ_2M,
		.local_dma_lkey = true, .local_inv = true,
		.iwarp = true, .own_depths = true, .private_data = 512,
	}, {
		.name = "cxgb4", .driver = RDMA_DRIVER_CXGB4,
		.max_send_sge = 17, .max_recv_sge = 4,
		.max_sge_rd = 1, .max_inline = 280, .max_qp_wr = 8190,
		.max_cqe = 65518, .fr_pages = 128, .rd_res = 8,
		.rd_init = 8, .page_sizes = 0xffff000,
		.local_dma_lkey = true, .local_inv = true,
		.iwarp = true, .private_data = 256,
	},
};

/**
 * rad_profile_find() - look up an adapter family
 * @name: its name
 * Context: any.
 * Return: its row, or NULL.
 */
const struct rad_profile *rad_profile_find(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(profiles); i++)
		if (!strcmp(name, profiles[i].name))
			return &profiles[i];
	return NULL;
}

/* Room for 521 sends, rblk's of depth 128, if none has more than two elements. */
static void profile_crowd(struct rad_profile *row)
{
	row->sq_bytes = SZ_128K;
	row->sq_overhead = 160;
}

/**
 * rad_profile_weaken() - take something from an adapter family
 * @row: its row, which changes
 * @lacks: what: see the README
 *
 * Queue pair 1 keeps what it needs: without it nothing connects at all.
 * Context: any.
 * Return: 0, or -EINVAL if there is no such thing.
 */
int rad_profile_weaken(struct rad_profile *row, const char *lacks)
{
	if (!strcmp(lacks, "nothing"))
		return 0;

	if (!strcmp(lacks, "registrations"))
		row->fr_pages = 0;
	else if (!strcmp(lacks, "pages"))
		row->fr_pages = 8;
	else if (!strcmp(lacks, "elements"))
		row->max_send_sge = 1;
	else if (!strcmp(lacks, "entries"))
		row->max_qp_wr = 16;
	else if (!strcmp(lacks, "reads"))
		row->rd_res = 0;
	else if (!strcmp(lacks, "room"))
		profile_crowd(row);
	else
		return -EINVAL;
	return 0;
}

/**
 * rad_profile_has_room() - does a send queue fit?
 * @row: an adapter family
 * @cap: of the queue pair
 *
 * An entry is of whole blocks of 64 bytes, and as large as the largest can be.
 * Context: any.
 * Return: whether all entries have room.
 */
bool rad_profile_has_room(const struct rad_profile *row, const struct ib_qp_cap *cap)
{
	u32 entry = ALIGN(row->sq_overhead + 16 * cap->max_send_sge, 64);

	return !row->sq_bytes || !cap->max_send_wr ||
	       roundup_pow_of_two(cap->max_send_wr * entry) <= row->sq_bytes;
}
