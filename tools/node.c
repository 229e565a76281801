// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "node.h"

/**
 * node_open() - open a control node
 * @path: RBLK_CONTROL_PATH or RBLK_TARGET_PATH
 *
 * Return: a file descriptor or a negative errno.
 */
int node_open(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/**
 * node_ioctl() - one control command
 * @fd: from node_open()
 * @command: RBLK_IOC_* or RBLKT_IOC_*
 * @arg: its structure
 *
 * Return: 0 or a negative errno.
 */
int node_ioctl(int fd, unsigned long command, void *arg)
{
	return ioctl(fd, command, arg) < 0 ? -errno : 0;
}

/**
 * node_close() - undo node_open()
 * @fd: from node_open()
 */
void node_close(int fd)
{
	close(fd);
}

/**
 * node_root() - where /dev, /etc, /proc and /sys are found
 *
 * Return: a directory without trailing slash; empty but in tests.
 */
const char *node_root(void)
{
	return "";
}
