// SPDX-License-Identifier: GPL-2.0-only
/*
 * With a clock, a device's engines run in a thread of the device's.
 *
 * All that this thread does is the model's work, from the switch to it to the
 * switch away from it, its own bookkeeping included; of the switch itself, its
 * user bears what a switch to the idle task would be.  So the thread also runs when
 * that would: it has the lowest priority, as if the adapter worked while the
 * processor has nothing else to do.
 */
#include <linux/kthread.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include "adapter.h"

#ifdef CONFIG_PREEMPT_NOTIFIERS

/**
 * struct rad_thread - a device's thread
 * @worker: it
 * @notifier: says when it runs
 * @begin: its first work, which starts its clock
 * @end: its last one
 */
struct rad_thread {
	struct kthread_worker *worker;
	struct preempt_notifier notifier;
	struct kthread_work begin, end;
};

static void switched_in(struct preempt_notifier *notifier, int cpu)
{
	rad_clock_in();
}

static void switched_out(struct preempt_notifier *notifier,
			 struct task_struct *next)
{
	rad_clock_out();
}

static struct preempt_ops thread_ops = {
	.sched_in = switched_in,
	.sched_out = switched_out,
};

static void thread_begin(struct kthread_work *work)
{
	struct rad_thread *thread = container_of(work, struct rad_thread, begin);

	preempt_disable();
	preempt_notifier_init(&thread->notifier, &thread_ops);
	preempt_notifier_register(&thread->notifier);
	rad_clock_in();
	preempt_enable();
}

static void thread_end(struct kthread_work *work)
{
	struct rad_thread *thread = container_of(work, struct rad_thread, end);

	preempt_disable();
	rad_clock_out();
	preempt_notifier_unregister(&thread->notifier);
	preempt_enable();
}

/**
 * rad_thread_create() - give a device its thread, if there is a clock
 * @dev: the device
 * @name: of the thread
 * Context: may sleep.
 * Return: 0 or a negative errno.
 */
int rad_thread_create(struct rad_dev *dev, const char *name)
{
	struct rad_thread *thread;

	if (!rad_clock_runs())
		return 0;
	thread = kzalloc(sizeof(*thread), GFP_KERNEL);
	if (!thread)
		return -ENOMEM;
	thread->worker = rad_kthread_worker(name);
	if (IS_ERR(thread->worker)) {
		int ret = PTR_ERR(thread->worker);

		kfree(thread);
		return ret;
	}
	sched_set_normal(thread->worker->task, MAX_NICE);
	preempt_notifier_inc();
	kthread_init_work(&thread->begin, thread_begin);
	kthread_init_work(&thread->end, thread_end);
	kthread_queue_work(thread->worker, &thread->begin);
	dev->thread = thread;
	return 0;
}

/**
 * rad_thread_destroy() - the opposite of rad_thread_create()
 * @dev: has no queue pairs any more
 * Context: may sleep.
 */
void rad_thread_destroy(struct rad_dev *dev)
{
	struct rad_thread *thread = dev->thread;

	if (!thread)
		return;
	kthread_queue_work(thread->worker, &thread->end);
	kthread_destroy_worker(thread->worker);
	preempt_notifier_dec();
	kfree(thread);
	dev->thread = NULL;
}

/**
 * rad_thread_queue() - let the thread do something
 * @dev: whose
 * @work: what, after all that is queued
 * Context: any.
 */
void rad_thread_queue(struct rad_dev *dev, struct kthread_work *work)
{
	kthread_queue_work(dev->thread->worker, work);
}

#else

int rad_thread_create(struct rad_dev *dev, const char *name)
{
	return 0;
}

void rad_thread_destroy(struct rad_dev *dev)
{
}

void rad_thread_queue(struct rad_dev *dev, struct kthread_work *work)
{
}

#endif

/**
 * rad_engine_cancel() - stop a queue pair's engine, until it is kicked
 * @qp: which
 * Context: may sleep. The engine does not run when it returns.
 */
void rad_engine_cancel(struct rad_qp *qp)
{
	cancel_work_sync(&qp->work);
	kthread_cancel_work_sync(&qp->thread_work);
}

/**
 * rad_engine_kick() - there may be something to do for a queue pair
 * @qp: which
 * Context: any.
 */
void rad_engine_kick(struct rad_qp *qp)
{
	if (READ_ONCE(qp->dying))
		return;
	if (qp->dev->thread)
		rad_thread_queue(qp->dev, &qp->thread_work);
	else
		queue_work(qp->dev->wq, &qp->work);
}
