// SPDX-License-Identifier: GPL-2.0-only
/*
 * A queue pair invalidates a memory region of another protection domain. That is
 * an error. Where the fault is, it succeeds. A peer that sends with invalidate
 * comes by the same way, rxe_invalidate_mr(). All is done when the module loads.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>

#include "self.h"

/* What the invalidation of @mr completes with, or a negative error. */
static int invalidate(struct self *self, struct ib_mr *mr)
{
	struct ib_send_wr wr = {
		.opcode = IB_WR_LOCAL_INV, .ex.invalidate_rkey = mr->rkey,
	};

	return self_do(self, &wr);
}

/* First an MR of the queue pair's own domain, and then that of @foreign. */
static void invalidate_both(struct self *self, struct ib_mr *own_mr, struct ib_mr *foreign_mr)
{
	int own = invalidate(self, own_mr);
	int foreign = own ? -ECANCELED : invalidate(self, foreign_mr);

	if (foreign < 0)
		pr_info("cannot tell: %d, %d\n", own, foreign);
	else if (foreign == IB_WC_SUCCESS)
		pr_info("fault: a queue pair invalidated an MR of another domain\n");
	else
		pr_info("right: an MR of another domain: %s\n", ib_wc_status_msg(foreign));
}

static void look(struct ib_device *device)
{
	struct self self = {}, other = {};
	struct ib_mr *own = NULL, *foreign = NULL;
	int ret = self_make(&self, device) ?: self_make(&other, device);

	if (!ret) {
		own = ib_alloc_mr(self.pd, IB_MR_TYPE_MEM_REG, 4);
		foreign = ib_alloc_mr(other.pd, IB_MR_TYPE_MEM_REG, 4);
	}
	if (IS_ERR_OR_NULL(own) || IS_ERR_OR_NULL(foreign))
		pr_info("cannot tell: making two queue pairs: %d\n", ret);
	else
		invalidate_both(&self, own, foreign);
	if (!IS_ERR_OR_NULL(foreign))
		ib_dereg_mr(foreign);
	if (!IS_ERR_OR_NULL(own))
		ib_dereg_mr(own);
	self_free(&other);
	self_free(&self);
}

static int __init foreign_init(void)
{
	struct ib_device *device = self_device();

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
