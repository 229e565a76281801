/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The library's only way to the kernel. The unit tests link another node.c in its place, with
 * modules that answer as a test wants.
 */
#ifndef LIBRBLK_NODE_H
#define LIBRBLK_NODE_H

#include <stddef.h>
#include <sys/types.h>

int node_open(const char *path);
int node_ioctl(int fd, unsigned long command, void *arg);
void node_close(int fd);
const char *node_root(void);
int node_device(const char *path, dev_t *number);
int node_uevents(void);
int node_uevent(int fd, char *text, size_t room, int timeout_ms);

#endif /* LIBRBLK_NODE_H */
