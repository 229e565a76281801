// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>

#include "system/alloc.h"
#include "request/request.h"

/**
 * must_alloc() - realloc() that does not fail
 * @old: what it replaces, or NULL
 * @nr: elements
 * @size: of each
 *
 * Return: the memory; the tool ends when there is none.
 */
void *must_alloc(void *old, size_t nr, size_t size)
{
	void *p = reallocarray(old, nr ? nr : 1, size);

	if (!p) {
		fputs("rblkctl: out of memory\n", stderr);
		exit(EXIT_FAILED);
	}
	return p;
}
