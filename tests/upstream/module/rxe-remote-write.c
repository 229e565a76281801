// SPDX-License-Identifier: GPL-2.0-only
/*
 * A work request registers memory that peers may write to and the device itself may
 * not. By the rules of verbs that is an error. Where the fault is, it succeeds. All
 * is done when the module loads.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/mm.h>
#include <linux/module.h>
#include <linux/scatterlist.h>

#include "self.h"

static const struct {
	int access;
	bool right;
	const char *name;
} look_at[] = {
	{ IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE, true, "local and remote write" },
	{ IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_ATOMIC, true, "local write, atomics" },
	{ IB_ACCESS_REMOTE_READ, true, "remote read alone" },
	{ IB_ACCESS_REMOTE_WRITE, false, "remote write alone" },
	{ IB_ACCESS_REMOTE_ATOMIC, false, "atomics alone" },
	{ IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_WRITE, false, "remote read and write" },
};

/* What the registration of @page with @access completes with, or a negative error. */
static int register_page(struct self *self, struct page *page, int access)
{
	struct ib_mr *mr = ib_alloc_mr(self->pd, IB_MR_TYPE_MEM_REG, 1);
	struct ib_reg_wr wr = { .wr.opcode = IB_WR_REG_MR, .access = access };
	struct ib_device *device = self->pd->device;
	struct scatterlist sg;
	int ret = -EIO;

	if (IS_ERR(mr))
		return PTR_ERR(mr);
	sg_init_table(&sg, 1);
	sg_set_page(&sg, page, PAGE_SIZE, 0);
	if (ib_dma_map_sg(device, &sg, 1, DMA_BIDIRECTIONAL) != 1)
		goto out;
	wr.mr = mr;
	wr.key = mr->rkey;
	if (ib_map_mr_sg(mr, &sg, 1, NULL, PAGE_SIZE) == 1)
		ret = self_do(self, &wr.wr);
	ib_dma_unmap_sg(device, &sg, 1, DMA_BIDIRECTIONAL);
out:
	ib_dereg_mr(mr);
	return ret;
}

/* A request that fails ends its queue pair, so each has another one. */
static int register_by_new(struct ib_device *device, struct page *page, int access)
{
	struct self self = {};
	int ret = self_make(&self, device) ?: register_page(&self, page, access);

	self_free(&self);
	return ret;
}

static void look(struct ib_device *device, struct page *page)
{
	int status = 0, i;

	for (i = 0; i < ARRAY_SIZE(look_at); i++) {
		status = register_by_new(device, page, look_at[i].access);
		if (status < 0 || (status != IB_WC_SUCCESS && look_at[i].right)) {
			pr_info("cannot tell: %s: %d\n", look_at[i].name, status);
			return;
		}
		if (status == IB_WC_SUCCESS && !look_at[i].right) {
			pr_info("fault: memory was registered with %s\n", look_at[i].name);
			return;
		}
	}
	pr_info("right: memory that only peers may write to: %s\n", ib_wc_status_msg(status));
}

static int __init remote_write_init(void)
{
	struct ib_device *device = self_device();
	struct page *page;

	if (!device)
		return -ENODEV;
	page = alloc_page(GFP_KERNEL | __GFP_ZERO);
	if (page) {
		look(device, page);
		__free_page(page);
	}
	ib_device_put(device);
	return page ? 0 : -ENOMEM;
}
module_init(remote_write_init);

static void __exit remote_write_exit(void)
{
}
module_exit(remote_write_exit);

MODULE_DESCRIPTION("Registration of memory that only peers may write to");
MODULE_LICENSE("GPL");
