// SPDX-License-Identifier: GPL-2.0-only
/*
 * Completion vectors.  As on hardware each is an interrupt of its own, with a
 * processor of its own, and a completion queue's handler runs in it.
 */
#include <linux/bottom_half.h>
#include <linux/slab.h>
#include "adapter.h"

static struct rad_cq *vector_next(struct rad_vector *vec)
{
	struct rad_cq *cq;

	spin_lock(&vec->lock);
	cq = list_first_entry_or_null(&vec->cqs, struct rad_cq, vec_entry);
	if (cq)
		list_del_init(&cq->vec_entry);
	WRITE_ONCE(vec->running, cq);
	spin_unlock(&vec->lock);
	return cq;
}

/* The interrupt. */
static void vector_interrupt(void *data)
{
	struct rad_vector *vec = data;
	unsigned int depth;
	struct rad_cq *cq;

	/* What is raised from here on may come too late for this run. */
	xchg(&vec->pending, false);
	rad_clock_enter();
	rad_count(vec->dev, RAD_CNT_interrupts);
	atomic_inc(&vec->interrupts);
	while ((cq = vector_next(vec))) {
		depth = rad_clock_pause();
		cq->ib.comp_handler(&cq->ib, cq->ib.cq_context);
		rad_clock_resume(depth);
	}
	rad_clock_leave();
}

static void vector_fire(struct rad_vector *vec)
{
	unsigned long flags;
	unsigned int depth;
	int ret;

	if (xchg(&vec->pending, true))
		return;
	/* On this processor the handler runs at once, and its softirq then. */
	local_bh_disable();
	ret = smp_call_function_single_async(vec->cpu, &vec->csd);
	if (ret == -ENXIO) {
		/* Its processor has gone. */
		local_irq_save(flags);
		vector_interrupt(vec);
		local_irq_restore(flags);
	}
	depth = rad_clock_pause();
	local_bh_enable();
	rad_clock_resume(depth);
}

static void vector_late(struct kthread_work *work)
{
	vector_fire(container_of(work, struct rad_vector, late));
}

/**
 * rad_vector_raise() - raise a completion queue's event
 * @cq: whose
 *
 * Events that come while the interrupt is pending share it.
 * Context: task, with interrupts on.
 */
void rad_vector_raise(struct rad_cq *cq)
{
	struct rad_vector *vec = cq->vec;
	unsigned long flags;

	spin_lock_irqsave(&vec->lock, flags);
	if (list_empty(&cq->vec_entry))
		list_add_tail(&cq->vec_entry, &vec->cqs);
	spin_unlock_irqrestore(&vec->lock, flags);
	if (READ_ONCE(rad_moderate) && vec->dev->thread)
		rad_thread_queue(vec->dev, &vec->late);
	else
		vector_fire(vec);
}

/**
 * rad_vector_forget() - a completion queue goes
 * @cq: nothing raises its event any more
 *
 * Context: may sleep. When it returns the handler does not run any more.
 */
void rad_vector_forget(struct rad_cq *cq)
{
	struct rad_vector *vec = cq->vec;
	unsigned long flags;

	spin_lock_irqsave(&vec->lock, flags);
	list_del_init(&cq->vec_entry);
	spin_unlock_irqrestore(&vec->lock, flags);
	while (READ_ONCE(vec->running) == cq)
		cpu_relax();
}

/**
 * rad_vectors_alloc() - make a device's vectors
 * @dev: whose
 * @nr: how many
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int rad_vectors_alloc(struct rad_dev *dev, unsigned int nr)
{
	unsigned int i;
	int cpu = -1;

	dev->vectors = kcalloc(nr, sizeof(*dev->vectors), GFP_KERNEL);
	if (!dev->vectors)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		struct rad_vector *vec = &dev->vectors[i];

		cpu = cpumask_next(cpu, cpu_online_mask);
		if (cpu >= nr_cpu_ids)
			cpu = cpumask_first(cpu_online_mask);
		vec->dev = dev;
		vec->cpu = cpu;
		spin_lock_init(&vec->lock);
		INIT_LIST_HEAD(&vec->cqs);
		INIT_CSD(&vec->csd, vector_interrupt, vec);
		kthread_init_work(&vec->late, vector_late);
	}
	dev->ib.num_comp_vectors = nr;
	return 0;
}

/* Interrupts that were raised have come when this returns. */
static void vector_settle(void *unused)
{
}

/**
 * rad_vectors_free() - the opposite of rad_vectors_alloc()
 * @dev: has no completion queues any more
 * Context: may sleep.
 */
void rad_vectors_free(struct rad_dev *dev)
{
	on_each_cpu(vector_settle, NULL, true);
	kfree(dev->vectors);
}
