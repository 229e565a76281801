/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The only way to the kernel's control nodes. The unit tests link another
 * node.c in its place, with modules that answer as a test wants.
 */
#ifndef RBLKCTL_NODE_H
#define RBLKCTL_NODE_H

int node_open(const char *path);
int node_ioctl(int fd, unsigned long command, void *arg);
void node_close(int fd);
const char *node_root(void);

#endif /* RBLKCTL_NODE_H */
