/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The page size by which memory is registered, the same on both sides.
 */
#ifndef RBLK_COMPAT_MR_H
#define RBLK_COMPAT_MR_H

#include <linux/bitops.h>
#include <linux/sizes.h>
#include <linux/types.h>

/*
 * Choose out of @sizes, the page_size_cap of a device: the kernel's own page
 * size if the device has it, as some drivers support no other.  Else the
 * smallest that the device has, from 4 KiB up.  A larger one than the kernel's
 * is of no use, because memory comes in pages of @page_size.
 *
 * Some drivers do not refuse a size that their device lacks, but register
 * other memory.
 *
 * Context: any.
 * Return: bytes, or 0 if the device has no size that fits.
 */
static inline u32 compat_mr_page(u64 sizes, u32 page_size)
{
	u64 smaller = sizes & (page_size - 1) & ~(u64)(SZ_4K - 1);

	if (sizes & page_size)
		return page_size;
	return smaller ? 1u << __ffs64(smaller) : 0;
}

#endif
