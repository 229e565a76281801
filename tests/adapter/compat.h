/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where 6.1 and 7.2 differ in what the model adapter uses.  The adapter is
 * written for the newer; only this file looks at the kernel's version, which Kbuild
 * says as hundredfold major plus minor.
 */
#ifndef RAD_COMPAT_H
#define RAD_COMPAT_H

#include <linux/dma-map-ops.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <rdma/ib_verbs.h>

/* Without these a device cannot have DMA operations of its own. */
#if RAD_KERNEL >= 612
#define RAD_HAS_DMA_OPS IS_ENABLED(CONFIG_ARCH_HAS_DMA_OPS)
#else
#define RAD_HAS_DMA_OPS IS_ENABLED(CONFIG_DMA_OPS)
#endif

#if RAD_KERNEL >= 619
#define RAD_MAP_PHYS 1
#else
#define RAD_MAP_PHYS 0
#endif

#if RAD_KERNEL >= 611
#define RAD_CQ_UDATA struct uverbs_attr_bundle
#else
#define RAD_CQ_UDATA struct ib_udata
#endif

#if RAD_KERNEL < 613
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*function)(struct hrtimer *),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#endif

/* Creating a worker no longer wakes it. */
#if RAD_KERNEL >= 614
#define rad_kthread_worker(name) kthread_run_worker(0, "%s", name)
#else
#define rad_kthread_worker(name) kthread_create_worker(0, "%s", name)
#endif

/* reg_user_mr() has an argument more. */
#if RAD_KERNEL >= 618
#define RAD_HAS_DMAH 1
#else
#define RAD_HAS_DMAH 0
#endif

/* The core says itself that a port is up or down. */
#if RAD_KERNEL >= 614
#define RAD_CORE_PORT_EVENTS 1
#else
#define RAD_CORE_PORT_EVENTS 0
#endif

#endif /* RAD_COMPAT_H */
