/* SPDX-License-Identifier: GPL-2.0-only */
/* The little of linux/kernel.h that the pure files use. */
#ifndef SHIM_LINUX_KERNEL_H
#define SHIM_LINUX_KERNEL_H

#include <linux/types.h>

#define U16_MAX		UINT16_MAX
#define U32_MAX		UINT32_MAX
#define U64_MAX		UINT64_MAX
#define S64_MAX		INT64_MAX

#define READ_ONCE(x)	(x)

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#define min_t(type, a, b) ({						\
	type __a = (a);							\
	type __b = (b);							\
									\
	__a < __b ? __a : __b;						\
})

#define max_t(type, a, b) ({						\
	type __c = (a);							\
	type __d = (b);							\
									\
	__c > __d ? __c : __d;						\
})

#define min(a, b)	min_t(__typeof__((a) + (b)), a, b)
#define max(a, b)	max_t(__typeof__((a) + (b)), a, b)
#define min3(a, b, c)	min(min(a, b), c)
#define clamp_t(type, v, lo, hi) min_t(type, max_t(type, v, lo), hi)

#endif /* SHIM_LINUX_KERNEL_H */
