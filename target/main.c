// SPDX-License-Identifier: GPL-2.0-only
/*
 * rblk target: offers block devices to remote hosts over RDMA.  This file has
 * the module's start and end.
 *
 * Every portal pins the module until its last connection is gone, and every
 * export until its last I/O is.  So when the module's exit runs, only work that
 * is about to end is left.
 */
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/uuid.h>
#include "control/control.h"
#include "io/command.h"	/* for trace.h */

#define CREATE_TRACE_POINTS
#include "trace.h"

DEFINE_MUTEX(rblkt_mutex);	/* guards the registries; see session.h */
struct workqueue_struct *rblkt_wq;	/* completions of I/O */
/*
 * Control connections and timeouts have workers of their own: an answer to a
 * KEEPALIVE must not wait behind the I/O of all hosts, nor that behind a LOGIN.
 */
struct workqueue_struct *rblkt_ctl_wq;
struct workqueue_struct *rblkt_close_wq;	/* closing, freeing, checks */
struct workqueue_struct *rblkt_deferred_wq;	/* commands that may block */

static int rblkt_add_device(struct ib_device *dev)
{
	return 0;
}

static void rblkt_remove_device(struct ib_device *dev, void *data)
{
	rblkt_close_device(dev);
}

static struct ib_client rblkt_client = {
	.name	= "rblk_target",
	.add	= rblkt_add_device,
	.remove	= rblkt_remove_device,
};

static int __init rblkt_init(void)
{
	int ret = -ENOMEM;

	generate_random_uuid(rblkt_uuid);
	rblkt_store_init();
	rblkt_peer_init();
	rblkt_wq = alloc_workqueue("rblkt", WQ_MEM_RECLAIM | WQ_HIGHPRI |
				   WQ_PERCPU, 0);
	if (!rblkt_wq)
		return ret;
	rblkt_ctl_wq = alloc_workqueue("rblkt_ctl", WQ_MEM_RECLAIM | WQ_HIGHPRI |
				       WQ_UNBOUND, WQ_MAX_ACTIVE);
	if (!rblkt_ctl_wq)
		goto destroy_wq;
	rblkt_close_wq = alloc_workqueue("rblkt_close", WQ_MEM_RECLAIM |
					 WQ_UNBOUND, WQ_MAX_ACTIVE);
	if (!rblkt_close_wq)
		goto destroy_ctl_wq;
	rblkt_deferred_wq = alloc_workqueue("rblkt_deferred", WQ_MEM_RECLAIM |
					 WQ_HIGHPRI | WQ_UNBOUND, WQ_MAX_ACTIVE);
	if (!rblkt_deferred_wq)
		goto destroy_close_wq;
	ret = ib_register_client(&rblkt_client);
	if (ret)
		goto destroy_deferred_wq;
	rblkt_debug_init();
	ret = misc_register(&rblkt_misc);
	if (ret)
		goto exit_debug;
	return 0;

exit_debug:
	rblkt_debug_exit();
	ib_unregister_client(&rblkt_client);
destroy_deferred_wq:
	destroy_workqueue(rblkt_deferred_wq);
destroy_close_wq:
	destroy_workqueue(rblkt_close_wq);
destroy_ctl_wq:
	destroy_workqueue(rblkt_ctl_wq);
destroy_wq:
	destroy_workqueue(rblkt_wq);
	return ret;
}

static void __exit rblkt_exit(void)
{
	misc_deregister(&rblkt_misc);
	rblkt_debug_exit();
	ib_unregister_client(&rblkt_client);
	rblkt_resize_stop();
	rblkt_pause_stop();
	rblkt_close_device(NULL);
	destroy_workqueue(rblkt_deferred_wq);
	/*
	 * A late keepalive may drop the last reference to its session, which
	 * queues work on rblkt_close_wq.
	 */
	destroy_workqueue(rblkt_ctl_wq);
	destroy_workqueue(rblkt_wq);
	/*
	 * Work that ends attachments queues RCU callbacks, which queue work on
	 * rblkt_close_wq again.
	 */
	flush_workqueue(rblkt_close_wq);
	rcu_barrier();
	destroy_workqueue(rblkt_close_wq);
	rblkt_fence_exit();
	rblkt_auth_exit();
}

module_init(rblkt_init);
module_exit(rblkt_exit);
MODULE_DESCRIPTION("rblk target: remote block device over RDMA");
MODULE_VERSION(RBLK_VERSION);
MODULE_LICENSE("GPL");
