/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Block statuses: any numbers will do here, as long as they differ.  That the
 * kernel's own are mapped rightly the KUnit suites show.
 */
#ifndef SHIM_LINUX_BLK_TYPES_H
#define SHIM_LINUX_BLK_TYPES_H

#include <linux/types.h>

typedef u8 blk_status_t;

enum {
	BLK_STS_OK, BLK_STS_NOTSUPP, BLK_STS_TIMEOUT, BLK_STS_NOSPC,
	BLK_STS_TRANSPORT, BLK_STS_TARGET, BLK_STS_RESV_CONFLICT,
	BLK_STS_MEDIUM, BLK_STS_PROTECTION, BLK_STS_RESOURCE, BLK_STS_IOERR,
	BLK_STS_OFFLINE, BLK_STS_INVAL, BLK_STS_DURATION_LIMIT,
};

#endif /* SHIM_LINUX_BLK_TYPES_H */
