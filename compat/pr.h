/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Persistent reservations of a block device, the same on all kernels.
 */
#ifndef RBLK_COMPAT_PR_H
#define RBLK_COMPAT_PR_H

#include <linux/blkdev.h>
#include <linux/pr.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 4, 0)
/* Those of struct pr_ops that read. */
#define compat_pr_reads(keys, reservation)				\
	.pr_read_keys = (keys), .pr_read_reservation = (reservation)
#else
/* Its value, without the name: drivers return SCSI's. */
#define PR_STS_RESERVATION_CONFLICT	0x18

struct pr_keys {
	u32 generation;
	u32 num_keys;
	u64 keys[];
};

struct pr_held_reservation {
	u64 key;
	u32 generation;
	enum pr_type type;
};

/* Nobody can ask there: mark both as __maybe_unused. */
#define compat_pr_reads(keys, reservation)
#endif

#endif /* RBLK_COMPAT_PR_H */
