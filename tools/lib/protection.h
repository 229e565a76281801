/* SPDX-License-Identifier: GPL-2.0-only */
/* Protection information (T10-PI) of backing devices. */
#ifndef LIBRBLK_PROTECTION_H
#define LIBRBLK_PROTECTION_H

#include "lib/failure.h"

/**
 * struct protection - what a disk keeps with each block, so that it can be checked
 * @disk: the disk's name in sysfs: the export's own one, or one below it
 * @format: such as T10-DIF-TYPE1-CRC
 * @made: the kernel makes it on writes
 * @checked: the kernel checks it on reads
 */
struct protection {
	char disk[64];
	char format[64];
	bool made;
	bool checked;
};

bool protection_find(const char *device, struct protection *found);
int protection_require(const char *device, struct rblk_failure *fail);

#endif /* LIBRBLK_PROTECTION_H */
