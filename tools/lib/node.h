/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The only way to the kernel, to other programs and to the network. The unit tests link another
 * node.c in its place, with modules that answer as a test wants.
 */
#ifndef RBLKCTL_NODE_H
#define RBLKCTL_NODE_H

#include <stddef.h>

struct rblk_ioc_addr;

#define RUN_SECONDS	10	/* a program, or a read, may take that long */

/**
 * struct ended - how a program ended
 * @error: positive errno of starting it, ETIMEDOUT when it took too long, else 0
 * @signal: that ended it, else 0
 * @status: its exit status
 * @said: the first line of its complaint
 */
struct ended {
	int error;
	int signal;
	int status;
	char said[160];
};

int node_open(const char *path);
int node_ioctl(int fd, unsigned long command, void *arg);
void node_close(int fd);
const char *node_root(void);
double node_time(void);
void node_die(int signal);
int node_sleep(unsigned int seconds);
int node_run(const char * const *argv, char *text, size_t room, struct ended *ended);
int node_read(const char *path, size_t bytes, double *seconds);
int node_echo(const struct rblk_ioc_addr *to, size_t bytes);
int node_uevents(void);
int node_uevent(int fd, char *text, size_t room);

#endif /* RBLKCTL_NODE_H */
