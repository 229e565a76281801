/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hostile-ioctl: the control devices called badly.  ioctl_make.c makes good
 * arguments, ioctl_worse.c spoils them, ioctl_race.c puts them where they hurt and
 * changes them during the call, ioctl.c calls and counts.
 */
#ifndef RBLK_HOSTILE_IOCTL_H
#define RBLK_HOSTILE_IOCTL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "rblk_ioctl.h"

#define MOST_BYTES	4096	/* of a structure */
#define MOST_DISKS	8
#define FIRST_PORT	7000	/* of portals that come and go */
#define CALM_INDEX	40000	/* of the bystander's volume: left alone */

/**
 * struct verb - a command
 * @name: for people
 * @cmd: its number
 * @error: offset of its struct rblk_ioc_error, 0 for none
 * @arrays: offset of its first pointer to an array, 0 for none
 * @nr_arrays: how many pointers there are, one after the other
 * @keep: offset of what must not change during a call, lest it hit the
 *        bystander; 0 for none
 * @keep_bytes: of it
 * @often: others need what it makes, or it needs what they make
 * @make: fill in a good argument
 */
struct verb {
	const char *name;
	unsigned long cmd;
	size_t error;
	size_t arrays;
	unsigned int nr_arrays;
	size_t keep;
	size_t keep_bytes;
	bool often;
	void (*make)(void *arg);
};

extern const struct verb control_verbs[], target_verbs[];
extern const unsigned int nr_control_verbs, nr_target_verbs;

/* What good arguments are made of. */
extern struct rblk_ioc_addr make_portal;
extern const char *make_disk[MOST_DISKS];
extern unsigned int make_nr_disks;

void make_init(void);

/* ioctl_worse.c */
void make_worse(const struct verb *verb, void *arg);
unsigned long make_command(const struct verb *verb);
void make_guard(const struct verb *verb, void *arg);

/* ioctl_case.c */
void cases_judge(const char *path, bool control);

/* ioctl_race.c */
int race_call(int fd, const char *path, const struct verb *verb,
	      unsigned long cmd, const void *arg, void *out);
void race_init(void);
bool race_compat(void);

#endif
