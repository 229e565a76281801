/* SPDX-License-Identifier: GPL-2.0-only */
/* No pure file locks anything: auth.h has a structure with one of them. */
#ifndef SHIM_LINUX_MUTEX_H
#define SHIM_LINUX_MUTEX_H

struct mutex {
	int unused;
};

#endif
