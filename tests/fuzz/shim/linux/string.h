/* SPDX-License-Identifier: GPL-2.0-only */
/* The C library's string functions, and the kernel's own that are used. */
#ifndef SHIM_LINUX_STRING_H
#define SHIM_LINUX_STRING_H

#include <linux/types.h>
#include <string.h>

static inline void *memchr_inv(const void *start, int c, size_t bytes)
{
	const u8 *p = start;

	for (; bytes; p++, bytes--)
		if (*p != (u8)c)
			return (void *)p;
	return NULL;
}

static inline void memzero_explicit(void *start, size_t bytes)
{
	explicit_bzero(start, bytes);
}

#endif /* SHIM_LINUX_STRING_H */
