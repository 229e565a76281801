// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loads and unloads the initiator's module.
 */
#include <linux/module.h>
#include "block/block.h"

#define CREATE_TRACE_POINTS
#include "trace.h"

struct workqueue_struct *rblk_wq;
uuid_t rblk_instance;

static int __init rblk_init(void)
{
	int ret;

	uuid_gen(&rblk_instance);
	rblk_wq = alloc_workqueue("rblk", WQ_MEM_RECLAIM | WQ_UNBOUND, 0);
	if (!rblk_wq)
		return -ENOMEM;
	ret = rblk_dev_init();
	if (ret)
		goto err_destroy_wq;
	ret = rblk_pool_start();
	if (ret)
		goto err_dev_exit;
	ret = rblk_ctl_init();
	if (ret)
		goto err_pool_stop;
	return 0;
err_pool_stop:
	rblk_pool_stop();
err_dev_exit:
	rblk_dev_exit();
err_destroy_wq:
	destroy_workqueue(rblk_wq);
	return ret;
}

static void __exit rblk_exit(void)
{
	rblk_ctl_exit();
	destroy_workqueue(rblk_wq);
	rblk_pool_stop();
	rblk_dev_exit();
	rblk_auth_exit();
}

module_init(rblk_init);
module_exit(rblk_exit);

MODULE_DESCRIPTION("rblk remote block device: initiator");
MODULE_AUTHOR("The rblk developers");
MODULE_LICENSE("GPL");
MODULE_VERSION(RBLK_VERSION);
