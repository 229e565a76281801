// SPDX-License-Identifier: GPL-2.0-only
/*
 * count: what every user of one RDMA device asks of it, whoever it is: probes
 * on the device's operations, and one counter each in
 * /sys/module/count/parameters.  It counts both ends where both are on this
 * host.  Not for timing: a probe costs as much as what it counts.
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <rdma/ib_verbs.h>

static char *device = "rxe0";
module_param(device, charp, 0444);
MODULE_PARM_DESC(device, "RDMA device whose users are counted");

#define COUNTER(name, text)					\
	static ulong name;					\
	module_param(name, ulong, 0444);			\
	MODULE_PARM_DESC(name, text)

COUNTER(doorbells, "Calls that post sends");
COUNTER(wrs, "Work requests in them");
COUNTER(signalled, "Those of them that are signalled");
COUNTER(messages, "Messages on the wire; a READ has two");
COUNTER(registrations, "REG_MR");
COUNTER(local_invs, "LOCAL_INV");
COUNTER(remote_invs, "SEND_WITH_INV");
COUNTER(receives, "Receive buffers posted");
COUNTER(completions, "Completions polled");
COUNTER(arms, "Completion queues armed");
COUNTER(events, "Completion events of armed queues");

/*
 * Probes run with interrupts off and all on the CPU they hit; the counters are
 * exact on one CPU, which is what the deterministic guest has.
 */
static void count_wr(const struct ib_send_wr *wr)
{
	wrs++;
	if (wr->send_flags & IB_SEND_SIGNALED)
		signalled++;
	switch (wr->opcode) {
	case IB_WR_REG_MR:
		registrations++;
		break;
	case IB_WR_LOCAL_INV:
		local_invs++;
		break;
	case IB_WR_RDMA_READ:
	case IB_WR_RDMA_READ_WITH_INV:
		messages += 2;
		break;
	case IB_WR_SEND_WITH_INV:
		remote_invs++;
		messages++;
		break;
	default:
		messages++;
	}
}

static int on_post_send(struct kprobe *p, struct pt_regs *regs)
{
	const struct ib_send_wr *wr;

	doorbells++;
	for (wr = (void *)regs_get_kernel_argument(regs, 1); wr; wr = wr->next)
		count_wr(wr);
	return 0;
}

static int on_post_recv(struct kprobe *p, struct pt_regs *regs)
{
	const struct ib_recv_wr *wr;

	for (wr = (void *)regs_get_kernel_argument(regs, 1); wr; wr = wr->next)
		receives++;
	return 0;
}

static int on_arm(struct kprobe *p, struct pt_regs *regs)
{
	arms++;
	return 0;
}

static int on_event(struct kprobe *p, struct pt_regs *regs)
{
	events++;
	return 0;
}

static int on_polled(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	int n = regs_return_value(regs);

	if (n > 0)
		completions += n;
	return 0;
}

static struct kprobe post_send = { .pre_handler = on_post_send };

static struct kprobe post_recv = { .pre_handler = on_post_recv };

static struct kprobe arm = { .pre_handler = on_arm };

static struct kprobe softirq = {
	.symbol_name = "ib_cq_completion_softirq",
	.pre_handler = on_event,
};

static struct kprobe workqueue = {
	.symbol_name = "ib_cq_completion_workqueue",
	.pre_handler = on_event,
};

static struct kprobe *probes[] = {
	&post_send, &post_recv, &arm, &softirq, &workqueue,
};

/* Of those who look at their queues themselves; whoever is there is probed. */
static struct kprobe own[] = {
	{ .symbol_name = "rblkt_receive_event", .pre_handler = on_event },
	{ .symbol_name = "rblkt_queue_event", .pre_handler = on_event },
};

static struct kretprobe polled = { .handler = on_polled, .maxactive = 64 };

static int __init count_init(void)
{
	struct ib_device *dev = ib_device_get_by_name(device,
						      RDMA_DRIVER_UNKNOWN);
	unsigned int i;
	int err;

	if (!dev)
		return -ENODEV;
	post_send.addr = (void *)dev->ops.post_send;
	post_recv.addr = (void *)dev->ops.post_recv;
	arm.addr = (void *)dev->ops.req_notify_cq;
	polled.kp.addr = (void *)dev->ops.poll_cq;
	err = register_kretprobe(&polled);
	if (!err) {
		err = register_kprobes(probes, ARRAY_SIZE(probes));
		if (err)
			unregister_kretprobe(&polled);
	}
	ib_device_put(dev);
	for (i = 0; !err && i < ARRAY_SIZE(own); i++)
		if (register_kprobe(&own[i]))
			own[i].addr = NULL;
	return err;
}

static void __exit count_exit(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(own); i++)
		if (own[i].addr)
			unregister_kprobe(&own[i]);
	unregister_kprobes(probes, ARRAY_SIZE(probes));
	unregister_kretprobe(&polled);
}

module_init(count_init);
module_exit(count_exit);
MODULE_DESCRIPTION("Counts what the users of an RDMA device ask of it");
MODULE_LICENSE("GPL");
