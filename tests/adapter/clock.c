// SPDX-License-Identifier: GPL-2.0-only
/*
 * The model's clock: how much of a processor's time is the model's own work, so
 * that a benchmark can take it out.  With "clock=1".
 *
 * The time is the processor's time stamp counter.  In a guest whose clock counts
 * instructions (tests/lab/run -d) it is their number; rad_clock_exact() tells.
 *
 * The model's work is between rad_clock_enter() and rad_clock_leave(), and while a
 * device's thread runs (thread.c).  Such regions may be nested, and interrupts may
 * come in one: each processor has one account, which counts once.  Where the
 * model calls its user, which completion handlers are, the account pauses.  Not in
 * it are control verbs, and events that tell of failures.
 *
 * Reading the clock takes some instructions before the account begins and after
 * it ends.  They are measured when the module is loaded, and added to each region.
 */
#include <linux/debugfs.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/timex.h>
#include "adapter.h"

#define ROUNDS	256
#define PASSES	4

static bool clock;
module_param(clock, bool, 0444);
MODULE_PARM_DESC(clock, "Account for the model's own work");

static unsigned int burn;
module_param(burn, uint, 0644);
MODULE_PARM_DESC(burn, "Ticks of the clock that each engine step wastes");

struct rad_clock {
	u64 since;
	u64 spent;
	unsigned int depth;
};

static DEFINE_PER_CPU(struct rad_clock, clocks);
static u64 overhead;
static bool exact;

/**
 * rad_clock_runs() - is there an account?
 * Context: any.
 * Return: whether the module was loaded with "clock=1", and the kernel can.
 */
bool rad_clock_runs(void)
{
	return IS_ENABLED(CONFIG_PREEMPT_NOTIFIERS) && READ_ONCE(clock);
}
EXPORT_SYMBOL_GPL(rad_clock_runs);

static void settle(struct rad_clock *c)
{
	c->spent += get_cycles() - c->since + overhead;
}

/**
 * rad_clock_in() - the model's work begins on this processor
 * Context: any, without preemption until rad_clock_out() or a switch.
 */
void rad_clock_in(void)
{
	struct rad_clock *c;
	unsigned long flags;

	local_irq_save(flags);
	c = this_cpu_ptr(&clocks);
	if (!c->depth++)
		c->since = get_cycles();
	local_irq_restore(flags);
}

/**
 * rad_clock_out() - the opposite of rad_clock_in()
 * Context: any, without preemption.
 */
void rad_clock_out(void)
{
	struct rad_clock *c;
	unsigned long flags;

	local_irq_save(flags);
	c = this_cpu_ptr(&clocks);
	if (!--c->depth)
		settle(c);
	local_irq_restore(flags);
}

/**
 * rad_clock_enter() - the model's work begins, in a call
 * Context: any; nothing sleeps until rad_clock_leave().
 */
void rad_clock_enter(void)
{
	if (!rad_clock_runs())
		return;
	preempt_disable();
	rad_clock_in();
}

/**
 * rad_clock_leave() - the opposite of rad_clock_enter()
 * Context: any.
 */
void rad_clock_leave(void)
{
	if (!rad_clock_runs())
		return;
	rad_clock_out();
	preempt_enable();
}

/**
 * rad_clock_pause() - what follows is the work of the model's user
 * Context: any; nothing sleeps until rad_clock_resume().
 * Return: for rad_clock_resume().
 */
unsigned int rad_clock_pause(void)
{
	struct rad_clock *c;
	unsigned long flags;
	unsigned int depth;

	if (!rad_clock_runs())
		return 0;
	preempt_disable();
	local_irq_save(flags);
	c = this_cpu_ptr(&clocks);
	depth = c->depth;
	c->depth = 0;
	if (depth)
		settle(c);
	local_irq_restore(flags);
	return depth;
}

/**
 * rad_clock_resume() - the opposite of rad_clock_pause()
 * @depth: what that returned
 * Context: any.
 */
void rad_clock_resume(unsigned int depth)
{
	struct rad_clock *c;
	unsigned long flags;

	if (!rad_clock_runs())
		return;
	local_irq_save(flags);
	c = this_cpu_ptr(&clocks);
	c->depth = depth;
	c->since = get_cycles();
	local_irq_restore(flags);
	preempt_enable();
}

/**
 * rad_clock_spent() - the account
 * Context: any.
 * Return: the model's own work on all processors, in ticks of the clock.
 */
u64 rad_clock_spent(void)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu(clocks, cpu).spent);
	return sum;
}
EXPORT_SYMBOL_GPL(rad_clock_spent);

/**
 * rad_clock_exact() - does the clock count instructions?
 * Context: any.
 * Return: whether the same work took the same time, to the tick, when the module
 * was loaded.
 */
bool rad_clock_exact(void)
{
	return exact;
}
EXPORT_SYMBOL_GPL(rad_clock_exact);

/**
 * rad_clock_set_burn() - set "burn"
 * @ticks: to waste in each step of an engine
 * Context: any.
 */
void rad_clock_set_burn(unsigned int ticks)
{
	WRITE_ONCE(burn, ticks);
}
EXPORT_SYMBOL_GPL(rad_clock_set_burn);

/**
 * rad_clock_burn() - waste what "burn" says
 * Context: an engine.
 */
void rad_clock_burn(void)
{
	unsigned int ticks = READ_ONCE(burn);
	u64 begin;

	if (!ticks || !rad_clock_runs())
		return;
	begin = get_cycles();
	while (get_cycles() - begin < ticks)
		cpu_relax();
}

/* How long so many empty regions take; @inside is what the account has of it. */
static u64 empty_regions(u64 *inside)
{
	u64 spent = rad_clock_spent(), begin;
	unsigned long flags;
	int i;

	local_irq_save(flags);
	begin = get_cycles();
	for (i = 0; i < ROUNDS; i++) {
		rad_clock_enter();
		rad_clock_leave();
	}
	begin = get_cycles() - begin;
	local_irq_restore(flags);
	*inside = rad_clock_spent() - spent;
	return begin;
}

static void calibrate(void)
{
	u64 all[PASSES], inside;
	int i;

	exact = true;
	for (i = 0; i < PASSES; i++) {
		all[i] = empty_regions(&inside);
		if (all[i] != all[0])
			exact = false;
	}
	if (all[PASSES - 1] > inside)
		overhead = div_u64(all[PASSES - 1] - inside, ROUNDS);
	pr_info("clock: %llu ticks outside of a region, %s\n", overhead,
		exact ? "which are instructions" : "by a clock that varies");
}

static int spent_get(void *unused, u64 *value)
{
	*value = rad_clock_spent();
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(spent_fops, spent_get, NULL, "%llu\n");

/**
 * rad_clock_init() - start the account
 * @root: the module's folder in debugfs, which gets "clock_ns" and "clock_exact"
 * Context: may sleep.
 */
void rad_clock_init(struct dentry *root)
{
	if (!clock)
		return;
	if (!rad_clock_runs()) {
		pr_info("no preempt notifiers in this kernel: no clock\n");
		return;
	}
	calibrate();
	debugfs_create_file("clock_ns", 0400, root, NULL, &spent_fops);
	debugfs_create_bool("clock_exact", 0400, root, &exact);
}
