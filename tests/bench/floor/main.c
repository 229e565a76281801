// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loading the module connects its ends and warms up; each write to "run" is a
 * measurement, and "ns" its result.  So whoever wants to can read counters right
 * before and right after:
 *
 *	insmod floor.ko pattern=direct size=4096 depth=1 count=1000
 *	echo 1 >/sys/module/floor/parameters/run
 *	cat /sys/module/floor/parameters/ns
 *	rmmod floor
 */
#include <linux/inet.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/string.h>
#include "floor.h"

static const char * const names[] = {
	[FLOOR_NONE] = "none",
	[FLOOR_DIRECT] = "direct",
	[FLOOR_IMMEDIATE] = "immediate",
	[FLOOR_INLINE_READ] = "inline-read",
	[FLOOR_INLINE_WRITE] = "inline-write",
	[FLOOR_PULL] = "pull",
	[FLOOR_PUSH] = "push",
};

static char *pattern = "direct";
module_param(pattern, charp, 0444);
MODULE_PARM_DESC(pattern, "none, direct, immediate, inline-read, inline-write, pull or push");

static uint size = 4096;
module_param(size, uint, 0444);
MODULE_PARM_DESC(size, "Bytes of data of an I/O");

static uint depth = 1;
module_param(depth, uint, 0444);
MODULE_PARM_DESC(depth, "I/Os in flight");

static uint count = 1000;
module_param(count, uint, 0444);
MODULE_PARM_DESC(count, "I/Os that are measured; a quarter of that comes before");

static char *address = "10.77.0.1";
module_param(address, charp, 0444);
MODULE_PARM_DESC(address, "IPv4 address of an RDMA device of this host");

static ushort port = 4499;
module_param(port, ushort, 0444);
MODULE_PARM_DESC(port, "Port to use there");

static ulong ns;
module_param(ns, ulong, 0444);
MODULE_PARM_DESC(ns, "The time that count I/Os took");

static struct floor_run run;

void floor_fail(struct floor_run *run, const char *what, int error)
{
	if (!run->error) {
		pr_err("floor: %s: %d\n", what, error);
		run->error = error ?: -EIO;
	}
	complete_all(&run->pass);
	complete_all(&run->step);
}

/* pass: so many I/Os, from none in flight to none in flight. */
static int pass(u32 total)
{
	u32 i, first = min(total, run.depth);

	reinit_completion(&run.pass);
	run.issued = first;
	run.ended = 0;
	run.total = total;
	for (i = 0; i < first; i++) {
		/* As from the block layer: completions preempt submission. */
		local_bh_disable();
		floor_issue(&run.client.slots[i]);
		local_bh_enable();
	}
	if (!wait_for_completion_timeout(&run.pass, 120 * HZ))
		floor_fail(&run, "no end of the I/O", -ETIMEDOUT);
	return run.error;
}

/* The lock of the module's parameters guards it. */
static bool ready;

static int run_set(const char *value, const struct kernel_param *param)
{
	ktime_t start = ktime_get();
	int err;

	if (!ready)
		return -EAGAIN;
	err = pass(count);
	ns = ktime_to_ns(ktime_sub(ktime_get(), start));
	return err;
}

static const struct kernel_param_ops run_ops = { .set = run_set };
module_param_cb(run, &run_ops, NULL, 0200);
MODULE_PARM_DESC(run, "Write anything to measure");

static void set_ready(bool value)
{
	kernel_param_lock(THIS_MODULE);
	ready = value;
	kernel_param_unlock(THIS_MODULE);
}

static int __init floor_init(void)
{
	int err;

	err = match_string(names, ARRAY_SIZE(names), pattern);
	if (err < 0 || !depth || depth > 256 || !count || !size ||
	    size > SZ_1M || size % PAGE_SIZE)
		return -EINVAL;
	run.pattern = err;
	run.size = run.pattern == FLOOR_NONE ? 0 : size;
	run.pages = run.size / PAGE_SIZE;
	run.depth = depth;
	init_completion(&run.pass);
	init_completion(&run.step);
	err = floor_link_open(&run, address, port);
	if (!err)
		err = pass(max(count / 4, depth));
	if (err)
		floor_link_close(&run);
	else
		set_ready(true);
	return err;
}

static void __exit floor_exit(void)
{
	set_ready(false);
	floor_link_close(&run);
}

module_init(floor_init);
module_exit(floor_exit);
MODULE_DESCRIPTION("What RDMA messages cost by themselves");
MODULE_LICENSE("GPL");
