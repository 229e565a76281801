/* SPDX-License-Identifier: GPL-2.0-only */
/* Files as block devices. */
#ifndef LIBRBLK_LOOP_H
#define LIBRBLK_LOOP_H

#include "lib/control.h"

/**
 * struct loop - a file that has become a block device
 * @fd: the device, open; with the last one that has it open it goes
 * @made: the file was made, too
 * @file: its absolute path
 * @device: /dev/loopN
 */
struct loop {
	int fd;
	bool made;
	char file[RBLK_PATH_LEN];
	char device[RBLK_PATH_LEN];
};

int loop_open(struct loop *loop, const char *file, __u64 size, bool read_only,
	      struct rblk_failure *fail);
bool loop_cached(const struct loop *loop);
void loop_close(struct loop *loop, bool undo);
bool loop_file(const char *device, char file[RBLK_PATH_LEN]);
bool loop_same(const char *a, const char *b);

#endif /* LIBRBLK_LOOP_H */
