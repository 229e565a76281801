/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Other programs, devices, the network and the clock. The unit tests link their own in place
 * of these.
 */
#ifndef RBLKCTL_PROGRAM_H
#define RBLKCTL_PROGRAM_H

#include <stddef.h>

struct rblk_ioc_addr;

#define RUN_SECONDS	10	/* a program, or a read, may take that long */
#define CHANGE_SECONDS	300	/* a program that changes something */

/**
 * struct ended - how a program ended
 * @error: positive errno of starting it, ETIMEDOUT when it took too long, else 0
 * @signal: that ended it, else 0
 * @status: its exit status
 * @said: the first line of its complaint that is no mere warning, if there is one
 */
struct ended {
	int error;
	int signal;
	int status;
	char said[160];
};

double system_time(void);
void system_die(int signal);
int system_sleep(unsigned int seconds);
int system_run(const char * const *argv, char *text, size_t room, struct ended *ended);
int system_change(const char * const *argv, char *text, size_t room, struct ended *ended);
int system_read(const char *path, size_t bytes, double *seconds);
int system_echo(const struct rblk_ioc_addr *to, size_t bytes);

#endif /* RBLKCTL_PROGRAM_H */
