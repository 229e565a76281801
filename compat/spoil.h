/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Data that goes bad on purpose, for tests of the data digest.  Only where the build finds
 * the tests and a kernel to run them in (RBLK_SPOIL); elsewhere none of this is compiled.
 */
#ifndef RBLK_COMPAT_SPOIL_H
#define RBLK_COMPAT_SPOIL_H

#ifdef RBLK_SPOIL
#include <linux/atomic.h>
#include <linux/module.h>

/* A parameter: the data of so many commands goes bad, -1: also of all second tries. */
#define RBLK_SPOIL_PARAM(name, text)					\
	static int name;						\
	module_param(name, int, 0644);					\
	MODULE_PARM_DESC(name, text ": of so many commands, or -1 of all; for tests")

/* Is it this command's turn?  No number counts other tries than a @first.  Context: any. */
static inline bool rblk_spoil_now(bool first, int *left)
{
	int old = READ_ONCE(*left);

	if (old > 0 && !first)
		return false;
	while (old > 0 && cmpxchg(left, old, old - 1) != old)
		old = READ_ONCE(*left);
	return old;
}

#else
#define RBLK_SPOIL_PARAM(name, text)					\
	static int name;						\
	static_assert(sizeof(text) > 1)

static inline bool rblk_spoil_now(bool first, int *left)
{
	return false;
}

#endif

#endif /* RBLK_COMPAT_SPOIL_H */
