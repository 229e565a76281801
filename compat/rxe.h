/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What soft RoCE sends it sends from tasklets, before 6.5, or from a workqueue.
 */
#ifndef RBLK_COMPAT_RXE_H
#define RBLK_COMPAT_RXE_H

#include <linux/version.h>
#include <rdma/ib_verbs.h>

/* Does a thread that posts on @device have its sends done by a softirq? */
static inline bool compat_sends_by_softirq(const struct ib_device *device)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 5, 0)
	return device->ops.driver_id == RDMA_DRIVER_RXE;
#else
	return false;
#endif
}

#endif
