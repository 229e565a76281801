// SPDX-License-Identifier: GPL-2.0-only
/*
 * rblk target: offers block devices to remote hosts over RDMA.
 *
 * Every portal and every export pins the module until its last connection or
 * I/O is gone, so exit finds nothing left but work that is just ending.
 */
#include <linux/inet.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/uuid.h>
#include "admin.h"

#define CREATE_TRACE_POINTS
#include "trace.h"

DEFINE_MUTEX(rblkt_mutex);	/* the registries; see rblkt.h */
struct workqueue_struct *rblkt_wq;
struct workqueue_struct *rblkt_close_wq;
struct workqueue_struct *rblkt_later_wq;
u8 rblkt_uuid[RBLK_UUID_LEN];

static unsigned int max_queues = 64;
module_param(max_queues, uint, 0644);
MODULE_PARM_DESC(max_queues, "I/O connections granted to a session, at most");

static unsigned int max_depth = RBLK_WIRE_MAX_DEPTH;
module_param(max_depth, uint, 0644);
MODULE_PARM_DESC(max_depth, "Commands outstanding on a connection, at most");

static unsigned int max_io = RBLK_WIRE_MAX_IO;
module_param(max_io, uint, 0644);
MODULE_PARM_DESC(max_io, "Largest data length of a command, bytes");

static unsigned int inline_write = 4096;
module_param(inline_write, uint, 0644);
MODULE_PARM_DESC(inline_write, "Largest write taken with its command, bytes");

static unsigned int inline_read = RBLKT_SLOT_SIZE;
module_param(inline_read, uint, 0644);
MODULE_PARM_DESC(inline_read, "Largest read answered in the response to hosts that ask for it, bytes");

/**
 * rblkt_limits - what the administrator lets connections have
 * @limits: filled in, forced into what the protocol can express
 */
void rblkt_limits(struct rblkt_limits *limits)
{
	u32 io = rounddown_pow_of_two(clamp_t(u32, READ_ONCE(max_io),
					      RBLK_WIRE_MIN_IO,
					      RBLK_WIRE_MAX_IO));

	limits->max_queues = clamp_t(u32, READ_ONCE(max_queues), 1,
				     RBLK_WIRE_MAX_QUEUES);
	limits->max_depth = clamp_t(u32, READ_ONCE(max_depth),
				    RBLK_WIRE_MIN_DEPTH, RBLK_WIRE_MAX_DEPTH);
	limits->max_io = io;
	limits->inline_write = min_t(u32, READ_ONCE(inline_write),
				     RBLK_WIRE_MAX_INLINE);
	limits->inline_read = min_t(u32, READ_ONCE(inline_read),
				    RBLKT_SLOT_SIZE);
}

/**
 * rblkt_addr - put a socket address into the control ABI's form
 * @addr: where to
 * @sa: IPv4, IPv6 or anything else, which gives zeroes
 */
void rblkt_addr(struct rblk_ioc_addr *addr, const struct sockaddr *sa)
{
	const struct sockaddr_in6 *in6 = (const void *)sa;
	const struct sockaddr_in *in = (const void *)sa;

	memset(addr, 0, sizeof(*addr));
	addr->family = sa->sa_family;
	if (sa->sa_family == AF_INET) {
		addr->port = in->sin_port;
		memcpy(addr->addr, &in->sin_addr, sizeof(in->sin_addr));
	} else if (sa->sa_family == AF_INET6) {
		addr->port = in6->sin6_port;
		addr->scope_id = in6->sin6_scope_id;
		memcpy(addr->addr, &in6->sin6_addr, sizeof(in6->sin6_addr));
	}
}

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
	rblkt_peer_init();
	rblkt_wq = alloc_workqueue("rblkt", WQ_MEM_RECLAIM | WQ_HIGHPRI |
				   WQ_PERCPU, 0);
	if (!rblkt_wq)
		return ret;
	rblkt_close_wq = alloc_workqueue("rblkt_close", WQ_MEM_RECLAIM |
					 WQ_UNBOUND, WQ_MAX_ACTIVE);
	if (!rblkt_close_wq)
		goto destroy_wq;
	rblkt_later_wq = alloc_workqueue("rblkt_later", WQ_MEM_RECLAIM |
					 WQ_HIGHPRI | WQ_UNBOUND, WQ_MAX_ACTIVE);
	if (!rblkt_later_wq)
		goto destroy_close_wq;
	ret = ib_register_client(&rblkt_client);
	if (ret)
		goto destroy_later_wq;
	rblkt_debug_init();
	ret = misc_register(&rblkt_misc);
	if (ret)
		goto exit_debug;
	return 0;

exit_debug:
	rblkt_debug_exit();
	ib_unregister_client(&rblkt_client);
destroy_later_wq:
	destroy_workqueue(rblkt_later_wq);
destroy_close_wq:
	destroy_workqueue(rblkt_close_wq);
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
	destroy_workqueue(rblkt_later_wq);
	/* A keepalive that was late may put its session's last reference. */
	destroy_workqueue(rblkt_wq);
	/* Attachments end in work, which queues RCU callbacks, which queue work. */
	flush_workqueue(rblkt_close_wq);
	rcu_barrier();
	destroy_workqueue(rblkt_close_wq);
}

module_init(rblkt_init);
module_exit(rblkt_exit);
MODULE_DESCRIPTION("rblk target: remote block device over RDMA");
MODULE_VERSION(RBLKT_VERSION);
MODULE_LICENSE("GPL");
