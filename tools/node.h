/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The only way to the kernel, to other programs and to the network. The unit tests link another
 * node.c in its place, with modules that answer as a test wants.
 */
#ifndef RBLKCTL_NODE_H
#define RBLKCTL_NODE_H

#include <stddef.h>

struct rblk_ioc_addr;

int node_open(const char *path);
int node_ioctl(int fd, unsigned long command, void *arg);
void node_close(int fd);
const char *node_root(void);
double node_time(void);
void node_die(int signal);
int node_sleep(unsigned int seconds);
int node_run(const char * const *argv, char *text, size_t room);
int node_echo(const struct rblk_ioc_addr *to, size_t bytes);
int node_uevents(void);
int node_uevent(int fd, char *text, size_t room);

#endif /* RBLKCTL_NODE_H */
