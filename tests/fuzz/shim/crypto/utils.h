/* SPDX-License-Identifier: GPL-2.0-only */
/* Comparing, in any time. */
#ifndef SHIM_CRYPTO_UTILS_H
#define SHIM_CRYPTO_UTILS_H

#include <string.h>

static inline int crypto_memneq(const void *a, const void *b, size_t bytes)
{
	return !!memcmp(a, b, bytes);
}

#endif /* SHIM_CRYPTO_UTILS_H */
