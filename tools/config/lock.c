// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who may change what runs: one file, two bytes of it locked.
 *
 * A transaction (apply, save, down) locks both alone: first the gate, which keeps
 * other transactions and further attempts away, then the work, for which it waits
 * until the attempts under way have ended. Two transactions at once would undo each
 * other's steps, and half of one is not to be saved.
 *
 * "up" tries each item in a process of its own, and may do so for ever. An
 * attempt shares the work with other attempts and is not begun while the gate is
 * shut; between two of them nothing is locked. So a target that is late keeps
 * neither another item nor a transaction waiting for longer than one attempt.
 *
 * The locks belong to the open file, and go with it, also when the program dies.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "config/config.h"
#include "system/interrupt.h"
#include "lib/node.h"
#include "system/program.h"

#define LOCK_PATH	"/run/rblkctl.lock"
#define WORK_SECONDS	70	/* longer than an attempt: 30 + 30 of ATTACH, and 2 for udev */

enum part { GATE, WORK };

static int try_lock(int fd, enum part part, int type)
{
	struct flock lock = { .l_type = type, .l_whence = SEEK_SET, .l_start = part,
			      .l_len = 1 };

	return fcntl(fd, F_OFD_SETLK, &lock) ? -errno : 0;
}

/* For at most @seconds; a signal ends it. */
static int wait_lock(int fd, enum part part, unsigned int seconds)
{
	int err = try_lock(fd, part, F_WRLCK);

	while (err == -EAGAIN && seconds-- && !interrupt_pending() && !system_sleep(1))
		err = try_lock(fd, part, F_WRLCK);
	return err;
}

static bool is_gate_shut(int fd)
{
	struct flock lock = { .l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = GATE,
			      .l_len = 1 };

	return !fcntl(fd, F_OFD_GETLK, &lock) && lock.l_type != F_UNLCK;
}

static int open_lock(struct rblk_failure *fail)
{
	char path[RBLK_PATH_LEN];
	int fd;

	snprintf(path, sizeof(path), "%s%s", node_root(), LOCK_PATH);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		failure_set(fail, errno, NULL, "cannot open %s: %s", LOCK_PATH,
			    strerror(errno));
	return fd;
}

/* Return: -1, with @fail filled in and @fd closed. */
static int not_locked(int fd, int err, const char *busy, struct rblk_failure *fail)
{
	if (interrupt_pending())
		failure_set(fail, EINTR, NULL, "interrupted");
	else if (err == -EAGAIN)
		failure_set(fail, EBUSY, "once more when it has ended", "%s", busy);
	else
		failure_set(fail, -err, NULL, "cannot lock %s: %s", LOCK_PATH,
			    strerror(-err));
	close(fd);
	return -1;
}

/**
 * running_lock() - keep other transactions and attempts away
 * @seconds: to wait for another transaction
 * @fail: why it failed
 *
 * Return: a file descriptor, with which the lock goes, or -1 with @fail filled in.
 */
int running_lock(unsigned int seconds, struct rblk_failure *fail)
{
	int fd = open_lock(fail), err;

	if (fd < 0)
		return -1;
	err = wait_lock(fd, GATE, seconds);
	if (err)
		return not_locked(fd, err, "another rblkctl is applying a configuration",
				  fail);
	err = wait_lock(fd, WORK, WORK_SECONDS);
	if (err)
		return not_locked(fd, err, "rblkctl up does not come to an end", fail);
	return fd;
}

/**
 * running_share() - begin one attempt to bring an item up
 * @fail: why not; EBUSY while a transaction is under way
 *
 * Return: a file descriptor, to be closed after the attempt, or -1 with @fail
 * filled in.
 */
int running_share(struct rblk_failure *fail)
{
	int fd = open_lock(fail), err;

	if (fd < 0)
		return -1;
	err = try_lock(fd, WORK, F_RDLCK);
	if (!err && is_gate_shut(fd))
		err = -EAGAIN;
	if (err)
		return not_locked(fd, err, "another rblkctl is applying a configuration",
				  fail);
	return fd;
}
