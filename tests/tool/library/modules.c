// SPDX-License-Identifier: GPL-2.0-only
/*
 * The control devices of the modules that fake.c makes up, for a program that opens them
 * itself: what it and librblk call comes here, and all else goes on to the kernel.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../tool.h"

#define IS_FAKE(fd)	((fd) == 1000 || (fd) == 1001)

struct result result;

__attribute__((constructor))
static void modules_load(void)
{
	if (fake_setup(NULL))
		_exit(2);
	fake.keeps = true;
	/* Or the library would give them the key of whoever tests. */
	fake.keys[RBLK_INITIATOR].private_key[0] = 1;
	fake.keys[RBLK_TARGET].private_key[0] = 1;
	if (getenv("REFUSED"))
		fake.open_error[RBLK_INITIATOR] = EACCES;
	fake.nr_offers = 1;
	snprintf(fake.offers[0].name, RBLK_NAME_LEN, "data");
}

__attribute__((destructor))
static void modules_unload(void)
{
	if (fake_teardown(NULL))
		_exit(2);
}

static int failed_with(int err)
{
	if (err >= 0)
		return err;
	errno = -err;
	return -1;
}

int open(const char *path, int flags, ...)
{
	va_list args;
	int mode;

	va_start(args, flags);
	mode = va_arg(args, int);
	va_end(args);
	if (!strcmp(path, RBLK_CONTROL_PATH) || !strcmp(path, RBLK_TARGET_PATH))
		return failed_with(node_open(path));
	return syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int ioctl(int fd, unsigned long command, ...)
{
	va_list args;
	void *arg;

	va_start(args, command);
	arg = va_arg(args, void *);
	va_end(args);
	if (IS_FAKE(fd))
		return failed_with(node_ioctl(fd, command, arg));
	return syscall(SYS_ioctl, fd, command, arg);
}

int close(int fd)
{
	if (IS_FAKE(fd)) {
		node_close(fd);
		return 0;
	}
	return syscall(SYS_close, fd);
}
