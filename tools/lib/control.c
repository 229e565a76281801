// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/control.h"
#include "lib/node.h"
#include "lib/sysfs.h"

/**
 * struct rblk - a caller
 * @interrupted: whether to give up, or NULL
 * @arg: its argument
 */
struct rblk {
	bool (*interrupted)(void *arg);
	void *arg;
};

static const struct {
	const char *path;
	const char *module;
	const char *what;
	const char *load;
	unsigned long info;
} sides[] = {
	[RBLK_INITIATOR] = { RBLK_CONTROL_PATH, "rblk", "initiator",
			     "modprobe rblk", RBLK_IOC_INFO },
	[RBLK_TARGET] = { RBLK_TARGET_PATH, "rblk_target", "target",
			  "modprobe rblk_target", RBLKT_IOC_INFO },
};

/**
 * rblk_new() - a caller with wishes
 *
 * Return: for rblk_free(), or NULL without memory.
 */
struct rblk *rblk_new(void)
{
	return calloc(1, sizeof(struct rblk));
}

/**
 * rblk_free() - undo rblk_new()
 * @rblk: from there, or NULL
 */
void rblk_free(struct rblk *rblk)
{
	free(rblk);
}

/**
 * rblk_set_interrupt() - decide when to give up
 * @rblk: the caller
 * @interrupted: asked before each command, and when a signal has ended a wait; or NULL
 * @arg: its argument
 */
void rblk_set_interrupt(struct rblk *rblk, bool (*interrupted)(void *arg), void *arg)
{
	rblk->interrupted = interrupted;
	rblk->arg = arg;
}

/**
 * control_gives_up() - whether nothing more is to begin
 * @rblk: the caller, or NULL
 *
 * Return: whether it says so.
 */
bool control_gives_up(const struct rblk *rblk)
{
	return rblk && rblk->interrupted && rblk->interrupted(rblk->arg);
}

/**
 * control_goes_on() - whether to wait again after a signal
 * @rblk: the caller, or NULL
 *
 * Return: whether it knows of signals, and this one was none to heed.
 */
bool control_goes_on(const struct rblk *rblk)
{
	return rblk && rblk->interrupted && !rblk->interrupted(rblk->arg);
}

/* The module undoes what a signal has ended. */
static int call(const struct rblk *rblk, int fd, unsigned long command, void *arg,
		struct rblk_ioc_error *error)
{
	int err;

	do {
		memset(error, 0, sizeof(*error));
		if (control_gives_up(rblk))
			return -EINTR;
		err = node_ioctl(fd, command, arg);
	} while (err == -EINTR && control_goes_on(rblk));
	return err;
}

static void failure_take(struct rblk_failure *fail, int error, const struct rblk_ioc_error *from)
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

static void open_failed(enum rblk_side side, int error, struct rblk_failure *fail)
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
		failure_set(fail, error, NULL,
			    "%s is only for root", sides[side].path);
		break;
	default:
		failure_set(fail, error, NULL, "cannot open %s: %s",
			    sides[side].path, strerror(error));
	}
}

static int check_info(enum rblk_side side, int fd, struct rblk_ioc_info *info,
		      struct rblk_failure *fail)
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
		    "install rblkctl and librblk of the module's release" :
		    "install the module of librblk's release, then modprobe -r and modprobe",
		    "librblk speaks control ABI %u, the module %s %u", RBLK_ABI,
		    sides[side].module, info->abi);
	return -1;
}

static int open_checked(enum rblk_side side, struct rblk_ioc_info *info,
			struct rblk_failure *fail)
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
 * rblk_info() - ask a module what it is
 * @rblk: the caller, or NULL
 * @side: which module
 * @info: its answer; @info->abi is set when only the ABI differs, and @info->version alone
 *	where only root may ask
 * @fail: why it failed
 *
 * Return: 0, or -1 with @fail filled in.
 */
int rblk_info(struct rblk *rblk, enum rblk_side side, struct rblk_ioc_info *info,
	      struct rblk_failure *fail)
{
	int fd;

	(void)rblk;
	memset(info, 0, sizeof(*info));
	fd = open_checked(side, info, fail);
	if (fd >= 0) {
		node_close(fd);
		return 0;
	}
	if (control_refused(fail))
		sysfs_version(sides[side].module, info->version, sizeof(info->version));
	return -1;
}

/**
 * control_refused() - whether it failed as only root may ask the module
 * @fail: of control_try()
 *
 * Return: whether it did.
 */
bool control_refused(const struct rblk_failure *fail)
{
	return fail->stage == RBLK_STAGE_NONE &&
	       (fail->error == EACCES || fail->error == EPERM);
}

/**
 * rblk_missing() - whether it failed as the module is not loaded
 * @fail: of rblk_info(), or of what only asks the module
 *
 * Return: whether it did.
 */
bool rblk_missing(const struct rblk_failure *fail)
{
	return fail->stage == RBLK_STAGE_NONE &&
	       (fail->error == ENOENT || fail->error == ENODEV || fail->error == ENXIO);
}

/**
 * control_try() - one control command
 * @rblk: the caller, or NULL
 * @side: which module
 * @command: RBLK_IOC_* or RBLKT_IOC_*
 * @arg: its structure
 * @error: the error member of @arg
 * @fail: why it failed
 *
 * The module is open no longer than that, as nobody may keep it loaded by listening.
 *
 * Return: 0, or -1 with @fail filled in.
 */
int control_try(struct rblk *rblk, enum rblk_side side, unsigned long command, void *arg,
		struct rblk_ioc_error *error, struct rblk_failure *fail)
{
	struct rblk_ioc_info info;
	int fd, err;

	memset(&info, 0, sizeof(info));
	fd = open_checked(side, &info, fail);
	if (fd < 0)
		return -1;
	err = call(rblk, fd, command, arg, error);
	node_close(fd);
	if (err)
		failure_take(fail, -err, error);
	return err ? -1 : 0;
}
