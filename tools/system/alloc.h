/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory: the tool ends when there is none. */
#ifndef RBLKCTL_ALLOC_H
#define RBLKCTL_ALLOC_H

#include <stddef.h>

void *must_alloc(void *old, size_t nr, size_t size);

#endif /* RBLKCTL_ALLOC_H */
