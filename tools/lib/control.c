// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/control.h"
#include "lib/interrupt.h"
#include "lib/node.h"

static const struct {
	const char *path;
	const char *module;
	const char *what;
	const char *load;
	unsigned long info;
} sides[] = {
	[SIDE_INITIATOR] = { RBLK_CONTROL_PATH, "rblk", "initiator",
			     "modprobe rblk", RBLK_IOC_INFO },
	[SIDE_TARGET] = { RBLK_TARGET_PATH, "rblk_target", "target",
			  "modprobe rblk_target", RBLKT_IOC_INFO },
};

/**
 * failure_set() - a failure that the tool itself found
 * @fail: the result
 * @error: positive errno
 * @hint: what to try, or NULL
 * @format: the sentence
 */
void failure_set(struct failure *fail, int error, const char *hint, const char *format, ...)
{
	va_list args;

	memset(fail, 0, sizeof(*fail));
	fail->error = error;
	fail->hint = hint;
	va_start(args, format);
	vsnprintf(fail->text, sizeof(fail->text), format, args);
	va_end(args);
}

/*
 * A signal reaches the module as EINTR: the command is undone, and that is said.
 * After it no further command begins.
 */
static int call_interruptible(int fd, unsigned long command, void *arg,
			      struct rblk_ioc_error *error)
{
	int err;

	do {
		memset(error, 0, sizeof(*error));
		if (interrupt_pending())
			return -EINTR;
		err = node_ioctl(fd, command, arg);
	} while (err == -EINTR && !interrupt_pending());
	return err;
}

static void failure_take(struct failure *fail, int error, const struct rblk_ioc_error *from)
{
	memset(fail, 0, sizeof(*fail));
	fail->error = error;
	/* For EFAULT, ENOTTY and a wrong size the module fills in nothing. */
	if (from->error == error) {
		fail->stage = from->stage;
		fail->reason = from->reason;
		text_clean(fail->text, sizeof(fail->text), from->text, sizeof(from->text));
	}
	if (error == EINTR)
		snprintf(fail->text, sizeof(fail->text), "interrupted");
	if (!fail->text[0])
		snprintf(fail->text, sizeof(fail->text), "%s", strerror(error));
}

/**
 * control_call() - one control command
 * @fd: from control_reach()
 * @command: RBLK_IOC_* or RBLKT_IOC_*
 * @arg: its structure
 * @error: the error member of @arg
 * @fail: why it failed
 *
 * Return: 0, or -1 with @fail filled in.
 */
int control_call(int fd, unsigned long command, void *arg,
		 struct rblk_ioc_error *error, struct failure *fail)
{
	int err = call_interruptible(fd, command, arg, error);

	if (!err)
		return 0;
	failure_take(fail, -err, error);
	return -1;
}

/**
 * control_missing() - whether it failed as the module is not loaded
 * @fail: from control_reach() or control_info()
 *
 * Return: whether it did.
 */
bool control_missing(const struct failure *fail)
{
	return fail->error == ENOENT || fail->error == ENODEV || fail->error == ENXIO;
}

static void open_failed(enum side side, int error, struct failure *fail)
{
	switch (error) {
	case ENOENT:
	case ENODEV:
	case ENXIO:
		failure_set(fail, error, sides[side].load,
			    "the %s's module is not loaded: there is no %s",
			    sides[side].what, sides[side].path);
		break;
	case EACCES:
	case EPERM:
		failure_set(fail, error, "sudo rblkctl, or as root",
			    "%s is only for root", sides[side].path);
		break;
	default:
		failure_set(fail, error, NULL, "cannot open %s: %s",
			    sides[side].path, strerror(error));
	}
}

static int check_info(enum side side, int fd, struct rblk_ioc_info *info,
		      struct failure *fail)
{
	int err;

	memset(info, 0, sizeof(*info));
	info->size = sizeof(*info);
	err = node_ioctl(fd, sides[side].info, info);
	if (err) {
		if (err == -EPERM || err == -EACCES)
			open_failed(side, -err, fail);
		else if (err == -ENOMEM)
			failure_set(fail, ENOMEM, "free memory, and once more",
				    "%s is short of memory", sides[side].path);
		else
			failure_set(fail, -err,
				    "ls -l /dev/rblk*, and load the module again",
				    "%s does not answer as an rblk module does: %s",
				    sides[side].path, strerror(-err));
		return -1;
	}
	if (info->abi == RBLK_ABI)
		return 0;
	failure_set(fail, EPROTONOSUPPORT,
		    info->abi > RBLK_ABI ?
		    "install the rblkctl of the module's release" :
		    "install the module of rblkctl's release, then modprobe -r and modprobe",
		    "rblkctl speaks control ABI %u, the module %s %u", RBLK_ABI,
		    sides[side].module, info->abi);
	return -1;
}

static int open_checked(enum side side, struct rblk_ioc_info *info, struct failure *fail)
{
	int fd = node_open(sides[side].path);

	if (fd < 0) {
		open_failed(side, -fd, fail);
		return -1;
	}
	if (!check_info(side, fd, info, fail))
		return fd;
	node_close(fd);
	return -1;
}

/**
 * control_info() - ask a module what it is
 * @side: which module
 * @info: its answer; @info->abi is set when only the ABI differs
 * @fail: why it failed
 *
 * Return: 0, or -1 with @fail filled in.
 */
int control_info(enum side side, struct rblk_ioc_info *info, struct failure *fail)
{
	int fd;

	memset(info, 0, sizeof(*info));
	fd = open_checked(side, info, fail);
	if (fd < 0)
		return -1;
	node_close(fd);
	return 0;
}

/**
 * control_reach() - open a module's control node and compare the ABI
 * @side: which module
 * @fail: why it failed
 *
 * Return: a file descriptor, or -1 with @fail filled in.
 */
int control_reach(enum side side, struct failure *fail)
{
	struct rblk_ioc_info info;

	memset(&info, 0, sizeof(info));
	return open_checked(side, &info, fail);
}

/**
 * control_try() - open, one control command, close
 * @side: which module
 * @command: RBLK_IOC_* or RBLKT_IOC_*
 * @arg: its structure
 * @error: the error member of @arg
 * @fail: why it failed
 *
 * Return: 0, or -1 with @fail filled in.
 */
int control_try(enum side side, unsigned long command, void *arg,
		struct rblk_ioc_error *error, struct failure *fail)
{
	int fd = control_reach(side, fail), err;

	if (fd < 0)
		return -1;
	err = control_call(fd, command, arg, error, fail);
	node_close(fd);
	return err;
}
