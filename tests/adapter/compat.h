/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where 6.1 and 7.2 differ in what the model adapter uses.  The adapter is
 * written for the newer; only this file looks at the kernel's version.
 */
#ifndef RAD_COMPAT_H
#define RAD_COMPAT_H

#include <linux/dma-map-ops.h>
#include <linux/hrtimer.h>
#include <linux/version.h>
#include <rdma/ib_verbs.h>

/* Without these a device cannot have DMA operations of its own. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
#define RAD_HAS_DMA_OPS IS_ENABLED(CONFIG_ARCH_HAS_DMA_OPS)
#else
#define RAD_HAS_DMA_OPS IS_ENABLED(CONFIG_DMA_OPS)
#endif

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 19, 0)
#define RAD_MAP_PHYS 1
#else
#define RAD_MAP_PHYS 0
#endif

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 11, 0)
typedef struct uverbs_attr_bundle rad_cq_udata;
#else
typedef struct ib_udata rad_cq_udata;
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*function)(struct hrtimer *),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#endif

/* reg_user_mr() has an argument more. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 18, 0)
#define RAD_HAS_DMAH 1
#else
#define RAD_HAS_DMAH 0
#endif

/* The core says itself that a port is up or down. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 14, 0)
#define RAD_CORE_PORT_EVENTS 1
#else
#define RAD_CORE_PORT_EVENTS 0
#endif

#endif /* RAD_COMPAT_H */
